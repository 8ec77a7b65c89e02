"""What is tolerated leaves every score as it is, and is said on stderr where something was changed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., tuple[int, str, str]]
Change = Callable[[bytes], bytes]


def metrics_of(out: str) -> list[list[tuple[str, float, dict[str, Any]]]]:
    """Name, score and details of every metric of every system."""
    systems = json.loads(out)["systems"]
    return [[(m["name"], m["score"], m["details"]) for m in system["metrics"]] for system in systems]


def byte_order_mark(data: bytes) -> bytes:
    return b"\xef\xbb\xbf" + data


def windows_line_ends(data: bytes) -> bytes:
    return data.replace(b"\n", b"\r\n")


def no_final_newline(data: bytes) -> bytes:
    return data.removesuffix(b"\n")


def surplus_empty_line(data: bytes) -> bytes:
    return data + b"\n"


def trailing_spaces(data: bytes) -> bytes:
    return data.replace(b"\n", b" \n")


# File, change, the note it is told by.
ANNOUNCED: dict[str, tuple[str, Change, str]] = {
    "a byte order mark in the source": ("src.en", byte_order_mark, "src.en: removed a byte order mark"),
    "a byte order mark in a candidate": ("a.fr", byte_order_mark, "a.fr: removed a byte order mark"),
    "a byte order mark in alignments": ("a.align", byte_order_mark, "a.align: removed a byte order mark"),
    "CRLF in a candidate": ("a.fr", windows_line_ends, "a.fr: read Windows line ends (CRLF)"),
    "CRLF in alignments": ("b.align", windows_line_ends, "b.align: read Windows line ends (CRLF)"),
    "a surplus empty line of alignments": (
        "b.align",
        surplus_empty_line,
        "b.align: dropped surplus empty lines at the end (1)",
    ),
}


@pytest.mark.parametrize(("name", "change", "note"), ANNOUNCED.values(), ids=ANNOUNCED.keys())
def test_a_tolerance_is_noted_and_moves_nothing(
    score: Command, folder: Path, name: str, change: Change, note: str
) -> None:
    _, plain, _ = score("--json")
    (folder / name).write_bytes(change((folder / name).read_bytes()))
    code, out, err = score("--json")
    assert (code, err) == (0, f"note: {note}\n")
    assert metrics_of(out) == metrics_of(plain)
    assert json.loads(out)["notes"] == [note]


def test_a_tolerance_does_not_change_the_signature(score: Command, folder: Path) -> None:
    _, plain, _ = score("--json")
    (folder / "a.fr").write_bytes(byte_order_mark(windows_line_ends((folder / "a.fr").read_bytes())))
    _, out, _ = score("--json")
    assert json.loads(out)["systems"] == json.loads(plain)["systems"]


# Nothing is changed in these files, so there is nothing to note.
SILENT: dict[str, tuple[str, Change]] = {
    "no final newline": ("a.fr", no_final_newline),
    "trailing spaces after links": ("a.align", trailing_spaces),
    "trailing spaces after words": ("a.fr", trailing_spaces),
    "double spaces": ("a.fr", lambda data: data.replace(b" ", b"  ")),
    "leading spaces": ("src.en", lambda data: b" " + data.replace(b"\n", b"\n ")[:-1]),
    "tabs between words": ("b.fr", lambda data: data.replace(b" ", b"\t")),
}


@pytest.mark.parametrize("mode", ["raw", "tokenized"])
@pytest.mark.parametrize(("name", "change"), SILENT.values(), ids=SILENT.keys())
def test_white_space_shifts_no_word(
    score: Command, folder: Path, mode: str, name: str, change: Change
) -> None:
    options = ("--json", "--tokenized") if mode == "tokenized" else ("--json",)
    _, plain, _ = score(*options)
    (folder / name).write_bytes(change((folder / name).read_bytes()))
    code, out, err = score(*options)
    assert (code, err) == (0, "")
    assert metrics_of(out) == metrics_of(plain)


@pytest.mark.parametrize("mark", ["\u2028", "\u2029", "\u0085", "\x0b", "\x0c", "\x1c"])
@pytest.mark.parametrize("name", ["src.en", "ref.fr", "a.fr"])
def test_only_a_newline_ends_a_line(score: Command, folder: Path, name: str, mark: str) -> None:
    """The mark stands before the full stop of every line, where no pronoun is near."""
    _, plain, _ = score("--json")
    text = (folder / name).read_text(encoding="utf-8")
    (folder / name).write_text(text.replace(" .", f"{mark} ."), encoding="utf-8", newline="\n")
    code, out, err = score("--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["segments"] == 6
    assert metrics_of(out) == metrics_of(plain)


def test_links_outside_their_sentences_may_be_dropped(score: Command, folder: Path) -> None:
    _, plain, _ = score("--json")
    links = folder / "a.align"
    links.write_bytes(links.read_bytes().replace(b"0-0 1-2", b"0-0 40-2 2-40 1-2"))
    assert score("--json")[0] == 1
    code, out, err = score("--json", "--outside-links", "drop")
    assert (code, err) == (
        0,
        "note: a.align: dropped 2 links outside their sentences, first in line 5\n",
    )
    assert metrics_of(out) == metrics_of(plain)
    assert "|aligner:given-inside|" in json.loads(out)["systems"][0]["metrics"][0]["signature"]


def test_too_few_documents_for_an_interval_are_noted(score: Command, folder: Path) -> None:
    (folder / "docs").write_text("one\n" * 6, encoding="utf-8")
    code, out, err = score("--json", "--documents", "docs", "--samples", "100")
    assert code == 0
    assert [line.split(":")[1] for line in err.splitlines()] == [
        " no interval for apt",
        " no interval for autoprf",
    ]
    assert all(m["interval"] is None for s in json.loads(out)["systems"] for m in s["metrics"])


def test_notes_are_shown_even_when_a_mistake_follows(score: Command, folder: Path) -> None:
    (folder / "src.en").write_bytes(byte_order_mark((folder / "src.en").read_bytes()))
    (folder / "a.fr").write_bytes(b"Il pleut .\n")
    code, _, err = score()
    assert code == 1
    assert err.startswith("note: src.en: removed a byte order mark\nerror: a.fr has 1 line")
