"""Copies that were annotated offline come back: by ids, every conflict shown, nothing overwritten."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import text, update

from anaphor.annotate.campaign.create import CampaignConfig, CreatedCampaign
from anaphor.annotate.campaign.people import add_lead, find_person
from anaphor.annotate.exchange.approval import approvals, approve
from anaphor.annotate.exchange.merge import MergeReport, MergeRules, copy_answers, merge_copies, merge_files
from anaphor.annotate.judging.adjudication import adjudicate
from anaphor.annotate.judging.answer_rows import AnswerRow, answer_rows
from anaphor.annotate.judging.answers import history, journal, save_answer, undo
from anaphor.annotate.judging.assignments import assignment_at
from anaphor.annotate.judging.views import assignment_view
from anaphor.annotate.maintenance import backup, check
from anaphor.annotate.store import schema
from anaphor.annotate.store.audit import audit_log
from anaphor.annotate.store.database import Store, open_store
from anaphor.annotate.types import AnnotatorAnswer, Mark, Status
from anaphor.core import MismatchError, OptionError
from anaphor.suite import LoadedSuite, suite_digest

Make = Callable[..., CreatedCampaign]
HERE, THERE = (
    AnnotatorAnswer(pronoun=Mark.NO, remark="here"),
    AnnotatorAnswer(pronoun=Mark.NO, remark="there"),
)


@pytest.fixture
def copy(store: Store, tmp_path: Path) -> Store:
    """A copy that Ann took along before anybody answered."""
    backup(store, tmp_path / "copy.db")
    return open_store(tmp_path / "copy.db")


def answer(store: Store, position: int, given: AnnotatorAnswer, *, version: int = 0) -> str:
    person = find_person(store, "ann").id
    assignment = assignment_at(store, person, position)
    request = f"{given.remark}-{position}-{version}-request"
    save_answer(store, person, assignment, given, version=version, request=request)
    return assignment


def merged(store: Store, copy: Store, **rules: bool) -> MergeReport:
    incoming = copy_answers(store, copy)
    copy.close()
    (report,) = merge_files(store, [("", incoming)], by="lea", kind="merge", rules=MergeRules(**rules))
    return report


def present(store: Store, position: int) -> AnnotatorAnswer:
    person = find_person(store, "ann").id
    return assignment_view(store, person, assignment_at(store, person, position)).stored.answer


def test_answers_given_offline_are_added(store: Store, copy: Store) -> None:
    answer(store, 1, HERE)
    answer(copy, 2, THERE)
    report = merged(store, copy)
    assert (report.added, report.unchanged, report.conflicts, report.written) == (1, 0, [], True)
    assert (present(store, 1), present(store, 2)) == (HERE, THERE)
    (entry, _) = journal(store)
    assert (entry.kind, entry.by, entry.after) == ("merge", "ann", THERE)
    assert (audit_log(store)[0].actor, audit_log(store)[0].action) == ("lea", "answers merged")


def test_merging_twice_adds_nothing(store: Store, copy: Store, tmp_path: Path) -> None:
    answer(copy, 1, THERE)
    merged(store, copy)
    again = merged(store, open_store(tmp_path / "copy.db"))
    assert (again.added, again.unchanged) == (0, 1)
    assert len(journal(store)) == 1


def test_two_different_answers_are_a_conflict_and_stop_everything(store: Store, copy: Store) -> None:
    answer(store, 1, HERE)
    answer(copy, 1, THERE)
    answer(copy, 2, THERE)
    report = merged(store, copy)
    (conflict,) = report.conflicts
    assert (conflict.person, conflict.present, conflict.incoming) == ("ann", HERE, THERE)
    assert not report.written
    assert present(store, 2) == AnnotatorAnswer()
    assert len(journal(store)) == 1


def test_a_copy_with_a_history_of_its_own_overwrites_nothing(store: Store, copy: Store) -> None:
    """Ann changed her mind offline: what her answers were made from is not what stands here."""
    answer(store, 1, HERE)
    answer(copy, 1, THERE)
    answer(copy, 1, AnnotatorAnswer(pronoun=Mark.YES, remark="there, later"), version=1)
    report = merged(store, copy)
    assert (report.added, len(report.conflicts), report.written) == (0, 1, False)
    assert present(store, 1) == HERE


def test_conflicts_are_left_out_on_request_and_the_rest_is_written(store: Store, copy: Store) -> None:
    answer(store, 1, HERE)
    answer(copy, 1, THERE)
    answer(copy, 2, THERE)
    report = merged(store, copy, skip=True)
    assert (report.added, len(report.conflicts), report.written) == (1, 1, True)
    assert (present(store, 1), present(store, 2)) == (HERE, THERE)


def test_a_correction_follows_the_answer_it_was_made_from(store: Store, tmp_path: Path) -> None:
    answer(store, 1, HERE)
    backup(store, tmp_path / "later.db")
    copy = open_store(tmp_path / "later.db")
    assignment = answer(copy, 1, THERE, version=1)
    assert merged(store, copy).added == 1
    assert present(store, 1) == THERE
    assert [entry.version for entry in history(store, find_person(store, "ann").id, assignment)] == [2, 1]


def test_an_answer_that_was_corrected_here_stays_corrected(store: Store, tmp_path: Path) -> None:
    answer(store, 1, HERE)
    backup(store, tmp_path / "old.db")
    answer(store, 1, THERE, version=1)
    report = merged(store, open_store(tmp_path / "old.db"))
    assert (report.added, report.unchanged, report.conflicts) == (0, 1, [])
    assert present(store, 1) == THERE


def test_an_answer_that_was_undone_here_can_be_replaced(store: Store, copy: Store) -> None:
    person = find_person(store, "ann").id
    assignment = answer(store, 1, HERE)
    undo(store, person, assignment, version=1, request="take-it-back")
    answer(copy, 1, THERE)
    assert merged(store, copy).added == 1
    assert present(store, 1) == THERE


def test_a_dry_run_reports_the_same_and_writes_nothing(store: Store, copy: Store) -> None:
    answer(copy, 1, THERE)
    report = merged(store, copy, dry_run=True)
    assert (report.added, report.written) == (1, False)
    assert not journal(store)


def copies(store: Store, folder: Path, *answers: tuple[int, AnnotatorAnswer]) -> list[Path]:
    """Copies that were taken now, each with one answer of Ann's."""
    paths = []
    for number, (position, given) in enumerate(answers):
        paths.append(folder / f"copy-{number}.db")
        backup(store, paths[-1])
        with open_store(paths[-1]) as copy:
            answer(copy, position, given)
    return paths


