"""A small language model as a predictor: `anaphor predict connect` and `evaluate` on DiscoMT 2015's teddev.

    python benchmarks/llm/connect.py qwen2.5-coder-0.5b --lines 60 --engine torch --write

The shipped predictor answers the same lines. Its network was chosen on this set, so it is no rival here: it
shows what the lines allow. Answers are cached, so a run with more lines goes on from there.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.llm.contrastive import PREDICTOR
from benchmarks.llm.serve import ENGINES, MODELS, served

RESULTS = Path(__file__).parent / "results" / "connect.json"


def anaphor(*arguments: str) -> str:
    """What the program prints; a failure ends the benchmark with its message."""
    command = [sys.executable, "-m", "anaphor", *arguments]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def evaluated(model: str, test: Path, lines: int) -> dict[str, Any]:
    """Figures and notes of a predictor on the first lines of a file."""
    found = json.loads(
        anaphor("predict", "evaluate", model, str(test), "--pair", "en-fr", "--limit", str(lines), "--json")
    )
    (system,) = found["systems"]
    return {
        "placeholders": found["placeholders"],
        "right": system["right"],
        "accuracy": system["accuracy"],
        "macro-recall": system["macro-recall"],
        "notes": [note for note in found["notes"] if "two orders" in note],
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("model", choices=sorted(MODELS))
    parser.add_argument("--lines", type=int, default=60)
    parser.add_argument("--folder", type=Path, default=Path("~/.cache/anaphor-llm"))
    parser.add_argument("--engine", choices=ENGINES, default=ENGINES[0])
    parser.add_argument("--write", action="store_true", help="keep the figures in results/")
    options = parser.parse_args()
    test = Path(os.environ["ANAPHOR_DATA"]) / "discomt2015-task" / "teddev.tsv"
    with (
        tempfile.TemporaryDirectory() as folder,
        served(options.model, options.folder, engine=options.engine) as url,
    ):
        os.environ["XDG_CONFIG_HOME"] = folder  # the permission for this server is not kept
        made = str(Path(folder) / "model")
        cache = str(options.folder.expanduser() / "answers")
        anaphor(
            *("predict", "connect", "--server", url, "--model", options.model, "--pair", "en-fr"),
            *("--year", "2015", "--logprobs", "20", "--timeout", "900", "--cache", cache, "--output", made),
        )
        results = {
            name: evaluated(path, test, options.lines)
            for name, path in ((options.model, made), (PREDICTOR, PREDICTOR))
        }
    print(json.dumps(results, indent=1))
    if options.write:
        RESULTS.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
