"""From segments to scenes: analysed in batches, each sentence once, and only those that a group looks at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import compress, count
from sys import intern

from anaphor.analyse import load_analyser
from anaphor.analyse.builtin import built_in_languages
from anaphor.core import Analysis, LanguagePair, TaskSegment
from anaphor.predict.features.needs import Needs
from anaphor.predict.features.scene import HIDDEN, NOUNS, Scene, Staged, Tokens

_CHUNK = 2048
#: What stands in a gap while a target with word forms is analysed: the most frequent pronoun.
_STAND_IN = {"de": "es", "en": "it", "es": "lo", "fr": "il"}
#: Analyses that are remembered; two kilobytes each.
_REMEMBERED = 1 << 17
#: Tokens whose lower case, lemma or tag is remembered.
_TOKENS = 1 << 16

Batch = Sequence[tuple[str, ...]]


class _Remembering:
    """An analyser of a language that does not look at a sentence twice in a row of recipes."""

    def __init__(self, language: str) -> None:
        self._analyser = load_analyser("built-in", language=language)
        self._known: dict[tuple[str, ...], Analysis] = {}

    def analyse(self, sentences: Batch) -> list[Analysis]:
        fresh = [tokens for tokens in sentences if tokens not in self._known]
        if not fresh:
            return [self._known[tokens] for tokens in sentences]
        if len(self._known) + len(fresh) > _REMEMBERED:
            self._known.clear()
            fresh = [*sentences]
        analyses = [*self._analyser.analyse(fresh)]
        self._known.update(zip(fresh, analyses, strict=True))
        return analyses if len(fresh) == len(sentences) else [self._known[tokens] for tokens in sentences]


class _Told(dict[str, str]):
    """What a function says of tokens, asked once of each; `map` looks into a dictionary without a call."""

    def __init__(self, function: Callable[[str], str]) -> None:
        self._function = function

    def __missing__(self, token: str) -> str:
        if len(self) >= _TOKENS:
            self.clear()
        found = self[token] = intern(self._function(token))
        return found


@cache
def _told(function: Callable[[str], str]) -> Callable[[str], str]:
    """The same function with a memory."""
    return _Told(function).__getitem__


@cache
def _analyser(language: str) -> _Remembering | None:
    """The one analyser of a language; None where the package has no model for it."""
    return _Remembering(language) if language in built_in_languages() else None


@dataclass(frozen=True, slots=True)
class Stage:
    """Makes scenes of the segments of one pair.

    `forms` says that targets have word forms; else they are split into lemma and tag and need no analysis.
    """

    pair: LanguagePair
    forms: bool
    needs: Needs

    def scenes(self, segments: Sequence[TaskSegment]) -> Iterator[Scene]:
        """One scene for each slot of each segment, in order."""
        reach = self.needs.sentences
        staged: dict[int, Staged] = {}
        for start in range(0, len(segments), _CHUNK):
            end = min(start + _CHUNK, len(segments))
            fresh = [at for at in _seen(segments, range(start, end), reach) if at not in staged]
            staged.update(zip(fresh, self._staged([segments[at] for at in fresh]), strict=True))
            for at in range(start, end):
                if segments[at].slots:
                    before = tuple(staged[other] for other in _before(segments, at, reach))
                    yield from _scenes(staged[at], before)
            staged = {at: found for at, found in staged.items() if at >= end - reach}

    def _staged(self, segments: Sequence[TaskSegment]) -> Iterable[Staged]:
        sources = self._sources([segment.source for segment in segments])
        targets = self._targets(segments)
        return map(Staged, segments, sources, targets)

    def _sources(self, sentences: Batch) -> list[Tokens]:
        analyser = _analyser(self.pair.source) if self.needs.source else None
        if analyser is None:
            return [Tokens(self.pair.source, _lower(tokens)) for tokens in sentences]
        analyses = analyser.analyse(sentences)
        return [
            _tokens(self.pair.source, words, found) for words, found in zip(sentences, analyses, strict=True)
        ]

    def _targets(self, segments: Sequence[TaskSegment]) -> list[Tokens]:
        language = self.pair.target
        if not self.forms:
            return [_split(language, segment) for segment in segments]
        analyser = _analyser(language) if self.needs.target else None
        if analyser is None:
            return [Tokens(language, _lower(_marked(segment, HIDDEN))) for segment in segments]
        stand_in = _STAND_IN.get(language, HIDDEN)
        analyses = analyser.analyse([_marked(segment, stand_in) for segment in segments])
        return [
            _tokens(language, _marked(segment, HIDDEN), found)
            for segment, found in zip(segments, analyses, strict=True)
        ]


def _seen(segments: Sequence[TaskSegment], places: range, reach: int) -> list[int]:
    """The segments with slots, and those that scenes of them look back at, in order."""
    found: set[int] = set()
    for at in places:
        if segments[at].slots:
            found.add(at)
            found.update(_before(segments, at, reach))
    return sorted(found)


def _before(segments: Sequence[TaskSegment], at: int, reach: int) -> Iterator[int]:
    """The segments of the same document before one, nearest first; none where the document is not known."""
    document = segments[at].document
    if document is None:
        return
    for other in range(at - 1, max(at - 1 - reach, -1), -1):
        if segments[other].document != document:
            return
        yield other


def _scenes(here: Staged, before: tuple[Staged, ...]) -> Iterator[Scene]:
    for number, slot in enumerate(here.segment.slots):
        yield Scene(here, slot, number, before)


def _lower(tokens: Sequence[str]) -> tuple[str, ...]:
    return tuple(map(_told(str.lower), tokens))


def _nouns(tags: Sequence[str]) -> tuple[int, ...]:
    return tuple(compress(count(), map(NOUNS.__contains__, tags)))


def _marked(segment: TaskSegment, mark: str) -> tuple[str, ...]:
    """The target with one mark for all placeholders."""
    target = list(segment.target)
    for slot in segment.slots:
        target[slot.target] = mark
    return tuple(target)


def _tokens(language: str, words: Sequence[str], found: Analysis) -> Tokens:
    return Tokens(
        language,
        _lower(words),
        _lower(found.lemmas),
        found.tags,
        found.subjects,
        found.expletives,
        found.tree,
        _nouns(found.tags),
    )


def _split(language: str, segment: TaskSegment) -> Tokens:
    """Lemma and tag of every target token; a token without a tag has the tag `X`, a placeholder `PRON`."""
    lemmas = tuple(map(_told(_lemma_of), segment.target))
    tags = tuple(map(_told(_tag_of), segment.target))
    for slot in segment.slots:
        lemmas = (*lemmas[: slot.target], HIDDEN, *lemmas[slot.target + 1 :])
        tags = (*tags[: slot.target], "PRON", *tags[slot.target + 1 :])
    return Tokens(language, lemmas, lemmas, tags, nouns=_nouns(tags))


def _lemma_of(token: str) -> str:
    return (token.rsplit("|", 1)[0] if "|" in token[1:-1] else token).lower()


def _tag_of(token: str) -> str:
    return token.rsplit("|", 1)[1] if "|" in token[1:-1] else "X"
