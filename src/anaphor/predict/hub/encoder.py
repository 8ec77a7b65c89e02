"""Encoders and their tokenisers, from a folder or from a hub: safetensors alone, and no code of theirs."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anaphor.core import InputError, OptionError
from anaphor.predict.options import import_extra

#: Files that may name code of their own, which is never run.
_CONFIGURATIONS = ("config.json", "tokenizer_config.json")
_CODE = "auto_map"
#: What can go wrong inside of transformers while files are read that somebody else has made.
_FAULTS = (OSError, ValueError, KeyError, TypeError, AttributeError, RuntimeError, ImportError)


@dataclass(frozen=True, slots=True, eq=False)
class Marks:
    """Numbers of the pieces that an encoder keeps for special use."""

    first: int
    between: int
    mask: int
    unknown: int
    padding: int
    special: frozenset[int]


@dataclass(frozen=True, slots=True, eq=False)
class Encoder:
    """A network that gives a state for every piece, its tokeniser, and the longest input that it takes."""

    network: Any
    tokenizer: Any
    marks: Marks
    longest: int


def load_encoder(name: str, *, download: bool, recipe: str) -> Encoder:
    """The encoder of a folder, or of a hub: then only what was fetched before, unless `download`."""
    transformers = import_extra("transformers", package="transformers", extra="hub", recipe=recipe)
    if not name:
        raise OptionError("no encoder", where=recipe, fix="name a folder or a model of a hub with --encoder")
    folder = Path(name)
    if folder.is_dir():
        _refuse_code(folder)
    how = {"local_files_only": folder.is_dir() or not download, "trust_remote_code": False}
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(name, **how)
        network = transformers.AutoModel.from_pretrained(name, use_safetensors=True, **how)
    except (*_FAULTS, _tensor_error(recipe)) as error:
        raise _unusable(name, error, download=download) from error
    return Encoder(network.float(), tokenizer, _marks(tokenizer, name), _longest(network))


def _tensor_error(recipe: str) -> Any:
    module = import_extra("safetensors", package="safetensors", extra="hub", recipe=recipe)
    return module.SafetensorError


def _refuse_code(folder: Path) -> None:
    """An error where a folder asks for code of its own."""
    for name in _CONFIGURATIONS:
        path = folder / name
        try:
            content = json.loads(path.read_bytes()) if path.is_file() else {}
        except (OSError, ValueError, RecursionError):
            raise InputError(
                "the description of the encoder cannot be read", where=str(path), fix="copy the folder again"
            ) from None
        if isinstance(content, dict) and _CODE in content:
            raise InputError(
                "the encoder wants to run code that comes with it",
                where=str(path),
                fix="use an encoder that transformers itself knows; such code is never run",
            )


def _unusable(name: str, error: BaseException, *, download: bool) -> InputError | OptionError:
    reason = str(error).strip().partition("\n")[0] or type(error).__name__
    if Path(name).is_dir():
        return InputError(
            f"the encoder cannot be read: {reason}",
            where=name,
            fix="give a folder with config.json, *.safetensors and the files of its tokeniser",
        )
    fix = "check the name and the connection" if download else "give a folder, or allow --allow-download"
    return OptionError(f"the encoder {name} is not here: {reason}", where="--encoder", fix=fix)


def _marks(tokenizer: Any, name: str) -> Marks:
    first = _either(tokenizer.cls_token_id, tokenizer.bos_token_id)
    between = _either(tokenizer.sep_token_id, tokenizer.eos_token_id)
    mask = tokenizer.mask_token_id
    if first is None or between is None or mask is None:
        raise OptionError(
            "the encoder has no mask, or no marks of beginning and end",
            where=name,
            fix="use one that was trained to guess hidden words, such as XLM-R",
        )
    unknown = _either(tokenizer.unk_token_id, mask)
    padding = _either(tokenizer.pad_token_id, between)
    return Marks(first, between, mask, unknown, padding, frozenset(tokenizer.all_special_ids))


def _either(number: int | None, other: int | None) -> Any:
    return other if number is None else number


def _longest(network: Any) -> int:
    """Places that the encoder has; RoBERTa and its kin begin to count behind the number of the padding."""
    places = getattr(network.config, "max_position_embeddings", None)
    return max(0, int(places) - 2) if places else 1 << 20
