"""Word alignment: the package's own aligner and its components.

Read in this order: `hmm_aligner` (the public interface), `train` (the EM passes), `reference` (the model in
NumPy), native/ (the same in C++). `choice` has the options of all aligners,
including third-party ones, and `aligners` builds them.

Names are imported on first use: texts that come with alignments need none of the models.
"""

from __future__ import annotations

from collections.abc import Callable

from anaphor.core.lazy import lazy_names
from anaphor.core.registry import Registry

TYPE_CHECKING = False  # what type checkers take for true; `typing` itself is slow to import
if TYPE_CHECKING:
    from anaphor.align.choice import AlignerChoice
    from anaphor.align.engine import best_engine, load_engine
    from anaphor.align.hmm_aligner import HmmAligner, TrainedAligner
    from anaphor.align.model import HmmOptions
    from anaphor.align.priors import PriorTable, built_in_pairs, built_in_prior, read_prior
    from anaphor.align.programs import Aligner, SentencePair
    from anaphor.align.symmetrize import DecodingMode
    from anaphor.core.engine import has_native

_THIRD_PARTY = ("awesome-align", "eflomal", "fast_align", "giza++", "mgiza", "simalign")
ALIGNERS: Registry[Callable[[AlignerChoice], Aligner]] = Registry(
    "aligner",
    {
        "anaphor": "anaphor.align.aligners:built_in_aligner",
        **dict.fromkeys(_THIRD_PARTY, "anaphor.align.aligners:third_party_aligner"),
    },
    option="--aligner",
)

__all__ = [
    "ALIGNERS",
    "Aligner",
    "AlignerChoice",
    "DecodingMode",
    "HmmAligner",
    "HmmOptions",
    "PriorTable",
    "SentencePair",
    "TrainedAligner",
    "best_engine",
    "built_in_pairs",
    "built_in_prior",
    "has_native",
    "load_engine",
    "read_prior",
]

__getattr__ = lazy_names(
    __name__,
    {
        "anaphor.align.choice": "AlignerChoice",
        "anaphor.align.engine": "best_engine load_engine",
        "anaphor.align.hmm_aligner": "HmmAligner TrainedAligner",
        "anaphor.align.model": "HmmOptions",
        "anaphor.align.priors": "PriorTable built_in_pairs built_in_prior read_prior",
        "anaphor.align.programs": "Aligner SentencePair",
        "anaphor.align.symmetrize": "DecodingMode",
        "anaphor.core.engine": "has_native",
    },
)
