"""The options of training, and how a table of a recipe becomes options; no torch is needed to check them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, TypeVar

from anaphor.core import OptionError, UnknownNameError

DEVICES = ("auto", "cpu", "cuda")
SAMPLINGS = ("all", "equal", "proportional")
METRICS = ("macro-recall", "accuracy", "likelihood")

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingOptions:
    """How a network learns.

    - `balance`: 0, every slot counts the same, to 1, every class counts the same in the loss.
    - `sampling`: `all` slots in an epoch, or a `share` of them, drawn `equal` from all classes or
      `proportional` to the classes of the development data.
    - `metric`: what is looked at on development data; training stops when it has not risen `patience` times.
    - `least`, `vocabulary`: how often a word must occur to be known, and how many are known at most.
    - `snapshots`: how many of the best states of training are kept and mixed.
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
    """How a run goes; it changes no figure but by `minutes`, the time after which training stops (0: none).

    `checkpoint` is a folder in which an interrupted training is taken up again.
    """

    device: str = "auto"
    minutes: float = 0.0
    checkpoint: str = ""


def parse_options(kind: type[T], values: Mapping[str, Any], *, where: str) -> T:
    """Options of a dataclass from a table; a value of another type or below 0 is an `OptionError`."""
    return kind(**{name: _value(kind, name, value, where=where) for name, value in values.items()})


def split_options(values: Any, kinds: tuple[type[Any], ...], *, where: str) -> tuple[Any, ...]:
    """The options of several dataclasses that share one table; a key of none of them is an error."""
    if not isinstance(values, Mapping):
        raise OptionError("options are no table", where=where, fix="write [options] and its keys below it")
    owners = {field.name: kind for kind in kinds for field in fields(kind)}
    for name in values:
        if name not in owners:
            raise UnknownNameError.among(name, owners, kind="option", where=where)
    return tuple(
        parse_options(kind, {n: v for n, v in values.items() if owners[n] is kind}, where=where)
        for kind in kinds
    )


def check_choices(training: TrainingOptions, run: RunOptions, *, where: str) -> None:
    """An error where an option is not one of its choices, or a number has no sense."""
    for name, value, known in (
        ("sampling", training.sampling, SAMPLINGS),
        ("metric", training.metric, METRICS),
        ("device", run.device, DEVICES),
    ):
        check_choice(name, value, known, where=where)
    for name in ("epochs", "batch", "patience", "least", "vocabulary", "snapshots"):
        if getattr(training, name) < 1:
            raise OptionError(f"{name} is below 1", where=where, fix="give a whole number from 1 up")
    if not 0 < training.share <= 1 or not 0 <= training.balance <= 1 or not training.rate > 0:
        raise OptionError(
            "a share, a balance or a rate that cannot be",
            where=where,
            fix="give a share above 0 and at most 1, a balance from 0 to 1, a rate above 0",
        )


def check_choice(name: str, value: str, known: tuple[str, ...], *, where: str) -> None:
    if value not in known:
        raise OptionError(f"unknown {name}: {value}", where=where, fix=f"use one of {', '.join(known)}")


def _value(kind: type[Any], name: str, value: Any, *, where: str) -> Any:
    default = next(f.default for f in fields(kind) if f.name == name and f.default is not MISSING)
    if isinstance(default, tuple) and isinstance(value, list):
        value = tuple(value)
    if isinstance(default, float) and type(value) is int:
        value = float(value)
    if type(value) is not type(default) or (isinstance(value, int | float) and not value >= 0):
        raise OptionError(f"{name} cannot be {value!r}", where=where, fix=f"give a value such as {default!r}")
    if isinstance(value, tuple) and not (value and all(type(n) is int and n > 0 for n in value)):
        raise OptionError(
            f"{name} cannot be {list(value)!r}", where=where, fix="give whole numbers from 1 up"
        )
    return value
