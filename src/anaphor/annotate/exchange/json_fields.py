"""JSON from outside, looked into step by step; what is not as it should be is an error with its place."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from anaphor.core import InputError, Where


def decode(data: bytes, *, path: str, line: int | None = None) -> Any:
    """The content of UTF-8 JSON."""
    try:
        return json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"not JSON: {error}", where=Where(path, line), fix="give the file as it was written"
        ) from error


def as_object(value: object, what: str, where: Where) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        refuse(f"{what} is no object", where)
    return value


def as_list(value: object, what: str, where: Where) -> Sequence[Any]:
    if not isinstance(value, list):
        refuse(f"{what} is no list", where)
    return value


def as_text(value: object, what: str, where: Where) -> str:
    if not isinstance(value, str):
        refuse(f"{what} is no text", where)
    return value


def as_count(value: object, what: str, where: Where) -> int:
    if type(value) is not int or value < 0:
        refuse(f"{what} is no number from 0 up", where)
    return value


def refuse(what: str, where: Where) -> NoReturn:
    raise InputError(what, where=where, fix="give the file as the other tool wrote it")
