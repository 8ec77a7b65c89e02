"""Predictions of a trained model: for segments, for files that several processes share, and scored."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence

from anaphor.core import MismatchError, Prediction, Settings, TaskSegment
from anaphor.predict.contract import Model
from anaphor.predict.data import check_fit, has_forms
from anaphor.predict.parallel import chunks_of, parts_of, processes_for, reach_of, run_parallel
from anaphor.predict.shipped import in_style
from anaphor.task.classes import TaskClasses
from anaphor.task.files import TaskLines
from anaphor.task.systems import Labels, Systems, TaskResult, gold_labels, score_systems

#: Lines that show whether a file has word forms or lemmas.
_FIRST = 1000
#: The scores that are shown by default.
METRICS = ("macro-recall", "accuracy")


def fit_to_data(model: Model, segments: Sequence[TaskSegment], *, classes: TaskClasses) -> Model:
    """The model for the target format of some segments; an error if it was trained on other data."""
    fitted = in_style(model, forms=has_forms(segments))
    check_fit(fitted.card, classes=classes, segments=segments)
    return fitted


def predicted_labels(model: Model, segments: Sequence[TaskSegment]) -> Labels:
    """The chosen classes of every segment, as the scorer takes them."""
    labels = tuple(
        tuple(prediction.label for prediction in predictions) for predictions in model.predict(segments)
    )
    if [len(predicted) for predicted in labels] != [len(segment.slots) for segment in segments]:
        raise MismatchError(
            "the model did not predict every placeholder once",
            where=model.card.recipe,
            fix="report this family of predictors; its contract is in predict/contract.py",
        )
    return labels


def evaluate_model(
    model: Model,
    segments: Sequence[TaskSegment],
    *,
    path: str,
    classes: TaskClasses,
    settings: Settings,
    metrics: Sequence[str] = METRICS,
    average: str = "present",
) -> TaskResult:
    """The scores of a model on segments with labels, with intervals; `path` names them in the result."""
    gold = gold_labels(path, segments)
    predicted = {model.card.recipe: predicted_labels(model, segments)}
    return score_systems(Systems(classes, gold, predicted, average), metrics, settings)


def predict_lines(
    model: Model, text: TaskLines, *, classes: TaskClasses, layout: str = "task"
) -> Iterator[bytes]:
    """Predict the placeholders of a file. Long files are divided among several processes.

    Args:
        model: The model, as returned by `find_model`.
        text: The lines of the file, as returned by `anaphor.task.files.read_task_lines`. Labels are not read.
        classes: The sub-task.
        layout: `task` for the file with predicted labels, `labels` for these labels alone, or `json` for one
            line per segment with probabilities.

    Yields:
        The output in pieces.

    Raises:
        UserError: A line is invalid, or the model was trained for other data.
    """
    model = fit_to_data(model, tuple(text.segments(range(min(len(text), _FIRST)))), classes=classes)
    write: Callable[[Sequence[Prediction]], str]
    if layout == "json":
        labels = model.card.classes

        def write(predictions: Sequence[Prediction]) -> str:
            content = [
                {
                    "label": prediction.label,
                    "probabilities": dict(
                        zip(labels, (round(p, 6) for p in prediction.probabilities), strict=True)
                    ),
                }
                for prediction in predictions
            ]
            return json.dumps(content, ensure_ascii=False)

    else:

        def write(predictions: Sequence[Prediction]) -> str:
            return " ".join([prediction.label for prediction in predictions])

    reach = reach_of(model)

    def predict(places: range, _: object) -> list[str]:
        return [*map(write, model.predict(tuple(text.segments(places, reach=reach))))]

    # Without a limit on its reach, a model reads whole documents; with one, small chunks balance the load.
    processes = processes_for(len(text), family=model.card.family)
    if reach is None:
        parts = parts_of(text.documents, text.placeholders, count=processes)
    else:
        parts = chunks_of(text.documents, processes=processes)
    # Lines are assembled here, so that only labels travel between processes.
    for places, answers in zip(parts, run_parallel(predict, parts, processes=processes), strict=True):
        if layout == "task":
            yield from text.answered(places, answers)
        else:
            yield "".join(f"{line}\n" for line in answers).encode()
