"""Every evaluated pronoun as a line of a TSV file: the examples behind a number."""

from __future__ import annotations

from collections.abc import Sequence

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


def items_tsv(result: Result) -> str:
    """Segments, tokens and references count from 0, as keys of other files; `line`, for people, from 1.

    `source` is the line with the pronoun in brackets, `context` the lines before it with ` | ` between them.
    `-` stands for nothing, a repair is `kind:from>to`.
    A metric that judges single pronouns adds three columns: its score, `-` without evidence, its verdict, and
    the reason. A tab or a newline inside a name is written as `\\t` or `\\n`, so that columns stay columns.
    """
    metrics = list(result.systems[0].pronoun_scores)
    own = [f"{metric}{part}" for metric in metrics for part in ("", "_verdict", "_reason")]
    rows: list[Sequence[str]] = [(*HEADING, *own)]
    for system in result.systems:
        for number, (verdict, context) in enumerate(zip(system.verdicts, result.contexts, strict=True)):
            source = verdict.pair.source
            sides = (verdict.expected, verdict.pair.candidate)
            scores = []
            for metric in metrics:
                score = system.pronoun_scores[metric][number]
                value = "-" if score.value is None else f"{score.value:.4f}"
                scores += [value, score.verdict, score.reason]
            repairs = []
            for side in sides:
                if side is None or side.repair is None:
                    repairs.append("-")
                    continue
                before = ",".join(map(str, side.repair.before)) or "nothing"
                repairs.append(f"{side.repair.kind.value}:{before}>{','.join(map(str, side.repair.chosen))}")
            rows.append(
                [
                    system.name,
                    "-" if result.documents is None else result.documents[source.segment],
                    str(source.segment),
                    str(source.position),
                    source.form,
                    str(verdict.reference),
                    *("-" if side is None else " ".join(side.words) for side in sides),
                    "-" if sides[1] is None else ",".join(map(str, sides[1].positions)),
                    *repairs,
                    verdict.outcome.name.lower(),
                    str(source.segment + 1),
                    " | ".join(context.before) or "-",
                    context.marked,
                    *scores,
                ]
            )
    return "".join(
        "\t".join(cell.replace("\t", "\\t").replace("\n", "\\n") for cell in row) + "\n" for row in rows
    )
