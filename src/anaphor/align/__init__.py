"""Word alignment: the package's own aligner, and what it is made of.

Read in this order: `aligner` (the public face), `train` (the passes), `lattice` and `reference` (the model
in NumPy), native/ (the same in C++).
"""

from anaphor.align.aligner import HmmAligner, TrainedAligner
from anaphor.align.choice import ALIGNERS, AlignerChoice
from anaphor.align.engine import best_engine, has_native, load_engine
from anaphor.align.model import HmmOptions, Reading
from anaphor.align.priors import PriorTable, built_in_pairs, built_in_prior, read_prior
from anaphor.align.programs import SentencePair

__all__ = [
    "ALIGNERS",
    "AlignerChoice",
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
