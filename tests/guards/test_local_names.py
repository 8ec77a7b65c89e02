"""Local names say what they hold: `pronoun`, `link`, `row`, and `one` or `found` in a clear line only."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

from tests.support.code import tree_of
from tools.code_figures import vague_bindings

SOURCE = Path(__file__).resolve().parents[2] / "src" / "anaphor"
#: How many bindings of both names there may be: in a clear one-liner they may stay.
MOST = 20


def test_local_names_say_what_they_hold() -> None:
    bindings = Counter(
        {
            path.relative_to(SOURCE).as_posix(): sum(1 for _ in vague_bindings(tree_of(path)))
            for path in SOURCE.rglob("*.py")
        }
    )
    assert bindings.total() <= MOST, f"most in {bindings.most_common(5)}"


@pytest.mark.parametrize(
    ("code", "count"),
    [
        ("one = 1", 1),
        ("one, (found, other) = pair", 2),
        ("found: int = 1", 1),
        ("for one in rows: pass", 1),
        ("[one for one in rows for found in one]", 2),
        ("with open(path) as found: pass", 1),
        ("if found := search(): pass", 1),
        ("def first(one, *, found=None): pass", 2),
        ("lambda one: one", 1),
        ("print(one, found.one)", 0),
        ("record.found = 1", 0),
        ("someone = founder", 0),
    ],
)
def test_every_kind_of_binding_is_counted(code: str, count: int) -> None:
    assert sum(1 for _ in vague_bindings(ast.parse(code))) == count
