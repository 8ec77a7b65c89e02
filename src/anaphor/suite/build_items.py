"""The suite that comes out of a build: its items and its documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from anaphor.core import Item, Suite, SuiteDocument
from anaphor.corpus import Text
from anaphor.suite.build_documents import BuildCorpus, BuildDocument
from anaphor.suite.build_order import BuildOrder, BuildTools
from anaphor.suite.candidates import Candidate
from anaphor.suite.project import Projection
from anaphor.suite.texts import SuiteTexts


@dataclass(frozen=True, slots=True)
class Possible:
    """A candidate that at least one reference has a pronoun for."""

    candidate: Candidate
    projections: tuple[Projection, ...]
    categories: tuple[str, ...]
    group: str


def item_id(candidate: Candidate) -> str:
    """The document, and the character that the pronoun begins with."""
    return f"{candidate.document.document.name}.{candidate.pronoun[0].start}"


def item_of(possible: Possible, category: str) -> Item:
    """The item of a candidate in a category."""
    candidate = possible.candidate
    name = candidate.document.document.name
    antecedents = () if candidate.antecedent is None else (candidate.antecedent,)
    return Item(
        item_id(candidate),
        name,
        category,
        candidate.pronoun,
        antecedents,
        tuple(one.pair for one in possible.projections),
        features={**candidate.features, "expected": possible.group},
        confidence=candidate.confidence,
    )


def suite_of(
    corpus: BuildCorpus, order: BuildOrder, tools: BuildTools, items: Sequence[Item]
) -> tuple[Suite, SuiteTexts]:
    """All documents stay, so that candidates can be translated in context; items stand in text order."""
    names = list(corpus.documents[0].references)
    source = {one.name: _text(one, one.source) for one in corpus.documents}
    references = {
        name: {one.name: _text(one, one.references[name]) for one in corpus.documents} for name in names
    }
    documents = tuple(
        SuiteDocument(
            name, len(text), text.digest, {side: found[name].digest for side, found in references.items()}
        )
        for name, text in source.items()
    )
    place = {document.id: number for number, document in enumerate(documents)}
    ordered = sorted(items, key=lambda item: (place[item.document], item.pronoun))
    categories = tuple(one for one in order.categories.categories if one.name in order.plan)
    made_by = f"seed {order.seed}, links {tools.aligner.signature()}, {tools.analyser.signature()}"
    description = f"Built with the categories {order.categories.name}: {made_by}."
    suite = Suite(
        order.name, "1.0", tools.pack.pair, order.licence, description, categories, documents, tuple(ordered)
    )
    return suite, SuiteTexts(source, references)


def _text(document: BuildDocument, lines: Sequence[str]) -> Text:
    return Text.of(lines, path=document.name)
