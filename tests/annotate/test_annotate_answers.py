"""Answers on both databases: durable, never doubled, never overwritten unseen, all changes in the journal."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from msgspec import structs
from sqlalchemy import func, select

from anaphor.align.gold import read_pronoun_links
from anaphor.annotate.campaign.people import find_person
from anaphor.annotate.exchange import export_bytes, import_bytes
from anaphor.annotate.exchange.merge import MergeRules
from anaphor.annotate.judging.answer_rows import answer_rows
from anaphor.annotate.judging.answers import StaleAnswerError, history, journal, save_answer, undo
from anaphor.annotate.judging.assignments import (
    AssignmentProgress,
    assignment_at,
    batches_of,
    list_assignments,
    next_assignment,
    previous_assignment,
    progress_of,
)
from anaphor.annotate.judging.views import assignment_view
from anaphor.annotate.store import schema
from anaphor.annotate.store.database import Store, open_store
from anaphor.annotate.types import AnnotatorAnswer, Mark, Status, StoredAnswer, TokenAt
from anaphor.core import InputError, OptionError, UnknownNameError

FIRST, SECOND = (
    AnnotatorAnswer(pronoun=Mark.NO, remark="first"),
    AnnotatorAnswer(pronoun=Mark.NO, remark="second"),
)


def ann(store: Store) -> tuple[str, str]:
    """Ann and her first example."""
    person = find_person(store, "ann").id
    return person, assignment_at(store, person, 1)


def test_an_answer_is_there_after_the_store_is_opened_again(any_store: Store) -> None:
    person, first = ann(any_store)
    saved = save_answer(any_store, person, first, FIRST, version=0, request="request-1")
    again = open_store(any_store.address)
    assert assignment_view(again, person, first).stored == saved
    assert (saved.version, saved.answer, saved.status) == (1, FIRST, Status.DONE)
    again.close()


def test_a_retry_is_acknowledged_again_and_written_once(any_store: Store) -> None:
    person, first = ann(any_store)
    saved = [save_answer(any_store, person, first, FIRST, version=0, request="request-1") for _ in range(3)]
    assert saved[0] == saved[1] == saved[2]
    assert len(journal(any_store)) == 1


def test_a_retry_after_a_later_change_returns_its_own_version(any_store: Store) -> None:
    person, first = ann(any_store)
    saved = save_answer(any_store, person, first, FIRST, version=0, request="request-1")
    save_answer(any_store, person, first, SECOND, version=1, request="request-2")
    assert save_answer(any_store, person, first, FIRST, version=0, request="request-1") == saved
    assert assignment_view(any_store, person, first).stored.answer == SECOND


def test_a_request_id_is_good_for_one_answer_only(any_store: Store) -> None:
    """To acknowledge another answer under an old id would lose it."""
    person, first = ann(any_store)
    second = assignment_at(any_store, person, 2)
    save_answer(any_store, person, first, FIRST, version=0, request="request-1")
    with pytest.raises(InputError, match="used for another one"):
        save_answer(any_store, person, first, SECOND, version=1, request="request-1")
    with pytest.raises(InputError, match="used for another one"):
        save_answer(any_store, person, second, FIRST, version=0, request="request-1")


def test_two_people_may_use_the_same_request_id(any_store: Store) -> None:
    for name in ("ann", "bob"):
        person = find_person(any_store, name).id
        save_answer(
            any_store, person, assignment_at(any_store, person, 1), FIRST, version=0, request="the-same"
        )
    assert len(journal(any_store)) == 2


def test_a_stale_version_returns_the_current_answer_and_both_stay_in_the_journal(any_store: Store) -> None:
    person, first = ann(any_store)
    saved = save_answer(any_store, person, first, FIRST, version=0, request="request-1")
    with pytest.raises(StaleAnswerError) as caught:
        save_answer(any_store, person, first, SECOND, version=0, request="request-2")
    assert caught.value.present == saved
    assert [(one.kind, one.after) for one in journal(any_store)] == [("conflict", SECOND), ("save", FIRST)]


def test_of_many_concurrent_saves_one_wins_and_the_others_are_stale(any_store: Store) -> None:
    person, first = ann(any_store)
    results: list[StoredAnswer | StaleAnswerError] = []

    def save(number: int) -> None:
        answer = AnnotatorAnswer(pronoun=Mark.NO, remark=str(number))
        try:
            request = f"request-{number}"
            results.append(save_answer(any_store, person, first, answer, version=0, request=request))
        except StaleAnswerError as error:
            results.append(error)

    threads = [threading.Thread(target=save, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    won = [one for one in results if isinstance(one, StoredAnswer)]
    lost = [one for one in results if isinstance(one, StaleAnswerError)]
    assert (len(won), len(lost)) == (1, 7)
    assert {one.present for one in lost} == set(won)
    assert sorted(one.kind for one in journal(any_store)) == ["conflict"] * 7 + ["save"]


def test_undo_goes_back_step_by_step_and_is_itself_in_the_journal(any_store: Store) -> None:
    person, first = ann(any_store)
    save_answer(any_store, person, first, FIRST, version=0, request="request-1")
    save_answer(any_store, person, first, SECOND, version=1, request="request-2")
    assert undo(any_store, person, first, version=2, request="request-3").answer == FIRST
    assert undo(any_store, person, first, version=2, request="request-3").version == 3  # a retry
    emptied = undo(any_store, person, first, version=3, request="request-4")
    assert (emptied.answer, emptied.status, emptied.version) == (AnnotatorAnswer(), Status.NEW, 4)
    with pytest.raises(OptionError, match="nothing to undo"):
        undo(any_store, person, first, version=4, request="request-5")
    save_answer(any_store, person, first, SECOND, version=4, request="request-6")
    assert undo(any_store, person, first, version=5, request="request-7").answer == AnnotatorAnswer()
    kinds = [(entry.kind, entry.version) for entry in history(any_store, person, first)]
    assert kinds == [("undo", 6), ("save", 5), ("undo", 4), ("undo", 3), ("save", 2), ("save", 1)]


def test_the_journal_says_who_when_before_and_after(any_store: Store) -> None:
    person, first = ann(any_store)
    save_answer(any_store, person, first, FIRST, version=0, request="request-1")
    save_answer(any_store, person, first, SECOND, version=1, request="request-2")
    last, earlier = history(any_store, person, first)
    assert (earlier.by, earlier.before, earlier.after) == ("ann", None, FIRST)
    assert (last.by, last.before, last.after) == ("ann", FIRST, SECOND)
    assert earlier.at < last.at
    assert earlier.at.endswith("Z")


def test_nobody_reaches_the_example_of_another(any_store: Store) -> None:
    """An id that nobody has and one of somebody else give the same words."""
    _, first = ann(any_store)
    bob = find_person(any_store, "bob").id
    messages = set()
    for assignment in (first, "nothing"):
        with pytest.raises(UnknownNameError) as caught:
            save_answer(any_store, bob, assignment, FIRST, version=0, request="request-1")
        messages.add(str(caught.value))
        with pytest.raises(UnknownNameError) as caught:
            assignment_view(any_store, bob, assignment)
        messages.add(str(caught.value))
        with pytest.raises(UnknownNameError):
            history(any_store, bob, assignment)
    assert len(messages) == 1


@pytest.mark.parametrize(
    "answer",
    [
        AnnotatorAnswer(words=(TokenAt(10**6, 0),)),
        AnnotatorAnswer(choices=("il",)),
        AnnotatorAnswer(order=(("a",),)),
    ],
    ids=["a word that is not highlighted", "a choice of gap filling", "an order of systems"],
)
def test_an_answer_that_the_example_cannot_have_is_refused(store: Store, answer: AnnotatorAnswer) -> None:
    person, first = ann(store)
    with pytest.raises(InputError, match="does not fit this example"):
        save_answer(store, person, first, answer, version=0, request="request-1")
    assert not journal(store)


def test_an_antecedent_is_answered_only_where_it_is_asked(store: Store) -> None:
    person = find_person(store, "ann").id
    views = [assignment_view(store, person, row.id) for row in list_assignments(store, person)]
    without = next(view for view in views if not view.asks_antecedent)
    answer = AnnotatorAnswer(antecedent=Mark.YES, pronoun=Mark.YES)
    with pytest.raises(InputError, match="antecedent"):
        save_answer(store, person, without.assignment, answer, version=0, request="request-1")


@pytest.mark.parametrize("request_id", ["short", "x" * 101, "with\nnewline", "é" * 10])
def test_an_invalid_request_id_is_refused(store: Store, request_id: str) -> None:
    with pytest.raises(InputError, match="invalid request id"):
        save_answer(store, *ann(store), FIRST, version=0, request=request_id)


def test_progress_counts_what_is_saved_and_nothing_comes_after_the_last(any_store: Store) -> None:
    person, first = ann(any_store)
    total = progress_of(any_store, person).total
    save_answer(any_store, person, first, FIRST, version=0, request="request-1")
    assert next_assignment(any_store, person, after=first) == assignment_at(any_store, person, 2)
    assert progress_of(any_store, person) == AssignmentProgress(total, 1, 0)
    assert progress_of(any_store, "nobody") == AssignmentProgress(0, 0, 0)
    last = assignment_at(any_store, person, total)
    assert next_assignment(any_store, person, after=last) is None


def test_navigation_follows_positions(store: Store) -> None:
    person, first = ann(store)
    second = assignment_at(store, person, 2)
    assert next_assignment(store, person) == first
    save_answer(store, person, first, FIRST, version=0, request="request-1")
    assert next_assignment(store, person) == second
    assert next_assignment(store, person, after=first) == second
    assert previous_assignment(store, person, second) == first
    assert previous_assignment(store, person, first) is None
    assert next_assignment(store, person, after=second) == assignment_at(store, person, 3)
    total = progress_of(store, person).total
    for position in (0, -1, total + 1, 10**12):
        with pytest.raises(OptionError, match="there is no example"):
            assignment_at(store, person, position)


def test_batches_add_up_to_all_assignments(store: Store) -> None:
    person, first = ann(store)
    save_answer(store, person, first, FIRST, version=0, request="request-1")
    batches = batches_of(store, person)
    assert list(batches) == list(range(1, len(batches) + 1))
    assert {one.total for number, one in batches.items() if number < len(batches)} == {10}
    assert sum(one.total for one in batches.values()) == progress_of(store, person).total
    assert (batches[1].done, sum(one.done for one in batches.values())) == (1, 1)
    assert [row.batch for row in list_assignments(store, person)].count(1) == 10


def test_times_are_summed_and_invalid_ones_ignored(store: Store) -> None:
    person, first = ann(store)
    save_answer(store, person, first, FIRST, version=0, request="request-1", seconds=2.5)
    save_answer(store, person, first, SECOND, version=1, request="request-2", seconds=1.5)
    save_answer(store, person, first, FIRST, version=2, request="request-3", seconds=float("nan"))
    save_answer(store, person, first, SECOND, version=3, request="request-4", seconds=-7)
    with store.read() as connection:
        assert connection.execute(select(schema.answers.c.seconds)).scalars().all() == [4.0]


def test_own_tags_are_offered_again(any_store: Store) -> None:
    person, first = ann(any_store)
    second = assignment_at(any_store, person, 2)
    answer = AnnotatorAnswer(pronoun=Mark.NO, tags=("odd", "desc_vs_presc"))
    save_answer(any_store, person, first, answer, version=0, request="request-1")
    save_answer(any_store, person, second, answer, version=0, request="request-2")
    assert assignment_view(any_store, person, second).tags[-1] == "odd"
    bob = find_person(any_store, "bob").id
    assert "odd" not in assignment_view(any_store, bob, assignment_at(any_store, bob, 1)).tags
    with any_store.read() as connection:
        assert connection.execute(select(func.count()).select_from(schema.own_tags)).scalar_one() == 2


def test_a_time_counts_also_when_the_first_save_had_none(any_store: Store) -> None:
    person, first = ann(any_store)
    save_answer(any_store, person, first, FIRST, version=0, request="request-1")
    save_answer(any_store, person, first, SECOND, version=1, request="request-2", seconds=2.5)
    save_answer(any_store, person, first, FIRST, version=2, request="request-3")
    save_answer(any_store, person, first, SECOND, version=3, request="request-4", seconds=1.0)
    with any_store.read() as connection:
        assert connection.execute(select(schema.answers.c.seconds)).scalars().all() == [3.5]


def test_a_corrected_frame_is_checked_and_kept(store: Store) -> None:
    ann = find_person(store, "ann").id
    row = list_assignments(store, ann)[0]
    view = assignment_view(store, ann, row.id)
    line = next(line for line in view.lines if line.segment == view.last)
    word = line.slots[0].tokens[0].at
    answer = AnnotatorAnswer(antecedent=Mark.NO, pronoun=Mark.YES, rendering=(word,))
    if not view.asks_antecedent:
        answer = AnnotatorAnswer(pronoun=Mark.YES, rendering=(word,))
    saved = save_answer(store, ann, row.id, answer, version=0, request="corrected-1")
    assert saved.status is Status.DONE, "who names the word need not choose it again"
    nowhere = structs.replace(answer, rendering=(TokenAt(word.segment, 10_000),))
    with pytest.raises(InputError, match="no such word"):
        save_answer(store, ann, row.id, nowhere, version=1, request="corrected-2")
    none = structs.replace(answer, rendering=())
    assert save_answer(store, ann, row.id, none, version=1, request="corrected-3").answer.rendering == ()
    for name in ("csv", "tsv", "jsonl", "label-studio", "pearmut"):
        content = export_bytes(store, name)
        report = import_bytes(store, name, content, by="test", rules=MergeRules(dry_run=True))
        assert (report.added, report.conflicts) == (0, []), name
        assert report.unchanged >= 1, name


def test_corrected_frames_are_gold_for_the_aligner(store: Store, tmp_path: Path) -> None:
    ann = find_person(store, "ann").id
    expected = {}
    for number, row in enumerate(list_assignments(store, ann)):
        view = assignment_view(store, ann, row.id)
        frame = [at for at in view.highlighted if view.lines[-1].segment == at.segment]
        (line,) = [line for line in view.lines if line.segment == view.last]
        first = line.slots[0].tokens[0]
        if number % 3 == 0 and view.practice is None:
            answer = AnnotatorAnswer(pronoun=Mark.UNCLEAR, rendering=(first.at,))
        else:
            answer = AnnotatorAnswer(pronoun=Mark.UNCLEAR)
        save_answer(store, ann, row.id, answer, version=0, request=f"gold-{number:04}")
        if answer.rendering:
            with store.read() as connection:
                key = next(
                    given for given in answer_rows(connection, attention=None) if given.assignment == row.id
                )
            if key.expected is None:
                expected[f"{key.suite_item}.{key.systems[0]}"] = (first.text, frame)
    path = tmp_path / "links.jsonl"
    path.write_bytes(export_bytes(store, "pronoun-links"))
    items = read_pronoun_links(path)
    assert len(items) >= 3
    assert {item.id for item in items} == expected.keys()
    for item in items:
        assert [item.target[at] for at in item.sure] == [expected[item.id][0]]
        assert item.form in ("it", "they", "you", "them")
