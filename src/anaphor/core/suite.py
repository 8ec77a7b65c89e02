"""The types of a test suite: items that point into documents, and how each category is judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from anaphor.core.text import LanguagePair, Span

#: Where a mention stands: one or several stretches of characters of a document, ascending, apart.
TextPlace: TypeAlias = tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Antecedent:
    """The antecedent of a pronoun: the whole mention and its head, both in the source document."""

    span: TextPlace
    head: TextPlace


@dataclass(frozen=True, slots=True)
class ReferencePair:
    """A reference translation of the pronoun, and of the head of each antecedent in order.

    An empty span means that the reference does not render it, as with null subjects.
    """

    reference: str
    pronoun: TextPlace
    heads: tuple[TextPlace, ...] = ()


@dataclass(frozen=True, slots=True)
class Alternative:
    """A translation that a person approved: the words for the pronoun and for each antecedent head.

    `when` is a date such as 2016-05-23, or None if not recorded.
    """

    pronoun: str
    heads: tuple[str, ...] = ()
    by: str = ""
    when: str | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """One source pronoun of a suite. Offsets count characters of its document, with lines joined by newlines.

    `features` come from the annotation of the pronoun; `confidence` is None for an item confirmed by a
    person, otherwise the confidence of the automatic choice.
    """

    id: str
    document: str
    category: str
    pronoun: TextPlace
    antecedents: tuple[Antecedent, ...] = ()
    references: tuple[ReferencePair, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    features: Mapping[str, str] = field(default_factory=dict)
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class Category:
    """A group of items; `antecedent` says whether the translation of the antecedent head is judged too."""

    name: str
    antecedent: bool
    description: str


@dataclass(frozen=True, slots=True)
class SuiteDocument:
    """A document of a suite: the length and digest of its text on each side."""

    id: str
    segments: int
    source: str
    references: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Suite:
    """A test suite without texts. Documents are listed in the order in which candidates translate them."""

    name: str
    version: str
    pair: LanguagePair
    licence: str
    description: str
    categories: tuple[Category, ...]
    documents: tuple[SuiteDocument, ...]
    items: tuple[Item, ...]

    def references(self) -> tuple[str, ...]:
        """The names of all references, in order of first appearance."""
        return tuple(dict.fromkeys(name for document in self.documents for name in document.references))

    @property
    def segments(self) -> int:
        return sum(document.segments for document in self.documents)
