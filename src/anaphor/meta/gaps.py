"""Gap filling, the human evaluation of DiscoMT 2015 (apt-2017, section 3.1).

An annotator sees a translation whose pronoun is hidden and ticks every choice that would fill the gap; what
the system wrote is compared with these choices. docs/meta/gaps.md defines every measure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from anaphor.core import OptionError
from anaphor.core.records import Row
from anaphor.core.table import Block, JsonFields, Paragraph, Table, count, percent, text
from anaphor.languages import fold
from anaphor.meta.scores import ScoreColumn, read_rows

PRONOUNS = ("il", "elle", "ils", "elles", "ce", "on", "ça/cela")
OTHER, BAD = "other", "bad"
CHOICES = (*PRONOUNS, OTHER, BAD)

_MEASURES = ("accuracy-with-other", "accuracy-without-other", "micro-precision", "micro-recall", "micro-f")
_SPELLINGS = {"c'": "ce", "ça": "ça/cela", "cela": "ça/cela", "ç'": "ça/cela", "bad translation": BAD}


@dataclass(frozen=True, slots=True)
class Gap:
    """One item: the system's word, as a choice, and the choices annotators accept."""

    system: str
    id: str
    candidate: str
    choices: frozenset[str]

    @property
    def right(self) -> bool:
        return self.candidate in self.choices


@dataclass(frozen=True, slots=True)
class Ratio(JsonFields):
    """Hits out of a total; `value` is None if the total is empty."""

    hits: int
    total: int

    json_extra = ("value",)

    @property
    def value(self) -> float | None:
        return self.hits / self.total if self.total else None

    @classmethod
    def of(cls, gaps: Sequence[Gap]) -> Ratio:
        """The share of items that are right."""
        return cls(sum(gap.right for gap in gaps), len(gaps))


@dataclass(frozen=True, slots=True)
class ChoiceScore(JsonFields):
    """Precision and lenient recall of one choice, or the micro average of all pronouns.

    Recall is lenient: of the items for which people accepted the pronoun, the share that is right with any of
    their choices. A strict recall would count another accepted pronoun as a miss.
    """

    pronoun: str
    precision: Ratio
    recall: Ratio

    json_keys: ClassVar = {"recall": "lenient_recall"}
    json_extra = ("f",)

    @property
    def f(self) -> float | None:
        """The harmonic mean; None if either is undefined, 0 if both are 0."""
        p, r = self.precision.value, self.recall.value
        if p is None or r is None:
            return None
        # Of two zeros the harmonic mean is undefined, but a system without a hit has earned 0.
        return 2 * p * r / (p + r) if p + r else 0.0

    def values(self) -> tuple[float | None, float | None, float | None]:
        """Precision, recall and F."""
        return self.precision.value, self.recall.value, self.f


@dataclass(frozen=True, slots=True)
class GapScores(JsonFields):
    """All measures of one system."""

    system: str
    items: int
    bad: int
    with_other: Ratio
    without_other: Ratio
    pronouns: tuple[ChoiceScore, ...]
    micro: ChoiceScore

    json_keys: ClassVar = {
        "bad": "bad_translations",
        "with_other": "accuracy_with_other",
        "without_other": "accuracy_without_other",
    }

    def measures(self) -> dict[str, float | None]:
        """The measures of the whole system, by the names of human scores."""
        values = (self.with_other.value, self.without_other.value, *self.micro.values())
        return dict(zip(_MEASURES, values, strict=True))


@dataclass(frozen=True, slots=True)
class GapEvaluation(JsonFields):
    """All systems; `bad` determines how items with a bad translation count: wrong or skip."""

    bad: str
    systems: tuple[GapScores, ...]

    def tables(self) -> list[Block]:
        columns = [text("system"), count("items"), count("bad")]
        columns += [
            percent(name) for name in ("with other", "without other", "micro P", "micro R", "micro F")
        ]
        rows = [
            (system.system, system.items, system.bad, *system.measures().values()) for system in self.systems
        ]
        blocks: list[Block] = [Table(columns, rows)]
        for system in self.systems:
            of_system = [text(system.system), count("written"), count("accepted"), *map(percent, "PRF")]
            scores = [(s.pronoun, s.precision.total, s.recall.total, *s.values()) for s in system.pronouns]
            blocks.append(Table(of_system, scores))
        note = f"percent; bad translations: {self.bad}; R is lenient: any accepted pronoun counts"
        return [*blocks, Paragraph([note], style="dim")]


