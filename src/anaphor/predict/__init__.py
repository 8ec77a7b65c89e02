"""Predictors of the prediction task. The first is the baseline: an n-gram language model that fills gaps."""

from anaphor.predict.fill import Filler, Filling, filler_options
from anaphor.predict.lm import LanguageModel, load_lm, perplexity, sentence_score
from anaphor.predict.training import Training, train_lm
from anaphor.predict.tuning import best_trial, try_penalties

__all__ = [
    "Filler",
    "Filling",
    "LanguageModel",
    "Training",
    "best_trial",
    "filler_options",
    "load_lm",
    "perplexity",
    "sentence_score",
    "train_lm",
    "try_penalties",
]
