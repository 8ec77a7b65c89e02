"""Who is asked what: every category and system shared out evenly, some of it to several people.

A share of each category and system is answered by several people, so that agreement can be measured (the task
labelled IAA in PROTEST); the rest by one. All systems of an item follow each other, so that its context is
read once; items come in another order for every person, and so do the systems of an item.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice

from anaphor.annotate.drawn import DrawnUnit
from anaphor.core import OptionError


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """How work is shared. `raters` is how many people answer what is shared; None is 3, or all if fewer."""

    overlap: float = 0.2
    raters: int | None = None
    batch_size: int = 50
    seed: int = 12345


@dataclass(frozen=True, slots=True)
class Assigned:
    """One assignment before it is written. `shown` are the systems in the order of their slots."""

    unit: str
    batch: int
    place: int
    shown: tuple[str, ...]
    overlap: bool


def assign(
    units: Sequence[DrawnUnit], names: Sequence[str], shares: Shares, *, attention: Sequence[DrawnUnit] = ()
) -> dict[str, list[Assigned]]:
    """For every person their assignments in order; everybody gets all attention items.

    The same input and seed give the same result.
    """
    _check(names, shares)
    work: dict[str, list[tuple[DrawnUnit, bool]]] = {name: [] for name in names}
    for unit, people in _shared_out(units, names, shares):
        for name in people:
            work[name].append((unit, len(people) > 1))
    for name in names:
        work[name] += [(unit, False) for unit in attention]
    return {name: _ordered(name, part, shares) for name, part in work.items()}


def _shared_out(
    units: Sequence[DrawnUnit], names: Sequence[str], shares: Shares
) -> Iterator[tuple[DrawnUnit, tuple[str, ...]]]:
    """Every unit with the people who answer it."""
    draw = random.Random(f"units {shares.seed}")  # noqa: S311 - a draw that can be repeated
    raters = min(3 if shares.raters is None else shares.raters, len(names))
    turn = cycle(names)
    strata: dict[tuple[str, ...], list[DrawnUnit]] = {}
    for unit in units:
        strata.setdefault(unit.stratum, []).append(unit)
    for part in strata.values():
        shuffled = draw.sample(part, len(part))
        shared = _overlap(len(part), shares) if raters > 1 else 0
        for number, unit in enumerate(shuffled):
            yield unit, tuple(islice(turn, raters if number < shared else 1))


def _overlap(size: int, shares: Shares) -> int:
    """At least one of a category and system, as in PROTEST; none where no overlap is wanted."""
    return max(1, round(shares.overlap * size)) if shares.overlap else 0


def _ordered(name: str, work: Sequence[tuple[DrawnUnit, bool]], shares: Shares) -> list[Assigned]:
    draw = random.Random(f"order {shares.seed} {name}")  # noqa: S311 - a draw that can be repeated
    items: dict[tuple[str, bool], list[tuple[DrawnUnit, bool]]] = {}
    for unit, overlap in work:
        # An attention item stands alone: beside the item that it is made from it would give itself away.
        items.setdefault((unit.item.id, unit.expected is not None), []).append((unit, overlap))
    groups = draw.sample(list(items.values()), len(items))
    ordered = [one for group in groups for one in draw.sample(group, len(group))]
    return [
        Assigned(
            unit.id,
            place // shares.batch_size + 1,
            place + 1,
            tuple(draw.sample(systems := [one.system for one in unit.targets], len(systems))),
            overlap,
        )
        for place, (unit, overlap) in enumerate(ordered)
    ]


def _check(names: Sequence[str], shares: Shares) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    rules = {
        "--annotators": (not names or bool(twice), f"annotators twice, or none: {', '.join(twice)}"),
        "--overlap": (not 0 <= shares.overlap <= 1, f"a share of {shares.overlap}"),
        "--batch-size": (shares.batch_size < 1, f"batches of {shares.batch_size}"),
        "--raters": (shares.raters is not None and shares.raters < 2, f"{shares.raters} people"),
        "--seed": (shares.seed < 0, f"the seed {shares.seed}"),
    }
    fixes = {
        "--annotators": "give every annotator one name of their own",
        "--overlap": "give a share from 0 to 1, such as 0.2",
        "--batch-size": "give 1 or more",
        "--raters": "give 2 or more",
        "--seed": "give a number from 0 up",
    }
    for option, (broken, what) in rules.items():
        if broken:
            raise OptionError(what, where=option, fix=fixes[option])
