"""Questions to the lead and the inbox; the dashboard's rows; gaps that give nothing away."""

from __future__ import annotations

import pytest

from anaphor.annotate.analysis.dashboard import annotator_overviews, system_overviews
from anaphor.annotate.campaign.people import add_lead, find_person
from anaphor.annotate.judging.assignments import list_assignments
from anaphor.annotate.judging.messages import ask_lead, conversation, inbox, open_questions, reply
from anaphor.annotate.judging.views import GAP, TokenView, _around_gaps
from anaphor.annotate.store.database import Store
from anaphor.annotate.types import TokenAt
from anaphor.core import InputError, UnknownNameError


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
    found = "".join(one.gap + ("__" if one.role == GAP else one.text) for one in _around_gaps(views))
    assert found == shown
