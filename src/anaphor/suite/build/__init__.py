"""Build a suite from parallel documents.

Read in this order: `documents` and `mmax2` (what goes in), `candidates` and `antecedents` (source pronouns),
`projection` (their translations in the references), `selection` (which ones a plan takes), `builder` (all of
it together).
"""

from anaphor.suite.build.builder import BuildConfig, BuildTools, BuiltSuite, build_suite
from anaphor.suite.build.documents import BuildCorpus, plain_corpus
from anaphor.suite.build.mmax2 import AnnotatedPronoun, annotated_pronouns, mmax2_corpus, read_corpus
from anaphor.suite.build.report import BuildReport

__all__ = [
    "AnnotatedPronoun",
    "BuildConfig",
    "BuildCorpus",
    "BuildReport",
    "BuildTools",
    "BuiltSuite",
    "annotated_pronouns",
    "build_suite",
    "mmax2_corpus",
    "plain_corpus",
    "read_corpus",
]
