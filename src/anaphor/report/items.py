"""Every evaluated pronoun as a row: the examples behind a number."""

from __future__ import annotations

from typing import Any

from anaphor.core import Result

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
)


def item_rows(result: Result) -> list[dict[str, Any]]:
    """One row per system and evaluated pronoun; None stands for nothing, a repair is `kind:from>to`.

    Segments, tokens and references count from 0, as keys of other files; `line`, for people, from 1. `source`
    is the line with the pronoun in brackets, `context` the lines before it. A metric that judges single
    pronouns adds three keys: its score, None without evidence, its verdict, and the reason. Where a candidate
    was cut from whole documents, `omitted` says why its segment has no translation.
    """
    rows = []
    for system in result.systems:
        cut = result.segmentations.get(system.name)
        omitted = {} if cut is None else cut.reasons
        for number, (verdict, context) in enumerate(zip(system.verdicts, result.contexts, strict=True)):
            source = verdict.pair.source
            sides = (verdict.expected, verdict.pair.candidate)
            repairs: list[str | None] = []
            for side in sides:
                if side is None or side.repair is None:
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
                verdict.outcome.name.lower(),
                source.segment + 1,
                list(context.before),
                context.marked,
            )
            row: dict[str, Any] = dict(zip(HEADING, values, strict=True))
            if result.segmentations:
                row["omitted"] = omitted.get(source.segment)
            for metric, scores in system.pronoun_scores.items():
                score = scores[number]
                row[metric] = None if score.value is None else float(score.value)
                row |= {f"{metric}_verdict": score.verdict, f"{metric}_reason": score.reason}
            rows.append(row)
    return rows


def items_tsv(result: Result) -> str:
    """The rows as a table: `-` stands for nothing, and ` | ` between the lines of the context.

    A tab or a newline inside a name is written as `\\t` or `\\n`, so that columns stay columns.
    """

    def cell(key: str, value: Any) -> str:
        if value is None or value == []:
            return "-"
        if isinstance(value, list):
            return (" | " if key == "context" else ",").join(map(str, value))
        return f"{value:.4f}" if isinstance(value, float) else str(value)

    found = item_rows(result)
    heading = [*found[0]] if found else [*HEADING]
    rows = [heading, *([cell(key, value) for key, value in row.items()] for row in found)]
    return "".join(
        "\t".join(cell.replace("\t", "\\t").replace("\n", "\\n") for cell in row) + "\n" for row in rows
    )
