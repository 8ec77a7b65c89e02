"""Words as numbers."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from itertools import chain

import numpy as np

from anaphor.align.model import Bitext, Ints, Longs
from anaphor.languages import FormMatcher, LanguagePack, fold

Parts = Callable[[str], tuple[str, ...]]
"""From a token to the words in it, folded."""


def whole_words(token: str) -> tuple[str, ...]:
    """The token itself: for languages without a pack."""
    return (fold(token),)


def split_clitics(pack: LanguagePack) -> Parts:
    """A function that cuts pronouns off the end of a word: `sentirla` is `sentir` and `la`.

    The host loses its written accent, which is there only because of the clitic: `déjala` is `deja`
    and `la`. A pronoun that stands alone stays whole.
    """
    forms_in = FormMatcher(pack, pack.inventory()).forms_in

    def parts(token: str) -> tuple[str, ...]:
        folded = fold(token)
        forms = forms_in(token)
        host = folded.removesuffix("".join(forms))
        if not forms or host in ("", folded):
            return (folded,)
        return (_without_acute(host), *forms)

    return parts


def _without_acute(text: str) -> str:
    decomposed = unicodedata.normalize("NFD", text).replace("\u0301", "")
    return unicodedata.normalize("NFC", decomposed)


class _Numbers(dict[str, tuple[int, ...]]):
    """The numbers of each distinct token's words; a new token is cut and numbered once."""

    def __init__(self, parts: Parts, of_form: dict[str, int]) -> None:
        super().__init__()
        self._parts, self._of_form = parts, of_form

    def __missing__(self, token: str) -> tuple[int, ...]:
        of_form = self._of_form
        found = self[token] = tuple(of_form.setdefault(part, len(of_form)) for part in self._parts(token))
        return found


class Vocabulary:
    """Numbers words in the order they are met; tokens with the same parts are the same words.

    It grows as long as `number` meets new words, and never forgets or renumbers one.
    """

    def __init__(self, parts: Parts, forms: Iterable[str] = ()) -> None:
        self._of_form = {form: number for number, form in enumerate(forms)}
        self._numbers = _Numbers(parts, self._of_form)

    def __len__(self) -> int:
        return len(self._of_form)

    @property
    def forms(self) -> list[str]:
        """Folded forms by number."""
        return list(self._of_form)

    def number(self, tokens: Sequence[str]) -> list[int]:
        """The numbers of a sentence's words, in order."""
        return list(chain.from_iterable(map(self._numbers.__getitem__, tokens)))

    def owners(self, tokens: Sequence[str]) -> list[int]:
        """For every word of a sentence the position of its token."""
        numbers = self._numbers
        return [position for position, token in enumerate(tokens) for _ in numbers[token]]


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
