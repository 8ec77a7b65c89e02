"""All answers as flat records with stable ids (CSV, TSV, JSON lines), and judgements for other commands.

docs/annotate/exchange.md describes the columns and how cells are escaped. Import requires `unit`, `annotator`
and the fields of the answer, and ignores the others.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

from msgspec.json import encode
from sqlalchemy import Connection

from anaphor.annotate.answer_json import FIELDS, answer_content, parse_answer
from anaphor.annotate.campaign.facts import read_campaign
from anaphor.annotate.exchange.merge import IncomingAnswer
from anaphor.annotate.exchange.texts import read_all_texts, unit_texts
from anaphor.annotate.judging.adjudication import last_decisions
from anaphor.annotate.judging.answer_rows import (
    AnswerRow,
    answer_rows,
    by_unit,
    judged_rows,
    stored_answer,
    stored_answers,
)
from anaphor.annotate.rules import BAD_CHOICE
from anaphor.annotate.types import AnnotatorAnswer, Mark, TokenAt
from anaphor.core import InputError, Where
from anaphor.core.records import Record, whole_number
from anaphor.corpus.text import parse_text
from anaphor.meta.judgements import JudgedPronoun

COLUMNS = (
    *("assignment", "unit", "item", "id", "document", "category", "system", "annotator"),
    *("antecedent", "pronoun", "words", "rendering", "tags", "choices", "order", "remark"),
    *("status", "version", "saved", "seconds"),
)
_NEEDED = ("unit", "annotator")
#: A corrected frame without any word: nothing translates the pronoun.
_NOTHING = "-"
LINES_AT_ONCE = 500
#: Spreadsheets run a cell that begins with one of these, and the apostrophe must itself be escaped.
_FORMULA = re.compile("(?:^|\0)[=+\\-@\t\r']")
_ESCAPES = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}


def write_jsonl(connection: Connection) -> Iterator[bytes]:
    """One object per line, with lists and numbers as JSON values and all characters unchanged."""
    return joined(encode(_record(row)) + b"\n" for row in answer_rows(connection))


def write_csv(connection: Connection, *, unanswered: bool = False) -> Iterator[bytes]:
    left = chain([COLUMNS], map(_cells, answer_rows(connection, unanswered=unanswered)))
    while rows := list(islice(left, LINES_AT_ONCE)):
        file = io.StringIO()
        csv.writer(file).writerows(map(_harmless, rows))
        yield file.getvalue().encode()


def write_template(connection: Connection) -> Iterator[bytes]:
    """Every unanswered assignment, as CSV with empty cells to fill in and import."""
    return write_csv(connection, unanswered=True)


def _harmless(row: tuple[str, ...]) -> Sequence[str]:
    """The cells of a row, with formulas neutralized."""
    if _FORMULA.search("\0".join(row)) is None:  # most rows have none
        return row
    return [f"'{cell}" if _FORMULA.match(cell) else cell for cell in row]


def write_tsv(connection: Connection) -> Iterator[bytes]:
    return tsv(COLUMNS, map(_harmless, map(_cells, answer_rows(connection))))


def tsv(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[bytes]:
    """Tab-separated text with a heading, without quotes."""
    escapes = str.maketrans(_ESCAPES)

    def line(row: Sequence[str]) -> bytes:
        whole = "".join(row)  # most rows have nothing to escape
        cells = (
            row if whole.isprintable() and "\\" not in whole else [cell.translate(escapes) for cell in row]
        )
        return ("\t".join(cells) + "\n").encode()

    return joined(map(line, chain([columns], rows)))


def joined(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Lines joined into chunks large enough to send."""
    left = iter(lines)
    while part := b"".join(islice(left, LINES_AT_ONCE)):
        yield part


def read_jsonl(data: bytes, *, path: str) -> list[IncomingAnswer]:
    lines = parse_text(data, path=path).lines
    records = Record.from_json_lines(lines, path=path, fix="write one object per line")
    return _given(_incoming({key: record.raw(key) for key in record}, record.where) for record in records)


def read_csv(data: bytes, *, path: str) -> list[IncomingAnswer]:
    text = "\n".join(parse_text(data, path=path).lines)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        heading, *rows = ((reader.line_num, row) for row in reader)
    except (csv.Error, ValueError) as error:
        raise InputError(f"not a table: {error}", where=path, fix="write CSV with a heading") from error
    return _given(
        _row(heading[1], [cell.removeprefix("'") for cell in row], Where(path, at)) for at, row in rows
    )


def read_tsv(data: bytes, *, path: str) -> list[IncomingAnswer]:
    heading, *lines = parse_text(data, path=path).lines
    return _given(
        _row(
            heading.split("\t"),
            [_unescaped(cell).removeprefix("'") for cell in line.split("\t")],
            Where(path, number),
        )
        for number, line in enumerate(lines, start=2)
    )


def _record(row: AnswerRow) -> dict[str, Any]:
    """An answer with all columns, as JSON values."""
    return {
        "assignment": row.assignment,
        "unit": row.unit,
        "item": row.suite_item,
        "id": row.key,
        "document": row.document,
        "category": row.category,
        "system": ",".join(row.systems),
        "annotator": row.person,
        **answer_content(row.answer),
        "status": row.status.value,
        "version": row.version,
        "saved": row.saved,
        "seconds": row.seconds,
    }


