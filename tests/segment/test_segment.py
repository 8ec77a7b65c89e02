"""Cutting documents: nothing is lost, and simple documents are cut where they were joined."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphor.align.vocabulary import load_packs
from anaphor.core import LanguagePair, MismatchError, OptionError
from anaphor.engine import native
from anaphor.segment import Segmentation, segment_document, segment_documents
from anaphor.segment.encode import edge_table, sides_of
from anaphor.segment.model import default_model, lexicon_of
from anaphor.segment.search import Search, search

SOURCE = [
    "The cat sat on the mat.",
    "It was happy with the new house.",
    "Then they left the city in the morning.",
    "In 2019 the president of France spoke to the European Parliament about the war.",
]
TARGET = [
    "Die Katze saß auf der Matte.",
    "Sie war mit dem neuen Haus glücklich.",
    "Dann verließen sie am Morgen die Stadt.",
    "Im Jahr 2019 sprach der Präsident von Frankreich vor dem Europäischen Parlament über den Krieg.",
]


def assert_whole(found: Segmentation, segments: int) -> None:
    """Stretches and additions are the whole text, each character once."""
    assert len(found.stretches) == segments
    assert len(found.boundaries) == max(segments - 1, 0)
    at = 0
    for span, _ in found.pieces:
        assert span.start == at
        at = span.end
    assert at == len(found.text)
    assert all(0 <= boundary.confidence <= 1 for boundary in found.boundaries)
    empty = {i for i, span in enumerate(found.stretches) if span.start == span.end}
    assert {omission.segment for omission in found.omissions} <= empty


@pytest.mark.parametrize("joiner", [" ", "\n", "\n\n", "  "])
def test_a_joined_document_is_cut_where_it_was_joined(joiner: str) -> None:
    found = segment_document(SOURCE, joiner.join(TARGET), "en-de")
    assert found.segments == tuple(TARGET)
    assert not found.omissions
    assert not found.additions
    assert all(boundary.confidence > 0.9 for boundary in found.boundaries)


_SCRAPS = st.sampled_from([*TARGET, *SOURCE, " ", "\n", ".", "“", "2019", "\u3042\u308a", "\u00a0", "x" * 50])
_TEXTS = st.one_of(st.text(max_size=80), st.lists(_SCRAPS, max_size=8).map("".join))


@given(st.lists(st.one_of(st.sampled_from(SOURCE), st.text(max_size=20)), max_size=6), _TEXTS)
def test_no_character_is_lost(source: list[str], text: str) -> None:
    assert_whole(segment_document(source, text, "en-de"), len(source))


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ([], ""),
        ([], "Niemand fragte."),
        (SOURCE, ""),
        (SOURCE, " \n\t "),
        (["", "", ""], "Wort"),
        (SOURCE, "x" * 50_000),
        (SOURCE, "猫は帽子の上に座った。" * 50),
        (SOURCE, "Wort " * 2000),
        (SOURCE * 40, "Die Katze."),
        (SOURCE, "Ο γάτος κάθισε στο χαλί. Ήταν ευτυχισμένος."),
    ],
)
def test_odd_documents_have_a_result(source: list[str], text: str) -> None:
    assert_whole(segment_document(source, text, "en-de"), len(source))


def test_documents_share_a_vocabulary() -> None:
    documents = [(SOURCE[:2], " ".join(TARGET[:2])), (SOURCE[2:], " ".join(TARGET[2:]))]
    assert [found.segments for found in segment_documents(documents, "en-de")] == [
        tuple(TARGET[:2]),
        tuple(TARGET[2:]),
    ]


def test_threads_make_no_difference() -> None:
    documents = [(SOURCE[i:], " ".join(TARGET[i:])) for i in range(3)] * 5
    assert segment_documents(documents, "en-de", threads=4) == segment_documents(documents, "en-de")


def test_there_is_at_least_one_thread() -> None:
    with pytest.raises(OptionError, match="0 threads"):
        segment_documents([(SOURCE, " ".join(TARGET))], "en-de", threads=0)


def test_a_deleted_sentence_is_an_omission() -> None:
    for missing in range(4):
        kept = [line for k, line in enumerate(TARGET) if k != missing]
        found = segment_document(SOURCE, " ".join(kept), "en-de")
        assert [omission.segment for omission in found.omissions] == [missing]
        assert not found.additions
        assert [line for line in found.segments if line] == kept


def test_a_sentence_that_stands_twice_is_a_repetition() -> None:
    found = segment_document(SOURCE, " ".join([*TARGET[:2], *TARGET[1:]]), "en-de")
    assert [addition.repeats for addition in found.additions] == [1]
    assert found.segments == tuple(TARGET)


def test_swapped_sentences_are_moved() -> None:
    text = " ".join([TARGET[0], TARGET[3], *TARGET[1:3]])
    found = segment_document(SOURCE, text, "en-de")
    assert [move.segment for move in found.moves] == [3]
    assert found.segments == tuple(TARGET)
    assert_whole(found, len(SOURCE))


def test_chatter_is_an_addition() -> None:
    chatter = "Hier ist der gewünschte Text in deutscher Sprache, wie du ihn haben wolltest:\n\n"
    found = segment_document(SOURCE, chatter + "\n".join(TARGET), "en-de")
    assert found.segments == tuple(TARGET)
    assert [found.text[addition.span.start : addition.span.end] for addition in found.additions] == [chatter]


def test_an_unsure_boundary_has_a_second_place() -> None:
    source = ["New train to London", "Green car is fast"]
    found = segment_document(source, "Neuer Zug nach London Neu Grün Auto ist schnell", "en-de")
    boundary = found.boundaries[0]
    assert boundary.second is not None
    assert boundary.second != boundary.position
    assert boundary.confidence + boundary.second_confidence <= 1.001
    assert found.second is not None
    assert found.second[0].end == found.second[1].start == boundary.second
    assert "".join(found.text[start:end] for start, end in found.second) == found.text


def test_languages_without_a_prior_are_cut_by_length_and_punctuation() -> None:
    target = [
        "Kissa istui matolla.",
        "Se oli iloinen uudesta talosta.",
        "Sitten he lähtivät kaupungista aamulla.",
    ]
    found = segment_document(SOURCE[:3], " ".join(target), "en-fi")
    assert found.segments == tuple(target)


def test_text_without_spaces_is_cut_between_characters() -> None:
    target = ["猫がマットの上に座った。", "新しい家に満足していた。", "そして朝、彼らは町を出た。"]
    assert segment_document(SOURCE[:3], "".join(target), "en-ja").segments == tuple(target)


@pytest.mark.skipif(native is None, reason="nothing to compare: the extension is not compiled")
def test_both_engines_find_the_same_cuts(monkeypatch: pytest.MonkeyPatch) -> None:
    documents = [
        (SOURCE, " ".join(TARGET)),
        (SOURCE * 3, " ".join([*TARGET, *TARGET[2:], TARGET[1], *TARGET[:3]])),
        (SOURCE[:2], "x" * 100),
        (SOURCE, "Wort " * 300),
    ]
    fast = segment_documents(documents, "en-de")
    monkeypatch.setattr("anaphor.segment.search.native", None)
    for one, other in zip(fast, segment_documents(documents, "en-de"), strict=True):
        assert one.pieces == other.pieces
        for mine, reference in zip(one.boundaries, other.boundaries, strict=True):
            assert mine.confidence == pytest.approx(reference.confidence, abs=1e-3)
        for omission, same in zip(one.omissions, other.omissions, strict=True):
            assert omission.confidence == pytest.approx(same.confidence, abs=1e-3)


def test_a_reference_helps_where_there_is_no_prior() -> None:
    source = ["one two three four", "five six seven eight"]
    reference = ["eins zwei drei vier", "fünf sechs sieben acht"]
    text = "eins zwei drei fünf sechs sieben acht"
    assert segment_document(source, text, "en-de", priors="none", reference=reference).segments == (
        "eins zwei drei",
        "fünf sechs sieben acht",
    )
    with pytest.raises(MismatchError, match="the reference has 1 segments, the source 2"):
        segment_document(source, text, "en-de", reference=reference[:1])


def test_without_priors_words_are_not_associated() -> None:
    source, text = ["The dog sleeps", "The house is large"], "Der Hund schläft das Haus ist groß"
    with_priors = segment_document(source, text, "en-de")
    without = segment_document(source, text, "en-de", priors="none")
    assert with_priors.segments == ("Der Hund schläft", "das Haus ist groß")
    assert without.boundaries[0].confidence < with_priors.boundaries[0].confidence


@pytest.mark.slow  # a document must have thousands of segments to be cut in blocks
@pytest.mark.skipif(native is None, reason="the extension is not compiled")
def test_a_long_document_is_cut_like_a_short_one() -> None:
    """Above 4,096 segments states are kept in blocks, and made again between them."""
    count = 4100
    source = [f"Number {n} is here." for n in range(count)]
    target = [f"Nummer {n} ist hier." for n in range(count)]
    found = segment_document(source, " ".join(target), "en-de")
    assert found.segments == tuple(target)
    assert all(one.position < other.position for one, other in pairwise(found.boundaries))


def test_the_language_says_which_words_end_and_begin_sentences() -> None:
    table = edge_table("de")
    assert table["der"][0] < -3
    assert all(len(edge_table(language)) > 1000 for language in ("en", "es", "fr"))
    assert edge_table("fi") == {}


def test_arrays_that_do_not_belong_together_are_refused() -> None:
    if native is None:
        pytest.skip("the extension is not compiled")
    source, target = sides_of(load_packs(LanguagePair("en", "de")), "en", "de")
    segments, tokens = source.encode_segments(SOURCE), target.encode(" ".join(TARGET))
    lexicon, _ = lexicon_of(None, source.number, target.number)
    plan = Search(segments, tokens, lexicon, default_model(), 1.0)
    assert len(search(plan).start) == len(SOURCE)
    wrong: dict[str, Any] = {
        "words": tokens.words + 1000,
        "kinds": tokens.kinds[:-1],
        "length": tokens.length[::-1].copy(),
        "final": np.full_like(tokens.final, np.nan),
    }
    for field, value in wrong.items():
        plan.tokens = replace(tokens, **{field: value})
        with pytest.raises(ValueError, match=r"range|lengths|descend|finite"):
            search(plan)
