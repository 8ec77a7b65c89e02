"""One hidden pronoun with all that features may look at.

Some of it is made for every segment of a text: named tuples take a third of the time that frozen dataclasses
take, and what is said of all tokens of a segment is made when it is first asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, pairwise
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from anaphor.analyse import load_analyser
from anaphor.analyse.builtin import built_in_languages
from anaphor.core import Analysis, LanguagePair, Slot, TaskSegment
from anaphor.predict.features.tokens import Told, lowered, split_lemma, split_lemmas, split_tag, split_tags

#: Stands for any placeholder among the words of a target; the same in lower case.
HIDDEN = "<gap>"
#: Stands before the first and behind the last token.
OUTSIDE = "<>"
NOUNS = frozenset({"NOUN", "PROPN"})
_NOT_ANALYSED = Analysis((), ())


class Tokens:
    """One side of a segment.

    Words and lemmas come in lower case, however they were given. The analysis is of the words, and empty
    where no group asked for one. `nouns` and `determiners` are places. Words are `inflected` unless they are
    lemmas. `written` has the tokens of the file, placeholders among them.

    Of most segments little more than a noun, or what is near a pronoun, is looked at. So what is said of all
    tokens is made when it is first asked for; `word`, `lemma` and `tag` say it of one, and `cut` of a few.
    """

    __slots__ = ("_forms", "_lower", "_words", "analysis", "determiners", "language", "nouns", "written")
    inflected = True

    def __init__(
        self,
        language: str,
        forms: tuple[str, ...],
        analysis: Analysis = _NOT_ANALYSED,
        nouns: Sequence[int] = (),
        determiners: Sequence[int] = (),
        written: tuple[str, ...] | None = None,
    ) -> None:
        self.language, self.analysis = language, analysis
        self.nouns, self.determiners = nouns, determiners
        self.written = forms if written is None else written
        self._forms = forms
        self._words: tuple[str, ...] | None = None
        self._lower: tuple[str, ...] | None = None

    def __len__(self) -> int:
        return len(self._forms)

    @property
    def words(self) -> tuple[str, ...]:
        """Every token."""
        if self._words is None:
            self._words = lowered(self._forms)
        return self._words

    @property
    def lemmas(self) -> tuple[str, ...]:
        """Every lemma."""
        if self._lower is None:
            self._lower = lowered(self.analysis.lemmas)
        return self._lower

    @property
    def tags(self) -> tuple[str, ...]:
        """Every part of speech."""
        return self.analysis.tags

    def cut(self, layer: str, start: int, end: int) -> tuple[str, ...]:
        """What a layer, `word`, `lemma` or `tag`, has from one place to another, as far as there is any."""
        if layer == "tag":
            return self.analysis.tags[start:end]
        return lowered((self._forms if layer == "word" else self.analysis.lemmas)[start:end])

    def word(self, place: int) -> str:
        return self._forms[place].lower()

    def lemma(self, place: int) -> str:
        return self.analysis.lemmas[place].lower()

    def tag(self, place: int) -> str:
        return self.analysis.tags[place]

    def is_lemma(self, place: int) -> bool:
        """Whether a word is its own lemma."""
        return self._forms[place].lower() == self.analysis.lemmas[place].lower()


class TaggedTokens(Tokens):
    """The target of a file that has `lemma|TAG` for every token."""

    __slots__ = ("_tags",)
    inflected = False

    def __init__(
        self, language: str, forms: tuple[str, ...], nouns: Sequence[int], determiners: Sequence[int]
    ) -> None:
        super().__init__(language, forms, nouns=nouns, determiners=determiners)
        self._tags: tuple[str, ...] | None = None

    @property
    def words(self) -> tuple[str, ...]:
        if self._words is None:
            self._words = split_lemmas(self._forms)
        return self._words

    @property
    def lemmas(self) -> tuple[str, ...]:
        """The words, the same object."""
        return self.words

    @property
    def tags(self) -> tuple[str, ...]:
        if self._tags is None:
            self._tags = split_tags(self._forms)
        return self._tags

    def cut(self, layer: str, start: int, end: int) -> tuple[str, ...]:
        return (split_tags if layer == "tag" else split_lemmas)(self._forms[start:end])

    def word(self, place: int) -> str:
        return split_lemma(self._forms[place])

    def lemma(self, place: int) -> str:
        return split_lemma(self._forms[place])

    def tag(self, place: int) -> str:
        return split_tag(self._forms[place])

    def is_lemma(self, place: int) -> bool:  # noqa: ARG002 - whatever stands there
        return True


class Staged(NamedTuple):
    """A segment with what was said of its tokens."""

    segment: TaskSegment
    source: Tokens
    target: Tokens


class Scene(NamedTuple):
    """A slot in its segment, and the segments before it in the same document, the nearest first."""

    here: Staged
    slot: Slot
    number: int
    before: tuple[Staged, ...] = ()

    @property
    def pronoun(self) -> str:
        """The source token in lower case; `-` where the slot points outside of the source."""
        source, at = self.here.source.written, self.slot.source
        return source[at].lower() if at < len(source) else "-"


Enough: TypeAlias = Callable[[Scene], bool]
"""Whether a group would say the same of a scene that reaches further back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """Whether the tokens of each side are analysed, and how many segments before are looked at.

    A scene gets fewer segments as soon as all of `enough` say so; where there are none, it gets them all.
    """

    source: bool = False
    target: bool = False
    sentences: int = 0
    enough: tuple[Enough, ...] = ()


