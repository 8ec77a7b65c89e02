"""What the annotation of ParCor and ParCorFull says of every pronoun, as features that categories ask for.

ParCorFull has whole chains; ParCor linked each pronoun to its closest antecedent that is no pronoun. The link
is made again here: the nearest earlier noun phrase of the chain. What is not marked gives no feature.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from anaphor.corpus.mmax2 import Markable, Mmax2Document

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
