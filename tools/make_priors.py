"""Make the alignment priors that ship with the package.

    python tools/make_priors.py --data DATA --pair en-fr [--most 400000] [--leave-out items.jsonl] OUTPUT
    python tools/make_priors.py --text en-it.tsv --origin "Tatoeba, ..." --pair en-it OUTPUT

Reads Europarl, Tatoeba, the Debian handbook and the Bible from DATA, or the pairs that `tools/free_text.py`
gathered, trains the aligner on them and keeps what it believes: expected counts of word pairs, occurrences
of words, jump tables. No text is kept. For languages with small priors, DATA holds the repositories
Tatoeba-Challenge and NTREX. Sentences of the files after `--leave-out` (hand-made links used for measuring,
in JSON or the layout of XL-WA) are not trained on.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import random
import sys
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatch
from pathlib import Path

from anaphor.align.prior_building import LEAST_COUNT, is_useful, learn_prior
from anaphor.align.priors import write_prior
from anaphor.align.programs import SentencePair
from anaphor.align.vocabulary import load_packs
from anaphor.core import LanguagePair
from anaphor.languages import Tokenizer, load_language

ORIGIN = "Europarl, Tatoeba (CC BY 2.0 FR), The Debian Administrator's Handbook, the Bible: counts only"
SMALL_ORIGIN = "Tatoeba (CC BY 2.0 FR), NTREX-128 (CC BY-SA 4.0): counts only"
#: Languages with small priors: their codes in folders and in lines of Tatoeba-Challenge, and in the names
#: of NTREX, where * stands for the spellings of Chinese.
_SMALL = {
    "cs": ("ces", "ces", "ces"),
    "ja": ("jpn", "jpn", "jpn"),
    "nl": ("nld", "nld", "nld"),
    "pl": ("pol", "pol", "pol"),
    "ru": ("rus", "rus", "rus"),
    "uk": ("ukr", "ukr", "ukr"),
    "zh": ("zho", "cmn_Han*", "zho-*"),
}
#: The least count that is kept in them.
_SMALL_LEAST_COUNT = 0.5

# Name in the corpus files: (column in the handbook, column in the Bible or None, Tatoeba's file and columns).
_PLACES = {
    "fr": (3, None, "eng-fra", (2, 3)),
    "de": (4, 4, "deu-eng", (3, 2)),
    "es": (5, 5, "eng-spa", (2, 3)),
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    text = parser.add_mutually_exclusive_group(required=True)
    text.add_argument("--data", type=Path)
    text.add_argument("--text", type=Path, help="pairs of sentences, separated by a tab")
    parser.add_argument(
        "--origin", default=ORIGIN, help="the texts and their licences, for the file's header"
    )
    parser.add_argument("--pair", type=LanguagePair.parse, required=True)
    parser.add_argument("--most", type=int, default=200_000, help="Europarl pairs, chosen at random")
    parser.add_argument("--leave-out", type=Path, action="append", default=[])
    parser.add_argument("output", type=Path)
    arguments = parser.parse_args()
    unwanted = {key for path in arguments.leave_out for key in _keys_of_items(path)}
    small = arguments.text is None and arguments.pair.target in _SMALL
    if arguments.text is None:
        raw = raw_pairs(arguments.data, arguments.pair.target, arguments.most)
    else:
        raw = gathered_pairs(arguments.text)
    pairs = list(_tokenised(raw, arguments.pair, unwanted))
    least = _SMALL_LEAST_COUNT if small else LEAST_COUNT
    table = learn_prior(pairs, arguments.pair, load_packs(arguments.pair), _say, least=least)
    write_prior(arguments.output, table, origin=SMALL_ORIGIN if small else arguments.origin)
    size = arguments.output.stat().st_size
    sys.stderr.write(f"{arguments.output}: {len(pairs)} pairs, {len(table.rows)} entries, {size} bytes\n")


def _tokenised(
    raw: Iterable[tuple[str, str]], pair: LanguagePair, unwanted: set[str]
) -> Iterator[SentencePair]:
    tokenizers = Tokenizer(load_language(pair.source)), Tokenizer(load_language(pair.target))
    for both in raw:
        source, target = (cut(text).tokens for cut, text in zip(tokenizers, both, strict=True))
        if is_useful(source, target) and _key(source) not in unwanted:
            yield source, target


def raw_pairs(data: Path, language: str, most: int) -> Iterator[tuple[str, str]]:
    if language in _SMALL:
        yield from _small_pairs(data, *_SMALL[language])
        return
    handbook, bible, tatoeba, columns = _PLACES[language]
    europarl = [
        (row[3], row[4])
        for row in _rows(data / f"europarl/europarl.en-{language}.docs.tsv.gz")
        if len(row) > 4
    ]
    random.Random(7).shuffle(europarl)  # noqa: S311 - a sample, no secret
    yield from europarl[1:most]
    for path in sorted((data / "tatoeba").glob(f"*{tatoeba}.txt.gz")):
        yield from ((row[columns[0]], row[columns[1]]) for row in _rows(path) if len(row) > 3)
    for path in sorted((data / "debian-handbook").glob("*.tsv.gz")):
        yield from ((row[2], row[handbook]) for row in _rows(path) if len(row) > 5)
    for path in sorted((data / "bible").glob("*.tsv.gz")) if bible is not None else ():
        yield from ((row[3], row[bible]) for row in _rows(path) if bible is not None and len(row) > 5)


def _small_pairs(data: Path, folder: str, code: str, ntrex: str) -> Iterator[tuple[str, str]]:
    """English and the other language in the test and development sets of Tatoeba, then in NTREX."""
    for part in ("dev", "test"):
        for path in sorted((data / "Tatoeba-Challenge/data" / part).glob(f"*{folder}*/*.txt")):
            for line in path.read_text(encoding="utf-8").removesuffix("\n").split("\n"):
                first, second, *texts = line.split("\t")
                if first == "eng" and fnmatch(second, code):
                    yield texts[0], texts[1]
                elif second == "eng" and fnmatch(first, code):
                    yield texts[1], texts[0]
    english = data / "NTREX/NTREX-128/newstest2019-src.eng.txt"
    for path in sorted(english.parent.glob(f"newstest2019-ref.{ntrex}.txt")):
        lines = [each.read_text(encoding="utf-8").split("\n") for each in (english, path)]
        yield from zip(*lines, strict=True)


def gathered_pairs(path: Path) -> Iterator[tuple[str, str]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            source, target = line.rstrip("\n").split("\t")
            yield source, target


def _rows(path: Path) -> Iterator[list[str]]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as lines:
        yield from csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)


def _keys_of_items(path: Path) -> Iterator[str]:
    for line in path.read_text(encoding="utf-8").splitlines():
        yield _key(json.loads(line)["source"] if path.suffix == ".jsonl" else line.split("\t")[0].split())


def _key(tokens: Sequence[str]) -> str:
    """The letters of a sentence, however it was tokenised."""
    return "".join(character for character in "".join(tokens).lower() if character.isalnum())


def _say(stage: str, share: float) -> None:
    sys.stderr.write(f"\r{stage} {share:.0%}  ")


if __name__ == "__main__":
    main()
