"""Which items people should judge: the sampling plan of a semi-automatic evaluation.

Every source pronoun gets one random number from the seed and its id, the same in every system, and each
stratum takes the items with the smallest. So the sample of a stratum is simple and random, a larger budget
only adds items, and systems are judged on the same pronouns as far as their strata allow.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from anaphor.core import MismatchError, Outcome
from anaphor.meta.population import Stratum, Unit, stratify
from anaphor.stats.allocation import AllocationStratum, allocate

#: The share right to expect of each case before anything is judged: apt-2017, Table 5, but more for case 3,
#: of which guillou-hardmeier-2018 found half right, and not 0 for cases 4 and 6, so that they are looked
#: at.
EXPECTED = {
    Outcome.IDENTICAL: 0.84,
    Outcome.EQUIVALENT: 0.43,
    Outcome.DIFFERENT: 0.4,
    Outcome.CANDIDATE_MISSING: 0.1,
    Outcome.REFERENCE_MISSING: 0.53,
    Outcome.BOTH_MISSING: 0.1,
}


@dataclass(frozen=True, slots=True)
class Kind:
    """What a predictor can know of an item before it is judged."""

    outcome: Outcome
    category: str


@dataclass(frozen=True, slots=True)
class PlannedStratum:
    """A stratum: how many items of each kind it has, and how many of all are to be judged."""

    name: str
    system: str
    kinds: Mapping[Kind, int]
    planned: int

    @property
    def size(self) -> int:
        return sum(self.kinds.values())

    def expected(self, shares: Mapping[Outcome, float]) -> float:
        """The share right, out of that of each case."""
        return math.fsum(shares[kind.outcome] * count for kind, count in self.kinds.items()) / self.size


@dataclass(frozen=True, slots=True)
class Plan:
    """A sampling plan. `result` names the content of the result file; `items` are in the order of judging.

    `least` is the size that strata were made for; `strata` maps their names to them.
    """

    result: str
    seed: int
    least: int
    strata: Mapping[str, PlannedStratum]
    items: Mapping[str, tuple[Unit, ...]]

    @property
    def budget(self) -> int:
        return sum(stratum.planned for stratum in self.strata.values())

    @property
    def size(self) -> int:
        return sum(stratum.size for stratum in self.strata.values())

    @property
    def systems(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(stratum.system for stratum in self.strata.values()))


def make_plan(units: Sequence[Unit], *, result: str, budget: int, seed: int, least: int) -> Plan:
    """A first plan: nothing is judged yet."""
    strata = stratify(units, least=least)
    sizes = Counter(unit.system for unit in units)
    shares = []
    for stratum in strata:
        right = math.fsum(EXPECTED[unit.outcome] for unit in stratum.units) / len(stratum.units)
        weight = len(stratum.units) / sizes[stratum.system]
        shares.append(AllocationStratum(len(stratum.units), weight, math.sqrt(right * (1 - right))))
    return _drawn(strata, allocate(shares, budget=budget), result=result, seed=seed, least=least)


def extend_plan(units: Sequence[Unit], previous: Plan, planned: Mapping[str, int]) -> Plan:
    """A larger plan that keeps all items of the previous one; `planned` has the number of every stratum."""
    strata = stratify(units, least=previous.least)
    sizes = {stratum.name: len(stratum.units) for stratum in strata}
    if sizes != {name: stratum.size for name, stratum in previous.strata.items()}:
        raise MismatchError(
            "the strata of the items are not those of the previous plan",
            where="--previous",
            fix="give the same items and categories as for the previous plan",
        )
    counts = [planned[stratum.name] for stratum in strata]
    return _drawn(strata, counts, result=previous.result, seed=previous.seed, least=previous.least)


def random_number(pronoun: str, *, seed: int) -> float:
    """A number from 0 up to 1 that belongs to a pronoun; the same on every machine."""
    content = hashlib.sha256(f"{seed}\n{pronoun}".encode()).digest()
    return int.from_bytes(content[:8], "big") / 2**64


def _drawn(strata: Sequence[Stratum], planned: Sequence[int], *, result: str, seed: int, least: int) -> Plan:
    named, items = {}, {}
    for stratum, count in zip(strata, planned, strict=True):
        kinds = Counter(Kind(unit.outcome, unit.category) for unit in stratum.units)
        named[stratum.name] = PlannedStratum(stratum.name, stratum.system, kinds, count)
        order = sorted(stratum.units, key=lambda unit: (random_number(unit.id, seed=seed), unit.id))
        items[stratum.name] = tuple(order[:count])
    return Plan(result, seed, least, named, items)
