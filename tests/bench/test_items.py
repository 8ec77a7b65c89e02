"""The file of a bench: what goes in comes out, and what is wrong is refused with its place."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from anaphor.bench.items import FORMAT, Bench, BenchItem, parse_bench, read_bench, write_bench
from anaphor.core import InputError, LanguagePair, Span, Where, digest
from anaphor.corpus import Text

LAMP = BenchItem(
    id="lamp",
    source=("The lamp is old.", "It still works."),
    document="house",
    context=("Die Lampe ist alt.",),
    variants=("Sie funktioniert noch.", "Er funktioniert noch.", "Es funktioniert noch."),
    expected=("sie",),
    wrong=("er", "es"),
    pronoun="It",
    slot=Span(0, 2),
    category="Fem",
    distance=1,
    antecedent="The lamp",
    correct_at=2,
)
TEA = BenchItem(
    "tea",
    ("Tea?", "Drink it."),
    variants=("Trink ihn.", "Trink sie."),
    contexts=(("Ein Tee?",), ("Eine Limonade?",)),
)
BENCH = Bench("mine", LanguagePair("en", "de"), "contrapro", (LAMP, TEA))


def test_a_bench_is_read_as_it_was_written(tmp_path: Path) -> None:
    write_bench(tmp_path / "mine.jsonl", BENCH)
    assert read_bench(tmp_path / "mine.jsonl") == BENCH


def test_a_variant_stands_behind_its_own_context() -> None:
    assert LAMP.target(1) == ("Die Lampe ist alt.", "Er funktioniert noch.")
    assert TEA.target(1) == ("Eine Limonade?", "Trink sie.")
    assert BENCH.contrastive


def test_the_hash_is_of_the_content_alone() -> None:
    assert replace(BENCH, name="other").hash == BENCH.hash
    assert replace(BENCH, items=(LAMP,)).hash != BENCH.hash
    assert replace(BENCH, items=(LAMP, replace(TEA, distance=1))).hash != BENCH.hash


HEADER: dict[str, object] = {"format": FORMAT, "name": "mine", "pair": "en-de", "kind": "contrapro"}
ITEM: dict[str, object] = {"id": "a", "source": ["It works."], "variants": ["Sie geht.", "Er geht."]}


def parse(*lines: object) -> Bench:
    return parse_bench(Text.of([json.dumps(line) for line in lines], path="mine.jsonl"))


@pytest.mark.parametrize(
    ("lines", "what", "line"),
    [
        ([ITEM], "this is not a bench file", 1),
        ([HEADER | {"pair": "german"}, ITEM], "pair: not a language pair", 1),
        ([HEADER | {"kind": "contra"}, ITEM], "kind: unknown value: contra", 1),
        ([HEADER | {"hash": "0" * 12}, ITEM], "the header says hash", 1),
        ([HEADER], "no items", None),
        ([HEADER, ITEM, ITEM], "item 2 has the id of item 1: a", None),
        ([HEADER, ITEM | {"variant": []}], "variant: unknown key", 2),
        ([HEADER, ITEM | {"source": []}], "source: empty", 2),
        ([HEADER, ITEM | {"source": "It works."}], "source: expected a list", 2),
        ([HEADER, ITEM | {"variants": ["Sie geht.", "Sie geht."]}], "variants: two are the same", 2),
        ([HEADER, ITEM | {"context": ["Die Lampe."]}], "context: more sentences than the 0", 2),
        ([HEADER, ITEM | {"contexts": [[]]}], "contexts: 1 for 2 variants", 2),
        ([HEADER, ITEM | {"slot": [0, 20]}], "slot: not characters", 2),
        ([HEADER, ITEM | {"distance": -1}], "distance: expected an integer of at least 0", 2),
        ([HEADER, {"id": "a", "source": ["It works."]}], "variants: missing", 2),
    ],
)
def test_what_is_wrong_is_refused_with_its_place(lines: list[object], what: str, line: int | None) -> None:
    with pytest.raises(InputError) as caught:
        parse(*lines)
    assert caught.value.what.startswith(what) or what in caught.value.what
    assert caught.value.where is not None
    assert (caught.value.where.path, caught.value.where.line) == ("mine.jsonl", line)


@pytest.mark.parametrize(
    "line",
    [
        "[]",
        '{"source": ["It works."]}',
        json.dumps(ITEM | {"variant": []}),
        json.dumps(ITEM | {"slot": [1]}),
        json.dumps(ITEM | {"contexts": [5]}),
        '{"id": ' + "[" * 5000 + "]" * 5000 + "}",
    ],
)
def test_the_right_hash_makes_no_item_of_a_line(line: str) -> None:
    header = HEADER | {"hash": digest(text.encode() for text in ("contrapro en-de", line))}
    with pytest.raises(InputError) as caught:
        parse_bench(Text.of([json.dumps(header), line], path="mine.jsonl"))
    assert caught.value.where == Where("mine.jsonl", 2)
