"""From a plan and its judgements to figures: by hand where all is judged, by sense where not."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from anaphor.core import InputWarning, Interval, MismatchError, OptionError, Outcome, UnknownNameError
from anaphor.core.table import Table
from anaphor.meta.estimate import (
    Estimation,
    Figure,
    PartEstimate,
    estimate,
    further_judgements,
    judgement_gains,
    planned_for_budget,
    planned_for_target,
)
from anaphor.meta.judgements import JudgedPronoun, Judgement
from anaphor.meta.plan import PlannedUnit, SamplingPlan, extend_plan, guessed, make_plan
from anaphor.meta.sample import JudgedSample, PredictedCell, join_small_cells, take_sample
from anaphor.stats.stratified import CellPrediction, SampleCell

PRONOUNS = 120
CASES = [Outcome.IDENTICAL] * 3 + [Outcome.DIFFERENT] * 2 + [Outcome.EQUIVALENT]
UNITS = [
    PlannedUnit(system, f"{i}:0", CASES[(i + shift) % 6], "they" if i % 4 == 0 else "it", "-")
    for shift, system in enumerate("ab")
    for i in range(PRONOUNS)
]


def is_right(unit: PlannedUnit) -> bool:
    """All identical pronouns but some of system b, and every second of the rest."""
    number = int(unit.id.split(":")[0])
    if unit.outcome is Outcome.IDENTICAL:
        return unit.system == "a" or number % 7 > 0
    return number % 2 == 0


def judge(
    plan: SamplingPlan, answer: Callable[[PlannedUnit], bool] = is_right, *, annotator: str = ""
) -> list[JudgedPronoun]:
    return [
        JudgedPronoun(
            unit.system,
            unit.id,
            Judgement.CORRECT if answer(unit) else Judgement.INCORRECT,
            None,
            None,
            annotator,
        )
        for units in plan.items.values()
        for unit in units
    ]


def truth(system: str) -> float:
    mine = [unit for unit in UNITS if unit.system == system]
    return sum(map(is_right, mine)) / len(mine)


def plan(budget: int = 60) -> SamplingPlan:
    return make_plan(UNITS, result="r", budget=budget, seed=3, least=30)


def sample(budget: int = 60) -> JudgedSample:
    return take_sample(plan(budget), judge(plan(budget)), path="judged.tsv")


def value(figure: Figure | None) -> float:
    assert figure is not None
    return figure.value


def test_where_all_is_judged_the_estimates_are_the_truth() -> None:
    found = estimate(sample(len(UNITS)), level=0.95)
    for one in found.systems:
        for figure in (one.stratified, one.powered):
            assert figure is not None
            limits = [figure.value, figure.interval.low, figure.interval.high]
            assert limits == pytest.approx([truth(one.name)] * 3)
    (difference,) = found.differences
    assert difference.stratified.value == pytest.approx(truth("b") - truth("a"))
    assert difference.stratified.interval.low == pytest.approx(difference.stratified.interval.high)


def test_cases_and_categories_are_shares_of_all_systems() -> None:
    found = estimate(sample(len(UNITS)), level=0.95)
    right = {name: [is_right(u) for u in UNITS if u.category == name] for name in ("it", "they")}
    assert [one.name for one in found.categories] == ["it", "they"]
    for one in found.categories:
        assert value(one.stratified) == pytest.approx(sum(right[one.name]) / len(right[one.name]))
    assert [one.name for one in found.cases] == ["identical", "equivalent", "different"]
    assert sum(one.size for one in found.cases) == len(UNITS)


def test_a_sample_says_as_much_as_more_random_judgements() -> None:
    found = estimate(sample(), level=0.95)
    assert found.systems
    for one in found.systems:
        assert one.stratified is not None
        assert one.stratified.interval.low < truth(one.name) < one.stratified.interval.high
        assert one.as_random is not None
        assert one.as_random > one.judged


def test_a_higher_level_is_wider() -> None:
    narrow, wide = (estimate(sample(), level=level).systems[0].powered for level in (0.8, 0.99))
    assert narrow is not None
    assert wide is not None
    assert wide.interval.low < narrow.interval.low < narrow.interval.high < wide.interval.high


def test_a_baseline_can_be_named() -> None:
    forth = estimate(sample(), level=0.95).differences[0]
    back = estimate(sample(), level=0.95, baseline="b").differences[0]
    assert (back.system, back.baseline) == ("a", "b")
    assert back.stratified.value == pytest.approx(-forth.stratified.value)
    assert back.stratified.interval.low == pytest.approx(-forth.stratified.interval.high)


def test_a_category_that_was_hardly_judged_has_no_figure() -> None:
    rare = [
        *UNITS,
        PlannedUnit("a", "999:0", Outcome.IDENTICAL, "one", "-"),
        PlannedUnit("a", "998:0", CASES[3], "one", "-"),
    ]
    drawn = make_plan(rare, result="r", budget=40, seed=1, least=30)
    assert not [unit for units in drawn.items.values() for unit in units if unit.category == "one"]
    found = estimate(take_sample(drawn, judge(drawn), path="j"), level=0.95)
    (one,) = [one for one in found.categories if one.name == "one"]
    assert (one.size, one.judged, one.stratified, one.as_random) == (2, 0, None, None)


def test_annotators_who_disagree_count_by_their_share() -> None:
    everything = plan(len(UNITS))
    both = [*judge(everything, annotator="ann"), *judge(everything, lambda _: False, annotator="bob")]
    found = estimate(take_sample(everything, both, path="j"), level=0.95)
    assert value(found.systems[0].stratified) == pytest.approx(truth("a") / 2)


def test_what_could_not_be_judged_is_not_right() -> None:
    bad = [JudgedPronoun(one.system, one.id, Judgement.BAD, None, None, "") for one in judge(plan())]
    assert value(estimate(take_sample(plan(), bad, path="j"), level=0.95).systems[0].stratified) == 0


def test_missing_judgements_are_noted() -> None:
    stratum = plan().items["a/different/it"]
    left = [one for one in judge(plan()) if (one.system, one.id) != ("a", stratum[0].id)]
    with pytest.warns(InputWarning, match="1 of 60 planned items have no judgement yet"):
        take_sample(plan(), left, path="j")


def test_a_stratum_without_judgements_is_refused() -> None:
    left = [one for one in judge(plan()) if one.system == "a"]
    with pytest.raises(MismatchError, match="has 0 judgements and needs 2"):
        take_sample(plan(), left, path="j")


def test_a_judgement_of_an_item_that_was_not_drawn_is_refused() -> None:
    stray = JudgedPronoun("a", "7777:0", Judgement.CORRECT, None, None, "")
    with pytest.raises(MismatchError, match="7777:0 of a is judged, but not in the plan"):
        take_sample(plan(), [*judge(plan()), stray], path="j")


def test_options_are_checked() -> None:
    with pytest.raises(UnknownNameError, match="unknown system: z"):
        estimate(sample(), level=0.95, baseline="z")
    with pytest.raises(OptionError, match="confidence level must be between"):
        estimate(sample(), level=1.5)
    with pytest.raises(OptionError, match="invalid half-width: 5"):
        further_judgements(sample(), target=5, level=0.95)


def test_the_rule_asks_for_nothing_where_intervals_are_narrow() -> None:
    assert [one.total for one in further_judgements(sample(), target=0.4, level=0.95)] == [0, 0]


def test_a_narrower_interval_needs_more_judgements() -> None:
    totals = [
        sum(one.total for one in further_judgements(sample(), target=t, level=0.95))
        for t in (0.1, 0.05, 0.02)
    ]
    assert totals == sorted(totals)
    assert 0 < totals[0] < totals[2] <= len(UNITS) - 60


def test_what_the_rule_asks_for_reaches_the_width() -> None:
    first = sample()
    more = extend_plan(UNITS, first.plan, planned_for_target(first, target=0.05, level=0.95))
    asked = sum(one.total for one in further_judgements(first, target=0.05, level=0.95))
    assert more.budget == 60 + asked
    second = take_sample(more, judge(more), path="j")
    assert all(one.half_width <= 0.055 for one in further_judgements(second, target=0.05, level=0.95))


def test_a_larger_budget_goes_where_answers_vary() -> None:
    planned = planned_for_budget(sample(), budget=140)
    assert sum(planned.values()) == 140
    added = {name: planned[name] - stratum.planned for name, stratum in plan().strata.items()}
    assert added["a/different/it"] > added["a/identical/it"]  # every second one is right; all are right


@pytest.mark.filterwarnings("ignore::anaphor.core.InputWarning")
def test_what_is_planned_and_not_judged_yet_stays_planned() -> None:
    """Of every stratum the first half is judged, at least two items."""
    found = plan(100)
    judged_first = {
        (unit.system, unit.id) for units in found.items.values() for unit in units[: max(2, len(units) // 2)]
    }
    # What was planned for pronouns like these would not be planned again after answers that are all the same.
    answers = judge(
        found, lambda unit: unit.outcome is not Outcome.IDENTICAL or int(unit.id.split(":")[0]) % 2 == 0
    )
    kept = [one for one in answers if (one.system, one.id) in judged_first]
    part = take_sample(found, kept, path="judged.tsv")
    assert part.judged < found.budget
    planned = {name: stratum.planned for name, stratum in found.strata.items()}
    assert planned_for_target(part, target=0.49, level=0.95) == planned
    larger = planned_for_budget(part, budget=found.budget + 2)
    assert sum(larger.values()) == found.budget + 2
    assert all(larger[name] >= number for name, number in planned.items())


def test_a_judgement_gains_without_end_until_a_stratum_has_two_or_all_of_its_items() -> None:
    single = PlannedUnit("a", "900:0", Outcome.CANDIDATE_MISSING, "it", "-")
    found = make_plan([*UNITS, single], result="r", budget=60, seed=3, least=1)
    gains = judgement_gains(found, {})
    sizes = {name: stratum.size for name, stratum in found.strata.items()}
    assert min(sizes.values()) == 1
    for name, gain in gains.items():
        assert gain(0) == math.inf
        assert (gain(1) == math.inf) == (sizes[name] > 1)
        assert gain(2) < math.inf


def cell(expected: float, *values: float, size: int = 100) -> PredictedCell:
    array = np.array(values, np.float64)
    keys = np.arange(len(values), dtype=np.int64)
    return PredictedCell(SampleCell(size, array, keys, expected), CellPrediction(array / 2, expected / 2))


@pytest.mark.parametrize(
    ("small", "joined_with"),
    [
        (0.0, 0),  # the smallest expectation is nearest
        (0.3, 0),
        (0.45, 1),  # neither the first nor the last
        (0.62, 1),
        (0.8, 2),
        (1.0, 2),
        (0.375, 0),  # as far from the first as from the second: the first of equals
        (0.625, 1),
    ],
)
@pytest.mark.parametrize("place", [0, 1, 3])
def test_a_small_cell_is_joined_with_the_most_similar_one(small: float, joined_with: int, place: int) -> None:
    others = [cell(0.25, 1, 0), cell(0.5, 1, 1, 0), cell(0.75, 1, 0, 1, 1)]
    lone = cell(small, 0.5, size=50)
    found = join_small_cells([*others[:place], lone, *others[place:]])
    assert [one for one in found if one in others] == [
        one for i, one in enumerate(others) if i != joined_with
    ]
    (union,) = (one for one in found if one not in others)
    partner = others[joined_with].cell
    assert union.cell.size == 150
    assert sorted(union.cell.values) == sorted([*partner.values, 0.5])
    assert union.cell.expected == pytest.approx((100 * partner.expected + 50 * small) / 150)
    assert union.predicted.mean == pytest.approx((100 * partner.expected + 50 * small) / 300)
    assert found.index(union) == joined_with  # it stands where its larger part stood


def test_cells_are_joined_until_every_one_has_enough() -> None:
    found = join_small_cells([cell(0.1, 1), cell(0.2, 0), cell(0.9, 1, 1), cell(0.8, 0)])
    assert [one.cell.judged for one in found] == [2, 3]
    (alone,) = join_small_cells([cell(0.1, 1)])
    assert alone.cell.judged == 1
    assert join_small_cells([]) == []


def test_a_plan_by_verdicts_gives_figures_for_systems_and_verdicts() -> None:
    # A guess that knows the truth but for some noise.
    scored = [
        replace(unit, score=min(1.0, 0.6 * is_right(unit) + int(unit.id.split(":")[0]) % 10 / 20))
        for unit in UNITS
    ]
    by_verdict = make_plan(guessed(scored), result="r", budget=100, seed=3, least=30, guess="accept")
    found = estimate(take_sample(by_verdict, judge(by_verdict), path="x"), level=0.95)
    by_case = estimate(sample(100), level=0.95)
    for one, other in zip(found.systems, by_case.systems, strict=True):
        assert one.powered is not None
        assert other.powered is not None
        assert abs(one.powered.value - truth(one.name)) < 0.05
        # It tells more than the case does, so the same number of judgements makes a narrower interval.
        widths = [figure.interval.high - figure.interval.low for figure in (one.powered, other.powered)]
        assert widths[0] < 0.7 * widths[1]
    assert [one.name for one in found.verdicts] == ["lowest", "low", "middle", "high"]
    assert sum(one.size for one in found.verdicts) == len(UNITS)
    assert by_case.verdicts == ()


def test_two_equal_estimates_are_shown_as_one() -> None:
    judged = sample(100)
    figures = estimate(judged, level=0.95)

    def same(part: PartEstimate) -> PartEstimate:
        return replace(part, powered=part.stratified)

    equal = replace(
        figures,
        systems=tuple(map(same, figures.systems)),
        categories=tuple(map(same, figures.categories)),
        cases=tuple(map(same, figures.cases)),
        differences=tuple(replace(one, powered=one.stratified) for one in figures.differences),
    )
    first, *others = equal.systems
    wide = Figure(0.5, Interval(0, 1, 0.95))
    different = replace(equal, systems=(replace(first, powered=wide), *others))
    for shown, headings in ((equal, ["estimate"]), (different, ["stratified", "powered"])):
        tables = [
            block for block in Estimation(judged, shown, (), 0.05, 0.95).tables() if isinstance(block, Table)
        ]
        assert [column.heading for column in tables[0].columns][3:-1] == headings
        assert [column.heading for column in tables[1].columns][1:] == headings
