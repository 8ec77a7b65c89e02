"""Word vectors from plain text: what stands beside a word, squeezed into a few numbers.

For each frequent word, how often each of the most frequent words stands one or two places before or after
it; the square roots of the shares, reduced to their main directions (Lebret and Collobert 2014).
"""

from __future__ import annotations

import csv
import gzip
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from anaphor.analyse.wordforms import plain
from anaphor.languages import Tokenizer, load_language

_PLACES = (-2, -1, 1, 2)
_CONTEXTS = 900
_SPREAD = 0.4  # of the numbers in a vector: about that of the weights they are added to

# Language: (Europarl pair, its column, Tatoeba's file and column, column in the handbook, in the Bible).
_SOURCES = {
    "en": ("en-fr", 3, "eng-fra", 2, 2, 3),
    "fr": ("en-fr", 4, "eng-fra", 3, 3, None),
    "de": ("en-de", 4, "deu-eng", 2, 4, 4),
    "es": ("en-es", 4, "eng-spa", 3, 5, 5),
}


def sentences(data: Path, language: str, *, most: int = 1 << 30) -> Iterator[Sequence[str]]:
    """Tokenised lines of Tatoeba, the Debian handbook, the Bible and Europarl."""
    tokens = Tokenizer(load_language(language)).words
    pair, column, tatoeba, place, handbook, bible = _SOURCES[language]
    files = [
        (data / "tatoeba" / f"tatoeba-test-v2023-09-26.{tatoeba}.txt.gz", place),
        (data / "debian-handbook" / "handbook.en-fr-de-es.paragraphs.tsv.gz", handbook),
        (data / "bible" / "bible.en-de-es.tsv.gz", bible),
        (data / "europarl" / f"europarl.{pair}.docs.tsv.gz", column),
    ]
    for path, cell in files:
        if cell is not None:
            with gzip.open(path, "rt", encoding="utf-8", newline="") as lines:
                rows = csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
                for number, row in enumerate(rows):
                    if 0 < number <= most and len(row) > cell:
                        yield tokens(row[cell])


def columns(path: Path, language: str) -> Iterator[Sequence[str]]:
    """Tokenised lines of a file whose second column is in the language."""
    tokens = Tokenizer(load_language(language)).words
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield tokens(line.rstrip("\n").split("\t")[1])


def word_vectors(
    text: Iterable[Sequence[str]], *, words: int, width: int, least: int = 8
) -> tuple[list[str], NDArray[np.float32]]:
    """The most frequent words, with a row for each after a row of zeros for all others."""
    lines = [[plain(token) for token in line] for line in text]
    counts = Counter(token for line in lines for token in line)
    vocabulary = [word for word, count in counts.most_common(words) if count >= least]
    index = {word: number for number, word in enumerate(vocabulary)}
    size, contexts = len(vocabulary), min(_CONTEXTS, len(vocabulary))
    # Two empty places after each line; a number beyond the vocabulary is any other word.
    flat = np.fromiter(
        (number for line in lines for number in (*(index.get(t, size) for t in line), size + 1, size + 1)),
        np.int64,
    )
    blocks = [_shares(flat, place, size, contexts) for place in _PLACES]
    vectors = _reduced(np.concatenate(blocks, axis=1), width)
    return vocabulary, np.concatenate([np.zeros((1, width), np.float32), vectors])


def _shares(flat: NDArray[np.int64], place: int, size: int, contexts: int) -> NDArray[np.float32]:
    here, there = (flat[-place:], flat[:place]) if place < 0 else (flat[:-place], flat[place:])
    # Rare contexts share a column; the edge of the sentence has its own.
    column = np.where(there < contexts, there, np.where(there == size + 1, contexts + 1, contexts))
    known = here < size
    counts = np.bincount(here[known] * (contexts + 2) + column[known], minlength=size * (contexts + 2))
    table = counts.reshape(size, contexts + 2).astype(np.float32)
    return np.sqrt(table / np.maximum(table.sum(axis=1, keepdims=True), 1))


def _reduced(table: NDArray[np.float32], width: int) -> NDArray[np.float32]:
    table -= table.mean(axis=0)
    _, vectors = np.linalg.eigh(table.T @ table)
    reduced = table @ vectors[:, -width:]
    return (_SPREAD * reduced / np.sqrt((reduced**2).mean(axis=0))).astype(np.float32)
