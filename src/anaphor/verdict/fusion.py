"""Combines all testimonies into one probability; the only place with weights.

The log odds that a careful reader would change the rendering are a weighted sum of all signals:

    log odds = intercept + Σ weight · (signal − mean)

Weights were fitted on pronouns judged by people, by logistic regression with one part shared by all target
languages and one part for each; Spanish only has the second part (`benchmarks/verdict/fit.py`). Two limits on
the probability determine the verdict.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from anaphor.core import UnknownNameError, VerdictCounts, digest
from anaphor.core.learned import learned_folder
from anaphor.verdict.contract import Testimony

#: A rendering is accepted from this probability on, and rejected below the other one. Chosen on held-out
#: documents, so that two of three rejections are confirmed and at most a fifth of all pronouns is left open.
ACCEPTED_FROM, REJECTED_BELOW = 0.80, 0.60
#: A witness that moves the odds by less than this is not against the rendering.
_NEUTRAL = 0.5


class Opinion(NamedTuple):
    """The log odds that the rendering is wrong, and the contribution of each witness."""

    log_odds: float
    contributions: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Fusion:
    """The weights for one target language; signals without a weight are ignored."""

    intercept: float
    prior: float
    weights: Mapping[str, float]
    means: Mapping[str, float]

    @classmethod
    def load(cls, language: str, *, reference: bool = False, alike: str | None = None) -> Fusion:
        """Load the shipped weights.

        A language without judged pronouns uses those of the language `alike`, or the shared ones.
        """
        table = _table()
        if alike is not None and alike not in table:
            raise UnknownNameError.among(
                alike, table, kind="language with weights", where=f"agreement.weights of {language}.toml"
            )
        own = table.get(language, table[alike or "shared"])
        weights = own["weights"] | (own["reference"] if reference else {})
        return cls(own["intercept"], own["prior"], weights, own["means"])

    def weigh(self, testimonies: Mapping[str, Testimony]) -> Opinion:
        """Weigh the testimonies of all witnesses, given by name."""
        contributions = {}
        for witness, testimony in testimonies.items():
            if not testimony.signals:
                continue
            prefix = f"{witness}."
            # Centred: a witness that says what it says on average moves nothing, like one that is silent.
            contributions[witness] = sum(
                weight * (testimony.signals.get(name.removeprefix(prefix), 0.0) - self.means.get(name, 0.0))
                for name, weight in self.weights.items()
                if name.startswith(prefix)
            )
        return Opinion(self.intercept + sum(contributions.values()), contributions)

    def likelihood_ratio(self, opinion: Opinion) -> float:
        """The log odds corrected for the share of wrong pronouns in the judged data.

        By Bayes, log odds(wrong | evidence) = log r + log [π₀ / (1 - π₀)]. The rest, log r, is valid for a
        text with any share π of wrong pronouns; `base_rate` replaces π₀ by that of the candidate.
        """
        return opinion.log_odds - math.log(self.prior / (1 - self.prior))


VERDICTS = VerdictCounts._fields


def verdict_of(probability: float) -> str:
    """`accepted`, `open` or `rejected`, by the probability alone."""
    if probability >= ACCEPTED_FROM:
        return "accepted"
    return "rejected" if probability < REJECTED_BELOW else "open"


def reason_of(verdict: str, opinion: Opinion, testimonies: Mapping[str, Testimony]) -> str:
    """The clauses of the deciding witnesses, in order of weight; none contradicts the verdict.

    At most two are quoted, one of which readers can check if possible.
    """
    moved = sorted(opinion.contributions, key=lambda witness: -abs(opinion.contributions[witness]))
    favour = [
        name
        for name in moved
        # Most pronouns agree, so that to agree moves the odds by little, in either direction.
        if opinion.contributions[name] < (_NEUTRAL if testimonies[name].checkable else 0.0)
        and testimonies[name].accepts
    ]
    against = [name for name in moved if opinion.contributions[name] > 0 and testimonies[name].rejects]
    if verdict == "rejected":
        clauses = [testimonies[name].rejects for name in _quoted(against, testimonies)]
        return "; ".join(clauses) or "the witnesses together speak against it"
    if verdict == "accepted":
        clauses = [testimonies[name].accepts for name in _quoted(favour, testimonies)]
        if all(opinion.contributions[name] >= 0 for name in favour):
            doubted = max(opinion.contributions.values(), default=0.0) >= _NEUTRAL
            clauses.append(f"{'little' if doubted else 'nothing'} speaks against it")
        return "; ".join(clauses)
    objections = [testimonies[name].rejects for name in against[:1]]
    # A witness near the middle would be quoted on both sides.
    others = [name for name in favour if name not in against[:1]]
    known = [name for name in others if testimonies[name].checkable]
    good = [testimonies[name].accepts for name in (known or others)[:1]]
    return ", but ".join(good + objections) or "too little evidence"


def _quoted(names: Sequence[str], testimonies: Mapping[str, Testimony]) -> Sequence[str]:
    """The first two witnesses, or the first and one that can be checked."""
    named = [name for name in names if testimonies[name].checkable]
    return names[:2] if not named or named[0] in names[:2] else [names[0], named[0]]


def fitted_languages() -> tuple[str, ...]:
    """The target languages whose weights were fitted to judged pronouns."""
    return tuple(language for language in _table() if language != "shared")


def fusion_digest() -> str:
    """A hash of the weights, for signatures."""
    return digest([_weights().read_bytes()])


@cache
def _table() -> dict[str, Any]:
    """The shipped weights by target language."""
    return tomllib.loads(_weights().read_text(encoding="utf-8"))


def _weights() -> Path:
    return learned_folder("verdict/model") / "weights.toml"
