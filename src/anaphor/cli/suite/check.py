"""`anaphor suite check`: do the references of a suite get full marks?"""

from __future__ import annotations

import argparse

from anaphor.cli.check import print_checks
from anaphor.cli.output import add_output
from anaphor.cli.suite.options import add_linking, add_suite, load, options_of


def configure(parser: argparse.ArgumentParser) -> None:
    add_suite(parser)
    add_linking(parser)
    add_output(parser)


def run(options: argparse.Namespace) -> None:
    from anaphor.cli.terminal import Progress
    from anaphor.selfcheck import CheckReport, check_suite

    with Progress(quiet=options.quiet) as progress:
        progress("reading")
        loaded = load(options)
        findings = tuple(check_suite(loaded, options_of(options, loaded.suite.pair), progress))
    print_checks(options, CheckReport(findings, options.suite))
