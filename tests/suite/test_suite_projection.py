"""From tokens to characters and back, and from the source to a reference, on documents made by hand."""

from __future__ import annotations

import pytest

from anaphor.core import Alignment, Antecedent, LanguagePair, Span, TextPlace
from anaphor.languages import Tokenizer, load_language, load_pair, split_tokens
from anaphor.suite.build.candidates import PronounCandidate
from anaphor.suite.build.documents import AnalysedDocument, BuildDocument
from anaphor.suite.build.projection import Projection, ProjectionFailure, Projector
from anaphor.suite.texts import Locator


def document(source: tuple[str, ...], *reference: str) -> AnalysedDocument:
    sentences = tuple(map(Tokenizer(load_language("en")), source))
    made = BuildDocument("d", source, {"r": reference}, None)
    return AnalysedDocument(made, 0, Locator(source, first=0), sentences, ())


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ((Span(0, 2),), (0, [0])),  # *It* of *It's*: the token that follows without a space is another
        ((Span(2, 4),), (0, [1])),
        ((Span(0, 4), Span(5, 8)), (0, [0, 1, 2])),
        ((Span(10, 13),), (1, [0])),
        # the second span is in the next segment: its characters there are none of the first
        ((Span(0, 2), Span(16, 20)), (0, [0])),
    ],
)
def test_a_place_has_the_tokens_that_share_characters_with_it(
    place: TextPlace, expected: tuple[int, list[int]]
) -> None:
    text = document(("It's red.", "The red hats fit."))
    assert text.positions(place) == expected
    segment, positions = expected
    assert text.place(segment, positions)[0].start == place[0].start


def project(
    tags: list[str], *, head: bool = False, links: tuple[tuple[int, ...], tuple[int, ...]] = ((0, 1), (0, 2))
) -> Projection | ProjectionFailure:
    """*It sleeps dog*, with *It* at the second line of its document, in a reference of three words."""
    text = document(("Yes .", "It sleeps dog"), "Oui .", "Le vieux chien")
    antecedent = (Span(16, 19),)
    candidate = PronounCandidate(
        text, (Span(6, 8),), Antecedent(antecedent, antecedent) if head else None, {"form": "it"}
    )
    alignments = [Alignment((0, 1), (0, 1)), Alignment(*links)]
    projector = Projector(
        "r", load_pair(LanguagePair("en", "fr")), ("Oui .", "Le vieux chien"), split_tokens, alignments
    )
    return projector.project([candidate], [["X", "PUNCT"], tags])[0]


def test_an_article_that_looks_like_a_pronoun_is_not_projected() -> None:
    assert project(["DET", "ADJ", "NOUN"]) is ProjectionFailure.NO_PRONOUN
    found = project(["PRON", "ADJ", "NOUN"])
    assert isinstance(found, Projection)
    assert found.forms == ("le",)
    assert found.pair.pronoun == (Span(6, 8),)  # after the first line and its end


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        (["PRON", "ADJ", "NOUN"], (Span(15, 20),)),  # the noun alone
        (["PRON", "ADJ", "VERB"], (Span(9, 14), Span(15, 20))),  # without a noun, all content words
        (["PRON", "ADV", "PUNCT"], None),
    ],
)
def test_the_head_is_translated_by_nouns_or_else_by_other_content_words(
    tags: list[str], expected: TextPlace | None
) -> None:
    found = project(tags, head=True, links=((0, 2, 2), (0, 1, 2)))
    if expected is None:
        assert found is ProjectionFailure.NO_HEAD
    else:
        assert isinstance(found, Projection)
        assert found.pair.heads == (expected,)
