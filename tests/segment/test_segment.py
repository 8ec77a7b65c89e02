"""Cutting documents: nothing is lost, and simple documents are cut where they were joined."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphor.segment import Segmentation, segment_document, segment_documents

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
