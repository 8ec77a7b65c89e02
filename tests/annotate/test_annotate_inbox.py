"""Questions to the lead and the inbox; the dashboard's rows; gaps that give nothing away."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest

from anaphor.annotate.analysis.dashboard import annotator_overviews, system_overviews
from anaphor.annotate.analysis.tally import CampaignTally
from anaphor.annotate.campaign.create import CampaignConfig
from anaphor.annotate.campaign.people import add_lead, find_person
from anaphor.annotate.judging.adjudication import adjudicate
from anaphor.annotate.judging.answer_rows import answer_rows, judged_rows
from anaphor.annotate.judging.answers import save_answer
from anaphor.annotate.judging.assignments import assignment_at, list_assignments
from anaphor.annotate.judging.messages import (
    ask_lead,
    conversation,
    inbox,
    mark_read,
    open_questions,
    reply,
    unread_replies,
)
from anaphor.annotate.judging.views import GAP, TokenView, around_gaps, assignment_view
from anaphor.annotate.labels import ranks
from anaphor.annotate.store.database import Store, open_store
from anaphor.annotate.types import AnnotatorAnswer, Mark, Mode, TokenAt
from anaphor.core import InputError, UnknownNameError, UserError
from anaphor.meta.judgements import Judgement


def test_a_question_waits_until_a_lead_replies(any_store: Store) -> None:
    store = any_store
    ann, bob = (find_person(store, name).id for name in ("ann", "bob"))
    lea = add_lead(store, "lea", "a long enough password").id
    first, second = (row.id for row in list_assignments(store, ann)[:2])
    for _ in range(2):  # a retry changes nothing
        ask_lead(store, ann, first, "Which one?\r\nThe first?", request="question-1")
    ask_lead(store, ann, second, "And this?", request="question-2")
    assert open_questions(store) == 2
    reply(store, lea, first, "The second.", request="reply-0001")
    assert open_questions(store) == 1
    entries = inbox(store)
    assert [(one.assignment, one.is_open) for one in entries] == [(second, True), (first, False)]
    assert [(one.by, one.text, one.from_lead) for one in conversation(store, first)] == [
        ("ann", "Which one?\nThe first?", False),
        ("lea", "The second.", True),
    ]
    with pytest.raises(UnknownNameError):
        ask_lead(store, bob, first, "Not mine", request="question-3")
    with pytest.raises(InputError):
        ask_lead(store, ann, first, " ", request="question-4")


def test_questions_of_several_people_and_their_replies_are_kept_apart(any_store: Store) -> None:
    """Two people ask about two items each, and a lead replies to one of each."""
    store = any_store
    lea = add_lead(store, "lea", "a long enough password").id
    people = {name: find_person(store, name).id for name in ("ann", "bob")}
    items = {name: [row.id for row in list_assignments(store, own)[:2]] for name, own in people.items()}
    for name, own in people.items():
        for number, assignment in enumerate(items[name]):
            # The number of a request is that of a browser: two people may have the same.
            ask_lead(store, own, assignment, f"{name} asks", request=f"question-{number}")
            with pytest.raises(UserError, match="request"):
                ask_lead(store, own, items[name][1 - number], f"{name} asks", request=f"question-{number}")
    assert open_questions(store) == 4
    assert [unread_replies(store, own) for own in people.values()] == [(), ()]
    for name in people:
        reply(store, lea, items[name][1], f"to {name}", request=f"reply-to-{name}")
    assert open_questions(store) == 2
    for name, own in people.items():
        assert [one.assignment for one in unread_replies(store, own)] == [items[name][1]]
    everything = [one.assignment for one in inbox(store)]
    assert everything == [items["bob"][0], items["ann"][0], items["bob"][1], items["ann"][1]]
    assert [one.assignment for one in inbox(store, start=1, limit=2)] == everything[1:3]
    assert [one.assignment for one in inbox(store, start=3, limit=2)] == everything[3:]
    assert {one.assignment for one in inbox(store, person=people["ann"])} == {*items["ann"]}
    # Only one's own conversations can be marked, and every one has its own mark.
    mark_read(store, people["ann"], items["bob"][1])
    assert len(unread_replies(store, people["bob"])) == 1
    mark_read(store, people["bob"], items["bob"][1])
    mark_read(store, people["ann"], items["ann"][0])
    assert [len(unread_replies(store, own)) for own in people.values()] == [1, 0]
    mark_read(store, people["ann"], items["ann"][1])
    mark_read(store, people["ann"], items["ann"][1])
    assert [len(unread_replies(store, own)) for own in people.values()] == [0, 0]
    reply(store, lea, items["bob"][1], "once more", request="reply-again")
    assert [len(unread_replies(store, own)) for own in people.values()] == [0, 1]


def test_remarks_are_those_of_the_person_who_is_looked_at(answered: Store) -> None:
    by_person = {
        name: inbox(answered, kind="remark", person=find_person(answered, name).id, limit=100)
        for name in ("ann", "bob", "cem")
    }
    assert sum(map(len, by_person.values())) == len(inbox(answered, kind="remark", limit=100)) > 2
    for name, remarks in by_person.items():
        assert {one.person for one in remarks} <= {name}


def test_remarks_are_in_the_inbox_beside_questions(answered: Store) -> None:
    remarks = inbox(answered, kind="remark", limit=100)
    assert all(one.messages[0].text for one in remarks)
    assert [one.at for one in remarks] == sorted((one.at for one in remarks), reverse=True)
    assert inbox(answered, kind="question") == ()


def test_the_dashboard_has_a_row_for_everybody_and_ranks_systems(answered: Store) -> None:
    rows = annotator_overviews(answered)
    assert {row.person for row in rows} == {"ann", "bob", "cem"}
    assert [len(row.concerns) for row in rows] == sorted((len(row.concerns) for row in rows), reverse=True)
    systems = system_overviews(answered)
    assert [row.share for row in systems] == sorted((row.share for row in systems), reverse=True)
    assert all(row.interval.low <= row.share <= row.interval.high for row in systems)


def test_systems_are_counted_from_what_is_exported_as_final(answered: Store) -> None:
    lea = add_lead(answered, "lea", "a long enough password").id
    unit = CampaignTally.of(answered).differing()[0]
    adjudicate(answered, unit, AnnotatorAnswer(pronoun=Mark.NO), by=lea, version=0, request="decision-1")
    shares = defaultdict[tuple[str, str], list[float]](list)
    with answered.read() as connection:
        for row in judged_rows(connection, final=True):
            if row.judgement is not Judgement.BAD:
                shares[row.system, row.id].append(row.judgement is Judgement.CORRECT)
    systems = system_overviews(answered)
    assert {one.system for one in systems} == {"alpha", "beta"}
    for one in systems:
        own = [sum(found) / len(found) for (system, _), found in shares.items() if system == one.system]
        assert one.share == pytest.approx(sum(own) / len(own))
        assert one.judged == len(own)


def test_compared_systems_are_counted_by_pairs(
    make_campaign: Callable[..., object], answer_all: Callable[..., int], tmp_path: Path
) -> None:
    make_campaign(tmp_path / "compare.db", CampaignConfig(annotators=("ann", "bob"), mode=Mode.COMPARE))
    with open_store(tmp_path / "compare.db") as store:
        assert system_overviews(store) == ()
        answer_all(store)
        person = find_person(store, "ann").id
        first = assignment_at(store, person, 1)
        tie = AnnotatorAnswer(order=(("a", "b"),))
        version = assignment_view(store, person, first).stored.version
        save_answer(store, person, first, tie, version=version, request="a-tie-0001", seconds=1.0)
        won = defaultdict[str, list[float]](list)
        with store.read() as connection:
            for row in answer_rows(connection):
                won[row.unit].append(("alpha" in row.ranking[0]) / len(row.ranking[0]))
        assert any(0.5 in part for part in won.values())
        share = sum(sum(found) / len(found) for found in won.values()) / len(won)
        rows = {row.system: row for row in system_overviews(store)}
    assert rows["alpha"].share == pytest.approx(share)
    assert rows["beta"].share == pytest.approx(1 - share)
    assert {row.judged for row in rows.values()} == {len(won)}


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("b > a = c", {"b": 0, "a": 1, "c": 1}),
        ("a = b > c", {"a": 0, "b": 0, "c": 1}),
        ("a.2 > a", {"a.2": 0, "a": 1}),
        ("a > x = y > c", {"a": 0, "x = y": 1, "c": 2}),
    ],
)
def test_a_label_of_a_comparison_gives_the_ranks_of_its_systems(label: str, expected: dict[str, int]) -> None:
    assert ranks(label, ["a", "b", "c", "a.2", "x = y"]) == expected


@pytest.mark.parametrize(
    ("tokens", "hidden", "shown"),
    [
        (("Est", "-il", " normal", "."), {1}, "Est __ normal."),
        (("on", " l'", "entend", "."), {1}, "on __ entend."),
        (("parce", " qu'", "il", " neige", "."), {2}, "parce qu… __ neige."),
        ((" Elle", " la", " voit", "."), {0, 1}, " __ voit."),
        (("Où", " est", "-elle", ",", " alors"), {2}, "Où est __, alors"),
    ],
)
def test_nothing_around_a_gap_gives_its_word_away(
    tokens: tuple[str, ...], hidden: set[int], shown: str
) -> None:
    views = [
        TokenView(
            TokenAt(0, number),
            "" if number in hidden else token.strip(),
            " " if token.startswith(" ") else "",
            GAP if number in hidden else "",
            None,
            (),
        )
        for number, token in enumerate(tokens)
    ]
    found = "".join(one.gap + ("__" if one.role == GAP else one.text) for one in around_gaps(views))
    assert found == shown
