"""Networks for several sub-tasks: their classes, the decoding of each sub-task, and their files.

`networks.json` has the dimensions, the subwords, and the decoding configuration of each sub-task. The weights
are in `network-0.safetensors`, which is used alone except in ensembles, `network-1.safetensors` and so on.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anaphor.core import LanguagePair, OptionError
from anaphor.files.writing import write_atomically
from anaphor.predict.anaphor2.encoding import ANY_DOMAIN, domain_of
from anaphor.predict.anaphor2.network import NumpyNetwork, Shape, read_network, write_network
from anaphor.predict.anaphor2.subwords import DOMAINS
from anaphor.predict.anaphor2.windows import MOST, InputView
from anaphor.predict.model_folder import ModelFolder, Writer, damaged, read_json
from anaphor.task import task_classes

_JSON = "networks.json"
#: Three preceding sentences and one following, domain unknown.
DEFAULT_VIEWS = (InputView(),)
#: More context and less, each as a text of unknown kind, as a talk and as subtitles.
ENSEMBLE_VIEWS = tuple(
    InputView(before, after, domain)
    for before, after in ((3, 1), (5, 2), (1, 0))
    for domain in (ANY_DOMAIN, domain_of("ted"), domain_of("scat"))
)
_MOST_PIECES = 200_000
#: Every pair with the year of its finest classes: 2015 distinguished *ça* from *cela*.
_FINEST = {"en-fr": 2015, "fr-en": 2016, "en-de": 2016, "de-en": 2016, "es-en": 2016}


@dataclass(frozen=True, slots=True)
class JointTask:
    """A pair, the names of its classes, and their numbers among the classes of the network."""

    pair: LanguagePair
    names: tuple[str, ...]
    classes: slice


def _joint_tasks() -> tuple[JointTask, ...]:
    tasks: list[JointTask] = []
    start = 0
    for name, year in _FINEST.items():
        pair = LanguagePair.parse(name)
        names = task_classes(pair, year=year).classes
        tasks.append(JointTask(pair, names, slice(start, start + len(names))))
        start += len(names)
    return tuple(tasks)


TASKS = _joint_tasks()


def task_of(pair: str) -> JointTask:
    """The sub-task of a pair."""
    for task in TASKS:
        if str(task.pair) == pair:
            return task
    raise OptionError(
        f"anaphor-2 does not support {pair}", where="--pair", fix=f"use one of {', '.join(_FINEST)}"
    )


def class_numbers(pair: str) -> dict[str, int]:
    """The network class of every label that data of a pair may use in any year."""
    task = task_of(pair)
    classes = task_classes(task.pair, year=_FINEST[pair])
    return {label: task.classes.start + task.names.index(name) for label, name in classes.aliases.items()}


@dataclass(frozen=True, slots=True)
class DecodingConfig:
    """The input format and output calibration of one sub-task.

    - `temperature` divides the log-probabilities, so that nine of ten predictions of 0.9 are correct;
      `ensemble_temperature` is for all networks together.
    - `class_factors` multiply the class probabilities for choosing a label; empty for none. The official
      score is the mean recall of the classes, so rare ones are worth a risk.
    - `network` is the number of the network used without an ensemble.
    - `class_counts` says how often a source pronoun had each class in training.
    """

    views: tuple[InputView, ...] = DEFAULT_VIEWS
    temperature: float = 1.0
    class_factors: tuple[float, ...] = ()
    ensemble_temperature: float = 1.0
    network: int = 0
    class_counts: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The configuration as in `networks.json`."""
        return asdict(self)

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> DecodingConfig:
        """The inverse; invalid values are a `ValueError`."""
        views = tuple(
            InputView(int(view["before"]), int(view["after"]), int(view["domain"]))
            for view in content["views"]
        )
        if not all(
            0 <= view.before <= MOST and 0 <= view.after <= MOST and 0 <= view.domain < DOMAINS
            for view in views
        ):
            raise ValueError("a view has too many sentences or an unknown domain")
        factors = tuple(map(float, content["class_factors"]))
        if not all(0 < factor < math.inf for factor in factors):
            raise ValueError("a class factor is not positive and finite")
        alone, ensemble = (float(content[name]) for name in ("temperature", "ensemble_temperature"))
        if not (0 < alone < math.inf and 0 < ensemble < math.inf):
            raise ValueError("a temperature is not positive and finite")
        network = int(content.get("network", 0))
        counts = {
            str(word): tuple(map(int, numbers)) for word, numbers in content.get("class_counts", {}).items()
        }
        if network < 0 or not all(count >= 0 for numbers in counts.values() for count in numbers):
            raise ValueError("the number of a network or of a class is negative")
        return cls(views or DEFAULT_VIEWS, alone, factors, ensemble, network, counts)


