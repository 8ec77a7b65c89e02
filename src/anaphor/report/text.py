"""A result as text for a terminal."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from anaphor.core import Comparison, Outcome, Result, Score, SystemResult
from anaphor.metrics.autoprf import matched_words
from anaphor.report.table import Paint, table

_CASES = {
    Outcome.IDENTICAL: "identical",
    Outcome.EQUIVALENT: "equivalent",
    Outcome.DIFFERENT: "different",
    Outcome.CANDIDATE_MISSING: "no candidate",
    Outcome.REFERENCE_MISSING: "no reference",
    Outcome.BOTH_MISSING: "neither",
}


def percent(value: float) -> str:
    return "n/a" if math.isnan(value) else f"{100 * value:.1f}"


def result_text(result: Result, *, paint: Paint, parts: tuple[str, ...] = ("case",)) -> str:
    """Scores of all systems, the asked parts, comparisons and signatures."""
    blocks = [_heading(result), _scores(result, paint)]
    if result.systems[0].verdicts:
        blocks += [_PARTS[part](result, paint) for part in parts]
    if result.comparisons:
        blocks.append(_comparisons(result, paint))
    blocks.append(_signatures(result, paint))
    return "\n\n".join(block for block in blocks if block)


def _heading(result: Result) -> str:
    parts = [result.settings.pair, f"{result.segments} segments"]
    if result.documents is not None:
        parts.append(f"{len(set(result.documents))} documents")
    verdicts = result.systems[0].verdicts
    if verdicts:
        forms = Counter(verdict.pair.source.form for verdict in verdicts)
        by_form = ", ".join(f"{form} {count}" for form, count in forms.most_common(8))
        parts.append(f"{len(verdicts)} pronouns ({by_form})")
    return ", ".join(parts)


def _scores(result: Result, paint: Paint) -> str:
    heading = ["system", *(score.metric for score in result.systems[0].scores)]
    rows = [[system.name, *map(_score, system.scores)] for system in result.systems]
    note = ""
    if any(score.interval for system in result.systems for score in system.scores):
        note = "\n" + paint.dim(f"[ ] {100 * result.settings.level:g} % interval")
    return table([heading, *rows], paint=paint) + note


def _score(score: Score) -> str:
    if score.interval is None:
        return percent(score.value)
    return f"{percent(score.value)} [{percent(score.interval.low)}, {percent(score.interval.high)}]"


def _by_case(result: Result, paint: Paint) -> str:
    rows = [["case", *(f"{case.value} {name}" for case, name in _CASES.items())]]
    for system in result.systems:
        counts = Counter(verdict.outcome for verdict in system.verdicts)
        rows.append([system.name, *(str(counts[case]) for case in _CASES)])
    return table(rows, paint=paint)


def _by_pronoun(result: Result, paint: Paint) -> str:
    return _parts(result, "pronoun", [system.by_pronoun for system in result.systems], paint)


def _by_document(result: Result, paint: Paint) -> str:
    if result.documents is None:
        return paint.dim("no documents are known: name them with --documents")
    return _parts(result, "document", [system.by_document for system in result.systems], paint)


def _parts(
    result: Result, kind: str, values: Sequence[Mapping[str, Mapping[str, float]]], paint: Paint
) -> str:
    """A table a metric: a row for every part, a column for every system."""
    names = [system.name for system in result.systems]
    return "\n\n".join(
        table(
            [
                [f"{metric} by {kind}", *names],
                *([part, *(percent(value[metric][part]) for value in values)] for part in values[0][metric]),
            ],
            paint=paint,
        )
        for metric in values[0]
    )


def _by_clipped(result: Result, paint: Paint) -> str:
    """The words that candidate and reference share where several are linked to one pronoun, by frequency."""
    found = [
        Counter(words for verdict in system.verdicts if len(words := matched_words(verdict.pair)) > 1)
        for system in result.systems
    ]
    total: Counter[tuple[str, ...]] = sum(found, Counter())
    if not total:
        return paint.dim("no pronoun has a clipped count above one")
    rows = [["clipped counts above one", *(system.name for system in result.systems)]]
    for words, _ in sorted(total.items(), key=lambda item: (-item[1], item[0])):
        rows.append([" ".join(words), *(str(counts[words]) for counts in found)])
    return table([*rows, ["all", *(str(counts.total()) for counts in found)]], paint=paint)


def _matrices(result: Result, paint: Paint) -> str:
    return "\n\n".join(_matrix(system, paint) for system in result.systems)


def _matrix(system: SystemResult, paint: Paint) -> str:
    """Reference forms down, candidate forms across, the most frequent first."""
    sizes: Counter[str] = Counter()
    for (reference, candidate), count in system.confusion.items():
        sizes.update({reference: count, candidate: count})
    labels = [label for label, _ in sorted(sizes.items(), key=lambda item: (-item[1], item[0]))]
    rows = [[f"{system.name}: reference down", *labels]]
    rows += [[row, *(str(system.confusion.get((row, column), 0)) for column in labels)] for row in labels]
    return table(rows, paint=paint)


def _comparisons(result: Result, paint: Paint) -> str:
    heading = ["against", "metric", "difference", "p perm.", "p boot.", "p McNemar", "p Holm", "detectable"]
    baseline = result.comparisons[0].baseline
    heading[0] = f"against {baseline}"
    return table([heading, *(_comparison(c, paint) for c in result.comparisons)], paint=paint)


def _comparison(comparison: Comparison, paint: Paint) -> list[str]:
    low, high = comparison.interval.low, comparison.interval.high
    difference = f"{100 * comparison.difference:+.1f} [{100 * low:+.1f}, {100 * high:+.1f}]"
    if comparison.p_adjusted < 0.05:
        difference = (paint.good if comparison.difference > 0 else paint.bad)(difference)
    mcnemar = "" if comparison.p_mcnemar is None else _p(comparison.p_mcnemar)
    return [
        comparison.system,
        comparison.metric,
        difference,
        _p(comparison.p_permutation),
        _p(comparison.p_bootstrap),
        mcnemar,
        _p(comparison.p_adjusted),
        f"{100 * comparison.detectable:.1f}",
    ]


def _p(value: float) -> str:
    return "<0.0001" if value < 0.0001 else f"{value:.4f}"


def _signatures(result: Result, paint: Paint) -> str:
    return "\n".join(paint.dim(line) for line in shared_signatures(result))


def shared_signatures(result: Result) -> list[str]:
    """One signature a metric for all systems: that of the first without the hash of its own text."""
    first = [score.signature for score in result.systems[0].scores]
    return [str(replace(s, fields=tuple(field for field in s.fields if field[0] != "cand"))) for s in first]


_PARTS = {
    "case": _by_case,
    "pronoun": _by_pronoun,
    "document": _by_document,
    "matrix": _matrices,
    "clipped": _by_clipped,
}
