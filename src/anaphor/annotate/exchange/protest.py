"""Answers out of a PROTEST database: a master file, or the batch of one annotator.

Candidates are matched by the place of their pronoun in the source and by the name of their translation,
people by name, words by their place in the translation. Row numbers only join tables of the same file: two
files number their rows independently, and PROTEST itself once deleted other people's rows by them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, count
from typing import TypeVar

from sqlalchemy import Connection, select

from anaphor.annotate.analysis.labels import require_mode
from anaphor.annotate.campaign.facts import campaign_suite, read_categories
from anaphor.annotate.exchange.merge import IncomingAnswer
from anaphor.annotate.exchange.texts import CampaignText, CampaignTexts, UnitText, read_all_texts, unit_texts
from anaphor.annotate.judging.answer_rows import AnswerRow, answer_rows
from anaphor.annotate.rules import status_words, warnings_of
from anaphor.annotate.store import schema
from anaphor.annotate.store.database import Store
from anaphor.annotate.types import AnnotatorAnswer, Mark, Mode, TokenAt
from anaphor.core import MismatchError, Where
from anaphor.corpus.protest_db import (
    AnnotationRow,
    AnnotationTaskRow,
    AnnotatorRow,
    AntecedentRow,
    CandidateRow,
    CategoryRow,
    CorpusRow,
    DocumentRow,
    ProtestDatabase,
    SentenceRow,
    TagAnnotationRow,
    TaskDefinitionRow,
    TokenAnnotationRow,
    TranslationRow,
)
from anaphor.suite import to_protest

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


def read_protest_answers(
    database: ProtestDatabase, *, path: str, connection: Connection
) -> list[IncomingAnswer]:
    """The answers of all annotators of a file; those of the researcher are left out."""
    require_mode(connection, Mode.JUDGE)
    texts = read_all_texts(connection)
    units: dict[tuple[str, int, int], UnitText] = {}
    for unit in unit_texts(connection):
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
    units: Mapping[tuple[str, int, int], UnitText],
    source: CampaignText,
    where: Where,
) -> UnitText:
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
    unit: UnitText,
    tables: _Tables,
    systems: Mapping[str, CampaignText],
    where: Where,
) -> IncomingAnswer:
    key = (row.candidate, row.annotator_id)
    words = tuple(
        sorted(
            at
            for line, token in tables.words.get(key, ())
            for at in _word(candidate, line, token, tables, systems[unit.system], where)
        )
    )
    answer = AnnotatorAnswer(
        antecedent=_MARKS.get(row.ant_annotation or "", Mark.UNSET),
        pronoun=_MARKS.get(row.anaph_annotation or "", Mark.UNSET),
        words=tuple(dict.fromkeys(words)),
        tags=tuple(sorted({tag.strip() for tag in tables.tags.get(key, ()) if tag.strip()})),
        remark=row.remarks or "",
    )
    person = _known(tables.people, row.annotator_id, "annotator", where)
    return IncomingAnswer(unit=unit.unit, person=person, answer=answer, where=where)


def _word(
    candidate: CandidateRow, line: int, token: int, tables: _Tables, side: CampaignText, where: Where
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


_LABELS = {Mark.YES: "ok", Mark.NO: "bad", Mark.UNSET: "unset"}
_SHARED = "IAA"


@dataclass(frozen=True, slots=True)
class _Campaign:
    """What is read once: units in order, all answers, and the numbers that rows of PROTEST go by."""

    units: tuple[UnitText, ...]
    answers: tuple[AnswerRow, ...]
    texts: CampaignTexts
    corpora: Mapping[str, int]
    examples: Mapping[str, int]
    categories: Mapping[str, int]
    candidates: Mapping[str, int]
    annotators: Mapping[str, int]


def protest_tables(store: Store) -> ProtestDatabase:
    """All tables of a campaign."""
    base = to_protest(campaign_suite(store))
    with store.read() as connection:
        require_mode(connection, Mode.JUDGE)
        campaign = _read(connection, base)
        spans = [
            (row.first, row.first + row.segments - 1)
            for row in connection.execute(select(schema.documents).order_by(schema.documents.c.first))
        ]
    known = {row.description for row in base.categories}
    return base._replace(
        corpora=(*base.corpora, *_corpora(campaign)),
        sentences=(*base.sentences, *_sentences(campaign, len(base.sentences))),
        documents=(*base.documents, *_documents(campaign, spans, len(base.documents))),
        categories=(
            *base.categories,
            *(CategoryRow(no, name, 0) for name, no in campaign.categories.items() if name not in known),
        ),
        pro_candidates=(*base.pro_candidates, *(_candidate(campaign, unit) for unit in campaign.units)),
        pro_antecedents=(*base.pro_antecedents, *_antecedents(campaign, len(base.pro_antecedents))),
        translations=(*base.translations, *_translations(campaign, len(base.translations))),
        annotators=tuple(AnnotatorRow(no, name) for name, no in campaign.annotators.items()),
        annotations=tuple(_annotations(campaign)),
        token_annotations=tuple(_tokens(campaign)),
        tag_annotations=tuple(_tags(campaign)),
        annotation_tasks=tuple(_tasks(campaign)),
        task_definition=tuple(_definitions(campaign)),
    )


def _read(connection: Connection, base: ProtestDatabase) -> _Campaign:
    units = tuple(unit_texts(connection))
    systems = dict.fromkeys(unit.system for unit in units)
    first = max((row.id for row in base.corpora), default=0)
    items = connection.execute(select(schema.items.c.suite_item).order_by(schema.items.c.place)).scalars()
    in_suite = {row.example_no: row.record for row in base.anaphor_items}
    numbers = _numbers(in_suite, list(items))
    last = max((row.id for row in base.pro_candidates), default=0)
    people = connection.execute(
        select(schema.people.c.name).where(schema.people.c.role == "annotator").order_by(schema.people.c.name)
    ).scalars()
    return _Campaign(
        units=units,
        answers=tuple(answer_rows(connection)),
        texts=read_all_texts(connection),
        corpora={name: first + 2 * at for at, name in enumerate(systems, start=1)},
        examples=numbers,
        categories={name: at for at, name in enumerate(read_categories(connection), start=1)},
        candidates={unit.unit: last + at for at, unit in enumerate(units, start=1)},
        annotators={name: at for at, name in enumerate(people, start=1)},
    )


def _numbers(in_suite: Mapping[int, str], items: Sequence[str]) -> dict[str, int]:
    """The number of every example: its place in the suite, and behind them those that only a plan has."""
    known = {json.loads(record)["id"]: number for number, record in in_suite.items()}
    fresh = count(len(known) + 1)
    return {name: known[name] if name in known else next(fresh) for name in items}


def _corpora(campaign: _Campaign) -> Iterator[CorpusRow]:
    for name, target in campaign.corpora.items():
        yield CorpusRow(target - 1, name, 0)
        yield CorpusRow(target, name, 1)


def _sentences(campaign: _Campaign, before: int) -> Iterator[SentenceRow]:
    ids = count(before + 1)
    for name, target in campaign.corpora.items():
        for corpus, side in ((target - 1, campaign.texts.source), (target, campaign.texts.systems[name])):
            for line, tokens in enumerate(side.tokens):
                yield SentenceRow(next(ids), corpus, line, " ".join(tokens))


def _documents(campaign: _Campaign, spans: Sequence[tuple[int, int]], before: int) -> Iterator[DocumentRow]:
    ids = count(before + 1)
    for target in campaign.corpora.values():
        for corpus in (target - 1, target):
            for start, end in spans:
                yield DocumentRow(next(ids), corpus, start, end)


def _candidate(campaign: _Campaign, unit: UnitText) -> CandidateRow:
    at = unit.marks.pronoun[0]
    target = campaign.corpora[unit.system]
    number = campaign.candidates[unit.unit]
    return CandidateRow(
        number,
        target - 1,
        target,
        campaign.examples[unit.item],
        at.segment,
        campaign.texts.source.words(unit.marks.pronoun),
        at.token,
        _index(campaign.texts, at),
        campaign.categories[unit.category],
        number,
    )


def _antecedents(campaign: _Campaign, before: int) -> Iterator[AntecedentRow]:
    ids = count(before + 1)
    for unit in campaign.units:
        target = campaign.corpora[unit.system]
        for number, head in enumerate(unit.marks.heads, start=1):
            at = head[0]
            last = max(one.token for one in head if one.segment == at.segment)
            words = campaign.texts.source.words(head)
            place = (at.segment, at.token, last, words, at.token, _index(campaign.texts, at))
            yield AntecedentRow(next(ids), target - 1, target, campaign.examples[unit.item], number, *place)


def _translations(campaign: _Campaign, before: int) -> Iterator[TranslationRow]:
    ids = count(before + 1)
    for unit in campaign.units:
        target, example = campaign.corpora[unit.system], campaign.examples[unit.item]
        for at in unit.task.highlight.pronoun:
            yield TranslationRow(next(ids), target, example, None, at.segment, at.token)
        for number, head in enumerate(unit.task.highlight.heads, start=1):
            for at in head:
                yield TranslationRow(next(ids), target, example, number, at.segment, at.token)


def _annotations(campaign: _Campaign) -> Iterator[AnnotationRow]:
    for number, row in enumerate(campaign.answers, start=1):
        yield AnnotationRow(
            number,
            campaign.candidates[row.unit],
            campaign.annotators[row.person],
            _LABELS[row.answer.antecedent],
            _LABELS[row.answer.pronoun],
            row.answer.remark,
            status_words(warnings_of(row.task, row.answer)),
        )


def _tokens(campaign: _Campaign) -> Iterator[TokenAnnotationRow]:
    ids = count(1)
    for row in campaign.answers:
        key = campaign.candidates[row.unit], campaign.annotators[row.person]
        for at in row.answer.words:
            yield TokenAnnotationRow(next(ids), key[0], at.segment, at.token, "ok", key[1])


def _tags(campaign: _Campaign) -> Iterator[TagAnnotationRow]:
    ids = count(1)
    for row in campaign.answers:
        for tag in row.answer.tags:
            key = campaign.candidates[row.unit], campaign.annotators[row.person]
            yield TagAnnotationRow(next(ids), *key, tag)


def _tasks(campaign: _Campaign) -> Iterator[AnnotationTaskRow]:
    """What several people answer is task 1, as PROTEST's IAA; the task of each person follows."""
    shared = {row.unit for row in campaign.answers if row.overlap}
    for unit in sorted(shared, key=lambda unit: campaign.candidates[unit]):
        yield AnnotationTaskRow(1, campaign.candidates[unit])
    for row in campaign.answers:
        if row.unit not in shared:
            yield AnnotationTaskRow(campaign.annotators[row.person] + 1, campaign.candidates[row.unit])


def _definitions(campaign: _Campaign) -> Iterator[TaskDefinitionRow]:
    yield TaskDefinitionRow(1, 1, _SHARED)
    for number in campaign.annotators.values():
        yield TaskDefinitionRow(number + 1, 1, str(number))


def _index(texts: CampaignTexts, at: TokenAt) -> int:
    """How many equal tokens stand before this one in its line."""
    tokens = texts.source.tokens[at.segment]
    return tokens[: at.token].count(tokens[at.token])
