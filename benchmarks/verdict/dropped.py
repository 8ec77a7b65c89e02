"""Verbs that carry the subject as counterparts of English pronouns in Spanish (`--dropped`).

    python benchmarks/verdict/dropped.py [--write]

What *it* and *they* become, by links alone and with verbs: in the WMT24 systems and in a sample of Europarl
(the human translation). Then whether APT agrees better with the readings of single pronouns. These texts have
no reference, so the translation of one system (GPT-4) takes its place: APT is then high where two systems
agree. Needs the folders judged-pronouns and europarl under ANAPHOR_DATA.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import os
import re
import sys
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

from anaphor.core import InputWarning, PronounPair, Settings, Verdict
from anaphor.corpus import Inputs, Text
from anaphor.evaluation.experiment import Experiment
from anaphor.metrics.apt import Apt
from anaphor.metrics.contract import MetricContext
from anaphor.pronouns import AlignedTranslation, as_linked
from anaphor.report.rows import counterpart_kind

HERE = Path(__file__).parent
DATA = Path(os.environ.get("ANAPHOR_DATA", HERE.parents[2] / "shared" / "data"))
JUDGED = DATA / "judged-pronouns"
PSEUDO = "GPT-4"
KINDS = ("pronoun", "verb", "other", "nothing")
OPTIONS = ("ignore", "different", "equivalent")
SEGMENTS = 5000


def text(path: Path) -> Text:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return Text.of(file.read().split("\n")[:-1], path=path.name)


def kinds(pairs: Iterable[PronounPair]) -> dict[str, dict[str, int]]:
    """How many counterparts of the candidate are of each kind, by links alone and with verbs."""
    sides = [pair.candidate for pair in pairs]
    before = Counter(counterpart_kind(as_linked(side)) or "nothing" for side in sides)
    after = Counter(counterpart_kind(side) or "nothing" for side in sides)
    return {kind: {"links": before[kind], "with verbs": after[kind]} for kind in KINDS}


def europarl() -> dict[str, Any]:
    """The human translations of the first segments, and the ceilings of APT with them as the reference."""
    sides: tuple[list[str], list[str]] = [], []
    with gzip.open(DATA / "europarl" / "europarl.en-es.docs.tsv.gz", "rt", encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            if len(sides[0]) == SEGMENTS:
                break
            for side, language in zip(sides, ("en", "es"), strict=True):
                side.append(row[language])
    source, target = (Text.of(side, path=name) for side, name in zip(sides, ("en", "es"), strict=True))
    inputs = Inputs(source, (target,), {"human": target}, None)
    settings = Settings(pair="en-es", metrics=("apt",), options={"dropped": "different"}, samples=0)
    experiment = Experiment.of(inputs, settings).aligned()
    pairs = experiment.pairs["human"]
    ceilings = {}
    for option in OPTIONS:
        ceilings[option] = round(100 * score(verdicts(pairs, option)), 1)
    return {
        "segments": SEGMENTS,
        "pronouns": len(pairs),
        "kinds": kinds(pairs),
        "ceiling": ceilings,
        "links alone": by_links_alone(experiment, pairs),
    }


def by_links_alone(experiment: Experiment, pairs: Sequence[PronounPair]) -> dict[str, int]:
    """The verbs found without an analyser of the target language, compared with those found with it."""
    links = (experiment.inputs.candidate_alignments or {})["human"]
    translation = AlignedTranslation(
        experiment.inputs.candidates["human"].lines, experiment.target.words, links
    )
    finder = replace(experiment.dropped_subjects, tag=None)
    linked = [as_linked(pair.candidate) for pair in pairs]
    found = finder.mark([pair.source for pair in pairs], linked, translation)
    both = [
        (pair.candidate, alone)
        for pair, alone in zip(pairs, found, strict=True)
        if counterpart_kind(alone) == "verb"
    ]
    return {
        "verbs by links": len(both),
        "of these verbs by tags": sum(counterpart_kind(tagged) == "verb" for tagged, _ in both),
        "the same word": sum(
            tagged is not None and tagged.dropped is not None and tagged.positions == alone.positions
            for tagged, alone in both
            if alone is not None
        ),
    }


def verdicts(pairs: Sequence[PronounPair], option: str) -> list[Verdict]:
    return apt(option).verdicts(
        [
            PronounPair(pair.source, tuple(map(as_linked, pair.references)), as_linked(pair.candidate))
            if option == "ignore"
            else pair
            for pair in pairs
        ]
    )


def apt(option: str) -> Apt:
    settings = Settings(pair="en-es", metrics=("apt",), options={"dropped": option}, samples=0)
    return Apt.build(MetricContext.of(settings))


def weights(judged: Sequence[Verdict]) -> list[float]:
    metric = apt("ignore")
    return [metric.weights[verdict.outcome.value - 1] for verdict in judged]


def score(judged: Sequence[Verdict]) -> float:
    return float(np.mean(weights(judged)))


def readings() -> dict[tuple[str, int, int], bool]:
    """Whether a pronoun of a system is acceptable, by system, line and character of the source."""
    with (JUDGED / "en-es.tsv").open(encoding="utf-8") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {
            (row["system"], int(row["line"]), int(row["start"])): row["verdict"] == "ok"
            for row in rows
            if row["verdict"] in ("ok", "wrong") and row["part"] == "wmt24-en-es"
        }


def auc(values: Sequence[float], accepted: Sequence[bool]) -> float:
    """The probability that an acceptable pronoun has the higher weight; equal weights count half."""
    right = np.array([value for value, ok in zip(values, accepted, strict=True) if ok])
    wrong = np.array([value for value, ok in zip(values, accepted, strict=True) if not ok])
    return float(np.mean((right[:, None] > wrong) + (right[:, None] == wrong) / 2))


def wmt24() -> dict[str, Any]:
    folder = JUDGED / "wmt24-en-es"
    names = sorted(path.stem for path in folder.glob("*.gz") if path.stem not in ("source", "documents"))
    source = text(folder / "source.gz")
    candidates = {name: text(folder / f"{name}.gz") for name in names}
    inputs = Inputs(source, (candidates[PSEUDO],), candidates, None)
    settings = Settings(pair="en-es", metrics=("apt",), options={"dropped": "different"}, samples=0)
    experiment = Experiment.of(inputs, settings).aligned()
    found: dict[str, Any] = {"kinds": {name: kinds(experiment.pairs[name]) for name in names}}
    accepted = readings()
    starts = [[match.start() for match in re.finditer(r"\b(it|they)\b", line, re.I)] for line in source.lines]
    for option in OPTIONS:
        values: list[float] = []
        truths: list[bool] = []
        shares: dict[str, list[bool]] = defaultdict(list)
        scores = {}
        for name in names:
            judged = verdicts(experiment.pairs[name], option)
            scores[name] = score(judged)
            by_segment: dict[int, list[float]] = defaultdict(list)
            for verdict, weight in zip(judged, weights(judged), strict=True):
                by_segment[verdict.pair.source.segment].append(weight)
            for (system, line, start), ok in accepted.items():
                if system != name:
                    continue
                shares[name].append(ok)
                if name != PSEUDO and len(by_segment[line]) == len(starts[line]):
                    values.append(by_segment[line][starts[line].index(start)])
                    truths.append(ok)
        others = [name for name in names if name != PSEUDO and shares[name]]
        correlation = np.corrcoef([scores[n] for n in others], [np.mean(shares[n]) for n in others])[0, 1]
        found[option] = {
            "apt": {name: round(100 * scores[name], 1) for name in names},
            "readings": len(values),
            "wrong": truths.count(False),
            "AUC": round(auc(values, truths), 3),
            "mean weight of acceptable": round(
                float(np.mean([v for v, ok in zip(values, truths, strict=True) if ok])), 3
            ),
            "mean weight of wrong": round(
                float(np.mean([v for v, ok in zip(values, truths, strict=True) if not ok])), 3
            ),
            "Pearson's r of systems": round(float(correlation), 2),
            "systems": len(others),
        }
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="keep the figures in results/dropped.json")
    options = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        found = {"WMT24 en-es": wmt24(), "Europarl en-es": europarl()}
    print(json.dumps(found, indent=2, ensure_ascii=False))
    if options.write:
        content = json.dumps(found, indent=2, ensure_ascii=False) + "\n"
        (HERE / "results" / "dropped.json").write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main()
