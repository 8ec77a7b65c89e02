"""Packed examples: pieces of words, and what remains of them in less space."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

from anaphor.predict.detector.large.text import TEMPLATE, inside
from tools.detector import compact as compact_module
from tools.detector.compact import UNKNOWN_ID, compact, expand
from tools.detector.pack import FIELDS, Lines, save

#: The pieces of "Je le vois", the last of them without a character of its own.
OFFSETS = [(0, 2), (2, 5), (5, 8), (8, 10), (9, 9)]


@pytest.mark.parametrize(
    ("spans", "expected"),
    [
        pytest.param([(0, 2)], (0, 1), id="one piece"),
        pytest.param([(3, 5)], (1, 2), id="a piece that begins with the space"),
        pytest.param([(6, 10)], (2, 4), id="a word of two pieces, without the empty one"),
        pytest.param([(0, 2), (3, 5)], (0, 2), id="neighbours are joined"),
        pytest.param([(0, 2), (6, 10)], (0, 1), id="a word further away is left out"),
        pytest.param([], (-1, -1), id="no word"),
        pytest.param([(20, 22)], (-1, -1), id="beyond the line"),
    ],
)
def test_pieces_of_words(spans: list[tuple[int, int]], expected: tuple[int, int]) -> None:
    assert inside(OFFSETS, spans) == expected


def row(**values: int) -> tuple[int, ...]:
    return tuple(values.get(name, 0) for name in FIELDS)


def read(folder: Path) -> tuple[list[list[int]], dict[str, NDArray[Any]]]:
    """All lines of a folder, and its table of pronouns."""
    lines = expand(folder)
    ends = np.cumsum(lines["lengths"].astype(np.int64))
    return [part.tolist() for part in np.split(lines["pieces"], ends[:-1])], dict(
        np.load(folder / "pronouns.npz")
    )


def student(folder: Path, lines: list[list[int]], rows: list[tuple[int, ...]]) -> None:
    every = Lines()
    for pieces in lines:
        every.add(pieces, [piece % 7 for piece in pieces])
    save(folder, every, rows, ["name"] * len(rows), {"set": 0}, renumber=False)


def teacher(folder: Path, lines: list[list[int]], rows: list[tuple[int, ...]]) -> None:
    every = Lines()
    for pieces in lines:
        every.add(pieces)
    save(folder, every, rows, ["name"] * len(rows), {"set": 0}, renumber=True)


class TestStudent:
    #: Six source lines, then their translations, then a line with an error.
    LINES: ClassVar = [[n, 300 + n, 15_999] for n in range(12)] + [[77]]
    ROWS: ClassVar = [
        row(source=4, context=10, current=10, origin=4, before=4, after=1, y=0),
        row(source=4, context=10, current=12, origin=4, before=4, after=1, y=1),
    ]

    def test_all_that_is_read_comes_back(self, tmp_path: Path) -> None:
        student(tmp_path / "packed", self.LINES, self.ROWS)
        compact(tmp_path / "packed", output=tmp_path / "small", is_teacher=False)
        lines, table = read(tmp_path / "small")
        for number, current in enumerate((10, 12)):
            assert lines[table["current"][number]] == self.LINES[current]
            for name, place in (("source", 4), ("context", 10)):
                at = table[name][number]
                # Three lines before it and one after it, as the student reads them.
                assert lines[at - 3 : at + 2] == self.LINES[place - 3 : place + 2]
        assert table["y"].tolist() == [0, 1]

    def test_what_nobody_reads_is_gone(self, tmp_path: Path) -> None:
        student(tmp_path / "packed", self.LINES, self.ROWS)
        compact(tmp_path / "packed", output=tmp_path / "small", is_teacher=False)
        lines, _ = read(tmp_path / "small")
        assert [line for line in self.LINES if line not in lines] == [self.LINES[0], self.LINES[6]]

    def test_tags_stay_beside_their_pieces(self, tmp_path: Path) -> None:
        student(tmp_path / "packed", self.LINES, self.ROWS)
        compact(tmp_path / "packed", output=tmp_path / "small", is_teacher=False)
        lines = expand(tmp_path / "small")
        assert lines["tags"].tolist() == [piece % 7 for piece in lines["pieces"].tolist()]

    def test_a_folder_that_was_not_made_smaller_is_read_as_it_is(self, tmp_path: Path) -> None:
        student(tmp_path / "packed", self.LINES, self.ROWS)
        assert read(tmp_path / "packed")[0] == self.LINES


class TestTeacher:
    FRAME: ClassVar = [[100_000 + n] for n in range(len(TEMPLATE))]
    #: The source line, its translation, and a line that nobody reads.
    LINES: ClassVar = [*FRAME, [5, 9, 9, 9], [9, 200_000], [8]]
    ROWS: ClassVar = [row(source=8, context=9, current=9, origin=8)]

    def ids(self, folder: Path) -> list[list[int]]:
        """The lines in the ids of the whole vocabulary."""
        known = np.load(folder / "ids.npy")
        return [known[line].tolist() for line in read(folder)[0]]

    def test_ids_are_renumbered_and_found_again(self, tmp_path: Path) -> None:
        teacher(tmp_path / "packed", self.LINES, self.ROWS)
        assert max(max(line) for line in read(tmp_path / "packed")[0]) < 12
        compact(tmp_path / "packed", output=tmp_path / "small", is_teacher=True)
        assert self.ids(tmp_path / "packed") == self.LINES
        assert self.ids(tmp_path / "small") == self.LINES[:-1]

    def test_frequent_ids_come_first(self, tmp_path: Path) -> None:
        teacher(tmp_path / "packed", self.LINES, self.ROWS)
        compact(tmp_path / "packed", output=tmp_path / "small", is_teacher=True)
        # All texts have the frame, which is among the lines only once.
        ids = np.load(tmp_path / "small" / "ids.npy").tolist()
        assert sorted(ids[: len(TEMPLATE)]) == [100_000 + n for n in range(len(TEMPLATE))]
        assert ids[len(TEMPLATE)] == 9

    def test_ids_beyond_the_most_frequent_become_unknown(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(compact_module, "MOST", len(TEMPLATE) + 2)
        teacher(tmp_path / "packed", self.LINES, self.ROWS)
        compact(tmp_path / "packed", output=tmp_path / "small", is_teacher=True)
        # Beside the frame only 9 occurs more than once; of all others the first keeps its id.
        assert self.ids(tmp_path / "small") == [*self.FRAME, [5, 9, 9, 9], [9, UNKNOWN_ID]]
