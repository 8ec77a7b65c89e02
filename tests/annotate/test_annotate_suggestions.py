"""Suggestions: shown to a random part of the work, confirmed only by saving, and their effect on answers."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select

from anaphor.align import AlignerChoice
from anaphor.annotate.analysis.more import draw_more
from anaphor.annotate.analysis.status import read_status
from anaphor.annotate.analysis.suggestion_effect import (
    SuggestionEffect,
    suggestion_difference,
    suggestion_effect,
)
from anaphor.annotate.campaign.create import create_campaign
from anaphor.annotate.campaign.facts import system_names
from anaphor.annotate.campaign.grow import grow_campaign
from anaphor.annotate.campaign.people import find_person
from anaphor.annotate.campaign.workload import WorkloadConfig
from anaphor.annotate.exchange import export_bytes
from anaphor.annotate.judging.answers import save_answer
from anaphor.annotate.judging.assignments import list_assignments
from anaphor.annotate.judging.views import PRONOUN, assignment_view
from anaphor.annotate.store import Store, schema
from anaphor.annotate.store.database import open_store
from anaphor.annotate.suggested import is_shown
from anaphor.annotate.types import AnnotatorAnswer, Mark, read_targets
from anaphor.core import InputWarning, OptionError
from anaphor.corpus import Text
from anaphor.scoring.suggestions import accept_guesser
from anaphor.stats import wilson
from anaphor.suite import EvaluationOptions, LoadedSuite
from anaphor.suite.linking import LinkedTexts, link_texts
from tests.support.campaigns import CONFIG, Make


def everything_wrong(
    loaded: LoadedSuite, candidates: Mapping[str, Text], linked: LinkedTexts
) -> dict[tuple[str, str], str]:
    """A verdict that rejects every pronoun of all candidates."""
    return {
        (system, f"{segment}:{token}"): "no"
        for system in candidates
        for segment, tokens in enumerate(linked.source)
        for token in range(len(tokens))
    }


@pytest.mark.parametrize("when", ["before", "after"])
def test_suggestions_are_shown_to_a_part_of_the_work_and_measured(
    make_campaign: Make, tmp_path: Path, when: str
) -> None:
    config = replace(CONFIG, suggestions=when)
    make_campaign(tmp_path / "c.db", config, guess=everything_wrong)
    with open_store(tmp_path / "c.db") as store:
        shown, hidden = 0, 0
        for name in CONFIG.annotators:
            person = find_person(store, name).id
            for row in list_assignments(store, person):
                view = assignment_view(store, person, row.id)
                if when == "before":
                    prefilled = view.prefilled
                    assert prefilled in (None, AnnotatorAnswer(pronoun=Mark.NO))
                    # This annotator believes whatever is suggested, and calls the rest right.
                    answer = prefilled or AnnotatorAnswer(pronoun=Mark.YES)
                else:
                    assert view.prefilled is None, "nothing is said before the answer"
                    answer = AnnotatorAnswer(pronoun=Mark.YES)
                if view.asks_antecedent:
                    answer = AnnotatorAnswer(antecedent=Mark.NO, pronoun=answer.pronoun)
                if answer.pronoun is Mark.YES:
                    tokens = [token for line in view.lines for slot in line.slots for token in slot.tokens]
                    words = tuple(token.at for token in tokens if token.role == PRONOUN)
                    answer = AnnotatorAnswer(antecedent=answer.antecedent, pronoun=Mark.YES, words=words)
                stored = save_answer(store, person, row.id, answer, version=0, request=f"first-{row.id}")
                if when == "after" and stored.is_doubted:
                    changed = AnnotatorAnswer(antecedent=answer.antecedent, pronoun=Mark.NO)
                    save_answer(store, person, row.id, changed, version=1, request=f"second-{row.id}")
                shown += view.suggestion is Mark.NO
                hidden += view.suggestion is Mark.UNSET and not stored.is_known
        without, with_them = suggestion_effect(store)
        assert (without.answers, with_them.answers) == (hidden, shown)
        assert min(hidden, shown) > 5, "both parts are there"
        assert (without.agreeing, with_them.agreeing) == (0, shown)
        assert with_them.changed == (shown if when == "after" else 0)
        difference = suggestion_difference((without, with_them))
        assert difference is not None
        assert difference.difference == 1, "everybody follows, and nobody agrees otherwise"
        assert 0.5 < difference.interval.low < 1 < 1 + 1e-9 >= difference.interval.high
        rows = [json.loads(line) for line in export_bytes(store, "suggestions").splitlines()]
        assert sum(row["shown"] for row in rows) == shown
        assert {row["guess"] for row in rows} == {"no"}


def test_without_them_nothing_is_suggested_or_measured(make_campaign: Make, tmp_path: Path) -> None:
    make_campaign(tmp_path / "c.db", CONFIG, guess=everything_wrong)
    with open_store(tmp_path / "c.db") as store:
        person = find_person(store, CONFIG.annotators[0]).id
        for row in list_assignments(store, person):
            assert assignment_view(store, person, row.id).suggestion is Mark.UNSET
        assert suggestion_effect(store) == ()
        assert export_bytes(store, "suggestions") == b""


def test_the_share_is_that_of_the_work() -> None:
    shown = sum(is_shown(f"unit {unit}", f"person {unit % 7}", 0.3) for unit in range(2000))
    # By hand: 600 expected, standard deviation 20.5.
    assert 530 < shown < 670
    assert all(is_shown(f"{unit}", "p", 1.0) for unit in range(100))


def test_what_cannot_be_suggested_is_refused(make_campaign: Make, tmp_path: Path) -> None:
    for change in ({"suggestions": "sometimes"}, {"suggestion_share": 0.0}, {"suggestion_share": 2.0}):
        with pytest.raises(OptionError):
            make_campaign(tmp_path / "c.db", replace(CONFIG, **change))


def guesses_of(store: Store) -> list[tuple[str, str]]:
    """The system and the guess of every example."""
    with store.read() as connection:
        names = system_names(connection)
        query = select(schema.units.c.targets).where(schema.units.c.expected.is_(None))
        targets = [read_targets(content)[0] for content in connection.execute(query).scalars()]
    return [(names[target.system], target.guess) for target in targets]


def first_items(loaded: LoadedSuite, number: int) -> LoadedSuite:
    return LoadedSuite(replace(loaded.suite, items=loaded.suite.items[:number]), loaded.texts)


def test_systems_and_items_that_are_added_later_have_suggestions(
    loaded: LoadedSuite, candidates: dict[str, Text], tmp_path: Path
) -> None:
    options = EvaluationOptions(aligner=AlignerChoice(pair=loaded.suite.pair))
    config = replace(CONFIG, attention=0, suggestions="before")
    create_campaign(
        tmp_path / "c.db", first_items(loaded, 10), candidates, options, config, guess=everything_wrong
    )
    gamma = {"gamma": Text.of([line or "" for line in loaded.texts.lines("reference")], path="gamma.fr")}
    with open_store(tmp_path / "c.db") as store:
        grow_campaign(store, options, candidates=gamma, guess=everything_wrong)
        assert Counter(guesses_of(store)) == {(name, "no"): 10 for name in ("alpha", "beta", "gamma")}
        grow_campaign(store, options, suite=first_items(loaded, 14), guess=everything_wrong)
        assert Counter(guesses_of(store)) == {(name, "no"): 14 for name in ("alpha", "beta", "gamma")}
        with pytest.warns(InputWarning, match="suggestions"):
            grow_campaign(store, options, suite=first_items(loaded, 15))
        assert [guess for _, guess in guesses_of(store)].count("") == 3


def test_a_larger_sample_has_suggestions(
    loaded: LoadedSuite, candidates: dict[str, Text], tmp_path: Path
) -> None:
    options = EvaluationOptions(aligner=AlignerChoice(pair=loaded.suite.pair))
    config = replace(CONFIG, attention=0, suggestions="after", budget=20)
    create_campaign(tmp_path / "c.db", loaded, candidates, options, config, guess=everything_wrong)
    with open_store(tmp_path / "c.db") as store:
        for name in CONFIG.annotators:
            person = find_person(store, name).id
            for number, row in enumerate(list_assignments(store, person)):
                answer = AnnotatorAnswer(pronoun=Mark.YES if number % 2 else Mark.NO)
                save_answer(store, person, row.id, answer, version=0, request=f"answer-{row.id}")
        added = draw_more(store, target=0.1, guess=everything_wrong)
        assert added.units > 0
        assert {guess for _, guess in guesses_of(store)} == {"no"}


def test_suggestions_need_a_verdict(make_campaign: Make, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="nothing to suggest"):
        make_campaign(tmp_path / "c.db", replace(CONFIG, suggestions="before"))


def test_the_verdict_is_that_of_the_metric(loaded: LoadedSuite, candidates: dict[str, Text]) -> None:
    """Of il and elle for the same *it*, at most one is accepted; and every guess is about an own pronoun."""
    options = EvaluationOptions(aligner=AlignerChoice(pair=loaded.suite.pair))
    linked = link_texts(loaded, candidates, options, links=None, progress=lambda _: None)
    guesses = accept_guesser()(loaded, candidates, linked)
    assert {system for system, _ in guesses} == set(candidates)
    assert set(guesses.values()) == {"yes", "no"}
    for _, place in guesses:
        segment, token = map(int, place.split(":"))
        assert linked.source[segment][token].lower() in ("it", "they")
    both = {place for _, place in guesses if {("alpha", place), ("beta", place)} <= guesses.keys()}
    differing = [place for place in both if guesses["alpha", place] != guesses["beta", place]]
    assert differing, "the exchanged pronouns are not all accepted"


def test_the_effect_is_the_difference_of_both_parts() -> None:
    """Newcombe (1998), table II, example (a): 56/70 and 48/80, method 10: 0.0524 to 0.3339."""
    without, shown = (
        SuggestionEffect(
            which, size, agreeing, 0, agreeing / size, wilson(agreeing / size, size=size, level=0.95)
        )
        for which, agreeing, size in ((False, 48, 80), (True, 56, 70))
    )
    difference = suggestion_difference((without, shown))
    assert difference is not None
    assert difference.difference == pytest.approx(0.2)
    assert (difference.interval.low, difference.interval.high) == pytest.approx((0.0524, 0.3339), abs=5e-5)
    assert suggestion_difference(()) is None
    assert suggestion_difference((without, SuggestionEffect(True, 0, 0, 0, None, None))) is None


def test_the_report_finds_how_often_simulated_annotators_follow(make_campaign: Make, tmp_path: Path) -> None:
    """They call 30 % wrong by themselves, and follow the suggestion that all is wrong in half of the rest.

    By hand: 30 % agree without and 65 % with a suggestion, so that the difference is 35 points. Who is shown
    what is drawn from random names of people, so the answers are not drawn as well: each part has its share.
    """
    config = replace(CONFIG, attention=0, suggestions="before", workload=WorkloadConfig(overlap=1.0))
    make_campaign(tmp_path / "c.db", config, guess=everything_wrong)
    answered = {False: 0, True: 0}
    with open_store(tmp_path / "c.db") as store:
        before = read_status(store)
        assert any("not measured yet" in str(block) for block in before.tables())
        for name in CONFIG.annotators:
            person = find_person(store, name).id
            for row in list_assignments(store, person):
                view = assignment_view(store, person, row.id)
                suggested = view.prefilled is not None
                share, number = (65 if suggested else 30), answered[suggested]
                answered[suggested] += 1
                wrong = share * (number + 1) // 100 > share * number // 100
                head = Mark.NO if view.asks_antecedent else Mark.UNSET
                answer = AnnotatorAnswer(antecedent=head, pronoun=Mark.NO if wrong else Mark.YES)
                save_answer(store, person, row.id, answer, version=0, request=f"answer-{row.id}")
        report = read_status(store)
    without, shown = report.suggestions
    assert without.answers + shown.answers == report.overall.answered == 204
    assert without.interval is not None
    assert shown.interval is not None
    assert without.interval.low < 0.3 < without.interval.high
    assert shown.interval.low < 0.65 < shown.interval.high
    difference = suggestion_difference(report.suggestions)
    assert difference is not None
    assert 0 < difference.interval.low < 0.35 < difference.interval.high
    assert report.to_dict()["suggestion_difference"]["difference"] == difference.difference
    assert any("effect of suggestions: +" in str(block) for block in report.tables())
