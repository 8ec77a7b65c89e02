"""The training files of the five sub-tasks, one command each, and the page with their class frequencies.

Usage: python benchmarks/task/counts.py FOLDER [--pairs en-fr ...] [--write]

Files and reports go to FOLDER; a pair that has a report there is not made again. --write writes
counts/README.md from the reports.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from anaphor.core.engine import warn_without_native

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("ANAPHOR_DATA", ROOT.parent / "shared" / "data"))
PAGE = Path(__file__).parent / "counts" / "README.md"
PAIRS = ("en-fr", "fr-en", "en-de", "de-en", "es-en")
NAMES = {"fr": "eng-fra", "de": "deu-eng", "es": "eng-spa"}
TALKS = ("IWSLT2017", "NC-2016", "Europarl7")
LEARN_FROM = "60000"
HEAD = """# Training files of the five sub-tasks: class frequencies

Counts from `anaphor task prepare` with the built-in aligner and analyser, in the style of 2016:
subjects, lemmas with tags. *before* and *after* refer to subject filtering, as in Table 5 of
wmt16-findings; French pronouns are not filtered. Spanish examples are verbs without a subject; *after*
counts those whose translation has a pronoun as its subject.
Texts: Europarl, Tatoeba, the Debian handbook; for German and Spanish the Bible; for German the development
sets of IWSLT 2017, News Commentary and Europarl. They are not included.
[prepare.md](../../../docs/task/prepare.md) has the rules; `benchmarks/task/counts.py` writes this page."""


def tables(other: str) -> list[str]:
    """Europarl, Tatoeba, the handbook, and the Bible where it has the language."""
    names = [
        f"europarl/europarl.en-{other}.docs.tsv.gz",
        f"tatoeba/tatoeba-test-v2023-09-26.{NAMES[other]}.txt.gz",
        "debian-handbook/handbook.en-fr-de-es.paragraphs.tsv.gz",
    ]
    return names if other == "fr" else [*names, "bible/bible.en-de-es.tsv.gz"]


def options_of(pair: str, *, free: bool = False) -> list[str]:
    """The options of one command, paths relative to the data; `free` leaves out talks and news."""
    source, target = pair.split("-")
    other = source if target == "en" else target
    options = ["--pair", pair, "--learn-from", LEARN_FROM, "--tsv", *tables(other)]
    if other == "de" and not free:
        for side, code in (("--source", source), ("--target", target)):
            options += [side, *(f"docs-en-de/{talk}/concatenated_en2de_dev_{code}.txt.gz" for talk in TALKS)]
        options += ["--document-mark", "<d>"]
    return options


def make(pair: str, folder: Path, more: Sequence[str] = (), *, free: bool = False) -> None:
    """Prepare the file of a pair, with its report, unless they are there."""
    report = folder / f"{pair}.json"
    if report.is_file() and report.stat().st_size:
        return
    output = str((folder / f"{pair}.tsv.gz").resolve())
    options = [*options_of(pair, free=free), *more]
    command = [sys.executable, "-m", "anaphor.cli.main", "task", "prepare", *options]
    done = subprocess.run(
        [*command, "--output", output, "--json"],
        cwd=DATA,
        stdout=subprocess.PIPE,
        check=True,
    )
    report.write_bytes(done.stdout)


def page(reports: Mapping[str, Mapping[str, Any]]) -> str:
    """The page: what was counted, then for each sub-task its command and its table."""
    sections = (
        "\n\n".join([f"## {pair}", _command(pair), _summary(report), _table(report)])
        for pair, report in reports.items()
    )
    return "\n\n".join([HEAD, *sections]) + "\n"


def _command(pair: str) -> str:
    """The command with an option a line, and a file a line where an option has several."""
    text = " ".join([*map(shlex.quote, options_of(pair)), f"--output {pair}.tsv.gz"])
    lines = text.replace(" --", " \\\n  --").replace(".gz ", ".gz \\\n    ").replace("    \\\n", "")
    return f"```sh\nanaphor task prepare {lines}\n```"


def _summary(report: Mapping[str, Any]) -> str:
    placed = report["placed"]
    return (
        f"{report['segments']:,} segments; {sum(report['left_out'].values()):,} pairs left out.\n"
        f"Placeholders: {placed['linked']:,} hide a linked word, {placed['neighbour']:,} are next to the\n"
        f"word of a linked neighbour, {placed['position']:,} at a similar position."
    )


def _table(report: Mapping[str, Any]) -> str:
    classes = report["classes"]
    rows = [(label, counts["before"], counts["after"]) for label, counts in classes.items()]
    rows.append(("all", *(sum(counts[key] for counts in classes.values()) for key in ("before", "after"))))
    lines = [f"| {label} | {before:,} | {after:,} |" for label, before, after in rows]
    return "\n".join(["| class | before | after |", "|---|---|---|", *lines])


def read_reports(folder: Path, pairs: Iterable[str]) -> dict[str, Mapping[str, Any]]:
    paths = {pair: folder / f"{pair}.json" for pair in pairs}
    found = {pair: path for pair, path in paths.items() if path.is_file() and path.stat().st_size}
    return {pair: json.loads(path.read_text(encoding="utf-8")) for pair, path in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pairs", nargs="*", default=PAIRS, choices=PAIRS)
    parser.add_argument("--write", action="store_true", help="write the page")
    options = parser.parse_args()
    if not DATA.is_dir():
        sys.exit(f"{DATA} is not there; set ANAPHOR_DATA to the folder that has it")
    warn_without_native()
    options.folder.mkdir(exist_ok=True)
    for pair in options.pairs:
        make(pair, options.folder)
    text = page(read_reports(options.folder, PAIRS))
    print(text, end="")
    if options.write:
        PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
