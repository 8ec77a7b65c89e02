"""How much memory training takes, and how it grows: Europarl repeated and shuffled up to a million pairs.

Usage: python benchmarks/align/memory.py [--sizes 100000 300000 1000000] [--threads 2] [--write]

Prints a line of JSON for every size: the peak of resident memory beyond what the process and the word numbers
of the text take, and seconds. Every size runs in a process of its own, which reads the pairs one by one.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from anaphor.align import HmmAligner, HmmOptions, SentencePair
from anaphor.align.vocabulary import WordVocabulary, number_pairs, whole_words
from anaphor.core import LanguagePair
from anaphor.core.engine import warn_without_native

DATA = Path(os.environ.get("ANAPHOR_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
TEXT = DATA / "europarl/europarl.en-fr.docs.tsv.gz"
#: Bytes of `ru_maxrss`.
UNIT = 1 if sys.platform == "darwin" else 1024


def pairs(number: int) -> Iterator[SentencePair]:
    """Europarl again and again, each time in another order, cut at white space and before punctuation."""
    with gzip.open(TEXT, "rt", encoding="utf-8") as rows:
        next(rows)
        lines = ["\t".join(row.rstrip("\n").split("\t")[3:5]).encode() for row in rows]
    shuffle = random.Random(1).shuffle  # noqa: S311 - an order, no secret
    made = 0
    while made < number:
        shuffle(lines)
        for line in lines[: number - made]:
            source, target = line.decode().split("\t")
            yield _tokens(source), _tokens(target)
        made += min(len(lines), number - made)


def _tokens(text: str) -> list[str]:
    for mark in ",.;:?!":
        text = text.replace(mark, f" {mark}")
    return text.replace("'", "' ").split()


def peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * UNIT


def measure(number: int, threads: int, *, train: bool) -> dict[str, float]:
    """Peak memory and seconds of numbering the pairs alone, or of training on them."""
    begin = time.perf_counter()
    if train:
        HmmAligner(HmmOptions(threads=threads), LanguagePair("en", "fr")).train(pairs(number))
    else:
        vocabularies = WordVocabulary(whole_words), WordVocabulary(whole_words)
        number_pairs(pairs(number), source=vocabularies[0], target=vocabularies[1])
    return {"peak": peak(), "seconds": time.perf_counter() - begin}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[100_000, 300_000, 1_000_000])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--write", action="store_true", help="keep the lines under results/")
    parser.add_argument("--one", choices=("text", "training"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if not TEXT.is_file():
        parser.exit(1, f"{TEXT} is not there; set ANAPHOR_DATA to the folder that has it\n")
    if options.one:
        print(json.dumps(measure(options.sizes[0], options.threads, train=options.one == "training")))
        return
    lines = [_compare(size, options.threads) for size in options.sizes]
    if options.write:
        target = Path(__file__).parent / "results" / "memory.jsonl"
        target.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _compare(size: int, threads: int) -> str:
    text, training = (
        json.loads(
            subprocess.run(
                [sys.executable, __file__, "--sizes", str(size), "--threads", str(threads), "--one", one],
                capture_output=True,
                check=True,
            ).stdout
        )
        for one in ("text", "training")
    )
    line = json.dumps(
        {
            "pairs": size,
            "threads": threads,
            "text_mb": round(text["peak"] / 1e6),
            "beyond_text_mb": round((training["peak"] - text["peak"]) / 1e6),
            "seconds": round(training["seconds"] - text["seconds"], 1),
        }
    )
    print(line, flush=True)
    return line


if __name__ == "__main__":
    warn_without_native()
    main()
