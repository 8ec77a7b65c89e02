"""Judgements as `anaphor meta` and `anaphor estimate` read them, and gaps as `anaphor meta gaps` does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from sqlalchemy import Connection

from anaphor.annotate.adjudicate import last_decisions
from anaphor.annotate.exchange.records import tsv
from anaphor.annotate.exchange.texts import read_all_texts
from anaphor.annotate.gathered import Gathered, gather
from anaphor.annotate.judged import final_rows, judged_rows, require_mode
from anaphor.annotate.nouns import Mode
from anaphor.annotate.rules import BAD_CHOICE
from anaphor.meta.judgements import Judged

_COLUMNS = ("system", "id", "judgement", "category", "annotator")
_GAPS = ("system", "id", "candidate", "choices")


def write_judgements(connection: Connection) -> bytes:
    """What every annotator said: for agreement, and for the metric beside people."""
    return tsv(_COLUMNS, _rows(judged_rows(connection)))


def write_final(connection: Connection) -> bytes:
    """What counts: decisions of leads where there are any, else what annotators said."""
    return tsv(_COLUMNS, _rows(final_rows(connection)))


def write_gaps(connection: Connection) -> bytes:
    """For every system and pronoun its word, and the choices of everybody; a decision counts alone.

    Choices of several people are joined; a gap is bad where everybody says so.
    """
    require_mode(connection, Mode.GAPS)
    decided = last_decisions(connection)
    texts = read_all_texts(connection).systems
    units: dict[str, list[Gathered]] = {}
    for row in gather(connection):
        units.setdefault(row.unit, []).append(row)
    rows = []
    for unit, part in units.items():
        first = part[0]
        given = [decided[unit].answer.choices] if unit in decided else [row.answer.choices for row in part]
        choices = _joined(given)
        if choices:
            words = texts[first.systems[0]].words(first.targets[0].highlight.pronoun)
            cells = (first.systems[0], first.key, words or "-", ",".join(choices))
            rows.append(dict(zip(_GAPS, cells, strict=True)))
    return tsv(_GAPS, rows)


def _joined(given: Sequence[Sequence[str]]) -> list[str]:
    every = {choice for choices in given for choice in choices}
    return sorted(every - {BAD_CHOICE}) or sorted(every)


def _rows(judged: Iterable[Judged]) -> Iterator[Mapping[str, str]]:
    for one in judged:
        yield {
            "system": one.system,
            "id": one.id,
            "judgement": one.answer.value,
            "category": one.category or "",
            "annotator": one.annotator,
        }
