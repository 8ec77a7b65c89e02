"""Document ids: a line a segment, or the segments where documents start."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from anaphor.core import InputError, MismatchError
from anaphor.corpus import read_documents

Write = Callable[..., Path]


@pytest.mark.parametrize(
    ("content", "segments", "documents"),
    [
        ("a\na\nb c\n", 3, ("a", "a", "b c")),
        ("7\n7\n3\n", 3, ("7", "7", "3")),
        ("a\nb\na\n", 3, ("a", "b", "a")),
        ("0\n", 1, ("0",)),
        ("0\n2\n", 4, ("document-0", "document-0", "document-1", "document-1")),
        ("0 talk one\n1\n3\ttalk-3 \n", 4, ("talk one", "document-1", "document-1", "talk-3")),
        ("0\n", 2, ("document-0", "document-0")),
    ],
)
def test_both_forms_give_every_segment_its_document(
    write: Write, content: str, segments: int, documents: tuple[str, ...]
) -> None:
    assert read_documents(write(content), segments=segments) == documents


def test_a_blank_id_is_refused(write: Write) -> None:
    path = write("a\n \nb\n")
    with pytest.raises(InputError, match="blank") as caught:
        read_documents(path, segments=3)
    assert str(caught.value.where) == f"{path}:2"


@pytest.mark.parametrize(
    ("content", "line", "what"),
    [
        ("a\nb\nc\nd\ne\n", 5, "the file has 5 lines"),
        ("a\nb\n", 1, "'a' is not a start line"),
        ("0\nb\n", 2, "'b' is not a start line"),
        ("0\n\n", 2, "'' is not a start line"),
        ("-1\n", 1, "'-1' is not a start line"),
        ("1\n2\n", 1, "starts at 1, not 0"),
        ("0\n2\n2\n", 3, "start 2 follows start 2"),
        ("0\n3\n2\n", 3, "start 2 follows start 3"),
        ("0\n4\n", 2, "start 4 lies past the last segment"),
        ("0 a\n2 a\n", 2, "is used twice"),
        ("0 document-1\n2\n", 2, "is used twice"),
        ("0\n" + "9" * 5000 + "\n", 2, "is not a start line"),
    ],
)
def test_everything_else_is_a_mismatch_that_explains_both_forms(
    write: Write, content: str, line: int, what: str
) -> None:
    path = write(content)
    with pytest.raises(MismatchError, match=what) as caught:
        read_documents(path, segments=4)
    assert str(caught.value.where) == f"{path}:{line}"
    assert "4 lines with a document id each" in caught.value.fix
    assert "`N id`" in caught.value.fix


def test_the_news_set_has_131_documents(data_dir: Path) -> None:
    # 131 documents over 4,954 lines, the second from line 47: the table of the data folder, and the file.
    documents = read_documents(data_dir / "news-en-fr-autoprf" / "doc-boundaries", segments=4954)
    assert len(documents) == 4954
    assert len(set(documents)) == 131
    assert documents[46:48] == ("document-0", "document-1")
