"""Models on disk: a folder of plain files with a card, and hashes that show whether it was changed.

`model.json` names the format, the card, and for each other file its size and SHA-256. Nothing in a folder is
ever executed: files are JSON, text, arrays without objects, or a learner's own format that holds numbers.
A model made of other models keeps each of them in a subfolder.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from anaphor.core import InputError, LanguagePair, OptionError, UserError
from anaphor.core.records import strict_json
from anaphor.corpus.text import is_file, is_folder, read_bytes
from anaphor.files.arrays import Array, Schema, check_arrays, read_arrays, write_arrays
from anaphor.files.folders import file_names, inside
from anaphor.files.writing import atomic_folder, write_atomically
from anaphor.predict.contract import ModelCard
from anaphor.task.classes import TaskClasses, task_classes

CARD = "model.json"
_SUBTASK = "subtask.json"
FORMAT = "anaphor-model/1"

#: Writes one file, or one folder with a model of its own, to the path it is given.
Writer = Callable[[Path], None]


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """A folder whose files are all present and unchanged."""

    path: Path
    card: ModelCard
    hashes: Mapping[str, str]

    def file(self, name: str) -> Path:
        """The path of one of the files of the model."""
        if name not in self.hashes:
            raise damaged(self.path, f"it has no {name}")
        return self.path / name

    def arrays(self, name: str, schema: Schema, **sizes: int) -> Mapping[str, Array]:
        """The arrays of a file, which must have the types and sizes of the schema, and finite numbers."""
        path = self.file(name)
        arrays = read_arrays(path, what="model file").arrays
        try:
            check_arrays(arrays, schema, **sizes)
        except ValueError as error:
            raise damaged(path, str(error)) from None
        return arrays

    def folder(self, name: str) -> Path:
        """The path of a model inside this one."""
        return self.path / name

    def check_version(self, version: int) -> None:
        """Raise an error if the model was written by another version of the code."""
        if self.card.version != version:
            raise InputError(
                f"the model has version {self.card.version} of {self.card.family}, "
                f"this program reads {version}",
                where=str(self.path / CARD),
                fix="train the model again, or use the release of anaphor that made it",
            )


def save_model(folder: Path, card: ModelCard, files: Mapping[str, Writer]) -> None:
    """Write a model atomically; an existing model in the folder is replaced."""
    check_output(folder)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OptionError(
            f"the model cannot be written ({error.strerror or error})",
            where=str(folder),
            fix="choose a folder that you may write to, on a disk with enough space",
        ) from error
    with atomic_folder(folder, replace=True, what="model") as temporary:
        entries = {}
        for name, write in files.items():
            write(temporary / name)
            # The card of a model inside stands for all of its files, whose hashes it has.
            file = temporary / name / CARD if (temporary / name).is_dir() else temporary / name
            entries[name] = {"size": file.stat().st_size, "sha256": _sha256(file)}
        content = {"format": FORMAT, "card": asdict(card), "files": entries}
        write_atomically(temporary / CARD, json.dumps(content, ensure_ascii=False, indent=1) + "\n")


def arrays_writer(**arrays: Array) -> Writer:
    """Writes arrays by name."""
    return lambda path: write_arrays(path, arrays)


def json_writer(content: Any, *, sort_keys: bool = False) -> Writer:
    """Writes a value as one line of JSON."""
    text = json.dumps(content, ensure_ascii=False, sort_keys=sort_keys) + "\n"
    return lambda path: write_atomically(path, text)


def subtask_files(classes: TaskClasses) -> dict[str, Writer]:
    """The file with the sub-task of a model whose classes come from a user's pack; none for others.

    A model must not depend on a folder that other users may not have.
    """
    with suppress(UserError):
        if task_classes(classes.pair, year=classes.year) == classes:
            return {}
    return {_SUBTASK: json_writer({**asdict(classes), "pair": str(classes.pair)})}


def subtask_of(folder: ModelFolder) -> TaskClasses:
    """The sub-task of a model: the one that was saved with it, or the built-in one of its pair and year."""
    pair = LanguagePair.parse(folder.card.pair)
    if _SUBTASK not in folder.hashes:
        return task_classes(pair, year=folder.card.year)
    content = read_json(folder.file(_SUBTASK))
    with parsing(folder.file(_SUBTASK), "the sub-task cannot be read"):
        lists = ("source_pronouns", "classes", "fillers", "other_fillers")
        texts = [*(text for name in lists for text in content[name])]
        for name in ("members", "aliases"):
            texts += [*content[name].keys(), *content[name].values()]
        if (
            not all(isinstance(text, str) for text in (*texts, content["other"]))
            or not isinstance(content["dropped"], str | None)
            or type(content["year"]) is not int
        ):
            raise ValueError
        return TaskClasses(**{**content, "pair": pair, **{name: tuple(content[name]) for name in lists}})


def default_cache(name: str) -> Path:
    """The default cache folder."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "anaphor" / name


