"""Annotated documents from MMAX2 projects (ParCor, ParCorFull); references are projects or plain text.

Words are joined by single spaces. `sentence_alignment` aligns the sentences of a reference project with those
of the source; if one side has more, several are joined in one line.

ParCorFull annotates whole chains; ParCor linked each pronoun to its closest antecedent that is not a pronoun.
That link is restored here: to the nearest earlier noun phrase of the chain. Missing annotation gives no
feature.
"""

from __future__ import annotations

import warnings
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from anaphor.core import InputError, InputWarning, MismatchError, OptionError, Span, TextPlace, Where
from anaphor.corpus import Text, read_documents, read_text
from anaphor.corpus.mmax2 import Markable, Mmax2Document, read_mmax2
from anaphor.suite.build.documents import AnnotatedPlace, BuildCorpus, BuildDocument, plain_corpus
from anaphor.suite.build.sentence_alignment import SentenceBead, align_sentences

Reference = Text | Sequence[Mmax2Document]

#: Tabs in a line of a CoNLL-U file, which has ten columns.
_CONLLU_TABS = 9

_FUNCTIONS = {
    "anaphoric": "anaphoric",
    "cataphoric": "cataphoric",
    "event": "event",
    "pleonastic": "pleonastic",
    "extratextual reference": "extra-textual",
    "speaker reference": "speaker",
    "addressee reference": "addressee",
}
# Attributes whose values are features as they are; other values, such as `none`, give no feature.
_ATTRIBUTES = {
    "position": ("position", ("subject", "non-subject")),
    "agreement": ("number", ("singular", "plural")),
    "type_of_pronoun": ("kind", ("personal", "possessive", "demonstrative", "reflexive", "relative")),
    "antetype": ("referent", ("entity", "event", "generic")),
    "audience": ("audience", ("generic", "deictic")),
}
_IT = frozenset({"it", "its", "itself"})
_THEY = frozenset({"they", "them", "their", "theirs", "themselves"})


def read_corpus(
    source: str, references: Mapping[str, str], *, documents: str | None = None, skip_broken: bool = False
) -> BuildCorpus:
    """Annotated or plain documents; folders and `.mmax` files are MMAX2 projects, other files plain text.

    `documents` is a file with document ids or start lines, for plain text only. With `skip_broken`, MMAX2
    projects that are invalid, or missing on one side, are left out with a warning.
    """

    def is_mmax2(path: str) -> bool:
        return path.endswith(".mmax") or Path(path).is_dir()

    if is_mmax2(source):
        if documents:
            what = "MMAX2 projects are documents by themselves"
            raise OptionError(what, where="--documents", fix="omit it")
        texts: dict[str, Reference] = {
            name: read_mmax2(path, skip_broken=skip_broken) if is_mmax2(path) else read_text(path)
            for name, path in references.items()
        }
        projects = read_mmax2(source, skip_broken=skip_broken)
        return mmax2_corpus(_translated(projects, texts) if skip_broken else projects, texts)
    text = _read_plain(source)
    ids = read_documents(documents, segments=len(text)) if documents else ("document",) * len(text)
    return plain_corpus(text, {name: _read_plain(path) for name, path in references.items()}, ids)


def _read_plain(path: str) -> Text:
    """A text with one segment per line; CoNLL-U, which CorefUD is, is an error."""
    text = read_text(path)
    words = next((line for line in text.lines if line.strip() and not line.startswith("#")), "")
    if words.count("\t") == _CONLLU_TABS:
        what = f"{text.path} is CoNLL-U (CorefUD); suites cannot be built from its annotation"
        fix = "pass the sentences as plain text, one per line; `--analyser conllu` takes the parses"
        raise InputError(what, where=text.path, fix=fix)
    return text


def _translated(source: Sequence[Mmax2Document], references: Mapping[str, Reference]) -> list[Mmax2Document]:
    """The documents present in every reference project; a warning names the others."""
    complete = []
    for document in source:
        lacking = [
            name
            for name, reference in references.items()
            if not isinstance(reference, Text) and document.name not in {text.name for text in reference}
        ]
        if lacking:
            message = f"{document.name}: left out, it has no valid document in {', '.join(lacking)}"
            warnings.warn(message, InputWarning, stacklevel=2)
        else:
            complete.append(document)
    if not complete:
        what = "no document is valid on all sides"
        raise MismatchError(what, where="--corpus, --reference", fix="pass projects with the same names")
    return complete


def mmax2_corpus(source: Sequence[Mmax2Document], references: Mapping[str, Reference]) -> BuildCorpus:
    """The documents of the source with the same ones in every reference.

    A plain-text reference has one line per sentence, documents in order.
    """
    documents, notes = [], []
    sentences: dict[str, dict[str, list[str]]] = {}  # by reference and document
    for name, reference in references.items():
        if isinstance(reference, Text):
            expected = sum(len(document.sentences) for document in source)
            fix = "write one line per sentence, documents in the order of their names"
            reference.require_lines(expected, of="the source, with one line per sentence,", fix=fix)
            left = iter(reference.lines)
            sentences[name] = {text.name: [next(left) for _ in text.sentences] for text in source}
            continue
        sentences[name] = {text.name: sentences_of(text) for text in reference}
        for document in source:
            if document.name not in sentences[name]:
                what = f"the reference {name} has no document {document.name}"
                known = ", ".join(sorted(sentences[name]))
                fix = f"add it, or omit it of the corpus; the reference has {known}"
                raise MismatchError(what, where=f"--reference {name}", fix=fix)
    for document in source:
        bounds = set(range(len(document.sentences) + 1))
        places = {}
        for name, by_document in sentences.items():
            translated = by_document[document.name]
            if isinstance(references[name], Text):  # one line per sentence
                beads = tuple(SentenceBead(Span(n, n + 1), Span(n, n + 1)) for n in range(len(translated)))
            else:
                where = Where(f"{document.name} of {name}")
                beads = align_sentences(sentences_of(document), translated, where=where)
            joined = [
                bead for bead in beads if len(range(*bead.source)) > 1 or len(range(*bead.reference)) > 1
            ]
            if joined:
                sizes = beads[-1].source.end, beads[-1].reference.end
                notes.append(
                    f"{document.name}: {sizes[0]} sentences, {sizes[1]} in {name}; "
                    f"{len(joined)} of {len(beads)} lines join several"
                )
            # Where lines of this reference end, by the number of source sentences before it.
            places[name] = {0: 0} | {bead.source.end: bead.reference.end for bead in beads}
            bounds &= set(places[name])
        # A line ends where it does in every reference.
        ends = sorted(bounds)
        lines = {
            name: tuple(
                " ".join(by_document[document.name][places[name][start] : places[name][end]])
                for start, end in pairwise(ends)
            )
            for name, by_document in sentences.items()
        }
        documents.append(_document(document, ends, lines))
    return BuildCorpus(tuple(documents), tuple(notes))


