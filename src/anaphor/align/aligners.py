"""All aligners by name: the options they take, how they are built, and their signatures."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from anaphor.align import ALIGNERS
from anaphor.align.symmetrize import DEFAULT_METHOD, METHODS, DecodingMode, Directions
from anaphor.core import (
    Alignment,
    InputError,
    InputWarning,
    LanguagePair,
    MismatchError,
    OptionError,
    UnknownNameError,
    Where,
    digest,
)
from anaphor.core.progress import Progress, ShareProgress, in_percent
from anaphor.corpus import Text, read_text
from anaphor.corpus.text import read_bytes

if TYPE_CHECKING:  # texts that come with their alignments need only the name of an aligner
    from anaphor.align.hmm_aligner import TrainedAligner
    from anaphor.align.priors import PriorTable
    from anaphor.align.programs import Aligner, SentencePair
    from anaphor.align.train import TrainingText
    from anaphor.align.vocabulary import WordVocabulary
    from anaphor.files.arrays import Array

#: Version of the built-in aligner in signatures: links of another version may differ.
VERSION = 4
OWN = "anaphor"
#: Links every cell that is probable enough in both directions; only the built-in aligner has posteriors.
POSTERIOR = "posterior"
#: Symmetrizations that decode a model once, so that their links have confidences.
CONFIDENT = {
    POSTERIOR: DecodingMode.JOINT,
    "forward": DecodingMode.FORWARD,
    "reverse": DecodingMode.REVERSE,
}
#: Aligners for sentences of any length, which can replace another one where that one cannot align.
BACKOFFS = (OWN, "fast_align")

#: Sentences of more tokens are not aligned: memory grows with the longest one.
MOST_TOKENS = 10_000

_BUILT_IN = "built-in"
_THREADS = 2


def sentences_to_align(text: Text, tokenize: Callable[[str], Sequence[str]]) -> Iterator[Sequence[str]]:
    """The tokens of every line; a line with more than MOST_TOKENS is an `InputError` with its number."""
    for number, line in enumerate(text.lines, start=1):
        yield checked_length(tokenize(line), Where(text.path, number))


def checked_length(tokens: Sequence[str], where: Where) -> Sequence[str]:
    """Check that a sentence is not too long to align, and return its tokens.

    Every token of a long sentence is compared with hundreds on the other side: a line of a million would need
    gigabytes and get no links.
    """
    if len(tokens) > MOST_TOKENS:
        raise InputError(
            f"the line has {len(tokens):,} tokens, and the aligner takes at most {MOST_TOKENS:,}",
            where=where,
            fix="write one segment per line, or supply an alignment",
        )
    return tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """The options that an aligner takes. The first of `models` and of `symmetrizations` is its default.

    - `models`: empty if there is only one.
    - `symmetrizations`: of its two directions; empty if it aligns both at once.
    - `priors`: it takes priors and a number of threads.
    - `learns`: it is trained on the text it aligns, and so benefits from more text.
    - `any_length`: it aligns every sentence pair with words on both sides.
    """

    models: tuple[str, ...] = ()
    symmetrizations: tuple[str, ...] = (DEFAULT_METHOD, *(m for m in METHODS if m != DEFAULT_METHOD))
    priors: bool = False
    learns: bool = True
    any_length: bool = False


_GIZA = Capabilities(models=("model4", "hmm"))
_PRETRAINED = Capabilities(symmetrizations=(), learns=False)
_CAPABILITIES = {
    OWN: Capabilities(
        models=("hmm", "ibm1", "hmm-apart", "ibm1-apart"),
        symmetrizations=(POSTERIOR, *METHODS),
        priors=True,
        any_length=True,
    ),
    "awesome-align": _PRETRAINED,
    "eflomal": Capabilities(),
    "fast_align": Capabilities(any_length=True),
    "giza++": _GIZA,
    "mgiza": _GIZA,
    "simalign": _PRETRAINED,
}


def capabilities_of(name: str) -> Capabilities:
    """The options of the aligner with that name; third-party aligners are treated as plain programs."""
    return _CAPABILITIES.get(name, Capabilities())


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignerChoice:
    """An aligner's name and all options that affect its links; options it would ignore are rejected.

    - `symmetrization`, `model`: empty for the aligner's default (see `Capabilities`).
    - `priors`: built-in, none, or a file; for the built-in aligner only, as is `threads`.
    - `backoff`: the aligner for segments that this one cannot align, such as long ones; empty for none. It
      uses the same symmetrization, and `priors` and `threads` if it is the built-in aligner.
    - `packs`: a folder with the user's language packs, which tell the built-in aligner about pronouns.
    - `saved`: a model file written by `anaphor align train`; `training`: paths of source and target texts,
      `tokenized` or not, to train on. With either, the aligned text itself is not used for training.
    - `progress` is called with the name of a phase and the share of all work done by the built-in aligner.
    """

    pair: LanguagePair
    name: str = OWN
    symmetrization: str = ""
    model: str = ""
    priors: str = _BUILT_IN
    threads: int = _THREADS
    backoff: str = ""
    packs: Path | None = None
    saved: Path | None = None
    training: tuple[tuple[str, str], ...] = ()
    tokenized: bool = False
    progress: ShareProgress | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if self.name not in ALIGNERS:
            ALIGNERS.get(self.name)  # raises, with the known names
        takes = self.capabilities
        if self.model and not takes.models:
            raise self._ignored("method", f"{self.name} has only one model")
        if self.model and self.model not in takes.models:
            raise OptionError(
                f"{self.name} has no model {self.model}",
                where="--method",
                fix=f"use {' or '.join(takes.models)}",
            )
        known = takes.symmetrizations
        if self.symmetrization not in ("", POSTERIOR, *METHODS):
            raise UnknownNameError.among(
                self.symmetrization, known or METHODS, kind="symmetrization", where="--symmetrize"
            )
        if self.symmetrization and not known:
            raise self._ignored("symmetrize", f"{self.name} aligns both directions at once")
        if self.symmetrization and self.symmetrization not in known:
            raise OptionError(
                f"{self.name} gives no posteriors", where="--symmetrize", fix=f"use one of {', '.join(known)}"
            )
        if self.saved or self.training:
            fixed = "model" if self.saved else "train"
            if self.name != OWN:
                raise self._ignored(fixed, f"only {OWN} has models that can be saved")
            if self.saved and (self.training or self.priors != _BUILT_IN):
                ignored = "train" if self.training else "priors"
                raise self._ignored(ignored, "a saved model is not trained again", beside="model")
        if self.backoff and self.backoff not in BACKOFFS:
            raise UnknownNameError.among(self.backoff, BACKOFFS, kind="backoff", where="--backoff")
        if self.backoff and takes.any_length:
            raise self._ignored("backoff", f"{self.name} aligns segments of any length")
        if not any(capabilities_of(name).priors for name in (self.name, self.backoff)):
            if self.priors != _BUILT_IN:
                raise self._ignored("priors", f"only {OWN} uses them")
            if self.threads != _THREADS:
                raise self._ignored("threads", f"only {OWN} takes their number")

    @property
    def capabilities(self) -> Capabilities:
        """The options that this aligner takes."""
        return capabilities_of(self.name)

    @property
    def chosen_symmetrization(self) -> str:
        """The symmetrization, given or default; empty if the aligner has a single direction."""
        return self.symmetrization or next(iter(self.capabilities.symmetrizations), "")

    @property
    def chosen_model(self) -> str:
        """The model, given or default; empty if the aligner has only one."""
        return self.model or next(iter(self.capabilities.models), "")

    @property
    def has_confidences(self) -> bool:
        """Whether the links come with confidences."""
        return self.name == OWN and self.chosen_symmetrization in CONFIDENT

    def check_trainable(self) -> None:
        """Raise if the aligner does not learn from additional text."""
        if not self.capabilities.learns:
            raise self._ignored("train", f"{self.name} is not trained")

    def with_progress(self, step: str, progress: Progress) -> AlignerChoice:
        """The same choice, with progress reported as text: step, phase and percentage."""
        return replace(self, progress=in_percent(progress, step))

    @property
    def is_fixed(self) -> bool:
        """Whether links of a text are independent of the texts aligned together with it."""
        return self.saved is not None or bool(self.training)

    def build(self) -> Aligner:
        """Build the aligner."""
        if self.is_fixed:
            from anaphor.align.texts import FixedAligner  # which needs this module

            return FixedAligner(self)
        return ALIGNERS.get(self.name)(self)

    def align(self, pairs: Sequence[SentencePair]) -> Iterator[Alignment]:
        """Build the aligner and align; the backoff is only built when needed, which is rare."""
        return self.build().align(pairs)

    def backoff_choice(self) -> AlignerChoice | None:
        """The choice of the backoff aligner, if there is one."""
        return replace(self, name=self.backoff, model="", backoff="") if self.backoff else None

    def signature(self) -> str:
        """The aligner's signature; a third-party aligner must be installed to report its version."""
        if self.saved is not None:
            return f"{OWN}-{VERSION}+{self.chosen_symmetrization}+model-{digest([read_bytes(self.saved)])}"
        if self.name == OWN:
            known = self.prior_digest()
            learned = [read_text(path).digest.encode() for both in self.training for path in both]
            trained = f"+train-{digest(learned)}" if learned else ""
            return f"{OWN}-{self.chosen_model}-{VERSION}+{self.chosen_symmetrization}+prior-{known}{trained}"
        from anaphor.align.programs import UNKNOWN, Versioned

        aligner = self.build()
        version = aligner.version() if isinstance(aligner, Versioned) else UNKNOWN
        name = "-".join(filter(None, (self.name, self.chosen_model, version)))
        backoff = self.backoff_choice()
        rest = "" if backoff is None else f"backoff-{backoff.signature()}"
        return "+".join(filter(None, (name, self.chosen_symmetrization, rest)))

    def prior_digest(self) -> str:
        """A hash of the prior, or `none`."""
        prior = self.prior()
        return "none" if prior is None else _prior_digest(prior)

    def prior(self) -> PriorTable | None:
        """The prior, in the direction of the pair; None if there is none or it is switched off."""
        if self.priors == "none":
            return None
        from anaphor.align.priors import built_in_pairs, read_prior

        if self.priors == _BUILT_IN:
            return _built_in_prior(self.pair) if str(self.pair) in built_in_pairs() else None
        prior = read_prior(Path(self.priors))
        if prior.pair not in (self.pair, LanguagePair(self.pair.target, self.pair.source)):
            raise MismatchError(
                f"the prior is for {prior.pair}, the text is {self.pair}",
                where=self.priors,
                fix="pass the prior of this pair, in either direction",
            )
        return prior if prior.pair == self.pair else prior.reversed()

    def _ignored(self, option: str, because: str, *, beside: str = "aligner") -> OptionError:
        return OptionError(
            f"--{option} would be ignored: {because}",
            where=f"--{option}, --{beside}",
            fix="omit one of the two",
        )


