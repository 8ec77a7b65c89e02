"""Antecedents of English pronouns, named by reading: texts for readers, and what they found for training.

    python tools/antecedent_readings.py show TEXT=FOLDER... --parcorfull FOLDER --output FOLDER
    python tools/antecedent_readings.py collect ANSWERS TEXT=FOLDER...

A text is `talks`, `debates` or `news`, English sides of `docs-en-de` in the folder of the data; `novels`,
LitBank's `coref/conll`, whose annotation has no things; or `articles`, paragraphs of a copy of SQuAD.
`parcorfull` is its unpacked `corpus`: its readings teach nothing, but tell how well a careful reader does.
Other documents that share lines with it, by which the networks are measured, are left out. `show` writes one
file for each document, with a number before every *it*, *they* and *them*; a reader answers in lines of the
form

    12 <tab> noun <tab> line:word line:word        heads of the noun phrases that mean the same, nearest first
    13 <tab> same <tab> 12                         means the same as an earlier pronoun
    14 <tab> event | nothing | people | unclear

in a file of the same name that ends in `.answers`. `collect` checks the answers and adds places and labels,
without any text, to `READINGS`; `documents` gives both to the training.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import coreference_data
from coreference_data import GoldDocument, GoldMention, GoldPronoun

from anaphor.languages import Tokenizer, load_language

#: Folders of `docs-en-de` by the names of their texts.
_FOLDERS = {"talks": "IWSLT2017", "debates": "Europarl7", "news": "NC-2016"}
#: The texts, in the order of the readings.
TEXTS = (*_FOLDERS, "novels", "articles")
#: Annotated documents that were read as well, without looking at the annotation.
CHECKED = "parcorfull"
#: Those that permit any use.
FREE_TEXTS = ("debates", "novels", "articles")
PRONOUNS = ("it", "they", "them")
#: What readers say, and the label of `coreference_data`.
LABELS = {"noun": "entity", "event": "event", "nothing": "pleonastic", "people": "generic"}
#: Where the answers are kept.
READINGS = Path(__file__).resolve().parents[1] / "benchmarks" / "verdict" / "readings" / "antecedents.tsv"
HEADER = "text\tdocument\tline\ttoken\tpronoun\trefers_to\theads\n"
#: From this share of lines on, a document is one of ParCorFull.
_SHARED = 0.1
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[\"“‘(]?[A-Z0-9])")

Document = list[tuple[str, ...]]


class Reading(NamedTuple):
    """What one pronoun refers to; `heads` are places of nouns, as line and token."""

    line: int
    token: int
    refers_to: str
    heads: tuple[tuple[int, int], ...] = ()


def texts(name: str, folder: Path) -> Iterator[tuple[str, Document]]:
    """The documents of a text by name, their lines as tokens."""
    tokenize = Tokenizer(load_language("en")).words
    if name == "novels":
        for one in coreference_data.litbank(folder):
            yield one.name, list(one.sentences)
    elif name == CHECKED:
        for one in coreference_data.parcorfull(folder):
            yield one.name.replace("/", "-"), list(one.sentences)
    elif name == "articles":
        for number, lines in enumerate(_paragraphs(folder)):
            yield str(number), [tuple(tokenize(line)) for line in lines]
    else:
        path = folder / "docs-en-de" / _FOLDERS[name] / "concatenated_en2de_dev_en.txt.gz"
        with gzip.open(path, "rt", encoding="utf-8") as file:
            parts = re.split(r"^<d>.*\n", file.read(), flags=re.MULTILINE)[1:]
        for number, part in enumerate(parts):
            yield str(number), [tuple(tokenize(line)) for line in part.splitlines() if line.strip()]


def _paragraphs(squad: Path) -> Iterator[list[str]]:
    """The paragraphs of SQuAD's development part, a sentence per line."""
    articles = json.loads((squad / "data" / "dev-v2.0.json").read_text(encoding="utf-8"))["data"]
    for article in articles:
        for paragraph in article["paragraphs"]:
            yield _SENTENCE.split(" ".join(paragraph["context"].split()))


def pronouns_of(document: Document) -> list[tuple[int, int]]:
    """The places of the pronouns that are read."""
    return [
        (line, token)
        for line, words in enumerate(document)
        for token, word in enumerate(words)
        if word.lower() in PRONOUNS
    ]


def _letters(words: Sequence[str]) -> str:
    return re.sub(r"[^a-z]", "", "".join(words).lower())


def show(sources: Mapping[str, Path], parcorfull: Path, output: Path) -> None:
    """Write the texts for readers."""
    known = " ".join(
        _letters([word for sentence in one.sentences for word in sentence])
        for one in coreference_data.parcorfull(parcorfull)
    )
    output.mkdir(parents=True, exist_ok=True)
    for text, folder in sources.items():
        for name, document in texts(text, folder):
            long = [letters for line in document if len(letters := _letters(line)) > 30]
            places = pronouns_of(document)
            is_shared = sum(letters in known for letters in long) > _SHARED * len(long)
            if not places or (is_shared and text != CHECKED):
                continue
            number_of = {place: count for count, place in enumerate(places, start=1)}
            rows = []
            for line, words in enumerate(document):
                marked = [
                    f"[{number_of[line, token]}:{word}]" if (line, token) in number_of else word
                    for token, word in enumerate(words)
                ]
                rows.append(f"{line}: {' '.join(marked)}\n")
            (output / f"{text}-{name}.txt").write_text("".join(rows), encoding="utf-8")


