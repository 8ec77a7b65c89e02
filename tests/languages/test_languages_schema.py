from __future__ import annotations

from collections.abc import Callable

import pytest

from anaphor.core import InputError
from anaphor.languages.schema import Table


def parsed(text: str) -> Table:
    return Table.parse(text.encode(), file="a/xx.toml")


@pytest.mark.parametrize(
    ("content", "where", "what"),
    [
        (b"a = 1\nb = \xff\n", "xx.toml:2", "not UTF-8"),
        (b"a = 1\nb = \n", "xx.toml:2:5", "not valid TOML: Invalid value"),
        (b"a = 1\na = 2\n", "xx.toml", "not valid TOML"),
        (b"a = " + b"9" * 5000, "xx.toml", "not valid TOML"),
        (b"a = " + b"[" * 5000, "xx.toml", "not valid TOML"),
    ],
)
def test_a_file_that_cannot_be_parsed_is_an_error_with_its_place(
    content: bytes, where: str, what: str
) -> None:
    with pytest.raises(InputError) as raised:
        Table.parse(content, file="xx.toml")
    assert str(raised.value.where).startswith(where)
    assert what in raised.value.what


@pytest.mark.parametrize(
    ("text", "read", "what"),
    [
        ("", lambda table: table.text("a"), "a: missing"),
        ("a = 1", lambda table: table.text("a"), "a: not a text: 1"),
        ('a = " "', lambda table: table.text("a"), "a: not a text: ' '"),
        ('a = "x"', lambda table: table.choice("a", ["y", "z"]), "a: unknown value: x"),
        ("a = 4", lambda table: table.integer("a", low=1, high=3), "a: not a number from 1 to 3: 4"),
        ("a = true", lambda table: table.integer("a", low=1, high=3), "a: not a number from 1 to 3: True"),
        ("a = 1.0", lambda table: table.integer("a", low=1, high=3), "a: not a number from 1 to 3: 1.0"),
        ("a = 1.01", lambda table: table.probability("a"), "a: not a probability: 1.01"),
        ("a = nan", lambda table: table.probability("a"), "a: not a probability: nan"),
        ("a = true", lambda table: table.probability("a"), "a: not a probability: True"),
        ('a = "Il"', lambda table: table.form("a"), "a: not in the form that is compared: 'Il'"),
        ('a = "c’"', lambda table: table.form("a"), "a: not in the form that is compared: 'c’'"),
        ('a = "il y"', lambda table: table.form("a"), "a: not a single word: 'il y'"),
        ('a = ""', lambda table: table.form("a"), "a: not a single word: ''"),
        ('a = "il"', lambda table: table.forms("a"), "a: not a list: 'il'"),
        ('a = ["il", 2]', lambda table: table.forms("a"), "a: not a single word: 2"),
        ('a = ["il", "on", "il"]', lambda table: table.forms("a"), "a: il is listed twice"),
        ('a = ["M.", "M."]', lambda table: table.texts("a"), "a: M. is listed twice"),
        ('a = [["il"], "on"]', lambda table: table.groups("a"), "a[1]: not a list: 'on'"),
        ("a = 1", lambda table: table.table("a"), "a: not a table: 1"),
        ("a = [1]", lambda table: table.tables("a"), "a[0]: not a table: 1"),
        ("a = { B = [] }", lambda table: table.mapping("a"), "a.B: not in the form that is compared: 'B'"),
        ("a = { b = 1 }", lambda table: table.mapping("a"), "a.b: not a list: 1"),
        (
            "a = { b = { c = 1 } }",
            lambda table: table.table("a").table("b").text("c"),
            "a.b.c: not a text: 1",
        ),
        ("a = 1\nb = 2", lambda table: table.allow("a"), "b: unknown key"),
    ],
)
def test_a_wrong_value_is_an_error_with_the_path_of_its_key(
    text: str, read: Callable[[Table], object], what: str
) -> None:
    with pytest.raises(InputError) as raised:
        read(parsed(text))
    assert raised.value.what == what
    assert str(raised.value.where) == "a/xx.toml"
    assert raised.value.fix


def test_right_values_come_back_as_they_are() -> None:
    table = parsed('a = "x"\nb = 3\nc = 1\nd = ["il", "c\'"]\ne = [["a", "b"], []]\nf = { "c\'" = ["il"] }')
    assert table.text("a") == table.choice("a", ["x"]) == table.form("a") == "x"
    assert table.integer("b", low=1, high=3) == 3
    assert table.probability("c") == 1.0
    assert table.forms("d") == ("il", "c'")
    assert table.groups("e") == (("a", "b"), ())
    assert table.mapping("f") == {"c'": ("il",)}
    table.allow("a", "b", "c", "d", "e", "f")


def test_defaults_fill_only_what_is_absent() -> None:
    table = parsed('a = "x"').filled({"a": "y", "b": "z"})
    assert (table.text("a"), table.text("b")) == ("x", "z")


def test_an_error_proposes_the_spelling_that_is_compared() -> None:
    with pytest.raises(InputError) as raised:
        parsed('a = "Ç’"').form("a")
    assert raised.value.fix == 'write "ç\'"'
