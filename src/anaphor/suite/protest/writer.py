"""A suite as a PROTEST database.

Its tables have one tokenized line per segment and one translation per row, so they cannot hold everything.
The suite itself is therefore stored in three tables `anaphor_*`, and PROTEST's tables hold the same in their
own form: every reference is a translation with its own copy of the source.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count

from anaphor.core import Item, Place
from anaphor.corpus.protest_db import (
    VERSION,
    AntecedentRow,
    CandidateRow,
    CategoryRow,
    CorpusRow,
    DocumentRow,
    MetaData,
    OwnHeader,
    OwnItem,
    OwnText,
    ProtestDatabase,
    SentenceRow,
    TranslationRow,
)
from anaphor.languages import Tokenizer, known_languages, load_language, split_words
from anaphor.suite.folder import LoadedSuite, suite_digest
from anaphor.suite.format import format_header, format_item
from anaphor.suite.texts import SOURCE, Locator, TokenFinder, TokenPlace, Words


class _TokenizedSide:
    """One corpus of the database: its lines, its tokens, and where places stand among them."""

    def __init__(self, loaded: LoadedSuite, name: str, language: str) -> None:
        known = language in known_languages()
        cut: Words = Tokenizer(load_language(language)).words if known else split_words
        self.lines = [line or "" for line in loaded.texts.lines(name)]
        self.locators: dict[str, Locator] = loaded.texts.locators(name)
        self.sentences = [cut(line) for line in self.lines]
        self._finder = TokenFinder(self.lines, self.sentences, path=name)

    def tokens(self, item: Item, place: Place) -> TokenPlace:
        return self._finder.tokens(self.locators[item.document].stretches(place))

    def text(self, item: Item, place: Place) -> str:
        return self.locators[item.document].text(place)

    def index(self, segment: int, position: int) -> int:
        """The number of equal tokens before this one in its line."""
        tokens = self.sentences[segment]
        return list(tokens[:position]).count(tokens[position])


def to_protest(loaded: LoadedSuite) -> ProtestDatabase:
    """All tables about the suite; those about annotators stay empty."""
    suite, texts = loaded
    source = _TokenizedSide(loaded, SOURCE, suite.pair.source)
    sides = {name: _TokenizedSide(loaded, name, suite.pair.target) for name in suite.references()}
    numbers = {name: 2 * number for number, name in enumerate(sides, start=1)}  # the source is one less
    corpora = [CorpusRow(numbers[name] - 1 + srctgt, name, srctgt) for name in sides for srctgt in (0, 1)]
    corpus_lines = [(corpus.id, sides[corpus.name] if corpus.srctgt else source) for corpus in corpora]
    return ProtestDatabase(
        _meta_data(loaded),
        tuple(corpora),
        tuple(_sentences(corpus_lines)),
        tuple(_documents(loaded, [corpus.id for corpus in corpora])),
        tuple(
            CategoryRow(number, one.name, int(one.antecedent))
            for number, one in enumerate(suite.categories, start=1)
        ),
        tuple(_candidates(loaded, source, numbers)),
        tuple(_antecedents(loaded, source, numbers)),
        tuple(_translations(loaded, sides, numbers)),
        anaphor_suite=(OwnHeader(format_header(suite, suite_digest(suite))),),
        anaphor_items=tuple(OwnItem(no, format_item(item)) for no, item in enumerate(suite.items, start=1)),
        anaphor_texts=tuple(
            OwnText(side, name, "\n".join(text.lines))
            for side, documents in texts.sides()
            for name, text in documents.items()
        ),
    )


def _meta_data(loaded: LoadedSuite) -> tuple[MetaData, ...]:
    return (
        MetaData("file_version", VERSION),
        MetaData("file_type", "master"),
        MetaData("master_id", suite_digest(loaded.suite)),
        MetaData("master_description", f"{loaded.suite.name} {loaded.suite.version}"),
    )


def _sentences(corpora: Sequence[tuple[int, _TokenizedSide]]) -> Iterator[SentenceRow]:
    ids = count(1)
    for corpus, side in corpora:
        for number, tokens in enumerate(side.sentences):
            yield SentenceRow(next(ids), corpus, number, " ".join(tokens))


def _documents(loaded: LoadedSuite, corpora: Sequence[int]) -> Iterator[DocumentRow]:
    ids = count(1)
    for corpus in corpora:
        start = 0
        for document in loaded.suite.documents:
            yield DocumentRow(next(ids), corpus, start, start + document.segments - 1)
            start += document.segments


def _candidates(
    loaded: LoadedSuite, source: _TokenizedSide, numbers: dict[str, int]
) -> Iterator[CandidateRow]:
    ids = count(1)
    categories = {one.name: number for number, one in enumerate(loaded.suite.categories, start=1)}
    for no, item in enumerate(loaded.suite.items, start=1):
        line, position = source.tokens(item, item.pronoun)[0]
        for pair in item.references:
            target = numbers[pair.reference]
            yield CandidateRow(
                next(ids),
                target - 1,
                target,
                no,
                line,
                source.text(item, item.pronoun),
                position,
                source.index(line, position),
                categories[item.category],
                no,
            )


def _antecedents(
    loaded: LoadedSuite, source: _TokenizedSide, numbers: dict[str, int]
) -> Iterator[AntecedentRow]:
    ids = count(1)
    for no, item in enumerate(loaded.suite.items, start=1):
        for pair in item.references:
            target = numbers[pair.reference]
            for ant_no, one in enumerate(item.antecedents, start=1):
                line, position = source.tokens(item, one.head)[0]
                span = [at for segment, at in source.tokens(item, one.span) if segment == line] or [position]
                head = source.text(item, one.head)
                yield AntecedentRow(
                    *(next(ids), target - 1, target, no, ant_no, line, span[0], span[-1]),
                    *(head, position, source.index(line, position)),
                )


def _translations(
    loaded: LoadedSuite, sides: dict[str, _TokenizedSide], numbers: dict[str, int]
) -> Iterator[TranslationRow]:
    ids = count(1)
    for no, item in enumerate(loaded.suite.items, start=1):
        for pair in item.references:
            places = [(None, pair.pronoun), *enumerate(pair.heads, start=1)]
            for ant_no, place in places:
                for line, position in sides[pair.reference].tokens(item, place):
                    yield TranslationRow(next(ids), numbers[pair.reference], no, ant_no, line, position)
