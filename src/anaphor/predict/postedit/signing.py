"""The hash of a model, for signatures."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from anaphor.core import digest
from anaphor.predict.model_folder import CARD


def model_hash(name: str) -> str:
    """That of the card of a folder or of a model that ships; the card has the hashes of all other files."""
    folder = Path(name) if Path(name).is_dir() else files("anaphor.predict") / "models" / name
    return digest([(folder / CARD).read_bytes()])
