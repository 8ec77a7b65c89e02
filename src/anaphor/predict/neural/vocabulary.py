"""Numbers of words: which fields of a token a network reads, and which of their values it knows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from anaphor.core import InputError
from anaphor.languages import fold
from anaphor.predict.neural.scenes import Ints, Scenes, Text

#: No token, and a value that training did not have often enough.
PADDING, UNKNOWN = 0, 1
_SPECIAL = ("", "\ufffd")

Row = tuple[str, ...]
#: Every field: the side it is on, and its value from the row of a type.
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
#: Letters of a form that are read: its first and its last ones say most.
LETTERS = 16


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The known values, most frequent first; numbers 0 and 1 are no token and an unknown value."""

    words: tuple[str, ...]
    numbers: Mapping[str, int] = field(repr=False, compare=False, default_factory=dict)

    @classmethod
    def of(cls, words: Iterable[str]) -> Vocabulary:
        known = tuple(words)
        return cls(known, {word: number for number, word in enumerate((*_SPECIAL, *known))})

    @classmethod
    def learn(cls, counts: Mapping[str, int], *, least: int, most: int) -> Vocabulary:
        """The values seen at least so often, the most frequent ones first; ties by the alphabet."""
        kept = sorted((word for word, n in counts.items() if n >= least), key=lambda w: (-counts[w], w))
        return cls.of(word for word in kept[:most] if word not in _SPECIAL)

    def __len__(self) -> int:
        return len(self.words) + len(_SPECIAL)

    def number(self, word: str) -> int:
        return self.numbers.get(word, UNKNOWN)


Vocabularies = Mapping[str, Vocabulary]


def learn_vocabularies(scenes: Scenes, fields: Sequence[str], *, least: int, most: int) -> Vocabularies:
    """A vocabulary for every field, from the tokens of training."""
    return {name: Vocabulary.learn(_counts(scenes, name), least=least, most=most) for name in fields}


def numbered(text: Text, name: str, vocabulary: Vocabulary) -> Ints:
    """The number of every token's value of a field; nothing at place 0."""
    value = FIELDS[name][1]
    table = [PADDING, *(vocabulary.number(value(row)) for row in text.types[1:])]
    numbers: Ints = np.array(table, np.int64)[text.tokens]
    return numbers


def lettered(text: Text, vocabulary: Vocabulary) -> Ints:
    """The letters of every type's form, [types, LETTERS]; of a longer form those of its two ends."""
    letters = np.full((len(text.types), LETTERS), PADDING, np.int64)
    for row, (form, *_) in enumerate(text.types):
        half = LETTERS // 2
        shown = form if len(form) <= LETTERS else form[:half] + form[-half:]
        letters[row, : len(shown)] = [vocabulary.number(letter) for letter in shown]
    return letters


def vocabularies_as_json(vocabularies: Vocabularies) -> dict[str, list[str]]:
    return {name: list(vocabulary.words) for name, vocabulary in vocabularies.items()}


def vocabularies_from_json(content: Any, fields: Sequence[str], *, where: str) -> Vocabularies:
    """The inverse; a file with other fields or with anything but strings is an `InputError`."""
    if (
        not isinstance(content, dict)
        or sorted(content) != sorted(fields)
        or not all(
            isinstance(words, list) and all(isinstance(w, str) for w in words) for words in content.values()
        )
    ):
        raise InputError(
            f"no vocabularies of {', '.join(sorted(fields))}",
            where=where,
            fix="train the model again with this version",
        )
    return {name: Vocabulary.of(words) for name, words in content.items()}


def _counts(scenes: Scenes, name: str) -> Counter[str]:
    counts: Counter[str] = Counter()
    if name == CHARACTERS:
        for row, times in _type_counts(scenes.source):
            for letter in row[0]:
                counts[letter] += times
        return counts
    side, value = FIELDS[name]
    for row, times in _type_counts(scenes.source if side == "source" else scenes.target):
        counts[value(row)] += times
    return counts


def _type_counts(text: Text) -> Iterable[tuple[Row, int]]:
    counts = np.bincount(text.tokens, minlength=len(text.types)).tolist()
    return zip(text.types[1:], counts[1:], strict=True)
