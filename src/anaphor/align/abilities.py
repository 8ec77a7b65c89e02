"""What each aligner can be told: one table, so that an option it lacks is refused in one place."""

from __future__ import annotations

from dataclasses import dataclass

from anaphor.align.symmetrize import METHODS

OWN = "anaphor"
#: Reads links off the product of both directions' posteriors; only the package's own aligner has these.
POSTERIOR = "posterior"
#: How the papers symmetrised the links of GIZA++ (wmt16-findings, section 3.3).
USUAL = "grow-diag-final-and"
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
    ways: tuple[str, ...] = (USUAL, *(method for method in METHODS if method != USUAL))
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
