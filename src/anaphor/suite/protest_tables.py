"""A suite from the tables of PROTEST alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from anaphor.core import (
    Antecedent,
    Category,
    InputError,
    Item,
    LanguagePair,
    OptionError,
    Place,
    ReferencePair,
    Span,
    Suite,
    SuiteDocument,
    UnknownNameError,
)
from anaphor.corpus import Text
from anaphor.corpus.protest_db_rows import (
    AntecedentRow,
    CandidateRow,
    ProtestDatabase,
)
from anaphor.suite.folder import LoadedSuite
from anaphor.suite.texts import SuiteTexts, check_places


@dataclass(frozen=True, slots=True, kw_only=True)
class Naming:
    """What the tables do not say. `references` are names of corpora; none means the only one there is."""

    pair: LanguagePair | None = None
    name: str = "protest"
    version: str = "1"
    licence: str = "unknown"
    references: tuple[str, ...] = ()


def suite_from_tables(database: ProtestDatabase, naming: Naming, *, path: str) -> LoadedSuite:
    """The examples of the references. Rows that contradict each other are an error."""
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
            fix="mend the numbers in the tables of the file",
        ) from error


def _references(database: ProtestDatabase, naming: Naming, path: str) -> dict[str, int]:
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
    database: ProtestDatabase, references: Mapping[str, int], naming: Naming, pair: LanguagePair, path: str
) -> LoadedSuite:
    examples = _examples(database, set(references.values()))
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
        tuple(Category(row.description, row.antagreement == 1, "") for row in database.categories),
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


def _examples(database: ProtestDatabase, references: set[int]) -> dict[int, CandidateRow]:
    """One row for every example that a reference translates, in the order of their numbers."""
    rows = sorted(database.pro_candidates, key=lambda row: (row.example_no, row.tgtcorpus))
    found: dict[int, CandidateRow] = {}
    for row in rows:
        if row.tgtcorpus in references:
            found.setdefault(row.example_no, row)
    return found


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
        """The characters of tokens in their document; tokens beside each other make one stretch."""
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
        antecedents = self._antecedents[row.tgtcorpus, row.example_no]
        return Item(
            f"example-{row.example_no}",
            self._source.document_of(row.line),
            self._categories[row.category_no],
            self._source.place([(row.line, row.srcpos)]),
            tuple(map(self._antecedent, antecedents)),
            tuple(
                self._pair(name, row.example_no, antecedents)
                for name, corpus in self._references.items()
                if (corpus, row.example_no) in self._translated
            ),
        )

    def _antecedent(self, row: AntecedentRow) -> Antecedent:
        first, last = (self._source.place([(row.line, at)]) for at in (row.srcstartpos, row.srcendpos))
        if first > last:
            raise IndexError(f"an antecedent from token {row.srcstartpos} to {row.srcendpos}")
        span = (Span(first[0].start, last[0].end),)
        return Antecedent(span, self._source.place([(row.line, row.srcheadpos)]))

    def _pair(self, name: str, example: int, antecedents: Iterable[AntecedentRow]) -> ReferencePair:
        corpus, target = self._references[name], self._targets[name]
        heads = tuple(target.place(self._tokens[corpus, example, one.ant_no]) for one in antecedents)
        return ReferencePair(name, target.place(self._tokens[corpus, example, None]), heads)
