"""Files out, whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from anaphor.core import OptionError


def write_atomically(path: str | Path, content: str | bytes) -> None:
    """Write bytes, or text as UTF-8, so that a reader sees the old file or the new one, never a part.

    The content goes to a temporary file in the same folder, which then takes the name. A link is
    followed. What is no plain file (`/dev/stdout`, a pipe) cannot be replaced and is written to.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    try:
        # /dev/stdout leads to a plain file when the output is redirected; to replace it would lose the rest.
        if str(path).startswith("/dev/"):
            with Path(path).open("ab") as device:
                device.write(data)
            return
        target = Path(path).resolve()
        if target.exists() and not target.is_file():
            target.write_bytes(data)
        else:
            _replace(target, data)
    except (OSError, ValueError) as error:
        raise OptionError(
            f"the file cannot be written ({getattr(error, 'strerror', None) or error})",
            where=str(path),
            fix="choose a file in an existing folder that you may write to",
        ) from error


def _replace(target: Path, data: bytes) -> None:
    temporary = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        temporary.write_bytes(data)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
