"""An experiment: its files and settings, and the scores, comparisons and signatures that come of it.

Two equal experiments give equal results.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from anaphor.core.errors import OptionError
from anaphor.core.options import check_level, check_seed
from anaphor.core.pronoun import Outcome, Pronoun, PronounScore, Verdict

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_ESCAPES = str.maketrans({"|": "%7C", ":": "%3A", "%": "%25"})


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


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class Settings:
    """Everything but the files that moves a number. Validated on construction, except what the packs decide.

    `pronouns` are the evaluated source forms (none: the pair's own), `objects` adds object forms to the
    target list, `repair` is the paper's alignment repair. `aligner`, `symmetrization` (empty: the default of
    the aligner) and `priors` make the alignments that are not given; `outside_links` says what a link outside
    its sentence is: an error, or dropped. `packs` is a folder with packs of the user.

    `options` are those of metrics, by name, where they are not the default. They can be given by themselves:
    `Settings(pair="en-fr", clip="corpus")`. What there is to give, the metrics declare
    (`metrics/options.py`); values are checked when the metrics are built.
    """

    pair: str
    metrics: tuple[str, ...] = ("apt", "autoprf")
    tokenized: bool = False
    pronouns: tuple[str, ...] = ()
    objects: bool = False
    repair: bool = True
    aligner: str = "anaphor"
    symmetrization: str = ""
    priors: str = "built-in"
    outside_links: str = "error"
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)
    paired: bool = False
    samples: int = 1000
    seed: int = 12345
    level: float = 0.95
    packs: str | None = None

    def __init__(
        self,
        *,
        pair: str,
        metrics: tuple[str, ...] = ("apt", "autoprf"),
        tokenized: bool = False,
        pronouns: tuple[str, ...] = (),
        objects: bool = False,
        repair: bool = True,
        aligner: str = "anaphor",
        symmetrization: str = "",
        priors: str = "built-in",
        outside_links: str = "error",
        options: Mapping[str, Any] | None = None,
        paired: bool = False,
        samples: int = 1000,
        seed: int = 12345,
        level: float = 0.95,
        packs: str | None = None,
        **metric_options: Any,
    ) -> None:
        values = locals()
        for name in self.__slots__:
            object.__setattr__(self, name, values[name])
        object.__setattr__(self, "options", {**(options or {}), **metric_options})
        if not metrics:
            raise OptionError("no metric is named", where="--metrics", fix="name one, such as apt")
        if outside_links not in ("error", "drop"):
            raise OptionError(
                f"unknown value: {outside_links}", where="--outside-links", fix="use error or drop"
            )
        if samples != 0 and samples < 100:
            what = f"{samples} resamples are too few for an interval"
            raise OptionError(what, where="--samples", fix="give 100 or more, or 0 for no interval")
        if paired and not samples:
            raise OptionError(
                "a paired test needs resamples", where="--paired", fix="give --samples 1000 or leave it out"
            )
        check_level(level)
        check_seed(seed)


@dataclass(frozen=True, slots=True)
class Signature:
    """Name of a metric and its fields in a fixed order, the software version last."""

    name: str
    fields: tuple[tuple[str, str], ...]
    version: str

    def __str__(self) -> str:
        """One line such as `apt|weights:1,0.5,0,0,0,0|version:0.1.0`, `|`, `:` and `%` escaped in values."""
        parts = [f"{key}:{value.translate(_ESCAPES)}" for key, value in self.fields]
        return "|".join([self.name, *parts, f"version:{self.version}"])

    def as_dict(self) -> dict[str, str]:
        """The fields for a JSON file; nobody needs to parse the printed line."""
        return {"name": self.name, **dict(self.fields), "version": self.version}


def digest(parts: Iterable[bytes]) -> str:
    """The first 12 hex digits of a SHA-256; each part is closed by its length, so that none can merge."""
    total = hashlib.sha256()
    for part in parts:
        total.update(part)
        total.update(len(part).to_bytes(8, "big"))
    return total.hexdigest()[:12]


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """Sufficient statistics of one metric on one candidate: a row per segment, a column per name.

    A score is a function of the column sums alone, so any sum of rows can be scored: a document, a
    bootstrap resample, the corpus.
    """

    names: tuple[str, ...]
    rows: NDArray[np.float64]

    def totals(self) -> NDArray[np.float64]:
        totals: NDArray[np.float64] = self.rows.sum(axis=0)
        return totals


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval of a score."""

    low: float
    high: float
    level: float


@dataclass(frozen=True, slots=True)
class Score:
    """One number between 0 and 1 with all that is needed to trust it. NaN means undefined."""

    metric: str
    system: str
    value: float
    signature: Signature
    details: Mapping[str, float]
    interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """One system against the baseline on one metric.

    `p_mcnemar` is None for metrics that do not judge single pronouns. `p_adjusted` is the permutation
    p after Holm's correction over all systems compared on this metric. `detectable` is the smallest
    true difference that a test at level 0.05 on this much data finds with probability 0.8.
    """

    metric: str
    baseline: str
    system: str
    difference: float
    interval: Interval
    p_bootstrap: float
    p_permutation: float
    p_mcnemar: float | None
    p_adjusted: float
    detectable: float


@dataclass(frozen=True, slots=True)
class SystemResult:
    """One candidate: its scores in the order of the metrics, and its parts.

    `by_pronoun` and `by_document` map metric, then source form or document, to a value; NaN where there
    is nothing to score. `verdicts` judge every evaluated pronoun, and are empty when no pronoun metric ran;
    `confusion` counts their (reference, candidate) labels. `pronoun_scores` has a value and a reason for each
    of these pronouns from every metric that gives them.
    """

    name: str
    scores: tuple[Score, ...]
    by_pronoun: Mapping[str, Mapping[str, float]]
    by_document: Mapping[str, Mapping[str, float]]
    verdicts: tuple[Verdict, ...]
    confusion: Mapping[tuple[str, str], int]
    pronoun_scores: Mapping[str, tuple[PronounScore, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Result:
    """A whole experiment. `digests` name every input by role and, for verification, its content."""

    settings: Settings
    segments: int
    documents: tuple[str, ...] | None
    systems: tuple[SystemResult, ...]
    comparisons: tuple[Comparison, ...]
    digests: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Flip:
    """A pronoun of a system whose outcome depends on the symmetrization, with the outcome under each."""

    system: str
    pronoun: Pronoun
    outcomes: Mapping[str, Outcome]


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """APT of every system under every symmetrization, and every pronoun whose outcome changes."""

    scores: Mapping[str, Mapping[str, float]]
    pronouns: int
    flips: tuple[Flip, ...]


@dataclass(frozen=True, slots=True)
class FunctionScores:
    """Scores over the *it* of each function: by metric, system and function.

    `counts` says how many *it* have each function, as predicted by the classifier with this digest.
    """

    counts: Mapping[str, int]
    scores: Mapping[str, Mapping[str, Mapping[str, float]]]
    classifier: str
