"""`anaphor predict explain`: why a model chose what it did for one placeholder."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from anaphor.cli.predict.options import add_asked
from anaphor.core.errors import OptionError

if TYPE_CHECKING:
    from anaphor.core import Prediction, TaskSegment
    from anaphor.predict.contract import Model
    from anaphor.predict.explain import Explanation

EXAMPLES = """examples:
  anaphor predict explain anaphor-1-small test.tsv --segment 12
  anaphor predict explain model test.tsv --segment 12 --slot 2 --top 30 --json
  anaphor predict explain model test.tsv --segment 12 --by words --before 5

By features: a positive amount speaks for the chosen class, a negative one for the next best. By words: every
word is hidden in turn, and the amount is how far the probability of the chosen class falls without it."""


def configure(parser: argparse.ArgumentParser) -> None:
    add_asked(parser, "five-column file; labels are not needed")
    add = parser.add_argument_group("which placeholder").add_argument
    add("--segment", type=int, required=True, metavar="N", help="line of FILE, counted from 1")
    add("--slot", type=int, default=1, metavar="N", help="placeholder of the line (default 1)")
    how = parser.add_argument_group("how").add_argument
    how(
        "--by",
        choices=("features", "words"),
        help="what is shown; without it, features of a model that weighs some, else words",
    )
    how("--before", type=int, default=3, metavar="N", help="sentences before whose words are hidden (3)")
    how("--after", type=int, default=1, metavar="N", help="sentences after whose words are hidden (1)")
    output = parser.add_argument_group("output").add_argument
    output("--top", type=int, metavar="N", help="how many to show; without it, 15 features or 10 words")
    output("--json", action="store_true", help="print JSON")


def run(options: argparse.Namespace) -> None:
    from anaphor.cli.predict.data import read_asked
    from anaphor.cli.terminal import Progress
    from anaphor.predict.shipped import find_model

    with Progress() as progress:
        progress("reading the model")
        model = find_model(options.model, pair=options.pair, year=options.year, careful=options.careful)
        progress("reading")
        model, segments = read_asked(options, model, labels=False)
        _check_place(options, segments)
        progress("explaining")
        shown = (_by_features if _weighs_features(model, options) else _by_words)(model, segments, options)
    print(shown)


def _weighs_features(model: Model, options: argparse.Namespace) -> bool:
    """Features where they are asked for, or where the model has weights of its own and no members."""
    from anaphor.predict.ensemble.model import InterpolatedModel
    from anaphor.predict.explain import ExplainableModel

    if options.by is not None:
        return bool(options.by == "features")
    return isinstance(model, ExplainableModel) and not isinstance(model, InterpolatedModel)


def _by_words(model: Model, segments: Sequence[TaskSegment], options: argparse.Namespace) -> str:
    from anaphor.cli.predict.words import words_json, words_text
    from anaphor.predict.explain.occlusion import Reach, occlude

    reach = Reach(options.before, options.after)
    found = occlude(model, segments, segment=options.segment - 1, slot=options.slot - 1, reach=reach)
    write = words_json if options.json else words_text
    return write(found, model.card.classes, slot=options.slot - 1, top=options.top or 10)


def _by_features(model: Model, segments: Sequence[TaskSegment], options: argparse.Namespace) -> str:
    from itertools import islice

    from anaphor.predict.explain import explain

    place = options.segment - 1
    found = explain(model, segments, segment=place, slot=options.slot - 1)
    prediction = next(islice(model.predict(segments), place, None))[options.slot - 1]
    if options.json:
        return _as_json(found, prediction, model.card.classes, options.top or 15)
    return _as_text(found, prediction, segments[place], model.card.classes, options)


def _check_place(options: argparse.Namespace, segments: Sequence[TaskSegment]) -> None:
    if not 1 <= options.segment <= len(segments):
        raise OptionError(
            f"there is no segment {options.segment}", where="--segment", fix=f"give 1 to {len(segments)}"
        )
    slots = len(segments[options.segment - 1].slots)
    if not 1 <= options.slot <= slots:
        raise OptionError(
            f"segment {options.segment} has {slots} placeholders, so no placeholder {options.slot}",
            where="--slot",
            fix=f"give 1 to {slots}" if slots else "choose a segment with REPLACE_k in its target",
        )


def _as_text(
    found: Explanation,
    prediction: Prediction,
    segment: TaskSegment,
    classes: Sequence[str],
    options: argparse.Namespace,
) -> str:
    from anaphor.cli.predict.words import heading
    from anaphor.cli.terminal import paint
    from anaphor.report.table import table

    rows = [["feature", f"for {found.label} against {found.against}"]]
    rows += [[entry.feature, f"{entry.amount:+.3f}"] for entry in found.evidence[: options.top or 15]]
    return "\n\n".join(
        [
            f"source  {' '.join(segment.source)}\ntarget  {' '.join(segment.target)}",
            heading(segment, options.slot - 1, found.label, prediction.probabilities, classes),
            table(rows, paint=paint()),
        ]
    )


def _as_json(found: Explanation, prediction: Prediction, classes: Sequence[str], top: int) -> str:
    import json
    from dataclasses import asdict

    content = asdict(found)
    content["evidence"] = content["evidence"][:top]
    content["probabilities"] = dict(zip(classes, prediction.probabilities, strict=True))
    return json.dumps(content, ensure_ascii=False, indent=2)
