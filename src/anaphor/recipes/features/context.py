"""Slot contexts: one hidden pronoun with everything that features may look at, and how contexts are built.

Segments are analysed in batches, each sentence once, and only those that some feature group needs. Contexts
are named tuples because there is one for every slot of a text: building frozen dataclasses took three times
as long.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple, TypeAlias

from anaphor.analyse import load_analyser
from anaphor.analyse.builtin import built_in_languages
from anaphor.core import Analysis, LanguagePair, Slot, TaskSegment
from anaphor.recipes.features.tokens import HIDDEN, AnnotatedTokens, LemmaTagTokens, noun_places

_CHUNK = 2048
#: What stands in a gap while a target with word forms is analysed: the most frequent pronoun.
_STAND_IN = {"de": "es", "en": "it", "es": "lo", "fr": "il"}
#: What stands in a gap of a target with lemmas and tags.
_TAGGED = f"{HIDDEN}|PRON"
#: Analyses that are cached; two kilobytes each.
_CACHED = 1 << 17

Batch = Sequence[tuple[str, ...]]


class AnalysedSegment(NamedTuple):
    """A segment with its annotated tokens, and its position in the text, which may repeat a sentence."""

    segment: TaskSegment
    source: AnnotatedTokens
    target: AnnotatedTokens
    position: int = 0


class SlotContext(NamedTuple):
    """A slot in its segment, and the segments before it in the same document, the nearest first."""

    here: AnalysedSegment
    slot: Slot
    number: int
    before: tuple[AnalysedSegment, ...] = ()

    @property
    def pronoun(self) -> str:
        """The source token in lower case; `-` if the slot points outside the source."""
        source, at = self.here.source.written, self.slot.source
        return source[at].lower() if at < len(source) else "-"


#: Whether a feature group would find nothing else in a context that reaches further back.
IsSufficient: TypeAlias = Callable[[SlotContext], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirements:
    """Which sides must be analysed, and how many segments before the slot may be looked at.

    A context gets fewer segments once all of `sufficient` are true of it; without any, it gets them all.
    """

    source: bool = False
    target: bool = False
    sentences: int = 0
    sufficient: tuple[IsSufficient, ...] = ()


def joint_requirements(requirements: Iterable[Requirements]) -> Requirements:
    """Requirements that satisfy all of the given ones."""
    every = list(requirements)
    looking_back = [each.sufficient for each in every if each.sentences or each.sufficient]
    return Requirements(
        source=any(each.source for each in every),
        target=any(each.target for each in every),
        sentences=max((each.sentences for each in every), default=0),
        # One group that cannot say what is sufficient needs all segments.
        sufficient=tuple(check for checks in looking_back for check in checks) if all(looking_back) else (),
    )


class _CachingAnalyser:
    """The built-in analyser of a language, caching sentences for consecutive recipes."""

    def __init__(self, language: str) -> None:
        self._analyser = load_analyser("built-in", language=language)
        self._known: dict[tuple[str, ...], Analysis] = {}

    def analyse(self, sentences: Batch) -> list[Analysis]:
        fresh = [tokens for tokens in sentences if tokens not in self._known]
        if not fresh:
            return [self._known[tokens] for tokens in sentences]
        if len(self._known) + len(fresh) > _CACHED:
            self._known.clear()
            fresh = [*sentences]
        analyses = [*self._analyser.analyse(fresh)]
        self._known.update(zip(fresh, analyses, strict=True))
        return analyses if len(fresh) == len(sentences) else [self._known[tokens] for tokens in sentences]


@cache
def _analyser(language: str) -> _CachingAnalyser | None:
    """The one analyser of a language; None if the package has no model for it."""
    return _CachingAnalyser(language) if language in built_in_languages() else None


@dataclass(frozen=True, slots=True)
class ContextBuilder:
    """Builds the slot contexts of segments of one language pair.

    `forms` says that targets have word forms; otherwise they are split into lemma and tag and need no
    analysis.
    """

    pair: LanguagePair
    forms: bool
    requirements: Requirements

    def contexts(self, segments: Sequence[TaskSegment]) -> Iterator[SlotContext]:
        """One context for each slot of each segment, in order."""
        analysed: dict[int, AnalysedSegment] = {}
        for start in range(0, len(segments), _CHUNK):
            end = min(start + _CHUNK, len(segments))
            yield from self._contexts(segments, range(start, end), analysed)
            first = end - self.requirements.sentences
            analysed = {at: segment for at, segment in analysed.items() if at >= first}

    def _contexts(
        self, segments: Sequence[TaskSegment], places: range, analysed: dict[int, AnalysedSegment]
    ) -> Iterator[SlotContext]:
        """The contexts at some positions; `analysed` has the segments before them and receives new ones.

        All contexts look one segment back, then those for which that was not sufficient look at another one,
        and so on: each round is one batch for the analyser.
        """
        with_slots = [at for at in places if segments[at].slots]
        self._analyse(with_slots, segments, analysed)
        contexts = [
            (at, SlotContext(analysed[at], slot, number))
            for at in with_slots
            for number, slot in enumerate(segments[at].slots)
        ]
        sufficient = self.requirements.sufficient
        for back in range(1, self.requirements.sentences + 1):
            extended = []
            for number, (at, context) in enumerate(contexts):
                document = segments[at].document
                if (
                    len(context.before) == back - 1
                    and at - back >= 0
                    and document is not None
                    and segments[at - back].document == document
                    and not (sufficient and all(check(context) for check in sufficient))
                ):
                    extended.append(number)
            self._analyse([contexts[number][0] - back for number in extended], segments, analysed)
            for number in extended:
                at, (here, slot, which, before) = contexts[number]
                contexts[number] = at, SlotContext(here, slot, which, (*before, analysed[at - back]))
        return (context for _, context in contexts)

    def _analyse(
        self, places: Iterable[int], segments: Sequence[TaskSegment], analysed: dict[int, AnalysedSegment]
    ) -> None:
        """Add the segments at some positions, unless they are present."""
        fresh = [at for at in dict.fromkeys(places) if at not in analysed]
        chosen = [segments[at] for at in fresh]
        sources = self._sources([segment.source for segment in chosen])
        rows = map(AnalysedSegment, chosen, sources, self._targets(chosen), fresh)
        analysed.update(zip(fresh, rows, strict=True))

    def _sources(self, sentences: Batch) -> list[AnnotatedTokens]:
        language = self.pair.source
        analyser = _analyser(language) if self.requirements.source else None
        if analyser is None:
            return [AnnotatedTokens(language, tokens) for tokens in sentences]
        return _annotated(language, sentences, analyser.analyse(sentences), written=sentences)

    def _targets(self, segments: Sequence[TaskSegment]) -> list[AnnotatedTokens]:
        language = self.pair.target
        if not self.forms:
            sentences = [_marked(segment, _TAGGED) for segment in segments]
            places = noun_places(sentences, split=True)
            return [
                LemmaTagTokens(language, tokens, nouns=nouns, determiners=determiners)
                for tokens, (nouns, determiners) in zip(sentences, places, strict=True)
            ]
        marked = [_marked(segment, HIDDEN) for segment in segments]
        analyser = _analyser(language) if self.requirements.target else None
        if analyser is None:
            return [AnnotatedTokens(language, tokens) for tokens in marked]
        stand_in = _STAND_IN.get(language, HIDDEN)
        analyses = analyser.analyse([_marked(segment, stand_in) for segment in segments])
        return _annotated(language, marked, analyses, written=[segment.target for segment in segments])


def _marked(segment: TaskSegment, mark: str) -> tuple[str, ...]:
    """The target with the same mark for all placeholders."""
    if not segment.slots:
        return segment.target
    target = list(segment.target)
    for slot in segment.slots:
        target[slot.target] = mark
    return tuple(target)


def _annotated(
    language: str, sentences: Batch, analyses: Sequence[Analysis], *, written: Batch
) -> list[AnnotatedTokens]:
    places = noun_places([analysis.tags for analysis in analyses])
    rows = zip(sentences, analyses, places, written, strict=True)
    return [
        AnnotatedTokens(language, forms, analysis, nouns, determiners, as_written)
        for forms, analysis, (nouns, determiners), as_written in rows
    ]
