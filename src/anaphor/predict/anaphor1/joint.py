"""Networks that serve several sub-tasks, and their files.

`networks.json` has the sizes, the pieces, and for each sub-task how it is read and calibrated; the weights
are in `network-0.safetensors`, which is read alone unless an ensemble is asked for, and in
`network-1.safetensors` and so on.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anaphor.corpus import write_atomically
from anaphor.corpus.text import read_bytes
from anaphor.predict.anaphor1.material import domain_of
from anaphor.predict.anaphor1.network import Network, Shape
from anaphor.predict.anaphor1.reading import Reading
from anaphor.predict.anaphor1.weights import read_network, write_network
from anaphor.predict.anaphor1.windows import ANY_DOMAIN, Context
from anaphor.predict.model_folder import ModelFolder, Writer, damaged

_JSON = "networks.json"
#: Models that were saved by earlier versions, such as the one that ships, have NumPy archives.
_SUFFIX, _OLD_SUFFIX = ".safetensors", ".npz"
#: Read with three sentences before and one after, as a text of no known kind.
PLAIN = (Reading(),)
#: Read with more context and with less, as a text of no known kind, as a talk and as subtitles.
CAREFUL = tuple(
    Reading(context, domain)
    for context in (Context(3, 1), Context(5, 2), Context(1, 0))
    for domain in (ANY_DOMAIN, domain_of("ted"), domain_of("scat"))
)
_MOST_PIECES = 200_000


@dataclass(frozen=True, slots=True)
class Habit:
    """How the slots of one sub-task are read, and how probabilities are made true to life.

    - `temperature` divides the logarithms of the probabilities: nine of ten predictions of 0.9 shall be
      right; `careful_temperature` those of all networks together.
    - `favour` is what the probability of each class of the sub-task counts when one is chosen, nothing where
      it is empty. The official score is the mean recall of classes, so that rare ones are worth a risk.
    """

    readings: tuple[Reading, ...] = PLAIN
    temperature: float = 1.0
    favour: tuple[float, ...] = ()
    careful_temperature: float = 1.0


@dataclass(frozen=True, slots=True)
class JointNetworks:
    """Networks that share pieces and classes, and the habits of the sub-tasks that they learned."""

    pieces: tuple[str, ...]
    networks: Sequence[Network]
    habits: Mapping[str, Habit]


class _Unread(Sequence[Network]):
    """Networks of files, each read when someone first asks for it: most users ask for the first alone."""

    def __init__(self, paths: Sequence[Path], shape: Shape) -> None:
        self._paths, self._shape = paths, shape
        self._read: dict[Path, Network] = {}

    def __len__(self) -> int:
        return len(self._paths)

    def __getitem__(self, number: Any) -> Any:
        path = self._paths[number]
        if path not in self._read:
            self._read[path] = read_network(path, self._shape)
        return self._read[path]


def favour_of(labels: NDArray[np.int32], classes: int, fairness: float) -> tuple[float, ...]:
    """What classes count, the most frequent 1; at a fairness of 1 as if all were equally frequent.

    A class that no label has counts 1 too: nothing is known of it.
    """
    counts = np.bincount(labels, minlength=classes)
    counts = np.where(counts == 0, counts.max(), counts)
    return tuple(np.round((counts.max() / counts) ** fairness, 3).tolist())


def habit_name(pair: str, *, forms: bool) -> str:
    """The name of a sub-task among the habits."""
    return f"{pair} {'forms' if forms else 'lemmas'}"


def joint_files(joint: JointNetworks) -> dict[str, Writer]:
    """The files of networks, for `save_model`."""
    content = {
        "shape": asdict(joint.networks[0].shape),
        "networks": len(joint.networks),
        "habits": {name: asdict(habit) for name, habit in joint.habits.items()},
        "pieces": joint.pieces,
    }
    text = json.dumps(content, ensure_ascii=False, indent=1) + "\n"
    files: dict[str, Writer] = {_JSON: partial(write_atomically, content=text)}
    for number, network in enumerate(joint.networks):
        files[_weights_name(number)] = partial(write_network, network=network)
    return files


def read_joint(folder: ModelFolder) -> JointNetworks:
    """The networks of a folder whose hashes have been checked; sizes are checked when one is read."""
    path = folder.file(_JSON)
    try:
        content = json.loads(read_bytes(path))
        shape = Shape(**{name: int(value) for name, value in content["shape"].items()})
        habits = {str(name): _habit(one) for name, one in content["habits"].items()}
        pieces, count = tuple(map(str, content["pieces"])), int(content["networks"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise damaged(path, f"it does not describe networks: {error}") from error
    if len(pieces) != shape.pieces or not 0 < shape.pieces <= _MOST_PIECES or count < 1:
        raise damaged(path, "its sizes contradict each other")
    old = _weights_name(0, _OLD_SUFFIX) in folder.hashes
    paths = [folder.file(_weights_name(n, _OLD_SUFFIX if old else _SUFFIX)) for n in range(count)]
    return JointNetworks(pieces, _Unread(paths, shape), habits)


def _weights_name(number: int, suffix: str = _SUFFIX) -> str:
    return f"network-{number}{suffix}"


def _habit(content: Mapping[str, Any]) -> Habit:
    readings = tuple(
        Reading(Context(int(one["context"]["before"]), int(one["context"]["after"])), int(one["domain"]))
        for one in content["readings"]
    )
    favour = tuple(map(float, content["favour"]))
    if not all(0 < weight < math.inf for weight in favour):
        raise ValueError("a class counts nothing, or without end")
    alone, together = (float(content[name]) for name in ("temperature", "careful_temperature"))
    if not (0 < alone < math.inf and 0 < together < math.inf):
        raise ValueError("a temperature is not above zero")
    return Habit(readings or PLAIN, alone, favour, together)
