"""Results as rows, and as data frames of pandas or polars, whichever is installed."""

from __future__ import annotations

import math
from dataclasses import asdict
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Literal, get_args

from anaphor.core import OptionError, Result, UnknownNameError
from anaphor.report.items import item_rows

Part = Literal["scores", "comparisons", "pronouns", "documents", "items"]
Library = Literal["pandas", "polars"]
Row = dict[str, Any]


def result_rows(result: Result, part: Part = "scores") -> list[Row]:
    """One part of a result; shares are from 0 to 1, None where undefined. What is not there is an error."""
    if part == "scores":
        return [
            {
                "system": system.name,
                "metric": score.metric,
                "score": _defined(score.value),
                "low": score.interval and _defined(score.interval.low),
                "high": score.interval and _defined(score.interval.high),
                "signature": str(score.signature),
            }
            for system in result.systems
            for score in system.scores
        ]
    if part == "comparisons":
        _require(result.comparisons, "the systems were not compared", "give paired=True and several systems")
        rows = []
        for one in result.comparisons:
            row = {key: value for key, value in asdict(one).items() if key != "interval"}
            rows.append({**row, "low": one.interval.low, "high": one.interval.high})
        return rows
    if part not in get_args(Part):
        raise UnknownNameError.among(str(part), get_args(Part), kind="part of a result", where="part")
    if part == "documents":
        _require(result.documents, "no documents are known", "give documents, with one name per segment")
    else:
        _require(result.systems[0].by_pronoun, "no metric judges pronouns", "add a metric such as apt")
    if part == "items":
        return item_rows(result)
    return [
        {"system": system.name, "metric": metric, part.removesuffix("s"): name, "score": _defined(value)}
        for system in result.systems
        for metric, values in (system.by_pronoun if part == "pronouns" else system.by_document).items()
        for name, value in values.items()
    ]


def data_frame(rows: list[Row], library: Library | None = None) -> Any:
    """The rows as a data frame of the named library, or of the first of pandas and polars that is there."""
    known = get_args(Library)
    if library is not None and library not in known:
        raise UnknownNameError.among(str(library), known, kind="library", where="library")
    found = next((name for name in known if library in (None, name) and find_spec(name) is not None), None)
    if found is None:
        missing = "neither pandas nor polars is" if library is None else f"{library} is not"
        raise OptionError(
            f"{missing} installed",
            where="to_frame",
            fix=f"pip install {library or 'pandas'}; `rows` gives the same as a list of dictionaries",
        )
    columns = {name: [row[name] for row in rows] for name in rows[0]} if rows else {}
    return import_module(found).DataFrame(columns)


def _require(present: object, what: str, fix: str) -> None:
    if not present:
        raise OptionError(what, where="part", fix=fix)


def _defined(value: float) -> float | None:
    return None if math.isnan(value) else float(value)
