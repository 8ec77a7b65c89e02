"""Readers for texts with annotated coreference, in one form for learning and measuring resolvers.

Each reader gives documents: sentences of tokens, and the pronouns whose antecedents are known. A pronoun is
labelled *entity*, *event*, *pleonastic* or *generic* (people whom the text does not name), and the other
mentions of its chain are spans with a head. What is not known is left out: a pronoun that first mentions its
entity has no label, except *they*, which then is generic.

- `parcorfull`: MMAX2 as in ParCorFull; the head of a mention is its first noun that is no possessor.
- `gum`: the CoNLL-U files of GUM with `Entity=`; the head is the one its annotators marked.
- `litbank`: the CoNLL files of LitBank. It annotates people, places, groups and vehicles and nothing else, so
  that *it* without an entity may be anything, and only pronouns with an antecedent are used.
- `gerdracor`: the CoNLL files of GerDraCor-Coref, German plays, whose mentions of entities are annotated.
- `french_litbank`: the brat files of fr-litbank, of the same kind as LitBank.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from anaphor.corpus.mmax2 import Markable, read_mmax2
from anaphor.languages import Tokenizer, load_language

#: Genres of GUM whose texts are licensed for non-commercial use, as the LICENSE.md of GUM itself has them;
#: that of Universal Dependencies names fiction and wikiHow alone.
GUM_NONCOMMERCIAL = ("essay", "fiction", "letter", "podcast", "whow")
_PRONOUNS = """
i me my mine you your he him his she her hers it its itself they them their theirs themselves we us our this
that these those one who whom which"""
_ENGLISH = frozenset({"it", "its", "they", "them", "their"})
_GERMAN = frozenset({"er", "ihn", "ihm", "sie", "es", "ihnen"})
_GERMAN_OTHERS = """
ich mich mir du dich dir wir uns ihr euch sich man der die das den dem deren dessen denen
welcher welche welches wer mein meine meinen meinem meiner dein deine deinen deinem deiner sein
seine seinen seinem seiner seines ihre ihren ihrem ihrer ihres unser unsere euer eure"""
_FRENCH = frozenset({"il", "elle", "ils", "elles"})
_FRENCH_OTHERS = """
je j' me m' moi tu te t' toi nous vous le la les l' lui leur leurs eux se s' soi on qui que qu'
dont son sa ses mon ma mes ton ta tes notre nos votre vos celui celle ceux celles en y"""
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
        # Two Portuguese documents cannot be read, and sentences do not cover all words of the others.
        for document in read_mmax2(folder / part / language.upper(), skip_broken=language == "pt"):
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
                sentence, position = place(one.words[0])
                if position < len(sentences[sentence]):
                    before = before if label == "entity" else ()
                    found.append(GoldPronoun((sentence, position), label, before))
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


def gum_parts(folder: Path) -> tuple[Path, frozenset[str]]:
    """Where the documents of a copy of GUM are, and the names of those of its test part."""
    names = (folder / "not-to-release" / "file-lists" / "files.test").read_text(encoding="utf-8")
    return folder / "not-to-release" / "sources", frozenset(names.split())


def gum_paths(folder: Path, *, free: bool) -> list[Path]:
    """The documents of a copy of GUM without its test part; `free` leaves out non-commercial genres."""
    sources, test = gum_parts(folder)
    paths = [path for path in sorted(sources.glob("*.conllu")) if path.stem not in test]
    return [path for path in paths if not free or path.stem.split("_")[1] not in GUM_NONCOMMERCIAL]


def gum(paths: Iterable[Path]) -> Iterator[GoldDocument]:
    """Documents of GUM."""
    yield from map(_gum_document, paths)


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
        yield _conll_document(path, column=12, resolved=_ENGLISH, pronouns=frozenset(_PRONOUNS.split()))


def gerdracor(folder: Path) -> Iterator[GoldDocument]:
    """The plays of GerDraCor-Coref's `conll`: pronouns with an antecedent alone."""
    for path in sorted(folder.glob("*.CoNLL2012.conll")):
        yield _conll_document(
            path, column=10, resolved=_GERMAN, pronouns=_GERMAN | frozenset(_GERMAN_OTHERS.split())
        )


