"""Source pronouns, their counterparts in a translation, and the repair of their links."""

from anaphor.pronouns.aligning import with_alignments, with_alignments_by_way
from anaphor.pronouns.counterparts import CounterpartFinder, Side
from anaphor.pronouns.examine import Splitter, Watch, find_pronouns, pair_up
from anaphor.pronouns.find import Words, find_by_form, read_positions
from anaphor.pronouns.repair import find_repair

__all__ = [
    "CounterpartFinder",
    "Side",
    "Splitter",
    "Watch",
    "Words",
    "find_by_form",
    "find_pronouns",
    "find_repair",
    "pair_up",
    "read_positions",
    "with_alignments",
    "with_alignments_by_way",
]
