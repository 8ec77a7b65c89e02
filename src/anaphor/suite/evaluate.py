"""The automatic evaluation: candidates in, an outcome for every item out (protest-2016, section 5.2)."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anaphor import __version__
from anaphor.core import (
    CandidateSegmentation,
    Comparison,
    InputWarning,
    Item,
    Signature,
    Suite,
)
from anaphor.core.options import check_level, check_seed
from anaphor.core.progress import Progress
from anaphor.core.table import (
    Block,
    Cell,
    Paragraph,
    Styled,
    Table,
    count,
    format_percent,
    percent,
    plain,
    text,
)
from anaphor.corpus import Inputs, Text
from anaphor.corpus.plausibility import text_warnings
from anaphor.languages import known_pairs, languages_digest, load_pair
from anaphor.stats import (
    SIGNIFICANCE,
    Accuracy,
    PairedItems,
    accuracy_measure,
    cluster_ids,
    comparison_table,
    evaluate_counts,
    gained_and_lost,
    paired_items_table,
)
from anaphor.suite import linking
from anaphor.suite.folder import LoadedSuite, suite_digest
from anaphor.suite.outcomes import ItemJudge, ItemJudgement, ItemOutcome
from anaphor.suite.texts import SOURCE

TOTAL = "total"


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
            "interval": plain(self.interval),
            "level": self.interval.level,
            "agreeing": self.agreeing,
        }


@dataclass(frozen=True, slots=True)
class SystemChanges:
    """A system against the baseline: items that only it matches, items that only the baseline matches.

    The second use of a suite in protest-2016, section 6. `parts` are the categories in which an item is won
    or lost, in the order of the suite, and the total.
    """

    baseline: str
    system: str
    won: tuple[Item, ...]
    lost: tuple[Item, ...]
    parts: tuple[PairedItems, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "baseline": self.baseline,
            "system": self.system,
            "won": [item.id for item in self.won],
            "lost": [item.id for item in self.lost],
            "categories": plain(self.parts),
        }

    def table(self, *, list_items: bool) -> Table:
        """The changes by category, and every changed item if asked for."""
        table = paired_items_table(
            self.parts, heading=f"items against {self.baseline}", system=self.system, baseline=self.baseline
        )
        lines: list[list[str | Styled]] = []
        if list_items:
            order = [part.name for part in self.parts]
            won, lost = (
                sorted(items, key=lambda item: order.index(item.category)) for items in (self.won, self.lost)
            )
            # Three and two spaces, so that the ids are in one column.
            lines += [[Styled("won", "good"), f"   {item.id}  {item.category}"] for item in won]
            lines += [[Styled("lost", "bad"), f"  {item.id}  {item.category}"] for item in lost]
        return replace(table, notes=[Paragraph(lines)] if lines else [])


@dataclass(frozen=True, slots=True)
class SystemReport:
    """The judgements of one candidate, and its scores by category, the total last.

    `digest` is that of the candidate; `links` is that of the alignment, None if it was not given. `omitted`
    gives, by item, the reason why its segment has no translation, if the candidate was cut from documents.
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
            "tallies": [score.to_dict() for score in self.category_scores],
            "items": [
                {
                    "item": judgement.item.id,
                    "category": judgement.item.category,
                    "outcome": judgement.outcome,
                    "matches": judgement.origin,
                    "agreement": judgement.agreement,
                    "pronoun": " ".join(judgement.words.pronoun),
                    "heads": [" ".join(words) for words in judgement.words.heads],
                    **(
                        {"omitted": self.omitted[judgement.item.id]}
                        if judgement.item.id in self.omitted
                        else {}
                    ),
                }
                for judgement in self.judged
            ],
        }


