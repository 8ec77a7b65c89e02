"""Does the model look at the antecedent? Words that it misses against words that translators marked (SCAT).

Usage: python benchmarks/predict-neural/scat.py [--model NAME] [--items N] [--write]

Takes the validation part of SCAT under ANAPHOR_DATA; the training part was learned from. Every French word
around a placeholder is hidden in turn (`anaphor predict explain`), and ranked by how far the probability of
the chosen class falls. --write keeps the figures in results/scat.json and in the pages that show them.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parent))

from scat_items import Item, read_items
from scat_table import RESULTS, pages

from anaphor.analyse import load_analyser
from anaphor.predict.contract import Model
from anaphor.predict.explain.occlusion import Reach, occlude
from anaphor.predict.shipped import find_model

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("ANAPHOR_DATA", ROOT.parent / "shared" / "data")) / "scat-en-fr"
SAMPLES = 2000
FRENCH = Reach(sides=("target",))
NOUNS = ("NOUN", "PROPN")

Ranks = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Ranking:
    """How well one order of the words of an item finds the highlighted ones.

    - `precision`: the share of highlighted words among the first k, k being their number.
    - `rank`: the place of the best highlighted word, from 1; ties share the mean of their places.
    - `auc`: how often a highlighted word stands before another one; 0.5 by chance.
    """

    precision: float
    rank: float
    auc: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """One item: the rankings by occlusion and by nearness, and whether the model was right.

    - `fall`, `fall_of_others`: without the highlighted word that falls most, and without another, on average.
    - `near`: whether the word that falls most stands in the sentence of the placeholder.
    """

    label: str
    words: int
    highlighted: int
    in_context: bool
    by_fall: Ranking
    by_chance: Ranking
    by_nearness: Ranking
    fall: float
    fall_of_others: float
    near: bool
    right: bool
    right_alone: bool


def ranking(scores: Sequence[float], wanted: Sequence[bool] | NDArray[np.bool_]) -> Ranking:
    """A ranking from scores, the highest first; words with equal scores share their places."""
    values, gold = np.array(scores, dtype=np.float64), np.array(wanted)
    above = (values[None, :] > values[:, None]).sum(axis=1)
    equal = (values[None, :] == values[:, None]).sum(axis=1)
    ranks: Ranks = above + (equal + 1) / 2
    count = int(gold.sum())
    # A word that shares its places with others is among the first k in so much of their orders.
    inside = np.clip((count - above) / equal, 0, 1)
    others = len(gold) - count
    first, second = values[gold][:, None], values[~gold]
    before = (first > second).sum() + (first == second).sum() / 2
    return Ranking(
        precision=float(inside[gold].sum() / count),
        rank=float(ranks[gold].min()),
        auc=float(before / (count * others)) if others else 0.5,
    )


def outcome(item: Item, model: Model, nouns: Sequence[Sequence[bool]]) -> Outcome:
    """Occlusion, nearness and accuracy of one item; `nouns` says which French words are nouns."""
    found = occlude(model, item.segments, segment=item.last, slot=0, reach=FRENCH)
    places = [
        (item.last + word.sentence, word.place, word.fall)
        for word in found.words
        if any(map(str.isalpha, word.text))
    ]
    wanted = np.array([(segment, place) in item.highlighted for segment, place, _ in places])
    falls = np.array([fall for _, _, fall in places])
    here = item.segments[-1].slots[0].target
    near = [_nearness(item, segment, place, here, nouns) for segment, place, _ in places]
    alone = next(iter(model.predict([replace(item.segments[-1], document=None)])))[0]
    return Outcome(
        label=item.label,
        words=len(places),
        highlighted=int(wanted.sum()),
        in_context=any(segment < item.last for segment, _ in item.highlighted),
        by_fall=ranking(falls.tolist(), wanted),
        by_chance=ranking([0.0] * len(places), wanted),
        by_nearness=ranking(near, wanted),
        fall=float(falls[wanted].max()),
        fall_of_others=float(falls[~wanted].mean()),
        near=max(places, key=lambda entry: entry[2])[0] == item.last,
        right=found.label == item.label,
        right_alone=alone.label == item.label,
    )


def _nearness(item: Item, segment: int, place: int, here: int, nouns: Sequence[Sequence[bool]]) -> float:
    """Nouns before the slot, the nearest first; all other words after them, and equal."""
    size = len(item.segments[segment].target)
    distance = here - place if segment == item.last else here + size - place
    return -float(distance) if nouns[segment][place] and distance > 0 else -float("inf")


def figures(outcomes: Sequence[Outcome]) -> dict[str, object]:
    """Means with 95 % intervals, items resampled, in all and by where the highlighted word stands."""
    groups = {
        "all": list(outcomes),
        "highlighted in the context": [one for one in outcomes if one.in_context],
        "highlighted in the sentence": [one for one in outcomes if not one.in_context],
        "predicted right": [one for one in outcomes if one.right],
        "predicted wrong": [one for one in outcomes if not one.right],
    }
    return {name: _group(group) for name, group in groups.items() if group}


def _group(outcomes: Sequence[Outcome]) -> dict[str, object]:
    orders = {
        "occlusion": [one.by_fall for one in outcomes],
        "chance": [one.by_chance for one in outcomes],
        "nearest noun": [one.by_nearness for one in outcomes],
    }
    table: dict[str, object] = {
        name: {key: _mean(asdict(one)[key] for one in found) for key in ("precision", "rank", "auc")}
        for name, found in orders.items()
    }
    return {
        "items": len(outcomes),
        "words": _mean(float(one.words) for one in outcomes)["mean"],
        "highlighted": _mean(float(one.highlighted) for one in outcomes)["mean"],
        **table,
        "fall": _mean(one.fall for one in outcomes),
        "fall of others": _mean(one.fall_of_others for one in outcomes),
        "strongest in the sentence": _mean(float(one.near) for one in outcomes),
        "accuracy": _mean(float(one.right) for one in outcomes),
        "accuracy without context": _mean(float(one.right_alone) for one in outcomes),
    }


def _mean(values: Iterable[float]) -> dict[str, float]:
    found = np.array(list(values))
    rng = np.random.default_rng(1)
    means = found[rng.integers(0, len(found), (SAMPLES, len(found)))].mean(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return {"mean": round(float(found.mean()), 4), "low": round(float(low), 4), "high": round(float(high), 4)}


def main() -> None:
    options = _options()
    if not DATA.is_dir():
        print(f"no data to measure on: {DATA} is not there")
        return
    model = find_model(options.model, pair="en-fr")
    read = list(read_items(DATA, "valid"))
    items = [item for item in read if not isinstance(item, str)][: options.items]
    left_out = Counter(why for why in read if isinstance(why, str))
    analyser = load_analyser("built-in", language="fr")
    began = time.monotonic()
    outcomes = []
    for number, item in enumerate(items, start=1):
        analyses = analyser.analyse([segment.target for segment in item.segments])
        nouns = [[tag in NOUNS for tag in analysis.tags] for analysis in analyses]
        outcomes.append(outcome(item, model, nouns))
        print(f"\r{number} of {len(items)}", end="", file=sys.stderr)
    result = {
        "model": options.model,
        "left_out": dict(left_out),
        "seconds": round(time.monotonic() - began, 1),
        "labels": dict(Counter(one.label for one in outcomes)),
        "groups": figures(outcomes),
    }
    text = json.dumps(result, ensure_ascii=False, indent=1)
    print(f"\n{text}")
    if options.write:
        RESULTS.write_text(text + "\n", encoding="utf-8")
        for page, content in pages().items():
            page.write_text(content, encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", default="anaphor-2-small")
    parser.add_argument("--items", type=int, default=1_000_000)
    parser.add_argument("--write", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
