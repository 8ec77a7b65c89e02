"""Words as numbers: the token fields that a network reads, and their known values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from anaphor.core import InputError
from anaphor.core.array_types import Longs
from anaphor.languages import fold
from anaphor.recipes.neural.contexts import ContextArrays, TokenArrays

#: No token, and a value that was too rare in training.
PADDING, UNKNOWN = 0, 1
_SPECIAL = ("", "\ufffd")

Row = tuple[str, ...]
#: For every field, its side and its value in the row of a type.
FIELDS: Mapping[str, tuple[str, Callable[[Row], str]]] = {
    "source.word": ("source", lambda row: fold(row[0])),
    "source.lemma": ("source", lambda row: row[1]),
    "source.tag": ("source", lambda row: row[2]),
    "source.role": ("source", lambda row: row[3] or "-"),
    "target.word": ("target", lambda row: row[0]),
    "target.tag": ("target", lambda row: row[1] or "-"),
    "target.word+tag": ("target", lambda row: f"{row[0]}|{row[1]}"),
}
#: Not a field of a token but of every letter of a source form.
CHARACTERS = "characters"
#: How many letters of a form are read; of a longer one the two ends, which say most.
LETTERS = 16


@dataclass(frozen=True)
class FieldVocabulary:
    """The known values of a field, most frequent first; numbers 0 and 1 are padding and unknown."""

    words: tuple[str, ...]

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        return {word: number for number, word in enumerate((*_SPECIAL, *self.words))}

    @classmethod
    def learn(cls, counts: Mapping[str, int], *, least: int, most: int) -> FieldVocabulary:
        """At most `most` values seen at least `least` times, by frequency, ties in alphabetical order."""
        kept = sorted((word for word, n in counts.items() if n >= least), key=lambda w: (-counts[w], w))
        return cls(tuple(word for word in kept[:most] if word not in _SPECIAL))

    def __len__(self) -> int:
        return len(self.words) + len(_SPECIAL)

    def number(self, word: str) -> int:
        return self.numbers.get(word, UNKNOWN)


Vocabularies = Mapping[str, FieldVocabulary]


def learn_vocabularies(
    contexts: ContextArrays, names: Sequence[str], *, least: int, most: int
) -> Vocabularies:
    """One vocabulary per field, from the tokens of the training data."""
    vocabularies = {}
    for name in names:
        side, value = FIELDS.get(name, ("source", None))
        text = contexts.source if side == "source" else contexts.target
        frequencies = np.bincount(text.tokens, minlength=len(text.types)).tolist()
        counts: Counter[str] = Counter()
        for row, times in zip(text.types[1:], frequencies[1:], strict=True):
            for word in row[0] if value is None else (value(row),):
                counts[word] += times
        vocabularies[name] = FieldVocabulary.learn(counts, least=least, most=most)
    return vocabularies


def numbered(text: TokenArrays, name: str, vocabulary: FieldVocabulary) -> Longs:
    """The number of every token's value of a field; padding at position 0."""
    value = FIELDS[name][1]
    table = [PADDING, *(vocabulary.number(value(row)) for row in text.types[1:])]
    numbers: Longs = np.array(table, np.int64)[text.tokens]
    return numbers


def lettered(text: TokenArrays, vocabulary: FieldVocabulary) -> Longs:
    """The letters of every type's form, [types, LETTERS]; for longer forms, those of both ends."""
    letters = np.full((len(text.types), LETTERS), PADDING, np.int64)
    half = LETTERS // 2
    for row, (form, *_) in enumerate(text.types):
        shown = form if len(form) <= LETTERS else form[:half] + form[-half:]
        letters[row, : len(shown)] = [vocabulary.number(letter) for letter in shown]
    return letters


def vocabularies_from_json(content: Any, fields: Sequence[str], *, where: str) -> Vocabularies:
    """The words of each field as they were saved; other fields, or anything but strings, are an error."""
    valid = isinstance(content, dict) and sorted(content) == sorted(fields)
    if not valid or not all(
        isinstance(words, list) and all(isinstance(w, str) for w in words) for words in content.values()
    ):
        raise InputError(
            f"the vocabularies of {', '.join(sorted(fields))} are missing or invalid",
            where=where,
            fix="train the model again with this version",
        )
    return {name: FieldVocabulary(tuple(words)) for name, words in content.items()}
