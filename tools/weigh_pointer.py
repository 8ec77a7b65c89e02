"""Weigh the opinions of the pointing network against the features of the resolver, and measure both together.

    python tools/weigh_pointer.py PACKED SCORES NAME SOURCE=FOLDER... [--output FILE]

PACKED is the file of pack_pointer.py with the annotated documents in it, SCORES the `scores.npz` of
train_pointer.py, and NAME one of its arrays; the sources are those of make_resolver.py. Annotated are the
documents of `parcorfull`, or without it those of `gum-free`. For every one of them there are the scores of
networks, and of features, that were learned without it. From these, the `Influence` on each
pronoun is fitted: on the documents of other folds to measure, on all of them for the output.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import make_resolver
import numpy as np
from make_resolver import FOLDS, Example, Packed, folds_of, outcomes, print_tally, read_sources
from numpy.typing import NDArray
from scipy.optimize import minimize

from anaphor.analyse.function import AnalysedSentence
from anaphor.antecedents import Place, Resolver
from anaphor.antecedents.english import FUNCTIONS
from anaphor.antecedents.pointing import Influence, PointedPronoun
from anaphor.antecedents.source import SourceLanguage
from anaphor.files.writing import write_atomically

Gold = Sequence[tuple[Sequence[Example], Sequence[AnalysedSentence]]]
_PENALTY = 1.0
FEATURES_ALONE = np.eye(len(Influence._fields))[0]
#: The class of every resolved pronoun.
CLASSES = SourceLanguage.load("en").resolved


class Recorded:
    """A pointer that repeats what a network said; of other pronouns it knows nothing."""

    def __init__(self, opinions: Mapping[Place, Sequence[float]]) -> None:
        self._opinions = opinions

    def point(
        self,
        sentences: Sequence[AnalysedSentence],  # noqa: ARG002 - the network has read them
        pronouns: Sequence[PointedPronoun],
    ) -> list[list[float]]:
        """See `antecedents.pointing.Pointer`."""
        unknown = math.nan
        return [
            list(self._opinions.get(Place(*one[:2]), [unknown] * (len(one.candidates) + 3)))
            for one in pronouns
        ]


def opinions_of(packed: Path, scores: Path, name: str, count: int) -> list[list[float]]:
    """The log probabilities of the first pronouns of a packed file."""
    with np.load(packed) as file:
        sizes = file["choices"][:count].astype(np.int64) + 3
    with np.load(scores) as file:
        values = file[name].astype(np.float64)
    found = []
    for part in np.split(values[: sizes.sum()], np.cumsum(sizes)[:-1]):
        if np.isnan(part).all():
            found.append(part.tolist())
            continue
        highest = np.nanmax(part)
        found.append((part - highest - np.log(np.nansum(np.exp(part - highest)))).tolist())
    return found


def rows_of(one: Example, features: Sequence[float], opinion: Sequence[float]) -> NDArray[np.float64]:
    """What each number of `Influence` is multiplied with, for every candidate and function."""
    kinds = ["pronouns" if mention.kind == "pronoun" else "nouns" for mention in one.candidates]
    rows = np.zeros((len(features), len(Influence._fields)))
    rows[:, 0] = features
    for row, kind, value in zip(rows, [*kinds, *FUNCTIONS], opinion, strict=True):
        row[Influence._fields.index("unread" if math.isnan(value) else kind)] = (
            1 if math.isnan(value) else value
        )
    return rows


def fitted(rows: Sequence[NDArray[np.float64]], right: Sequence[NDArray[np.float64]]) -> Influence:
    """The influence under which the right candidates are likeliest."""
    table, sizes = np.concatenate(rows), [len(one) for one in rows]
    starts = np.concatenate([[0], np.cumsum(sizes)])[:-1]
    owner, wanted = np.repeat(np.arange(len(sizes)), sizes), np.concatenate(right)
    begin = np.zeros(len(Influence._fields))
    begin[0] = 1

    def loss(theta: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        scores = table @ theta
        raised = np.exp(scores - np.maximum.reduceat(scores, starts)[owner])
        shares = raised / np.add.reduceat(raised, starts)[owner]
        correct = np.add.reduceat(shares * wanted, starts)
        change = table.T @ (shares - shares * wanted / correct[owner])
        away = theta - begin
        return -np.log(correct).sum() + 0.5 * _PENALTY * away @ away, change + _PENALTY * away

    found = minimize(loss, begin, jac=True, method="L-BFGS-B")
    return Influence(*(round(float(one), 3) for one in found.x))


def weighed(
    gold: Gold, models: Sequence[dict[str, float]], opinions: Sequence[Sequence[float]]
) -> tuple[Counter[str], dict[str, Influence], dict[str, list[float]]]:
    """What both together find, cross-validated, and the influence from all documents.

    Last, for each pronoun, the mean log probability of what is right, by features alone and by both: of
    documents that were not learned from either.
    """
    fold = folds_of(examples[0].document for examples, _ in gold if examples)
    own = [one for examples, _ in gold for one in examples]
    rows = []
    for one, opinion in zip(own, opinions, strict=True):
        weight = models[fold[one.document]].get
        rows.append(rows_of(one, [sum(weight(f, 0.0) for f in row) for row in one.rows], opinion))
    read = [not np.isnan(opinion).all() for opinion in opinions]
    known = np.array([is_read and one.right.any() for one, is_read in zip(own, read, strict=True)])
    folds = np.array([fold[one.document] for one in own])
    classes = np.array([CLASSES[one.pronoun] for one in own])

    def fit(chosen: NDArray[np.bool_], *, alone: bool = False) -> dict[str, Influence]:
        found = {}
        for name in sorted(set(CLASSES.values())):
            places = np.flatnonzero(chosen & known & (classes == name)).tolist()
            table = [rows[n] * FEATURES_ALONE if alone else rows[n] for n in places]
            found[name] = fitted(table, [own[n].right for n in places])
        return found

    tally: Counter[str] = Counter()
    chances: dict[str, list[list[float]]] = {name: [] for name in sorted(set(CLASSES.values()))}
    numbers = {id(one): n for n, one in enumerate(own)}
    for number in range(FOLDS):
        influence, alone = fit(folds != number), fit(folds != number, alone=True)
        for n in np.flatnonzero(known & (folds == number)).tolist():
            name = str(classes[n])
            values = rows[n] * FEATURES_ALONE @ alone[name], rows[n] @ influence[name]
            chances[name].append([log_chance(one, own[n].right) for one in values])
        for examples, sentences in gold:
            if examples and fold[examples[0].document] == number:
                said = {one.place: opinions[numbers[id(one)]] for one in examples}
                resolver = Resolver(models[number], pointer=Recorded(said), influence=influence)
                tally.update(outcomes(examples, sentences, resolver))
    means = {name: np.mean(pairs, axis=0).round(3).tolist() for name, pairs in chances.items()}
    return tally, fit(known), means


def log_chance(scores: NDArray[np.float64], right: NDArray[np.float64]) -> float:
    """The log probability of the right candidates."""
    raised = np.exp(scores - scores.max())
    return float(np.log((raised * right).sum() / raised.sum()))


def report(
    plain: Counter[str], tally: Counter[str], chances: Mapping[str, Sequence[float]], path: Path | None
) -> None:
    """Print all figures, and write their counts."""
    print_tally("Cross-validation over annotated documents, features alone", plain)
    print_tally("The same with the pointer", tally)
    for name, (alone, both) in chances.items():
        sys.stdout.write(f"{name}: mean log probability {alone:.3f} by features, {both:.3f} by both\n")
    if path is not None:
        counts = {"features alone": dict(plain), "with the pointer": dict(tally)}
        found = {**counts, "mean log probability, alone and with the pointer": dict(chances)}
        write_atomically(path, json.dumps(found, indent=1, sort_keys=True) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("packed", type=Path)
    parser.add_argument("scores", type=Path)
    parser.add_argument("name")
    parser.add_argument("sources", nargs="+", metavar="SOURCE=FOLDER")
    parser.add_argument("--output", type=Path)
    parser.add_argument("--figures", type=Path, help="file for all counts, with the pointer and without it")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    sources = {name: Path(folder) for name, folder in (one.split("=", 1) for one in options.sources)}
    gold = make_resolver.gold_of(sources)
    held = [" ".join(one.tokens) for _, lines in gold for one in lines if len(one.tokens) > 8]
    first = make_resolver.gold_source(sources)
    other, weights = read_sources({name: one for name, one in sources.items() if name != first}, held)
    own = [one for examples, _ in gold for one in examples]
    packed, fold = Packed([*own, *other]), folds_of(one.document for one in own)
    models = []
    for number in range(FOLDS):
        mine = [float(fold[one.document] != number) for one in own]
        models.append(packed.learn(np.array([*mine, *weights]), make_resolver.ENGLISH_PENALTY))
    opinions = opinions_of(options.packed, options.scores, options.name, len(own))
    plain: Counter[str] = Counter()
    for examples, sentences in gold:
        if examples:
            plain.update(outcomes(examples, sentences, Resolver(models[fold[examples[0].document]])))
    tally, influence, chances = weighed(gold, models, opinions)
    report(plain, tally, chances, options.figures)
    for name, one in influence.items():
        sys.stdout.write(f"{name}: {one}\n")
    if options.output is not None:
        lines = [
            f"{name}\t{part}\t{value:g}\n"
            for name, one in influence.items()
            for part, value in one._asdict().items()
        ]
        head = "# How much the pointer counts beside the features, made by tools/weigh_pointer.py.\n"
        write_atomically(options.output, head + "".join(lines))


if __name__ == "__main__":
    main()
