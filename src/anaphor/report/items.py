"""Every judged pronoun as a line of a TSV file: the way from a number to its examples."""

from __future__ import annotations

from collections.abc import Sequence

from anaphor.core import Counterpart, Result, Verdict

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
    """Segments and tokens count from 0; `-` stands for no counterpart; a repair is `kind:from>to`."""
    rows = [
        [system.name, *_cells(verdict, result.documents)]
        for system in result.systems
        for verdict in system.verdicts
    ]
    return "".join(_line(row) for row in (HEADING, *rows))


def _line(cells: Sequence[str]) -> str:
    """A tab or a newline inside a name is written as `\\t` or `\\n`, so that columns stay columns."""
    return "\t".join(cell.replace("\t", "\\t").replace("\n", "\\n") for cell in cells) + "\n"


def _cells(verdict: Verdict, documents: tuple[str, ...] | None) -> list[str]:
    source = verdict.pair.source
    reference, candidate = verdict.pair.references[verdict.reference], verdict.pair.candidate
    return [
        "-" if documents is None else documents[source.segment],
        str(source.segment),
        str(source.position),
        source.form,
        str(verdict.reference),
        _words(reference),
        _words(candidate),
        _repair(reference),
        _repair(candidate),
        verdict.outcome.name.lower(),
    ]


def _words(counterpart: Counterpart | None) -> str:
    return "-" if counterpart is None else " ".join(counterpart.words)


def _repair(counterpart: Counterpart | None) -> str:
    if counterpart is None or counterpart.repair is None:
        return "-"
    repair = counterpart.repair
    before = ",".join(map(str, repair.before)) or "nothing"
    return f"{repair.kind.value}:{before}>{','.join(map(str, repair.chosen))}"
