"""Does a metric see the pronoun errors that professionals mark in talks?

    python benchmarks/verdict/run.py               the table of README.md
    python benchmarks/verdict/run.py --write       the same, kept in results/verdict.json and README.md

Scores 13 systems of WMT21 on the MQM set of TED talks (ANAPHOR_DATA/mqm-ted-en-de) by APT and by
acceptability, with and without the reference, and compares both with the marks. The weights of
acceptability were fitted on other texts. sets.py measures all sets; this script adds single talks, and how
consistent the marks are.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from anaphor.meta.detection import MarkedItem, MarkEvaluation, Measured, evaluate_marks
from anaphor.meta.judgements import ScoredItem
from anaphor.meta.spans import read_mqm
from benchmarks.verdict.marks import DATA, marked, scored, without_each_system, write_table

HERE = Path(__file__).parent
PAIR = "en-de"


@dataclass(frozen=True, slots=True)
class Example:
    """A pronoun of a talk, and whether it is marked."""

    scored: ScoredItem
    item: MarkedItem

    @property
    def place(self) -> tuple[str, str]:
        """The pronoun of the source and its words in the candidate."""
        return self.scored.id, (self.scored.candidate_words or "").lower()


def talks(*, longest: int = 1, recognize: str = "analysis") -> list[Example]:
    """The pronouns of the talks that have a word; spans of at most `longest` words mark them."""
    annotation = read_mqm(DATA / "mqm-ted-en-de" / "mqm.tsv.gz")
    candidates = [name for name in annotation.systems if name != "ref"]
    items = scored(annotation, pair=PAIR, reference="ref", candidates=candidates, recognize=recognize)
    return [
        Example(one, mark) for one in items for mark in marked([one], annotation, pair=PAIR, longest=longest)
    ]


def consistency(examples: Sequence[Example]) -> dict[str, float]:
    """How far people mark the same word at the same place alike, and what that leaves for any metric."""
    groups: dict[tuple[str, str], list[Example]] = defaultdict(list)
    for example in examples:
        groups[example.place].append(example)
    marks = {key: sum(one.item.marked for one in group) for key, group in groups.items()}
    repeated = [key for key, group in groups.items() if len(group) > 1 and marks[key]]
    overall = sum(marks.values()) / len(examples)
    oracle = []
    for example in examples:
        others = marks[example.place] - example.item.marked
        # The rate of marks of the same word in the other systems, drawn a little towards the mean.
        score = 1 - (others + overall) / len(groups[example.place])
        oracle.append(replace(example.item, scores={"oracle": score}, verdicts={}))
    (found,) = evaluate_marks(oracle, metrics=["oracle"], samples=0).metrics
    share = sum(marks[key] for key in repeated) / sum(len(groups[key]) for key in repeated)
    return {
        "marked where the same word is marked in some system": round(share, 3),
        "AUC of the other systems' marks": round(found.auc.value or 0.0, 3),
    }


def measure() -> dict[str, Any]:
    started = time.process_time()
    examples = talks()
    items = [example.item for example in examples]
    found = evaluate_marks(items)
    by_talk = {
        talk: evaluate_marks([one for one in items if one.document == talk], samples=0)
        for talk in sorted({item.document for item in items})
    }
    return {
        "one word": found.to_dict(),
        "consistency": consistency(examples),
        "without one system": without_each_system(items),
        "by talk": {
            talk: {one.metric: one.auc.value for one in part.metrics} for talk, part in by_talk.items()
        },
        "cpu_s": round(time.process_time() - started, 1),
        "table": as_table(found, by_talk),
    }


def as_table(found: MarkEvaluation, by_talk: Mapping[str, MarkEvaluation]) -> str:
    rows = [["metric", "AUC", "Pearson over 13 systems", *by_talk], ["---", *["---:"] * (2 + len(by_talk))]]
    for number, one in enumerate(found.metrics):
        talks = [f"{part.metrics[number].auc.value:.3f}" for part in by_talk.values()]
        rows.append([one.metric, with_interval(one.auc), with_interval(one.pearson, 2), *talks])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def with_interval(figure: Measured, digits: int = 3) -> str:
    text = f"{figure.value:.{digits}f}"
    if figure.interval is None:
        return text
    return f"{text} [{figure.interval.low:.{digits}f}, {figure.interval.high:.{digits}f}]"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    if not (DATA / "mqm-ted-en-de").is_dir():
        print(f"no MQM set in {DATA}: set ANAPHOR_DATA")
        return
    result = measure()
    table = result.pop("table")
    print(json.dumps(result, indent=2))
    print(table)
    if options.write:
        (HERE / "results" / "verdict.json").write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
        write_table(HERE / "README.md", "measured", table)


if __name__ == "__main__":
    main()
