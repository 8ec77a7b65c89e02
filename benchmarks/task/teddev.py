"""The released development file of 2015 beside the same file made by our preparation from its own text.

The aligner learns from the file's own words and, with --more, from Tatoeba and the start of Europarl.

Usage: python benchmarks/task/teddev.py [--more] [--symmetrize WAY] [--examples] [--write]
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from anaphor.align import AlignerChoice
from anaphor.core import LanguagePair, TaskSegment
from anaphor.languages import Tokenizer, load_language
from anaphor.task import read_task, task_classes
from anaphor.task.prepare.plan import PreparationPlan
from anaphor.task.prepare.preparation import LinkConfig, Preparation
from anaphor.task.prepare.texts import ParallelTable, TextPair

DATA = Path(os.environ.get("ANAPHOR_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
RELEASED = DATA / "discomt2015-task" / "teddev.tsv"
PAIR = LanguagePair("en", "fr")
NOTHING = "NONE"
EUROPARL_LINES = 10_000


@dataclass(frozen=True, slots=True)
class Seen:
    """A slot as a file shows it: class, hidden word, and the tokens on either side.

    `in_file` are the neighbouring tokens of the file, other placeholders among them; `in_text` the
    neighbouring words once every placeholder is filled.
    """

    label: str
    word: str
    in_file: tuple[str, str]
    in_text: tuple[str, str]


def filled(segment: TaskSegment) -> list[str]:
    """The target tokens with hidden words in their places, and NONE where a placeholder hides nothing."""
    tokens = list(segment.target)
    for slot in segment.slots:
        tokens[slot.target] = slot.word or NOTHING
    return tokens


def slots_of(segment: TaskSegment) -> Iterator[tuple[int, Seen]]:
    """Every slot by its source position."""
    shown = ["<s>", *segment.target, "</s>"]
    words = ["<s>", *filled(segment), "</s>"]
    for slot in segment.slots:
        place = slot.target + 1
        left = next(word for word in reversed(words[:place]) if word != NOTHING)
        right = next(word for word in words[place + 1 :] if word != NOTHING)
        in_file = (shown[place - 1], shown[place + 1])
        yield slot.source, Seen(str(slot.label), str(slot.word), in_file, (left, right))


def prepared_again(released: Sequence[TaskSegment], options: argparse.Namespace) -> list[TaskSegment]:
    """The same segments, made from the words of the file alone."""
    with tempfile.TemporaryDirectory() as name:
        source, target, output = (Path(name) / part for part in ("text.en", "text.fr", "again.tsv"))
        source.write_text("".join(f"{' '.join(s.source)}\n" for s in released), encoding="utf-8")
        texts = ([word for word in filled(segment) if word != NOTHING] for segment in released)
        target.write_text("".join(f"{' '.join(words)}\n" for words in texts), encoding="utf-8")
        choice = AlignerChoice(pair=PAIR, symmetrization=options.symmetrize)
        extra = (more_text(Path(name)),) if options.more else ()
        plan = PreparationPlan(
            pair=PAIR, style=2015, tokenized=True, symmetrization=choice.chosen_symmetrization
        )
        text = TextPair(source=str(source), target=str(target))
        Preparation((text,), plan, LinkConfig(choice=choice, extra=extra)).run(
            output, progress=lambda _: None
        )
        return list(read_task(output, classes=task_classes(PAIR, year=2015)))


def more_text(folder: Path) -> TextPair:
    """Tatoeba and the first lines of Europarl, tokenised, as two files in the folder."""
    tatoeba = ParallelTable(str(DATA / "tatoeba" / "tatoeba-test-v2023-09-26.eng-fra.txt.gz"), PAIR)
    europarl = ParallelTable(str(DATA / "europarl" / "europarl.en-fr.docs.tsv.gz"), PAIR)
    pairs = [*tatoeba.read(), *islice(europarl.read(), EUROPARL_LINES)]
    source, target = folder / "more.en", folder / "more.fr"
    for path, code, lines in (
        (source, "en", [pair.source for pair in pairs]),
        (target, "fr", [pair.target for pair in pairs]),
    ):
        cut = Tokenizer(load_language(code)).words
        path.write_text("".join(f"{' '.join(cut(line))}\n" for line in lines), encoding="utf-8")
    return TextPair(source=str(source), target=str(target))


def compare(released: Sequence[TaskSegment], again: Sequence[TaskSegment], examples: int) -> dict[str, Any]:
    """Slot by slot: the same class, the same neighbours; slots that only one file has."""
    counts: Counter[str] = Counter()
    confusion: Counter[tuple[str, str]] = Counter()
    for theirs, ours in zip(released, again, strict=True):
        gold, found = dict(slots_of(theirs)), dict(slots_of(ours))
        counts["only_ours"] += len(found.keys() - gold.keys())
        for source, seen in gold.items():
            other = found.get(source)
            if other is None:
                counts["only_theirs"] += 1
                continue
            counts["slots"] += 1
            confusion[seen.label, other.label] += 1
            for part in ("label", "in_file", "in_text"):
                counts[f"same_{part}"] += getattr(seen, part) == getattr(other, part)
            if examples and seen.label != other.label:
                print(
                    seen,
                    other,
                    " ".join(theirs.source),
                    " ".join(filled(theirs)),
                    sep="\n  ",
                    file=sys.stderr,
                )
    mistaken = {f"{gold} -> {found}": n for (gold, found), n in sorted(confusion.items()) if gold != found}
    shares = {key: counts[key] / counts["slots"] for key in ("same_label", "same_in_file", "same_in_text")}
    return {**counts, "shares": shares, "confusion": mistaken}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--more", action="store_true", help="learn to align from other text as well")
    parser.add_argument("--symmetrize", default="")
    parser.add_argument("--examples", action="store_true", help="show slots with another class on stderr")
    parser.add_argument("--write", action="store_true", help="keep the result under results/")
    options = parser.parse_args()
    if not RELEASED.is_file():
        sys.exit(f"{RELEASED} is not there; set ANAPHOR_DATA to the folder that has it")
    released = list(read_task(RELEASED))
    report = compare(released, prepared_again(released, options), options.examples)
    print(json.dumps(report, ensure_ascii=False))
    if options.write:
        name = "teddev-more.json" if options.more else "teddev.json"
        path = Path(__file__).parent / "results" / name
        path.write_text(json.dumps(report, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
