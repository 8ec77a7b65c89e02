"""A guess at whom *you* means: people in general, one listener, or several.

No corpus at hand marks it, so these are rules with confidences set by hand, and nothing more.
"""

from __future__ import annotations

from dataclasses import dataclass

from anaphor.analyse.function_features import AnalysedSentence

GENERIC, DEICTIC = "generic", "deictic"
_SEVERAL = frozenset({"all", "guys", "both", "two", "folks"})
_SHARES = frozenset(
    {"all", "many", "some", "most", "none", "any", "few", "each", "half", "both", "several", "one"}
)
_SAID_TO = frozenset(
    {
        "tell",
        "show",
        "give",
        "ask",
        "invite",
        "remind",
        "teach",
        "convince",
        "promise",
        "leave",
        "thank",
        "urge",
        "bring",
    }
)
_SPEAKER = frozenset({"i", "we", "let", "me", "us"})
_SEEING = frozenset({"see", "hear", "notice", "remember", "imagine", "recognize", "recall", "guess"})
_CONDITIONS = frozenset({"if", "when", "whenever", "once", "where", "until", "unless", "because"})
_ABLE = frozenset({"can", "could", "have", "need", "get", "want", "should", "must", "would", "might", "will"})
# The Penn Treebank's marks too, which a tokeniser cuts in two.
_OPENING, _CLOSING = ("` `", "``", "“", "«"), ("' '", "''", "”", "»")


@dataclass(frozen=True, slots=True)
class YouGuess:
    """Whom *you* means; `number` is None for people in general."""

    audience: str
    number: str | None
    confidence: float


def guess_you(sentence: AnalysedSentence, position: int) -> YouGuess | None:
    """The guess of the first rule that applies; None for *you know* and *thank you*, set phrases."""
    words = [token.casefold() for token in sentence.tokens]
    lemmas = [lemma.casefold() for lemma in sentence.analysis.lemmas]
    before, after = words[:position], [*words[position + 1 :], "", ""]
    if after[0] == "know" or before[-1:] == ["thank"]:
        return None
    if after[0] in _SEVERAL or (before[-1:] == ["of"] and before[-2:-1] and before[-2] in _SHARES):
        return YouGuess(DEICTIC, "plural", 0.9)
    if _is_quoted(sentence.tokens[:position]):
        return YouGuess(DEICTIC, "singular", 0.6)
    if lemmas[max(position - 1, 0)] in _SAID_TO and _SPEAKER & set(before[-6:]):
        return YouGuess(DEICTIC, "plural", 0.7)
    if _SEEING & set(lemmas[position + 1 : position + 4]):
        return YouGuess(DEICTIC, "plural", 0.6)
    if before[-1:] and before[-1] in _CONDITIONS:
        return YouGuess(GENERIC, None, 0.7)
    return YouGuess(GENERIC, None, 0.6 if after[0] in _ABLE else 0.4)


def _is_quoted(before: tuple[str, ...]) -> bool:
    """Whether a quotation that was opened is still open; straight marks open and close in turn."""
    text = " ".join(before)
    opened, closed = (sum(map(text.count, marks)) for marks in (_OPENING, _CLOSING))
    return opened > closed or text.count('"') % 2 == 1
