"""Precision and recall of `anaphor check` by confidence, on judged pronouns: the source of the default.

    ANAPHOR_DATA=../shared/data python benchmarks/check/threshold.py [--least 0.7] [--write]

The documents of every system that have judged pronouns are written as XLIFF and checked at confidence 0. The
last line has the lowest confidence, in steps of .05, from which at least `--least` of the findings are
confirmed. The detector was trained on readings of these documents, so other texts do worse.

`--write` stores the confidence of every judged pronoun in `results/threshold.json`, after each system, and
with `--resume` the systems that are already there are not checked again.
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
from typing import Any, NamedTuple

from anaphor.check import CheckInput, CheckOptions, Kind, check_files
from anaphor.check.checking import DEFAULT_CONFIDENCES
from anaphor.core import LanguagePair

RESULTS = Path(__file__).parent / "results" / "threshold.json"

PAIRS = ("en-de", "en-fr", "en-es")
STEPS = [round(0.3 + 0.05 * step, 2) for step in range(14)]


class Judged(NamedTuple):
    """A pronoun that was judged, and the confidence and kind of its finding (0 and empty without one)."""

    pair: str
    confidence: float
    wrong: bool
    kind: str = ""

    @property
    def by_default(self) -> bool:
        """Whether the finding is reported at the default confidence."""
        return bool(self.kind) and self.confidence >= DEFAULT_CONFIDENCES[Kind(self.kind)]


def lines_of(path: Path) -> list[str]:
    return gzip.open(path, "rt", encoding="utf-8").read().rstrip("\n").split("\n")


def write_xliff(
    path: Path,
    pair: LanguagePair,
    documents: Sequence[str],
    rows: Sequence[tuple[str, str]],
    wanted: set[str],
) -> None:
    """One file element per wanted document; the id of a unit is its line, from 0."""
    parts = ['<?xml version="1.0" encoding="UTF-8"?>\n<xliff version="1.2">']
    last = ""
    for number, (document, (source, target)) in enumerate(zip(documents, rows, strict=True)):
        if document not in wanted:
            continue
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


def judged_rows(data: Path, names: Sequence[str]) -> dict[str, list[dict[str, str]]]:
    """The judged pronouns of each part and system."""
    rows = defaultdict(list)
    for name in names:
        with (data / f"{name}.tsv").open(encoding="utf-8") as file:
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                if row["verdict"] in ("ok", "wrong"):
                    rows[f"{row['part']}/{row['system']}"].append(row)
    return rows


def judged_pronouns(data: Path, folder: Path, name: str, rows: Sequence[dict[str, str]]) -> list[Judged]:
    """Every judged pronoun of a system with the confidence of its finding."""
    part, system = name.split("/")
    pair = LanguagePair.parse(part[-5:])
    texts = [lines_of(data / part / f"{side}.gz") for side in ("source", system)]
    documents = [line.rpartition("\t")[2] for line in lines_of(data / part / "documents.gz")]
    path = folder / f"{part}.{system}.xlf"
    # Documents in which nothing was judged would only take time.
    wanted = {documents[int(row["line"])] for row in rows}
    write_xliff(path, pair, documents, list(zip(*texts, strict=True)), wanted)
    report = check_files([CheckInput(path=str(path))], CheckOptions(min_confidence=0.0))
    findings = {
        (int(finding.unit), finding.source_span.start): finding
        for finding in report.findings
        if finding.source_span is not None
    }
    judged = []
    for row in rows:
        finding = findings.get((int(row["line"]), int(row["start"])))
        wrong = row["verdict"] == "wrong"
        judged.append(
            Judged(str(pair), 0.0, wrong)
            if finding is None
            else Judged(str(pair), round(finding.confidence, 4), wrong, finding.kind.value)
        )
    return judged


def shares(judged: Sequence[Judged], findings: Sequence[Judged]) -> dict[str, float]:
    """What is found, and how much of it was judged wrong."""
    right = sum(pronoun.wrong for pronoun in findings)
    wrong = sum(pronoun.wrong for pronoun in judged)
    return {
        "findings": len(findings),
        "precision": round(right / len(findings), 3) if findings else 0.0,
        "recall": round(right / wrong, 3) if wrong else 0.0,
    }


def figures(judged: Sequence[Judged]) -> dict[str, Any]:
    """Precision and recall at the default confidence, and at each step."""
    return {
        "judged": len(judged),
        "wrong": sum(pronoun.wrong for pronoun in judged),
        "default": shares(judged, [pronoun for pronoun in judged if pronoun.by_default]),
        "by_confidence": {
            step: shares(judged, [pronoun for pronoun in judged if pronoun.confidence >= step])
            for step in STEPS
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--least", type=float, default=0.7, help="precision that the default must have")
    parser.add_argument("--only", nargs="+", default=["en-de", "en-fr", "en-es"])
    parser.add_argument("--write", action="store_true", help="keep the figures in results/")
    parser.add_argument("--resume", action="store_true", help="keep the systems that results/ has")
    options = parser.parse_args()
    data = Path(os.environ.get("ANAPHOR_DATA", "../shared/data")) / "judged-pronouns"
    done: dict[str, list[Judged]] = {}
    if options.resume and RESULTS.exists():
        stored = json.loads(RESULTS.read_text(encoding="utf-8"))["systems"]
        done = {name: [Judged(*values) for values in judged] for name, judged in stored.items()}
    content: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, rows in judged_rows(data, options.only).items():
            if name not in done:
                done[name] = judged_pronouns(data, Path(folder), name, rows)
            judged = [pronoun for system in done.values() for pronoun in system]
            pairs = {pair: [p for p in judged if pair in ("all", p.pair)] for pair in ("all", *PAIRS)}
            content = {
                "pairs": {pair: figures(pronouns) for pair, pronouns in pairs.items() if pronouns},
                "systems": done,
            }
            if options.write:
                RESULTS.parent.mkdir(exist_ok=True)
                RESULTS.write_text(json.dumps(content) + "\n", encoding="utf-8")
    for pair, table in content["pairs"].items():
        print(f"{pair}: {table['judged']} judged, {table['wrong']} wrong; default: {table['default']}")
        for step, values in table["by_confidence"].items():
            line = f"precision {values['precision']:.3f}  recall {values['recall']:.3f}"
            print(f"  {step:.2f}  {values['findings']:4d} findings  {line}")
    steps = content["pairs"]["all"]["by_confidence"].items()
    chosen = next((step for step, values in steps if values["precision"] >= options.least), None)
    print(json.dumps({"default": chosen, "least": options.least}))


if __name__ == "__main__":
    main()
