"""Which of several numbered choices a chat model names.

The prompt asks for a number alone; chat models add emphasis, a lead-in or an explanation. An answer is

    [lead-in] mark [text of the choice | explanation]

- Everything up to the last `</think>` is removed; reasoning that was cut off leaves nothing to read.
- Emphasis (`*`, `_`, backticks), `\\boxed{}` and quotation marks around the whole do not count.
- A lead-in is one of `Answer:`, `The answer is`, `Option`, `The correct translation is` and the like.
- A mark is the number of a choice, or `?` for an abstention, alone or as `2.`, `2)`, `(2)`, `[2]`, `2:`.
- After a mark the line ends, or the text of that choice begins, or a reason (*because ...*,
  *Explanation: ...*, in parentheses or after a dash). Further lines must not mark another choice.
- The text of one choice alone is an answer, too.
- Where the first line is none of these, the last line counts if it has a lead-in.

Nothing else is searched for numbers: *I would say 3* is unreadable.

Log-probabilities of the first token are those of the choices only where an answer begins with its number: of
*The answer is 2*, and of a refusal, they say nothing about the choices.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

#: What stands for "the text does not decide it".
ABSTENTION = "?"

_LEAD = re.compile(
    r"(?:so |therefore,? |thus,? )?(?:(?:the|my) )?(?:(?:final|correct|right|best) )*"
    r"(?:answer|option|choice|translation|variant|number|one)(?: number)?"
    r"(?:(?: is|:)+(?: option| choice| number)?)?"
    r"[ :]*",
    re.IGNORECASE,
)
_MARK = re.compile(r"(?P<open>[(\[]?)(?P<mark>\d{1,3}|\?)(?P<close>[)\]]?)(?P<end>[.):]?)(?=$|\s)")
_REASON = re.compile(r"(?:because|since|explanation|reason)\b|[-–—(]", re.IGNORECASE)
_BOXED = re.compile(r"\\boxed\{([^{}]*)\}")
_EMPHASIS = re.compile(r"[*_`]+")
_QUOTES = "\"'“”„«»‘’"
#: Reasoning between these is not part of the answer.
_THINK, _THOUGHT = "<think>", "</think>"
#: With a smaller share of the first token, the numbers are not what the answer begins with.
_BEGINS = 0.5


def read_choice(reply: str, choices: Sequence[str]) -> int | str | None:
    """The 0-based position of the choice that a reply names; `ABSTENTION`; None if it is unreadable."""
    before, _, answer = reply.rpartition(_THOUGHT)
    if _THINK in answer or (_THINK in before and not answer.strip()):
        return None
    lines = [line for line in map(_plain, answer.splitlines()) if line]
    if not lines:
        return None
    texts = [_plain(choice) for choice in choices]
    read = _read(lines[0], lines[1:], texts, lead_needed=False)
    if read is None and len(lines) > 1:
        read = _read(lines[-1], (), texts, lead_needed=True)
    return read


def choice_shares(first_token: Mapping[str, float], choices: int) -> list[float]:
    """The probability of each choice by the log-probabilities of the first token.

    Empty if the numbers of the choices have less than half of the probability.
    """
    shares = []
    for number in range(1, choices + 1):
        # A tokenizer may write the digit with a space before it: both tokens are the same choice.
        own = [value for token, value in first_token.items() if token.strip() == f"{number}"]
        shares.append(sum(math.exp(value) for value in own if value < 1))  # no nan, no overflow
    total = sum(shares)
    return [share / total for share in shares] if total >= _BEGINS else []


def _plain(line: str) -> str:
    """A line without emphasis, boxes, and quotation marks around it."""
    line = " ".join(_EMPHASIS.sub("", _BOXED.sub(r"\1", line)).split())
    inner = line.strip(_QUOTES).strip()
    return inner or line


def _read(first: str, rest: Sequence[str], texts: Sequence[str], *, lead_needed: bool) -> int | str | None:
    lead = _LEAD.match(first)
    if lead is not None:
        first = first[lead.end() :].strip(_QUOTES).strip()
    elif lead_needed:
        return None
    named = [place for place, text in enumerate(texts) if text and first.rstrip(".") == text.rstrip(".")]
    if len(named) == 1 and not _marks(rest, texts, named[0]):
        return named[0]
    mark = _MARK.match(first)
    if mark is None:
        return None
    place = None if mark["mark"] == ABSTENTION else int(mark["mark"]) - 1
    if place is not None and not 0 <= place < len(texts):
        return None
    following = first[mark.end() :].strip(_QUOTES + " ")
    # `2 Elle marche.` is a choice; `2 of them are wrong` and `1) is wrong` are none.
    own = place is not None and _is_text_of(following, place, texts)
    if following and not own and not _REASON.match(following):
        return None
    if _marks(rest if own else [following, *rest], texts, place):
        return None
    return ABSTENTION if place is None else place


def _is_text_of(given: str, place: int, texts: Sequence[str]) -> bool:
    """Whether a text begins with a choice, or is the beginning of one, since servers truncate answers. Other
    choices may share the beginning, but none may be equal to it: `1) elle` is not *elles*.
    """
    own = texts[place].rstrip(".")
    if own and given.startswith(own) and not given[len(own) :][:1].isalnum():
        return True
    whole = {text.rstrip(".") for at, text in enumerate(texts) if at != place}
    return bool(given) and texts[place].startswith(given) and given.rstrip(".") not in whole


def _marks(lines: Sequence[str], texts: Sequence[str], chosen: int | None) -> bool:
    """Whether a line after the answer marks another choice: `2) ...`, or `Option 2`."""
    for line in lines:
        marks = re.finditer(r"(?:^|[\s(\[])(?:option |choice )?(\d{1,3})[.):\]](?=$|\s)", line, re.IGNORECASE)
        if any(1 <= int(mark[1]) <= len(texts) and int(mark[1]) - 1 != chosen for mark in marks):
            return True
    return False
