"""An invented corpus: short documents in which a pronoun follows the noun that it stands for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from anaphor.core import Alignment, Slot, TaskSegment

#: English noun, its plural, French noun with article, gender.
NOUNS = [
    ("house", "houses", "maison", "f"),
    ("car", "cars", "voiture", "f"),
    ("machine", "machines", "machine", "f"),
    ("book", "books", "livre", "m"),
    ("dog", "dogs", "chien", "m"),
    ("train", "trains", "train", "m"),
]
ADJECTIVES = [("big", "grand", "grande"), ("small", "petit", "petite"), ("green", "vert", "verte")]


@dataclass(frozen=True)
class Pair:
    """A sentence pair, French tokens written `form/lemma/TAG`; `?` is the placeholder of source token 0."""

    source: str
    target: str
    label: str | None = None
    word: str | None = None
    at: int = 0


def documents() -> Iterator[list[Pair]]:
    """Three pairs each: a noun, a pronoun for it, and something without a noun behind it."""
    for number, (one, many, noun, gender) in enumerate(NOUNS):
        for adjective, male, female in ADJECTIVES:
            said = female if gender == "f" else male
            article = "la" if gender == "f" else "le"
            pronoun = "elle" if gender == "f" else "il"
            yield [
                Pair(
                    f"The {one} is here .",
                    f"{article}/le/DET {noun}/{noun}/NOUN est/être/VERB ici/ici/ADV ././.",
                ),
                Pair(f"It is {adjective} .", f"? est/être/VERB {said}/{male}/ADJ ././.", pronoun, pronoun),
                OTHERS[number % len(OTHERS)],
            ]
            yield [
                Pair(
                    f"The {many} are here .",
                    f"les/le/DET {noun}s/{noun}/NOUN sont/être/VERB ici/ici/ADV ././.",
                ),
                Pair(
                    f"They are {adjective} .",
                    f"? sont/être/VERB {said}s/{male}/ADJ ././.",
                    f"{pronoun}s",
                    f"{pronoun}s",
                ),
                OTHERS[(number + 3) % len(OTHERS)],
            ]


OTHERS = [
    Pair("It is true .", "? est/être/VERB vrai/vrai/ADJ ././.", "ce", "c'"),
    Pair("It works .", "? marche/marcher/VERB ././.", "cela", "cela"),
    Pair("I see it .", "je/je/PRON ? vois/voir/VERB ././.", "OTHER", "le", 2),
    Pair("They say no .", "? dit/dire/VERB non/non/ADV ././.", "on", "on"),
    Pair("We take it .", "nous/nous/PRON ? prenons/prendre/VERB ././.", "OTHER", "le", 2),
]


def segment_of(pair: Pair, *, document: str, forms: bool) -> TaskSegment:
    """The pair in the style of 2015 (word forms) or 2016 (`lemma|TAG`), words aligned in order."""
    source = tuple(pair.source.split())
    tokens = pair.target.split()
    target, slots = [], []
    for place, written in enumerate(tokens):
        if written == "?":
            target.append(f"REPLACE_{pair.at}")
            slots.append(Slot(pair.at, place, pair.label, pair.word))
        else:
            form, lemma, tag = written.split("/")
            target.append(form if forms else f"{lemma}|{tag}")
    length = min(len(source), len(target))
    links = [(n, n) for n in range(length) if n not in {slot.source for slot in slots}]
    links += [(slot.source, slot.target) for slot in slots]
    sources, targets = zip(*sorted(links), strict=True)
    return TaskSegment(source, tuple(target), tuple(slots), Alignment(sources, targets), document)


def made_corpus(*, forms: bool) -> list[TaskSegment]:
    return [
        segment_of(pair, document=f"made-{number}", forms=forms)
        for number, pairs in enumerate(documents())
        for pair in pairs
    ]
