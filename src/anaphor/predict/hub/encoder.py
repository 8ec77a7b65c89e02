"""Pretrained encoders and their input for a slot: the source with the pronoun marked, the target masked.

<first> The lamp is old . * It * works . <between> La lampe est vieille . <mask> marche . <between>
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anaphor.core import InputError, OptionError, Slot, TaskSegment
from anaphor.files.folders import inside
from anaphor.predict.data import document_window
from anaphor.predict.hub.options import HubOptions
from anaphor.predict.options import import_extra

#: Files that may name code of their own, which is never run.
_CONFIGURATIONS = ("config.json", "tokenizer_config.json")
_CODE = "auto_map"
#: Folders of a hub's cache, and of an encoder, whose files transformers reads, too.
_SNAPSHOTS, _TEMPLATES = "snapshots", "additional_chat_templates"
#: Written around the source pronoun, and in place of other hidden words.
_PRONOUN_MARK, _OTHER_SLOT = "*", "_"
#: The special tokens of a window: one at the beginning, one after each side.
_SPECIAL_TOKENS = 3
#: Numbers of a configuration that are never too large.
_SMALL = 1 << 12


@dataclass(frozen=True, slots=True, eq=False)
class SpecialTokens:
    """Numbers of an encoder's special tokens."""

    first: int
    between: int
    mask: int
    unknown: int
    padding: int
    all: frozenset[int]


@dataclass(frozen=True, slots=True, eq=False)
class PretrainedEncoder:
    """A network that gives a state per subword, its tokenizer, and its maximum input length."""

    network: Any
    tokenizer: Any
    special: SpecialTokens
    longest: int


@contextmanager
def third_party(where: str) -> Iterator[None]:
    """Turns every exception of transformers and its dependencies about third-party files into our error.
    Their messages are suppressed, because they quote the files verbatim, terminal escapes included.
    """
    log = logging.getLogger("transformers")
    level = log.level
    log.setLevel(logging.CRITICAL)
    try:
        yield
    except Exception as error:
        reason = str(error).strip().partition("\n")[0] or type(error).__name__
        raise InputError(
            f"the encoder cannot be read: {reason}",
            where=where,
            fix="pass a folder with config.json, *.safetensors and the files of its tokenizer, unchanged",
        ) from error
    finally:
        log.setLevel(level)


def load_encoder(name: str, *, download: bool, recipe: str) -> PretrainedEncoder:
    """The encoder from a folder or a hub; without `download`, a hub means its local cache."""
    transformers = import_extra("transformers", package="transformers", extra="hub", recipe=recipe)
    if not name:
        raise OptionError(
            "no encoder", where=recipe, fix="specify a folder or a model of a hub with --encoder"
        )
    folder = Path(name)
    if folder.is_dir():
        _check_entries(folder)
        _refuse_code(folder)
    how = {"local_files_only": folder.is_dir() or not download, "trust_remote_code": False}
    try:
        with third_party(name):
            if folder.is_dir():
                _check_sizes(folder)
            tokenizer = transformers.AutoTokenizer.from_pretrained(name, **how)
            network, loaded = transformers.AutoModel.from_pretrained(
                name, use_safetensors=True, output_loading_info=True, **how
            )
            # What is missing or does not fit, transformers fills with random numbers. Poolers are not used.
            lost = [*loaded["missing_keys"], *(key for key, *_ in loaded["mismatched_keys"])]
            if random := [key for key in lost if "pooler" not in key]:
                raise ValueError(f"the weights {random[0]} are missing or do not fit")
            positions = getattr(network.config, "max_position_embeddings", None)
            # RoBERTa and its descendants number positions from the padding id, which costs two of them.
            longest = max(0, int(positions) - 2) if positions else 1 << 20
            special = _special_tokens(tokenizer)
    except InputError as error:
        if folder.is_dir():
            raise
        fix = "check the name and the connection" if download else "pass a folder, or allow --allow-download"
        raise OptionError(
            f"the encoder {name} is not here, or {error.what}", where="--encoder", fix=fix
        ) from error
    if special is None:
        raise OptionError(
            "the encoder has no mask token, or no tokens for beginning and end",
            where=name,
            fix="use a masked language model, such as XLM-R",
        )
    return PretrainedEncoder(network.float(), tokenizer, special, longest)


def _check_entries(folder: Path) -> None:
    """Raise an error if a file is a pipe, or a link that leads elsewhere.

    A snapshot in the cache of a hub consists of links to the files next to it, for all snapshots of a model.
    """
    snapshots = folder.resolve().parent
    is_cached = snapshots.name == _SNAPSHOTS and snapshots.parent.name.startswith("models--")
    root = snapshots.parent if is_cached else folder
    for entry in (*folder.iterdir(), *folder.glob(f"{_TEMPLATES}/*")):
        inside(root, entry)


def _refuse_code(folder: Path) -> None:
    """Raise an error if a folder requires its own code."""
    for name in _CONFIGURATIONS:
        path = folder / name
        try:
            content = json.loads(path.read_bytes()) if path.is_file() else {}
        except (OSError, ValueError, RecursionError):
            raise InputError(
                "the configuration of the encoder cannot be read",
                where=str(path),
                fix="copy the folder again",
            ) from None
        if isinstance(content, dict) and _CODE in content:
            raise InputError(
                "the encoder requires running its own code",
                where=str(path),
                fix="use an encoder that transformers supports natively; bundled code is never run",
            )


