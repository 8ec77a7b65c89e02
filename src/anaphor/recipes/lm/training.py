"""Training a language model from text: count, smooth, write."""

from __future__ import annotations

import errno
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from anaphor.core import InputError, OptionError, Where
from anaphor.core.progress import Progress
from anaphor.core.table import Block, Table, number, text
from anaphor.languages import Tokenizer, load_language
from anaphor.recipes.lm.arpa import write_arpa
from anaphor.recipes.lm.columns import ColumnStore
from anaphor.recipes.lm.counts import count_ngrams, encode_text
from anaphor.recipes.lm.model import SUFFIX, write_levels
from anaphor.recipes.lm.smoothing import Discounts, smooth
from anaphor.task.streams import read_lines

HIGHEST_ORDER = 6  # kenlm's own limit as it is commonly built
LEAST_MEMORY = 1 << 24
# Sorting a chunk of the text needs keys, places, numbers and suffixes of all its n-grams at once.
_BYTES_PER_TOKEN = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class LmTrainingOptions:
    """Options of training.

    - `memory`: bytes that sorting and merging may use at once, excluding the vocabulary.
    - `prune`: for every length the highest count to leave out; the last number applies to longer n-grams.
    - `fallback`: use fixed discounts if the text is too small to estimate them.
    - `folder`: for temporary files, about 150 bytes per word of text.
    """

    order: int = 5
    memory: int = 1 << 29
    prune: tuple[int, ...] = ()
    fallback: bool = False
    folder: Path | None = None

    def __post_init__(self) -> None:
        if not 2 <= self.order <= HIGHEST_ORDER:
            raise OptionError(
                f"the order cannot be {self.order}", where="--order", fix=f"use 2 to {HIGHEST_ORDER}"
            )
        if self.memory < LEAST_MEMORY:
            raise OptionError(
                f"{self.memory} bytes of memory are too few", where="--memory", fix="use 16M or more"
            )
        ascending = all(low <= high for low, high in pairwise(self.prune))
        if self.prune and not (len(self.prune) <= self.order and self.prune[0] == 0 and ascending):
            raise OptionError(
                f"invalid pruning thresholds: {' '.join(map(str, self.prune))}",
                where="--prune",
                fix="use a number for each length, 0 first and none smaller than the one before: 0 0 1",
            )


@dataclass(frozen=True, slots=True)
class LmTrainingReport:
    """The text that a model was trained on, and the n-grams and discounts of each length."""

    sentences: int
    tokens: int
    words: int
    ngrams: tuple[int, ...]
    discounts: tuple[Discounts, ...]
    output: str

    def to_dict(self) -> dict[str, Any]:
        content = asdict(self)
        del content["output"]
        return content

    def tables(self) -> list[Block]:
        columns = (*map(text, ("length", "n-grams")), *(number(name, 4) for name in ("D1", "D2", "D3+")))
        rows = [
            (str(length), str(size), discounts.one, discounts.two, discounts.more)
            for length, (size, discounts) in enumerate(zip(self.ngrams, self.discounts, strict=True), start=1)
        ]
        return [
            f"{self.output}: {self.tokens} words in {self.sentences} sentences, {self.words} different",
            Table(columns, rows),
        ]


def read_text_lines(
    paths: Iterable[str], *, tokenize: str | None = None, packs: Path | None = None, lower: bool = False
) -> Iterator[tuple[Where, str]]:
    """The lines of all texts with their places, tokenized for a language and lower-cased on request.

    `packs` is a folder with the user's language packs.
    """
    words = Tokenizer(load_language(tokenize, folder=packs)).words if tokenize else None
    for path in paths:
        for line_number, line in read_lines(path):
            tokenized = line if words is None else " ".join(words(line))
            yield Where(path, line_number), tokenized.lower() if lower else tokenized


def train_lm(
    lines: Iterable[tuple[Where, str]],
    output: str | Path,
    training: LmTrainingOptions | None = None,
    *,
    progress: Progress = lambda _: None,
) -> LmTrainingReport:
    """Estimate a model from sentences, one per line with their places, and write it.

    The file is in our own format if its name ends in `.lm`, and ARPA otherwise.
    """
    training = training or LmTrainingOptions()
    with _temporary_folder(training.folder) as folder:
        store = ColumnStore(folder, training.memory // _BYTES_PER_TOKEN)
        progress("reading the text")
        encoded = encode_text(lines, store)
        if not encoded.tokens:
            raise InputError("the text has no words", where="--text", fix="write one sentence per line")
        counted = count_ngrams(encoded, training.order, store)
        tables = []
        for length in range(1, training.order + 1):
            progress(f"counting {length}-grams")
            tables.append(next(counted))
            if not len(tables[-1]):
                raise InputError(
                    f"no sentence is long enough to have a {length}-gram",
                    where="--text",
                    fix=f"use longer sentences, or --order {length - 1}",
                )
        progress("estimating probabilities")
        levels = smooth(tables, store, prune=training.prune, fallback=training.fallback)
        progress(f"writing {sum(level.size for level in levels):,} n-grams")
        if Path(output).suffix == SUFFIX:
            write_levels(Path(output), levels, encoded.words, store)
        else:
            write_arpa(output, levels, encoded.words)
    return LmTrainingReport(
        sentences=encoded.sentences,
        tokens=encoded.tokens,
        words=len(encoded.words),
        ngrams=tuple(level.size for level in levels),
        discounts=tuple(level.discounts for level in levels),
        output=str(output),
    )


@contextmanager
def _temporary_folder(parent: Path | None) -> Iterator[Path]:
    """A folder that is deleted afterwards; a full disk is a readable error."""
    try:
        folder = Path(tempfile.mkdtemp(prefix="anaphor-lm-", dir=parent))
    except OSError as error:
        raise OptionError(
            f"temporary files cannot be written ({error.strerror or error})",
            where=str(parent),
            fix="use an existing, writable folder",
        ) from error
    try:
        yield folder
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        raise OptionError(
            "the disk is full" if full else f"a temporary file failed ({error.strerror or error})",
            where=str(folder),
            fix="choose a folder with more space with --temporary, about 150 bytes per word of text",
        ) from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)