def test_several_copies_are_merged_together(store: Store, tmp_path: Path) -> None:
    paths = copies(store, tmp_path, (1, HERE), (2, THERE), (1, HERE))
    found = merge_copies(store, paths, by="lea", rules=MergeRules())
    assert [(one.title, one.added, one.unchanged) for one in found.reports] == [
        (str(paths[0]), 1, 0),
        (str(paths[1]), 1, 0),
        (str(paths[2]), 0, 1),
    ]
    assert found.written
    assert (present(store, 1), present(store, 2)) == (HERE, THERE)


@pytest.mark.parametrize("where", [0, 1, 2])
def test_a_conflict_of_one_copy_stops_all_of_them(store: Store, tmp_path: Path, where: int) -> None:
    given = [(2, THERE), (3, THERE), (4, THERE)]
    given[where] = (1, THERE)
    paths = copies(store, tmp_path, *given)
    answer(store, 1, HERE)
    before = journal(store), audit_log(store)
    found = merge_copies(store, paths, by="lea", rules=MergeRules())
    assert [len(one.conflicts) for one in found.reports] == [int(number == where) for number in range(3)]
    assert [one.written for one in found.reports] == [False] * 3
    assert (journal(store), audit_log(store)) == before
    found = merge_copies(store, paths, by="lea", rules=MergeRules(skip=True))
    assert [one.added for one in found.reports] == [int(number != where) for number in range(3)]
    assert found.written
    assert present(store, 1) == HERE


def test_copies_can_be_in_conflict_with_each_other(store: Store, tmp_path: Path) -> None:
    paths = copies(store, tmp_path, (1, HERE), (1, THERE))
    for rules in (MergeRules(), MergeRules(dry_run=True)):
        found = merge_copies(store, paths, by="lea", rules=rules)
        (conflict,) = found.reports[1].conflicts
        assert (conflict.present, conflict.incoming) == (HERE, THERE)
        assert not found.written
        assert not journal(store)


def test_a_later_copy_may_correct_an_earlier_one(store: Store, tmp_path: Path) -> None:
    (first,) = copies(store, tmp_path, (1, HERE))
    second = Path(shutil.copy(first, tmp_path / "later.db"))
    with open_store(second) as copy:
        answer(copy, 1, THERE, version=1)
    found = merge_copies(store, [first, second], by="lea", rules=MergeRules())
    assert [one.added for one in found.reports] == [1, 1]
    assert [entry.version for entry in journal(store)] == [2, 1]
    assert present(store, 1) == THERE


def test_a_copy_of_another_campaign_is_refused(store: Store, make_campaign: Make, tmp_path: Path) -> None:
    make_campaign(tmp_path / "other.db", CampaignConfig(annotators=("ann",)))
    other = open_store(tmp_path / "other.db")
    with pytest.raises(MismatchError, match="copy of another campaign"):
        copy_answers(store, other)
    other.close()


