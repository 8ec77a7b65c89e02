"""Texts and notes of a card: sentences cut into marked pieces, links and repairs told in words."""

from __future__ import annotations

from collections.abc import Iterable

from anaphor.core import Span
from anaphor.report.cards import CardHint, CardSide, RepairSteps
from anaphor.report.escape import shown

Pieces = tuple[tuple[str, str], ...]
Mark = tuple[Span, str]

_KINDS = {
    "unaligned": "the aligner linked nothing",
    "non-pronoun": "the aligner linked no pronoun",
    "multiple": "the aligner linked several words",
}


def cut(line: str, marks: Iterable[Mark]) -> Pieces:
    """The line as (text, kind) pieces, kind empty outside marks; of marks that overlap the first wins."""
    pieces, end = [], 0
    for span, kind in sorted(marks):
        start = max(span.start, end)
        if start >= span.end:
            continue
        pieces += [(line[end:start], ""), (line[start : span.end], kind)]
        end = span.end
    pieces.append((line[end:], ""))
    return tuple((shown(text), kind) for text, kind in pieces if text)


def told(side: CardSide | None) -> tuple[str, ...]:
    """What was found on one side: the counterpart, then its forms and the steps of its repair."""
    if side is None:
        return ("no counterpart",)
    linked = side.repair is None or side.repair.window is None
    notes = [", ".join(_link(*one, linked=linked) for one in zip(side.words, side.confidence, strict=True))]
    forms = f"pronoun found: {', '.join(side.forms)}" if side.forms else "no listed pronoun in it"
    return tuple(map(shown, (*notes, forms, *_steps(side.repair))))


def hinted(hint: CardHint | None) -> tuple[str, ...]:
    """What a predictor says of the candidate's pronoun, marked as no part of the outcome."""
    if hint is None:
        return ()
    likelier = f"{hint.likelier} {hint.likelier_probability:.2f}"
    return (shown(f"hint, not a score: probability {hint.probability:.3f}, likelier {likelier}"),)


def _link(word: str, confidence: float | None, *, linked: bool) -> str:
    """A word with its link; without one where the repair found the word by itself."""
    if not linked:
        return f"“{word}” (no link)"
    return f"“{word}” (link with confidence {'not known' if confidence is None else f'{confidence:.2f}'})"


def _steps(repair: RepairSteps | None) -> list[str]:
    """The repair of apt-2017, section 2.3, in order; nothing where no repair was needed."""
    if repair is None:
        return []
    before = f" ({_quoted(repair.before)})" if repair.before else ""
    steps = [f"repair: {_KINDS.get(repair.kind, repair.kind)}{before}"]
    if repair.markers is not None:
        steps.append(f"the words beside the pronoun are linked to {_quoted(repair.markers)}")
    if repair.window is not None:
        steps.append(f"searched between them: “{repair.window}”")
    steps.append(f"likely translations there: {_quoted(repair.options)}")
    steps.append(f"chosen: {_quoted(repair.chosen)}")
    return steps


def _quoted(words: tuple[str, ...]) -> str:
    return ", ".join(f"“{word}”" for word in words) or "nothing"
