"""From a choice to an aligner: one builder for every name in `choice.ALIGNERS`."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence

from anaphor.align.aligner import HmmAligner, TrainedAligner
from anaphor.align.choice import POSTERIOR, AlignerChoice, read_links
from anaphor.align.external import AwesomeAlign, Eflomal, FastAlign, SimAlign
from anaphor.align.giza import Giza
from anaphor.align.model import HmmOptions
from anaphor.align.programs import Aligner, SentencePair
from anaphor.core import Alignment, InputWarning, OptionError

#: How the papers symmetrised the links of GIZA++ (wmt16-findings, section 3.3).
_USUAL = "grow-diag-final-and"


class OwnAligner:
    """The package's aligner with any way of reading its links."""

    def __init__(self, choice: AlignerChoice) -> None:
        options = HmmOptions(threads=choice.threads)
        if choice.model == "ibm1":
            options = HmmOptions(threads=choice.threads, hmm_passes=0, position_passes=5, diagonal=0)
        prior = choice.prior()
        if prior is None and choice.priors != "none":
            warnings.warn(
                f"there are no built-in priors for {choice.pair}: links are learned from this text alone",
                InputWarning,
                stacklevel=4,
            )
        self._aligner = HmmAligner(options, choice.pair, prior)
        self._way = choice.symmetrization or POSTERIOR

    def align(self, pairs: Sequence[SentencePair], extra: Sequence[SentencePair] = ()) -> Iterator[Alignment]:
        """The alignment of every pair after training on all of them and on `extra`."""
        return read_links(self.train([*pairs, *extra]), pairs, self._way) if pairs else iter(())

    def train(self, pairs: Sequence[SentencePair]) -> TrainedAligner:
        return self._aligner.train(pairs)


def own(choice: AlignerChoice) -> OwnAligner:
    return OwnAligner(choice)


def eflomal(choice: AlignerChoice) -> Aligner:
    return Eflomal(symmetrization=choice.symmetrization or _USUAL)


def fast_align(choice: AlignerChoice) -> Aligner:
    return FastAlign(symmetrization=choice.symmetrization or _USUAL)


def mgiza(choice: AlignerChoice) -> Aligner:
    return Giza(program="mgiza", symmetrization=choice.symmetrization or _USUAL)


def giza(choice: AlignerChoice) -> Aligner:
    return Giza(program="GIZA++", symmetrization=choice.symmetrization or _USUAL)


def awesome_align(choice: AlignerChoice) -> Aligner:
    _refuse_symmetrization(choice)
    return AwesomeAlign()


def simalign(choice: AlignerChoice) -> Aligner:
    _refuse_symmetrization(choice)
    return SimAlign()


def _refuse_symmetrization(choice: AlignerChoice) -> None:
    if choice.symmetrization:
        raise OptionError(
            f"{choice.name} aligns both directions at once",
            where="--symmetrize",
            fix="leave it out for this aligner",
        )
