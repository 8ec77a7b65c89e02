"""From a choice to an aligner: one builder for every name in `choice.ALIGNERS`."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from anaphor.align.aligner import HmmAligner, TrainedAligner
from anaphor.align.choice import AlignerChoice
from anaphor.align.external import Eflomal, FastAlign
from anaphor.align.giza import Giza
from anaphor.align.model import HmmOptions
from anaphor.align.neural import AwesomeAlign, SimAlign
from anaphor.align.packs import load_packs
from anaphor.align.programs import Aligner, Directional, SentencePair
from anaphor.align.training_text import TrainingText
from anaphor.align.vocabulary import Vocabulary
from anaphor.align.ways import read_links, read_ways, run_ways
from anaphor.core import Alignment, InputWarning, OptionError


class OwnAligner:
    """The package's aligner with any way of reading its links."""

    def __init__(self, choice: AlignerChoice) -> None:
        prior = choice.prior()
        if prior is None and choice.priors != "none":
            warnings.warn(
                f"there are no built-in priors for {choice.pair}: links are learned from this text alone",
                InputWarning,
                stacklevel=4,
            )
        self._aligner = HmmAligner(
            options=_options(choice),
            pair=choice.pair,
            prior=prior,
            progress=choice.progress,
            packs=load_packs(choice.pair, choice.packs),
        )
        self._way = choice.way

    def align(self, pairs: Sequence[SentencePair], extra: Sequence[SentencePair] = ()) -> Iterator[Alignment]:
        """The alignment of every pair after training on all of them and on `extra`."""
        return read_links(self.train([*pairs, *extra]), pairs, self._way) if pairs else iter(())

    def train(self, pairs: Iterable[SentencePair]) -> TrainedAligner:
        """A model of these pairs, which are gone through once."""
        return self._aligner.train(pairs)

    def train_on(self, text: TrainingText, vocabularies: tuple[Vocabulary, Vocabulary]) -> TrainedAligner:
        """A model of a text that these vocabularies have numbered, wherever it is."""
        return self._aligner.train_on(text, vocabularies)


def _options(choice: AlignerChoice) -> HmmOptions:
    """Model `ibm1` knows no word order; models `-apart` do not tell one direction of the other."""
    model, _, apart = choice.chosen_model.partition("-")
    options = HmmOptions(threads=choice.threads, agree=not apart)
    return replace(options, hmm_passes=0, position_passes=5, diagonal=0) if model == "ibm1" else options


@dataclass(frozen=True, slots=True)
class Backoff:
    """An aligner that is made when it is first needed, which for most texts is never."""

    choice: AlignerChoice

    def align(self, pairs: Sequence[SentencePair]) -> Iterator[Alignment]:
        return self.choice.build().align(pairs)


def align_ways(
    choice: AlignerChoice, pairs: Sequence[SentencePair], ways: Sequence[str]
) -> dict[str, Sequence[Alignment]]:
    """The alignments of all pairs for each of the ways, after one training; `choice.way` plays no part."""
    aligner = choice.build()
    if isinstance(aligner, OwnAligner):
        return read_ways(aligner.train(pairs), pairs, ways)
    if isinstance(aligner, Directional):
        return run_ways(aligner, pairs, ways)
    raise OptionError(
        f"{choice.name} does not show its two directions, so that its links cannot be joined in several ways",
        where="--aligner",
        fix="use another aligner, such as anaphor",
    )


def own(choice: AlignerChoice) -> OwnAligner:
    return OwnAligner(choice)


def eflomal(choice: AlignerChoice) -> Eflomal:
    return Eflomal(symmetrization=choice.way, fallback=_fallback(choice))


def fast_align(choice: AlignerChoice) -> FastAlign:
    return FastAlign(symmetrization=choice.way)


def mgiza(choice: AlignerChoice) -> Giza:
    return _giza(choice, "mgiza")


def giza(choice: AlignerChoice) -> Giza:
    return _giza(choice, "GIZA++")


def awesome_align(choice: AlignerChoice) -> AwesomeAlign:
    return AwesomeAlign(fallback=_fallback(choice))


def simalign(choice: AlignerChoice) -> SimAlign:
    return SimAlign(fallback=_fallback(choice))


def _giza(choice: AlignerChoice, program: str) -> Giza:
    return Giza(
        program=program,
        model=choice.chosen_model,
        symmetrization=choice.way,
        fallback=_fallback(choice),
    )


def _fallback(choice: AlignerChoice) -> Aligner | None:
    instead = choice.instead()
    return None if instead is None else Backoff(instead)
