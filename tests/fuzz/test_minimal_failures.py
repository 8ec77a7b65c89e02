"""The smallest files at which a reader once failed with something else than a `UserError`."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from anaphor.align.hmm_aligner import TrainedAligner
from anaphor.core import InputError, UserError
from anaphor.core.engine import has_native, native
from anaphor.core.errors import printable
from anaphor.core.records import Record, strict_json, whole_number
from anaphor.core.table import Cell
from anaphor.demo import files
from anaphor.files.arrays import check_arrays, pack_arrays, read_arrays, unpack_arrays, write_arrays
from anaphor.predict.families import load_model
from anaphor.report.result_tables import embolden_best
from anaphor.scale.result_store import ResultStore
from tests.fuzz.harness import signed_files
from tests.fuzz.readers import READERS

_BY_NAME = {reader.name: reader for reader in READERS}
#: Every difference of two neighbours is positive in 64 bits, and so is their sum.
WRAPPED = np.array([0, 2**62, 2**63 - 1, -(2**63), -(2**62), 0], np.int64)


def made(name: str, folder: Path) -> Path:
    """The good files of a reader."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _BY_NAME[name].make(folder)
    return folder


def test_row_starts_that_wrap_around_are_refused(tmp_path: Path) -> None:
    path = made("alignment model", tmp_path) / "en-fr.model"
    content = read_arrays(path)
    start = content.arrays["start"].copy()
    start[1:7] = WRAPPED[:6] + np.array([1, 0, 0, 0, 0, 3])
    write_arrays(path, {**content.arrays, "start": start}, metadata=content.metadata)
    with pytest.raises(InputError, match="the rows of start overlap"):
        TrainedAligner.load(path)


@pytest.mark.skipif(not has_native(), reason="needs the compiled extension")
def test_native_code_checks_every_index_that_it_is_handed() -> None:
    words, start = np.zeros(4, np.int32), np.array([0, 4])
    with pytest.raises(ValueError, match="row starts"):
        native.LexiconRows(WRAPPED, np.zeros(0, np.int32))
    with pytest.raises(ValueError, match="row starts"):
        native.Bitext(words, np.array([0, 9, 4]), words, np.array([0, 2, 4]))
    with pytest.raises(ValueError, match="negative"):
        native.Bitext(words - 1, start, words, start)
    with pytest.raises(ValueError, match="not known"):
        native.candidate_pairs(native.Bitext(words + 7, start, words, start), 3, 3, 0.1, 5, 1, None)
    none = np.zeros(4, np.int64)
    with pytest.raises(ValueError, match="unknown word"):
        native.maximize(start, words + 9, 3, none, none, np.zeros(4, np.float32), 0.1, 1)
    with pytest.raises(ValueError, match="row starts"):
        native.word_types(words, np.array([0, 5]))
    with pytest.raises(ValueError, match="without a form"):
        native.similarities(start, words + 3, b"a", np.array([0, 1]), b"b", np.array([0, 1]), 1)
    rows = native.LexiconRows(start, np.arange(4, dtype=np.int32))
    numbers, jumps = np.ones(2, np.float32), np.full(513, 0.1, np.float32)
    tables = np.ones(8, np.float32)
    model = native.AlignerModel(tables, numbers, numbers, numbers, numbers, jumps, jumps, 0.1, 0.1, 1.0)
    text = native.Bitext(words + 2, start, words, start)
    with pytest.raises(ValueError, match="not known"):
        native.decode_links(text, rows, model, True, 0, 1, 0, 0.1, 1, None)
    with pytest.raises(ValueError, match="without a probability"):
        native.decode_links(
            native.Bitext(words, start, words, start), rows, model, True, 0, 1, 0, 0.1, 1, None
        )


@pytest.mark.parametrize(
    "options", ["[" * 100_000, '{"alpha": 1e999}', '{"alpha": NaN}', '{"alpha": 1, "alpha": 1}', "null"]
)
def test_options_inside_a_header_are_refused(tmp_path: Path, options: str) -> None:
    path = made("alignment model", tmp_path) / "en-fr.model"
    content = read_arrays(path)
    write_arrays(path, content.arrays, metadata={**content.metadata, "options": options})
    with pytest.raises(InputError, match="the alignment model is inconsistent"):
        TrainedAligner.load(path)


