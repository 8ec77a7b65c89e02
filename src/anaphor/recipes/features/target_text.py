"""The target side as text for a language model: gaps, restored sentences, and models trained on it."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from pathlib import Path

import numpy as np

from anaphor.core import InputWarning, TaskSegment, Where
from anaphor.predict.model_folder import Writer
from anaphor.recipes.features.tokens import TokenCache
from anaphor.recipes.lm.counts import SPECIAL
from anaphor.recipes.lm.fill import split_at_slots
from anaphor.recipes.lm.model import NgramModel, Ngrams, read_lm, write_lm
from anaphor.recipes.lm.training import LmTrainingOptions, train_lm
from anaphor.task.classes import NONE, TaskClasses

_MARKS = frozenset(mark.decode() for mark in SPECIAL)


def plain_word(token: str, *, forms: bool) -> str:
    """A target token in lower case, without its tag; words that look like sentence marks are escaped."""
    word = token if forms or "|" not in token[1:-1] else token.rsplit("|", 1)[0]
    return f"\\{word}" if word in _MARKS else word.lower()


@cache
def _plain(*, forms: bool) -> Callable[[str], str]:
    return TokenCache(partial(plain_word, forms=forms)).__getitem__


def parts_of(segment: TaskSegment, *, forms: bool) -> tuple[tuple[str, ...], ...]:
    """The words before, between and after the placeholders."""
    return split_at_slots(tuple(map(_plain(forms=forms), segment.target)), segment)


def joined_line(parts: Sequence[Sequence[str]], fillers: Sequence[str | None]) -> str:
    """The sentence with its gaps filled, None for nothing."""
    words = list(parts[0])
    for filler, part in zip(fillers, parts[1:], strict=True):
        words += [*([] if filler is None else [filler]), *part]
    return " ".join(words)


def restored_line(segment: TaskSegment, classes: TaskClasses, *, forms: bool) -> str:
    """The target sentence with its hidden words in lower case; in lemmatized text a pronoun is its class."""
    fillers: list[str | None] = []
    for slot in segment.slots:
        label = str(slot.label)
        if label != classes.other and (not forms or slot.word is None):
            fillers.append(label)
        elif slot.word in (None, NONE) or " " in str(slot.word):
            fillers.append(None)
        else:
            fillers.append(str(slot.word).lower())
    return joined_line(parts_of(segment, forms=forms), fillers)


def trained_model(lines: Iterable[str], *, order: int) -> NgramModel:
    """A model of sentences, with fixed discounts if the text is too small to estimate them."""
    placed = ((Where("the training data", number), line) for number, line in enumerate(lines, start=1))
    with tempfile.TemporaryDirectory(prefix="anaphor-lm-") as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)  # about fixed discounts for small texts
        path = Path(folder) / "model.lm"
        train_lm(placed, path, LmTrainingOptions(order=order, fallback=True))
        model = read_lm(path)
        # Copies, because the file that the arrays are mapped from is about to be deleted.
        levels = (
            Ngrams(np.array(level.key), np.array(level.probability), np.array(level.backoff))
            for level in model.levels
        )
        return NgramModel(model.words, tuple(levels))


def model_writer(model: NgramModel) -> Writer:
    """Writes a model as a separate file."""
    return lambda path: write_lm(path, model)
