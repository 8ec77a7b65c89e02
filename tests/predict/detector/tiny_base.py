"""A base model of the real layout, tiny: Gemma with six layers of width 32 and random weights."""

from __future__ import annotations

import string
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

WIDTH, HEADS, VALUE_HEADS, HEAD_DIM, FFN, LAYERS = 32, 2, 1, 32, 64, 6
WORDS = ("it", "he", "th", "er", "ie", "Si", "Sie", "is", "▁is", "▁it", "▁th", "▁the", "in", "en", "<<", ">>")
#: GGUF's numbers of types.
_TYPES = {int: (4, "<I"), float: (6, "<f")}


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def named(name: str, value: Any) -> bytes:
    """A named value as GGUF writes it: a number, a text, or a list of them."""
    if isinstance(value, str):
        return text(name) + struct.pack("<I", 8) + text(value)
    if isinstance(value, list):
        if isinstance(value[0], str):
            return text(name) + struct.pack("<IIQ", 9, 8, len(value)) + b"".join(map(text, value))
        number, code = (6, "<f") if isinstance(value[0], float) else (5, "<i")
        content = b"".join(struct.pack(code, one) for one in value)
        return text(name) + struct.pack("<IIQ", 9, number, len(value)) + content
    number, code = _TYPES[type(value)]
    return text(name) + struct.pack("<I", number) + struct.pack(code, value)


def q8(values: NDArray[Any], scale: float = 0.5) -> bytes:
    """Blocks of a scale and 32 signed bytes."""
    rows = values.astype(np.int8).reshape(-1, 32)
    return b"".join(struct.pack("<e", scale) + bytes(row) for row in rows)


def write_gguf(
    path: Path, values: Mapping[str, Any], tensors: Mapping[str, tuple[Sequence[int], int, bytes]]
) -> Path:
    """A GGUF file; tensors have their shape, the number of their block type, and their bytes."""
    heads, data = b"", b""
    for name, (shape, kind, content) in tensors.items():
        data += bytes(-len(data) % 32)
        sizes = struct.pack(f"<I{len(shape)}Q", len(shape), *reversed(shape))
        heads += text(name) + sizes + struct.pack("<IQ", kind, len(data))
        data += content
    start = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(values))
    start += b"".join(named(name, value) for name, value in values.items()) + heads
    path.write_bytes(start + bytes(-len(start) % 32) + data)
    return path


def vocabulary() -> tuple[list[str], list[int]]:
    """Pieces and their types: control tokens, bytes, letters, some words."""
    letters = [*string.ascii_letters, *".,:<>", "▁", "ä", "ö", "ü"]
    pieces = ["<pad>", "<eos>", "<bos>", "<unk>", *(f"<0x{n:02X}>" for n in range(256)), *letters, *WORDS]
    kinds = [3, 3, 3, 2, *[6] * 256, *[1] * (len(letters) + len(WORDS))]
    return [*pieces, "\n"], [*kinds, 4]


def tiny_gemma(path: Path, seed: int = 1) -> Path:
    """Writes the model."""
    rng = np.random.default_rng(seed)
    pieces, kinds = vocabulary()
    shape = {
        "block_count": LAYERS,
        "embedding_length": WIDTH,
        "attention.head_count": HEADS,
        "attention.head_count_kv": VALUE_HEADS,
        "attention.key_length": HEAD_DIM,
        "attention.sliding_window": 512,
        "feed_forward_length": FFN,
        "rope.freq_base": 1_000_000.0,
        "attention.layer_norm_rms_epsilon": 1e-6,
    }
    values = {"general.architecture": "gemma3", **{f"gemma3.{name}": value for name, value in shape.items()}}
    values |= {
        "tokenizer.ggml.model": "llama",
        "tokenizer.ggml.tokens": pieces,
        "tokenizer.ggml.scores": [-float(n) for n in range(len(pieces))],
        "tokenizer.ggml.token_type": kinds,
        "tokenizer.ggml.bos_token_id": 2,
        "tokenizer.ggml.unknown_token_id": 3,
    }

    def matrix(rows: int, columns: int) -> tuple[Sequence[int], int, bytes]:
        return (rows, columns), 8, q8(rng.integers(-90, 90, (rows, columns)), scale=0.004)

    def norm(size: int) -> tuple[Sequence[int], int, bytes]:
        return (size,), 0, rng.uniform(0.5, 1.5, size).astype("<f4").tobytes()

    tensors = {"token_embd.weight": matrix(len(pieces), WIDTH), "output_norm.weight": norm(WIDTH)}
    for layer in range(LAYERS):
        sizes = {
            "attn_q": (HEADS * HEAD_DIM, WIDTH),
            "attn_k": (VALUE_HEADS * HEAD_DIM, WIDTH),
            "attn_v": (VALUE_HEADS * HEAD_DIM, WIDTH),
            "attn_output": (WIDTH, HEADS * HEAD_DIM),
            "ffn_gate": (FFN, WIDTH),
            "ffn_up": (FFN, WIDTH),
            "ffn_down": (WIDTH, FFN),
        }
        tensors |= {f"blk.{layer}.{name}.weight": matrix(*size) for name, size in sizes.items()}
        for name in ("attn_norm", "post_attention_norm", "ffn_norm", "post_ffw_norm"):
            tensors[f"blk.{layer}.{name}.weight"] = norm(WIDTH)
        for name in ("attn_q_norm", "attn_k_norm"):
            tensors[f"blk.{layer}.{name}.weight"] = norm(HEAD_DIM)
    return write_gguf(path, values, tensors)
