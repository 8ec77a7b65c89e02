"""How a pronoun is written into the place of another: which word, in which case, with which neighbours."""

from __future__ import annotations

import re
from typing import Protocol

from anaphor.core import Sentence, UnknownNameError
from anaphor.predict.postedit.nouns import Edit, Occurrence

_LETTER = re.compile(r"[^\W\d_]")
_ENDS_SENTENCE = frozenset(".!?:…")


class CannotStand(Exception):  # noqa: N818 - an answer, not an error of anybody
    """The pronoun cannot stand there; the text says why."""


class Speller(Protocol):
    """The spelling of one language."""

    def write(self, occurrence: Occurrence, label: str, *, tokenised: bool) -> tuple[Edit, str]:
        """The edit that puts a class into the place of an occurrence, and the new pronoun itself.

        Raises `CannotStand` where the words around allow it by no means.
        """


def speller_for(language: str, *, lines_with: frozenset[str]) -> Speller:
    """The speller of a target language; `lines_with` are the words that the candidate uses."""
    from anaphor.predict.postedit.french import French
    from anaphor.predict.postedit.german import German

    if language == "fr":
        return French(informal="ça" in lines_with and "cela" not in lines_with)
    if language == "de":
        return German()
    raise UnknownNameError.among(language, ("de", "fr"), kind="language of post-editing", where="--pair")


def in_case_of(old: str, new: str) -> str:
    """The new word with a capital, or in capitals, where the old one has them."""
    letters = "".join(_LETTER.findall(old))
    if len(letters) > 1 and letters.isupper():
        return new.upper()
    return new[0].upper() + new[1:] if letters[:1].isupper() else new


def begins_sentence(sentence: Sentence, token: int) -> bool:
    """Whether no word stands before a token, or the end of a sentence between the two."""
    for word in reversed(sentence.tokens[:token]):
        if word[0] in _ENDS_SENTENCE:
            return True
        if _LETTER.search(word) or word[0].isdigit():
            return False
    return True


def is_joined(sentence: Sentence, token: int) -> bool:
    """Whether a word follows a token without anything between the two."""
    after = token + 1
    return after < len(sentence.tokens) and sentence.starts[after] == sentence.span(token).end
