"""PROTEST databases, version 1.1: a campaign is exported as one, and answers are imported from one.

The import reads a master file or the batch of one annotator. Candidates are matched by the position of their
pronoun and the name of their translation, people by name. Row numbers only join tables of the same file: two
files number their rows independently, and PROTEST itself deleted rows of others when it matched by them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, count
from typing import Any, TypeAlias, TypeVar

from sqlalchemy import Connection, select

from anaphor.annotate.analysis.labels import require_mode
from anaphor.annotate.campaign.facts import campaign_suite, document_rows, read_categories
from anaphor.annotate.exchange.merge import IncomingAnswer
from anaphor.annotate.exchange.texts import CampaignText, CampaignTexts, UnitText, read_all_texts, unit_texts
from anaphor.annotate.judging.answer_rows import answer_rows
from anaphor.annotate.rules import conflicts, status_words
from anaphor.annotate.store import schema
from anaphor.annotate.types import AnnotatorAnswer, Mark, Mode, TokenAt
from anaphor.core import MismatchError, Where
from anaphor.corpus.protest_db import AnnotationRow, CandidateRow, ProtestDatabase, SentenceRow
from anaphor.suite.protest.writer import suite_tables

_K = TypeVar("_K")
_V = TypeVar("_V")

#: The id of the researcher, who is shown as MASTER and judges nothing.
_MASTER = -1
_MARKS = {"ok": Mark.YES, "bad": Mark.NO}
#: PROTEST has no "can't judge": there such an answer stays unset, with a tag or a remark that says why.
_LABELS = {Mark.YES: "ok", Mark.NO: "bad", Mark.UNCLEAR: "unset", Mark.UNSET: "unset"}
#: The name of the task that several people answer.
_SHARED = "IAA"


def read_protest_answers(
    database: ProtestDatabase, *, path: str, connection: Connection
) -> list[IncomingAnswer]:
    """The answers of all annotators of a file; those of the researcher are left out."""
    require_mode(connection, Mode.JUDGE)
    reader = _Reader(database, connection)
    return [
        reader.incoming(row, Where(f"{path} [annotations]", number))
        for number, row in enumerate(database.annotations, start=1)
        if row.annotator_id != _MASTER
    ]


class _Reader:
    """Finds the units and words of a campaign that the rows of a file are about."""

    def __init__(self, database: ProtestDatabase, connection: Connection) -> None:
        self._texts = read_all_texts(connection)
        self._units: dict[tuple[str, int, int], UnitText] = {}
        for unit in unit_texts(connection):
            at = unit.marks.pronoun[0]
            offset = _offset(self._texts.source.tokens(at.segment), at.token)
            self._units[unit.system, at.segment, offset] = unit
        self._candidates = {row.id: row for row in database.pro_candidates}
        self._lines = {(row.corpus, row.line): row.sentence.split(" ") for row in database.sentences}
        self._systems = {row.id: row.name for row in database.corpora if row.srctgt == 1}
        self._people = {row.id: row.name for row in database.annotators}
        self._words: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for token in database.token_annotations:
            if token.annotation == "ok":
                key = (token.candidate, token.annotator_id)
                self._words.setdefault(key, []).append((token.line, token.token))
        self._tags: dict[tuple[int, int], set[str]] = {}
        for tag in database.tag_annotations:
            if tag.tag.strip():
                self._tags.setdefault((tag.candidate, tag.annotator_id), set()).add(tag.tag.strip())

    def incoming(self, row: AnnotationRow, where: Where) -> IncomingAnswer:
        candidate = _known(self._candidates, row.candidate, "candidate", where)
        unit = self._unit(candidate, where)
        key = (row.candidate, row.annotator_id)
        words = {
            at
            for line, token in self._words.get(key, ())
            for at in self._tokens(candidate.tgtcorpus, line, token, self._texts.systems[unit.system], where)
        }
        answer = AnnotatorAnswer(
            antecedent=_MARKS.get(row.ant_annotation or "", Mark.UNSET),
            pronoun=_MARKS.get(row.anaph_annotation or "", Mark.UNSET),
            words=tuple(sorted(words)),
            tags=tuple(sorted(self._tags.get(key, ()))),
            remark=row.remarks or "",
        )
        person = _known(self._people, row.annotator_id, "annotator", where)
        return IncomingAnswer(unit=unit.unit, person=person, answer=answer, where=where)

    def _unit(self, candidate: CandidateRow, where: Where) -> UnitText:
        source, line = self._texts.source, candidate.line
        system = _known(self._systems, candidate.tgtcorpus, "translation", where)
        tokens = _known(self._lines, (candidate.srccorpus, line), "sentence", where)
        if line >= len(source.lines) or _solid(tokens) != _solid(source.tokens(line)):
            raise _mismatch(f"line {line + 1} of the source differs", where)
        found = self._units.get((system, line, _offset(tokens, candidate.srcpos)))
        if found is None:
            raise _mismatch(f"no example is about {candidate.srcpro!r:.40} of {system}", where)
        return found

    def _tokens(
        self, corpus: int, line: int, token: int, text: CampaignText, where: Where
    ) -> Iterator[TokenAt]:
        """Our tokens for one of theirs; the file may be tokenized differently."""
        tokens = _known(self._lines, (corpus, line), "sentence", where)
        same = line < len(text.lines) and _solid(tokens) == _solid(text.tokens(line))
        if not same or not 0 <= token < len(tokens):
            raise _mismatch(f"line {line + 1} of the translation differs", where)
        start = _offset(tokens, token)
        end = start + len(tokens[token])
        bounds = list(accumulate(map(len, text.tokens(line)), initial=0))
        for number in range(len(bounds) - 1):
            if bounds[number] < end and start < bounds[number + 1]:
                yield TokenAt(line, number)


def _known(table: Mapping[_K, _V], key: _K, kind: str, where: Where) -> _V:
    if key not in table:
        raise _mismatch(f"there is no {kind} {key}", where)
    return table[key]


def _offset(tokens: Sequence[str], position: int) -> int:
    return sum(map(len, tokens[:position]))


def _solid(tokens: Sequence[str]) -> str:
    return "".join("".join(tokens).split())


def _mismatch(what: str, where: Where) -> MismatchError:
    fix = "import it into the campaign of the same suite and candidates"
    return MismatchError(f"the file does not match this campaign: {what}", where=where, fix=fix)


_Tables: TypeAlias = dict[str, list[Any]]


def _add(tables: _Tables, table: str, *values: object) -> None:
    """Append a row whose id is the next number."""
    tables[table].append((len(tables[table]) + 1, *values))


def protest_tables(connection: Connection) -> Mapping[str, Iterable[Sequence[object]]]:
    """The rows of all tables by name; their columns are the fields of the rows of `protest_db`.

    Some are made while they are asked for, and those of the answers in the order of the tables.
    """
    base, examples = _suite_tables(connection)
    sentences = base.pop("sentences")
    own = {name: base.pop(name) for name in ("anaphor_items", "anaphor_texts")}
    tables: _Tables = {name: list(rows) for name, rows in base.items()}
    texts = read_all_texts(connection)
    corpora, candidates = _add_units(connection, tables, texts, examples)
    documents = document_rows(connection)
    sides = [
        (target - 1 + side, name, side, text)
        for name, target in corpora.items()
        for side, text in enumerate((texts.source, texts.systems[name]))
    ]
    for corpus, name, side, _ in sides:
        tables["corpora"].append((corpus, name, side))
        for row in documents:
            _add(tables, "documents", corpus, row.first, row.first + row.segments - 1)
    answers = _answers(connection, tables, candidates)
    translated = [(corpus, text) for corpus, _, _, text in sides]
    return {**tables, **own, "sentences": _sentences(sentences, translated), "annotations": answers}


def _sentences(
    before: Iterable[SentenceRow], sides: Iterable[tuple[int, CampaignText]]
) -> Iterator[tuple[object, ...]]:
    numbers = count(1)
    for row in before:
        yield (next(numbers), *row[1:])
    for corpus, text in sides:
        for line in range(len(text.lines)):
            yield (next(numbers), corpus, line, " ".join(text.tokens(line)))


def _suite_tables(connection: Connection) -> tuple[dict[str, Iterable[Any]], dict[str, int]]:
    """The tables of the suite, and the number of every example, which is its place in the suite."""
    loaded = campaign_suite(connection)
    items = connection.execute(select(schema.campaign.c.suite_items)).scalar_one()
    examples = {item.id: number for number, item in enumerate(loaded.suite.items, start=1)}
    return suite_tables(loaded, items=items), examples


def _add_units(
    connection: Connection, tables: _Tables, texts: CampaignTexts, examples: dict[str, int]
) -> tuple[dict[str, int], dict[str, int]]:
    """Add the categories, and the pronouns, antecedents and highlighted words of all units.

    Returns the corpus of every system and the candidate of every unit.
    """
    items = connection.execute(select(schema.items.c.suite_item).order_by(schema.items.c.place))
    for name in items.scalars():  # items that only a plan has come last
        examples.setdefault(name, len(examples) + 1)
    described = {row.description for row in tables["categories"]}
    categories = {name: number for number, name in enumerate(read_categories(connection), start=1)}
    tables["categories"] += [
        (number, name, 0) for name, number in categories.items() if name not in described
    ]

    def place(words: Sequence[TokenAt]) -> tuple[str, int, int]:
        """The text, the position of the first token, and how many equal tokens precede it in its line."""
        tokens = texts.source.tokens(words[0].segment)
        position = words[0].token
        return texts.source.words(words), position, tokens[:position].count(tokens[position])

    # A system is a corpus with its own copy of the source, which has the number before.
    last = max((row.id for row in tables["corpora"]), default=0)
    first = max((row.id for row in tables["pro_candidates"]), default=0) + 1
    corpora, candidates = dict[str, int](), dict[str, int]()
    for number, unit in enumerate(unit_texts(connection, texts=texts), start=first):
        target = corpora.setdefault(unit.system, last + 2 * (len(corpora) + 1))
        candidates[unit.unit] = number
        about = (target - 1, target, examples[unit.item])
        pronoun = (unit.marks.pronoun[0].segment, *place(unit.marks.pronoun))
        tables["pro_candidates"].append((number, *about, *pronoun, categories[unit.category], number))
        for antecedent, head in enumerate(unit.marks.heads, start=1):
            line, start = head[0]
            end = max(at.token for at in head if at.segment == line)
            _add(tables, "pro_antecedents", *about, antecedent, line, start, end, *place(head))
        highlight = unit.task.highlight
        for antecedent_no, words in ((None, highlight.pronoun), *enumerate(highlight.heads, start=1)):
            for at in words:
                _add(tables, "translations", *about[1:], antecedent_no, *at)
    return corpora, candidates


def _answers(
    connection: Connection, tables: _Tables, candidates: Mapping[str, int]
) -> Iterator[tuple[object, ...]]:
    """Put all answers in place of those of the suite; task 1 is what several people answer, then one each.

    The rows of `annotations` are made as they are asked for, and with them those of the tables after it.
    """
    who, given = schema.people, schema.assignments
    names = connection.execute(select(who.c.name).where(who.c.role == "annotator").order_by(who.c.name))
    annotators = {name: number for number, name in enumerate(names.scalars(), start=1)}
    overlap = select(given.c.unit).distinct().where(given.c.overlap, given.c.status != "new")
    shared = set(connection.execute(overlap).scalars()) & candidates.keys()
    tables |= {
        "annotators": [(number, name) for name, number in annotators.items()],
        "token_annotations": [],
        "tag_annotations": [],
        "annotation_tasks": [(1, number) for number in sorted(candidates[unit] for unit in shared)],
        "task_definition": [(1, 1, _SHARED)],
    }
    for number in annotators.values():
        _add(tables, "task_definition", 1, str(number))

    def annotations() -> Iterator[tuple[object, ...]]:
        for number, row in enumerate(answer_rows(connection), start=1):
            candidate, annotator, answer = candidates[row.unit], annotators[row.person], row.answer
            for at in answer.words:
                _add(tables, "token_annotations", candidate, *at, "ok", annotator)
            for tag in answer.tags:
                _add(tables, "tag_annotations", candidate, annotator, tag)
            if row.unit not in shared:
                tables["annotation_tasks"].append((annotator + 1, candidate))
            broken = conflicts(answer, row.task.highlight, asks_antecedent=row.task.asks_antecedent)
            marks = (_LABELS[answer.antecedent], _LABELS[answer.pronoun])
            yield (number, candidate, annotator, *marks, answer.remark, status_words(broken))

    return annotations()
