"""The rules of PROTEST for the answer of one person, in the order in which its program looks at them."""

from __future__ import annotations

import re
from typing import Any

import pytest

from anaphor.annotate.rules import AnswerTask, check_answer, conflicts, status_of, status_words, warnings_of
from anaphor.annotate.types import AnnotatorAnswer, Highlight, Mark, Mode, Status, TokenAt
from anaphor.core import InputError

P, Q, H = TokenAt(0, 1), TokenAt(0, 2), TokenAt(1, 0)
SHOWN = Highlight((P, Q), ((H,),))
NO_WORDS = Highlight()
BAD, LINKS, PHRASE = "bad_translation", "incorrect_word_alignment", "noncompositional_translation"
YES, NO, UNSET = Mark.YES, Mark.NO, Mark.UNSET


def given(pronoun: Mark = UNSET, antecedent: Mark = UNSET, *parts: TokenAt | str) -> AnnotatorAnswer:
    """An answer with chosen words and tags."""
    words = tuple(sorted(part for part in parts if isinstance(part, TokenAt)))
    tags = tuple(sorted(part for part in parts if isinstance(part, str)))
    return AnnotatorAnswer(pronoun=pronoun, antecedent=antecedent, words=words, tags=tags)


@pytest.mark.parametrize(
    ("answer", "highlight", "expected"),
    [
        (given(), SHOWN, "ana_ok ant_ok"),
        (given(YES, YES, P, H), SHOWN, "ana_ok ant_ok"),
        (given(NO, NO), SHOWN, "ana_ok ant_ok"),
        # 1. two tags that exclude each other, whatever else is there
        (given(YES, YES, P, H, BAD, LINKS), SHOWN, "ana_conflicting_tags ant_ok"),
        (given(UNSET, UNSET, BAD, PHRASE), SHOWN, "ana_conflicting_tags ant_ok"),
        # 2. and 3. what cannot be judged is left unset
        (given(UNSET, UNSET, BAD), SHOWN, "ana_ok ant_ok"),
        (given(NO, UNSET, BAD), SHOWN, "ana_bad_translation_annot ant_ok"),
        (given(UNSET, NO, BAD), SHOWN, "ana_bad_translation_annot ant_ok"),
        (given(UNSET, UNSET, BAD, P), SHOWN, "ana_bad_translation_annot ant_ok"),
        (given(UNSET, UNSET, LINKS), SHOWN, "ana_ok ant_ok"),
        (given(YES, UNSET, LINKS), SHOWN, "ana_incorrect_alignment_annot ant_ok"),
        (given(UNSET, UNSET, LINKS, H), SHOWN, "ana_incorrect_alignment_annot ant_ok"),
        # 4. a fixed phrase is judged, without words
        (given(UNSET, UNSET, PHRASE), SHOWN, "ana_tagsonly ant_ok"),
        (given(YES, YES, PHRASE), SHOWN, "ana_ok ant_ok"),
        (given(YES, YES, PHRASE, P), SHOWN, "ana_noncompositional_highlight ant_ok"),
        # 5. the pronoun
        (given(YES, YES, H), SHOWN, "ana_notokens ant_ok"),
        (given(YES, YES, H), NO_WORDS, "ana_ok ant_ok"),
        (given(UNSET, UNSET, "politeness_tu"), SHOWN, "ana_tagsonly ant_ok"),
        (given(NO, UNSET, P), SHOWN, "ana_unset ant_ok"),
        (given(UNSET, UNSET, Q), SHOWN, "ana_unset ant_ok"),
        # 6. the antecedent
        (given(YES, YES, P), SHOWN, "ana_ok ant_notokens"),
        (given(YES, UNSET, P), SHOWN, "ana_ok ant_ok"),
        (given(YES, NO, P, H), SHOWN, "ana_ok ant_unset"),
        (given(YES, UNSET, P, H), SHOWN, "ana_ok ant_unset"),
        (given(NO, NO, P, H), SHOWN, "ana_unset ant_unset"),
    ],
)
def test_rules(answer: AnnotatorAnswer, highlight: Highlight, expected: str) -> None:
    assert status_words(conflicts(answer, highlight, asks_antecedent=True)) == expected


def test_a_remark_alone_counts_as_done_and_an_untranslated_pronoun_needs_no_words() -> None:
    task = AnswerTask(Mode.JUDGE, False, NO_WORDS, (), ())
    assert status_of(task, AnnotatorAnswer(remark="odd")) is Status.DONE
    assert status_of(task, AnnotatorAnswer(pronoun=YES)) is Status.DONE
    assert status_of(task, AnnotatorAnswer()) is Status.NEW


def test_an_answer_to_one_of_two_questions_leaves_the_example_open() -> None:
    task = AnswerTask(Mode.JUDGE, True, NO_WORDS, (), ())
    assert status_of(task, given(NO)) is status_of(task, given(UNSET, NO)) is Status.NEW
    assert [one.question for one in warnings_of(task, given(NO))] == ["antecedent"]
    assert status_of(task, given(NO, NO)) is Status.DONE
    assert status_of(task, given(Mark.UNCLEAR)) is Status.DONE, "who cannot judge it has answered"


def test_a_category_without_antecedents_has_no_antecedent_rule() -> None:
    assert not conflicts(given(YES, UNSET, P, H), SHOWN, asks_antecedent=False)


@pytest.mark.parametrize(
    ("order", "missing"),
    [((("b",),), "A and C"), ((("a", "c"),), "B")],
    ids=["one ranked", "two ranked"],
)
def test_an_incomplete_comparison_says_what_has_no_rank(order: tuple[Any, ...], missing: str) -> None:
    task = AnswerTask(Mode.COMPARE, False, NO_WORDS, (), ("a", "b", "c"))
    with pytest.raises(InputError) as refused:
        check_answer(task, AnnotatorAnswer(order=order), where="the answer")
    assert re.search(rf"\b{missing}\b.* rank", refused.value.what)
    assert "every translation" in refused.value.fix
    check_answer(task, AnnotatorAnswer(order=(("b",), ("a", "c"))), where="the answer")


def test_every_conflict_says_what_to_do() -> None:
    (found,) = conflicts(given(YES, UNSET), SHOWN, asks_antecedent=True)
    assert (found.code, found.question) == ("ana_notokens", "pronoun")
    assert "choose the highlighted words" in found.message


def test_a_bad_gap_stands_alone() -> None:
    task = AnswerTask(Mode.GAPS, False, NO_WORDS, ("il", "bad"), ())
    assert [one.code for one in warnings_of(task, AnnotatorAnswer(choices=("bad", "il")))] == [
        "gap_bad_alone"
    ]
    assert not warnings_of(task, AnnotatorAnswer(choices=("bad",)))
