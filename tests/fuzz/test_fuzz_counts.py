"""The table of SECURITY.md says what was tried, when, and what was not run since the code changed."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

from tests.fuzz.counts import (
    CHANGED,
    ROOT,
    Run,
    add_run,
    code_digest,
    read_counts,
    table,
    table_in_page,
    write_table,
)
from tests.fuzz.readers import READERS


def project(tmp_path: Path) -> Path:
    """A project with two files of code, the counts and the page."""
    for name in ("src/anaphor/core/text.py", "native/hmm.hpp", "tests/fuzz/mutations.py", "SECURITY.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "tests/fuzz/counts.json").write_text("{}", encoding="utf-8")
    return tmp_path


def rows(page: str) -> dict[str, list[str]]:
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines()[2:]]
    return {cells[0]: cells[1:] for cells in lines}


def test_the_page_has_the_table_of_the_counts() -> None:
    """Up to the marks, which depend on the code of the day they were made."""
    made = table(read_counts(), READERS, code_digest())
    assert table_in_page().replace(CHANGED, "") == made.replace(CHANGED, "")
    assert list(rows(made)) == [reader.name for reader in READERS]


def test_a_run_is_kept_with_its_day_and_marked_when_the_code_changes(tmp_path: Path) -> None:
    root, name = project(tmp_path), READERS[0].name
    write_table(READERS, root)
    assert rows(table_in_page(root))[name] == ["not run", "", "", "", "", "not run"]
    run = Run(tried=1500, refused=1000, read=499, failed=1, date="2026-11-18", code=code_digest(root))
    add_run(name, run, sanitized=False, root=root)
    add_run(name, {**run, "tried": 20, "failed": 0}, sanitized=True, root=root)
    write_table(READERS, root)
    numbers = ["1,500", "1,000", "499", "1"]
    sanitized = "20, nothing found, 2026-11-18"
    assert rows(table_in_page(root))[name] == [*numbers, "2026-11-18", sanitized]
    assert (root / "SECURITY.md").read_text(encoding="utf-8").count("## How") == 1
    for file in ("native/hmm.hpp", "src/anaphor/core/text.py", "tests/fuzz/mutations.py"):
        before = (root / file).read_bytes()
        (root / file).write_bytes(before + b"\n")
        write_table(READERS, root)
        marked = [*numbers, f"2026-11-18{CHANGED}", sanitized + CHANGED]
        assert rows(table_in_page(root))[name] == marked, file
        (root / file).write_bytes(before)


def test_the_command_counts_what_it_tried(tmp_path: Path) -> None:
    root, name = project(tmp_path), "result file"
    command = [sys.executable, "-m", "tests.fuzz", "--only", name, "--mutations", "20", "--write", str(root)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (run,) = json.loads((root / "tests/fuzz/counts.json").read_text(encoding="utf-8"))[name].values()
    assert (run["tried"], run["refused"] + run["read"], run["failed"]) == (20, 20, 0)
    assert run["code"] == code_digest(root)
    assert rows(table_in_page(root))[name][0] == "20"
