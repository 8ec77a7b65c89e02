"""What each aligner can be told: one table, so that an option it lacks is refused in one place."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from anaphor.align.arrayfile import Array, joined_forms
from anaphor.align.external import AwesomeAlign, Eflomal, FastAlign, SimAlign
from anaphor.align.giza import Giza
from anaphor.align.hmm_aligner import HmmAligner, TrainedAligner
from anaphor.align.model import DecodingMode, HmmOptions
from anaphor.align.priors import PriorTable, built_in_pairs, built_in_prior, read_prior
from anaphor.align.programs import UNKNOWN, Aligner, Directional, SentencePair, Versioned, joined, links_of
from anaphor.align.symmetrize import DEFAULT_METHOD, METHODS, Directions
from anaphor.align.train import Progress, TrainingText
from anaphor.align.vocabulary import WordVocabulary, load_packs
from anaphor.core import (
    Alignment,
    InputWarning,
    LanguagePair,
    MismatchError,
    OptionError,
    Registry,
    UnknownNameError,
    digest,
)

OWN = "anaphor"
#: Reads links off the product of both directions' posteriors; only the package's own aligner has these.
POSTERIOR = "posterior"
#: Aligners that take sentences of any length, and so can stand in where another one cannot align.
BACKOFFS = (OWN, "fast_align")


@dataclass(frozen=True, slots=True, kw_only=True)
class Abilities:
    """What an aligner can be told. Of `models` and `ways` the first is what it does untold.

    - `models`: none where it has only one.
    - `ways`: of joining its two directions; none where it aligns both at once.
    - `priors`: it takes priors and a number of threads.
    - `learns`: from the text that it aligns, and so from more text.
    - `any_length`: it aligns every sentence pair that has words on both sides.
    """

    models: tuple[str, ...] = ()
    ways: tuple[str, ...] = (DEFAULT_METHOD, *(method for method in METHODS if method != DEFAULT_METHOD))
    priors: bool = False
    learns: bool = True
    any_length: bool = False


_GIZA = Abilities(models=("model4", "hmm"))
_PRETRAINED = Abilities(ways=(), learns=False)
_KNOWN = {
    OWN: Abilities(
        models=("hmm", "ibm1", "hmm-apart", "ibm1-apart"),
        ways=(POSTERIOR, *METHODS),
        priors=True,
        any_length=True,
    ),
    "awesome-align": _PRETRAINED,
    "eflomal": Abilities(),
    "fast_align": Abilities(any_length=True),
    "giza++": _GIZA,
    "mgiza": _GIZA,
    "simalign": _PRETRAINED,
}


def abilities_of(name: str) -> Abilities:
    """What the aligner of that name can be told; one of another package is taken for a plain program."""
    return _KNOWN.get(name, Abilities())


#: Ways that read a model once; their links have confidences.
CONFIDENT = {POSTERIOR: DecodingMode.JOINT, "forward": DecodingMode.FORWARD, "reverse": DecodingMode.REVERSE}


def read_links(model: TrainedAligner, pairs: Sequence[SentencePair], way: str) -> Iterator[Alignment]:
    """Align with a finished model: by posteriors, in one direction, or by a symmetrisation of both."""
    if way in CONFIDENT:
        return _read_as(model, CONFIDENT[way]).align(pairs)
    return joined(_directions(model, pairs), way)


def read_ways(
    model: TrainedAligner, pairs: Sequence[SentencePair], ways: Iterable[str]
) -> dict[str, Sequence[Alignment]]:
    """The same in several ways; each direction is read once for all of them."""
    both = list(_directions(model, pairs))
    return {
        way: list(joined(both, way) if way not in CONFIDENT else read_links(model, pairs, way))
        for way in ways
    }


def run_ways(
    aligner: Directional, pairs: Sequence[SentencePair], ways: Iterable[str]
) -> dict[str, Sequence[Alignment]]:
    """One run of another aligner, its two directions symmetrised in several ways."""
    both = list(aligner.directions(pairs))
    return {way: list(joined(both, way)) for way in ways}


def _directions(model: TrainedAligner, pairs: Sequence[SentencePair]) -> Iterator[Directions]:
    both = (_read_as(model, reading).align(pairs) for reading in (DecodingMode.FORWARD, DecodingMode.REVERSE))
    return ((links_of(ahead), links_of(back)) for ahead, back in zip(*both, strict=True))


def _read_as(model: TrainedAligner, reading: DecodingMode) -> TrainedAligner:
    """Most models are made for the reading that is asked for, and need not be copied."""
    return model if model.options.reading is reading else model.read_as(reading)


#: Version of the aligner in signatures: links of another version may differ.
VERSION = 3

_BUILT_IN = "built-in"
_THREADS = 2

ALIGNERS: Registry[Callable[[AlignerChoice], Aligner]] = Registry(
    "aligner",
    {
        "anaphor": "anaphor.align.aligners:own",
        "awesome-align": "anaphor.align.aligners:awesome_align",
        "eflomal": "anaphor.align.aligners:eflomal",
        "fast_align": "anaphor.align.aligners:fast_align",
        "giza++": "anaphor.align.aligners:giza",
        "mgiza": "anaphor.align.aligners:mgiza",
        "simalign": "anaphor.align.aligners:simalign",
    },
    option="--aligner",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignerChoice:
    """An aligner's name and everything that moves its links; what the aligner would ignore is refused.

    - `symmetrization`, `model`: empty for what the aligner does untold (see `abilities`).
    - `priors`: built-in, none, or a file; of our own aligner alone, as is `threads`.
    - `backoff`: the name of the aligner for segments that this one cannot align, such as long ones; empty
      for none. It symmetrises in the same way, and takes `priors` and `threads` if it is our own.
    - `packs`: a folder with language packs of the user, which tell our own aligner about pronouns.
    - `progress` hears how far our own aligner has come: the name of a phase, and a share of the whole.
    """

    pair: LanguagePair
    name: str = OWN
    symmetrization: str = ""
    model: str = ""
    priors: str = _BUILT_IN
    threads: int = _THREADS
    backoff: str = ""
    packs: Path | None = None
    progress: Progress | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if self.name not in ALIGNERS:
            ALIGNERS.get(self.name)
        self._check_model()
        self._check_symmetrization()
        self._check_backoff()
        self._check_priors_and_threads()

    @property
    def abilities(self) -> Abilities:
        """What this aligner can be told."""
        return abilities_of(self.name)

    @property
    def way(self) -> str:
        """How the two directions are joined; empty where the aligner has no two."""
        return self.symmetrization or next(iter(self.abilities.ways), "")

    @property
    def chosen_model(self) -> str:
        """The model, named or not; empty where the aligner has only one."""
        return self.model or next(iter(self.abilities.models), "")

    def check_more_text(self) -> None:
        """Raise if the aligner would not learn from more text."""
        if not self.abilities.learns:
            raise self._ignored("train", f"{self.name} is not trained")

    def telling(self, step: str, tell: Callable[[str], None]) -> AlignerChoice:
        """The same choice, with its progress told as text: the step, the phase and the percent."""
        return replace(self, progress=lambda phase, share: tell(f"{step}: {phase}, {share:.0%}"))

    def build(self) -> Aligner:
        """The aligner, ready to align."""
        return ALIGNERS.get(self.name)(self)

    def instead(self) -> AlignerChoice | None:
        """The choice of the backoff, if there is one."""
        return replace(self, name=self.backoff, model="", backoff="") if self.backoff else None

    def signature(self) -> str:
        """What a signature says of the links; other people's aligners must be installed to tell it."""
        if self.name == OWN:
            prior = self.prior()
            known = "none" if prior is None else _prior_digest(prior)
            return f"{OWN}-{self.chosen_model}-{VERSION}+{self.way}+prior-{known}"
        aligner = self.build()
        version = aligner.version() if isinstance(aligner, Versioned) else UNKNOWN
        parts = ["-".join(filter(None, (self.name, self.chosen_model, version))), self.way]
        if (instead := self.instead()) is not None:
            parts.append(f"backoff-{instead.signature()}")
        return "+".join(filter(None, parts))

    def prior(self) -> PriorTable | None:
        """What is known beforehand; None if nothing is, or nothing is wanted."""
        if self.priors == "none":
            return None
        if self.priors != _BUILT_IN:
            return _facing(read_prior(Path(self.priors)), self.pair, path=self.priors)
        return _built_in(self.pair) if str(self.pair) in built_in_pairs() else None

    def _check_model(self) -> None:
        known = self.abilities.models
        if self.model and not known:
            raise self._ignored("method", f"{self.name} has no such option")
        if self.model and self.model not in known:
            raise OptionError(
                f"{self.name} has no model {self.model}", where="--method", fix=f"use {' or '.join(known)}"
            )

    def _check_symmetrization(self) -> None:
        known = self.abilities.ways
        if self.symmetrization not in ("", POSTERIOR, *METHODS):
            raise UnknownNameError.among(
                self.symmetrization, known or METHODS, kind="symmetrisation", where="--symmetrize"
            )
        if self.symmetrization and not known:
            raise self._ignored("symmetrize", f"{self.name} aligns both directions at once")
        if self.symmetrization and self.symmetrization not in known:
            raise OptionError(
                f"{self.name} gives no posteriors", where="--symmetrize", fix=f"use one of {', '.join(known)}"
            )

    def _check_backoff(self) -> None:
        if self.backoff and self.backoff not in BACKOFFS:
            raise UnknownNameError.among(self.backoff, BACKOFFS, kind="backoff", where="--backoff")
        if self.backoff and self.abilities.any_length:
            raise self._ignored("backoff", f"{self.name} aligns segments of any length")

    def _check_priors_and_threads(self) -> None:
        if any(abilities_of(name).priors for name in (self.name, self.backoff)):
            return
        given = {"priors": self.priors != _BUILT_IN, "threads": self.threads != _THREADS}
        for option in filter(given.get, given):
            raise self._ignored(option, f"{self.name} has no such option")

    def _ignored(self, option: str, because: str) -> OptionError:
        return OptionError(
            f"--{option} would be ignored: {because}",
            where=f"--{option}, --aligner",
            fix="leave one of the two out",
        )


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


def _prior_digest(prior: PriorTable) -> str:
    sides = (prior.source_forms, prior.target_forms)
    words = (prior.rows.start, prior.rows.target, prior.count, prior.source_total, prior.target_total)
    arrays: tuple[Array, ...] = (*map(joined_forms, sides), *words, prior.forward_jumps, prior.reverse_jumps)
    return digest(array.tobytes() for array in arrays)


class BuiltInAligner:
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

    def train_on(
        self, text: TrainingText, vocabularies: tuple[WordVocabulary, WordVocabulary]
    ) -> TrainedAligner:
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
    if isinstance(aligner, BuiltInAligner):
        return read_ways(aligner.train(pairs), pairs, ways)
    if isinstance(aligner, Directional):
        return run_ways(aligner, pairs, ways)
    raise OptionError(
        f"{choice.name} does not show its two directions, so that its links cannot be joined in several ways",
        where="--aligner",
        fix="use another aligner, such as anaphor",
    )


def own(choice: AlignerChoice) -> BuiltInAligner:
    return BuiltInAligner(choice)


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
