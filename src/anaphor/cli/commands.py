"""Verbs and commands that are imported only when they are chosen.

A verb is a module with `configure(parser)`, `run(options)` and, if it has any, EXAMPLES. `extend(parser,
arguments)`, if a verb defines it, adds options that depend on the arguments. A verb with several commands,
such as `anaphor task score`, has a table COMMANDS instead: each is a `Command` of the same module or, if the
table has only a summary, a module of the verb's package with the same functions.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any, NamedTuple, NoReturn

#: One letter for the options that are typed most often, in every command that has them.
SHORT = {
    "--source": "-s",
    "--reference": "-r",
    "--candidate": "-c",
    "--metrics": "-m",
    "--metric": "-m",
    "--output": "-o",
    "--pair": "-p",
}
#: The heading under which a help text shows, last, the options that few people need: those declared `rare`.
RARE = "less common options"
#: The heading of arguments without a dash.
POSITIONAL = "positional arguments"


class Command(NamedTuple):
    """One command of a verb; `run` returns an exit code, or None for 0."""

    summary: str
    configure: Callable[[CommandParser], None]
    run: Callable[[argparse.Namespace], int | None]
    examples: str = ""


class _Store(argparse.Action):
    """The argparse action for a value, except that lists accumulate: argparse silently keeps the last one."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,  # noqa: ARG002 - the signature is argparse's
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,  # noqa: ARG002
    ) -> None:
        before = getattr(namespace, self.dest, None)
        if isinstance(values, list | tuple) and before is not self.default and before is not None:
            values = type(values)([*before, *values])
        setattr(namespace, self.dest, values)


class OptionGroup:
    """Options under one heading of the help text, or mutually exclusive options.

    It adds them to a `container` of argparse and remembers them, because argparse cannot list them.
    """

    def __init__(self, heading: str, container: Any, *, below: OptionGroup | None = None) -> None:
        self.heading = heading
        self.actions: list[argparse.Action] = []
        #: Those of `actions` that the help text shows last.
        self.rare: list[argparse.Action] = []
        #: The groups below this one, of each of which at most one option may be given.
        self.exclusive: list[OptionGroup] = []
        self._container, self._below = container, below

    @property
    def required(self) -> bool:
        """Whether one of the options is required."""
        return bool(getattr(self._container, "required", False))

    @required.setter
    def required(self, value: bool) -> None:
        self._container.required = value

    def add_argument(self, *names: str, rare: bool = False, **how: Any) -> argparse.Action:
        """Declare an option as argparse does; few people need a `rare` one."""
        letters = []
        if how.get("action", "store") == "store":
            how["action"] = _Store
            letters = [SHORT[name] for name in names if name in SHORT and SHORT[name] not in names]
            if how.get("choices") is not None:
                how["type"] = _one_of(how["choices"], how.get("type", str), how.get("default"))
        action: argparse.Action = self._container.add_argument(*letters, *names, **how)
        self._remember(action, rare=rare)
        return action

    def _remember(self, action: argparse.Action, *, rare: bool) -> None:
        self.actions.append(action)
        if rare:
            self.rare.append(action)
        if self._below is not None:
            self._below._remember(action, rare=rare)

    def add_mutually_exclusive_group(self, *, required: bool = False) -> OptionGroup:
        container = self._container.add_mutually_exclusive_group(required=required)
        group = OptionGroup(self.heading, container, below=self)
        self.exclusive.append(group)
        return group


class CommandGroup:
    """The commands below a parser."""

    heading = POSITIONAL

    def __init__(self, parser: CommandParser, *, dest: str, metavar: str) -> None:
        self.dest, self.metavar = dest, metavar
        #: Each with its parser and its line of help.
        self.commands: dict[str, tuple[CommandParser, str]] = {}
        self._prog = parser.prog

    def add_parser(self, name: str, *, help: str, command: str | Command | None = None) -> CommandParser:
        child = CommandParser(
            prog=f"{self._prog} {name}", description=f"{help[0].upper()}{help[1:]}.", command=command
        )
        self.commands[name] = (child, help)
        return child


