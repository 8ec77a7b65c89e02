"""The examples of the documentation, and how they are run."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

DEMO = Path(str(files("anaphor") / "demo"))


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
