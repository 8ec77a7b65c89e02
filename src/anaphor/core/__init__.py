"""The types that all packages share. Standard library only.

Names are loaded when they are first used, so that a help text does not build every dataclass.
"""

# ruff: noqa: F403 - the stars are for type checkers alone; the names below are what is exported
from __future__ import annotations

TYPE_CHECKING = False  # what type checkers take for true; `typing` itself is slow to import
if TYPE_CHECKING:
    from anaphor.core.collector import *
    from anaphor.core.columns import *
    from anaphor.core.errors import *
    from anaphor.core.experiment import *
    from anaphor.core.options import *
    from anaphor.core.pronoun import *
    from anaphor.core.registry import *
    from anaphor.core.slots import *
    from anaphor.core.suite import *
    from anaphor.core.text import *

_MODULES = {
    "collector": "collector_paused keep_from_collector",
    "columns": "instances",
    "errors": "CheckError GateError InputError InputWarning MismatchError OptionError "
    "UnknownNameError UserError Where",
    "experiment": "Bound CandidateSegmentation Comparison Counts Files Flip FunctionScores Interval "
    "Result Score Sensitivity Settings Signature SystemResult digest",
    "options": "PAPER_WEIGHTS MetricOption",
    "pronoun": "CONTEXT_LINES Counterpart Detection MarkedPronoun Outcome PredictedForm Pronoun "
    "PronounContext PronounPair PronounScore Repair RepairKind Verdict VerdictCounts "
    "first_context_line marked",
    "registry": "Registry",
    "slots": "Prediction Slot TaskSegment",
    "suite": "Alternative Antecedent Category Item Place ReferencePair Suite SuiteDocument",
    "text": "Alignment Analysis LanguagePair Link Sentence Span Tree",
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names.split()}
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'anaphor.core' has no attribute {name!r}")
    from importlib import import_module

    found = globals()[name] = getattr(import_module(f"anaphor.core.{_HOMES[name]}"), name)
    return found
