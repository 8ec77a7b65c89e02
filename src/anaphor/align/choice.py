"""Which aligner: by name, with its options, and a name for the signature."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from anaphor.align.aligner import TrainedAligner
from anaphor.align.model import Reading
from anaphor.align.priors import PriorTable, built_in_pairs, built_in_prior, read_prior
from anaphor.align.programs import Aligner, SentencePair, alignment_of
from anaphor.align.symmetrize import METHODS, symmetrize
from anaphor.core import (
    Alignment,
    LanguagePair,
    MismatchError,
    OptionError,
    Registry,
    UnknownNameError,
    digest,
)

#: Version of the aligner in signatures: links of another version may differ.
VERSION = 1
#: Reads links off the product of both directions' posteriors; only the package's own aligner has these.
POSTERIOR = "posterior"
MODELS = ("hmm", "ibm1")

ALIGNERS: Registry[Callable[[AlignerChoice], Aligner]] = Registry(
    "aligner",
    {
        "anaphor": "anaphor.align.builders:own",
        "awesome-align": "anaphor.align.builders:awesome_align",
        "eflomal": "anaphor.align.builders:eflomal",
        "fast_align": "anaphor.align.builders:fast_align",
        "giza++": "anaphor.align.builders:giza",
        "mgiza": "anaphor.align.builders:mgiza",
        "simalign": "anaphor.align.builders:simalign",
    },
    option="--aligner",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignerChoice:
    """An aligner's name and everything that moves its links.

    `symmetrization` is empty for the aligner's own way: posteriors for ours, grow-diag-final-and for
    others. `model` and `priors` (built-in, none, or a file) are options of ours alone.
    """

    pair: LanguagePair
    name: str = "anaphor"
    symmetrization: str = ""
    model: str = "hmm"
    priors: str = "built-in"
    threads: int = 2

    def __post_init__(self) -> None:
        if self.model not in MODELS:
            raise OptionError(
                f"unknown model: {self.model}", where="--method", fix=f"use {' or '.join(MODELS)}"
            )
        if self.symmetrization not in ("", POSTERIOR, *METHODS):
            known = (POSTERIOR, *METHODS)
            raise UnknownNameError.among(
                self.symmetrization, known, kind="symmetrisation", where="--symmetrize"
            )
        if self.name not in ALIGNERS:
            ALIGNERS.get(self.name)
        if self.name != "anaphor" and (self.priors != "built-in" or self.model != "hmm"):
            raise OptionError(
                f"{self.name} has no priors and no model of ours",
                where="--priors, --method",
                fix="leave them out, or use the aligner anaphor",
            )
        if self.symmetrization == POSTERIOR and self.name != "anaphor":
            raise OptionError(
                f"{self.name} gives no posteriors",
                where="--symmetrize",
                fix=f"use one of {', '.join(METHODS)}",
            )

    def build(self) -> Aligner:
        """The aligner, ready to align."""
        return ALIGNERS.get(self.name)(self)

    def signature(self) -> str:
        """What a signature says of the links."""
        way = self.symmetrization or (POSTERIOR if self.name == "anaphor" else "grow-diag-final-and")
        if self.name != "anaphor":
            return f"{self.name}+{way}"
        prior = self.prior()
        known = "none" if prior is None else _prior_digest(prior)
        return f"anaphor-{self.model}-{VERSION}+{way}+prior-{known}"

    def prior(self) -> PriorTable | None:
        """What is known beforehand; None if nothing is, or nothing is wanted."""
        if self.priors == "none":
            return None
        if self.priors != "built-in":
            return _facing(read_prior(Path(self.priors)), self.pair, path=self.priors)
        return _built_in(self.pair) if str(self.pair) in built_in_pairs() else None


def _facing(prior: PriorTable, pair: LanguagePair, *, path: str) -> PriorTable:
    """The prior for this direction; one for the opposite direction is turned round."""
    if prior.pair not in (pair, LanguagePair(pair.target, pair.source)):
        raise MismatchError(
            f"the prior is for {prior.pair}, the text is {pair}",
            where=path,
            fix="give the prior of this pair, in either direction",
        )
    return prior if prior.pair == pair else prior.reversed()


@cache
def _built_in(pair: LanguagePair) -> PriorTable:
    """Read once: building an aligner and signing its links both ask for it."""
    return built_in_prior(pair)


def read_links(model: TrainedAligner, pairs: Sequence[SentencePair], way: str) -> Iterator[Alignment]:
    """Align with a finished model: by posteriors, or by a symmetrisation of its two directions."""
    if way == POSTERIOR:
        return model.align(pairs)
    both = (model.read_as(reading).align(pairs) for reading in (Reading.FORWARD, Reading.REVERSE))
    return (
        alignment_of(symmetrize(_links(ahead), _links(back), way)) for ahead, back in zip(*both, strict=True)
    )


def _links(alignment: Alignment) -> frozenset[tuple[int, int]]:
    return frozenset(zip(alignment.sources, alignment.targets, strict=True))


def _prior_digest(prior: PriorTable) -> str:
    forms = ("\n".join(side).encode() for side in (prior.source_forms, prior.target_forms))
    arrays = (prior.rows.start, prior.rows.target, prior.count, prior.forward_jumps, prior.reverse_jumps)
    return digest([*forms, *(array.tobytes() for array in arrays)])
