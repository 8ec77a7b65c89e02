"""Agreement with the candidate's own antecedent: on words alone, and in a whole evaluation."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from anaphor.align import AlignerChoice
from anaphor.core import Item, LanguagePair, Span
from anaphor.corpus import Text
from anaphor.suite import (
    AntecedentAgreement,
    CandidateWords,
    EvaluationOptions,
    ItemOutcome,
    LoadedSuite,
    SuiteReport,
    evaluate_suite,
)
from anaphor.suite.outcomes import AgreementChecker, ItemJudge, OverlapMatcher

AGREES, DISAGREES, UNKNOWN = (
    AntecedentAgreement.AGREES,
    AntecedentAgreement.DISAGREES,
    AntecedentAgreement.UNKNOWN,
)


def answer(target: str, pronoun: str, *heads: str, number: str | None = None) -> AntecedentAgreement:
    pair = LanguagePair("en", target)
    features = {} if number is None else {"number": number}
    item = Item("x", "d", "c", (Span(0, 2),), features=features)
    checker = AgreementChecker(pair, OverlapMatcher(pair))
    return checker.check(
        item, CandidateWords(tuple(pronoun.split()), tuple(tuple(head.split()) for head in heads))
    )


@pytest.mark.parametrize(
    ("pronoun", "head", "expected"),
    [
        # guillou-hardmeier-2018, section 6, and protest-2016, examples 3 to 9
        ("Elle", "bicyclette", AGREES),
        ("Il", "bicyclette", DISAGREES),
        ("elles", "sociétés", AGREES),
        ("ils", "sociétés", DISAGREES),
        ("ils", "extraits", AGREES),
        ("elles", "extraits", DISAGREES),
        # number alone
        ("elle", "vidéos", DISAGREES),
        ("les", "vidéos", AGREES),
        ("l'", "bicyclette", AGREES),
        ("a-t-elle", "bicyclette", AGREES),
        # pronouns for no noun, no pronoun, two pronouns, no head, no word that is known
        ("cela", "bicyclette", UNKNOWN),
        ("on", "bicyclette", UNKNOWN),
        ("y", "bicyclette", UNKNOWN),
        ("est", "bicyclette", UNKNOWN),
        ("", "bicyclette", UNKNOWN),
        ("il elle", "bicyclette", UNKNOWN),
        ("elle", "", UNKNOWN),
        ("elle", "www", UNKNOWN),
        # a form for both genders: only its article decides
        ("elle", "élève", UNKNOWN),
        ("elle", "une élève", AGREES),
        ("il", "une élève", DISAGREES),
    ],
)
def test_french_pronoun_and_noun(pronoun: str, head: str, expected: AntecedentAgreement) -> None:
    assert answer("fr", pronoun, head) is expected


@pytest.mark.parametrize(
    ("target", "pronoun", "head", "number", "expected"),
    [
        ("de", "es", "Boot", "singular", AGREES),
        ("de", "er", "Boot", "singular", DISAGREES),
        ("de", "ihn", "Plan", None, AGREES),
        ("de", "ihm", "Boot", None, AGREES),
        ("de", "sie", "Lampe", "singular", AGREES),
        ("de", "sie", "Boote", "plural", AGREES),
        ("de", "ihnen", "Boote", "plural", AGREES),
        ("de", "es", "Boote", "plural", DISAGREES),
        # the same form in both numbers: the source decides, else nobody
        ("de", "er", "Computer", "singular", AGREES),
        ("de", "sie", "Computer", "plural", AGREES),
        ("de", "er", "Computer", None, UNKNOWN),
        ("de", "es", "Computer", None, DISAGREES),
        # what has no capital is no noun, however it ends
        ("de", "es", "bewacht", "singular", UNKNOWN),
        ("es", "ella", "bicicleta", "singular", AGREES),
        ("es", "ellos", "corporaciones", "plural", DISAGREES),
        ("es", "la", "mano", "singular", AGREES),
        ("es", "él", "problema", "singular", AGREES),
        ("es", "eso", "problema", "singular", UNKNOWN),
    ],
)
def test_german_and_spanish(
    target: str, pronoun: str, head: str, number: str | None, expected: AntecedentAgreement
) -> None:
    assert answer(target, pronoun, head, number=number) is expected


@pytest.mark.parametrize(
    ("target", "pronoun", "heads", "expected"),
    [
        ("fr", "ils", ("voiture", "camion"), AGREES),
        ("fr", "elles", ("voiture", "camion"), DISAGREES),
        ("fr", "elles", ("voiture", "bicyclette"), AGREES),
        ("fr", "elle", ("voiture", "bicyclette"), DISAGREES),
        ("fr", "elles", ("voiture", "élève"), UNKNOWN),
        ("fr", "elles", ("voiture", "www"), UNKNOWN),
        ("de", "sie", ("Lampe", "Boot"), AGREES),
        ("de", "es", ("Lampe", "Boot"), DISAGREES),
    ],
)
def test_several_antecedents_are_plural_and_masculine_if_one_is(
    target: str, pronoun: str, heads: tuple[str, ...], expected: AntecedentAgreement
) -> None:
    assert answer(target, pronoun, *heads) is expected


@pytest.mark.parametrize(("pair", "agreement"), [("en-fr", DISAGREES), ("en-fi", None)])
def test_agreement_is_not_checked_in_a_language_without_known_nouns(
    make: Callable[..., LoadedSuite], pair: str, agreement: AntecedentAgreement | None
) -> None:
    documents = {"d": {"source": "A {i.h:boat}. {i.p:It}.", "human": "Un {i.h:bateau}. {i.p:Il}."}}
    loaded = make(documents, {"i": "anaphoric_intra_they"}, pair=pair)
    (judged,) = ItemJudge(loaded, alternatives=False).judge([CandidateWords(("Il",), (("barque",),))])
    assert (judged.outcome, judged.agreement) == (ItemOutcome.HEAD_DIFFERS, agreement)


@pytest.fixture
def report(loaded: LoadedSuite, alpha: Text, beta: Text) -> SuiteReport:
    options = EvaluationOptions(aligner=AlignerChoice(pair=LanguagePair("en", "fr")))
    return evaluate_suite(loaded, {"alpha": alpha, "beta": beta}, options)


def test_agreement_is_checked_only_for_items_with_another_antecedent(report: SuiteReport) -> None:
    asked = [{one.item.id for one in system.judged if one.agreement is not None} for system in report.systems]
    assert asked == [{"clips"}, {"bicycle"}]


def test_agreement_is_shown_beside_the_matches_and_not_counted_as_one(report: SuiteReport) -> None:
    """Hand count: clips in alpha (ces extraits ... ils), bicycle in beta (une bicyclette ... elle)."""
    totals = [system.category_scores[-1] for system in report.systems]
    assert [(one.right, one.agreeing) for one in totals] == [(5, 1), (2, 1)]
    assert "bicycle" in [item.id for item in report.changes[0].lost]


def test_a_pronoun_that_does_not_agree_stays_the_mismatch_that_it_is(loaded: LoadedSuite, beta: Text) -> None:
    wrong = Text.of([beta.lines[0], "Il est rouge.", *beta.lines[2:]], path="wrong.fr")
    options = EvaluationOptions(aligner=AlignerChoice(pair=LanguagePair("en", "fr")))
    (system,) = evaluate_suite(loaded, {"wrong": wrong}, options).systems
    found = {one.item.id: (one.outcome, one.agreement) for one in system.judged}
    assert found["bicycle"] == (ItemOutcome.HEAD_DIFFERS, DISAGREES)


def test_a_target_language_without_nouns_is_evaluated_all_the_same(
    make: Callable[..., LoadedSuite],
) -> None:
    documents = {
        "bicycle": {
            "source": "I own a {bicycle.h:bicycle} .\n{bicycle.p:It} is red .",
            "human": "Omistan {bicycle.h:pyörän} .\n{bicycle.p:Se} on punainen .",
        }
    }
    loaded = make(documents, {"bicycle": "anaphoric_inter_subject_it"}, pair="en-fi")
    options = EvaluationOptions(
        aligner=AlignerChoice(pair=LanguagePair("en", "fi"), priors="none"), tokenized=True
    )
    candidate = Text.of(["Omistan auton .", "Se on punainen ."], path="own.fi")
    (system,) = evaluate_suite(loaded, {"own": candidate}, options).systems
    assert system.judged[0].agreement is None