def joined(needs: Iterable[Needs]) -> Needs:
    """What is enough for all."""
    found = list(needs)
    back = [one.enough for one in found if one.sentences or one.enough]
    return Needs(
        source=any(one.source for one in found),
        target=any(one.target for one in found),
        sentences=max((one.sentences for one in found), default=0),
        enough=tuple(ask for asked in back for ask in asked) if all(back) else (),
    )


Places: TypeAlias = list[int]
_NOUN, _DETERMINER, _OTHER = 1, 2, 0


def _kind(tag: str) -> int:
    return _NOUN if tag in NOUNS else _DETERMINER if tag == "DET" else _OTHER


def _kind_of_tagged(token: str) -> int:
    return _kind(split_tag(token))


@cache
def _kinds(*, split: bool) -> Mapping[str, int]:
    return Told(_kind_of_tagged if split else _kind)


def places_of(sentences: Sequence[Sequence[str]], *, split: bool = False) -> Iterator[tuple[Places, Places]]:
    """The places of nouns and of determiners in every sentence of tags, or of `lemma|TAG` with `split`.

    All sentences are looked through at once, which takes half the time of one after another.
    """
    ends = np.cumsum([0, *map(len, sentences)])
    tokens = map(_kinds(split=split).__getitem__, chain.from_iterable(sentences))
    kinds = np.frombuffer(bytes(tokens), np.uint8)  # faster than `fromiter`, number by number
    return zip(_cut(kinds == _NOUN, ends), _cut(kinds == _DETERMINER, ends), strict=True)


def _cut(marked: NDArray[np.bool_], ends: NDArray[np.int64]) -> Iterator[Places]:
    """The marked places of each sentence, counted from its start."""
    found = np.flatnonzero(marked)
    cuts = np.searchsorted(found, ends)
    inside: Places = (found - np.repeat(ends[:-1], np.diff(cuts))).tolist()
    return (inside[start:end] for start, end in pairwise(cuts.tolist()))


