"""Scores of links against hand counts."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphor.align.evaluate import (
    LinkCounts,
    PronounLinkCounts,
    evaluate_gold,
    evaluate_links,
    evaluate_pronoun_links,
)
from anaphor.align.gold import GoldAlignment, PronounLinkItem, read_hansards
from anaphor.core import Alignment, LanguagePair, MismatchError
from anaphor.corpus import format_alignment


def gold(sure: str, possible: str = "") -> GoldAlignment:
    links = frozenset(pairs(sure))
    return GoldAlignment(links, links | frozenset(pairs(possible)))


def alignment(text: str) -> Alignment:
    links = pairs(text)
    return Alignment(tuple(s for s, _ in links), tuple(t for _, t in links))


def pairs(text: str) -> list[tuple[int, int]]:
    return [(int(s), int(t)) for s, _, t in (link.partition("-") for link in text.split())]


def item(source: str, pronoun: int, sure: set[int], possible: set[int], function: str) -> PronounLinkItem:
    return PronounLinkItem(
        id="x",
        pair=LanguagePair("en", "fr"),
        source=tuple(source.split()),
        target=("a", "b", "c", "d"),
        pronoun=pronoun,
        sure=frozenset(sure),
        possible=frozenset(sure | possible),
        function=function,
    )


# Hand count: five proposed, three sure; 0-0, 1-1 and 2-3 are possible, 0-0 and 1-1 sure.
# precision 3/5, recall 2/3, F = 2 * 3/5 * 2/3 / (19/15) = 12/19, AER = 1 - (2 + 3) / (5 + 3) = 3/8.
GOLDS = [gold("0-0 1-1", "2-3 2-4"), gold("0-0")]
PROPOSED = [alignment("0-0 1-1 2-3 3-3"), alignment("1-0")]


def test_och_and_ney_scores_match_the_hand_count() -> None:
    counts = evaluate_links(GOLDS, PROPOSED)
    assert counts == LinkCounts(proposed=5, sure=3, in_possible=3, in_sure=2)
    assert counts.precision == pytest.approx(3 / 5)
    assert counts.recall == pytest.approx(2 / 3)
    assert counts.f == pytest.approx(12 / 19)
    assert counts.aer == pytest.approx(3 / 8)


def test_a_link_proposed_twice_counts_once() -> None:
    assert evaluate_links([gold("0-0")], [alignment("0-0 0-0")]) == LinkCounts(1, 1, 1, 1)


@pytest.mark.parametrize(
    ("counts", "undefined"),
    [
        (LinkCounts(), {"precision", "recall", "f", "aer"}),
        (LinkCounts(sure=2), {"precision", "f"}),
        (LinkCounts(proposed=2), {"recall", "f"}),
        (LinkCounts(proposed=1, sure=1), set()),
    ],
    ids=["nothing", "nothing proposed", "nothing sure", "nothing right"],
)
def test_a_ratio_without_denominator_is_undefined(counts: LinkCounts, undefined: set[str]) -> None:
    values = {name: getattr(counts, name) for name in ("precision", "recall", "f", "aer")}
    assert {name for name, value in values.items() if math.isnan(value)} == undefined


def test_f_is_zero_where_every_link_is_wrong() -> None:
    assert LinkCounts(proposed=1, sure=1).f == 0
    assert LinkCounts(proposed=1, sure=1).aer == 1


def links(most: int) -> st.SearchStrategy[frozenset[tuple[int, int]]]:
    return st.frozensets(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=most)


@given(links(8), links(8))
def test_without_possible_links_aer_is_one_minus_f(
    sure: frozenset[tuple[int, int]], proposed: frozenset[tuple[int, int]]
) -> None:
    ordered = sorted(proposed)
    guess = Alignment(tuple(s for s, _ in ordered), tuple(t for _, t in ordered))
    counts = evaluate_links([GoldAlignment(sure, sure)], [guess])
    assert counts.aer == pytest.approx(1 - counts.f)


ITEMS = [
    item("It is", 0, {0}, {1}, "pleonastic"),  # proposed 0 and 3: one sure, one wrong
    item("see it", 1, {2}, set(), "anaphoric"),  # proposed nothing: the sure link is missed
    item("They go", 0, set(), {1}, "anaphoric"),  # proposed 1: possible, not sure
    item("so it is", 1, set(), set(), "pleonastic"),  # proposed nothing: rightly left alone
    item("and it is", 1, set(), set(), "pleonastic"),  # proposed 3: wrongly linked
]
ITEM_ALIGNMENTS = [
    alignment("0-0 0-3 1-1"),
    alignment("0-2"),
    alignment("0-1"),
    alignment("0-0 2-2"),
    alignment("1-3"),
]


def test_pronoun_links_match_the_hand_count() -> None:
    report = evaluate_pronoun_links(ITEMS, ITEM_ALIGNMENTS)
    # Proposed 2 + 0 + 1 + 0 + 1, sure 1 + 1, possible among proposed 1 + 1, sure among proposed 1.
    links = LinkCounts(proposed=4, sure=2, in_possible=2, in_sure=1)
    assert report.total == PronounLinkCounts(items=5, unaligned=2, left_alone=1, links=links)
    assert report.total.links.f == pytest.approx(1 / 2)
    assert report.total.share_left_alone == pytest.approx(1 / 2)


def test_pronoun_links_are_broken_down_by_form_and_by_function() -> None:
    report = evaluate_pronoun_links(ITEMS, ITEM_ALIGNMENTS)
    assert list(report.by_form) == ["it", "they"]
    assert report.by_form["they"] == PronounLinkCounts(1, 0, 0, LinkCounts(1, 0, 1, 0))
    assert list(report.by_function) == ["anaphoric", "pleonastic"]
    assert report.by_function["pleonastic"] == PronounLinkCounts(3, 2, 1, LinkCounts(3, 1, 1, 1))
    for parts in (report.by_form, report.by_function):
        assert sum(parts.values(), PronounLinkCounts()) == report.total


def test_the_share_left_alone_is_undefined_without_unaligned_pronouns() -> None:
    report = evaluate_pronoun_links(ITEMS[:1], ITEM_ALIGNMENTS[:1])
    assert math.isnan(report.total.share_left_alone)


def test_other_numbers_of_segments_are_a_mismatch() -> None:
    with pytest.raises(MismatchError, match="the gold has 2 segments, the alignment has 1"):
        evaluate_links(GOLDS, PROPOSED[:1])
    with pytest.raises(MismatchError, match="the gold has 5 segments, the alignment has 0"):
        evaluate_pronoun_links(ITEMS, [])


def test_only_the_links_of_pronouns_count_where_they_are_evaluated(tmp_path: Path) -> None:
    # Of source word 2, which is the pronoun: two possible links, none sure, 2-3 proposed and possible.
    gold, text, links = (tmp_path / name for name in ("gold", "text", "links"))
    gold.write_text("1-1 2-2 3?4 3?5\n1-1\n", encoding="utf-8")
    text.write_text("a b it d ||| a b c d e\na b ||| a b\n", encoding="utf-8")
    links.write_text("0-0 1-1 2-3 3-3\n1-0\n", encoding="utf-8")
    pair = LanguagePair("en", "fr")
    found = evaluate_gold(
        gold, layout="hansards", text=str(text), alignment=str(links), pair=pair, pronouns=True
    )
    assert found.pronouns is not None
    assert found.pronouns.total.links == LinkCounts(proposed=1, sure=0, in_possible=1, in_sure=0)
    assert found.links == LinkCounts(proposed=5, sure=3, in_possible=3, in_sure=2)


def test_hansards_gold_scored_against_itself(data_dir: Path, tmp_path: Path) -> None:
    folder = data_dir / "gold-alignments" / "hansards-en-fr"
    segments = read_hansards(folder / "enfr.gold", text=folder / "enfr.src-tgt")
    golds = [segment.gold for segment in segments]
    perfect = [
        Alignment(tuple(s for s, _ in sorted(gold.sure)), tuple(t for _, t in sorted(gold.sure)))
        for gold in golds
    ]
    assert evaluate_links(golds, perfect).aer == 0
    # 39 sure links of it and they, counted with awk.
    links = tmp_path / "links"
    links.write_text("".join(f"{format_alignment(one)}\n" for one in perfect), encoding="utf-8")
    found = evaluate_gold(
        folder / "enfr.gold",
        layout="hansards",
        text=str(folder / "enfr.src-tgt"),
        alignment=str(links),
        pair=LanguagePair("en", "fr"),
        pronouns=True,
    )
    assert found.pronouns is not None
    assert found.pronouns.total.links.sure == 39
