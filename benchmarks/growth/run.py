"""How time grows with the length of a line, the number of lines, of documents and of systems.

Usage: python benchmarks/growth/run.py [--most SECONDS | --largest] [--only NAME ...] [--write]

Every job runs at sizes that double until one takes longer than a third of the limit; with `--largest`, at a
tenth of the largest size that anybody may want, and at that size. `power` is the exponent of the growth
between the last two sizes: 1 is linear, 2 quadratic. Times are of the processor, so that other work on the
machine hardly matters.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from anaphor import evaluate
from anaphor.align.pairs import MOST_TOKENS
from anaphor.core.engine import warn_without_native

HERE = Path(__file__).parent
WORDS = {
    "en": "it they the a house lamp tree old new stands falls shines and but here there on of in we",
    "fr": "il elle la le maison lampe arbre vieux tombe brille et mais ici sur de nous ils ce on y",
}
LINE, LINES, SYSTEMS, DOCUMENTS = "words in one of two lines", "lines", "systems", "documents"


def lines(language: str, count: int, length: int, seed: int = 1) -> list[str]:
    """Invented lines of so many words; another seed changes one word in ten."""
    rng, other = random.Random(0), random.Random(seed)  # noqa: S311 - invented text, no secret
    words = WORDS[language].split()
    return [
        " ".join(other.choice(words) if other.random() < 0.1 else rng.choice(words) for _ in range(length))
        for _ in range(count)
    ]


def score(
    count: int, length: int, *, systems: int = 1, documents: int = 0, **settings: Any
) -> Callable[[], None]:
    """A run of `evaluate` on invented texts, whose links are the diagonal unless the aligner is asked for."""
    source, reference = lines("en", count, length), lines("fr", count, length)
    candidates = {f"s{n}": lines("fr", count, length, seed=n + 2) for n in range(systems)}
    links: dict[str, Any] = {}
    if not settings.pop("aligned", False):
        diagonal = [[(k, k) for k in range(length)]] * count
        links = {"reference_alignments": [diagonal], "system_alignments": dict.fromkeys(candidates, diagonal)}
    names = [f"d{k * documents // count}" for k in range(count)] if documents else None
    chosen = {"metrics": ["apt", "autoprf"], "recognize": "list", "tokenized": True, **settings}
    texts = {"source": source, "references": [reference], "systems": candidates, "documents": names, **links}

    def run() -> None:
        evaluate(pair="en-fr", **texts, **chosen)

    return run


#: What grows, from where, and the job at a size.
JOBS: dict[str, tuple[str, int, Callable[[int], Callable[[], None]]]] = {
    "apt and autoprf": (LINE, 20_000, lambda n: score(2, n, samples=0)),
    "apt, raw text": (LINE, 5_000, lambda n: score(2, n, samples=0, tokenized=False)),
    "apt, analysis": (
        "words in one of two lines",
        1_000,
        lambda n: score(2, n, samples=0, recognize="analysis"),
    ),
    "bleu": (LINE, 20_000, lambda n: score(2, n, samples=0, metrics=["bleu"])),
    "chrf": (LINE, 5_000, lambda n: score(2, n, samples=0, metrics=["chrf"])),
    "meteor": (LINE, 500, lambda n: score(2, n, samples=0, metrics=["meteor"])),
    "aligner": (LINE, 100, lambda n: score(2, n, samples=0, aligned=True)),
    "apt and autoprf, 1,000 resamples": (LINES, 5_000, lambda n: score(n, 20)),
    "apt with the aligner": (LINES, 500, lambda n: score(n, 20, samples=0, aligned=True)),
    "meteor, 1,000 resamples": (LINES, 500, lambda n: score(n, 20, metrics=["meteor"])),
    "apt, paired tests": (SYSTEMS, 10, lambda n: score(200, 20, systems=n, paired=True)),
    "bleu, paired tests": (SYSTEMS, 5, lambda n: score(200, 20, systems=n, paired=True, metrics=["bleu"])),
    "apt, bounds, scores by document": (DOCUMENTS, 500, lambda n: score(2 * n, 20, documents=n, bounds=True)),
}

#: The largest sizes: a line of 10 MB, a million lines, 200 systems, 10,000 documents.
LARGEST = {
    "apt and autoprf": 2_500_000,
    "apt and autoprf, 1,000 resamples": 1_000_000,
    "apt, paired tests": 200,
    "apt, bounds, scores by document": 10_000,
}


def seconds(job: Callable[[], None]) -> float:
    start = time.process_time()
    job()
    return time.process_time() - start


#: Beyond these the program refuses to work.
REFUSED_BEYOND = {"aligner": MOST_TOKENS}


def measure(
    first: int, prepare: Callable[[int], Callable[[], None]], most: float, largest: float = math.inf
) -> list[tuple[int, float]]:
    """Sizes and their times, doubling; the first runs twice, for what is loaded once is not growth."""
    seconds(prepare(first))
    found: list[tuple[int, float]] = []
    size = first
    while len(found) < 2 or (found[-1][1] < most / 3 and size <= largest):
        found.append((size, seconds(prepare(size))))
        size *= 2
    return found


def table(rows: Sequence[dict[str, Any]]) -> str:
    """The rows as a table in Markdown."""
    made = ["| job | what grows | largest | seconds | power |", "|---|---|---|---|---|"]
    for r in rows:
        cells = r["job"], r["grows"], f"{r['largest']:,}", f"{r['seconds']:.1f}", f"{r['power']:.1f}"
        made.append(f"| {' | '.join(cells)} |")
    return "\n".join(made)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=float, default=6.0, help="seconds of processor for one job")
    parser.add_argument("--largest", action="store_true", help="jobs at the largest sizes instead")
    parser.add_argument("--only", nargs="+", choices=JOBS)
    parser.add_argument("--write", action="store_true", help="keep the result, also in the README")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = []
    mark = "largest" if options.largest else "measured"
    for name in options.only or (LARGEST if options.largest else JOBS):
        grows, first, prepare = JOBS[name]
        if options.largest:
            sizes = LARGEST[name] // 10, LARGEST[name]
            seconds(prepare(first))
            found = [(size, seconds(prepare(size))) for size in sizes]
        else:
            found = measure(first, prepare, options.most, REFUSED_BEYOND.get(name, math.inf))
        (small, before), (large, after) = found[-2:]
        power = math.log(after / before) / math.log(large / small)
        rows.append({"job": name, "grows": grows, "largest": large, "seconds": after, "power": power})
        print(json.dumps(rows[-1] | {"all": found}), flush=True)
    print(table(rows))
    if options.write:
        report = {
            "benchmark": "growth",
            "rows": rows,
            "python": sys.version.split()[0],
            "cpus": os.cpu_count(),
        }
        (HERE / "results").mkdir(exist_ok=True)
        name = "largest.json" if options.largest else "growth.json"
        (HERE / "results" / name).write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
        page = HERE / "README.md"
        top, _, rest = page.read_text(encoding="utf-8").partition(f"<!-- {mark} -->\n")
        bottom = rest.partition("<!-- end -->")[2]
        text = f"{top}<!-- {mark} -->\n{table(rows)}\n<!-- end -->{bottom}"
        page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    warn_without_native()
    main()
