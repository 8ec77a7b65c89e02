"""Word alignment: the package's own aligner, and what it is made of.

Read in this order: `hmm_aligner` (the public face), `train` (the passes of EM), `reference` (the model in
NumPy), native/ (the same in C++). `aligners` has every aligner by name, third-party ones included.

Names are loaded when they are first used: texts that come with their alignments need none of the models.
"""

from __future__ import annotations

TYPE_CHECKING = False  # what type checkers take for true; `typing` itself is slow to import
if TYPE_CHECKING:
    from anaphor.align.aligners import ALIGNERS, AlignerChoice
    from anaphor.align.engine import best_engine, load_engine
    from anaphor.align.hmm_aligner import HmmAligner, TrainedAligner
    from anaphor.align.model import HmmOptions
    from anaphor.align.priors import PriorTable, built_in_pairs, built_in_prior, read_prior
    from anaphor.align.programs import SentencePair
    from anaphor.align.symmetrize import DecodingMode
    from anaphor.align.symmetrize import DecodingMode as Reading  # the former name
    from anaphor.engine import has_native

_HOMES = {
    "ALIGNERS": "align.aligners",
    "AlignerChoice": "align.aligners",
    "DecodingMode": "align.symmetrize",
    "HmmAligner": "align.hmm_aligner",
    "HmmOptions": "align.model",
    "PriorTable": "align.priors",
    "SentencePair": "align.programs",
    "TrainedAligner": "align.hmm_aligner",
    "best_engine": "align.engine",
    "built_in_pairs": "align.priors",
    "built_in_prior": "align.priors",
    "has_native": "engine",
    "load_engine": "align.engine",
    "read_prior": "align.priors",
}

__all__ = [
    "ALIGNERS",
    "AlignerChoice",
    "DecodingMode",
    "HmmAligner",
    "HmmOptions",
    "PriorTable",
    "Reading",
    "SentencePair",
    "TrainedAligner",
    "best_engine",
    "built_in_pairs",
    "built_in_prior",
    "has_native",
    "load_engine",
    "read_prior",
]


def __getattr__(name: str) -> object:
    wanted = "DecodingMode" if name == "Reading" else name
    if wanted not in _HOMES:
        raise AttributeError(f"module 'anaphor.align' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"anaphor.{_HOMES[wanted]}"), wanted)
