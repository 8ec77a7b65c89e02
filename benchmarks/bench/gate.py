"""GATE by its own script and by `anaphor bench`: every figure that GateEval.py prints must be the same.

    python benchmarks/bench/gate.py FOLDER [--write]

FOLDER is a clone of https://github.com/MicrosoftTranslator/GATE. GateEval.py runs in an environment that has
nothing but Python, on every file with two variants, for both genders, on four invented systems. *reference*
answers with the wanted variant, *first* with that of the other gender, *shuffled* with wanted variants in
random order, and *mixed* with the wanted variant, the other one or a blank line. All its rows (for all items
and for every label: items, matches, mismatches, precision, recall and F0.5 with two decimals) are compared
with ours. `--write` keeps the figures in results/ and in README.md.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import venv
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from anaphor.bench import Bench, make_from_files
from anaphor.bench.translations import evaluate_translations, read_translations
from anaphor.core import InputWarning
from benchmarks.bench.references import write_table

HERE = Path(__file__).parent
FILES = {
    "en-es": "data/ES/ES_2_variants.tsv",
    "en-fr": "data/FR/FR_2_variants.tsv",
    "en-fr, curly apostrophes": "data/FR/curly_apostrophe/FR_2_variants.tsv",
    "en-it": "data/IT/IT_2_variants.tsv",
}
#: A row of figures: items, matches, mismatches, precision, recall, F0.5.
Row = tuple[str, ...]


def systems(bench: Bench) -> dict[str, list[str]]:
    draw = random.Random(bench.name)  # noqa: S311 - no secret depends on it
    wanted, other = ([item.variants[at] for item in bench.items] for at in (0, -1))
    mixed = [draw.choice((*pair, "")) for pair in zip(wanted, other, strict=True)]
    return {
        "reference": wanted,
        "first": other,
        "shuffled": draw.sample(wanted, len(wanted)),
        "mixed": mixed,
    }


def original(folder: Path, python: Path, file: str, output: Path, gender: str) -> dict[str, Row]:
    """The rows that GateEval.py prints."""
    command = [str(python), "-I", str(folder / "GateEval.py"), "--reference_file_name", str(folder / file)]
    command += ["--predicted_file_name", str(output), "--gender", gender, "--format_tsv"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows = (line.split("\t") for line in printed.splitlines())
    return {cells[0]: tuple(cell.strip() for cell in cells[1:]) for cells in rows if len(cells) == 7}


def ours(bench: Bench, output: Path) -> tuple[dict[str, Row], Mapping[str, Any]]:
    """The same rows by this package, from the file that the original reads."""
    text = read_translations(output, bench)
    result = evaluate_translations(bench, {"system": text}, rules=("official",))
    counts = result.precision["system"]
    rows = {
        "Overall" if part.name == "all" else part.name: (
            *(str(number) for number in (part.items, part.right, part.wrong)),
            *(f"{value:.2f}" for value in (part.precision, part.recall, part.f_half)),
        )
        for part in counts
    }
    return rows, counts[0].to_dict()


def compare(folder: Path) -> dict[str, dict[str, Any]]:
    results: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as name:
        venv.create(Path(name) / "environment", with_pip=False)
        python = Path(name) / "environment" / "bin" / "python"
        for title, file in FILES.items():
            for gender in ("feminine", "masculine"):
                bench = make_from_files(f"gate-{gender}", [folder / file], pair=title[:5])
                for system, lines in systems(bench).items():
                    output = Path(name) / "output"
                    output.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
                    theirs = original(folder, python, file, output, gender)
                    own, total = ours(bench, output)
                    different = sorted(row for row in {*theirs, *own} if theirs.get(row) != own.get(row))
                    results[f"{title}, {gender}, {system}"] = {
                        **total,
                        "rows": len(theirs),
                        "rows that differ": different,
                    }
                    print(title, gender, system, results[f"{title}, {gender}, {system}"], flush=True)
    return results


def table(results: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The runs on *mixed*, which has outcomes of all kinds."""
    rows = [
        "| set, gender | right | wrong | precision | recall | F0.5 | rows | rows that differ |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, found in results.items():
        if not name.endswith(", mixed"):
            continue
        values = [f"{found[key]:,}" for key in ("right", "wrong")]
        values += [f"{found[key]:.3f}" for key in ("precision", "recall", "f_half")]
        values += [str(found["rows"]), str(len(found["rows that differ"]))]
        rows.append(f"| {name.removesuffix(', mixed')} | {' | '.join(values)} |")
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="clone of the repository of GATE")
    parser.add_argument("--write", action="store_true", help="keep the figures")
    options = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        results = compare(options.folder.absolute())
    rows = sum(found["rows"] for found in results.values())
    differing = sum(len(found["rows that differ"]) for found in results.values())
    print(f"{len(results)} runs, {rows} rows, {differing} differ")
    if options.write:
        content = json.dumps(results, indent=2, ensure_ascii=False) + "\n"
        (HERE / "results" / "gate.json").write_text(content, encoding="utf-8")
        write_table("gate.py FOLDER", table(results))
    if differing:
        sys.exit("some figures differ from those of GateEval.py")


if __name__ == "__main__":
    main()