_CHUNK = 2048
#: What stands in a gap while a target with word forms is analysed: the most frequent pronoun.
_STAND_IN = {"de": "es", "en": "it", "es": "lo", "fr": "il"}
#: What stands in a gap of a target with lemmas and tags.
_TAGGED = f"{HIDDEN}|PRON"
#: Analyses that are remembered; two kilobytes each.
_REMEMBERED = 1 << 17

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
        staged: dict[int, Staged] = {}
        for start in range(0, len(segments), _CHUNK):
            end = min(start + _CHUNK, len(segments))
            yield from self._scenes(segments, range(start, end), staged)
            staged = {at: found for at, found in staged.items() if at >= end - self.needs.sentences}

    def _scenes(
        self, segments: Sequence[TaskSegment], places: range, staged: dict[int, Staged]
    ) -> Iterator[Scene]:
        """The scenes at some places; `staged` has what came before them, and gets what they look at.

        All scenes look one segment back, then those for which that was not enough look at another, and so on.
        """
        hidden = [at for at in places if segments[at].slots]
        self._add(hidden, segments, staged)
        scenes = [(at, scene) for at in hidden for scene in _alone(staged[at])]
        for back in range(1, self.needs.sentences + 1):
            asking = [
                number
                for number, (at, scene) in enumerate(scenes)
                if len(scene.before) == back - 1
                and _in_one_document(segments, at, at - back)
                and not self._is_enough(scene)
            ]
            self._add([scenes[number][0] - back for number in asking], segments, staged)
            for number in asking:
                at, (here, slot, which, before) = scenes[number]
                scenes[number] = at, Scene(here, slot, which, (*before, staged[at - back]))
        return (scene for _, scene in scenes)

    def _is_enough(self, scene: Scene) -> bool:
        """Whether no group would see more further back."""
        for enough in self.needs.enough:
            if not enough(scene):
                return False
        return bool(self.needs.enough)

    def _add(self, places: Iterable[int], segments: Sequence[TaskSegment], staged: dict[int, Staged]) -> None:
        """Stage the segments at some places, unless they are."""
        fresh = [at for at in dict.fromkeys(places) if at not in staged]
        chosen = [segments[at] for at in fresh]
        sources = self._sources([segment.source for segment in chosen])
        staged.update(zip(fresh, map(Staged, chosen, sources, self._targets(chosen)), strict=True))

    def _sources(self, sentences: Batch) -> list[Tokens]:
        language = self.pair.source
        analyser = _analyser(language) if self.needs.source else None
        if analyser is None:
            return [Tokens(language, tokens) for tokens in sentences]
        return _analysed(language, sentences, analyser.analyse(sentences), written=sentences)

    def _targets(self, segments: Sequence[TaskSegment]) -> list[Tokens]:
        language = self.pair.target
        if not self.forms:
            return _split(language, [_marked(segment, _TAGGED) for segment in segments])
        marked = [_marked(segment, HIDDEN) for segment in segments]
        analyser = _analyser(language) if self.needs.target else None
        if analyser is None:
            return [Tokens(language, tokens) for tokens in marked]
        stand_in = _STAND_IN.get(language, HIDDEN)
        analyses = analyser.analyse([_marked(segment, stand_in) for segment in segments])
        return _analysed(language, marked, analyses, written=[segment.target for segment in segments])


def _in_one_document(segments: Sequence[TaskSegment], at: int, other: int) -> bool:
    """Whether both are segments of the same document; not where it is not known."""
    document = segments[at].document
    return other >= 0 and document is not None and segments[other].document == document


def _alone(here: Staged) -> Iterator[Scene]:
    """The scenes of a segment, without what is before it."""
    for number, slot in enumerate(here.segment.slots):
        yield Scene(here, slot, number)


def _marked(segment: TaskSegment, mark: str) -> tuple[str, ...]:
    """The target with one mark for all placeholders."""
    if not segment.slots:
        return segment.target
    target = list(segment.target)
    for slot in segment.slots:
        target[slot.target] = mark
    return tuple(target)


def _analysed(
    language: str, sentences: Batch, analyses: Sequence[Analysis], *, written: Batch
) -> list[Tokens]:
    places = places_of([found.tags for found in analyses])
    rows = zip(sentences, analyses, places, written, strict=True)
    return [
        Tokens(language, forms, found, nouns, determiners, as_written)
        for forms, found, (nouns, determiners), as_written in rows
    ]


def _split(language: str, sentences: Batch) -> list[Tokens]:
    places = places_of(sentences, split=True)
    return [TaggedTokens(language, forms, *found) for forms, found in zip(sentences, places, strict=True)]