def parsed(document: Document, answers: str, where: str) -> Iterator[Reading]:
    """The readings of one document; answers that fit nothing in it are reported and left out."""
    places = pronouns_of(document)
    known: dict[int, Reading] = {}
    for row in answers.splitlines():
        cells = row.strip().split("\t")
        if len(cells) < 2 or not cells[0].isdigit() or not 1 <= int(cells[0]) <= len(places):
            if row.strip():
                sys.stderr.write(f"{where}: cannot be read: {row}\n")
            continue
        number, kind = int(cells[0]), cells[1].strip()
        line, token = places[number - 1]
        if kind == "same" and len(cells) > 2 and cells[2].strip().isdigit():
            other = known.get(int(cells[2]))
            if other is not None:
                known[number] = other._replace(line=line, token=token)
        elif kind == "noun" and len(cells) > 2:
            heads = tuple(
                place for cell in cells[2].split() if (place := _head(document, cell, (line, token)))
            )
            if heads:
                known[number] = Reading(line, token, "noun", heads)
            else:
                sys.stderr.write(f"{where}: no such word: {row}\n")
        elif kind in LABELS and kind != "noun":
            known[number] = Reading(line, token, kind)
    yield from known.values()


def _head(document: Document, cell: str, before: tuple[int, int]) -> tuple[int, int] | None:
    """The last place before a pronoun where a line has a word."""
    number, _, word = cell.partition(":")
    if not number.isdigit() or int(number) >= len(document):
        return None
    found = [
        place
        for token, one in enumerate(document[int(number)])
        if one.lower() == word.lower() and (place := (int(number), token)) < before
    ]
    return found[-1] if found else None


def collect(answers: Path, sources: Mapping[str, Path], output: Path) -> None:
    """Write what readers found in a folder of texts; readings of other texts stay."""
    rows = [HEADER, *(row for row in _rows(output) if row.partition("\t")[0] not in sources)]
    for text, folder in sources.items():
        for name, document in texts(text, folder):
            path = answers / f"{text}-{name}.answers"
            if not path.exists():
                continue
            for one in parsed(document, path.read_text(encoding="utf-8"), path.name):
                word = document[one.line][one.token].lower()
                heads = " ".join(f"{line}:{token}" for line, token in one.heads)
                rows.append(f"{text}\t{name}\t{one.line}\t{one.token}\t{word}\t{one.refers_to}\t{heads}\n")
    output.write_text("".join(rows), encoding="utf-8")
    sys.stdout.write(f"{len(rows) - 1} pronouns\n")


def _rows(readings: Path) -> list[str]:
    return readings.read_text(encoding="utf-8").splitlines(keepends=True)[1:] if readings.exists() else []


def documents(text: str, folder: Path) -> Iterator[GoldDocument]:
    """The documents of a text that were read, with their pronouns."""
    known: dict[str, list[Reading]] = {}
    for row in _rows(READINGS):
        own, name, line, token, _, refers_to, heads = row.rstrip("\n").split("\t")
        if own == text:
            places = tuple((int(a), int(b)) for a, b in (head.split(":") for head in heads.split()))
            known.setdefault(name, []).append(Reading(int(line), int(token), refers_to, places))
    for name, document in texts(text, folder):
        if name in known:
            yield GoldDocument(
                f"{text}-{name}", tuple(document), tuple(_chained(document, sorted(known[name])))
            )


def _chained(document: Document, readings: Sequence[Reading]) -> Iterator[GoldPronoun]:
    """Pronouns with all mentions before them that mean the same: those that share a head."""
    chains: list[tuple[set[tuple[int, int]], list[tuple[int, int]]]] = []
    for one in readings:
        place = (one.line, one.token)
        if one.refers_to != "noun":
            yield GoldPronoun(place, LABELS[one.refers_to])
            continue
        mine = [chain for chain in chains if chain[0] & set(one.heads)]
        heads = set(one.heads).union(*(chain[0] for chain in mine))
        earlier = sorted(other for chain in mine for other in chain[1])
        is_plural = document[one.line][one.token].lower() != "it"
        before = [_mention(document, head, is_plural=is_plural) for head in sorted(heads) if head < place]
        before += [GoldMention((other,), other, pronoun=True) for other in earlier]
        yield GoldPronoun(place, "entity", tuple(before))
        chains = [chain for chain in chains if not any(chain is other for other in mine)]
        chains.append((heads, [*earlier, place]))


def _mention(document: Document, head: tuple[int, int], *, is_plural: bool) -> GoldMention:
    """A noun phrase; readers name the last noun of *Anna and Paul*, annotators and resolver the first."""
    line, end = head
    words = document[line]
    begin = end
    while is_plural and not _is_plural(words[begin]):
        joined = [n for n in range(max(1, begin - 3), begin) if words[n].lower() == "and"]
        if not joined or not words[joined[-1] - 1].isalpha():
            break
        begin = joined[-1] - 1
    if begin == end:
        return GoldMention((head,), head, pronoun=False)
    # Without a head, the first noun that owns nothing counts.
    return GoldMention(tuple((line, token) for token in range(begin, end + 1)), None, pronoun=False)


def _is_plural(word: str) -> bool:
    return word.lower().endswith("s") or word.lower() in ("people", "men", "women", "children")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    shown = commands.add_parser("show")
    shown.add_argument("texts", nargs="+", metavar="TEXT=FOLDER")
    shown.add_argument("--parcorfull", type=Path, required=True)
    shown.add_argument("--output", type=Path, required=True)
    collected = commands.add_parser("collect")
    collected.add_argument("answers", type=Path)
    collected.add_argument("texts", nargs="+", metavar="TEXT=FOLDER")
    options = parser.parse_args()
    sources = {name: Path(folder) for name, folder in (one.split("=", 1) for one in options.texts)}
    if options.command == "show":
        show(sources, options.parcorfull, options.output)
    else:
        collect(options.answers, sources, READINGS)


if __name__ == "__main__":
    main()
