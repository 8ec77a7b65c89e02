"""The texts of a suite, verified to be those it was built from, and places in them. A place is given by the
number of characters before it in the document. To find its tokens, two versions of a segment may differ only
in white space: positions are then equal if white space is not counted. Any other difference is an error and
is never guessed (protest-2016, section 5.2).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple, TypeAlias

from anaphor.core import (
    CONTEXT_LINES,
    InputError,
    Item,
    MismatchError,
    Span,
    Suite,
    SuiteDocument,
    TextPlace,
    Where,
    first_context_line,
    marked,
)
from anaphor.corpus import Text, read_text
from anaphor.files.folders import file_name, inside
from anaphor.languages import Words

SOURCE = "source"


class SegmentSpan(NamedTuple):
    """A span of characters of one segment; segments are counted from 0 over all documents of the suite."""

    segment: int
    start: int
    end: int


class Locator:
    """Finds places of a document in its lines; `first` is the number of its first segment in the suite."""

    def __init__(self, lines: tuple[str, ...], *, first: int) -> None:
        self.lines = lines
        self.first = first
        self.starts = tuple(accumulate((len(line) + 1 for line in lines[:-1]), initial=0))

    def stretches(self, place: TextPlace) -> tuple[SegmentSpan, ...]:
        """The spans of a place, each inside one segment."""
        starts, stretches = self.starts, []
        for start, end in place:
            line = bisect_right(starts, start) - 1
            before = starts[line]
            stretches.append(SegmentSpan(self.first + line, start - before, end - before))
        return tuple(stretches)

    def text(self, place: TextPlace) -> str:
        """The characters of a place, with a space between its spans."""
        first, lines = self.first, self.lines
        return " ".join([lines[segment - first][start:end] for segment, start, end in self.stretches(place)])

    def marked(self, segment: int, place: TextPlace) -> str:
        """The line of a segment of the suite, with brackets around the part of the place inside it."""
        spans = [Span(at.start, at.end) for at in self.stretches(place) if at.segment == segment]
        return marked(self.lines[segment - self.first], spans)

    def context(self, item: Item) -> range:
        """The segments a reader of an item needs: from its antecedents to its pronoun, or the other way.

        Without a known antecedent, a few lines before the pronoun.
        """
        places = (item.pronoun, *(antecedent.span for antecedent in item.antecedents))
        segments = [at.segment for place in places for at in self.stretches(place)]
        last, least = max(segments), 0 if item.antecedents else CONTEXT_LINES
        first = first_context_line(
            last - self.first, None, [segment - self.first for segment in segments], least=least
        )
        return range(self.first + first, last + 1)

    def fits(self, span: Span) -> bool:
        """Whether a span lies within one line and is not blank."""
        ((segment, start, end),) = self.stretches((span,))
        line = self.lines[segment - self.first]
        return end <= len(line) and bool(line[start:end].strip())


@dataclass(frozen=True, eq=False)
class SuiteTexts:
    """All sides of every document, by document: the source, and the references by name."""

    source: Mapping[str, Text]
    references: Mapping[str, Mapping[str, Text]]

    def sides(self) -> Iterator[tuple[str, Mapping[str, Text]]]:
        """The name of each side and its documents, the source first."""
        yield SOURCE, self.source
        yield from self.references.items()

    @cached_property
    def locators(self) -> Mapping[str, Mapping[str, Locator]]:
        """A locator for every document of every side; segments are numbered over those of the source."""
        firsts = accumulate((len(text) for text in self.source.values()), initial=0)
        first_of = dict(zip(self.source, firsts, strict=False))
        return {
            side: {name: Locator(tuple(text.lines), first=first_of[name]) for name, text in documents.items()}
            for side, documents in self.sides()
        }

    def lines(self, side: str) -> tuple[str | None, ...]:
        """The lines of one side in the order of the suite; None if a reference lacks the document."""
        documents = dict(self.sides())[side]
        return tuple(
            line
            for name, source in self.source.items()
            for line in (documents[name].lines if name in documents else [None] * len(source))
        )

    @property
    def source_lines(self) -> tuple[str, ...]:
        return tuple(line for text in self.source.values() for line in text.lines)

    def documents(self) -> tuple[SuiteDocument, ...]:
        """The suite's description of these texts."""
        digests = {
            name: {
                side: documents[name].digest
                for side, documents in self.references.items()
                if name in documents
            }
            for name in self.source
        }
        return tuple(
            SuiteDocument(name, len(text), text.digest, digests[name]) for name, text in self.source.items()
        )


def read_texts(suite: Suite, folder: Path, *, items: str) -> SuiteTexts:
    """The texts under a folder, checked by `check_texts`; `items` is the path of the items for messages."""
    source = {document.id: _read(folder, SOURCE, document.id) for document in suite.documents}
    references = {
        name: {
            document.id: _read(folder, name, document.id)
            for document in suite.documents
            if name in document.references
        }
        for name in suite.references()
    }
    texts = SuiteTexts(source, references)
    check_texts(suite, texts, items=items)
    return texts