def test_a_backup_is_whole_and_a_campaign_of_its_own(answered: Store, tmp_path: Path) -> None:
    size = backup(answered, tmp_path / "backup.db")
    assert size == (tmp_path / "backup.db").stat().st_size
    assert sorted(path.name for path in tmp_path.glob("*backup*")) == ["backup.db"]
    copy = open_store(tmp_path / "backup.db")
    assert len(journal(copy)) == len(journal(answered))
    assert not any(check(copy).values())
    copy.close()
    with pytest.raises(OptionError, match="already exists"):
        backup(answered, tmp_path / "backup.db")
    with pytest.raises(OptionError, match="cannot be written"):
        backup(answered, tmp_path / "no" / "folder.db")


def test_postgresql_is_backed_up_with_its_own_tools(any_store: Store, tmp_path: Path) -> None:
    if any_store.is_sqlite:
        assert backup(any_store, tmp_path / "copy.db")
    else:
        with pytest.raises(OptionError) as caught:
            backup(any_store, tmp_path / "copy.db")
        assert "pg_dump --format=custom" in caught.value.fix


def test_a_consistent_campaign_passes_every_check(any_answered: Store) -> None:
    assert check(any_answered) == {
        "pages": (),
        "rows": (),
        "rows point at rows": (),
        "journal": (),
        "answers": (),
    }


@pytest.mark.parametrize(
    ("statement", "part"),
    [
        ('UPDATE answers SET content = \'{"pronoun":"no"}\' WHERE version = 1', "journal"),
        ("DELETE FROM answers", "journal"),
        ("UPDATE assignments SET status = 'new'", "answers"),
        ("UPDATE answers SET content = 'no JSON'", "rows"),
    ],
)
def test_a_campaign_that_was_tampered_with_fails_its_check(
    answered: Store, statement: str, part: str
) -> None:
    with answered.write() as connection:
        connection.execute(text(statement.replace(":", "\\:")))
    assert check(answered)[part]


def test_approved_translations_become_alternatives_with_their_origin(
    answered: Store, loaded: LoadedSuite
) -> None:
    found = approvals(answered)
    assert found
    suite = approve(answered, loaded.suite)
    known = {item.id: item for item in loaded.suite.items}
    new = {
        item.id: [one for one in item.alternatives if one not in known[item.id].alternatives]
        for item in suite.items
    }
    fresh = [one for alternatives in new.values() for one in alternatives]
    assert fresh
    assert len(fresh) <= len(found)
    for one in fresh:
        assert set(one.by.split(", ")) <= {"ann", "bob", "cem"}
        assert one.when is not None
        assert one.when.startswith("20")
    assert suite_digest(suite) != suite_digest(loaded.suite)
    with pytest.raises(MismatchError, match="was made from the suite"):
        approve(answered, suite)


def test_what_any_annotator_calls_wrong_is_not_approved(answered: Store) -> None:
    with answered.read() as connection:
        rows = list(answer_rows(connection))
    units: dict[str, list[AnswerRow]] = {}
    for row in rows:
        units.setdefault(row.unit, []).append(row)
    agreed = {
        (part[0].suite_item, ", ".join(row.person for row in part))
        for part in units.values()
        if all(row.answer.pronoun is Mark.YES for row in part)
    }
    assert {(one.item, one.by) for one in approvals(answered)} <= agreed


def test_an_answer_that_contradicts_itself_approves_nothing_until_a_lead_decides(answered: Store) -> None:
    first = approvals(answered)[0]
    with answered.read() as connection:
        rows = [row for row in answer_rows(connection) if row.suite_item == first.item]
    with answered.write() as connection:
        connection.execute(update(schema.assignments).values(status=Status.CONFLICT.value))
    assert approvals(answered) == ()
    lea = add_lead(answered, "lea", "a long enough password").id
    approved = next(row for row in rows if row.person in first.by and row.answer.pronoun is Mark.YES)
    adjudicate(answered, approved.unit, approved.answer, by=lea, version=0, request="decision-1")
    assert [approval.item for approval in approvals(answered)] == [first.item]


def test_a_copied_database_keeps_the_ids(store: Store, tmp_path: Path) -> None:
    """`cp` of a closed file is a copy like a backup."""
    person = find_person(store, "ann").id
    first = assignment_at(store, person, 1)
    store.close()
    copy = open_store(shutil.copy(tmp_path / "campaign.db", tmp_path / "copied.db"))
    assert assignment_at(copy, person, 1) == first
    copy.close()
