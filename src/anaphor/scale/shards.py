"""Texts in shards: which files a pattern names, and what each shard is called."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from glob import glob, has_magic
from pathlib import Path

from anaphor.core import InputError
from anaphor.task.prepare.texts import ParallelText, text_prefixes


@dataclass(frozen=True, slots=True)
class Shard:
    """A part of the text that one worker does at a time; ids of its documents get the prefix."""

    name: str
    text: ParallelText
    prefix: str = ""


def shards_of(texts: Sequence[ParallelText], *, name: str = "") -> tuple[Shard, ...]:
    """Every text as a shard, called like its file, or by number where names repeat; `name` comes first."""
    names = [text.name for text in texts]
    if len({*names}) < len(names):
        names = [f"{number:05d}-{short}" for number, short in enumerate(names, start=1)]
    prefixes = text_prefixes(texts)
    return tuple(
        Shard(f"{name}{short}", text, prefix)
        for short, text, prefix in zip(names, texts, prefixes, strict=True)
    )


def expanded(paths: Sequence[str], *, full: bool = False) -> list[str]:
    """The files that paths and patterns such as `part-*.gz` name, those of a pattern sorted by name.

    `full` paths are for workers, which are not where this process is.
    """
    found: list[str] = []
    for path in paths:
        if not has_magic(path) or Path(path).exists():
            found.append(path)
            continue
        named = sorted(glob(path))  # noqa: PTH207 - patterns may be absolute
        if not named:
            raise InputError(
                "no file has such a name", where=path, fix="check the pattern, and put it in quotes"
            )
        found += named
    return [path if path == "-" else str(Path(path).absolute()) for path in found] if full else found
