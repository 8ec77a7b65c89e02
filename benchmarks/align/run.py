"""Time, alignment error rate and pronoun links of the aligner, one JSON line per measurement.

    python benchmarks/align/run.py [--data FOLDER] [--pairs 33000] [--fast-align PROGRAM] [--threads 2]

See README.md here for the data, the rivals and the ranges to expect.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import platform
import random
import re
import resource
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from anaphor.align import HmmAligner, HmmOptions, PriorTable, SentencePair, best_engine, built_in_prior
from anaphor.core import Alignment, LanguagePair
from anaphor.languages import Tokenizer, load_language

DATA = Path(os.environ.get("ANAPHOR_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
Gold = tuple[set[tuple[int, int]], set[tuple[int, int]]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--pairs", type=int, default=33_000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--fast-align", help="path of the fast_align program, timed in both directions")
    arguments = parser.parse_args()
    options = HmmOptions(threads=arguments.threads)
    for language in ("fr", "de", "es"):
        background = list(europarl(arguments.data, language, 30_000))
        prior = built_in_prior(LanguagePair("en", language))
        pronoun_links(arguments.data, language, options, background=(), prior=prior)
        pronoun_links(arguments.data, language, options, background=background, prior=prior)
        pronoun_links(arguments.data, language, options, background=background, prior=None)
    hansards(arguments.data, options, pairs=0, prior=built_in_prior(LanguagePair("en", "fr")))
    for pairs in (10_000, arguments.pairs):
        hansards(arguments.data, options, pairs=pairs, prior=None, rival=arguments.fast_align)


def pronoun_links(
    data: Path,
    language: str,
    options: HmmOptions,
    *,
    background: Sequence[SentencePair],
    prior: PriorTable | None,
) -> None:
    """Precision, recall and F of the links of it/they, and how many were rightly left alone."""
    path = data / f"gold-alignments/pronoun-links/en-{language}.jsonl"
    items = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    pairs: list[SentencePair] = [(item["source"], item["target"]) for item in items]
    aligner = HmmAligner(options, LanguagePair("en", language), prior)
    begin = time.perf_counter()
    found = list(aligner.align(pairs, extra=background))
    seconds = time.perf_counter() - begin
    made = right = sure = hit = empty = left_alone = 0
    for item, alignment in zip(items, found, strict=True):
        links = set(alignment.targets_of(item["pronoun"]))
        allowed = {*item["sure"], *item["possible"]}
        made, right = made + len(links), right + len(links & allowed)
        sure, hit = sure + len(item["sure"]), hit + len(links & set(item["sure"]))
        empty, left_alone = empty + (not allowed), left_alone + (not allowed and not links)
    precision, recall = right / max(made, 1), hit / max(sure, 1)
    say(
        "pronoun links",
        pair=f"en-{language}",
        background=len(background),
        prior=prior is not None,
        precision=precision,
        recall=recall,
        f=2 * precision * recall / max(precision + recall, 1e-9),
        left_alone=f"{left_alone}/{empty}",
        seconds=seconds,
    )


def hansards(
    data: Path, options: HmmOptions, *, pairs: int, prior: PriorTable | None, rival: str | None = None
) -> None:
    """Alignment error rate on the Hansards sentences after training on them and on Europarl."""
    gold = list(_hansards_gold(data))
    text = [*_hansards_text(data), *(_wpt(pair) for pair in europarl(data, "fr", pairs))]
    begin = time.perf_counter()
    trained = HmmAligner(options, LanguagePair("en", "fr"), prior).train(text)
    found = list(trained.align(text))
    seconds = time.perf_counter() - begin
    say(
        "hansards",
        pairs=pairs,
        prior=prior is not None,
        aer=error_rate(gold, found),
        seconds=seconds,
        fast_align_seconds=None if rival is None else _time_fast_align(rival, text),
    )


def error_rate(gold: Sequence[Gold], found: Sequence[Alignment]) -> float:
    """1 - (|A and S| + |A and P|) / (|A| + |S|), Och and Ney (2003)."""
    made = sure = good = 0
    for (certain, possible), alignment in zip(gold, found, strict=False):
        links = set(zip(alignment.sources, alignment.targets, strict=True))
        made, sure = made + len(links), sure + len(certain)
        good += len(links & certain) + len(links & possible)
    return 1 - good / (made + sure)


def europarl(data: Path, language: str, most: int) -> Iterator[SentencePair]:
    """A random sample, always the same, of sentences up to 100 tokens."""
    with gzip.open(data / f"europarl/europarl.en-{language}.docs.tsv.gz", "rt", encoding="utf-8") as lines:
        rows = [line.rstrip("\n").split("\t") for line in lines][1:]
    random.Random(1).shuffle(rows)  # noqa: S311 - a sample, no secret
    tokenizers = Tokenizer(load_language("en")), Tokenizer(load_language(language))
    made = 0
    for row in rows:
        if made == most:
            return
        source, target = (cut(text).tokens for cut, text in zip(tokenizers, row[3:5], strict=True))
        if 0 < len(source) <= 100 and 0 < len(target) <= 100:
            made += 1
            yield source, target


def _hansards_text(data: Path) -> Iterator[SentencePair]:
    path = data / "gold-alignments/hansards-en-fr/enfr.src-tgt"
    for line in path.read_text(encoding="utf-8").splitlines():
        source, target = line.split("|||")
        yield source.split(), target.split()


def _hansards_gold(data: Path) -> Iterator[Gold]:
    path = data / "gold-alignments/hansards-en-fr/enfr.gold"
    for line in path.read_text(encoding="utf-8").splitlines():
        links = re.findall(r"(\d+)([-p])(\d+)", line)
        possible = {(int(i) - 1, int(j) - 1) for i, _, j in links}
        yield {(int(i) - 1, int(j) - 1) for i, mark, j in links if mark == "-"}, possible


def _wpt(pair: SentencePair) -> SentencePair:
    """French as in the Hansards gold: l' as le, du as de le."""
    parts = {
        "l'": ["le"],
        "l’": ["le"],
        "du": ["de", "le"],
        "des": ["de", "les"],
        "au": ["à", "le"],
        "aux": ["à", "les"],
    }
    return pair[0], [word for token in pair[1] for word in parts.get(token.lower(), [token])]


def _time_fast_align(program: str, text: Sequence[SentencePair]) -> float:
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".txt") as file:
        file.writelines(f"{' '.join(s).lower()} ||| {' '.join(t).lower()}\n" for s, t in text)
        file.flush()
        begin = time.perf_counter()
        for direction in ([], ["-r"]):
            command = [program, "-i", file.name, "-d", "-o", "-v", *direction]
            subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        return time.perf_counter() - begin


def say(what: str, **figures: Any) -> None:
    """One measurement as a line of JSON, with the machine it was made on."""
    rounded = {key: round(value, 4) if isinstance(value, float) else value for key, value in figures.items()}
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    place = {"engine": best_engine().name, "machine": platform.machine(), "peak_mb": memory}
    print(json.dumps({"what": what, **rounded, **place}), flush=True)


if __name__ == "__main__":
    main()
