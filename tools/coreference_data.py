"""Readers for texts with annotated coreference, in one form for learning and measuring resolvers.

Each reader gives documents: sentences of tokens, and the pronouns whose antecedents are known. A pronoun is
labelled *entity*, *event*, *pleonastic* or *generic* (people whom the text does not name), and the other
mentions of its chain are spans with a head. What is not known is left out: a pronoun that first mentions its
entity has no label, except *they*, which then is generic.

- `parcorfull`: MMAX2 as in ParCorFull; the head of a mention is its first noun that is no possessor.
- `gum`: the CoNLL-U files of GUM with `Entity=`; the head is the one its annotators marked.
- `litbank`: the CoNLL files of LitBank. It annotates people, places, groups and vehicles and nothing else, so
  that *it* without an entity may be anything, and only pronouns with an antecedent are used.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from anaphor.corpus.mmax2 import Markable, read_mmax2

#: Genres of GUM whose texts are licensed for non-commercial use.
GUM_NONCOMMERCIAL = ("fiction", "whow")
_PRONOUNS = """
i me my mine you your he him his she her hers it its itself they them their theirs themselves we us our this
that these those one who whom which"""
_ENTITY = re.compile(r"\(([^()]+)\)?|([0-9]+)\)")


@dataclass(frozen=True, slots=True)
class GoldMention:
    """A mention: its places (sentence, position), the place of its head if known, whether it is a pronoun."""

    places: tuple[tuple[int, int], ...]
    head: tuple[int, int] | None
    pronoun: bool


@dataclass(frozen=True, slots=True)
class GoldPronoun:
    """A pronoun with its label and the mentions before it in its chain."""

    place: tuple[int, int]
    label: str
    before: tuple[GoldMention, ...] = ()


@dataclass(frozen=True, slots=True)
class GoldDocument:
    """Sentences of tokens, and the pronouns of which something is known."""

    name: str
    sentences: tuple[tuple[str, ...], ...]
    pronouns: tuple[GoldPronoun, ...] = field(default=())


def parcorfull(
    folder: Path, language: str = "en", parts: Sequence[str] = ("DiscoMT", "TED", "news")
) -> Iterator[GoldDocument]:
    """The documents of ParCorFull; the folder is its unpacked `corpus`."""
    for part in parts:
        for document in read_mmax2(folder / part / language.upper()):
            starts = [span.start for span in document.sentences]
            sentences = tuple(document.words[span.start : span.end] for span in document.sentences)

            def place(word: int, starts: Sequence[int] = starts) -> tuple[int, int]:
                sentence = bisect_right(starts, word) - 1
                return sentence, word - starts[sentence]

            chains: dict[str, list[Markable]] = {}
            for one in document.mentions:
                if (chain := one.attributes.get("coref_class", "empty")) != "empty":
                    chains.setdefault(chain, []).append(one)
            found = []
            for one in document.mentions:
                label = _parcorfull_label(one, document.text_of(one).lower())
                if one.attributes.get("mention") != "pronoun" or label is None:
                    continue
                others = chains.get(one.attributes.get("coref_class", "empty"), ())
                before = tuple(
                    GoldMention(
                        tuple(place(word) for word in other.words),
                        None,
                        other.attributes.get("mention") == "pronoun",
                    )
                    for other in others
                    if other is not one and other.words[0] < one.words[0]
                )
                found.append(GoldPronoun(place(one.words[0]), label, before if label == "entity" else ()))
            yield GoldDocument(f"{part}/{document.name}", sentences, tuple(found))


def _parcorfull_label(mention: Markable, word: str) -> str | None:
    kind, antecedent = mention.attributes.get("type"), mention.attributes.get("antetype")
    if kind == "pleonastic":
        return "pleonastic"
    if kind in ("anaphoric", "cataphoric") and antecedent == "event":
        return "event"
    if kind == "anaphoric" and antecedent == "entity":
        return "entity"
    return "generic" if kind == "anaphoric" and antecedent is None and word in ("they", "them") else None


@dataclass(slots=True)
class _Open:
    """A mention of a chain that is being read."""

    chain: str
    kind: str
    heads: tuple[int, ...]
    link: str
    places: list[tuple[int, int]] = field(default_factory=list)


def gum(folder: Path, names: Sequence[str] | None = None, free: bool = False) -> Iterator[GoldDocument]:
    """The documents of GUM, or those with these names; `free` leaves out genres of non-commercial text."""
    for path in sorted(folder.glob("*.conllu")):
        if names is not None and path.stem not in names:
            continue
        if free and path.stem.split("_")[1] in GUM_NONCOMMERCIAL:
            continue
        yield _gum_document(path)


def _gum_document(path: Path) -> GoldDocument:
    sentences: list[tuple[str, ...]] = []
    mentions: list[_Open] = []
    relations: dict[tuple[int, int], str] = {}
    tags: dict[tuple[int, int], str] = {}
    text = path.read_text(encoding="utf-8")
    # One document has no column for salience.
    names = re.findall("# global.Entity = (.*)", text)[0].split("-")
    for block in text.split("\n\n"):
        rows = [line.split("\t") for line in block.split("\n") if line and not line.startswith("#")]
        rows = [row for row in rows if row[0].isdigit()]
        if not rows:
            continue
        number, stack = len(sentences), []
        for position, row in enumerate(rows):
            place = (number, position)
            relations[place], tags[place] = row[7], row[3]
            notes = dict(part.split("=", 1) for part in row[9].split("|") if "=" in part)
            ended = []
            for opened, closed in _ENTITY.findall(notes.get("Entity", "")):
                if opened:
                    cells = dict(zip(names, opened.split("-"), strict=False))
                    heads = tuple(int(head) for head in cells["minspan"].split(","))
                    one = _Open(cells["GRP"], cells["etype"], heads, cells["link"])
                    mentions.append(one)
                    stack.append(one)
                    if f"({opened})" in notes["Entity"]:
                        ended.append(one)
                else:
                    ended.append(next(m for m in reversed(stack) if m.chain == closed and m not in ended))
            for one in stack:
                one.places.append(place)
            stack = [one for one in stack if one not in ended]
        sentences.append(tuple(row[1] for row in rows))
    chains: dict[str, list[_Open]] = {}
    by_place: dict[tuple[int, int], _Open] = {}
    found = []
    for one in mentions:
        if len(one.places) == 1:
            by_place[one.places[0]] = one
        chains.setdefault(one.chain, []).append(one)
    for place, relation in relations.items():
        word = sentences[place[0]][place[1]].lower()
        if word not in ("it", "its", "they", "them", "their"):
            continue
        mention = by_place.get(place)
        if relation == "expl" or (mention is None and word == "it" and relation != "reparandum"):
            found.append(GoldPronoun(place, "pleonastic"))
        elif mention is not None:
            earlier = [m for m in chains[mention.chain] if m.places[0] < place]
            before = tuple(_gum_mention(m, sentences) for m in earlier)
            verbal = [tags[m.head] for m in before if m.head and not m.pronoun]
            nominal = any(tag in ("NOUN", "PROPN", "NUM", "X") for tag in verbal)
            if not before:
                if word in ("they", "them") and mention.kind == "person" and mention.link != "cata":
                    found.append(GoldPronoun(place, "generic"))
            elif word in ("it", "its") and not nominal and (verbal or mention.kind == "event"):
                found.append(GoldPronoun(place, "event"))
            else:
                found.append(GoldPronoun(place, "entity", before))
    return GoldDocument(path.stem, tuple(sentences), tuple(sorted(found, key=lambda p: p.place)))


def _gum_mention(one: _Open, sentences: Sequence[Sequence[str]]) -> GoldMention:
    number = min(one.heads[0] - 1, len(one.places) - 1)
    # A name of several words has several head tokens: its last one is the head here.
    place = one.places[min(max(one.heads) - 1, len(one.places) - 1)] if len(one.heads) > 1 else None
    place = place or one.places[number]
    pronoun = len(one.places) == 1 and sentences[place[0]][place[1]].lower() in _PRONOUNS.split()
    return GoldMention(tuple(one.places), place, pronoun)


def litbank(folder: Path) -> Iterator[GoldDocument]:
    """The documents of LitBank's `coref/conll`: pronouns with an antecedent alone."""
    for path in sorted(folder.glob("*.conll")):
        sentences: list[tuple[str, ...]] = []
        opened: dict[str, list[list[tuple[int, int]]]] = {}
        chains: dict[str, list[list[tuple[int, int]]]] = {}
        words: list[str] = []
        for line in path.read_text(encoding="utf-8").split("\n"):
            if line.startswith("#") or not line.strip():
                if words:
                    sentences.append(tuple(words))
                    words = []
                continue
            cells = line.split("\t")
            place = (len(sentences), len(words))
            words.append(cells[3])
            parts = cells[12].split("|") if len(cells) > 12 and cells[12].strip("_ ") else []
            for part in parts:
                if part.startswith("("):
                    opened.setdefault(part.strip("()"), []).append([])
            for spans in opened.values():
                for span in spans:
                    span.append(place)
            for part in parts:
                if part.endswith(")"):
                    chains.setdefault(part.strip("()"), []).append(opened[part.strip("()")].pop())
        found = []
        for chain in chains.values():
            chain.sort()
            for number, span in enumerate(chain):
                word = sentences[span[0][0]][span[0][1]].lower()
                if len(span) > 1 or word not in ("it", "its", "they", "them", "their") or not number:
                    continue
                before = tuple(
                    GoldMention(
                        tuple(other),
                        None,
                        len(other) == 1 and sentences[other[0][0]][other[0][1]].lower() in _PRONOUNS.split(),
                    )
                    for other in chain[:number]
                )
                found.append(GoldPronoun(span[0], "entity", before))
        yield GoldDocument(path.stem, tuple(sentences), tuple(sorted(found, key=lambda p: p.place)))
