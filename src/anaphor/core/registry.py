"""One registry class for aligners, metrics, predictors and analysers."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Generic, TypeVar

from anaphor.core.errors import InputWarning, UnknownNameError, UserError

T = TypeVar("T")


class Registry(Generic[T]):
    """Maps names to lazy `module:attribute` targets; nothing is imported before use.

    Third-party packages add names through an entry-point group, by default `anaphor.<kind>s`, which is only
    read when a name is not built in. Built-in names cannot be overridden: such entries are skipped with a
    warning. Using a name claimed by two packages raises an error; an unknown name produces a list of known
    ones. A package that fails to load affects only its own name.
    """

    def __init__(
        self, kind: str, targets: Mapping[str, str], *, option: str | None = None, group: str | None = None
    ) -> None:
        """`option` is the command-line option that takes a name, by default `--<kind>s`; `group` is the
        entry-point group.
        """
        self.kind = kind
        self._option = option or f"--{kind}s"
        self._group = group or f"anaphor.{kind}s"
        self._built_in = frozenset(targets)
        self._targets = dict(targets)
        #: Names that several packages claim, with every target.
        self._claims: dict[str, list[str]] = {}
        self._plugins_read = False

    def add(self, name: str, target: str) -> None:
        """Register a name."""
        if name in self._targets:
            raise self._taken_twice(name, self._targets[name], target)
        self._targets[name] = target

    def get(self, name: str) -> T:
        """Load the object registered under a name."""
        if name not in self._built_in:
            self._read_plugins()
        if name not in self._targets:
            raise UnknownNameError.among(name, self._targets, kind=self.kind, where=self._option)
        if name in self._claims:
            raise self._taken_twice(name, *self._claims[name])
        module, _, attribute = self._targets[name].partition(":")
        try:
            entry: T = getattr(import_module(module), attribute)
        # Whatever a foreign module raises while it is imported is that package's fault, not the user's.
        except Exception as error:
            if name in self._built_in and not isinstance(error, ImportError | AttributeError):
                raise
            what = f"the {self.kind} {name} cannot be loaded: {error}"
            fix = "install or fix the package that provides it"
            raise UserError(what, where=self._targets[name], fix=fix) from error
        return entry

    def __contains__(self, name: object) -> bool:
        if name not in self._built_in:
            self._read_plugins()
        return name in self._targets

    def __iter__(self) -> Iterator[str]:
        self._read_plugins()
        return iter(sorted(self._targets))

    def target(self, name: str) -> str:
        """The target of a name, as `module:attribute`."""
        return self._targets[name]

    def is_built_in(self, name: str) -> bool:
        """Whether the name is built in; does not read entry points."""
        return name in self._built_in

    def _read_plugins(self) -> None:
        if self._plugins_read:
            return
        self._plugins_read = True
        # Imported here: it is slow, and most runs use built-in names only.
        from importlib.metadata import entry_points

        for point in entry_points(group=self._group):
            if point.name in self._built_in:
                what = f"{point.value} is ignored: the {self.kind} {point.name} is built in"
                warnings.warn(what, InputWarning, stacklevel=3)
            elif point.name not in self._targets:
                self._targets[point.name] = point.value
            elif self._targets[point.name] != point.value:
                claims = self._claims.setdefault(point.name, [self._targets[point.name]])
                claims.append(point.value)

    def _taken_twice(self, name: str, *targets: str) -> UserError:
        return UserError(
            f"the {self.kind} {name} is registered twice",
            where=" and ".join(targets),
            fix="rename one of the two, or uninstall the package that provides it",
        )
