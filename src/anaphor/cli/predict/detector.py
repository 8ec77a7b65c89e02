"""`anaphor predict detector`: the large detector of wrong pronouns, from a base model and an adapter."""

from __future__ import annotations

import argparse

from anaphor.cli.commands import CommandParser
from anaphor.cli.output import add_output, print_result
from anaphor.cli.terminal import TerminalProgress

EXAMPLES = """examples:
  anaphor predict detector --base gemma.gguf --adapter adapter.safetensors --output large
  anaphor score --pair en-de --source src.en --candidate mt.de --metrics accept --accept-detector large

The folder models/detector-large of the repository contains the adapter and names its base model.
The base model is checked by its hash and copied; the folder's card states both licences. This command needs
pip install "anaphor[neural]"."""


def configure(parser: CommandParser) -> None:
    files = parser.add_argument_group("files").add_argument
    files("--base", required=True, metavar="FILE", help="base model, a GGUF file")
    files("--adapter", required=True, metavar="FILE", help="adapter of the detector, a safetensors file")
    output = parser.add_argument_group("output")
    output.add_argument("--output", required=True, metavar="FOLDER", help="folder for the detector")
    add_output(output)


def run(options: argparse.Namespace) -> None:
    from anaphor.predict.detector.large import join_detector

    with TerminalProgress(quiet=options.quiet) as progress:
        progress("checking and copying the base model")
        detector = join_detector(options.output, base=options.base, adapter=options.adapter)
    print_result(options, detector)
