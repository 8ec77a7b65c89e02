"""Aligners that compare the vectors of a pretrained language model: they learn nothing from the text.

Both read whole sentences up to the length of their model and lose the links beyond it. A token has one
piece or more, so only pairs that are certainly too long are known beforehand; these go to `fallback`.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from anaphor.align.programs import (
    Aligner,
    Program,
    SentencePair,
    align_acceptable,
    alike,
    check_timeout,
    joined,
    line_of,
    read_links,
    write_lines,
)
from anaphor.align.symmetrize import Directions
from anaphor.align.versions import package_version
from anaphor.core import Alignment, UnknownNameError, UserError

_AWESOME = Program("awesome-align", "pip install awesome-align", "awesome-align")

# Models of the BERT kind read 512 pieces, two of which are marks; a token has one piece or more.
_BERT_MOST_TOKENS = 510

# The names of simalign's three matching methods, and the letters by which it wants them.
_MATCHING = {"inter": "a", "itermax": "i", "mwmf": "m"}


def _fits_bert(pair: SentencePair) -> bool:
    return max(map(len, pair)) <= _BERT_MOST_TOKENS


@dataclass(frozen=True, slots=True, kw_only=True)
class AwesomeAlign:
    """awesome-align with the model of that name or folder; links beyond the model's 512 pieces are lost.

    `fallback` aligns pairs over 510 tokens a side, which are certainly longer than that.
    """

    model: str = "bert-base-multilingual-cased"
    timeout: float | None = None
    fallback: Aligner | None = None

    def __post_init__(self) -> None:
        check_timeout(self.timeout)

    def align(self, pairs: Sequence[SentencePair]) -> Iterator[Alignment]:
        """One alignment a pair; without `fallback` long pairs have no links, with a warning."""
        found = align_acceptable(
            pairs, self._run, accepts=_fits_bert, program=_AWESOME.name, fallback=self.fallback
        )
        return joined(found, "union")

    def version(self) -> str:
        return f"{_AWESOME.version()}-{self.model}"

    def _run(self, pairs: Sequence[SentencePair]) -> list[Directions]:
        with tempfile.TemporaryDirectory() as name:
            text, links = Path(name, "text"), Path(name, "links")
            write_lines(text, (f"{line_of(source)} ||| {line_of(target)}" for source, target in pairs))
            # Without workers: with several it cuts a small file wrongly and repeats lines.
            options = ("--extraction", "softmax", "--num_workers", "0", "--model_name_or_path", self.model)
            _AWESOME.run("--data_file", text, "--output_file", links, *options, timeout=self.timeout)
            return [alike(found) for found in read_links(links, pairs, program=_AWESOME.name)]


@dataclass(frozen=True, slots=True, kw_only=True)
class SimAlign:
    """simalign with one of its matching methods: inter (argmax), itermax or mwmf (match).

    Its models read as much as those of awesome-align; `fallback` is as there.
    """

    model: str = "bert"
    matching: str = "itermax"
    device: str = "cpu"
    fallback: Aligner | None = None

    def __post_init__(self) -> None:
        if self.matching not in _MATCHING:
            raise UnknownNameError.among(self.matching, _MATCHING, kind="matching method", where="simalign")

    def align(self, pairs: Sequence[SentencePair]) -> Iterator[Alignment]:
        """One alignment a pair; without `fallback` long pairs have no links, with a warning."""
        found = align_acceptable(
            pairs, self._run, accepts=_fits_bert, program="simalign", fallback=self.fallback
        )
        return joined(found, "union")

    def version(self) -> str:
        return f"{package_version('simalign')}-{self.model}-{self.matching}"

    def _run(self, pairs: Sequence[SentencePair]) -> Iterator[Directions]:
        aligner = self._load()
        for source, target in pairs:
            found = aligner.get_word_aligns(list(source), list(target))[self.matching]
            yield alike(frozenset((int(i), int(j)) for i, j in found))

    def _load(self) -> Any:
        try:
            package = import_module("simalign")
        except ImportError as error:
            raise UserError(
                f"the Python package simalign cannot be imported ({error})",
                where="simalign",
                fix="pip install simalign",
            ) from error
        try:
            return package.SentenceAligner(
                model=self.model,
                token_type="bpe",  # noqa: S106 - simalign's name for subword units
                matching_methods=_MATCHING[self.matching],
                device=self.device,
            )
        except (OSError, ValueError) as error:
            raise UserError(
                f"simalign cannot load the model {self.model} ({error})",
                where="simalign",
                fix="give the name or the folder of a model that is on this machine or can be downloaded",
            ) from error
