"""Which items annotators should judge: the sampling plan of a semi-automatic evaluation, and its file.

An item is one source pronoun in one system. Its stratum is its system and case; a case of a system that has
many items of one category is divided by category too. Identical ones are never mixed with others: they are
what is accepted without judging, and a small sample of them shows how often that is right.

Every source pronoun gets one random number from the seed and its id, the same in every system, and each
stratum takes the items with the smallest. The sample of a stratum is therefore simple and random, a larger
budget only adds items, and systems are judged on the same pronouns as far as their strata allow.

A metric with probabilities can replace the cases (`guess`): the strata are then its verdicts, bands of the
probability, and judgements go where the probability is least certain.

A plan file is JSON for annotation tools, and has everything an estimate needs except the judgements.
"""

from __future__ import annotations

import hashlib
import json
import math
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from anaphor.core import (
    InputError,
    InputWarning,
    MismatchError,
    OptionError,
    Outcome,
    UnknownNameError,
    digest,
)
from anaphor.core.records import Record
from anaphor.core.table import Block, Table, count, percent, plain, text
from anaphor.corpus.text import unreadable
from anaphor.meta.judgements import item_id, read_items
from anaphor.meta.scores import CaseCounts, read_rows
from anaphor.stats.allocation import AllocationStratum, allocate

FORMAT = "anaphor-plan"

#: What has a proportion correct: an outcome, or a verdict of the metric that guesses.
Case: TypeAlias = Outcome | str

#: The proportion correct of each case to expect before anything is judged: apt-2017, Table 5, but more for
#: case 3, half of which guillou-hardmeier-2018 found correct, and not 0 for cases 4 and 6, which would then
#: never be sampled.
EXPECTED: Mapping[Case, float] = {
    Outcome.IDENTICAL: 0.84,
    Outcome.EQUIVALENT: 0.43,
    Outcome.DIFFERENT: 0.4,
    Outcome.CANDIDATE_MISSING: 0.1,
    Outcome.REFERENCE_MISSING: 0.53,
    Outcome.BOTH_MISSING: 0.1,
}

#: The verdicts of a guess in the order of their probability, and the share of scores below each but the last.
#: They are finer at the lower end, where most pronouns that annotators reject are found; `open` expects the
#: mean.
VERDICTS = ("lowest", "low", "open", "middle", "high")
_CUTS = {"lowest": 0.1, "low": 0.25, "middle": 0.5}
#: The highest proportion correct of a verdict: at 1, nothing of it would be sampled.
_SUREST = 0.95

_OUTCOMES = [case.label for case in Outcome]
_PLACE = ("id", "segment", "token")
_FIX = "pass an unmodified file written by `anaphor estimate plan`"


@dataclass(frozen=True, slots=True)
class PlannedUnit:
    """One pronoun of one system, the unit of sampling: its outcome under the metric, and its category.

    `verdict` and `score` come from the guessing metric, if there is one; `score` is None if it is open.
    """

    system: str
    id: str
    outcome: Outcome
    category: str
    document: str
    verdict: str = ""
    score: float | None = None

    @property
    def kind(self) -> UnitKind:
        return UnitKind(self.outcome, self.category, self.verdict)


@dataclass(frozen=True, slots=True)
class Stratum:
    """Units that are sampled together."""

    name: str
    system: str
    units: tuple[PlannedUnit, ...]


@dataclass(frozen=True, slots=True)
class UnitKind:
    """What is known of a unit before it is judged."""

    outcome: Outcome
    category: str
    verdict: str = ""

    @property
    def case(self) -> Case:
        """The verdict of the guess, or the outcome if there is none."""
        return self.verdict or self.outcome


@dataclass(frozen=True, slots=True)
class PlannedStratum:
    """A stratum: how many units of each kind it has, and how many to judge in total."""

    name: str
    system: str
    kinds: Mapping[UnitKind, int]
    planned: int

    @property
    def size(self) -> int:
        return sum(self.kinds.values())

    def expected(self, shares: Mapping[Case, float]) -> float:
        """The proportion correct, as the mean over the cases of its units."""
        return math.fsum(shares[kind.case] * number for kind, number in self.kinds.items()) / self.size


