"""Finding and reading packs: a folder of the user's first, then the built-in ones."""

from __future__ import annotations

import re
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import NamedTuple

from anaphor.core import InputError, LanguagePair, OptionError, UnknownNameError, digest
from anaphor.languages.language_file import read_language
from anaphor.languages.pack import LanguagePack, PairPack
from anaphor.languages.pair_file import read_pair
from anaphor.languages.schema import Table

_LANGUAGE = re.compile(r"([a-z]{2,3})\.toml")
_PAIR = re.compile(r"([a-z]{2,3}-[a-z]{2,3})\.toml")


class _PackFile(NamedTuple):
    """One pack as it lies on disk."""

    content: bytes
    table: Table


def load_language(code: str, *, folder: Path | None = None) -> LanguagePack:
    """The pack of one language, from `folder` where it has one."""
    file = _read(code, _LANGUAGE, kind="language", folder=folder)
    return read_language(file.table, code=code, digest=digest([file.content]))


def load_pair(pair: LanguagePair, *, folder: Path | None = None) -> PairPack:
    """The pack of one pair and of both its languages, each from `folder` where it has one."""
    file = _read(str(pair), _PAIR, kind="language pair", folder=folder)
    source = load_language(pair.source, folder=folder)
    target = load_language(pair.target, folder=folder)
    parts = [file.content, source.digest.encode(), target.digest.encode()]
    return read_pair(file.table, pair=pair, source=source, target=target, digest=digest(parts))


def known_languages(folder: Path | None = None) -> tuple[str, ...]:
    """Codes of all languages that have a pack, in alphabetical order."""
    return tuple(sorted(_found(_LANGUAGE, folder)))


def known_pairs(folder: Path | None = None) -> tuple[str, ...]:
    """All pairs that have a pack, such as `en-fr`, in alphabetical order."""
    return tuple(sorted(_found(_PAIR, folder)))


def _read(name: str, pattern: re.Pattern[str], *, kind: str, folder: Path | None) -> _PackFile:
    found = _found(pattern, folder)
    if name not in found:
        where = "the built-in packs" if folder is None else f"{folder} and the built-in packs"
        raise UnknownNameError.among(name, found, kind=kind, where=where)
    try:
        content = found[name].read_bytes()
    except OSError as error:
        raise InputError(
            f"cannot read the pack: {error.strerror}", where=str(found[name]), fix="make it a readable file"
        ) from error
    return _PackFile(content, Table.parse(content, file=str(found[name])))


def _found(pattern: re.Pattern[str], folder: Path | None) -> dict[str, Traversable]:
    """Pack files by name; a file in the user's folder hides the built-in one."""
    found = _files_in(files("anaphor.languages") / "packs", pattern)
    if folder is None:
        return found
    if not folder.is_dir():
        raise OptionError("no such folder of packs", where=str(folder), fix="name an existing folder")
    return found | _files_in(folder, pattern)


def _files_in(folder: Traversable, pattern: re.Pattern[str]) -> dict[str, Traversable]:
    return {match[1]: file for file in folder.iterdir() if (match := pattern.fullmatch(file.name))}
