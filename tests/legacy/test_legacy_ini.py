"""INI files by the rules of Python 2.7; every accepted form was compared with its RawConfigParser."""

from __future__ import annotations

import pytest

from anaphor.core import InputError, OptionError
from anaphor.legacy.python27 import parse_ini


@pytest.mark.parametrize(
    ("written", "key", "value"),
    [
        ("key: value", "key", "value"),
        ("key = value", "key", "value"),
        ("KEY: value", "key", "value"),
        ("key: value ; comment", "key", "value"),
        ("key: x;y ;z", "key", "x;y ;z"),
        ("key: ; kept", "key", "; kept"),
        ("key: a # b", "key", "a # b"),
        ('key: ""', "key", ""),
        ("key:", "key", ""),
        ("key: a=b", "key", "a=b"),
        ("key = a:b", "key", "a:b"),
        ("spaced key   :  v  ", "spaced key", "v"),
        ("key: one\n  two\n\n  # three", "key", "one\ntwo\n# three"),
        ("key: 1\nkey: 2", "key", "2"),
        ("key: 1\n[b]\nkey: 2\n[a]\nother: 3", "key", "1"),
        ("key: 1\r", "key", "1"),
        ("# no: 1\n; no: 2\nREM no: 3\nkey: 4", "key", "4"),
    ],
)
def test_a_value_is_read_as_python_2_did(written: str, key: str, value: str) -> None:
    assert parse_ini(f"[a]\n{written}\n", "c").text("a", key) == value


def test_default_values_serve_every_section() -> None:
    assert parse_ini("[DEFAULT]\nkey: 1\n[a]\n", "c").text("a", "key") == "1"


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("key: 1\n", "c:1:1"),
        ("[a]\nno key here\n", "c:2:1"),
        ("\ufeff[a]\nkey: 1\n", "c:1:1"),
        ("[]\n", "c:1:1"),
    ],
)
def test_a_line_of_no_known_kind_is_refused(text: str, where: str) -> None:
    with pytest.raises(InputError, match="not a section, a key or a comment") as caught:
        parse_ini(text, "c")
    assert str(caught.value.where) == where


def test_a_missing_section_and_a_missing_key_are_named() -> None:
    ini = parse_ini("[a]\nkey: 1\n", "c")
    with pytest.raises(InputError, match=r"no section \[A\]"):
        ini.text("A", "key")
    with pytest.raises(InputError, match=r"section \[a\] has no key other"):
        ini.text("a", "other")


def test_a_value_that_cannot_be_converted_is_shown_with_its_line() -> None:
    with pytest.raises(OptionError, match="key is 'one'") as caught:
        parse_ini("[a]\n\nkey: one\n", "c").convert("a", "key", int, wanted="a number")
    assert (str(caught.value.where), caught.value.fix) == ("c:3", "write a number")
