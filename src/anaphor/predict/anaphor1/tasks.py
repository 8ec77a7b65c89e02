"""The sub-tasks that one network serves, and where each has its classes among all."""

from __future__ import annotations

from dataclasses import dataclass

from anaphor.core import LanguagePair, OptionError
from anaphor.task import task_classes

#: Every pair with the year of its finest classes: 2015 told *ça* from *cela*.
_FINEST = {"en-fr": 2015, "fr-en": 2016, "en-de": 2016, "de-en": 2016, "es-en": 2016}


@dataclass(frozen=True, slots=True)
class JointTask:
    """A pair, the names of its classes, and their places among the classes of the network."""

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
        f"anaphor-1 knows no pronouns of {pair}", where="--pair", fix=f"use one of {', '.join(_FINEST)}"
    )


def class_numbers(pair: str) -> dict[str, int]:
    """The number of every label that a file of a pair may use, in any year, among the network's classes."""
    task = task_of(pair)
    classes = task_classes(task.pair, year=_FINEST[pair])
    return {label: task.classes.start + task.names.index(name) for label, name in classes.aliases.items()}
