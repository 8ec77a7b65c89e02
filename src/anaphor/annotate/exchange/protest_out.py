"""A campaign as a PROTEST database, version 1.1: the suite as `anaphor suite export` writes it, and beside it
every system as a translation, with highlighted words, annotators, answers, chosen words, tags and tasks.

Row numbers are PROTEST's need. Ours are not among them: reading goes by examples, names and tokens.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count

from sqlalchemy import Connection, select

from anaphor.annotate import schema
from anaphor.annotate.campaign import campaign_suite, read_categories
from anaphor.annotate.conflicts import status_words
from anaphor.annotate.exchange.texts import Texts, read_all_texts
from anaphor.annotate.exchange.units import ShownUnit, shown_units
from anaphor.annotate.gathered import Gathered, gather
from anaphor.annotate.judged import require_mode
from anaphor.annotate.nouns import Mark, Mode, TokenAt
from anaphor.annotate.rules import warnings_of
from anaphor.annotate.store import Store
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

_LABELS = {Mark.YES: "ok", Mark.NO: "bad", Mark.UNSET: "unset"}
_SHARED = "IAA"


@dataclass(frozen=True, slots=True)
class _Campaign:
    """What is read once: units in order, all answers, and the numbers that rows of PROTEST go by."""

    units: tuple[ShownUnit, ...]
    answers: tuple[Gathered, ...]
    texts: Texts
    corpora: Mapping[str, int]
    examples: Mapping[str, int]
    categories: Mapping[str, int]
    candidates: Mapping[str, int]
    annotators: Mapping[str, int]


def write_protest_tables(store: Store) -> ProtestDatabase:
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
    units = tuple(shown_units(connection))
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
        answers=tuple(gather(connection)),
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


def _candidate(campaign: _Campaign, unit: ShownUnit) -> CandidateRow:
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
        for at in unit.asked.highlight.pronoun:
            yield TranslationRow(next(ids), target, example, None, at.segment, at.token)
        for number, head in enumerate(unit.asked.highlight.heads, start=1):
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
            status_words(warnings_of(row.asked, row.answer)),
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


def _index(texts: Texts, at: TokenAt) -> int:
    """How many equal tokens stand before this one in its line."""
    tokens = texts.source.tokens[at.segment]
    return tokens[: at.token].count(tokens[at.token])
