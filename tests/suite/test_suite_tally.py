"""Matches per category, their intervals, and what changed between systems."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from anaphor.align import AlignerChoice
from anaphor.core import Category, Comparison, Item, LanguagePair, OptionError, Signature, Span, Suite
from anaphor.stats import effective_size, wilson
from anaphor.suite import EvaluationOptions
from anaphor.suite.evaluate import category_scores, compare_systems, system_changes
from anaphor.suite.outcomes import AntecedentAgreement, CandidateWords, ItemJudgement, ItemOutcome

SUITE = Suite(
    "s",
    "1",
    LanguagePair("en", "fr"),
    "Apache-2.0",
    "",
    (Category("a", True, ""), Category("empty", False, ""), Category("b", False, "")),
    (),
    (),
)


def judged(marks: str, *, category: str = "a", document: str = "d") -> list[ItemJudgement]:
    """An item for every mark: `+` matches, `-` does not."""
    outcomes = {"+": ItemOutcome.MATCH, "-": ItemOutcome.PRONOUN_DIFFERS}
    return [
        ItemJudgement(
            Item(f"{category}{n}", document, category, (Span(0, 1),)),
            CandidateWords(()),
            outcomes[mark],
            None,
        )
        for n, mark in enumerate(marks)
    ]


def test_every_category_with_items_is_counted_and_the_total_is_last() -> None:
    rows = [*judged("++-", category="b"), *judged("+-", category="a")]
    found = category_scores(SUITE, rows, level=0.95)
    assert [(one.name, one.items, one.right) for one in found] == [
        ("a", 2, 1),
        ("b", 3, 2),
        ("total", 5, 3),
    ]
    assert found[-1].accuracy == 3 / 5


def test_only_mismatches_that_agree_are_counted_as_agreeing() -> None:
    agreements = [AntecedentAgreement.DISAGREES, AntecedentAgreement.UNKNOWN, AntecedentAgreement.AGREES]
    rows = [replace(one, agreement=two) for one, two in zip(judged("---"), agreements, strict=True)]
    rows[2] = replace(rows[2], outcome=ItemOutcome.AGREES)
    assert [one.agreeing for one in category_scores(SUITE, rows, level=0.95)] == [1, 1]


@pytest.mark.parametrize(
    ("share", "size", "low", "high"),
    [
        # Computed from the formula of Wilson (1927) with z = 1.959964 by hand.
        (0.5, 10, 0.2366, 0.7634),
        (1.0, 5, 0.5655, 1.0),
        (0.0, 5, 0.0, 0.4345),
        (0.9, 250, 0.8565, 0.9313),
    ],
)
def test_wilsons_interval(share: float, size: int, low: float, high: float) -> None:
    found = wilson(share, size=size, level=0.95)
    assert [found.low, found.high] == pytest.approx([low, high], abs=5e-5)


@pytest.mark.parametrize(
    ("right", "documents", "size"),
    [
        ([1, 0, 1, 0], "aaaa", 4),  # one document shows nothing about others
        ([1, 1, 1, 1], "aabb", 4),  # no spread at all
        ([1, 1, 1, 1, 0, 0, 0, 0], "aaaabbbb", 1),  # documents decide: two answers, one degree of freedom
        ([1, 0, 1, 0, 1, 0, 1, 0], "aabbccdd", 8),  # documents are alike: no variance between them
        ([1, 0] * 7 + [1, 1], "aaaabbbbccccdddd", 16),  # nearly alike: never more than there are items
    ],
)
def test_items_of_one_document_count_less_the_more_alike_they_are(
    right: list[int], documents: str, size: float
) -> None:
    assert effective_size(np.array(right, dtype=np.float64), list(documents)) == pytest.approx(size)


def test_the_interval_covers_a_true_accuracy_where_items_are_independent() -> None:
    draws = np.random.default_rng(7).random((400, 60)) < 0.7
    inside = 0
    for draw in draws:
        size = effective_size(draw.astype(np.float64), [str(n // 3) for n in range(60)])
        found = wilson(float(draw.mean()), size=size, level=0.95)
        inside += found.low <= 0.7 <= found.high
    assert 0.92 <= inside / 400 <= 0.99


def test_a_level_outside_its_range_is_refused() -> None:
    with pytest.raises(OptionError, match="confidence level must be"):
        category_scores(SUITE, judged("+"), level=1.5)


def test_changes_name_what_is_won_and_lost() -> None:
    (change,) = system_changes(SUITE, {"old": judged("++--+"), "new": judged("+-+++")})
    assert [item.id for item in change.won] == ["a2", "a3"]
    assert [item.id for item in change.lost] == ["a1"]
    assert [(part.name, part.items, part.won, part.lost) for part in change.parts] == [
        ("a", 5, 2, 1),
        ("total", 5, 2, 1),
    ]


def compared(**systems: str) -> tuple[Comparison, ...]:
    options = EvaluationOptions(aligner=AlignerChoice(pair=SUITE.pair), samples=200)
    judgements = {name: judged(outcomes) for name, outcomes in systems.items()}
    return compare_systems(judgements, Signature("protest", (), "0"), options)


def test_several_systems_are_each_compared_with_the_first_and_corrected_together() -> None:
    comparisons = compared(old="-" * 8, new="+" * 8, other="-" * 8)
    assert [(one.baseline, one.system) for one in comparisons] == [("old", "new"), ("old", "other")]
    first, second = comparisons
    assert (first.difference, second.difference) == (1.0, 0.0)
    # All items are in one document, so each is swapped alone: two of the 2^8 ways are as extreme.
    assert first.p_permutation == pytest.approx(2 / 2**8)
    assert first.p_mcnemar == pytest.approx(2 / 2**8)
    assert first.p_adjusted == pytest.approx(4 / 2**8)
    assert second.p_adjusted == 1


def test_a_single_item_shows_no_variation() -> None:
    assert compared(old="-", new="+") == ()


def test_one_system_has_nothing_to_be_compared_with() -> None:
    assert system_changes(SUITE, {"old": judged("+-")}) == ()
