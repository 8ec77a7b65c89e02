"""Verdicts of a language model on individual pronouns.

This is an alternative source of verdicts to `accept`: `anaphor.judge` has the questions. The score is the
mean value of the judged pronouns; unreadable answers are missing. In a cascade the model is only asked if
`accept` is open or close to one of its limits; otherwise the verdict is that of `accept`, which signature and
reasons show.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Self

import numpy as np

from anaphor.core import Counts, OptionError, PronounScore
from anaphor.core.array_types import Doubles
from anaphor.judge import (
    PROMPT_VERSION,
    CaseTexts,
    Inquiry,
    Interview,
    confirmed_server,
    inquiry_of,
    prompt_digest,
    sentence_of,
)
from anaphor.judge.inquiry import marked_sentence
from anaphor.metrics.accept import Accept
from anaphor.metrics.contract import Judged, MetricContext, MetricInput, PronounJudge
from anaphor.metrics.options import JUDGE
from anaphor.stats import ratio
from anaphor.verdict import ACCEPTED_FROM, REJECTED_BELOW, VERDICTS, CandidateText, Case
from anaphor.verdict.rendering import rendering_of

_COLUMNS = (*VERDICTS, "value", "valued", "asked")
#: In a cascade, pronouns whose probability is so near a limit of `accept` are put to the model, too.
_NEAR = 0.05


class JudgeMetric(PronounJudge):
    """The mean verdict of a language model on the rendering of pronouns."""

    name = "judge"
    depends = frozenset({"tok", "packs", "forms", "pronouns", "repair", "aligner", "documents"})
    reference_is_perfect = False
    needs_reference = False
    options = JUDGE

    def __init__(self, context: MetricContext, values: Mapping[str, Any]) -> None:
        self._accept = Accept.build(context)
        # The numbered candidates are those that the resolver of `accept` finds.
        self.pointer = self._accept.pointer
        self._is_cascade = values["judge-cascade"] == "accept"
        if self._is_cascade:
            self.detector = self._accept.detector
        self._words, self._source_words = context.target.words, context.source.words
        self._languages = context.pack.source.name, context.pack.target.name
        self._mode, self._seed = values["judge-mode"], values["judge-seed"]
        self._before = values["judge-before"]
        self._server = {
            "server": values["judge-server"],
            "model": values["judge-model"],
            "endpoint": values["judge-endpoint"],
            "json_schema": values["judge-format"] == "json",
            "logprobs": values["judge-logprobs"],
            "tokens": values["judge-tokens"],
        }
        self._interview: Interview | None = None

    @classmethod
    def build(cls, context: MetricContext) -> Self:
        return cls(context, context.values(cls))

    def settings(self) -> Mapping[str, str]:
        return {
            # The address says nothing about the number, and may be nobody's business.
            "judge-server": "named" if self._server["server"] else "none",
            "prompt": f"{PROMPT_VERSION}-{prompt_digest()}",
            "resolver": self._accept.judge.resolver.digest(),
            **(
                {f"accept-{name}": value for name, value in self._accept.settings().items()}
                if self._is_cascade
                else {}
            ),
        }

    def connect(self, interview: Interview) -> None:
        """Use this interview, with its rate limit, budget and maximum number of questions."""
        self._interview = interview

    @property
    def server(self) -> dict[str, Any]:
        """The options about the server and its answers, for `ServerOptions`."""
        if not self._server["server"]:
            raise OptionError(
                "no server is given for the judge",
                where="--judge-server",
                fix="add --judge-server URL and --judge-model NAME",
            )
        return dict(self._server)

    def inquiries(self, trial: MetricInput) -> Iterator[Inquiry | None]:
        """The inquiry about every pronoun; None if `accept` is sure in a cascade."""
        return self._inquiries(self._accept.text(trial), self._accepted(trial))

    def _accepted(self, trial: MetricInput) -> Sequence[PronounScore]:
        return self._accept.judged(trial).scores if self._is_cascade else ()

    def _inquiries(self, text: CandidateText, accepted: Sequence[PronounScore]) -> Iterator[Inquiry | None]:
        for number, case in enumerate(self._accept.judge.cases(text)):
            if accepted and _is_sure(accepted[number]):
                yield None
                continue
            rendering = rendering_of(case)
            texts = self._texts(case, text, rendering.positions)
            yield inquiry_of(case, rendering, texts, mode=self._mode, seed=self._seed)

    def _texts(self, case: Case, text: CandidateText, positions: Sequence[int]) -> CaseTexts:
        segment = case.pair.source.segment
        first = max(case.start, segment - self._before)
        source, target = text.source[segment], text.candidate[segment]
        return CaseTexts(
            *self._languages,
            text.source[first:segment],
            marked_sentence(sentence_of(source, self._source_words(source)), (case.pair.source.position,)),
            text.candidate[first:segment],
            marked_sentence(sentence_of(target, self._words(target)), positions),
        )

    def judged(self, trial: MetricInput) -> Judged:
        accepted = self._accepted(trial)
        inquiries = list(self._inquiries(self._accept.text(trial), accepted))
        if self._interview is None and any(inquiries):
            self._interview = Interview(confirmed_server(**self.server))
        asked = [inquiry for inquiry in inquiries if inquiry is not None]
        verdicts = iter(self._interview.verdicts(asked) if self._interview else ())
        scores = []
        for number, inquiry in enumerate(inquiries):
            if inquiry is None:
                score = accepted[number]
                scores.append(
                    PronounScore(score.value, score.verdict, f"accept: {score.reason}", score.antecedent)
                )
            else:
                beyond = PronounScore(None, "open", "the judge was not asked: beyond the limit")
                scores.append(next(verdicts) or beyond)
        rows = np.zeros((len(trial.pairs), len(_COLUMNS)))
        for row, score, inquiry in zip(rows, scores, inquiries, strict=True):
            row[VERDICTS.index(score.verdict)] = 1
            row[3:] = score.value or 0.0, score.value is not None, inquiry is not None
        return Judged(scores, Counts(_COLUMNS, rows))

    def value(self, totals: Doubles) -> Doubles:
        return ratio(totals[..., 3], totals[..., 4])

    def details(self, totals: Doubles) -> Mapping[str, float]:
        counts = dict(zip(_COLUMNS, map(float, totals), strict=True))
        total = sum(counts[name] for name in VERDICTS)
        return {
            "judged": counts["accepted"] + counts["rejected"],
            **{name: counts[name] for name in VERDICTS},
            "missing": total - counts["valued"],
            "asked": counts["asked"],
        }


def _is_sure(score: PronounScore) -> bool:
    """Whether `accept` has decided and is not close to a limit."""
    value = score.value
    return (
        value is not None
        and score.verdict != "open"
        and min(abs(value - ACCEPTED_FROM), abs(value - REJECTED_BELOW)) >= _NEAR
    )
