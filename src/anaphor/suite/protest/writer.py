"""A suite as a PROTEST database.

Its tables have one tokenized line per segment and one translation per row, so they cannot hold everything.
The suite itself is therefore stored in three tables `anaphor_*`, and PROTEST's tables hold the same in their
own form: every reference is a translation with its own copy of the source.
"""

from __future__ import annotations

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
    # The rows of every table are numbered from 1, in the order in which they are added here.
    sentences: list[SentenceRow] = []
    documents: list[DocumentRow] = []
    for corpus in corpora:
        for line, tokens in enumerate((sides[corpus.name] if corpus.srctgt else source).sentences):
            sentences.append(SentenceRow(len(sentences) + 1, corpus.id, line, " ".join(tokens)))
        start = 0
        for document in suite.documents:
            last = start + document.segments - 1
            documents.append(DocumentRow(len(documents) + 1, corpus.id, start, last))
            start = last + 1
    categories = {one.name: number for number, one in enumerate(suite.categories, start=1)}
    candidates: list[CandidateRow] = []
    antecedents: list[AntecedentRow] = []
    translations: list[TranslationRow] = []
    for no, item in enumerate(suite.items, start=1):
        pronoun_line, pronoun_position = source.tokens(item, item.pronoun)[0]
        for pair in item.references:
            target = numbers[pair.reference]
            candidates.append(
                CandidateRow(
                    *(len(candidates) + 1, target - 1, target, no, pronoun_line),
                    *(source.text(item, item.pronoun), pronoun_position),
                    *(source.index(pronoun_line, pronoun_position), categories[item.category], no),
                )
            )
            for ant_no, one in enumerate(item.antecedents, start=1):
                line, position = source.tokens(item, one.head)[0]
                # A row has one line: of a longer antecedent, the part in the line of its head.
                span = [at for segment, at in source.tokens(item, one.span) if segment == line] or [position]
                antecedents.append(
                    AntecedentRow(
                        *(len(antecedents) + 1, target - 1, target, no, ant_no, line, span[0], span[-1]),
                        *(source.text(item, one.head), position, source.index(line, position)),
                    )
                )
            places = [(None, pair.pronoun), *enumerate(pair.heads, start=1)]
            for part, place in places:
                for line, position in sides[pair.reference].tokens(item, place):
                    translations.append(
                        TranslationRow(len(translations) + 1, target, no, part, line, position)
                    )
    return ProtestDatabase(
        (
            MetaData("file_version", VERSION),
            MetaData("file_type", "master"),
            MetaData("master_id", suite_digest(suite)),
            MetaData("master_description", f"{suite.name} {suite.version}"),
        ),
        tuple(corpora),
        tuple(sentences),
        tuple(documents),
        tuple(
            CategoryRow(number, one.name, int(one.antecedent))
            for number, one in enumerate(suite.categories, start=1)
        ),
        tuple(candidates),
        tuple(antecedents),
        tuple(translations),
        anaphor_suite=(OwnHeader(format_header(suite, suite_digest(suite))),),
        anaphor_items=tuple(OwnItem(no, format_item(item)) for no, item in enumerate(suite.items, start=1)),
        anaphor_texts=tuple(
            OwnText(side, name, "\n".join(text.lines))
            for side, contents in texts.sides()
            for name, text in contents.items()
        ),
    )
