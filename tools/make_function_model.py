"""Make the classifier that tells what an English *it* does, and measure it.

    python tools/make_function_model.py --data DATA --parcorfull FOLDER [OUTPUT]
    python tools/make_function_model.py --data DATA --parcorfull FOLDER --sources free --gum GUM --ewt UD \
        [OUTPUT]

Learns from `all` sources, DATA/it-function (sentences of Europarl labelled by hand) and the English TED talks
of ParCorFull, or from `free` ones, which permit any use: the free genres of GUM without its test part, and
EWT, which tells an expletive *it* from others. FOLDER is the unpacked `corpus` of ParCorFull, GUM a copy of
UD English-GUM, UD a folder with en_ewt-ud-train.conllu and en_ewt-ud-dev.conllu. Prints ten-fold
cross-validation over documents, or, for free sources, figures on the other ones; and figures on the talks of
DiscoMT and on news, which are never learned from. Weights are kept, and the words that have one; no text is.
Without OUTPUT it only measures.
"""

from __future__ import annotations

import argparse
import csv
import re
import sys
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import coreference_data
import numpy as np

from anaphor.analyse import load_analyser
from anaphor.analyse.function import FUNCTIONS, AnalysedSentence, MaxentModel, features_of, write_maxent
from anaphor.corpus.conllu import read_conllu
from anaphor.corpus.mmax2 import Mmax2Document, read_mmax2
from anaphor.languages import Tokenizer, load_language
from anaphor.suite.build.mmax2 import annotated_pronouns

