"""PROTEST databases, version 1.1: export of a campaign, and import of answers.

The import reads a master file or the batch of one annotator. Candidates are matched by the position of their
pronoun and the name of their translation, people by name. Row numbers are only used to join tables of the
same file: two files number their rows independently, and PROTEST itself deleted other rows when it matched by
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, count, repeat
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import Connection, select

from anaphor.annotate.campaign.facts import (
    REFERENCE,
    SOURCE,
    document_rows,
    read_categories,
    require_mode,
    stored_suite,
)
from anaphor.annotate.exchange.merge import IncomingAnswer
from anaphor.annotate.exchange.texts import (
    CampaignText,
    CampaignTexts,
    UnitText,
    read_all_texts,
    read_text,
    unit_texts,
)
from anaphor.annotate.judging.answer_rows import stored_answer, stored_answers
from anaphor.annotate.rules import AnswerTask, conflicts, status_words
from anaphor.annotate.store import schema
from anaphor.annotate.types import AnnotatorAnswer, Mark, Mode, TokenAt
from anaphor.core import Item, MismatchError, Suite, Where
from anaphor.suite.protest.database import (
    AnnotationRow,
    CandidateRow,
    ProtestDatabase,
    ProtestFile,
    new_protest,
)
from anaphor.suite.protest.writer import suite_tables

_K = TypeVar("_K")
_V = TypeVar("_V")

#: The id of the researcher, who is shown as MASTER and judges nothing.
_MASTER = -1
_MARKS = {"ok": Mark.YES, "bad": Mark.NO}
#: PROTEST has no "can't judge": there such an answer is unset, with a tag of ours that says which it was.
_UNCLEAR = {"cannot_judge_antecedent": "antecedent", "cannot_judge_pronoun": "pronoun"}
_LABELS = {Mark.YES: "ok", Mark.NO: "bad", Mark.UNCLEAR: "unset", Mark.UNSET: "unset"}
#: The name of the task that several people answer.
_SHARED = "IAA"


def read_protest_answers(
    database: ProtestDatabase, *, path: str, connection: Connection
) -> list[IncomingAnswer]:
    """The answers of all annotators of a file, except those of the researcher."""
    require_mode(connection, Mode.JUDGE)
    reader = _DatabaseReader(database, connection)
    return [
        reader.incoming(row, Where(f"{path} [annotations]", number))
        for number, row in enumerate(database.annotations, start=1)
        if row.annotator_id != _MASTER
    ]


class _DatabaseReader:
    """Finds the units and words of a campaign that rows of a file refer to."""

    def __init__(self, database: ProtestDatabase, connection: Connection) -> None:
        self._texts = read_all_texts(connection)
        self._units: dict[tuple[str, int, int], UnitText] = {}
        for unit in unit_texts(connection):
            at = unit.marks.pronoun[0]
            offset = _offset(self._texts.source.tokens[at.segment], at.token)
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
        tags = self._tags.get(key, set())
        marks: dict[str, Any] = {
            "antecedent": _MARKS.get(row.ant_annotation or "", Mark.UNSET),
            "pronoun": _MARKS.get(row.anaph_annotation or "", Mark.UNSET),
        }
        for tag in tags & _UNCLEAR.keys():
            marks[_UNCLEAR[tag]] = Mark.UNCLEAR
        # PROTEST knows no correction of a frame: words outside the frames are one.
        framed = unit.task.highlight
        outside = words - set(framed.words)
        rendering = tuple(sorted(outside | (words & set(framed.pronoun)))) if outside else None
        answer = AnnotatorAnswer(
            antecedent=marks["antecedent"],
            pronoun=marks["pronoun"],
            words=tuple(sorted(words - outside - (set(framed.pronoun) if outside else set()))),
            rendering=rendering,
            tags=tuple(sorted(tags - _UNCLEAR.keys())),
            remark=row.remarks or "",
        )
        person = _known(self._people, row.annotator_id, "annotator", where)
        return IncomingAnswer(unit=unit.unit, person=person, answer=answer, where=where)

    def _unit(self, candidate: CandidateRow, where: Where) -> UnitText:
        source, line = self._texts.source, candidate.line
        system = _known(self._systems, candidate.tgtcorpus, "translation", where)
        tokens = _known(self._lines, (candidate.srccorpus, line), "sentence", where)
        if line >= len(source.lines) or _solid(tokens) != _solid(source.tokens[line]):
            raise _mismatch(f"line {line + 1} of the source differs", where)
        unit = self._units.get((system, line, _offset(tokens, candidate.srcpos)))
        if unit is None:
            raise _mismatch(f"no example is about {candidate.srcpro!r:.40} of {system}", where)
        return unit

    def _tokens(
        self, corpus: int, line: int, token: int, text: CampaignText, where: Where
    ) -> Iterator[TokenAt]:
        """Our tokens for one of theirs, since the file may be tokenized differently."""
        tokens = _known(self._lines, (corpus, line), "sentence", where)
        same = line < len(text.lines) and _solid(tokens) == _solid(text.tokens[line])
        if not same or not 0 <= token < len(tokens):
            raise _mismatch(f"line {line + 1} of the translation differs", where)
        start = _offset(tokens, token)
        end = start + len(tokens[token])
        bounds = list(accumulate(map(len, text.tokens[line]), initial=0))
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


def write_protest(path: Path, connection: Connection) -> None:
    """The campaign as a database: the suite, every system as a translation of it, and all answers."""
    with new_protest(path) as file:
        texts = read_all_texts(connection)
        suite, tables, examples = _suite_tables(connection, texts)
        for name, rows in tables:
            file.extend(name, rows)
        described = {category.name for category in suite.categories}
        categories = {name: number for number, name in enumerate(read_categories(connection), start=1)}
        new = [(number, name, 0) for name, number in categories.items() if name not in described]
        file.extend("categories", new)
        corpora = _add_units(connection, file, texts, examples, categories)
        _add_translations(connection, file, texts, corpora, copied=1 if suite.references() else 0)


def _add_translations(
    connection: Connection,
    file: ProtestFile,
    texts: CampaignTexts,
    corpora: Mapping[str, int],
    *,
    copied: int,
) -> None:
    """Add every system with its copy of the source; `copied` is a corpus that has the source, 0 for none."""
    documents = document_rows(connection)
    for name, target in corpora.items():
        for corpus, side, text in ((target - 1, 0, texts.source), (target, 1, texts.systems[name])):
            file.extend("corpora", [(corpus, name, side)])
            for row in documents:
                file.add("documents", corpus, row.first, row.first + row.segments - 1)
            if side == 0 and copied:
                file.copy_sentences(of=copied, to=corpus)
                continue
            numbers, lines = count(file.rows["sentences"] + 1), map(" ".join, text.tokens)
            file.extend("sentences", zip(numbers, repeat(corpus), count(), lines, strict=False))
            copied = copied or corpus  # the first one has the source


def _suite_tables(
    connection: Connection, texts: CampaignTexts
) -> tuple[Suite, Iterator[tuple[str, Iterable[Any]]], dict[str, int]]:
    """The suite, its tables, and the number of every example, which is its position in the suite.

    It uses the tokens of the campaign. The numbers are known once the tables have been read.
    """
    sides = {(SOURCE, ""): texts.source}

    def lines_of(connection: Connection, side: str, name: str) -> Sequence[str]:
        if (side, name) not in sides:
            sides[side, name] = read_text(connection, side, name)
        return sides[side, name].lines

    loaded, items, records = stored_suite(connection, lines_of=lines_of)
    tokens = {name: sides[REFERENCE, name].tokens for name in loaded.suite.references()}
    tokens[SOURCE] = texts.source.tokens
    examples: dict[str, int] = {}

    def numbered() -> Iterator[Item]:
        for item in items:
            examples[item.id] = len(examples) + 1
            yield item

    tables = suite_tables(loaded, items=numbered(), records=records, tokens=tokens)
    return loaded.suite, tables, examples


def _add_units(
    connection: Connection,
    file: ProtestFile,
    texts: CampaignTexts,
    examples: dict[str, int],
    categories: Mapping[str, int],
) -> dict[str, int]:
    """Add the pronouns, antecedents and highlighted words of all units, with their answers.

    Return the corpus of every system.
    """
    items = connection.execute(select(schema.items.c.suite_item).order_by(schema.items.c.place))
    for name in items.scalars():  # items that only a plan has come last
        examples.setdefault(name, len(examples) + 1)

    def place(words: Sequence[TokenAt]) -> tuple[str, int, int]:
        """The text, the position of the first token, and how many equal tokens precede it in its line."""
        segment, position = words[0]
        tokens = texts.source.tokens[segment]
        first = tokens[position]
        text = first if len(words) == 1 else texts.source.words(words)
        return text, position, tokens[:position].count(first)

    # A system is a corpus with its own copy of the source, which has the number before.
    last, corpora, answers = file.rows["corpora"], dict[str, int](), _AnswerWriter(connection, file)
    # A unit's answers are written with it: what is known of all units would have to be kept for them.
    for unit in unit_texts(connection, texts=texts):
        target = corpora.setdefault(unit.system, last + 2 * (len(corpora) + 1))
        about = (target - 1, target, examples[unit.item])
        pronoun = (unit.marks.pronoun[0].segment, *place(unit.marks.pronoun))
        number = file.rows["pro_candidates"] + 1
        file.add("pro_candidates", *about, *pronoun, categories[unit.category], number)
        for antecedent, head in enumerate(unit.marks.heads, start=1):
            line, start = head[0]
            end = max(at.token for at in head if at.segment == line)
            file.add("pro_antecedents", *about, antecedent, line, start, end, *place(head))
        highlight = unit.task.highlight
        for antecedent_no, words in ((None, highlight.pronoun), *enumerate(highlight.heads, start=1)):
            for at in words:
                file.add("translations", *about[1:], antecedent_no, *at)
        answers.add(unit.unit, unit.task, number)
    answers.close()
    return corpora


class _WrittenAnswer(NamedTuple):
    """An answer in PROTEST's form; `columns` are the last ones of `AnnotationRow`."""

    words: tuple[TokenAt, ...]
    tags: tuple[str, ...]
    columns: tuple[str, str, str, str]