def _check_sizes(folder: Path) -> None:
    """Raise an error if a configuration or a vocabulary requires more than the weights contain.

    transformers builds the network first, so it would build a billion layers, and the tokenizer counts from
    zero to the largest number of its vocabulary when it is copied.
    """
    from safetensors import safe_open

    sizes = []
    for path in sorted(folder.glob("*.safetensors")):
        with safe_open(path, framework="np") as weights:
            sizes += [max(weights.get_slice(name).get_shape(), default=0) for name in weights.keys()]  # noqa: SIM118 - no mapping
    largest = max([_SMALL, *sizes])
    rest = list(json.loads((folder / "config.json").read_bytes()).items())
    while rest:
        name, value = rest.pop()
        if isinstance(value, dict):
            rest += value.items()
        elif isinstance(value, list):
            rest += ((name, element) for element in value)
        elif (
            isinstance(value, int)
            and value > (len(sizes) if "layer" in name else largest)
            and "theta" not in name
        ):
            raise ValueError(f"{name} is {value}, which is more than the weights have")
    if (path := folder / "tokenizer.json").is_file():
        content = json.loads(path.read_bytes())
        vocabulary = content["model"]["vocab"]
        numbers = list(vocabulary.values()) if isinstance(vocabulary, dict) else []
        numbers += [token["id"] for token in content.get("added_tokens") or ()]
        if (number := max(numbers, default=0)) > largest:
            raise ValueError(f"a token has the number {number}, which is more than the weights have")


def _special_tokens(tokenizer: Any) -> SpecialTokens | None:
    """Load the weights; missing ones are an error."""

    def either(number: int | None, other: int | None) -> Any:
        return other if number is None else number

    first = either(tokenizer.cls_token_id, tokenizer.bos_token_id)
    between = either(tokenizer.sep_token_id, tokenizer.eos_token_id)
    mask = tokenizer.mask_token_id
    if first is None or between is None or mask is None:
        return None
    return SpecialTokens(
        first=first,
        between=between,
        mask=mask,
        unknown=either(tokenizer.unk_token_id, mask),
        padding=either(tokenizer.pad_token_id, between),
        all=frozenset(tokenizer.all_special_ids),
    )


@dataclass(frozen=True, slots=True)
class HubWindow:
    """Piece numbers, and the index of the mask among them."""

    pieces: tuple[int, ...]
    place: int


@dataclass(frozen=True, slots=True, eq=False)
class WindowReader:
    """Makes windows for one encoder; without `forms` targets are `lemma|TAG`, whose tags are left out."""

    encoder: PretrainedEncoder
    options: HubOptions
    forms: bool
    _cache: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def windows(self, segments: Sequence[TaskSegment]) -> Iterator[HubWindow]:
        """One window per slot, in order."""
        for number, segment in enumerate(segments):
            for slot in segment.slots:
                yield self._window(segments, number, slot)

    def _window(self, segments: Sequence[TaskSegment], number: int, slot: Slot) -> HubWindow:
        options = self.options
        first, last = document_window(segments, number, before=options.before, after=options.after)
        special, mark = self.encoder.special, self._pieces(_PRONOUN_MARK)
        source: list[int] = []
        target: list[int] = []
        pronoun = 0
        for place, segment in enumerate(segments[first:last], start=first):
            for position, word in enumerate(segment.source):
                if place == number and position == slot.source:
                    pronoun = len(source)
                    source += (*mark, *self._pieces(word), *mark)
                else:
                    source += self._pieces(word)
            target += self._target(segment, slot if place == number else None)
        hidden = target.index(special.mask)
        room = min(options.longest, self.encoder.longest) - _SPECIAL_TOKENS
        if len(source) + len(target) > room:
            # Each side keeps half of the window around pronoun or mask, or more if the other needs less.
            source, _ = _cut(source, pronoun, max(room // 2, room - len(target)))
            target, hidden = _cut(target, hidden, room - len(source))
        pieces = (special.first, *source, special.between, *target, special.between)
        return HubWindow(pieces, len(source) + 2 + hidden)

    def _target(self, segment: TaskSegment, own: Slot | None) -> list[int]:
        """Pieces of a target, with the mask at its own slot; `_pieces` never gives that number."""
        hidden = {slot.target for slot in segment.slots}
        pieces: list[int] = []
        for place, token in enumerate(segment.target):
            if own is not None and place == own.target:
                pieces.append(self.encoder.special.mask)
            elif place in hidden:
                pieces += self._pieces(_OTHER_SLOT)
            else:
                pieces += self._pieces(token if self.forms else token.rpartition("|")[0] or token)
        return pieces

    def _pieces(self, word: str) -> tuple[int, ...]:
        """The subwords of a word; text that spells a special token becomes unknown, never that token."""
        pieces = self._cache.get(word)
        if pieces is None:
            special = self.encoder.special
            with third_party("tokenizer"):
                numbers = self.encoder.tokenizer(f" {word}", add_special_tokens=False)["input_ids"]
            pieces = tuple(special.unknown if number in special.all else number for number in numbers)
            self._cache[word] = pieces
        return pieces


def _cut(pieces: list[int], place: int, most: int) -> tuple[list[int], int]:
    """At most `most` subwords around a position, and its index among them."""
    start = max(0, min(place - most // 2, len(pieces) - most))
    return pieces[start : start + most], place - start
