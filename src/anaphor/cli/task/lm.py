"""`anaphor task lm`: the language-model baseline, from text to predictions."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from anaphor.cli.task import lm_fill as task_lm_fill
from anaphor.cli.task.lm_options import add_json, add_model
from anaphor.core.errors import OptionError, Where

if TYPE_CHECKING:
    from anaphor.predict.lm.language_model import Perplexity
    from anaphor.predict.lm.training import LmTrainingReport

EXAMPLES = """examples:
  anaphor task lm train --text europarl.fr.gz --tokenize fr --lower --output fr.lm
  anaphor task lm train --text lemmas.fr.gz --order 5 --memory 2G --output fr.arpa.gz
  anaphor task lm tune --pair en-fr --year 2015 --model fr.lm --lower --dev dev.tsv
  anaphor task lm fill --pair en-fr --year 2015 --model fr.lm --lower --penalty -1.5 dev.tsv --output pred.tsv
  anaphor task lm fill --pair en-fr --model fr.arpa --strip-tags --legacy-prune --format scores dev.tsv
  anaphor task lm perplexity --model fr.lm --text held-out.fr
  anaphor task lm convert --model fr.arpa.gz --output fr.lm

A model is an ARPA file, or a file in our own format (.lm) that loads at once."""

_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def configure(parser: argparse.ArgumentParser) -> None:
    steps = parser.add_subparsers(dest="step", metavar="STEP", required=True)
    _configure_train(steps.add_parser("train", help="estimate a model from text and write it"))
    task_lm_fill.configure_fill(steps.add_parser("fill", help="fill the placeholders of a task file"))
    task_lm_fill.configure_tune(steps.add_parser("tune", help="choose the penalty on development data"))
    _configure_perplexity(steps.add_parser("perplexity", help="say how well a model foresees a text"))
    _configure_convert(steps.add_parser("convert", help="turn an ARPA file into one that loads at once"))


def run(options: argparse.Namespace) -> int:
    steps = {
        "train": _train,
        "fill": task_lm_fill.fill,
        "tune": task_lm_fill.tune,
        "perplexity": _perplexity,
        "convert": _convert,
    }
    steps[options.step](options)
    return 0


def _configure_train(parser: argparse.ArgumentParser) -> None:
    _add_text(parser, several=True)
    add = parser.add_argument_group("model").add_argument
    add(
        "--output",
        required=True,
        metavar="FILE",
        help="ARPA, compressed if it ends in .gz; .lm loads at once",
    )
    add("--order", type=int, default=5, metavar="N", help="length of the longest n-grams, 2 to 6 (default 5)")
    add("--prune", type=int, nargs="+", default=[], metavar="N", help="leave out counts up to N, by length")
    add("--discount-fallback", action="store_true", help="fixed discounts where a text is too small to say")
    add("--memory", type=_bytes, default="512M", metavar="SIZE", help="for sorting (default 512M)")
    add("--temporary", metavar="FOLDER", help="for temporary files, 150 bytes for every word of text")
    add_json(parser)


def _configure_perplexity(parser: argparse.ArgumentParser) -> None:
    add_model(parser)
    _add_text(parser, several=False)
    add_json(parser)


def _configure_convert(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", required=True, metavar="FILE", help="an ARPA file")
    parser.add_argument("--output", required=True, metavar="FILE", help="the file to write, such as fr.lm")


def _add_text(parser: argparse.ArgumentParser, *, several: bool) -> None:
    add = parser.add_argument_group("text").add_argument
    add(
        "--text",
        required=True,
        nargs="+" if several else 1,
        metavar="FILE",
        help="one sentence a line, words separated by spaces; .gz is decompressed",
    )
    add("--tokenize", metavar="LANGUAGE", help="cut the lines into words first, such as fr")
    add("--lower", action="store_true", help="put the text in lower case first")


def _bytes(text: str) -> int:
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)([KMG]?)B?", text.strip().upper())
    if match is None:
        raise argparse.ArgumentTypeError(f"not a size such as 512M or 2G: {text!r}")
    return int(float(match[1]) * _UNITS.get(match[2], 1))


def _lines(options: argparse.Namespace) -> Iterator[tuple[Where, str]]:
    """The lines of all texts with their places, cut and put in lower case where the user wants it."""
    from anaphor.languages import Tokenizer, load_language
    from anaphor.task.streams import read_lines

    words = Tokenizer(load_language(options.tokenize)).words if options.tokenize else None
    for path in options.text:
        for number, line in read_lines(path):
            text = line if words is None else " ".join(words(line))
            yield Where(path, number), text.lower() if options.lower else text


def _train(options: argparse.Namespace) -> None:
    from anaphor.cli.terminal import Progress
    from anaphor.predict.lm.training import LmTrainingOptions, train_lm

    training = LmTrainingOptions(
        order=options.order,
        memory=options.memory,
        prune=tuple(options.prune),
        fallback=options.discount_fallback,
        folder=None if options.temporary is None else Path(options.temporary),
    )
    _check_place(options.output)
    with Progress() as progress:
        trained = train_lm(_lines(options), options.output, training, progress=progress)
    print(_trained_json(trained) if options.json else _trained_text(trained, options.output))


def _check_place(path: str) -> None:
    if Path(path).is_dir() or not Path(path).parent.is_dir():
        raise OptionError(
            "the file cannot be written (it is a folder, or its folder does not exist)",
            where=path,
            fix="choose a file in an existing folder that you may write to",
        )


def _trained_text(trained: LmTrainingReport, path: str) -> str:
    from anaphor.cli.terminal import paint
    from anaphor.report.table import table

    rows = [["length", "n-grams", "D1", "D2", "D3+"]]
    for length, (size, amounts) in enumerate(zip(trained.ngrams, trained.discounts, strict=True), start=1):
        values = (amounts.one, amounts.two, amounts.more)
        rows.append([str(length), str(size), *(f"{value:.4f}" for value in values)])
    head = f"{path}: {trained.tokens} words in {trained.sentences} sentences, {trained.words} different"
    return f"{head}\n\n{table(rows, paint=paint())}"


def _trained_json(trained: LmTrainingReport) -> str:
    import json
    from dataclasses import asdict

    return json.dumps(asdict(trained))


def _perplexity(options: argparse.Namespace) -> None:
    from anaphor.cli.terminal import Progress
    from anaphor.predict.lm.language_model import load_lm, perplexity

    with Progress() as progress:
        progress("reading the model")
        model = load_lm(options.model, scorer=options.scorer)
        progress("scoring")
        result = perplexity(model, (_words(line) for _, line in _lines(options)))
    print(_perplexity_json(result) if options.json else _perplexity_text(result))


def _words(line: str) -> list[str]:
    """Split at ASCII white space, as in training."""
    return [word.decode() for word in line.encode().split()]


def _perplexity_text(result: Perplexity) -> str:
    return (
        f"{result.tokens} words, ends of {result.sentences} sentences included; {result.unknown} unknown\n"
        f"log10 probability   {result.log10:.4f}\n"
        f"perplexity          {result.perplexity:.2f}\n"
        f"without unknown     {result.without_unknown:.2f}"
    )


def _perplexity_json(result: Perplexity) -> str:
    import json
    from dataclasses import asdict

    averages = {"perplexity": result.perplexity, "without_unknown": result.without_unknown}
    return json.dumps({**asdict(result), **averages})


def _convert(options: argparse.Namespace) -> None:
    from anaphor.cli.terminal import Progress
    from anaphor.predict.lm.arpa import read_arpa
    from anaphor.predict.lm.file import SUFFIX, stored_model, write_lm

    _check_place(options.output)
    if Path(options.output).suffix != SUFFIX:
        raise OptionError(
            f"the name does not end in {SUFFIX}",
            where="--output",
            fix=f"give one that does, such as fr{SUFFIX}",
        )
    with Progress() as progress:
        progress("reading the model")
        model = read_arpa(options.model)
        progress("writing")
        write_lm(Path(options.output), *stored_model(model))
    size = sum(len(level.key) for level in model.levels)
    print(f"{options.output}: {size} n-grams up to length {model.order}")
