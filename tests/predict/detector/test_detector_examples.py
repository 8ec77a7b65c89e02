"""Lines with changed words, the balance of right and wrong, and the labels of one small text."""

from __future__ import annotations

import gzip
import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tools.detector.errors import Words
from tools.detector.examples import Reader, Row, balanced, changed_line, examples_of, written
from tools.detector.texts import ParallelDocument

Readers = Callable[[str], Reader]


@pytest.mark.parametrize(
    ("line", "words", "expected"),
    [
        pytest.param("C'est vrai.", {0: "Il"}, "Il est vrai.", id="c' and the space that it saved"),
        pytest.param("Il dit qu'il part.", {3: ""}, "Il dit que part.", id="qu' before a dropped word"),
        pytest.param("Elle n'en parle pas.", {2: ""}, "Elle ne parle pas.", id="n' before a consonant"),
        pytest.param("Je sais qu'elle part.", {3: "cela"}, "Je sais que cela part.", id="qu' before cela"),
        pytest.param("Si elles partent.", {1: "ils"}, "S'ils partent.", id="si before ils"),
        pytest.param("S'il part.", {1: "elle"}, "Si elle part.", id="si before elle"),
        pytest.param("Il est vrai.", {0: "Ce"}, "C'est vrai.", id="ce before est"),
        pytest.param("Oui, il dort.", {2: "elle"}, "Oui, elle dort.", id="another word"),
        pytest.param("Il le voit.", {1: ""}, "Il voit.", id="a dropped word leaves one space"),
        pytest.param("Il le voit, lui.", {4: ""}, "Il le voit,.", id="a dropped word before a full stop"),
        pytest.param("Ils sont là.", {0: "Il", 1: "est"}, "Il est là.", id="two words"),
    ],
)
def test_a_changed_line_keeps_its_spaces(
    reader: Readers, line: str, words: dict[int, str], expected: str
) -> None:
    assert changed_line(reader("fr"), line, words) == expected


def rows_of(*groups: tuple[str, str, int, int]) -> list[Row]:
    """Rows of a kind, a form and a label, so many of each."""
    return [
        ({"kind": kind, "form": form, "y": label}, None)
        for kind, form, label, count in groups
        for _ in range(count)
    ]


def tally(rows: list[Row]) -> Counter[tuple[str, str, int]]:
    return Counter((row["kind"], row["form"], row["y"]) for row, _ in rows)


class TestBalance:
    def test_right_and_wrong_ones_of_a_form_differ_by_a_seventh_at_most(self) -> None:
        rows = rows_of(("pronoun", "il", 0, 300), ("pronoun", "il", 1, 20), ("pronoun", "elle", 1, 90))
        rows += rows_of(("pronoun", "elle", 0, 40))
        assert tally(balanced(rows, random.Random(1))) == {
            ("pronoun", "il", 0): 23,
            ("pronoun", "il", 1): 20,
            ("pronoun", "elle", 0): 40,
            ("pronoun", "elle", 1): 46,
        }

    def test_all_nouns_are_one_form(self) -> None:
        rows = rows_of(("noun", "maison", 0, 10), ("noun", "lampe", 0, 10), ("noun", "chat", 1, 20))
        assert len(balanced(rows, random.Random(1))) == 40

    def test_a_form_that_is_only_right_is_almost_left_out(self) -> None:
        assert len(balanced(rows_of(("pronoun", "on", 0, 50)), random.Random(1))) == 1

    def test_the_order_stays(self) -> None:
        rows = rows_of(("pronoun", "il", 0, 40), ("pronoun", "il", 1, 10))
        for number, (row, _) in enumerate(rows):
            row["number"] = number
        numbers = [row["number"] for row, _ in balanced(rows, random.Random(1))]
        assert numbers == sorted(numbers)


def made(reader: Reader, document: ParallelDocument) -> tuple[list[Row], list[list[list[int]]]]:
    links: list[list[list[int]]] = []
    words = Words(document.language, ())
    return list(examples_of([document], reader, words, random.Random(1), links)), links


class TestExamples:
    def test_a_contrastive_text_gives_its_own_error_and_no_made_one(self, reader: Readers) -> None:
        document = ParallelDocument(
            "d",
            "de",
            ["I have a hat.", "It is old."],
            ["Ich habe einen Hut.", "Er ist alt."],
            wrong=("Es ist alt.",),
        )
        rows, links = made(reader("de"), document)
        assert [(row["y"], row["what"], row["form"], new) for row, new in rows] == [
            (0, "real", "er", None),
            (1, "contrastive", "es", "Es ist alt."),
        ]
        assert [row["l"] for row, _ in rows] == [1, 1]
        assert len(links[0]) == 2

    @pytest.mark.parametrize(
        ("reference", "labels"), [("Er ist alt.", [0]), ("Sie ist alt.", [1]), ("Der Hut ist alt.", [])]
    )
    def test_a_system_is_wrong_where_references_have_another_gender(
        self, reader: Readers, reference: str, labels: list[int]
    ) -> None:
        document = ParallelDocument(
            "d", "de", ["It is old."], ["Er ist alt."], is_machine=True, reference=(reference, reference)
        )
        assert [row["y"] for row, _ in made(reader("de"), document)[0]] == labels

    def test_characters_point_to_pronoun_and_rendering(self, reader: Readers) -> None:
        source, target = "I see it.", "Ich sehe ihn."
        (row, _), *_ = made(reader("de"), ParallelDocument("d", "de", [source], [target]))[0]
        start, end = row["s"]
        assert source[start:end] == "it"
        assert [target[start:end] for start, end in row["t"]] == ["ihn"]

    def test_a_file_has_documents_with_their_pronouns(self, tmp_path: Path) -> None:
        documents = [ParallelDocument(name, "fr", [name], [name]) for name in "abc"]
        rows: list[Row] = [({"d": 2, "l": 0}, None), ({"d": 0, "l": 0}, "changed")]
        written(tmp_path / "text.jsonl.gz", documents, rows, [[[0, 0]], [[1, 1]], [[2, 2]]])
        with gzip.open(tmp_path / "text.jsonl.gz", "rt", encoding="utf-8") as file:
            records: list[dict[str, Any]] = [json.loads(line) for line in file]
        assert [(one["name"], one["links"], one["pronouns"]) for one in records] == [
            ("a", [[0, 0]], [{"l": 0, "new": "changed"}]),
            ("c", [[2, 2]], [{"l": 0}]),
        ]
        assert [path.name for path in tmp_path.iterdir()] == ["text.jsonl.gz"]
