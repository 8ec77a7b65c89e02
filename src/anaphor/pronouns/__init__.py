"""Source pronouns, their counterparts in a translation, and the repair of their links."""

from anaphor.pronouns.alignment import with_alignments, with_alignments_by_symmetrization
from anaphor.pronouns.counterparts import AlignedTranslation, CounterpartFinder, PronounPairs, pair_up
from anaphor.pronouns.dropped import (
    DroppedSubjects,
    FiniteVerb,
    as_linked,
    subject_verb,
    tagged_verb,
    verbs_of_subject,
)
from anaphor.pronouns.find import EvaluatedForms, Splitter, find_by_form, find_pronouns, read_positions
from anaphor.pronouns.repair import find_repair

__all__ = [
    "AlignedTranslation",
    "CounterpartFinder",
    "DroppedSubjects",
    "EvaluatedForms",
    "FiniteVerb",
    "PronounPairs",
    "Splitter",
    "as_linked",
    "find_by_form",
    "find_pronouns",
    "find_repair",
    "pair_up",
    "read_positions",
    "subject_verb",
    "tagged_verb",
    "verbs_of_subject",
    "with_alignments",
    "with_alignments_by_symmetrization",
]
