"""Answers out of a PROTEST database: a master file, or the batch of one annotator.

Candidates are matched by the place of their pronoun in the source and by the name of their translation,
people by name, words by their place in the translation. Row numbers only join tables of the same file: two
files number their rows independently, and PROTEST itself once deleted other people's rows by them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeVar

from sqlalchemy import Connection

from anaphor.annotate.exchange.texts import Side, read_all_texts
from anaphor.annotate.exchange.units import ShownUnit, shown_units
from anaphor.annotate.judged import require_mode
from anaphor.annotate.merging import Incoming
from anaphor.annotate.nouns import Answer, Mark, Mode, TokenAt
from anaphor.core import MismatchError, Where
from anaphor.corpus.protest_db import AnnotationRow, CandidateRow, ProtestDatabase

K = TypeVar("K")
V = TypeVar("V")

#: The researcher, who is shown as MASTER and judges nothing.
_MASTER = -1
_MARKS = {"ok": Mark.YES, "bad": Mark.NO}


@dataclass(frozen=True, slots=True)
class _Tables:
    """The tables of a file by what they are looked up with."""

    lines: Mapping[tuple[int, int], Sequence[str]]
    systems: Mapping[int, str]
    people: Mapping[int, str]
    words: Mapping[tuple[int, int], Sequence[tuple[int, int]]]
    tags: Mapping[tuple[int, int], Sequence[str]]

    @classmethod
    def of(cls, database: ProtestDatabase) -> _Tables:
        words: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for token in database.token_annotations:
            if token.annotation == "ok":
                words.setdefault((token.candidate, token.annotator_id), []).append((token.line, token.token))
        tags: dict[tuple[int, int], list[str]] = {}
        for tag in database.tag_annotations:
            tags.setdefault((tag.candidate, tag.annotator_id), []).append(tag.tag)
        return cls(
            {(row.corpus, row.line): row.sentence.split(" ") for row in database.sentences},
            {row.id: row.name for row in database.corpora if row.srctgt == 1},
            {row.id: row.name for row in database.annotators},
            words,
            tags,
        )


def read_protest_answers(database: ProtestDatabase, *, path: str, connection: Connection) -> list[Incoming]:
    """The answers of all annotators of a file; those of the researcher are left out."""
    require_mode(connection, Mode.JUDGE)
    texts = read_all_texts(connection)
    units: dict[tuple[str, int, int], ShownUnit] = {}
    for unit in shown_units(connection):
        at = unit.marks.pronoun[0]
        units[unit.system, at.segment, _offset(texts.source.tokens[at.segment], at.token)] = unit
    tables = _Tables.of(database)
    candidates = {row.id: row for row in database.pro_candidates}
    found = []
    for number, row in enumerate(database.annotations, start=1):
        where = Where(f"{path} [annotations]", number)
        if row.annotator_id != _MASTER:
            candidate = _known(candidates, row.candidate, "candidate", where)
            unit = _unit(candidate, tables, units, texts.source, where)
            found.append(_incoming(row, candidate, unit, tables, texts.systems, where))
    return found


def _unit(
    candidate: CandidateRow,
    tables: _Tables,
    units: Mapping[tuple[str, int, int], ShownUnit],
    source: Side,
    where: Where,
) -> ShownUnit:
    system = _known(tables.systems, candidate.tgtcorpus, "translation", where)
    tokens = _known(tables.lines, (candidate.srccorpus, candidate.line), "sentence", where)
    if candidate.line >= len(source.lines) or _solid(tokens) != _solid(source.tokens[candidate.line]):
        raise _mismatch(f"line {candidate.line + 1} of the source is another one here", where)
    place = (system, candidate.line, _offset(tokens, candidate.srcpos))
    if place not in units:
        raise _mismatch(f"no example is about {candidate.srcpro!r:.40} of {system}", where)
    return units[place]


def _incoming(
    row: AnnotationRow,
    candidate: CandidateRow,
    unit: ShownUnit,
    tables: _Tables,
    systems: Mapping[str, Side],
    where: Where,
) -> Incoming:
    key = (row.candidate, row.annotator_id)
    words = tuple(
        sorted(
            at
            for line, token in tables.words.get(key, ())
            for at in _word(candidate, line, token, tables, systems[unit.system], where)
        )
    )
    answer = Answer(
        antecedent=_MARKS.get(row.ant_annotation or "", Mark.UNSET),
        pronoun=_MARKS.get(row.anaph_annotation or "", Mark.UNSET),
        words=tuple(dict.fromkeys(words)),
        tags=tuple(sorted({tag.strip() for tag in tables.tags.get(key, ()) if tag.strip()})),
        remark=row.remarks or "",
    )
    person = _known(tables.people, row.annotator_id, "annotator", where)
    return Incoming(unit=unit.unit, person=person, answer=answer, where=where)


def _word(
    candidate: CandidateRow, line: int, token: int, tables: _Tables, side: Side, where: Where
) -> Iterator[TokenAt]:
    """Our tokens for one of theirs, which may be cut in another way."""
    tokens = _known(tables.lines, (candidate.tgtcorpus, line), "sentence", where)
    if line >= len(side.lines) or _solid(tokens) != _solid(side.tokens[line]) or token >= len(tokens):
        raise _mismatch(f"line {line + 1} of the translation is another one here", where)
    start = _offset(tokens, token)
    end = start + len(tokens[token])
    bounds = list(accumulate(map(len, side.tokens[line]), initial=0))
    for number in range(len(bounds) - 1):
        if bounds[number] < end and start < bounds[number + 1]:
            yield TokenAt(line, number)


def _known(table: Mapping[K, V], key: K, kind: str, where: Where) -> V:
    if key not in table:
        raise _mismatch(f"there is no {kind} {key}", where)
    return table[key]


def _offset(tokens: Sequence[str], position: int) -> int:
    return sum(map(len, tokens[:position]))


def _solid(tokens: Sequence[str]) -> str:
    return "".join("".join(tokens).split())


def _mismatch(what: str, where: Where) -> MismatchError:
    return MismatchError(
        f"the file is not about this campaign: {what}",
        where=where,
        fix="import it into the campaign of the same suite and candidates",
    )
