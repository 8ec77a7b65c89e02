"""N-gram language models: training, files, scores; and the baseline of the shared tasks, which fills gaps."""

from anaphor.recipes.lm.fill import Filler, GapFilling, best_trial, filler_options, try_penalties
from anaphor.recipes.lm.language_model import LanguageModel, load_lm, perplexity, sentence_score
from anaphor.recipes.lm.training import LmTrainingOptions, train_lm

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
