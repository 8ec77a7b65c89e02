"""The aligners to choose from: the built-in one, trained on this text or on others, and third-party ones."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from anaphor.align.choice import CONFIDENT, AlignerChoice
from anaphor.align.hmm_aligner import HmmAligner, TrainedAligner
from anaphor.align.model import HmmOptions
from anaphor.align.pairs import read_pairs, tokenizers
from anaphor.align.programs import Aligner, Directional, SentencePair, links_of, symmetrized
from anaphor.align.symmetrize import DecodingMode, Directions
from anaphor.align.train import TrainingText
from anaphor.align.vocabulary import WordVocabulary, load_packs
from anaphor.core import Alignment, InputWarning, OptionError


class BuiltInAligner:
    """The package's own aligner, with any symmetrization of its links."""

    def __init__(self, choice: AlignerChoice) -> None:
        prior = choice.prior()
        if prior is None and choice.priors != "none":
            warnings.warn(
                f"there are no built-in priors for {choice.pair}: the aligner is trained on this text alone; "
                "`anaphor pack build` makes priors from more text",
                InputWarning,
                stacklevel=3,
            )
        # ibm1 has no word order; in the models `-apart` neither direction learns from the other.
        model, _, apart = choice.chosen_model.partition("-")
        options = HmmOptions(threads=choice.threads, agree=not apart)
        if model == "ibm1":
            options = replace(options, hmm_passes=0, position_passes=5, diagonal=0)
        packs = load_packs(choice.pair, choice.packs)
        self._aligner = HmmAligner(options, choice.pair, prior, progress=choice.progress, packs=packs)
        self._symmetrization = choice.chosen_symmetrization

    def align(self, pairs: Sequence[SentencePair], extra: Sequence[SentencePair] = ()) -> Iterator[Alignment]:
        """Align every pair after training on all of them and on `extra`."""
        if not pairs:
            return iter(())
        mode = CONFIDENT.get(self._symmetrization)
        if mode is None:
            return align_with_model(self.train([*pairs, *extra]), pairs, self._symmetrization)
        # The pairs are turned into numbers once, for training and for decoding.
        aligner = replace(self._aligner, options=replace(self._aligner.options, reading=mode))
        return aligner.align(pairs, extra=extra)

    def train(self, pairs: Iterable[SentencePair]) -> TrainedAligner:
        """Train a model on these pairs, which are iterated over once."""
        return self._aligner.train(pairs)

    def train_on(
        self, text: TrainingText, vocabularies: tuple[WordVocabulary, WordVocabulary]
    ) -> TrainedAligner:
        """Train a model on a text numbered with these vocabularies, wherever it is stored."""
        return self._aligner.train_on(text, vocabularies)


class FixedAligner(BuiltInAligner):
    """Aligns with a saved model or one trained on other texts, and learns nothing from what it aligns."""

    def __init__(self, choice: AlignerChoice) -> None:
        if choice.saved is None:  # otherwise no prior is needed, nor missed
            super().__init__(choice)
        self._choice = choice

    def align(self, pairs: Sequence[SentencePair], extra: Sequence[SentencePair] = ()) -> Iterator[Alignment]:
        return align_with_model(self.train(extra), pairs, self._choice.chosen_symmetrization)

    def train(self, pairs: Iterable[SentencePair]) -> TrainedAligner:  # noqa: ARG002 - see below
        """Return the same model for any pairs."""
        choice = self._choice
        if choice.saved is not None:
            packs = load_packs(choice.pair, choice.packs)
            return TrainedAligner.load(choice.saved, pair=choice.pair, threads=choice.threads, packs=packs)
        words = tokenizers(choice.pair, tokenized=choice.tokenized, packs=choice.packs)
        return super().train(chain.from_iterable(read_pairs(files, words) for files in choice.training))


def built_in_aligner(choice: AlignerChoice) -> BuiltInAligner:
    """The built-in aligner, which learns from what it aligns unless a model or training texts are given."""
    return FixedAligner(choice) if choice.is_fixed else BuiltInAligner(choice)


def align_with_model(
    model: TrainedAligner, pairs: Sequence[SentencePair], symmetrization: str
) -> Iterator[Alignment]:
    """Align with a trained model: by posteriors, in one direction, or by symmetrizing both directions."""
    mode = CONFIDENT.get(symmetrization)
    if mode is not None:
        return model.decoded_as(mode).align(pairs)
    return symmetrized(_directions(model, pairs), symmetrization)


def align_with_each(
    choice: AlignerChoice, pairs: Sequence[SentencePair], symmetrizations: Sequence[str]
) -> dict[str, Sequence[Alignment]]:
    """Train once and return the alignments under each symmetrization; the chosen one is ignored."""
    aligner = choice.build()
    if isinstance(aligner, BuiltInAligner):
        model = aligner.train(pairs)
        both = list(_directions(model, pairs))
        return {
            method: list(
                align_with_model(model, pairs, method) if method in CONFIDENT else symmetrized(both, method)
            )
            for method in symmetrizations
        }
    if isinstance(aligner, Directional):
        both = list(aligner.directions(pairs))
        return {method: list(symmetrized(both, method)) for method in symmetrizations}
    raise OptionError(
        f"{choice.name} does not expose its two directions, so its links have only one symmetrization",
        where="--aligner",
        fix="use another aligner, such as anaphor",
    )


def _directions(model: TrainedAligner, pairs: Sequence[SentencePair]) -> Iterator[Directions]:

    modes = (DecodingMode.FORWARD, DecodingMode.REVERSE)
    forward, reverse = (model.decoded_as(mode).align(pairs) for mode in modes)
    return zip(map(links_of, forward), map(links_of, reverse), strict=True)


def third_party_aligner(choice: AlignerChoice) -> Aligner:
    """Return the third-party aligner with that name; its programs are not started until it aligns."""
    # Most runs use the built-in one.
    from anaphor.align.external import AwesomeAlign, Eflomal, FastAlign, SimAlign
    from anaphor.align.giza import Giza

    method, fallback = choice.chosen_symmetrization, choice.backoff_choice()
    if choice.name == "eflomal":
        return Eflomal(symmetrization=method, fallback=fallback)
    if choice.name == "fast_align":
        return FastAlign(symmetrization=method)
    if choice.name == "awesome-align":
        return AwesomeAlign(fallback=fallback)
    if choice.name == "simalign":
        return SimAlign(fallback=fallback)
    program = "mgiza" if choice.name == "mgiza" else "GIZA++"
    return Giza(program=program, model=choice.chosen_model, symmetrization=method, fallback=fallback)
