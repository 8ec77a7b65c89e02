"""User errors, each in three parts: what happened, where, and how to fix it.

    UserError                what happened, where, how to fix it
    ├── InputError           a file is not what it should be (encoding, format, range)
    ├── MismatchError        two inputs do not belong together (lengths, names, pairs)
    ├── UnknownNameError     an unknown name in a registry, pack or format
    ├── OptionError          an invalid option value
    └── CheckError           a self-check or a verification did not hold
        └── GateError        a score did not pass a gate; the exit code is 3, that of all others 1

    InputWarning             a documented tolerance was used; nothing is tolerated silently

`cli/main.py` catches `UserError` once; library users catch it as needed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

#: What a terminal obeys or cannot show: controls, halves of characters, overrides of the writing direction.
UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


#: An option of the command line in a message, but not in a whole command between backticks.
_OPTION = re.compile(r"`[^`]*`|--([a-z]+(?:-[a-z]+)*)")
#: Arguments of `anaphor.evaluate` whose names are not those of their options.
_ARGUMENTS = {
    "candidate": "systems",
    "reference": "references",
    "alignment-candidate": "system_alignments",
    "alignment-reference": "reference_alignments",
    "set": "test_set",
    "symmetrize": "symmetrization",
}


def printable(text: str) -> str:
    """Replace control characters and anything a terminal cannot show with escapes such as `\x1b`.

    Names, paths and labels may come from untrusted files; line breaks, tabs and ordinary letters are kept.
    """
    return UNPRINTABLE.sub(lambda match: match[0].encode("unicode_escape", "surrogatepass").decode(), text)


@dataclass(frozen=True, slots=True)
class Where:
    """A place in an input: a path or other name, with 1-based line and column if known."""

    path: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        return ":".join(str(part) for part in (self.path, self.line, self.column) if part is not None)


class UserError(Exception):
    """An error that the user can fix.

    It has three parts: `what` is wrong, `where`, and the `fix`. `str()` puts them on three lines and names
    arguments as in Python (`paired`, not `--paired`). `message` is what the command line prints. Its
    subclasses are in `anaphor.core`: `InputError` (a file or text is invalid), `MismatchError` (two inputs do
    not belong together), `UnknownNameError`, `OptionError` (an invalid value) and `CheckError` (a check
    failed).

    Args:
        what: What is wrong.
        where: A path, with line and column if known, or the name of an option.
        fix: How to fix it.

    Example:
        >>> import anaphor
        >>> try:
        ...     anaphor.evaluate(source=["It rains."], systems={"mine": []}, pair="en-fr")
        ... except anaphor.UserError as error:
        ...     print(error)
        error: there are no segments
        where: <mine>
        fix:   pass one string, or one line, per segment
    """

    exit_code = 1

    def __init__(self, what: str, *, where: Where | str, fix: str) -> None:
        super().__init__(what)
        self.what = what
        self.where = Where(where) if isinstance(where, str) else where
        self.fix = fix

    @property
    def message(self) -> str:
        """The three parts as the command line prints them."""
        return printable(f"error: {self.what}\nwhere: {self.where}\nfix:   {self.fix}")

    def __str__(self) -> str:
        return _OPTION.sub(_argument, self.message)

    def __reduce__(self) -> tuple[object, ...]:
        # Exceptions are copied to other processes without their keyword arguments, unless they say how.
        return partial(type(self), where=self.where, fix=self.fix), (self.what,)


def _argument(option: re.Match[str]) -> str:
    """The Python argument for an option; commands in backticks are unchanged."""
    name: str | None = option[1]
    return option[0] if name is None else _ARGUMENTS.get(name, name.replace("-", "_"))


class InputError(UserError):
    """A file or text that is not valid: encoding, format, range."""


class MismatchError(UserError):
    """Inputs that are valid individually but do not match each other."""


class UnknownNameError(UserError):
    """An unknown name; the fix suggests the nearest known name and lists all names, or the first of many."""

    @classmethod
    def among(cls, name: str, known: Iterable[str], *, kind: str, where: Where | str) -> UnknownNameError:
        names = sorted(known)
        # No registry has more than forty: beyond that, names are data, and would fill the screen.
        listed = names if len(names) <= 40 else [*names[:10], f"and {len(names) - 10} more"]
        advice = f"{did_you_mean(name, names)}known: {', '.join(listed)}"
        return cls(f"unknown {kind}: {name}", where=where, fix=advice)


class OptionError(UserError):
    """An invalid option value, or mutually exclusive options."""


class CheckError(UserError):
    """A self-check or a verification that failed."""


class GateError(CheckError):
    """A score that did not pass a gate. A separate type lets build servers distinguish this from invalid
    input.
    """

    exit_code = 3


def did_you_mean(name: str, known: Iterable[str], *, least: float = 0.6) -> str:
    """Ask whether the most similar known name was meant; empty if none is similar.

    `least` is the minimum similarity, from 0 to 1.
    """
    import difflib  # here, because starting the program must not pay for it

    near = difflib.get_close_matches(name, list(known), n=1, cutoff=least)
    return f"did you mean {near[0]}? " if near else ""


class InputWarning(UserWarning):
    """A warning about unusual input that is accepted nevertheless. The command line prints it as a note."""
