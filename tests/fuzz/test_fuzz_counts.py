"""The table of SECURITY.md says what was tried, when, and what was not run since the code changed."""

from __future__ import annotations

import math
import os
import shutil
import subprocess
import sys
from argparse import Namespace
from pathlib import Path
from random import Random

import pytest

from anaphor.core import InputError, LanguagePair, UserError
from tests.fuzz.__main__ import FAILED, REFUSED, Job, run_jobs
from tests.fuzz.code import ROOT, CalledCode, as_text, code_digest, from_text, loaded_constants
from tests.fuzz.counts import (
    CHANGED,
    Run,
    add_run,
    read_counts,
    table,
    table_in_page,
    write_table,
)
from tests.fuzz.harness import Reader
from tests.fuzz.mutations import mutated
from tests.fuzz.readers import READERS

CODE = ("src/anaphor/core/text.py", "native/hmm.hpp", "tests/fuzz/mutations.py")


def project(tmp_path: Path) -> Path:
    """A project with some files of code, the counts and the page."""
    for name in (*CODE, "src/anaphor/core/table.py", "SECURITY.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "tests/fuzz/counts.json").write_text("{}", encoding="utf-8")
    return tmp_path


def rows(page: str) -> dict[str, list[str]]:
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines()[2:]]
    return {cells[0]: cells[1:] for cells in lines}


def test_the_page_has_the_table_of_the_counts() -> None:
    """Up to the marks, which depend on the code of the day they were made."""
    made = table(read_counts(), READERS)
    assert table_in_page().replace(CHANGED, "") == made.replace(CHANGED, "")
    assert list(rows(made)) == [reader.name for reader in READERS]


def test_a_run_is_kept_with_its_day_and_marked_when_the_code_changes(tmp_path: Path) -> None:
    root, name = project(tmp_path), READERS[0].name
    write_table(READERS, root)
    assert rows(table_in_page(root))[name] == ["not run", "", "", "", "", "", "not run"]
    functions = (
        "native src/anaphor/core/text.py:LanguagePair.parse tests/fuzz/mutations.py:damaged_bytes,mutated"
    )
    run = Run(
        tried=1500,
        refused=1000,
        read=499,
        failed=1,
        date="2026-11-18",
        earlier=7000,
        code=code_digest(functions, root),
        functions=functions,
    )
    less: Run = {**run, "tried": 20, "failed": 0}
    add_run(name, run, sanitized=False, root=root)
    add_run(name, less, sanitized=True, root=root)
    write_table(READERS, root)
    numbers = ["1,500", "1,000", "499", "1"]
    sanitized = "20, nothing found, 2026-11-18"
    assert rows(table_in_page(root))[name] == [*numbers, "2026-11-18", "7,000", sanitized]
    assert (root / "SECURITY.md").read_text(encoding="utf-8").count("## How") == 1
    for file, more, changed in (
        ("native/hmm.hpp", "\nint more;\n", True),
        ("src/anaphor/core/text.py", "\nMORE = 1\n", True),
        ("tests/fuzz/mutations.py", "\nMORE = 1\n", True),
        ("src/anaphor/core/text.py", "\n# A comment.\n", False),
        ("src/anaphor/core/text.py", "\nimport json\ndef more(): json.dumps(1)\n", False),
        ("src/anaphor/core/table.py", "MORE = 1\n", False),
    ):
        before = (root / file).read_text(encoding="utf-8")
        (root / file).write_text(before + more, encoding="utf-8")
        write_table(READERS, root)
        mark = CHANGED if changed else ""
        marked = [*numbers, f"2026-11-18{mark}", "7,000", sanitized + mark]
        assert rows(table_in_page(root))[name] == marked, file
        (root / file).write_text(before, encoding="utf-8")


SOURCE = '''"""One."""
import json
from a import LIMIT, left

FIRST = 1

def called():
    "Two."
    return LIMIT

def other():
    return left(json)

class Both:
    size: int = 3

    def called(self):
        def inner():
            return 4
        return inner

    def other(self):
        return 5
'''


