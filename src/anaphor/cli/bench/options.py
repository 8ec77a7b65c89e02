"""Options that several jobs of `anaphor bench` share: the bench, files of results, and how to read them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from anaphor.cli.options import add_resampling, named
from anaphor.core.errors import OptionError

if TYPE_CHECKING:
    from anaphor.bench import Bench
    from anaphor.bench.scores import VariantScores


def add_bench(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("bench", metavar="BENCH", help="file of a bench, as `anaphor bench make` writes it")


def named_files(given: Sequence[str]) -> dict[str, str]:
    """The files of several systems by their names, each of which may occur once."""
    found: dict[str, str] = {}
    for name, path in map(named, given):
        if name in found:
            what = f"two systems are called {name}: {found[name]} and {path}"
            raise OptionError(what, where=path, fix="give one of them another name: NAME=FILE")
        found[name] = path
    return found


def add_reading(parser: argparse.ArgumentParser) -> None:
    """How files of scores are read."""
    group = parser.add_argument_group("scores")
    group.add_argument(
        "--format",
        default="auto",
        metavar="NAME",
        help="plain, marian, fairseq, ctranslate2, openai, lm-eval, anaphor, or auto (default auto)",
    )
    direction = group.add_mutually_exclusive_group()
    direction.add_argument("--maximize", action="store_true", help="plain numbers: higher is better")
    direction.add_argument("--minimize", action="store_true", help="plain numbers: lower is better (default)")
    group.add_argument(
        "--sums", action="store_true", help="fairseq: sum the scores of tokens, which the tool averages"
    )


def read_scores_of(options: argparse.Namespace, bench: Bench, path: str) -> VariantScores:
    from anaphor.bench.scores import read_scores

    maximize = True if options.maximize else False if options.minimize else None
    return read_scores(path, bench, format=options.format, maximize=maximize, sums=options.sums)


def add_originals(parser: argparse.ArgumentParser) -> None:
    """A public set and its files."""
    parser.add_argument("name", metavar="NAME", help="name of the set; see anaphor bench list")
    parser.add_argument("files", nargs="+", metavar="FILES", help="its files, in the order of the list")
    parser.add_argument("--pair", default="", metavar="PAIR", help="language pair, if the set has several")


def add_statistics(parser: argparse.ArgumentParser, *, paired: bool = True) -> None:
    """Intervals and tests."""
    group = parser.add_argument_group("statistics")
    if paired:
        group.add_argument("--paired", action="store_true", help="test every system against the first")
    add_resampling(group, zero=False)


def statistics_of(options: argparse.Namespace) -> dict[str, Any]:
    if options.paired and options.samples < 100:
        what = f"{options.samples} resamples are too few for a test"
        raise OptionError(what, where="--samples", fix="give 100 or more, better 1000")
    return {name: getattr(options, name) for name in ("paired", "samples", "seed", "level")}


def add_prompts(group: argparse._ArgumentGroup) -> None:
    """What language models are shown."""
    group.add_argument(
        "--prompt-seed", type=int, default=1, metavar="N", help="seed of the order of options (default 1)"
    )
    group.add_argument("--sentence", action="store_true", help="show the tested sentence alone, no context")


def add_translations(parser: argparse.ArgumentParser, *, whole: str) -> None:
    """How translations are judged; `whole` says of which files the option of that name speaks."""
    add = parser.add_argument_group("translations").add_argument
    add("--rule", choices=("official", "linked"), help="judge by one rule (default: all that the set has)")
    add(
        "--whole",
        action="store_true",
        help=f"{whole} translate all source sentences, not the tested one alone",
    )
    add("--separator", default="", metavar="TEXT", help="what stands between the sentences of such a line")
    add("--aligner", default="anaphor", metavar="NAME", help="word aligner; fast_align is that of WinoMT")


def translation_options(options: argparse.Namespace, bench: Bench) -> dict[str, Any]:
    from anaphor.align import AlignerChoice

    return {
        "rules": (options.rule,) if options.rule else (),
        "separator": options.separator.strip(),
        "aligner": AlignerChoice(pair=bench.pair, name=options.aligner),
    }
