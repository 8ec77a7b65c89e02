"""`anaphor check`: does every scorer give its own reference full marks?"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from anaphor.cli import demo
from anaphor.cli.options import add_files, add_settings, files_of, settings_of

if TYPE_CHECKING:
    from anaphor.core import Files
    from anaphor.corpus import Inputs
    from anaphor.selfcheck import CheckFinding

EXAMPLES = """examples:
  anaphor check                                   (built-in packs and the demo documents)
  anaphor check --pair en-fr --packs my-packs     (a pair of your own)
  anaphor check --pair en-fr --source src.en --reference ref.fr
  anaphor check --suite my-suite                  (a test suite)"""


def configure(parser: argparse.ArgumentParser) -> None:
    add_files(parser, candidates=False)
    add_settings(parser, pair_required=False)
    parser.add_argument("--suite", metavar="SUITE", help="check a test suite, and nothing else")
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")


def run(options: argparse.Namespace) -> None:
    where = options.suite or options.set or options.source or options.pair or "built-in packs and demo"
    print_findings(list(_findings(options)), where=where, as_json=options.json)


def print_findings(findings: list[CheckFinding], *, where: str, as_json: bool) -> None:
    """Print what was found, and raise if anything does not hold."""
    import json
    from dataclasses import asdict

    from anaphor.cli.terminal import paint
    from anaphor.core import CheckError

    if as_json:
        print(json.dumps([asdict(finding) for finding in findings], ensure_ascii=False, indent=2))
    else:
        colour = paint()
        for finding in findings:
            verdict = colour.good("holds") if finding.holds else colour.bad("FAILS")
            print(f"{verdict}  {finding.what}")
            for item in finding.items[:20]:
                print(f"       {item}")
    failed = [finding for finding in findings if not finding.holds]
    if failed:
        raise CheckError(
            f"{len(failed)} of {len(findings)} checks fail, first: {failed[0].what}",
            where=where,
            fix="mend the pack, the set or the suite; scores made with it say nothing",
        )


def _findings(options: argparse.Namespace) -> Iterator[CheckFinding]:
    from pathlib import Path

    from anaphor.core import LanguagePair, OptionError
    from anaphor.languages import known_pairs, load_pair
    from anaphor.selfcheck import check_pack, check_set

    files = files_of(options)
    if options.suite is not None:
        yield from _suite_findings(options, files)
        return
    if options.pair is None and files.paths():
        raise OptionError(
            "no language pair is named for these files", where="--pair", fix="name it, such as en-fr"
        )
    folder = None if options.packs is None else Path(options.packs)
    for name in known_pairs(folder) if options.pair is None else [options.pair]:
        yield from check_pack(load_pair(LanguagePair.parse(name), folder=folder))
    if options.pair is None:
        yield from check_set(_as_candidates(demo.files(), demo.SETTINGS.pair), demo.SETTINGS)
    elif files.paths():
        yield from check_set(_as_candidates(files, options.pair), settings_of(options))


def _suite_findings(options: argparse.Namespace, files: Files) -> Iterator[CheckFinding]:
    from anaphor.align import AlignerChoice
    from anaphor.core import OptionError
    from anaphor.selfcheck import check_suite
    from anaphor.suite import EvaluationOptions, load_suite

    if options.pair is not None or files.paths():
        raise OptionError(
            "a suite brings its own pair and texts",
            where="--suite",
            fix="leave out --pair and all other files; `anaphor suite check` has options for suites",
        )
    loaded = load_suite(options.suite)
    choice = AlignerChoice(pair=loaded.suite.pair, name=options.aligner, symmetrization=options.symmetrize)
    yield from check_suite(loaded, EvaluationOptions(aligner=choice, tokenized=options.tokenized))


def _as_candidates(files: Files, pair: str) -> Inputs:
    """The inputs with every reference posing as a candidate, and no other candidate."""
    from anaphor.core import LanguagePair
    from anaphor.corpus import read_test_set

    inputs = read_test_set(files, LanguagePair.parse(pair))
    names = [f"reference {number}" for number in range(len(inputs.references))]
    links = inputs.reference_alignments
    return replace(
        inputs,
        candidates=dict(zip(names, inputs.references, strict=True)),
        candidate_alignments=None if links is None else dict(zip(names, links, strict=True)),
    )
