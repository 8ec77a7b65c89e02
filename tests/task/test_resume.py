"""Finished parts survive an interruption, damaged ones are made again."""

from __future__ import annotations

from pathlib import Path

import pytest

from anaphor.core import OptionError
from anaphor.task.prepare.part_store import PartReport, PartStore, sum_reports

KINDS = ("segments", "documents")
REPORT = PartReport(2, {"one side is empty": 1}, {"il": 2}, {"il": 1}, {"linked": 1}, ("a note",))


def opened(tmp_path: Path, job: str = "job-1") -> PartStore:
    return PartStore(tmp_path / "out.tsv", job=job, suffixes=KINDS)


def test_a_kept_part_is_found_by_the_next_run(tmp_path: Path) -> None:
    opened(tmp_path).keep(0, (b"a\n", b"d\n"), REPORT)
    again = opened(tmp_path)
    assert again.finished(0) == REPORT
    assert again.finished(1) is None


def test_another_job_starts_afresh(tmp_path: Path) -> None:
    opened(tmp_path).keep(0, (b"a\n", b"d\n"), REPORT)
    assert opened(tmp_path, job="job-2").finished(0) is None


@pytest.mark.parametrize(
    ("file", "content"),
    [("000000.segments", "b\n"), ("000000.json", "{"), ("000000.json", "[]"), ("000000.json", "{}")],
)
def test_a_damaged_part_is_not_finished(tmp_path: Path, file: str, content: str) -> None:
    parts = opened(tmp_path)
    parts.keep(0, (b"a\n", b"d\n"), REPORT)
    (parts.folder / file).write_text(content, encoding="utf-8")
    assert parts.finished(0) is None


def test_joining_writes_all_parts_in_order_and_removes_the_folder(tmp_path: Path) -> None:
    parts = opened(tmp_path)
    parts.keep(1, (b"b\n", b"e\n"), REPORT)
    parts.keep(0, (b"a\n", b"d\n"), REPORT)
    parts.join(2, [tmp_path / "out.tsv", tmp_path / "out.doc-ids"])
    assert (tmp_path / "out.tsv").read_bytes() == b"a\nb\n"
    assert (tmp_path / "out.doc-ids").read_bytes() == b"d\ne\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.doc-ids", "out.tsv"]


def test_a_folder_that_cannot_be_created_is_a_user_error(tmp_path: Path) -> None:
    (tmp_path / "out.tsv.parts").write_text("not a folder", encoding="utf-8")
    with pytest.raises(OptionError, match="cannot be written"):
        opened(tmp_path)


def test_reports_add_up_and_keep_each_note_once() -> None:
    twice = sum_reports([REPORT, REPORT])
    assert (twice.segments, twice.after, twice.notes) == (4, {"il": 2}, ("a note",))
    assert PartReport.from_json(twice.to_dict()) == twice
