"""Words as numbers: how packs split tokens into words, and how sentence pairs become arrays."""

from __future__ import annotations

import unicodedata
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, islice
from pathlib import Path

import numpy as np

from anaphor.align.model import Bitext
from anaphor.align.pairs import checked_length
from anaphor.core import LanguagePair, Where
from anaphor.core.array_types import Ints, Longs
from anaphor.core.engine import has_native, native
from anaphor.languages import (
    FormMatcher,
    LanguagePack,
    PairPack,
    fold,
    known_languages,
    known_pairs,
    load_language,
    load_pair,
)

#: From a token to the words in it, folded.
Parts = Callable[[str], tuple[str, ...]]

#: So many pairs are numbered together: their tokens need not all be in memory.
PAIRS_AT_ONCE = 8192


def whole_words(token: str) -> tuple[str, ...]:
    """The token itself, for languages without a pack."""
    return (fold(token),)


def split_clitics(pack: LanguagePack) -> Parts:
    """Return a function that splits pronouns off the end of a word: `sentirla` is `sentir` and `la`.

    The host loses its written accent, which it only has because of the clitic: `déjala` is `deja` and `la`. A
    pronoun by itself stays whole. Words of the pack whose meaning changes with a capital (`Sie`) keep it.
    """
    cased = frozenset(pack.cased)
    forms_in = FormMatcher(pack, pack.inventory()).forms_in
    endings = tuple({fold(form) for form in pack.inventory()})

    def parts(token: str) -> tuple[str, ...]:
        if token in cased:
            return (token,)
        folded = fold(token)
        # Most words do not end like a pronoun and need not go through the matcher.
        if not folded.endswith(endings):
            return (folded,)
        forms = forms_in(token)
        host = folded.removesuffix("".join(forms))
        if not forms or host in ("", folded):
            return (folded,)
        unaccented = unicodedata.normalize("NFD", host).replace("\u0301", "")
        return (unicodedata.normalize("NFC", unaccented), *forms)

    return parts


def parts_of(pack: LanguagePack | None) -> Parts:
    """The function that splits tokens of a language into words."""
    return whole_words if pack is None else split_clitics(pack)


class _Codes(dict[str, int]):
    """The number of each distinct token's word; ~n for a token of several words, listed in `several[n]`."""

    def __init__(self, parts: Parts, of_form: dict[str, int]) -> None:
        super().__init__()
        self._parts, self._of_form = parts, of_form
        self.several: list[list[int]] = []

    def __missing__(self, token: str) -> int:
        of_form, parts = self._of_form, self._parts(token)
        if len(parts) == 1:
            code = of_form.setdefault(parts[0], len(of_form))
        else:
            code = ~len(self.several)
            self.several.append([of_form.setdefault(part, len(of_form)) for part in parts])
        self[token] = code
        return code


def token_codes(sentences: Sequence[Sequence[str]], codes: dict[str, int]) -> tuple[Ints, Longs]:
    """The codes of all tokens, sentence by sentence, and the number of tokens per sentence."""
    lengths = np.fromiter(map(len, sentences), np.int64, len(sentences))
    numbers = map(codes.__getitem__, chain.from_iterable(sentences))
    return np.fromiter(numbers, np.int32, int(lengths.sum())), lengths


class WordVocabulary:
    """Numbers words in order of first occurrence; tokens with the same parts are the same words.

    It grows whenever `number` meets new words, and never drops or renumbers one.
    """

    def __init__(self, parts: Parts, forms: Iterable[str] = ()) -> None:
        self._of_form = {form: number for number, form in enumerate(forms)}
        self._codes = _Codes(parts, self._of_form)

    def __len__(self) -> int:
        return len(self._of_form)

    @property
    def forms(self) -> list[str]:
        """Case-folded forms by number."""
        return list(self._of_form)

    def number_forms(self, forms: Iterable[str]) -> Ints:
        """The numbers of folded forms, each treated as one word; new forms get the next numbers."""
        of_form = self._of_form
        return np.array([of_form.setdefault(form, len(of_form)) for form in forms], np.int32)

    def number(self, sentences: Sequence[Sequence[str]]) -> NumberedSide:
        """The words of sentences as numbers."""
        codes, lengths = (native.token_codes if has_native() else token_codes)(sentences, self._codes)
        split = np.flatnonzero(codes < 0)
        if len(split) == 0:
            return NumberedSide(codes, lengths, np.empty(0, np.int64))
        # Put the words of the tokens at `split` in their places.
        several = [self._codes.several[~code] for code in codes[split].tolist()]
        sizes = np.ones(len(codes), np.int64)
        sizes[split] = [len(words) for words in several]
        first = np.cumsum(sizes) - sizes
        words = np.repeat(codes, sizes)
        inside = np.repeat(first[split], sizes[split])
        place = np.arange(len(inside)) - np.repeat(np.cumsum(sizes[split]) - sizes[split], sizes[split])
        words[inside + place] = list(chain.from_iterable(several))
        sentence = np.repeat(np.arange(len(lengths)), lengths)
        lengths = np.bincount(sentence, weights=sizes, minlength=len(lengths)).astype(np.int64)
        return NumberedSide(words, lengths, (inside + place)[place > 0])


