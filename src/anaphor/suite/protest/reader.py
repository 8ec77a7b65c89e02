"""A suite from a PROTEST database: exactly what was exported, or what PROTEST's own tables contain.

A database that anaphor exported has the suite in the tables `anaphor_*`, and the others must still agree with
it. Other databases have tokenized lines, which become the documents of the suite. In both, translations that
annotators approved become alternatives of their items.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from anaphor.core import (
    Alternative,
    Antecedent,
    Category,
    InputError,
    Item,
    LanguagePair,
    MismatchError,
    OptionError,
    Place,
    ReferencePair,
    Span,
    Suite,
    SuiteDocument,
    UnknownNameError,
)
from anaphor.corpus import Text
from anaphor.corpus.protest_db import (
    AnnotationRow,
    AntecedentRow,
    CandidateRow,
    ProtestDatabase,
)
from anaphor.suite.folder import LoadedSuite, suite_digest
from anaphor.suite.format import parse_header, with_items
from anaphor.suite.protest.writer import to_protest
from anaphor.suite.texts import SOURCE, SuiteTexts, check_places, check_texts

#: Tables whose rows follow from the suite. They may gain rows: those of systems that are judged.
_DECIDED = (
    *("corpora", "sentences", "documents", "categories"),
    *("pro_candidates", "pro_antecedents", "translations"),
)


def from_protest(database: ProtestDatabase, naming: ProtestMetadata, *, path: str | Path) -> LoadedSuite:
    """The suite of a database; `naming` adds what PROTEST's tables lack (our own lack nothing)."""
    name = str(path)
    own = bool(database.anaphor_suite)
    loaded = _own(database, name) if own else suite_from_tables(database, naming, path=name)
    references = {row.id for row in database.corpora if row.name in loaded.suite.references()}
    found = approved_translations(database, references=references)
    numbers = {row.example_no for row in database.pro_candidates if row.tgtcorpus in references}
    ordered = range(1, len(loaded.suite.items) + 1) if own else sorted(numbers)
    items = tuple(
        replace(item, alternatives=tuple(dict.fromkeys((*item.alternatives, *found.get(number, ())))))
        for number, item in zip(ordered, loaded.suite.items, strict=True)
    )
    return loaded._replace(suite=replace(loaded.suite, items=items))


def _own(database: ProtestDatabase, path: str) -> LoadedSuite:
    header = parse_header(Text.of(database.anaphor_suite[0].header.split("\n"), path=f"{path} [suite.toml]"))
    lines = [row.record for row in sorted(database.anaphor_items)]
    suite = with_items(header.suite, Text.of(lines, path=f"{path} [items.jsonl]"))
    rows = {(row.side, row.document): row.content for row in database.anaphor_texts}

    def side(name: str) -> dict[str, Text]:
        """The documents of a side that are there, in the order of the suite."""
        return {
            one.id: Text.of(rows[name, one.id].split("\n"), path=f"{path} [{name}/{one.id}]")
            for one in suite.documents
            if (name, one.id) in rows
        }

    loaded = LoadedSuite(suite, SuiteTexts(side(SOURCE), {name: side(name) for name in suite.references()}))
    check_texts(suite, loaded.texts, items=f"{path} [items.jsonl]")
    made = to_protest(loaded)
    changed = [name for name in _DECIDED if not set(getattr(made, name)) <= set(getattr(database, name))]
    if changed or header.digest != suite_digest(suite):
        raise MismatchError(
            f"tables were changed since the suite was exported: {', '.join(changed) or 'anaphor_suite'}",
            where=path,
            fix="export the suite again, or change the suite itself and not its database",
        )
    return loaded


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtestMetadata:
    """What PROTEST's tables lack. `references` are names of corpora; none means the only one there is."""

    pair: LanguagePair | None = None
    name: str = "protest"
    version: str = "1"
    licence: str = "unknown"
    references: tuple[str, ...] = ()


def suite_from_tables(database: ProtestDatabase, naming: ProtestMetadata, *, path: str) -> LoadedSuite:
    """The examples of the references. Contradictory rows are an error."""
    if naming.pair is None:
        raise OptionError(
            "the file does not say which languages it is about",
            where="--pair",
            fix="name them, such as en-fr",
        )
    try:
        return _suite(database, _references(database, naming, path), naming, naming.pair, path)
    except LookupError as error:
        raise InputError(
            f"a row points at something that is not there: {error}",
            where=path,
            fix="correct the numbers in the tables of the file",
        ) from error


