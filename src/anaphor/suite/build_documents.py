"""Parallel documents that suites are built from: line by line, with their annotated pronouns if any."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from anaphor.core import MismatchError, Place, Where
from anaphor.corpus import Text


@dataclass(frozen=True, slots=True)
class AnnotatedPlace:
    """A pronoun that people annotated, its features, and the noun phrase that it refers to if there is one.

    Places count characters of the document, as those of items do.
    """

    pronoun: Place
    features: Mapping[str, str]
    antecedent: Place | None


@dataclass(frozen=True, slots=True)
class BuildDocument:
    """One document: as many lines in every reference as in the source.

    `annotated` is None where nobody annotated the document.
    """

    name: str
    source: tuple[str, ...]
    references: Mapping[str, tuple[str, ...]]
    annotated: tuple[AnnotatedPlace, ...] | None


@dataclass(frozen=True, slots=True)
class BuildCorpus:
    """The documents, and what was noticed while their sentences were paired."""

    documents: tuple[BuildDocument, ...]
    notes: tuple[str, ...] = ()


def plain_corpus(source: Text, references: Mapping[str, Text], ids: Sequence[str]) -> BuildCorpus:
    """Documents without annotation, from parallel lines with a document id each.

    Lines of one document must follow each other.
    """
    for name, text in references.items():
        if len(text) != len(source):
            raise MismatchError(
                f"the reference {name} has {len(text)} lines, the source has {len(source)}",
                where=Where(text.path, min(len(text), len(source)) + 1),
                fix="give the translation of the same lines",
            )
    starts = [number for number in range(len(ids)) if number == 0 or ids[number] != ids[number - 1]]
    names = [ids[number] for number in starts]
    for number, name in zip(starts, names, strict=True):
        if names.count(name) > 1:
            raise MismatchError(
                f"the lines of the document {name} are not together",
                where=Where("--documents", number + 1),
                fix="sort the lines by document, or give the parts ids of their own",
            )
    ends = [*starts[1:], len(ids)]
    return BuildCorpus(
        tuple(
            BuildDocument(
                name,
                source.lines[start:end],
                {side: text.lines[start:end] for side, text in references.items()},
                None,
            )
            for name, start, end in zip(names, starts, ends, strict=True)
        )
    )
