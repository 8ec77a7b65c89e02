"""A large detector on disk: base model, tokenizer and adapter in one folder, with a card.

base.gguf              the base model, byte for byte
tokenizer.json         its tokenizer, for the `tokenizers` package
adapter.safetensors our changes to it
detector.json          the card: what the parts are, their licences and hashes
"""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from anaphor.core import MismatchError, OptionError, digest
from anaphor.core.records import Record
from anaphor.core.table import Block, Paragraph
from anaphor.corpus.text import decode, is_file, is_folder, read_bytes
from anaphor.files.folders import inside
from anaphor.files.writing import atomic_folder
from anaphor.predict.detector.detector import detector_digest
from anaphor.predict.detector.large.adapter import AdapterCard, read_adapter, read_card
from anaphor.predict.detector.large.gguf import BASES, Gguf, file_hash, known_base
from anaphor.predict.detector.large.tokenizer import tokenizer_of

CARD, FORMAT = "detector.json", "anaphor-detector/1"
BASE, TOKENIZER, ADAPTER = "base.gguf", "tokenizer.json", "adapter.safetensors"
_FIX = "copy the whole folder again, or make it again with `anaphor predict detector`"


@dataclass(frozen=True, slots=True)
class JoinedDetector:
    """What `join_detector` wrote."""

    output: str
    base: str
    licence_of_base: str
    adapter: AdapterCard

    def to_dict(self) -> dict[str, Any]:
        return {
            "output": self.output,
            "base": self.base,
            "licence_of_base": self.licence_of_base,
            "adapter": self.adapter.to_dict(),
        }

    def tables(self) -> list[Block]:
        pairs = ", ".join(f"en-{language}" for language in self.adapter.languages)
        return [
            Paragraph(
                [
                    f"{self.output}: {BASES[self.base].title} with an adapter of rank {self.adapter.rank}, "
                    f"for {pairs}",
                    f"licence of the base model: {self.licence_of_base}",
                    f"licence of the adapter: {self.adapter.licence}",
                    f"use it: anaphor score --metrics accept --accept-detector {self.output}",
                ]
            )
        ]


def require_extra(where: str) -> None:
    """Raise an error with the install command if something is missing; nothing is imported."""
    for package in ("torch", "tokenizers"):
        if find_spec(package) is None:
            raise OptionError(
                f"the large detector needs {package}, which is not installed",
                where=where,
                fix='pip install "anaphor[neural]"',
            )


def join_detector(output: str | Path, *, base: str | Path, adapter: str | Path) -> JoinedDetector:
    """Combine a base model and an adapter in a folder, atomically.

    A base other than the one pinned by the adapter is rejected by its hash. An existing detector is replaced.
    """
    require_extra("anaphor predict detector")
    folder, base, adapter = Path(output), Path(base), Path(adapter)
    if folder.is_file() or (folder.is_dir() and any(folder.iterdir()) and not is_file(folder / CARD)):
        raise OptionError(
            "the folder does not contain a detector",
            where=str(folder),
            fix="choose a folder that does not exist yet, or one with a detector to replace",
        )
    card = read_card(adapter)
    name = known_base(base)
    if (name, BASES[name].sha256) != (card.base, card.base_sha256):
        raise MismatchError(
            f"the adapter changes {card.base} (SHA-256 {card.base_sha256}), but this is {name}",
            where=str(base),
            fix=f"pass the file of {card.base}, or an adapter for {name}",
        )
    file = Gguf(base)
    read_adapter(adapter, file.config)
    joined = JoinedDetector(str(output), name, BASES[name].licence, card)
    with atomic_folder(folder, replace=True, what="detector") as temporary:
        shutil.copyfile(base, temporary / BASE)
        shutil.copyfile(adapter, temporary / ADAPTER)
        (temporary / TOKENIZER).write_text(tokenizer_of(file.meta).to_str(), encoding="utf-8")
        hashes = {part: file_hash(temporary / part) for part in (BASE, TOKENIZER, ADAPTER)}
        # It may have changed since, or the disk may have a fault.
        known_base(base, sha256=hashes[BASE])
        content = {
            "format": FORMAT,
            "base": {"name": name, **BASES[name]._asdict()},
            "adapter": card.to_dict(),
            "files": hashes,
        }
        text = json.dumps(content, ensure_ascii=False, indent=1) + "\n"
        (temporary / CARD).write_text(text, encoding="utf-8")
    return joined


def _checked(folder: Path) -> Path:
    """The folder, none of whose files is a pipe, or a link that leaves it."""
    if is_folder(folder):
        for entry in folder.iterdir():
            inside(folder, entry)
    return folder


def card_hash(folder: Path) -> str:
    """The hash of a detector's card, which has those of its files; a folder without a card is an error."""
    if not is_file(folder / CARD):
        raise OptionError(
            "there is no detector here",
            where=str(folder),
            fix="pass a folder that `anaphor predict detector` wrote, or `use` or `ignore`",
        )
    return file_hash(inside(folder, folder / CARD))


def check_detector(folder: Path) -> None:
    """Raise an error if a file differs from the card, or the base is not a pinned one."""
    path = _checked(folder) / CARD
    card = Record.from_json(read_bytes(path).decode("utf-8", "replace"), where=str(path), fix=_FIX)
    if card.text("format") != FORMAT:
        card.refuse("format", f"expected {FORMAT}")
    files = card.table("files")
    files.allow(BASE, TOKENIZER, ADAPTER)
    hashes = {name: file_hash(folder / name) for name in (BASE, TOKENIZER, ADAPTER)}
    for name, actual in hashes.items():
        if actual != files.text(name):
            raise MismatchError(
                "the file differs from the one saved with the detector", where=str(folder / name), fix=_FIX
            )
    # The card alone cannot vouch for the base: whoever exchanges the file can write another card.
    known_base(folder / BASE, sha256=hashes[BASE])


def large_detector_digest(folder: str | Path) -> str:
    """Identifies a detector in a folder by the hashes on its card, and the small one with it."""
    path = _checked(Path(folder)) / CARD
    card = Record.from_json(
        decode(read_bytes(path), path=str(path)),
        where=str(path),
        fix="pass a folder that `anaphor predict detector` wrote",
    )
    hashes = card.table("files")
    parts = [detector_digest(), *(hashes.text(name) for name in (BASE, ADAPTER))]
    return digest(part.encode() for part in parts)