@dataclass(frozen=True, slots=True, eq=False)
class NumberedSide:
    """The words of sentences, their number per sentence, and the positions of words that share a token with
    the preceding word.
    """

    words: Ints
    lengths: Longs
    inside: Longs


@dataclass(frozen=True, slots=True, eq=False)
class NumberedBitext:
    """Sentence pairs as numbers; `inside` are positions of words in the same token as the preceding one."""

    text: Bitext
    source_inside: Longs
    target_inside: Longs

    def __len__(self) -> int:
        return len(self.text)

    def batches(self, pairs: int) -> Iterator[NumberedBitext]:
        """The first pairs in batches of PAIRS_AT_ONCE; the last batch may be smaller."""
        text = self.text
        for first in range(0, pairs, PAIRS_AT_ONCE):
            last = min(first + PAIRS_AT_ONCE, pairs)
            sides, inside = [], []
            for words, start, places in (
                (text.source, text.source_start, self.source_inside),
                (text.target, text.target_start, self.target_inside),
            ):
                begin, end = start[first], start[last]
                sides += [words[begin:end], start[first : last + 1] - begin]
                inside.append(places[np.searchsorted(places, begin) : np.searchsorted(places, end)] - begin)
            yield NumberedBitext(Bitext(*sides), *inside)


def number_pairs(
    pairs: Iterable[tuple[Sequence[str], Sequence[str]]], *, source: WordVocabulary, target: WordVocabulary
) -> NumberedBitext:
    """Number tokenized sentence pairs; they are read once and not stored."""
    # Arrays that grow in place, so that a large text is never in memory twice.
    sides = [(vocabulary, array("i"), array("q", [0]), array("q")) for vocabulary in (source, target)]
    count = 0
    for batch in batches(pairs):
        for number, pair in enumerate(batch, start=count + 1):
            for tokens in pair:
                checked_length(tokens, Where("sentence pair", number))
        count += len(batch)
        for at, (vocabulary, words, starts, inside) in enumerate(sides):
            side, before = vocabulary.number([pair[at] for pair in batch]), len(words)
            words.frombytes(side.words.tobytes())
            starts.frombytes((np.cumsum(side.lengths) + before).tobytes())
            inside.frombytes((side.inside + before).tobytes())
    (_, *own), (_, *other) = sides
    source_words, target_words = np.frombuffer(own[0], np.int32), np.frombuffer(other[0], np.int32)
    source_start, source_inside, target_start, target_inside = (
        np.frombuffer(numbers, np.int64) for numbers in (*own[1:], *other[1:])
    )
    bitext = Bitext(source_words, source_start, target_words, target_start)
    return NumberedBitext(bitext, source_inside, target_inside)


def batches(
    pairs: Iterable[tuple[Sequence[str], Sequence[str]]],
) -> Iterator[list[tuple[Sequence[str], Sequence[str]]]]:
    """The pairs in lists of PAIRS_AT_ONCE; the last may be shorter."""
    remaining = iter(pairs)
    while batch := list(islice(remaining, PAIRS_AT_ONCE)):
        yield batch


@dataclass(frozen=True, slots=True, eq=False)
class Packs:
    """The language packs of the source language, the target language and the pair."""

    source: LanguagePack | None = None
    target: LanguagePack | None = None
    pair: PairPack | None = None

    @classmethod
    def of(cls, pack: PairPack) -> Packs:
        """Everything in the pack of a pair."""
        return cls(pack.source, pack.target, pack)

    def vocabularies(self) -> tuple[WordVocabulary, WordVocabulary]:
        """Two empty vocabularies, which split tokens as the packs say."""
        return WordVocabulary(parts_of(self.source)), WordVocabulary(parts_of(self.target))


@cache
def load_packs(pair: LanguagePair | None, folder: Path | None = None) -> Packs:
    """All existing packs of a pair, each from `folder` if it is there."""
    if pair is None:
        return Packs()
    if str(pair) in known_pairs(folder):
        return Packs.of(load_pair(pair, folder=folder))
    known = known_languages(folder)
    source, target = (
        load_language(code, folder=folder) if code in known else None for code in (pair.source, pair.target)
    )
    return Packs(source, target)
