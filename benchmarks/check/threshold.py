"""Precision and recall of `anaphor check` by confidence, on judged pronouns: the source of the default.

    ANAPHOR_DATA=../shared/data python benchmarks/check/threshold.py [--least 0.7]

Every system of every part is written as an XLIFF file and checked at confidence 0. The default is the lowest
confidence, in steps of .05, from which at least `--least` of the findings are confirmed. The detector was
trained on readings of these documents, so other texts do worse.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import os
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

from anaphor.check import CheckInput, CheckOptions, check_files
from anaphor.core import LanguagePair

STEPS = [round(0.3 + 0.05 * step, 2) for step in range(14)]


class Judged(NamedTuple):
    """A pronoun that was judged, and the confidence that it is wrong (0 if the check passed over it)."""

    pair: str
    confidence: float
    wrong: bool


def lines_of(path: Path) -> list[str]:
    return gzip.open(path, "rt", encoding="utf-8").read().rstrip("\n").split("\n")


def write_xliff(
    path: Path, pair: LanguagePair, documents: Sequence[str], rows: Sequence[tuple[str, str]]
) -> None:
    """One file element per document; the id of a unit is its line, from 0."""
    parts = ['<?xml version="1.0" encoding="UTF-8"?>\n<xliff version="1.2">']
    last = ""
    for number, (document, (source, target)) in enumerate(zip(documents, rows, strict=True)):
        if document != last:
            parts.append("</body></file>" if last else "")
            parts.append(
                f'<file original="{escape(document)}" source-language="{pair.source}" '
                f'target-language="{pair.target}" datatype="plaintext"><body>'
            )
            last = document
        parts.append(
            f'<trans-unit id="{number}"><source>{escape(source)}</source>'
            f"<target>{escape(target)}</target></trans-unit>"
        )
    path.write_text("\n".join([*parts, "</body></file></xliff>"]), encoding="utf-8")


def judged_pronouns(data: Path, folder: Path, names: Sequence[str]) -> list[Judged]:
    """Every judged pronoun with the confidence of its finding."""
    rows = defaultdict(list)
    for name in names:
        with (data / f"{name}.tsv").open(encoding="utf-8") as file:
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                if row["verdict"] in ("ok", "wrong"):
                    rows[row["part"], row["system"]].append(row)
    judged = []
    for (part, system), own in sorted(rows.items()):
        pair = LanguagePair.parse(part[-5:])
        texts = [lines_of(data / part / f"{side}.gz") for side in ("source", system)]
        documents = [line.rpartition("\t")[2] for line in lines_of(data / part / "documents.gz")]
        path = folder / f"{part}.{system}.xlf"
        write_xliff(path, pair, documents, list(zip(*texts, strict=True)))
        report = check_files([CheckInput(path=str(path))], CheckOptions(min_confidence=0.0))
        confidences = {
            (int(finding.unit), finding.source_span.start): finding.confidence
            for finding in report.findings
            if finding.source_span is not None
        }
        for row in own:
            place = int(row["line"]), int(row["start"])
            judged.append(Judged(str(pair), confidences.get(place, 0.0), row["verdict"] == "wrong"))
    return judged


def precision_and_recall(judged: Sequence[Judged], least: float) -> dict[str, float]:
    """What is found at a confidence, and how much of it was judged wrong."""
    found = [pronoun for pronoun in judged if pronoun.confidence >= least]
    right = sum(pronoun.wrong for pronoun in found)
    wrong = sum(pronoun.wrong for pronoun in judged)
    return {
        "findings": len(found),
        "precision": round(right / len(found), 3) if found else 0.0,
        "recall": round(right / wrong, 3) if wrong else 0.0,
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--least", type=float, default=0.7, help="precision that the default must have")
    parser.add_argument("--only", nargs="+", default=["en-de", "en-fr", "en-es"])
    options = parser.parse_args()
    data = Path(os.environ.get("ANAPHOR_DATA", "../shared/data")) / "judged-pronouns"
    with tempfile.TemporaryDirectory() as folder:
        judged = judged_pronouns(data, Path(folder), options.only)
    table = {
        pair: {
            step: precision_and_recall([p for p in judged if pair in ("all", p.pair)], step) for step in STEPS
        }
        for pair in ("all", *sorted({pronoun.pair for pronoun in judged}))
    }
    for pair, steps in table.items():
        print(f"{pair}: {sum(pair in ('all', p.pair) for p in judged)} judged")
        for step, figures in steps.items():
            shares = f"precision {figures['precision']:.3f}  recall {figures['recall']:.3f}"
            print(f"  {step:.2f}  {figures['findings']:4d} findings  {shares}")
    chosen = next(
        (step for step, figures in table["all"].items() if figures["precision"] >= options.least), None
    )
    print(json.dumps({"default": chosen, "least": options.least, "judged": len(judged)}))


if __name__ == "__main__":
    main()
