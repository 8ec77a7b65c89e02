"""Verbs and commands that are imported only when they are chosen.

A verb is a module with `configure(parser)`, `run(options)` and, if it has any, EXAMPLES. `extend(parser,
arguments)`, where a verb has it, adds options that depend on the arguments. A verb with several commands,
such as `anaphor task score`, has a table COMMANDS instead: each is a `Command` of the same module or, where
the table has only its summary, a module of the verb's package with the same functions.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
#: Options that few people need, in any command: help texts show them last, in a group of their own.
_RARE = (
    "--accept-detector --accept-predictor --accept-reference --alignment-candidate --alignment-reference "
    "--alignment-sensitivity --allow-download --average --backoff --cards --checkpoint --clip --cluster "
    "--columns --device --discard --document-mark --learn-from --level --method --minutes --mtme "
    "--objects --other --outside-links --packs --positions --priors --recognize --repair --samples --seed "
    "--segmentation-sensitivity --signature --symmetrize --threads --unlikely --weights --width"
)


class Command(NamedTuple):
    """One command of a verb; `run` returns an exit code, or None for 0."""

    summary: str
    configure: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int | None]
    examples: str = ""


class _Store(argparse._StoreAction):
    """What argparse does with a value, but lists add up: argparse keeps the last one without a word."""

    def __init__(self, option_strings: Sequence[str], *args: Any, **kwargs: Any) -> None:
        letters = [SHORT[name] for name in option_strings if name in SHORT]
        super().__init__([*letters, *option_strings], *args, **kwargs)

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        before = getattr(namespace, self.dest, None)
        if isinstance(values, list | tuple) and before is not self.default and before is not None:
            values = type(values)([*before, *values])
        super().__call__(parser, namespace, values, option_string)


class _HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """A usage of what must be given or has a short name, and `-s, --source FILE` for an option."""

    def _format_usage(self, usage: Any, actions: Any, groups: Any, prefix: Any) -> str:
        needed = {action for group in groups if group.required for action in group._group_actions}
        shown = [
            action
            for action in actions
            if action.required
            or action in needed
            or not action.option_strings
            or (action.option_strings[0] in SHORT.values() and action.nargs != 0)
        ]
        shown.sort(key=lambda action: not action.required)
        text = super()._format_usage(usage, shown, groups, prefix)
        # Without a prefix it is the beginning of the names of subcommands.
        return text if prefix == "" or len(shown) == len(actions) else text.rstrip("\n") + " [options]\n\n"

    def _format_args(self, action: argparse.Action, default_metavar: str) -> str:
        if action.nargs == "+" and not isinstance(action.metavar, tuple):
            return f"{self._metavar_formatter(action, default_metavar)(1)[0]} ..."
        return super()._format_args(action, default_metavar)

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings or action.nargs == 0:
            return super()._format_action_invocation(action)
        value = self._format_args(action, self._get_default_metavar_for_optional(action))
        return f"{', '.join(action.option_strings)} {value}"


class CommandParser(argparse.ArgumentParser):
    """A parser that imports its command when arguments reach it, so that `--help` stays fast."""

    def __init__(self, *args: Any, command: str | Command | None = None, **kwargs: Any) -> None:
        kwargs.setdefault("formatter_class", _HelpFormatter)
        super().__init__(*args, **kwargs)
        self.register("action", None, _Store)
        self.register("action", "store", _Store)
        # Suppressed, so that it can stand before the name of the command as well as after it.
        what = "print no progress and no notes on standard error"
        self.add_argument("-q", "--quiet", action="store_true", default=argparse.SUPPRESS, help=what)
        #: What `load` has still to add: a command, or the name of a module.
        self._command = command
        self._extend: Callable[[CommandParser, Sequence[str]], None] | None = None

    def load(self) -> None:
        """Import the command and add its options; a second call does nothing."""
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
                self._add_options(module.configure, module.run)
        else:
            self.epilog = command.examples or self.epilog
            self._add_options(command.configure, command.run)
        for child, summary in self._children():
            child.description = child.description or f"{summary[0].upper()}{summary[1:]}."
            child.epilog = child.epilog or _examples_of(child.prog, self.epilog or "")
            child._gather_rare()

    def _add_options(
        self,
        configure: Callable[[argparse.ArgumentParser], None],
        run: Callable[[argparse.Namespace], int | None],
    ) -> None:
        configure(self)
        self.set_defaults(run=run)
        self._gather_rare()

    def _children(self) -> Iterator[tuple[CommandParser, str]]:
        """The parsers of the commands below this one, each with its line of help."""
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):
                helps = {choice.dest: choice.help or "" for choice in action._choices_actions}
                yield from ((child, helps[name]) for name, child in action.choices.items())

    def _gather_rare(self) -> None:
        """Move the rare options from their groups to one that stands last."""
        last, rare = None, set(_RARE.split())
        for group in [*self._action_groups]:
            moved = [one for one in group._group_actions if not rare.isdisjoint(one.option_strings)]
            for action in moved:
                last = last or self.add_argument_group("less common options")
                group._group_actions.remove(action)
                last._group_actions.append(action)

    def load_all(self) -> None:
        """Import this command and every one below it; documentation walks the whole tree."""
        self.load()
        for child, _ in self._children():
            child.load_all()

    def add_commands(self, package: str, commands: Mapping[str, str | Command], *, placeholder: str) -> None:
        """One parser per command: a `Command`, or the one-line summary of a module of `package`."""
        group = self.add_subparsers(dest=placeholder.lower(), metavar=placeholder, required=True)
        for name, command in commands.items():
            summary = command if isinstance(command, str) else command.summary
            group.add_parser(
                name,
                help=summary,
                description=summary[0].upper() + summary[1:] + ".",
                command=f"{package}.{name}" if isinstance(command, str) else command,
            )

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        self.load()
        if self._extend is not None:
            self._extend(self, sys.argv[1:] if args is None else args)
            self._extend = None
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            # Here and not in the parser above, which does not know the options of this command.
            name = unknown[0].partition("=")[0]
            kind = "option" if name.startswith("-") else "argument"
            self.error(f"unknown {kind}: {name}{_suggestion(name, self._option_string_actions)}")
        return found, unknown

    def error(self, message: str) -> NoReturn:
        """A short usage, what is wrong, and where to read on."""
        self.print_usage(sys.stderr)
        self.exit(
            2, f"{self.prog}: error: {message}\n`{self.prog} --help` lists the options and has examples\n"
        )

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            known = [str(choice) for choice in action.choices]
            what = f"unknown {value!r}{_suggestion(str(value), known)} (choose from {', '.join(known)})"
            raise argparse.ArgumentError(action, what)


def _examples_of(command: str, text: str) -> str:
    """The examples of one command among those of the verb above it."""
    found: list[str] = []
    for line in text.splitlines():
        if f"{line} ".startswith(f"  {command} ") or (found and found[-1].endswith("\\")):
            found.append(line)
    return "\n".join(["examples:", *found]) if found else ""


def _suggestion(name: str, known: Iterable[str]) -> str:
    from anaphor.core.errors import did_you_mean

    found = did_you_mean(name, known).strip()
    return f"; {found}" if found else ""
