"""The types of a test suite: items that point into documents, and how each category is judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from anaphor.core.text import LanguagePair, Span

#: Where a mention stands: one or several stretches of characters of a document, ascending, apart.
Place: TypeAlias = tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Antecedent:
    """What a pronoun refers to: the whole mention and its head, both in the source document."""

    span: Place
    head: Place


@dataclass(frozen=True, slots=True)
class ReferencePair:
    """How one reference translates the pronoun, and the head of every antecedent in their order.

    An empty place means that the reference has nothing for it, as with a subject that is left out.
    """

    reference: str
    pronoun: Place
    heads: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class Alternative:
    """A translation that a person approved: the pronoun's words, the words for every antecedent head.

    `when` is a date such as 2016-05-23, None if nobody wrote it down.
    """

    pronoun: str
    heads: tuple[str, ...] = ()
    by: str = ""
    when: str | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """One source pronoun of a suite. Places count characters of its document, lines joined by newlines.

    `features` are what an annotation says of the pronoun; `confidence` is None for an item that a person
    confirmed, else how sure the program is that chose it.
    """

    id: str
    document: str
    category: str
    pronoun: Place
    antecedents: tuple[Antecedent, ...] = ()
    references: tuple[ReferencePair, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    features: Mapping[str, str] = field(default_factory=dict)
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class Category:
    """A group of items; `antecedent` says whether the translation of the antecedent head counts too."""

    name: str
    antecedent: bool
    description: str


@dataclass(frozen=True, slots=True)
class SuiteDocument:
    """A document that items point into: its length and the digest of its text on every side."""

    id: str
    segments: int
    source: str
    references: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Suite:
    """A test suite without its text. Documents stand in the order in which candidates translate them."""

    name: str
    version: str
    pair: LanguagePair
    licence: str
    description: str
    categories: tuple[Category, ...]
    documents: tuple[SuiteDocument, ...]
    items: tuple[Item, ...]

    def references(self) -> tuple[str, ...]:
        """The names of all references, in the order of their first appearance."""
        return tuple(dict.fromkeys(name for document in self.documents for name in document.references))

    @property
    def segments(self) -> int:
        return sum(document.segments for document in self.documents)
