"""The analyser that ships with the package: English, French, German and Spanish, with NumPy alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise, repeat
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from anaphor.analyse.contract import analyser_signature
from anaphor.analyse.modelfile import NULLS, ROLES, AnalyserModel, read_model
from anaphor.analyse.network import GAP, finder
from anaphor.analyse.wordforms import FEATURES, features_of, plain
from anaphor.core import Analysis, MismatchError, Signature, UnknownNameError, digest
from anaphor.core.array_types import Bools, Floats, Longs
from anaphor.core.learned import learned_components

#: Types that are cached, about 1.5 kB each; a text with more empties the cache.
MOST_TYPES = 1 << 16
#: Tokens analysed at once: enough for NumPy, few enough for the processor's cache.
BATCH = 4096
#: Stands between sentences; no token is equal to it.
EMPTY = None

_UNKNOWN = -1
_NOTHING: frozenset[int] = frozenset()


class BuiltInAnalyser:
    """Tags, lemmas, subjects, expletives and null subjects of tokens, without a tree."""

    name = "built-in"

    def __init__(self, model: AnalyserModel, *, hash_of_model: str, most_types: int = MOST_TYPES) -> None:
        self._model, self._hash = model, hash_of_model
        self._types = WordTypes(model, most=most_types)
        self._tags = np.array(model.tags, object)
        self._answers = finder(model.network, (len(model.tags), ROLES, NULLS))

    def analyse(self, sentences: Iterable[Sequence[str]]) -> Iterator[Analysis]:
        """One analysis per sentence, in order; sentences are read a few hundred ahead."""
        for batch in _batches(sentences):
            if any(batch):
                yield from self._read(*self._answer(batch), batch)
            else:  # there is not a single token
                yield from (Analysis((), ()) for _ in batch)

    def tags(self, sentences: Iterable[Sequence[str]]) -> Iterator[tuple[str, ...]]:
        """The tags of each sentence, as in `analyse` but without computing lemmas and subjects."""
        for batch in _batches(sentences):
            if any(batch):
                (tag, _, _), _, starts = self._answer(batch)
                tags = tuple(self._tags[tag].tolist())
                yield from (tags[at : at + len(words)] for at, words in zip(starts, batch, strict=True))
            else:
                yield from (() for _ in batch)

    def signature(self) -> Signature:
        """Identifies the model by its content."""
        return analyser_signature(self.name, language=self._model.language, model=self._hash)

    def _answer(self, sentences: Sequence[Sequence[str]]) -> tuple[list[Longs], Longs, list[int]]:
        """The output of each head for each token, the token types, and the sentence starts."""
        # All tokens in one row, with `GAP` empty places before, between and after sentences; starts are
        # counted after the first gap.
        gap = [EMPTY] * GAP
        flat: list[str | None] = list(gap)
        starts = []
        for sentence in sentences:
            starts.append(len(flat) - GAP)
            flat += sentence
            flat += gap
        types = self._types.number(flat)
        answers = self._answers(self._types.products, types)
        return answers, types[GAP:-GAP], starts

    def _read(
        self, answers: list[Longs], types: Longs, starts: Sequence[int], sentences: Sequence[Sequence[str]]
    ) -> Iterator[Analysis]:
        """The answers of each head for each token, divided into sentences."""
        tag, role, null = answers
        # Slices of a tuple are tuples, those of a list would be copied once more.
        lemmas, tags = tuple(self._types.lemmas(types, tag)), tuple(self._tags[tag].tolist())
        real = types > 0
        subjects, expletives, null_subjects = (
            _by_sentence(marked & real, starts) for marked in (role > 0, role == ROLES - 1, null > 0)
        )
        for number, (start, sentence) in enumerate(zip(starts, sentences, strict=True)):
            end = start + len(sentence)
            yield Analysis(
                lemmas[start:end],
                tags[start:end],
                subjects.get(number, _NOTHING),
                expletives.get(number, _NOTHING),
                null_subjects.get(number, _NOTHING),
            )


def _batches(sentences: Iterable[Sequence[str]]) -> Iterator[list[Sequence[str]]]:
    """Sentences that are analysed together."""
    batch: list[Sequence[str]] = []
    size = 0
    for sentence in sentences:
        batch.append(sentence)
        size += len(sentence) + GAP
        if size >= BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _by_sentence(marked: Bools, starts: Sequence[int]) -> dict[int, frozenset[int]]:
    """The marked positions of each sentence that has any, counted from its start."""
    places: Longs = np.flatnonzero(marked)
    first = np.asarray(starts, np.int64)
    sentence = np.searchsorted(first, places, side="right") - 1
    inside = (places - first[sentence]).tolist()
    bounds = pairwise((*np.searchsorted(places, first).tolist(), len(inside)))
    return {number: frozenset(inside[start:end]) for number, (start, end) in enumerate(bounds) if start < end}


class WordTypes:
    """The types seen so far: number, share in the first layer, lemma under each tag.

    What the network needs of a type is computed when it first occurs.
    """

    def __init__(self, model: AnalyserModel, *, most: int) -> None:
        self._model, self._most = model, most
        self._rows = {feature: row for row, feature in enumerate(model.features, start=2)}
        self._vectors = {word: row for row, word in enumerate(model.words, start=1)}
        self._forget(most)

    def _forget(self, size: int) -> None:
        """Make room for `size` types; type 0 is the empty position."""
        network, tags = self._model.network, len(self._model.tags)
        self._numbers: dict[str | None, int] = {EMPTY: 0}
        self._forms = [""]
        # Pages that were never written to cost no memory, so that everything is allocated at once.
        #: For each place of the first layer, a row for every type.
        self.products = [np.empty((size, len(network.near_bias)), np.float32) for _ in network.places]
        self._lemmas: NDArray[np.object_] = np.empty(size * tags, np.object_)
        self._has_lemma = np.zeros(size * tags, np.bool_)
        empty = network.products(self._model.table[:1] * len(FEATURES))
        for products, row in zip(self.products, empty, strict=True):
            products[0] = row

    def number(self, tokens: Sequence[str | None]) -> Longs:
        """The number of every token, 0 for `EMPTY`. Numbers are valid until the next call."""
        numbers = self._numbers
        known = np.fromiter(map(numbers.get, tokens, repeat(_UNKNOWN)), np.int64, len(tokens))
        unknown = np.flatnonzero(known == _UNKNOWN).tolist()
        if unknown:
            forms = sorted({form for at in unknown if (form := tokens[at]) is not EMPTY})
            first, end = len(numbers), len(numbers) + len(forms)
            if end > len(self.products[0]):
                self._forget(max(self._most, len(set(tokens)) + 1))
                return self.number(tokens)
            # The first layer gets the sum of the rows of a form's features, and its vector.
            model, rows = self._model, self._rows
            features = np.array([[rows.get(feature, 1) for feature in features_of(form)] for form in forms])
            vectors = [self._vectors.get(plain(form), 0) for form in forms]
            inputs: Floats = model.table[features].sum(axis=1) + model.vectors[vectors] @ model.project
            for products, new in zip(self.products, model.network.products(inputs), strict=True):
                products[first:end] = new
            numbers.update(zip(forms, range(first, end), strict=True))
            self._forms.extend(forms)
            known[unknown] = [numbers[tokens[at]] for at in unknown]
        return known

    def lemmas(self, types: Longs, tags: Longs) -> list[str]:
        """The lemma of every token with its tag."""
        names = self._model.tags
        keys = types * len(names) + tags
        unknown = np.unique(keys[~self._has_lemma[keys]])
        for key in unknown.tolist():
            form, tag = divmod(key, len(names))
            self._lemmas[key] = self._model.lemmas.lemma(self._forms[form], names[tag])
        self._has_lemma[unknown] = True
        lemmas: list[str] = self._lemmas[keys].tolist()
        return lemmas


def built_in_languages() -> tuple[str, ...]:
    """The languages that have a model in the package."""
    return tuple(sorted(_shipped()))


def _shipped() -> dict[str, Path]:
    """The models in the package by language."""
    return {
        name: path
        for name, folder in learned_components("analyse/models").items()
        if (path := folder / "weights.safetensors.gz").is_file()
    }


@cache  # several parts of a run ask for the same analyser
def _shipped_model(language: str) -> tuple[AnalyserModel, str]:
    """The model of a language, and the hash of its file."""
    path = _shipped()[language]
    return read_model(path), digest([path.read_bytes()])


def build(language: str, model: str | None) -> BuiltInAnalyser:
    """The analyser of a language; `model` is the path of weights other than the shipped ones."""
    if model is None and language not in built_in_languages():
        raise UnknownNameError.among(
            language, built_in_languages(), kind="language of the built-in analyser", where="--analyser"
        )
    if model is None:
        tagger, hash_of_model = _shipped_model(language)
        return BuiltInAnalyser(tagger, hash_of_model=hash_of_model)
    path = Path(model)
    tagger = read_model(path)
    if tagger.language != language:
        raise MismatchError(
            f"the model is for {tagger.language}, not {language}",
            where=str(path),
            fix="pass the model for this language",
        )
    return BuiltInAnalyser(tagger, hash_of_model=digest([path.read_bytes()]))
