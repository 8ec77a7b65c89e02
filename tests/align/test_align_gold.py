"""Readers of gold alignments: what they accept and where they point when they refuse."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from anaphor.align.gold import (
    GoldAlignment,
    read_gold,
    read_hansards,
    read_pronoun_links,
    read_xlwa,
)
from anaphor.core import InputError, LanguagePair, MismatchError, UnknownNameError, UserError


def write(folder: Path, name: str, content: str) -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


def gold(sure: set[tuple[int, int]], possible: set[tuple[int, int]]) -> GoldAlignment:
    return GoldAlignment(frozenset(sure), frozenset(sure | possible))


ITEM: dict[str, Any] = {
    "id": "a.1",
    "pair": "en-fr",
    "source": ["So", "It", "works"],
    "pronoun": 1,
    "target": ["ça", "y", "marche"],
    "sure": [0],
    "possible": [1],
    "function": "event",
}


@pytest.mark.parametrize(
    ("layout", "content", "expected"),
    [
        ("pharaoh", "0-0 1?2 2p1\n", [gold({(0, 0)}, {(1, 2), (2, 1)})]),
        ("pharaoh", "\n0-0\n", [gold(set(), set()), gold({(0, 0)}, set())]),
        ("pharaoh", "0-0  0-0 0p0 \n", [gold({(0, 0)}, set())]),
        ("hansards", "2-1 1p3\n", [gold({(1, 0)}, {(0, 2)})]),
        ("xl-wa", "a b\tx y z\t0-2 1-0\n", [gold({(0, 2), (1, 0)}, set())]),
        ("xl-wa", "a b\tx\t\n", [gold(set(), set())]),
    ],
    ids=["both possible marks", "empty line", "given twice", "from one", "xl-wa", "xl-wa without links"],
)
def test_layout_is_read(tmp_path: Path, layout: str, content: str, expected: list[GoldAlignment]) -> None:
    assert list(read_gold(write(tmp_path, "gold", content), layout=layout)) == expected


@pytest.mark.parametrize(
    ("layout", "content", "what", "place"),
    [
        ("pharaoh", "0-0\n0-0 1:1\n", "not a gold link: '1:1'", "2:5"),
        ("pharaoh", "0-0\t1-1\n", "not a gold link: '0-0\\t1-1'", "1:1"),
        ("pharaoh", "0-1234567\n", "not a gold link", "1:1"),
        ("pharaoh", "٣-0\n", "not a gold link", "1:1"),
        ("hansards", "1-1 0-2\n", "not a gold link: '0-2'", "1:5"),
        ("xl-wa", "a\tx\n", "2 parts separated by '\\t', not 3", "1"),
        ("xl-wa", "a b\tx\t0-0 9\n", "not a gold link: '9'", "1:11"),
        ("xl-wa", "a b\tx\t0-0 2-0\n", "joins the words 2 and 0", "1"),
        ("xl-wa", "a b\tx\t0-1\n", "the target 1", "1"),
    ],
)
def test_faulty_links_are_refused_with_their_place(
    tmp_path: Path, layout: str, content: str, what: str, place: str
) -> None:
    path = write(tmp_path, "gold", content)
    with pytest.raises(InputError) as caught:
        read_gold(path, layout=layout)
    assert what in caught.value.what
    assert str(caught.value.where) == f"{path}:{place}"


def test_unknown_layout_lists_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="unknown gold layout: hansard"):
        read_gold(tmp_path, layout="hansard")


def test_hansards_brings_tokens_and_counts_from_zero(tmp_path: Path) -> None:
    links = write(tmp_path, "gold", "1-2 2p1\n\n")
    text = write(tmp_path, "text", "hear !   ||| bravo  !  \n||| oui\n")
    first, second = read_hansards(links, text=text)
    assert (first.source, first.target) == (("hear", "!"), ("bravo", "!"))
    assert first.gold == gold({(0, 1)}, {(1, 0)})
    assert (second.source, second.target, second.gold) == ((), ("oui",), gold(set(), set()))


@pytest.mark.parametrize(
    ("links", "text", "error", "place"),
    [
        ("1-1\n1-1\n", "a ||| b\n", MismatchError, "gold:2"),
        ("1-2\n", "a ||| b\n", InputError, "gold:1"),
        ("1-1\n", "a b\n", InputError, "text:1"),
        ("1-1\n", "a ||| b ||| c\n", InputError, "text:1"),
    ],
    ids=["other number of lines", "outside the sentence", "no separator", "two separators"],
)
def test_hansards_refuses_what_does_not_fit(
    tmp_path: Path, links: str, text: str, error: type[UserError], place: str
) -> None:
    with pytest.raises(error) as caught:
        read_hansards(write(tmp_path, "gold", links), text=write(tmp_path, "text", text))
    assert str(caught.value.where) == str(tmp_path / place)


def test_pronoun_links_are_read(tmp_path: Path) -> None:
    lines = [ITEM, ITEM | {"id": "a.2", "sure": [], "possible": [], "note": "an unknown key"}]
    first, second = read_pronoun_links(write(tmp_path, "x.jsonl", "\n".join(map(json.dumps, lines))))
    assert (first.id, first.pair, first.function) == ("a.1", LanguagePair("en", "fr"), "event")
    assert (first.source[first.pronoun], first.form) == ("It", "it")
    assert (first.sure, first.possible) == (frozenset({0}), frozenset({0, 1}))
    assert (second.sure, second.possible) == (frozenset(), frozenset())


@pytest.mark.parametrize(
    ("line", "what", "place"),
    [
        ('{"id": }', "not a JSON object: Expecting value: line 1 column 8", "2"),
        ("[" * 200_000, "not a JSON object", "2"),
        ("[]", "not a JSON object", "2"),
        (json.dumps({k: v for k, v in ITEM.items() if k != "id"}), "id: missing", "2"),
        (json.dumps({k: v for k, v in ITEM.items() if k != "sure"}), "sure: missing", "2"),
        (json.dumps(ITEM | {"pronoun": 3}), "pronoun: expected an integer from 0 to 2, got 3", "2"),
        (json.dumps(ITEM | {"pronoun": -1}), "pronoun: expected an integer from 0 to 2, got -1", "2"),
        (json.dumps(ITEM | {"pronoun": True}), "pronoun: expected an integer from 0 to 2, got True", "2"),
        (json.dumps(ITEM | {"sure": 0}), "sure: expected a list, got 0", "2"),
        (json.dumps(ITEM | {"possible": ["0"]}), "possible[0]: expected an integer from 0 to", "2"),
        (json.dumps(ITEM | {"possible": [0, 3]}), "possible[1]: expected an integer from 0 to", "2"),
        (json.dumps(ITEM | {"source": "So It works"}), "source: expected a list, got 'So It works'", "2"),
        (json.dumps(ITEM | {"target": ["a", 1]}), "target[1]: expected a string, got 1", "2"),
        (json.dumps(ITEM | {"id": 7}), "id: expected a non-empty string, got 7", "2"),
        (json.dumps(ITEM | {"function": ""}), "function: expected a non-empty string, got ''", "2"),
        (json.dumps(ITEM | {"id": "z", "pair": "English"}), "not a language pair: 'English'", "2"),
        (json.dumps(ITEM), "the id a.1 was already given in line 1", "2"),
    ],
)
def test_faulty_items_are_refused_with_their_place(tmp_path: Path, line: str, what: str, place: str) -> None:
    path = write(tmp_path, "x.jsonl", json.dumps(ITEM) + "\n" + line + "\n")
    with pytest.raises(InputError) as caught:
        read_pronoun_links(path)
    assert what in caught.value.what
    assert str(caught.value.where) == f"{path}:{place}"


def test_hansards_of_the_2003_workshop(data_dir: Path) -> None:
    """447 segments; 4,038 sure and 13,400 possible marks, counted with grep."""
    folder = data_dir / "gold-alignments" / "hansards-en-fr"
    segments = read_hansards(folder / "enfr.gold", text=folder / "enfr.src-tgt")
    assert len(segments) == 447
    assert sum(len(segment.gold.sure) for segment in segments) == 4038
    assert sum(len(segment.gold.possible) for segment in segments) == 4038 + 13400


@pytest.mark.parametrize(("name", "segments", "links"), [("dev", 105, 1961), ("train", 1002, 20525)])
def test_xlwa_english_spanish(data_dir: Path, name: str, segments: int, links: int) -> None:
    """Numbers of lines and of links as counted with wc."""
    found = read_xlwa(data_dir / "gold-alignments" / "xlwa-en-es" / f"{name}.tsv")
    assert len(found) == segments
    assert sum(len(segment.gold.sure) for segment in found) == links


@pytest.mark.parametrize(
    ("pair", "sure", "unaligned"), [("en-fr", 64, 7), ("en-de", 60, 15), ("en-es", 18, 8)]
)
def test_pronoun_links_of_three_pairs(data_dir: Path, pair: str, sure: int, unaligned: int) -> None:
    """80 items a pair; sure links and items without any link as counted by a one-line script."""
    items = read_pronoun_links(data_dir / "gold-alignments" / "pronoun-links" / f"{pair}.jsonl")
    assert len(items) == 80
    assert {str(item.pair) for item in items} == {pair}
    assert {item.form for item in items} == {"it", "they"}
    assert sum(len(item.sure) for item in items) == sure
    assert sum(not item.possible for item in items) == unaligned
