"""The reference of the command line, `docs/cli.md`, is what the parser says.

The part of the page below the mark is made by this file, from the options themselves and not from
argparse's help text, whose wording differs between versions of Python. To rewrite it:

    python -m tests.docs.test_docs_cli --write
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from anaphor.cli.commands import POSITIONAL, CommandParser
from tests.support.parser import whole_parser

PAGE = Path(__file__).resolve().parents[2] / "docs" / "cli.md"
MARK = "<!-- What follows is made from the parser: python -m tests.docs.test_docs_cli --write -->\n"
DEFAULT = re.compile(r"(?: \()?default:? (?P<value>[^)]*)\)?")

Action = argparse.Action


def parsers(parser: CommandParser, summary: str = "") -> Iterator[tuple[CommandParser, str]]:
    """A parser and what it is for, then those of its verbs, depth first."""
    yield parser, parser.description or f"{summary[:1].upper()}{summary[1:]}."
    for child, text in parser.commands.values():
        yield from parsers(child, text)


def arguments(parser: CommandParser) -> list[Action]:
    """What a user can write after the verb; `--help` and `--quiet` are everywhere and not listed."""
    return [action for action in parser.actions() if action.dest not in ("help", "quiet")]


def value_of(action: Action) -> str:
    """What stands behind an option, such as `FILE ...` or `{error,drop}`."""
    if action.nargs == 0:
        return ""
    name = action.metavar or (action.dest.upper() if action.choices is None else None)
    choices = "{" + ",".join(map(str, action.choices or ())) + "}"
    return f"{name or choices}{' ...' if action.nargs == '+' else ''}"


def default_of(action: Action) -> str:
    """The default as one would write it; nothing where there is none."""
    default = action.default
    if default is None or default is argparse.SUPPRESS or isinstance(default, bool):
        return ""
    if isinstance(default, list):
        return " ".join(map(str, default))
    if isinstance(default, tuple):
        return ",".join(f"{number:g}" for number in default)
    return str(default)


def row(action: Action) -> str:
    name = " ".join(filter(None, [", ".join(action.option_strings), value_of(action)]))
    default = "required" if action.required and action.option_strings else default_of(action)
    # A default that no literal value can express, such as "the first system", stays in the description.
    meaning = DEFAULT.sub("", action.help or "") if default_of(action) else action.help or ""
    cells = (f"`{name}`", f"`{default}`" if default not in ("", "required") else default, meaning)
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |\n"


def table(actions: Sequence[Action]) -> str:
    return "| argument | default | meaning |\n|---|---|---|\n" + "".join(map(row, actions))


def section(parser: CommandParser, summary: str) -> str:
    """Heading, summary, a table for each group of options, examples."""
    parts = [f"## {parser.prog}\n", f"{summary}\n"]
    if parser.commands:
        lines = [f"| `{name}` | {text} |\n" for name, (_, text) in parser.commands.items()]
        parts.append("| verb | what it does |\n|---|---|\n" + "".join(lines))
    shown = arguments(parser)
    titled = [section for section in parser.sections() if section[0] not in (POSITIONAL, "options")]
    grouped = [action for _, actions in titled for action in actions]
    if plain := [action for action in shown if action not in grouped]:
        parts.append(table(plain))
    for title, actions in titled:
        parts += [f"### {parser.prog}: {title}\n", table(actions)]
    if parser.epilog:
        parts.append(f"```text\n{parser.epilog}\n```\n")
    return "\n".join(parts)


def generated() -> str:
    return "\n" + "\n".join(section(*entry) for entry in parsers(whole_parser()))


def test_the_page_says_what_the_parser_says() -> None:
    _, mark, rest = PAGE.read_text(encoding="utf-8").partition(MARK)
    assert mark, f"{PAGE.name} has lost its mark"
    assert rest == generated(), "run: python -m tests.docs.test_docs_cli --write"


def test_every_verb_and_option_is_explained() -> None:
    commands = list(parsers(whole_parser()))
    assert commands
    for parser, _ in commands:
        assert all(text for _, text in parser.commands.values())
        options = [action for action in arguments(parser) if action.option_strings]
        assert not [action.dest for action in options if not action.help]


def test_a_default_named_in_a_help_text_is_the_real_one() -> None:
    commands = list(parsers(whole_parser()))
    assert commands
    for parser, _ in commands:
        for action in arguments(parser):
            if (named := DEFAULT.search(action.help or "")) and default_of(action):
                assert named["value"] == default_of(action), action.option_strings


if __name__ == "__main__" and sys.argv[1:] == ["--write"]:
    written, _, _ = PAGE.read_text(encoding="utf-8").partition(MARK)
    PAGE.write_text(written + MARK + generated(), encoding="utf-8")
