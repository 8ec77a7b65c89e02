"""The nouns every room speaks. Standard library only."""

from anaphor.core.alignment import Alignment, Link
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
from anaphor.core.pronoun import Counterpart, Outcome, Pronoun, PronounPair, Repair, RepairKind
from anaphor.core.registry import Registry
from anaphor.core.score import Comparison, Counts, Interval, Score
from anaphor.core.signature import Signature, digest
from anaphor.core.text import LanguagePair, Segment, Sentence, Span

__all__ = [
    "Alignment",
    "CheckError",
    "Comparison",
    "Counterpart",
    "Counts",
    "InputError",
    "InputWarning",
    "Interval",
    "LanguagePair",
    "Link",
    "MismatchError",
    "OptionError",
    "Outcome",
    "Pronoun",
    "PronounPair",
    "Registry",
    "Repair",
    "RepairKind",
    "Score",
    "Segment",
    "Sentence",
    "Signature",
    "Span",
    "UnknownNameError",
    "UserError",
    "Where",
    "digest",
]
