"""All answers as flat records with stable ids (CSV, TSV, JSON lines), and judgements for other commands.

    assignment, unit    ids that are the same in every copy of the campaign
    item, id            the item in the suite; the pronoun as `anaphor meta` names it
    system              one name, or several separated by commas in the order of the slots a, b, c
    annotator           name
    antecedent, pronoun yes, no or unset
    words               the chosen words, as SEGMENT:TOKEN separated by spaces
    tags, choices       separated by commas
    order               slots from best to worst, such as `b>a=c`
    remark, status, version, saved, seconds

Import needs `unit`, `annotator` and the fields of the answer, and ignores the others. A cell of a TSV file
has `\\n`, `\\t` and `\\\\` for a line end, a tab and a backslash. A cell of a CSV file that a spreadsheet
would take for a formula begins with an apostrophe, which import removes.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sqlalchemy import Connection

from anaphor.annotate.analysis.labels import final_rows, judged_rows, require_mode
from anaphor.annotate.answer_json import FIELDS, answer_content, parse_answer
from anaphor.annotate.exchange.merge import IncomingAnswer
from anaphor.annotate.exchange.texts import read_all_texts
from anaphor.annotate.judging.adjudication import last_decisions
from anaphor.annotate.judging.answer_rows import AnswerRow, answer_rows, by_unit
from anaphor.annotate.rules import BAD_CHOICE
from anaphor.annotate.types import Mode
from anaphor.core import InputError, Where
from anaphor.corpus.text import parse_text
from anaphor.meta.judgements import JudgedPronoun

COLUMNS = (
    *("assignment", "unit", "item", "id", "document", "category", "system", "annotator"),
    *("antecedent", "pronoun", "words", "tags", "choices", "order", "remark"),
    *("status", "version", "saved", "seconds"),
)
_NEEDED = ("unit", "annotator")
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "'")
_ESCAPES = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}


def records(connection: Connection) -> list[dict[str, str]]:
    """A record with all columns for every answer that is not empty."""
    return [_record(row) for row in answer_rows(connection)]


def write_jsonl(connection: Connection) -> bytes:
    """One object per line, with lists and numbers as such and all characters unchanged."""
    lines = []
    for row in answer_rows(connection):
        content = {
            **_about(row),
            **answer_content(row.answer),
            "status": row.status.value,
            "version": row.version,
            "saved": row.saved,
            "seconds": row.seconds,
        }
        lines.append(json.dumps(content, ensure_ascii=False) + "\n")
    return "".join(lines).encode()


def write_csv(connection: Connection) -> bytes:
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(COLUMNS)
    for row in records(connection):
        cells = (row[column] for column in COLUMNS)
        writer.writerow([f"'{cell}" if cell.startswith(_FORMULA) else cell for cell in cells])
    return file.getvalue().encode()


def write_tsv(connection: Connection) -> bytes:
    return tsv(COLUMNS, records(connection))


def tsv(columns: Iterable[str], rows: Iterable[Mapping[str, str]]) -> bytes:
    """Tab-separated text with a heading, without quotes."""
    names = list(columns)
    lines = ["\t".join(names)]
    escapes = str.maketrans(_ESCAPES)
    lines += ["\t".join(row[name].translate(escapes) for name in names) for row in rows]
    return "".join(f"{line}\n" for line in lines).encode()


def read_jsonl(data: bytes, *, path: str) -> list[IncomingAnswer]:
    found = []
    for number, line in enumerate(parse_text(data, path=path).lines, start=1):
        where = Where(path, number)
        try:
            content = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"not JSON: {error}", where=where, fix="write one object per line") from error
        if not isinstance(content, dict):
            raise InputError("not a JSON object", where=where, fix="write one object per line")
        found.append(_incoming(content, content, where))
    return found


def read_csv(data: bytes, *, path: str) -> list[IncomingAnswer]:
    text = "\n".join(parse_text(data, path=path).lines)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        heading, *rows = ((reader.line_num, row) for row in reader)
    except (csv.Error, ValueError) as error:
        raise InputError(f"not a table: {error}", where=path, fix="write CSV with a heading") from error
    return [_row(heading[1], [cell.removeprefix("'") for cell in row], Where(path, at)) for at, row in rows]


def read_tsv(data: bytes, *, path: str) -> list[IncomingAnswer]:
    heading, *lines = parse_text(data, path=path).lines
    return [
        _row(heading.split("\t"), [_unescaped(cell) for cell in line.split("\t")], Where(path, number))
        for number, line in enumerate(lines, start=2)
    ]


def _about(row: AnswerRow) -> dict[str, str]:
    return {
        "assignment": row.assignment,
        "unit": row.unit,
        "item": row.suite_item,
        "id": row.key,
        "document": row.document,
        "category": row.category,
        "system": ",".join(row.systems),
        "annotator": row.person,
    }


def _record(row: AnswerRow) -> dict[str, str]:
    answer = row.answer
    return {
        **_about(row),
        "antecedent": answer.antecedent.value,
        "pronoun": answer.pronoun.value,
        "words": " ".join(f"{at.segment}:{at.token}" for at in answer.words),
        "tags": ",".join(answer.tags),
        "choices": ",".join(answer.choices),
        "order": ">".join("=".join(group) for group in answer.order),
        "remark": answer.remark,
        "status": row.status.value,
        "version": str(row.version),
        "saved": row.saved,
        "seconds": "" if row.seconds is None else f"{row.seconds:.1f}",
    }


def _row(heading: list[str], cells: list[str], where: Where) -> IncomingAnswer:
    if len(heading) != len(cells):
        raise InputError(
            f"the row has {len(cells)} cells, the heading has {len(heading)}",
            where=where,
            fix="write one cell for each column",
        )
    row = dict(zip(heading, cells, strict=True))
    words = []
    for word in row.get("words", "").split():
        segment, _, token = word.partition(":")
        if not (segment.isdecimal() and token.isdecimal()):
            raise InputError(f"not a word: {word!r:.60}", where=where, fix="write SEGMENT:TOKEN")
        words.append([int(segment), int(token)])
    content = {
        "antecedent": row.get("antecedent") or "unset",
        "pronoun": row.get("pronoun") or "unset",
        "words": words,
        "tags": list(_parts(row.get("tags", ""), ",")),
        "choices": list(_parts(row.get("choices", ""), ",")),
        "order": [list(_parts(group, "=")) for group in _parts(row.get("order", ""), ">")],
        "remark": row.get("remark", ""),
    }
    return _incoming(row, content, where)


def _incoming(row: Mapping[str, Any], content: Mapping[str, Any], where: Where) -> IncomingAnswer:
    for column in _NEEDED:
        if not isinstance(row.get(column), str) or not row[column]:
            raise InputError(f"there is no {column}", where=where, fix="keep the columns of the export")
    answer = parse_answer({name: content[name] for name in FIELDS if name in content}, where=str(where))
    return IncomingAnswer(unit=row["unit"], person=row["annotator"], answer=answer, where=where)


def _parts(text: str, separator: str) -> Iterator[str]:
    return (part for part in text.split(separator) if part)


def _unescaped(cell: str) -> str:
    found = {escape: character for character, escape in _ESCAPES.items()}
    parts: list[str] = []
    at = 0
    while at < len(cell):
        pair = cell[at : at + 2]
        parts.append(found.get(pair, cell[at]))
        at += 2 if pair in found else 1
    return "".join(parts)


_JUDGEMENT_COLUMNS = ("system", "id", "judgement", "category", "annotator")
_GAP_COLUMNS = ("system", "id", "candidate", "choices")


def write_judgements(connection: Connection) -> bytes:
    """The judgements of all annotators, for `anaphor meta`."""
    return tsv(_JUDGEMENT_COLUMNS, map(_judgement, judged_rows(connection)))


def write_final(connection: Connection) -> bytes:
    """The judgements that count: decisions of leads, else those of annotators, for `anaphor estimate`."""
    return tsv(_JUDGEMENT_COLUMNS, map(_judgement, final_rows(connection)))


def _judgement(one: JudgedPronoun) -> dict[str, str]:
    return {
        "system": one.system,
        "id": one.id,
        "judgement": one.judgement.value,
        "category": one.category or "",
        "annotator": one.annotator,
    }


def write_gaps(connection: Connection) -> bytes:
    """For every system and pronoun its word, and the union of all choices; a decision replaces them.

    A gap is bad only where everybody says so.
    """
    require_mode(connection, Mode.GAPS)
    decided = last_decisions(connection)
    texts = read_all_texts(connection).systems
    rows = []
    for unit, part in by_unit(answer_rows(connection)).items():
        answers = [decided[unit].answer] if unit in decided else [row.answer for row in part]
        every = {choice for answer in answers for choice in answer.choices}
        choices = sorted(every - {BAD_CHOICE}) or sorted(every)
        if choices:
            first = part[0]
            words = texts[first.systems[0]].words(first.targets[0].highlight.pronoun)
            cells = (first.systems[0], first.key, words or "-", ",".join(choices))
            rows.append(dict(zip(_GAP_COLUMNS, cells, strict=True)))
    return tsv(_GAP_COLUMNS, rows)
