"""`anaphor list`: the available metrics, aligners, languages and models."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from anaphor.cli.commands import CommandParser
from anaphor.cli.options import packs_of
from anaphor.cli.output import add_output, print_result

EXAMPLES = """examples:
  anaphor list
  anaphor list --pair en-fr
  anaphor list --licences
  anaphor list --json"""


def configure(parser: CommandParser) -> None:
    parser.add_argument("--pair", metavar="SRC-TGT", help="show the pronoun lists of one pair")
    parser.add_argument("--packs", rare=True, metavar="FOLDER", help="folder with your own language packs")
    parser.add_argument(
        "--licences", action="store_true", help="show the licences of the package and of its models"
    )
    add_output(parser)


def run(options: argparse.Namespace) -> None:
    if options.licences:
        from anaphor.core.licences import read_licences

        print_result(options, read_licences())
        return

    from anaphor.align import ALIGNERS
    from anaphor.core import LanguagePair
    from anaphor.core.engine import has_native
    from anaphor.core.table import Listing
    from anaphor.languages import known_languages, known_pairs, load_pair
    from anaphor.metrics import METRICS

    folder = packs_of(options)
    if options.pair is None:
        content: dict[str, str | Sequence[str]] = {
            "metrics": tuple(METRICS),
            "aligners": tuple(ALIGNERS),
            "engine of the aligner": "compiled" if has_native() else "NumPy (no compiler at installation)",
            "pairs": known_pairs(folder),
            "languages": known_languages(folder),
        }
    else:
        pack = load_pair(LanguagePair.parse(options.pair), folder=folder)
        content = {
            "source pronouns": pack.source_pronouns,
            "target pronouns": pack.target_pronouns,
            "object pronouns": pack.object_pronouns,
            "identical": [" = ".join(group) for group in pack.identical],
            "equivalent": [
                " ~ ".join(equivalent.forms)
                + ("" if equivalent.probability is None else f" (p = {equivalent.probability:g})")
                for equivalent in pack.equivalent
            ],
            "digest": pack.digest,
        }
    more = "" if options.pair else "\nwhat works for a pair: anaphor pack check PAIR"
    lines = (
        f"{name}: {value if isinstance(value, str) else ', '.join(value) or 'none'}"
        for name, value in content.items()
    )
    print_result(options, Listing(content, ["\n".join(lines) + more]))
