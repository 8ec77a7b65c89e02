"""The options of a preparation, everything that affects its output, and the tag sets of task files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import compress
from pathlib import Path
from types import MappingProxyType

from anaphor.align.choice import POSTERIOR
from anaphor.align.pairs import tokenizers
from anaphor.analyse.contract import Analyser, load_analyser
from anaphor.core import Alignment, Analysis, LanguagePair, OptionError
from anaphor.languages import Words
from anaphor.task.classes import task_classes
from anaphor.task.prepare.placeholders import LinkThresholds, PronounFilter

STYLES = (2015, 2016, 2017)
#: Segments per part: the unit of work of a worker, and the most that an interruption loses per worker.
PART = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparationPlan:
    """How text is turned into a task file.

    - `style`: the year. 2015 hides all pronouns and keeps word forms; 2016 and 2017 hide subjects and write
      `lemma|TAG` (wmt16-findings, section 3.3).
    - `forms`: whether the target keeps its word forms; None for the year's rule.
    - `filter`: which pronouns stay; None for the year's rule.
    - `analyser`, and the names or paths of its models for each side.
    - `symmetrization` of a model's links; `limits` apply only to links with a confidence.
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
    symmetrization: str = POSTERIOR
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
        """The given filter, or the year's."""
        return self.filter or PronounFilter(subjects=self.style != STYLES[0])


#: Tags of Universal Dependencies, their coarse tags in Petrov et al. 2012, and TreeTagger's French word
#: classes without their morphology, as section 3.3 of wmt16-findings says and the example of Figure 1 shows:
#: PRON for pronouns and a full stop for punctuation beside VER, NOM and KON.
_TAGS = """
ADJ    ADJ   ADJ
ADP    ADP   PRP
ADV    ADV   ADV
AUX    VERB  VER
CCONJ  CONJ  KON
DET    DET   DET
INTJ   X     INT
NOUN   NOUN  NOM
NUM    NUM   NUM
PART   PRT   ADV
PRON   PRON  PRON
PROPN  NOUN  NAM
PUNCT  .     .
SCONJ  CONJ  KON
SYM    .     SYM
VERB   VERB  VER
X      X     ABR
"""
_ROWS = [row.split() for row in _TAGS.split("\n")[1:-1]]
#: The tag sets of task files: for each, its tag for every tag of Universal Dependencies.
TAG_SETS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {"universal": {row[0]: row[1] for row in _ROWS}, "french": {row[0]: row[2] for row in _ROWS}}
)


def check_tag_set(name: str, pair: LanguagePair) -> None:
    """Raise for a tag set that the target language does not have."""
    if name not in TAG_SETS:
        raise OptionError(f"unknown tag set: {name}", where="--tags", fix=f"use {' or '.join(TAG_SETS)}")
    if name == "french" and pair.target != "fr":
        raise OptionError(
            f"the French tags are not available for {pair.target}",
            where="--tags",
            fix="use universal, or a pair to fr",
        )


def lemmas_with_tags(analysis: Analysis, tags: Mapping[str, str]) -> list[str]:
    """`lemma|TAG` for every token."""
    pairs = zip(analysis.lemmas, analysis.tags, strict=True)
    return [f"{lemma}|{tags[tag]}" for lemma, tag in pairs]


def analysers_for(plan: PreparationPlan) -> tuple[Analyser | None, Analyser | None]:
    """The analysers of source and target that a plan needs; None for a side that does not need one."""
    classes = task_classes(plan.pair, year=plan.style, folder=plan.packs)
    nulls = classes.null_subjects or classes.dropped is not None
    source = target = None
    if nulls or not plan.chosen_filter.passes_all:
        source = load_analyser(plan.analyser, language=plan.pair.source, model=plan.source_model)
    if nulls or not plan.inflected:
        target = load_analyser(plan.analyser, language=plan.pair.target, model=plan.target_model)
    return source, target


def tokenizers_for(plan: PreparationPlan) -> tuple[Words, Words]:
    """The tokenizers of source and target."""
    return tokenizers(plan.pair, tokenized=plan.tokenized, packs=plan.packs)


def written_links(alignment: Alignment, least: float) -> Alignment:
    """The links for the fifth column, without confidences."""
    if alignment.confidence is None:
        return alignment
    kept = [confidence >= least for confidence in alignment.confidence]
    return Alignment(tuple(compress(alignment.sources, kept)), tuple(compress(alignment.targets, kept)))
