"""Damaged files: whatever the bytes are, the readers give segments or an error in three parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphor.core import LanguagePair, TaskSegment, UserError
from anaphor.task import format_segment, read_predictions, read_task, task_classes

T = TypeVar("T")

pytestmark = pytest.mark.filterwarnings("ignore::anaphor.core.InputWarning")

EN_FR = task_classes(LanguagePair("en", "fr"))
GOOD = (
    b"ce OTHER\tce|PRON qui|PRON\tIt pays . It waits .\tREPLACE_0 payer|VER REPLACE_3 .|.\t0-0 1-1 3-2\n"
    b"\t\tThank you .\tmerci|NOM .|.\t0-0\n"
)
PIECES = st.sampled_from(
    [
        b"\t",
        b"\n",
        b"\r\n",
        b" ",
        b"\0",
        b"\xff",
        b"\xef\xbb\xbf",
        b"REPLACE_",
        b"REPLACE_9",
        b"9-9",
        b"-",
        "ça".encode(),
    ]
)


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A good file in which some stretches were replaced."""
    content = GOOD
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(content)))
        end = min(len(content), start + draw(st.integers(0, 6)))
        content = content[:start] + draw(PIECES | st.binary(max_size=4)) + content[end:]
    return content


def read_or_refused(read: Callable[[Path], Iterator[T]], content: bytes) -> list[T] | UserError:
    """What a reader makes of a file with this content."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(content)
        try:
            return list(read(path))
        except UserError as error:
            return error


def segments_of(path: Path) -> Iterator[TaskSegment]:
    return read_task(path, classes=EN_FR)


@given(damaged())
def test_a_damaged_file_is_read_or_refused_with_a_place(content: bytes) -> None:
    found = read_or_refused(segments_of, content)
    if isinstance(found, UserError):
        assert found.where.line is not None or not content
        assert found.fix
    else:
        # What was taken is well formed: it can be written and read again.
        lines = "".join(f"{format_segment(segment)}\n" for segment in found)
        assert read_or_refused(segments_of, lines.encode()) == found


@given(damaged() | st.binary(max_size=30))
def test_damaged_predictions_are_read_or_refused_with_a_place(content: bytes) -> None:
    found = read_or_refused(lambda path: read_predictions(path, classes=EN_FR), content)
    if isinstance(found, UserError):
        # Another kind of file, such as UTF-16, is wrong as a whole.
        assert found.where.line is not None or found.what.startswith("the file is not plain text")
    else:
        assert {label for line in found for label in line} <= set(EN_FR.classes)
