"""Where the original APT stops with a traceback or reads nonsense, we say what, where and how to mend it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from anaphor.core import InputError, MismatchError, OptionError, UserError
from anaphor.legacy import AptRun, write

Apt = Callable[..., AptRun]

POSITIONS = {"files.input_type": "possition"}
REPAIR = {"dictionary.source_pronouns": "list_src", "dictionary.target_pronouns": "list_tgt"}


def complaint(tmp_path: Path, error: UserError) -> str:
    """Where the error is, without the folder of the test."""
    assert error.fix
    return str(error.where).removeprefix(f"{tmp_path}/")


@pytest.mark.parametrize("name", ["source", "reference", "target"])
def test_a_missing_text_is_refused(apt: Apt, tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="cannot be read") as caught:
        apt({}, {f"files.{name}": "nowhere"})
    assert complaint(tmp_path, caught.value) == "nowhere"


@pytest.mark.parametrize("name", ["alignment_source_reference", "alignment_source_target"])
def test_a_missing_alignment_is_refused(apt: Apt, tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        apt({}, {f"files.{name}": "nowhere"})


@pytest.mark.parametrize(
    ("files", "where", "message"),
    [
        ({"sr": "0-2\n"}, "sr:1", "target token 2, but the sentence has 2 tokens"),
        ({"st": "0-0 0-9\n"}, "st:1", "target token 9"),
        ({"sr": "0-0 0:1\n"}, "sr:1:5", "not an alignment point: '0:1'"),
        ({"sr": "0-0 1\n"}, "sr:1:5", "not an alignment point: '1'"),
        ({"sr": "0-0-1\n"}, "sr:1:1", "not an alignment point"),
        ({"sr": "0--1\n"}, "sr:1:1", "not an alignment point"),
        ({"sr": "9999999999-0\n"}, "sr:1:1", "not an alignment point"),
        ({"sr": b"\xef\xbb\xbf0-0\n"}, "sr:1:1", "not an alignment point"),
        ({"src": b"it \xff\n"}, "src:1:4", "0xff is not valid UTF-8"),
        ({"equal": b"ce,\xff\n"}, "equal:1:4", "0xff is not valid UTF-8"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*byte order mark:anaphor.core.InputWarning")
def test_a_broken_file_is_refused_with_its_place(
    apt: Apt, tmp_path: Path, files: dict[str, str | bytes], where: str, message: str
) -> None:
    with pytest.raises(InputError, match=message) as caught:
        apt(files)
    assert complaint(tmp_path, caught.value) == where


@pytest.mark.parametrize("code", ["\u2028", "\u2029", "\x85", "\v", "\f", "\x1c", "\x1d", "\x1e", "\r"])
@pytest.mark.parametrize("name", ["src", "ref", "tgt"])
def test_a_character_that_split_lines_is_refused(apt: Apt, tmp_path: Path, code: str, name: str) -> None:
    with pytest.raises(InputError, match=f"U\\+{ord(code):04X} inside a line") as caught:
        apt({name: f"x y\nit{code} works\n"})
    assert complaint(tmp_path, caught.value) == f"{name}:2:3"


@pytest.mark.parametrize("name", ["ref", "tgt", "sr", "st"])
def test_every_segment_with_a_pronoun_must_have_its_line(apt: Apt, tmp_path: Path, name: str) -> None:
    files = {"src": "x\nit\n", "ref": "x\nil\n", "tgt": "x\nil\n", "sr": "0-0\n0-0\n", "st": "0-0\n0-0\n"}
    short = {name: files[name].split("\n")[0] + "\n"}
    with pytest.raises(MismatchError, match="has 1 lines, but there is a pronoun in source line 2") as caught:
        apt({**files, **short})
    assert complaint(tmp_path, caught.value) == f"{name}:2"


@pytest.mark.parametrize(
    ("positions", "message"),
    [
        ("0 0\n\n", "not a position: ''"),
        ("0\n", "not a position: '0'"),
        ("0 0 0\n", "not a position"),
        ("-1 0\n", "not a position"),
        ("it\n", "not a position"),
        ("1 0\n", "no token 0 in segment 1"),
        ("0 2\n", "no token 2 in segment 0"),
    ],
)
def test_a_position_that_names_no_token_is_refused(apt: Apt, positions: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        apt({"list_src": positions}, POSITIONS)


def test_the_repair_refuses_a_source_index_past_the_sentence(apt: Apt, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="source token 7, but the sentence has 2 tokens") as caught:
        apt({"ref": "x il\n", "sr": "0-0 7-1\n"}, REPAIR)
    assert complaint(tmp_path, caught.value) == "sr:1"


@pytest.mark.parametrize("blocked", ["out.score", "out.detail"])
def test_nothing_is_written_when_one_file_cannot_be(apt: Apt, tmp_path: Path, blocked: str) -> None:
    run = apt({})
    (tmp_path / blocked).mkdir()
    with pytest.raises(OptionError, match="cannot be written"):
        write(run)
    assert [path.name for path in tmp_path.glob("out*")] == [blocked]


def test_a_missing_output_folder_is_refused(apt: Apt) -> None:
    run = apt({}, {"output.output_file": "nowhere/out"})
    with pytest.raises(OptionError, match="cannot be written"):
        write(run)
