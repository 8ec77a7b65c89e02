"""Contradictions of the cast that are found in the stories of `tests/check`, and findings in the clean ones.

    python benchmarks/check/stories.py [--write]

Every story is checked in German, French and Spanish as it is, and again with its contradictions. A finding
counts as a hit if it is in a unit with a contradiction, once for each contradiction.
"""

from __future__ import annotations

import argparse
import csv
import json
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from anaphor.check import CheckInput, CheckOptions, Finding, Kind, check_files
from anaphor.check.cast import read_cast
from anaphor.core import LanguagePair

DATA = Path(__file__).parents[2] / "tests" / "check" / "data"
RESULTS = Path(__file__).parent / "results" / "stories.json"
STORIES = ("story", "ferry", "airship", "bakery", "kestrel", "halcyon", "petrel")


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def findings(lines: list[dict[str, str]], story: str, language: str, folder: Path) -> list[Finding]:
    path = folder / "story.tsv"
    rows = ["\t".join(row) for row in (lines[0], *(line.values() for line in lines))]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    pair = LanguagePair("en", language)
    file = CheckInput(path=str(path), pair=pair, columns={"source": "en", "target": language})
    options = CheckOptions(cast=read_cast(str(DATA / f"{story}-cast.toml")))
    return list(check_files([file], options).findings)


def measure(story: str, language: str, folder: Path) -> dict[str, Any]:
    """The contradictions of one story in one language, how many are found, and false findings."""
    lines = table(DATA / f"{story}.tsv")
    clean = findings(lines, story, language, folder)
    by_id = {line["id"]: line for line in lines}
    planted: Counter[str] = Counter()
    for change in table(DATA / f"{story}-contradictions.tsv"):
        if change["language"] == language:
            line = by_id[change["id"]]
            line[language] = line[language].replace(change["right"], change["wrong"])
            planted[change["id"]] += 1
    reported = [finding for finding in findings(lines, story, language, folder) if finding.kind is Kind.CAST]
    counts = Counter(finding.unit for finding in reported)
    hits = sum(min(counts[unit], number) for unit, number in planted.items())
    elsewhere = sum(number for unit, number in counts.items() if unit not in planted)
    return {
        "story": story,
        "language": language,
        "lines": len(lines),
        "planted": planted.total(),
        "found": hits,
        "false": elsewhere,
        "findings_in_clean_version": len(clean),
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true", help="keep the figures in results/")
    parser.add_argument("--only", nargs="+", default=STORIES, choices=STORIES)
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for story in options.only:
            for language in ("de", "fr", "es"):
                rows.append(measure(story, language, Path(folder)))
                print(json.dumps(rows[-1]), flush=True)
    if options.write:
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
