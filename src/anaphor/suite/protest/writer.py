"""A suite as a PROTEST database.

Its tables have one tokenized line per segment and one translation per row, so they cannot hold everything.
The suite itself is therefore stored in three tables `anaphor_*`, and PROTEST's tables hold the same in their
own format: every reference is a translation with a copy of the source.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count, repeat
from pathlib import Path
from typing import Any

from anaphor.core import Item
from anaphor.languages.choose_tokenizer import words_or_split
from anaphor.suite.folder import LoadedSuite, suite_digest
from anaphor.suite.format import format_header, format_items
from anaphor.suite.protest import database as db
from anaphor.suite.texts import SOURCE, SuiteTexts, TokenizedSide, Tokens

_ITEMS_AT_ONCE = 1000


def _tokenized(
    texts: SuiteTexts, side: str, language: str, packs: Path | None, tokens: Tokens | None
) -> TokenizedSide:
    words = words_or_split(language, packs)
    # Most words of a large text are repetitions, which then need no memory.
    return TokenizedSide(texts, side, lambda line: [sys.intern(word) for word in words(line)], tokens=tokens)


def _index(tokens: Sequence[str], position: int) -> int:
    """The number of equal tokens before this one in its line."""
    return tokens[:position].count(tokens[position])


def to_protest(loaded: LoadedSuite, *, packs: Path | None = None) -> db.ProtestDatabase:
    """All tables about the suite; those about annotators remain empty. `packs` has the user's packs."""
    tables: dict[str, list[Any]] = {}
    for name, rows in suite_tables(loaded, packs=packs):
        tables.setdefault(name, []).extend(map(db.TABLES[name]._make, rows))
    return db.ProtestDatabase(**{name: tuple(rows) for name, rows in tables.items()})


def suite_tables(
    loaded: LoadedSuite,
    *,
    packs: Path | None = None,
    items: Iterable[Item] | None = None,
    records: str | None = None,
    tokens: Mapping[str, Tokens] | None = None,
) -> Iterator[tuple[str, Iterable[Sequence[Any]]]]:
    """The rows of `to_protest` as plain tuples, generated in batches per table.

    Items that are not in memory may be given instead of those of the suite, with the text of `items.jsonl` as
    `records`; and so may the tokens of every side.
    """
    suite, texts = loaded

    def side_of(name: str, language: str) -> TokenizedSide:
        return _tokenized(texts, name, language, packs, None if tokens is None else tokens[name])

    source = side_of(SOURCE, suite.pair.source)
    sides = {name: side_of(name, suite.pair.target) for name in suite.references()}
    numbers = {name: 2 * number for number, name in enumerate(sides, start=1)}  # the source is one less
    corpora = [db.CorpusRow(numbers[name] - 1 + srctgt, name, srctgt) for name in sides for srctgt in (0, 1)]
    # The rows of every table are numbered from 1, in the order in which they are added here.
    documents: list[db.DocumentRow] = []
    for corpus in corpora:
        start = 0
        for document in suite.documents:
            end = start + document.segments
            documents.append(db.DocumentRow(len(documents) + 1, corpus.id, start, end - 1))
            start = end
    categories = {category.name: number for number, category in enumerate(suite.categories, start=1)}
    records = records or format_items(suite)
    digest = suite_digest(suite, records)
    yield (
        "meta_data",
        (
            db.MetaData("file_version", db.VERSION),
            db.MetaData("file_type", "master"),
            db.MetaData("master_id", digest),
            db.MetaData("master_description", f"{suite.name} {suite.version}"),
        ),
    )
    yield "corpora", corpora
    first = 1
    for corpus in corpora:
        lines = (sides[corpus.name] if corpus.srctgt else source).tokens
        yield "sentences", zip(count(first), repeat(corpus.id), count(), map(" ".join, lines), strict=False)
        first += len(lines)
    yield "documents", documents
    yield (
        "categories",
        [
            db.CategoryRow(categories[category.name], category.name, int(category.antecedent))
            for category in suite.categories
        ],
    )
    candidates, antecedents, translations = list[Any](), list[Any](), list[Any]()
    examples = {"pro_candidates": candidates, "pro_antecedents": antecedents, "translations": translations}
    candidate_ids, antecedent_ids, translation_ids = count(1), count(1), count(1)
    for no, item in enumerate(suite.items if items is None else items, start=1):
        text = source.locators[item.document].text
        line, position = source.find(item.document, item.pronoun)[0]
        index = _index(source.tokens[line], position)
        pronoun = (no, line, text(item.pronoun), position, index, categories[item.category], no)
        heads = []
        for ant_no, antecedent in enumerate(item.antecedents, start=1):
            head = source.find(item.document, antecedent.head)
            line, position = head[0]
            # A row has one line: of a longer antecedent, the part in the line of its head.
            whole = (
                head if antecedent.span == antecedent.head else source.find(item.document, antecedent.span)
            )
            span = [at for segment, at in whole if segment == line] or [position]
            index = _index(source.tokens[line], position)
            heads.append((no, ant_no, line, span[0], span[-1], text(antecedent.head), position, index))
        for pair in item.references:
            target = numbers[pair.reference]
            candidates.append((next(candidate_ids), target - 1, target, *pronoun))
            for row in heads:
                antecedents.append((next(antecedent_ids), target - 1, target, *row))
            for part, place in [(None, pair.pronoun), *enumerate(pair.heads, start=1)]:
                for at in sides[pair.reference].find(item.document, place):
                    translations.append((next(translation_ids), target, no, part, *at))
        if no % _ITEMS_AT_ONCE == 0:  # the rows of all items need much memory
            for name, rows in examples.items():
                yield name, rows
                rows.clear()
    yield from examples.items()
    yield "anaphor_suite", [db.OwnHeader(format_header(suite, digest))]
    numbered = enumerate(re.finditer("[^\n]+", records), start=1)
    yield "anaphor_items", ((no, line[0]) for no, line in numbered)
    yield (
        "anaphor_texts",
        (
            db.OwnText(side, name, "\n".join(text.lines))
            for side, contents in texts.sides()
            for name, text in contents.items()
        ),
    )
