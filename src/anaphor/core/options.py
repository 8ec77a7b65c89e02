"""Options declared by metrics: one declaration serves command line, settings, signature and help."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from anaphor.core.errors import OptionError

#: apt-2017, Tables 3 and 4: full credit for identical, half for equivalent pronouns correlates best.
PAPER_WEIGHTS = (1.0, 0.5, 0.0, 0.0, 0.0, 0.0)
#: What *they* may refer to. By default it is plural as a source pronoun, and either in a translation.
THEY = ("default", "plural", "singular", "either")


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricOption:
    """An option of a metric.

    Example: `MetricOption(name="beta", type=float, default=2.0, help="weight of recall")`.

    - `type`: str, int, float or bool. With `many`, the value is a comma-separated list, stored as a tuple,
      whose order is irrelevant if `unordered`.
    - `rare`: listed last in help texts.
    - `check`: raises ValueError("problem; remedy") for a value of the right type that is not allowed.
    - `silent`: left out of signatures at its default: the option came after results that they describe.
    """

    name: str
    type: type[str] | type[int] | type[float] | type[bool]
    default: Any
    help: str
    many: bool = False
    unordered: bool = False
    choices: tuple[str, ...] = ()
    metavar: str = ""
    rare: bool = False
    check: Callable[[Any], None] | None = None
    silent: bool = False

    def parse(self, text: str) -> Any:
        """Parse a value given by the user; raise ValueError if it has the wrong type."""
        if not self.many:
            return self.type(text)
        return tuple(self.type(part) for part in text.split(","))

    def checked(self, value: Any, *, where: str = "") -> Any:
        """Return the value, with lists as tuples; raise OptionError if it is not allowed."""
        where = where or f"--{self.name}"
        if self.many and isinstance(value, Sequence | frozenset | set) and not isinstance(value, str):
            value = tuple(value)
        if self.choices and value not in self.choices:
            raise OptionError(
                f"unknown value: {value}", where=where, fix=f"use one of {', '.join(self.choices)}"
            )
        values = value if self.many and isinstance(value, tuple) else (value,)
        # JSON and users write 1 for 1.0; True is an int to Python, but not to anybody else.
        kinds = (int, float) if self.type is float else (self.type,)
        if (self.many and not isinstance(value, tuple)) or any(
            type(element) not in kinds for element in values
        ):
            wanted = f"{'a list of ' if self.many else ''}{self.type.__name__}"
            raise OptionError(f"not a value of type {wanted}: {value!r}", where=where, fix=self.help)
        if self.check is not None:
            try:
                self.check(value)
            except ValueError as error:
                what, _, fix = str(error).partition("; ")
                raise OptionError(what, where=where, fix=fix or self.help) from error
        return value

    def signed(self, value: Any) -> str:
        """The value as shown in a signature."""
        if self.many:
            parts = sorted(value) if self.unordered else value
            return ",".join(map(self._one, parts)) or "none"
        return self._one(value)

    def _one(self, value: Any) -> str:
        return f"{value:g}" if self.type is float else str(value)


def check_type(value: object, *types: type, name: str) -> None:
    """Raise unless the option's value has one of the types."""
    # True is an int to Python, but not to anybody else.
    if isinstance(value, types) and (bool in types or not isinstance(value, bool)):
        return
    wanted = " or ".join("None" if kind is type(None) else kind.__name__ for kind in types)
    what = f"{name} must be {wanted}, got {value!r:.60} of type {type(value).__name__}"
    raise OptionError(what, where=f"--{name.replace('_', '-')}", fix=f"use {wanted}")


def check_level(level: float) -> None:
    """Raise unless the value is a valid confidence level."""
    if not 0.5 <= level < 1:
        what = f"confidence level must be between 0.5 and 1, got {level}"
        raise OptionError(what, where="--level", fix="use a share such as 0.95")


def check_seed(seed: int) -> None:
    """Raise unless the value is a valid random seed."""
    if seed < 0:
        what = f"the random seed must not be negative, got {seed}"
        raise OptionError(what, where="--seed", fix="use a whole number of at least 0")
