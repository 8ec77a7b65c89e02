"""All pronouns of a result that could be judged, and the strata they are drawn from.

An item is one source pronoun in one system. Its stratum is its system and case; a case of a system that has
many items of one category is parted by category too. Identical ones are never mixed with others: they are
what is accepted without judging, and a small sample of them shows how often that is right.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from anaphor.core import InputError, InputWarning, MismatchError, OptionError, Outcome
from anaphor.core.records import Row
from anaphor.meta.grid import CaseCounts
from anaphor.meta.judgements import item_id
from anaphor.meta.rows import read_rows

_PLACE = ("id", "segment", "token")
_WORDS = ("reference", "reference_words", "candidate_words", "reference_repair", "candidate_repair")


@dataclass(frozen=True, slots=True)
class Unit:
    """One pronoun of one system: what the metric said of it, and its category."""

    system: str
    id: str
    outcome: Outcome
    category: str
    document: str


@dataclass(frozen=True, slots=True)
class Stratum:
    """Items that are drawn together."""

    name: str
    system: str
    units: tuple[Unit, ...]


def read_population(items: str | Path, *, categories: str | Path | None = None) -> tuple[Unit, ...]:
    """Every item of what `anaphor score --items` wrote.

    `categories` is a table with the pronoun (`id`, or `segment` and `token`) and its `category`; without it
    the category of a pronoun is its form.
    """
    rows = read_rows(
        items, required=("system", "outcome", "pronoun"), optional=(*_PLACE, "document", *_WORDS)
    )
    known = None if categories is None else read_categories(categories)
    seen: set[tuple[str, str]] = set()
    units = []
    for row in rows:
        unit = _unit(row, known)
        if (unit.system, unit.id) in seen:
            row.refuse("id", f"{unit.id} of {unit.system} has two rows", fix="keep one row for each pronoun")
        seen.add((unit.system, unit.id))
        units.append(unit)
    _note_unused(known, units)
    return tuple(units)


def read_categories(path: str | Path) -> Mapping[str, str]:
    """The category of every pronoun that the table names."""
    found: dict[str, str] = {}
    for row in read_rows(path, required=("category",), optional=_PLACE):
        key, category = item_id(row), row.text("category")
        if found.setdefault(key, category) != category:
            row.refuse("category", f"{key} is {found[key]} and {category}", fix="keep one of the two")
    return found


def require_result(units: Sequence[Unit], counts: CaseCounts, *, path: str) -> None:
    """Refuse items whose cases are not those that the result counted."""
    found = {system: [0] * len(Outcome) for system in counts.systems}
    for unit in units:
        found.setdefault(unit.system, [0] * len(Outcome))[unit.outcome.value - 1] += 1
    for system, cases in found.items():
        if tuple(cases) != counts.systems.get(system):
            raise MismatchError(
                f"the cases of {system} are not those of {counts.path}",
                where=path,
                fix="give the items of the same run: anaphor score --output result.json --items items.tsv",
            )


def stratify(units: Sequence[Unit], *, least: int) -> tuple[Stratum, ...]:
    """The strata of all systems, in the order of the systems, then of the cases.

    A case or a category needs `least` items of the system to stand alone; smaller ones are joined.
    """
    if least < 1:
        raise OptionError(f"strata of {least} items", where="--least", fix="give 1 or more, such as 30")
    systems: dict[str, list[Unit]] = {}
    for unit in units:
        systems.setdefault(unit.system, []).append(unit)
    strata = tuple(stratum for name, part in systems.items() for stratum in _strata(name, part, least))
    twice = [name for name, count in Counter(stratum.name for stratum in strata).items() if count > 1]
    if twice:
        raise InputError(
            f"two strata would be called {twice[0]}",
            where="items and categories",
            fix="rename the system or category that has a slash or star in its name",
        )
    return strata


def _strata(system: str, units: Sequence[Unit], least: int) -> Iterator[Stratum]:
    counts = Counter(unit.outcome for unit in units)
    alone = [outcome for outcome in Outcome if counts[outcome] >= least or outcome is Outcome.IDENTICAL]
    for outcome in alone:
        yield from _by_category(
            f"{system}/{outcome.name.lower()}", [unit for unit in units if unit.outcome is outcome], least
        )
    rare = [unit for unit in units if unit.outcome not in alone]
    yield from _nonempty(f"{system}/rare", rare)


def _by_category(name: str, units: Sequence[Unit], least: int) -> Iterator[Stratum]:
    counts = Counter(unit.category for unit in units)
    alone = sorted(category for category, count in counts.items() if count >= least)
    rest = [unit for unit in units if unit.category not in alone]
    if len(alone) == 1 and not rest:
        alone, rest = [], list(units)
    for category in alone:
        yield from _nonempty(f"{name}/{category}", [unit for unit in units if unit.category == category])
    yield from _nonempty(f"{name}/*" if alone else name, rest)


def _nonempty(name: str, units: Sequence[Unit]) -> Iterator[Stratum]:
    if units:
        yield Stratum(name, units[0].system, tuple(units))


def _unit(row: Row, categories: Mapping[str, str] | None) -> Unit:
    key = item_id(row)
    if categories is not None and key not in categories:
        raise InputError(
            f"the pronoun {key} has no category",
            where=row.where,
            fix="add it to the table of --categories, or leave the option out",
        )
    outcome = row.choice("outcome", [outcome.name.lower() for outcome in Outcome])
    return Unit(
        system=row.text("system"),
        id=key,
        outcome=Outcome[outcome.upper()],
        category=row.text("pronoun") if categories is None else categories[key],
        document=row.optional_text("document") or "-",
    )


def _note_unused(categories: Mapping[str, str] | None, units: Iterable[Unit]) -> None:
    unused = len(set(categories or ()) - {unit.id for unit in units})
    if unused:
        warnings.warn(f"{unused} categories are of no item, left out", InputWarning, stacklevel=3)
