"""The questions of an assignment, the answers it accepts, and the consistency rules of PROTEST.

The rules concern the answers of one annotator among themselves, not disagreement between annotators. Breaking
one gives a warning and is allowed. The codes are those stored by PROTEST, one for the pronoun and one for the
antecedent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from msgspec import Struct

from anaphor.annotate.types import AnnotatorAnswer, Highlight, Mark, Mode, Status, TokenAt
from anaphor.core import InputError, Where

#: The choice for a gap that nothing can fill; it excludes all others, as `anaphor meta gaps` requires.
BAD_CHOICE = "bad"
#: The names of translations that are shown beside each other.
SLOTS = ("a", "b", "c")

BAD_TRANSLATION = "bad_translation"
WRONG_ALIGNMENT = "incorrect_word_alignment"
NONCOMPOSITIONAL = "noncompositional_translation"
#: Tags that say why a pronoun cannot be judged in the usual way; at most one may be given.
_EXCLUSIVE = (BAD_TRANSLATION, WRONG_ALIGNMENT, NONCOMPOSITIONAL)

#: The tags of PROTEST's guidelines, and those for the politeness of a singular *you*.
STANDARD_TAGS = ("ant_unsure", *_EXCLUSIVE, "desc_vs_presc")
POLITENESS_TAGS = ("politeness_tu", "politeness_unknown", "politeness_vous")


#: What each tag means; `web/guidelines` has examples by language.
TAG_HELP = {
    "ant_unsure": "The word marked in the source may not be what the pronoun stands for.",
    BAD_TRANSLATION: "The sentence is too broken to judge its pronoun.",
    WRONG_ALIGNMENT: "The pronoun is translated, but another word is framed.",
    NONCOMPOSITIONAL: (
        "A fixed phrase, in which no single word stands for the pronoun: judge the clause, choose no words."
    ),
    "desc_vs_presc": "Natural in speech, but against the grammar book, or the other way round.",
    "politeness_tu": "The translation is familiar.",
    "politeness_vous": "The translation is polite.",
    "politeness_unknown": "Familiar or polite cannot be told from the translation.",
}

_MESSAGES = {
    "ana_conflicting_tags": f"choose only one of the tags {', '.join(_EXCLUSIVE)}",
    "ana_bad_translation_annot": "a bad translation is left unset, without chosen words",
    "ana_incorrect_alignment_annot": "with a wrong highlight the answers stay unset, without chosen words",
    "ana_tagsonly": "there are tags, but no answer about the pronoun",
    "ana_noncompositional_highlight": "a fixed phrase is judged as a whole: choose no words",
    "ana_notokens": "the pronoun is right: choose the highlighted words that make it so",
    "ana_unset": "words of the pronoun are chosen, but it is not marked as right",
    "ant_notokens": "the antecedent is right: choose the highlighted words that make it so",
    "ant_unset": "words of the antecedent are chosen, but it is not marked as right",
}

_OPEN = {
    "antecedent": "answer the question about the antecedent too; until then the example counts as open",
    "pronoun": "answer the question about the pronoun too; until then the example counts as open",
}


class AnswerTask(Struct, frozen=True):
    """The question of one assignment. `slots` are the translations shown."""

    mode: Mode
    asks_antecedent: bool
    highlight: Highlight
    choices: tuple[str, ...]
    slots: tuple[str, ...]


class RuleConflict(NamedTuple):
    """A rule broken by an answer: PROTEST's code, the question concerned, and what to do."""

    code: str
    question: str
    message: str


_CONFLICTS = {
    code: RuleConflict(code, "antecedent" if code.startswith("ant_") else "pronoun", message)
    for code, message in _MESSAGES.items()
}


def check_answer(task: AnswerTask, answer: AnnotatorAnswer, *, where: Where | str) -> None:
    """Reject an answer of another mode, or one about words, choices or slots that are not shown."""
    judging = task.mode is Mode.JUDGE
    marked = (answer.antecedent, answer.pronoun) != (Mark.UNSET, Mark.UNSET)
    slots = sorted(slot for group in answer.order for slot in group)
    judged = answer.antecedent is not Mark.UNSET and judging
    invalid = {
        "it answers about the antecedent, which is not asked here": judged and not task.asks_antecedent,
        "it judges the pronoun, and this campaign asks something else": marked and not judging,
        "it chooses words that are not framed": bool(answer.words)
        and (not judging or not set(answer.words) <= set(task.highlight.corrected(answer).words)),
        "it corrects a frame, and this campaign has none": answer.rendering is not None and not judging,
        "it has a choice that is not offered": not set(answer.choices) <= set(task.choices),
        "it ranks translations that are not shown": bool(answer.order) and slots != sorted(task.slots),
    }
    missing = [slot.upper() for slot in task.slots if slot not in slots]
    if answer.order and missing and set(slots) < set(task.slots):
        named, several = " and ".join(missing), len(missing) > 1
        what = f"translation{'s' if several else ''} {named} {'have' if several else 'has'} no rank yet"
        raise InputError(what, where=where, fix="rank every translation; ties share a rank")
    for what, broken in invalid.items():
        if broken:
            fix = "answer only what the example asks, from what it shows"
            raise InputError(f"the answer does not fit this example: {what}", where=where, fix=fix)


