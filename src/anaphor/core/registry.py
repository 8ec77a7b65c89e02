"""One registry class for aligners, metrics, predictors and analysers."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from importlib import import_module
from importlib.machinery import PathFinder
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from anaphor.core.errors import UnknownNameError, UserError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")


class Registry(Generic[T]):
    """Names for lazy `module:attribute` targets; nothing is imported before it is used.

    Third-party packages add names through an entry-point group, by default `anaphor.<kind>s`. A name taken
    twice raises when it is used, an unknown one lists what exists. A package that cannot be loaded or
    takes the name of another is an error for that name alone.
    """

    def __init__(
        self, kind: str, targets: Mapping[str, str], *, option: str | None = None, group: str | None = None
    ) -> None:
        """`option` is where users name one, by default `--<kind>s`; `group` is the entry-point group."""
        self.kind = kind
        self._option = option or f"--{kind}s"
        self._group = group or f"anaphor.{kind}s"
        self._built_in = frozenset(targets)
        self._targets = dict(targets)
        #: Names that several packages claim, with every target.
        self._claims: dict[str, list[str]] = {}
        self._plugins_read = False

    def add(self, name: str, target: str) -> None:
        """Register one more name."""
        if name in self._targets:
            raise self._taken_twice(name, self._targets[name], target)
        self._targets[name] = target

    def get(self, name: str) -> T:
        """The object behind a name."""
        self._read_plugins()
        if name not in self._targets:
            raise UnknownNameError.among(name, self._targets, kind=self.kind, where=self._option)
        if name in self._claims:
            raise self._taken_twice(name, *self._claims[name])
        module, _, attribute = self._targets[name].partition(":")
        try:
            found: T = getattr(import_module(module), attribute)
        # Whatever a foreign module raises while it is imported is that package's fault, not the user's.
        except Exception as error:
            if name in self._built_in and not isinstance(error, ImportError | AttributeError):
                raise
            what = f"the {self.kind} {name} cannot be loaded: {error}"
            fix = "install or fix the package that provides it"
            raise UserError(what, where=self._targets[name], fix=fix) from error
        return found

    def __iter__(self) -> Iterator[str]:
        self._read_plugins()
        return iter(sorted(self._targets))

    def target(self, name: str) -> str:
        """Where a name leads, as `module:attribute`."""
        return self._targets[name]

    def is_built_in(self, name: str) -> bool:
        """Whether the name is ours and not that of a third-party package; reads no entry points."""
        return name in self._built_in

    def _read_plugins(self) -> None:
        if self._plugins_read:
            return
        self._plugins_read = True
        for point in _plugins(tuple(sys.path))(group=self._group):
            if point.name not in self._targets:
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


@lru_cache(maxsize=1)
def _plugins(path: tuple[str, ...]) -> Callable[..., Iterable[EntryPoint]]:
    """Selects among what the packages on a search path offer."""
    if not _may_have_plugins(path):
        return lambda **_: ()
    # Imported here: it is slow, it reads the entry points of every package, and few offer any to us.
    from importlib.metadata import entry_points

    return entry_points().select


def _may_have_plugins(path: Iterable[str]) -> bool:
    """Whether a package names a group of ours, or stands where only `importlib.metadata` can look."""
    if any(hasattr(finder, "find_distributions") and finder is not PathFinder for finder in sys.meta_path):
        return True
    for folder in path:
        try:
            found = list(Path(folder).iterdir())
        except NotADirectoryError:  # an archive
            return True
        except OSError:
            continue
        for place in found:
            if place.suffix in (".dist-info", ".egg-info", ".egg"):
                try:
                    points = (place / "entry_points.txt").read_bytes()
                except OSError:
                    points = b"[anaphor." if place.suffix == ".egg" else b""
                if b"[anaphor." in points:
                    return True
    return False
