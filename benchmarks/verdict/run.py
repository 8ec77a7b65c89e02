"""Does a metric see the pronoun errors that professionals mark?

    python benchmarks/verdict/run.py               the table of README.md, held out by document
    python benchmarks/verdict/run.py --write       the same, kept in results/verdict.json and README.md
    python benchmarks/verdict/run.py --calibrate   coefficients for src/anaphor/metrics/accept.toml

Scores 13 systems of the MQM set of TED talks (ANAPHOR_DATA/mqm-ted-en-de) by APT and by acceptability, with
and without the reference, and compares both with the marks. The logistic model of acceptability is fitted
anew for every talk on the other two, so that no talk is judged by a model that has seen it.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anaphor.core import LanguagePair, Outcome, Settings
from anaphor.corpus import Inputs, Text
from anaphor.languages import Tokenizer, load_language
from anaphor.meta.spans import is_marked, read_mqm
from anaphor.metrics import MetricInput, ScoringSetup
from anaphor.metrics.accept import Accept
from anaphor.metrics.apt import Apt

HERE = Path(__file__).parent
DATA = Path(os.environ.get("ANAPHOR_DATA", HERE.parents[2] / "shared" / "data"))
PRONOUNS = frozenset(
    [
        "er",
        "sie",
        "es",
        "ihn",
        "ihm",
        "ihr",
        "ihnen",
        "das",
        "dies",
        "dieser",
        "diese",
        "dieses",
        "man",
        "der",
        "die",
        "den",
        "dem",
        "denen",
    ]
)
RISK = {
    Outcome.IDENTICAL: 0.0,
    Outcome.EQUIVALENT: 0.5,
    Outcome.REFERENCE_MISSING: 1.0,
    Outcome.DIFFERENT: 2.0,
}
START, END = "<!-- measured -->\n", "<!-- end -->\n"
Floats = NDArray[np.float64]


def rows_of_set(recognize: str = "analysis") -> list[dict[str, Any]]:
    """One row per judged pronoun with a candidate word: its marks, outcome and evidence."""
    annotation = read_mqm(DATA / "mqm-ted-en-de" / "mqm.tsv.gz")
    text = {name: Text.of(lines, path=name) for name, lines in annotation.systems.items()}
    settings = Settings(pair="en-de", metrics=("apt", "accept"), samples=0, recognize=recognize)
    setup = ScoringSetup.of(settings)
    inputs = setup.aligned(
        Inputs(
            source=Text.of(annotation.source, path="source"),
            references=(text["ref"],),
            candidates={name: one for name, one in text.items() if name != "ref"},
            documents=annotation.documents,
        )
    )
    metric, apt = Accept.build(setup.context), Apt.build(setup.context)
    split = Tokenizer(load_language(LanguagePair.parse("en-de").target))
    rows = []
    for name, pairs in setup.pairs(inputs).items():
        lines = inputs.candidates[name].lines
        alignment = (inputs.candidate_alignments or {})[name]
        trial = MetricInput(
            name, (text["ref"].lines,), lines, pairs, inputs.source.lines, inputs.documents, alignment
        )
        outcomes = apt.verdicts(pairs)
        for verdict, (found, _) in zip(outcomes, metric.evidence(trial), strict=True):
            pair = verdict.pair
            if pair.candidate is None:
                continue
            segment = pair.source.segment
            sentence = split(lines[segment])
            words = [
                (sentence.starts[p], sentence.starts[p] + len(sentence.tokens[p]))
                for p in pair.candidate.positions
            ]
            spans = annotation.spans.get((name, segment), ())
            rows.append(
                {
                    "system": name,
                    "place": (segment, pair.source.position),
                    "document": annotation.documents[segment],
                    "outcome": verdict.outcome,
                    "evidence": found,
                    "one": any(
                        is_marked(lines[segment], w, spans, pronouns=PRONOUNS, longest=1) for w in words
                    ),
                    "three": any(is_marked(lines[segment], w, spans, pronouns=PRONOUNS) for w in words),
                }
            )
    return rows


def auc(score: Floats, marked: NDArray[np.bool_]) -> float:
    """The chance that a marked pronoun has a higher score than one that is not marked."""
    pairs = np.greater.outer(score[marked], score[~marked]) + 0.5 * np.equal.outer(
        score[marked], score[~marked]
    )
    return float(pairs.mean())


def fitted(features: Floats, marked: NDArray[np.bool_], penalty: float = 3.0) -> Floats:
    """Coefficients of a logistic model, the intercept last and without penalty, by Newton's method."""
    matrix = np.column_stack([features, np.ones(len(features))])
    weights = np.zeros(matrix.shape[1])
    shrink = np.diag([penalty] * features.shape[1] + [0.0])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-matrix @ weights))
        gradient = matrix.T @ (chance - marked) + shrink @ weights
        weights -= np.linalg.solve((matrix * (chance * (1 - chance))[:, None]).T @ matrix + shrink, gradient)
    return weights