def _references(database: ProtestDatabase, naming: ProtestMetadata, path: str) -> dict[str, int]:
    """The numbers of the corpora that are references."""
    targets = {row.name: row.id for row in database.corpora if row.srctgt == 1}
    if not naming.references and len(targets) != 1:
        raise OptionError(
            f"the file has {len(targets)} translations: {', '.join(sorted(targets))}",
            where=path,
            fix="name the one that is the reference, or several, with --reference",
        )
    for name in naming.references:
        if name not in targets:
            raise UnknownNameError.among(name, targets, kind="translation", where=path)
    return {name: targets[name] for name in naming.references or targets}


def _suite(
    database: ProtestDatabase,
    references: Mapping[str, int],
    naming: ProtestMetadata,
    pair: LanguagePair,
    path: str,
) -> LoadedSuite:
    # One row for every example that a reference translates, in the order of their numbers.
    examples: dict[int, CandidateRow] = {}
    for row in sorted(database.pro_candidates, key=lambda row: (row.example_no, row.tgtcorpus)):
        if row.tgtcorpus in references.values():
            examples.setdefault(row.example_no, row)
    if not examples:
        raise InputError(
            "no example has a translation in the reference", where=path, fix="name another with --reference"
        )
    first = next(iter(examples.values()))
    source = _Corpus.of(database, first.srccorpus, documents=first.srccorpus)
    targets = {name: _Corpus.of(database, at, documents=first.srccorpus) for name, at in references.items()}
    texts = SuiteTexts(
        source.texts(f"{path} [source]"),
        {name: corpus.texts(f"{path} [{name}]") for name, corpus in targets.items()},
    )
    maker = _ItemMaker(database, references, source, targets)
    suite = Suite(
        naming.name,
        naming.version,
        pair,
        naming.licence,
        "",
        tuple(Category(one.description, one.antagreement == 1, "") for one in database.categories),
        tuple(
            SuiteDocument(
                name,
                len(text),
                text.digest,
                {ref: side[name].digest for ref, side in texts.references.items()},
            )
            for name, text in texts.source.items()
        ),
        tuple(maker.item(row) for row in examples.values()),
    )
    check_places(suite, texts, items=path)
    return LoadedSuite(suite, texts)


@dataclass(frozen=True, slots=True)
class _Corpus:
    """The lines of one corpus, and its documents as spans of lines."""

    lines: tuple[str, ...]
    documents: Mapping[str, Span]

    @classmethod
    def of(cls, database: ProtestDatabase, corpus: int, *, documents: int) -> _Corpus:
        found = {row.line: row.sentence for row in database.sentences if row.corpus == corpus}
        lines = tuple(found[number] for number in range(len(found)))
        rows = sorted((row.start, row.end + 1) for row in database.documents if row.corpus == documents)
        spans = {f"document-{number}": Span(*row) for number, row in enumerate(rows, start=1)}
        bounds = [0, *(end for _, end in rows)]
        if [start for start, _ in rows] != bounds[:-1] or bounds != sorted({*bounds, len(lines)}):
            raise IndexError(f"the documents of corpus {documents} do not follow each other to its last line")
        return cls(lines, spans)

    def texts(self, path: str) -> dict[str, Text]:
        return {
            name: Text.of(self.lines[span.start : span.end], path=f"{path} {name}")
            for name, span in self.documents.items()
        }

    def document_of(self, line: int) -> str:
        for name, span in self.documents.items():
            if span.start <= line < span.end:
                return name
        raise IndexError(f"line {line}")

    def place(self, tokens: Iterable[tuple[int, int]]) -> Place:
        """The characters of tokens in their document; adjacent tokens make one span."""
        spans: list[Span] = []
        for line, position in sorted(set(tokens)):
            first = self.documents[self.document_of(line)].start
            words = self.lines[line].split(" ")
            if not 0 <= position < len(words):
                raise IndexError(f"token {position} of line {line}")
            before = [*(len(one) for one in self.lines[first:line]), *map(len, words[:position])]
            start = sum(before) + len(before)
            end = start + len(words[position])
            if spans and spans[-1].end + 1 == start:
                start = spans.pop().start
            spans.append(Span(start, end))
        return tuple(spans)


