"""Models on disk: a folder of plain files with a card, and hashes that tell whether it is still the same.

`model.json` names the format, the card, and for each other file its size and SHA-256. Nothing in a folder is
ever executed: files are JSON, text, arrays without objects, or a learner's own format that holds numbers.
A model that is made of models keeps each of them in a folder below its own.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from anaphor.core import InputError, OptionError
from anaphor.corpus import atomic_folder, write_atomically
from anaphor.corpus.text import read_bytes
from anaphor.predict.contract import ModelCard

CARD = "model.json"
FORMAT = "anaphor-model/1"
_READ = 1 << 20

Writer = Callable[[Path], None]
"""Writes one file, or one folder with a model of its own, to the path it is given."""


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """A folder whose files are all there and unchanged."""

    path: Path
    card: ModelCard
    hashes: Mapping[str, str]

    def file(self, name: str) -> Path:
        """The path of a file that the model is made of."""
        if name not in self.hashes:
            raise damaged(self.path, f"it has no {name}")
        return self.path / name

    def folder(self, name: str) -> Path:
        """The path of a model that this one is made of."""
        return self.path / name

    def check_version(self, version: int) -> None:
        """An error where other code than today's wrote the model."""
        if self.card.version != version:
            raise InputError(
                f"the model has version {self.card.version} of {self.card.family}, this program {version}",
                where=str(self.path / CARD),
                fix="train the model again, or use the release of anaphor that made it",
            )


def save_model(folder: Path, card: ModelCard, files: Mapping[str, Writer]) -> None:
    """Write a model whole or not at all; a folder that has a model already is replaced."""
    if folder.exists() and not (folder / CARD).is_file() and (folder.is_file() or any(folder.iterdir())):
        raise OptionError(
            "the place is taken by something else than a model",
            where=str(folder),
            fix="name a folder that does not exist yet",
        )
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OptionError(
            f"the model cannot be written ({error.strerror or error})",
            where=str(folder),
            fix="choose a folder that you may write to and that has room",
        ) from error
    with atomic_folder(folder, replace=True, what="model") as temporary:
        for name, write in files.items():
            write(temporary / name)
        hashes = {name: _described(temporary / name) for name in files}
        content = {"format": FORMAT, "card": asdict(card), "files": hashes}
        write_atomically(temporary / CARD, json.dumps(content, ensure_ascii=False, indent=1) + "\n")


def _described(path: Path) -> dict[str, Any]:
    """Size and hash of a file; those of the card stand for a model."""
    file = path / CARD if path.is_dir() else path
    return {"size": file.stat().st_size, "sha256": _sha256(file)}


def read_folder(folder: Path) -> ModelFolder:
    """The card of a model and its files, each compared with its hash."""
    card_path = folder / CARD
    if not card_path.is_file():
        raise InputError(
            "there is no model here",
            where=str(folder),
            fix=f"give a folder that has a {CARD}, as `anaphor predict train` writes it",
        )
    content = _json(card_path)
    card = _card(card_path, content)
    hashes = _hashes(card_path, content)
    for name, expected in hashes.items():
        _check(folder / name, expected)
    return ModelFolder(folder, card, hashes)


def _json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(read_bytes(path))
    except (ValueError, RecursionError):
        raise damaged(path, "not JSON") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise damaged(path, f"its format is not {FORMAT}")
    return content


def _card(path: Path, content: Mapping[str, Any]) -> ModelCard:
    found = content.get("card")
    kinds = {field.name: field.type for field in fields(ModelCard)}
    if not isinstance(found, dict) or set(found) != set(kinds):
        raise damaged(path, "the card lacks a field or has one too many")
    types = {"str": str, "int": int, "bool": bool, "tuple[str, ...]": list, "dict[str, Any]": dict}
    if any(type(found[name]) is not types[str(kind)] for name, kind in kinds.items()):
        raise damaged(path, "a field of the card is of another type")
    if not found["classes"] or not all(isinstance(label, str) for label in found["classes"]):
        raise damaged(path, "the card has no classes")
    return ModelCard(**{**found, "classes": tuple(found["classes"])})


def _hashes(path: Path, content: Mapping[str, Any]) -> dict[str, str]:
    try:
        hashes = {str(name): str(entry["sha256"]) for name, entry in content["files"].items()}
    except (KeyError, TypeError, AttributeError):
        raise damaged(path, "the list of files cannot be read") from None
    if any(Path(name).name != name or name in (".", "..", "", CARD) for name in hashes):
        raise damaged(path, "a file lies outside of the folder")
    return hashes


def _check(path: Path, expected: str) -> None:
    file = path / CARD if path.is_dir() else path
    try:
        found = _sha256(file)
    except OSError as error:
        raise damaged(file, f"the file cannot be read ({error.strerror or error})") from error
    if found != expected:
        raise damaged(file, "the file is not the one that was saved with the model")


def _sha256(path: Path) -> str:
    total = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_READ):
            total.update(block)
    return total.hexdigest()


def damaged(path: Path, why: str) -> InputError:
    """The error for a model that is not as it was written."""
    return InputError(
        f"the model is damaged or was changed: {why}",
        where=str(path),
        fix="copy the whole folder again, or train the model again",
    )
