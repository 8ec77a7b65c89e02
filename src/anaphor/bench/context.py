"""Does a system use context? Outcomes and scores with context are compared with those without it.

The items of a bench are decided by context, so a system gains items by using it. A run with unrelated context
shows how much of the gain is not merely due to a longer input.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from anaphor.bench.items import Bench, BenchOutcome
from anaphor.bench.result import BenchResult, example_blocks, item_parts
from anaphor.bench.score_files import variant_starts
from anaphor.bench.scores import VariantScores
from anaphor.core import Interval, OptionError
from anaphor.core.array_types import Doubles
from anaphor.core.table import Block, Cell, Paragraph, Table, number, percent, plain, text
from anaphor.stats import (
    PairedItems,
    Resampled,
    accuracy_value,
    bootstrap,
    cluster_ids,
    cluster_totals,
    gained_and_lost,
    leave_one_out,
    paired_items_table,
)

WITH, WITHOUT, RANDOM = "with", "without", "random"


@dataclass(frozen=True, slots=True)
class Cxmi:
    """Conditional cross-mutual information of context and correct variants, in bits (Fernandes et al. 2021).

    With N items of source x, context C and correct variant y,

        CXMI = 1/N Σ [log₂ p(y | x, C) - log₂ p(y | x)],

    positive if context makes the correct variant more probable. It is the difference of two cross-entropies
    of one model, so it measures what the model uses, not what the context has to offer. `per_token` divides
    the sum by the number of tokens instead; None if the file lacks them.
    """

    per_sentence: float
    interval: Interval | None
    per_token: float | None
    by_item: tuple[float, ...]
    measure: str


@dataclass(frozen=True, slots=True)
class ContextResult:
    """The effect of context on one system.

    Attributes:
        result: Accuracies with, without, and with random context.
        parts: Items won and lost, by breakdown; the first is `total`.
        random: The same against random context; empty if there is none.
        cxmi: Against `without` and `random` context; empty if there are no log-probabilities.
        notes: The reasons why figures are missing.
    """

    result: BenchResult
    parts: Mapping[str, tuple[PairedItems, ...]]
    random: Mapping[str, tuple[PairedItems, ...]]
    cxmi: Mapping[str, Cxmi]
    notes: tuple[str, ...] = ()

    def flips(self) -> tuple[list[int], list[int]]:
        """The indices of the items gained and of those lost through context."""
        return gained_and_lost(*(_right(self.result, name) for name in (WITHOUT, WITH)))

    def to_dict(self) -> dict[str, Any]:
        items = self.result.bench.items
        won, lost = self.flips()
        return {
            **self.result.to_dict(),
            "context": plain(self.parts),
            "random": plain(self.random),
            "cxmi": {
                name: {
                    "bits_per_sentence": plain(cxmi.per_sentence),
                    "interval": plain(cxmi.interval),
                    "bits_per_token": plain(cxmi.per_token),
                    "items": {item.id: plain(value) for item, value in zip(items, cxmi.by_item, strict=True)},
                }
                for name, cxmi in self.cxmi.items()
            },
            "won": [items[at].id for at in won],
            "lost": [items[at].id for at in lost],
            "notes": [*self.result.notes, *self.notes],
        }

    def tables(self) -> list[Block]:
        result = self.result
        blocks: list[Block] = [
            f"{result.bench.name}, {result.bench.pair}, {len(result.bench.items)} items, {result.mode}",
            result.accuracy_table(),
        ]
        for against, parts in ((WITHOUT, self.parts), (RANDOM, self.random)):
            for name, rows in parts.items():
                heading = f"context against {against}" if name == "total" else name
                if name == "total" and len(result.rules) > 1:
                    heading += f", rule {result.rules[-1]}"
                blocks.append(paired_items_table(rows, heading=heading, system=WITH, baseline=against))
        if self.cxmi:
            blocks.append(
                Table(
                    (
                        text("CXMI in bits"),
                        number("per sentence"),
                        number("per token"),
                        percent("items above 0"),
                    ),
                    [
                        [
                            f"{WITH} against {name}",
                            Cell(cxmi.per_sentence, cxmi.interval),
                            cxmi.per_token,
                            float(np.mean(np.array(cxmi.by_item) > 0)),
                        ]
                        for name, cxmi in self.cxmi.items()
                    ],
                )
            )
        blocks += [Paragraph([note]) for note in (*result.notes, *self.notes)]
        for name, flipped in zip(("won by context", "lost by context"), self.flips(), strict=True):
            if flipped and result.examples:
                blocks.append(Paragraph([name], heading=True))
                blocks += example_blocks(result, flipped[: result.examples])
        return [*blocks, Paragraph([str(signature) for signature in result.signatures.values()], style="dim")]


def evaluate_context(
    judged: BenchResult,
    *,
    scores: Mapping[str, VariantScores] | None = None,
    samples: int = 1000,
    seed: int = 12345,
    level: float = 0.95,
    examples: int = 0,
) -> ContextResult:
    """Compare a system's results with context, without it and, optionally, with random context.

    Args:
        judged: The results under the names `with`, `without` and, optionally, `random`.
        scores: The underlying scores under the same names, for CXMI.
        samples: The number of resamples for the CXMI interval.
        seed: The random seed.
        level: The confidence level.
        examples: The number of gained and lost items to show.

    Returns:
        Items gained and lost through context, by distance and category, and CXMI if scores are
        log-probabilities.

    Raises:
        UserError: `with` or `without` is missing.
    """
    bench = judged.bench
    right = {system.system: _right(judged, system.system) for system in judged.systems}
    for name in (WITH, WITHOUT):
        if name not in right:
            fix = "use the names with, without and random"
            raise OptionError(f"there is no system {name} context", where=name, fix=fix)
    notes: list[str] = []
    cxmi = {}
    for name in (WITHOUT, RANDOM):
        if scores and name in scores:
            cxmi_or_reason = conditional_mutual_information(
                bench, scores[WITH], scores[name], level=level, samples=samples, seed=seed
            )
            if isinstance(cxmi_or_reason, str):
                notes.append(f"no CXMI against {name}: {cxmi_or_reason}")
            else:
                cxmi[name] = cxmi_or_reason
    return ContextResult(
        replace(judged, examples=examples),
        _parts(bench, right[WITH], right[WITHOUT]),
        _parts(bench, right[WITH], right[RANDOM]) if RANDOM in right else {},
        cxmi,
        tuple(notes),
    )


def _right(result: BenchResult, name: str) -> np.ndarray[Any, np.dtype[np.bool_]]:
    (system,) = (system for system in result.systems if system.system == name)
    return np.array([outcome is BenchOutcome.RIGHT for outcome in system.outcomes[result.rules[-1]]])


def _parts(bench: Bench, has: Any, lacks: Any) -> dict[str, tuple[PairedItems, ...]]:
    groups = {"total": {"all": list(range(len(bench.items)))}, **item_parts(bench)}
    parts = {}
    for part in ("total", "distance", "category"):
        rows = [
            PairedItems.of(name, has[chosen], lacks[chosen]) for name, chosen in groups.get(part, {}).items()
        ]
        if rows:
            parts[part] = tuple(rows)
    return parts


def p_cxmi(has: Sequence[float], lacks: Sequence[float]) -> tuple[float, ...]:
    """Pointwise CXMI of each token, from its log-probabilities with and without context.

    Positive if context makes the token more probable. The column `pcxmi` of PECoRe's files has the opposite
    sign.
    """
    return tuple(own - other for own, other in zip(has, lacks, strict=True))


def conditional_mutual_information(
    bench: Bench, has: VariantScores, lacks: VariantScores, *, level: float, samples: int, seed: int
) -> Cxmi | str:
    """CXMI of the correct variants, or the reason why it is not defined for these scores."""
    for scores in (has, lacks):
        if scores.log_base is None or not scores.higher_is_better:
            return f"{scores.path} has no known log-probabilities; declare them with --log-base"
    if has.measure != lacks.measure:
        return f"{has.path} has a {has.measure} over tokens, {lacks.path} a {lacks.measure}"
    starts = variant_starts(bench)
    # log_b p · log₂ b = log₂ p, whatever base a tool writes.
    in_bits = [math.log2(scores.log_base or 1.0) for scores in (has, lacks)]
    differences = has.values[starts] * in_bits[0] - lacks.values[starts] * in_bits[1]
    per_token = None
    if has.tokens is not None and lacks.tokens is not None:
        total, size = 0.0, 0
        for item, start in zip(bench.items, starts, strict=True):
            first, second = has.tokens[start], lacks.tokens[start]
            if len(first) != len(second):
                return (
                    f"item {item.id} has {len(first)} tokens with context and {len(second)} without; "
                    "score the same tokens of the tested sentence"
                )
            values = p_cxmi([v * in_bits[0] for v in first], [v * in_bits[1] for v in second])
            total, size = total + sum(values), size + len(values)
        per_token = total / size if size else None
    # Items of one document share their context, so the interval resamples documents.
    documents = [item.document or item.id for item in bench.items]
    return Cxmi(
        float(differences.mean()),
        _mean_interval(differences, documents, level=level, samples=samples, seed=seed),
        per_token,
        tuple(differences.tolist()),
        has.measure,
    )


def _mean_interval(
    values: Doubles, documents: Sequence[str], *, level: float, samples: int, seed: int
) -> Interval | None:
    """A t interval around the mean, using the standard error of a bootstrap over documents."""
    totals = cluster_totals(
        np.column_stack([values, np.ones_like(values)]), cluster_ids(documents, segments=len(documents))
    )
    if len(totals) < 2:
        return None

    drawn = bootstrap([totals], accuracy_value, samples=samples, seed=seed)[:, 0]
    mean = Resampled(float(values.mean()), leave_one_out(totals, accuracy_value), drawn)
    return mean.t_interval(level=level)
