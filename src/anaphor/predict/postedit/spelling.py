"""How one pronoun is written in place of another: the word, its case, and its neighbours.

French elides before and after (`qu'il`, `c'est`), restricts *ce* to être, and inverts (`dit-il`). In German
nothing around the pronoun changes, and only the beginning of a sentence has a capital. English, with its
verbs, has a separate module.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

from anaphor.core import Sentence, Span
from anaphor.languages import fold
from anaphor.predict.postedit.types import Edit, Occurrence

_LETTER = re.compile(r"[^\W\d_]")
_ENDS_SENTENCE = frozenset(".!?:…")


class UngrammaticalError(Exception):
    """Grammar rules out the pronoun in this place; the message says why."""


class Speller(Protocol):
    """The spelling of pronouns in one language."""

    def write(self, occurrence: Occurrence, label: str, *, tokenized: bool) -> tuple[Edit, str]:
        """The edit that replaces an occurrence by a class, and the new pronoun itself.

        Raises `UngrammaticalError` if the surrounding words rule the pronoun out.
        """


def word_set(*lines: str) -> frozenset[str]:
    """The comma-separated words of some lines."""
    return frozenset(word for line in lines for word in line.split(", "))


# Closed classes of French words that decide how a subject pronoun is written, all folded.

_PERSONAL = word_set("il, elle, ils, elles")
_INVERTED = _PERSONAL | {"on"}
_AFTER_PREPOSITIONS = word_set("elle, elles, cela")
#: Words that lose their vowel before il, elle, ils, elles and on; si only before il and ils.
_ELIDED = {"que": "qu'", "lorsque": "lorsqu'", "puisque": "puisqu'", "quoique": "quoiqu'", "si": "s'"}
_FULL = {elided: full for full, elided in _ELIDED.items()}
_NEGATIONS = word_set("ne, n', pas, plus, jamais, guère")
#: Finite forms of être, the only verb with ce as its subject.
ETRE = word_set("est, sont, était, étaient, sera, seront, serait, seraient, fut, furent, soit, soient")
_ELIDES_CE = frozenset(form for form in ETRE if form[0] in "eé")
#: Verbs that may stand between ce and être.
_MODALS = word_set("peut, pouvait, pourrait, pourra, doit, devait, devrait, devra, va")
#: Verbs with an expletive il.
_IMPERSONAL = word_set(
    "faut, fallait, faudra, faudrait, fallut, faille, pleut, neige, s' agit, s' agissait",
    "y a, y avait, y aura, y aurait, y ait",
)
#: After these, elle, elles and cela are not subjects.
_PREPOSITIONS = word_set(
    "de, d', à, avec, pour, sans, par, chez, sur, contre, vers, entre, selon, malgré, envers, parmi, dans",
    "sous, devant, derrière, après, avant",
)
#: What begins a noun phrase or a clause after être: c'est un, c'est que, but not il est un, il est que.
_BEFORE_NOUNS = word_set(
    "un, une, le, la, l', les, des, du, ce, cet, cette, ces, plusieurs, quelques, mon, ma, mes, ton, ta, tes",
    "son, sa, ses, notre, nos, votre, vos, leur, leurs, que, qu', pourquoi, parce, quand, moi, toi, lui",
    "nous, vous, eux",
)


class FrenchSpeller:
    """Writes the French classes of the prediction task; `informal` text has *ça* for *cela*."""

    def __init__(self, *, informal: bool) -> None:
        self._cela = "ça" if informal else "cela"

    def write(self, occurrence: Occurrence, label: str, *, tokenized: bool) -> tuple[Edit, str]:
        """Replace the pronoun and, where elision demands it, the word before or the space after."""
        if fold(occurrence.word).startswith("-"):
            return _write_inverted(occurrence, label)
        _check_french(occurrence, label)
        sentence, token = occurrence.sentence, occurrence.token
        word = label
        if label == "cela":
            word = self._cela
        elif label == "ce" and fold(sentence.tokens[token + 1]) in _ELIDES_CE:
            word = f"c{_apostrophe(sentence.text)}"
        new = in_case_of(occurrence.word, word)
        text, end = new, occurrence.span.end
        if not new[-1].isalpha():
            # An elided pronoun is attached to the next word; tokenized text keeps the space.
            end = end if tokenized else sentence.starts[token + 1]
        elif not occurrence.word[-1].isalpha():
            joined = token + 1 < len(sentence.tokens) and sentence.starts[token + 1] == end
            text = f"{new} " if joined else new
        return _with_elision(occurrence, label, Edit(Span(occurrence.span.start, end), text), tokenized), new


def _write_inverted(occurrence: Occurrence, label: str) -> tuple[Edit, str]:
    """`-t-il` becomes `-t-elle`."""
    old = occurrence.word
    if occurrence.label not in _INVERTED or label not in _INVERTED:
        raise UngrammaticalError(f"{label} does not follow its verb")
    before = list(map(fold, occurrence.sentence.tokens[max(0, occurrence.token - 2) : occurrence.token]))
    if occurrence.label == "il" and _is_impersonal(before[-1:], before):
        raise UngrammaticalError(f"{before[-1]}-il has no other subject")
    prefix = old[: max(old.rfind(hyphen) for hyphen in "-‐‑") + 1]
    new = prefix + (label.upper() if old.isupper() else label)
    return Edit(occurrence.span, new), new


def _check_french(occurrence: Occurrence, label: str) -> None:
    """Raise an error if French grammar rules the class out; merely doubtful cases only cause warnings."""
    tokens = occurrence.sentence.tokens
    before = fold(tokens[occurrence.token - 1]) if occurrence.token else ""
    behind = map(fold, tokens[occurrence.token + 1 :])
    # Negation does not count; the empty word at the end stands for the end of the sentence.
    after = [*(word for word in behind if word not in _NEGATIONS), " "]
    if occurrence.label in _AFTER_PREPOSITIONS and before in _PREPOSITIONS:
        raise UngrammaticalError(f"it is not a subject after {before}")
    if label == "ce" and not (after[0] in ETRE or (after[0] in _MODALS and "être" in after[1:3])):
        raise UngrammaticalError("ce is only the subject of être")
    if occurrence.label == "il" and _is_impersonal(after[:1], after[:2]):
        raise UngrammaticalError(f"il {after[0]} has no other subject")
    if occurrence.label == "ce" and label in _PERSONAL and after[0] in ETRE and after[1] in _BEFORE_NOUNS:
        raise UngrammaticalError(f"{label} does not occur before être and {after[1]}")


def _is_impersonal(*phrases: Sequence[str]) -> bool:
    """Whether one of the phrases is a verb with an expletive il."""
    return any(" ".join(words) in _IMPERSONAL for words in phrases)


def _with_elision(occurrence: Occurrence, label: str, edit: Edit, tokenized: bool) -> Edit:
    """The edit, extended to the preceding word if that gains or loses an elision."""
    sentence, last = occurrence.sentence, occurrence.token - 1
    start = edit.span.start
    if last >= 0 and occurrence.label == "on" and fold(sentence.tokens[last]) == "l'":
        start, last = sentence.starts[last], last - 1  # l'on: the article is there only for euphony
    if last >= 0:
        word = sentence.tokens[last]
        full = _FULL.get(fold(word), fold(word))
        if full in _ELIDED:
            elides = label in ("il", "ils") if full == "si" else label in _INVERTED
            wanted = f"{_ELIDED[full][:-1]}{_apostrophe(sentence.text)}" if elides else full
            if fold(wanted) != fold(word):
                space = "" if elides and not tokenized else " "
                text = in_case_of(word, wanted) + space + edit.text
                return Edit(Span(sentence.starts[last], edit.span.end), text)
    return Edit(Span(start, edit.span.end), edit.text)


def _apostrophe(text: str) -> str:
    """The apostrophe that a line uses."""
    return "’" if "’" in text else "'"


#: es gibt: there is.
_GERMAN_IMPERSONAL = frozenset(["gibt", "gab", "gäbe", "gebe"])


class GermanSpeller:
    """Writes er, sie, es and man."""

    def write(self, occurrence: Occurrence, label: str, *, tokenized: bool) -> tuple[Edit, str]:  # noqa: ARG002
        """Replace only the pronoun."""
        old, sentence, token = occurrence.word, occurrence.sentence, occurrence.token
        if fold(old) != occurrence.label:
            raise UngrammaticalError(f"{old} is part of another word")
        around = sentence.tokens[max(0, token - 1) : token + 2]
        if occurrence.label == "es" and _GERMAN_IMPERSONAL & set(map(fold, around)):
            raise UngrammaticalError("es gibt has no other subject")
        new = in_case_of(old, label) if begins_sentence(sentence, token) else label
        return Edit(occurrence.span, new), new


_SPANISH_SUBJECTS = word_set("él, ella, ellos, ellas")


class SpanishSpeller:
    """Writes él, ella, ellos, ellas, lo and la, or leaves a subject out."""

    def __init__(self, dropped: str) -> None:
        """`dropped` is the class of a subject that is left out."""
        self._dropped = dropped

    def write(self, occurrence: Occurrence, label: str, *, tokenized: bool) -> tuple[Edit, str]:  # noqa: ARG002
        """Replace the pronoun, or delete it with the space after it."""
        old, sentence, token = occurrence.word, occurrence.sentence, occurrence.token
        if fold(old) != occurrence.label:
            raise UngrammaticalError(f"{old} is part of another word")
        is_subject = occurrence.label in _SPANISH_SUBJECTS
        if is_subject != (label == self._dropped or label in _SPANISH_SUBJECTS):
            raise UngrammaticalError(f"{old} is {'a subject' if is_subject else 'an object'}")
        if label != self._dropped:
            return Edit(occurrence.span, new := in_case_of(old, label)), new
        if token + 1 == len(sentence.tokens):
            raise UngrammaticalError(f"no verb follows {old}")
        following = sentence.span(token + 1)
        word = in_case_of(old, sentence.tokens[token + 1])
        return Edit(Span(occurrence.span.start, following.end), word), ""


def in_case_of(old: str, new: str) -> str:
    """The new word, capitalized or in upper case like the old one."""
    letters = "".join(_LETTER.findall(old))
    if len(letters) > 1 and letters.isupper():
        return new.upper()
    return new[0].upper() + new[1:] if letters[:1].isupper() else new


def begins_sentence(sentence: Sentence, token: int) -> bool:
    """Whether no word precedes a token, or the end of a sentence lies between the two."""
    for word in reversed(sentence.tokens[:token]):
        if word[0] in _ENDS_SENTENCE:
            return True
        if _LETTER.search(word) or word[0].isdigit():
            return False
    return True
