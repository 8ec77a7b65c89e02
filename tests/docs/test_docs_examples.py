"""The examples of the documentation run, and print what the pages say.

Every page is one session in a folder of its own that holds the demo files; its blocks run in order. The
first word after a fence says what a block is; CONTRIBUTING.md explains the words to writers:

    console    `$ anaphor ...` lines, each followed by its output, stdout and stderr together
    python     code; names live on in the next blocks of the page
    output     what the code just before it prints
    others     not run; with a path as second word, the block is the content of that file

In expected output, `...` stands for any text inside a line and, alone on a line, for any lines.
"""

from __future__ import annotations

import io
import math
import shlex
import shutil
from contextlib import redirect_stderr, redirect_stdout
from itertools import pairwise
from pathlib import Path

import pytest

from anaphor.cli.main import main
from tests.support.examples import DEMO, ROOT, Block, Step, blocks, says, steps

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
