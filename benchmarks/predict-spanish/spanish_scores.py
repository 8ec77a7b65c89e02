"""How well does anaphor-2-es predict, on documents that the detector's training kept apart?

    python benchmarks/predict-spanish/spanish_scores.py FOLDER [--write]

FOLDER is the output of `spanish_texts.py`. The scores are those of `anaphor task score`. The baseline
chooses the most frequent class of each source pronoun in the calibration files.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from anaphor.core import LanguagePair, Settings, TaskSegment
from anaphor.predict.data import read_segments
from anaphor.predict.prediction import predicted_labels
from anaphor.predict.shipped import find_model
from anaphor.task import task_classes
from anaphor.task.systems import Labels, Systems, gold_labels, score_systems

RESULT = Path(__file__).parent / "results" / "scores.json"
MODEL, PAIR = "anaphor-2-es", "en-es"
METRICS = ("macro-recall", "accuracy")


def most_frequent(segments: Sequence[TaskSegment]) -> Mapping[str, str]:
    """The most frequent class of each source pronoun."""
    counts: dict[str, Counter[str]] = {}
    for segment in segments:
        for slot in segment.slots:
            counts.setdefault(segment.source[slot.source].lower(), Counter())[str(slot.label)] += 1
    return {pronoun: labels.most_common(1)[0][0] for pronoun, labels in counts.items()}


def constant(segments: Sequence[TaskSegment], choice: Mapping[str, str]) -> Labels:
    """The baseline's labels."""
    return tuple(
        tuple(choice[segment.source[slot.source].lower()] for slot in segment.slots) for segment in segments
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--write", action="store_true", help="record the result")
    options = parser.parse_args()
    classes = task_classes(LanguagePair.parse(PAIR))

    def read(part: str) -> dict[str, tuple[TaskSegment, ...]]:
        paths = sorted((options.folder / part).glob("*.tsv"))
        return {path.stem: read_segments(str(path), classes=classes) for path in paths}

    choice = most_frequent([segment for text in read("calibration").values() for segment in text])
    model = find_model(MODEL, pair=PAIR)
    held = read("held")
    everything = tuple(segment for text in held.values() for segment in text)
    predicted = predicted_labels(model, everything)
    found: dict[str, Any] = {"most frequent": dict(choice), "texts": {}}
    start = 0
    for name, segments in {**held, "all": everything}.items():
        start = 0 if name == "all" else start
        own = predicted[start : start + len(segments)]
        start += len(segments)
        gold = gold_labels(name, segments)
        systems = Systems(classes, gold, {MODEL: own, "most frequent": constant(segments, choice)}, "present")
        result = score_systems(systems, METRICS, Settings(pair=PAIR))
        labels = Counter(str(slot.label) for segment in segments for slot in segment.slots)
        row: dict[str, Any] = {"slots": labels.total()}
        for metric in METRICS:
            row[metric] = {name: round(100 * score.value(metric), 1) for name, score in result.scores.items()}
        slots = [str(slot.label) for segment in segments for slot in segment.slots]
        answers = [label for line in own for label in line]
        row["recall"] = {
            label: f"{sum(a == b == label for a, b in zip(slots, answers, strict=True))}/{count}"
            for label, count in sorted(labels.items())
        }
        row["not OTHER"] = round(
            100
            * sum(a == b for a, b in zip(slots, answers, strict=True) if a != classes.other)
            / max(1, sum(a != classes.other for a in slots)),
            1,
        )
        found["texts"][name] = row
        print(name, json.dumps(row, ensure_ascii=False), flush=True)
    if options.write:
        text = json.dumps({"model": MODEL, **found}, indent=1, ensure_ascii=False)
        RESULT.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
