"""From segments to scenes: analysed in batches, each sentence once, and only those that a group looks at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from anaphor.analyse import load_analyser
from anaphor.analyse.builtin import built_in_languages
from anaphor.core import Analysis, LanguagePair, TaskSegment
from anaphor.predict.features.needs import Needs
from anaphor.predict.features.places import places_of
from anaphor.predict.features.scene import HIDDEN, Scene, Staged, TaggedTokens, Tokens

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
