"""Does acceptability agree with people who talk to each other through machine translation?

    python benchmarks/verdict/diabla.py            the table of README.md
    python benchmarks/verdict/diabla.py --write    the same, kept in results/diabla.json and README.md

Scores the English utterances of DiaBLa (ANAPHOR_DATA/diabla-en-fr, translated into French by one of two
systems) by APT and by acceptability, with and without the reference, and compares both with the judgements of
the French participants. They judged utterances, not pronouns: every pronoun of an utterance has its
judgement. Nothing is fitted here. Correlations are over dialogues, since there are two systems.
"""

from __future__ import annotations

import argparse
import json
import os
import runpy
import tempfile
from pathlib import Path
from typing import Any

from anaphor.core import Settings
from anaphor.corpus import Inputs, Text
from anaphor.meta.detection import MarkEvaluation
from anaphor.meta.spans import evaluate_spans, read_diabla
from anaphor.pipeline import align, evaluate
from anaphor.report.rows import items_tsv

HERE = Path(__file__).parent
DATA = Path(os.environ.get("ANAPHOR_DATA", HERE.parents[2] / "shared" / "data"))
#: What counts as a rejection, as options of `anaphor meta spans`.
LABELS: dict[str, dict[str, Any]] = {
    "not perfect": {},
    "poor": {"severities": ["poor"]},
    "coherence or grammar": {"categories": ["coherence", "grammar"]},
}
MODES = {"with reference": "use", "without reference": "ignore"}
#: The functions of the benchmark beside this one.
VERDICT = runpy.run_path(str(HERE / "run.py"))


def measure(path: Path) -> dict[str, MarkEvaluation]:
    annotation = read_diabla(path)
    text = {name: Text.of(lines, path=name) for name, lines in annotation.systems.items()}
    inputs = Inputs(
        source=Text.of(annotation.source, path="source"),
        references=(text["ref"],),
        candidates={"mt": text["mt"]},
        documents=annotation.documents,
    )
    inputs = align(inputs, Settings(pair="en-fr"))
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for label, mode in MODES.items():
            settings = Settings(pair="en-fr", metrics=("apt", "accept"), samples=0, accept_reference=mode)
            files.append(str(Path(folder) / f"{label}.tsv"))
            Path(files[-1]).write_text(items_tsv(evaluate(inputs, settings)), encoding="utf-8")
        return {
            name: evaluate_spans(files, pair="en-fr", diabla=str(path), over="documents", **options)
            for name, options in LABELS.items()
        }


def as_table(results: dict[str, MarkEvaluation]) -> str:
    heading = ["rejected", "metric", "AUC", "against apt", "p", "Pearson over dialogues", "Williams p"]
    rows = [heading, ["---", "---", *["---:"] * 5]]
    for label, found in results.items():
        against = {one.second: one for one in found.differences if one.first == "apt"}
        for one in found.metrics:
            row = [
                f"{label} ({found.marked} of {found.items})",
                one.metric,
                VERDICT["with_interval"](one.auc),
            ]
            test = against.get(one.metric)
            if test is None or test.auc.value is None:
                row += ["", "", VERDICT["with_interval"](one.pearson, 2), ""]
            else:
                limits = test.auc.interval
                spread = "" if limits is None else f" [{-limits.high:+.3f}, {-limits.low:+.3f}]"
                row += [f"{-test.auc.value:+.3f}{spread}", f"{test.auc_p:.2f}"]
                row += [VERDICT["with_interval"](one.pearson, 2), f"{test.williams_p:.2f}"]
            rows.append(row)
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    path = DATA / "diabla-en-fr" / "dialogues-half.tar.gz"
    if not path.is_file():
        print(f"no dialogues in {DATA}: set ANAPHOR_DATA")
        return
    results = measure(path)
    table = as_table(results)
    content = json.dumps({name: found.to_dict() for name, found in results.items()}, indent=2) + "\n"
    print(content + table)
    if options.write:
        (HERE / "results" / "diabla.json").write_text(content, encoding="utf-8")
        VERDICT["write_table"]("dialogues", table)


if __name__ == "__main__":
    main()
