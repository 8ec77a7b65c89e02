"""The official scorers of 2016 and 2015 against every stored output, byte by byte, and beyond."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from anaphor.core import InputError
from anaphor.legacy import run_discomt15, run_wmt16
from anaphor.legacy.wmt16 import Percentages, PerlFile, padded

GOLDEN = Path(os.environ.get("ANAPHOR_GOLDEN", Path(__file__).resolve().parents[3] / "shared" / "golden"))
CASES = sorted(path.name for path in (GOLDEN / "wmt16").glob("w*")) or ["absent"]
LINE = "{}\tx\tit is\tREPLACE_0 être|VER\t0-0 1-1\n"


@pytest.mark.parametrize("name", CASES)
def test_a_stored_case_of_2016_is_reproduced(
    golden_dir: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = golden_dir / "wmt16" / name
    monkeypatch.chdir(case)  # messages name the files as they were given
    run = run_wmt16("gold", "pred", (case / "pair").read_text(encoding="utf-8").strip())
    code = re.search(r"exit: (\d+)", (case / "expect.txt").read_text(encoding="utf-8"))
    assert code is not None
    assert run.output == (case / "stdout.txt").read_bytes()
    assert run.messages == (case / "stderr.txt").read_bytes()
    assert run.code == int(code[1])


@pytest.mark.parametrize("name", ["kenlm-baseline", "participant"])
def test_the_official_outputs_of_2015_are_reproduced(
    data_dir: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(data_dir / "discomt2015-task")
    predicted = f"teddev.{name}.predictions.tsv"
    official = Path(f"teddev.{name}.official-scores.txt").read_bytes()
    run = run_discomt15("teddev.tsv", predicted)
    # The last line names the file of the predictions, which was called otherwise then.
    named = official.strip(b"\n").rsplit(b"\n", 1)[1].split(b"\t")[0]
    assert run.output == official.replace(named, predicted.encode())
    assert (run.messages, run.code) == (b"", 0)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run_on(gold: bytes, predicted: bytes, pair: str = "en-fr") -> tuple[bytes, int]:
    Path("gold").write_bytes(gold)
    Path("pred").write_bytes(predicted)
    run = run_wmt16("gold", "pred", pair)
    return run.messages, run.code


IL = LINE.format("il").encode()
NONE = LINE.format("").encode()

#: Gold, predictions, message and exit code, by the rules of original-tools, section 4.3. The wording of the
#: messages is the original's.
DEATHS = {
    "gold empty": (
        NONE,
        b"il\n",
        "The gold label is empty, but the predicted label is not: il",
        171,
        "PREDICTED",
        25,
    ),
    "shorter": (IL + IL, b"il\n", "The file pred is shorter!", 161, "PREDICTED", 255),
    "other count": (
        LINE.format("il ce").encode(),
        b"il\n",
        "Different number of labels in the gold and in the predictions file.",
        183,
        "PREDICTED",
        25,
    ),
    "wrong case": (
        IL,
        b"Il\n",
        "Wrong file format for pred: the predicted label is 'Il'",
        179,
        "PREDICTED",
        25,
    ),
    "blank gold line": (b"\n" + IL, b"\nil\n", "Wrong file format for gold!", 156, "GOLD", 25),
    "this in es-en": (
        IL,
        b"this\n",
        "Wrong file format for gold: the gold label is 'il'",
        178,
        "PREDICTED",
        25,
    ),
    "no newline": (
        IL,
        b"Il",
        "Wrong file format for pred: the predicted label is 'Il'",
        179,
        "PREDICTED",
        255,
    ),
}


@pytest.mark.parametrize(("gold", "predicted", "what", "line", "handle", "code"), DEATHS.values(), ids=DEATHS)
def test_a_fault_ends_the_scorer_with_its_message(
    files: Path, gold: bytes, predicted: bytes, what: str, line: int, handle: str, code: int
) -> None:
    pair = "es-en" if b"this" in predicted else "en-fr"
    messages, found = run_on(gold, predicted, pair)
    number = 2 if "shorter" in what else 1
    expected = f"Line {number}: {what} at SCORER line {line}, <{handle}> line 1.\n"
    assert (messages.decode(), found) == (expected, code)


#: Bytes that are no UTF-8 and how Perl 5.36 names them.
@pytest.mark.parametrize(
    ("content", "shown"),
    [
        (b"\xe9", [r"\xE9"]),
        (b"\xe2\x82x\xff", [r"\xE2\x82", r"\xFF"]),
        (b"\xed\xa0\x80", [r"\xED\xA0\x80"]),
    ],
)
def test_bytes_that_are_not_utf8_are_warned_of_and_shown(
    files: Path, content: bytes, shown: list[str]
) -> None:
    warnings = [f'UTF-8 "{text}" does not map to Unicode at SCORER line 161.\n' for text in shown]
    messages, code = run_on(IL, content + b"\n")
    assert messages.decode().startswith("".join(warnings) + "Line 1: Wrong file format for pred: ")
    assert code == 25
    in_text, code = run_on(IL.replace(b"it is", content), b"il\n")
    assert in_text.decode() == "".join(warnings).replace("161", "152")
    assert code == 0


def test_no_predictions_at_all_leave_no_line_to_name(files: Path) -> None:
    assert run_on(IL, b"") == (b"Line 1: The file pred is shorter! at SCORER line 161.\n", 255)


def test_a_last_line_of_one_zero_counts_as_none(files: Path) -> None:
    assert run_on(IL, b"0")[0].startswith(b"Line 1: The file pred is shorter!")


def test_a_label_beyond_ascii_is_written_in_latin_1(files: Path) -> None:
    assert b"label is 'on\xe9' at" in run_on(IL, "oné\n".encode())[0]


def test_an_empty_gold_file_dies_at_the_accuracy(files: Path) -> None:
    assert run_on(b"", b"il\n") == (b"Illegal division by zero at SCORER line 272.\n", 255)


@pytest.mark.parametrize(
    ("gold", "predicted"),
    [
        (b"il\tx\tit is\tREPLACE_0\t\n", b"il\n"),
        (IL.replace(b"\n", b"\r\n"), b"il\r\n"),
        (IL.rstrip(), b"il"),
        (IL, b"il\tand\tmore\n"),
        (IL, b"il\t\n"),
        (IL, b"il\nxx\n"),
    ],
    ids=["empty links", "CRLF", "no newline", "columns", "trailing tab", "longer"],
)
def test_the_scorer_tolerates_what_the_original_tolerates(files: Path, gold: bytes, predicted: bytes) -> None:
    assert run_on(gold, predicted) == (b"", 0)


def test_2015_knows_its_fine_classes_alone(files: Path) -> None:
    Path("gold").write_bytes(LINE.format("ça").encode())
    Path("pred").write_bytes(b"c'\n")
    run = run_discomt15("gold", "pred")
    assert run.messages.startswith(b"Line 1: Wrong file format for pred: the predicted label is 'c''")
    Path("pred").write_bytes("ça\n".encode())
    assert (
        b"MACRO-averaged fine-grained F1:  11.11%\npred\t11.1111111111111\t100\n"
        in run_discomt15("gold", "pred").output
    )


def test_a_missing_file_is_our_own_error(files: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        run_wmt16("absent", "pred", "en-fr")


@pytest.mark.parametrize(
    ("label", "expected"),
    [("ce", "  ce "), ("ils", " ils "), ("cela", "cela "), ("elles", "elles"), ("OTHER", "OTHER")],
)
def test_labels_are_padded_to_five(label: str, expected: str) -> None:
    assert padded(label) == expected


def test_f1_is_computed_from_percentages_not_from_counts() -> None:
    """The last line of 2015 prints 15 digits, in which the two orders of operations differ."""
    assert f"{Percentages.of(3, 7, 6).f1:.15g}" == "46.1538461538461"
    assert f"{200 * 3 / (7 + 6):.15g}" == "46.1538461538462"


def test_a_name_beyond_latin_1_is_written_in_utf_8(files: Path) -> None:
    """Perl encodes each piece of its output alone: ça stays Latin-1, the last line has the name of a file."""
    Path("gold").write_bytes(LINE.format("ça").encode())
    Path("prédit-\u0142").write_bytes("ça\n".encode())
    run = run_discomt15("gold", "prédit-\u0142")
    assert run.code == 0
    assert "ça".encode("latin-1") in run.output
    assert "ça".encode() not in run.output
    assert run.output.rsplit(b"\n", 2)[1].startswith("prédit-\u0142\t".encode())


@pytest.mark.parametrize(
    ("content", "malformed"),
    [
        (b"a\xe9b", ["\\xE9"]),
        (b"\xed\xa0\x80\x80", ["\\xED\\xA0\\x80", "\\x80"]),  # three bytes at most after E0 to EF
        (b"\xc0\x80\x80", ["\\xC0\\x80", "\\x80"]),
        (b"\xf5\x80\x80\x80\x80", ["\\xF5\\x80\\x80\\x80", "\\x80"]),
        (b"\xff\xff", ["\\xFF", "\\xFF"]),
    ],
)
def test_malformed_sequences_are_cut_where_perl_cuts_them(
    files: Path, content: bytes, malformed: list[str]
) -> None:
    Path("text").write_bytes(content)
    assert PerlFile("GOLD", "text").malformed == malformed
