"""Word alignment: the package's own aligner, and what it is made of.

Read in this order: `hmm_aligner` (the public face), `train` (the passes of EM), `reference` (the model in
NumPy), native/ (the same in C++). `aligners` has every aligner by name, third-party ones included.
"""

from anaphor.align.aligners import ALIGNERS, AlignerChoice
from anaphor.align.engine import best_engine, load_engine
from anaphor.align.hmm_aligner import HmmAligner, TrainedAligner
from anaphor.align.model import DecodingMode, HmmOptions
from anaphor.align.priors import PriorTable, built_in_pairs, built_in_prior, read_prior
from anaphor.align.programs import SentencePair
from anaphor.engine import has_native

#: The former name.
Reading = DecodingMode

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