@cache
def _built_in_prior(pair: LanguagePair) -> PriorTable:
    """The prior is read once, since both building an aligner and signing its links need it."""
    from anaphor.align.priors import built_in_prior

    return built_in_prior(pair)


def _prior_digest(prior: PriorTable) -> str:
    from anaphor.files.arrays import pack_strings

    sides = (prior.source_forms, prior.target_forms)
    words = (prior.rows.start, prior.rows.target, prior.count, prior.source_total, prior.target_total)
    arrays: tuple[Array, ...] = (*map(pack_strings, sides), *words, prior.forward_jumps, prior.reverse_jumps)
    return digest(array.tobytes() for array in arrays)


class BuiltInAligner:
    """The package's own aligner, with any symmetrization of its links."""

    def __init__(self, choice: AlignerChoice) -> None:
        from anaphor.align.hmm_aligner import HmmAligner
        from anaphor.align.model import HmmOptions
        from anaphor.align.vocabulary import load_packs

        prior = choice.prior()
        if prior is None and choice.priors != "none":
            warnings.warn(
                f"there are no built-in priors for {choice.pair}: the aligner is trained on this text alone",
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


def align_with_model(
    model: TrainedAligner, pairs: Sequence[SentencePair], symmetrization: str
) -> Iterator[Alignment]:
    """Align with a trained model: by posteriors, in one direction, or by symmetrizing both directions."""
    mode = CONFIDENT.get(symmetrization)
    if mode is not None:
        return model.decoded_as(mode).align(pairs)
    from anaphor.align.programs import symmetrized

    return symmetrized(_directions(model, pairs), symmetrization)


def align_with_each(
    choice: AlignerChoice, pairs: Sequence[SentencePair], symmetrizations: Sequence[str]
) -> dict[str, Sequence[Alignment]]:
    """Train once and return the alignments under each symmetrization; the chosen one is ignored."""
    from anaphor.align.programs import Directional, symmetrized

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
    from anaphor.align.programs import links_of

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