@dataclass(frozen=True, slots=True)
class Guess:
    """The metric whose verdicts divide the items, and the expected proportion correct for each verdict."""

    metric: str
    expected: Mapping[Case, float]


@dataclass(frozen=True, slots=True)
class SamplingPlan:
    """A sampling plan. `result` identifies the content of the result file; `items` are in the order of
    judging.

    `least` is the minimum size of strata; `strata` maps names to strata. `guess` is None if they follow from
    the metric's cases.
    """

    result: str
    seed: int
    least: int
    strata: Mapping[str, PlannedStratum]
    items: Mapping[str, tuple[PlannedUnit, ...]]
    guess: Guess | None = None

    @property
    def expected(self) -> Mapping[Case, float]:
        """The expected proportion correct for every case before anything is judged."""
        return {**EXPECTED, **(self.guess.expected if self.guess else {})}

    @property
    def budget(self) -> int:
        return sum(stratum.planned for stratum in self.strata.values())

    @property
    def size(self) -> int:
        return sum(stratum.size for stratum in self.strata.values())

    @property
    def systems(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(stratum.system for stratum in self.strata.values()))

    def to_dict(self) -> dict[str, Any]:
        """The content of the plan file. Items are in judging order.

        All systems of a pronoun are adjacent, so annotators read its context once.
        """
        drawn = [(unit, name) for name, units in self.items.items() for unit in units]
        # In random order, so that judging can stop at any time and leave a random sample.
        drawn.sort(key=lambda unit: (random_number(unit[0].id, seed=self.seed), unit[0].id))
        return {
            "format": FORMAT,
            "format_version": 1,
            "result": self.result,
            "seed": self.seed,
            "least": self.least,
            **({} if self.guess is None else {"guess": plain(self.guess)}),
            "budget": self.budget,
            "population": self.size,
            "strata": [
                {
                    "stratum": stratum.name,
                    "system": stratum.system,
                    "size": stratum.size,
                    "planned": stratum.planned,
                    "probability": stratum.planned / stratum.size,
                    "kinds": [
                        {**_described(kind), "items": number} for kind, number in stratum.kinds.items()
                    ],
                }
                for stratum in self.strata.values()
            ],
            "items": [
                {
                    "system": unit.system,
                    "id": unit.id,
                    "document": unit.document,
                    "category": unit.category,
                    **{key: value for key, value in _described(unit.kind).items() if key != "category"},
                    "stratum": name,
                }
                for unit, name in drawn
            ],
        }

    def tables(self) -> list[Block]:
        """The strata with their sizes, and the effort that the plan requires."""
        rows = [
            (stratum.name, stratum.size, stratum.planned, stratum.planned / stratum.size)
            for stratum in self.strata.values()
        ]
        total = ("total", self.size, self.budget, self.budget / self.size)
        columns = [text("stratum"), count("items"), count("to judge"), percent("%", digits=0)]
        return [Table(columns, [*rows, total])]


def read_population(
    items: str | Path, *, categories: str | Path | None = None, guess: str | None = None
) -> tuple[PlannedUnit, ...]:
    """Every item of output of `anaphor score --items`.

    `categories` is a table with the pronoun (`id`, or `segment` and `token`) and its `category`; without it
    the category of a pronoun is its form. `guess` is a metric with a score for every item.
    """
    known = None if categories is None else read_categories(categories)
    units: dict[tuple[str, str], PlannedUnit] = {}
    for key, item in read_items(items, required=("pronoun",)).items():
        if known is not None and item.id not in known:
            raise InputError(
                f"the pronoun {item.id} has no category",
                where=str(items),
                fix="add it to the table of --categories, or leave the option out",
            )
        category = item.pronoun if known is None else known[item.id]
        score = None
        if guess is not None:
            if guess not in item.scores:
                raise UnknownNameError.among(guess, item.scores, kind="metric of the items", where="--guess")
            score = item.scores[guess]
        units[key] = PlannedUnit(*key, item.outcome, category, item.document, score=score)
    unused = len(set(known or ()) - {identifier for _, identifier in units})
    if unused:
        warnings.warn(f"{unused} categories match no item and are left out", InputWarning, stacklevel=2)
    return tuple(units.values()) if guess is None else guessed(list(units.values()))


