"""The neural families and their options; `torch` is imported when a recipe is built or a model loaded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anaphor.core import OptionError, UnknownNameError
from anaphor.predict.model_folder import ModelFolder
from anaphor.predict.options import parse_options, require_package

if TYPE_CHECKING:
    from anaphor.predict.neural.model import NeuralModel, NeuralPredictor

DEVICES = ("auto", "cpu", "cuda")
SAMPLINGS = ("all", "equal", "proportional")
METRICS = ("macro-recall", "accuracy", "likelihood")
VERSION = 1
_PREFIX = "neural/"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingOptions:
    """How a network is trained.

    - `balance`: from 0, every slot weighs the same in the loss, to 1, every class does.
    - `sampling`: an epoch sees `all` slots, or a `share` of them, sampled `equal` from all classes or
      `proportional` to the classes of the development data.
    - `metric`: what is measured on development data; training stops after `patience` epochs without a gain.
    - `least`, `vocabulary`: minimum frequency of a known word, and the maximum number of known words.
    - `snapshots`: how many of the best epochs are kept and mixed.
    """

    epochs: int = 20
    batch: int = 128
    rate: float = 0.001
    patience: int = 4
    balance: float = 0.0
    sampling: str = "all"
    share: float = 1.0
    metric: str = "macro-recall"
    least: int = 2
    vocabulary: int = 30000
    snapshots: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """How a run is carried out. Only `minutes`, the time limit of training (0: none), can change a result.

    `checkpoint` is a folder from which an interrupted training is resumed.
    """

    device: str = "auto"
    minutes: float = 0.0
    checkpoint: str = ""


def split_options(values: Any, kinds: tuple[type[Any], ...], *, where: str) -> tuple[Any, ...]:
    """Options of several dataclasses that share one table; unknown keys and negative values are errors."""
    if not isinstance(values, Mapping):
        raise OptionError("options are not a table", where=where, fix="write [options] and its keys below it")
    owners = {field.name: kind for kind in kinds for field in fields(kind)}
    for name in values:
        if name not in owners:
            raise UnknownNameError.among(name, owners, kind="option", where=where)
    found = []
    for kind in kinds:
        options = parse_options(kind, {n: v for n, v in values.items() if owners[n] is kind}, where=where)
        for name, value in asdict(options).items():
            least, numbers = (1, value or (0,)) if isinstance(value, tuple) else (0, (value,))
            # Written this way round because nan compares as false.
            if not all(isinstance(one, str) or one >= least for one in numbers):
                raise OptionError(
                    f"{name} cannot be {value}", where=where, fix=f"give numbers from {least} up"
                )
        found.append(options)
    return tuple(found)


def check_choices(training: TrainingOptions, run: RunOptions, *, where: str) -> None:
    """Raise an error if an option is not one of its choices, or a number makes no sense."""
    check_choice("sampling", training.sampling, SAMPLINGS, where=where)
    check_choice("metric", training.metric, METRICS, where=where)
    check_choice("device", run.device, DEVICES, where=where)
    for name in ("epochs", "batch", "patience", "least", "vocabulary", "snapshots"):
        if getattr(training, name) < 1:
            raise OptionError(f"{name} is below 1", where=where, fix="give a whole number from 1 up")
    if not 0 < training.share <= 1 or not 0 <= training.balance <= 1 or not training.rate > 0:
        raise OptionError(
            "a share, a balance or a learning rate is out of range",
            where=where,
            fix="give a share above 0 and at most 1, a balance from 0 to 1, a rate above 0",
        )


def check_choice(name: str, value: str, known: tuple[str, ...], *, where: str) -> None:
    """Raise an error if a value is not one of the known ones."""
    if value not in known:
        raise OptionError(f"unknown {name}: {value}", where=where, fix=f"use one of {', '.join(known)}")


def has_networks(settings: Mapping[str, Any]) -> bool:
    """Whether a recipe is a network, or contains one."""
    is_network = str(settings.get("family")).startswith(_PREFIX)
    return is_network or any(has_networks(member) for member in _members(settings))


def with_run_options(settings: Mapping[str, Any], run: RunOptions) -> dict[str, Any]:
    """The settings of a recipe with the run options in each of its networks.

    Networks inside a recipe share its minutes, and each has its own folder inside the checkpoint.
    """
    if not has_networks(settings):
        raise OptionError(
            "device, minutes and checkpoint are for networks, and the recipe has none",
            where=str(settings.get("name", "recipe")),
            fix="leave these options out",
        )
    if str(settings.get("family")).startswith(_PREFIX):
        return {**settings, "options": {**settings.get("options", {}), **asdict(run)}}
    members = _members(settings)
    minutes = run.minutes / sum(map(has_networks, members))
    changed = []
    for number, member in enumerate(members):
        folder = str(Path(run.checkpoint, str(number))) if run.checkpoint else ""
        own = RunOptions(device=run.device, minutes=minutes, checkpoint=folder)
        changed.append(with_run_options(member, own) if has_networks(member) else dict(member))
    return {**settings, "members": changed}


def _members(settings: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    members = settings.get("members", [])
    return list(members) if isinstance(members, list) else []


@dataclass(frozen=True, slots=True)
class NeuralFamily:
    """The family of one architecture.

    Not a `BaseFamily`, because its options are spread over three classes, one of which needs torch.
    """

    name: str

    def build(self, recipe: Mapping[str, Any]) -> NeuralPredictor:
        """The predictor of a recipe; a missing package, device or option is an error now."""
        where = str(recipe.get("name", self.name))
        require_package("torch", package="torch", extra="neural", recipe=where)
        from anaphor.predict.neural.device import chosen_device
        from anaphor.predict.neural.model import ARCHITECTURES, NeuralPredictor
        from anaphor.predict.neural.nyu import CONTEXTS, NyuOptions

        kinds = (TrainingOptions, RunOptions, ARCHITECTURES[self.name].options)
        training, run, shape = split_options(recipe.get("options", {}), kinds, where=where)
        check_choices(training, run, where=where)
        if isinstance(shape, NyuOptions):
            check_choice("context", shape.context, CONTEXTS, where=where)
        if recipe.get("features"):
            raise OptionError(
                "a neural recipe has features", where=where, fix="remove [features]: networks read words"
            )
        chosen_device(run.device)
        options = {**asdict(training), **asdict(shape)}
        return NeuralPredictor(
            recipe=where,
            family=self.name,
            version=VERSION,
            # Lists instead of tuples, so that a loaded card equals the saved one.
            settings={n: list(v) if isinstance(v, tuple) else v for n, v in options.items()},
            shape=shape,
            training=training,
            run=run,
        )

    def load(self, folder: ModelFolder) -> NeuralModel:
        """The model in a folder, on a GPU if there is one."""
        folder.check_version(VERSION)
        require_package("torch", package="torch", extra="neural", recipe=folder.card.recipe)
        from anaphor.predict.neural.device import chosen_device
        from anaphor.predict.neural.model import load_neural

        return load_neural(folder, chosen_device("auto"))


TURKU = NeuralFamily("neural/turku")
UKYOTO = NeuralFamily("neural/ukyoto")
UPPSALA = NeuralFamily("neural/uppsala")
NYU = NeuralFamily("neural/nyu")
LATENT = NeuralFamily("neural/latent")
CONVOLUTION = NeuralFamily("neural/convolution")
