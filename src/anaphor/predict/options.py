"""Options of recipes: frozen dataclasses whose fields have a name, type, default and meaning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from importlib import import_module
from importlib.util import find_spec
from typing import Any, TypeVar, get_type_hints

from anaphor.core import OptionError, UnknownNameError

T = TypeVar("T")

_KINDS = {int: "a whole number", float: "a number", bool: "true or false", str: "text"}


def option(default: T, meaning: str) -> T:
    """A field of an options class with its default, and its meaning for the documentation."""
    found: T = field(default=default, metadata={"meaning": meaning})
    return found


@dataclass(frozen=True, slots=True)
class OptionInfo:
    """One option as the documentation shows it."""

    name: str
    default: Any
    meaning: str


def option_table(kind: type[Any]) -> tuple[OptionInfo, ...]:
    """The options of a class, in the order of their declaration."""
    return tuple(
        OptionInfo(one.name, one.default, one.metadata.get("meaning", ""))
        for one in fields(kind)
        if one.default is not MISSING
    )


def parse_options(kind: type[T], given: Mapping[str, Any], *, where: str) -> T:
    """An instance of an options class; unknown names and values of another type are errors.

    Lists become tuples, and a whole number may stand for a number. The class itself checks ranges.
    """
    if not isinstance(given, Mapping):
        raise OptionError("options are not a table", where=where, fix="write one `name = value` per line")
    hints = get_type_hints(kind)
    names = [info.name for info in option_table(kind)]
    for name in given:
        if name not in names:
            raise UnknownNameError.among(name, names or ["none"], kind="option", where=where)
    values = {name: _value(value, hints[name], f"{where}, {name}") for name, value in given.items()}
    return kind(**values)


def _value(value: Any, hint: Any, where: str) -> Any:
    if hint == tuple[str, ...]:
        if isinstance(value, list | tuple) and all(isinstance(one, str) for one in value):
            return tuple(value)
        raise OptionError(f"not a list of names: {value!r}", where=where, fix='write ["one", "two"]')
    if hint == tuple[int, ...]:
        if isinstance(value, list | tuple) and all(type(one) is int for one in value):
            return tuple(value)
        raise OptionError(f"not a list of whole numbers: {value!r}", where=where, fix="write [1, 2]")
    if hint is float and type(value) is int:
        return float(value)
    if type(value) is not hint:
        raise OptionError(f"not {_KINDS[hint]}: {value!r}", where=where, fix=f"give {_KINDS[hint]}")
    return value


def check_range(value: float, *, least: float, most: float, name: str, where: str) -> None:
    """An error where a number is out of range."""
    if not least <= value <= most:
        raise OptionError(f"{name} cannot be {value}", where=where, fix=f"give {least:g} to {most:g}")


def check_names(values: tuple[str, ...], known: tuple[str, ...], *, name: str, where: str) -> None:
    """An error where a name is not one of the known ones."""
    for value in values:
        if value not in known:
            raise UnknownNameError.among(value, known, kind=name, where=where)


def require_package(module: str, *, package: str, extra: str, recipe: str) -> None:
    """An error with the command that installs a package, where it is missing; nothing is imported."""
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
