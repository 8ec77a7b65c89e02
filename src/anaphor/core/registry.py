"""One registry class for aligners, metrics, predictors and analysers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Generic, TypeVar

from anaphor.core.errors import UnknownNameError, UserError

T = TypeVar("T")


class Registry(Generic[T]):
    """Names for lazy `module:attribute` targets; nothing is imported before it is asked for.

    Other people's packages add names through the entry-point group `anaphor.<kind>s`. A name taken
    twice raises, an unknown one lists what exists.
    """

    def __init__(self, kind: str, targets: Mapping[str, str], *, option: str | None = None) -> None:
        """`option` is where users name one, by default `--<kind>s`."""
        self.kind = kind
        self._option = option or f"--{kind}s"
        self._targets = dict(targets)
        self._outside_read = False

    def add(self, name: str, target: str) -> None:
        """Register one more name."""
        if name in self._targets:
            raise UserError(
                f"the {self.kind} {name} is registered twice",
                where=f"{self._targets[name]} and {target}",
                fix="rename one of the two, or uninstall the package that brings it",
            )
        self._targets[name] = target

    def get(self, name: str) -> T:
        """The object behind a name."""
        self._read_outside()
        if name not in self._targets:
            raise UnknownNameError.among(name, self._targets, kind=self.kind, where=self._option)
        module, _, attribute = self._targets[name].partition(":")
        try:
            found: T = getattr(import_module(module), attribute)
        except (ImportError, AttributeError) as error:
            raise UserError(
                f"the {self.kind} {name} cannot be loaded: {error}",
                where=self._targets[name],
                fix="install or mend the package that brings it",
            ) from error
        return found

    def __iter__(self) -> Iterator[str]:
        self._read_outside()
        return iter(sorted(self._targets))

    def target(self, name: str) -> str:
        """Where a name leads, as `module:attribute`."""
        return self._targets[name]

    def _read_outside(self) -> None:
        if not self._outside_read:
            # Imported here: it is slow, and a help text needs no plug-ins.
            from importlib.metadata import entry_points

            for point in entry_points(group=f"anaphor.{self.kind}s"):
                self.add(point.name, point.value)
            self._outside_read = True
