"""The released language-model baseline as it was: its pruning, its five output formats, its ties.

It tries every filling of a sentence until there are more than 5000. Then it keeps the first 200 of its list,
and only afterwards sorts them by score, so with three placeholders and the 32 French options the last one is
always filled with the first word of the list. docs/task/lm-baseline.md shows what this costs.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from anaphor.core import InputError, MismatchError, OptionError, Where
from anaphor.legacy.python27 import OldSet
from anaphor.recipes.lm.fill import best_filling, filler_text
from anaphor.recipes.lm.language_model import LanguageModel, sentence_score

FORMATS = ("replace", "predicted", "both", "compare", "scores")
OTHER = "OTHER"
_MOST, _KEPT = 5000, 200
_SHOWN = 0.001
_PLACEHOLDER = re.compile(r"REPLACE_[0-9]+")
_TAG = re.compile(r"\|[A-Za-z.:]+")

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FilledSentence:
    """One filling of a sentence: its words, the penalties, the fillers (None for nothing), the score."""

    words: Words
    penalty: float
    fillers: tuple[str | None, ...]
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class Baseline:
    """The settings of the released script. Without `prune` every sentence is filled exactly."""

    model: LanguageModel
    fillers: Words
    other_fillers: Words
    penalty: float = 0.0
    strip_tags: bool = False
    lower: bool = False
    prune: bool = True

    def class_of(self, filler: str | None) -> str:
        """The class of a filler: `ça` and `cela` are distinct, unlike in the official scorer."""
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
        """The fillings that survive the pruning, best first; equal ones in the order of the fillers."""
        items = [FilledSentence((), 0.0, ())]
        for part in parts[:-1]:
            items = [
                FilledSentence((*item.words, *part), item.penalty + self.penalty, (*item.fillers, None))
                if word is None
                else FilledSentence((*item.words, *part, word), item.penalty, (*item.fillers, word))
                for word in self._options()
                for item in items
            ]
            if len(items) > _MOST:
                items = self._sorted(items[:_KEPT])
        last = parts[-1]
        return self._sorted([replace(item, words=item.words + last) for item in items])

    def _options(self) -> tuple[str | None, ...]:
        return (*self.fillers, *self.other_fillers, None)

    def _sorted(self, items: Iterable[FilledSentence]) -> list[FilledSentence]:
        scored = (
            replace(item, score=sentence_score(self.model, item.words) + item.penalty) for item in items
        )
        return sorted(scored, key=lambda item: item.score, reverse=True)


def run_baseline(
    lines: Iterable[tuple[int, str]], baseline: Baseline, *, layout: str, path: str
) -> Iterator[str]:
    """The lines that the script prints for a five-column file in one of `FORMATS`."""
    if layout == "scores" and not baseline.prune:
        raise OptionError(
            "the format scores lists the fillings that the released script examined",
            where="--format",
            fix="add --legacy-prune as well, or another format",
        )
    for number, line in lines:
        where = Where(path, number)
        columns = line.split("\t")
        if len(columns) != 5:
            raise InputError(
                f"the line has {len(columns)} columns instead of 5",
                where=where,
                fix="write labels, words, source, target and alignment, separated by tabs",
            )
        labels, words, source, target, alignment = columns
        # Placeholders lose their numbers; the script then split at REPLACE even inside a word.
        shown = _PLACEHOLDER.sub("REPLACE", target)
        # Words are split at ASCII white space only, as bytes were.
        parts = [
            tuple(baseline.word(word.decode()) for word in text.encode().split())
            for text in shown.split("REPLACE")
        ]
        if layout == "scores":
            yield f"{number - 1}\tTEXT\t{source}\t{target}\t{alignment}"
            if labels:
                yield from _scores(baseline.items(parts), number - 1)
        elif line.startswith("\t"):
            if layout == "replace":
                yield line
        else:
            best = baseline.best(parts)
            classes, fillers = (
                [baseline.class_of(filler) for filler in best],
                " ".join(map(filler_text, best)),
            )
            if layout == "replace":
                yield "\t".join((" ".join(classes), fillers, source, shown, alignment))
            elif layout == "predicted":
                yield f"{' '.join(classes)}\t{fillers}"
            elif layout == "both":
                yield f"{words}\t{fillers}"
            else:
                gold = labels.split(" ")
                predicted = " ".join(classes).split(" ")
                if len(gold) != len(predicted):
                    raise MismatchError(
                        f"{len(gold)} labels for {len(predicted)} placeholders",
                        where=where,
                        fix="write one label for every REPLACE_k of the target",
                    )
                yield from map("\t".join, zip(gold, predicted, strict=True))


def _scores(items: Sequence[FilledSentence], place: int) -> Iterator[str]:
    """For every placeholder a distribution over fillers."""
    highest = max(item.penalty for item in items)
    for slot in range(len(items[0].fillers)):
        shares: dict[str, float] = {}
        for item in items:
            word = filler_text(item.fillers[slot])
            # The totals are logarithms to base 10, but the script took e.
            shares[word] = shares.get(word, 0.0) + math.exp(item.score - highest)
        # Highest first, equal ones in the order of a dictionary of Python 2.7, which hashed bytes: one
        # character for each byte gives the same hash.
        keys = OldSet(word.encode().decode("latin-1") for word in shares)
        order = [key.encode("latin-1").decode() for key in keys]
        total = sum(shares[word] for word in order) or 1.0
        ranked = sorted(order, key=lambda word: -(shares[word] / total))
        shown = [f"{word} {shares[word] / total:.4f}" for word in ranked if shares[word] / total > _SHOWN]
        yield f"{place}\tITEM {slot}\t{' '.join(shown)}"
