"""The result of a run of the original APT: its two files, and its talk on the console."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from anaphor.core import OptionError, Outcome, Pronoun
from anaphor.corpus import write_atomically
from anaphor.corpus.reading import is_folder
from anaphor.legacy.apt_align import Aligned

_DETAIL_HEADER = "SENT.\tPOS. SOURCE\tSOURCE\tPOS. REF.\tREF.\tPOS. TARGET\tTARGET\tCASE"


@dataclass(frozen=True, slots=True)
class JudgedPronoun:
    """One line of the `.detail` file."""

    source: Pronoun
    reference: Aligned
    candidate: Aligned
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class AptRun:
    """All that one run gives. `output` is the prefix of the files that `write` makes.

    `counts` belongs to the listed cases in their order; `score` is NaN if they were never met.
    """

    output: Path
    score: float
    cases: tuple[Outcome, ...]
    weights: tuple[float, ...]
    counts: tuple[int, ...]
    judged: tuple[JudgedPronoun, ...]
    score_text: str
    detail_text: str
    console: str


def write(run: AptRun) -> tuple[Path, Path]:
    """Write the `.score` and `.detail` files and return their paths."""
    score, detail = (run.output.with_name(run.output.name + suffix) for suffix in (".score", ".detail"))
    for path in (score, detail):
        if is_folder(path) or not is_folder(path.parent):
            raise OptionError(
                "the file cannot be written: a folder has its name, or its folder is not there",
                where=str(path),
                fix="change output_file, a path relative to the working directory, or create the folder",
            )
    write_atomically(score, run.score_text)
    write_atomically(detail, run.detail_text)
    return score, detail


def score_text(
    *, score: float, cases: Sequence[Outcome], weights: Sequence[float], counts: Sequence[int], matrix: str
) -> str:
    """The content of the `.score` file."""
    return (
        f"Score: {score:.4f}\n"
        f"Cases: {_commas(case.value for case in cases)}\n"
        f"Weights: {_commas(weights)}\n"
        f"Findings per case: {_commas(counts)}\n"
        f"Total findings: {sum(counts)}\n"
        f"{matrix}"
    )


def detail_text(judged: Iterable[JudgedPronoun]) -> str:
    """The content of the `.detail` file: every pronoun, those of unlisted cases too."""
    lines = [_DETAIL_HEADER]
    for one in judged:
        source = (one.source.segment, one.source.position, one.source.form)
        fields = (*source, *_shown(one.reference), *_shown(one.candidate), one.outcome.value)
        lines.append("\t".join(map(str, fields)))
    return "\n".join(lines) + "\n"


def console_text(
    *, absent: Sequence[str], reference_repairs: Sequence[str], candidate_repairs: Sequence[str], score: float
) -> str:
    """What the original printed while it ran."""
    lines = [
        *("*** Reading input", "", *absent, "*** End Reading input", ""),
        *("*** Improving alignment", ""),
        *("For reference:", *reference_repairs, "For target:", *candidate_repairs),
        *("*** End improving alignment", ""),
        *("*** Calculating score", "", f"Score: {score:.4f}", "More details in output files"),
        *("*** End calculating score", ""),
    ]
    return "\n".join(lines) + "\n"


def _shown(aligned: Aligned) -> tuple[str, str]:
    if aligned.missing:
        return "-", "-"
    return " ".join(map(str, aligned.positions)), " ".join(aligned.words)


def _commas(values: Iterable[object]) -> str:
    return ",".join(map(str, values))
