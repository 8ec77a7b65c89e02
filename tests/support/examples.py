"""The examples of the documentation, and how they are run."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
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


def updated(expected: str, found: str) -> str:
    """What a page should say: the expected lines with the figures that are printed now.

    A line that is no longer printed becomes the most similar one after the line before it, with `[...]` for
    the same intervals; lines of which nothing similar is left stay for a person to see.
    """
    printed, start, lines = found.strip("\n").split("\n"), 0, []
    for line in expected.split("\n"):
        if line in ("", "..."):
            lines.append(line)
            continue
        known = (at for at in range(start, len(printed)) if says(line, printed[at]))
        at = next(known, None)
        if at is None:
            at = max(range(start, len(printed)), key=lambda at: _likeness(line, printed[at]), default=None)
            if at is not None and _likeness(line, printed[at]) >= _SIMILAR:
                line = re.sub(r"\[[^\]]*\]", "[...]", printed[at]) if "[...]" in line else printed[at]
            else:
                at = None
        lines.append(line)
        start = start if at is None else at + 1
    return "\n".join(lines)


#: Lines are the same but for their figures if at least this part of them is.
_SIMILAR = 0.6


def _likeness(line: str, other: str) -> float:
    """From 0 to 1, figures counting alike."""
    first, second = (re.sub(r"\d+", "0", re.sub(r"\[[^\]]*\]", "[...]", text)) for text in (line, other))
    return SequenceMatcher(None, first, second, autojunk=False).ratio()
