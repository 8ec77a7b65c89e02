"""The nouns of a campaign before it is written: items, units, systems with their lines."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from anaphor.annotate.nouns import Answer
from anaphor.annotate.targets import Marks, Target


@dataclass(frozen=True, slots=True)
class DrawnSystem:
    """A candidate, or a text made for attention items: its lines, tokens, and links as `source-target`."""

    id: str
    name: str
    digest: str
    lines: tuple[str, ...]
    tokens: Sequence[Sequence[str]]
    links: tuple[str, ...]
    attention: bool = False


@dataclass(frozen=True, slots=True)
class DrawnItem:
    """An item: how the suite and how judgements name it, its tokens, and the segments that it needs.

    `reference_words` are what each reference has for the pronoun.
    """

    id: str
    suite_item: str
    key: str
    document: str
    category: str
    antecedent: bool
    marks: Marks
    first: int
    last: int
    reference_words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DrawnUnit:
    """What is asked at once: an item in one system, or in several that are compared.

    `expected` is the answer of an attention item.
    """

    id: str
    item: DrawnItem
    targets: tuple[Target, ...]
    expected: Answer | None = None

    @property
    def stratum(self) -> tuple[str, ...]:
        """What assignments are balanced by: the category and the systems."""
        return (self.item.category, *(one.system for one in self.targets))


def content_id(kind: str, parts: Sequence[str]) -> str:
    """An id made from content: the same content has it in every database, another one has another."""
    total = hashlib.sha256(kind.encode())
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        total.update(len(data).to_bytes(8, "big") + data)
    return total.hexdigest()[:32]


def unit_id(item: DrawnItem, targets: Sequence[Target], lines: Mapping[str, Sequence[str]]) -> str:
    """The id of a unit: its item, and what its systems wrote there, whatever the systems are called."""
    shown = (line for one in targets for line in lines[one.system][item.first : item.last + 1])
    return content_id("unit", [item.id, *(one.system for one in targets), *shown])
