"""Explanations of one slot that can be printed: by features, or by the words that matter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any

from anaphor.core import Prediction, TaskSegment
from anaphor.core.table import Block, Paragraph, Styled, Table, number, text
from anaphor.predict.contract import Model, ModelOfModels
from anaphor.predict.explain import ExplainableModel, Explanation, check_slot, explain
from anaphor.predict.explain.occlusion import HiddenWord, Occlusion, Reach, occlude

#: Shades before a word, and the fall in probability from which each is used.
_SHADES = (("█", 0.3), ("▓", 0.1), ("▒", 0.03), ("░", 0.01))
#: Before a word that speaks for another class, if the probability rises by at least this much without it.
_AGAINST, _SMALLEST_RISE = "−", 0.01


@dataclass(frozen=True, slots=True)
class FeatureExplanation:
    """A prediction and the features behind it; the `top` ones are shown."""

    segment: TaskSegment
    slot: int
    classes: tuple[str, ...]
    prediction: Prediction
    explanation: Explanation
    top: int

    def to_dict(self) -> dict[str, Any]:
        content = asdict(self.explanation)
        return {
            **content,
            "evidence": content["evidence"][: self.top],
            "probabilities": dict(zip(self.classes, self.prediction.probabilities, strict=True)),
        }

    def tables(self) -> Sequence[Block]:
        explanation, segment = self.explanation, self.segment
        columns = (
            text("feature"),
            number(f"for {explanation.label} against {explanation.against}", signed=True),
        )
        return [
            f"source  {' '.join(segment.source)}\ntarget  {' '.join(segment.target)}",
            *_heading(segment, self.slot, explanation.label, self.prediction.probabilities, self.classes),
            Table(columns, [(item.feature, item.amount) for item in explanation.evidence[: self.top]]),
        ]


@dataclass(frozen=True, slots=True)
class WordExplanation:
    """A prediction and the effect of each word around the slot; the `top` strongest ones are listed."""

    slot: int
    classes: tuple[str, ...]
    occlusion: Occlusion
    top: int

    @property
    def segment(self) -> TaskSegment:
        """The segment of the slot."""
        return self.occlusion.sentences[-self.occlusion.first]

    def to_dict(self) -> dict[str, Any]:
        occlusion = self.occlusion
        return {
            "label": occlusion.label,
            "probabilities": dict(zip(self.classes, occlusion.probabilities, strict=True)),
            "slot": asdict(self.segment.slots[self.slot]),
            "sentences": [
                {"sentence": offset, "source": segment.source, "target": segment.target}
                for offset, segment in enumerate(occlusion.sentences, start=occlusion.first)
            ],
            "words": [asdict(word) for word in occlusion.strongest(self.top)],
        }

    def tables(self) -> Sequence[Block]:
        occlusion = self.occlusion
        columns = (
            text("word"),
            text("side"),
            text("sentence"),
            number(f"{occlusion.label} falls by", signed=True),
        )
        rows = [
            (word.text, word.side, f"{word.sentence:+d}" if word.sentence else "this", word.fall)
            for word in occlusion.strongest(self.top)
        ]
        legend = ", ".join(f"{shade} {least:g}" for shade, least in reversed(_SHADES))
        return [
            Paragraph(self._shaded_text()),
            *_heading(self.segment, self.slot, occlusion.label, occlusion.probabilities, self.classes),
            Table(columns, rows),
            f"Without a word {occlusion.label} falls by at least: {legend}; {_AGAINST} it rises.",
        ]

    def _shaded_text(self) -> list[Sequence[str | Styled]]:
        """Both sides of every sentence, each word with its shade; the explained placeholder in brackets."""
        occlusion = self.occlusion
        words: dict[tuple[int, str, int], HiddenWord] = {
            (word.sentence, word.side, word.place): word for word in occlusion.words
        }
        lines: list[Sequence[str | Styled]] = []
        for offset, segment in enumerate(occlusion.sentences, start=occlusion.first):
            explained = segment.slots[self.slot].target if offset == 0 else None
            for side, tokens in (("source", segment.source), ("target", segment.target)):
                line: list[str | Styled] = [f"{offset:+d} {side} " if offset else f" 0 {side} "]
                for place, token in enumerate(tokens):
                    word = words.get((offset, side, place))
                    bracketed = side == "target" and word is None and place == explained
                    line += [" ", Styled(f"[{token}]", "bold") if bracketed else _shaded(token, word)]
                lines.append(line)
        return lines


def _shaded(token: str, word: HiddenWord | None) -> str | Styled:
    if word is None:
        return token
    if word.fall <= -_SMALLEST_RISE:
        return Styled(f"{_AGAINST}{token}", "bad")
    shade = next((shade for shade, least in _SHADES if word.fall >= least), "")
    return Styled(f"{shade}{token}", "mark") if shade else token


def _heading(
    segment: TaskSegment, slot: int, label: str, probabilities: Sequence[float], classes: Sequence[str]
) -> tuple[str, str]:
    """The placeholder, the chosen class and the one in the file; then all probabilities, highest first."""
    own = segment.slots[slot]
    right = "" if own.label is None else f", the file says {own.label}"
    shares = sorted(zip(probabilities, classes, strict=True), reverse=True)
    return (
        f"{segment.target[own.target]} ({segment.source[own.source]}): {label}{right}",
        ", ".join(f"{label} {share:.3f}" for share, label in shares),
    )


def explain_slot(
    model: Model,
    segments: Sequence[TaskSegment],
    *,
    segment: int,
    slot: int,
    by: str | None = None,
    reach: Reach | None = None,
    top: int | None = None,
) -> FeatureExplanation | WordExplanation:
    """Explain the prediction of one slot by `features` or by `words`; both indices start at 0.

    By default features are shown if the model weighs some itself, otherwise words: the members of an
    ensemble do not count as features. `top` defaults to 15 features or 10 words.
    """
    check_slot(segments, segment=segment, slot=slot)
    if by is None:
        weighs = isinstance(model, ExplainableModel) and not isinstance(model, ModelOfModels)
        by = "features" if weighs else "words"
    classes = model.card.classes
    if by == "words":
        occlusion = occlude(model, segments, segment=segment, slot=slot, reach=reach)
        return WordExplanation(slot, classes, occlusion, top or 10)
    explanation = explain(model, segments, segment=segment, slot=slot)
    prediction = next(islice(model.predict(segments), segment, None))[slot]
    return FeatureExplanation(segments[segment], slot, classes, prediction, explanation, top or 15)
