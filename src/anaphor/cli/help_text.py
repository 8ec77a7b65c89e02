"""The help text and the usage of a command: a hanging indent, rare options last, examples at the end."""

from __future__ import annotations

import argparse
import shutil
import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from anaphor.cli.commands import CommandParser

#: The column in which explanations start, unless all names are short.
_COLUMN = 24
#: Explanations are never narrower than this, however narrow the terminal.
_NARROWEST = 11


def usage(parser: CommandParser) -> str:
    """Required arguments and options with a letter, and `[options]` for the rest."""
    options, positionals = [], []
    needed = [group for group in parser.exclusive() if group.required]
    for action in sorted(parser.actions(), key=lambda action: not action.required):
        group = next((group for group in needed if action in group.actions), None)
        value = f" {_value(action)}" if takes_value(action) else ""
        if not action.option_strings:
            positionals.append(_value(action))
        elif group is not None:
            members = (f"{option.option_strings[0]} {_value(option)}".rstrip() for option in group.actions)
            if action is group.actions[0]:
                options.append(f"({' | '.join(members)})")
        elif action.required:
            options.append(f"{action.option_strings[0]}{value}")
        elif value and not action.option_strings[0].startswith("--"):
            options.append(f"[{action.option_strings[0]}{value}]")
    if parser.group is not None:
        positionals.append(f"{parser.group.metavar} ...")
    start = f"usage: {parser.prog}"
    line, lines = start, []
    for part in (*options, *positionals, "[options]"):
        if len(line) + 1 + len(part) > _width() and line.strip():
            lines.append(line)
            line = " " * len(start)
        line = f"{line} {part}"
    return "\n".join([*lines, line, ""])


def help_text(parser: CommandParser) -> str:
    """The full help of a command."""
    sections = parser.sections()
    names = [_names(action) for _, actions in sections for action in actions]
    width = _width()
    column = min(_COLUMN, max(width - 20, 4), max([len(name) for name in (*names, *parser.commands)]) + 4)

    def entry(name: str, explanation: str, indent: int) -> Iterator[str]:
        name = " " * indent + name
        lines = textwrap.wrap(explanation, max(width - column, _NARROWEST))
        if lines and len(name) + 2 <= column:
            yield f"{name:{column}}{lines.pop(0)}"
        else:
            yield name
        yield from (" " * column + line for line in lines)

    parts = [usage(parser), f"{parser.description}\n"]
    if parser.group is not None:
        lines = [f"{parser.group.heading}:", f"  {parser.group.metavar}"]
        for name, (_, summary) in parser.commands.items():
            lines += entry(name, summary, 4)
        parts.append("\n".join([*lines, ""]))
    for heading, actions in sections:
        lines = [f"{heading}:"]
        for action in actions:
            explanation = (action.help or "") % {**vars(action), "prog": parser.prog}
            lines += entry(_names(action), " ".join(explanation.split()), 2)
        parts.append("\n".join([*lines, ""]))
    if parser.epilog:
        parts.append(f"{parser.epilog}\n")
    return "\n".join(parts)


def takes_value(action: argparse.Action) -> bool:
    """Whether an option takes a value."""
    return action.nargs != 0


def _names(action: argparse.Action) -> str:
    """`-s, --source FILE`, or the name of a positional argument."""
    if not action.option_strings:
        return _word(action)
    names = ", ".join(action.option_strings)
    return f"{names} {_value(action)}" if takes_value(action) else names


def _value(action: argparse.Action) -> str:
    """The value of an option, such as `FILE ...` or `{error,drop}`."""
    if not takes_value(action):
        return ""
    word = _word(action)
    if isinstance(action.nargs, int):
        return " ".join([word] * action.nargs)
    return {"+": f"{word} ...", "*": f"[{word} ...]", "?": f"[{word}]"}.get(action.nargs or "", word)


def _word(action: argparse.Action) -> str:
    if action.metavar is not None:
        return action.metavar if isinstance(action.metavar, str) else " ".join(action.metavar)
    if action.choices is not None:
        return "{" + ",".join(map(str, action.choices)) + "}"
    return action.dest.upper() if action.option_strings else action.dest


def _width() -> int:
    return shutil.get_terminal_size().columns - 2
