"""Results as rows: every evaluated pronoun and the other parts; and as data frames of pandas or polars."""

from __future__ import annotations

import math
from dataclasses import asdict
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Literal, get_args

from anaphor.core import Counterpart, OptionError, Result, UnknownNameError
from anaphor.corpus import Inputs
from anaphor.metrics.options import option_value

HEADING = (
    "system",
    "document",
    "segment",
    "token",
    "pronoun",
    "reference",
    "reference_words",
    "candidate_words",
    "candidate_positions",
    "reference_repair",
    "candidate_repair",
    "outcome",
    "line",
    "context",
    "source",
    "reference_text",
    "candidate_text",
)
#: What a counterpart can be; it is None without one.
COUNTERPART_KINDS = ("pronoun", "verb", "other")
Part = Literal["scores", "comparisons", "pronouns", "documents", "items"]
Library = Literal["pandas", "polars"]
Row = dict[str, Any]


def item_rows(result: Result, inputs: Inputs) -> list[dict[str, Any]]:
    """One row per system and evaluated pronoun; None means nothing; a repair is `kind:from>to`.

    Segments, tokens and references are counted from 0, as keys of other files; `line`, for people, from 1.
    `source` is the line with the pronoun in brackets, `context` the lines before it; `reference_text`, None
    without a reference, and `candidate_text` are its translations. A metric that judges single pronouns adds
    three keys: its score, None without evidence, its verdict, and the reason. With the option `dropped`, two
    keys say what the counterparts are: pronoun, verb (with a dropped subject) or other. If a candidate was
    cut from whole documents, `omitted` is the reason why its segment has no translation.
    """
    rows = []
    references = inputs.references
    marked = option_value(result.settings, "dropped") != "ignore"
    for system in result.systems:
        candidate = inputs.candidates[system.name].lines
        cut = result.segmentations.get(system.name)
        omitted = {} if cut is None else cut.reasons
        for number, (verdict, context) in enumerate(zip(system.verdicts, result.contexts, strict=True)):
            source = verdict.pair.source
            # `expected` is the counterpart in the reference whose comparison counts, where there are several.
            sides = (verdict.expected, verdict.pair.candidate)
            repairs: list[str | None] = []
            for side in sides:
                if side is None or side.repair is None:
                    # None: the links are as the aligner gave them.
                    repairs.append(None)
                    continue
                before = ",".join(map(str, side.repair.before)) or "nothing"
                repairs.append(f"{side.repair.kind.value}:{before}>{','.join(map(str, side.repair.chosen))}")
            values = (
                system.name,
                None if result.documents is None else result.documents[source.segment],
                source.segment,
                source.position,
                source.form,
                verdict.reference,
                *(None if side is None else " ".join(side.words) for side in sides),
                None if sides[1] is None else list(sides[1].positions),
                *repairs,
                verdict.outcome.label,
                source.segment + 1,
                list(context.before),
                context.marked,
                references[verdict.reference].lines[source.segment] if references else None,
                candidate[source.segment],
            )
            row: dict[str, Any] = dict(zip(HEADING, values, strict=True))
            if marked:
                row["reference_kind"], row["candidate_kind"] = map(counterpart_kind, sides)
            if result.segmentations:
                row["omitted"] = omitted.get(source.segment)
            for metric, scores in system.pronoun_scores.items():
                score = scores[number]
                row[metric] = None if score.value is None else float(score.value)
                row |= {f"{metric}_verdict": score.verdict, f"{metric}_reason": score.reason}
            rows.append(row)
    return rows


def counterpart_kind(side: Counterpart | None) -> str | None:
    """What a counterpart is: a listed pronoun, a verb that carries the subject, or another word."""
    if side is None:
        return None
    return "pronoun" if side.forms else "other" if side.dropped is None else "verb"


def items_tsv(result: Result, inputs: Inputs) -> str:
    """The rows as a table: `-` means nothing, and ` | ` separates context lines.

    Tabs and newlines inside a name are escaped as `\\t` or `\\n`, which preserves the columns.
    """

    def cell(key: str, value: Any) -> str:
        if value is None or value == []:
            return "-"
        if isinstance(value, list):
            return (" | " if key == "context" else ",").join(map(str, value))
        return f"{value:.4f}" if isinstance(value, float) else str(value)

    items = item_rows(result, inputs)
    heading = [*items[0]] if items else [*HEADING]
    rows = [heading, *([cell(key, value) for key, value in row.items()] for row in items)]
    return "".join(
        "\t".join(cell.replace("\t", "\\t").replace("\n", "\\n") for cell in row) + "\n" for row in rows
    )


def result_rows(result: Result, inputs: Inputs, part: Part = "scores") -> list[Row]:
    """One part of a result; shares are between 0 and 1, or None if undefined. A missing part is an error."""
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
        _require(result.comparisons, "the systems were not compared", "pass paired=True and several systems")
        rows = []
        for comparison in result.comparisons:
            row = {key: value for key, value in asdict(comparison).items() if key != "interval"}
            rows.append({**row, "low": comparison.interval.low, "high": comparison.interval.high})
        return rows
    if part not in get_args(Part):
        raise UnknownNameError.among(str(part), get_args(Part), kind="part of a result", where="part")
    if part == "documents":
        _require(result.documents, "no documents are known", "pass documents, with one name per segment")
    else:
        _require(result.systems[0].by_pronoun, "no metric judges pronouns", "add a metric such as apt")
    if part == "items":
        return item_rows(result, inputs)
    return [
        {"system": system.name, "metric": metric, part.removesuffix("s"): name, "score": _defined(value)}
        for system in result.systems
        for metric, values in (system.by_pronoun if part == "pronouns" else system.by_document).items()
        for name, value in values.items()
    ]


def data_frame(rows: list[Row], library: Library | None = None) -> Any:
    """The rows as a data frame of the named library; by default of pandas if installed, otherwise of
    polars."""
    known = get_args(Library)
    if library is not None and library not in known:
        raise UnknownNameError.among(str(library), known, kind="library", where="library")
    # pandas before polars, because most users expect it.
    installed = next(
        (name for name in known if library in (None, name) and find_spec(name) is not None), None
    )
    if installed is None:
        missing = "neither pandas nor polars is" if library is None else f"{library} is not"
        raise OptionError(
            f"{missing} installed",
            where="to_frame",
            fix=f"pip install {library or 'pandas'}; `rows` returns the same as a list of dictionaries",
        )
    columns = {name: [row[name] for row in rows] for name in rows[0]} if rows else {}
    return import_module(installed).DataFrame(columns)


def _require(present: object, what: str, fix: str) -> None:
    if not present:
        raise OptionError(what, where="part", fix=fix)


def _defined(value: float) -> float | None:
    return None if math.isnan(value) else float(value)
