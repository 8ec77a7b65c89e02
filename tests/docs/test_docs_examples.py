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
import re
import shlex
import shutil
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

import pytest

from anaphor.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
# The recipes of CONTRIBUTING.md change a copy of the package; `test_contributing.py` follows them.
PAGES = sorted({*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")} - {ROOT / "CONTRIBUTING.md"})
DEMO = Path(str(files("anaphor") / "demo"))

RUN = {"console", "python", "output"}
SHOWN = {"text", "toml", "sh", "json", "xml", "ini", "tsv", "latex"}


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: the words after its fence, its content, and the line number of its fence."""

    words: tuple[str, ...]
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Step:
    """A command and the output that follows it on the page."""

    arguments: tuple[str, ...]
    expected: str


def blocks(page: Path) -> Iterator[Block]:
    """All fenced blocks. A fence stands at the start of its line, so that none is overlooked."""
    lines = page.read_text(encoding="utf-8").split("\n")
    fences = [i for i, line in enumerate(lines) if line.lstrip().startswith("```")]
    assert len(fences) % 2 == 0, f"{page.name}: a fence is not closed"
    for start, end in zip(fences[::2], fences[1::2], strict=True):
        assert lines[start].startswith("```"), f"{page.name}:{start + 1}: an indented fence"
        assert lines[end] == "```", f"{page.name}:{end + 1}: not the end of a block"
        content = "".join(f"{line}\n" for line in lines[start + 1 : end])
        yield Block(tuple(lines[start][3:].split()), content, start + 1)


def steps(block: Block) -> Iterator[Step]:
    """The commands of a console block; a backslash at the end of a line continues a command."""
    parts = re.split(r"^\$ ((?:.*\\\n)*.*)\n", block.text, flags=re.MULTILINE)
    assert len(parts) > 1, f"line {block.line}: no command"
    assert not parts[0], f"line {block.line}: text before the first command"
    for command, expected in zip(parts[1::2], parts[2::2], strict=True):
        program, *arguments = shlex.split(command.replace("\\\n", ""))
        assert program == "anaphor", f"line {block.line}: only anaphor runs in a console block"
        yield Step(tuple(arguments), expected)


def says(expected: str, found: str) -> bool:
    pattern = "".join(
        r"(?:.*\n)*?" if line == "..." else re.escape(line).replace(r"\.\.\.", ".*") + r"\n"
        for line in expected.strip("\n").split("\n")
    )
    return re.fullmatch(pattern, found.strip("\n") + "\n") is not None


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
