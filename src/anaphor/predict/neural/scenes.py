"""Segments as arrays: every token a number of a type, every slot the places of what a network looks at.

A type is a row of strings, so that scenes know no vocabulary: a network maps the types to its own numbers,
some ten thousand rows, once. Tokens of all sentences stand in one row; place 0 is no token at all, and what
is absent (an unaligned candidate, a word beyond the sentence) points there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.int64]

#: What a type says of a source token and of a target token, in the order of its row.
SOURCE_COLUMNS = ("form", "lemma", "tag", "role")
TARGET_COLUMNS = ("word", "tag")
#: Word and tag of a hidden pronoun, whichever source token it belongs to.
PLACEHOLDER = "REPLACE"
#: Antecedent candidates of a slot, nearest first.
CANDIDATES = 6
NO_TOKEN = 0
NO_SEGMENT = -1
NO_LABEL = -1


@dataclass(frozen=True, slots=True, eq=False)
class Text:
    """One side of all sentences: `tokens[starts[i]:starts[i + 1]]` are the types of sentence `i`."""

    types: tuple[tuple[str, ...], ...]
    tokens: Ints
    starts: Ints

    def __len__(self) -> int:
        return len(self.starts) - 1


@dataclass(frozen=True, slots=True, eq=False)
class SlotTable:
    """All slots in the order of the text, a row each; places count in `Text.tokens`.

    - `head`: place of the verb the source pronoun belongs to.
    - `label`: number of the class, or `NO_LABEL` where the answer is withheld.
    - `candidates`: [slots, CANDIDATES, 2], places in source and target of nouns said before.
    """

    segment: Ints
    source: Ints
    target: Ints
    head: Ints
    label: Ints
    candidates: Ints

    def __len__(self) -> int:
        return len(self.segment)


@dataclass(frozen=True, slots=True, eq=False)
class Scenes:
    """Sentence pairs with their slots. `previous` is the sentence before in the same document, if any."""

    source: Text
    target: Text
    previous: Ints
    slots: SlotTable
