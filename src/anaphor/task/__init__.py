"""The prediction task: its files and classes, preparation, scorer and published results."""

from anaphor.task.classes import TaskClasses, task_classes
from anaphor.task.files import (
    format_segment,
    read_predictions,
    read_task,
    with_labels,
    write_predictions,
    write_task,
)

__all__ = [
    "TaskClasses",
    "format_segment",
    "read_predictions",
    "read_task",
    "task_classes",
    "with_labels",
    "write_predictions",
    "write_task",
]
