"""Rules that the answers of one person should keep among themselves: gentle warnings, as PROTEST had them.

It is no disagreement between people. The codes are those that PROTEST stored, one for the pronoun and one for
the antecedent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from anaphor.annotate.nouns import Answer, Highlight, Mark, TokenAt

BAD_TRANSLATION = "bad_translation"
WRONG_ALIGNMENT = "incorrect_word_alignment"
NONCOMPOSITIONAL = "noncompositional_translation"
#: Tags that say why a pronoun cannot be judged in the usual way.
_EXCLUSIVE = (BAD_TRANSLATION, WRONG_ALIGNMENT, NONCOMPOSITIONAL)

#: The tags of PROTEST's guidelines, and those for the politeness of a singular *you*.
STANDARD_TAGS = ("ant_unsure", *_EXCLUSIVE, "desc_vs_presc")
POLITENESS_TAGS = ("politeness_tu", "politeness_unknown", "politeness_vous")

_MESSAGES = {
    "ana_conflicting_tags": f"choose one of the tags {', '.join(_EXCLUSIVE)}",
    "ana_bad_translation_annot": "a bad translation is left unset, without chosen words",
    "ana_incorrect_alignment_annot": "with a wrong highlight the answers stay unset, without chosen words",
    "ana_tagsonly": "the tags are there, the answer about the pronoun is not",
    "ana_noncompositional_highlight": "a fixed phrase is judged as a whole: choose no words",
    "ana_notokens": "the pronoun is right: choose the highlighted words that make it so",
    "ana_unset": "words of the pronoun are chosen, but it is not called right",
    "ant_notokens": "the antecedent is right: choose the highlighted words that make it so",
    "ant_unset": "words of the antecedent are chosen, but it is not called right",
}
_OK = {"pronoun": "ana_ok", "antecedent": "ant_ok"}


@dataclass(frozen=True, slots=True)
class Conflict:
    """A rule that an answer breaks: PROTEST's code, the question it is about, and what to do."""

    code: str
    question: str
    message: str


def conflicts(answer: Answer, highlight: Highlight, *, asks_antecedent: bool) -> tuple[Conflict, ...]:
    """The rules that an answer breaks, the pronoun's first; none for an empty answer.

    An untranslated pronoun, which has no highlighted word, may be right without words.
    """
    if answer.is_empty:
        return ()
    codes = _by_tags(answer)
    if codes is None:
        codes = _pronoun(answer, highlight.pronoun)
        if asks_antecedent:
            codes += _antecedent(answer, [at for head in highlight.heads for at in head])
    return tuple(_conflict(code) for code in codes)


def status_words(found: Sequence[Conflict]) -> str:
    """The conflicts as PROTEST stores them: two words, the pronoun's and the antecedent's."""
    by_question = {one.question: one.code for one in found}
    return " ".join(by_question.get(question, ok) for question, ok in _OK.items())


def _by_tags(answer: Answer) -> list[str] | None:
    """What follows from a tag of the exclusive ones; None where there is none of them."""
    given = [tag for tag in _EXCLUSIVE if tag in answer.tags]
    judged = (answer.pronoun, answer.antecedent) != (Mark.UNSET, Mark.UNSET)
    if len(given) > 1:
        return ["ana_conflicting_tags"]
    if given == [BAD_TRANSLATION]:
        return ["ana_bad_translation_annot"] if judged or answer.words else []
    if given == [WRONG_ALIGNMENT]:
        return ["ana_incorrect_alignment_annot"] if judged or answer.words else []
    if given == [NONCOMPOSITIONAL]:
        if answer.pronoun is Mark.UNSET:
            return ["ana_tagsonly"]
        return ["ana_noncompositional_highlight"] if answer.words else []
    return None


def _pronoun(answer: Answer, highlighted: Sequence[TokenAt]) -> list[str]:
    chosen = set(highlighted) & set(answer.words)
    if answer.pronoun is Mark.YES:
        return ["ana_notokens"] if highlighted and not chosen else []
    if answer.pronoun is Mark.UNSET and answer.tags:
        return ["ana_tagsonly"]
    return ["ana_unset"] if chosen else []


def _antecedent(answer: Answer, highlighted: Sequence[TokenAt]) -> list[str]:
    chosen = set(highlighted) & set(answer.words)
    if answer.antecedent is Mark.YES:
        return ["ant_notokens"] if highlighted and not chosen else []
    return ["ant_unset"] if chosen else []


def _conflict(code: str) -> Conflict:
    return Conflict(code, "antecedent" if code.startswith("ant_") else "pronoun", _MESSAGES[code])
