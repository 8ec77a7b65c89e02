"""What may be absent: packages behind extras, and models that users bring themselves."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from anaphor.core import OptionError, UserError

#: Where users name a model.
_OPTION = "--source-model or --target-model"


def optional_module(name: str, *, package: str) -> Any:
    """The module, or a `UserError` with the line that installs it. Nothing is ever fetched."""
    try:
        return import_module(name)
    except ImportError as error:
        raise UserError(
            f"the analyser needs the package {package}, which cannot be imported ({error})",
            where="--analyser",
            fix=f"pip install {package}, or use the built-in analyser",
        ) from None


def missing_model(what: str, *, fix: str) -> UserError:
    """The error for a model that is not on this machine."""
    return UserError(f"there is no {what} on this machine", where=_OPTION, fix=fix)


def unnamed_model(what: str) -> OptionError:
    """The error for an analyser that cannot do without the path of a model."""
    return OptionError(f"no {what} is named", where=_OPTION, fix="give its path")
