"""French pronouns: elision before and after, `c'est` and its limits, pronouns behind their verb."""

from __future__ import annotations

from collections.abc import Sequence

from anaphor.core import Sentence, Span
from anaphor.languages import fold
from anaphor.predict.postedit.french_words import (
    BEFORE_NOUNS,
    ELIDED,
    IMPERSONAL,
    IS,
    MODALS,
    NEGATIONS,
    PERSONAL,
    PREPOSITIONS,
)
from anaphor.predict.postedit.nouns import Edit, Occurrence
from anaphor.predict.postedit.spelling import CannotStand, in_case_of, is_joined

_ELIDE_CE = frozenset(form for form in IS if form[0] in "eé")
_FULL = {elided: full for full, elided in ELIDED.items()}
_AFTER_PREPOSITIONS = frozenset(["elle", "elles", "cela"])
_INVERTED = frozenset(["il", "elle", "ils", "elles", "on"])


class French:
    """Knows how the classes of the prediction task are written; `informal` text has *ça* for *cela*."""

    def __init__(self, *, informal: bool) -> None:
        self._this = "ça" if informal else "cela"

    def write(self, occurrence: Occurrence, label: str, *, tokenised: bool) -> tuple[Edit, str]:
        """The pronoun and, where elision asks for it, the end of the word before or the space behind."""
        if fold(occurrence.word).startswith("-"):
            return _behind_verb(occurrence, label)
        after = _folded_after(occurrence)
        _check(occurrence, label, after)
        new = in_case_of(occurrence.word, self._word(occurrence, label))
        text, end = _joined_to_next(occurrence, new, tokenised=tokenised)
        edit = Edit(Span(occurrence.span.start, end), text)
        return _joined_to_last(occurrence, label, edit, tokenised=tokenised), new

    def _word(self, occurrence: Occurrence, label: str) -> str:
        if label == "cela":
            return self._this
        if label == "ce" and fold(occurrence.sentence.tokens[occurrence.token + 1]) in _ELIDE_CE:
            return f"c{_apostrophe(occurrence.sentence.text)}"
        return label


def _behind_verb(occurrence: Occurrence, label: str) -> tuple[Edit, str]:
    """`-t-il` becomes `-t-elle`."""
    old = occurrence.word
    if occurrence.label not in _INVERTED or label not in _INVERTED:
        raise CannotStand(f"{label} does not follow its verb")
    before = list(map(fold, occurrence.sentence.tokens[max(0, occurrence.token - 2) : occurrence.token]))
    if occurrence.label == "il" and _is_impersonal(before[-1:], before):
        raise CannotStand(f"{before[-1]}-il has no other subject")
    kept = old[: max(old.rfind(hyphen) for hyphen in "-‐‑") + 1]
    new = kept + (label.upper() if old.isupper() else label)
    return Edit(occurrence.span, new), new


def _folded_after(occurrence: Occurrence) -> list[str]:
    """The words behind the pronoun, negation left out, and an empty one that ends them."""
    behind = map(fold, occurrence.sentence.tokens[occurrence.token + 1 :])
    return [*(word for word in behind if word not in NEGATIONS), " "]


def _check(occurrence: Occurrence, label: str, after: Sequence[str]) -> None:
    """Raise where French grammar allows no such pronoun; what it merely doubts is for warnings."""
    before = fold(occurrence.sentence.tokens[occurrence.token - 1]) if occurrence.token else ""
    if occurrence.label in _AFTER_PREPOSITIONS and before in PREPOSITIONS:
        raise CannotStand(f"it is no subject behind {before}")
    if label == "ce" and not (after[0] in IS or (after[0] in MODALS and "être" in after[1:3])):
        raise CannotStand("ce is the subject of être alone")
    if occurrence.label == "il" and _is_impersonal(after[:1], after[:2]):
        raise CannotStand(f"il {after[0]} has no other subject")
    if occurrence.label == "ce" and label in PERSONAL and after[0] in IS and after[1] in BEFORE_NOUNS:
        raise CannotStand(f"{label} does not stand before être and {after[1]}")


def _is_impersonal(*stretches: Sequence[str]) -> bool:
    """Whether one of the stretches of words is a verb whose il stands for nothing."""
    return any(" ".join(words) in IMPERSONAL for words in stretches)


def _joined_to_next(occurrence: Occurrence, new: str, *, tokenised: bool) -> tuple[str, int]:
    """The new word with a space if it needs one, and where the edit ends: behind a space it swallows."""
    sentence, token = occurrence.sentence, occurrence.token
    end = occurrence.span.end
    if new[-1].isalpha():
        return (f"{new} " if is_joined(sentence, token) and not occurrence.word[-1].isalpha() else new), end
    return new, end if tokenised else sentence.starts[token + 1]


def _joined_to_last(occurrence: Occurrence, label: str, edit: Edit, *, tokenised: bool) -> Edit:
    """The edit with the word before, where that gains or loses an elision."""
    sentence, last = occurrence.sentence, occurrence.token - 1
    start = edit.span.start
    if last >= 0 and occurrence.label == "on" and fold(sentence.tokens[last]) == "l'":
        start, last = sentence.starts[last], last - 1  # l'on: the article is there for the sound of on alone
    if last >= 0 and (changed := _elision(sentence, last, label)) is not None:
        space = "" if not changed[-1].isalpha() and not tokenised else " "
        return Edit(Span(sentence.starts[last], edit.span.end), changed + space + edit.text)
    return Edit(Span(start, edit.span.end), edit.text)


def _elision(sentence: Sentence, last: int, label: str) -> str | None:
    """How the word before is written before a class; None where it stays as it is."""
    word = sentence.tokens[last]
    folded = fold(word)
    full = _FULL.get(folded, folded)
    if full not in ELIDED:
        return None
    elides = label in ("il", "ils") if full == "si" else label in _INVERTED
    wanted = f"{ELIDED[full][:-1]}{_apostrophe(sentence.text)}" if elides else full
    return None if fold(wanted) == folded else in_case_of(word, wanted)


def _apostrophe(text: str) -> str:
    return "’" if "’" in text else "'"
