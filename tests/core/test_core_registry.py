"""The registry: lazy, strict about doubles, helpful about unknown names, open to other packages."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from anaphor.core import Registry, UnknownNameError, UserError

Plug = Callable[[str, str], None]


@pytest.fixture
def plug(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Plug:
    """Installs an invented package with one module and its entry points, for one test."""

    def install(module: str, entry_points: str) -> None:
        (tmp_path / f"{module}.py").write_text("def thing() -> str:\n    return 'a thing'\n")
        info = tmp_path / f"{module}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(entry_points)
        monkeypatch.syspath_prepend(tmp_path)

    return install


def test_a_target_is_not_imported_before_it_is_asked_for(plug: Plug) -> None:
    plug("anaphor_lazy_example", "")
    registry: Registry[Callable[[], str]] = Registry("toy", {"thing": "anaphor_lazy_example:thing"})
    assert list(registry) == ["thing"]
    assert registry.target("thing") == "anaphor_lazy_example:thing"
    assert "anaphor_lazy_example" not in sys.modules
    assert registry.get("thing")() == "a thing"
    assert "anaphor_lazy_example" in sys.modules


def test_a_name_taken_twice_raises_and_names_both() -> None:
    registry: Registry[object] = Registry("toy", {"thing": "first:a"})
    with pytest.raises(UserError, match="the toy thing is registered twice") as caught:
        registry.add("thing", "second:b")
    assert str(caught.value.where) == "first:a and second:b"


def test_an_unknown_name_is_suggested_and_all_are_listed() -> None:
    registry: Registry[object] = Registry("toy", {"thing": "a:b", "other": "a:c"})
    with pytest.raises(UnknownNameError) as caught:
        registry.get("thong")
    assert caught.value.what == "unknown toy: thong"
    assert caught.value.fix == "did you mean thing? known: other, thing"
    assert str(caught.value.where) == "--toys"


def test_names_come_in_alphabetical_order() -> None:
    registry: Registry[object] = Registry("toy", {"b": "x:b", "c": "x:c"})
    registry.add("a", "x:a")
    assert list(registry) == ["a", "b", "c"]


def test_other_packages_add_names_through_entry_points(plug: Plug) -> None:
    plug("anaphor_plug_example", "[anaphor.gadgets]\nforeign = anaphor_plug_example:thing\n")
    registry: Registry[Callable[[], str]] = Registry("gadget", {})
    assert registry.get("foreign")() == "a thing"
    assert list(Registry("gizmo", {})) == []


def test_a_name_of_another_package_that_is_taken_raises(plug: Plug) -> None:
    plug("anaphor_double_example", "[anaphor.gadgets]\nthing = anaphor_double_example:thing\n")
    registry: Registry[object] = Registry("gadget", {"thing": "a:b"})
    with pytest.raises(UserError, match="registered twice"):
        registry.get("thing")
