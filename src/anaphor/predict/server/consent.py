"""The servers that the user has named on this machine.

A model folder, a recipe or a result file may come from a stranger, so it cannot choose a server by itself: a
list on this machine has the servers that the user has named, with their key variables and answer folders.
Without it, such a file could send the user's texts and key to any server.
"""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path

from anaphor.core import InputError, OptionError
from anaphor.core.records import strict_json
from anaphor.corpus.text import is_file, read_bytes
from anaphor.files.writing import write_atomically
from anaphor.predict.server.client import ServerOptions


def servers_file() -> Path:
    """The path of the list, which the user may edit or delete."""
    base = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(base) / "anaphor" / "servers.json"


def confirm(options: ServerOptions) -> None:
    """Add a server that the user has named; `options` must not come from a file."""
    path, known = servers_file(), _confirmed()
    if _named(options) not in known:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OptionError(
                f"the list of your servers cannot be written ({error.strerror or error})",
                where=str(path),
                fix="set XDG_CONFIG_HOME to a folder that you may write to",
            ) from error
        write_atomically(path, json.dumps([*known, _named(options)], indent=1) + "\n")


def check_confirmed(options: ServerOptions) -> None:
    """Raise an error unless the user has named this server, with this key and this folder of answers."""
    if _named(options) not in _confirmed():
        given = {f"--{name.replace('_', '-')}": value for name, value in _named(options).items() if value}
        command = " ".join(f"{flag} {shlex.quote(value)}" for flag, value in given.items())
        raise OptionError(
            f"the model would send texts to {options.server}, and the key in {options.key_variable} if it is "
            "set, and you have not named this server on this machine",
            where="server",
            fix=f"if you trust the server: anaphor predict connect {command} "
            f"--model {shlex.quote(options.model)} --pair SRC-TGT --output FOLDER",
        )


def confirmed_for(server: str) -> dict[str, str]:
    """The key variable and the answer folder with which the user last named a server."""
    known = [
        entry
        for entry in _confirmed()
        if isinstance(entry, dict) and entry.get("server") == server.rstrip("/")
    ]
    if not known:
        return {}
    return {name: str(known[-1].get(name, "")) for name in ("key_variable", "cache")}


def _named(options: ServerOptions) -> dict[str, str]:
    server = options.server.rstrip("/")
    return {"server": server, "key_variable": options.key_variable, "cache": options.cache}


def _confirmed() -> list[object]:
    path = servers_file()
    if not is_file(path):
        return []
    try:
        content = strict_json(read_bytes(path))
        if isinstance(content, list):
            return content
    except ValueError:
        pass
    raise InputError(
        "the list of your servers cannot be read",
        where=str(path),
        fix="delete the file, and name your servers again with `anaphor predict connect`",
    )
