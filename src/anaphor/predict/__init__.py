"""Predictors of the prediction task. The first is the baseline: an n-gram language model that fills gaps."""

from anaphor.predict.lm.fill import Filler, GapFilling, best_trial, filler_options, try_penalties
from anaphor.predict.lm.language_model import LanguageModel, load_lm, perplexity, sentence_score
from anaphor.predict.lm.training import LmTrainingOptions, train_lm

__all__ = [
    "Filler",
    "GapFilling",
    "LanguageModel",
    "LmTrainingOptions",
    "best_trial",
    "filler_options",
    "load_lm",
    "perplexity",
    "sentence_score",
    "train_lm",
    "try_penalties",
]
