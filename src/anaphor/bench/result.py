"""Results of a bench: outcomes of items in, accuracies with intervals, comparisons and examples out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from anaphor import __version__
from anaphor.bench.items import Bench, BenchItem, BenchOutcome
from anaphor.bench.precision import AnswerCounts, answer_counts, precision_table
from anaphor.core import Comparison, MismatchError, OptionError, Signature
from anaphor.core.array_types import Doubles
from anaphor.core.options import check_level, check_seed
from anaphor.core.table import (
    Block,
    Cell,
    Paragraph,
    Styled,
    Table,
    count,
    counted,
    percent,
    plain,
    text,
)
from anaphor.stats import (
    Accuracy,
    accuracy_measure,
    cluster_ids,
    comparison_table,
    evaluate_counts,
)

#: Rows of a table by pronoun; the rest is in the JSON.
_MOST_ROWS = 15
_STYLES = {BenchOutcome.RIGHT: "good", BenchOutcome.WRONG: "bad"}


@dataclass(frozen=True, slots=True)
class SystemOutcomes:
    """The outcome of every item for one system, under each rule.

    Attributes:
        system: The name of the system.
        outcomes: By rule, the outcome of every item in the order of the bench.
        outputs: The output of the system for every item, for examples: a translation, or the preferred
            variant.
        counts: Additional numbers, such as answers that depend on the order of options.
        digest: The hash of what was judged.
    """

    system: str
    outcomes: Mapping[str, Sequence[BenchOutcome]]
    outputs: Sequence[str] = ()
    counts: Mapping[str, float] = field(default_factory=dict)
    digest: str = ""


@dataclass(frozen=True, slots=True)
class RuleScores:
    """One system under one rule.

    Attributes:
        system: The name of the system.
        rule: The rule, `official` or another.
        total: The accuracy over all items.
        counts: The number of items by outcome.
        parts: Accuracies by `pronoun`, `distance`, `category` and `label`, if the bench has them.
        blocks: The share of blocks with every item correct; None if the bench has no blocks.
    """

    system: str
    rule: str
    total: Accuracy
    counts: Mapping[BenchOutcome, int]
    parts: Mapping[str, tuple[Accuracy, ...]]
    blocks: Accuracy | None

    def to_dict(self) -> dict[str, Any]:
        content: dict[str, Any] = plain(
            {
                "system": self.system,
                "rule": self.rule,
                "accuracy": self.total.accuracy,
                "interval": self.total.interval,
                "items": self.total.items,
                "outcomes": {outcome.value: number for outcome, number in self.counts.items()},
                "blocks": self.blocks,
                "parts": self.parts,
            }
        )
        return content


# Without slots: `precision` is computed once and kept.
@dataclass(frozen=True)
class BenchResult:
    """All systems on one bench.

    Attributes:
        bench: The bench.
        mode: How they were evaluated: `scores`, `translations` or `answers`.
        systems: The outcomes of the systems.
        scores: Accuracies, system by system and rule by rule.
        comparisons: By rule, every other system against the first; empty unless asked for.
        signatures: By rule, everything that affected the numbers.
        notes: Notes for readers of the numbers.
        examples: The number of items to show below the tables.
    """

    bench: Bench
    mode: str
    systems: tuple[SystemOutcomes, ...]
    scores: tuple[RuleScores, ...]
    comparisons: Mapping[str, tuple[Comparison, ...]]
    signatures: Mapping[str, Signature]
    notes: tuple[str, ...] = ()
    examples: int = 0

    @property
    def rules(self) -> tuple[str, ...]:
        return tuple(self.signatures)

    @cached_property
    def precision(self) -> Mapping[str, tuple[AnswerCounts, ...]]:
        """By system, the official counts of translations on a set that permits blank lines; else empty."""
        if self.bench.kind != "gate" or self.mode != "translations" or "official" not in self.rules:
            return {}
        labels = item_parts(self.bench).get("label", {})
        return {system.system: answer_counts(system.outcomes["official"], labels) for system in self.systems}

    def to_dict(self) -> dict[str, Any]:
        bench = self.bench
        about = {"name": bench.name, "pair": str(bench.pair), "kind": bench.kind, "hash": bench.hash}
        return {
            "bench": {**about, "items": len(bench.items)},
            "mode": self.mode,
            "signatures": {rule: signature.as_dict() for rule, signature in self.signatures.items()},
            "scores": [score.to_dict() for score in self.scores],
            **({"precision": plain(self.precision)} if self.precision else {}),
            "comparisons": plain(self.comparisons),
            "systems": [
                {
                    "system": system.system,
                    "digest": system.digest,
                    "counts": plain(system.counts),
                    "items": {
                        item.id: {rule: outcomes[at].value for rule, outcomes in system.outcomes.items()}
                        for at, item in enumerate(bench.items)
                    },
                }
                for system in self.systems
            ],
            "notes": list(self.notes),
        }

    def tables(self) -> list[Block]:
        """Accuracies, outcomes, breakdowns, comparisons, examples, signatures."""
        bench = self.bench
        blocks: list[Block] = [
            f"{bench.name}, {bench.pair}, {counted(len(bench.items), 'item')}, {self.mode}"
        ]
        blocks += [self.accuracy_table(), *([precision_table(self.precision)] if self.precision else [])]
        blocks += [*self._part_tables(), *self._comparison_tables()]
        blocks += [Paragraph([note]) for note in self.notes]
        blocks += example_blocks(self, self.example_items(self.examples))
        return [*blocks, Paragraph([str(signature) for signature in self.signatures.values()], style="dim")]

    def accuracy_table(self, *, caption: str = "") -> Table:
        """One row per system: its accuracy under each rule, breakdowns, and the number of items by
        outcome."""
        shown = [outcome for outcome in BenchOutcome if any(score.counts[outcome] for score in self.scores)]
        blocks = any(score.blocks is not None for score in self.scores)
        several = len(self.rules) > 1
        # With two rules, outcomes are those of the last: ours, which tells what is wrong from what is absent.
        columns = [text("system"), *(percent(rule if several else "accuracy") for rule in self.rules)]
        columns += [percent("blocks")] * blocks + [count(outcome.value) for outcome in shown]
        best = {
            rule: max(score.total.right for score in self.scores if score.rule == rule) for rule in self.rules
        }
        rows = []
        for system in self.systems:
            mine = [score for score in self.scores if score.system == system.system]
            cells: list[Any] = [system.system]
            for by_rule in mine:
                bold = caption and len(self.systems) > 1 and by_rule.total.right == best[by_rule.rule]
                cells.append(
                    Cell(by_rule.total.accuracy, by_rule.total.interval, style="bold" if bold else "")
                )
            last = mine[-1]
            if blocks:
                cells.append(
                    None if last.blocks is None else Cell(last.blocks.accuracy, last.blocks.interval)
                )
            rows.append([*cells, *(last.counts[outcome] for outcome in shown)])
        level = self.scores[0].total.interval.level
        notes = [f"[ ] {100 * level:g} % interval"] + [f"outcomes by the rule {self.rules[-1]}"] * several
        extra = sorted({name for system in self.systems for name in system.counts})
        for name in extra:
            values = ", ".join(
                f"{system.system} {system.counts[name]:g}" for system in self.systems if name in system.counts
            )
            notes.append(f"{name}: {values}")
        return Table(columns, rows, notes=notes, caption=caption)

    def paper_table(self) -> Table:
        """The accuracies for a paper: the best in bold, intervals in brackets, the signature below."""
        level = self.scores[0].total.interval.level
        caption = (
            f"Accuracy on {self.bench.name} ({self.bench.pair}, {len(self.bench.items)} items, "
            f"{self.mode}) in percent; {100 * level:g} % interval in brackets. "
        )
        return self.accuracy_table(caption=caption + " ".join(map(str, self.signatures.values())))

    def _part_tables(self) -> list[Block]:
        tables: list[Block] = []
        # The table of precision has the labels already.
        for name in (part for part in self.scores[0].parts if part != "label" or not self.precision):
            headings = [
                score.system + (f" {score.rule}" if len(self.rules) > 1 else "") for score in self.scores
            ]
            columns = (text(name), count("items"), *map(percent, headings))
            lines = list(zip(*(score.parts[name] for score in self.scores), strict=True))
            rows = [[line[0].name, line[0].items, *(part.accuracy for part in line)] for line in lines]
            hidden = len(rows) - _MOST_ROWS
            notes = [f"and {hidden} more, which JSON lists"] if hidden > 0 else []
            tables.append(Table(columns, rows[:_MOST_ROWS], notes=notes))
        return tables

    def _comparison_tables(self) -> list[Block]:
        compared = [
            # By several rules, the rule says more than that all of them count what is right.
            replace(comparison, metric=rule) if len(self.rules) > 1 else comparison
            for rule, comparisons in self.comparisons.items()
            for comparison in comparisons
        ]
        return [comparison_table(compared)] if compared else []

    def example_items(self, most: int) -> list[int]:
        """Items to show: those that only some systems get right; for a single system, those it gets wrong."""
        right = np.array(
            [
                [outcome is BenchOutcome.RIGHT for outcome in system.outcomes[self.rules[-1]]]
                for system in self.systems
            ]
        )
        wanted = right.any(axis=0) & ~right.all(axis=0) if len(right) > 1 else ~right[0]
        items = np.flatnonzero(wanted)
        # From all over the set: its beginning is often one film.
        picks = np.unique(np.linspace(0, len(items) - 1, min(most, len(items))).astype(int))
        return [int(items[at]) for at in picks] if most and len(items) else []


def summarize(
    bench: Bench,
    systems: Sequence[SystemOutcomes],
    *,
    mode: str,
    fields: Sequence[tuple[str, str]] = (),
    notes: Sequence[str] = (),
    paired: bool = False,
    samples: int = 1000,
    seed: int = 12345,
    level: float = 0.95,
    examples: int = 0,
) -> BenchResult:
    """Accuracies, intervals and comparisons from the outcomes of items.

    Args:
        bench: The bench.
        systems: The outcomes of every system, under the same rules.
        mode: How the systems were evaluated: `scores`, `translations` or `answers`.
        fields: Names and values for the signature: what affected the outcomes, other than the rule.
        notes: Notes for readers of the numbers.
        paired: Whether every system is tested against the first.
        samples: Resamples of the paired tests.
        seed: The random seed.
        level: The confidence level of intervals.
        examples: The number of items to show.

    Returns:
        The result.

    Raises:
        UserError: Systems differ in their items or rules, or share a name.
    """
    check_level(level)
    check_seed(seed)
    names = [system.system for system in systems]
    if not names or len(set(names)) != len(names):
        what = "two systems have the same name" if names else "there is no system"
        raise OptionError(what, where=", ".join(names) or "systems", fix="give each a name: NAME=FILE")
    rules = tuple(systems[0].outcomes)
    for system in systems:
        if tuple(system.outcomes) != rules or any(
            len(outcomes) != len(bench.items) for outcomes in system.outcomes.values()
        ):
            fix = "judge all items of the same bench by the same rules"
            raise MismatchError(f"{system.system} was judged on other items", where=system.system, fix=fix)
    documents = [item.document or item.id for item in bench.items]
    parts = item_parts(bench)
    tested = paired and len(systems) > 1
    signatures = {
        rule: Signature(
            "bench",
            (("set", bench.name), ("hash", bench.hash), ("mode", mode), ("rule", rule), *fields)
            + ((("seed", str(seed)), ("samples", str(samples))) if tested else ()),
            __version__,
        )
        for rule in rules
    }
    right = {
        rule: {
            system.system: np.array([outcome is BenchOutcome.RIGHT for outcome in system.outcomes[rule]])
            for system in systems
        }
        for rule in rules
    }
    scores = [
        _rule_scores(
            bench, system, rule, right[rule][system.system].astype(np.float64), parts, documents, level
        )
        for system in systems
        for rule in rules
    ]
    comparisons = {}
    if tested:
        evaluations = evaluate_counts(
            [
                accuracy_measure(right[rule], lambda _, rule=rule: signatures[rule])  # type: ignore[misc]
                for rule in rules
            ],
            ids=cluster_ids(documents, segments=len(documents)),
            samples=samples,
            seed=seed,
            level=level,
            paired=True,
        )
        comparisons = {
            rule: evaluation.comparisons for rule, evaluation in zip(rules, evaluations, strict=True)
        }
    return BenchResult(
        bench, mode, tuple(systems), tuple(scores), comparisons, signatures, tuple(notes), examples
    )


def _rule_scores(
    bench: Bench,
    system: SystemOutcomes,
    rule: str,
    right: Doubles,
    parts: Mapping[str, Mapping[str, Sequence[int]]],
    documents: Sequence[str],
    level: float,
) -> RuleScores:
    outcomes = Counter(system.outcomes[rule])
    groups: dict[str, list[int]] = {}
    for at, item in enumerate(bench.items):
        if item.group:
            groups.setdefault(item.group, []).append(at)
    blocks = None
    if groups:
        whole = np.array([right[members].all() for members in groups.values()], dtype=np.float64)
        blocks = Accuracy.of(
            "blocks", whole, [documents[members[0]] for members in groups.values()], level=level
        )
    return RuleScores(
        system.system,
        rule,
        Accuracy.of("total", right, documents, level=level),
        {outcome: outcomes[outcome] for outcome in BenchOutcome},
        {
            part: tuple(
                Accuracy.of(name, right[list(members)], [documents[at] for at in members], level=level)
                for name, members in named.items()
            )
            for part, named in parts.items()
        },
        blocks,
    )


def item_parts(bench: Bench) -> dict[str, dict[str, list[int]]]:
    """The items of every part by pronoun, distance, category and label, as far as these vary in the bench.

    The pronoun is `source:target` and distances end with `>3`, as in ContraPro's own script.
    """
    parts: dict[str, dict[str, list[int]]] = {"pronoun": {}, "distance": {}, "category": {}, "label": {}}
    for at, item in enumerate(bench.items):
        form = item.expected[0] if item.expected else ""
        pronoun = ":".join(filter(None, (item.pronoun, form))).lower()
        distance = "" if item.distance is None else str(item.distance) if item.distance <= 3 else ">3"
        for part, name in zip(parts, (pronoun, distance, item.category), strict=False):
            parts[part].setdefault(name or "unknown", []).append(at)
        for label in item.labels:
            parts["label"].setdefault(label, []).append(at)
    order: dict[str, Callable[[tuple[str, list[int]]], Any]] = {
        "pronoun": lambda entry: -len(entry[1]),
        "distance": lambda entry: (entry[0] == "unknown", entry[0] == ">3", entry[0]),
        "category": lambda entry: min(entry[1]),
        "label": lambda entry: entry[0],
    }
    return {
        part: dict(sorted(named.items(), key=order[part])) for part, named in parts.items() if len(named) > 1
    }


def example_blocks(result: BenchResult, items: Sequence[int]) -> list[Block]:
    """Items in context, with the result of every system."""
    rule, examples = result.rules[-1], []
    for at in items:
        item = result.bench.items[at]
        lines: list[list[str | Styled]] = [[f"{item.id}" + (f", {item.category}" if item.category else "")]]
        lines += [[f"{name:10} ", content] for name, content in item_lines(item)]
        for system in result.systems:
            outcome = system.outcomes[rule][at]
            output = f"{system.outputs[at]}  " if system.outputs else ""
            style = _STYLES.get(outcome, "mark")
            lines.append([f"{system.system:10} {output}", Styled(outcome.value, style)])  # type: ignore[arg-type]
        examples.append(Paragraph(lines))
    return list(examples)


def item_lines(item: BenchItem) -> list[tuple[str, str]]:
    """The text of an item for readers: the context, the source, and its variants or forms."""
    lines = [("before", sentence) for sentence in item.source[:-1]]
    lines.append(("source", item.source[-1]))
    lines += [("before", sentence) for sentence in item.context]
    for place, variant in enumerate(item.variants):
        context = " ".join(item.contexts[place]) + " " if item.contexts else ""
        lines.append(("wrong" if place else "right", context + variant))
    if item.expected:
        lines.append(("expected", ", ".join(item.expected)))
    return lines
