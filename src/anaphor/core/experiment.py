"""An experiment as a value: which files, which settings. Two equal experiments give equal results."""

from __future__ import annotations

from dataclasses import dataclass

from anaphor.core.errors import OptionError

#: apt-2017, Tables 3 and 4: full credit for identical, half for equivalent pronouns correlates best.
PAPER_WEIGHTS = (1.0, 0.5, 0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """The paths of an experiment as the user gave them; `-` is the standard input.

    `bundle` is a test set in one file or folder and replaces source, references and documents.
    Alignments stand in the order of the references and of the candidates.
    """

    source: str | None = None
    references: tuple[str, ...] = ()
    candidates: tuple[tuple[str, str], ...] = ()
    bundle: str | None = None
    documents: str | None = None
    positions: str | None = None
    reference_alignments: tuple[str, ...] = ()
    candidate_alignments: tuple[str, ...] = ()

    def paths(self) -> tuple[str, ...]:
        """Every path that is named."""
        single = (self.source, self.bundle, self.documents, self.positions)
        named = tuple(path for _, path in self.candidates)
        several = (*self.references, *named, *self.reference_alignments, *self.candidate_alignments)
        return (*(path for path in single if path is not None), *several)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything but the files that moves a number. Checked at birth, except what the packs decide.

    `pronouns` are the watched source forms (none: the pair's own), `objects` adds object forms to the
    target list, `repair` is the paper's alignment repair. `outside_links` says what a link outside its
    sentence is: an error, or dropped. `packs` is a folder with packs of the user.
    """

    pair: str
    metrics: tuple[str, ...] = ("apt", "autoprf")
    tokenized: bool = False
    pronouns: tuple[str, ...] = ()
    objects: bool = False
    repair: bool = True
    outside_links: str = "error"
    weights: tuple[float, ...] = PAPER_WEIGHTS
    discard: tuple[int, ...] = ()
    other: str = "different"
    clip: str = "pronoun"
    paired: bool = False
    samples: int = 1000
    seed: int = 12345
    level: float = 0.95
    packs: str | None = None

    def __post_init__(self) -> None:
        if not self.metrics:
            raise OptionError("no metric is named", where="--metrics", fix="name one, such as apt")
        if self.outside_links not in ("error", "drop"):
            raise OptionError(
                f"unknown value: {self.outside_links}", where="--outside-links", fix="use error or drop"
            )
        if self.samples != 0 and self.samples < 100:
            raise OptionError(
                f"{self.samples} resamples say nothing about an interval",
                where="--samples",
                fix="give 100 or more, or 0 for no interval",
            )
        if self.paired and not self.samples:
            raise OptionError(
                "a paired test draws resamples", where="--paired", fix="give --samples 1000 or leave it out"
            )
        if not 0.5 <= self.level < 1:
            raise OptionError(
                f"no confidence level: {self.level}", where="--level", fix="give one such as 0.95"
            )
        if self.seed < 0:
            raise OptionError(f"no seed: {self.seed}", where="--seed", fix="give a number from 0 up")
