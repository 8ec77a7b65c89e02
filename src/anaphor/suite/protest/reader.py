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

from anaphor import core
from anaphor.core import Item, Suite
from anaphor.corpus import Text
from anaphor.suite.folder import LoadedSuite, suite_digest
from anaphor.suite.format import parse_header, with_items
from anaphor.suite.protest import database as db
from anaphor.suite.protest.writer import to_protest
from anaphor.suite.texts import SOURCE, SuiteTexts, check_places, check_texts

_OK = "ok"
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
#: Tables whose rows follow from the suite. They may gain rows: those of systems that are judged.
_DECIDED = (
    *("corpora", "sentences", "documents", "categories"),
    *("pro_candidates", "pro_antecedents", "translations"),
)


def from_protest(
    database: db.ProtestDatabase, naming: ProtestMetadata, *, path: str | Path, packs: Path | None = None
) -> LoadedSuite:
    """The suite of a database; `naming` adds information missing from PROTEST's tables (ours are complete).

    `packs` is the folder that was passed to `to_protest`.
    """
    name = str(path)
    own = bool(database.anaphor_suite)
    loaded = _own(database, name, packs) if own else suite_from_tables(database, naming, path=name)
    references = {row.id for row in database.corpora if row.name in loaded.suite.references()}
    approved = approved_translations(database, references=references)
    numbers = {row.example_no for row in database.pro_candidates if row.tgtcorpus in references}
    ordered = range(1, len(loaded.suite.items) + 1) if own else sorted(numbers)
    items = tuple(
        replace(item, alternatives=tuple(dict.fromkeys((*item.alternatives, *approved.get(number, ())))))
        for number, item in zip(ordered, loaded.suite.items, strict=True)
    )
    return loaded._replace(suite=replace(loaded.suite, items=items))


def _own(database: db.ProtestDatabase, path: str, packs: Path | None) -> LoadedSuite:
    header, digest = parse_header(
        Text.of(database.anaphor_suite[0].header.split("\n"), path=f"{path} [suite.toml]")
    )
    lines = [row.record for row in sorted(database.anaphor_items)]
    suite = with_items(header, Text.of(lines, path=f"{path} [items.jsonl]"))
    rows = {(row.side, row.document): row.content for row in database.anaphor_texts}

    def side(name: str) -> dict[str, Text]:
        """The available documents of a side, in the order of the suite."""
        return {
            document.id: Text.of(rows[name, document.id].split("\n"), path=f"{path} [{name}/{document.id}]")
            for document in suite.documents
            if (name, document.id) in rows
        }

    loaded = LoadedSuite(suite, SuiteTexts(side(SOURCE), {name: side(name) for name in suite.references()}))
    check_texts(suite, loaded.texts, items=f"{path} [items.jsonl]")
    exported = to_protest(loaded, packs=packs)
    changed = [name for name in _DECIDED if not set(getattr(exported, name)) <= set(getattr(database, name))]
    if changed or digest != suite_digest(suite):
        what = f"tables were changed since the suite was exported: {', '.join(changed) or 'anaphor_suite'}"
        fix = "export the suite again, or change the suite itself and not its database; pass the same --packs"
        raise core.MismatchError(what, where=path, fix=fix)
    return loaded


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtestMetadata:
    """Information missing from PROTEST's tables. `references` are corpus names; by default the only one."""

    pair: core.LanguagePair | None = None
    name: str = "protest"
    version: str = "1"
    licence: str = "unknown"
    references: tuple[str, ...] = ()


