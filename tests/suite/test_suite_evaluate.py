"""Candidates in, outcomes out: the examples with the package's own aligner and with links made by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from anaphor.align import AlignerChoice
from anaphor.core import (
    Alignment,
    Alternative,
    InputError,
    Item,
    LanguagePair,
    MismatchError,
    OptionError,
    ReferencePair,
    Span,
    Suite,
    UnknownNameError,
)
from anaphor.core.table import Cell
from anaphor.corpus import AlignmentFile, Text
from anaphor.suite import (
    CandidateWords,
    EvaluationOptions,
    GivenLinks,
    ItemOutcome,
    LoadedSuite,
    SuiteTexts,
    evaluate_suite,
)
from anaphor.suite.evaluate import SuiteReport
from anaphor.suite.linking import LinkedTexts, with_reference_words
from anaphor.suite.texts import ItemTokens

OPTIONS = EvaluationOptions(aligner=AlignerChoice(pair=LanguagePair("en", "fr")))
MATCH = ItemOutcome.MATCH


def text(content: str, path: str = "candidate") -> Text:
    return Text.of(content.removesuffix("\n").split("\n"), path=path)


def outcomes(report: SuiteReport, system: int = 0) -> dict[str, ItemOutcome]:
    return {one.item.id: one.outcome for one in report.systems[system].judged}


@pytest.fixture
def report(loaded: LoadedSuite, alpha: Text, beta: Text) -> SuiteReport:
    return evaluate_suite(loaded, {"alpha": alpha, "beta": beta}, OPTIONS)


def test_the_examples_of_the_papers(report: SuiteReport) -> None:
    """By reading: what each example's text says of it."""
    assert outcomes(report, 0) == {
        "bicycle": MATCH,
        "war": ItemOutcome.PRONOUN_DIFFERS,
        "rain": MATCH,
        "firms": MATCH,  # example 8
        "funeral": MATCH,  # example 12, the second reference
        "clips": ItemOutcome.AGREES,  # right, but not the reference's words
        "taxes": MATCH,
    }
    assert outcomes(report, 1) == {
        "bicycle": ItemOutcome.AGREES,  # example 5: right, and referred to people
        "war": MATCH,
        "rain": MATCH,
        "firms": ItemOutcome.PRONOUN_DIFFERS,  # example 9
        "funeral": ItemOutcome.CROSSED,
        "clips": ItemOutcome.PRONOUN_DIFFERS,
        "taxes": ItemOutcome.PRONOUN_DIFFERS,
    }


def test_a_match_names_the_reference_that_it_agrees_with(report: SuiteReport) -> None:
    origins = {one.item.id: one.origin for one in report.systems[0].judged}
    assert origins["funeral"] == "second"
    assert origins["firms"] == "human"
    assert origins["clips"] is None


def test_the_changes_between_the_two_systems(report: SuiteReport) -> None:
    (one,) = report.changes
    assert [item.id for item in one.won] == ["war"]
    assert [item.id for item in one.lost] == ["bicycle", "firms", "funeral", "taxes"]


@pytest.mark.parametrize(("p", "mark"), [(0.049, "↓"), (0.051, "")])
def test_an_arrow_in_the_table_for_a_paper_means_significance(
    report: SuiteReport, p: float, mark: str
) -> None:
    (comparison,) = report.comparisons
    worse = replace(comparison, difference=-0.4, p_adjusted=p)
    *_, total = replace(report, comparisons=(worse,)).paper_table().rows
    cells = [cell for cell in total if isinstance(cell, Cell)]
    assert [cell.mark for cell in cells] == ["", mark]


def test_an_approved_pair_turns_a_mismatch_into_a_match(loaded: LoadedSuite, alpha: Text) -> None:
    approved = Alternative("ils", ("extraits",), "A. Judge", "2026-01-02")
    items = tuple(
        replace(item, alternatives=(approved,)) if item.id == "clips" else item for item in loaded.suite.items
    )
    grown = LoadedSuite(replace(loaded.suite, items=items), loaded.texts)
    candidates = {"alpha": alpha}
    assert outcomes(evaluate_suite(grown, candidates, OPTIONS))["clips"] is MATCH
    strict = evaluate_suite(grown, candidates, replace(OPTIONS, alternatives=False))
    assert outcomes(strict)["clips"] is ItemOutcome.AGREES
    assert strict.signature.as_dict()["accepted"] == "references"


