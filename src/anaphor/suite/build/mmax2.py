"""Parallel documents from MMAX2 projects: an annotated source, references that are projects or plain text.

Words are joined by single spaces. Sentences of a reference project are paired with those of the source by
`sentence_alignment`; where one side has more of them, several stand together in one line.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise

from anaphor.core import MismatchError, Place, Span, Where
from anaphor.corpus import Text
from anaphor.corpus.mmax2 import Markable, Mmax2Document
from anaphor.suite.build.documents import AnnotatedPlace, BuildCorpus, BuildDocument
from anaphor.suite.build.sentence_alignment import SentenceBead, align_sentences

Reference = Text | Sequence[Mmax2Document]


def mmax2_corpus(source: Sequence[Mmax2Document], references: Mapping[str, Reference]) -> BuildCorpus:
    """The documents of the source with the same ones of every reference.

    A reference that is plain text has a line for every sentence, documents in their order.
    """
    documents, notes = [], []
    sentences = _sentences_by_document(source, references)
    for document in source:
        beads = {
            name: _beads(document, found[document.name], name, plain=isinstance(references[name], Text))
            for name, found in sentences.items()
        }
        notes += [note for name, found in beads.items() for note in _note(document.name, name, found)]
        bounds = _common_bounds(document, beads)
        lines = {
            name: tuple(_joined(sentences[name][document.name], found, bounds))
            for name, found in beads.items()
        }
        documents.append(_document(document, bounds, lines))
    return BuildCorpus(tuple(documents), tuple(notes))


def _sentences_by_document(
    source: Sequence[Mmax2Document], references: Mapping[str, Reference]
) -> dict[str, dict[str, list[str]]]:
    return {
        name: _of_text(source, found, name) if isinstance(found, Text) else _of_projects(source, found, name)
        for name, found in references.items()
    }


def _of_text(source: Sequence[Mmax2Document], text: Text, name: str) -> dict[str, list[str]]:
    expected = sum(len(document.sentences) for document in source)
    if len(text) != expected:
        raise MismatchError(
            f"the reference {name} has {len(text)} lines, the documents have {expected} sentences",
            where=Where(text.path, min(len(text), expected) + 1),
            fix="give a line for every sentence, documents in the order of their names",
        )
    lines = iter(text.lines)
    return {document.name: [next(lines) for _ in document.sentences] for document in source}


def _of_projects(
    source: Sequence[Mmax2Document], projects: Sequence[Mmax2Document], name: str
) -> dict[str, list[str]]:
    found = {document.name: sentences_of(document) for document in projects}
    for document in source:
        if document.name not in found:
            raise MismatchError(
                f"the reference {name} has no document {document.name}",
                where=f"--reference {name}",
                fix=f"add it, or leave it out of the corpus; the reference has {', '.join(sorted(found))}",
            )
    return found


def sentences_of(document: Mmax2Document) -> list[str]:
    """The words of every sentence, with single spaces."""
    return [" ".join(document.words[slice(*span)]) for span in document.sentences]


def _beads(
    document: Mmax2Document, reference: list[str], name: str, *, plain: bool
) -> tuple[SentenceBead, ...]:
    """Lines of plain text stand for sentences as they are; sentences of a project must be paired."""
    if plain:
        return tuple(SentenceBead(Span(n, n + 1), Span(n, n + 1)) for n in range(len(reference)))
    where = Where(f"{document.name} of {name}")
    return align_sentences(sentences_of(document), reference, where=where)


def _note(document: str, reference: str, beads: Sequence[SentenceBead]) -> Iterator[str]:
    """What a person should know of the pairing: how often sentences do not stand one to one."""
    joined = [bead for bead in beads if len(range(*bead.source)) > 1 or len(range(*bead.reference)) > 1]
    if joined:
        sizes = (beads[-1].source.end, beads[-1].reference.end)
        yield (
            f"{document}: {sizes[0]} sentences, {sizes[1]} in {reference}; "
            f"{len(joined)} of {len(beads)} lines join several"
        )


def _common_bounds(document: Mmax2Document, beads: Mapping[str, Sequence[SentenceBead]]) -> list[int]:
    """Sentence numbers where a line begins in every reference, and the number of sentences."""
    bounds = set(range(len(document.sentences) + 1))
    for found in beads.values():
        bounds &= {0, *(bead.source.end for bead in found)}
    return sorted(bounds)


def _joined(sentences: Sequence[str], beads: Sequence[SentenceBead], bounds: Sequence[int]) -> Iterator[str]:
    """The lines of a reference between the bounds, which count sentences of the source."""
    places = {0: 0} | {bead.source.end: bead.reference.end for bead in beads}
    for start, end in pairwise(bounds):
        yield " ".join(sentences[places[start] : places[end]])


def _document(
    document: Mmax2Document, bounds: Sequence[int], references: Mapping[str, tuple[str, ...]]
) -> BuildDocument:
    lines, words = [], []
    for start, end in pairwise(bounds):
        inside = [word for span in document.sentences[start:end] for word in range(*span)]
        words.append(inside)
        lines.append(" ".join(document.words[word] for word in inside))
    places = _word_places(document, words)
    firsts = {line[0] for line in words}
    annotated = []
    for found in annotated_pronouns(document):
        pronoun = _place(found.markable, places, firsts)
        antecedent = () if found.antecedent is None else _place(found.antecedent, places, firsts)
        if pronoun:
            annotated.append(AnnotatedPlace(pronoun, found.features, antecedent or None))
    return BuildDocument(document.name, tuple(lines), references, tuple(annotated))


def _word_places(document: Mmax2Document, lines: Sequence[Sequence[int]]) -> dict[int, Span]:
    """The characters of every word that stands in a line."""
    places = {}
    at = 0
    for line in lines:
        for word in line:
            places[word] = Span(at, at + len(document.words[word]))
            at = places[word].end + 1  # a space, or the end of the line
    return places


def _place(markable: Markable, places: Mapping[int, Span], firsts: Set[int]) -> Place:
    """The stretches of a mention, none over the end of a line; empty if a word is in no sentence."""
    if any(word not in places for word in markable.words):
        return ()
    breaks = [n for n, (a, b) in enumerate(pairwise(markable.words), start=1) if b != a + 1 or b in firsts]
    runs = (markable.words[start:end] for start, end in pairwise([0, *breaks, len(markable.words)]))
    return tuple(Span(places[run[0]].start, places[run[-1]].end) for run in runs)


_FUNCTIONS = {
    "anaphoric": "anaphoric",
    "cataphoric": "cataphoric",
    "event": "event",
    "pleonastic": "pleonastic",
    "extratextual reference": "extra-textual",
    "speaker reference": "speaker",
    "addressee reference": "addressee",
}
# Attributes whose values are features as they stand; other values, such as `none`, say nothing.
_ATTRIBUTES = {
    "position": ("position", ("subject", "non-subject")),
    "agreement": ("number", ("singular", "plural")),
    "type_of_pronoun": ("kind", ("personal", "possessive", "demonstrative", "reflexive", "relative")),
    "antetype": ("referent", ("entity", "event", "generic")),
    "audience": ("audience", ("generic", "deictic")),
}
_IT = frozenset({"it", "its", "itself"})
_THEY = frozenset({"they", "them", "their", "theirs", "themselves"})


@dataclass(frozen=True, slots=True)
class AnnotatedPronoun:
    """A pronoun mention, its features, and the nearest earlier noun phrase of its chain if there is one."""

    markable: Markable
    features: Mapping[str, str]
    antecedent: Markable | None


def annotated_pronouns(document: Mmax2Document) -> Iterator[AnnotatedPronoun]:
    """Every pronoun mention of a document, in the order of the text."""
    chains = _chains(document)
    starts = [sentence.start for sentence in document.sentences]
    groups = {name for name, chain in chains.items() if _is_group(document, chain)}
    for markable in document.mentions:
        if markable.attributes.get("mention") == "pronoun":
            name = markable.attributes.get("coref_class", "")
            chain = chains.get(name, ())
            antecedent = _antecedent(markable, chain)
            features = _plain_features(markable, document.text_of(markable).lower())
            if features["function"] == "anaphoric":
                features["antecedent"] = _kind_of_antecedent(markable, chain, antecedent)
                features["group"] = "yes" if name in groups else "no"
            if features.get("antecedent") == "noun" and antecedent is not None:
                same = _sentence(starts, markable) == _sentence(starts, antecedent)
                features["distance"] = "intra" if same else "inter"
            yield AnnotatedPronoun(markable, features, antecedent)


def _chains(document: Mmax2Document) -> dict[str, list[Markable]]:
    chains = defaultdict(list)
    for markable in document.mentions:
        name = markable.attributes.get("coref_class", "empty")
        if name not in ("", "empty"):
            chains[name].append(markable)
    return dict(chains)


def _is_group(document: Mmax2Document, chain: Sequence[Markable]) -> bool:
    """Whether a chain has *it* and *they*: group nouns are not marked, and this is what tells them apart."""
    forms = {document.text_of(m).lower() for m in chain if m.attributes.get("mention") == "pronoun"}
    return bool(forms & _IT) and bool(forms & _THEY)


def _antecedent(pronoun: Markable, chain: Sequence[Markable]) -> Markable | None:
    nouns = [m for m in chain if m.attributes.get("mention") == "np" and m.words[0] < pronoun.words[0]]
    return nouns[-1] if nouns else None


def _plain_features(markable: Markable, form: str) -> dict[str, str]:
    """What the attributes say by themselves; anaphoric with an event for antecedent is of function event."""
    attributes = markable.attributes
    function = _FUNCTIONS.get(attributes.get("type", ""), "other")
    if function == "anaphoric" and attributes.get("antetype") == "event":
        function = "event"
    features = {"function": function, "form": form}
    for attribute, (name, values) in _ATTRIBUTES.items():
        if attributes.get(attribute) in values:
            features[name] = attributes[attribute]
    return features


def _kind_of_antecedent(pronoun: Markable, chain: Sequence[Markable], found: Markable | None) -> str:
    """What there is in the text to refer to (protest-2016, section 5.1, and Table 1)."""
    kinds = {m.attributes.get("mention") for m in chain if m is not pronoun}
    if pronoun.attributes.get("split") == "no explicit antecedent":
        return "implied"
    if found is not None:
        return "noun"
    if kinds & {"clause", "vp"}:
        return "clause"
    if "np" in kinds:
        return "later"
    return "pronoun" if kinds else "none"


def _sentence(starts: Sequence[int], markable: Markable) -> int:
    return bisect_right(starts, markable.words[0])
