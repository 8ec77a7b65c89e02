"""Test suites for pronouns: their format, their categories, and the automatic evaluation of PROTEST.

Read in this order: `folder` (a suite on disk), `evaluate` (candidates in, outcomes out), `outcomes` (what a
match is), `categories` (which pronouns belong together), `build` and `protest` (where suites come from).
"""

from anaphor.suite.categories import CategoryPack, load_categories
from anaphor.suite.evaluate import SuiteReport, evaluate_suite
from anaphor.suite.folder import LoadedSuite, load_suite, read_suite, suite_digest, write_suite
from anaphor.suite.linking import (
    EvaluationOptions,
    GivenLinks,
    read_candidates,
    read_links,
    read_whole_candidates,
)
from anaphor.suite.outcomes import AntecedentAgreement, CandidateWords, ItemJudgement, ItemOutcome
from anaphor.suite.plain import plain_suite
from anaphor.suite.protest.reader import ProtestMetadata, from_protest
from anaphor.suite.protest.writer import to_protest
from anaphor.suite.shipped import copy_shipped, load_shipped, shipped_suites
from anaphor.suite.texts import SuiteTexts
from anaphor.suite.worklist import format_work_list, with_approved, work_list

__all__ = [
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
    "copy_shipped",
    "evaluate_suite",
    "format_work_list",
    "from_protest",
    "load_categories",
    "load_shipped",
    "load_suite",
    "plain_suite",
    "read_candidates",
    "read_links",
    "read_suite",
    "read_whole_candidates",
    "shipped_suites",
    "suite_digest",
    "to_protest",
    "with_approved",
    "work_list",
    "write_suite",
]