@pytest.mark.filterwarnings("ignore:candidate own. blank lines")  # the second reference has one document
@pytest.mark.parametrize("reference", ["human", "second"])
def test_every_reference_gets_full_marks_as_a_candidate(loaded: LoadedSuite, reference: str) -> None:
    lines = [line or "" for line in loaded.texts.lines(reference)]
    report = evaluate_suite(loaded, {"own": Text.of(lines, path="own")}, OPTIONS)
    names = {item.id: {pair.reference for pair in item.references} for item in loaded.suite.items}
    own = {item for item, references in names.items() if reference in references}
    assert own
    assert {name for name, outcome in outcomes(report).items() if outcome is MATCH} >= own


SMALL = {
    "one": {
        "source": "Don't touch {i.s:the {i.h:lamp}}!\n{i.p:It} isn't cold.",
        "human": "Ne touche pas la {i.h:lampe} !\n{i.p:Elle} n'est pas froide.",
    }
}


LinkedReport = Callable[..., SuiteReport]


@pytest.fixture
def small(make: Callable[..., LoadedSuite]) -> LinkedReport:
    """Evaluates the small suite with the user's own tokens and links."""
    loaded = make(SMALL, {"i": "anaphoric_inter_subject_it"})
    return lambda **parts: small_links(loaded, **parts)


def small_links(loaded: LoadedSuite, *, source: list[str], candidate: str, links: list[str]) -> SuiteReport:
    pairs = [[tuple(map(int, point.split("-"))) for point in line.split()] for line in links]
    alignments = AlignmentFile.made(
        [Alignment(tuple(s for s, _ in line), tuple(t for _, t in line)) for line in pairs], path="a.align"
    )
    given = GivenLinks(Text.of(source, path="tok.en"), {"own": alignments})
    return evaluate_suite(loaded, {"own": text(candidate)}, OPTIONS, links=given)


def test_links_count_in_the_tokens_that_the_user_brings(small: LinkedReport) -> None:
    """By hand: the lamp is token 4 of one tokenisation and, with its mark, token 3 of the other."""
    candidate = "Ne touche pas la lampe !\nElle n' est pas froide ."
    fine = small(
        source=["Do n't touch the lamp !", "It is n't cold ."], candidate=candidate, links=["4-4", "0-0"]
    )
    coarse = small(
        source=["Don't touch the lamp!", "It isn't cold."], candidate=candidate, links=["3-4", "0-0"]
    )
    assert outcomes(fine) == outcomes(coarse) == {"i": MATCH}


def test_given_links_are_followed_even_where_they_are_wrong(small: LinkedReport) -> None:
    report = small(
        source=["Do n't touch the lamp !", "It is n't cold ."],
        candidate="Ne touche pas la lampe !\nElle n'est pas froide.",
        links=["4-0", "0-0"],
    )
    assert outcomes(report) == {"i": ItemOutcome.HEAD_DIFFERS}
    assert report.signature.as_dict()["links"] == "given"
    assert report.systems[0].links is not None


def test_a_source_that_was_changed_is_refused(small: LinkedReport) -> None:
    with pytest.raises(MismatchError, match="more than white space") as caught:
        small(source=["Do not touch the lamp !", "It is n't cold ."], candidate="a\nb", links=["", ""])
    assert str(caught.value.where) == "tok.en:1"


def test_a_link_outside_its_sentence_is_refused(small: LinkedReport) -> None:
    with pytest.raises(InputError, match="link 0-1 points outside") as caught:
        small(source=["Do n't touch the lamp !", "It is n't cold ."], candidate="a\nb", links=["", "0-1"])
    assert str(caught.value.where) == "a.align:2:1"


