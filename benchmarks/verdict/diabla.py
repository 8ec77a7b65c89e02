"""Does acceptability agree with people who talk to each other through machine translation?

    python benchmarks/verdict/diabla.py            the table of README.md
    python benchmarks/verdict/diabla.py --write    the same, kept in results/diabla.json and README.md

Scores the English utterances of DiaBLa (ANAPHOR_DATA/diabla-en-fr, translated into French by one of two
systems) by APT and by acceptability, with and without the reference, and compares both with the judgements of
the French participants. They judged utterances, not pronouns: every pronoun of an utterance has its
judgement. Correlations are over dialogues, since there are two systems. The weights were fitted on single
pronouns of these dialogues, among others; sets.py measures those with their documents held out.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from anaphor.core import LanguagePair
from anaphor.languages import load_pair
from anaphor.meta.detection import MarkEvaluation, evaluate_marks
from anaphor.meta.spans import MarkRule, mark_items, read_diabla
from benchmarks.verdict.marks import DATA, scored, write_table
from benchmarks.verdict.run import with_interval

HERE = Path(__file__).parent
#: What counts as a rejection: severities and categories.
LABELS: dict[str, dict[str, Any]] = {
    "not perfect": {},
    "poor": {"severities": frozenset({"poor"})},
    "coherence or grammar": {"categories": frozenset({"coherence", "grammar"})},
}


def measure(path: Path) -> dict[str, MarkEvaluation]:
    annotation = read_diabla(path)
    items = scored(annotation, pair="en-fr", reference="ref", candidates=["mt"])
    pack = load_pair(LanguagePair.parse("en-fr"))
    return {
        name: evaluate_marks(
            mark_items(items, annotation, MarkRule(frozenset(), None, **options), pack), over="documents"
        )
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
                with_interval(one.auc),
            ]
            test = against.get(one.metric)
            if test is None or test.auc.value is None:
                row += ["", "", with_interval(one.pearson, 2), ""]
            else:
                limits = test.auc.interval
                spread = "" if limits is None else f" [{-limits.high:+.3f}, {-limits.low:+.3f}]"
                row += [f"{-test.auc.value:+.3f}{spread}", f"{test.auc_p:.2f}"]
                row += [with_interval(one.pearson, 2), f"{test.williams_p:.2f}"]
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
        write_table(HERE / "README.md", "dialogues", table)


if __name__ == "__main__":
    main()
