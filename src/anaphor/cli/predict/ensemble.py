"""`anaphor predict ensemble`: trained models become one."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from anaphor.core.errors import OptionError

if TYPE_CHECKING:
    from anaphor.core import TaskSegment
    from anaphor.predict.contract import Model, ModelCard
    from anaphor.predict.ensemble.model import Ensemble

EXAMPLES = """examples:
  anaphor predict ensemble anaphor-1-small stymne turku --dev dev.tsv.gz --output three
  anaphor predict ensemble stymne turku --dev dev.tsv --dev-documents ids.txt --metric accuracy --output two
  anaphor predict ensemble seed-1 seed-2 seed-3 --equal --means geometric --output seeds

The result is a model like any other, with its members inside: `anaphor predict run three test.tsv`."""

#: Names of the means on the command line, and in a mixture: the geometric mean is that of the logarithms.
_MEANS = {"linear": "linear", "geometric": "log"}


def configure(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("models").add_argument
    add("models", nargs="+", metavar="MODEL", help="folder of a trained model, or the name of one that ships")
    add("--pair", metavar="SRC-TGT", help="which sub-task of models that know several")
    add("--year", type=int, metavar="YYYY", help="whose classes, of models that know several years")
    weights = parser.add_argument_group("weights").add_argument
    weights("--dev", metavar="FILE", help="five-column file with labels to tune the weights on")
    weights("--dev-documents", metavar="FILE", help="ids of its documents, if not in .doc-ids beside it")
    weights(
        "--metric",
        choices=("macro-recall", "accuracy"),
        default="macro-recall",
        help="what the weights are tuned for (default macro-recall)",
    )
    weights(
        "--means",
        choices=tuple(_MEANS),
        default="linear",
        help="of probabilities: a linear mean, or a geometric one, which one member's doubt pulls down more",
    )
    weights("--equal", action="store_true", help="the same weight for every member; needs no --dev")
    weights("--packs", metavar="FOLDER", help="language packs of your own")
    output = parser.add_argument_group("output").add_argument
    output("--output", required=True, metavar="FOLDER", help="where the model goes")
    output("--json", action="store_true", help="print JSON")


def run(options: argparse.Namespace) -> None:
    from pathlib import Path

    from anaphor.cli.predict.train import check_place
    from anaphor.cli.terminal import Progress
    from anaphor.predict.ensemble.mixture import EnsembleOptions
    from anaphor.predict.ensemble.model import build_ensemble, check_members

    check_place(Path(options.output))
    _check_weights(options)
    with Progress() as progress:
        progress("reading the models")
        members = _members(options)
        check_members(members)
        dev = _development(members[options.models[0]].card, options)
        progress("predicting the development data")
        tuning = EnsembleOptions(metric=options.metric, means=_MEANS[options.means])
        found = build_ensemble(members, dev=dev, options=tuning, equal=options.equal)
        found.model.save(Path(options.output))
    print((_as_json if options.json else _as_text)(found, options))


def _check_weights(options: argparse.Namespace) -> None:
    """What needs no model to be wrong."""
    if options.dev is None and not options.equal:
        raise OptionError(
            "no development data to tune the weights on",
            where="--dev",
            fix="give a file with labels, or --equal for the same weight each",
        )
    if twice := [name for name in options.models if options.models.count(name) > 1]:
        raise OptionError(f"a model is named twice: {twice[0]}", where="MODEL", fix="name each model once")


def _members(options: argparse.Namespace) -> dict[str, Model]:
    from anaphor.predict.contract import JointModel
    from anaphor.predict.shipped import find_model, in_style

    found = {name: find_model(name, pair=options.pair, year=options.year) for name in options.models}
    # Whoever learned both styles of targets goes along with those that know one.
    styles = {model.card.forms for model in found.values() if not isinstance(model, JointModel)}
    if len(styles) != 1:
        return found
    (forms,) = styles
    return {name: in_style(model, forms=forms) for name, model in found.items()}


def _development(card: ModelCard, options: argparse.Namespace) -> Sequence[TaskSegment]:
    """The development data, checked against the card of a member; nothing where none is given."""
    from anaphor.cli.predict.data import classes_of_model, read_segments
    from anaphor.predict.data import check_fit

    if options.dev is None:
        return ()
    classes = classes_of_model(card, options)
    segments = read_segments(options.dev, classes=classes, documents=options.dev_documents)
    check_fit(card, classes=classes, segments=segments)
    return segments


def _as_text(found: Ensemble, options: argparse.Namespace) -> str:
    from anaphor.cli.task.tables import percent
    from anaphor.cli.terminal import paint
    from anaphor.report.table import table

    card = found.model.card
    style = "word forms" if card.forms else "lemmas with tags"
    lines = [f"{options.output}: {len(options.models)} models for {card.pair} {card.year}, {style}"]
    metrics = tuple(found.together)
    rows = [
        [name, f"{weight:.2f}", *(percent(scores[metric]) for metric in metrics)]
        for name, weight, scores in _rows(found, options.models)
    ]
    lines.append(table([["model", "weight", *metrics], *rows], paint=paint()))
    if metrics and not options.equal:
        lines.append(f"Weights were tuned on {options.dev}: score the ensemble on other data.")
    return "\n\n".join(lines)


def _rows(found: Ensemble, names: Sequence[str]) -> list[tuple[str, float, dict[str, float]]]:
    """Name, weight and scores of every member, then of all together."""
    scores = [dict(one) for one in found.members] or [{} for _ in names]
    rows = list(zip(names, found.model.mixture.weights, scores, strict=True))
    return [*rows, ("together", 1.0, dict(found.together))]


def _as_json(found: Ensemble, options: argparse.Namespace) -> str:
    import json
    from dataclasses import asdict

    *members, together = _rows(found, options.models)
    content = {
        "output": options.output,
        "members": [{"model": name, "weight": weight, "dev": scores} for name, weight, scores in members],
        "dev": together[2],
        **asdict(found.model.card),
    }
    return json.dumps(content, ensure_ascii=False, indent=2)