LEAST, PENALTY, BALANCE, STEPS, FOLDS = 2, 3.0, 0.5, 150, 10
#: How much an *it* counts of which is known only whether it is expletive.
TREEBANK_WEIGHT = 0.5
#: The label of one that is not.
REFERRING = "referring"
_LABELS = {"nominal_ref": "anaphoric", "event_ref": "event", "pleonastic_ref": "pleonastic"}
_GUM_LABELS = {"entity": "anaphoric", "event": "event", "pleonastic": "pleonastic"}
_BREAK = re.compile(r"(?<=[.?!:]) +(?=[A-Z\"'(])")
_MARKED = re.compile(r"__(it)__", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Example:
    """An *it*; the label is a function, or `REFERRING`, which may be any but pleonastic."""

    features: tuple[str, ...]
    label: str
    document: str
    weight: float = 1.0


class Reader:
    """Cuts and analyses English sentences and finds the features of *it* in them."""

    def __init__(self) -> None:
        self._cut = Tokenizer(load_language("en"))
        self._analyser = load_analyser("built-in", language="en")

    def parcorfull(self, folder: Path) -> Iterator[Example]:
        for document in read_mmax2(folder):
            lines = [" ".join(document.words[slice(*span)]) for span in document.sentences]
            analysed = self._analysed(lines)
            for label, segment, start in _annotated(document):
                position = self._cut(lines[segment]).starts.index(start)
                before = analysed[segment - 1] if segment else None
                yield Example(features_of(analysed[segment], position, before), label, document.name)

    def gum(self, folder: Path) -> Iterator[Example]:
        for document in coreference_data.gum(coreference_data.gum_paths(folder, free=True)):
            marked = {one.place: one.label for one in document.pronouns}
            places = [place for place in marked if _is_it(document.sentences[place[0]][place[1]])]
            labelled = [(place, _GUM_LABELS[marked[place]]) for place in places]
            yield from self._placed(document.sentences, labelled, document.name)

    def treebank(self, path: Path) -> Iterator[Example]:
        sentences: list[tuple[str, ...]] = []
        labelled: list[tuple[tuple[int, int], str]] = []
        for sentence in read_conllu(path):
            for position, word in enumerate(sentence.words):
                if _is_it(word.form):
                    label = "pleonastic" if word.relation.startswith("expl") else REFERRING
                    labelled.append(((len(sentences), position), label))
            sentences.append(tuple(word.form for word in sentence.words))
        for one in self._placed(sentences, labelled, path.name):
            yield replace(one, weight=TREEBANK_WEIGHT)

    def _placed(
        self,
        sentences: Sequence[Sequence[str]],
        labelled: Iterable[tuple[tuple[int, int], str]],
        document: str,
    ) -> Iterator[Example]:
        lines = [" ".join(words) for words in sentences]
        analysed = self._analysed(lines)
        for (segment, position), label in labelled:
            start = sum(len(word) + 1 for word in sentences[segment][:position])
            place = self._cut(lines[segment]).starts.index(start)
            before = analysed[segment - 1] if segment else None
            yield Example(features_of(analysed[segment], place, before), label, document)

    def europarl(self, path: Path) -> Iterator[Example]:
        with path.open(encoding="utf-8", newline="") as lines:
            for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
                parts = _BREAK.split(row["source"].strip().strip('"').strip())
                number, mark = next(
                    (number, mark) for number, part in enumerate(parts) if (mark := _MARKED.search(part))
                )
                line = _MARKED.sub(r"\1", parts[number], count=1)
                analysed = self._analysed([*parts[max(number - 1, 0) : number], line])
                position = self._cut(line).starts.index(mark.start())
                before = analysed[0] if number else None
                label = _LABELS[row["manual_label"].strip()]
                yield Example(features_of(analysed[-1], position, before), label, row["doc"])

    def _analysed(self, lines: Iterable[str]) -> list[AnalysedSentence]:
        tokens = [self._cut(line).tokens for line in lines]
        return [AnalysedSentence(*pair) for pair in zip(tokens, self._analyser.analyse(tokens), strict=True)]


def _is_it(word: str) -> bool:
    return word.lower() == "it"


def _annotated(document: Mmax2Document) -> Iterator[tuple[str, int, int]]:
    """Label, sentence and first character in it of every *it* with one of the three functions."""
    starts = [span.start for span in document.sentences]
    for pronoun in annotated_pronouns(document):
        if pronoun.features["form"] == "it" and pronoun.features["function"] in FUNCTIONS:
            word = pronoun.markable.words[0]
            segment = bisect_right(starts, word) - 1
            start = sum(len(token) + 1 for token in document.words[starts[segment] : word])
            yield pronoun.features["function"], segment, start


def train(examples: Sequence[Example]) -> MaxentModel:
    """Multinomial logistic regression with a quadratic penalty, by Nesterov's gradient method.

    Rarer classes count for more, but less than their rareness (the power BALANCE). The labels that a
    `REFERRING` example may have share it as they like.
    """
    counts = Counter(name for example in examples for name in example.features)
    names = sorted(name for name, count in counts.items() if count >= LEAST)
    rows, columns = _sparse(examples, {name: number for number, name in enumerate(names)})
    possible = np.array([[_may_be(example, name) for name in FUNCTIONS] for example in examples], float)
    importance = _importance(examples)[:, None]
    penalty = np.append(np.full(len(names), PENALTY), 0.0)[:, None]
    rate = 1 / (
        0.5 * float(importance.max()) * _largest(rows, columns, len(examples), len(names) + 1) + PENALTY
    )
    weights = ahead = np.zeros((len(names) + 1, len(FUNCTIONS)))
    for step in range(1, STEPS + 1):
        scores = np.zeros((len(examples), len(FUNCTIONS)))
        np.add.at(scores, rows, ahead[columns])
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        right = shares * possible
        wanted = right / right.sum(axis=1, keepdims=True)
        error = (shares / shares.sum(axis=1, keepdims=True) - wanted) * importance
        gradient = penalty * ahead
        np.add.at(gradient, columns, error[rows])
        moved = ahead - rate * gradient
        weights, ahead = moved, moved + (step - 1) / (step + 2) * (moved - weights)
    rounded = [tuple(round(float(value), 3) for value in row) for row in weights]
    kept = {name: row for name, row in zip(names, rounded, strict=False) if any(row)}
    return MaxentModel(FUNCTIONS, rounded[-1], kept)


def _may_be(example: Example, function: str) -> bool:
    return function != "pleonastic" if example.label == REFERRING else function == example.label


def _importance(examples: Sequence[Example]) -> np.ndarray:
    """How much each example counts, 1 on average of those with a weight of 1."""
    counts = Counter(example.label for example in examples)
    of_label = {label: (len(examples) / count) ** BALANCE for label, count in counts.items()}
    known = np.array([of_label[example.label] for example in examples])
    return known / known.mean() * np.array([example.weight for example in examples])


def _sparse(examples: Sequence[Example], index: dict[str, int]) -> tuple[np.ndarray, np.ndarray]:
    """Example and feature of every feature that is present; the last feature is present everywhere."""
    places = [
        (row, column)
        for row, example in enumerate(examples)
        for column in (*(index[name] for name in example.features if name in index), len(index))
    ]
    rows, columns = np.array(places).T
    return rows, columns


def _largest(rows: np.ndarray, columns: np.ndarray, height: int, width: int) -> float:
    """A little more than the largest eigenvalue of the features' products, which bounds the steps."""
    vector: np.ndarray = np.ones(width)
    size = 0.0
    for _ in range(15):
        inner = np.bincount(rows, vector[columns], height)
        vector = np.bincount(columns, inner[rows], width)
        size = float(np.linalg.norm(vector))
        vector /= size
    return 1.05 * size


def cross_validated(examples: Sequence[Example]) -> list[str]:
    """A guess for every example by a model that saw no example of its document."""
    documents = sorted({example.document for example in examples})
    np.random.default_rng(1).shuffle(documents)
    fold = {document: number % FOLDS for number, document in enumerate(documents)}
    guesses = [""] * len(examples)
    for number in range(FOLDS):
        model = train([example for example in examples if fold[example.document] != number])
        for place, example in enumerate(examples):
            if fold[example.document] == number:
                guesses[place] = _guess(model, example)
    return guesses


def _guess(model: MaxentModel, example: Example) -> str:
    return model.labels[int(model.probabilities([example.features])[0].argmax())]


def show(name: str, examples: Sequence[Example], guesses: Sequence[str]) -> None:
    """Accuracy, that of always answering the commonest class, and precision, recall and F of each class."""
    right = [example.label for example in examples]
    hits = Counter(label for label, guess in zip(right, guesses, strict=True) if label == guess)
    sizes, given = Counter(right), Counter(guesses)
    commonest = max(sizes.values()) / len(right)
    accuracy = hits.total() / len(right)
    sys.stdout.write(f"{name}: {len(right)} examples, accuracy {accuracy:.3f}, commonest {commonest:.3f}\n")
    for label in FUNCTIONS:
        precision, recall = hits[label] / max(given[label], 1), hits[label] / max(sizes[label], 1)
        f = 2 * hits[label] / max(sizes[label] + given[label], 1)
        sys.stdout.write(f"  {label:11} {sizes[label]:4} P {precision:.3f} R {recall:.3f} F {f:.3f}\n")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--parcorfull", type=Path, required=True)
    parser.add_argument("--sources", choices=("free", "all"), default="all")
    parser.add_argument("--gum", type=Path)
    parser.add_argument("--ewt", type=Path)
    parser.add_argument("output", type=Path, nargs="?")
    arguments = parser.parse_args()
    free = arguments.sources == "free"
    if free and (arguments.gum is None or arguments.ewt is None):
        parser.error("the free sources need --gum and --ewt")
    reader = Reader()
    europarl = list(reader.europarl(arguments.data / "it-function" / "train.tsv"))
    talks = list(reader.parcorfull(arguments.parcorfull / "TED" / "EN"))
    both = [*europarl, *talks]
    learned = both
    if free:
        learned = list(reader.gum(arguments.gum))
        for part in ("train", "dev"):
            learned += reader.treebank(arguments.ewt / f"en_ewt-ud-{part}.conllu")
        sys.stderr.write(f"{dict(Counter(example.label for example in learned))}\n")
    model = train(learned)
    guesses = [_guess(model, example) for example in both] if free else cross_validated(both)
    how = "not learned from" if free else "cross-validation"
    show(f"{how}, all", both, guesses)
    show(f"{how}, Europarl", europarl, guesses[: len(europarl)])
    show(f"{how}, TED", talks, guesses[len(europarl) :])
    for name, folder in (("DiscoMT", "DiscoMT"), ("news", "news")):
        examples = list(reader.parcorfull(arguments.parcorfull / folder / "EN"))
        show(name, examples, [_guess(model, example) for example in examples])
    if arguments.output is not None:
        write_maxent(arguments.output, model)
        sys.stderr.write(f"{arguments.output}: {len(model.weights)} features\n")


if __name__ == "__main__":
    main()
