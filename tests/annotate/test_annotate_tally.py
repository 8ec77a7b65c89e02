"""The running count of labels: the same as if everything were counted anew, whatever happened in between."""

from __future__ import annotations

import random
import subprocess
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, func, select

from anaphor.annotate.analysis.agreement import agreement_table, confusions
from anaphor.annotate.analysis.status import overall, progress_table, speeds
from anaphor.annotate.analysis.tally import CampaignTally
from anaphor.annotate.campaign.people import add_lead, add_links, find_person, people
from anaphor.annotate.campaign.workload import add_annotator
from anaphor.annotate.exchange import export_bytes, import_bytes, merge
from anaphor.annotate.judging.adjudication import adjudicate
from anaphor.annotate.judging.answers import save_answer, undo
from anaphor.annotate.judging.assignments import list_assignments
from anaphor.annotate.judging.views import assignment_view
from anaphor.annotate.maintenance import backup, check
from anaphor.annotate.store import create_store, schema
from anaphor.annotate.store.audit import COMMAND_LINE, note
from anaphor.annotate.store.database import Store, open_store
from anaphor.annotate.types import AnnotatorAnswer, Mark
from anaphor.core import OptionError

QUESTIONS = ("overall", "pronoun", "antecedent")


def figures(tally: CampaignTally) -> tuple[object, ...]:
    """Everything that pages take from a tally."""
    return (
        *(repr(agreement_table(tally, question=one)) for one in QUESTIONS),
        *(confusions(tally, question=one) for one in QUESTIONS),
        (progress_table(tally), overall(tally), speeds(tally), tally.last_saved),
        *(tally.differing(open_only=one) for one in (True, False)),
    )


def test_it_follows_every_change(any_store: Store, answer_all: Callable[..., int]) -> None:
    tally, draw = CampaignTally.of(any_store), random.Random(3)
    lead = add_lead(any_store, "lea", "correct horse battery").id
    answer_all(any_store, share=0.5)
    assert figures(tally.refresh(any_store)) == figures(CampaignTally.of(any_store))
    for step in range(12):
        person = draw.choice([one for one in people(any_store) if one.role.value == "annotator"])
        row = draw.choice(list_assignments(any_store, person.id))
        view = assignment_view(any_store, person.id, row.id)
        if view.stored.version and step % 3 == 0:
            undo(any_store, person.id, row.id, version=view.stored.version, request=f"undo-{step:04}")
        else:
            mark = draw.choice((Mark.YES, Mark.NO, Mark.UNCLEAR, Mark.UNSET))
            answer = AnnotatorAnswer(pronoun=mark, remark=str(step))
            version = view.stored.version
            save_answer(any_store, person.id, row.id, answer, version=version, request=f"save-{step:04}")
        assert figures(tally.refresh(any_store)) == figures(CampaignTally.of(any_store)), step
    unit = tally.differing()[0]
    adjudicate(any_store, unit, AnnotatorAnswer(pronoun=Mark.YES), by=lead, version=0, request="decision-1")
    assert unit not in tally.refresh(any_store).differing()
    add_annotator(any_store, "dora", share="all")
    assert figures(tally.refresh(any_store)) == figures(CampaignTally.of(any_store))


def test_annotators_save_while_a_file_is_imported(
    any_answered: Store, any_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An import once held the database for 56 seconds; now every piece lets others in."""
    monkeypatch.setattr(merge, "_ANSWERS_AT_ONCE", 5)
    data = export_bytes(any_answered, "jsonl")
    person = find_person(any_store, "ann").id
    row = list_assignments(any_store, person)[-1]
    reports: list[Any] = []
    thread = threading.Thread(
        target=lambda: reports.append(import_bytes(any_store, "jsonl", data, by="test", rules=_SKIP))
    )
    imported = select(func.count()).where(schema.journal.c.kind == "import")
    saved, write = threading.Event(), Store.write

    def write_after_a_save(store: Store) -> AbstractContextManager[Connection]:
        """What the import writes next waits until somebody has saved, however busy the machine is."""
        if threading.current_thread() is thread:
            saved.clear()
            saved.wait(5)
        return write(store)

    monkeypatch.setattr(Store, "write", write_after_a_save)

    def save(version: int) -> int:
        answer, request = AnnotatorAnswer(remark=f"{version}"), f"request-{version:06}"
        return save_answer(any_store, person, row.id, answer, version=version, request=request).version

    version, seen = save(0), set[int]()
    thread.start()
    while thread.is_alive():
        version = save(version)
        with any_store.read() as connection:
            seen.add(connection.execute(imported).scalar_one())
        saved.set()
    thread.join()
    (report,) = reports
    assert report.written
    with any_store.read() as connection:
        whole = connection.execute(imported).scalar_one()
    assert any(0 < number < whole for number in seen), "somebody saved between two pieces"
    assert report.added + report.unchanged + len(report.conflicts) + len(report.unknown) == data.count(b"\n")
    assert not any(check(any_store).values())


_SKIP = merge.MergeRules(skip=True)


def test_new_databases_and_backups_are_private(store: Store, tmp_path: Path) -> None:
    create_store(tmp_path / "new.db").close()
    backup(store, tmp_path / "copy.db")
    for name in ("new.db", "copy.db"):
        assert (tmp_path / name).stat().st_mode & 0o077 == 0, name


def test_links_have_the_address_at_which_the_campaign_was_served(store: Store) -> None:
    assert "http://127.0.0.1:8080/enter/" in str(add_links(store, ["ann"], days=1).to_dict())
    for port in (9122, 9123):
        note(store, actor=COMMAND_LINE, action="served", detail={"url": f"http://127.0.0.1:{port}/"})
    assert "http://127.0.0.1:9123/enter/" in str(add_links(store, ["ann"], days=1).to_dict())


def test_postgresql_knows_the_size_of_its_tables_at_once(
    new_database: Callable[[str | None], str], template: str, answered: Store
) -> None:
    with open_store(new_database(template)) as store:
        import_bytes(store, "jsonl", export_bytes(answered, "jsonl"), by="lead", rules=_SKIP)
        with store.read() as connection:
            for name in ("assignments", "texts", "answers", "journal"):
                size = connection.exec_driver_sql(f"SELECT count(*) FROM {name}").scalar_one()  # noqa: S608 - our names
                known = f"SELECT reltuples FROM pg_class WHERE relname = '{name}'"  # noqa: S608
                assert connection.exec_driver_sql(known).scalar_one() == size > 0, name


def test_postgresql_is_backed_up_with_an_address_that_pg_dump_takes(
    new_database: Callable[[str | None], str], template: str, tmp_path: Path
) -> None:
    with open_store(new_database(template)) as store, pytest.raises(OptionError) as refused:
        backup(store, tmp_path / "copy.dump")
    command = refused.value.fix.removeprefix("run: ")
    subprocess.run(command, shell=True, check=True)  # noqa: S602 - as a reader of the message would
    assert (tmp_path / "copy.dump").stat().st_size > 1000