def check_texts(suite: Suite, texts: SuiteTexts, *, items: str) -> None:
    """Raise if a text is missing or differs from the suite's, or a place lies outside it."""
    sides = dict(texts.sides())
    for document in suite.documents:
        for side, digest in ((SOURCE, document.source), *document.references.items()):
            if document.id not in sides[side]:
                raise _missing(side, document.id, items)
            text = sides[side][document.id]
            if text.digest != digest or len(text) != document.segments:
                raise MismatchError(
                    f"this is not the text of the suite: {len(text)} segments with the digest "
                    f"{text.digest}, expected {document.segments} with {digest}",
                    where=text.path,
                    fix="get the original text; offsets would point to the wrong words in a different text",
                )
    check_places(suite, texts, items=items)


def check_places(suite: Suite, texts: SuiteTexts, *, items: str) -> None:
    """Raise for the first place of an item that lies outside its text; `items` is the path for messages."""
    for line, item in enumerate(suite.items, start=1):
        places = [(SOURCE, item.pronoun)]
        places += [
            (SOURCE, place) for antecedent in item.antecedents for place in (antecedent.span, antecedent.head)
        ]
        places += [
            (reference.reference, place)
            for reference in item.references
            for place in (reference.pronoun, *reference.heads)
        ]
        for side, place in places:
            for span in place:
                if not texts.locators[side][item.document].fits(span):
                    raise InputError(
                        f"{item.id}: characters {span.start} to {span.end} of {side} {item.document} are "
                        "blank, or not inside one line",
                        where=Where(items, line),
                        fix="count characters of the document from 0, line ends included",
                    )


def _read(folder: Path, side: str, name: str) -> Text:
    path = inside(folder, folder / side / file_name(name, kind="document", where=str(folder), ending=".txt"))
    if not path.is_file():
        raise _missing(side, name, str(path))
    return read_text(path)


def _missing(side: str, name: str, where: str) -> InputError:
    return InputError(
        f"the text of {name} ({side}) is missing",
        where=where,
        fix="add the text, one segment per line, or pass its folder with --documents",
    )


#: The tokens of every segment.
Tokens: TypeAlias = Sequence[Sequence[str]]


#: Tokens of one or several segments, as (segment, position) in order.
TokenPlace: TypeAlias = tuple[tuple[int, int], ...]


class ItemTokens(NamedTuple):
    """The source tokens of an item's pronoun and of its antecedent heads."""

    pronoun: TokenPlace
    heads: tuple[TokenPlace, ...]


class TokenFinder:
    """Finds the tokens of places, given the lines of the suite and a tokenized version of them.

    `path` is that of the tokenized version, for messages.
    """

    def __init__(self, lines: Sequence[str], tokens: Tokens, *, path: str) -> None:
        self._lines = lines
        self._tokens = tokens
        self._path = path
        # The items of a document follow each other, and ask about the same segments again and again.
        self._token_starts = lru_cache(maxsize=256)(self._starts_of)

    def tokens(self, stretches: Sequence[SegmentSpan]) -> TokenPlace:
        positions: dict[tuple[int, int], None] = {}
        for segment, start, end in stretches:
            line, tokens = self._lines[segment], self._tokens[segment]
            part = line[start:end]
            tokenized = line.count(" ") == len(tokens) - 1 and line == " ".join(tokens)
            if tokenized and part and part == part.strip():  # a token is what stands between two spaces
                position = line.count(" ", 0, start)
                if len(stretches) == 1 and " " not in part:  # so most places are
                    return ((segment, position),)
                for at in range(position, position + part.count(" ") + 1):
                    positions[segment, at] = None
                continue
            first = _solid(line[:start])
            last = first + _solid(line[start:end])
            bounds = self._token_starts(segment)
            end_before = min(bisect_left(bounds, last), len(bounds) - 1)
            for position in range(bisect_right(bounds, first) - 1, end_before):
                positions[segment, position] = None
        return tuple(positions)

    def _starts_of(self, segment: int) -> list[int]:
        """The offset of each token, not counting white space, and the end of the last one."""
        tokens = self._tokens[segment]
        length: Callable[[str], int] = len
        solid, joined = "".join(self._lines[segment].split()), "".join(tokens)
        if solid != joined:  # some tokenizers keep spaces inside numbers
            length, joined = _solid, "".join(joined.split())
        if solid != joined:
            what = "the tokenized source differs from the suite's in more than white space"
            fix = "tokenize the source of the suite again, without escapes and without normalizing it"
            raise MismatchError(what, where=Where(self._path, segment + 1), fix=fix)
        return list(accumulate(map(length, tokens), initial=0))


class TokenizedSide:
    """The tokens of one side of a suite, and the token positions of places.

    They are cut from the side itself, or from another version of it that is `given`; callers that already
    have the `tokens` may pass them. Lines are empty if a reference lacks the document.
    """

    def __init__(
        self,
        texts: SuiteTexts,
        side: str,
        words: Words,
        *,
        given: Text | None = None,
        tokens: Tokens | None = None,
    ) -> None:
        self.lines = [line or "" for line in texts.lines(side)]
        cut_from = self.lines if given is None else given.lines
        self.tokens: Tokens = [words(line) for line in cut_from] if tokens is None else tokens
        self.locators = texts.locators[side]
        path = f"{side} of the suite" if given is None else given.path
        self._finder = TokenFinder(self.lines, self.tokens, path=path)

    def find(self, document: str, place: TextPlace) -> TokenPlace:
        """The tokens of a place in a document."""
        return self._finder.tokens(self.locators[document].stretches(place))


def _solid(text: str) -> int:
    """The number of characters that are not white space."""
    return len("".join(text.split()))
