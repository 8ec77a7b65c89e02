"""Pronoun metrics as metric classes of sacreBLEU: `corpus_score`, signatures, bootstrap and paired tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sacrebleu.metrics.base import Metric, Score, Signature

from anaphor.core import OptionError
from anaphor.corpus.memory import TextLike, text_of
from anaphor.scoring.score_report import ScoreReport, evaluate

_NAMES = {"apt": "APT", "autoprf": "AutoPRF"}


class PronounSignature(Signature):
    """sacreBLEU's signature with our fields; `anaphor` is our version."""

    def __init__(self, args: dict[str, Any]) -> None:
        super().__init__(args)
        (score,) = args["result"].systems[0].scores
        # `nrefs` is sacreBLEU's; one signature is printed for all systems.
        omitted = ("refs", "test", "cand", "links")
        own = {key: value for key, value in score.signature.fields if key not in omitted}
        own |= {"anaphor": score.signature.version}
        # sacreBLEU takes its line apart again, at bars and colons.
        self.info |= {key: value.replace("|", "%7C").replace(":", "%3A") for key, value in own.items()}
        self._abbr |= {key: key for key in own}


class PronounMetric(Metric):
    """An anaphor metric with the interface of `sacrebleu.metrics.BLEU`.

    Unlike BLEU, it needs the source, because it compares translations of pronouns. Scores are percentages, as
    always in sacreBLEU. Two things differ from `anaphor.evaluate`: each system is aligned separately instead
    of with all others, so a few links may differ, and the tests are those of sacreBLEU. In a `PairedTest`,
    the key of the metric is the name of its scores, such as `APT`.

    Args:
        source: The source text, in any form that `anaphor.evaluate` takes.
        pair: Source and target language, such as `en-de`.
        metric: The name of a metric; `anaphor list` prints them.
        references: References for calls that pass none.
        **settings: Everything else that `anaphor.evaluate` takes, such as `documents` or `tokenized`.

    Raises:
        UserError: As for `anaphor.evaluate`; also if texts do not match when a score is computed.

    Example:
        >>> from anaphor.integrations.sacrebleu import APT
        >>> apt = APT(["The lamp is old.", "It still works."], pair="en-fr")
        >>> system = ["La lampe est vieille.", "Il marche encore."]
        >>> references = [["La lampe est vieille.", "Elle marche encore."]]
        >>> print(apt.corpus_score(system, references))
        APT = 0.00
    """

    _SIGNATURE_TYPE = PronounSignature

    def __init__(
        self,
        source: TextLike,
        *,
        pair: str,
        metric: str = "apt",
        references: Sequence[Sequence[str]] | None = None,
        **settings: Any,
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call, unused-ignore]
        if settings.get("clip") == "corpus":
            what = "counts that are clipped over the corpus have other columns for every system"
            raise OptionError(what, where="clip", fix="omit it, or use anaphor.evaluate")
        self.source = text_of(source, name="<source>")
        self.pair, self.metric, self.settings = pair, metric, settings
        self.name = _NAMES.get(metric, metric)
        self._ref_cache = references
        #: What `anaphor.evaluate` found for the last system.
        self.result: ScoreReport | None = None

    def _extract_corpus_statistics(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]] | None
    ) -> Any:
        given = references or self._ref_cache
        self.num_refs = len(given or ())
        self.result = evaluate(
            source=self.source,
            references=given,
            systems={self.name: hypotheses},
            pair=self.pair,
            metrics=self.metric,
            samples=0,
            **self.settings,
        )
        (self._scorer,) = self.result.experiment.metrics
        rows_by_document, documents = (
            self.result.systems[0].counts[self.metric].rows,
            self.result.result.documents,
        )
        if documents is None:
            return rows_by_document
        # sacreBLEU draws segments: with its counts in the first one, a document is drawn as a whole.
        rows = np.zeros((len(hypotheses), rows_by_document.shape[1]))
        rows[[documents.index(name) for name in dict.fromkeys(documents)]] = rows_by_document
        return rows

    def _compute_score_from_stats(self, stats: Any) -> Score:
        return Score(self.name, 100 * float(self._scorer.value(np.asarray(stats, np.float64))))

    def _aggregate_and_compute(self, stats: Any) -> Score:
        return self._compute_score_from_stats(np.asarray(stats, np.float64).sum(axis=0))

    # The statistics come from the whole corpus at once; the steps for single segments are never taken.
    def _preprocess_segment(self, sent: str) -> str:
        return sent

    def _extract_reference_info(self, refs: Sequence[str]) -> dict[str, Any]:
        return {"refs": refs}

    def _compute_segment_statistics(self, hypothesis: str, ref_kwargs: dict[str, Any]) -> list[Any]:  # noqa: ARG002
        what = "a segment alone has no word alignment"
        raise OptionError(what, where=self.name, fix="call corpus_score with the whole text")


class APT(PronounMetric):
    """Accuracy of pronoun translation; see `PronounMetric`."""