def status_of(task: AnswerTask, answer: AnnotatorAnswer) -> Status:
    """New for an empty answer and while one of two questions is open; otherwise done, or in conflict with a
    rule.

    A remark or a tag alone counts as an answer, as in PROTEST.
    """
    if answer.is_empty or open_question(task, answer):
        return Status.NEW
    return Status.CONFLICT if warnings_of(task, answer) else Status.DONE


def open_question(task: AnswerTask, answer: AnnotatorAnswer) -> str:
    """The question left open while the other one is answered; empty if there is none.

    Annotators who cannot judge the pronoun, or tag the item as impossible to judge, have answered.
    """
    open_marks = answer.antecedent is Mark.UNSET, answer.pronoun is Mark.UNSET
    excused = answer.pronoun is Mark.UNCLEAR or {BAD_TRANSLATION, WRONG_ALIGNMENT} & set(answer.tags)
    if not task.asks_antecedent or open_marks[0] == open_marks[1] or excused:
        return ""
    return "antecedent" if open_marks[0] else "pronoun"


def warnings_of(task: AnswerTask, answer: AnnotatorAnswer) -> tuple[RuleConflict, ...]:
    """The rules broken by an answer, as warnings only."""
    if task.mode is Mode.JUDGE:
        broken = conflicts(answer, task.highlight, asks_antecedent=task.asks_antecedent)
        if question := open_question(task, answer):
            broken += (RuleConflict("open_question", question, _OPEN[question]),)
        return broken
    if BAD_CHOICE in answer.choices and len(answer.choices) > 1:
        message = "a bad translation excludes all other choices: nothing else fits its gap"
        return (RuleConflict("gap_bad_alone", "pronoun", message),)
    return ()


def conflicts(
    answer: AnnotatorAnswer, highlight: Highlight, *, asks_antecedent: bool
) -> tuple[RuleConflict, ...]:
    """The PROTEST rules broken by an answer, the pronoun's first; none for an empty answer.

    A pronoun for which no word was found may be right without words.
    """
    if answer.is_empty:
        return ()
    codes = _by_tags(answer)
    if codes is None:
        # Who names the words that translate the pronoun has chosen them.
        own = answer.rendering is None
        codes = _by_words("ana", answer.pronoun, highlight.pronoun, answer) if own else []
        if answer.pronoun is Mark.UNSET and answer.tags:
            codes = ["ana_tagsonly"]
        if asks_antecedent:
            codes += _by_words("ant", answer.antecedent, highlight.head_words, answer)
    return tuple([_CONFLICTS[code] for code in codes])


def status_words(broken: Sequence[RuleConflict]) -> str:
    """The conflicts as stored by PROTEST: two words, the pronoun's and the antecedent's."""
    codes = {conflict.question: conflict.code for conflict in broken}
    return f"{codes.get('pronoun', 'ana_ok')} {codes.get('antecedent', 'ant_ok')}"


def _by_tags(answer: AnnotatorAnswer) -> list[str] | None:
    """The consequence of an exclusive tag; None if there is none."""
    given = [tag for tag in _EXCLUSIVE if tag in answer.tags]
    if not given:
        return None
    if len(given) > 1:
        return ["ana_conflicting_tags"]
    if given == [NONCOMPOSITIONAL]:
        if answer.pronoun is Mark.UNSET:
            return ["ana_tagsonly"]
        return ["ana_noncompositional_highlight"] if answer.words else []
    # The other two say that there is nothing to judge.
    judged = {answer.pronoun, answer.antecedent} & {Mark.YES, Mark.NO}
    bad = given == [BAD_TRANSLATION]
    code = "ana_bad_translation_annot" if bad else "ana_incorrect_alignment_annot"
    return [code] if judged or answer.words else []


def _by_words(prefix: str, mark: Mark, highlighted: Sequence[TokenAt], answer: AnnotatorAnswer) -> list[str]:
    """The consequence of the words selected for the pronoun or antecedent."""
    chosen = answer.words and not set(highlighted).isdisjoint(answer.words)
    if mark is Mark.YES:
        return [f"{prefix}_notokens"] if highlighted and not chosen else []
    return [f"{prefix}_unset"] if chosen else []
