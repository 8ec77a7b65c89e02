"""Word types, numbered once; what the network needs of a type is made when it is first met."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from anaphor.analyse.modelfile import Model
from anaphor.analyse.network import Floats, Ints
from anaphor.analyse.wordtypes import FEATURES, features_of, plain

#: Types that are remembered, about 1.5 kB each; a text with more makes the memory start anew.
MOST_TYPES = 1 << 16
#: Stands between sentences; no token is equal to it.
EMPTY = None
_UNKNOWN = -1


class WordTypes:
    """The types met so far: number, share in the first layer, lemma under each tag."""

    def __init__(self, model: Model, *, most: int) -> None:
        self._model, self._most = model, most
        self._rows = {feature: row for row, feature in enumerate(model.features, start=2)}
        self._vectors = {word: row for row, word in enumerate(model.words, start=1)}
        self._memory = _Memory(model, most)

    def number(self, tokens: Sequence[str | None]) -> Ints:
        """The number of every token, 0 for `EMPTY`. Numbers hold until the next call."""
        numbers = self._memory.numbers
        found = np.fromiter(map(numbers.get, tokens, repeat(_UNKNOWN)), np.int64, len(tokens))
        unknown = np.flatnonzero(found == _UNKNOWN).tolist()
        if unknown:
            forms = sorted({form for at in unknown if (form := tokens[at]) is not EMPTY})
            if len(numbers) + len(forms) > self._memory.room:
                self._memory = _Memory(self._model, max(self._most, len(set(tokens)) + 1))
                return self.number(tokens)
            self._memory.learn(forms, self._model.network.products(self._input(forms)))
            found[unknown] = [numbers[tokens[at]] for at in unknown]
        return found

    def products(self) -> Sequence[Floats]:
        """For each place of the first layer, a row for every type."""
        return self._memory.products

    def lemmas(self, types: Ints, tags: Ints) -> list[str]:
        """The lemma of every token with its tag."""
        memory, names = self._memory, self._model.tags
        keys = types * len(names) + tags
        unknown = np.unique(keys[~memory.has_lemma[keys]])
        for key in unknown.tolist():
            form, tag = divmod(key, len(names))
            memory.lemmas[key] = self._model.lemmas.lemma(memory.forms[form], names[tag])
        memory.has_lemma[unknown] = True
        found: list[str] = memory.lemmas[keys].tolist()
        return found

    def _input(self, forms: Sequence[str]) -> Floats:
        """What the first layer gets of each form: the sum of its features' rows, and its vector."""
        model, rows = self._model, self._rows
        features = np.array([[rows.get(feature, 1) for feature in features_of(form)] for form in forms])
        vectors = [self._vectors.get(plain(form), 0) for form in forms]
        found: Floats = model.table[features].sum(axis=1) + model.vectors[vectors] @ model.project
        return found


class _Memory:
    """Room for a number of types; the empty place is type 0."""

    def __init__(self, model: Model, room: int) -> None:
        self.room = room
        self.numbers: dict[str | None, int] = {EMPTY: 0}
        self.forms = [""]
        # Memory that nobody has written to costs nothing, so that all the room is taken at once.
        self.products = [
            np.empty((room, len(model.network.near_bias)), np.float32) for _ in model.network.places
        ]
        self.lemmas: NDArray[np.object_] = np.empty(room * len(model.tags), np.object_)
        self.has_lemma = np.zeros(room * len(model.tags), np.bool_)
        for place, row in enumerate(model.network.products(model.table[:1] * len(FEATURES))):
            self.products[place][0] = row

    def learn(self, forms: Sequence[str], products: Sequence[Floats]) -> None:
        first = len(self.forms)
        end = first + len(forms)
        for place, rows in enumerate(products):
            self.products[place][first:end] = rows
        self.numbers.update(zip(forms, range(first, end), strict=True))
        self.forms.extend(forms)