@dataclass(frozen=True, slots=True)
class SuiteReport:
    """All systems, the changes from the first one to the others, and the signature of the scores.

    `comparisons` are the paired tests of the same changes; there are none without resamples. `notes` are
    apparent problems with the texts; `list_changes` lists every changed item below its table.
    """

    suite: Suite
    systems: tuple[SystemReport, ...]
    changes: tuple[SystemChanges, ...]
    comparisons: tuple[Comparison, ...]
    signature: Signature
    notes: tuple[str, ...] = ()
    list_changes: bool = False

    def to_dict(self) -> dict[str, Any]:
        suite = self.suite
        return {
            "suite": {"name": suite.name, "version": suite.version, "pair": str(suite.pair)},
            "signature": self.signature.as_dict(),
            "systems": [system.to_dict() for system in self.systems],
            "changes": [change.to_dict() for change in self.changes],
            "comparisons": plain(self.comparisons),
            "notes": list(self.notes),
        }

    def tables(self) -> list[Block]:
        """Matches by category as in Table 3 of protest-2016, one column per system; then the changes."""
        rows: list[list[object]] = []
        for scores in zip(*(system.category_scores for system in self.systems), strict=True):
            cells = [f"{score.right} ({format_percent(score.accuracy)})" for score in scores]
            rows.append([scores[0].name, scores[0].items, *cells])
        totals = [system.category_scores[-1] for system in self.systems]
        intervals = [
            f"{format_percent(total.interval.low)}-{format_percent(total.interval.high)}" for total in totals
        ]
        rows.append([f"{totals[0].interval.level:.0%} interval", "", *intervals])
        if any(total.agreeing for total in totals):
            rows.append([ItemOutcome.AGREES.value, "", *(str(total.agreeing) for total in totals)])
        columns = (text("category"), count("items"), *(text(system.system) for system in self.systems))
        return [
            Table(columns, rows),
            *(change.table(list_items=self.list_changes) for change in self.changes),
            *([comparison_table(self.comparisons)] if self.comparisons else []),
            Paragraph([str(self.signature)], style="dim"),
        ]

    def accuracies(self) -> dict[str, dict[str, float]]:
        """The share of matches by system, then by category and in `total`."""
        return {
            system.system: {score.name: score.accuracy for score in system.category_scores}
            for system in self.systems
        }

    def paper_table(self) -> Table:
        """The shares of matches for a paper: the best in bold, the total with its interval.

        Arrows mark totals that differ significantly from the first system's.
        """
        columns = (text("Category"), count("Items"), *(percent(system.system) for system in self.systems))
        rows: list[list[object]] = []
        for scores in zip(*(system.category_scores for system in self.systems), strict=True):
            best = max(score.right for score in scores) if len(scores) > 1 else None
            cells = [Cell(score.accuracy, style="bold" if score.right == best else "") for score in scores]
            if scores[0].name == TOTAL:
                marks = {
                    comparison.system: "↑" if comparison.difference > 0 else "↓"
                    for comparison in self.comparisons
                    if comparison.p_adjusted < SIGNIFICANCE
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
        if self.comparisons:
            caption += (
                f"; the best in bold; ↑ better and ↓ worse than {self.systems[0].system}, significantly "
                f"(paired permutation test, Holm-corrected, p < {SIGNIFICANCE:g})"
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
        candidates: The translations by system name.
        options: The aligner and everything else that affects an outcome.
        links: Your own alignments; by default the candidates are aligned.
        segmentations: How whole-document candidates were cut, by system.
        progress: Called with the name of each step.

    Returns:
        The outcome of every item, scores by category, and the changes from the first system to each of the
        others.

    Raises:
        UserError: A candidate and the source differ in their number of segments.
    """
    check_seed(options.seed)
    linking.check_candidates(loaded, candidates)
    notes = _notes(loaded, candidates, options)
    for note in notes:
        warnings.warn(note, InputWarning, stacklevel=2)
    linked = linking.link_texts(loaded, candidates, options, links=links, progress=progress)
    progress("comparing")
    words_of = {name: linked.words(name) for name in candidates}
    if links is None:  # the user's own alignments are followed even where a line is that of a reference
        improve = linking.with_reference_words
        words_of = {name: improve(loaded, candidates[name], words) for name, words in words_of.items()}
    packs = options.aligner.packs
    judge = ItemJudge(loaded, alternatives=options.alternatives, packs=packs)
    judged = {name: judge.judge(words) for name, words in words_of.items()}
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
    tested = options.samples > 0 and len(judged) > 1
    cut = sorted({segmentation.method for segmentation in segmentations.values()})
    fields = (
        ("suite", f"{loaded.suite.name}-{loaded.suite.version}"),
        ("hash", suite_digest(loaded.suite)),
        ("accepted", "references+approved" if approved else "references"),
        ("tokens", "given" if options.tokenized or links is not None else "anaphor"),
        ("links", "given" if links is not None else options.aligner.signature()),
        *((("segmentation", ",".join(cut)),) if cut else ()),
        *(() if packs is None else (("packs", languages_digest(loaded.suite.pair, packs)),)),
        *((("seed", str(options.seed)), ("samples", str(options.samples))) if tested else ()),
    )
    signature = Signature("protest", fields, __version__)
    comparisons = compare_systems(judged, signature, options) if tested else ()
    cuts = [
        f"candidate {name}: {line}"
        for name, segmentation in segmentations.items()
        for line in segmentation.summary()
    ]
    changes = system_changes(loaded.suite, judged)
    return SuiteReport(loaded.suite, systems, changes, comparisons, signature, (*notes, *cuts))


def _omitted(loaded: LoadedSuite, segmentation: CandidateSegmentation | None) -> dict[str, str]:
    """Why the segment of an item's pronoun has no translation, by item."""
    if segmentation is None:
        return {}
    locators, reasons = loaded.texts.locators[SOURCE], segmentation.reasons
    omitted = {}
    for item in loaded.suite.items:
        segments = [segment for segment, *_ in locators[item.document].stretches(item.pronoun)]
        if why := next((reasons[segment] for segment in segments if segment in reasons), None):
            omitted[item.id] = why
    return omitted


def _notes(
    loaded: LoadedSuite, candidates: Mapping[str, Text], options: linking.EvaluationOptions
) -> tuple[str, ...]:
    """Apparent problems with the texts; empty for a pair without a pack."""
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
    return tuple(text_warnings(inputs, load_pair(pair, folder=packs), tokenized=options.tokenized))


def category_scores(
    suite: Suite, judged: Sequence[ItemJudgement], *, level: float
) -> tuple[CategoryScore, ...]:
    """The score of every category that has items, in the order of the suite, and the total."""
    check_level(level)
    groups: dict[str, list[ItemJudgement]] = {category.name: [] for category in suite.categories}
    for judgement in judged:
        groups[judgement.item.category].append(judgement)
    scores = []
    for name, group in [*groups.items(), (TOTAL, list(judged))]:
        if group:
            right = np.array(
                [judgement.outcome is ItemOutcome.MATCH for judgement in group], dtype=np.float64
            )
            share = Accuracy.of(name, right, [judgement.item.document for judgement in group], level=level)
            agreeing = sum(judgement.outcome is ItemOutcome.AGREES for judgement in group)
            scores.append(CategoryScore(name, share.items, share.right, share.interval, agreeing))
    return tuple(scores)


def system_changes(suite: Suite, systems: Mapping[str, Sequence[ItemJudgement]]) -> tuple[SystemChanges, ...]:
    """Every system compared with the first, the baseline; empty if there is only one system."""
    baseline, *others = systems
    right = _right(systems)
    items = [judgement.item for judgement in systems[baseline]]
    of_category = {
        category.name: np.array([item.category == category.name for item in items])
        for category in suite.categories
    }
    changes = []
    for name in others:
        places = gained_and_lost(right[baseline], right[name])
        won, lost = (tuple(items[at] for at in some) for some in places)
        parts = [
            PairedItems.of(category, right[name][chosen], right[baseline][chosen])
            for category, chosen in of_category.items()
        ]
        changed = [part for part in parts if part.won or part.lost]
        total = PairedItems.of(TOTAL, right[name], right[baseline])
        changes.append(SystemChanges(baseline, name, won, lost, (*changed, total)))
    return tuple(changes)


def compare_systems(
    systems: Mapping[str, Sequence[ItemJudgement]], signature: Signature, options: linking.EvaluationOptions
) -> tuple[Comparison, ...]:
    """Paired tests of every system's accuracy against the first, clustered by document."""
    judged = next(iter(systems.values()))
    documents = [judgement.item.document for judgement in judged]
    if len(set(documents)) < 2:  # one document shows no variation between documents: its items are drawn
        documents = [judgement.item.id for judgement in judged]
    if len(documents) < 2:
        return ()
    (evaluation,) = evaluate_counts(
        [accuracy_measure(_right(systems), lambda _: signature)],
        ids=cluster_ids(documents, segments=len(documents)),
        samples=options.samples,
        seed=options.seed,
        level=options.level,
        paired=True,
    )
    return evaluation.comparisons


def _right(systems: Mapping[str, Sequence[ItemJudgement]]) -> dict[str, NDArray[np.bool_]]:
    """Which items each system matches."""
    return {
        name: np.array([judgement.outcome is ItemOutcome.MATCH for judgement in judged])
        for name, judged in systems.items()
    }
