"""Records: right values come back, and every wrong one is an error with its file, line and key."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

import pytest

from anaphor.core import InputError, Where
from anaphor.core.records import Record, Row


def parsed(text: str) -> Record:
    return Record.from_toml(text.encode(), file="a/xx.toml", docs="docs/x.md")


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
def test_toml_that_cannot_be_parsed_is_an_error_with_its_place(content: bytes, where: str, what: str) -> None:
    with pytest.raises(InputError) as raised:
        Record.from_toml(content, file="xx.toml")
    assert str(raised.value.where).startswith(where)
    assert what in raised.value.what


@pytest.mark.parametrize("line", ["{", "[1]", "1", '{"a": "\\ud800"}', '{"a": ' * 5000, "9" * 5000])
def test_a_line_that_is_not_a_json_object_is_an_error_with_its_number(line: str) -> None:
    with pytest.raises(InputError, match="not a JSON object") as raised:
        list(Record.from_json_lines(['{"a": "\\ud83d\\ude00"}', line], path="x.jsonl"))
    assert raised.value.where == Where("x.jsonl", 2)


@pytest.mark.parametrize(
    ("text", "read", "what"),
    [
        ("", lambda record: record.text("a"), "a: missing"),
        ("a = 1", lambda record: record.text("a"), "a: expected a non-empty string, got 1"),
        ('a = " "', lambda record: record.text("a"), "a: expected a non-empty string, got ' '"),
        ("a = 1", lambda record: record.text("a", blank=True), "a: expected a string, got 1"),
        ("a = 1", lambda record: record.text("a", "default"), "a: expected a non-empty string, got 1"),
        ("a = 1", lambda record: record.optional_text("a"), "a: expected a non-empty string, got 1"),
        (
            'a = "x\\ny"',
            lambda record: record.text("a", one_line=True),
            "a: expected a non-empty string of one line, got 'x\\ny'",
        ),
        ('a = "four"', lambda record: record.text("a", max_length=3), "a: 4 characters"),
        ('a = "x"', lambda record: record.choice("a", ["y", "z"]), "a: unknown value: x"),
        ("a = 1", lambda record: record.flag("a"), "a: expected true or false, got 1"),
        ("a = 4", lambda r: r.integer("a", low=1, high=3), "a: expected an integer from 1 to 3, got 4"),
        ("a = 0", lambda r: r.integer("a", low=1, high=3), "a: expected an integer from 1 to 3, got 0"),
        ("a = true", lambda r: r.integer("a", low=1), "a: expected an integer of at least 1, got True"),
        ("a = 1.0", lambda r: r.integer("a", high=3), "a: expected an integer of at most 3, got 1.0"),
        ("a = '1'", lambda r: r.integer("a"), "a: expected an integer, got '1'"),
        ("a = 1.01", lambda r: r.number("a", low=0, high=1), "a: expected a number from 0 to 1, got 1.01"),
        ("a = nan", lambda r: r.number("a", low=0, high=1), "a: expected a number from 0 to 1, got nan"),
        ("a = inf", lambda r: r.number("a"), "a: expected a number, got inf"),
        ("a = true", lambda r: r.number("a"), "a: expected a number, got True"),
        ('a = "il"', lambda record: record.texts("a"), "a: expected a list, got 'il'"),
        ('a = ["il", 2]', lambda record: record.texts("a"), "a[1]: expected a non-empty string, got 2"),
        ("a = 1", lambda record: record.table("a"), "a: expected a table, got 1"),
        ("a = 1", lambda record: record.table("a", {}), "a: expected a table, got 1"),
        ("a = [{}, 1]", lambda record: record.tables("a"), "a[1]: expected a table, got 1"),
        (
            "a = [{ b = { c = 1 } }]",
            lambda record: record.tables("a")[0].table("b").text("c"),
            "a[0].b.c: expected a non-empty string, got 1",
        ),
        ("a = 1\nb = 2", lambda record: record.allow("a"), "b: unknown key"),
        ("a = { c = 1 }", lambda record: record.table("a").allow("b"), "a.c: unknown key"),
    ],
)
def test_a_wrong_value_is_an_error_with_the_path_of_its_key(
    text: str, read: Callable[[Record], object], what: str
) -> None:
    with pytest.raises(InputError) as raised:
        read(parsed(text))
    assert raised.value.what == what
    line = len(text.splitlines()) or None  # the last is wrong; a missing key has no line
    assert raised.value.where == Where("a/xx.toml", line)
    assert raised.value.fix


def test_right_values_come_back_as_they_are() -> None:
    record = parsed(
        'a = "x"\nb = 3\nc = 1\nd = ["il", "c\'"]\ne = true\nf = [{ g = 1 }]\nh = ""\ni = { j = 2 }'
    )
    assert record.text("a") == record.choice("a", ["x"]) == record.optional_text("a") == "x"
    assert record.text("a", max_length=1, one_line=True) == "x"
    assert record.text("h", blank=True) == ""
    assert record.integer("b", low=3, high=3) == 3
    assert record.number("c", low=1, high=1) == 1.0
    assert isinstance(record.number("c"), float)
    assert record.texts("d") == ("il", "c'")
    assert record.flag("e") is True
    assert [table.integer("g") for table in record.tables("f")] == [1]
    assert record.table("i").raw("j") == 2
    assert (list(record), len(record), "a" in record, "z" in record) == (list("abcdefhi"), 8, True, False)
    record.allow("a", "b", "c", "d", "e", "f", "h", "i")


def test_defaults_stand_for_absent_keys_only() -> None:
    record = parsed('a = "x"\nb = false\nc = 0\nd = 0.0')
    assert (record.text("a", "y"), record.text("z", "y"), record.text("z", "")) == ("x", "y", "")
    assert (record.flag("b", default=True), record.flag("z", default=False)) == (False, False)
    assert (record.integer("c", 7), record.integer("z", 0)) == (0, 0)
    assert (record.number("d", 7.0), record.number("z", 0.0)) == (0.0, 0.0)
    assert (record.choice("z", ["y"], "y"), record.optional_text("z")) == ("y", None)
    assert (record.texts("z", ()), record.tables("z", ()), len(record.table("z", {}))) == ((), (), 0)


@pytest.mark.parametrize(
    ("read", "fix"),
    [
        (lambda record: record.text("z"), "docs/x.md"),
        (lambda record: record.text("form"), "docs/x.md"),
        (lambda record: record.allow("forms", "about"), "did you mean forms? known: about, forms"),
        (lambda record: record.allow("about"), "known: about"),
        (lambda record: record.choice("word", ["left", "right"]), "did you mean left? known: left, right"),
        (lambda record: record.refuse("word", "wrong", fix="do this"), "do this"),
    ],
)
def test_the_fix_says_what_to_write(read: Callable[[Record], object], fix: str) -> None:
    with pytest.raises(InputError) as raised:
        read(parsed('form = 1\nword = "lefd"'))
    assert fix in raised.value.fix
    # A file that nobody edits by hand has one piece of advice for everything.
    with pytest.raises(InputError) as raised:
        read(Record({"form": 1, "word": "lefd"}, where="r.json", fix="run it again"))
    assert raised.value.fix == "run it again"


def test_tables_inside_are_of_the_same_class() -> None:
    class Special(Record):
        __slots__ = ()

    record = Special.from_json('{"a": [{"b": {}}]}', where="x")
    assert type(record.tables("a")[0].table("b")) is Special


TSV = ["system\tscore\tnote", "a\t0.5\t", "b\t1\t best "]
OBJECTS = ['{"system": "a", "score": 0.5, "note": null}', '{"system": "b", "score": 1, "note": "best"}']


@pytest.mark.parametrize(
    "read", [lambda: Row.from_tsv(TSV, path="x"), lambda: Row.from_objects(OBJECTS, path="x")]
)
def test_tsv_and_json_lines_give_the_same_rows(read: Callable[[], list[Row]]) -> None:
    rows = list(read())
    assert [row.text("system") for row in rows] == ["a", "b"]
    assert [row.number("score") for row in rows] == [0.5, 1.0]
    assert [row.optional_text("note") for row in rows] == [None, "best"]
    assert rows[1].integer("score", low=0) == 1


def test_a_json_list_of_strings_is_joined_by_commas() -> None:
    (row,) = Row.from_objects(['{"choices": ["il", "ce"], "none": []}'], path="x")
    assert row.text("choices") == "il,ce"
    assert list(row) == ["choices"]


@pytest.mark.parametrize(
    ("read", "cell", "words"),
    [
        (lambda row: row.number("score"), "high", "score: expected a number, got 'high'"),
        (lambda row: row.number("score"), "nan", "score: expected a number, got 'nan'"),
        (lambda row: row.number("score"), "-inf", "score: expected a number, got '-inf'"),
        (lambda row: row.integer("score", low=0), "1.5", "an integer of at least 0, got '1.5'"),
        (lambda row: row.integer("score", low=0), "-1", "an integer of at least 0, got '-1'"),
        (lambda row: row.integer("score", low=0), "", "score: missing"),
        (lambda row: row.text("score"), " ", "score: missing"),
        (lambda row: row.allow("system"), "1", "score: unknown column"),
    ],
)
def test_cells_are_checked_where_they_stand(read: Callable[[Row], object], cell: str, words: str) -> None:
    (row,) = Row.from_tsv(["system\tscore", f"a\t{cell}"], path="x.tsv")
    with pytest.raises(InputError, match=words) as caught:
        read(row)
    assert caught.value.where == Where("x.tsv", 2)


def test_a_row_of_csv_has_the_line_that_it_begins_in() -> None:
    lines = ["id,text", '1,"two', 'lines"', '2,"three', "", 'lines"', "3,one", "4"]
    rows = Row.from_csv(lines, path="a.csv")
    assert [(row.where.line, row.text("id")) for row in islice(rows, 3)] == [(2, "1"), (4, "2"), (7, "3")]
    with pytest.raises(InputError, match="the row has 1 columns") as caught:
        next(rows)
    assert caught.value.where.line == 8


def test_a_quoted_header_of_csv_moves_the_lines_below_it() -> None:
    (row,) = Row.from_csv(['id,"te', 'xt"', "1,a"], path="a.csv")
    assert row.where.line == 3
