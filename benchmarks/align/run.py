"""The aligner beside eflomal and fast_align: seconds, alignment error rate, links of it and they.

Usage: python benchmarks/align/run.py [--pairs 33000] [--background 30000] [--only NAME] [--write]
       python benchmarks/align/run.py --only xlwa --free FOLDER [--write]

FOLDER has for each language the development part of XL-WA (`xlwa-dev.it.tsv`) and the free parallel text of
`tools/free_text.py` (`en-it.tsv`). Prints a line of JSON for every measurement. Rivals that are not on the
PATH are named and left out.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import platform
import random
import re
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from anaphor.align import HmmAligner, HmmOptions, SentencePair, best_engine, built_in_pairs, built_in_prior
from anaphor.align.evaluate import evaluate_links, evaluate_pronoun_links
from anaphor.align.external import Eflomal, FastAlign
from anaphor.align.gold import read_hansards, read_pronoun_links, read_xlwa
from anaphor.align.programs import Aligner
from anaphor.core import Alignment, LanguagePair
from anaphor.core.engine import warn_without_native
from anaphor.languages import Tokenizer, fold, load_language
from anaphor.languages.choose_tokenizer import tokenizer_of

DATA = Path(os.environ.get("ANAPHOR_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
GOLD = DATA / "gold-alignments"
#: How rivals join their two directions.
WAY = "grow-diag-final-and"
#: Rivals by name: the program they need, and how they are built.
RIVALS: dict[str, tuple[str, Callable[[str], Aligner]]] = {
    "fast_align": ("fast_align", lambda way: FastAlign(symmetrization=way)),
    "eflomal": ("eflomal-align", lambda way: Eflomal(symmetrization=way)),
}
#: French in the Hansards gold has no elision and no contraction.
PARTS = {
    "l'": ["le"],
    "l’": ["le"],
    "du": ["de", "le"],
    "des": ["de", "les"],
    "au": ["à", "le"],
    "aux": ["à", "les"],
}


def rivals() -> Iterator[tuple[str, Callable[[str], Aligner]]]:
    for name, (program, build) in RIVALS.items():
        if shutil.which(program):
            yield name, build
        else:
            say(what="left out", aligner=name, reason=f"{program} is not on the PATH")


def timed(aligner: Aligner, pairs: Sequence[SentencePair]) -> tuple[list[Alignment], dict[str, float]]:
    """The alignments, and the seconds they took, those of called programs included."""
    wall, cpu = time.perf_counter(), os.times()
    found = list(aligner.align(pairs))
    spent = sum(os.times()[:4]) - sum(cpu[:4])
    return found, {"wall_s": time.perf_counter() - wall, "cpu_s": spent}


def hansards(pairs: int) -> Iterator[dict[str, Any]]:
    """Error rate on 447 sentences, alone with priors, and trained together with Europarl."""
    segments = read_hansards(GOLD / "hansards-en-fr/enfr.gold", text=GOLD / "hansards-en-fr/enfr.src-tgt")
    golds = [segment.gold for segment in segments]
    text: list[SentencePair] = [(segment.source, segment.target) for segment in segments]
    more = [_as_in_the_gold(pair) for pair in europarl("fr", pairs)]
    pair = LanguagePair("en", "fr")
    prior = built_in_prior(pair)
    for background, known, threads in (([], prior, 2), (more, None, 2), (more, None, 1), (more, prior, 2)):
        aligner = HmmAligner(HmmOptions(threads=threads), pair, known)
        found, seconds = timed(aligner, [*text, *background])
        yield {
            "what": "hansards",
            "aligner": "anaphor",
            "background": len(background),
            "priors": known is not None,
            "threads": threads,
            "aer": evaluate_links(golds, found[: len(golds)]).aer,
            **seconds,
        }
    lower = [([fold(w) for w in s], [fold(w) for w in t]) for s, t in (*text, *more)]
    for name, build in rivals():
        found, seconds = timed(build(WAY), lower)
        aer = evaluate_links(golds, found[: len(golds)]).aer
        yield {"what": "hansards", "aligner": name, "background": len(more), "aer": aer, **seconds}


def xlwa(folder: Path, size: int) -> Iterator[dict[str, Any]]:
    """Error rate on XL-WA's development part, alone and trained together with free text."""
    for language in ("it", "pt", "ru", "nl"):
        pair = LanguagePair("en", language)
        segments = read_xlwa(folder / f"xlwa-dev.{language}.tsv")
        golds = [segment.gold for segment in segments]
        text: list[SentencePair] = [(segment.source, segment.target) for segment in segments]
        more = list(free_text(folder / f"{pair}.tsv", pair, size))
        row = {"what": "xlwa", "pair": str(pair)}
        for prior in (None, built_in_prior(pair)) if str(pair) in built_in_pairs() else (None,):
            for background in ([], more):
                found, seconds = timed(HmmAligner(HmmOptions(), pair, prior), [*text, *background])
                aer = evaluate_links(golds, found[: len(golds)]).aer
                row |= {"aligner": "anaphor", "background": len(background), "priors": prior is not None}
                yield {**row, "aer": aer, **seconds}
        lower = [([fold(w) for w in s], [fold(w) for w in t]) for s, t in (*text, *more)]
        for name, build in rivals():
            found, seconds = timed(build(WAY), lower)
            aer = evaluate_links(golds, found[: len(golds)]).aer
            row = {"what": "xlwa", "pair": str(pair), "aligner": name, "background": len(more)}
            yield {**row, "aer": aer, **seconds}


