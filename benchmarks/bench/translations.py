"""12,000 translations: `anaphor bench score --translations` by both rules, beside CTXPro's own loop.

    python benchmarks/bench/translations.py [--whole] [--write]

The items are CTXPro's German formality set with DeepL's outputs, repeated up to 12,000 (ANAPHOR_DATA). The
rival is the loop of its score.py: one package that splits sentences, one search per item. It knows one of
our two rules and nothing else. Both run as whole processes, in processor seconds of all cores together.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import resource
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from anaphor.bench import make_from_files, write_bench

HERE = Path(__file__).parent
ITEMS = 12_000
STEM = "mini.formality.opensubtitles.en-de.test"
RIVAL = """
import json, string, sys
from sentence_splitter import SentenceSplitter
splitter = SentenceSplitter(language="de")
items = json.load(open(sys.argv[1]))
right = 0
for item, line in zip(items, open(sys.argv[2])):
    text = (splitter.split(text=line.strip()) or [line.strip()])[-1].lower()
    text = " " + "".join(one for one in text if one not in string.punctuation) + " "
    right += f" {item['expected'].lower()} " in text
print(right)
"""


def seconds(command: list[str]) -> float:
    """The processor time of one run."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--whole", action="store_true", help="outputs with four sentences of context")
    parser.add_argument("--write", action="store_true", help="keep the figures in results/")
    options = parser.parse_args()
    data = Path(os.environ.get("ANAPHOR_DATA", HERE.parents[2] / "shared/data")) / "ctxpro-paper"
    kind = "contexts" if options.whole else "sentences"
    bench = make_from_files("ctxpro-formality", [data / f"{STEM}.json.gz", data / f"{STEM}.inputs.gz"])
    lines = gzip.decompress((data / f"deepl.{STEM}.{kind}.gz").read_bytes()).decode().split("\n")[:-1]
    items = [replace(bench.items[at % len(lines)], id=str(at)) for at in range(ITEMS)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_bench(folder / "set.jsonl", replace(bench, items=tuple(items)))
        (folder / "set.json").write_text(json.dumps([{"expected": one.expected[0]} for one in items]))
        (folder / "out.de").write_text("".join(f"{lines[at % len(lines)]}\n" for at in range(ITEMS)))
        command = [sys.executable, "-m", "anaphor", "bench", "score", str(folder / "set.jsonl")]
        command += ["--translations", str(folder / "out.de"), *(["--whole"] if options.whole else [])]
        both, linked = seconds(command), seconds([*command, "--rule", "linked"])
        rival = seconds([sys.executable, "-c", RIVAL, str(folder / "set.json"), str(folder / "out.de")])
    figures = {
        "items": ITEMS,
        "lines": kind,
        "both rules, processor seconds": round(both, 1),
        "linked alone, processor seconds": round(linked, 1),
        "CTXPro's loop, processor seconds": round(rival, 1),
        "ratio of processor seconds, both rules to CTXPro's one": round(both / rival, 2),
        "cores": os.cpu_count(),
    }
    print(json.dumps(figures))
    if options.write:
        target = HERE / "results" / f"translations-{kind}.json"
        target.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
