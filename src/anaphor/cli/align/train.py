"""`anaphor align train`: a model of parallel text, for later."""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from anaphor.cli.align.options import (
    add_texts,
    add_training,
    check_place,
    check_standard_input,
    choice_of,
    iterate_pairs,
    packs_of,
    tokenizers,
)
from anaphor.cli.cluster_options import add_cluster, crew_of
from anaphor.core.errors import InputWarning, OptionError

if TYPE_CHECKING:
    from anaphor.align import AlignerChoice, SentencePair
    from anaphor.cli.terminal import Progress


def configure(parser: argparse.ArgumentParser) -> None:
    add_texts(parser)
    add_training(parser)
    parser.add_argument("--save", required=True, metavar="FILE", help="where the model goes")
    add_cluster(parser)


def run(options: argparse.Namespace) -> None:
    from anaphor.cli.terminal import Progress
    from anaphor.core import LanguagePair

    check_place(options.save)
    check_standard_input(options, options.source, options.target)
    choice = choice_of(options, LanguagePair.parse(options.pair))
    with Progress() as progress:
        progress("reading")
        work = _train_here if options.cluster is None else _train_on_cluster
        pairs = work(options, choice, progress)
    print(f"{options.save}: a model of {choice.pair}, trained on {pairs} sentence pairs")


def _train_here(options: argparse.Namespace, choice: AlignerChoice, progress: Progress) -> int:
    from anaphor.align.aligners import BuiltInAligner

    words = tokenizers(options, choice.pair)
    read = 0

    def pairs() -> Iterator[SentencePair]:
        nonlocal read
        for source, target in (*_texts(options), *options.train):
            for pair in iterate_pairs(source=source, target=target, words=words):
                read += 1
                yield pair

    BuiltInAligner(choice.telling("training", progress)).train(pairs()).save(Path(options.save))
    return read


def _train_on_cluster(options: argparse.Namespace, choice: AlignerChoice, progress: Progress) -> int:
    from anaphor.scale.numbering import Cutting
    from anaphor.scale.shards import expanded
    from anaphor.scale.training import train_on_texts
    from anaphor.task.prepare.texts import TextPair

    if "-" in (options.source, options.target):
        raise OptionError("workers read the text", where="-", fix="give files, not the standard input")
    tokenizers(options, choice.pair)  # says which languages it knows, before any work
    files = [*_texts(options), *(expanded(both, full=True) for both in options.train)]
    texts = [TextPair(source=source, target=target) for source, target in files]
    packs = packs_of(options)
    cutting = Cutting(choice.pair, options.tokenized, packs and packs.absolute())
    with crew_of(options) as crew:
        pairs, notes = train_on_texts(texts, choice, cutting, crew, Path(options.save), progress)
    for note in notes:
        warnings.warn(note, InputWarning, stacklevel=2)
    return pairs


def _texts(options: argparse.Namespace) -> list[tuple[str, str]]:
    """The files of source and target; a pattern names several of each."""
    from anaphor.scale.shards import expanded

    full = options.cluster is not None
    sources, targets = expanded([options.source], full=full), expanded([options.target], full=full)
    if len(sources) != len(targets):
        raise OptionError(
            f"{len(sources)} source texts and {len(targets)} target texts",
            where="--source, --target",
            fix="give patterns that name as many files of each",
        )
    return list(zip(sources, targets, strict=True))