def sentences_of(document: Mmax2Document) -> list[str]:
    """The words of every sentence, joined by single spaces."""
    return [" ".join(document.words[slice(*span)]) for span in document.sentences]


def _document(
    document: Mmax2Document, ends: Sequence[int], references: Mapping[str, tuple[str, ...]]
) -> BuildDocument:
    """The document in lines of whole sentences, and its pronouns by character."""
    lines = []
    spans: dict[int, Span] = {}  # characters of every word that belongs to a sentence
    firsts = set()
    at = 0
    for start, end in pairwise(ends):
        words = [word for span in document.sentences[start:end] for word in range(*span)]
        firsts.add(words[0])
        for word in words:
            spans[word] = Span(at, at + len(document.words[word]))
            at = spans[word].end + 1  # a space, or the end of the line
        lines.append(" ".join(document.words[word] for word in words))

    def place(markable: Markable) -> TextPlace:
        """The spans of a mention, none across the end of a line; empty if a word is in no sentence."""
        words = markable.words
        if any(word not in spans for word in words):
            return ()
        breaks = [n for n, (a, b) in enumerate(pairwise(words), start=1) if b != a + 1 or b in firsts]
        runs = (words[start:end] for start, end in pairwise([0, *breaks, len(words)]))
        return tuple(Span(spans[run[0]].start, spans[run[-1]].end) for run in runs)

    annotated = []
    for pronoun_of in annotated_pronouns(document):
        antecedent = None if pronoun_of.antecedent is None else place(pronoun_of.antecedent) or None
        if pronoun := place(pronoun_of.markable):
            annotated.append(AnnotatedPlace(pronoun, pronoun_of.features, antecedent))
    return BuildDocument(document.name, tuple(lines), references, tuple(annotated))


@dataclass(frozen=True, slots=True)
class AnnotatedPronoun:
    """A pronoun mention, its features, and the nearest earlier noun phrase of its chain if there is one."""

    markable: Markable
    features: Mapping[str, str]
    antecedent: Markable | None


def annotated_pronouns(document: Mmax2Document) -> Iterator[AnnotatedPronoun]:
    """Every pronoun mention of a document, in text order."""
    chains: dict[str, list[Markable]] = defaultdict(list)
    forms: dict[str, set[str]] = defaultdict(set)
    for markable in document.mentions:
        name = markable.attributes.get("coref_class", "empty")
        if name not in ("", "empty"):
            chains[name].append(markable)
            if markable.attributes.get("mention") == "pronoun":
                forms[name].add(document.text_of(markable).lower())
    # Group nouns are not annotated; a chain with both *it* and *they* gives them away.
    groups = {name for name, words in forms.items() if words & _IT and words & _THEY}
    starts = [sentence.start for sentence in document.sentences]
    for markable in document.mentions:
        if markable.attributes.get("mention") == "pronoun":
            name = markable.attributes.get("coref_class", "")
            chain = chains.get(name, [])
            nouns = [
                mention
                for mention in chain
                if mention.attributes.get("mention") == "np" and mention.words[0] < markable.words[0]
            ]
            antecedent = nouns[-1] if nouns else None
            attributes = markable.attributes
            function = _FUNCTIONS.get(attributes.get("type", ""), "other")
            if function == "anaphoric" and attributes.get("antetype") == "event":
                function = "event"
            features = {"function": function, "form": document.text_of(markable).lower()}
            for attribute, (feature, values) in _ATTRIBUTES.items():
                if attributes.get(attribute) in values:
                    features[feature] = attributes[attribute]
            if features["function"] == "anaphoric":
                features["antecedent"] = _kind_of_antecedent(markable, chain, antecedent)
                features["group"] = "yes" if name in groups else "no"
            if features.get("antecedent") == "noun" and antecedent is not None:
                own, other = (bisect_right(starts, mention.words[0]) for mention in (markable, antecedent))
                features["distance"] = "intra" if own == other else "inter"
            yield AnnotatedPronoun(markable, features, antecedent)


def _kind_of_antecedent(pronoun: Markable, chain: Sequence[Markable], antecedent: Markable | None) -> str:
    """The kind of antecedent in the text (protest-2016, section 5.1, and Table 1)."""
    kinds = {mention.attributes.get("mention") for mention in chain if mention is not pronoun}
    if pronoun.attributes.get("split") == "no explicit antecedent":
        return "implied"
    if antecedent is not None:
        return "noun"
    if kinds & {"clause", "vp"}:
        return "clause"
    if "np" in kinds:
        return "later"
    return "pronoun" if kinds else "none"
