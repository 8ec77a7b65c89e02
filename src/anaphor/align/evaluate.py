"""Quality of links against a gold alignment: alignment error rate, precision, recall, F, pronoun links.

With the proposed links A, the sure gold links S and the possible ones P (S is a subset of P), Och and Ney
(2003, section 6) define

    precision = |A ∩ P| / |A|     recall = |A ∩ S| / |S|     AER = 1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|)

over the whole corpus. F is the harmonic mean of precision and recall.

Pronoun links are evaluated in the same way, with A, S and P restricted to the pronoun of each item. A pronoun
without a translation has no gold link; every link proposed for it costs precision, and the share of such
pronouns that correctly got no link is reported separately, since F cannot reward it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence, Sized
from dataclasses import astuple, dataclass
from operator import add
from pathlib import Path
from typing import Any

from anaphor.align.gold import (
    GoldAlignment,
    GoldSegment,
    PronounLinkItem,
    check_inside,
    read_gold,
    read_pronoun_links,
    read_segments,
)
from anaphor.align.programs import SentencePair, links_of
from anaphor.align.symmetrize import LinkSet
from anaphor.core import Alignment, LanguagePair, MismatchError, OptionError
from anaphor.core.table import Block, JsonFields, Table, count, counted, percent, text
from anaphor.corpus import read_alignments
from anaphor.languages import FormMatcher, PairPack, load_pair

#: Aligns the sentences of a pair; returns the signature of the aligner and one alignment per sentence.
AlignSentences = Callable[[LanguagePair, list[SentencePair]], tuple[str, Sequence[Alignment]]]


@dataclass(frozen=True, slots=True)
class LinkCounts(JsonFields):
    """Link counts; the counts of two sets of segments can be added. An undefined ratio is NaN."""

    proposed: int = 0
    sure: int = 0
    in_possible: int = 0
    in_sure: int = 0

    # The error rate is that of whole segments, so that the links of pronouns have none.
    json_extra = ("precision", "recall", "f")

    def __add__(self, other: LinkCounts) -> LinkCounts:
        return LinkCounts(*map(add, astuple(self), astuple(other)))

    @property
    def precision(self) -> float:
        return _ratio(self.in_possible, self.proposed)

    @property
    def recall(self) -> float:
        return _ratio(self.in_sure, self.sure)

    @property
    def f(self) -> float:
        """Harmonic mean of precision and recall, NaN if one of them is."""
        total = self.precision + self.recall
        # No link that is right is the worst F; it is undefined only if precision or recall is.
        return 2 * self.precision * self.recall / total if total != 0 else 0.0

    @property
    def ratios(self) -> tuple[float, float, float]:
        """Precision, recall and F."""
        return self.precision, self.recall, self.f

    @property
    def aer(self) -> float:
        # AER = 1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|), Och and Ney (2003); S is part of P.
        return 1 - _ratio(self.in_sure + self.in_possible, self.proposed + self.sure)


@dataclass(frozen=True, slots=True)
class PronounLinkCounts:
    """Links of pronouns: `unaligned` items have no gold link; for `left_alone` of these, none was
    proposed."""

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
        """The share of pronouns without a gold link that got no link, NaN if there are none."""
        return _ratio(self.left_alone, self.unaligned)

    def to_dict(self) -> dict[str, Any]:
        return {
            "items": self.items,
            **self.links.to_dict(),
            "unaligned": self.unaligned,
            "left_alone": self.left_alone,
            "share_left_alone": self.share_left_alone,
        }


@dataclass(frozen=True, slots=True)
class PronounLinkReport:
    """Counts over all items, by case-folded source form, and by function; names in ascending order."""

    total: PronounLinkCounts
    by_form: Mapping[str, PronounLinkCounts]
    by_function: Mapping[str, PronounLinkCounts]

    def to_dict(self) -> dict[str, Any]:
        groups = {"by_form": self.by_form, "by_function": self.by_function}
        return {
            **self.total.to_dict(),
            **{
                key: {name: counts.to_dict() for name, counts in group.items()}
                for key, group in groups.items()
            },
        }


@dataclass(frozen=True, slots=True)
class AlignmentEvaluation:
    """The quality of all links and of pronoun links; None if it was not computed.

    `judged` names the links: the path of their file, or the signature of the aligner.
    """

    gold: str
    judged: str
    segments: int
    links: LinkCounts | None = None
    pronouns: PronounLinkReport | None = None

    def to_dict(self) -> dict[str, Any]:
        links, pronouns = self.links, self.pronouns
        return {
            "gold": self.gold,
            "judged": self.judged,
            "segments": self.segments,
            "links": links and {**links.to_dict(), "aer": links.aer},
            "pronouns": pronouns and pronouns.to_dict(),
        }

    def tables(self) -> Sequence[Block]:
        """A heading, a table of all links, a table of pronouns by form and function."""
        blocks: list[Block] = [f"{self.judged}, {counted(self.segments, 'segment')}"]
        ratios = (percent("precision"), percent("recall"), percent("F"))
        if (links := self.links) is not None:
            columns = (text("links"), count("proposed"), count("sure"), percent("AER"), *ratios)
            blocks.append(Table(columns, [("all", links.proposed, links.sure, links.aer, *links.ratios)]))
        if (report := self.pronouns) is not None:
            columns = (text("pronouns"), count("items"), *ratios, count("unaligned"), percent("left alone"))
            groups = [group for group in (report.by_form, report.by_function) if len(group) > 1]
            named = [("all", report.total), *(entry for group in groups for entry in group.items())]
            rows = [
                (name, counts.items, *counts.links.ratios, counts.unaligned, counts.share_left_alone)
                for name, counts in named
            ]
            blocks.append(Table(columns, rows))
        return blocks


def evaluate_gold(
    gold: str | Path,
    *,
    layout: str = "pharaoh",
    source: str | None = None,
    target: str | None = None,
    text: str | None = None,
    alignment: str | None = None,
    align: AlignSentences | None = None,
    pair: LanguagePair | None = None,
    pronouns: bool = False,
    packs: Path | None = None,
) -> AlignmentEvaluation:
    """Compare links with a gold file; `layout` is `pronoun-links` or one of `gold.LAYOUTS`.

    The links come from the file `alignment`, or from `align` applied to the text of the gold file. Pharaoh
    gold needs `source` and `target`, hansards gold `text`, if there is something to align or if the links of
    the pair's `pronouns` are to be evaluated as well, which also needs `pair`.
    """

    def proposed(
        sentences: list[SentencePair], languages: LanguagePair | None
    ) -> tuple[str, Sequence[Alignment]]:
        if align is not None:
            return align(_named(languages), sentences)
        alignments = read_alignments(str(alignment), segments=len(sentences))
        check_inside(alignments, sentences)
        return str(alignment), tuple(alignments)

    if layout == "pronoun-links":
        items = read_pronoun_links(gold)
        pairs = {item.pair for item in items} | ({pair} if pair else set())
        if len(pairs) > 1:
            raise MismatchError(
                f"the items are not all of one language pair: {', '.join(sorted(map(str, pairs)))}",
                where=str(gold),
                fix="evaluate one pair at a time, and select it with --pair",
            )
        name, alignments = proposed([(item.source, item.target) for item in items], next(iter(pairs), None))
        return AlignmentEvaluation(
            str(gold), name, len(items), pronouns=evaluate_pronoun_links(items, alignments)
        )
    # Links alone can be compared, but without their text nothing can be aligned or found.
    if layout in ("pharaoh", "hansards") and source is None and text is None:
        golds = read_gold(gold, layout=layout)
        alignments = tuple(read_alignments(str(alignment), segments=len(golds)))
        return AlignmentEvaluation(str(gold), str(alignment), len(golds), evaluate_links(golds, alignments))
    segments = read_segments(gold, layout=layout, source=source, target=target, text=text)
    if align is not None or pronouns:
        _named(pair)
    name, alignments = proposed([(segment.source, segment.target) for segment in segments], pair)
    links = evaluate_links([segment.gold for segment in segments], alignments)
    report = None
    if pronouns:
        numbers, of_pack = _pronoun_items(segments, load_pair(_named(pair), folder=packs))
        report = evaluate_pronoun_links(of_pack, [alignments[number] for number in numbers])
    return AlignmentEvaluation(str(gold), name, len(segments), links, report)


def _named(pair: LanguagePair | None) -> LanguagePair:
    if pair is None:
        raise OptionError("no language pair is given", where="--pair", fix="add it, for example --pair en-fr")
    return pair


def _pronoun_items(
    segments: Sequence[GoldSegment], pack: PairPack
) -> tuple[list[int], list[PronounLinkItem]]:
    """The evaluated pronouns of the pair as items, with their segment numbers."""
    evaluated = FormMatcher(pack.source, pack.source_pronouns)
    numbers, items = [], []
    for number, (source, target, gold) in enumerate(segments):
        for position in (at for at, token in enumerate(source) if evaluated.forms_in(token)):
            sure, possible = (
                frozenset(j for i, j in links if i == position) for links in (gold.sure, gold.possible)
            )
            id_ = f"{number}-{position}"
            numbers.append(number)
            items.append(
                PronounLinkItem(id_, pack.pair, source, target, position, sure, possible, "not annotated")
            )
    return numbers, items


def evaluate_links(golds: Sequence[GoldAlignment], alignments: Sequence[Alignment]) -> LinkCounts:
    """The counts over all segments. A link proposed twice counts once, whether sure or possible."""
    _check_length(golds, alignments)
    # Counts are added before they are divided, so that every link weighs the same.
    counts = (_count(gold, links_of(alignment)) for gold, alignment in zip(golds, alignments, strict=True))
    return sum(counts, LinkCounts())


def evaluate_pronoun_links(
    items: Sequence[PronounLinkItem], alignments: Sequence[Alignment]
) -> PronounLinkReport:
    """The counts of all items; `alignments` has one alignment per item, of its tokens."""
    _check_length(items, alignments)
    total = PronounLinkCounts()
    by_form: dict[str, PronounLinkCounts] = {}
    by_function: dict[str, PronounLinkCounts] = {}
    for item, alignment in zip(items, alignments, strict=True):
        at = item.pronoun
        # An item has only the gold links of its pronoun, so other proposed links are not counted either.
        gold = GoldAlignment(frozenset((at, j) for j in item.sure), frozenset((at, j) for j in item.possible))
        proposed = frozenset((at, j) for j in alignment.targets_of(at))
        unaligned = not item.possible
        counts = PronounLinkCounts(1, int(unaligned), int(unaligned and not proposed), _count(gold, proposed))
        total += counts
        for groups, name in ((by_form, item.form), (by_function, item.function)):
            groups[name] = groups.get(name, PronounLinkCounts()) + counts
    return PronounLinkReport(total, dict(sorted(by_form.items())), dict(sorted(by_function.items())))


def _count(gold: GoldAlignment, proposed: LinkSet) -> LinkCounts:
    return LinkCounts(
        proposed=len(proposed),
        sure=len(gold.sure),
        in_possible=len(proposed & gold.possible),
        in_sure=len(proposed & gold.sure),
    )


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else math.nan


def _check_length(gold: Sized, alignments: Sized) -> None:
    if len(gold) != len(alignments):
        raise MismatchError(
            f"the gold has {len(gold)} segments, the alignment has {len(alignments)}",
            where="--alignment",
            fix="align exactly the segments of the gold file, with an empty line for one without links",
        )