def _conll_document(
    path: Path, *, column: int, resolved: frozenset[str], pronouns: frozenset[str]
) -> GoldDocument:
    """A document with words in the fourth column and chains in another one."""
    sentences: list[tuple[str, ...]] = []
    opened: dict[str, list[list[tuple[int, int]]]] = {}
    chains: dict[str, list[list[tuple[int, int]]]] = {}
    words: list[str] = []
    for line in [*path.read_text(encoding="utf-8").split("\n"), ""]:
        if line.startswith("#") or not line.strip():
            if words:
                sentences.append(tuple(words))
                words = []
            continue
        cells = line.split("\t")
        place = (len(sentences), len(words))
        words.append(cells[3])
        parts = cells[column].split("|") if len(cells) > column and cells[column].strip("_- ") else []
        for part in parts:
            if part.startswith("("):
                opened.setdefault(part.strip("()"), []).append([])
        for spans in opened.values():
            for span in spans:
                span.append(place)
        for part in parts:
            # One play closes a mention that it does not open.
            if part.endswith(")") and (spans := opened.get(part.strip("()"))):
                chains.setdefault(part.strip("()"), []).append(spans.pop())
    return GoldDocument(
        path.stem, tuple(sentences), _in_chains(sentences, chains.values(), resolved, pronouns)
    )


def _in_chains(
    sentences: Sequence[Sequence[str]],
    chains: Iterable[list[list[tuple[int, int]]]],
    resolved: frozenset[str],
    pronouns: frozenset[str],
) -> tuple[GoldPronoun, ...]:
    """The resolved pronouns that are not the first mention of their chain."""
    found = []
    for chain in chains:
        chain.sort()
        for number, span in enumerate(chain):
            if len(span) > 1 or _word(sentences, span) not in resolved or not number:
                continue
            before = tuple(
                GoldMention(tuple(other), None, len(other) == 1 and _word(sentences, other) in pronouns)
                for other in chain[:number]
            )
            found.append(GoldPronoun(span[0], "entity", before))
    return tuple(sorted(found, key=lambda one: one.place))


def _word(sentences: Sequence[Sequence[str]], span: Sequence[tuple[int, int]]) -> str:
    return sentences[span[0][0]][span[0][1]].lower()


def french_litbank(folder: Path) -> Iterator[GoldDocument]:
    """The documents of fr-litbank's `brat/coref`: pronouns with an antecedent alone."""
    tokenize = Tokenizer(load_language("fr"))
    for path in sorted(folder.glob("*.ann")):
        text = path.with_suffix(".txt").read_text(encoding="utf-8")
        spans: dict[str, tuple[int, int]] = {}
        leads: dict[str, str] = {}

        def first(name: str, leads: dict[str, str] = leads) -> str:
            while leads.get(name, name) != name:
                name = leads[name]
            return name

        for line in path.read_text(encoding="utf-8").splitlines():
            name, _, rest = line.partition("\t")
            cells = rest.split("\t")[0].split()
            if name.startswith("T"):
                spans[name] = int(cells[1]), int(cells[-1])
            elif name.startswith("R"):
                one, other = (first(cell.partition(":")[2]) for cell in cells[1:3])
                leads[max(one, other)] = min(one, other)
        sentences, starts = _sentences_of(text, tokenize)
        places = [(number, position) for number, row in enumerate(starts) for position in range(len(row))]
        begins = [start for row in starts for start in row]
        chains: dict[str, list[list[tuple[int, int]]]] = {}
        for name, (start, end) in spans.items():
            inside = places[bisect_left(begins, start) : bisect_left(begins, end)]
            if inside:
                chains.setdefault(first(name), []).append(inside)
        found = _in_chains(sentences, chains.values(), _FRENCH, _FRENCH | frozenset(_FRENCH_OTHERS.split()))
        yield GoldDocument(path.stem, tuple(sentences), found)


def _sentences_of(text: str, tokenize: Tokenizer) -> tuple[list[tuple[str, ...]], list[list[int]]]:
    """The sentences of a text as tokens, and where each token begins in the text."""
    sentences: list[tuple[str, ...]] = []
    starts: list[list[int]] = []
    begin = 0
    for line in text.split("\n"):
        row = tokenize(line)
        cuts = [at + 1 for at, token in enumerate(row.tokens) if token in (".", "!", "?", "…", "...")]
        for first, last in pairwise([0, *cuts, len(row.tokens)]):
            if last > first:
                sentences.append(row.tokens[first:last])
                starts.append([begin + start for start in row.starts[first:last]])
        begin += len(line) + 1
    return sentences, starts
