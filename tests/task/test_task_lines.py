"""Lines that are parsed in parts, and lines that nobody will look at."""

from __future__ import annotations

from pathlib import Path

import pytest

from anaphor.core import Alignment, TaskSegment, UserError
from anaphor.core.engine import has_native
from anaphor.task.files import read_task, read_task_lines, scanned
from anaphor.task.lines import parse_segment, parse_unseen

PLAIN = "\t\tthe house\tla maison\t0-0 1-1"
LINES = [PLAIN, PLAIN, PLAIN, "il\tx\tit is\tREPLACE_0 est\t0-0 1-1", PLAIN]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "made.tsv"
    found.write_text("".join(f"{line}\n" for line in LINES), encoding="utf-8")
    return found


@pytest.mark.parametrize(
    "line",
    [
        "",
        "\t\t\tla maison\t",
        "\t\tthe house\t\t",
        "\t\tthe  house\tla maison\t0-0",
        "\t\tthe house\tla maison \t0-0",
        "\t\t the house\tla maison\t0-0",
        "\t\tthe house\tla maison\t0-0 1-2",
        "\t\tthe house\tla maison\t2-0",
        "\t\tthe house\tla maison\t0:0",
        "\t\tthe house\tREPLACE_7 maison\t0-0",
        "il\t\tthe house\tla maison\t0-0",
        "\tx\tthe house\tla maison\t0-0",
        "\t\tthe house\tla maison\t0-0\t",
    ],
)
def test_an_unused_line_has_the_same_errors(line: str) -> None:
    with pytest.raises(UserError) as unseen:
        parse_unseen(line, "made", 3)
    with pytest.raises(UserError) as seen:
        parse_segment(line, "made", 3, classes=None)
    assert str(unseen.value) == str(seen.value)


def test_an_unused_line_has_no_tokens_unless_it_has_a_placeholder() -> None:
    assert parse_unseen(PLAIN, "made", 1, document="d") == TaskSegment((), (), (), Alignment(), "d")
    assert parse_unseen(LINES[3], "made", 1).target == ("REPLACE_0", "est")


@pytest.mark.parametrize(("reach", "kept"), [(0, [3]), (2, [1, 2, 3]), (9, [0, 1, 2, 3])])
def test_tokens_are_kept_as_far_as_a_placeholder_reaches(path: Path, reach: int, kept: list[int]) -> None:
    segments = list(read_task_lines(path).segments(range(5), reach=reach))
    assert [place for place, segment in enumerate(segments) if segment.source] == kept


def test_parts_of_the_lines_are_the_segments_of_the_file(path: Path) -> None:
    ids = path.with_suffix(".doc-ids")
    ids.write_text("a\na\nb\nb\nb\n", encoding="utf-8")
    text = read_task_lines(path, documents=ids)
    whole = list(read_task(path, documents=ids))
    assert [*text.segments(range(2)), *text.segments(range(2, 5))] == whole


def test_an_answer_replaces_labels_and_hides_words(path: Path) -> None:
    text = read_task_lines(path)
    whole = b"".join(text.answered(range(5), ["", "", "", "ça", ""])).decode()
    assert whole.split("\n") == [PLAIN, PLAIN, PLAIN, "ça\t\tit is\tREPLACE_0 est\t0-0 1-1", PLAIN, ""]
    assert b"".join(text.answered(range(1, 3), ["", ""])).decode() == f"{PLAIN}\n" * 2


def test_a_label_without_a_placeholder_is_removed(path: Path) -> None:
    """It would be an error of the file, but that is for those to say who parse it."""
    path.write_text(f"il\tx{PLAIN[1:]}\n", encoding="utf-8")
    assert b"".join(read_task_lines(path).answered(range(1), [""])).decode() == f"{PLAIN}\n"


def test_a_last_line_without_its_newline_gets_one(path: Path) -> None:
    path.write_text(f"{PLAIN}\n{PLAIN}", encoding="utf-8")
    assert read_task_lines(path).content.decode() == f"{PLAIN}\n{PLAIN}\n"


def test_placeholders_are_counted_before_anything_is_parsed(path: Path) -> None:
    assert read_task_lines(path).placeholders == [0, 0, 0, 1, 0]


@pytest.mark.skipif(not has_native(), reason="nothing was compiled")
@pytest.mark.parametrize(
    "content",
    [b"a\n", b"\n\n", b"REPLACE_1\nREPLACEREPLACE REPLAC\n\nE\n", b"\xff\0 REPLACE\r\n" * 3, "ça\n".encode()],
)
def test_native_code_finds_the_same_lines(content: bytes) -> None:
    from anaphor._native import scan_lines

    assert scan_lines(content, b"REPLACE") == scanned(content)


@pytest.mark.parametrize(("line", "column", "what"), [(b"ab\xff", 3, "0xff"), (b"a\0", 2, "NUL")])
def test_a_line_that_is_not_text_is_an_error_when_it_is_parsed(
    path: Path, line: bytes, column: int, what: str
) -> None:
    path.write_bytes(path.read_bytes() + line + b"\n")
    text = read_task_lines(path)
    assert len([*text.segments(range(5))]) == 5
    with pytest.raises(UserError, match=what) as raised:
        [*text.segments(range(4, 6))]
    assert str(raised.value.where) == f"{path}:6:{column}"
