"""How time and memory of whole commands grow: five sizes each, every one in a process of its own.

Usage: python benchmarks/growth/commands.py [--only NAME ...] [--largest SIZE] [--write]

Sizes double up to `--largest`, or to the largest of a job. A power is the slope of a straight line through
the logarithms of size and of processor time or memory, less those of a run at a sixteenth of the smallest
size: 1 is linear, 2 quadratic. Memory that hardly grows has none. Seconds by the clock mean something on a
quiet machine only, those of the processor nearly anywhere.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from anaphor.bench.items import Bench, BenchItem, write_bench
from anaphor.core import LanguagePair
from anaphor.suite import SuiteTexts, load_shipped, write_suite

HERE = Path(__file__).parent
SIZES = 5
WORDS = {
    "en": "it they the a house lamp tree old new stands falls shines and but here there on of in we",
    "fr": "il elle la le maison lampe arbre vieux tombe brille et mais ici sur de nous ils ce on y",
}
#: Runs the arguments as a command and prints processor seconds and the most memory it had, in KiB.
_WATCH = """if True:
    import resource, subprocess, sys
    done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    sys.stderr.buffer.write(done.stderr[-2000:])
    print(used.ru_utime + used.ru_stime, used.ru_maxrss, done.returncode)
"""


def text(language: str, lines: int, words: int = 12, seed: int = 0) -> str:
    """Invented sentences, each with a full stop."""
    rng = random.Random(f"{language}{seed}")  # noqa: S311 - invented text, no secret
    chosen = (" ".join(rng.choices(WORDS[language].split(), k=words)) for _ in range(lines))
    return "".join(f"{line.capitalize()} .\n" for line in chosen)


def write(folder: Path, **files: str) -> None:
    for name, content in files.items():
        (folder / name).write_text(content, encoding="utf-8")


def score(folder: Path, size: int, *more: str) -> list[str]:
    """Lines of one document in ten; two systems."""
    documents = "".join(f"d{line // 10}\n" for line in range(size))
    write(
        folder, s=text("en", size), r=text("fr", size), a=text("fr", size, seed=1), b=text("fr", size, seed=2)
    )
    write(folder, d=documents)
    files = ["--source", "s", "--reference", "r", "--candidate", "a", "b", "--documents", "d"]
    return ["score", "--pair", "en-fr", *files, *more]


def one_line(folder: Path, size: int) -> list[str]:
    """A line of nothing but pronouns."""
    write(folder, s="it " * size + "\n", r="il " * size + "\n", a="elle " * size + "\n")
    files = ["--source", "s", "--reference", "r", "--candidate", "a"]
    return ["score", "--pair", "en-fr", *files, "--metrics", "accept", "--samples", "0"]


def check(folder: Path, size: int) -> list[str]:
    """Units of one table."""
    sides = zip(text("en", size).splitlines(), text("fr", size).splitlines(), strict=True)
    write(folder, **{"units.tsv": "source\ttarget\n" + "".join(f"{one}\t{other}\n" for one, other in sides)})
    return ["check", "--fast", "--fail-on", "none", "--pair", "en-fr", "units.tsv"]


def align(folder: Path, size: int) -> list[str]:
    write(folder, s=text("en", size), t=text("fr", size))
    return ["align", "run", "--pair", "en-fr", "--source", "s", "--target", "t", "--output", "links"]


def long_score(folder: Path, size: int) -> list[str]:
    """One system whose links are given, so that the aligner is not what is measured; a thousand resamples."""
    write(folder, s=text("en", size), r=text("fr", size), a=text("fr", size, seed=1))
    links = " ".join(f"{at}-{at}" for at in range(13))
    write(folder, links=f"{links}\n" * size)
    files = ["--source", "s", "--reference", "r", "--candidate", "a", "--alignment-candidate", "links"]
    return ["score", "--pair", "en-fr", "--tokenized", *files, "--alignment-reference", "links"]


def documents(folder: Path, size: int) -> list[str]:
    """So many documents of two lines, and scores of each."""
    arguments = long_score(folder, 2 * size)
    write(folder, d="".join(f"d{line // 2}\n" for line in range(2 * size)))
    return [*arguments, "--documents", "d", "--by", "document"]


def bench(folder: Path, size: int) -> list[str]:
    """Items with two variants; scores of two systems."""
    sides = text("en", size), text("fr", size), text("fr", size, seed=1)
    items = tuple(
        BenchItem(f"i{at}", (source,), variants=(right, wrong), document=f"d{at // 10}")
        for at, (source, right, wrong) in enumerate(zip(*map(str.splitlines, sides), strict=True))
    )
    write_bench(folder / "bench.jsonl", Bench("b", LanguagePair("en", "fr"), "contrapro", items))
    rng = random.Random(0)  # noqa: S311 - invented scores, no secret
    scores = {name: "".join(f"{rng.random()}\n" for _ in range(2 * size)) for name in ("one", "two")}
    write(folder, **scores)
    return ["bench", "score", "bench.jsonl", "--scores", *scores, "--paired"]


def suite(folder: Path, size: int) -> list[str]:
    """Copies of the suite that ships, under other names."""
    loaded = load_shipped("anaphor-en-fr")
    copies = range(max(1, size // len(loaded.suite.items)))
    texts = {
        side: {f"{copy}-{name}": lines for copy in copies for name, lines in part.items()}
        for side, part in loaded.texts.sides()
    }
    own = loaded.suite
    renamed = [replace(each, id=f"{copy}-{each.id}") for copy in copies for each in own.documents]
    items = [
        replace(each, id=f"{copy}-{each.id}", document=f"{copy}-{each.document}")
        for copy in copies
        for each in own.items
    ]
    grown = replace(own, documents=tuple(renamed), items=tuple(items))
    write_suite(grown, folder / "suite", texts=SuiteTexts(texts.pop("source"), texts))
    right = [f"{line or ''}\n" for line in loaded.texts.lines("reference")]
    wrong = [line.replace("Elle", "Il").replace("elle", "il") for line in right]
    write(folder, one="".join(right) * len(copies), two="".join(wrong) * len(copies))
    return ["suite", "evaluate", "suite", "--candidate", "one", "two"]


def segment(folder: Path, size: int) -> list[str]:
    """One document, translated word by word."""
    words = dict(zip(*(WORDS[language].split() for language in ("en", "fr")), strict=False))
    source = text("en", size)
    target = " ".join(words.get(word, word) for word in source.lower().split())
    write(folder, s=source, c=target)
    return ["segment", "--pair", "en-fr", "--source", "s", "--candidate", "c", "--output", "out"]


def unrelated(folder: Path, size: int) -> list[str]:
    """One document and a text that translates nothing of it: most segments are omitted, and looked for."""
    write(folder, s=text("en", size), c=text("fr", size, seed=1).replace("\n", " "))
    return ["segment", "--pair", "en-fr", "--source", "s", "--candidate", "c", "--output", "out"]


def spans(folder: Path, size: int) -> list[str]:
    """Marks of three raters on four systems, one line for each."""
    source, rows = text("en", size).splitlines(), []
    for system in range(4):
        target = text("fr", size, seed=system).splitlines()
        for line, (one, other) in enumerate(zip(source, target, strict=True)):
            for rater in range(3):
                mark = [
                    {
                        "startIndex": 0,
                        "endIndex": 2,
                        "term": other[:2],
                        "error_category": "a",
                        "severity": "minor",
                    }
                ]
                row: dict[str, Any] = {"DOC_ID": f"d{line // 10}", "SEG_ID": str(line % 10), "source": one}
                row |= {"system": f"s{system}", "target": other, "rater": f"r{rater}"}
                rows.append(row | {"target_errors": mark if (line + rater) % 7 == 0 else []})
    write(folder, m="".join(json.dumps(row) + "\n" for row in rows))
    return ["meta", "spans", "--pair", "en-fr", "--bio-mqm", "m", "--texts", "texts"]


def report(folder: Path, size: int) -> list[str]:
    """A page for so many systems, on 200 lines."""
    files = {f"c{number}": text("fr", 200, seed=number + 1) for number in range(size)}
    write(folder, s=text("en", 200), r=text("fr", 200), **files)
    systems = ["--source", "s", "--reference", "r", "--candidate", *files]
    return ["score", "--pair", "en-fr", *systems, "--samples", "100", "--report", "page.html"]


#: What grows, the largest of the five sizes, and the files and arguments of a size.
JOBS: dict[str, tuple[str, int, Callable[[Path, int], list[str]]]] = {
    "score": ("lines", 80_000, lambda folder, size: score(folder, size)),
    "score --metrics accept": (
        *("lines", 2_000),
        lambda folder, size: score(folder, size, "--metrics", "accept", "--samples", "0"),
    ),
    "score --metrics accept, one line": ("pronouns in one line", 2_000, one_line),
    "check --fast": ("units", 16_000, check),
    "score, links given": ("lines", 1_000_000, long_score),
    "score --by document, links given": ("documents", 100_000, documents),
    "bench score": ("items", 160_000, bench),
    "suite evaluate": ("items", 8_000, suite),
    "align run": ("lines", 128_000, align),
    "segment": ("lines of one document", 20_000, segment),
    "segment, unrelated text": ("lines of one document", 20_000, unrelated),
    "meta spans": ("lines", 64_000, spans),
    "report": ("systems", 200, report),
}


def measured(arguments: Sequence[str], folder: Path) -> dict[str, float]:
    """Seconds by the clock and of the processor, and mebibytes, of one command."""
    begun = time.perf_counter()
    found = subprocess.run(
        [sys.executable, "-c", _WATCH, sys.executable, "-m", "anaphor", *arguments, "--quiet"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},  # this one, wherever it is
        check=True,
        capture_output=True,
        text=True,
    )
    seconds, memory, code = found.stdout.split()
    if code != "0":
        sys.exit(f"{' '.join(arguments)[:200]}: {found.stderr}")
    unit = 1 if sys.platform == "darwin" else 1024
    clock = time.perf_counter() - begun
    return {"clock": clock, "processor": float(seconds), "memory": int(memory) * unit / 2**20}


def power(sizes: Sequence[int], amounts: Sequence[float], start: float) -> float | None:
    """The slope of a straight line through the logarithms, less what a run takes for being started."""
    points = [
        (math.log(size), math.log(used - start))
        for size, used in zip(sizes, amounts, strict=True)
        if used - start > start / 4  # else the difference is mostly chance
    ]
    if len(points) < 3:
        return None
    x, y = (sum(side) / len(points) for side in zip(*points, strict=True))
    return float(sum((a - x) * (b - y) for a, b in points) / sum((a - x) ** 2 for a, _ in points))


def table(rows: Sequence[dict[str, Any]]) -> str:
    made = [
        "| command | what grows | sizes | processor seconds | power | MiB | power |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        runs = row["runs"]
        sizes = ", ".join(f"{size:,}" for size in row["sizes"])
        cells = (
            *(row["job"], row["grows"], sizes),
            ", ".join(f"{run['processor']:.1f}" for run in runs),
            f"{row['power']:.1f}",
            ", ".join(f"{run['memory']:.0f}" for run in runs),
            "" if row.get("memory_power") is None else f"{row['memory_power']:.1f}",
        )
        made.append(f"| {' | '.join(cells)} |")
    return "\n".join(made)


def write_table(lines: str) -> None:
    """Replace the table of commands in the README."""
    page = HERE / "README.md"
    top, mark, rest = page.read_text(encoding="utf-8").partition("<!-- commands -->\n")
    page.write_text(f"{top}{mark}{lines}\n<!-- end -->{rest.partition('<!-- end -->')[2]}", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", choices=JOBS)
    parser.add_argument("--largest", type=int, help="largest size of every job instead of its own")
    parser.add_argument("--write", action="store_true", help="keep the result")
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for name in options.only or JOBS:
        grows, largest, prepare = JOBS[name]
        sizes = [(options.largest or largest) >> step for step in reversed(range(SIZES))]
        runs = []
        for size in (max(1, sizes[0] // 16), *sizes):
            with tempfile.TemporaryDirectory() as folder:
                runs.append(measured(prepare(Path(folder), size), Path(folder)))
        start = runs.pop(0)
        powers = {kind: power(sizes, [run[kind] for run in runs], start[kind]) for kind in start}
        if powers["processor"] is None:
            sys.exit(f"{name}: the sizes are too small to tell how time grows")
        row = {"job": name, "grows": grows, "sizes": sizes, "start": start, "runs": runs}
        rows.append(row | {"power": powers["processor"], "memory_power": powers["memory"]})
        print(json.dumps(rows[-1]), flush=True)
    print(table(rows))
    if options.write:
        load = os.getloadavg()[0] / (os.cpu_count() or 1)
        quiet = "quiet" if load < 0.5 else f"not quiet: {load:.1f} waiting for each core"
        path = HERE / "results" / "commands.json"
        before = json.loads(path.read_text(encoding="utf-8"))["rows"] if path.is_file() else []
        rows += [row for row in before if row["job"] not in {new["job"] for new in rows}]
        rows.sort(key=lambda row: [*JOBS].index(row["job"]))
        content = {"benchmark": "growth of commands", "machine": quiet, "rows": rows}
        path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
        write_table(table(rows))


if __name__ == "__main__":
    main()
