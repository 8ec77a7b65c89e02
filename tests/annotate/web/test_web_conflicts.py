"""Two answers of one person to one item: both are kept, both are shown, and the person chooses."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from anaphor.annotate.judging.answers import journal, open_conflicts, resolve_conflict, save_answer
from anaphor.annotate.judging.assignments import assignment_at
from anaphor.annotate.maintenance import check
from anaphor.annotate.store.database import Store, StoreError
from anaphor.annotate.types import AnnotatorAnswer, Mark
from anaphor.core import InputError, MismatchError, UnknownNameError

Send = Callable[..., dict[str, Any]]


def first_item(store: Store) -> tuple[str, str]:
    """A person and their first assignment."""
    with store.read() as connection:
        row = connection.exec_driver_sql("SELECT person, id FROM assignments WHERE place = 1 LIMIT 1").one()
    return row.person, row.id


def meet(served: Any, answered: Send) -> tuple[Any, str, dict[str, Any]]:
    """An annotator whose first item was answered elsewhere before: the annotator, the item, the response."""
    ann = served.annotator()
    item = ann.first()
    ann.send(f"/api/items/{item}/answer", answered(pronoun="yes", remark="on the phone"))
    met = ann.send(f"/api/items/{item}/answer", answered(pronoun="no", remark="on the train", go="none"))
    assert met.status_code == 409
    return ann, item, met.json()


def test_the_response_has_both_answers_the_sentence_and_the_choice(served: Any, answered: Send) -> None:
    ann, item, met = meet(served, answered)
    assert (met["assignment"], met["version"], met["answer"]["remark"]) == (item, 1, "on the phone")
    (waiting,) = met["waiting"]
    assert (waiting["answer"]["pronoun"], waiting["answer"]["remark"]) == ("no", "on the train")
    for part in ("on the phone", "on the train", "est", 'value="saved"', f'value="{waiting["id"]}"'):
        assert part in met["html"], part
    assert ann.get(f"/api/items/{item}/conflict").json()["waiting"] == [waiting]
    assert ann.get("/api/conflicts").json()["conflicts"] == [waiting]


def test_opening_the_item_shows_the_choice_until_it_is_made(served: Any, answered: Send) -> None:
    ann, item, met = meet(served, answered)
    position = met["position"]
    pages = (f"/items/{item}", f"/api/items/{item}", f"/api/positions/{position}")
    assert all('id=\\"conflict' in (text := ann.get(page).text) or 'id="conflict' in text for page in pages)
    body = {"keep": "saved", "request": "my-choice", "version": met["version"]}
    done = ann.send(f"/api/items/{item}/conflict", body)
    assert (done.status_code, done.json()["version"]) == (200, 1)
    assert all("conflict" not in ann.get(page).text for page in pages)
    assert ann.get("/api/conflicts").json() == {"conflicts": []}
    result = ann.get(f"/api/items/{item}/history").json()["html"]
    assert "on the phone" in result
    assert "on the train" in result, "what was not kept stays in the history"


def test_the_other_answer_can_be_used_and_both_stay(served: Any, answered: Send) -> None:
    ann, item, met = meet(served, answered)
    body = {"keep": met["waiting"][0]["id"], "request": "my-choice", "version": 1}
    for _ in range(2):  # the second is a retry
        done = ann.send(f"/api/items/{item}/conflict", body)
        assert (done.status_code, done.json()["version"]) == (200, 2)
    kinds = [(entry.kind, entry.after.remark) for entry in journal(served.store, assignment=item)]
    assert kinds == [("save", "on the train"), ("conflict", "on the train"), ("save", "on the phone")]
    exported = served.lead().get("/lead/files/journal").text
    assert exported.count("on the train") == 2
    assert not any(check(served.store).values())


def test_a_choice_about_an_answer_that_changed_again_is_asked_again(served: Any, answered: Send) -> None:
    ann, item, met = meet(served, answered)
    ann.send(f"/api/items/{item}/answer", answered(remark="a third", version=1, go="none"))
    for keep in ("saved", met["waiting"][0]["id"]):
        again = ann.send(f"/api/items/{item}/conflict", {"keep": keep, "request": "my-choice", "version": 1})
        assert (again.status_code, again.json()["version"]) == (409, 2)
        assert "a third" in again.json()["html"]
    assert len(ann.get("/api/conflicts").json()["conflicts"]) == 1


def test_nobody_else_can_see_or_settle_a_conflict(served: Any, answered: Send) -> None:
    _, item, met = meet(served, answered)
    bob = served.annotator("Bob")
    assert bob.get("/api/conflicts").json() == {"conflicts": []}
    assert bob.get(f"/api/items/{item}/conflict").status_code == 404
    body = {"keep": met["waiting"][0]["id"], "request": "bobs-choice", "version": 1}
    assert bob.send(f"/api/items/{item}/conflict", body).status_code == 404
    own = bob.first()
    assert bob.send(f"/api/items/{own}/conflict", body).status_code == 404
    assert re.search("not one of the two", bob.send(f"/api/items/{own}/conflict", body).text)


def test_a_retry_of_a_refused_answer_is_the_same_conflict(any_store: Store) -> None:
    person, item = first_item(any_store)
    save_answer(any_store, person, item, AnnotatorAnswer(remark="one"), version=0, request="request-1")
    two = AnnotatorAnswer(pronoun=Mark.NO, remark="two")
    for _ in range(3):
        with pytest.raises(MismatchError):
            save_answer(any_store, person, item, two, version=0, request="request-2", seconds=4)
    (waiting,) = open_conflicts(any_store, person)
    assert (waiting.assignment, waiting.answer, waiting.version, waiting.seconds) == (item, two, 0, 4)
    with pytest.raises(InputError, match="already used"):
        save_answer(any_store, person, item, AnnotatorAnswer(), version=0, request="request-2")
    with pytest.raises(UnknownNameError):
        resolve_conflict(any_store, person, item, keep="other", version=1, request="request-3")
    stored = resolve_conflict(any_store, person, item, keep=waiting.id, version=1, request="request-3")
    assert (stored.version, stored.answer) == (2, two)
    assert open_conflicts(any_store, person) == ()
    # The browser that was away asks once more after the choice was made elsewhere: it may forget its answer.
    assert save_answer(any_store, person, item, two, version=0, request="request-2") == stored


def test_answers_to_two_items_wait_apart_from_each_other(any_store: Store) -> None:
    person, first = first_item(any_store)
    second = assignment_at(any_store, person, 2)
    answers = {}
    for number, item in enumerate((second, first, second)):
        answers[number] = AnnotatorAnswer(pronoun=Mark.NO, remark=f"conflict {number}")
        with suppress(MismatchError):
            save_answer(
                any_store,
                person,
                item,
                AnnotatorAnswer(remark="saved"),
                version=0,
                request=f"saved-{number}-again",
            )
        with pytest.raises(MismatchError):
            save_answer(any_store, person, item, answers[number], version=0, request=f"refused-{number}")
    # The id of a refused answer is good for its own item only, even with the same answer.
    with pytest.raises(InputError, match="already used"):
        save_answer(any_store, person, first, answers[0], version=0, request="refused-0")
    waiting = open_conflicts(any_store, person)
    assert [(one.assignment, one.answer) for one in waiting] == [
        *((second, answers[0]), (first, answers[1]), (second, answers[2]))
    ]
    assert open_conflicts(any_store, person, second) == (waiting[0], waiting[2])
    resolve_conflict(any_store, person, second, keep=waiting[2].id, version=1, request="my-choice")
    assert open_conflicts(any_store, person) == (waiting[1],)


def test_two_windows_that_say_the_same_are_no_conflict(any_store: Store) -> None:
    person, item = first_item(any_store)
    same = AnnotatorAnswer(remark="same")
    first = save_answer(any_store, person, item, same, version=0, request="request-1")
    assert save_answer(any_store, person, item, same, version=0, request="request-2") == first
    assert open_conflicts(any_store, person) == ()


def test_the_database_keeps_refused_answers(any_store: Store) -> None:
    person, item = first_item(any_store)
    save_answer(any_store, person, item, AnnotatorAnswer(remark="one"), version=0, request="request-1")
    with pytest.raises(MismatchError):
        save_answer(any_store, person, item, AnnotatorAnswer(remark="two"), version=0, request="request-2")
    for statement in ("DELETE FROM conflicts", "UPDATE conflicts SET content = '{}'"):
        with pytest.raises(StoreError), any_store.write() as connection:
            connection.exec_driver_sql(statement)
    assert [one.answer.remark for one in open_conflicts(any_store, person)] == ["two"]