def _cells(row: AnswerRow) -> tuple[str, ...]:
    """An answer as the cells of a table, in the order of `COLUMNS`."""
    answer, seconds = row.answer, row.seconds
    return (
        *(row.assignment, row.unit, row.suite_item, row.key, row.document, row.category),
        *(",".join(row.systems), row.person, answer.antecedent.value, answer.pronoun.value),
        _places_text(answer.words),
        "" if answer.rendering is None else _places_text(answer.rendering) or _NOTHING,
        *(",".join(answer.tags), ",".join(answer.choices)),
        ">".join("=".join(group) for group in answer.order),
        *(answer.remark, row.status.value, str(row.version), row.saved),
        "" if seconds is None else f"{seconds:.1f}",
    )


def _places_text(places: Iterable[TokenAt]) -> str:
    return " ".join(f"{at.segment}:{at.token}" for at in places)


def _read_places(text: str, where: Where) -> list[list[int]]:
    places = []
    for word in text.split():
        segment, _, token = word.partition(":")
        place = whole_number(segment), whole_number(token)
        if place[0] is None or place[1] is None:
            raise InputError(f"invalid word: {word!r:.60}", where=where, fix="write SEGMENT:TOKEN")
        places.append([place[0], place[1]])
    return places


def _row(heading: list[str], cells: list[str], where: Where) -> IncomingAnswer:
    if len(heading) != len(cells):
        what = f"the row has {len(cells)} cells, the heading has {len(heading)}"
        raise InputError(what, where=where, fix="write one cell for each column")
    row = dict(zip(heading, cells, strict=True))
    rendering = row.get("rendering", "")
    parsed: dict[str, Any] = {
        "antecedent": row.get("antecedent") or "unset",
        "pronoun": row.get("pronoun") or "unset",
        "words": _read_places(row.get("words", ""), where),
        "rendering": None if not rendering else _read_places(rendering.removeprefix(_NOTHING), where),
        "tags": _parts(row.get("tags", ""), ","),
        "choices": _parts(row.get("choices", ""), ","),
        "order": [_parts(group, "=") for group in _parts(row.get("order", ""), ">")],
    }
    return _incoming(row | parsed, where)


def _incoming(row: Mapping[str, Any], where: Where) -> IncomingAnswer:
    for column in _NEEDED:
        if not isinstance(row.get(column), str) or not row[column]:
            raise InputError(f"missing column: {column}", where=where, fix="keep the columns of the export")
    answer = parse_answer({name: row[name] for name in FIELDS if name in row}, where=where)
    return IncomingAnswer(unit=row["unit"], person=row["annotator"], answer=answer, where=where)


def _given(rows: Iterable[IncomingAnswer]) -> list[IncomingAnswer]:
    """The rows with an answer, since rows of a template may be left empty."""
    return [row for row in rows if row.answer != AnnotatorAnswer()]


def _parts(text: str, separator: str) -> list[str]:
    return [part for part in text.split(separator) if part]


def _unescaped(cell: str) -> str:
    characters = {escape: character for character, escape in _ESCAPES.items()}
    return re.sub(r"\\[\\tnr]", lambda escape: characters[escape[0]], cell)


_JUDGEMENT_COLUMNS = ("system", "id", "judgement", "category", "annotator")


def write_judgements(connection: Connection) -> Iterator[bytes]:
    """The judgements of all annotators, for `anaphor meta`."""
    return tsv(_JUDGEMENT_COLUMNS, map(_judgement, judged_rows(connection)))


def write_final(connection: Connection) -> Iterator[bytes]:
    """The final judgements: decisions of leads, otherwise those of annotators, for `anaphor estimate`."""
    return tsv(_JUDGEMENT_COLUMNS, map(_judgement, judged_rows(connection, final=True)))


def _judgement(judged: JudgedPronoun) -> tuple[str, ...]:
    return (judged.system, judged.id, judged.judgement.value, judged.category or "", judged.annotator)


def write_pronoun_links(connection: Connection) -> Iterator[bytes]:
    """The words that translate each pronoun, as gold for `anaphor align evaluate`.

    Judged frames and their corrections count, or a lead's decision alone if there is one. Words on which all
    annotators agree are sure links, the others possible ones. Pronouns with words in other lines are left
    out.
    """
    campaign, decided = read_campaign(connection), last_decisions(connection)
    answers = stored_answers(connection)
    texts = read_all_texts(connection)
    for unit in unit_texts(connection, texts=texts):
        given = [stored_answer(content) for _, content, _ in answers.get(unit.unit, ())]
        given = [decided[unit.unit].answer] if unit.unit in decided else given
        named = [
            set(unit.task.highlight.corrected(answer).pronoun)
            for answer in given
            if answer.rendering is not None or answer.pronoun in (Mark.YES, Mark.NO)
        ]
        (segment, position), *_ = unit.marks.pronoun
        if named and all(at.segment == segment for words in named for at in words):
            sure = set.intersection(*named)
            record = {
                "id": f"{unit.item}.{unit.system}",
                "pair": f"{campaign.source_language}-{campaign.target_language}",
                "source": texts.source.tokens[segment],
                "pronoun": position,
                "target": texts.systems[unit.system].tokens[segment],
                "sure": sorted(at.token for at in sure),
                "possible": sorted(at.token for at in set.union(*named) - sure),
                "function": unit.category,
            }
            yield encode(record) + b"\n"


def write_gaps(connection: Connection) -> Iterator[bytes]:
    """For every system and pronoun, its word and the union of all choices, replaced by a decision if there is
    one.

    A gap is only bad if everyone says so.
    """
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
            rows.append((first.systems[0], first.key, words or "-", ",".join(choices)))
    yield from tsv(("system", "id", "candidate", "choices"), rows)
