"""Free texts of the detector: lessons and their translations, and paragraphs matched by what they share."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.verdict.further import comments, lessons, other_paragraphs

Lesson = Callable[[str, str], Path]


@pytest.fixture
def lesson(tmp_path: Path) -> Lesson:
    """A repository with one lesson and its German translation."""

    def make(original: str, translation: str) -> Path:
        for folder, text in (("1-lamps", original), ("translations/de/1-lamps", translation)):
            path = tmp_path / "Lamps" / folder / "README.md"
            path.parent.mkdir(parents=True)
            path.write_text(text, encoding="utf-8")
        return tmp_path / "Lamps"

    return make


class TestLessons:
    def test_lines_are_paired_with_their_translations(self, lesson: Lesson) -> None:
        repository = lesson(
            "# Lamps\n\n- A *lamp* has a [switch](x.md). It is red.\n\n"
            "```py\nit = lamp()\n```\n\n| it | they |\n",
            "# Lampen\n\n- Eine *Lampe* hat einen [Schalter](x.md). Er ist rot.\n\n"
            "```py\nit = lamp()\n```\n\n| es | sie |\n",
        )
        pairs = [
            ("Lamps", "Lampen"),
            ("A lamp has a switch.", "Eine Lampe hat einen Schalter."),
            ("It is red.", "Er ist rot."),
        ]
        assert list(lessons([repository], "de")) == [("Lamps/1-lamps", pairs)]

    def test_other_numbers_of_sentences_stay_one_line(self, lesson: Lesson) -> None:
        repository = lesson("It is red. It is new.\n", "Sie ist rot und neu.\n")
        assert list(lessons([repository], "de")) == [
            ("Lamps/1-lamps", [("It is red. It is new.", "Sie ist rot und neu.")])
        ]

    def test_lines_that_nobody_translated_are_left_out(self, lesson: Lesson) -> None:
        repository = lesson("# Lamps\n\nIt is red.\n", "# Lamps\n\nSie ist rot.\n")
        assert list(lessons([repository], "de")) == [("Lamps/1-lamps", [("It is red.", "Sie ist rot.")])]

    def test_a_translation_of_an_older_lesson_is_left_out(self, lesson: Lesson) -> None:
        repository = lesson("# Lamps\n\nIt is red.\n\n- It is new.\n", "# Lampen\n\n## Rot\n\nSie ist rot.\n")
        assert list(lessons([repository], "de")) == []


def written(path: Path, titles: dict[str, list[str]]) -> None:
    path.parent.mkdir(parents=True)
    articles = [
        {"title": title, "paragraphs": [{"context": text} for text in texts]}
        for title, texts in titles.items()
    ]
    path.write_text(json.dumps({"data": articles}), encoding="utf-8")


def test_other_paragraphs_are_matched_and_those_of_xquad_left_out(tmp_path: Path) -> None:
    taken = "Krakatoa erupted in 1883. It destroyed 165 villages around Sumatra and Java, said Verbeek."
    other = "Vesuvius buried Pompeii in 79. It threw 33 kilometres of pumice over Herculaneum, wrote Plinius."
    alien = "Nobody translated this paragraph about anything. It is here for nobody."
    spanish = (
        "Krakatoa hizo erupción en 1883. Destruyó 165 aldeas alrededor de Sumatra y Java, dijo Verbeek.",
        "Vesuvius enterró Pompeii en 79. Arrojó 33 kilómetros de pumita sobre Herculaneum, escribió Plinius.",
    )
    written(tmp_path / "xquad" / "xquad.en.json", {"Volcano": [taken]})
    written(tmp_path / "squad" / "data" / "dev-v2.0.json", {"Volcano": [taken, other, alien]})
    written_too = tmp_path / "squad" / "data" / "test-v2.0.json"
    written_too.write_text(json.dumps({"data": [{"title": "Unknown", "paragraphs": [{"context": other}]}]}))
    # The Spanish articles have the order of the English ones, and titles of their own.
    written(tmp_path / "es" / "SQuAD-es-v1.1" / "dev-v1.1-es_small.json", {"Volcán": [*spanish, "Nada más."]})
    found = list(other_paragraphs(tmp_path / "xquad", tmp_path / "squad", tmp_path / "es"))
    pairs = [
        ("Vesuvius buried Pompeii in 79.", "Vesuvius enterró Pompeii en 79."),
        (
            "It threw 33 kilometres of pumice over Herculaneum, wrote Plinius.",
            "Arrojó 33 kilómetros de pumita sobre Herculaneum, escribió Plinius.",
        ),
    ]
    assert found == [("Volcano/dev-1", pairs)]


def test_comments_without_a_pronoun_are_left_out(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "catastrophic_errors"
    folder.mkdir(parents=True)
    for part in ("train", "dev", "test_blind"):
        rows = "7\tIt is a lamp.\tEs ist eine Lampe.\t0\n8\tA lamp.\tEine Lampe.\t0\n"
        (folder / f"ende_majority_{part}.tsv").write_text(rows, encoding="utf-8")
    assert list(comments(tmp_path)) == [
        (f"{part}-7", [("It is a lamp.", "Es ist eine Lampe.")]) for part in ("train", "dev", "test_blind")
    ]
