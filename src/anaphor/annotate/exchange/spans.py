"""Answers as error spans in a translation, which is all that some other tools know; and back again.

A wrong pronoun or antecedent is an error on its highlighted words. Reading turns it round: an error on a
highlighted word makes the answer no, and a translation that was looked at without one makes it yes. So a yes
does not say which words make it right, and tags and remarks are not there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from anaphor.annotate.exchange.texts import Shown
from anaphor.annotate.nouns import Answer, Highlight, Mark, TokenAt
from anaphor.core import Span

PRONOUN, ANTECEDENT = "pronoun", "antecedent"


@dataclass(frozen=True, slots=True)
class ErrorSpan:
    """Characters of a translation that are wrong, the end not included, and which question they are about."""

    span: Span
    question: str


def error_spans(answer: Answer, highlight: Highlight, shown: Shown) -> tuple[ErrorSpan, ...]:
    """The errors of an answer; an untranslated pronoun has no characters and gives none."""
    heads = [at for head in highlight.heads for at in head]
    return (
        *(_spans(PRONOUN, highlight.pronoun, shown) if answer.pronoun is Mark.NO else ()),
        *(_spans(ANTECEDENT, heads, shown) if answer.antecedent is Mark.NO else ()),
    )


def answer_of(spans: Iterable[Span], highlight: Highlight, shown: Shown, *, asks_antecedent: bool) -> Answer:
    """The answer that errors stand for."""
    found = list(spans)
    heads = [at for head in highlight.heads for at in head]
    antecedent = _mark(found, heads, shown) if asks_antecedent else Mark.UNSET
    return Answer(antecedent=antecedent, pronoun=_mark(found, highlight.pronoun, shown))


def _mark(spans: Sequence[Span], words: Sequence[TokenAt], shown: Shown) -> Mark:
    wrong = any(shown.overlapping(span.start, span.end, words) for span in spans)
    return Mark.NO if wrong else Mark.YES


def _spans(question: str, words: Sequence[TokenAt], shown: Shown) -> Iterator[ErrorSpan]:
    """One span for words that stand beside each other."""
    spans: list[Span] = []
    for at in words:
        span = shown.spans[at]
        if spans and shown.text[spans[-1].end : span.start].isspace():
            spans[-1] = Span(spans[-1].start, span.end)
        else:
            spans.append(span)
    return (ErrorSpan(span, question) for span in spans)
