"""The lines of keys and elements, in files written by hand and in every TOML file of the package."""

from __future__ import annotations

import contextlib
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import anaphor
from anaphor.core.toml_lines import line_of, toml_lines

FILES = sorted(Path(anaphor.__file__).parent.rglob("*.toml"))
TEXT = (
    """\
# a = 1
title = "a # [b] = { c"
"odd key".x = 'it"""
    + "''"
    + '''s'

list = [ # a comment with ]
  1,
  "two",  [3.5,
    { deep = """
three = "lines"
""" }],
]
[table.inner]
key = { a = 1979-05-27T07:32:00Z, b = { c = true } }
[[rows]]
n = 1
[[rows]]
n = 2
[rows.more]
m = 3
[[rows.parts]]
p = 4
'''.replace("'it''" + "''" + "s'", "'its'")
)


def test_every_key_and_element_has_its_line() -> None:
    lines = TEXT.splitlines()
    found = toml_lines(TEXT)
    for path, starts in (
        ("title", "title"),
        ("odd key.x", '"odd key"'),
        ("list", "list"),
        ("list[0]", "  1"),
        ("list[1]", '  "two"'),
        ("list[2][0]", '  "two"'),
        ("list[2][1].deep", "    {"),
        ("table", "[table"),
        ("table.inner.key.b.c", "key ="),
        ("rows", "[[rows]]"),
        ("rows[1].n", "n = 2"),
        ("rows[1].more.m", "m = 3"),
        ("rows[1].parts[0].p", "p = 4"),
    ):
        assert lines[found[path] - 1].startswith(starts), path
    assert found["rows[1]"] == found["rows[0]"] + 2
    assert "three" not in found


@pytest.mark.parametrize(
    ("path", "line"),
    [("rows[1].more.none", "[rows.more]"), ("rows[1].parts[7]", "[[rows.parts]]"), ("list[9].x", "list")],
)
def test_what_is_missing_has_the_line_of_what_is_around_it(path: str, line: str) -> None:
    number = line_of(TEXT, path)
    assert number is not None
    assert TEXT.splitlines()[number - 1].startswith(line)


def test_what_is_missing_at_the_top_has_no_line() -> None:
    assert line_of(TEXT, "none") is line_of(TEXT, "none.at.all[3]") is None


def paths(value: object, path: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        inner = {f"{path}.{key}" if path else key: entry for key, entry in value.items()}
    elif isinstance(value, list):
        inner = {f"{path}[{i}]": entry for i, entry in enumerate(value)}
    else:
        return
    for name, entry in inner.items():
        yield name
        yield from paths(entry, name)


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_every_file_of_the_package_is_understood(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert set(toml_lines(text)) == set(paths(tomllib.loads(text)))


MUTATION = st.tuples(
    st.floats(0, 1), st.integers(0, 3), st.sampled_from(["", *"[]{}\"'=,.#\n \\a1", '"""', "[["])
)


@given(st.lists(MUTATION, min_size=1, max_size=4))
def test_whatever_is_valid_is_understood(mutations: list[tuple[float, int, str]]) -> None:
    text = TEXT
    for place, length, inserted in mutations:
        start = int(place * len(text))
        text = text[:start] + inserted + text[start + length :]
    with contextlib.suppress(tomllib.TOMLDecodeError):
        value = tomllib.loads(text)
        assert set(toml_lines(text)) == set(paths(value))
