"""The folder layout of mt-metrics-eval, read and written."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest

from anaphor.core import InputError, InputWarning, LanguagePair, MismatchError, OptionError
from anaphor.corpus import read_bundle, write_mtme_scores

Write = Callable[..., Path]
PAIR = LanguagePair("en", "fr")


@pytest.fixture
def folder(write: Write, tmp_path: Path) -> Path:
    write("It.\nThey.\n", "sources/en-fr.txt")
    write("Es.\n", "sources/en-de.txt")
    write("news\tcat\nnews dog\n", "documents/en-fr.docs")
    write("Il.\nIls.\n", "references/en-fr.refA.txt")
    write("Elle.\nElles.\n", "references/en-fr.refB.txt")
    write("Sie.\n", "references/en-de.refA.txt")
    write("Ça.\nEux.\n", "system-outputs/en-fr/Online-B.txt")
    write("Le.\nLes.\n", "system-outputs/en-fr/v1.2.txt")
    write("Il.\nIls.\n", "system-outputs/en-fr/refA.txt")
    return tmp_path


def test_texts_of_the_pair_are_read_without_references_posing_as_systems(folder: Path) -> None:
    bundle = read_bundle(folder, pair=PAIR)
    assert bundle.source.lines == ("It.", "They.")
    assert bundle.documents == ("cat", "dog")
    assert [reference.lines for reference in bundle.references] == [("Il.", "Ils."), ("Elle.", "Elles.")]
    assert {name: text.lines for name, text in bundle.candidates.items()} == {
        "Online-B": ("Ça.", "Eux."),
        "v1.2": ("Le.", "Les."),
    }
    assert bundle.source.path == str(folder / "sources" / "en-fr.txt")


def test_references_stand_as_systems_where_there_are_no_others(folder: Path) -> None:
    for name in ("Online-B", "v1.2"):
        (folder / "system-outputs" / "en-fr" / f"{name}.txt").unlink()
    assert list(read_bundle(folder, pair=PAIR).candidates) == ["refA"]


def test_a_segment_that_was_not_translated_is_empty_with_a_note(folder: Path, write: Write) -> None:
    write("Ça.\n[No translation supplied]\n", "system-outputs/en-fr/Online-B.txt")
    with pytest.warns(InputWarning, match=r"Online-B\.txt: 1 segment without a translation, read as empty"):
        bundle = read_bundle(folder, pair=PAIR)
    assert bundle.candidates["Online-B"].lines == ("Ça.", "")


def test_white_space_behind_the_mark_of_a_missing_translation_is_ignored(folder: Path, write: Write) -> None:
    write("[No translation supplied] \t\nEux.\n", "system-outputs/en-fr/Online-B.txt")
    with pytest.warns(InputWarning, match="1 segment without a translation"):
        bundle = read_bundle(folder, pair=PAIR)
    assert bundle.candidates["Online-B"].lines == ("", "Eux.")


def test_a_plain_source_is_preferred_to_json_lines(folder: Path, write: Write) -> None:
    write('{"source": "He."}\n{"source": "She."}\n', "sources/en-fr.jsonl")
    assert read_bundle(folder, pair=PAIR).source.lines == ("It.", "They.")


def test_texts_may_be_json_lines(folder: Path, write: Write) -> None:
    """Newer test sets have segments of several lines, which plain text cannot hold."""
    (folder / "sources" / "en-fr.txt").unlink()
    (folder / "references" / "en-fr.refB.txt").unlink()
    write('{"source": "It."}\n{"source": "They.\\nHe."}\n', "sources/en-fr.jsonl")
    write('{"target": "Elle."}\n{"target": "Elles."}\n', "references/en-fr.refB.jsonl")
    write('{"hypothesis": "Ça."}\n{"hypothesis": "Eux."}\n', "system-outputs/en-fr/Nemo.jsonl")
    bundle = read_bundle(folder, pair=PAIR)
    assert bundle.source.lines == ("It.", "They.\nHe.")
    assert bundle.references[1].lines == ("Elle.", "Elles.")
    assert bundle.candidates["Nemo"].lines == ("Ça.", "Eux.")


@pytest.mark.parametrize("line", ["Eux.", "[]", "{}", '{"hypothesis": 1}', '{"source": "x"}'])
def test_an_invalid_json_segment_is_refused(folder: Path, write: Write, line: str) -> None:
    path = write('{"hypothesis": "Ça."}\n' + line + "\n", "system-outputs/en-fr/Nemo.jsonl")
    with pytest.raises(
        InputError, match=r"not a JSON object|hypothesis: (missing|expected a string)"
    ) as caught:
        read_bundle(folder, pair=PAIR)
    assert str(caught.value.where) == f"{path}:2"


def test_two_files_for_one_system_are_refused(folder: Path, write: Write) -> None:
    write('{"hypothesis": "x"}\n', "system-outputs/en-fr/Online-B.jsonl")
    with pytest.raises(InputError, match="two files for Online-B"):
        read_bundle(folder, pair=PAIR)


def test_documents_and_systems_may_be_missing(folder: Path) -> None:
    bundle = read_bundle(folder, pair=LanguagePair("en", "de"))
    assert bundle.documents is None
    assert bundle.candidates == {}


@pytest.mark.parametrize(
    ("name", "content", "place", "what"),
    [
        ("references/en-fr.refB.txt", "Elle.\n", ":2", r"has 1 line, the source .*en-fr.txt has 2"),
        ("system-outputs/en-fr/v1.2.txt", "a\nb\nc\n", ":3", r"has 3 lines, the source .*en-fr.txt has 2"),
        ("documents/en-fr.docs", "news cat\n", ":2", "has 1 line, the source has 2"),
    ],
)
def test_texts_of_another_length_are_a_mismatch(
    folder: Path, write: Write, name: str, content: str, place: str, what: str
) -> None:
    path = write(content, name)
    with pytest.raises(MismatchError, match=what) as caught:
        read_bundle(folder, pair=PAIR)
    assert str(caught.value.where) == f"{path}{place}"


def test_a_document_line_has_two_words(folder: Path, write: Write) -> None:
    path = write("news cat\ndog\n", "documents/en-fr.docs")
    with pytest.raises(InputError, match="not a domain and a document: 'dog'") as caught:
        read_bundle(folder, pair=PAIR)
    assert str(caught.value.where) == f"{path}:2"


def test_a_pair_without_source_or_reference_is_refused(folder: Path, write: Write) -> None:
    with pytest.raises(InputError, match="cannot be read") as caught:
        read_bundle(folder, pair=LanguagePair("de", "fr"))
    assert str(caught.value.where) == str(folder / "sources" / "de-fr.txt")
    write("x\n", "sources/de-fr.txt")
    with pytest.raises(InputError, match="no reference found for de-fr"):
        read_bundle(folder, pair=LanguagePair("de", "fr"))


def test_scores_are_written_a_block_a_system(tmp_path: Path) -> None:
    paths = write_mtme_scores(
        tmp_path,
        pair=PAIR,
        metric="meteor-1.5",
        reference="refA.refB",
        systems={"Online-B": 0.5, "v1.2": 1},
        segments={"Online-B": [0.25, math.nan], "v1.2": [1.0, 0.1]},
        documents={"Online-B": [0.5], "v1.2": [1.0]},
        undefined=0.0,
    )
    place = tmp_path / "metric-scores" / "en-fr"
    assert paths == tuple(place / f"meteor-1.5-refA.refB.{level}.score" for level in ("sys", "seg", "doc"))
    assert [path.read_text(encoding="utf-8") for path in paths] == [
        "Online-B\t0.5\nv1.2\t1.0\n",
        "Online-B\t0.25\nOnline-B\t0.0\nv1.2\t1.0\nv1.2\t0.1\n",
        "Online-B\t0.5\nv1.2\t1.0\n",
    ]


def test_levels_that_are_not_given_are_not_written(tmp_path: Path) -> None:
    (path,) = write_mtme_scores(tmp_path, pair=PAIR, metric="apt", reference="refA", systems={"X": 0.5})
    assert [found.name for found in path.parent.iterdir()] == ["apt-refA.sys.score"]


@pytest.mark.parametrize(
    ("metric", "reference", "system"),
    [
        (".apt", "refA", "X"),
        ("../apt", "refA", "X"),
        ("", "refA", "X"),
        ("apt", "ref-A", "X"),
        ("apt", "refA", "X Y"),
    ],
)
def test_names_the_layout_cannot_hold_are_refused(
    tmp_path: Path, metric: str, reference: str, system: str
) -> None:
    with pytest.raises(OptionError, match="does not allow"):
        write_mtme_scores(tmp_path, pair=PAIR, metric=metric, reference=reference, systems={system: 0.5})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("segments", "undefined", "what"),
    [
        ({"X": [0.5, math.nan]}, None, "cannot hold the score nan"),
        ({"X": [math.inf, 0.5]}, 0.0, "cannot hold the score inf"),
        ({"X": [math.nan, 0.5]}, math.nan, "cannot hold the score nan"),
    ],
)
def test_undefined_scores_need_a_number_and_nothing_is_half_written(
    tmp_path: Path, segments: dict[str, list[float]], undefined: float | None, what: str
) -> None:
    with pytest.raises(OptionError, match=what):
        write_mtme_scores(
            tmp_path,
            pair=PAIR,
            metric="apt",
            reference="refA",
            systems={"X": 0.5},
            segments=segments,
            undefined=undefined,
        )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("segments", [{"X": [0.5]}, {"X": [0.5], "Y": [0.5, 0.5]}])
def test_every_level_needs_every_system(tmp_path: Path, segments: dict[str, list[float]]) -> None:
    with pytest.raises(MismatchError, match="the seg scores"):
        write_mtme_scores(
            tmp_path,
            pair=PAIR,
            metric="apt",
            reference="refA",
            systems={"X": 0.5, "Y": 1.0},
            segments=segments,
        )


def test_a_folder_that_cannot_be_made_is_refused(write: Write) -> None:
    path = write("a file")
    with pytest.raises(OptionError, match="cannot be created"):
        write_mtme_scores(path, pair=PAIR, metric="apt", reference="refA", systems={"X": 0.5})
