"""Commands that are imported only when they are chosen.

A command is a module with `configure(parser)`, `run(options)` and, if it has any, EXAMPLES. `extend(parser,
arguments)`, where a command has it, adds options that depend on the arguments. A verb with several commands,
such as `anaphor task score`, is a package with a table COMMANDS of their summaries.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


class CommandParser(argparse.ArgumentParser):
    """A parser that imports its command when arguments reach it, so that `--help` stays fast."""

    def __init__(self, *args: Any, module: str = "", **kwargs: Any) -> None:
        kwargs.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        super().__init__(*args, **kwargs)
        self._module = module
        self._extend: Callable[[CommandParser, Sequence[str]], None] | None = None

    def load(self) -> None:
        """Import the command and add its options; a second call does nothing."""
        if not self._module:
            return
        command = import_module(self._module)
        self.epilog = getattr(command, "EXAMPLES", None)
        if hasattr(command, "COMMANDS"):
            self.add_commands(self._module, command.COMMANDS, placeholder="COMMAND")
        else:
            command.configure(self)
            self._extend = getattr(command, "extend", None)
            self.set_defaults(run=command.run)
        self._module = ""

    def load_all(self) -> None:
        """Import this command and every one below it; documentation walks the whole tree."""
        self.load()
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):
                for parser in action.choices.values():
                    parser.load_all()

    def add_commands(self, package: str, commands: Mapping[str, str], *, placeholder: str) -> None:
        """One parser per command, a module of `package`; the mapping holds their one-line summaries."""
        group = self.add_subparsers(dest=placeholder.lower(), metavar=placeholder, required=True)
        for name, summary in commands.items():
            # `import` is a keyword of Python, so its module cannot have that name.
            group.add_parser(
                name,
                help=summary,
                description=summary[0].upper() + summary[1:] + ".",
                module=f"{package}.{'import_' if name == 'import' else name}",
            )

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        self.load()
        if self._extend is not None:
            self._extend(self, sys.argv[1:] if args is None else args)
            self._extend = None
        return super().parse_known_args(args, namespace)
