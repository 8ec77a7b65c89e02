"""The registry: lazy, strict about doubles, helpful about unknown names, open to other packages."""

from __future__ import annotations

import importlib
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from anaphor.core import InputWarning, Registry, UnknownNameError, UserError

Plug = Callable[..., None]


@pytest.fixture
def plug(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Plug:
    """Installs an invented package with one module and its entry points, for one test."""

    def install(
        module: str, entry_points: str, code: str = "def thing() -> str:\n    return 'a thing'\n"
    ) -> None:
        (tmp_path / f"{module}.py").write_text(code)
        info = tmp_path / f"{module}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(entry_points)
        monkeypatch.syspath_prepend(tmp_path)

    return install


def test_a_target_is_not_imported_before_it_is_used(plug: Plug) -> None:
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


def test_a_package_in_an_archive_adds_names_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with zipfile.ZipFile(tmp_path / "archive.zip", "w") as archive:
        archive.writestr(
            "zipped-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: zipped\nVersion: 1.0\n"
        )
        archive.writestr("zipped-1.0.dist-info/entry_points.txt", "[anaphor.toys]\nzipped = zipped:thing\n")
    monkeypatch.syspath_prepend(tmp_path / "archive.zip")
    assert list(Registry("toy", {})) == ["zipped"]


def test_a_built_in_name_does_not_wait_for_the_entry_points_of_other_packages() -> None:
    program = """
import sys
from anaphor.core import Registry
assert Registry("toy", {"thing": "string:digits"}).get("thing") == "0123456789"
print("importlib.metadata" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_other_packages_add_names_through_entry_points(plug: Plug) -> None:
    plug("anaphor_plug_example", "[anaphor.gadgets]\nforeign = anaphor_plug_example:thing\n")
    registry: Registry[Callable[[], str]] = Registry("gadget", {})
    assert registry.get("foreign")() == "a thing"
    assert list(Registry("gizmo", {})) == []


def test_a_package_cannot_take_a_built_in_name(plug: Plug) -> None:
    plug("anaphor_double_example", "[anaphor.gadgets]\nthing = anaphor_double_example:thing\n")
    registry: Registry[object] = Registry("gadget", {"thing": "string:digits"})
    with pytest.warns(InputWarning, match="anaphor_double_example:thing .*the gadget thing is built in"):
        assert list(registry) == ["thing"]
    assert registry.get("thing") == "0123456789"


def test_one_broken_package_hides_no_other_and_is_named_alone(plug: Plug) -> None:
    plug(
        "anaphor_bad_import",
        "[anaphor.gadgets]\nbad = anaphor_bad_import:thing\n",
        "raise OSError('no disk')",
    )
    plug("anaphor_no_attribute", "[anaphor.gadgets]\nempty = anaphor_no_attribute:nothing\n")
    plug(
        "anaphor_twice_a", "[anaphor.gadgets]\ntwice = anaphor_twice_a:thing\nours = anaphor_twice_a:thing\n"
    )
    plug("anaphor_twice_b", "[anaphor.gadgets]\ntwice = anaphor_twice_b:thing\n")
    plug("anaphor_good_example", "[anaphor.gadgets]\nzgood = anaphor_good_example:thing\n")
    registry: Registry[Callable[[], str]] = Registry(
        "gadget", {"ours": "anaphor_good_example:thing", "fine": "anaphor_good_example:thing"}
    )
    with pytest.warns(InputWarning, match="the gadget ours is built in"):
        names = list(registry)
    assert names == ["bad", "empty", "fine", "ours", "twice", "zgood"]
    assert registry.get("zgood")() == registry.get("fine")() == registry.get("ours")() == "a thing"
    for name, what, where in [
        ("bad", "the gadget bad cannot be loaded: no disk", "anaphor_bad_import:thing"),
        ("empty", "the gadget empty cannot be loaded", "anaphor_no_attribute:nothing"),
        ("twice", "the gadget twice is registered twice", "anaphor_twice_"),
    ]:
        with pytest.raises(UserError, match=what) as caught:
            registry.get(name)
        assert str(caught.value.where).startswith(where)


def test_a_fault_in_our_own_code_is_not_blamed_on_a_package(plug: Plug) -> None:
    plug("anaphor_own_fault", "", "raise ZeroDivisionError('ours')")
    registry: Registry[object] = Registry("gadget", {"ours": "anaphor_own_fault:thing"})
    with pytest.raises(ZeroDivisionError):
        registry.get("ours")
    assert registry.is_built_in("ours")
    assert not registry.is_built_in("other")


@pytest.mark.parametrize(
    ("where", "group"),
    [
        ("anaphor.align:ALIGNERS", "anaphor.aligners"),
        ("anaphor.analyse.contract:ANALYSERS", "anaphor.analysers"),
        ("anaphor.metrics:METRICS", "anaphor.metrics"),
        ("anaphor.predict.families:FAMILIES", "anaphor.families"),
        ("anaphor.recipes.features.groups:GROUPS", "anaphor.feature_groups"),
    ],
)
def test_entry_point_groups_have_proper_names(where: str, group: str) -> None:
    module, _, name = where.partition(":")
    assert getattr(importlib.import_module(module), name)._group == group
