"""The tags of the task's files: twelve coarse universal ones, or those of the French data."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from anaphor.core import Analysis, LanguagePair, OptionError

#: Universal Dependencies to the coarse tags of Petrov et al. 2012 (wmt16-findings, section 3.3).
_UNIVERSAL = {
    "ADJ": "ADJ",
    "ADP": "ADP",
    "ADV": "ADV",
    "AUX": "VERB",
    "CCONJ": "CONJ",
    "DET": "DET",
    "INTJ": "X",
    "NOUN": "NOUN",
    "NUM": "NUM",
    "PART": "PRT",
    "PRON": "PRON",
    "PROPN": "NOUN",
    "PUNCT": ".",
    "SCONJ": "CONJ",
    "SYM": ".",
    "VERB": "VERB",
    "X": "X",
}
#: To TreeTagger's French word classes without their morphology, as section 3.3 says and the example of
#: Figure 1 shows: PRON for pronouns and a full stop for punctuation beside VER, NOM and KON.
_FRENCH = _UNIVERSAL | {
    "ADP": "PRP",
    "AUX": "VER",
    "CCONJ": "KON",
    "INTJ": "INT",
    "NOUN": "NOM",
    "PART": "ADV",
    "PROPN": "NAM",
    "SCONJ": "KON",
    "SYM": "SYM",
    "VERB": "VER",
    "X": "ABR",
}
TAG_SETS: Mapping[str, Mapping[str, str]] = MappingProxyType({"universal": _UNIVERSAL, "french": _FRENCH})


def check_tag_set(name: str, pair: LanguagePair) -> None:
    """Raise for a tag set that the target language does not have."""
    if name not in TAG_SETS:
        raise OptionError(f"unknown tag set: {name}", where="--tags", fix=f"use {' or '.join(TAG_SETS)}")
    if name == "french" and pair.target != "fr":
        raise OptionError(
            f"the French tags do not fit {pair.target}", where="--tags", fix="use universal, or a pair to fr"
        )


def lemmas_with_tags(analysis: Analysis, tags: Mapping[str, str]) -> list[str]:
    """`lemma|TAG` for every token; a lemma is one word, whatever the analyser says."""
    pairs = zip(analysis.lemmas, analysis.tags, strict=True)
    return [f"{lemma}|{tags[tag]}" for lemma, tag in pairs]
