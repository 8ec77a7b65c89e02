"""What every witness is worth: alone, and by what is lost without it, held out by document.

    python benchmarks/verdict/witnesses.py            the table
    python benchmarks/verdict/witnesses.py --write    also results/witnesses.json and the table of README.md

Judged pronouns are divided by how they are rendered: by a personal pronoun, by something else (a verb alone,
a noun, an adverb), by nothing. The large detector is an option, and then counts together with the small one;
both judged documents whose verdicts they had not seen.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.verdict.evidence import DETECTOR, Example, held_out_odds, judged_sets
from benchmarks.verdict.fit import auc, held_out
from benchmarks.verdict.marks import write_table

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "witnesses.json"
LANGUAGES = ("de", "fr", "es")
GROUPS = ("all", "pronoun", "other", "nothing")
#: Fewer wrong pronouns than this say nothing.
LEAST = 5


def group_of(example: Example) -> str:
    return example.kind if example.kind in ("pronoun", "nothing") else "other"


def with_large(examples: Sequence[Example], share: float = 1.0) -> list[Example]:
    """The examples with the opinion of the large detector in place of the small one's, or a mean of both."""
    found = []
    for one in examples:
        told = one.evidence.testimonies.get(DETECTOR)
        odds = held_out_odds("detector-large").get(one.place)
        if told is None or odds is None:
            found.append(one)
            continue
        large = max(-6.0, min(6.0, odds))
        own = told._replace(
            signals={name: share * large + (1 - share) * value for name, value in told.signals.items()}
        )
        found.append(
            replace(
                one, evidence=one.evidence._replace(testimonies={**one.evidence.testimonies, DETECTOR: own})
            )
        )
    return found


def _is_in(language: str, group: str, example: Example) -> bool:
    return example.language == language and group in ("all", group_of(example))


def figures(examples: Sequence[Example], without: Sequence[str] = ()) -> dict[str, float]:
    """AUC by language and kind of rendering."""
    judged = held_out(examples, without)
    found = {}
    for language in LANGUAGES:
        heard = {
            name
            for one in examples
            if one.language == language
            for name, told in one.evidence.testimonies.items()
            if told.signals
        }
        if not heard - set(without):
            continue
        for group in GROUPS:
            values, wrong = judged.of(partial(_is_in, language, group))
            if wrong.sum() >= LEAST:
                found[f"{language} {group}"] = round(auc(values, wrong), 3)
    return found


def measured(examples: Sequence[Example]) -> dict[str, dict[str, float]]:
    witnesses = sorted({name for one in examples for name in one.evidence.testimonies})
    large, both = with_large(examples), with_large(examples, 0.5)
    others = [name for name in witnesses if name != DETECTOR]
    rows = {
        "all witnesses": figures(examples),
        "all, large detector": figures(large),
        "all, both detectors": figures(both),
    }
    for name in witnesses:
        rows[f"{name} alone"] = figures(examples, [other for other in witnesses if other != name])
    rows["large detector alone"] = figures(large, others)
    rows["both detectors alone"] = figures(both, others)
    for name in witnesses:
        rows[f"without {name}"] = figures(examples, [name])
    return rows


def _cell(row: Mapping[str, float], column: str) -> str:
    return f"{row[column]:.2f}" if column in row else "–"


def as_table(rows: Mapping[str, Mapping[str, float]]) -> str:
    columns = list(next(iter(rows.values())))
    lines = [
        "| | " + " | ".join(columns) + " |",
        "|---|" + "---:|" * len(columns),
        *(
            f"| {name} | {' | '.join(_cell(row, column) for column in columns)} |"
            for name, row in rows.items()
        ),
    ]
    return "\n".join([*lines, ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="write the results and the table")
    options = parser.parse_args()
    rows = measured(judged_sets())
    print(as_table(rows))
    if options.write:
        RESULTS.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
        write_table(HERE / "README.md", "witnesses", as_table(rows))


if __name__ == "__main__":
    main()
