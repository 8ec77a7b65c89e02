"""Scores of variants: one number for each, from the files that translation tools and language models write.

Files list the variants of all items in the order of `anaphor bench export --plain`, which is that of the
original sets, or carry ids. If a file has the scored text, a line with the text of a different variant is an
error.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from anaphor.bench.items import Bench, BenchOutcome
from anaphor.bench.result import BenchResult, SystemOutcomes, summarize
from anaphor.bench.score_files import (
    FORMATS,
    PARSERS,
    RESULTS_FORMAT,
    ScoreLines,
    detect_format,
    fairseq_measure,
    original_order,
    place_lines,
    variant_starts,
)
from anaphor.core import InputError, MismatchError, OptionError, Where, digest
from anaphor.core.array_types import Doubles
from anaphor.core.table import counted
from anaphor.corpus import read_text
from anaphor.files.writing import write_atomically


@dataclass(frozen=True, slots=True, eq=False)
class VariantScores:
    """One number for every variant of a bench.

    Attributes:
        path: The file.
        format: Its format, one of `FORMATS`.
        values: The scores, item by item, with the correct variant first.
        higher_is_better: Whether the best variant has the highest score.
        measure: `sum` or `mean`, of token log-probabilities, or `given` if the file does not say which.
        log_base: The base of the logarithm; None if unknown.
        tokens: The log-probability of every token of every variant, if the file has them.
    """

    path: str
    format: str
    values: Doubles
    higher_is_better: bool
    measure: str = "given"
    log_base: float | None = None
    tokens: Sequence[Sequence[float]] | None = None


def read_scores(
    path: str | Path, bench: Bench, *, format: str = "auto", maximize: bool | None = None, sums: bool = False
) -> VariantScores:
    """Read one number for every variant of a bench.

    Args:
        path: The file; `-` is standard input, `.gz` is decompressed.
        bench: The bench whose variants were scored.
        format: One of `FORMATS`, or `auto` to detect it from the content; `plain` means plain numbers.
        maximize: For plain numbers, whether higher is better. By default, lower is better, as in ContraPro's
            script.
        sums: Sum the log-probabilities of tokens if the file also has means (fairseq).

    Returns:
        The scores in the order of the bench.

    Raises:
        UserError: A line is missing, surplus or not a number, or belongs to another item or another version
            of the set.
    """
    text = read_text(path)
    require_contrastive(bench)
    format = detect_format(text.lines, text.path) if format == "auto" else format
    if format not in PARSERS:
        fix = f"choose one of {', '.join(FORMATS)}"
        raise OptionError(f"unknown score format: {format}", where="--format", fix=fix)
    scored = PARSERS[format](text.lines, text.path, bench)
    if format == "fairseq":
        fairseq_measure(scored, text.path, sums=sums)
    elif sums and scored.measure != "sum":
        what = f"the sums cannot be computed from scores in the format {format}"
        fix = "leave --sums out; sums need the H- and P- lines of fairseq, or log-probabilities of tokens"
        raise OptionError(what, where="--sums", fix=fix)
    _check_finite(scored, text.path)
    order = place_lines(bench, scored, path=text.path)
    # `order` says where in the bench each line of the file belongs.
    values = np.empty(len(order))
    values[order] = scored.values
    tokens: list[list[float]] | None = None
    if scored.tokens:
        tokens = [[] for _ in order]
        for at, words in zip(order, scored.tokens, strict=True):
            tokens[at] = words
    return VariantScores(
        text.path,
        format,
        values,
        _direction(values, format, maximize, scored.higher_is_better, path=text.path),
        scored.measure,
        None if format == "plain" else scored.log_base,
        tokens,
    )


def scores_of(
    bench: Bench, scores: Mapping[str, Sequence[float]], *, higher_is_better: bool, path: str = "<scores>"
) -> VariantScores:
    """Turn numbers in memory, one per variant, into scores.

    Args:
        bench: The bench.
        scores: The scores of every item by its id, with the correct variant first.
        higher_is_better: Whether the best variant has the highest score.
        path: The name of the scores in messages.

    Returns:
        The scores in the order of the bench.

    Raises:
        UserError: An item or variant has no score, or there is one too many.
    """
    keys = [(name, place) for name, values in scores.items() for place in range(len(values))]
    scored = ScoreLines(
        [value for values in scores.values() for value in values], keys=keys, correct_first=True
    )
    _check_finite(scored, path)
    values = np.empty(len(keys))
    values[place_lines(bench, scored, path=path)] = scored.values
    return VariantScores(path, "anaphor", values, higher_is_better)


def write_scores(path: str | Path, bench: Bench, scores: VariantScores) -> None:
    """Write scores in this package's format, which includes the name and hash of the set."""
    header = {
        "format": RESULTS_FORMAT,
        "mode": "scores",
        "set": bench.name,
        "hash": bench.hash,
        "higher_is_better": scores.higher_is_better,
        "measure": scores.measure,
        "log_base": scores.log_base,
    }
    lines, at = [header], 0
    for item in bench.items:
        stop = at + len(item.variants)
        line: dict[str, Any] = {"id": item.id, "scores": scores.values[at:stop].tolist()}
        if scores.tokens is not None:
            line["tokens"] = [list(words) for words in scores.tokens[at:stop]]
        lines.append(line)
        at = stop
    write_atomically(path, "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))


def judge_scores(bench: Bench, scores: VariantScores, *, rule: str = "official") -> tuple[BenchOutcome, ...]:
    """The outcome of every item.

    Under the rule of ContraPro and most other sets, the correct variant must be strictly better than every
    other: equal scores are wrong. The scripts of Voita's sets and of ContraCAT take the first of the best, so
    a tie is correct if the correct variant comes first; under the rule `strict` it stays a tie.
    """
    starts = variant_starts(bench)
    costs = -scores.values if scores.higher_is_better else scores.values
    correct = costs[starts]
    others = costs.copy()
    # The correct variant does not compete with itself.
    others[starts] = np.inf
    best_wrong = np.minimum.reduceat(others, starts)
    # The index in `members` below: right, wrong, tie.
    outcomes = np.where(correct < best_wrong, 0, np.where(correct == best_wrong, 2, 1))
    if rule == "official" and bench.kind in FIRST_OF_THE_BEST:
        for at in np.flatnonzero(outcomes == 2):
            item, start = bench.items[at], starts[at]
            # The bench puts the correct variant first; the sets do not, and there the first of the best wins.
            original = [costs[start + place] for place in original_order(item)]
            if original_order(item)[int(np.argmin(original))] == 0:
                outcomes[at] = 0
    members = (BenchOutcome.RIGHT, BenchOutcome.WRONG, BenchOutcome.TIE)
    return tuple(members[outcome] for outcome in outcomes)


def evaluate_scores(bench: Bench, scores: Mapping[str, VariantScores], **summary: Any) -> BenchResult:
    """Judge every item by the scores of its variants.

    Args:
        bench: The bench.
        scores: The scores by system name; the first is the baseline of paired tests.
        **summary: `paired`, `samples`, `seed`, `level` and `examples` as in `summarize`.

    Returns:
        Accuracies under the official rule of the set, and also under the rule `strict` if the official one
        counts ties as correct.

    Raises:
        UserError: The scores cannot be compared.
    """
    rules = ("official", "strict") if bench.kind in FIRST_OF_THE_BEST else ("official",)
    systems, notes, starts = [], [], variant_starts(bench)
    owners = np.repeat(np.arange(len(starts)), [len(item.variants) for item in bench.items])
    for name, system_scores in scores.items():
        outcomes = {rule: judge_scores(bench, system_scores, rule=rule) for rule in rules}
        costs = -system_scores.values if system_scores.higher_is_better else system_scores.values
        # Sorted by item, then by cost: the best variant of an item, the first of equal ones, comes first.
        best = np.lexsort((costs, owners))[starts] - starts
        outputs = [item.variants[at] for item, at in zip(bench.items, best.tolist(), strict=True)]
        # Of the numbers, not of the file: formats may differ.
        hash_ = digest([system_scores.values.tobytes()])
        systems.append(SystemOutcomes(name, outcomes, outputs, digest=hash_))
        if ties := outcomes[rules[-1]].count(BenchOutcome.TIE):
            notes.append(f"{name}: {counted(ties, 'tie')}, equal scores; were they rounded?")
    measures = sorted({system.measure for system in scores.values()})
    if len(measures) > 1:
        notes.append(f"scores of different kinds are compared: {', '.join(measures)} over tokens")
    fields = (("measure", "+".join(measures)),)
    return summarize(bench, systems, mode="scores", fields=fields, notes=notes, **summary)


def log_base_of(text: str) -> float:
    """The base of a logarithm: a number above 1, or `e`."""
    try:
        base = math.e if text == "e" else float(text)
    except ValueError:
        base = math.nan
    if not 1 < base < math.inf:
        raise OptionError(f"not the base of a logarithm: {text}", where="--log-base", fix="use e, 2 or 10")
    return base


#: The families of sets whose own scripts take the first of several best variants.
FIRST_OF_THE_BEST = ("voita", "contracat")


def require_contrastive(bench: Bench) -> None:
    """Raise unless every item has a correct and a wrong variant."""
    for item in bench.items:
        if len(item.variants) < 2:
            what = f"item {item.id} of {bench.name} has no wrong variant, so there is nothing to compare"
            fix = "score translations of this set instead: --translations"
            raise MismatchError(what, where=f"bench {bench.name}", fix=fix)


def _check_finite(scored: ScoreLines, path: str) -> None:
    if np.isfinite(scored.values).all():
        return
    at = int(np.flatnonzero(~np.isfinite(scored.values))[0])
    where = Where(path, scored.lines[at]) if scored.lines else Where(path)
    what = f"a score is not a finite number: {scored.values[at]}"
    raise InputError(what, where=where, fix="score this variant again; the model failed or a line is damaged")


def _direction(
    values: Doubles, format: str, maximize: bool | None, higher_is_better: bool, *, path: str
) -> bool:
    if format != "plain":
        if maximize is not None and maximize != higher_is_better:
            kind = "higher" if higher_is_better else "lower"
            what = f"in the format {format}, {kind} scores are better"
            raise OptionError(what, where=path, fix="omit --maximize and --minimize, or add --format plain")
        return higher_is_better
    if maximize is None and (values <= 0).all() and (values < 0).any():
        what = "all scores are negative, like log-probabilities, but lower is considered better by default"
        fix = "add --maximize if higher is better, or --minimize if lower really is"
        raise OptionError(what, where=path, fix=fix)
    return bool(maximize)