def guessed(units: Sequence[PlannedUnit]) -> tuple[PlannedUnit, ...]:
    """The units with verdicts that follow from their scores, using the same limits for all systems."""
    known = sorted(unit.score for unit in units if unit.score is not None)
    # Quantiles over all systems, so that a verdict means the same in each.
    limits = {name: known[int(share * len(known))] for name, share in _CUTS.items()} if known else {}
    units_with_guess = []
    for unit in units:
        verdict = "open"
        if unit.score is not None:
            verdict = next((name for name, limit in limits.items() if unit.score < limit), VERDICTS[-1])
        units_with_guess.append(replace(unit, verdict=verdict))
    return tuple(units_with_guess)


def read_categories(path: str | Path) -> Mapping[str, str]:
    """The category of every pronoun that the table names."""
    categories: dict[str, str] = {}
    for row in read_rows(path, required=("category",), optional=_PLACE):
        key, category = item_id(row), row.text("category")
        if categories.setdefault(key, category) != category:
            row.refuse("category", f"{key} is {categories[key]} and {category}", fix="keep one of the two")
    return categories


def require_result(units: Sequence[PlannedUnit], counts: CaseCounts, *, path: str) -> None:
    """Reject items whose cases differ from those counted in the result."""
    by_system = {system: [0] * len(Outcome) for system in counts.systems}
    for unit in units:
        by_system.setdefault(unit.system, [0] * len(Outcome))[unit.outcome.value - 1] += 1
    for system, cases in by_system.items():
        if tuple(cases) != counts.values.get(system):
            raise MismatchError(
                f"the cases of {system} are not those of {counts.path}",
                where=path,
                fix="pass the items of the same run: anaphor score --output result.json --items items.tsv",
            )


def stratify(units: Sequence[PlannedUnit], *, least: int) -> tuple[Stratum, ...]:
    """The strata of all systems, in the order of the systems, then of the cases.

    A case or a category needs `least` items of the system to form a stratum; smaller ones are merged.
    """
    if least < 1:
        raise OptionError(
            f"invalid minimum size of strata: {least}", where="--least", fix="use 1 or more, such as 30"
        )
    systems: dict[str, list[PlannedUnit]] = {}
    for unit in units:
        systems.setdefault(unit.system, []).append(unit)
    named: list[tuple[str, list[PlannedUnit]]] = []
    for system, part in systems.items():
        if part[0].verdict:
            named += _by_verdict(system, part, least)
            continue
        sizes = Counter(unit.outcome for unit in part)
        # Identical ones are a stratum of their own however few: see the module's docstring.
        alone = [case for case in Outcome if sizes[case] >= least or case is Outcome.IDENTICAL]
        for case in alone:
            of_case = [unit for unit in part if unit.outcome is case]
            named += _by_category(f"{system}/{case.label}", of_case, least)
        named.append((f"{system}/rare", [unit for unit in part if unit.outcome not in alone]))
    strata = tuple(Stratum(name, part[0].system, tuple(part)) for name, part in named if part)
    twice = [name for name, number in Counter(stratum.name for stratum in strata).items() if number > 1]
    if twice:
        raise InputError(
            f"two strata would be called {twice[0]}",
            where="items and categories",
            fix="rename the system or category whose name contains a slash or star",
        )
    return strata


def _by_verdict(system: str, units: list[PlannedUnit], least: int) -> Iterator[tuple[str, list[PlannedUnit]]]:
    """Verdicts in ascending order; one with fewer than `least` items is merged with the next, the last with
    the previous one.
    """
    names: list[str] = []
    joined: list[PlannedUnit] = []
    for verdict in VERDICTS:
        of_verdict = [unit for unit in units if unit.verdict == verdict]
        # What is left over is too small, but must not be mixed with pronouns that look safe.
        if verdict == VERDICTS[-1] and joined:
            yield f"{system}/{'+'.join(names)}", joined
            names, joined = [], []
        if of_verdict:
            names, joined = [*names, verdict], [*joined, *of_verdict]
        if len(joined) >= least or (joined and verdict == VERDICTS[-1]):
            yield from _by_category(f"{system}/{'+'.join(names)}", joined, least)
            names, joined = [], []


