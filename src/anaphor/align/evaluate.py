"""How good are links? Alignment error rate, precision, recall, F, and the links of pronouns.

With the proposed links A, the sure gold links S and the possible ones P (S is part of P), Och and Ney
(2003, section 6) define

    precision = |A ∩ P| / |A|     recall = |A ∩ S| / |S|     AER = 1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|)

over the whole corpus. F is the harmonic mean of precision and recall.

Links of pronouns are judged alike, with A, S and P restricted to the pronoun of each item. A pronoun
that is rightly unaligned has no gold link; every link proposed for it costs precision, and the share of
such pronouns that got no link is reported beside F, which cannot reward it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from anaphor.align.gold import GoldAlignment, PronounLinkItem
from anaphor.core import Alignment, MismatchError


@dataclass(frozen=True, slots=True)
class LinkCounts:
    """Numbers of links; counts of two sets of segments can be added. An undefined ratio is NaN."""

    proposed: int = 0
    sure: int = 0
    in_possible: int = 0
    in_sure: int = 0

    def __add__(self, other: LinkCounts) -> LinkCounts:
        return LinkCounts(
            self.proposed + other.proposed,
            self.sure + other.sure,
            self.in_possible + other.in_possible,
            self.in_sure + other.in_sure,
        )

    @property
    def precision(self) -> float:
        return _ratio(self.in_possible, self.proposed)

    @property
    def recall(self) -> float:
        return _ratio(self.in_sure, self.sure)

    @property
    def f(self) -> float:
        """Harmonic mean of precision and recall, NaN where one of them is."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total != 0 else 0.0

    @property
    def aer(self) -> float:
        return 1 - _ratio(self.in_sure + self.in_possible, self.proposed + self.sure)


@dataclass(frozen=True, slots=True)
class PronounLinkCounts:
    """Links of pronouns: `unaligned` items have no gold link, `left_alone` of these got none."""

    items: int = 0
    unaligned: int = 0
    left_alone: int = 0
    links: LinkCounts = LinkCounts()

    def __add__(self, other: PronounLinkCounts) -> PronounLinkCounts:
        return PronounLinkCounts(
            self.items + other.items,
            self.unaligned + other.unaligned,
            self.left_alone + other.left_alone,
            self.links + other.links,
        )

    @property
    def share_left_alone(self) -> float:
        """The share of rightly unaligned pronouns without a link, NaN where there are none."""
        return _ratio(self.left_alone, self.unaligned)


@dataclass(frozen=True, slots=True)
class PronounLinkReport:
    """Counts over all items, and by case-folded source form and by function, names ascending."""

    total: PronounLinkCounts
    by_form: Mapping[str, PronounLinkCounts]
    by_function: Mapping[str, PronounLinkCounts]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What was found out about all links and about those of pronouns; None where it was not asked."""

    judged: str
    segments: int
    links: LinkCounts | None = None
    pronouns: PronounLinkReport | None = None


def evaluate_links(
    golds: Sequence[GoldAlignment],
    alignments: Sequence[Alignment],
    *,
    positions: Sequence[frozenset[int]] | None = None,
) -> LinkCounts:
    """The counts over all segments. A link proposed twice counts once; sure or possible is the same.

    `positions` are the source positions of every segment whose links count, such as its pronouns.
    """
    _check_length(gold=len(golds), given=len(alignments), what="alignment")
    if positions is None:
        return sum((_count(g, _pairs(a)) for g, a in zip(golds, alignments, strict=True)), LinkCounts())
    _check_length(gold=len(golds), given=len(positions), what="list of positions")
    parts = zip(golds, alignments, positions, strict=True)
    return sum((_count(_restricted(g, p), _at(_pairs(a), p)) for g, a, p in parts), LinkCounts())


def evaluate_pronoun_links(
    items: Sequence[PronounLinkItem], alignments: Sequence[Alignment]
) -> PronounLinkReport:
    """The counts of all items; `alignments` has one alignment for every item, of its tokens."""
    _check_length(gold=len(items), given=len(alignments), what="alignment")
    counted = list(zip(items, map(_count_item, items, alignments), strict=True))
    return PronounLinkReport(
        sum((counts for _, counts in counted), PronounLinkCounts()),
        _grouped(counted, lambda item: item.form),
        _grouped(counted, lambda item: item.function),
    )


def _count(gold: GoldAlignment, proposed: frozenset[tuple[int, int]]) -> LinkCounts:
    return LinkCounts(
        proposed=len(proposed),
        sure=len(gold.sure),
        in_possible=len(proposed & gold.possible),
        in_sure=len(proposed & gold.sure),
    )


def _count_item(item: PronounLinkItem, alignment: Alignment) -> PronounLinkCounts:
    gold = GoldAlignment(_from(item.pronoun, item.sure), _from(item.pronoun, item.possible))
    proposed = _from(item.pronoun, alignment.targets_of(item.pronoun))
    unaligned = not item.possible
    return PronounLinkCounts(1, int(unaligned), int(unaligned and not proposed), _count(gold, proposed))


def _grouped(
    counted: Iterable[tuple[PronounLinkItem, PronounLinkCounts]], name: Callable[[PronounLinkItem], str]
) -> dict[str, PronounLinkCounts]:
    groups: dict[str, PronounLinkCounts] = {}
    for item, counts in counted:
        groups[name(item)] = groups.get(name(item), PronounLinkCounts()) + counts
    return dict(sorted(groups.items()))


def _pairs(alignment: Alignment) -> frozenset[tuple[int, int]]:
    return frozenset(zip(alignment.sources, alignment.targets, strict=True))


def _from(source: int, targets: Iterable[int]) -> frozenset[tuple[int, int]]:
    return frozenset((source, target) for target in targets)


def _restricted(gold: GoldAlignment, positions: frozenset[int]) -> GoldAlignment:
    return GoldAlignment(_at(gold.sure, positions), _at(gold.possible, positions))


def _at(links: frozenset[tuple[int, int]], positions: frozenset[int]) -> frozenset[tuple[int, int]]:
    return frozenset(link for link in links if link[0] in positions)


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else math.nan


def _check_length(*, gold: int, given: int, what: str) -> None:
    if gold != given:
        raise MismatchError(
            f"the gold has {gold} segments, the {what} has {given}",
            where="--alignment",
            fix="align exactly the segments of the gold file, an empty line for one without links",
        )
