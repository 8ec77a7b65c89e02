"""Frames to be judged by reading, and the count of what readers said.

    python benchmarks/annotate/read_frames.py draw FILE [--plain PAIR SOURCE CANDIDATE [CANDIDATE ...]]
    python benchmarks/annotate/read_frames.py count

`draw` writes 200 random frames of the shipped suites (of both candidates and of the reference as a third
system), or of a plain text, for somebody to read: source, translation, the pronoun in [[ ]] and its frame in
{{ }}. The reader's verdicts are lines of `results/frames-read.jsonl`, which `count` adds up: *right* (also:
no frame, and nothing renders the pronoun), *missing*, *wrong*, and the cause of what is not right.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path

from anaphor.align import AlignerChoice
from anaphor.core import LanguagePair
from anaphor.corpus import Text, read_text
from anaphor.suite import EvaluationOptions, LoadedSuite, load_shipped, plain_suite
from anaphor.suite.frames import FrameFinder, ItemFrame
from anaphor.suite.linking import LinkedTexts, link_texts, tokenizer_for
from anaphor.suite.texts import TokenizedSide, TokenPlace

VERDICTS = Path(__file__).parent / "results" / "frames-read.jsonl"
SUITES = ("anaphor-en-fr", "anaphor-en-de")
DRAWN, SEED = 200, 48


def marked(words: Sequence[str], places: TokenPlace, segment: int, marks: tuple[str, str]) -> str:
    chosen = {at for line, at in places if line == segment}
    return " ".join(f"{marks[0]}{word}{marks[1]}" if at in chosen else word for at, word in enumerate(words))


def framed(
    loaded: LoadedSuite, candidates: Mapping[str, Text]
) -> Iterator[tuple[str, int, ItemFrame, LinkedTexts]]:
    """Every frame of every candidate: system, number of the item, frame, and the tokens."""
    options = EvaluationOptions(aligner=AlignerChoice(pair=loaded.suite.pair))
    linked = link_texts(loaded, candidates, options, links=None, progress=lambda _: None)
    words = tokenizer_for(loaded.suite.pair.target, options, links=None)
    sides = {side: TokenizedSide(loaded.texts, side, words) for side in loaded.texts.references}
    finder = FrameFinder(loaded, linked, references={side: own.tokens for side, own in sides.items()})
    for system, text in candidates.items():
        for number, frame in enumerate(finder.find(system, text)):
            yield system, number, frame, linked


def readable(
    name: str, loaded: LoadedSuite, candidates: Mapping[str, Text]
) -> Iterator[tuple[dict[str, str], str]]:
    """The name of every frame, and what a reader needs to judge it."""
    lines = list(loaded.texts.source_lines)
    for system, number, frame, linked in framed(loaded, candidates):
        item, tokens = loaded.suite.items[number], linked.items[number]
        key = {"set": name, "system": system, "item": item.id, "by": frame.source.value}
        segment = tokens.pronoun[0][0]
        shown = [lines[segment - 1] if segment else ""]
        shown += [marked(linked.source[segment], tokens.pronoun, segment, ("[[", "]]"))]
        for at in sorted({segment, *(line for line, _ in frame.pronoun)}):
            shown += [marked(linked.tokens[system][at], frame.pronoun, at, ("{{", "}}"))]
        for head, place in zip(tokens.heads, frame.heads, strict=True):
            for at in sorted({line for line, _ in head}):
                shown += ["head: " + marked(linked.source[at], head, at, ("[[", "]]"))]
                shown += ["      " + marked(linked.tokens[system][at], place, at, ("{{", "}}"))]
        yield key, "\n".join(shown)


def shipped() -> Iterator[tuple[dict[str, str], str]]:
    for name in SUITES:
        loaded = load_shipped(name)
        folder = files("anaphor") / "suite" / "shipped" / name / "candidates"
        candidates = {
            Path(str(path)).stem: read_text(str(path)) for path in sorted(folder.iterdir(), key=str)
        }
        reference = [line or "" for line in loaded.texts.lines("reference")]
        candidates["reference"] = Text.of(reference, path="reference")
        yield from readable(name, loaded, candidates)


def draw(path: Path, every: list[tuple[dict[str, str], str]], *, number: int, seed: int) -> None:
    chosen = random.Random(seed).sample(every, min(number, len(every)))  # noqa: S311 - not for secrets
    path.write_text("".join(f"{json.dumps(key)}\n{shown}\n\n" for key, shown in chosen), encoding="utf-8")


def count() -> None:
    verdicts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    causes: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for line in VERDICTS.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        name = row["set"] + (f", draw {row['draw']}" if "draw" in row else "")
        verdicts[name][row["verdict"]] += 1
        if row["verdict"] != "right":
            causes[name][f"{row['verdict']}: {row['cause']}"] += 1
    for name, counts in verdicts.items():
        print(f"{name}: {sum(counts.values())} read, {dict(counts)} {dict(causes[name])}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    verbs = parser.add_subparsers(dest="verb", required=True)
    drawing = verbs.add_parser("draw")
    drawing.add_argument("file", type=Path)
    drawing.add_argument("--plain", nargs="+", metavar="WHAT")
    drawing.add_argument("--number", type=int, default=DRAWN)
    drawing.add_argument("--seed", type=int, default=SEED)
    verbs.add_parser("count")
    arguments = parser.parse_args()
    if arguments.verb == "count":
        return count()
    if not arguments.plain:
        return draw(arguments.file, list(shipped()), number=arguments.number, seed=arguments.seed)
    pair, source, *paths = arguments.plain
    loaded = plain_suite(read_text(source), LanguagePair.parse(pair))
    candidates = {Path(path).stem: read_text(path) for path in paths}
    every = list(readable(f"plain {pair}", loaded, candidates))
    return draw(arguments.file, every, number=arguments.number, seed=arguments.seed)


if __name__ == "__main__":
    main()
