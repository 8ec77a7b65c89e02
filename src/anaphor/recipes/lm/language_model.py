"""Language models behind one interface: kenlm if installed, or our own code; and perplexity."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

from anaphor.core import InputError, OptionError
from anaphor.core.table import Block, Paragraph
from anaphor.recipes.lm.arpa import read_arpa
from anaphor.recipes.lm.model import END_MARK, SUFFIX, NgramModel, read_lm

SCORERS = ("auto", "own", "kenlm")
_BATCH = 4096


class LanguageModel(Protocol):
    """The probabilities of words one after the other; equal states have equal futures."""

    @property
    def order(self) -> int: ...

    def knows(self, word: str) -> bool:
        """Whether the word is in the vocabulary."""
        ...

    def begin(self) -> Any:
        """The state, a hashable value, before the first word of a sentence."""
        ...

    def step(self, state: Any, word: str) -> tuple[float, Any]:
        """The log10 probability of a word, and the state after it."""
        ...


class KenlmModel:
    """A model loaded by the kenlm package."""

    def __init__(self, path: str) -> None:
        kenlm = import_module("kenlm")
        config = kenlm.Config()
        config.show_progress = False
        config.arpa_complain = kenlm.ARPALoadComplain.NONE
        try:
            self._model = kenlm.Model(path, config)
        except (OSError, RuntimeError) as error:
            raise InputError(
                # The last sentence of the message is the one that a user can act on.
                f"kenlm cannot read the model: {str(error).rsplit('. ', 1)[-1].rstrip(')')}",
                where=path,
                fix="check the path; rebuild the model, or copy it again if it was truncated",
            ) from error
        self._state = kenlm.State

    @property
    def order(self) -> int:
        return int(self._model.order)

    def knows(self, word: str) -> bool:
        return word in self._model

    def begin(self) -> Hashable:
        state: Hashable = self._state()
        self._model.BeginSentenceWrite(state)
        return state

    def step(self, state: Hashable, word: str) -> tuple[float, Hashable]:
        after: Hashable = self._state()
        return self._model.BaseScore(state, word, after), after


def load_lm(path: str | Path, *, scorer: str = "auto", double: bool = False) -> LanguageModel:
    """The model in a file: our own format (`.lm`), ARPA, or with kenlm its binary formats.

    `auto` is kenlm if it is installed and the file is not in our own format. Our own code can read ARPA files
    in double precision; kenlm and `.lm` files have single precision.
    """
    if scorer not in SCORERS:
        raise OptionError(f"unknown scorer: {scorer}", where="--scorer", fix=f"use {', '.join(SCORERS)}")
    if not Path(path).is_file():
        raise InputError("file not found", where=str(path), fix="check the path of the model")
    own_format = Path(path).suffix == SUFFIX
    if scorer == "kenlm" and own_format:
        raise OptionError("kenlm does not read .lm files", where=str(path), fix="pass an ARPA file")
    if scorer == "kenlm" and not find_spec("kenlm"):
        raise OptionError("kenlm is not installed", where="--scorer", fix="pip install anaphor[kenlm]")
    if scorer == "kenlm" or (scorer == "auto" and not own_format and find_spec("kenlm")):
        return KenlmModel(str(path))
    return read_lm(Path(path)) if own_format else read_arpa(path, double=double)


def sentence_score(model: LanguageModel, words: Iterable[str]) -> float:
    """The log10 probability of a sentence with its marks."""
    return sum(word_scores(model, words))


def word_scores(model: LanguageModel, words: Iterable[str]) -> Iterator[float]:
    """The log10 probability of each word of a sentence and of its end."""
    state = model.begin()
    for word in (*words, END_MARK):
        value, state = model.step(state, word)
        yield value


@dataclass(frozen=True, slots=True)
class Perplexity:
    """How well a model predicts a text; sentence ends count as words."""

    sentences: int
    tokens: int
    unknown: int
    log10: float
    log10_known: float

    @property
    def perplexity(self) -> float:
        """Per word, including unknown words."""
        return math.pow(10, -self.log10 / self.tokens)

    @property
    def without_unknown(self) -> float:
        """Per known word."""
        return math.pow(10, -self.log10_known / (self.tokens - self.unknown))

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "perplexity": self.perplexity, "without_unknown": self.without_unknown}

    def tables(self) -> list[Block]:
        lines = [
            f"{self.tokens} words, including {self.sentences} ends of sentences; {self.unknown} unknown",
            f"log10 probability   {self.log10:.4f}",
            f"perplexity          {self.perplexity:.2f}",
            f"without unknown     {self.without_unknown:.2f}",
        ]
        return [Paragraph(lines)]


def perplexity(model: LanguageModel, sentences: Iterable[Sequence[str]]) -> Perplexity:
    """The perplexity of a text, one list of words per sentence; a text without sentences is an error."""
    count = tokens = unknown = 0
    total = known = 0.0
    remaining = iter(sentences)
    while batch := list(islice(remaining, _BATCH)):
        scores: Iterable[Sequence[float]]
        if isinstance(model, NgramModel):  # scores many sentences at once
            scores = (values.tolist() for values in model.score_all(batch))
        else:
            scores = (list(word_scores(model, words)) for words in batch)
        for words, values in zip(batch, scores, strict=True):
            count += 1
            tokens += len(words) + 1
            are_known = [*map(model.knows, words), True]
            unknown += are_known.count(False)
            total += sum(values)
            known += sum(value for value, is_known in zip(values, are_known, strict=True) if is_known)
    if not count:
        raise InputError("the text has no sentences", where="--text", fix="write one sentence per line")
    return Perplexity(count, tokens, unknown, total, known)