def test_a_candidate_of_another_length_is_refused(loaded: LoadedSuite, alpha: Text) -> None:
    short = Text.of(alpha.lines[:9], path="short.fr")
    with pytest.raises(MismatchError, match=r"9 lines.* has 10") as caught:
        evaluate_suite(loaded, {"short": short}, OPTIONS)
    assert str(caught.value.where) == "short.fr:10"


def test_nothing_to_judge_is_refused(loaded: LoadedSuite, alpha: Text) -> None:
    with pytest.raises(OptionError, match="no candidate"):
        evaluate_suite(loaded, {}, OPTIONS)
    empty = LoadedSuite(replace(loaded.suite, items=()), loaded.texts)
    with pytest.raises(InputError, match="no items"):
        evaluate_suite(empty, {"alpha": alpha}, OPTIONS)


def test_a_language_without_a_tokeniser_needs_tokenised_texts(make: Callable[..., LoadedSuite]) -> None:
    document = {"source": "{i.p:It} rains .", "human": "{i.p:Ono} prší ."}
    loaded = make({"one": document}, {"i": "pleonastic_it"}, pair="en-sk")
    options = EvaluationOptions(aligner=AlignerChoice(pair=loaded.suite.pair, priors="none"))
    candidates = {"a": text("Ono prší .")}
    with pytest.raises(UnknownNameError, match="no tokenizer for the language sk"):
        evaluate_suite(loaded, candidates, options)
    report = evaluate_suite(loaded, candidates, replace(options, tokenized=True))
    assert outcomes(report) == {"i": MATCH}


def test_where_several_references_have_the_line_the_words_are_those_of_the_first() -> None:
    line = "il pleut ce"
    places = {"a": (Span(0, 2),), "b": (Span(9, 11),)}
    item = Item(
        "i", "d", "c", (Span(0, 2),), (), tuple(ReferencePair(name, at) for name, at in places.items())
    )
    texts = SuiteTexts(
        {"d": Text.of(["It rains"], path="d")}, {name: {"d": Text.of([line], path=name)} for name in places}
    )
    suite = Suite("s", "1", LanguagePair("en", "fr"), "x", "", (), (), (item,))
    loaded, linked = LoadedSuite(suite, texts), [CandidateWords(("pleut",))]
    assert with_reference_words(loaded, Text.of([line], path="x"), linked) == [CandidateWords(("il",))]
    assert with_reference_words(loaded, Text.of(["il pleut"], path="x"), linked) == linked


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["Oui , il pleut", "Il pleut"], "Il"),
        (["Oui", "Il pleut"], "pleut"),
        (["Oui , il pleut", "Il"], "pleut"),
    ],
)
def test_the_lines_of_both_the_source_and_the_reference_must_be_equal(
    lines: list[str], expected: str
) -> None:
    """The pronoun is in the first line of the source, and its translation in the second of the reference."""
    item = Item("i", "d", "c", (Span(5, 7),), (), (ReferencePair("a", (Span(15, 17),)),))
    texts = SuiteTexts(
        {"d": Text.of(["Yes, it rains", "It does"], path="d")},
        {"a": {"d": Text.of(["Oui , il pleut", "Il pleut"], path="a")}},
    )
    loaded = LoadedSuite(Suite("s", "1", LanguagePair("en", "fr"), "x", "", (), (), (item,)), texts)
    found = with_reference_words(loaded, Text.of(lines, path="x"), [CandidateWords(("pleut",))])
    assert found == [CandidateWords((expected,))]


def test_linked_words_come_in_the_order_of_the_candidate_each_once() -> None:
    links = AlignmentFile.made([Alignment((0, 0, 1), (2, 0, 2))], path="links")
    items = [ItemTokens(((0, 0), (0, 1)), (((0, 1),),))]
    texts = LinkedTexts([["it", "is"]], tuple(items), {"x": [["a", "b", "c"]]}, {"x": links})
    assert texts.words("x") == [CandidateWords(("a", "c"), (("c",),))]
