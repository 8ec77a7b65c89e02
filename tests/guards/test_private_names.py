"""What other packages keep to themselves is left to them: a private name may change with any release."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.support.code import tree_of

SOURCE = Path(__file__).resolve().parents[2] / "src" / "anaphor"

#: Private names that are used all the same, and why; `pyproject.toml` bounds the versions of sacreBLEU.
ALLOWED = {
    ("metrics/sacre.py", "_extract_corpus_statistics"): "sacreBLEU has no public statistics per segment",
}


#: Documented methods of named tuples, private by their looks alone.
NAMED_TUPLE = {"_asdict", "_fields", "_make", "_replace"}


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name not in NAMED_TUPLE


def own_names(tree: ast.AST) -> set[str]:
    """The names that a module gives to functions, classes, attributes and variables."""
    found = set()
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                found.add(node.name)
            case ast.Name(ctx=ast.Store()):
                found.add(node.id)
            case ast.Attribute(value=ast.Name(id="self" | "cls"), ctx=ast.Store()):
                found.add(node.attr)
    return found


def foreign_private_names(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Private names that a module imports, and private attributes that it uses and does not define."""
    own = own_names(tree)
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(module=str() as module) if module.partition(".")[0] != "anaphor":
                parts = [*module.split("."), *(alias.name for alias in node.names)]
                yield from ((node.lineno, name) for name in parts if is_private(name))
            case ast.Import():
                parts = [part for alias in node.names for part in alias.name.split(".")]
                yield from ((node.lineno, name) for name in parts if is_private(name))
            case ast.Attribute(attr=name) if is_private(name) and name not in own:
                yield node.lineno, name


def test_nothing_private_of_another_package_is_used() -> None:
    found = {
        (path.relative_to(SOURCE).as_posix(), name): line
        for path in SOURCE.rglob("*.py")
        for line, name in foreign_private_names(tree_of(path))
    }
    surplus = {place: line for place, line in found.items() if place not in ALLOWED}
    assert not surplus
    assert not ALLOWED.keys() - found.keys(), "an exception that is no longer needed"


def test_private_names_of_others_are_recognized() -> None:
    code = """
import argparse
from argparse import _StoreAction
from importlib._bootstrap import module_from_spec

class Own:
    def __init__(self) -> None:
        self._mine = argparse.ArgumentParser()._actions

    def all(self) -> object:
        return self._mine, self.__class__.__name__
"""
    found = {name for _, name in foreign_private_names(ast.parse(code))}
    assert found == {"_StoreAction", "_bootstrap", "_actions"}
