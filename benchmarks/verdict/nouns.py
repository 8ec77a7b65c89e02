"""Whether gender and number of nouns in running text are known, measured on treebanks.

    python benchmarks/verdict/nouns.py [--write] [--development] [--mistakes 40]

Every token of Universal Dependencies that is tagged NOUN, or for comparison PROPN, and that has one gender
and a number, is read with the words around it, as `accept` reads the nouns of a translation. Words are those
of the text: *du*, *zum* and *del* are one word. A German plural has no gender here, because no German pronoun
shows it. Some words that are tagged NOUN are counted apart as PART, because no pronoun can stand for them:
parts of names (*Capitol Hill*: `Proper=True`, or the tag NE), the first half of a compound that is written
with spaces (*Touch - Display*), numbers (*10.*), and German words without a capital (*am meisten*).

*answered*: there are readings, and the singular ones among them have one gender.
*right*: the share of answered nouns whose true reading is among the readings. A form that can be either
number, as a bare *Lehrer*, may keep both.
*two genders*: there are readings, but their singulars have more than one gender. These are not answered.
*one reading*: the share of all nouns whose readings are exactly the true one.

No treebank was read to make the lexicons. Rules were written with the development parts in view: GSD dev,
the training part of Sequoia for French, and the even sentences of PUD for German. Mistakes were read there
only; of the held-out parts just the figures were looked at, several times, but once for the Spanish lexicon
that was learned from texts.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from anaphor.analyse.gender import Readings, parse_readings
from anaphor.antecedents.phrases import phrase_reader

HERE = Path(__file__).parent
RESULT = HERE / "results" / "nouns.json"
HELD_OUT = {
    "de": ("de_gsd-ud-test", "de_pud-ud-test, odd"),
    "fr": ("fr_gsd-ud-test", "fr_pud-ud-test", "fr_sequoia-ud-test", "fr_partut-ud-test"),
    "es": ("es_gsd-ud-test", "es_pud-ud-test"),
    "it": ("it_isdt-ud-test", "it_partut-ud-test"),
    "pt": ("pt_bosque-ud-test", "pt_gsd-ud-test"),
}
DEVELOPMENT = {
    "de": ("de_gsd-ud-dev", "de_pud-ud-test, even"),
    "fr": ("fr_gsd-ud-dev", "fr_sequoia-ud-train"),
    "es": ("es_gsd-ud-dev",),
    "it": ("it_isdt-ud-dev", "it_partut-ud-dev"),
    "pt": ("pt_bosque-ud-dev", "pt_gsd-ud-dev"),
}


class Noun(NamedTuple):
    """A noun of a treebank: the words of its sentence, its position, its tag and its true readings."""

    words: list[str]
    position: int
    tag: str
    gold: Readings


def nouns(folders: Sequence[Path], name: str, language: str) -> Iterator[Noun]:
    """Nouns with one gender and one number, of all sentences or of the odd or even ones."""
    treebank, _, half = name.partition(", ")
    kept = {"": (0, 1), "odd": (1,), "even": (0,)}[half]
    paths = [path for folder in folders if (path := folder / f"{treebank}.conllu.gz").is_file()]
    if not paths:
        raise SystemExit(f"{treebank} is in none of {', '.join(map(str, folders))}")
    with gzip.open(paths[0], "rt", encoding="utf-8") as lines:
        sentence: list[list[str]] = []
        number = 1
        for line in lines:
            if line.strip():
                sentence.append(line.rstrip("\n").split("\t"))
            else:
                if number % 2 in kept:
                    yield from _nouns_of(sentence, language)
                sentence = []
                number += 1


def _nouns_of(sentence: list[list[str]], language: str) -> Iterator[Noun]:
    words: list[str] = []
    found: list[tuple[int, str, Readings]] = []
    inside = 0
    for at, cells in enumerate(sentence):
        if len(cells) != 10 or "." in cells[0]:
            continue
        if "-" in cells[0]:
            words.append(cells[1])
            inside = int(cells[0].partition("-")[2])
            continue
        if int(cells[0]) <= inside:
            continue
        words.append(cells[1])
        features = dict(one.split("=") for one in cells[5].split("|") if "=" in one)
        gender, number = features.get("Gender", ""), features.get("Number", "")
        if cells[3] in ("NOUN", "PROPN") and gender in ("Masc", "Fem", "Neut") and number in ("Sing", "Plur"):
            plural = number == "Plur"
            genders = "mfn" if language == "de" and plural else gender[0].lower()
            gold = parse_readings(" ".join(one + "sp"[plural] for one in genders))
            following = sentence[at + 1][1] if at + 1 < len(sentence) else ""
            found.append((len(words) - 1, _kind(cells, following, language), gold))
    for position, tag, gold in found:
        yield Noun(words, position, tag, gold)


def _kind(cells: list[str], following: str, language: str) -> str:
    """NOUN and PROPN; PART for what is tagged as a noun and is none that a pronoun could stand for."""
    if cells[3] == "NOUN" and (
        following in ("-", "–")
        or "Proper=True" in cells[9]
        or not cells[1][0].isalpha()
        or (language == "de" and (cells[4] in ("NE", "TRUNC", "ADJA", "FM") or not cells[1][0].isupper()))
    ):
        return "PART"
    return cells[3]


class Counts:
    """Figures of one set of nouns."""

    def __init__(self) -> None:
        self.total = self.answered = self.right = self.open = self.exact = 0
        self.sources: Counter[str] = Counter()
        self.wrong: Counter[str] = Counter()
        self.mistakes: Counter[str] = Counter()

    def add(self, noun: Noun, readings: Readings, source: str) -> None:
        self.total += 1
        self.exact += readings == noun.gold
        if len({one.gender for one in readings if one.number == "s"}) > 1:
            self.open += 1
        elif readings:
            self.answered += 1
            self.sources[source] += 1
            if noun.gold <= readings:
                self.right += 1
                return
            self.wrong[source] += 1
        else:
            source = "unknown"
        before = " ".join(noun.words[max(0, noun.position - 3) : noun.position + 2])
        gold, said = ("/".join(sorted("".join(one) for one in each)) for each in (noun.gold, readings))
        self.mistakes[f"{noun.words[noun.position]} ({gold}, not {said}; {source}): {before}"] += 1

    def figures(self) -> dict[str, Any]:
        return {
            "nouns": self.total,
            "answered": round(self.answered / self.total, 4),
            "right": round(self.right / max(1, self.answered), 4),
            "two genders": round(self.open / self.total, 4),
            "unknown": round((self.total - self.answered - self.open) / self.total, 4),
            "one reading": round(self.exact / self.total, 4),
            "sources": {
                source: {"answers": times, "right": round(1 - self.wrong[source] / times, 4)}
                for source, times in self.sources.most_common()
            },
        }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="write results/nouns.json")
    parser.add_argument(
        "--development", action="store_true", help="the parts that the rules were written with"
    )
    parser.add_argument("--mistakes", type=int, default=0, help="print so many mistakes of each part")
    parser.add_argument("--languages", default="de fr es it pt")
    parser.add_argument("--more", type=Path, help="folder with treebanks that are not under the data")
    options = parser.parse_args()
    data = Path(os.environ.get("ANAPHOR_DATA", "../shared/data"))
    folders = [data / "ud", *([options.more] if options.more else [])]
    result: dict[str, Any] = {}
    print(f"{'':22}{'tag':6}{'nouns':>7}{'answered':>10}{'right':>8}{'two genders':>13}{'one reading':>13}")
    for language in options.languages.split():
        reader = phrase_reader(language)
        assert reader is not None
        total, tagged = Counts(), Counts()
        for name in (DEVELOPMENT if options.development else HELD_OUT)[language]:
            counts = {"NOUN": Counts(), "PART": Counts(), "PROPN": Counts()}
            for noun in nouns(folders, name, language):
                answer = reader.answer(noun.words, noun.position)
                counts[noun.tag].add(noun, answer.readings, answer.source)
                if noun.tag == "NOUN":
                    total.add(noun, answer.readings, answer.source)
                if noun.tag != "PROPN":
                    tagged.add(noun, answer.readings, answer.source)
            for tag, one in counts.items():
                if one.total:
                    result.setdefault(language, {}).setdefault(name, {})[tag] = one.figures()
                    _print(name, tag, one)
            for text, times in counts["NOUN"].mistakes.most_common(options.mistakes):
                print(f"    {times} {text}")
        result[language]["all NOUN"] = total.figures()
        result[language]["all NOUN and PART"] = tagged.figures()
        _print(f"{language}, all", "NOUN", total)
        _print(f"{language}, all", "+PART", tagged)
    if options.write:
        RESULT.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


def _print(name: str, tag: str, counts: Counts) -> None:
    one = counts.figures()
    shares = (one["answered"], one["right"], one["two genders"], one["one reading"])
    columns = "".join(f"{share:>{width}.1%}" for share, width in zip(shares, (10, 8, 13, 13), strict=True))
    print(f"{name:22}{tag:6}{one['nouns']:>7}{columns}")


if __name__ == "__main__":
    main()