@pytest.mark.parametrize(
    ("before", "after", "changed"),
    [
        ('"""One."""', '"""Other."""\n# A comment.', False),
        ('"Two."', '"""Another."""', False),
        ("left(json)", "7", False),
        ("import json", "import sys", False),
        ("LIMIT, left", "LIMIT, right, left", False),
        ("return 5", "return 6", False),
        ("def other():", "def more(): pass\ndef other():", False),
        ("FIRST = 1", "FIRST = 2", True),
        ("return LIMIT", "return LIMIT + 1", True),
        ("from a import LIMIT", "from b import LIMIT", True),
        ("size: int = 3", "size: int = 4", True),
        ("return 4", "return 5", True),
        ("def called():", "def called_no_more():", True),
    ],
)
def test_what_was_not_called_does_not_change_the_code(
    tmp_path: Path, before: str, after: str, changed: bool
) -> None:
    digests = []
    assert SOURCE.count(before) == 1
    for text in (SOURCE, SOURCE.replace(before, after)):
        (tmp_path / "a.py").write_text(text, encoding="utf-8")
        digests.append(code_digest("a.py:Both.called,called", tmp_path))
    assert (digests[0] != digests[1]) == changed


def test_the_functions_that_a_reader_calls_are_noted() -> None:
    called, only_tests = CalledCode(), CalledCode(only_tests=True)
    for noted in (called, only_tests):
        with noted:
            LanguagePair.parse("en-fr")
            mutated(b"a b", Random(1))
            with pytest.raises(UserError):
                LanguagePair.parse("?")
    str(LanguagePair("en", "fr"))  # nobody notes it
    names = called.names()
    assert {"src/anaphor/core/text.py:LanguagePair.parse", "tests/fuzz/mutations.py:mutated"} <= names
    assert not any("__str__" in name or "fuzz/code" in name for name in names)
    assert only_tests.names() == {name for name in names if name.startswith("tests")}
    assert from_text(as_text(names)) >= names
    assert as_text(from_text(as_text(names))) == as_text(names)
    assert "src/anaphor/core/text.py" not in loaded_constants()


def test_the_command_goes_on_where_it_stopped_unless_the_code_has_changed(tmp_path: Path) -> None:
    root, name = project(tmp_path), "result store"

    def fuzz(mutations: int) -> Run:
        command = [sys.executable, "-m", "tests.fuzz", "--only", name, "--mutations", str(mutations)]
        printed = subprocess.run(
            [*command, "--write", str(root)], cwd=ROOT, check=True, capture_output=True, text=True
        ).stdout
        run: Run = read_counts(root)[name]["plain"]
        assert rows(table_in_page(root))[name][0] == f"{run['tried']:,}"
        assert run["tried"] == run["refused"] + run["read"]
        assert run["failed"] == 0
        assert (f"| {name} |" in printed) == (mutations not in tried)
        tried.append(run["tried"])
        return run

    tried: list[int] = []
    first = fuzz(20)
    assert first["code"] == code_digest(first["functions"])
    for path in ("src/anaphor/scale/result_store.py:ResultStore", "tests/fuzz/study_readers.py:_make_store"):
        assert path in first["functions"]
    assert "src/anaphor/cli/main.py" not in first["functions"]
    second = fuzz(50)
    assert (second["tried"], second["code"]) == (50, first["code"])
    assert fuzz(50) == second
    add_run(name, {**second, "code": "other"}, sanitized=False, root=root)
    tried.clear()
    assert fuzz(20) == {**first, "earlier": 50}


def test_a_mutation_that_ends_the_process_is_counted_and_the_rest_is_tried(tmp_path: Path) -> None:
    def make(folder: Path) -> None:
        (folder / "a").write_text("A text of some words.\n" * 4, encoding="utf-8")

    def read(folder: Path) -> None:
        data = (folder / "a").read_bytes()
        if len(data) % 7 == 0:
            os._exit(9)
        if data.count(b"\n") != 4:
            raise InputError("not four lines", where="a", fix="give four")

    options = Namespace(write=None, sanitized=False, first=0, seed=1, mutations=60)
    job = Job(Reader("crashing", make, read), options, tmp_path)
    run_jobs([job], at_once=1, until=math.inf)
    assert job.tried == 60
    assert 0 < job.crashes == int(job.counts[FAILED]) < 20
    assert job.counts[REFUSED]
