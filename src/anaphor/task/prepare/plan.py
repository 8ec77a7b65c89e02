"""The options of a preparation, everything that affects its output, and the tag sets of task files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from anaphor.align.aligners import POSTERIOR
from anaphor.core import Analysis, LanguagePair, OptionError
from anaphor.task.prepare.placeholders import LinkThresholds, PronounFilter

STYLES = (2015, 2016, 2017)
#: Segments per part: the unit of work of a worker, and the most that an interruption loses per worker.
PART = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparationPlan:
    """How text becomes a task file.

    - `style`: the year. 2015 hides all pronouns and keeps word forms; 2016 and 2017 hide subjects and write
      `lemma|TAG` (wmt16-findings, section 3.3).
    - `forms`: whether the target keeps its word forms; None for the rule of the year.
    - `filter`: which pronouns stay; None for the rule of the year.
    - `analyser`, and the names or paths of its models for either side.
    - `way`: the symmetrization of a model's links; `limits` apply only to links with a confidence.
    """

    pair: LanguagePair
    style: int = 2016
    forms: bool | None = None
    filter: PronounFilter | None = None
    tags: str = "universal"
    tokenized: bool = False
    analyser: str = "built-in"
    source_model: str | None = None
    target_model: str | None = None
    way: str = POSTERIOR
    limits: LinkThresholds = field(default_factory=LinkThresholds)
    packs: Path | None = None

    def __post_init__(self) -> None:
        if self.style not in STYLES:
            raise OptionError(
                f"there was no shared task in {self.style}",
                where="--style",
                fix=f"use {', '.join(map(str, STYLES))}",
            )
        check_tag_set(self.tags, self.pair)

    @property
    def inflected(self) -> bool:
        """Whether the target keeps its word forms."""
        return self.style == STYLES[0] if self.forms is None else self.forms

    @property
    def chosen_filter(self) -> PronounFilter:
        """The given filter, or that of the year."""
        return self.filter or PronounFilter(subjects=self.style != STYLES[0])


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
    """`lemma|TAG` for every token."""
    pairs = zip(analysis.lemmas, analysis.tags, strict=True)
    return [f"{lemma}|{tags[tag]}" for lemma, tag in pairs]