def class_factors(labels: NDArray[np.int32], classes: int, fairness: float) -> tuple[float, ...]:
    """Factors that favour rare classes, 1 for the most frequent one.

    At a fairness of 1 they are inverse frequencies, at 0 all equal 1. A class that never occurs also gets 1,
    as nothing is known about it.
    """
    counts = np.bincount(labels, minlength=classes)
    # As if it were the most frequent: its factor is 1.
    counts = np.where(counts == 0, counts.max(), counts)
    return tuple(np.round((counts.max() / counts) ** fairness, 3).tolist())


@dataclass(frozen=True, slots=True)
class JointNetworks:
    """Networks with common subwords and classes, and the configuration of each sub-task."""

    pieces: tuple[str, ...]
    networks: Sequence[NumpyNetwork]
    configs: Mapping[str, DecodingConfig]


def subtask_name(pair: str, *, forms: bool) -> str:
    """The name of a sub-task among the configurations."""
    return f"{pair} {'forms' if forms else 'lemmas'}"


class _LazyNetworks(Sequence[NumpyNetwork]):
    """Networks read from files on first use, since most users need only one."""

    def __init__(self, paths: Sequence[Path], shape: Shape) -> None:
        self._paths, self._shape = paths, shape
        self._read: dict[Path, NumpyNetwork] = {}

    def __len__(self) -> int:
        return len(self._paths)

    def __getitem__(self, number: Any) -> Any:
        path = self._paths[number]
        if path not in self._read:
            self._read[path] = read_network(path, self._shape)
        return self._read[path]


def joint_files(joint: JointNetworks) -> dict[str, Writer]:
    """The files of networks, for `save_model`."""
    content = {
        "shape": asdict(joint.networks[0].shape),
        "networks": len(joint.networks),
        "configs": {name: config.to_json() for name, config in joint.configs.items()},
        "pieces": joint.pieces,
    }
    text = json.dumps(content, ensure_ascii=False, indent=1) + "\n"
    files: dict[str, Writer] = {_JSON: partial(write_atomically, content=text)}
    for number, network in enumerate(joint.networks):
        files[f"network-{number}.safetensors"] = partial(write_network, network=network)
    return files


def read_joint(folder: ModelFolder) -> JointNetworks:
    """The networks in a folder with verified hashes; shapes are checked on reading."""
    path = folder.file(_JSON)
    content = read_json(path)
    try:
        shape = Shape(**{name: int(value) for name, value in content["shape"].items()})
        configs = {str(name): DecodingConfig.from_json(config) for name, config in content["configs"].items()}
        pieces, count = tuple(map(str, content["pieces"])), int(content["networks"])
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
        raise damaged(path, f"it does not describe networks: {error}") from error
    # Sizes come from a file: absurd ones must not reach an allocation.
    sound = all(0 < size <= _MOST_PIECES for size in astuple(shape)) and shape.width % shape.heads == 0
    sound &= all(config.network < count for config in configs.values())
    if len(pieces) != shape.pieces or shape.classes != TASKS[-1].classes.stop or not sound or count < 1:
        raise damaged(path, "its dimensions are inconsistent")
    paths = [folder.file(f"network-{number}.safetensors") for number in range(count)]
    return JointNetworks(pieces, _LazyNetworks(paths, shape), configs)
