"""The reliability of a metric's verdicts, and rates corrected for their errors.

Any metric with verdicts is compared with human judgements, in one table. A pronoun counts as accepted or
not; open and missing verdicts count as not accepted. With the share p of accepted pronouns, the sensitivity
q₁ (accepted among those that people find correct) and the specificity q₀ (not accepted among the incorrect
ones), the share of acceptable pronouns is

    θ = (p + q₀ − 1) / (q₀ + q₁ − 1)

Its interval is that of Lang and Reiczigel (2014), which includes the uncertainty of p, q₀ and q₁. If q₀ + q₁
is not clearly above 1, the verdicts carry little information, and the interval is wide.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import NormalDist
from typing import Any

from anaphor.core import InputWarning, Interval, MismatchError, OptionError
from anaphor.core.options import check_level
from anaphor.core.table import Block, Cell, Table, count, number, percent, plain, text
from anaphor.meta.judgements import JudgedPronoun, Judgement, Key, ScoredItem, read_items, read_judgements
from anaphor.stats.agreement import AgreementCoefficient, cohen_kappa
from anaphor.stats.interval import wilson

#: Fewer labels give no headline.
LEAST_LABELS = 100
_ALL = "all"


@dataclass(frozen=True, slots=True)
class Reliability:
    """One source of verdicts compared with people, on one part of the labels.

    `sensitivity` and `specificity` are None without labels of their kind.
    """

    source: str
    part: str
    labels: int
    correct: int
    open: int
    kappa: AgreementCoefficient
    sensitivity: float | None
    sensitivity_interval: Interval | None
    specificity: float | None
    specificity_interval: Interval | None


@dataclass(frozen=True, slots=True)
class CorrectedRate:
    """The share of acceptable pronouns of one system by one source, as counted and corrected.

    `corrected` is None with too few labels, or if the source is no better than chance.
    """

    source: str
    system: str
    items: int
    accepted: float
    corrected: float | None
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class CalibrationCurve:
    """All sources of verdicts in one table, by pronoun and category, with corrected rates.

    `disputed` counts pronouns on which annotators are equally divided; they and bad ones are left out.
    """

    reliability: tuple[Reliability, ...]
    rates: tuple[CorrectedRate, ...]
    labels: int
    least: int
    disputed: int

    def to_dict(self) -> dict[str, Any]:
        content: dict[str, Any] = plain(
            {
                "labels": self.labels,
                "least_labels": self.least,
                "disputed": self.disputed,
                "reliability": self.reliability,
                "rates": self.rates,
            }
        )
        return content

    def tables(self) -> list[Block]:
        columns = [text("verdicts of"), text("part"), *map(count, ("labels", "correct", "open"))]
        columns += [number("kappa"), percent("sensitivity"), percent("specificity")]
        rows = [
            [
                *(row.source, row.part, row.labels, row.correct, row.open),
                Cell(row.kappa.value, row.kappa.interval),
                _share(row.sensitivity, row.sensitivity_interval),
                _share(row.specificity, row.specificity_interval),
            ]
            for row in self.reliability
        ]
        notes = ["open verdicts and missing ones count as not accepted"]
        if self.disputed:
            notes.append(f"left out: {self.disputed} pronouns on which annotators disagree")
        blocks: list[Block] = [Table(columns, rows, notes=notes)]
        columns = [text("verdicts of"), text("system"), count("pronouns")]
        columns += [percent("accepted"), percent("corrected")]
        shares = [
            [
                *(rate.source, rate.system, rate.items),
                rate.accepted,
                _share(rate.corrected, rate.interval),
            ]
            for rate in self.rates
        ]
        notes = []
        if self.labels < self.least:
            notes.append(f"no corrected rate: {self.labels} labels, but at least {self.least} are needed")
        elif any(rate.corrected is None for rate in self.rates):
            notes.append("no corrected rate: verdicts agree with people no better than chance")
        return [*blocks, Table(columns, shares, notes=notes)]


def _share(value: float | None, interval: Interval | None) -> Cell | None:
    return None if value is None else Cell(value, interval)


def calibrate(
    items: str | Path,
    judgements: str | Path,
    *,
    least: int = LEAST_LABELS,
    level: float = 0.95,
) -> CalibrationCurve:
    """Compare every source of verdicts in an items file with human judgements.

    Args:
        items: Output of `anaphor score --items` or `anaphor judge run --items`.
        judgements: Judgements as for `anaphor meta cases`, with `category` for a breakdown.
        least: The minimum number of labels for a corrected rate.
        level: The level of the intervals.

    Returns:
        Kappa, sensitivity and specificity by source, pronoun and category, and corrected rates by system.

    Raises:
        UserError: A file cannot be read, the files do not match, or no metric gave verdicts.
    """
    check_level(level)
    return calibrate_items(read_items(items), read_judgements(judgements), least=least, level=level)


def calibrate_items(
    items: Mapping[Key, ScoredItem],
    judged: Sequence[JudgedPronoun],
    *,
    least: int = LEAST_LABELS,
    level: float = 0.95,
) -> CalibrationCurve:
    """The same for items and judgements in memory."""
    sources = list(
        dict.fromkeys(name for item in items.values() for name, verdict in item.verdicts.items() if verdict)
    )
    if not sources:
        raise OptionError(
            "no metric in the items has verdicts",
            where="items",
            fix="score with --metrics accept, judge or both",
        )
    labels, categories, disputed = _labels(items, judged)
    if not labels:
        raise MismatchError(
            "none of these items is judged correct or incorrect",
            where="judgements and items",
            fix="use judgements of the same systems and pronouns",
        )
    parts: dict[str, Callable[[Key], bool]] = {_ALL: lambda _: True}
    for name in dict.fromkeys(items[key].pronoun for key in labels):
        parts[name] = lambda key, name=name: items[key].pronoun == name  # type: ignore[misc]
    for name in dict.fromkeys(category for category in categories.values() if category):
        parts[f"category {name}"] = lambda key, name=name: categories[key] == name  # type: ignore[misc]
    reliability = [
        _reliability(
            source, part, {key: label for key, label in labels.items() if belongs(key)}, items, level
        )
        for part, belongs in parts.items()
        for source in sources
    ]
    rates = []
    # The first rows are those of all pronouns: labels of one part are too few to correct by.
    for whole in reliability[: len(sources)]:
        for system in dict.fromkeys(item.system for item in items.values()):
            # Of all items, judged or not: the judgements only tell how reliable the verdicts are.
            own = [_accepts(item, whole.source) for item in items.values() if item.system == system]
            rates.append(_rate(whole, system, own, least, level))
    return CalibrationCurve(tuple(reliability), tuple(rates), len(labels), least, disputed)


def _labels(
    items: Mapping[Key, ScoredItem], judged: Sequence[JudgedPronoun]
) -> tuple[dict[Key, bool], dict[Key, str], int]:
    """Whether most annotators find each pronoun correct, its category, and how many are divided."""
    votes: dict[Key, int] = {}
    categories: dict[Key, str] = {}
    unknown = 0
    for pronoun in judged:
        key = pronoun.system, pronoun.id
        if key not in items:
            unknown += 1
        elif pronoun.judgement is not Judgement.BAD:
            # The sign of the sum is the majority; 0 is a tie, which is no label.
            votes[key] = votes.get(key, 0) + (1 if pronoun.judgement is Judgement.CORRECT else -1)
            categories[key] = pronoun.category or categories.get(key, "")
    if unknown:
        what = f"{unknown} of {len(judged)} judgements have no matching item and are left out"
        warnings.warn(what, InputWarning, stacklevel=3)
    labels = {key: vote > 0 for key, vote in votes.items() if vote}
    return labels, categories, len(votes) - len(labels)


def _accepts(item: ScoredItem, source: str) -> bool:
    return item.verdicts.get(source) == "accepted"


def _reliability(
    source: str, part: str, labels: Mapping[Key, bool], items: Mapping[Key, ScoredItem], level: float
) -> Reliability:
    pairs = [(label, _accepts(items[key], source)) for key, label in labels.items()]
    correct = [accepts for label, accepts in pairs if label]
    # Specificity counts what is not accepted among the incorrect ones: a rejection, or an open verdict.
    incorrect = [not accepts for label, accepts in pairs if not label]
    kappa = cohen_kappa([(str(label), str(accepts)) for label, accepts in pairs], level=level)
    undecided = sum(items[key].verdicts.get(source) not in ("accepted", "rejected") for key in labels)
    return Reliability(
        source,
        part,
        len(pairs),
        len(correct),
        undecided,
        kappa,
        *_proportion(correct, level),
        *_proportion(incorrect, level),
    )


def _proportion(values: Sequence[bool], level: float) -> tuple[float | None, Interval | None]:
    if not values:
        return None, None
    share = sum(values) / len(values)
    return share, wilson(share, size=len(values), level=level)


def _rate(
    whole: Reliability, system: str, accepts: Sequence[bool], least: int, level: float
) -> CorrectedRate:
    share = sum(accepts) / len(accepts)
    corrected, around = None, None
    incorrect = whole.labels - whole.correct
    if whole.labels >= least and whole.sensitivity is not None and whole.specificity is not None:
        corrected, around = corrected_rate(
            share,
            len(accepts),
            sensitivity=(whole.sensitivity, whole.correct),
            specificity=(whole.specificity, incorrect),
            level=level,
        )
    return CorrectedRate(whole.source, system, len(accepts), share, corrected, around)


def corrected_rate(
    share: float,
    items: int,
    *,
    sensitivity: tuple[float, int],
    specificity: tuple[float, int],
    level: float,
) -> tuple[float | None, Interval | None]:
    """θ and its interval; `sensitivity` and `specificity` have a share and the number of labels behind it.

    Both are None if the verdicts are no better than chance. The interval is computed from shares drawn a
    little towards the middle (p by z²/2 pronouns of each kind, q₀ and q₁ by one label of each kind), and
    shifted by 2z² [θ q₁(1 − q₁)/n₁ − (1 − θ) q₀(1 − q₀)/n₀].
    """
    (q1, labels1), (q0, labels0) = sensitivity, specificity
    if q0 + q1 <= 1:
        return None, None
    # Counted are p = θ q₁ + (1 − θ)(1 − q₀), solved here for θ (Rogan and Gladen 1978). Where q₀ + q₁ is 1, p
    # says nothing of θ. Errors of counting may lead outside 0 to 1.
    theta = min(1.0, max(0.0, (share + q0 - 1) / (q0 + q1 - 1)))
    z = NormalDist().inv_cdf((1 + level) / 2)
    # The small additions of the docstring keep the variance from being 0 at shares of 0 and 1.
    n, n1, n0 = items + z * z, labels1 + 2, labels0 + 2
    p = (items * share + z * z / 2) / n
    q1, q0 = (labels1 * q1 + 1) / n1, (labels0 * q0 + 1) / n0
    if q0 + q1 <= 1:
        return theta, Interval(0.0, 1.0, level)
    centre = min(1.0, max(0.0, (p + q0 - 1) / (q0 + q1 - 1)))
    of_q1, of_q0 = q1 * (1 - q1) / n1, q0 * (1 - q0) / n0
    shift = 2 * z * z * (centre * of_q1 - (1 - centre) * of_q0)
    # The delta method: the slopes of θ are 1, 1 − θ and −θ in p, q₀ and q₁, each over q₀ + q₁ − 1.
    variance = p * (1 - p) / n + (1 - centre) ** 2 * of_q0 + centre**2 * of_q1
    margin = z * variance**0.5 / (q0 + q1 - 1)
    low, high = centre + shift - margin, centre + shift + margin
    return theta, Interval(min(theta, max(0.0, low)), max(theta, min(1.0, high)), level)