class _Parser(argparse.ArgumentParser):
    """Parses the options of one command; what it prints is that command's."""

    def __init__(self, command: CommandParser) -> None:
        super().__init__(prog=command.prog, add_help=False)
        self._of = command

    def error(self, message: str) -> NoReturn:
        self._of.error(message)

    def print_help(self, file: Any = None) -> None:
        print(self._of.format_help(), end="", file=file)


class CommandParser:
    """One command, or its subcommands. It is imported when arguments reach it: `--help` stays fast."""

    def __init__(
        self, *, prog: str, description: str = "", epilog: str = "", command: str | Command | None = None
    ) -> None:
        self.prog, self.description, self.epilog = prog, description, epilog
        self.group: CommandGroup | None = None
        self._parser = _Parser(self)
        self._own = OptionGroup("options", self._parser)
        self._groups = [self._own]
        self.add_argument("-h", "--help", action="help", help="show this help message and exit")
        # Suppressed, so that it can stand before the name of the command as well as after it.
        what = "print no progress and no notes on standard error"
        self.add_argument("-q", "--quiet", action="store_true", default=argparse.SUPPRESS, help=what)
        #: What `load` has still to add: a command, or the name of a module.
        self._command = command
        self._extend: Callable[[CommandParser, Sequence[str]], None] | None = None

    def load(self) -> None:
        """Import the command and add its options; further calls do nothing."""
        if self._command is None:
            return
        command, self._command = self._command, None
        if isinstance(command, str):
            module = import_module(command)
            self.epilog = getattr(module, "EXAMPLES", self.epilog)
            if hasattr(module, "COMMANDS"):
                self.add_commands(command, module.COMMANDS, placeholder="COMMAND")
            else:
                self._extend = getattr(module, "extend", None)
                module.configure(self)
                self.set_defaults(run=module.run)
        else:
            self.epilog = command.examples or self.epilog
            command.configure(self)
            self.set_defaults(run=command.run)
        for child, _ in self.commands.values():
            child.epilog = child.epilog or _examples_of(child.prog, self.epilog)

    def load_all(self) -> None:
        """Import this command and every one below it; documentation walks the whole tree."""
        self.load()
        for child, _ in self.commands.values():
            child.load_all()

    def add_argument(self, *names: str, rare: bool = False, **how: Any) -> argparse.Action:
        """Declare an option or a positional argument as argparse does."""
        return self._own.add_argument(*names, rare=rare, **how)

    def add_mutually_exclusive_group(self, *, required: bool = False) -> OptionGroup:
        """Mutually exclusive options."""
        return self._own.add_mutually_exclusive_group(required=required)

    def add_argument_group(self, title: str) -> OptionGroup:
        """Options under a separate heading."""
        group = OptionGroup(title, self._parser.add_argument_group(title))
        self._groups.append(group)
        return group

    def set_defaults(self, **values: Any) -> None:
        """Values of the result that no option has set."""
        self._parser.set_defaults(**values)

    def add_subparsers(self, *, dest: str, metavar: str) -> CommandGroup:
        """Subcommands; the name of the chosen one is `dest` of the result."""
        self.group = CommandGroup(self, dest=dest, metavar=metavar)
        return self.group

    def add_commands(self, package: str, commands: Mapping[str, str | Command], *, placeholder: str) -> None:
        """One parser per command: a `Command`, or the one-line summary of a module of `package`."""
        group = self.add_subparsers(dest=placeholder.lower(), metavar=placeholder)
        for name, command in commands.items():
            if isinstance(command, str):
                group.add_parser(name, help=command, command=f"{package}.{name}")
            else:
                group.add_parser(name, help=command.summary, command=command)

    @property
    def commands(self) -> Mapping[str, tuple[CommandParser, str]]:
        """The commands below this one, each with its parser and its line of help."""
        return {} if self.group is None else self.group.commands

    def actions(self) -> list[argparse.Action]:
        """Every option and positional argument."""
        return [action for group in self._groups for action in group.actions]

    def exclusive(self) -> list[OptionGroup]:
        """Groups of mutually exclusive options."""
        return [inner for group in self._groups for inner in group.exclusive]

    def sections(self) -> list[tuple[str, list[argparse.Action]]]:
        """The options under the headings of the help text."""
        rare = [action for group in self._groups for action in group.rare]
        shown = [(group.heading, [a for a in group.actions if a not in rare]) for group in self._groups]
        own = shown.pop(0)[1]
        positional = [action for action in own if not action.option_strings]
        options = [action for action in own if action.option_strings]
        first = [(POSITIONAL, positional), ("options", options)]
        return [(heading, actions) for heading, actions in (*first, *shown, (RARE, rare)) if actions]

    def parse_args(
        self, arguments: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> argparse.Namespace:
        """Parse the arguments; a mistake ends the process with a short usage and the problem."""
        self.load()
        words = sys.argv[1:] if arguments is None else list(arguments)
        if self._extend is not None:
            self._extend(self, words)
            self._extend = None
        if self.group is None:
            return self._parse(words, namespace)
        # Before the name of a command there are only options without a value.
        place = next((at for at, word in enumerate(words) if not word.startswith("-")), len(words))
        parsed = self._parse(words[:place], namespace)
        if place == len(words):
            self.error(f"choose one: {', '.join(self.commands)}")
        name = words[place]
        if name not in self.commands:
            self.error(f"argument {self.group.metavar}: {_unknown(name, self.commands)}")
        setattr(parsed, self.group.dest, name)
        return self.commands[name][0].parse_args(words[place + 1 :], parsed)

    def _parse(self, words: Sequence[str], namespace: argparse.Namespace | None) -> argparse.Namespace:
        parsed, unknown = self._parser.parse_known_args(words, namespace)
        if unknown:
            name = unknown[0].partition("=")[0]
            kind = "option" if name.startswith("-") else "argument"
            known = [option for action in self.actions() for option in action.option_strings]
            self.error(f"unknown {kind}: {name}{_suggestion(name, known)}")
        return parsed

    def error(self, message: str) -> NoReturn:
        """A short usage, the problem, and where to find help."""
        print(self.format_usage(), end="", file=sys.stderr)
        print(f"{self.prog}: error: {message}", file=sys.stderr)
        print(f"`{self.prog} --help` lists the options and has examples", file=sys.stderr)
        sys.exit(2)

    def format_usage(self) -> str:
        """One line with the required arguments."""
        from anaphor.cli.help_text import usage

        return usage(self)

    def format_help(self) -> str:
        """The full help of the command."""
        from anaphor.cli.help_text import help_text

        self.load()
        return help_text(self)


def _one_of(choices: Iterable[Any], kind: Callable[[str], Any], default: object) -> Callable[[str], Any]:
    """The type of an option with a fixed set of values, and a default that need not be one of them."""
    known = list(choices)

    def parse(text: str) -> Any:
        try:
            value = kind(text)
        except ValueError:
            value = None
        if value not in known and value != default:
            raise argparse.ArgumentTypeError(_unknown(text, map(str, known)))
        return value

    return parse


def _unknown(word: str, known: Iterable[str]) -> str:
    names = list(known)
    return f"unknown {word!r}{_suggestion(word, names)} (choose from {', '.join(names)})"


def _examples_of(command: str, text: str) -> str:
    """The examples of one command among those of the verb above it."""
    examples: list[str] = []
    for line in text.splitlines():
        if f"{line} ".startswith(f"  {command} ") or (examples and examples[-1].endswith("\\")):
            examples.append(line)
    return "\n".join(["examples:", *examples]) if examples else ""


def _suggestion(name: str, known: Iterable[str]) -> str:
    from anaphor.core.errors import did_you_mean

    suggestion = did_you_mean(name, known).strip()
    return f"; {suggestion}" if suggestion else ""
