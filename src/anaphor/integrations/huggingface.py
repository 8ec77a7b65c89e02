"""anaphor as a module for Hugging Face's `evaluate` library."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import datasets
import evaluate

import anaphor
from anaphor.corpus.memory import references_by_text

_DESCRIPTION = """\
How well does machine translation handle pronouns? Through word alignment, anaphor finds how each pronoun of
the source is translated in a reference and in the output of a system, and reports how often the two agree."""
_INPUTS = """
Args:
    predictions: The translations, one string per segment.
    references: For every segment its reference, or a list of as many references as the others have.
    sources: The source segments, in the order of the text.
    pair: Source and target language, such as en-de.
    metrics: The names of metrics (default apt); `anaphor list` prints them.
    Everything else that `anaphor.evaluate` takes, such as documents, tokenized or samples.
Returns:
    For every metric its score from 0 to 1, the ends of its confidence interval as METRIC_low and METRIC_high,
    and its signature as METRIC_signature.
"""


class Anaphor(evaluate.Metric):  # type: ignore[misc, unused-ignore]
    """anaphor's metrics as a module for `evaluate`.

    `evaluate.load(path)` takes the path of this file, or `Anaphor()` is used as it is. `compute` takes
    `predictions`, `references` and `sources`, with `pair`, `metrics` and everything else that
    `anaphor.evaluate` takes; it returns, for every metric, its score from 0 to 1, the ends of its interval as
    `apt_low` and `apt_high`, and its signature as `apt_signature`.

    Raises:
        UserError: As for `anaphor.evaluate`; also if segments have different numbers of references.
    """

    def _info(self) -> evaluate.MetricInfo:
        text = datasets.Value("string")
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation="",
            inputs_description=_INPUTS,
            features=[
                datasets.Features({"predictions": text, "references": references, "sources": text})
                for references in (text, datasets.Sequence(text))
            ],
        )

    def _compute(
        self,
        predictions: Sequence[str],
        references: Sequence[str] | Sequence[Sequence[str]],
        sources: Sequence[str],
        pair: str,
        metrics: str | Sequence[str] = "apt",
        **settings: Any,
    ) -> dict[str, Any]:
        result = anaphor.evaluate(
            source=list(sources),
            references=references_by_text(references),
            systems={"predictions": list(predictions)},
            pair=pair,
            metrics=metrics,
            **settings,
        )
        scores: dict[str, Any] = {}
        for score in result.systems[0].scores:
            scores[score.metric] = score.value
            if score.interval is not None:
                scores |= {
                    f"{score.metric}_low": score.interval.low,
                    f"{score.metric}_high": score.interval.high,
                }
            scores[f"{score.metric}_signature"] = str(score.signature)
        return scores
