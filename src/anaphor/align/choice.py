"""Which aligner: by name, with its options, and a name for the signature."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from anaphor.align.abilities import BACKOFFS, OWN, POSTERIOR, Abilities, abilities_of
from anaphor.align.arrayfile import Array, joined_forms
from anaphor.align.priors import PriorTable, built_in_pairs, built_in_prior, read_prior
from anaphor.align.programs import Aligner, Versioned
from anaphor.align.symmetrize import METHODS
from anaphor.align.train import Progress
from anaphor.align.versions import UNKNOWN
from anaphor.core import LanguagePair, MismatchError, OptionError, Registry, UnknownNameError, digest

#: Version of the aligner in signatures: links of another version may differ.
VERSION = 3

_BUILT_IN = "built-in"
_THREADS = 2

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
