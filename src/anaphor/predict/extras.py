"""Packages that only some predictors need."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from anaphor.core import OptionError


def need_package(module: str, *, package: str, extra: str, recipe: str) -> None:
    """An error with the line that installs a package, where it is not there; nothing is imported."""
    if find_spec(module.partition(".")[0]) is None:
        raise _missing(package, extra, recipe)


def extra_module(module: str, *, package: str, extra: str, recipe: str) -> Any:
    """The module, or an error with the line that installs it."""
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
