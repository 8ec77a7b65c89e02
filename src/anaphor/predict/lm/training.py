"""A language model from text: count, smooth, write."""

from __future__ import annotations

import errno
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from anaphor.core import InputError, OptionError, UserError, Where
from anaphor.predict.lm.arpa import write_arpa
from anaphor.predict.lm.columns import ColumnStore
from anaphor.predict.lm.counts import EncodedText, NgramTable, count_ngrams, number_text
from anaphor.predict.lm.file import SUFFIX, write_levels
from anaphor.predict.lm.smoothing import Discounts, SmoothedLevel, smooth

HIGHEST_ORDER = 6  # kenlm's own limit as it is commonly built
LEAST_MEMORY = 1 << 24
# Sorting a chunk of the text needs keys, places, numbers and suffixes of all its n-grams at once.
_BYTES_A_TOKEN = 128

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class LmTrainingOptions:
    """How a model is trained.

    `memory` bounds in bytes what sorting and merging hold at once; the vocabulary comes on top. `prune` has
    for every length the highest count that is left out, the last number holding for longer ones too.
    `folder` takes the temporary files, about 150 bytes for every word of text.
    """

    order: int = 5
    memory: int = 1 << 29
    prune: tuple[int, ...] = ()
    fallback: bool = False
    folder: Path | None = None

    def __post_init__(self) -> None:
        if not 2 <= self.order <= HIGHEST_ORDER:
            raise OptionError(
                f"no order of a model: {self.order}", where="--order", fix=f"give 2 to {HIGHEST_ORDER}"
            )
        if self.memory < LEAST_MEMORY:
            raise OptionError(
                f"{self.memory} bytes of memory are too few", where="--memory", fix="give 16M or more"
            )
        _check_prune(self.prune, self.order)


def _check_prune(prune: tuple[int, ...], order: int) -> None:
    rising = all(low <= high for low, high in pairwise(prune))
    if prune and not (len(prune) <= order and prune[0] == 0 and rising):
        raise OptionError(
            f"counts cannot be pruned like this: {' '.join(map(str, prune))}",
            where="--prune",
            fix="give a number for each length, 0 first and none smaller than the one before, such as 0 0 1",
        )


@dataclass(frozen=True, slots=True)
class LmTrainingReport:
    """What a model was made from and what it holds: n-grams and discounts by length."""

    sentences: int
    tokens: int
    words: int
    ngrams: tuple[int, ...]
    discounts: tuple[Discounts, ...]


def train_lm(
    lines: Iterable[tuple[Where, str]],
    output: str | Path,
    training: LmTrainingOptions | None = None,
    *,
    progress: Progress = lambda _: None,
) -> LmTrainingReport:
    """Estimate a model from sentences, one a line with their places, and write it.

    The file is in our own format where its name ends in `.lm`, and otherwise ARPA.
    """
    training = training or LmTrainingOptions()
    with _temporary_folder(training.folder) as folder:
        store = ColumnStore(folder, training.memory // _BYTES_A_TOKEN)
        progress("reading the text")
        text = number_text(lines, store)
        if not text.tokens:
            raise InputError("the text has no words", where="--text", fix="give one sentence a line")
        tables = list(_counted(text, training, store, progress))
        progress("estimating probabilities")
        levels = smooth(tables, store, prune=training.prune, fallback=training.fallback)
        progress(f"writing {sum(level.size for level in levels):,} n-grams")
        if Path(output).suffix == SUFFIX:
            write_levels(Path(output), levels, text.words, store)
        else:
            write_arpa(output, levels, text.words)
    return _report(text, levels)


def _counted(
    text: EncodedText, training: LmTrainingOptions, store: ColumnStore, progress: Progress
) -> Iterator[NgramTable]:
    counted = count_ngrams(text, training.order, store)
    for length in range(1, training.order + 1):
        progress(f"counting {length}-grams")
        table = next(counted)
        if not len(table):
            raise InputError(
                f"no sentence is long enough to have a {length}-gram",
                where="--text",
                fix=f"give longer sentences, or --order {length - 1}",
            )
        yield table


def _report(text: EncodedText, levels: list[SmoothedLevel]) -> LmTrainingReport:
    return LmTrainingReport(
        sentences=text.sentences,
        tokens=text.tokens,
        words=len(text.words),
        ngrams=tuple(level.size for level in levels),
        discounts=tuple(level.discounts for level in levels),
    )


@contextmanager
def _temporary_folder(parent: Path | None) -> Iterator[Path]:
    """A folder that is gone afterwards; a full disk is said in plain words."""
    try:
        folder = Path(tempfile.mkdtemp(prefix="anaphor-lm-", dir=parent))
    except OSError as error:
        raise OptionError(
            f"temporary files cannot be written ({error.strerror or error})",
            where=str(parent),
            fix="name a folder that exists and that you may write to",
        ) from error
    try:
        yield folder
    except OSError as error:
        raise _disk_error(error, folder) from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _disk_error(error: OSError, folder: Path) -> UserError:
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    what = "the disk is full" if full else f"a temporary file failed ({error.strerror or error})"
    return OptionError(
        what,
        where=str(folder),
        fix="name a folder with more room, about 150 bytes for every word of text, with --temporary",
    )