class _ItemMaker:
    """Collects what several tables say of one example."""

    def __init__(
        self,
        database: ProtestDatabase,
        references: Mapping[str, int],
        source: _Corpus,
        targets: Mapping[str, _Corpus],
    ) -> None:
        self._references = references
        self._source = source
        self._targets = targets
        self._categories = {row.id: row.description for row in database.categories}
        self._translated = {(row.tgtcorpus, row.example_no) for row in database.pro_candidates}
        self._antecedents: dict[tuple[int, int], list[AntecedentRow]] = defaultdict(list)
        for row in sorted(database.pro_antecedents, key=lambda row: row.ant_no):
            self._antecedents[row.tgtcorpus, row.example_no].append(row)
        self._tokens: dict[tuple[int, int, int | None], list[tuple[int, int]]] = defaultdict(list)
        for token in database.translations:
            key = (token.tgtcorpus, token.example_no, token.ant_no)
            self._tokens[key].append((token.line, token.tgtpos))

    def item(self, row: CandidateRow) -> Item:
        rows = self._antecedents[row.tgtcorpus, row.example_no]
        place = self._source.place
        document, category = self._source.document_of(row.line), self._categories[row.category_no]
        pronoun = place([(row.line, row.srcpos)])
        antecedents = []
        for one in rows:
            first, last = (place([(one.line, at)]) for at in (one.srcstartpos, one.srcendpos))
            if first > last:
                raise IndexError(f"an antecedent from token {one.srcstartpos} to {one.srcendpos}")
            span = (Span(first[0].start, last[0].end),)
            antecedents.append(Antecedent(span, place([(one.line, one.srcheadpos)])))
        pairs = []
        for name, corpus in self._references.items():
            if (corpus, row.example_no) in self._translated:
                target = self._targets[name]
                heads = tuple(target.place(self._tokens[corpus, row.example_no, one.ant_no]) for one in rows)
                # The tokens of the pronoun are those without the number of an antecedent.
                translated = target.place(self._tokens[corpus, row.example_no, None])
                pairs.append(ReferencePair(name, translated, heads))
        return Item(
            f"example-{row.example_no}", document, category, pronoun, tuple(antecedents), tuple(pairs)
        )


_OK = "ok"
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def approved_translations(
    database: ProtestDatabase, *, references: set[int]
) -> dict[int, tuple[Alternative, ...]]:
    """By example, what is judged `ok` in translations that are not `references` (numbers of corpora).

    Annotators mark the tokens that make a translation right; a judgement without a marked pronoun gives no
    alternative. PROTEST stores no date of a judgement: it is that of the file, if it has one.
    """
    candidates = {row.id: row for row in database.pro_candidates}
    agreement = {row.id: row.antagreement == 1 for row in database.categories}
    marked = _MarkedWords(database)
    found: dict[int, dict[Alternative, None]] = defaultdict(dict)
    for judged in database.annotations:
        candidate = candidates.get(judged.candidate)
        if candidate is None or candidate.tgtcorpus in references:
            continue
        head_counts = agreement.get(candidate.category_no, False)
        if judged.anaph_annotation == _OK and (not head_counts or judged.ant_annotation == _OK):
            alternative = marked.alternative(judged, candidate, heads=head_counts)
            if alternative.pronoun and all(alternative.heads):
                found[candidate.example_no][alternative] = None
    return {number: tuple(alternatives) for number, alternatives in found.items()}


class _MarkedWords:
    """The tokens that annotators approved, separately for the pronoun and each head."""

    def __init__(self, database: ProtestDatabase) -> None:
        self._annotators = {row.id: row.name for row in database.annotators}
        dates = [_DATE.match(row.tag_value or "") for row in database.meta_data if row.tag == "time_created"]
        self._when = next((match[0] for match in dates if match), None)
        self._lines = {(row.corpus, row.line): row.sentence.split(" ") for row in database.sentences}
        self._heads = defaultdict(set)
        for antecedent in database.pro_antecedents:
            self._heads[antecedent.tgtcorpus, antecedent.example_no].add(antecedent.ant_no)
        self._parts: dict[tuple[int, int, int | None], set[tuple[int, int]]] = defaultdict(set)
        for row in database.translations:
            self._parts[row.tgtcorpus, row.example_no, row.ant_no].add((row.line, row.tgtpos))
        self._approved: dict[tuple[int, int], set[tuple[int, int]]] = defaultdict(set)
        for token in database.token_annotations:
            if token.annotation == _OK:
                self._approved[token.candidate, token.annotator_id].add((token.line, token.token))

    def alternative(self, judged: AnnotationRow, candidate: CandidateRow, *, heads: bool) -> Alternative:
        approved = self._approved[judged.candidate, judged.annotator_id]
        numbers = sorted(self._heads[candidate.tgtcorpus, candidate.example_no]) if heads else ()
        return Alternative(
            self._text(candidate, None, approved),
            tuple(self._text(candidate, number, approved) for number in numbers),
            self._annotators.get(judged.annotator_id, f"annotator {judged.annotator_id}"),
            self._when,
        )

    def _text(self, candidate: CandidateRow, part: int | None, approved: set[tuple[int, int]]) -> str:
        corpus = candidate.tgtcorpus
        tokens = sorted(self._parts[corpus, candidate.example_no, part] & approved)
        words = [
            self._lines[corpus, line][position]
            for line, position in tokens
            if 0 <= position < len(self._lines.get((corpus, line), ()))
        ]
        return " ".join(words)
