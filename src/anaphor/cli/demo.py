"""`anaphor demo`: the main job on built-in documents."""

from __future__ import annotations

import argparse

from anaphor.core.experiment import Files, Settings

EXAMPLES = """examples:
  anaphor demo
  anaphor demo --json"""

SYSTEMS = ("baldur", "cormoran", "dahlia")
SETTINGS = Settings(pair="en-fr", metrics=("apt", "autoprf", "bleu", "meteor"), paired=True)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.add_argument(
        "--examples",
        type=_whole_number,
        default=5,
        metavar="N",
        help="number of examples to show (default 5)",
    )


def _whole_number(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"not a number from 0 up: {text!r}")
    return int(text)


def files(*, alignments: bool = False) -> Files:
    """Where the demo documents lie in the installed package, on request with alignments set by hand."""
    from importlib.resources import files as resources

    folder = resources("anaphor") / "demo"
    return Files(
        source=str(folder / "source.en"),
        references=(str(folder / "reference.fr"),),
        candidates=tuple((name, str(folder / f"{name}.fr")) for name in SYSTEMS),
        documents=str(folder / "documents"),
        reference_alignments=(str(folder / "reference.align"),) if alignments else (),
        candidate_alignments=tuple(str(folder / f"{n}.align") for n in SYSTEMS) if alignments else (),
    )


def run(options: argparse.Namespace) -> None:
    from anaphor.cli.terminal import Progress, paint
    from anaphor.core import LanguagePair
    from anaphor.core.table import Paragraph
    from anaphor.corpus import read_inputs
    from anaphor.pipeline import evaluate
    from anaphor.report.emit import render
    from anaphor.report.result_file import result_json
    from anaphor.report.result_tables import example_blocks, result_blocks

    inputs = read_inputs(files(), LanguagePair.parse(SETTINGS.pair))
    with Progress() as progress:
        result = evaluate(inputs, SETTINGS, progress)
    if options.json:
        print(result_json(result, files()), end="")
        return
    colours = paint()
    blocks = result_blocks(result, ("case", "pronoun"))
    blocks.append(Paragraph(["Where the systems differ:"], style="bold"))
    blocks += example_blocks(result, inputs, examples=options.examples, brackets=not colours.enabled)
    print(render(blocks, paint=colours))
