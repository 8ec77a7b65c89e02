"""What is fuzzed, and how: the files of a reader are damaged one at a time, read and used, and mended again."""

from __future__ import annotations

import gc
import hashlib
import json
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np

from anaphor.core import UserError
from tests.fuzz.mutations import mutated


@dataclass(frozen=True)
class Reader:
    """`make` writes good files into a folder; `read` reads and uses them.

    `read_part` reads what one damaged file belongs to; without it everything is read each time.
    `binary`: native code works on what the files say. `signed`: hashes inside the folder are made to fit.
    `slow`: how many times as long as others it takes, so that tests of every day try it less often.
    """

    name: str
    make: Callable[[Path], None]
    read: Callable[[Path], object]
    read_part: Callable[[Path, Path], object] | None = None
    binary: bool = False
    signed: bool = False
    slow: int = 1


class FuzzedFolder:
    """The files of one reader, of which one at a time is damaged."""

    def __init__(self, reader: Reader, folder: Path, seed: int) -> None:
        self.reader, self.folder, self.seed = reader, folder, seed
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            reader.make(folder)
            # A name with a dot is something that the file is read beside.
            self.files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name[0] != ".")
            self.whole = {path: path.read_bytes() for path in self.files}
            reader.read(folder)  # good files are read, if with notes

    def attempt(self, number: int) -> str:
        """Damage, read, mend: what came of it. Exceptions other than `UserError` come through."""
        rng = Random(f"{self.reader.name}/{self.seed}/{number}")
        path = rng.choice(self.files)
        written = {path: mutated(self.whole[path], rng)}
        if self.reader.signed and rng.random() < 0.97:
            written |= signed_files(self.whole | written)
        try:
            for one, content in written.items():
                one.write_bytes(content)
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                try:
                    if self.reader.read_part is None:
                        self.reader.read(self.folder)
                    else:
                        self.reader.read_part(self.folder, path)
                    return "read"
                except UserError as error:
                    refused = error
            if not (refused.what and refused.fix):
                raise AssertionError("an error that does not say what to do") from refused
            str(refused).encode()
            del refused  # it would keep this frame, and an open database with it
            return "refused"
        finally:
            for one in written:
                one.write_bytes(self.whole[one])


def close_databases(reader: Reader) -> None:
    """SQLAlchemy's errors about a malformed file keep it open, so that the next one would find it locked."""
    if "database" in reader.name:
        gc.collect()


def signed_files(contents: Mapping[Path, bytes]) -> dict[Path, bytes]:
    """The cards of models with the sizes and hashes that fit the contents, inner folders first."""
    found: dict[Path, bytes] = {}
    for card in sorted(
        (one for one in contents if one.name == "model.json"), key=lambda one: -len(one.parts)
    ):
        try:
            content = json.loads(contents[card])
            for name, entry in content["files"].items():
                path = card.parent / name
                path = path / "model.json" if path / "model.json" in contents else path
                data = found.get(path, contents[path])
                entry |= {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
            found[card] = json.dumps(content).encode()
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            continue
    return found
