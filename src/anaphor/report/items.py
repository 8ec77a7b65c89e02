"""Every evaluated pronoun as a line of a TSV file: the examples behind a number."""

from __future__ import annotations

from collections.abc import Sequence

from anaphor.core import Counterpart, Result

HEADING = (
    "system",
    "document",
    "segment",
    "token",
    "pronoun",
    "reference",
    "reference_words",
    "candidate_words",
    "reference_repair",
    "candidate_repair",
    "outcome",
)


def items_tsv(result: Result) -> str:
    """Segments and tokens count from 0; `-` stands for no counterpart; a repair is `kind:from>to`.

    A tab or a newline inside a name is written as `\\t` or `\\n`, so that columns stay columns.
    """
    rows: list[Sequence[str]] = [HEADING]
    for system in result.systems:
        for verdict in system.verdicts:
            source = verdict.pair.source
            reference, candidate = verdict.pair.references[verdict.reference], verdict.pair.candidate
            rows.append(
                [
                    system.name,
                    "-" if result.documents is None else result.documents[source.segment],
                    str(source.segment),
                    str(source.position),
                    source.form,
                    str(verdict.reference),
                    *("-" if side is None else " ".join(side.words) for side in (reference, candidate)),
                    *(_repair(side) for side in (reference, candidate)),
                    verdict.outcome.name.lower(),
                ]
            )
    return "".join(
        "\t".join(cell.replace("\t", "\\t").replace("\n", "\\n") for cell in row) + "\n" for row in rows
    )


def _repair(counterpart: Counterpart | None) -> str:
    if counterpart is None or counterpart.repair is None:
        return "-"
    repair = counterpart.repair
    before = ",".join(map(str, repair.before)) or "nothing"
    return f"{repair.kind.value}:{before}>{','.join(map(str, repair.chosen))}"
