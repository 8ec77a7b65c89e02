"""`anaphor align`: word alignment, from text to links and from links to their quality."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from anaphor.cli import align_evaluate, align_train
from anaphor.cli.aligning import (
    add_choice,
    add_training,
    align,
    check_standard_input,
    choice_of,
    read_pairs,
    signature_of,
    tokenizers,
)
from anaphor.cli.cluster_options import add_cluster
from anaphor.core.errors import OptionError

if TYPE_CHECKING:
    from anaphor.align import AlignerChoice
    from anaphor.core import Alignment

SUMMARY = "align the words of a text and its translation, train an aligner, judge alignments"
EXAMPLES = """examples:
  anaphor align run --pair en-fr --source src.en --target ref.fr --output ref.align
  anaphor align run --pair en-fr ... --train more.en.gz more.fr.gz --scores ref.scores
  anaphor align run --pair en-fr ... --aligner eflomal --symmetrize intersection
  anaphor align run --pair en-de ... --aligner mgiza --method hmm --backoff fast_align
  anaphor align train --pair en-fr --source more.en.gz --target more.fr.gz --save en-fr.model
  anaphor align train --pair en-fr --source 'part-*.en.gz' --target 'part-*.fr.gz' --cluster local:4 --save m
  anaphor align run --pair en-fr ... --model en-fr.model
  anaphor align evaluate --gold gold.txt --alignment ref.align
  anaphor align evaluate --gold items.jsonl --gold-layout pronoun-links --align
  anaphor align evaluate --gold gold.tsv --gold-layout xl-wa --pair en-es --align --train m.en.gz m.es.gz

Links are source-target, such as `0-0 1-2`: one line a segment, tokens counted from 0."""


def configure(parser: argparse.ArgumentParser) -> None:
    jobs = parser.add_subparsers(dest="job", metavar="JOB", required=True)
    run_parser = jobs.add_parser("run", help="align two files and print the links, one line a segment")
    _add_texts(run_parser)
    add_choice(add_training(run_parser))
    _add_output(run_parser)
    train_parser = jobs.add_parser("train", help="train a model on two files and save it")
    _add_texts(train_parser)
    add_training(train_parser)
    train_parser.add_argument("--save", required=True, metavar="FILE", help="where the model goes")
    add_cluster(train_parser)
    evaluate_parser = jobs.add_parser("evaluate", help="compare links with those that people made")
    align_evaluate.configure(evaluate_parser)


def _add_texts(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("files")
    group.add_argument("--pair", required=True, metavar="SRC-TGT", help="language pair, such as en-fr")
    group.add_argument("--source", required=True, metavar="FILE", help="source text, one segment a line")
    group.add_argument("--target", required=True, metavar="FILE", help="its translation, line by line")
    group.add_argument("--packs", metavar="FOLDER", help="language packs of your own")


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
    {"run": _run, "train": _train, "evaluate": align_evaluate.run}[options.job](options)


def _train(options: argparse.Namespace) -> None:
    _check_place(options.save)
    align_train.run(options)


def _run(options: argparse.Namespace) -> None:
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
    from anaphor.align.abilities import OWN
    from anaphor.align.ways import CONFIDENT

    for path in filter(None, (options.output, options.scores)):
        _check_place(path)
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


def _check_place(path: str) -> None:
    if Path(path).is_dir() or not Path(path).parent.is_dir():
        raise OptionError(
            "the file cannot be written (it is a folder, or its folder does not exist)",
            where=path,
            fix="choose a file in an existing folder that you may write to",
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
