"""Aligners of other people behind the contract of our own: `align(pairs) -> Iterator[Alignment]`.

    Eflomal        Östling and Tiedemann (2016)     program eflomal-align
    FastAlign      Dyer et al. (2013)               programs fast_align, atools
    Giza           Och and Ney (2003)               programs mgiza or GIZA++, mkcls: see `giza.py`
    AwesomeAlign   Dou and Neubig (2021)            program awesome-align
    SimAlign       Jalili Sabet et al. (2020)       Python package simalign

None is installed with this package, and none is imported or started before `align` is called; a missing
one raises a `UserError` with the install line. Statistical aligners learn from the pairs they align:
append background text to the pairs and drop its alignments. Tokens are passed on as they are, so fold
case before where it should not count (eflomal folds it itself). eflomal has no seed: two runs on the
same text differ.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from anaphor.align.programs import (
    Program,
    SentencePair,
    align_acceptable,
    alignment_of,
    check_timeout,
    line_of,
    read_links,
    write_lines,
)
from anaphor.align.symmetrize import check_method, symmetrize
from anaphor.core import Alignment, UnknownNameError, UserError

_EFLOMAL = Program("eflomal-align", "pip install eflomal")
_BUILD = "build github.com/clab/fast_align with cmake and make, and put fast_align and atools on the PATH"
_FAST_ALIGN = Program("fast_align", _BUILD)
_ATOOLS = Program("atools", _BUILD)
_AWESOME = Program("awesome-align", "pip install awesome-align")

# eflomal gives a longer sentence no links and says nothing (seen with version 2.0.0).
_EFLOMAL_MOST_TOKENS = 1023

# The names of simalign's three matching methods, and the letters by which it wants them.
_MATCHING = {"inter": "a", "itermax": "i", "mwmf": "m"}


def _merged(
    pairs: Sequence[SentencePair], *, forward: Path, reverse: Path, method: str, program: Program
) -> list[Alignment]:
    """The two files of a program symmetrised by us."""
    ahead = read_links(forward, pairs, program=program.name)
    back = read_links(reverse, pairs, program=program.name)
    return [alignment_of(symmetrize(*both, method)) for both in zip(ahead, back, strict=True)]


def _everything(_: SentencePair) -> bool:
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Eflomal:
    """eflomal with its own defaults, both directions symmetrised by us. `timeout` is in seconds."""

    symmetrization: str = "grow-diag-final-and"
    timeout: float | None = None

    def __post_init__(self) -> None:
        check_method(self.symmetrization)
        check_timeout(self.timeout)

    def align(self, pairs: Sequence[SentencePair]) -> Iterator[Alignment]:
        """One alignment a pair; over 1,023 tokens a side there are no links, with a warning."""
        return align_acceptable(pairs, self._run, accepts=self._accepts, program=_EFLOMAL.name)

    def _accepts(self, pair: SentencePair) -> bool:
        return max(len(pair[0]), len(pair[1])) <= _EFLOMAL_MOST_TOKENS

    def _run(self, pairs: Sequence[SentencePair]) -> list[Alignment]:
        with tempfile.TemporaryDirectory() as name:
            source, target, forward, reverse = (Path(name, part) for part in ("s", "t", "forward", "reverse"))
            write_lines(source, (line_of(pair[0]) for pair in pairs))
            write_lines(target, (line_of(pair[1]) for pair in pairs))
            _EFLOMAL.run("-s", source, "-t", target, "-f", forward, "-r", reverse, timeout=self.timeout)
            method = self.symmetrization
            return _merged(pairs, forward=forward, reverse=reverse, method=method, program=_EFLOMAL)


@dataclass(frozen=True, slots=True, kw_only=True)
class FastAlign:
    """fast_align with the options its authors recommend, both directions symmetrised by us.

    With `atools` its companion program symmetrises instead, to repeat published figures: it scans the
    grid in another order than Moses, so that grow heuristics differ in a few links.
    """

    symmetrization: str = "grow-diag-final-and"
    atools: bool = False
    timeout: float | None = None

    def __post_init__(self) -> None:
        check_method(self.symmetrization)
        check_timeout(self.timeout)

    def align(self, pairs: Sequence[SentencePair]) -> Iterator[Alignment]:
        """One alignment a pair."""
        return align_acceptable(pairs, self._run, accepts=_everything, program=_FAST_ALIGN.name)

    def _run(self, pairs: Sequence[SentencePair]) -> list[Alignment]:
        with tempfile.TemporaryDirectory() as name:
            text, forward, reverse = (Path(name, part) for part in ("text", "forward", "reverse"))
            write_lines(text, (f"{line_of(source)} ||| {line_of(target)}" for source, target in pairs))
            options = ("-i", text, "-d", "-o", "-v")
            _FAST_ALIGN.run(*options, timeout=self.timeout, output=forward)
            _FAST_ALIGN.run(*options, "-r", timeout=self.timeout, output=reverse)
            if self.atools and self.symmetrization not in ("forward", "reverse"):
                return self._run_atools(pairs, forward=forward, reverse=reverse)
            method = self.symmetrization
            return _merged(pairs, forward=forward, reverse=reverse, method=method, program=_FAST_ALIGN)

    def _run_atools(self, pairs: Sequence[SentencePair], *, forward: Path, reverse: Path) -> list[Alignment]:
        command = "intersect" if self.symmetrization == "intersection" else self.symmetrization
        merged = forward.with_name("merged")
        _ATOOLS.run("-c", command, "-i", forward, "-j", reverse, timeout=self.timeout, output=merged)
        return [alignment_of(links) for links in read_links(merged, pairs, program=_ATOOLS.name)]


@dataclass(frozen=True, slots=True, kw_only=True)
class AwesomeAlign:
    """awesome-align with the model of that name or folder; links beyond the model's 512 pieces are lost."""

    model: str = "bert-base-multilingual-cased"
    timeout: float | None = None

    def __post_init__(self) -> None:
        check_timeout(self.timeout)

    def align(self, pairs: Sequence[SentencePair]) -> Iterator[Alignment]:
        """One alignment a pair."""
        return align_acceptable(pairs, self._run, accepts=_everything, program=_AWESOME.name)

    def _run(self, pairs: Sequence[SentencePair]) -> list[Alignment]:
        with tempfile.TemporaryDirectory() as name:
            text, links = Path(name, "text"), Path(name, "links")
            write_lines(text, (f"{line_of(source)} ||| {line_of(target)}" for source, target in pairs))
            # Without workers: with several it cuts a small file wrongly and repeats lines.
            options = ("--extraction", "softmax", "--num_workers", "0", "--model_name_or_path", self.model)
            _AWESOME.run("--data_file", text, "--output_file", links, *options, timeout=self.timeout)
            return [alignment_of(found) for found in read_links(links, pairs, program=_AWESOME.name)]


@dataclass(frozen=True, slots=True, kw_only=True)
class SimAlign:
    """simalign with one of its matching methods: inter (argmax), itermax or mwmf (match)."""

    model: str = "bert"
    matching: str = "itermax"
    device: str = "cpu"

    def __post_init__(self) -> None:
        if self.matching not in _MATCHING:
            raise UnknownNameError.among(self.matching, _MATCHING, kind="matching method", where="simalign")

    def align(self, pairs: Sequence[SentencePair]) -> Iterator[Alignment]:
        """One alignment a pair."""
        return align_acceptable(pairs, self._run, accepts=_everything, program="simalign")

    def _run(self, pairs: Sequence[SentencePair]) -> Iterator[Alignment]:
        aligner = self._load()
        for source, target in pairs:
            found = aligner.get_word_aligns(list(source), list(target))[self.matching]
            yield alignment_of(frozenset((int(i), int(j)) for i, j in found))

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
