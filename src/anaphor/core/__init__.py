"""The types that all packages share. Standard library only.

Names are loaded when they are first used, so that a help text does not build every dataclass.
"""

from __future__ import annotations

TYPE_CHECKING = False  # what type checkers take for true; `typing` itself is slow to import
if TYPE_CHECKING:
    from anaphor.core.collector import collector_paused
    from anaphor.core.errors import (
        CheckError,
        InputError,
        InputWarning,
        MismatchError,
        OptionError,
        UnknownNameError,
        UserError,
        Where,
    )
    from anaphor.core.experiment import (
        Comparison,
        Counts,
        Files,
        Flip,
        FunctionScores,
        Interval,
        Result,
        Score,
        Sensitivity,
        Settings,
        Signature,
        SystemResult,
        digest,
    )
    from anaphor.core.options import PAPER_WEIGHTS, MetricOption
    from anaphor.core.pronoun import (
        Counterpart,
        Outcome,
        Pronoun,
        PronounPair,
        PronounScore,
        Repair,
        RepairKind,
        Verdict,
    )
    from anaphor.core.registry import Registry
    from anaphor.core.slots import Prediction, Slot, TaskSegment
    from anaphor.core.suite import (
        Alternative,
        Antecedent,
        Category,
        Item,
        Place,
        ReferencePair,
        Suite,
        SuiteDocument,
    )
    from anaphor.core.text import Alignment, Analysis, LanguagePair, Link, Sentence, Span, Tree

_MODULES = {
    "collector": "collector_paused",
    "errors": "CheckError InputError InputWarning MismatchError OptionError UnknownNameError UserError Where",
    "experiment": "Comparison Counts Files Flip FunctionScores Interval "
    "Result Score Sensitivity Settings Signature SystemResult digest",
    "options": "PAPER_WEIGHTS MetricOption",
    "pronoun": "Counterpart Outcome Pronoun PronounPair PronounScore Repair RepairKind Verdict",
    "registry": "Registry",
    "slots": "Prediction Slot TaskSegment",
    "suite": "Alternative Antecedent Category Item Place ReferencePair Suite SuiteDocument",
    "text": "Alignment Analysis LanguagePair Link Sentence Span Tree",
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names.split()}

__all__ = [
    "PAPER_WEIGHTS",
    "Alignment",
    "Alternative",
    "Analysis",
    "Antecedent",
    "Category",
    "CheckError",
    "Comparison",
    "Counterpart",
    "Counts",
    "Files",
    "Flip",
    "FunctionScores",
    "InputError",
    "InputWarning",
    "Interval",
    "Item",
    "LanguagePair",
    "Link",
    "MetricOption",
    "MismatchError",
    "OptionError",
    "Outcome",
    "Place",
    "Prediction",
    "Pronoun",
    "PronounPair",
    "PronounScore",
    "ReferencePair",
    "Registry",
    "Repair",
    "RepairKind",
    "Result",
    "Score",
    "Sensitivity",
    "Sentence",
    "Settings",
    "Signature",
    "Slot",
    "Span",
    "Suite",
    "SuiteDocument",
    "SystemResult",
    "TaskSegment",
    "Tree",
    "UnknownNameError",
    "UserError",
    "Verdict",
    "Where",
    "collector_paused",
    "digest",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'anaphor.core' has no attribute {name!r}")
    from importlib import import_module

    found = globals()[name] = getattr(import_module(f"anaphor.core.{_HOMES[name]}"), name)
    return found
