"""The choice of an aligner: which options each one takes, and how its links are signed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from anaphor.align import ALIGNERS
from anaphor.align.symmetrize import DEFAULT_METHOD, METHODS, DecodingMode
from anaphor.core import Alignment, LanguagePair, OptionError, UnknownNameError, digest
from anaphor.core.progress import Progress, ShareProgress, in_percent
from anaphor.corpus import read_text
from anaphor.corpus.text import read_bytes

if TYPE_CHECKING:  # texts that come with their alignments need only the name of an aligner
    from anaphor.align.priors import PriorTable
    from anaphor.align.programs import Aligner, SentencePair
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

_BUILT_IN = "built-in"
_THREADS = 2


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
    - `priors`: built-in, none, or a file; for the built-in aligner only, as is `threads`. A prior in the
      folder of `packs` takes the place of the built-in one.
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
        from anaphor.align.priors import built_in_pairs, in_direction, own_prior, read_prior

        path = None if self.packs is None else own_prior(self.packs, self.pair)
        if self.priors != _BUILT_IN:
            path = Path(self.priors)
        if path is not None:
            return in_direction(read_prior(path), self.pair, where=path)
        return _built_in_prior(self.pair) if str(self.pair) in built_in_pairs() else None

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
