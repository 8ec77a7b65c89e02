"""`anaphor align run`: the links of a text and its translation."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from anaphor.cli.align.options import (
    add_choice,
    add_texts,
    add_training,
    align,
    check_place,
    check_standard_input,
    choice_of,
    read_pairs,
    signature_of,
    tokenizers,
)
from anaphor.core.errors import OptionError

if TYPE_CHECKING:
    from anaphor.align import AlignerChoice
    from anaphor.core import Alignment


def configure(parser: argparse.ArgumentParser) -> None:
    add_texts(parser)
    add_choice(add_training(parser))
    _add_output(parser)


def _add_output(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("output")
    group.add_argument(
        "--output", metavar="FILE", help="write the links to FILE and not to the standard output"
    )
    group.add_argument(
        "--scores",
        metavar="FILE",
        help="also write the confidence of every link, 0 to 1, in the order of the links",
    )
    group.add_argument("--json", action="store_true", help="print the links with their confidences as JSON")


def run(options: argparse.Namespace) -> None:
    from anaphor.cli.terminal import Progress
    from anaphor.core import LanguagePair
    from anaphor.corpus import format_alignment, write_atomically

    choice = choice_of(options, LanguagePair.parse(options.pair))
    check_standard_input(options, options.source, options.target)
    _check_outputs(options, choice)
    with Progress() as progress:
        progress("reading")
        words = tokenizers(options, choice.pair)
        pairs = read_pairs(source=options.source, target=options.target, words=words)
        found = align(options, choice, pairs, progress)
    links = _lines(format_alignment(alignment) for alignment in found)
    if options.output:
        write_atomically(options.output, links)
    if options.scores:
        write_atomically(options.scores, _lines(map(_scores, found)))
    if options.json:
        print(_as_json(found, choice, signature_of(options, choice)))
    elif not options.output:
        print(links, end="")


def _check_outputs(options: argparse.Namespace, choice: AlignerChoice) -> None:
    """Raise for files that could not be written in the end, before any work is done."""
    from anaphor.align.aligners import CONFIDENT, OWN

    for path in filter(None, (options.output, options.scores)):
        check_place(path)
    if options.scores and options.output and Path(options.scores).resolve() == Path(options.output).resolve():
        raise OptionError(
            f"links and confidences would both go to {options.output}",
            where="--output, --scores",
            fix="name two files",
        )
    if options.scores and not (choice.name == OWN and choice.way in CONFIDENT):
        raise OptionError(
            "only links read off posteriors or in one direction have confidences",
            where="--scores",
            fix=f"leave it out, or use the aligner anaphor with --symmetrize {', '.join(CONFIDENT)}",
        )


def _scores(alignment: Alignment) -> str:
    return " ".join(f"{confidence:.4f}" for confidence in alignment.confidence or ())


def _lines(texts: Iterable[str]) -> str:
    return "".join(f"{text}\n" for text in texts)


def _as_json(found: Sequence[Alignment], choice: AlignerChoice, signature: str) -> str:
    """One object: what made the links, and for each segment its links and their confidences."""
    import json

    content = {
        "pair": str(choice.pair),
        "aligner": signature,
        "segments": len(found),
        "links": sum(map(len, found)),
        "alignments": [
            {
                "links": list(zip(alignment.sources, alignment.targets, strict=True)),
                "confidence": alignment.confidence and [round(value, 4) for value in alignment.confidence],
            }
            for alignment in found
        ],
    }
    return json.dumps(content)
