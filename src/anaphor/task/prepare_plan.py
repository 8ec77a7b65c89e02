"""What a preparation is told: everything that moves a byte of its output."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from anaphor.align.abilities import POSTERIOR
from anaphor.core import LanguagePair, OptionError
from anaphor.task.extract import Limits
from anaphor.task.extract_subjects import Filter
from anaphor.task.prepare_tags import check_tag_set

STYLES = (2015, 2016, 2017)
#: Segments of one part: what a worker does at a time, and what an interruption loses at most per worker.
PART = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How text becomes a task file.

    - `style`: the year. 2015 hides all pronouns and keeps word forms; 2016 and 2017 hide subjects and write
      `lemma|TAG` (wmt16-findings, section 3.3).
    - `forms`: whether the target keeps its word forms; None for the rule of the year.
    - `filter`: which pronouns stay; None for the rule of the year.
    - `analyser`, and the names or paths of its models for either side.
    - `way`: how links are read off a model; `limits` are asked only of links with a confidence.
    """

    pair: LanguagePair
    style: int = 2016
    forms: bool | None = None
    filter: Filter | None = None
    tags: str = "universal"
    tokenized: bool = False
    analyser: str = "built-in"
    source_model: str | None = None
    target_model: str | None = None
    way: str = POSTERIOR
    limits: Limits = field(default_factory=Limits)
    packs: Path | None = None

    def __post_init__(self) -> None:
        if self.style not in STYLES:
            raise OptionError(
                f"no task was set in {self.style}", where="--style", fix=f"use {', '.join(map(str, STYLES))}"
            )
        check_tag_set(self.tags, self.pair)

    @property
    def inflected(self) -> bool:
        """Whether the target keeps its word forms."""
        return self.style == STYLES[0] if self.forms is None else self.forms

    @property
    def chosen_filter(self) -> Filter:
        """The filter that was asked for, or that of the year."""
        return self.filter or Filter(subjects=self.style != STYLES[0])
