"""Saved neural models: what was changed is refused, and nothing in a folder can run."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from anaphor.core import InputError, TaskSegment, UserError
from anaphor.files.arrays import read_arrays, write_arrays
from anaphor.predict.families import build_predictor, load_model
from anaphor.task import TaskClasses

pytest.importorskip("torch", reason="torch is not installed: pip install 'anaphor[neural]'")
pytestmark = pytest.mark.filterwarnings("ignore:these classes never occur")


@pytest.fixture
def folder(twenty: Sequence[TaskSegment], classes: TaskClasses, tmp_path: Path) -> Path:
    options = {"word": 4, "tag": 2, "hidden": 4, "epochs": 1, "least": 1, "device": "cpu"}
    recipe = {"name": "small", "family": "neural/latent", "options": options}
    build_predictor(recipe).fit(twenty, classes=classes).save(tmp_path / "model")
    return tmp_path / "model"


def rewrite(folder: Path, name: str, change: Callable[[Path], object]) -> None:
    """Change a file and its hash in the card, as somebody would who wants to be believed."""
    change(folder / name)
    card = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    content = (folder / name).read_bytes()
    card["files"][name] = {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    (folder / "model.json").write_text(json.dumps(card), encoding="utf-8")


def arrays_changed(**changes: Any) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        arrays = dict(read_arrays(path).arrays)
        arrays |= {name.replace("__", "/"): array for name, array in changes.items()}
        write_arrays(path, {name: array for name, array in arrays.items() if array is not None})

    return change


WEIGHTS: dict[str, Callable[[Path], object]] = {
    "no file of arrays": lambda path: path.write_bytes(b"cos\nsystem\n(S'true'\ntR."),
    "no shares": arrays_changed(shares=None),
    "shares above one": arrays_changed(shares=np.array([3.0])),
    "a share that is no number": arrays_changed(shares=np.array([np.nan])),
    "a class too many": arrays_changed(present=np.array([0, 99])),
    "a part too many": arrays_changed(shares=np.array([0.5, 0.5])),
    "an array of another shape": arrays_changed(**{"0__absent": np.zeros(3, np.float32)}),
    "an array too many": arrays_changed(**{"0__more": np.zeros(3, np.float32)}),
}


@pytest.mark.parametrize("name", WEIGHTS)
def test_weights_of_another_model_are_refused(name: str, folder: Path) -> None:
    rewrite(folder, "weights.safetensors", WEIGHTS[name])
    with pytest.raises(InputError) as caught:
        load_model(folder)
    assert caught.value.fix


@pytest.mark.parametrize(
    "content", ["{", "[]", '{"source.word": "abc"}', '{"source.word": [1]}', "[" * 100_000]
)
def test_invalid_vocabularies_are_refused(content: str, folder: Path) -> None:
    rewrite(folder, "vocabularies.json", lambda path: path.write_text(content))
    with pytest.raises(InputError):
        load_model(folder)


@pytest.mark.parametrize(
    "options", [{"hidden": 1 << 40}, {"hidden": "4"}, {"unknown": 1}, {"hidden": -4}], ids=str
)
def test_a_card_of_another_network_is_refused(options: dict[str, Any], folder: Path) -> None:
    card = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    card["card"]["options"] |= options
    (folder / "model.json").write_text(json.dumps(card), encoding="utf-8")
    with pytest.raises(UserError):
        load_model(folder)


def test_another_version_is_refused(folder: Path) -> None:
    card = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    card["card"]["version"] = 99
    (folder / "model.json").write_text(json.dumps(card), encoding="utf-8")
    with pytest.raises(InputError, match="version 99"):
        load_model(folder)


def test_a_changed_file_is_refused(folder: Path) -> None:
    with (folder / "weights.safetensors").open("ab") as file:
        file.write(b"x")
    with pytest.raises(InputError):
        load_model(folder)
