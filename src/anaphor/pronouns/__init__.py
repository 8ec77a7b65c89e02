"""Source pronouns, their counterparts in a translation, and the repair of their links."""

from anaphor.pronouns.alignment import with_alignments, with_alignments_by_symmetrization
from anaphor.pronouns.counterparts import AlignedTranslation, CounterpartFinder, PronounPairs, pair_up
from anaphor.pronouns.find import EvaluatedForms, Splitter, find_by_form, find_pronouns, read_positions
from anaphor.pronouns.repair import find_repair

__all__ = [
    "AlignedTranslation",
    "CounterpartFinder",
    "EvaluatedForms",
    "PronounPairs",
    "Splitter",
    "find_by_form",
    "find_pronouns",
    "find_repair",
    "pair_up",
    "read_positions",
    "with_alignments",
    "with_alignments_by_symmetrization",
]