def check_output(folder: Path) -> None:
    """Raise an error if `save_model` would reject the folder, before any training."""
    if folder.is_file() or (folder.is_dir() and any(folder.iterdir()) and not (folder / CARD).is_file()):
        raise OptionError(
            "the folder does not contain a model",
            where=str(folder),
            fix="choose a folder that does not exist yet, or one with a model to replace",
        )


def read_folder(folder: Path) -> ModelFolder:
    """The card of a model and its files, each compared with its hash."""
    path = folder / CARD
    if not is_file(path):
        raise InputError(
            "there is no model here",
            where=str(folder),
            fix=f"pass a folder that has a {CARD}, as `anaphor predict train` writes it",
        )
    for entry in folder.iterdir():  # all of them: learners and third-party readers open files by themselves
        inside(folder, entry)
    content = read_json(path)
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise damaged(path, f"its format is not {FORMAT}")
    card = _card(path, content.get("card"))
    with parsing(path, "the list of files cannot be read"):
        hashes = {str(name): str(entry["sha256"]) for name, entry in content["files"].items()}
    try:
        file_names(hashes, kind="list of files", where=str(path), reserved=(CARD,))
    except InputError as error:
        raise damaged(path, error.what) from None
    for name, expected in hashes.items():
        file = folder / name / CARD if is_folder(folder / name) else folder / name
        try:
            actual = _sha256(file)
        except (OSError, ValueError) as error:  # ValueError: a name with a NUL
            reason = getattr(error, "strerror", None) or error
            raise damaged(file, f"the file cannot be read ({reason})") from error
        if actual != expected:
            raise damaged(file, "the file differs from the one saved with the model")
    return ModelFolder(folder, card, hashes)


def _card(path: Path, content: Any) -> ModelCard:
    kinds = {field.name: field.type for field in fields(ModelCard)}
    if not isinstance(content, dict) or set(content) != set(kinds):
        raise damaged(path, "the card has missing or surplus fields")
    types = {"str": str, "int": int, "bool": bool, "tuple[str, ...]": list, "dict[str, Any]": dict}
    if any(type(content[name]) is not types[str(kind)] for name, kind in kinds.items()):
        raise damaged(path, "a field of the card has the wrong type")
    classes = content["classes"]
    if (
        not classes
        or not all(isinstance(label, str) for label in classes)
        or len(set(classes)) < len(classes)
    ):
        raise damaged(path, "the card has no classes, or one of them twice")
    return ModelCard(**{**content, "classes": tuple(content["classes"])})


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_json(path: Path) -> Any:
    """The content of a JSON file as read by `strict_json`; access the values inside a `parsing` block."""
    try:
        return strict_json(read_bytes(path))
    except ValueError as error:
        raise damaged(path, f"not valid model JSON: {error}") from None


@contextmanager
def parsing(path: Path, why: str) -> Iterator[None]:
    """Turns the exceptions of parsing untrusted content into the error for a damaged model."""
    try:
        yield
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError, IndexError):
        raise damaged(path, why) from None


def damaged(path: Path, why: str) -> InputError:
    """The error for a model whose files differ from those saved."""
    return InputError(
        f"the model is damaged or was changed: {why}",
        where=str(path),
        fix="copy the whole folder again, or train the model again",
    )
