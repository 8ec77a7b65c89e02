"""`anaphor predict explain`: the features that decided one placeholder."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from anaphor.cli.predict_options import add_asked
from anaphor.core.errors import OptionError

if TYPE_CHECKING:
    from anaphor.core import Prediction, TaskSegment
    from anaphor.predict.classic.explaining import Explanation

SUMMARY = "show the features that decided one placeholder"
EXAMPLES = """examples:
  anaphor predict explain model test.tsv --segment 12
  anaphor predict explain model test.tsv --segment 12 --slot 2 --top 30 --json

A positive amount speaks for the chosen class, a negative one for the next best."""


def configure(parser: argparse.ArgumentParser) -> None:
    add_asked(parser, "five-column file; labels are not needed")
    add = parser.add_argument_group("which placeholder").add_argument
    add("--segment", type=int, required=True, metavar="N", help="line of FILE, counted from 1")
    add("--slot", type=int, default=1, metavar="N", help="placeholder of the line (default 1)")
    output = parser.add_argument_group("output").add_argument
    output("--top", type=int, default=15, metavar="N", help="features to show (default 15)")
    output("--json", action="store_true", help="print JSON")


def run(options: argparse.Namespace) -> None:
    from itertools import islice

    from anaphor.cli.predict_data import read_asked
    from anaphor.cli.terminal import Progress
    from anaphor.predict.classic.explaining import explain
    from anaphor.predict.shipped import find_model

    with Progress() as progress:
        progress("reading the model")
        model = find_model(options.model, pair=options.pair, year=options.year)
        progress("reading")
        segments = read_asked(options, model, labels=False)
        _check_place(options, segments)
        place = options.segment - 1
        progress("explaining")
        found = explain(model, segments, segment=place, slot=options.slot - 1)
        prediction = next(islice(model.predict(segments), place, None))[options.slot - 1]
    if options.json:
        print(_as_json(found, prediction, model.card.classes, options.top))
    else:
        print(_as_text(found, prediction, segments[place], model.card.classes, options))


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
    from anaphor.cli.terminal import paint
    from anaphor.report.table import table

    slot = segment.slots[options.slot - 1]
    right = "" if slot.label is None else f", the file says {slot.label}"
    shares = sorted(zip(prediction.probabilities, classes, strict=True), reverse=True)
    rows = [["feature", f"for {found.label} against {found.against}"]]
    rows += [[entry.feature, f"{entry.amount:+.3f}"] for entry in found.evidence[: options.top]]
    return "\n\n".join(
        [
            f"source  {' '.join(segment.source)}\ntarget  {' '.join(segment.target)}",
            f"{segment.target[slot.target]} ({segment.source[slot.source]}): {found.label}{right}",
            ", ".join(f"{label} {share:.3f}" for share, label in shares),
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
