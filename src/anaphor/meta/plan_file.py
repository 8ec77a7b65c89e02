"""The plan file: JSON that an annotation tool reads, with all that an estimate needs but the judgements."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from anaphor.core import InputError, MismatchError, Outcome, UserError, digest
from anaphor.meta.plan import Kind, Plan, PlannedStratum, random_number
from anaphor.meta.population import Unit

FORMAT = "anaphor-plan"
FORMAT_VERSION = 1


def result_digest(content: Mapping[str, Any]) -> str:
    """What names a result: a digest of all that its file says."""
    return digest([json.dumps(content, sort_keys=True, ensure_ascii=False).encode("utf-8", "surrogatepass")])


def plan_json(plan: Plan) -> str:
    """The same plan gives the same bytes. Items stand in the order of judging: pronoun by pronoun."""
    content = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "result": plan.result,
        "seed": plan.seed,
        "least": plan.least,
        "budget": plan.budget,
        "population": plan.size,
        "strata": [_stratum_content(stratum) for stratum in plan.strata.values()],
        "items": _items_content(plan),
    }
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"


def _stratum_content(stratum: PlannedStratum) -> dict[str, Any]:
    return {
        "stratum": stratum.name,
        "system": stratum.system,
        "size": stratum.size,
        "planned": stratum.planned,
        "probability": stratum.planned / stratum.size,
        "kinds": [
            {"outcome": kind.outcome.name.lower(), "category": kind.category, "items": count}
            for kind, count in stratum.kinds.items()
        ],
    }


def _items_content(plan: Plan) -> list[dict[str, Any]]:
    """All systems of a pronoun one after the other, so that people read its context once."""
    drawn = [(unit, name) for name, units in plan.items.items() for unit in units]
    drawn.sort(key=lambda one: (random_number(one[0].id, seed=plan.seed), one[0].id))
    return [
        {
            "system": unit.system,
            "id": unit.id,
            "document": unit.document,
            "category": unit.category,
            "outcome": unit.outcome.name.lower(),
            "stratum": name,
        }
        for unit, name in drawn
    ]


def read_plan(path: str | Path) -> Plan:
    """A plan file; one that is broken, foreign, of a newer format or changed by hand is an error."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise InputError(
            f"cannot be read: {error.strerror}", where=str(path), fix="name a plan file"
        ) from error
    return parse_plan(data, path=str(path))


def parse_plan(data: bytes, *, path: str) -> Plan:
    """The plan in the content of a file; `path` is where it came from."""
    try:
        content = json.loads(data.decode("utf-8"))
        if content["format"] != FORMAT or content["format_version"] != FORMAT_VERSION:
            raise KeyError("format")
        return _plan(content, path)
    except UserError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise _changed(f"not a plan file of format {FORMAT_VERSION}: {error}", path) from error


def require_plan_of(plan: Plan, content: Mapping[str, Any], *, path: str) -> None:
    """Refuse a plan that was made for another result."""
    found = result_digest(content)
    if found != plan.result:
        raise MismatchError(
            f"the plan is of the result {plan.result}, and this is {found}",
            where=path,
            fix="give the result file that the plan was made from, unchanged",
        )


def _plan(content: Mapping[str, Any], path: str) -> Plan:
    strata = {_text(one["stratum"]): _stratum(one) for one in content["strata"]}
    if len(strata) != len(content["strata"]) or not strata:
        raise _changed("strata are missing, or there twice", path)
    items: dict[str, list[Unit]] = {name: [] for name in strata}
    for one in content["items"]:
        items[_text(one["stratum"])].append(_unit(one))
    plan = Plan(
        _text(content["result"]),
        _count(content["seed"]),
        _count(content["least"]),
        strata,
        {name: tuple(units) for name, units in items.items()},
    )
    _check(plan, path)
    return plan


def _check(plan: Plan, path: str) -> None:
    """Whether strata and items fit each other: an estimate believes both."""
    units = [unit for part in plan.items.values() for unit in part]
    if len({(unit.system, unit.id) for unit in units}) != len(units):
        raise _changed("an item is there twice", path)
    for name, stratum in plan.strata.items():
        drawn = plan.items[name]
        kinds = Counter(Kind(unit.outcome, unit.category) for unit in drawn)
        fits = all(count <= stratum.kinds.get(kind, 0) for kind, count in kinds.items())
        if len(drawn) != stratum.planned or not fits or {unit.system for unit in drawn} - {stratum.system}:
            raise _changed(f"the items of the stratum {name} are not those that were drawn", path)


def _stratum(content: Mapping[str, Any]) -> PlannedStratum:
    kinds = {
        Kind(_outcome(kind["outcome"]), _text(kind["category"])): _count(kind["items"])
        for kind in content["kinds"]
    }
    if not sum(kinds.values()):
        raise ValueError(f"the stratum {content['stratum']} is empty")
    return PlannedStratum(
        _text(content["stratum"]), _text(content["system"]), kinds, _count(content["planned"])
    )


def _unit(content: Mapping[str, Any]) -> Unit:
    fields: Iterable[str] = (content[name] for name in ("system", "id", "category", "document"))
    system, key, category, document = map(_text, fields)
    return Unit(system, key, _outcome(content["outcome"]), category, document)


def _outcome(name: Any) -> Outcome:
    return Outcome[_text(name).upper()]


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not a text")
    return value


def _count(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise TypeError(f"{value!r} is not a count")
    return value


def _changed(what: str, path: str) -> InputError:
    return InputError(what, where=path, fix="name a file that `anaphor estimate plan` wrote, unchanged")
