"""Test suites for pronouns: their format, their categories, and the automatic evaluation of PROTEST.

Read in this order: `folder` (a suite on disk), `evaluate` (candidates in, outcomes out), `outcomes` (what a
match is), `categories` and `parcor` (which pronouns belong together).
"""

from anaphor.suite.build.mmax2 import AnnotatedPronoun, annotated_pronouns
from anaphor.suite.categories import CategoryPack, load_categories
from anaphor.suite.evaluate import SuiteReport, evaluate_suite
from anaphor.suite.folder import LoadedSuite, is_suite, load_suite, read_suite, suite_digest, write_suite
from anaphor.suite.linking import EvaluationOptions, GivenLinks
from anaphor.suite.outcomes import AntecedentAgreement, CandidateWords, ItemJudgement, ItemOutcome
from anaphor.suite.protest.reader import ProtestMetadata, from_protest
from anaphor.suite.protest.writer import to_protest
from anaphor.suite.shipped import copy_shipped, load_shipped, shipped_suites
from anaphor.suite.texts import SuiteTexts
from anaphor.suite.worklist import format_work_list, with_approved, work_list

__all__ = [
    "AnnotatedPronoun",
    "AntecedentAgreement",
    "CandidateWords",
    "CategoryPack",
    "EvaluationOptions",
    "GivenLinks",
    "ItemJudgement",
    "ItemOutcome",
    "LoadedSuite",
    "ProtestMetadata",
    "SuiteReport",
    "SuiteTexts",
    "annotated_pronouns",
    "copy_shipped",
    "evaluate_suite",
    "format_work_list",
    "from_protest",
    "is_suite",
    "load_categories",
    "load_shipped",
    "load_suite",
    "read_suite",
    "shipped_suites",
    "suite_digest",
    "to_protest",
    "with_approved",
    "work_list",
    "write_suite",
]
