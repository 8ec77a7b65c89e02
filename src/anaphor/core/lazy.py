"""Package names that are imported from their modules on first use (PEP 562)."""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # what type checkers take for true; `typing` itself is slow to import
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def lazy_names(package: str, homes: Mapping[str, str]) -> Callable[[str], object]:
    """Return a `__getattr__` for a package; `homes` maps each module to its names, separated by spaces."""
    modules = {name: module for module, names in homes.items() for name in names.split()}

    def load(name: str) -> object:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        from importlib import import_module

        value = getattr(import_module(modules[name]), name)
        setattr(sys.modules[package], name, value)  # the next use does not come here
        return value

    return load
