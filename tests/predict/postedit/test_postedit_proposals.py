"""From answers to proposals, warnings and hints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from anaphor.core import OptionError
from anaphor.predict.postedit import (
    LinkedText,
    Occurrence,
    OccurrencePrediction,
    Proposer,
    apply_proposals,
    unlikely,
)
from anaphor.predict.postedit.agreement import AgreementFeatures, inflected

Mark = Callable[..., Occurrence]
MakeAnswer = Callable[[Occurrence, str, float], OccurrencePrediction]
MakeText = Callable[..., LinkedText]


def test_a_pronoun_as_probable_as_the_threshold_is_proposed(
    mark: Mark, answer: MakeAnswer, text_of: MakeText
) -> None:
    occurrence = mark("[Il] est arrivé.")
    proposer = Proposer(text_of(occurrence, "La lettre est ici."))
    given = answer(occurrence, "elle", 0.9)
    (proposal,) = proposer.propose([given], threshold=0.9).applied
    assert (proposal.new, proposal.probability) == ("Elle", 0.9)
    assert proposal.warnings == ("agreement: arrivé -> arrivée?",)
    assert not proposer.propose([given], threshold=0.91).applied


def test_the_nearest_noun_that_agrees_is_named(mark: Mark, answer: MakeAnswer, text_of: MakeText) -> None:
    occurrence = mark("[Il] marche encore.", segment=1)
    proposer = Proposer(text_of(occurrence, "La lampe est dans le jardin."))
    (proposal,) = proposer.propose([answer(occurrence, "elle", 0.95)], threshold=0.9).applied
    assert proposal.noun is not None
    assert (proposal.noun.segment, proposal.noun.word) == (0, "lampe")


def test_other_is_never_proposed(mark: Mark, text_of: MakeText) -> None:
    occurrence = mark("[Il] dort.")
    found = OccurrencePrediction(occurrence, {"OTHER": 0.97, "elle": 0.02, "il": 0.01})
    assert not Proposer(text_of(occurrence)).propose([found], threshold=0.5).applied


def test_ungrammatical_pronouns_are_held_back_with_the_reason(
    mark: Mark, answer: MakeAnswer, text_of: MakeText
) -> None:
    occurrence = mark("[Il] marche.")
    found = Proposer(text_of(occurrence)).propose([answer(occurrence, "ce", 0.95)], threshold=0.9)
    assert not found.applied
    assert [one.reason for one in found.withheld] == ["ce is only the subject of être"]


def test_an_object_is_not_replaced_by_a_subject(mark: Mark, answer: MakeAnswer, text_of: MakeText) -> None:
    occurrence = mark("Nous savons [cela].")
    found = Proposer(text_of(occurrence)).propose([answer(occurrence, "il", 0.95)], threshold=0.9)
    assert [one.reason for one in found.withheld] == ["cela may not be a subject"]


@pytest.mark.parametrize(
    ("pair", "line", "source", "label", "warnings"),
    [
        ("en-fr", "[Il] dort ici.", "they", "ils", ("the number changes to plural: dort?",)),
        ("en-fr", "[Ils] dorment ici.", "it", "elle", ("the number changes to singular: dorment?",)),
        ("en-fr", "[Il] dort ici.", "it", "elle", ()),
        ("en-fr", "[Ils] sont très contents.", "they", "elles", ("agreement: contents -> contentes?",)),
        ("en-fr", "[Ils] ont été trouvés.", "they", "elles", ("agreement: trouvés -> trouvées?",)),
        ("en-fr", "[Ils] sont à nous.", "they", "ce", ()),
        ("en-fr", "[Ce] sont eux.", "they", "cela", ("the number changes to singular: sont?",)),
        ("en-fr", "[C']est bien.", "they", "ils", ("the number changes to plural: est?",)),
        ("en-de", "[Es] schläft hier.", "they", "sie", ("the number changes to plural: schläft?",)),
        ("en-de", "[Es] schläft hier.", "it", "sie", ()),
        ("en-de", "[Sie] schlafen hier.", "they", "es", ("the number changes to singular: schlafen?",)),
    ],
)
def test_words_that_may_have_to_agree_are_named(
    mark: Mark,
    answer: MakeAnswer,
    text_of: MakeText,
    pair: str,
    line: str,
    source: str,
    label: str,
    warnings: tuple[str, ...],
) -> None:
    occurrence = mark(line, pair=pair, source=source)
    found = Proposer(text_of(occurrence, pair=pair)).propose([answer(occurrence, label, 0.95)], threshold=0.9)
    assert [one.warnings for one in found.applied] == [warnings]


@pytest.mark.parametrize(
    ("word", "plural", "gender", "expected"),
    [
        ("arrivé", False, "f", "arrivée"),
        ("arrivée", True, "m", "arrivés"),
        ("heureux", False, "f", "heureuse"),
        ("active", False, "m", "actif"),
        ("cher", True, "f", "chères"),
        ("rouge", False, "m", "rouge"),
        ("heureux", True, "m", "heureux"),
        ("finies", False, "m", "fini"),
    ],
)
def test_an_adjective_is_guessed_by_its_ending(word: str, plural: bool, gender: str, expected: str) -> None:
    assert inflected(word, AgreementFeatures(plural, gender)) == expected


def test_edits_of_one_line_do_not_move_each_other(mark: Mark, answer: MakeAnswer, text_of: MakeText) -> None:
    first = mark("[Il] dit qu'il dort et il ment.")
    last = mark("Il dit qu'il dort et [il] ment.")
    text = text_of(first)
    found = Proposer(text).propose([answer(first, "elle", 0.95), answer(last, "elle", 0.95)], threshold=0.9)
    assert apply_proposals([first.sentence.text], found.applied) == ["Elle dit qu'il dort et elle ment."]


@pytest.mark.parametrize("threshold", [0.0, 1.1, -1.0, float("nan")])
def test_a_threshold_is_a_probability(mark: Mark, text_of: MakeText, threshold: float) -> None:
    with pytest.raises(OptionError, match="threshold must be"):
        Proposer(text_of(mark("[Il] dort."))).propose([], threshold=threshold)


def test_a_pronoun_below_the_limit_is_a_hint(mark: Mark) -> None:
    occurrence = mark("[Il] dort.")
    found = OccurrencePrediction(occurrence, {"OTHER": 0.9, "elle": 0.06, "il": 0.04})
    (hint,) = unlikely([found], below=0.05)
    assert (hint.probability, hint.likelier, hint.likelier_probability) == (0.04, "OTHER", 0.9)
    assert not unlikely([found], below=0.04)
    with pytest.raises(OptionError, match="the limit must be between 0 and 1"):
        unlikely([found], below=1.0)


@pytest.mark.parametrize(
    ("before", "line", "expected"),
    [
        (["La lampe est ici.", "Bien.", "Bien."], "[Il] marche.", (0, "lampe")),  # three lines back
        (["La lampe est ici.", "Bien.", "Bien.", "Bien."], "[Il] marche.", None),  # four are too many
        (["La lampe est ici."], "La table et [il] marche.", (1, "table")),  # the same line comes first
        (["La lampe est ici."], "[Il] voit la table.", (0, "lampe")),  # never a noun after the pronoun
        (["La lampe et la table."], "[Il] marche.", (0, "table")),  # the last of a line is the nearest
        (["Les lampes sont ici."], "[Il] marche.", None),  # the number must agree, too
    ],
)
def test_the_agreeing_noun_is_the_nearest_before_the_pronoun(
    mark: Mark,
    answer: MakeAnswer,
    text_of: MakeText,
    before: list[str],
    line: str,
    expected: tuple[int, str] | None,
) -> None:
    occurrence = mark(line, segment=len(before))
    proposer = Proposer(text_of(occurrence, *before))
    (proposal,) = proposer.propose([answer(occurrence, "elle", 0.95)], threshold=0.9).applied
    noun = proposal.noun
    assert (None if noun is None else (noun.segment, noun.word)) == expected


def test_a_noun_of_another_document_does_not_agree(mark: Mark, answer: MakeAnswer, text_of: MakeText) -> None:
    occurrence = mark("[Il] marche.", segment=1)
    text = replace(text_of(occurrence, "La lampe est ici."), documents=("a", "b"))
    (proposal,) = Proposer(text).propose([answer(occurrence, "elle", 0.95)], threshold=0.9).applied
    assert proposal.noun is None


def test_hints_name_the_most_probable_other_class(mark: Mark) -> None:
    occurrence = mark("[Il] dort.")
    even = OccurrencePrediction(occurrence, {"il": 0.04, "OTHER": 0.03, "elle": 0.03})
    (hint,) = unlikely([even], below=0.05)
    assert (hint.likelier, hint.likelier_probability) == ("OTHER", 0.03)
