"""Options of recipes: frozen dataclasses whose fields have a name, type, default and meaning."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, TypeVar, get_type_hints

from anaphor.core import OptionError, UnknownNameError, UserError, Where

T = TypeVar("T")

#: Modules, each with the name of the package that it comes with.
Packages = tuple[tuple[str, str], ...]

_KINDS = {int: "a whole number", float: "a number", bool: "true or false", str: "text"}


def option(
    default: T,
    help: str,
    *,
    least: float = -math.inf,
    most: float = math.inf,
    choices: tuple[str, ...] = (),
) -> T:
    """A field of an `Options` class: its default, description and allowed values.

    Bounds are inclusive. Bounds and choices of a tuple apply to each of its elements.
    """
    declared: T = field(default=default, metadata={"help": help, "values": (least, most, choices)})
    return declared


# Without `eq`, because a subclass that compares by identity would inherit a comparison of no fields.
@dataclass(frozen=True, slots=True, eq=False)
class Options:
    """Base of options classes, whose values are validated on construction. By itself: no options."""

    def __post_init__(self) -> None:
        for declared in fields(self):
            if "values" not in declared.metadata:
                continue
            name, value = declared.name, getattr(self, declared.name)
            least, most, choices = declared.metadata["values"]
            for element in value if isinstance(value, tuple) else (value,):
                if choices and element not in choices:
                    raise UnknownNameError.among(element, choices, kind=f"value of {name}", where=name)
                # Written this way round because nan compares as false.
                if not isinstance(element, str) and not least <= element <= most:
                    bounds = f"at least {least:g}" if most == math.inf else f"between {least:g} and {most:g}"
                    fix = f"choose a value that is {bounds}"
                    raise OptionError(f"{name} must be {bounds}, got {element}", where=name, fix=fix)


@dataclass(frozen=True, slots=True)
class OptionInfo:
    """One option as the documentation shows it."""

    name: str
    default: Any
    help: str


def option_table(kind: type[Any]) -> tuple[OptionInfo, ...]:
    """The options of a class, in the order of their declaration."""
    return tuple(
        OptionInfo(declared.name, declared.default, declared.metadata.get("help", ""))
        for declared in fields(kind)
        if declared.default is not MISSING
    )


#: Each annotation is compiled when hints are asked for, which takes longer than all the rest.
_type_hints = cache(get_type_hints)


def parse_options(kind: type[T], given: Mapping[str, Any], *, where: str) -> T:
    """An instance of an options class; unknown names and invalid values are errors.

    Lists become tuples, and integers are accepted as floats.
    """
    if not isinstance(given, Mapping):
        raise OptionError("options are not a table", where=where, fix="write one `name = value` per line")
    hints = _type_hints(kind)  # type: ignore[arg-type] # a class is hashable
    names = [info.name for info in option_table(kind)]
    for name in given:
        if name not in names:
            raise UnknownNameError.among(name, names or ["none"], kind="option", where=where)
    values = {name: _value(value, hints[name], f"{where}, {name}") for name, value in given.items()}
    try:
        return kind(**values)
    except UserError as error:
        # The class knows the name of the option, but not where the value comes from.
        error.where = Where(f"{where}, {error.where}")
        raise


def _value(value: Any, hint: Any, where: str) -> Any:
    if hint == tuple[str, ...]:
        if isinstance(value, list | tuple) and all(isinstance(element, str) for element in value):
            return tuple(value)
        raise OptionError(f"not a list of names: {value!r}", where=where, fix='write ["one", "two"]')
    if hint == tuple[int, ...]:
        if isinstance(value, list | tuple) and all(type(element) is int for element in value):
            return tuple(value)
        raise OptionError(f"not a list of whole numbers: {value!r}", where=where, fix="write [1, 2]")
    if hint is float and type(value) is int and abs(value) < 2**1023:
        return float(value)
    if type(value) is not hint:
        raise OptionError(f"not {_KINDS[hint]}: {value!r:.60}", where=where, fix=f"use {_KINDS[hint]}")
    return value


def require_package(module: str, *, package: str, extra: str, recipe: str) -> None:
    """Raise an error with the install command if a package is missing; nothing is imported."""
    if find_spec(module.partition(".")[0]) is None:
        raise _missing(package, extra, recipe)


def import_extra(module: str, *, package: str, extra: str, recipe: str) -> Any:
    """The module, or an error with the command that installs it."""
    try:
        return import_module(module)
    except ImportError:
        raise _missing(package, extra, recipe) from None


def _missing(package: str, extra: str, recipe: str) -> OptionError:
    return OptionError(
        f"the recipe {recipe} needs {package}, which is not installed",
        where=recipe,
        fix=f"pip install anaphor[{extra}]",
    )
