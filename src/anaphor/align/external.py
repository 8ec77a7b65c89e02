"""Third-party aligners behind the same protocol as the built-in one: `align(pairs) -> Iterator[Alignment]`.

    Eflomal        Östling and Tiedemann (2016)     program eflomal-align
    FastAlign      Dyer et al. (2013)               programs fast_align, atools
    Giza           Och and Ney (2003)               programs mgiza or GIZA++, mkcls: see `giza.py`
    AwesomeAlign   Dou and Neubig (2021)            program awesome-align
    SimAlign       Jalili Sabet et al. (2020)       Python package simalign

None is installed with this package, and none is imported or started before `align` is called; a missing
one raises a `UserError` with the install line. Statistical aligners learn from the pairs they align: append
background text to the pairs and drop its alignments. Tokens are passed on unchanged, so fold case beforehand
where it should not matter (eflomal folds it itself). eflomal has no seed: two runs on the same text differ.

The two neural aligners compare the vectors of a pretrained language model and learn nothing from the text.
They read at most as many subwords as their model and lose all links beyond.
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
    ExternalProgram,
    SentencePair,
    align_acceptable,
    check_timeout,
    line_of,
    package_version,
    read_program_links,
    symmetrized,
    undirected,
    write_lines,
)
from anaphor.align.symmetrize import DEFAULT_METHOD, Directions, check_method
from anaphor.core import Alignment, UnknownNameError, UserError

_EFLOMAL = ExternalProgram("eflomal-align", "pip install eflomal", "eflomal")
_BUILD = "build github.com/clab/fast_align with cmake and make, and put fast_align and atools on the PATH"
_FAST_ALIGN = ExternalProgram("fast_align", _BUILD)
_ATOOLS = ExternalProgram("atools", _BUILD)
_AWESOME = ExternalProgram("awesome-align", "pip install awesome-align", "awesome-align")

# eflomal gives a longer sentence no links and says nothing (seen with version 2.0.0).
_EFLOMAL_MOST_TOKENS = 1023
# BERT models read 512 subwords, two of which are markers. A token has one subword or more, so that only
# pairs over this length are known to be too long beforehand.
_BERT_MOST_TOKENS = 510

# The names of simalign's three matching methods, and the letters by which it wants them.
_MATCHING = {"inter": "a", "itermax": "i", "mwmf": "m"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Eflomal:
    """eflomal with its own defaults, both directions symmetrized by us. `timeout` is in seconds.

    `fallback` aligns the pairs that eflomal would silently drop, over 1,023 tokens per side.
    """

    symmetrization: str = DEFAULT_METHOD
    timeout: float | None = None
    fallback: Aligner | None = None

    def __post_init__(self) -> None:
        check_method(self.symmetrization)
        check_timeout(self.timeout)

    def align(self, pairs: Sequence[SentencePair]) -> Iterator[Alignment]:
        """One alignment per pair; without `fallback` long pairs have no links, with a warning."""
        return symmetrized(self.directions(pairs), self.symmetrization)

    def directions(self, pairs: Sequence[SentencePair]) -> Iterator[Directions]:
        """The links of either direction before symmetrization."""
        return align_acceptable(
            pairs,
            self._run,
            accepts=lambda pair: max(map(len, pair)) <= _EFLOMAL_MOST_TOKENS,
            program=_EFLOMAL.name,
            fallback=self.fallback,
        )

    def version(self) -> str:
        return _EFLOMAL.version()

    def _run(self, pairs: Sequence[SentencePair]) -> list[Directions]:
        with tempfile.TemporaryDirectory() as name:
            source, target, forward, reverse = (Path(name, part) for part in ("s", "t", "forward", "reverse"))
            write_lines(source, (line_of(pair[0]) for pair in pairs))
            write_lines(target, (line_of(pair[1]) for pair in pairs))
            _EFLOMAL.run("-s", source, "-t", target, "-f", forward, "-r", reverse, timeout=self.timeout)
            both = (read_program_links(path, pairs, program=_EFLOMAL.name) for path in (forward, reverse))
            return list(zip(*both, strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class FastAlign:
    """fast_align with the options its authors recommend, both directions symmetrized by us.

    With `atools` its companion program symmetrizes instead, to reproduce published figures: it scans the
    grid in another order than Moses, so that grow heuristics differ in a few links. `directions` then
    gives its links for both directions.
    """

    symmetrization: str = DEFAULT_METHOD
    atools: bool = False
    timeout: float | None = None

    def __post_init__(self) -> None:
        check_method(self.symmetrization)
        check_timeout(self.timeout)

    def align(self, pairs: Sequence[SentencePair]) -> Iterator[Alignment]:
        """One alignment per pair."""
        return symmetrized(self.directions(pairs), self.symmetrization)

    def directions(self, pairs: Sequence[SentencePair]) -> Iterator[Directions]:
        """The links of either direction before symmetrization."""
        return align_acceptable(pairs, self._run, program=_FAST_ALIGN.name)

    def version(self) -> str:
        return _FAST_ALIGN.version()

    def _run(self, pairs: Sequence[SentencePair]) -> list[Directions]:
        with tempfile.TemporaryDirectory() as name:
            text, forward, reverse, merged = (Path(name, part) for part in ("text", "ahead", "back", "both"))
            write_lines(text, (f"{line_of(source)} ||| {line_of(target)}" for source, target in pairs))
            options = ("-i", text, "-d", "-o", "-v")
            _FAST_ALIGN.run(*options, timeout=self.timeout, output=forward)
            _FAST_ALIGN.run(*options, "-r", timeout=self.timeout, output=reverse)
            if self.atools and self.symmetrization not in ("forward", "reverse"):
                command = "intersect" if self.symmetrization == "intersection" else self.symmetrization
                _ATOOLS.run("-c", command, "-i", forward, "-j", reverse, timeout=self.timeout, output=merged)
                return [undirected(links) for links in read_program_links(merged, pairs, program="atools")]
            both = (read_program_links(path, pairs, program=_FAST_ALIGN.name) for path in (forward, reverse))
            return list(zip(*both, strict=True))


def _fits_bert(pair: SentencePair) -> bool:
    return max(map(len, pair)) <= _BERT_MOST_TOKENS


@dataclass(frozen=True, slots=True, kw_only=True)
class AwesomeAlign:
    """awesome-align with the model of that name or folder; links beyond its 512 subwords are lost.

    `fallback` aligns pairs over 510 tokens per side, which are certainly longer than that.
    """

    model: str = "bert-base-multilingual-cased"
    timeout: float | None = None
    fallback: Aligner | None = None

    def __post_init__(self) -> None:
        check_timeout(self.timeout)

    def align(self, pairs: Sequence[SentencePair]) -> Iterator[Alignment]:
        """One alignment per pair; without `fallback` long pairs have no links, with a warning."""
        found = align_acceptable(
            pairs, self._run, accepts=_fits_bert, program=_AWESOME.name, fallback=self.fallback
        )
        return symmetrized(found, "union")

    def version(self) -> str:
        return f"{_AWESOME.version()}-{self.model}"

    def _run(self, pairs: Sequence[SentencePair]) -> list[Directions]:
        with tempfile.TemporaryDirectory() as name:
            text, links = Path(name, "text"), Path(name, "links")
            write_lines(text, (f"{line_of(source)} ||| {line_of(target)}" for source, target in pairs))
            # Without workers: with several it splits a small file wrongly and repeats lines.
            options = ("--extraction", "softmax", "--num_workers", "0", "--model_name_or_path", self.model)
            _AWESOME.run("--data_file", text, "--output_file", links, *options, timeout=self.timeout)
            return [undirected(found) for found in read_program_links(links, pairs, program=_AWESOME.name)]


@dataclass(frozen=True, slots=True, kw_only=True)
class SimAlign:
    """simalign with one of its matching methods: inter (argmax), itermax or mwmf (match).

    The limits of its models and `fallback` are those of `AwesomeAlign`.
    """

    model: str = "bert"
    matching: str = "itermax"
    device: str = "cpu"
    fallback: Aligner | None = None

    def __post_init__(self) -> None:
        if self.matching not in _MATCHING:
            raise UnknownNameError.among(self.matching, _MATCHING, kind="matching method", where="simalign")

    def align(self, pairs: Sequence[SentencePair]) -> Iterator[Alignment]:
        """One alignment per pair; without `fallback` long pairs have no links, with a warning."""
        found = align_acceptable(
            pairs, self._run, accepts=_fits_bert, program="simalign", fallback=self.fallback
        )
        return symmetrized(found, "union")

    def version(self) -> str:
        return f"{package_version('simalign')}-{self.model}-{self.matching}"

    def _run(self, pairs: Sequence[SentencePair]) -> Iterator[Directions]:
        aligner = self._load()
        for source, target in pairs:
            found = aligner.get_word_aligns(list(source), list(target))[self.matching]
            yield undirected(frozenset((int(i), int(j)) for i, j in found))

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
