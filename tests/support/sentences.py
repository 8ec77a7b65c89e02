"""Draw sentences at random from pages, messages and docstrings, to judge their English.

python -m tests.support.sentences --seed 1 --each 40
"""

from __future__ import annotations

import argparse
import ast
import random
import re
from collections.abc import Iterator
from pathlib import Path

from anaphor.cli.commands import CommandParser
from tests.support.code import tree_of
from tests.support.parser import whole_parser

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SOURCE = ROOT / "src"
FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)

#: A full stop, colon or the like before a capital letter, a mark or a quotation.
END = re.compile(r"(?<=[.!?])\s+(?=[A-Z`*“(])")
FEWEST_WORDS = 5
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def prose_of(page: Path) -> str:
    """The text of a page as one line, without blocks of code, comments and names in backticks."""
    text = COMMENT.sub("", FENCE.sub("", page.read_text(encoding="utf-8")))
    return " ".join(re.sub(r"`[^`\n]*`", "`code`", text).split())


def help_texts(parser: CommandParser, summary: str = "") -> Iterator[tuple[str, str]]:
    """Every command with all that its help says in words."""
    lines = [summary, parser.description or "", parser.epilog or ""]
    yield (
        parser.prog,
        " ".join(" ".join([*lines, *(action.help or "" for action in parser.actions())]).split()),
    )
    for child, text in parser.commands.values():
        yield from help_texts(child, text)


def message_texts() -> Iterator[tuple[str, str]]:
    """Every module with the literals that its errors and warnings are built from."""
    for path in sorted(SOURCE.rglob("*.py")):
        parts: list[str] = []
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Call) and re.search(r"Error$|warn$|error$", ast.unparse(node.func)):
                values = (*node.args, *(keyword.value for keyword in node.keywords))
                parts += [
                    ast.unparse(part) for part in values if isinstance(part, ast.Constant | ast.JoinedStr)
                ]
        yield str(path.relative_to(SOURCE)), "\n".join(parts)


def from_pages() -> Iterator[str]:
    for page in PAGES:
        yield from END.split(re.sub(r"\|[-:| ]+\|", " ", prose_of(page)))


def from_docstrings() -> Iterator[str]:
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(tree_of(path)):
            if isinstance(node, DOCUMENTED):
                text = (ast.get_docstring(node) or "").split("\n\n")
                yield from (sentence for part in text for sentence in END.split(" ".join(part.split())))


def from_messages() -> Iterator[str]:
    """What errors say, as the literals passed to them, and every line of help."""
    for _, text in help_texts(whole_parser()):
        yield from END.split(text)
    for _, text in message_texts():
        yield from text.split("\n")


def draw(sentences: Iterator[str], size: int, seed: int) -> list[str]:
    """Distinct sentences of at least a few words."""
    known = sorted({text for text in sentences if len(text.split()) >= FEWEST_WORDS})
    return random.Random(seed).sample(known, size)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--each", type=int, default=40)
    options = parser.parse_args()
    for name, source in (("pages", from_pages), ("messages", from_messages), ("docstrings", from_docstrings)):
        print(f"\n# {name} of {ROOT.name}\n")  # noqa: T201
        for number, sentence in enumerate(draw(source(), options.each, options.seed), 1):
            print(f"{number}. {sentence}")  # noqa: T201


if __name__ == "__main__":
    main()
