"""The noun of a finished experiment: all that a table, a JSON file or a verification needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from anaphor.core.experiment import Settings
from anaphor.core.pronoun import Outcome, Pronoun, Verdict
from anaphor.core.score import Comparison, Score


@dataclass(frozen=True, slots=True)
class SystemResult:
    """One candidate: its scores in the order of the metrics, and its parts.

    `by_pronoun` and `by_document` map metric, then source form or document, to a value; NaN where there
    is nothing to score. `verdicts` judge every watched pronoun, and are empty when no pronoun metric ran;
    `confusion` counts their (reference, candidate) labels.
    """

    name: str
    scores: tuple[Score, ...]
    by_pronoun: Mapping[str, Mapping[str, float]]
    by_document: Mapping[str, Mapping[str, float]]
    verdicts: tuple[Verdict, ...]
    confusion: Mapping[tuple[str, str], int]


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
    """A pronoun of a system whose outcome depends on the way the links were joined."""

    system: str
    pronoun: Pronoun
    outcomes: Mapping[str, Outcome]


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """APT of every system under every way, and every pronoun that changes its outcome."""

    scores: Mapping[str, Mapping[str, float]]
    pronouns: int
    flips: tuple[Flip, ...]


@dataclass(frozen=True, slots=True)
class FunctionScores:
    """Scores over the *it* of each function: by metric, system and function.

    `counts` says how many *it* have each function, as the classifier with this digest guesses.
    """

    counts: Mapping[str, int]
    scores: Mapping[str, Mapping[str, Mapping[str, float]]]
    classifier: str
