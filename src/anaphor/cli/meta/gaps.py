"""`anaphor meta gaps`: the gap-filling evaluation of DiscoMT 2015."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from anaphor.cli.meta.options import add_score_output

if TYPE_CHECKING:
    from anaphor.meta.gaps import GapScores, PronounScore, Ratio
    from anaphor.report.table import Paint

EXAMPLES = """examples:
  anaphor meta gaps --answers gaps.tsv
  anaphor meta gaps --answers gaps.jsonl --bad skip --json
  anaphor meta gaps --answers gaps.tsv --output human.tsv

The columns are system, id, candidate (what the system wrote; - for nothing) and choices: one or more of il,
elle, ils, elles, ce, on, ça/cela, other, with commas between them, or bad alone."""


def configure(parser: argparse.ArgumentParser) -> None:
    files = parser.add_argument_group("files")
    files.add_argument("--answers", required=True, metavar="FILE", help="gaps and choices: TSV or JSON lines")
    group = parser.add_argument_group("how it is scored")
    group.add_argument(
        "--bad",
        choices=("wrong", "skip"),
        default="wrong",
        help="what an item with a bad translation is (default wrong)",
    )
    add_score_output(parser)


def run(options: argparse.Namespace) -> None:
    from anaphor.cli.terminal import paint
    from anaphor.corpus import write_atomically
    from anaphor.meta.gaps import gap_columns, read_gaps, score_gaps
    from anaphor.meta.scores import format_score_table

    scores = score_gaps(read_gaps(options.answers), bad=options.bad)
    if options.output:
        write_atomically(options.output, format_score_table(gap_columns(scores)))
    print(_as_json(scores, options.bad) if options.json else _as_text(scores, options.bad, paint()))


def _as_text(scores: Sequence[GapScores], bad: str, paint: Paint) -> str:
    from anaphor.report.table import table

    rows = [["system", "items", "bad", "with other", "without other", "micro P", "micro R", "micro F"]]
    for one in scores:
        micro = [_percent(one.micro.precision.value), _percent(one.micro.recall.value), _percent(one.micro.f)]
        accuracies = [_percent(one.with_other.value), _percent(one.without_other.value)]
        rows.append([one.system, str(one.items), str(one.bad), *accuracies, *micro])
    blocks = [table(rows, paint=paint), *(_pronouns(one, paint) for one in scores)]
    blocks.append(paint.dim(f"percent; bad translations: {bad}; R is lenient: any accepted pronoun counts"))
    return "\n\n".join(blocks)


def _pronouns(one: GapScores, paint: Paint) -> str:
    from anaphor.report.table import table

    rows = [[one.system, "written", "accepted", "P", "R", "F"]]
    for score in one.pronouns:
        counts = [str(score.precision.total), str(score.recall.total)]
        values = (score.precision.value, score.recall.value, score.f)
        rows.append([score.pronoun, *counts, *map(_percent, values)])
    return table(rows, paint=paint)


def _as_json(scores: Sequence[GapScores], bad: str) -> str:
    import json

    content = {
        "bad": bad,
        "systems": [
            {
                "system": one.system,
                "items": one.items,
                "bad_translations": one.bad,
                "accuracy_with_other": _ratio(one.with_other),
                "accuracy_without_other": _ratio(one.without_other),
                "pronouns": [_pronoun(score) for score in one.pronouns],
                "micro": _pronoun(one.micro),
            }
            for one in scores
        ],
    }
    return json.dumps(content, ensure_ascii=False, indent=2)


def _pronoun(score: PronounScore) -> dict[str, Any]:
    parts = {"precision": _ratio(score.precision), "lenient_recall": _ratio(score.recall)}
    return {"pronoun": score.pronoun, **parts, "f": score.f}


def _ratio(ratio: Ratio) -> dict[str, Any]:
    return {"hits": ratio.hits, "total": ratio.total, "value": ratio.value}


def _percent(value: float | None) -> str:
    return "n/a" if value is None else f"{100 * value:.1f}"
