"""The options of alignment, for all verbs of `anaphor align` and for `anaphor task prepare`."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from anaphor.cli.commands import CommandParser, OptionGroup
from anaphor.cli.options import packs_of
from anaphor.core.errors import OptionError

if TYPE_CHECKING:
    from anaphor.align import AlignerChoice
    from anaphor.core import LanguagePair

#: Default values of the options; empty `--symmetrize` and `--method` stand for the aligner's own.
DEFAULTS: dict[str, object] = {
    "tokenized": False,
    "train": [],
    "model": None,
    "priors": "built-in",
    "aligner": "anaphor",
    "symmetrize": "",
    "method": "",
    "backoff": "",
    "threads": 2,
}
_OF_TRAINING = ("train", "priors", "aligner", "method", "backoff")


def add_training(parser: CommandParser) -> OptionGroup:
    """Add the options for training the built-in aligner; the group also receives those of `add_choice`."""
    parser.set_defaults(**DEFAULTS)
    group = parser.add_argument_group("how to align")
    add = group.add_argument
    add("--tokenized", action="store_true", help="the texts are already tokenized: keep their tokens")
    add(
        "--train",
        nargs=2,
        action="append",
        metavar="FILE",
        help="source and target of additional training text; may be repeated",
    )
    add(
        "--priors",
        rare=True,
        metavar="NAME",
        help="priors of the built-in aligner: built-in, none, or a file",
    )
    add(
        "--method",
        rare=True,
        metavar="NAME",
        help="alignment model. For anaphor: hmm, ibm1 (no word order), or hmm-apart and ibm1-apart, whose "
        "directions are trained separately; for giza++ and mgiza: model4 or hmm",
    )
    add(
        "--threads",
        rare=True,
        type=int,
        metavar="N",
        help="worker threads (output is identical for any number)",
    )
    return group


def add_choice(group: OptionGroup) -> None:
    """Add the options that choose an aligner and how its links are symmetrized."""
    add = group.add_argument
    add("--model", metavar="FILE", help="align with a model saved by `anaphor align train`, without training")
    add(
        "--aligner",
        metavar="NAME",
        help="anaphor, or, if installed, awesome-align, eflomal, fast_align, giza++, mgiza, simalign",
    )
    add(
        "--symmetrize",
        rare=True,
        metavar="METHOD",
        help="symmetrization: posterior (built-in aligner), forward, reverse, intersection, union, "
        "grow-diag, "
        "grow-diag-final, or grow-diag-final-and (the default of other aligners)",
    )
    add(
        "--backoff",
        rare=True,
        metavar="NAME",
        help=(
            "aligner for segments that the main aligner cannot handle, such as long ones: anaphor or "
            "fast_align"
        ),
    )


def add_texts(parser: CommandParser) -> None:
    """Add the options for the language pair and its two texts."""
    group = parser.add_argument_group("files")
    group.add_argument("--pair", required=True, metavar="SRC-TGT", help="language pair, such as en-fr")
    group.add_argument("--source", required=True, metavar="FILE", help="source text, one segment per line")
    group.add_argument("--target", required=True, metavar="FILE", help="its translation, line by line")
    group.add_argument("--packs", rare=True, metavar="FOLDER", help="folder with your own language packs")


def refuse(options: argparse.Namespace, names: Iterable[str], *, beside: str, because: str) -> None:
    """Raise for the first of these options that is set, since it would be ignored."""
    for name in names:
        if getattr(options, name) != DEFAULTS[name]:
            raise OptionError(
                f"--{name} would be ignored: {because}",
                where=f"--{name}, {beside}",
                fix="omit one of the two",
            )


def check_standard_input(options: argparse.Namespace, *paths: str | None) -> None:
    """Raise if standard input is given for more than one of these files and those of `--train`."""
    if [*paths, *chain.from_iterable(options.train)].count("-") > 1:
        raise OptionError(
            "standard input can only be used for one file", where="-", fix="write the other texts to files"
        )


def check_writable(path: str) -> None:
    """Raise if a file certainly cannot be written, before any work is done."""
    if Path(path).is_dir() or not Path(path).parent.is_dir():
        raise OptionError(
            "the file cannot be written (it is a folder, or its folder does not exist)",
            where=path,
            fix="choose a file in an existing, writable folder",
        )


def choice_of(options: argparse.Namespace, pair: LanguagePair) -> AlignerChoice:
    """The aligner that the options name; options that it would ignore are errors."""
    from anaphor.align import AlignerChoice

    if options.model is not None:
        refuse(options, _OF_TRAINING, beside="--model", because="a saved model is not trained again")
    choice = AlignerChoice(
        pair=pair,
        name=options.aligner,
        symmetrization=options.symmetrize,
        model=options.method,
        priors=options.priors,
        threads=options.threads,
        backoff=options.backoff,
        packs=packs_of(options),
    )
    if options.train:
        choice.check_trainable()
    return choice


def model_of(options: argparse.Namespace) -> Path | None:
    """The saved model, if one is named."""
    return None if options.model is None else Path(options.model)
