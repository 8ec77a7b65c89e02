"""Build a suite from parallel documents.

Read in this order: `documents` and `mmax2` (what goes in), `candidates` and `antecedents` (source pronouns),
`projection` (their translations in the references), `selection` (which ones a plan takes), `builder` (all of
it together).
"""

from anaphor.suite.build.builder import BuildConfig, BuildTools, build_suite
from anaphor.suite.build.mmax2 import annotated_pronouns, read_corpus

__all__ = ["BuildConfig", "BuildTools", "annotated_pronouns", "build_suite", "read_corpus"]
