"""Base models: small language models in GGUF files, some of which are pinned by hash.

A file has named values (the network dimensions, its vocabulary) and tensors in quantized blocks. Only pinned
files are accepted: an adapter fits one base, and another file would give different results.
"""

from __future__ import annotations

import hashlib
import math
import mmap
import struct
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anaphor.core import InputError
from anaphor.corpus.text import unreadable

Numbers = NDArray[Any]


class GgufModel(NamedTuple):
    """A language model that an adapter may change."""

    title: str
    sha256: str
    licence: str


#: The files that are known.
BASES = {
    "gemma-3-270m": GgufModel(
        "Gemma 3 270M, Q4_K_M",
        "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818",
        "Gemma Terms of Use, https://ai.google.dev/gemma/terms",
    ),
    "qwen2.5-coder-0.5b": GgufModel(
        "Qwen2.5-Coder 0.5B, Q4_K_M",
        "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        "Apache-2.0",
    ),
}


def file_hash(path: Path) -> str:
    """The SHA-256 of a file."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error


def known_base(path: Path, *, sha256: str = "") -> str:
    """The name of a pinned base model file; any other file is an error.

    `sha256` is its hash, if already known.
    """
    sha256 = sha256 or file_hash(path)
    for name, base in BASES.items():
        if base.sha256 == sha256:
            return name
    raise InputError(
        f"unknown base model, or a damaged copy: its SHA-256 is {sha256}",
        where=str(path),
        fix="copy it again, or use one of "
        + ", ".join(f"{name} (SHA-256 {base.sha256})" for name, base in BASES.items()),
    )


def _unread(path: Path, what: str) -> InputError:
    return InputError(what, where=str(path), fix=f"pass the GGUF file of {' or '.join(BASES)}")


# The blocks of a quantized matrix. Each function takes uint8 [blocks, bytes of a block] and gives float32
# [blocks, values of a block].


def _half(raw: Numbers) -> Numbers:
    """Two bytes of each block as a 16-bit float: [blocks, 1]."""
    return np.ascontiguousarray(raw).view("<f2").astype(np.float32)


def _q8_0(raw: Numbers) -> Numbers:
    """One scale, then 32 signed bytes."""
    return _half(raw[:, :2]) * raw[:, 2:].view(np.int8).astype(np.float32)


def _q5_0(raw: Numbers) -> Numbers:
    """One scale, the 32 fifth bits, then 16 bytes with the low four bits of two values each."""
    fifth = np.unpackbits(raw[:, 2:6], axis=1, bitorder="little")
    low = np.concatenate([raw[:, 6:] & 15, raw[:, 6:] >> 4], axis=1)
    return _half(raw[:, :2]) * ((low | fifth << 4).astype(np.float32) - 16)


def _q4_k(raw: Numbers) -> Numbers:
    """Eight groups of 32 values of four bits; each group has a six-bit scale and a six-bit offset."""
    first, second, third = raw[:, 4:8], raw[:, 8:12], raw[:, 12:16]
    scale = np.concatenate([first & 63, (third & 15) | (first >> 6 << 4)], axis=1)
    offset = np.concatenate([second & 63, (third >> 4) | (second >> 6 << 4)], axis=1)
    pairs = raw[:, 16:].reshape(-1, 4, 1, 32)
    values = np.concatenate([pairs & 15, pairs >> 4], axis=2).reshape(-1, 8, 32).astype(np.float32)
    scales = (_half(raw[:, :2]) * scale)[:, :, None]
    offsets = (_half(raw[:, 2:4]) * offset)[:, :, None]
    return (values * scales - offsets).reshape(-1, 256)


def _q6_k(raw: Numbers) -> Numbers:
    """Sixteen groups of 16 six-bit values (four bits in one place, two in another) with a scale each."""
    low = raw[:, :128].reshape(-1, 2, 1, 64)
    low = np.concatenate([low & 15, low >> 4], axis=2).reshape(-1, 2, 4, 32)
    high = raw[:, 128:192].reshape(-1, 2, 1, 32) >> np.array([0, 2, 4, 6], np.uint8)[:, None] & 3
    values = (low | high << 4).astype(np.float32).reshape(-1, 16, 16) - 32
    scales = _half(raw[:, 208:]) * raw[:, 192:208].view(np.int8)
    return (values * scales[:, :, None]).reshape(-1, 256)


def _f32(raw: Numbers) -> Numbers:
    """Unquantized numbers."""
    return raw.view("<f4")


#: GGUF's number of a block type: its name, the bytes and the values of a block, and how to read it.
BLOCKS = {
    0: ("F32", 4, 1, _f32),
    6: ("Q5_0", 22, 32, _q5_0),
    8: ("Q8_0", 34, 32, _q8_0),
    12: ("Q4_K", 144, 256, _q4_k),
    14: ("Q6_K", 210, 256, _q6_k),
}


def dequantize(raw: Numbers, kind: str, shape: Iterable[int]) -> Numbers:
    """The float32 values of a tensor with the bytes `raw`."""
    size, read = next((size, read) for name, size, _, read in BLOCKS.values() if name == kind)
    return read(raw.reshape(-1, size)).reshape(tuple(shape))


#: GGUF's numbers of types, and the letters of `struct` for them.
_LETTERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}


#: GGUF's names of the parts of a layer, and the decoder's.
_PARTS = {
    "attn_norm": "attn_norm",
    "attn_q": "q",
    "attn_k": "k",
    "attn_v": "v",
    "attn_output": "o",
    "attn_q_norm": "q_norm",
    "attn_k_norm": "k_norm",
    "post_attention_norm": "post_attn_norm",
    "ffn_norm": "ffn_norm",
    "ffn_gate": "gate",
    "ffn_up": "up",
    "ffn_down": "down",
    "post_ffw_norm": "post_ffn_norm",
}


def _named(name: str) -> str:
    """The decoder name of a tensor in the file."""
    if name in ("token_embd.weight", "output.weight"):
        return "embed.weight"
    if name == "output_norm.weight":
        return "norm.weight"
    _, layer, part, end = name.split(".")
    return f"blocks.{layer}.{_PARTS[part]}.{end}"


class Tensor(NamedTuple):
    """A tensor as blocks of its file."""

    shape: tuple[int, ...]
    kind: str
    raw: Numbers

    def values(self) -> Numbers:
        """The whole tensor in single precision."""
        return dequantize(self.raw, self.kind, self.shape)

    def rows(self, numbers: Numbers) -> Tensor:
        """Some rows of a matrix, still as blocks, since no block extends beyond a row."""
        chosen = self.raw.reshape(self.shape[0], -1)[numbers]
        return Tensor((len(numbers), self.shape[1]), self.kind, chosen.reshape(-1))


class Gguf:
    """A GGUF file: `meta` are its named values, `tensors` its tensors by their names in the file."""

    def __init__(self, path: Path) -> None:
        try:
            with path.open("rb") as file:
                self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError) as error:  # ValueError: an empty file cannot be mapped
            raise unreadable(path, error) from error
        if self._data[:4] != b"GGUF":
            raise _unread(path, "the file is not a GGUF file")
        self._at = 8
        self.meta: dict[str, Any] = {}
        self.tensors: dict[str, Tensor] = {}
        try:
            self._read()
        except (struct.error, LookupError, ValueError, OverflowError) as error:
            raise _unread(path, f"the GGUF file is damaged or unsupported: {error}") from None

    def _read(self) -> None:
        tensors, values = self._take("Q"), self._take("Q")
        for _ in range(values):
            name = self._text()
            self.meta[name] = self._value(self._take("I"))
        heads = []
        for _ in range(tensors):
            name = self._text()
            sizes = [self._take("Q") for _ in range(self._take("I"))]
            heads.append((name, tuple(sizes[::-1]), self._take("I"), self._take("Q")))
        align = self.meta.get("general.alignment", 32)
        start = -(-self._at // align) * align
        everything = np.frombuffer(self._data, np.uint8)
        for name, shape, number, offset in heads:
            if number not in BLOCKS:
                raise ValueError(f"tensor {name} has the block type {number}, which is not supported")
            kind, size, each, _ = BLOCKS[number]
            length = math.prod(shape) // each * size
            raw = everything[start + offset : start + offset + length]
            if len(raw) != length:
                raise ValueError(f"tensor {name} extends beyond the end of the file")
            self.tensors[name] = Tensor(shape, kind, raw)

    def _take(self, code: str) -> Any:
        (value,) = struct.unpack_from("<" + code, self._data, self._at)
        self._at += struct.calcsize("<" + code)
        return value

    def _text(self) -> str:
        length = self._take("Q")
        self._at += length
        return self._data[self._at - length : self._at].decode("utf-8", "replace")

    def _value(self, kind: int) -> Any:
        if kind == 8:
            return self._text()
        if kind == 9:
            each, count = self._take("I"), self._take("Q")
            return [self._value(each) for _ in range(count)]
        return self._take(_LETTERS[kind])

    @property
    def config(self) -> dict[str, Any]:
        """The dimensions of the network, for the decoder."""
        kind = self.meta["general.architecture"]
        if kind not in ("gemma3", "qwen2"):
            raise ValueError(f"no decoder for {kind} models, only for gemma3 and qwen2")
        gemma = kind == "gemma3"

        def get(name: str) -> Any:
            return self.meta[f"{kind}.{name}"]

        layers, base = get("block_count"), get("rope.freq_base")
        width, heads = get("embedding_length"), get("attention.head_count")
        return {
            "kind": kind,
            "vocabulary": len(self.meta["tokenizer.ggml.tokens"]),
            "layers": layers,
            "width": width,
            "heads": heads,
            "kv_heads": get("attention.head_count_kv"),
            "head_dim": self.meta.get(f"{kind}.attention.key_length", width // heads),
            "ffn": get("feed_forward_length"),
            "eps": get("attention.layer_norm_rms_epsilon"),
            # Gemma 3: five layers that see a window of the text, then one that sees all of it.
            # The base of the five is a constant of the architecture; the file does not name it.
            "rope": [base if not gemma or layer % 6 == 5 else 10_000.0 for layer in range(layers)],
            "window": self.meta.get(f"{kind}.attention.sliding_window"),
            "activation": "gelu" if gemma else "silu",
            "qk_norm": gemma,
            "post_norm": gemma,
            "qkv_bias": not gemma,
            "embed_scale": width**0.5 if gemma else 1.0,
        }

    @property
    def weights(self) -> dict[str, Tensor]:
        """The tensors by decoder name, and `embed.weight`."""
        # Where the file has the tied embedding twice, the copy for the output has more bits.
        twice = "output.weight" in self.tensors
        return {
            _named(name): tensor
            for name, tensor in self.tensors.items()
            if not (twice and name == "token_embd.weight")
        }