def suite_from_tables(database: db.ProtestDatabase, naming: ProtestMetadata, *, path: str) -> LoadedSuite:
    """The examples of the references. Contradictory rows are an error."""
    if naming.pair is None:
        what = "the file does not name its languages"
        raise core.OptionError(what, where="--pair", fix="add them, for example --pair en-fr")
    targets = {row.name: row.id for row in database.corpora if row.srctgt == 1}
    if not naming.references and len(targets) != 1:
        what = f"the file has {len(targets)} translations: {', '.join(sorted(targets))}"
        fix = "name the one that is the reference, or several, with --reference"
        raise core.OptionError(what, where=path, fix=fix)
    for name in naming.references:
        if name not in targets:
            raise core.UnknownNameError.among(name, targets, kind="translation", where=path)
    references = {name: targets[name] for name in naming.references or targets}
    try:
        return _suite(database, references, naming, naming.pair, path)
    except LookupError as error:
        fix = "correct the numbers in the tables of the file"
        raise core.InputError(f"a row refers to a missing entry: {error}", where=path, fix=fix) from error


def _suite(
    database: db.ProtestDatabase,
    references: Mapping[str, int],
    naming: ProtestMetadata,
    pair: core.LanguagePair,
    path: str,
) -> LoadedSuite:
    # One row for every example that a reference translates, in the order of their numbers.
    examples: dict[int, db.CandidateRow] = {}
    for row in sorted(database.pro_candidates, key=lambda row: (row.example_no, row.tgtcorpus)):
        if row.tgtcorpus in references.values():
            examples.setdefault(row.example_no, row)
    if not examples:
        what = "no example has a translation in the reference"
        raise core.InputError(what, where=path, fix="choose another with --reference")
    first = next(iter(examples.values()))
    source = _Corpus(database, first.srccorpus, documents=first.srccorpus)
    targets = {name: _Corpus(database, at, documents=first.srccorpus) for name, at in references.items()}
    texts = SuiteTexts(
        source.texts(f"{path} [source]"),
        {name: corpus.texts(f"{path} [{name}]") for name, corpus in targets.items()},
    )
    examined = _Examples(database)
    categories = {row.id: row.description for row in database.categories}
    items = []
    for row in examples.values():
        rows = examined.antecedents[row.tgtcorpus, row.example_no]
        pairs = []
        for name, corpus in references.items():
            if (corpus, row.example_no) in examined.translated:
                tokens = [
                    examined.tokens[corpus, row.example_no, no] for no in (None, *(a.ant_no for a in rows))
                ]
                pronoun, *heads = map(targets[name].place, tokens)
                pairs.append(core.ReferencePair(name, pronoun, tuple(heads)))
        items.append(
            Item(
                f"example-{row.example_no}",
                source.document_of(row.line),
                categories[row.category_no],
                source.place([(row.line, row.srcpos)]),
                tuple(source.antecedent(row) for row in rows),
                tuple(pairs),
            )
        )
    suite = Suite(
        naming.name,
        naming.version,
        pair,
        naming.licence,
        "",
        tuple(
            core.Category(category.description, category.antagreement == 1, "")
            for category in database.categories
        ),
        texts.documents(),
        tuple(items),
    )
    check_places(suite, texts, items=path)
    return LoadedSuite(suite, texts)


class _Corpus:
    """The lines of one corpus, and its documents as spans of lines; these are the rows of another corpus."""

    def __init__(self, database: db.ProtestDatabase, corpus: int, *, documents: int) -> None:
        sentences = {row.line: row.sentence for row in database.sentences if row.corpus == corpus}
        self.lines = tuple(sentences[number] for number in range(len(sentences)))
        rows = sorted((row.start, row.end + 1) for row in database.documents if row.corpus == documents)
        self.documents = {f"document-{n}": core.Span(*row) for n, row in enumerate(rows, start=1)}
        # The documents must cover all lines without gaps, or places would count in the wrong text.
        bounds = [0, *(end for _, end in rows)]
        if [start for start, _ in rows] != bounds[:-1] or bounds != sorted({*bounds, len(self.lines)}):
            raise IndexError(f"the documents of corpus {documents} do not follow each other to its last line")

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

    def place(self, tokens: Iterable[tuple[int, int]]) -> core.TextPlace:
        """The character spans of tokens in their document; adjacent tokens of a line form one span."""
        spans: list[core.Span] = []
        for line, position in sorted(set(tokens)):
            first = self.documents[self.document_of(line)].start
            words = self.lines[line].split(" ")
            if not 0 <= position < len(words):
                raise IndexError(f"token {position} of line {line}")
            before = [*(len(text) for text in self.lines[first:line]), *map(len, words[:position])]
            start = sum(before) + len(before)
            end = start + len(words[position])
            # No span may cross the end of a line, where the distance between tokens is the same.
            if position and spans and spans[-1].end + 1 == start:
                start = spans.pop().start
            spans.append(core.Span(start, end))
        return tuple(spans)

    def antecedent(self, row: db.AntecedentRow) -> core.Antecedent:
        first, last, head = (
            self.place([(row.line, at)]) for at in (row.srcstartpos, row.srcendpos, row.srcheadpos)
        )
        if first > last:
            raise IndexError(f"an antecedent from token {row.srcstartpos} to {row.srcendpos}")
        return core.Antecedent((core.Span(first[0].start, last[0].end),), head)


