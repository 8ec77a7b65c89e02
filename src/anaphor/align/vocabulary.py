"""Words as numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from anaphor.align.model import Bitext, Ints, Longs


class Vocabulary:
    """Numbers words in the order they are met; tokens with the same folded form are the same word.

    It grows as long as `number` meets new words, and never forgets or renumbers one.
    """

    def __init__(self, fold: Callable[[str], str], forms: Iterable[str] = ()) -> None:
        self._fold = fold
        self._of_form: dict[str, int] = {}
        self._of_token: dict[str, int] = {}
        for form in forms:
            self._of_form[form] = len(self._of_form)

    def __len__(self) -> int:
        return len(self._of_form)

    @property
    def forms(self) -> list[str]:
        """Folded forms by number."""
        return list(self._of_form)

    def find(self, form: str) -> int | None:
        """The number of a folded form, if it was met."""
        return self._of_form.get(form)

    def number(self, tokens: Sequence[str]) -> list[int]:
        """The numbers of a sentence's words."""
        known = self._of_token
        try:
            return [known[token] for token in tokens]
        except KeyError:
            return [self._meet(token) for token in tokens]

    def _meet(self, token: str) -> int:
        if token not in self._of_token:
            self._of_token[token] = self._of_form.setdefault(self._fold(token), len(self._of_form))
        return self._of_token[token]


def number_pairs(
    pairs: Iterable[tuple[Sequence[str], Sequence[str]]], *, source: Vocabulary, target: Vocabulary
) -> Bitext:
    """Tokenised sentence pairs as numbers."""
    sides: tuple[list[int], list[int]] = ([], [])
    starts: tuple[list[int], list[int]] = ([0], [0])
    for pair in pairs:
        for words, start, vocabulary, tokens in zip(sides, starts, (source, target), pair, strict=True):
            words.extend(vocabulary.number(tokens))
            start.append(len(words))
    return Bitext(_ints(sides[0]), _longs(starts[0]), _ints(sides[1]), _longs(starts[1]))


def _ints(values: list[int]) -> Ints:
    return np.array(values, dtype=np.int32)


def _longs(values: list[int]) -> Longs:
    return np.array(values, dtype=np.int64)