def free_text(path: Path, pair: LanguagePair, most: int) -> Iterator[SentencePair]:
    """A random sample, always the same, of sentences up to 100 tokens."""
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    random.Random(1).shuffle(rows)  # noqa: S311 - a sample, no secret
    cut_source, cut_target = tokenizer_of(pair.source), tokenizer_of(pair.target)
    words = ((cut_source(source).tokens, cut_target(target).tokens) for source, target in rows)
    yield from islice((both for both in words if all(0 < len(side) <= 100 for side in both)), most)


def pronouns(size: int) -> Iterator[dict[str, Any]]:
    """Links of it and they in three language pairs, with priors alone and with background text."""
    for language in ("fr", "de", "es"):
        pair = LanguagePair("en", language)
        items = read_pronoun_links(GOLD / f"pronoun-links/en-{language}.jsonl")
        text: list[SentencePair] = [(item.source, item.target) for item in items]
        more = list(europarl(language, size))
        prior = built_in_prior(pair)
        for background, known in (([], prior), (more, prior), (more, None)):
            aligner = HmmAligner(HmmOptions(), pair, known)
            found, seconds = timed(aligner, [*text, *background])
            row = {"aligner": "anaphor", "background": len(background), "priors": known is not None}
            yield {**row, "pair": str(pair), **_pronoun_figures(items, found), **seconds}
        lower = [([fold(w) for w in s], [fold(w) for w in t]) for s, t in (*text, *more)]
        for name, build in rivals():
            found, seconds = timed(build(WAY), lower)
            row = {"aligner": name, "background": len(more)}
            yield {**row, "pair": str(pair), **_pronoun_figures(items, found), **seconds}