def _by_category(name: str, units: list[PlannedUnit], least: int) -> Iterator[tuple[str, list[PlannedUnit]]]:
    sizes = Counter(unit.category for unit in units)
    alone = sorted(category for category, number in sizes.items() if number >= least)
    rest = [unit for unit in units if unit.category not in alone]
    # A single category divides nothing.
    if len(alone) == 1 and not rest:
        alone, rest = [], units
    for category in alone:
        yield f"{name}/{category}", [unit for unit in units if unit.category == category]
    yield f"{name}/*" if alone else name, rest


def make_plan(
    units: Sequence[PlannedUnit], *, result: str, budget: int, seed: int, least: int, guess: str | None = None
) -> SamplingPlan:
    """A first plan, with no judgements yet. `guess` is the metric behind the units' verdicts."""
    strata = stratify(units, least=least)
    sizes = Counter(unit.system for unit in units)
    expected = None if guess is None else Guess(guess, _expected(units))
    shares = []
    known: Mapping[Case, float] = {**EXPECTED, **(expected.expected if expected else {})}
    for stratum in strata:
        right = math.fsum(known[unit.kind.case] for unit in stratum.units) / len(stratum.units)
        weight = len(stratum.units) / sizes[stratum.system]
        shares.append(AllocationStratum(len(stratum.units), weight, math.sqrt(right * (1 - right))))
    empty = SamplingPlan(result, seed, least, {}, {}, expected)
    return _draw(strata, allocate(shares, budget=budget), empty)


def _expected(units: Sequence[PlannedUnit]) -> dict[Case, float]:
    """The proportion correct that a guess expects of each of its verdicts: the mean score."""
    known = [unit.score for unit in units if unit.score is not None]
    expected: dict[Case, float] = {}
    for verdict in sorted({unit.verdict for unit in units}, key=VERDICTS.index):
        scores = [unit.score for unit in units if unit.verdict == verdict and unit.score is not None] or known
        mean = math.fsum(scores) / len(scores) if scores else 0.5
        # At 0 or 1 the spread would be 0, and allocation would never sample the verdict.
        expected[verdict] = min(max(mean, 1 - _SUREST), _SUREST)
    return expected


def extend_plan(
    units: Sequence[PlannedUnit], previous: SamplingPlan, planned: Mapping[str, int]
) -> SamplingPlan:
    """A larger plan that keeps all items of the previous one; `planned` has the number of every stratum."""
    strata = stratify(units, least=previous.least)
    sizes = {stratum.name: len(stratum.units) for stratum in strata}
    if sizes != {name: stratum.size for name, stratum in previous.strata.items()}:
        raise MismatchError(
            "the strata of the items differ from those of the previous plan",
            where="--previous",
            fix="pass the same items and categories as for the previous plan",
        )
    counts = [planned[stratum.name] for stratum in strata]
    return _draw(strata, counts, previous)


def random_number(pronoun: str, *, seed: int) -> float:
    """A number from 0 up to 1 derived from a pronoun; the same on every machine."""
    # A hash instead of a generator: the number does not depend on which other pronouns there are.
    content = hashlib.sha256(f"{seed}\n{pronoun}".encode()).digest()
    return int.from_bytes(content[:8], "big") / 2**64


def _draw(strata: Sequence[Stratum], planned: Sequence[int], like: SamplingPlan) -> SamplingPlan:
    """A plan with these strata and items, and all other fields from another plan."""
    named, items = {}, {}
    for stratum, number in zip(strata, planned, strict=True):
        kinds = Counter(unit.kind for unit in stratum.units)
        named[stratum.name] = PlannedStratum(stratum.name, stratum.system, kinds, number)
        # The smallest numbers of a stratum are a simple random sample; a larger plan takes the same and more.
        order = sorted(stratum.units, key=lambda unit: (random_number(unit.id, seed=like.seed), unit.id))
        items[stratum.name] = tuple(order[:number])
    return replace(like, strata=named, items=items)


def result_digest(content: Mapping[str, Any]) -> str:
    """The identity of a result: a digest of its content."""
    return digest([json.dumps(content, sort_keys=True, ensure_ascii=False).encode("utf-8", "surrogatepass")])


def plan_json(plan: SamplingPlan) -> str:
    """The plan file. Equal plans give identical bytes."""
    return json.dumps(plan.to_dict(), ensure_ascii=False, indent=2) + "\n"


