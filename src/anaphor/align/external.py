"""Third-party aligners behind the same protocol as the built-in one: `align(pairs) -> Iterator[Alignment]`.

    Eflomal        Östling and Tiedemann (2016)     program eflomal-align
    FastAlign      Dyer et al. (2013)               programs fast_align, atools
    Giza           Och and Ney (2003)               programs mgiza or GIZA++, mkcls: see `giza.py`
    AwesomeAlign   Dou and Neubig (2021)            program awesome-align
    SimAlign       Jalili Sabet et al. (2020)       Python package simalign

None is installed with this package, and none is imported or started before `align` is called; a missing one
raises a `UserError` with the installation command. Statistical aligners learn from the pairs they align:
append background text to the pairs and drop its alignments. Tokens are passed on unchanged, so fold case
beforehand if it should not matter (eflomal folds it itself). eflomal has no seed: two runs on the same text
differ.

The two neural aligners compare vectors of a pretrained language model and are not trained on the text. They
read at most as many subwords as their model allows and lose all links beyond that.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

from anaphor.align import programs
from anaphor.align.programs import ExternalProgram, SentencePair, ThirdPartyAligner, TwoWayAligner
from anaphor.align.symmetrize import Directions
from anaphor.core import UnknownNameError, UserError

_EFLOMAL = ExternalProgram("eflomal-align", "pip install eflomal", "eflomal")
_BUILD = "build github.com/clab/fast_align with cmake and make, and put fast_align and atools on the PATH"
_FAST_ALIGN = ExternalProgram("fast_align", _BUILD)
_ATOOLS = ExternalProgram("atools", _BUILD)
_AWESOME = ExternalProgram("awesome-align", "pip install awesome-align", "awesome-align")

# BERT models read 512 subwords, two of which are markers. A token has one subword or more, so that only
# pairs over this length are known to be too long beforehand.
_BERT_MOST_TOKENS = 510

# The names of simalign's three matching methods, and the letters by which it wants them.
_MATCHING = {"inter": "a", "itermax": "i", "mwmf": "m"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Eflomal(TwoWayAligner):
    """eflomal with its own defaults; `fallback` aligns pairs over 1,023 tokens per side."""

    label: ClassVar[str] = _EFLOMAL.name
    # eflomal gives a longer sentence no links and says nothing (seen with version 2.0.0).
    most_tokens: ClassVar[float] = 1023

    def version(self) -> str:
        return _EFLOMAL.version()

    def _run(self, pairs: Sequence[SentencePair]) -> list[Directions]:
        with tempfile.TemporaryDirectory() as name:
            source, target, forward, reverse = (Path(name, part) for part in ("s", "t", "forward", "reverse"))
            programs.write_lines(source, (programs.line_of(pair[0]) for pair in pairs))
            programs.write_lines(target, (programs.line_of(pair[1]) for pair in pairs))
            _EFLOMAL.run("-s", source, "-t", target, "-f", forward, "-r", reverse, timeout=self.timeout)
            return _both_directions(forward, reverse, pairs, _EFLOMAL)


@dataclass(frozen=True, slots=True, kw_only=True)
class FastAlign(TwoWayAligner):
    """fast_align with the options its authors recommend.

    With `atools`, its companion program does the symmetrization, to reproduce published figures: it scans the
    grid in a different order from Moses, so grow heuristics differ in a few links. `directions` then returns
    its links for both directions.
    """

    label: ClassVar[str] = _FAST_ALIGN.name
    atools: bool = False

    def version(self) -> str:
        return _FAST_ALIGN.version()

    def _run(self, pairs: Sequence[SentencePair]) -> list[Directions]:
        with tempfile.TemporaryDirectory() as name:
            text, forward, reverse, merged = (Path(name, part) for part in ("text", "ahead", "back", "both"))
            _write_joined(text, pairs)
            options = ("-i", text, "-d", "-o", "-v")
            _FAST_ALIGN.run(*options, timeout=self.timeout, output=forward)
            _FAST_ALIGN.run(*options, "-r", timeout=self.timeout, output=reverse)
            if self.atools and self.symmetrization not in ("forward", "reverse"):
                command = "intersect" if self.symmetrization == "intersection" else self.symmetrization
                _ATOOLS.run("-c", command, "-i", forward, "-j", reverse, timeout=self.timeout, output=merged)
                return _both_directions(merged, merged, pairs, _ATOOLS)
            return _both_directions(forward, reverse, pairs, _FAST_ALIGN)


def _write_joined(path: Path, pairs: Sequence[SentencePair]) -> None:
    lines = (f"{programs.line_of(source)} ||| {programs.line_of(target)}" for source, target in pairs)
    programs.write_lines(path, lines)


def _both_directions(
    forward: Path, reverse: Path, pairs: Sequence[SentencePair], program: ExternalProgram
) -> list[Directions]:
    both = (programs.read_program_links(path, pairs, program=program.name) for path in (forward, reverse))
    return list(zip(*both, strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class AwesomeAlign(ThirdPartyAligner):
    """awesome-align with a model given by name or folder; links beyond its 512 subwords are lost.

    `fallback` aligns pairs with over 510 tokens per side, which certainly exceed that limit.
    """

    label: ClassVar[str] = _AWESOME.name
    most_tokens: ClassVar[float] = _BERT_MOST_TOKENS
    model: str = "bert-base-multilingual-cased"
    timeout: float | None = None

    def __post_init__(self) -> None:
        programs.check_timeout(self.timeout)

    def version(self) -> str:
        return f"{_AWESOME.version()}-{self.model}"

    def _run(self, pairs: Sequence[SentencePair]) -> list[Directions]:
        with tempfile.TemporaryDirectory() as name:
            text, links = Path(name, "text"), Path(name, "links")
            _write_joined(text, pairs)
            # Without workers: with several it splits a small file wrongly and repeats lines.
            options = ("--extraction", "softmax", "--num_workers", "0", "--model_name_or_path", self.model)
            _AWESOME.run("--data_file", text, "--output_file", links, *options, timeout=self.timeout)
            return _both_directions(links, links, pairs, _AWESOME)


@dataclass(frozen=True, slots=True, kw_only=True)
class SimAlign(ThirdPartyAligner):
    """simalign with one of its matching methods: inter (argmax), itermax or mwmf (match).

    Model limits and `fallback` are as for `AwesomeAlign`.
    """

    label: ClassVar[str] = "simalign"
    most_tokens: ClassVar[float] = _BERT_MOST_TOKENS
    model: str = "bert"
    matching: str = "itermax"
    device: str = "cpu"

    def __post_init__(self) -> None:
        if self.matching not in _MATCHING:
            raise UnknownNameError.among(self.matching, _MATCHING, kind="matching method", where="simalign")

    def version(self) -> str:
        return f"{programs.package_version('simalign')}-{self.model}-{self.matching}"

    def _run(self, pairs: Sequence[SentencePair]) -> Iterator[Directions]:
        aligner = self._load()
        for source, target in pairs:
            matched = aligner.get_word_aligns(list(source), list(target))[self.matching]
            yield programs.undirected(frozenset((int(i), int(j)) for i, j in matched))

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
                fix="use the name or folder of a model that is on this machine or can be downloaded",
            ) from error
