"""The reference of the command line, `docs/cli.md`, is what the parser says.

The part of the page below the mark is made by this file, from the options themselves and not from
argparse's help text, whose wording differs between versions of Python. To rewrite it:

    python -m tests.docs.test_docs_cli --write
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from anaphor.cli.commands import POSITIONAL, CommandParser
from tests.support.parser import whole_parser

PAGE = Path(__file__).resolve().parents[2] / "docs" / "cli.md"
MARK = "<!-- What follows is generated from the parser: python -m tests.docs.test_docs_cli --write -->\n"
DEFAULT = re.compile(r"(?: \()?default:? (?P<value>[^)]*)\)?")

#: An option that this many commands have with the same meaning is described once.
SHARED_BY = 2

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


def name_of(action: Action) -> str:
    return " ".join(filter(None, [", ".join(action.option_strings), value_of(action)]))


def entry(action: Action) -> str:
    """An argument, its meaning and its default in one line of a list."""
    default = default_of(action)
    # A default that no literal value can express, such as "the first system", stays in the description.
    meaning = DEFAULT.sub("", action.help or "") if default else action.help or ""
    notes = [f"default `{default}`"] if default else []
    if action.required and action.option_strings:
        notes.append("required")
    return f"- `{name_of(action)}`: {meaning}" + (f" ({', '.join(notes)})" if notes else "") + "\n"


@cache
def shared() -> dict[str, str]:
    """Options with the same meaning in most of several commands, and their entries: described once."""
    entries: dict[str, Counter[str]] = {}
    for parser, _ in parsers(whole_parser()):
        for action in arguments(parser):
            if action.option_strings:
                entries.setdefault(action.option_strings[-1], Counter())[entry(action)] += 1
    common = {option: (*found.most_common(1)[0], found.total()) for option, found in sorted(entries.items())}
    return {
        option: text
        for option, (text, times, everywhere) in common.items()
        if times >= SHARED_BY and 2 * times > everywhere
    }


def is_shared(action: Action) -> bool:
    return bool(action.option_strings) and shared().get(action.option_strings[-1]) == entry(action)


def listed(actions: Sequence[Action]) -> str:
    """A list of arguments; those that are described above are named on one line."""
    text = "".join(entry(action) for action in actions if not is_shared(action))
    if also := [f"`{action.option_strings[-1]}`" for action in actions if is_shared(action)]:
        text += f"- [shared](#shared-options): {', '.join(also)}\n"
    return text


def remarks(parser: CommandParser) -> str:
    """The text below the options, without the examples, which the help text of the command shows."""
    lines = (parser.epilog or "").split("\n")
    return "\n".join(line for line in lines if line != "examples:" and not line.startswith("  ")).strip("\n")


def section(parser: CommandParser, summary: str) -> str:
    """Heading, a list for each group of options, remarks."""
    level = "###" if len(parser.prog.split()) > 2 else "##"
    # The lists of verbs and commands above have the other summaries already.
    parts = [f"{level} {parser.prog}\n", *([f"{summary}\n"] if parser.prog == "anaphor" else [])]
    if parser.commands:
        parts.append("".join(f"- `{name}`: {text}\n" for name, (_, text) in parser.commands.items()))
    shown = arguments(parser)
    titled = [section for section in parser.sections() if section[0] not in (POSITIONAL, "options")]
    grouped = [action for _, actions in titled for action in actions]
    if plain := [action for action in shown if action not in grouped]:
        parts.append(listed(plain))
    for title, actions in titled:
        parts += [f"**{title[:1].upper()}{title[1:]}**\n", listed(actions)]
    if below := remarks(parser):
        parts.append(f"{below}\n")
    return "\n".join(parts)


def generated() -> str:
    note = "Commands list these options under *shared*."
    first = f"\n## Shared options\n\n{note}\n\n{''.join(shared().values())}\n"
    return first + "\n".join(section(*entry) for entry in parsers(whole_parser()))


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