def features_of(rows: list[dict[str, Any]], *, reference: bool) -> Floats:
    columns = []
    for row in rows:
        found = row["evidence"]
        # An open verdict says nothing for or against.
        one = [0.0, 0.0, 0.0]
        if found is not None:
            one = [found.disagreement, float(found.neutral), float(found.untranslated)]
        if reference:
            one += [
                float(row["outcome"] is Outcome.DIFFERENT),
                float(row["outcome"] is Outcome.REFERENCE_MISSING),
            ]
        columns.append(one)
    return np.array(columns)


def held_out(rows: list[dict[str, Any]], *, reference: bool) -> Floats:
    """The chance of a mark for every pronoun, by a model that has not seen its document."""
    features = features_of(rows, reference=reference)
    marked = np.array([row["one"] for row in rows])
    documents = np.array([row["document"] for row in rows])
    chance = np.zeros(len(rows))
    for document in sorted(set(documents)):
        inside = documents == document
        weights = fitted(features[~inside], marked[~inside])
        chance[inside] = 1 / (1 + np.exp(-(features[inside] @ weights[:-1] + weights[-1])))
    return chance


def pearson_over_systems(score: Floats, rows: list[dict[str, Any]]) -> float:
    systems = np.array([row["system"] for row in rows])
    marked = np.array([row["one"] for row in rows])
    names = sorted(set(systems))
    means = [float(score[systems == name].mean()) for name in names]
    rates = [float(marked[systems == name].mean()) for name in names]
    return float(np.corrcoef(means, rates)[0, 1])


def measure() -> dict[str, Any]:
    started = time.process_time()
    rows = rows_of_set()
    marked = np.array([row["one"] for row in rows])
    documents = np.array([row["document"] for row in rows])
    scores = {
        "apt": np.array([RISK[row["outcome"]] for row in rows]),
        "accept, without reference": held_out(rows, reference=False),
        "accept, with reference": held_out(rows, reference=True),
    }
    return {
        "pronouns": len(rows),
        "marked by one word": int(marked.sum()),
        "marked by at most three words": sum(row["three"] for row in rows),
        "left open by accept": sum(row["evidence"] is None for row in rows),
        "cpu_s": round(time.process_time() - started, 1),
        "metrics": {
            name: {
                "auc": round(auc(score, marked), 3),
                # Higher scores of a metric should go with fewer marks.
                "pearson": round(-pearson_over_systems(score, rows), 2),
                "by talk": {
                    talk: round(auc(score[documents == talk], marked[documents == talk]), 3)
                    for talk in sorted(set(documents))
                },
            }
            for name, score in scores.items()
        },
    }


def as_table(result: dict[str, Any]) -> str:
    talks = list(result["metrics"]["apt"]["by talk"])
    rows = [["metric", "AUC", "Pearson over 13 systems", *talks], ["---", *["---:"] * (2 + len(talks))]]
    for name, one in result["metrics"].items():
        by_talk = [f"{one['by talk'][talk]:.3f}" for talk in talks]
        rows.append([name, f"{one['auc']:.3f}", f"{one['pearson']:+.2f}", *by_talk])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def calibrate() -> None:
    rows = rows_of_set()
    marked = np.array([row["one"] for row in rows])
    names = ("disagreement", "neutral", "untranslated", "different", "reference_missing")
    for mode, reference in (("free", False), ("reference", True)):
        weights = fitted(features_of(rows, reference=reference), marked)
        print(f"[de.{mode}]\nintercept = {weights[-1]:.2f}")
        for name, weight in zip(names, weights[:-1], strict=False):
            print(f"{name} = {weight:.2f}")
        print()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--calibrate", action="store_true")
    options = parser.parse_args()
    if not (DATA / "mqm-ted-en-de").is_dir():
        print(f"no MQM set in {DATA}: set ANAPHOR_DATA")
        return
    if options.calibrate:
        calibrate()
        return
    result = measure()
    print(json.dumps(result, indent=2))
    if options.write:
        (HERE / "results" / "verdict.json").write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
        page = HERE / "README.md"
        before, _, rest = page.read_text(encoding="utf-8").partition(START)
        _, _, after = rest.partition(END)
        page.write_text(f"{before}{START}{as_table(result)}{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
