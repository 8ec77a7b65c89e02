"""`anaphor align train`: a model of parallel text, for later use."""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from anaphor.cli.align import options as shared
from anaphor.cli.cluster_options import add_cluster, executor_from
from anaphor.cli.options import packs_of
from anaphor.core.errors import InputWarning, OptionError

if TYPE_CHECKING:
    from anaphor.align import AlignerChoice
    from anaphor.cli.terminal import Progress


def configure(parser: argparse.ArgumentParser) -> None:
    shared.add_texts(parser)
    shared.add_training(parser)
    parser.add_argument("--save", required=True, metavar="FILE", help="file to which the model is saved")
    add_cluster(parser)


def run(options: argparse.Namespace) -> None:
    from anaphor.align.texts import train_model
    from anaphor.cli.terminal import Progress
    from anaphor.core import LanguagePair

    shared.check_writable(options.save)
    shared.check_standard_input(options, options.source, options.target)
    choice = shared.choice_of(options, LanguagePair.parse(options.pair))
    with Progress(quiet=options.quiet) as progress:
        if options.cluster is None:
            files = [*_texts(options), *map(tuple, options.train)]
            path = Path(options.save)
            pairs = train_model(choice, files, path, tokenized=options.tokenized, tell=progress)
        else:
            pairs = _train_on_cluster(options, choice, progress)
    print(f"{options.save}: a model of {choice.pair}, trained on {pairs} sentence pairs")


def _train_on_cluster(options: argparse.Namespace, choice: AlignerChoice, progress: Progress) -> int:
    from anaphor.align.texts import tokenizers
    from anaphor.scale.numbering import TokenizationConfig
    from anaphor.scale.shards import expand_patterns
    from anaphor.scale.training import train_on_texts
    from anaphor.task.prepare.texts import TextPair

    progress("reading")
    if "-" in (options.source, options.target):
        raise OptionError("workers read the text", where="-", fix="give files, not standard input")
    packs = packs_of(options)
    tokenizers(choice.pair, tokenized=options.tokenized, packs=packs)  # raises early for unknown languages
    files = [*_texts(options), *(expand_patterns(both, full=True) for both in options.train)]
    texts = [TextPair(source=source, target=target) for source, target in files]
    tokenization = TokenizationConfig(choice.pair, options.tokenized, packs and packs.absolute())
    with executor_from(options) as executor:
        pairs, notes = train_on_texts(texts, choice, tokenization, executor, Path(options.save), progress)
    for note in notes:
        warnings.warn(note, InputWarning, stacklevel=2)
    return pairs


def _texts(options: argparse.Namespace) -> list[tuple[str, str]]:
    """The source and target files; a pattern names several of each."""
    from anaphor.scale.shards import expand_patterns

    full = options.cluster is not None
    sources, targets = (
        expand_patterns([options.source], full=full),
        expand_patterns([options.target], full=full),
    )
    if len(sources) != len(targets):
        raise OptionError(
            f"{len(sources)} source texts and {len(targets)} target texts",
            where="--source, --target",
            fix="give patterns that match the same number of files",
        )
    return list(zip(sources, targets, strict=True))
