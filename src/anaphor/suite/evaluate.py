"""The automatic evaluation: candidates in, an outcome for every item out (protest-2016, section 5.2)."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from anaphor import __version__
from anaphor.core import (
    CandidateSegmentation,
    InputWarning,
    Item,
    Signature,
    Suite,
)
from anaphor.core.options import check_level
from anaphor.core.progress import Progress
from anaphor.core.table import Block, Cell, Paragraph, Styled, Table, count, format_percent, percent, text
from anaphor.corpus import Inputs, Text
from anaphor.corpus.plausibility import doubts
from anaphor.languages import known_pairs, languages_digest, load_pair
from anaphor.stats import Accuracy, gained_and_lost, holm, mcnemar
from anaphor.suite import linking
from anaphor.suite.folder import LoadedSuite, suite_digest
from anaphor.suite.outcomes import ItemJudge, ItemJudgement, ItemOutcome
from anaphor.suite.texts import SOURCE

TOTAL = "total"
#: Below this, after Holm's correction, a system differs from the first.
LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class CategoryScore(Accuracy):
    """The items of a category, or all, and how many match: the accuracy with its interval.

    `agreeing` counts mismatches whose pronoun agrees with the candidate's own antecedent.
    """

    agreeing: int = 0

    def to_dict(self) -> dict[str, Any]:
        return {
            "category": self.name,
            "items": self.items,
            "matches": self.right,
            "accuracy": self.accuracy,
            "interval": [self.interval.low, self.interval.high],
            "level": self.interval.level,
            "agreeing": self.agreeing,
        }


@dataclass(frozen=True, slots=True)
class SystemChanges:
    """A system against the baseline: items that only it matches, items that only the baseline matches.

    The second use of a suite in protest-2016, section 6. `p_value` is McNemar's exact test; `p_adjusted` the
    same after Holm's correction over all systems.
    """

    baseline: str
    system: str
    improved: tuple[Item, ...]
    broken: tuple[Item, ...]
    p_value: float
    p_adjusted: float

    def by_category(self, categories: Iterable[str]) -> dict[str, tuple[int, int]]:
        """The number of items that improved and broke in each of these categories that has any of them."""
        improved, broken = ([item.category for item in items] for items in (self.improved, self.broken))
        counts = {name: (improved.count(name), broken.count(name)) for name in categories}
        return {name: found for name, found in counts.items() if any(found)}

    def to_dict(self) -> dict[str, Any]:
        return {
            "baseline": self.baseline,
            "system": self.system,
            "improved": [item.id for item in self.improved],
            "broken": [item.id for item in self.broken],
            "p_mcnemar": self.p_value,
            "p_adjusted": self.p_adjusted,
        }

    def table(self, categories: Sequence[str], *, list_items: bool) -> Table:
        """The changes by category, in the order of `categories`, and every changed item if asked for."""
        rows = [(name, *counts) for name, counts in self.by_category(categories).items()]
        rows.append((TOTAL, len(self.improved), len(self.broken)))
        lines: list[str | list[str | Styled]] = [
            f"McNemar p = {self.p_value:.4f}, after Holm {self.p_adjusted:.4f}"
        ]
        if list_items:
            improved, broken = (
                sorted(items, key=lambda item: categories.index(item.category))
                for items in (self.improved, self.broken)
            )
            # Two and four spaces, so that the ids stand in one column.
            lines += [[Styled("improved", "good"), f"  {one.id}  {one.category}"] for one in improved]
            lines += [[Styled("broken", "bad"), f"    {one.id}  {one.category}"] for one in broken]
        columns = (text(f"{self.baseline} to {self.system}"), count("improved"), count("broken"))
        return Table(columns, rows, notes=[Paragraph(lines)])


@dataclass(frozen=True, slots=True)
class SystemReport:
    """The judgements of one candidate, and its scores by category, the total last.

    `digest` is that of the candidate; `links` that of the alignment, None if it was not given. `omitted` says
    by item why the segment of its pronoun has no translation, where the candidate was cut from documents.
    """

    system: str
    digest: str
    links: str | None
    judged: tuple[ItemJudgement, ...]
    category_scores: tuple[CategoryScore, ...]
    omitted: Mapping[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.system,
            "digest": self.digest,
            "links": self.links,
            "tallies": [one.to_dict() for one in self.category_scores],
            "items": [
                {
                    "item": one.item.id,
                    "category": one.item.category,
                    "outcome": one.outcome,
                    "matches": one.origin,
                    "agreement": one.agreement,
                    "pronoun": " ".join(one.found.pronoun),
                    "heads": [" ".join(words) for words in one.found.heads],
                    **({"omitted": self.omitted[one.item.id]} if one.item.id in self.omitted else {}),
                }
                for one in self.judged
            ],
        }


@dataclass(frozen=True, slots=True)
class SuiteReport:
    """All systems, what changed from the first one to the others, and the signature of the scores.

    `notes` say what looks wrong with the texts; `list_changes` lists every changed item below its table.
    """

    suite: Suite
    systems: tuple[SystemReport, ...]
    changes: tuple[SystemChanges, ...]
    signature: Signature
    notes: tuple[str, ...] = ()
    list_changes: bool = False

    def to_dict(self) -> dict[str, Any]:
        suite = self.suite
        return {
            "suite": {"name": suite.name, "version": suite.version, "pair": str(suite.pair)},
            "signature": self.signature.as_dict(),
            "systems": [system.to_dict() for system in self.systems],
            "changes": [one.to_dict() for one in self.changes],
            "notes": list(self.notes),
        }

    def tables(self) -> list[Block]:
        """Matches by category as in Table 3 of protest-2016, one column per system; then the changes."""
        rows: list[list[object]] = []
        for scores in zip(*(system.category_scores for system in self.systems), strict=True):
            cells = [f"{one.right} ({format_percent(one.accuracy)})" for one in scores]
            rows.append([scores[0].name, scores[0].items, *cells])
        totals = [system.category_scores[-1] for system in self.systems]
        intervals = [
            f"{format_percent(one.interval.low)}-{format_percent(one.interval.high)}" for one in totals
        ]
        rows.append([f"{totals[0].interval.level:.0%} interval", "", *intervals])
        if any(one.agreeing for one in totals):
            rows.append([ItemOutcome.AGREES.value, "", *(str(one.agreeing) for one in totals)])
        columns = (text("category"), count("items"), *(text(system.system) for system in self.systems))
        categories = [category.name for category in self.suite.categories]
        return [
            Table(columns, rows),
            *(one.table(categories, list_items=self.list_changes) for one in self.changes),
            Paragraph([str(self.signature)], style="dim"),
        ]

    def accuracies(self) -> dict[str, dict[str, float]]:
        """The share of matches by system, then by category and in `total`."""
        return {
            system.system: {one.name: one.accuracy for one in system.category_scores}
            for system in self.systems
        }

    def paper_table(self) -> Table:
        """The shares of matches for a paper: the best in bold, the total with its interval.

        Arrows mark totals that differ from the first system's by McNemar's test after Holm's correction.
        """
        columns = (text("Category"), count("Items"), *(percent(system.system) for system in self.systems))
        rows: list[list[object]] = []
        for scores in zip(*(system.category_scores for system in self.systems), strict=True):
            best = max(one.right for one in scores) if len(scores) > 1 else None
            cells = [Cell(one.accuracy, style="bold" if one.right == best else "") for one in scores]
            if scores[0].name == TOTAL:
                marks = {
                    one.system: "↑" if len(one.improved) > len(one.broken) else "↓"
                    for one in self.changes
                    if one.p_adjusted < LEVEL
                }
                cells = [
                    replace(cell, interval=score.interval, mark=marks.get(system.system, ""))
                    for cell, score, system in zip(cells, scores, self.systems, strict=True)
                ]
            rows.append([scores[0].name.replace("_", " "), scores[0].items, *cells])
        level = self.systems[0].category_scores[-1].interval.level
        caption = (
            f"Items of the test suite {self.suite.name} {self.suite.version} ({self.suite.pair}) that match "
            f"an accepted translation, in percent; {level:.0%} interval in brackets"
        )
        if self.changes:
            caption += (
                f"; the best in bold; ↑ and ↓: better and worse than {self.systems[0].system} "
                f"(McNemar's test, p < {LEVEL:g} after Holm's correction)"
            )
        return Table(columns, rows, caption=f"{caption}. {self.signature}", rule_before=len(rows) - 1)


def evaluate_suite(
    loaded: LoadedSuite,
    candidates: Mapping[str, Text],
    options: linking.EvaluationOptions,
    *,
    links: linking.GivenLinks | None = None,
    segmentations: Mapping[str, CandidateSegmentation] = MappingProxyType({}),
    progress: Progress = lambda _: None,
) -> SuiteReport:
    """Judge every item of a test suite for every candidate.

    Args:
        loaded: The suite with its texts.
        candidates: The translations by the names of their systems.
        options: The aligner and everything else that affects an outcome.
        links: Your own alignments; by default the candidates are aligned.
        segmentations: How candidates were cut that came as whole documents, by system.
        progress: Called with the name of every step.

    Returns:
        The outcome of every item, scores by category, and the changes from the first system to each other.

    Raises:
        UserError: A candidate has another number of segments than the source.
    """
    linking.check_candidates(loaded, candidates)
    notes = _notes(loaded, candidates, options)
    for note in notes:
        warnings.warn(note, InputWarning, stacklevel=2)
    linked = linking.link_texts(loaded, candidates, options, links=links, progress=progress)
    progress("comparing")
    found = {name: linked.words(name) for name in candidates}
    if links is None:  # the user's own alignments are followed even where a line is that of a reference
        improve = linking.with_reference_words
        found = {name: improve(loaded, candidates[name], words) for name, words in found.items()}
    packs = options.aligner.packs
    judge = ItemJudge(loaded, alternatives=options.alternatives, packs=packs)
    judged = {name: judge.judge(words) for name, words in found.items()}
    systems = tuple(
        SystemReport(
            name,
            candidates[name].digest,
            None if links is None else links.alignments[name].digest,
            rows,
            category_scores(loaded.suite, rows, level=options.level),
            _omitted(loaded, segmentations.get(name)),
        )
        for name, rows in judged.items()
    )
    approved = options.alternatives and any(item.alternatives for item in loaded.suite.items)
    cut = sorted({one.method for one in segmentations.values()})
    fields = (
        ("suite", f"{loaded.suite.name}-{loaded.suite.version}"),
        ("hash", suite_digest(loaded.suite)),
        ("accepted", "references+approved" if approved else "references"),
        ("tokens", "given" if options.tokenized or links is not None else "anaphor"),
        ("links", "given" if links is not None else options.aligner.signature()),
        *((("segmentation", ",".join(cut)),) if cut else ()),
        *(() if packs is None else (("packs", languages_digest(loaded.suite.pair, packs)),)),
    )
    signature = Signature("protest", fields, __version__)
    said = [f"candidate {name}: {line}" for name, one in segmentations.items() for line in one.summary()]
    return SuiteReport(loaded.suite, systems, changes(judged), signature, (*notes, *said))


def _omitted(loaded: LoadedSuite, segmentation: CandidateSegmentation | None) -> dict[str, str]:
    """Why the segment of an item's pronoun has no translation, by item."""
    if segmentation is None:
        return {}
    locators, reasons = loaded.texts.locators[SOURCE], segmentation.reasons
    found = {}
    for item in loaded.suite.items:
        segments = [segment for segment, *_ in locators[item.document].stretches(item.pronoun)]
        if why := next((reasons[segment] for segment in segments if segment in reasons), None):
            found[item.id] = why
    return found


