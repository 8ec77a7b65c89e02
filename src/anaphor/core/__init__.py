"""The nouns every room speaks. Standard library only."""

from anaphor.core.alignment import Alignment, Link
from anaphor.core.analysis import Analysis, Tree
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
from anaphor.core.experiment import PAPER_WEIGHTS, Files, Settings
from anaphor.core.prediction import Prediction
from anaphor.core.pronoun import Counterpart, Outcome, Pronoun, PronounPair, Repair, RepairKind, Verdict
from anaphor.core.registry import Registry
from anaphor.core.result import Flip, FunctionScores, Result, Sensitivity, SystemResult
from anaphor.core.score import Comparison, Counts, Interval, Score
from anaphor.core.signature import Signature, digest
from anaphor.core.slots import Slot, TaskSegment
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
from anaphor.core.text import LanguagePair, Sentence, Span

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
    "MismatchError",
    "OptionError",
    "Outcome",
    "Place",
    "Prediction",
    "Pronoun",
    "PronounPair",
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