def subtitles() -> Iterator[dict[str, Any]]:
    """Links of it and they in French subtitles, with and without priors; the text has nothing but the items.

    The first hundred items and every other hundred were for choosing; the figures are those of the rest.
    """
    pair = LanguagePair("en", "fr")
    for name, items in (("scat", list(scat())), ("contrastive", list(contrastive()))):
        for prior in (None, built_in_prior(pair)):
            found = list(HmmAligner(pair=pair, prior=prior).align([(s, t) for s, _, t, _ in items]))
            row = {"what": "subtitles", "data": name, "priors": prior is not None}
            for half in ("chosen", "reported"):
                own = [k for k in range(len(items)) if k // 100 % 2 == ("chosen", "reported").index(half)]
                linked = [(found[k].targets_of(items[k][1]), items[k][3]) for k in own]
                right, links = sum(t in to for to, t in linked), sum(len(to) for to, _ in linked)
                figures = {"precision": right / links, "recall": right / len(own), "items": len(own)}
                yield {**row, "half": half, **figures, "f": 2 * right / (links + len(own))}


#: Words of a sentence and the place of its pronoun, in English and in French.
SubtitleItem = tuple[Sequence[str], int, Sequence[str], int]


def scat() -> Iterator[SubtitleItem]:
    """Pairs of SCAT with one pronoun marked on either side."""
    tokenizers = [Tokenizer(load_language(code)) for code in ("en", "fr")]
    files = [DATA / f"scat-en-fr/highlighted.train.{code}.gz" for code in ("en", "fr")]
    with (
        gzip.open(files[0], "rt", encoding="utf-8") as one,
        gzip.open(files[1], "rt", encoding="utf-8") as two,
    ):
        for lines in zip(one, two, strict=True):
            sides = [_marked(line, tokenizer) for line, tokenizer in zip(lines, tokenizers, strict=True)]
            if sides[0] is not None and sides[1] is not None:
                yield *sides[0], *sides[1]


def _marked(line: str, tokenizer: Tokenizer) -> tuple[Sequence[str], int] | None:
    parts = re.split(r"<p>\s*(.*?)\s*</p>", re.sub("<hon>|<hoff>", "", line).strip())
    if len(parts) != 3:
        return None
    sentence = tokenizer("".join(parts))
    if len(parts[0]) not in sentence.starts:
        return None
    place = sentence.starts.index(len(parts[0]))
    return (sentence.tokens, place) if sentence.tokens[place].lower() == parts[1].lower() else None


def contrastive() -> Iterator[SubtitleItem]:
    """Pairs of the large contrastive set with one it or they; what the variants differ in translates it."""
    english, french = (Tokenizer(load_language(code)).words for code in ("en", "fr"))
    with gzip.open(
        DATA / "contrastive-lopes-en-fr/items.every-fourth.jsonl.gz", "rt", encoding="utf-8"
    ) as lines:
        for item in map(json.loads, lines):
            source, right, wrong = english(item["source"][-1]), french(item["correct"]), french(item["wrong"])
            here = [place for place, word in enumerate(source) if word.lower() in ("it", "they")]
            there = [place for place, (one, two) in enumerate(zip(right, wrong, strict=False)) if one != two]
            there = [place for place in there if right[place].lower() in ("il", "elle", "ils", "elles")]
            if len(right) == len(wrong) and len(here) == len(there) == 1:
                yield source, here[0], right, there[0]


def speed(size: int) -> Iterator[dict[str, Any]]:
    """Processor seconds on English-French, the least of three runs, and how many times ours rivals take."""
    pair, pairs = LanguagePair("en", "fr"), list(europarl("fr", size))
    aligners = {
        priors: HmmAligner(pair=pair, prior=built_in_prior(pair) if priors else None)
        for priors in (False, True)
    }
    ours = {
        priors: min((timed(aligner, pairs)[1] for _ in range(3)), key=lambda one: one["cpu_s"])
        for priors, aligner in aligners.items()
    }
    for priors, seconds in ours.items():
        yield {"what": "speed", "aligner": "anaphor", "pairs": len(pairs), "priors": priors, **seconds}
    lower = [([fold(w) for w in s], [fold(w) for w in t]) for s, t in pairs]
    for name, build in rivals():
        seconds = timed(build(WAY), lower)[1]
        ratios = {
            f"times_ours_priors_{priors}": seconds["cpu_s"] / own["cpu_s"] for priors, own in ours.items()
        }
        yield {"what": "speed", "aligner": name, "pairs": len(pairs), **seconds, **ratios}


def _pronoun_figures(items: Sequence[Any], found: Sequence[Alignment]) -> dict[str, Any]:
    total = evaluate_pronoun_links(items, found[: len(items)]).total
    return {
        "what": "pronoun links",
        "precision": total.links.precision,
        "recall": total.links.recall,
        "f": total.links.f,
        "left_alone": f"{total.left_alone}/{total.unaligned}",
    }


def europarl(language: str, most: int) -> Iterator[SentencePair]:
    """A random sample, always the same, of sentences up to 100 tokens."""
    with gzip.open(DATA / f"europarl/europarl.en-{language}.docs.tsv.gz", "rt", encoding="utf-8") as lines:
        rows = [line.rstrip("\n").split("\t") for line in lines][1:]
    random.Random(1).shuffle(rows)  # noqa: S311 - a sample, no secret
    source_words, target_words = (Tokenizer(load_language(code)).words for code in ("en", language))
    words = ((source_words(row[3]), target_words(row[4])) for row in rows)
    short = (pair for pair in words if all(0 < len(side) <= 100 for side in pair))
    yield from islice(short, most)


def _as_in_the_gold(pair: SentencePair) -> SentencePair:
    return pair[0], [word for token in pair[1] for word in PARTS.get(token.lower(), [token])]


def say(**figures: Any) -> str:
    rounded = {key: round(value, 4) if isinstance(value, float) else value for key, value in figures.items()}
    line = json.dumps(rounded)
    print(line, flush=True)
    return line


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=33_000, help="Europarl pairs beside the Hansards")
    parser.add_argument("--background", type=int, default=30_000, help="Europarl pairs beside the pronouns")
    parser.add_argument("--only", choices=("hansards", "pronouns", "subtitles", "speed", "xlwa"))
    parser.add_argument("--free", type=Path, metavar="FOLDER", help="XL-WA's development parts and free text")
    parser.add_argument("--write", action="store_true", help="keep the lines under results/")
    options = parser.parse_args()
    if not GOLD.is_dir():
        parser.exit(1, f"{GOLD} is not there; set ANAPHOR_DATA to the folder that has it\n")
    lines = [say(what="machine", engine=best_engine().name, cpu=platform.machine(), cpus=os.cpu_count())]
    parts: dict[str, Callable[[], Iterator[dict[str, Any]]]] = {
        "hansards": lambda: hansards(options.pairs),
        "pronouns": lambda: pronouns(options.background),
        "subtitles": subtitles,
        "speed": lambda: speed(options.background),
    }
    if options.free is not None:
        parts["xlwa"] = lambda: xlwa(options.free, 10_000)
    elif options.only == "xlwa":
        parser.error("--only xlwa needs --free FOLDER")
    for name, rows in parts.items():
        if options.only in (None, name):
            lines += [say(**row) for row in rows()]
    if options.write:
        target = Path(__file__).parent / "results" / f"{options.only or 'align'}.jsonl"
        target.parent.mkdir(exist_ok=True)
        target.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    warn_without_native()
    main()