def _written(answer: AnnotatorAnswer, status: str) -> _WrittenAnswer:
    unclear = (tag for tag, name in _UNCLEAR.items() if getattr(answer, name) is Mark.UNCLEAR)
    return _WrittenAnswer(
        tuple(sorted({*answer.words, *(answer.rendering or ())})),
        (*answer.tags, *unclear),
        (_LABELS[answer.antecedent], _LABELS[answer.pronoun], answer.remark, status),
    )


class _AnswerWriter:
    """Adds the answers to units; task 1 holds units given to several people, the others one person's."""

    def __init__(self, connection: Connection, file: ProtestFile) -> None:
        who = schema.people
        people = connection.execute(select(who.c.name).where(who.c.role == "annotator")).scalars()
        self._file = file
        self._annotators = {name: file.add("annotators", name) for name in sorted(people)}
        file.add("task_definition", 1, _SHARED)
        for number in self._annotators.values():
            file.add("task_definition", 1, str(number))
        self._answers = stored_answers(connection)
        self._tasks: list[tuple[int, int]] = []
        self._written: dict[tuple[str, bool, bool, bool], _WrittenAnswer] = {}

    def add(self, unit: str, task: AnswerTask, candidate: int) -> None:
        file, highlight, asks = self._file, task.highlight, task.asks_antecedent
        to_choose = bool(highlight.pronoun), any(highlight.heads)
        answers = self._answers.get(unit, ())
        shared = any(overlap for _, _, overlap in answers)
        if shared:
            self._tasks.append((1, candidate))
        for person, content, _ in answers:
            annotator = self._annotators[person]
            # Where no words are chosen, the rules ask only whether there are any: few cases, much used.
            case = (content, *to_choose, asks)
            written = self._written.get(case)
            if written is None:
                answer = stored_answer(content)
                written = _written(answer, status_words(conflicts(answer, highlight, asks_antecedent=asks)))
                if not written.words:
                    self._written[case] = written
            for at in written.words:
                file.add("token_annotations", candidate, *at, "ok", annotator)
            for tag in written.tags:
                file.add("tag_annotations", candidate, annotator, tag)
            if not shared:
                self._tasks.append((annotator + 1, candidate))
            file.add("annotations", candidate, annotator, *written.columns)

    def close(self) -> None:
        """Add the tasks."""
        self._file.extend("annotation_tasks", self._tasks)
