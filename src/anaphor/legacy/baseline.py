"""The released language-model baseline as it was: its pruning, its five output formats, its ties.

It tries every filling of a sentence until there are more than 5000. Then it keeps the first 200 of its
list, and only afterwards sorts them by score; so with three placeholders of the 32 French options the last
one is always filled by the first word of the list. docs/task/lm-baseline.md shows what this costs.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from anaphor.core import InputError, MismatchError, OptionError, UserError, Where
from anaphor.legacy.python27 import OldSet
from anaphor.predict.lm.fill import best_filling, filler_text
from anaphor.predict.lm.language_model import LanguageModel, sentence_score

FORMATS = ("replace", "predicted", "both", "compare", "scores")
OTHER = "OTHER"
_MOST, _KEPT = 5000, 200
_SHOWN = 0.001
_PLACEHOLDER = re.compile(r"REPLACE_[0-9]+")
_TAG = re.compile(r"\|[A-Za-z.:]+")

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FilledSentence:
    """A sentence filled in one way: its words, the penalties, the fillers (None for nothing), the score."""

    words: Words
    penalty: float
    fillers: tuple[str | None, ...]
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class Baseline:
    """The settings of the released script. Without `prune` every sentence is filled exactly instead."""

    model: LanguageModel
    fillers: Words
    other_fillers: Words
    penalty: float = 0.0
    strip_tags: bool = False
    lower: bool = False
    prune: bool = True

    def class_of(self, filler: str | None) -> str:
        """The class of a filler: `ça` and `cela` stay apart, which the official scorer joins."""
        if filler is None or filler in self.other_fillers:
            return OTHER
        return "ce" if filler == "c'" else filler

    def word(self, token: str) -> str:
        """A token of the target as the model knows it. Lower case is our addition."""
        word = _TAG.sub("", token) if self.strip_tags else token
        return word.lower() if self.lower else word

    def best(self, parts: Sequence[Words]) -> tuple[str | None, ...]:
        """The fillers of the gaps between the parts of a sentence."""
        if self.prune:
            return self.items(parts)[0].fillers
        return best_filling(self.model, parts, self._options(), self.penalty).words

    def items(self, parts: Sequence[Words]) -> list[FilledSentence]:
        """The fillings that survive the pruning, best first."""
        items = [FilledSentence((), 0.0, ())]
        for part in parts[:-1]:
            items = [self._extended(item, part, word) for word in self._options() for item in items]
            if len(items) > _MOST:
                items = self._sorted(items[:_KEPT])
        last = parts[-1]
        return self._sorted([FilledSentence(item.words + last, item.penalty, item.fillers) for item in items])

    def _options(self) -> tuple[str | None, ...]:
        return (*self.fillers, *self.other_fillers, None)

    def _extended(self, item: FilledSentence, part: Words, word: str | None) -> FilledSentence:
        if word is None:
            return FilledSentence(item.words + part, item.penalty + self.penalty, (*item.fillers, None))
        return FilledSentence((*item.words, *part, word), item.penalty, (*item.fillers, word))

    def _sorted(self, items: Iterable[FilledSentence]) -> list[FilledSentence]:
        scored = (FilledSentence(item.words, item.penalty, item.fillers, self._score(item)) for item in items)
        return sorted(scored, key=lambda item: item.score, reverse=True)

    def _score(self, item: FilledSentence) -> float:
        return sentence_score(self.model, item.words) + item.penalty


def run_baseline(
    lines: Iterable[tuple[int, str]], baseline: Baseline, *, layout: str, path: str
) -> Iterator[str]:
    """The lines that the script prints for a five-column file in one of `FORMATS`."""
    if layout == "scores" and not baseline.prune:
        raise OptionError(
            "the format scores lists what the released script looked at",
            where="--format",
            fix="give --legacy-prune as well, or another format",
        )
    for number, line in lines:
        row = _row(line, Where(path, number))
        if layout == "scores":
            yield from _scores(row, baseline, number - 1)
        elif not line.startswith("\t"):
            yield from _WRITERS[layout](row, baseline)
        elif layout == "replace":
            yield line


@dataclass(frozen=True, slots=True)
class BaselineRow:
    """A line of the input: its columns, and where it stands."""

    labels: str
    words: str
    source: str
    target: str
    alignment: str
    where: Where

    @property
    def shown(self) -> str:
        """The target with placeholders that have lost their numbers."""
        return _PLACEHOLDER.sub("REPLACE", self.target)

    def parts(self, baseline: Baseline) -> list[Words]:
        """The words around the placeholders; the script split at REPLACE even inside a word."""
        return [tuple(map(baseline.word, _words(text))) for text in self.shown.split("REPLACE")]


def _row(line: str, where: Where) -> BaselineRow:
    columns = line.split("\t")
    if len(columns) != 5:
        raise InputError(
            f"the line has {len(columns)} columns instead of 5",
            where=where,
            fix="write labels, words, source, target and alignment with a tab between them",
        )
    labels, words, source, target, alignment = columns
    return BaselineRow(labels, words, source, target, alignment, where)


def _words(text: str) -> Words:
    """Split at ASCII white space alone, as bytes were."""
    return tuple(word.decode() for word in text.encode().split())


def _chosen(row: BaselineRow, baseline: Baseline) -> tuple[str, str]:
    """The classes and the fillers of a row, as text."""
    fillers = baseline.best(row.parts(baseline))
    return " ".join(map(baseline.class_of, fillers)), " ".join(map(filler_text, fillers))


def _replace(row: BaselineRow, baseline: Baseline) -> Iterator[str]:
    yield "\t".join((*_chosen(row, baseline), row.source, row.shown, row.alignment))


def _predicted(row: BaselineRow, baseline: Baseline) -> Iterator[str]:
    yield "\t".join(_chosen(row, baseline))


def _both(row: BaselineRow, baseline: Baseline) -> Iterator[str]:
    yield f"{row.words}\t{_chosen(row, baseline)[1]}"


def _compare(row: BaselineRow, baseline: Baseline) -> Iterator[str]:
    gold = row.labels.split(" ")
    predicted = _chosen(row, baseline)[0].split(" ")
    if len(gold) != len(predicted):
        raise _unequal(len(gold), len(predicted), row.where)
    for pair in zip(gold, predicted, strict=True):
        yield "\t".join(pair)


def _unequal(gold: int, predicted: int, where: Where) -> UserError:
    return MismatchError(
        f"{gold} labels for {predicted} placeholders",
        where=where,
        fix="write one label for every REPLACE_k of the target",
    )


_WRITERS: dict[str, Callable[[BaselineRow, Baseline], Iterator[str]]] = {
    "replace": _replace,
    "predicted": _predicted,
    "both": _both,
    "compare": _compare,
}


def _scores(row: BaselineRow, baseline: Baseline, place: int) -> Iterator[str]:
    """The text, and for every placeholder a distribution over fillers."""
    yield f"{place}\tTEXT\t{row.source}\t{row.target}\t{row.alignment}"
    if not row.labels:
        return
    items = baseline.items(row.parts(baseline))
    highest = max(item.penalty for item in items)
    for slot in range(len(items[0].fillers)):
        shares: dict[str, float] = {}
        for item in items:
            word = filler_text(item.fillers[slot])
            # The totals are logarithms to base 10, but the script took e.
            shares[word] = shares.get(word, 0.0) + math.exp(item.score - highest)
        yield f"{place}\tITEM {slot}\t{_distribution(shares)}"


def _distribution(shares: dict[str, float]) -> str:
    """Words with their shares, highest first, equal ones as a dictionary of Python 2.7 had them."""
    order = [key.encode("latin-1").decode() for key in OldSet(_as_bytes(word) for word in shares)]
    total = sum(shares[word] for word in order) or 1.0
    ranked = sorted(order, key=lambda word: -(shares[word] / total))
    return " ".join(f"{word} {shares[word] / total:.4f}" for word in ranked if shares[word] / total > _SHOWN)


def _as_bytes(word: str) -> str:
    """One character for each byte of a word, which is what was hashed."""
    return word.encode().decode("latin-1")