class _Examples:
    """The tables' information on the examples, by corpus of the translation and example number.

    `tokens` are the lines and positions of the words that translate an antecedent head, by its number, or the
    pronoun, for which the number is None.
    """

    def __init__(self, database: db.ProtestDatabase) -> None:
        self.translated = {(row.tgtcorpus, row.example_no) for row in database.pro_candidates}
        self.antecedents: dict[tuple[int, int], list[db.AntecedentRow]] = defaultdict(list)
        for row in sorted(database.pro_antecedents, key=lambda row: row.ant_no):
            self.antecedents[row.tgtcorpus, row.example_no].append(row)
        self.tokens: dict[tuple[int, int, int | None], set[tuple[int, int]]] = defaultdict(set)
        for token in database.translations:
            self.tokens[token.tgtcorpus, token.example_no, token.ant_no].add((token.line, token.tgtpos))


def approved_translations(
    database: db.ProtestDatabase, *, references: set[int]
) -> dict[int, tuple[core.Alternative, ...]]:
    """By example, the words judged `ok` in translations other than `references` (numbers of corpora).

    Annotators mark the tokens that make a translation correct; a judgement without a marked pronoun gives no
    alternative. PROTEST stores no date for judgements, so the file's date is used, if it has one.
    """
    candidates = {row.id: row for row in database.pro_candidates}
    agreement = {row.id: row.antagreement == 1 for row in database.categories}
    names = {row.id: row.name for row in database.annotators}
    dates = [_DATE.match(row.tag_value or "") for row in database.meta_data if row.tag == "time_created"]
    when = next((match[0] for match in dates if match), None)
    lines = {(row.corpus, row.line): row.sentence.split(" ") for row in database.sentences}
    marked: dict[tuple[int, int], set[tuple[int, int]]] = defaultdict(set)
    for token in database.token_annotations:
        if token.annotation == _OK:
            marked[token.candidate, token.annotator_id].add((token.line, token.token))
    examples = _Examples(database)
    by_example: dict[int, dict[core.Alternative, None]] = defaultdict(dict)
    for judged in database.annotations:
        row = candidates.get(judged.candidate)
        if row is None or row.tgtcorpus in references or judged.anaph_annotation != _OK:
            continue
        parts: list[int | None] = [None]
        if agreement.get(row.category_no, False):
            if judged.ant_annotation != _OK:
                continue
            parts += sorted(
                {antecedent.ant_no for antecedent in examples.antecedents[row.tgtcorpus, row.example_no]}
            )
        texts = []
        for part in parts:
            approved = (
                marked[row.id, judged.annotator_id] & examples.tokens[row.tgtcorpus, row.example_no, part]
            )
            words = (
                lines[row.tgtcorpus, line][position]
                for line, position in sorted(approved)
                if 0 <= position < len(lines.get((row.tgtcorpus, line), ()))
            )
            texts.append(" ".join(words))
        if all(texts):
            by = names.get(judged.annotator_id, f"annotator {judged.annotator_id}")
            by_example[row.example_no][core.Alternative(texts[0], tuple(texts[1:]), by, when)] = None
    return {number: tuple(alternatives) for number, alternatives in by_example.items()}
