"""The analyser that ships with the package: English, French, German and Spanish, NumPy alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from anaphor.analyse.answers import finder
from anaphor.analyse.modelfile import NULLS, ROLES, Model, read_model
from anaphor.analyse.network import GAP, Bools, Ints
from anaphor.analyse.numbering import EMPTY, MOST_TYPES, WordTypes
from anaphor.analyse.signing import signed
from anaphor.core import Analysis, MismatchError, Signature, UnknownNameError, digest

_MODELS = Path(__file__).parent / "models"
#: Tokens analysed at once: enough for NumPy, few enough for the processor's cache.
BATCH = 4096
_NOTHING: frozenset[int] = frozenset()


class BuiltInAnalyser:
    """Tags, lemmas, subjects, expletives and left-out subjects of tokens, without a tree."""

    name = "built-in"

    def __init__(self, model: Model, *, hash_of_model: str, most_types: int = MOST_TYPES) -> None:
        self._model, self._hash = model, hash_of_model
        self._types = WordTypes(model, most=most_types)
        self._tags = np.array(model.tags, object)
        self._answers = finder(model.network, (len(model.tags), ROLES, NULLS))

    def analyse(self, sentences: Iterable[Sequence[str]]) -> Iterator[Analysis]:
        """One analysis for each sentence, in order; sentences are read some hundreds ahead."""
        batch: list[Sequence[str]] = []
        size = 0
        for sentence in sentences:
            batch.append(sentence)
            size += len(sentence) + GAP
            if size >= BATCH:
                yield from self._analyse(batch)
                batch, size = [], 0
        if batch:
            yield from self._analyse(batch)

    def signature(self) -> Signature:
        """Names the model by its content."""
        return signed(self.name, language=self._model.language, model=self._hash)

    def _analyse(self, sentences: Sequence[Sequence[str]]) -> Iterator[Analysis]:
        flat, starts = _in_one_row(sentences)
        if len(flat) == GAP * (len(sentences) + 1):
            return (Analysis((), ()) for _ in sentences)  # there is not a single token
        types = self._types.number(flat)
        answers = self._answers(self._types.products(), types)
        return self._read(answers, types[GAP:-GAP], starts, sentences)

    def _read(
        self, answers: list[Ints], types: Ints, starts: Sequence[int], sentences: Sequence[Sequence[str]]
    ) -> Iterator[Analysis]:
        """What each head answers for each token, cut into sentences."""
        tag, role, null = answers
        # Slices of a tuple are tuples, those of a list would be copied once more.
        lemmas, tags = tuple(self._types.lemmas(types, tag)), tuple(self._tags[tag].tolist())
        real = types > 0
        subjects, expletives, left_out = (
            _by_sentence(marked & real, starts) for marked in (role > 0, role == ROLES - 1, null > 0)
        )
        for number, (start, sentence) in enumerate(zip(starts, sentences, strict=True)):
            end = start + len(sentence)
            yield Analysis(
                lemmas[start:end],
                tags[start:end],
                subjects.get(number, _NOTHING),
                expletives.get(number, _NOTHING),
                left_out.get(number, _NOTHING),
            )


def _in_one_row(sentences: Sequence[Sequence[str]]) -> tuple[list[str | None], list[int]]:
    """All tokens with `GAP` empty places before, between and after; starts are counted after the first."""
    gap = [EMPTY] * GAP
    flat: list[str | None] = list(gap)
    starts = []
    for sentence in sentences:
        starts.append(len(flat) - GAP)
        flat += sentence
        flat += gap
    return flat, starts


def _by_sentence(marked: Bools, starts: Sequence[int]) -> dict[int, frozenset[int]]:
    """The marked places of each sentence that has some, counted from its start."""
    places: Ints = np.flatnonzero(marked)
    first = np.asarray(starts, np.int64)
    sentence = np.searchsorted(first, places, side="right") - 1
    inside = (places - first[sentence]).tolist()
    cuts = np.searchsorted(places, first)
    groups: dict[int, frozenset[int]] = {}
    for number, (start, end) in enumerate(pairwise((*cuts.tolist(), len(inside)))):
        if start < end:
            groups[number] = frozenset(inside[start:end])
    return groups


def built_in_languages() -> tuple[str, ...]:
    """The languages that have a model in the package."""
    return tuple(sorted(path.stem for path in _MODELS.glob("*.npz")))


def build(language: str, model: str | None) -> BuiltInAnalyser:
    """The analyser of a language; `model` is the path of other weights than those that ship."""
    if model is None and language not in built_in_languages():
        raise UnknownNameError.among(
            language, built_in_languages(), kind="language of the built-in analyser", where="--analyser"
        )
    path = _MODELS / f"{language}.npz" if model is None else Path(model)
    found = read_model(path)
    if found.language != language:
        raise MismatchError(
            f"the model is for {found.language}, not {language}",
            where=str(path),
            fix="give the model of this language",
        )
    return BuiltInAnalyser(found, hash_of_model=digest([path.read_bytes()]))
