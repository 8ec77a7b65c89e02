"""The examples of the documentation run, and print what the pages say.

Every page is one session in a folder of its own that holds the demo files; its blocks run in order. The
first word after a fence says what a block is; CONTRIBUTING.md explains the words to writers:

    console    `$ anaphor ...` lines, each followed by its output, stdout and stderr together
    python     code; names live on in the next blocks of the page
    output     what the code just before it prints
    others     not run; with a path as second word, the block is the content of that file

In expected output, `...` stands for any text inside a line and, alone on a line, for any lines. After a
change of scores or verdicts, bring the figures of pages up to date, and read what has changed:

    python -m tests.docs.test_docs_examples --write [README.md docs/index.md ...]
"""

from __future__ import annotations

import io
import math
import os
import shlex
import shutil
import sys
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from itertools import pairwise
from pathlib import Path

import pytest

from anaphor.cli import terminal
from anaphor.cli.main import main
from tests.support.examples import DEMO, ROOT, Block, Step, blocks, says, steps, updated

# The recipes of CONTRIBUTING.md change a copy of the package; `test_contributing.py` follows them.
PAGES = sorted({*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")} - {ROOT / "CONTRIBUTING.md"})

RUN = {"console", "python", "output"}
SHOWN = {"text", "toml", "sh", "json", "xml", "ini", "tsv", "latex"}


def run_command(step: Step) -> tuple[int, str]:
    """Exit code and output of a command that runs in this process."""
    printed = io.StringIO()
    with redirect_stdout(printed), redirect_stderr(printed):
        try:
            code = main(step.arguments)
        except SystemExit as stop:  # argparse leaves this way, for --help and for wrong usage
            code = int(stop.code or 0)
    return code, printed.getvalue()


def run_console(block: Block, place: str) -> None:
    for step in steps(block):
        code, found = run_command(step)
        shown = shlex.join(step.arguments)
        if not says(step.expected, found):
            pytest.fail(f"{place}: {shown}\nthe page says:\n{step.expected}\nbut it prints:\n{found}")
        assert bool(code) == ("error: " in step.expected), f"{place}: {shown} ends with exit code {code}"


def run_python(block: Block, names: dict[str, object], place: str) -> str:
    """What the code prints. Empty lines in front give tracebacks the line numbers of the page."""
    printed = io.StringIO()
    code = compile("\n" * block.line + block.text, place, "exec")
    with redirect_stdout(printed):
        exec(code, names)  # noqa: S102 - running the pages' code is the purpose
    return printed.getvalue()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_examples_print_what_the_page_says(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(DEMO, tmp_path, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.md", "__pycache__"))
    monkeypatch.chdir(tmp_path)
    # On a busy machine a command would show its progress, which no page expects.
    monkeypatch.setattr("anaphor.cli.terminal.LOG_EVERY", math.inf)
    names: dict[str, object] = {}
    printed = ""
    for block in blocks(page):
        place = f"{page.name}:{block.line}"
        match block.words:
            case ["console"]:
                run_console(block, place)
            case ["python"]:
                printed = run_python(block, names, place)
            case ["output"]:
                assert says(block.text, printed), f"{place}: the code before it prints:\n{printed}"
            case [_, path]:
                Path(path).parent.mkdir(parents=True, exist_ok=True)
                Path(path).write_text(block.text, encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_block_says_what_it_is(page: Path) -> None:
    found = list(blocks(page))
    for block in found:
        assert block.words, f"{page.name}:{block.line}: a fence without a word"
        assert block.words[0] in RUN | SHOWN, f"{page.name}:{block.line}: unknown word {block.words[0]}"
        assert len(block.words) <= (1 if block.words[0] in RUN else 2), f"{page.name}:{block.line}"
    kinds = ["", *(block.words[0] for block in found)]
    assert all(before == "python" for before, kind in pairwise(kinds) if kind == "output")


@pytest.mark.parametrize(
    ("expected", "found", "same"),
    [
        ("a\nb\n", "a\nb\n", True),
        ("a\nb\n", "a\nc\n", False),
        ("a\n", "a\nb\n", False),
        ("a\n...\n", "a\nb\nc\n", True),
        ("a\n...\nd\n", "a\nd\n", True),
        ("a\n...\nd\n", "a\nb\n", False),
        ("apt|...|version:1\n", "apt|x|version:1\n", True),
        ("apt|...|version:1\n", "apt|x\nversion:1\n", False),
        ("a.c\n", "abc\n", False),
        ("", "", True),
    ],
)
def test_the_comparison_itself(expected: str, found: str, same: bool) -> None:
    assert says(expected, found) is same


def test_figures_are_updated_and_nothing_else() -> None:
    page = "system   accept\nbaldur   84.2 [...]\ncormoran 81.6 [...]\n...\njudge 9 more\n"
    found = "en-fr\nsystem   accept\nbaldur   85.0 [80.1, 90.2]\ncormoran 79.3 [1, 2]\nx\njudge 10 more\n"
    assert updated(page, found) == (
        "system   accept\nbaldur   85.0 [...]\ncormoran 79.3 [...]\n...\njudge 10 more\n"
    )
    assert updated(page, page) == page


def write_page(page: Path) -> None:
    """Update what commands and code print on a page; says what a person has to look at."""
    text = page.read_text(encoding="utf-8")
    names: dict[str, object] = {}
    printed = ""
    for block in blocks(page):
        changes = []
        if block.words == ("console",):
            for step in steps(block):
                _, found = run_command(step)
                changes.append((step.expected, found))
        elif block.words == ("python",):
            printed = run_python(block, names, page.name)
        elif block.words == ("output",):
            changes.append((block.text, printed))
        elif len(block.words) == 2:
            Path(block.words[1]).parent.mkdir(parents=True, exist_ok=True)
            Path(block.words[1]).write_text(block.text, encoding="utf-8")
        for expected, found in changes:
            if not says(expected, found):
                new = updated(expected, found)
                text = text.replace(expected, new, 1)
                state = "updated" if says(new, found) else "TO BE DONE BY HAND"
                sys.stdout.write(f"{page.name}:{block.line}: {state}\n")
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__" and sys.argv[1:2] == ["--write"]:
    terminal.LOG_EVERY = math.inf  # no page shows the progress of a slow machine
    start = Path.cwd()
    chosen = [start / name for name in sys.argv[2:]] or PAGES
    for chosen_page in chosen:
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(DEMO, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.md"))
            os.chdir(folder)
            write_page(chosen_page)
            os.chdir(start)
