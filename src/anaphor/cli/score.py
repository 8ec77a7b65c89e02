"""`anaphor score`: the main job."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anaphor.core.errors import CheckError, OptionError
from anaphor.core.experiment import PAPER_WEIGHTS, Files, Settings

if TYPE_CHECKING:
    from anaphor.core import Result

SUMMARY = "score one or several candidate translations by their pronouns"
EXAMPLES = """examples:
  anaphor score --pair en-fr --source src.en --reference ref.fr --candidate a.fr b.fr \\
      --alignment-reference ref.align --alignment-candidate a.align b.align --paired
  anaphor score --pair en-fr --tokenized ... --metrics apt autoprf bleu --documents docs --by pronoun matrix
  anaphor score --pair en-fr ... --output result.json --items items.tsv
  anaphor score --pair en-fr ... --fail-under apt=0.6     (exit code 1 for a nightly build)

Candidates are named after their files; NAME=PATH gives another name. `-` is the standard input.
The first candidate is the baseline of --paired. Scores are percent in tables, 0 to 1 in JSON."""
_CASES = "1 identical, 2 equivalent, 3 different, 4 no candidate, 5 no reference, 6 neither"


def configure(parser: argparse.ArgumentParser) -> None:
    add_files(parser)
    group = add_settings(parser)
    add = group.add_argument
    add("--metrics", nargs="+", default=["apt", "autoprf"], metavar="NAME", help="`anaphor list` names them")
    add("--paired", action="store_true", help="test every candidate against the first")
    add("--samples", type=int, default=1000, metavar="N", help="resamples, 0 for none (default 1000)")
    add("--level", type=float, default=0.95, metavar="P", help="of the intervals (default 0.95)")
    output = parser.add_argument_group("output")
    printed = output.add_mutually_exclusive_group()
    printed.add_argument("--json", action="store_true", help="print the result as JSON")
    printed.add_argument("--latex", action="store_true", help="print a LaTeX table")
    output.add_argument("--output", metavar="FILE", help="also write the result as JSON to FILE")
    output.add_argument("--items", metavar="FILE", help="also write every judged pronoun to FILE (TSV)")
    output.add_argument(
        "--by",
        nargs="+",
        choices=("case", "pronoun", "document", "matrix"),
        default=["case"],
        help="parts to show below the scores (default: case)",
    )
    output.add_argument(
        "--fail-under",
        nargs="+",
        default=[],
        metavar="METRIC=SCORE",
        help="exit with 1 when a candidate is below a score between 0 and 1",
    )


def add_files(parser: argparse.ArgumentParser, *, candidates: bool = True) -> None:
    """The options that name files."""
    group = parser.add_argument_group("files")
    group.add_argument("--source", metavar="FILE", help="source text, one segment a line")
    group.add_argument("--reference", nargs="+", default=[], metavar="FILE", help="one or several references")
    group.add_argument("--set", metavar="PATH", help="test set instead: TSV, WMT XML, SGM or MTME folder")
    group.add_argument("--alignment-reference", nargs="+", default=[], metavar="FILE", help="a file each")
    if candidates:
        group.add_argument("--candidate", nargs="+", default=[], metavar="[NAME=]FILE", help="translations")
        group.add_argument("--alignment-candidate", nargs="+", default=[], metavar="FILE", help="a file each")
    group.add_argument("--documents", metavar="FILE", help="a document id for each line, or start lines")
    group.add_argument("--positions", metavar="FILE", help="judge these tokens only: `segment token` a line")
    group.add_argument("--packs", metavar="FOLDER", help="language packs of your own")


def add_settings(parser: argparse.ArgumentParser, *, pair_required: bool = True) -> argparse._ArgumentGroup:
    """The options that move the number of a pronoun metric."""
    group = parser.add_argument_group("what is scored, and how")
    add = group.add_argument
    add("--pair", required=pair_required, metavar="SRC-TGT", help="language pair, such as en-fr")
    add("--tokenized", action="store_true", help="the texts are tokenised: keep their tokens")
    add("--pronouns", nargs="+", default=[], metavar="FORM", help="source forms to watch")
    add("--objects", action="store_true", help="compare object forms too (le, la, l' ...)")
    add("--repair", choices=("paper", "none"), default="paper", help="repair of pronoun links")
    add(
        "--outside-links",
        choices=("error", "drop"),
        default="error",
        help="what to do with links outside their sentence (default error)",
    )
    add(
        "--weights",
        type=_numbers(float),
        default=PAPER_WEIGHTS,
        metavar="W1,...,W6",
        help=f"weights of the cases (default 1,0.5,0,0,0,0): {_CASES}",
    )
    add("--discard", type=_numbers(int), default=(), metavar="CASES", help="cases to leave out, such as 5,6")
    add(
        "--other",
        choices=("different", "identical", "same-word"),
        default="different",
        help="what two counterparts without a listed pronoun are (default different)",
    )
    add("--clip", choices=("pronoun", "corpus"), default="pronoun", help="clipping of autoprf")
    add("--seed", type=int, default=12345, metavar="N", help="of everything random (default 12345)")
    return group


def _numbers(kind: type[int] | type[float]) -> Callable[[str], tuple[int | float, ...]]:
    def read(text: str) -> tuple[int | float, ...]:
        try:
            return tuple(kind(part) for part in text.split(","))
        except ValueError:
            raise argparse.ArgumentTypeError(f"not numbers with commas between them: {text!r}") from None

    return read


def settings_of(options: argparse.Namespace, **more: Any) -> Settings:
    """The settings that the options of `add_settings` hold, and `more` that a verb has of its own."""
    if options.positions and options.pronouns:
        raise OptionError(
            "positions name the tokens to judge, whatever their forms are",
            where="--positions, --pronouns",
            fix="leave one of the two out",
        )
    return Settings(
        pair=options.pair,
        tokenized=options.tokenized,
        pronouns=tuple(options.pronouns),
        objects=options.objects,
        repair=options.repair == "paper",
        outside_links=options.outside_links,
        weights=tuple(options.weights),
        discard=tuple(options.discard),
        other=options.other,
        clip=options.clip,
        seed=options.seed,
        packs=options.packs,
        **more,
    )


def files_of(options: argparse.Namespace, **more: Any) -> Files:
    """The files that the options of `add_files` name, and `more` that a verb has of its own."""
    return Files(
        source=options.source,
        references=tuple(options.reference),
        bundle=options.set,
        documents=options.documents,
        positions=options.positions,
        reference_alignments=tuple(options.alignment_reference),
        **more,
    )


def _named(text: str) -> tuple[str, str]:
    """`NAME=PATH` or a path whose file name, without its last suffix, is the name."""
    name, equals, path = text.partition("=")
    return (name, path) if equals and not Path(text).exists() else (Path(text).stem, text)


def run(options: argparse.Namespace) -> None:
    from anaphor.cli.terminal import Progress, collected_notes, paint
    from anaphor.corpus import write_atomically
    from anaphor.pipeline import run as score
    from anaphor.report.items import items_tsv
    from anaphor.report.latex import result_latex
    from anaphor.report.result_file import result_json
    from anaphor.report.text import result_text

    files = files_of(
        options,
        candidates=tuple(_named(text) for text in options.candidate),
        candidate_alignments=tuple(options.alignment_candidate),
    )
    settings = settings_of(
        options,
        metrics=tuple(options.metrics),
        paired=options.paired,
        samples=options.samples,
        level=options.level,
    )
    limits = _limits(options.fail_under, settings)
    with collected_notes() as notes, Progress() as progress:
        result = score(files, settings, progress)
    as_json = result_json(result, files, notes=notes)
    if options.output:
        write_atomically(options.output, as_json)
    if options.items:
        write_atomically(options.items, items_tsv(result))
    if options.json:
        print(as_json, end="")
    elif options.latex:
        print(result_latex(result))
    else:
        print(result_text(result, paint=paint(), parts=tuple(options.by)))
    _check_limits(result, limits)


def _limits(texts: list[str], settings: Settings) -> dict[str, float]:
    limits = {}
    for text in texts:
        metric, _, value = text.partition("=")
        try:
            limits[metric] = float(value)
        except ValueError:
            limits[metric] = float("nan")
        if metric not in settings.metrics or not 0 <= limits[metric] <= 1:
            raise OptionError(
                f"not a limit: {text}",
                where="--fail-under",
                fix="write METRIC=SCORE with a metric that is computed and a score from 0 to 1",
            )
    return limits


def _check_limits(result: Result, limits: dict[str, float]) -> None:
    low = [
        f"{score.metric} of {system.name} is {score.value:.4f}, below {limits[score.metric]:g}"
        for system in result.systems
        for score in system.scores
        # Written so that an undefined score (NaN) fails as well.
        if score.metric in limits and not score.value >= limits[score.metric]
    ]
    if low:
        raise CheckError(
            "\n       ".join(low),
            where="--fail-under",
            fix="see the pronouns behind the score with --items, or lower the limit",
        )