@pytest.mark.parametrize(
    ("name", "value"), [("agree", 3), ("hmm_passes", 2.0), ("alpha", True), ("reading", 0.0)]
)
def test_an_option_of_another_type_is_refused(tmp_path: Path, name: str, value: object) -> None:
    path = made("alignment model", tmp_path) / "en-fr.model"
    content = read_arrays(path)
    options = json.dumps({**json.loads(content.metadata["options"]), name: value})
    write_arrays(path, content.arrays, metadata={**content.metadata, "options": options})
    with pytest.raises(InputError, match=f"the option {name} has the wrong type"):
        TrainedAligner.load(path)


def _archive(content: bytes, method: int = zipfile.ZIP_STORED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        archive.writestr("a.npy", content)
    return file.getvalue()


def _npy(head: str, data: bytes = b"") -> bytes:
    return b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode() + data


def _encrypted() -> bytes:
    packed = bytearray(_archive(_npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }\n", b"1234")))
    packed[6] |= 1
    packed[packed.rfind(b"PK\x01\x02") + 8] |= 1
    return bytes(packed)


def _bomb() -> bytes:
    """Two gigabytes of zeros of which the directory announces two megabytes."""
    packed = bytearray(_archive(bytes(1 << 26), zipfile.ZIP_DEFLATED))
    size = (1 << 21).to_bytes(4, "little")
    at = packed.rfind(b"PK\x01\x02")
    packed[22:26] = packed[at + 24 : at + 28] = size
    return bytes(packed)


@pytest.mark.parametrize(
    "content",
    [
        _encrypted(),
        _bomb(),
        _archive(b"x" * 10, zipfile.ZIP_LZMA),
        _archive(_archive(b"")),
        _archive(_npy("{'descr': '<f4', 'shape': (((((((((")),
        _archive(_npy("'")),
        _archive(_npy("-" * 9000 + "1")),
        _archive(_npy("{'descr': 'V0', 'fortran_order': False, 'shape': (7,), }\n")),
        _archive(_npy("{'descr': '<f4', 'fortran_order': False, 'shape': (-1, -1), }\n", b"1234")),
        _archive(_npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }\n", b"12345678")),
        _archive(_npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000,), }\n", b"1234")),
        b'\x10\0\0\0\0\0\0\0{"a":[[[[[[[[[[[',
        (2**63).to_bytes(8, "little") + b"{}",
        (200_000).to_bytes(8, "little") + b"[" * 200_000,
    ],
)
def test_a_hostile_container_is_refused(content: bytes) -> None:
    with pytest.raises(InputError, match="not a valid array file"):
        unpack_arrays(content, path=Path("x"))


def test_a_device_without_end_is_refused() -> None:
    with pytest.raises(InputError, match="a device is not a file"):
        read_arrays(Path("/dev/zero"))


@pytest.mark.parametrize(
    ("wanted", "array", "message"),
    [
        ("float32[n]", np.array([np.inf], np.float32), "not finite"),
        ("float32[n] > 0 <= 1", np.array([0], np.float32), "not > 0"),
        ("int64[n] >= 0 < n", np.array([0, 2]), "not < 2"),
        ("int64[3] starts of size", np.array([0, 5, 4]), "overlap"),
        ("int64[3] starts of size", np.array([0, -1, 4]), "overlap"),
        ("int64[6] starts of size", np.append(WRAPPED[:-1], 4), "overlap"),
        ("int64[n] ascending", np.array([1, 1]), "not ascending"),
        ("int64[n] ascending", np.array([2**62, -(2**63)]), "not ascending"),
        ("int64[n, n]", np.zeros((1, 2), np.int64), "wrong size"),
        ("int64[2*size+1]", np.zeros(8, np.int64), r"wrong size: \[8\], not \[9\]"),
        ("strings[2]", np.frombuffer(b"a\nb\nc", np.uint8), r"wrong size: \[3\], not \[2\]"),
        ("strings[2]", np.zeros((2, 2), np.uint8), "wrong size"),
        ("strings[n]", np.frombuffer(b"\xff", np.uint8), "can't decode"),
    ],
)
def test_a_schema_refuses(wanted: str, array: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check_arrays({"x": array}, {"x": wanted}, size=4)


def test_a_schema_gives_its_sizes() -> None:
    arrays = {
        "forms": np.frombuffer(b"a\nb", np.uint8),
        "start": np.array([0, 2, 3]),
        "target": np.array([0, 7, 1], np.int32),
    }
    schema = {
        "forms": "strings[forms]",
        "start": "int64[forms+1] starts of links",
        "target": "int32[links] >= 0 < words ascending in start",
    }
    assert check_arrays(arrays, schema, words=8) == {"words": 8, "forms": 2, "links": 3}
    assert check_arrays({"x": np.zeros(0, np.int64)}, {"x": "int64[n] ascending"}) == {"n": 0}


@pytest.mark.parametrize(
    ("name", "file", "change"),
    [
        ("majority", "counts.json", lambda content: content | {"": {"il": 10**400}}),
        ("majority", "counts.json", lambda content: content | {"": {"il": 2, "elle": -1}}),
        ("lm-fill", "penalty.json", lambda content: content | {"penalty": -(10**400)}),
        ("lm-fill", "penalty.json", lambda content: content | {"labels": ["\ud800"]}),
        ("pronoun-lm", "candidates.json", lambda content: content | {"": ["il"], "it": ["elle"]}),
        ("pronoun-lm", "candidates.json", lambda content: {"it": ["il"]}),
        ("anaphor-2", "networks.json", lambda content: content | {"networks": float("inf")}),
        ("anaphor-2", "networks.json", lambda content: content | {"shape": content["shape"] | {"heads": 0}}),
        (
            "anaphor-2",
            "networks.json",
            lambda content: content | {"shape": content["shape"] | {"width": 2**70}},
        ),
        (
            "anaphor-2",
            "networks.json",
            lambda content: (
                content
                | {
                    "configs": {
                        "en-fr lemmas": content["configs"]["en-fr lemmas"]
                        | {"views": [{"before": 2**63, "after": 0, "domain": 0}]}
                    }
                }
            ),
        ),
        (
            "anaphor-2",
            "networks.json",
            lambda content: (
                content | {"configs": {"en-fr lemmas": content["configs"]["en-fr lemmas"] | {"network": 1}}}
            ),
        ),
        ("anaphor-2", "model.json", lambda content: content | {"files": {"a\0b": {"sha256": ""}}}),
        ("anaphor-2", "model.json", lambda content: content | {"files": {"a" * 300: {"sha256": ""}}}),
        (
            "neural/convolution",
            "model.json",
            lambda content: (
                content
                | {
                    "card": content["card"]
                    | {"options": content["card"]["options"] | {"sizes": [2, 3, 2, 3]}}
                }
            ),
        ),
    ],
)
def test_a_model_folder_is_refused(
    tmp_path: Path, name: str, file: str, change: Callable[[Any], Any]
) -> None:
    folder = made(name, tmp_path) / "model"
    path = folder / file
    path.write_text(json.dumps(change(json.loads(path.read_text()))))
    contents = {one: one.read_bytes() for one in folder.iterdir()}
    for one, content in signed_files(contents).items():
        one.write_bytes(content)
    with pytest.raises(InputError, match="the model is damaged or was changed"):
        load_model(folder)


@pytest.mark.parametrize(
    "text", ['{"a": 1, "a": 2}', "[NaN]", "[1e999]", f"[1{'0' * 400}]", '["\\ud800"]', "[" * 10**5]
)
def test_json_that_no_program_writes_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        strict_json(text)
    with pytest.raises(ValueError, match=r"."):
        strict_json(text.encode())


def test_a_whole_number_that_no_float_holds_is_refused() -> None:
    with pytest.raises(InputError, match="x: expected a number"):
        Record.from_json(f'{{"x": 1{"0" * 400}}}', where="file").number("x")


def test_a_count_of_more_digits_than_python_reads_is_refused(tmp_path: Path) -> None:
    assert whole_number("9" * 18) == 10**18 - 1
    assert whole_number("9" * 19) is None
    path = made("public test sets", tmp_path) / "contracat-text.2"
    path.write_text("7" * 5000 + "\n")
    with pytest.raises(InputError, match="not a line number"):
        _BY_NAME["public test sets"].read(tmp_path)


def test_an_integer_of_more_than_64_bits_is_refused() -> None:
    assert Record({"items": 2**63 - 1}, where="file").integer("items") == 2**63 - 1
    with pytest.raises(InputError, match="items: expected an integer of 64 bits"):
        Record({"items": 2**63}, where="file").integer("items")


def test_a_score_that_overflows_when_it_is_printed_is_not_the_best() -> None:
    rows: list[list[Cell | str | int | None]] = [["a", Cell(1e306)], ["b", Cell(0.5)]]
    embolden_best(rows)
    assert [getattr(row[1], "style", None) == "bold" for row in rows] == [False, True]


def test_messages_can_always_be_printed() -> None:
    error = UserError("unknown: \x1b[31m\ud800\u202e", where="a\udcffb\x07", fix="é ü")
    assert str(error) == "error: unknown: \\x1b[31m\\ud800\\u202e\nwhere: a\\udcffb\\x07\nfix:   é ü"
    assert printable("Ça\nva ?") == "Ça\nva ?"


DEMO = files()
SCORE = ["score", "--pair", "en-fr", "--source", str(DEMO.source), "--reference", *map(str, DEMO.references)]


@pytest.mark.parametrize(
    "command", [["list"], [*SCORE, "--candidate", DEMO.candidates[0][1], "--metrics", "bleu", "--json"]]
)
def test_a_full_disk_at_the_other_end_is_said_in_one_line(command: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "anaphor", *command],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    assert "the output cannot be written (No space left on device)" in done.stderr
    assert done.returncode == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [('"version":', '"\\ud800":"","version":'), ('"confidence":[', '"confidence":[0.5,')],
)
def test_a_result_file_is_refused(tmp_path: Path, old: str, new: str) -> None:
    path = made("result file", tmp_path) / "result.json"
    text = json.dumps(json.loads(path.read_text()), separators=(",", ":"))
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(UserError, match=r"."):
        _BY_NAME["result file"].read(tmp_path)


def test_arrays_are_aligned_whatever_the_length_of_the_header() -> None:
    """Found by UBSan in `search.hpp`: a language model whose numbers began at an odd address."""
    packed = pack_arrays({"x": np.arange(9)}, metadata={})
    size = int.from_bytes(packed[:8], "little")
    for extra in range(8):
        data = (size + extra).to_bytes(8, "little") + packed[8 : 8 + size] + b" " * extra + packed[8 + size :]
        array = unpack_arrays(data, path=Path("x")).arrays["x"]
        assert array.flags.aligned
        assert array.tolist() == [*range(9)]


def test_a_record_of_unfinished_work_that_is_damaged_counts_as_not_done(tmp_path: Path) -> None:
    store = ResultStore(tmp_path)
    for content in ('{"key": "k", "facts": {}, "notes": [], "files": [], "format": 2}', "[" * 10**5, "[]"):
        (tmp_path / "part.json").write_text(content)
        assert store.finished("part", "k") is None


@pytest.mark.parametrize(
    "reply",
    [
        {"text": "\ud800", "first_token": {}},
        {"text": "1", "first_token": {"1": "x"}},
        {"text": "1", "first_token": [1]},
        {"text": "1", "first_token": {"1": 10**400}},
        {"text": 1, "first_token": {}},
    ],
)
def test_a_kept_answer_is_refused(tmp_path: Path, reply: dict[str, Any]) -> None:
    folder = made("replies of servers", tmp_path)
    for path in (folder / "kept").iterdir():
        path.write_text(json.dumps(reply))
    with pytest.raises(InputError, match="a cached answer cannot be read"):
        _BY_NAME["replies of servers"].read(folder)


def test_half_a_character_in_a_test_set_is_refused(tmp_path: Path) -> None:
    path = made("public test sets", tmp_path) / "contrapro-json.0"
    path.write_text(path.read_text().replace("the lamp", "\\ud800"))
    with pytest.raises(InputError, match="lone surrogate"):
        _BY_NAME["public test sets"].read(tmp_path)


def test_a_variant_without_a_sentence_is_refused(tmp_path: Path) -> None:
    path = made("public test sets", tmp_path) / "context-jsonl.0"
    path.write_text(path.read_text().replace('["Die.", "Er."]', "[]"))
    with pytest.raises(InputError, match="a variant without a sentence"):
        _BY_NAME["public test sets"].read(tmp_path)


@pytest.mark.filterwarnings("ignore")
def test_an_item_without_what_its_rule_compares_is_refused(tmp_path: Path) -> None:
    path = made("bench and its results", tmp_path) / "bench.jsonl"
    path.write_text(path.read_text().replace('"expected": ["ihn"]', '"expected": []'))
    with pytest.raises(InputError, match="lacks the forms or variants that the rule of ctxpro compares"):
        _BY_NAME["bench and its results"].read(tmp_path)


def test_an_encoder_without_some_weights_is_not_filled_with_random_numbers(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    path = made("hub", tmp_path) / "model" / "model.safetensors"
    content = read_arrays(path)
    name = "encoder.layer.0.attention.self.query.weight"
    arrays = {key: array for key, array in content.arrays.items() if key != name}
    write_arrays(path, arrays, metadata=content.metadata)
    for one, data in signed_files({one: one.read_bytes() for one in path.parent.iterdir()}).items():
        one.write_bytes(data)
    with pytest.raises(InputError, match=f"the weights {name} are missing or do not fit"):
        _BY_NAME["hub"].read(tmp_path)
