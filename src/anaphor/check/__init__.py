"""Finds suspicious pronouns in translated files.

files ─formats─▶ units ─linking─▶ blocks ─┬─ verdicts ─┬─▶ findings ─baseline─▶ report ─output─▶ text, SARIF …
                                          ├─ cast ─────┤
                                          └─ chains ───┘
"""

from anaphor.check.checking import DEFAULT_CONFIDENCE, CheckInput, CheckOptions, check_files
from anaphor.check.findings import Finding, Kind
from anaphor.check.report import CheckReport

__all__ = [
    "DEFAULT_CONFIDENCE",
    "CheckInput",
    "CheckOptions",
    "CheckReport",
    "Finding",
    "Kind",
    "check_files",
]
