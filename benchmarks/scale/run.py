"""How time and memory grow with the text, in one process and on local clusters.

Usage: python benchmarks/scale/run.py [--millions 0.1 0.3 1 3] [--jobs align prepare] [--ways WAY] [--write]
                                      [--table FILE] [--keep FILE]

The job `accept` scores the second language as a candidate: training of the aligner, links and all verdicts.
`--table` names another table of documents than that of Europarl, and `--keep` a file for the results, for a
machine that has neither.
"""

from __future__ import annotations

import argparse
import filecmp
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anaphor.core import LanguagePair
from anaphor.core.engine import warn_without_native

if TYPE_CHECKING:
    from benchmarks.scale.corpus import documents_of, join_shards, repeated, write_shards
    from benchmarks.scale.tables import ONE, WAYS, fill
    from benchmarks.scale.watching import run
else:
    from corpus import documents_of, join_shards, repeated, write_shards
    from tables import ONE, WAYS, fill
    from watching import run

DATA = Path(os.environ.get("ANAPHOR_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
TABLE = DATA / "europarl" / "europarl.en-fr.docs.tsv.gz"
RESULTS = Path(__file__).parent / "results" / "scale.json"
_SUFFIX = {"align": ".tsv.gz", "prepare": ".tsv.gz", "accept": ".items.tsv"}


def arguments_of(job: str, where: str, folder: Path, output: Path) -> list[str]:
    """The command of a job."""
    texts = ["--pair", "en-fr", "--source", f"{folder}/part-*.src.gz", "--target", f"{folder}/part-*.tgt.gz"]
    cluster = [] if where == ONE else ["--cluster", where]
    if job == "accept":
        files = ["--source", f"{folder}/all.src.gz", "--candidate", f"mt={folder}/all.tgt.gz"]
        texts = ["--pair", "en-fr", *files, "--documents", f"{folder}/all.ids", "--metrics", "accept"]
        return ["score", "-q", *texts, "--samples", "0", "--items", str(output), *cluster]
    if job == "align":
        return ["align", "train", *texts, "--threads", "1", "--save", str(output), *cluster]
    alone = ["--workers", "1"] if where == ONE else []
    ids = ["--documents", f"{folder}/part-*.ids"]
    return ["task", "prepare", *texts, *ids, "--threads", "1", "--output", str(output), *alone, *cluster]


def measure(job: str, folder: Path, pairs: int, ways: Sequence[str]) -> dict[str, Any]:
    """A job in some ways; all outputs must be the same file."""
    found: dict[str, Any] = {"job": job, "pairs": pairs}
    if job == "accept":
        join_shards(folder)
    outputs = {where: folder / f"{where.replace(' ', '-')}{_SUFFIX[job]}" for where in ways}
    for where, output in outputs.items():
        found[where] = run(arguments_of(job, where, folder, output)).as_json()
        print(json.dumps({"job": job, "pairs": pairs, "where": where} | found[where]), flush=True)
    first, *others = outputs.values()
    found["same_bytes"] = all(filecmp.cmp(first, other, shallow=False) for other in others)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--millions", type=float, nargs="+", default=[0.1, 0.3, 1, 3])
    parser.add_argument("--jobs", nargs="+", choices=_SUFFIX, default=["align", "prepare"])
    parser.add_argument("--ways", nargs="+", default=list(WAYS), help="one process, or local:N")
    parser.add_argument("--write", action="store_true", help="keep the results, and fill in the README")
    parser.add_argument("--table", type=Path, default=TABLE)
    parser.add_argument("--keep", type=Path, help="a file for the results, a line for each")
    options = parser.parse_args()
    if not options.table.is_file():
        sys.exit(f"{options.table} is not there; set ANAPHOR_DATA to the folder that has Europarl")
    documents = documents_of(options.table, LanguagePair("en", "fr"))
    kept = json.loads(RESULTS.read_text(encoding="utf-8"))["runs"] if RESULTS.is_file() else []
    runs = {(one["job"], one["pairs"]): one for one in kept}
    for millions in options.millions:
        with tempfile.TemporaryDirectory() as name:
            pairs = write_shards(repeated(documents, round(millions * 1e6)), Path(name))
            for job in options.jobs:
                before = runs.get((job, pairs), {"same_bytes": True})
                found = measure(job, Path(name), pairs, options.ways)
                runs[job, pairs] = (
                    before | found | {"same_bytes": before["same_bytes"] and found["same_bytes"]}
                )
                if options.keep:
                    with options.keep.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(found) + "\n")
                if options.write:
                    keep([runs[key] for key in sorted(runs)])


def keep(runs: list[dict[str, Any]]) -> None:
    """Write what has been measured so far; some of it takes an hour."""
    python = sys.version.split()[0]
    report = {"benchmark": "scale", "python": python, "cpus": os.cpu_count(), "runs": runs}
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    fill(report)


if __name__ == "__main__":
    warn_without_native()
    main()