def _notes(
    loaded: LoadedSuite, candidates: Mapping[str, Text], options: linking.EvaluationOptions
) -> tuple[str, ...]:
    """What looks wrong with the texts; nothing is known of a pair that has no pack."""
    pair, packs = loaded.suite.pair, options.aligner.packs
    if str(pair) not in known_pairs(packs):
        return ()
    sides = {name: loaded.texts.lines(name) for name, _ in loaded.texts.sides()}
    texts = {
        name: Text.of([line for line in lines if line is not None], path=name)
        for name, lines in sides.items()
        if None not in lines
    }
    source = texts.pop(SOURCE)
    inputs = Inputs(source=source, references=tuple(texts.values()), candidates=candidates)
    return tuple(doubts(inputs, load_pair(pair, folder=packs), tokenized=options.tokenized))


def category_scores(
    suite: Suite, judged: Sequence[ItemJudgement], *, level: float
) -> tuple[CategoryScore, ...]:
    """The score of every category that has items, in the order of the suite, and the total."""
    check_level(level)
    groups: dict[str, list[ItemJudgement]] = {category.name: [] for category in suite.categories}
    for one in judged:
        groups[one.item.category].append(one)
    scores = []
    for name, found in [*groups.items(), (TOTAL, list(judged))]:
        if found:
            right = np.array([one.outcome is ItemOutcome.MATCH for one in found], dtype=np.float64)
            share = Accuracy.of(name, right, [one.item.document for one in found], level=level)
            agreeing = sum(one.outcome is ItemOutcome.AGREES for one in found)
            scores.append(CategoryScore(name, share.items, share.right, share.interval, agreeing))
    return tuple(scores)


def changes(systems: Mapping[str, Sequence[ItemJudgement]]) -> tuple[SystemChanges, ...]:
    """Every system against the first one, which is the baseline; none if there is only one system."""
    baseline, *others = systems
    right = {
        name: np.array([one.outcome is ItemOutcome.MATCH for one in judged])
        for name, judged in systems.items()
    }
    values = [mcnemar(right[baseline], right[name]) for name in others]
    items = [one.item for one in systems[baseline]]
    found = []
    for name, value, adjusted in zip(others, values, holm(values), strict=True):
        places = gained_and_lost(right[baseline], right[name])
        improved, broken = (tuple(items[at] for at in some) for some in places)
        found.append(SystemChanges(baseline, name, improved, broken, value, adjusted))
    return tuple(found)
