"""Alignments, language pairs, sentences and counterparts."""

from __future__ import annotations

import numpy as np
import pytest

from anaphor import core
from anaphor.core import (
    Alignment,
    Counterpart,
    Counts,
    LanguagePair,
    Link,
    OptionError,
    Repair,
    RepairKind,
    Sentence,
    Settings,
    Span,
    first_context_line,
    marked,
)

# Source 0 is linked to 3, 1 and 3 again; source 2 to 1; source 1 to nothing.
CROSSED = Alignment((0, 0, 2, 0), (3, 1, 1, 3))


@pytest.mark.parametrize(("source", "targets"), [(0, (1, 3)), (1, ()), (2, (1,)), (9, ())])
def test_targets_come_ascending_and_once(source: int, targets: tuple[int, ...]) -> None:
    assert CROSSED.targets_of(source) == targets


def test_links_keep_order_duplicates_and_doubt() -> None:
    assert list(CROSSED.links()) == [Link(0, 3), Link(0, 1), Link(2, 1), Link(0, 3)]
    doubtful = Alignment((0, 1), (0, 1), sure=(True, False), confidence=(0.9, 0.2))
    assert list(doubtful.links()) == [Link(0, 0, True, 0.9), Link(1, 1, False, 0.2)]
    assert (len(CROSSED), len(Alignment())) == (4, 0)


@pytest.mark.parametrize("text", ["en-fr", "deu-spa", "fr-en"])
def test_a_language_pair_is_read_and_printed(text: str) -> None:
    assert str(LanguagePair.parse(text)) == text


def test_a_language_pair_may_be_in_capitals() -> None:
    assert str(LanguagePair.parse("EN-De")) == "en-de"
    assert Settings.of(pair="EN-DE").pair == "en-de"
    with pytest.raises(OptionError, match="capital") as caught:
        Settings(pair="EN-DE")
    assert "en-de" in caught.value.fix


@pytest.mark.parametrize("text", ["", "en", "en_fr", "en-fr-de", "e-f", "engl-fr", "en-fr\n", " en-fr"])
def test_an_invalid_language_pair_is_refused(text: str) -> None:
    with pytest.raises(OptionError, match="not a language pair") as caught:
        LanguagePair.parse(text)
    assert str(caught.value.where) == "--pair"
    assert "en-fr" in caught.value.fix


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("en_it", "en-it"),
        ("EN/PT", "en-pt"),
        ("en-pt-br", "en-pt"),
        ("en-pt_BR", "en-pt"),
        ("en→zh", "en-zh"),
    ],
)
def test_what_people_also_write_for_a_pair_is_corrected(text: str, meant: str) -> None:
    with pytest.raises(OptionError) as caught:
        LanguagePair.parse(text)
    assert caught.value.fix.endswith(meant)
    assert ("region" in caught.value.fix) == (len(text) > len(meant))


def test_every_exported_name_can_be_loaded_and_no_other() -> None:
    assert all(getattr(core, name) is not None for name in core.__all__)
    with pytest.raises(AttributeError, match="no attribute 'Nonsense'"):
        getattr(core, "Nonsense")  # noqa: B009


def test_a_span_of_a_token_is_where_it_stands() -> None:
    sentence = Sentence("Was it?", ("Was", "it", "?"), (0, 4, 6))
    assert sentence.span(1) == Span(4, 6)
    assert sentence.text[slice(*sentence.span(1))] == "it"


def test_linked_words_are_those_before_the_repair() -> None:
    repair = Repair(RepairKind.NON_PRONOUN, (4,), ("est",), (3,), (3,), (2, 4), (1, 6))
    assert Counterpart((3,), ("il",), ("il",), repair).linked_words == ("est",)
    assert Counterpart((3,), ("il",), ("il",)).linked_words == ("il",)


def test_totals_are_the_sums_of_columns() -> None:
    counts = Counts(("right", "all"), np.array([[1.0, 2.0], [0.0, 3.0]]))
    assert counts.totals().tolist() == [1.0, 5.0]


def test_context_ends_where_its_document_begins_and_grows_with_the_antecedent() -> None:
    documents = ["a", "a", "b", "b", "b", "b", "b", "a", "a"]
    assert first_context_line(6, documents) == 3
    assert first_context_line(6, documents, [2]) == 2
    assert first_context_line(3, documents) == 2
    assert first_context_line(8, documents) == 7, "scattered documents do not bring lines of others"
    assert first_context_line(8, None, [1, 5]) == 1
    assert first_context_line(5, None, [4], least=0) == 4


def test_marks_are_brackets_around_spans() -> None:
    assert marked("It is as it was.", [Span(0, 2), Span(9, 11)]) == "[It] is as [it] was."
