"""Would the predictor have written this form?

The predictor knows that most *it* are *es* in German. Among forms that show gender, only what this text adds
to that counts, so each probability is divided by the frequency with which the form was right in training.
"""

from __future__ import annotations

import math

from anaphor.verdict.contract import Testimony
from anaphor.verdict.document import Case
from anaphor.verdict.rendering import Rendering, RenderingKind

_SMOOTHING = 0.03
#: Forms that show gender must have this much probability together, so that they can be compared.
_LEAST_SHARE = 0.2
#: A form that is rarer in training than this is not favoured further.
_LEAST_FREQUENCY = 0.01
#: The class of forms that are spelled in several ways.
_CLASSES = {"c'": "ce", "ça": "cela", "ç'": "cela"}


class PredictionWitness:
    """Compares the rendering with what the predictor expects."""

    name = "prediction"

    def testify(self, case: Case, rendering: Rendering) -> Testimony | None:
        """How surprising the form is overall, and among the forms that show gender."""
        predicted = case.predicted
        if not predicted or rendering.kind is not RenderingKind.PRONOUN:
            return None
        language, form = case.document.language, rendering.form
        signals: dict[str, float] = {
            "certainty": max(prediction.probability for prediction in predicted.values())
        }
        shown = {form: given for form, given in predicted.items() if language.shows_gender(form)}
        if form in shown and sum(given.probability for given in shown.values()) > _LEAST_SHARE:
            ratios = {
                form: given.probability / max(given.frequency, _LEAST_FREQUENCY)
                for form, given in shown.items()
            }
            share = ratios[form] / sum(ratios.values())
            signals["gender"] = math.log((1 - share + _SMOOTHING) / (share + _SMOOTHING))
        label = _CLASSES.get(form, form)
        if label not in predicted:
            return Testimony(signals)
        probability = predicted[label].probability
        # Centred: a form without a class counts as a middling one.
        signals["surprise"] = -math.log(probability + 0.02) - 1.5
        best = max(predicted, key=lambda form: predicted[form].probability)
        most = f"({predicted[best].probability:.2f})"
        if best == label:
            return Testimony(signals, accepts=f"the predictor expects *{form}* {most}")
        given = f"gives *{form}* only {probability:.2f}"
        if best == "OTHER":
            return Testimony(signals, rejects=f"the predictor {given}")
        return Testimony(signals, rejects=f"the predictor expects *{best}* {most} and {given}")
