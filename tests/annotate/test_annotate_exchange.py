"""Files of third-party tools: export, import, and files that are refused before anything is written."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from anaphor.annotate.campaign.create import CampaignConfig, CreatedCampaign
from anaphor.annotate.campaign.people import find_person
from anaphor.annotate.exchange import EXPORTS, IMPORTS, export_bytes, import_bytes, mtme, records, texts
from anaphor.annotate.exchange.merge import MergeRules
from anaphor.annotate.exchange.texts import CampaignText, unit_texts
from anaphor.annotate.judging import answer_rows as answer_rows_module
from anaphor.annotate.judging.answer_rows import answer_rows
from anaphor.annotate.judging.answers import save_answer
from anaphor.annotate.judging.assignments import list_assignments
from anaphor.annotate.judging.views import assignment_view
from anaphor.annotate.store import schema
from anaphor.annotate.store.database import Store, open_store
from anaphor.annotate.types import AnnotatorAnswer, Mark, Mode, TokenAt
from anaphor.core import InputError, MismatchError, OptionError, UnknownNameError, UserError
from anaphor.meta import read_gaps, read_judgements
from anaphor.suite import ProtestMetadata, from_protest, suite_digest
from anaphor.suite.protest.database import AnnotationRow, AnnotatorRow, read_protest, write_protest
from tests.support.parser import whole_parser

Make = Callable[..., CreatedCampaign]
Answers = dict[tuple[str, str], AnnotatorAnswer]
EXACT = ("csv", "tsv", "jsonl", "protest", "pearmut", "label-studio")


def answers(store: Store) -> Answers:
    with store.read() as connection:
        return {(row.unit, row.person): row.answer for row in list(answer_rows(connection))}


@pytest.mark.parametrize("name", EXACT)
def test_all_answers_come_back_from_the_file(answered: Store, empty: Store, name: str) -> None:
    data = export_bytes(answered, name)
    report = import_bytes(empty, name, data, by="lea")
    assert (report.added, report.unchanged, report.written) == (len(answers(answered)), 0, True)
    assert answers(empty) == answers(answered)
    again = import_bytes(answered, name, data, by="lea")
    assert (again.added, again.unchanged, again.conflicts) == (0, report.added, [])


@pytest.mark.parametrize("name", sorted(EXPORTS.keys() - {"gaps", "journal"}))
def test_both_databases_write_the_same_file(answered: Store, any_answered: Store, name: str) -> None:
    """Ids and times are drawn anew in each; everything else is the same."""
    if name in ("judgements", "final"):
        assert export_bytes(any_answered, name) == export_bytes(answered, name)
    else:
        assert len(export_bytes(any_answered, name)) == pytest.approx(
            len(export_bytes(answered, name)), rel=0.02
        )


@pytest.mark.parametrize("name", sorted(EXPORTS.keys() - {"gaps", "protest", "snapshot"}))
def test_a_file_is_the_same_in_parts_of_any_size(
    answered: Store, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    whole = export_bytes(answered, name)
    sizes = {texts: "_ROWS_AT_ONCE", records: "LINES_AT_ONCE", mtme: "_LINES_AT_ONCE"}
    for module, size in {**sizes, answer_rows_module: "_UNITS_AT_ONCE"}.items():
        assert getattr(module, size) > 3
        monkeypatch.setattr(module, size, 3)
    assert export_bytes(answered, name) == whole


def test_judgements_are_read_by_meta(answered: Store, tmp_path: Path) -> None:
    path = tmp_path / "judgements.tsv"
    path.write_bytes(export_bytes(answered, "judgements"))
    judged = read_judgements(path)
    assert {one.annotator for one in judged} == {"ann", "bob", "cem"}
    assert {one.system for one in judged} == {"alpha", "beta"}
    messages = sum(
        answer.pronoun is not Mark.UNSET or "bad_translation" in answer.tags
        for answer in answers(answered).values()
    )
    assert len(judged) == messages


def test_the_journal_has_every_change(answered: Store) -> None:
    lines = [json.loads(line) for line in export_bytes(answered, "journal").splitlines()]
    assert len(lines) >= len(answers(answered))
    assert lines == sorted(lines, key=lambda line: line["at"])
    assert {line["kind"] for line in lines} == {"save"}


def test_gaps_are_read_by_meta(make_campaign: Make, answer_all: Callable[..., int], tmp_path: Path) -> None:
    make_campaign(tmp_path / "gaps.db", CampaignConfig(annotators=("ann", "bob"), mode=Mode.GAPS))
    store = open_store(tmp_path / "gaps.db")
    answer_all(store, share=0.6)
    path = tmp_path / "gaps.tsv"
    path.write_bytes(export_bytes(store, "gaps"))
    gaps = read_gaps(path)
    assert len(gaps) == len({unit for unit, _ in answers(store)})
    for name in ("judgements", "protest", "mtme", "pearmut", "label-studio", "final"):
        with pytest.raises(OptionError, match="asks annotators to fill gaps"):
            export_bytes(store, name)
    for name in ("csv", "tsv", "jsonl"):
        assert import_bytes(store, name, export_bytes(store, name), by="lea").unchanged == len(answers(store))
    store.close()


@pytest.mark.parametrize("kind", ["csv", "tsv"])
@pytest.mark.parametrize("first", ["=", "+", "-", "@", "'", "\t", "\r", "''"])
def test_a_spreadsheet_takes_no_remark_for_a_formula(answered: Store, kind: str, first: str) -> None:
    person = find_person(answered, "ann")
    assert person is not None
    first_one = list_assignments(answered, person.id)[0].id
    version = assignment_view(answered, person.id, first_one).stored.version
    changed = AnnotatorAnswer(pronoun=Mark.NO, remark=f"{first}HYPERLINK(1)")
    save_answer(answered, person.id, first_one, changed, version=version, request="a-formula")
    data = export_bytes(answered, kind)
    file = io.StringIO(data.decode(), newline="")
    reader = csv.reader(file) if kind == "csv" else csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
    cells = [cell for row in reader for cell in row]
    assert not any(cell.startswith(("=", "+", "-", "@", "\t", "\r")) for cell in cells)
    assert [cell for cell in cells if "HYPERLINK" in cell and cell.startswith("'")]
    report = import_bytes(answered, kind, data, by="lea")
    assert report.unchanged == len(answers(answered)), "import takes the apostrophe away"


def test_pearmut_includes_the_end_of_a_span(answered: Store) -> None:
    content = json.loads(export_bytes(answered, "pearmut"))
    assert content["info"]["users"] == ["ann", "bob", "cem"]
    with answered.read() as connection:
        units = {unit.unit: unit for unit in unit_texts(connection)}
    spans = 0
    for task in content["data"]:
        for ((item,),) in zip(task, strict=True):
            unit = units[item["item_id"]]
            for span in item["error_spans"][unit.system]:
                words = item["tgt"][unit.system][span["start_i"] : span["end_i"] + 1]
                expected = unit.task.highlight.words
                assert (
                    words in {unit.target.text[slice(*unit.target.span(at))] for at in expected}
                    or " " in words
                )
                spans += 1
    assert spans > 5


def test_other_tools_show_the_pronoun_and_know_no_annotators(answered: Store) -> None:
    """Label Studio refuses unknown e-mail addresses and shows a key `source` as JSON."""
    shown = [
        item["src"] for task in json.loads(export_bytes(answered, "pearmut"))["data"] for (item,) in task
    ]
    assert shown
    assert [text for text in shown if not re.search(r"<b>\w+</b>", text)] == []
    tasks = json.loads(export_bytes(answered, "label-studio"))
    for task in tasks:
        assert f"[{task['data']['pronoun']}]" in task["data"]["source_text"]
        assert "source" not in task["data"]
    annotations = [annotation for task in tasks for annotation in task["annotations"]]
    assert annotations
    assert [annotation for annotation in annotations if "completed_by" in annotation] == []


def test_pearmut_has_the_examples_of_everybody_in_their_order(answered: Store) -> None:
    """Without attention items, and each with what its own annotator answered."""
    content = json.loads(export_bytes(answered, "pearmut"))
    given = answers(answered)
    with answered.read() as connection:
        real = {unit.unit for unit in unit_texts(connection)}
        table, who = schema.assignments, schema.people
        query = select(who.c.name, table.c.unit).join(table).order_by(table.c.place)
        asked = connection.execute(query).all()
    assert content["data"]
    for name, task in zip(content["info"]["users"], content["data"], strict=True):
        own = [row.unit for row in asked if row.name == name]
        assert [item["item_id"] for (item,) in task] == [unit for unit in own if unit in real]
        assert len(task) < len(own)
        for (item,) in task:
            answer = item["anaphor"].get("answer")
            mark = "unset" if answer is None else answer["pronoun"]
            assert mark == given[item["item_id"], name].pronoun.value


def test_what_pearmut_annotators_marked_becomes_answers(answered: Store, empty: Store) -> None:
    with answered.read() as connection:
        row = next(row for row in list(answer_rows(connection)) if row.task.highlight.pronoun)
        unit = next(unit for unit in unit_texts(connection) if unit.unit == row.unit)
    start, end = unit.target.span(row.task.highlight.pronoun[0])
    line: dict[str, Any] = {
        "user_id": row.person,
        "item_id": row.unit,
        "annotation": {unit.system: {"score": 50, "error_spans": [{"start_i": start, "end_i": end - 1}]}},
    }
    report = import_bytes(empty, "pearmut", json.dumps(line).encode() + b"\n", by="lea")
    assert report.added == 1
    assert answers(empty)[row.unit, row.person].pronoun is Mark.NO
    items = {**line, "item": [{"item_id": row.unit}] * 2, "annotation": [line["annotation"]]}
    with pytest.raises(InputError, match="1 annotations of 2 items"):
        import_bytes(empty, "pearmut", json.dumps(items).encode(), by="lea")
    missed = {**line, "annotation": {unit.system: {"error_spans": [{"start_i": end, "end_i": end}]}}}
    report = import_bytes(
        empty, "pearmut", json.dumps(missed).encode(), by="lea", rules=MergeRules(dry_run=True)
    )
    assert report.conflicts[0].incoming.pronoun is Mark.YES


def test_a_question_of_label_studio_has_one_answer(answered: Store, empty: Store) -> None:
    tasks = json.loads(export_bytes(answered, "label-studio"))
    results = [one for task in tasks for made in task["annotations"] for one in made["result"]]
    question = next(one for one in results if one["from_name"] == "pronoun")
    question["value"]["choices"] = ["yes", "no"]
    with pytest.raises(InputError, match="2 choices for a question with one answer"):
        import_bytes(empty, "label-studio", json.dumps(tasks).encode(), by="lea")


def test_the_mtme_layout_has_a_line_for_every_segment_of_every_system(answered: Store) -> None:
    archive = zipfile.ZipFile(io.BytesIO(export_bytes(answered, "mtme")))
    names = archive.namelist()
    assert "sources/en-fr.txt" in names
    assert "system-outputs/en-fr/alpha.txt" in names
    for person in ("ann", "bob", "cem"):
        lines = archive.read(f"human-scores/en-fr.pronoun_{person}.seg.rating").decode().splitlines()
        assert len(lines) == 2 * 30  # two systems, thirty segments
        assert {line.split("\t")[2] for line in lines} == {person}
        for line in lines:
            system, rating, _ = line.split("\t")
            for error in [] if rating == "None" else json.loads(rating)["errors"]:
                side = (
                    "sources/en-fr.txt" if error["is_source_error"] else f"system-outputs/en-fr/{system}.txt"
                )
                assert error["end"] > error["start"] >= 0
                assert side in names
    assert export_bytes(answered, "mtme") == export_bytes(answered, "mtme")


def test_mtme_rates_the_segments_of_judged_pronouns_and_no_others(answered: Store) -> None:
    archive = zipfile.ZipFile(io.BytesIO(export_bytes(answered, "mtme")))
    with answered.read() as connection:
        place = {unit.unit: unit.marks.pronoun[0].segment for unit in unit_texts(connection)}
        rows = [row for row in answer_rows(connection) if row.answer.pronoun in (Mark.YES, Mark.NO)]
    for person in ("ann", "bob", "cem"):
        rated, wrong = set[tuple[str, int]](), 0
        lines = archive.read(f"human-scores/en-fr.pronoun_{person}.seg.rating").decode().splitlines()
        for number, line in enumerate(lines):
            system, rating, _ = line.split("\t")
            if rating != "None":
                rated.add((system, number % 30))
                errors = json.loads(rating)["errors"]
                wrong += sum(error["category"].startswith("pronoun/") for error in errors)
        own = [row for row in rows if row.person == person]
        judged = {(row.systems[0], place[row.unit]) for row in own}
        heads = {(row.systems[0], at.segment) for row in own for at in row.task.highlight.words}
        assert judged <= rated <= judged | heads
        assert wrong == sum(row.answer.pronoun is Mark.NO for row in own)


def test_ratings_of_mtme_become_the_same_judgements(answered: Store, empty: Store) -> None:
    """A pronoun that is alone in its segment comes back; of several in one segment those that are wrong."""
    archive = zipfile.ZipFile(io.BytesIO(export_bytes(answered, "mtme")))
    data = archive.read("human-scores/en-fr.pronoun_ann.seg.rating")
    report = import_bytes(empty, "mtme", data, by="lea")
    assert report.written
    back, there = answers(empty), answers(answered)
    assert len(back) > 10
    for key, answer in back.items():
        assert answer.pronoun is there[key].pronoun


def test_a_suite_and_its_approved_translations_come_out_of_protest(answered: Store, tmp_path: Path) -> None:
    path = tmp_path / "campaign.protest.db"
    path.write_bytes(export_bytes(answered, "protest"))
    database = read_protest(path)
    assert [row.name for row in database.annotators] == ["ann", "bob", "cem"]
    assert {row.label for row in database.task_definition} == {"IAA", "1", "2", "3"}
    # Task 1 is what several people answer; each of them has a task for the rest, labelled with their number.
    answered_by: dict[int, set[int]] = {}
    for row in database.annotations:
        answered_by.setdefault(row.annotator_id, set()).add(row.candidate)
    tasks: dict[str, set[int]] = {}
    labels = {row.id: row.label for row in database.task_definition}
    for task in database.annotation_tasks:
        tasks.setdefault(labels[task.task_no], set()).add(task.candidate)
    shared = tasks.pop("IAA")
    assert tasks == {str(who): mine - shared for who, mine in answered_by.items() if mine - shared}
    found = from_protest(database, ProtestMetadata(), path=path)
    before = {item.id for item in found.suite.items}
    assert len(before) == 34
    assert any(one.by in ("ann", "bob", "cem") for item in found.suite.items for one in item.alternatives)
    assert suite_digest(found.suite)


def test_reimporting_a_batch_never_deletes_the_record_of_somebody_else(
    answered: Store, tmp_path: Path
) -> None:
    """The bug of PROTEST: it deleted master rows by the batch's row ids.

    Ann's batch numbers its rows from 1, as everybody's does; in the master these are the numbers of others.
    """
    path = tmp_path / "campaign.protest.db"
    path.write_bytes(export_bytes(answered, "protest"))
    master = read_protest(path)
    people = {row.id: row.name for row in master.annotators}
    mine = [row for row in master.annotations if people[row.annotator_id] == "cem"]
    batch = master._replace(
        annotators=(AnnotatorRow(1, "cem"),),
        annotations=tuple(
            row._replace(id=number, annotator_id=1) for number, row in enumerate(mine, start=1)
        ),
        token_annotations=tuple(
            row._replace(id=number, annotator_id=1)
            for number, row in enumerate(
                [row for row in master.token_annotations if people[row.annotator_id] == "cem"], start=1
            )
        ),
        tag_annotations=tuple(
            row._replace(id=number, annotator_id=1)
            for number, row in enumerate(
                [row for row in master.tag_annotations if people[row.annotator_id] == "cem"], start=1
            )
        ),
    )
    overlapping = {row.id for row in batch.annotations} & {
        row.id for row in master.annotations if people[row.annotator_id] != "cem"
    }
    assert overlapping  # the trap is set
    write_protest(tmp_path / "batch.db", batch)
    before = answers(answered)
    for _ in range(2):
        report = import_bytes(answered, "protest", (tmp_path / "batch.db").read_bytes(), by="lea")
        assert (report.added, report.unchanged, report.conflicts) == (0, len(mine), [])
        assert answers(answered) == before


def test_a_changed_batch_conflicts_and_overwrites_nothing(answered: Store, tmp_path: Path) -> None:
    path = tmp_path / "campaign.protest.db"
    path.write_bytes(export_bytes(answered, "protest"))
    database = read_protest(path)
    first = database.annotations[0]
    changed = first._replace(remarks="changed offline")
    write_protest(path, database._replace(annotations=(changed, *database.annotations[1:])))
    before = answers(answered)
    report = import_bytes(answered, "protest", path.read_bytes(), by="lea")
    (conflict,) = report.conflicts
    assert conflict.incoming.remark == "changed offline"
    assert conflict.present.remark == (first.remarks or "")
    assert not report.written
    assert answers(answered) == before


@pytest.mark.parametrize(
    "change",
    [
        {"annotations": (AnnotationRow(1, 99_999, 1, "ok", "ok", "", ""),)},
        {"annotators": ()},
        {"sentences": ()},
        {"corpora": ()},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_protest_file_that_does_not_fit_is_refused_whole(
    answered: Store, tmp_path: Path, change: dict[str, Any]
) -> None:
    path = tmp_path / "campaign.protest.db"
    path.write_bytes(export_bytes(answered, "protest"))
    write_protest(path, read_protest(path)._replace(**change))
    before = answers(answered)
    with pytest.raises(MismatchError, match="does not match this campaign"):
        import_bytes(answered, "protest", path.read_bytes(), by="lea")
    assert answers(answered) == before


def test_annotators_of_a_foreign_file_are_made_on_request(empty: Store, answered: Store) -> None:
    data = export_bytes(answered, "jsonl").replace(b'"annotator":"ann"', b'"annotator":"zoe"')
    stopped = import_bytes(empty, "jsonl", data, by="lea")
    assert not stopped.written
    assert any("not an example of zoe" in one for one in stopped.unknown)
    dry = import_bytes(empty, "jsonl", data, by="lea", rules=MergeRules(create=True, dry_run=True))
    assert (dry.written, dry.unknown) == (False, [])
    made = import_bytes(empty, "jsonl", data, by="lea", rules=MergeRules(create=True))
    assert (made.written, made.added) == (True, dry.added)
    assert {person for _, person in answers(empty)} == {"bob", "cem", "zoe"}
    with empty.read() as connection:
        given, who = schema.assignments, schema.people
        places = select(given.c.place).join(who, who.c.id == given.c.person).where(who.c.name == "zoe")
        found = list(connection.execute(places).scalars())
    assert sorted(found) == list(range(1, len(found) + 1))


@pytest.mark.parametrize("name", sorted(IMPORTS))
@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff\xfe broken",
        b"{",
        b"[]",
        b"{}",
        b"null",
        b"[[[[",
        b"unit,annotator\nx",
        b"a\tb\n1\t2\t3\n",
        b'{"unit": 3, "annotator": "ann"}',
        b'{"unit": "x", "annotator": "ann", "words": [["a"]]}',
        b'{"data": [[[{"item_id": 1}]]], "info": {"users": ["ann"]}}',
        b'[{"data": {"unit": "x"}, "annotations": [{"completed_by": true}]}]',
        b"SQLite format 3\0" + b"\0" * 100,
        b"alpha\t{}\tann\n",
        b"[" * 100_000,
    ],
)
def test_any_invalid_file_is_explained_and_nothing_is_written(store: Store, name: str, data: bytes) -> None:
    added = 0
    with suppress(UserError):  # any other error is one that nobody explained
        added = import_bytes(store, name, data, by="lea", path="given.file").added
    assert added == 0
    assert answers(store) == {}


def test_unknown_formats_list_the_known_ones(store: Store) -> None:
    with pytest.raises(UnknownNameError, match="unknown format"):
        export_bytes(store, "xml")
    with pytest.raises(UnknownNameError, match="unknown format"):
        import_bytes(store, "xml", b"", by="lea")


def test_two_answers_to_one_example_in_a_file_are_refused(answered: Store, empty: Store) -> None:
    line = json.loads(export_bytes(answered, "jsonl").splitlines()[0])
    twice = "\n".join(json.dumps(one) for one in (line, {**line, "remark": "another"}))
    with pytest.raises(InputError, match="twice"):
        import_bytes(empty, "jsonl", twice.encode(), by="lea")


def test_tokens_overlap_by_characters() -> None:
    shown = CampaignText([("il l'a", '["il", "l\'", "a"]')]).window(0, 0)
    every = [TokenAt(0, number) for number in range(3)]
    assert shown.overlapping(0, 1, every) == (TokenAt(0, 0),)
    assert shown.overlapping(2, 3, every) == ()
    assert shown.overlapping(4, 6, every) == (TokenAt(0, 1), TokenAt(0, 2))


def test_the_command_offers_every_format() -> None:
    (choices,) = [
        action.choices
        for action in whole_parser().commands["annotate"][0].commands["export"][0].actions()
        if "--format" in action.option_strings
    ]
    assert sorted(choices or ()) == sorted(EXPORTS)


def test_a_template_has_every_unanswered_assignment_and_is_imported_once_filled_in(
    empty: Store, answered: Store
) -> None:
    template = export_bytes(empty, "template").decode()
    rows = list(csv.DictReader(io.StringIO(template)))
    assert {(row["unit"], row["annotator"]) for row in rows} >= set(answers(answered))
    assert {row["pronoun"] for row in rows} == {"unset"}
    # Nothing is filled in, so nothing is imported.
    assert import_bytes(empty, "csv", template.encode(), by="lea").added == 0
    rows[0] |= {"pronoun": "no", "antecedent": "yes" if rows[0]["antecedent"] else "unset"}
    file = io.StringIO()
    writer = csv.DictWriter(file, fieldnames=list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    assert import_bytes(empty, "csv", file.getvalue().encode(), by="lea").added == 1
    left = list(csv.DictReader(io.StringIO(export_bytes(empty, "template").decode())))
    assert len(left) == len(rows) - 1
    assert export_bytes(answered, "template").count(b"\n") == 1
