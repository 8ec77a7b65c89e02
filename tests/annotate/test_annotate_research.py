"""What leads see: progress, speed, agreement, disagreements, decisions, and how much is left."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import select

from anaphor.annotate.analysis.agreement import (
    against_adjudicated,
    agreement_table,
    confusions,
    disagreements,
)
from anaphor.annotate.analysis.status import attention_results, overall, progress_table, remaining, speeds
from anaphor.annotate.answer_json import read_answer
from anaphor.annotate.campaign.create import CampaignConfig, CreatedCampaign
from anaphor.annotate.campaign.people import add_lead, find_person
from anaphor.annotate.exchange import export_bytes
from anaphor.annotate.judging.adjudication import StaleDecisionError, adjudicate, decisions, last_decisions
from anaphor.annotate.judging.answers import journal, save_answer
from anaphor.annotate.judging.assignments import list_assignments
from anaphor.annotate.judging.views import assignment_view, unit_views, units
from anaphor.annotate.store import schema
from anaphor.annotate.store.database import Store, open_store
from anaphor.annotate.types import AnnotatorAnswer, Mark, Mode
from anaphor.core import InputError, UnknownNameError
from anaphor.meta import read_judgements
from anaphor.meta.judgements import ratings
from anaphor.stats.agreement import fleiss_kappa, gwet_ac1, krippendorff_alpha, observed_agreement

AnswerAll = Callable[..., int]
Make = Callable[..., CreatedCampaign]


def lead(store: Store) -> str:
    return add_lead(store, "lea", "correct horse battery").id


def test_progress_counts_every_person_and_category(any_answered: Store) -> None:
    rows = progress_table(any_answered)
    found = overall(any_answered)
    attention = sum(row.right + row.wrong for row in attention_results(any_answered))
    assert attention == 6, "two of each, which are no progress"
    assert sum(one.done + one.conflicts for one in rows) == found.answered
    assert found.answered == len(journal(any_answered)) - attention
    assert sum(one.total for one in rows) == found.assignments
    assert {one.person for one in rows} == {"ann", "bob", "cem"}
    assert found.units_answered == found.units == 68  # 34 items in two systems


def test_speed_is_the_median_of_what_pages_measured(store: Store) -> None:
    person = find_person(store, "ann").id
    for number, (row, seconds) in enumerate(
        zip(list_assignments(store, person), (1.0, 4.0, 100.0, 5000.0, None), strict=False)
    ):
        answer = AnnotatorAnswer(tags=("bad_translation",))
        save_answer(store, person, row.id, answer, version=0, request=f"request-{number}", seconds=seconds)
    (speed,) = speeds(store)
    assert (speed.person, speed.answers, speed.median_seconds) == ("ann", 5, 4.0)
    assert speed.per_hour == pytest.approx(
        3 * 3600 / 105
    )  # a break of more than a quarter of an hour is none


def test_attention_items_are_compared_with_what_is_known(store: Store) -> None:
    person = find_person(store, "ann").id
    for row in list_assignments(store, person):
        view = assignment_view(store, person, row.id)
        answer = AnnotatorAnswer(
            pronoun=Mark.YES, antecedent=Mark.YES if view.asks_antecedent else Mark.UNSET
        )
        save_answer(store, person, row.id, answer, version=0, request=f"request-{row.position}")
    first, second, _ = attention_results(store)
    assert (first.person, first.items, first.right, first.wrong) == ("ann", 2, 1, 1)
    assert (second.person, second.items, second.right, second.wrong) == ("bob", 2, 0, 0)


@pytest.mark.parametrize(("flip", "head"), [(False, False), (True, False), (False, True)])
def test_an_attention_item_is_right_if_pronoun_and_antecedent_are(
    store: Store, flip: bool, head: bool
) -> None:
    """Answered as expected, with the other pronoun, and with the right antecedent called wrong."""
    person, failed, asked = find_person(store, "ann").id, 0, 0
    with store.read() as connection:
        query = select(schema.assignments.c.id, schema.units.c.expected).join(schema.units)
        expected = {row.id: read_answer(row.expected or "{}") for row in connection.execute(query)}
    for row in list_assignments(store, person):
        known, view = expected[row.id], assignment_view(store, person, row.id)
        if known.pronoun is Mark.UNSET:
            continue
        asked += 1
        called_wrong = head and view.asks_antecedent and known.antecedent is Mark.YES
        given = AnnotatorAnswer(
            pronoun={Mark.YES: Mark.NO, Mark.NO: Mark.YES}[known.pronoun] if flip else known.pronoun,
            antecedent=Mark.NO if called_wrong else Mark.UNSET,
        )
        failed += flip or called_wrong
        save_answer(store, person, row.id, given, version=0, request=f"request-{row.position}")
    first, *_ = attention_results(store)
    assert asked == first.items == 2
    assert (first.right, first.wrong) == (2 - failed, failed)


def test_agreement_is_that_of_the_exported_file(any_answered: Store, tmp_path: Path) -> None:
    """The same figures as `anaphor meta cases` computes from the export, for all and for every category."""
    path = tmp_path / "judgements.tsv"
    path.write_bytes(export_bytes(any_answered, "judgements"))
    judged = read_judgements(path)
    table = agreement_table(any_answered)
    assert table[-1].category == "total"
    assert table[-1].items > 5
    for row in table:
        part = [one for one in judged if row.category in ("total", one.category)]
        if row.items:
            rated = ratings(part)
            assert row.observed == observed_agreement(rated)
            assert repr(row.fleiss) == repr(fleiss_kappa(rated))  # NaN is not equal to itself
            assert repr(row.alpha) == repr(krippendorff_alpha(rated))
            assert repr(row.ac1) == repr(gwet_ac1(rated))
            people = {one.annotator for one in part}
            assert row.cohen is not None
            assert row.cohen.interval is None or len(people) == 2
        else:
            assert row.observed is None


def test_two_people_have_cohens_kappa(make_campaign: Make, answer_all: AnswerAll, tmp_path: Path) -> None:
    make_campaign(tmp_path / "two.db", CampaignConfig(annotators=("ann", "bob")))
    store = open_store(tmp_path / "two.db")
    answer_all(store)
    total = agreement_table(store)[-1]
    assert total.cohen is not None
    (table,) = confusions(store)
    assert table.total == total.items
    assert total.cohen.observed == pytest.approx(table.agreed / table.total)
    store.close()


@pytest.mark.parametrize("question", ["overall", "pronoun", "antecedent"])
def test_every_question_has_its_agreement(answered: Store, question: str) -> None:
    assert agreement_table(answered, question=question)[-1].items > 0
    with pytest.raises(UnknownNameError, match="unknown question"):
        agreement_table(answered, question="mood")


@pytest.mark.parametrize("mode", [Mode.GAPS, Mode.COMPARE])
def test_other_modes_are_compared_by_their_whole_answer(
    make_campaign: Make, answer_all: AnswerAll, tmp_path: Path, mode: Mode
) -> None:
    make_campaign(tmp_path / "other.db", CampaignConfig(annotators=("ann", "bob"), mode=mode))
    store = open_store(tmp_path / "other.db")
    answer_all(store)
    total = agreement_table(store)[-1]
    assert total.observed is not None
    pairs = [one.answers for one in disagreements(store)]
    apart = sum(
        first.answer.choices != second.answer.choices or first.ranking != second.ranking
        for first, second in pairs
    )
    assert apart == len(pairs) == round((1 - total.observed.value) * total.items)
    store.close()


def test_nobody_is_compared_before_two_answered_the_same(store: Store, answer_all: AnswerAll) -> None:
    assert agreement_table(store)[-1].observed is None
    answer_all(store, only="ann")
    assert agreement_table(store)[-1].observed is None
    assert confusions(store) == ()
    assert disagreements(store) == ()


def test_a_decision_stands_beside_the_answers_and_changes_none(any_answered: Store) -> None:
    by = lead(any_answered)
    before, entries = len(disagreements(any_answered)), journal(any_answered)
    first, *_ = disagreements(any_answered)
    assert len({one.answer.pronoun for one in first.answers}) > 1 or len(first.answers) > 1
    answer = AnnotatorAnswer(pronoun=Mark.NO, remark="agreed by phone")
    made = adjudicate(any_answered, first.unit, answer, by=by, version=0, request="decision-1")
    assert adjudicate(any_answered, first.unit, answer, by=by, version=0, request="decision-1") == made
    assert (made.by, made.version, made.answer) == ("lea", 1, answer)
    assert unit_views(any_answered, [first.unit])[0].answers == first.answers
    assert journal(any_answered) == entries
    assert len(disagreements(any_answered)) == before - 1
    assert len(disagreements(any_answered, open_only=False)) == before
    with pytest.raises(StaleDecisionError) as caught:
        adjudicate(any_answered, first.unit, AnnotatorAnswer(), by=by, version=0, request="decision-2")
    assert caught.value.present == made
    later = adjudicate(
        any_answered, first.unit, AnnotatorAnswer(pronoun=Mark.YES), by=by, version=1, request="decision-3"
    )
    assert decisions(any_answered, first.unit) == (later, made)
    assert unit_views(any_answered, [first.unit])[0].decision == later
    with any_answered.read() as connection:
        assert last_decisions(connection)[first.unit] == later, "the last of several decisions stands"
    last = adjudicate(any_answered, first.unit, answer, by=by, version=2, request="decision-4")
    assert [decision.version for decision in (last, later, made)] == [3, 2, 1]
    again = adjudicate(any_answered, first.unit, answer, by=by, version=0, request="decision-1")
    assert again == made, "a repeated request has its own answer, not the latest"


def test_a_request_id_is_good_for_one_decision_only(any_answered: Store) -> None:
    """To return the first decision for another answer would lose the second one without a word."""
    first, second, *_ = disagreements(any_answered)
    by = lead(any_answered)
    right, wrong = AnnotatorAnswer(pronoun=Mark.YES), AnnotatorAnswer(pronoun=Mark.NO)
    made = adjudicate(any_answered, first.unit, right, by=by, version=0, request="decision-1")
    for unit, answer in ((first.unit, wrong), (second.unit, right)):
        for version in (0, 1):
            with pytest.raises(InputError, match="already used for another"):
                adjudicate(any_answered, unit, answer, by=by, version=version, request="decision-1")
    assert decisions(any_answered, first.unit) == (made,)
    assert decisions(any_answered, second.unit) == ()


def test_a_decision_must_fit_its_unit(answered: Store) -> None:
    first, *_ = disagreements(answered)
    by = lead(answered)
    with pytest.raises(InputError, match="does not fit this example"):
        adjudicate(
            answered, first.unit, AnnotatorAnswer(choices=("il",)), by=by, version=0, request="decision-1"
        )
    with pytest.raises(UnknownNameError, match="unknown unit"):
        adjudicate(answered, "nothing", AnnotatorAnswer(), by=by, version=0, request="decision-1")


def test_annotators_are_compared_with_decisions(answered: Store) -> None:
    by = lead(answered)
    for number, one in enumerate(disagreements(answered)[:3]):
        decided = AnnotatorAnswer(pronoun=Mark.YES)
        adjudicate(answered, one.unit, decided, by=by, version=0, request=f"decision-{number}")
    tables = against_adjudicated(answered)
    assert {table.second for table in tables} == {"decision"}
    assert 3 <= sum(table.total for table in tables) <= 9
    # A lead may decide the question about the antecedent alone: there is nothing to compare the mark with.
    every = disagreements(answered)
    one = next(one for one in every if one.answers[0].task.asks_antecedent)
    alone = AnnotatorAnswer(antecedent=Mark.YES)
    adjudicate(answered, one.unit, alone, by=by, version=0, request="decision-4")
    assert against_adjudicated(answered) == tables


def test_a_lead_sees_systems_references_and_everybody(answered: Store) -> None:
    first, *_ = disagreements(answered, category="event_it")
    [view] = unit_views(answered, [first.unit], before=1)
    assert view.systems == {"a": first.system}
    assert set(view.outcomes) == {"a"}
    assert view.references
    assert view.answers == first.answers
    assert view.category == "event_it"


def test_examples_are_found_by_category_system_and_mark(any_answered: Store) -> None:
    every = units(any_answered)
    assert len(every) == 68
    alpha = units(any_answered, system="alpha")
    assert {name for view in unit_views(any_answered, alpha) for name in view.systems.values()} == {"alpha"}
    assert len(alpha) == 34
    events = units(any_answered, category="event_it", mark="no")
    views = unit_views(any_answered, events)
    assert {view.category for view in views} == {"event_it"}
    assert all(Mark.NO in {given.answer.pronoun for given in view.answers} for view in views)
    with pytest.raises(UnknownNameError, match="unknown system"):
        units(any_answered, system="gamma")


def test_the_rest_of_the_work_is_forecast(store: Store, answer_all: AnswerAll) -> None:
    early = remaining(store)
    assert early.more is None
    assert early.note.startswith("too early to tell")
    answer_all(store, share=0.8)
    some = remaining(store, target=0.02)
    assert some.more is not None
    assert some.more > 0
    assert some.note.startswith(f"judge {some.more} more for ±2 points in every system")


def test_nothing_is_enough_while_annotators_disagree(any_answered: Store) -> None:
    """A campaign with alpha .02 and 55 open disagreements was once called enough."""
    done = remaining(any_answered, target=0.02)
    assert (done.more, done.judged) == (0, len(export_bytes(any_answered, "final").splitlines()) - 1)
    assert "the sample is large enough for ±2 points" in done.note
    assert f"decide {len(disagreements(any_answered))} disagreements first" in done.note
    assert "annotators disagree too often (alpha -0.05" in done.note


def test_when_everything_is_judged_and_nothing_is_open_it_is_enough(
    make_campaign: Make, answer_all: AnswerAll, tmp_path: Path
) -> None:
    make_campaign(tmp_path / "one.db", CampaignConfig(annotators=("ann",)))
    with open_store(tmp_path / "one.db") as store:
        answer_all(store)
        done = remaining(store, target=0.02)
    assert (done.more, done.note) == (0, "enough: every system is known to ±2 points")
