"""Are pronouns better hidden all at once, or one at a time? Measured on teddev, whose pronouns are right.

Usage: python benchmarks/postedit/hiding.py [--model anaphor-2-small] [--write]

A machine repeats its mistakes, so that the second way is tried again with every feminine pronoun around
turned into the masculine one.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from anaphor.core import Alignment, LanguagePair, Prediction, TaskSegment
from anaphor.predict.contract import Model
from anaphor.predict.shipped import find_model
from anaphor.task import read_task, task_classes
from anaphor.task.classes import NONE, OTHER
from benchmarks.postedit.tables import write_hiding
from benchmarks.postedit.texts import DATA

BEFORE, AFTER = 3, 1
SURE = 0.9
MASCULINE = {"elle": "il", "elles": "ils", "Elle": "Il", "Elles": "Ils"}


def shown(segment: TaskSegment, hidden: frozenset[int], *, masculine: bool) -> TaskSegment:
    """The segment with some of its slots still hidden and the others filled with what stood there."""
    by_target = {slot.target: number for number, slot in enumerate(segment.slots)}
    words: list[str] = []
    slots = []
    for place, token in enumerate(segment.target):
        number = by_target.get(place)
        if number is None or number in hidden:
            if number is not None:
                slots.append(replace(segment.slots[number], target=len(words)))
            words.append(token)
        elif (word := segment.slots[number].word or NONE) != NONE:
            words.append(MASCULINE.get(word, word) if masculine else word)
    return replace(segment, target=tuple(words), slots=tuple(slots), alignment=Alignment())


def all_at_once(model: Model, segments: Sequence[TaskSegment]) -> list[Prediction]:
    """Every pronoun of the task hidden; other words for it and they stay."""
    asked = [
        shown(one, frozenset(n for n, slot in enumerate(one.slots) if slot.label != OTHER), masculine=False)
        for one in segments
    ]
    return [prediction for found in model.predict(asked) for prediction in found]


def one_at_a_time(model: Model, segments: Sequence[TaskSegment], *, masculine: bool) -> list[Prediction]:
    """Each hidden alone, in a document of its own with the segments around."""
    asked = list(_alone(segments, masculine=masculine))
    return [prediction for found in model.predict(asked) for prediction in found]


def _alone(segments: Sequence[TaskSegment], *, masculine: bool) -> Iterator[TaskSegment]:
    for here, segment in enumerate(segments):
        for number, slot in enumerate(segment.slots):
            if slot.label == OTHER:
                continue
            for near in range(max(0, here - BEFORE), min(len(segments), here + AFTER + 1)):
                if segments[near].document == segment.document:
                    hidden = frozenset([number] if near == here else [])
                    made = shown(segments[near], hidden, masculine=masculine)
                    yield replace(made, document=f"{here}-{number}")


def measured(
    predictions: Sequence[Prediction], gold: Sequence[str], classes: Sequence[str]
) -> dict[str, Any]:
    """Accuracy, and of predictions as sure as the threshold how many there are and how many are right."""
    best = [classes[max(range(len(classes)), key=one.probabilities.__getitem__)] for one in predictions]
    sure = [
        label == right
        for label, right, one in zip(best, gold, predictions, strict=True)
        if label != OTHER and max(one.probabilities) >= SURE
    ]
    accuracy = sum(label == right for label, right in zip(best, gold, strict=True)) / len(gold)
    return {"slots": len(gold), "accuracy": round(accuracy, 4), "sure": len(sure), "sure_right": sum(sure)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="anaphor-2-small")
    parser.add_argument("--write", action="store_true", help="keep the result under results/")
    options = parser.parse_args()
    model = find_model(options.model, pair="en-fr")
    classes = task_classes(LanguagePair("en", "fr"), year=model.card.year)
    folder = DATA / "discomt2015-task"
    segments = list(read_task(folder / "teddev.tsv", classes=classes, documents=folder / "teddev.doc-ids"))
    gold = [slot.label for one in segments for slot in one.slots if slot.label not in (None, OTHER)]
    ways = {
        "all at once": all_at_once(model, segments),
        "one at a time": one_at_a_time(model, segments, masculine=False),
        "one at a time, masculine around": one_at_a_time(model, segments, masculine=True),
    }
    report = {
        name: measured(found, [str(one) for one in gold], classes.classes) for name, found in ways.items()
    }
    text = json.dumps(report, indent=1)
    print(text)
    if options.write:
        (Path(__file__).parent / "results" / "hiding.json").write_text(text + "\n", encoding="utf-8")
        write_hiding(report)


if __name__ == "__main__":
    main()