def read_gaps(path: str | Path) -> tuple[Gap, ...]:
    """TSV or JSON lines with `system`, `id`, `candidate` and `choices`, which are joined by commas."""
    rows = read_rows(path, required=("system", "id", "candidate", "choices"))
    seen: set[tuple[str, str]] = set()
    gaps = []
    for row in rows:
        key = row.text("system"), row.text("id")
        if key in seen:
            row.refuse("id", f"{key[1]} of {key[0]} has two rows", fix="keep one row for each gap")
        seen.add(key)
        # What the system wrote is free text: whatever is no listed pronoun is `other`.
        word = fold(row.text("candidate"))
        candidate = _SPELLINGS.get(word, word)
        gaps.append(Gap(*key, candidate if candidate in PRONOUNS else OTHER, _choices(row)))
    return tuple(gaps)


def score_gaps(gaps: Sequence[Gap], *, bad: str = "wrong") -> tuple[GapScores, ...]:
    """The measures of each system in the order of the file; `bad` is wrong or skip."""
    if bad not in ("wrong", "skip"):
        raise OptionError(f"unknown value: {bad}", where="--bad", fix="use wrong or skip")
    by_system: dict[str, list[Gap]] = {}
    for gap in gaps:
        by_system.setdefault(gap.system, []).append(gap)
    systems = []
    for system, part in by_system.items():
        kept = [gap for gap in part if bad == "wrong" or BAD not in gap.choices]
        # An accuracy of pronouns alone: neither the system nor the annotators went outside the list.
        listed = [gap for gap in kept if gap.candidate != OTHER and gap.choices != {OTHER}]
        *pronouns, other = (
            ChoiceScore(
                choice,
                Ratio.of([gap for gap in kept if gap.candidate == choice]),
                Ratio.of([gap for gap in kept if choice in gap.choices]),
            )
            for choice in (*PRONOUNS, OTHER)
        )
        systems.append(
            GapScores(
                system=system,
                items=len(part),
                bad=sum(BAD in gap.choices for gap in part),
                with_other=Ratio.of(kept),
                without_other=Ratio.of(listed),
                pronouns=(*pronouns, other),
                # `other` is many words, so that it has no part in the micro average.
                # Hits are added up before they are divided: frequent pronouns weigh more than rare ones.
                micro=ChoiceScore(
                    "micro",
                    _sum([score.precision for score in pronouns]),
                    _sum([score.recall for score in pronouns]),
                ),
            )
        )
    return tuple(systems)


def gap_columns(scores: Sequence[GapScores]) -> tuple[ScoreColumn, ...]:
    """The measures of whole systems as human scores; an undefined one is left out."""
    measures: dict[str, dict[str, float]] = {name: {} for name in _MEASURES}
    for system in scores:
        for name, value in system.measures().items():
            if value is not None:
                measures[name][system.system] = value
    return tuple(ScoreColumn(name, "gaps", values) for name, values in measures.items())


def _choices(row: Row) -> frozenset[str]:
    words = [fold(part.strip()) for part in row.text("choices").split(",")]
    choices = frozenset(_SPELLINGS.get(word, word) for word in words)
    for choice in sorted(choices):
        if choice not in CHOICES:
            row.refuse("choices", f"unknown choice {choice!r}", fix=f"use {', '.join(CHOICES)}")
    if BAD in choices and len(choices) > 1:
        row.refuse("choices", "bad is combined with other choices", fix="use bad alone, or remove it")
    return choices


def _sum(ratios: Sequence[Ratio]) -> Ratio:
    return Ratio(sum(ratio.hits for ratio in ratios), sum(ratio.total for ratio in ratios))