def read_plan(path: str | Path) -> SamplingPlan:
    """A plan file; one that is broken, foreign, of a newer format or changed by hand is an error."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise unreadable(path, error, what="the plan") from error
    return parse_plan(data, path=str(path))


def parse_plan(data: bytes, *, path: str) -> SamplingPlan:
    """The plan in the content of a file; `path` is its origin."""
    try:
        content = Record.from_json(data.decode("utf-8"), where=path, fix=_FIX)
    except UnicodeDecodeError as error:
        raise InputError("the plan is not UTF-8", where=path, fix=_FIX) from error
    formats = [content.raw(key) if key in content else None for key in ("format", "format_version")]
    if formats != [FORMAT, 1]:
        raise InputError("not a plan file of format 1", where=path, fix=_FIX)
    guess, verdicts = None, [""]
    if "guess" in content:
        entry = content.table("guess")
        shares = entry.table("expected")
        verdicts = list(shares)
        guess = Guess(entry.text("metric"), {name: shares.number(name, low=0, high=1) for name in verdicts})
    strata: dict[str, PlannedStratum] = {}
    for listed in content.tables("strata"):
        name = listed.text("stratum")
        kinds = {
            UnitKind(
                _outcome(kind), kind.text("category", blank=True), _verdict(kind, verdicts)
            ): kind.integer("items", low=0)
            for kind in listed.tables("kinds")
        }
        if not sum(kinds.values()):
            listed.refuse("kinds", f"the stratum {name} is empty")
        if name in strata:
            listed.refuse("stratum", f"{name} occurs twice")
        planned = listed.integer("planned", low=0)
        strata[name] = PlannedStratum(name, listed.text("system", blank=True), kinds, planned)
    if not strata:
        content.refuse("strata", "there are none")
    items: dict[str, list[PlannedUnit]] = {name: [] for name in strata}
    for listed in content.tables("items"):
        system, key, category, document = (
            listed.text(field, blank=True) for field in ("system", "id", "category", "document")
        )
        unit = PlannedUnit(system, key, _outcome(listed), category, document, _verdict(listed, verdicts))
        items[listed.choice("stratum", strata)].append(unit)
    plan = SamplingPlan(
        content.text("result", blank=True),
        content.integer("seed", low=0),
        content.integer("least", low=0),
        strata,
        {name: tuple(units) for name, units in items.items()},
        guess,
    )
    # An estimate relies on both strata and items, so they must agree with each other.
    units = [unit for part in plan.items.values() for unit in part]
    if len({(unit.system, unit.id) for unit in units}) != len(units):
        raise InputError("an item occurs twice", where=path, fix=_FIX)
    for name, stratum in plan.strata.items():
        drawn = plan.items[name]
        numbers = Counter(unit.kind for unit in drawn)
        known = all(number <= stratum.kinds.get(kind, 0) for kind, number in numbers.items())
        if len(drawn) != stratum.planned or not known or {unit.system for unit in drawn} - {stratum.system}:
            what = f"the items of the stratum {name} are not those that were drawn"
            raise InputError(what, where=path, fix=_FIX)
    return plan


def require_plan_of(plan: SamplingPlan, content: Mapping[str, Any], *, path: str) -> None:
    """Reject a plan made for another result."""
    digest = result_digest(content)
    if digest != plan.result:
        raise MismatchError(
            f"the plan belongs to the result {plan.result}, not to {digest}",
            where=path,
            fix="pass the result file that the plan was made from, unchanged",
        )


def _described(kind: UnitKind) -> dict[str, str]:
    """The kind of unit as stored in a plan file; the verdict is set if the plan has a guessing metric."""
    described = {"outcome": kind.outcome.label, "category": kind.category}
    return {**described, "verdict": kind.verdict} if kind.verdict else described


def _verdict(record: Record, known: Sequence[str]) -> str:
    value = record.text("verdict", "", blank=True)
    return (
        value
        if value in known
        else record.refuse("verdict", f"not a verdict of the guessing metric: {value!r}")
    )


def _outcome(record: Record) -> Outcome:
    return Outcome[record.choice("outcome", _OUTCOMES).upper()]
