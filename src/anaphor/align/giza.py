"""GIZA++ (Och and Ney 2003) and its parallel version mgiza, run as in the papers.

GIZA reads numbered vocabularies and sentences, which this module writes itself, so the only other program
needed is `mkcls` for the word classes of HMM and Model 4. The options are those of the Moses training script.
The words themselves never reach GIZA and may contain any character.
"""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np

from anaphor.align import programs
from anaphor.align.programs import ExternalProgram, SentencePair
from anaphor.align.symmetrize import Directions, LinkSet
from anaphor.core import UnknownNameError

PROGRAMS = ("mgiza", "GIZA++")
MODELS = ("hmm", "model4")

_INSTALL = {
    "mgiza": "build github.com/moses-smt/mgiza with cmake and make, and put mgiza and mkcls on the PATH",
    "GIZA++": "build github.com/moses-smt/giza-pp with make, and put GIZA++ and mkcls on the PATH",
}

# GIZA cuts longer sentences, and shortens pairs in which a word would need more than nine translations.
_MOST_TOKENS = 100
_MOST_RATIO = 9

_BLOCK = 10_000  # sentence pairs whose co-occurrences are collected at once, to bound memory
_FIRST_ID = 2  # 0 is the empty word, 1 is reserved for unknown ones
_HEADER = re.compile(r"# Sentence pair \(([0-9]{1,9})\)")
_OPTIONS = {
    "model4": "-m1 5 -m2 0 -mh 5 -m3 3 -m4 3 -nsmooth 4 -model4smoothfactor 0.4 -p0 0.999 -nodumps 0",
    "hmm": "-m1 5 -m2 0 -mh 5 -m3 0 -m4 0 -hmmdumpfrequency 5 -nodumps 0",
}
_RESULT = {"model4": "out.A3.final*", "hmm": "out.Ahmm.*"}


@dataclass(frozen=True, slots=True)
class _GizaSide:
    """The sentences of one language as numbers, and the vocabulary file next to its classes."""

    sentences: list[list[int]]
    vocabulary: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Giza(programs.TwoWayAligner):
    """IBM Model 4 or HMM by mgiza or GIZA++.

    `timeout` applies to each program run: mkcls for either side, GIZA for either direction. `fallback`
    aligns the pairs that GIZA cannot (over 100 tokens, or one side over nine times as long as the
    other), as the shared tasks did with fast_align.
    """

    program: str = "mgiza"
    model: str = "model4"

    def __post_init__(self) -> None:
        programs.TwoWayAligner.__post_init__(self)
        if self.program not in PROGRAMS:
            raise UnknownNameError.among(self.program, PROGRAMS, kind="program", where="giza")
        if self.model not in MODELS:
            raise UnknownNameError.among(self.model, MODELS, kind="model", where="giza")

    @property
    def label(self) -> str:
        return self.program

    def version(self) -> str:
        """A hash of both programs: the word classes of mkcls affect the links as well."""
        return programs.program_version(*(self._program(name).path() for name in (self.program, "mkcls")))

    def _accepts(self, pair: SentencePair) -> bool:
        shorter, longer = sorted(map(len, pair))
        return longer <= _MOST_TOKENS and longer <= _MOST_RATIO * shorter

    def _program(self, name: str) -> ExternalProgram:
        return ExternalProgram(name, _INSTALL[self.program])

    def _run(self, pairs: Sequence[SentencePair]) -> list[Directions]:
        with tempfile.TemporaryDirectory() as name:
            sources = self._number([source for source, _ in pairs], Path(name, "source.vcb"))
            targets = self._number([target for _, target in pairs], Path(name, "target.vcb"))
            forward = self._run_direction(sources, targets)
            reverse = self._run_direction(targets, sources)
        flipped = (frozenset((s, t) for t, s in links) for links in reverse)
        return list(zip(forward, flipped, strict=True))

    def _number(self, sentences: Sequence[Sequence[str]], vocabulary: Path) -> _GizaSide:
        """The sentences as numbers; writes the vocabulary and, with mkcls, its word classes."""
        counts = Counter(chain.from_iterable(sentences))
        ids = {word: number for number, word in enumerate(counts, start=_FIRST_ID)}
        numbered = [[ids[word] for word in sentence] for sentence in sentences]
        programs.write_lines(
            vocabulary, (f"{ids[word]} {ids[word]} {count}" for word, count in counts.items())
        )
        text = vocabulary.with_suffix(".txt")
        programs.write_lines(text, map(_numbers, numbered))
        options = ("-c50", "-n2", f"-p{text}", f"-V{vocabulary}.classes", "opt")
        self._program("mkcls").run(*options, timeout=self.timeout)
        return _GizaSide(numbered, vocabulary)

    def _run_direction(self, chosen: _GizaSide, choosing: _GizaSide) -> list[LinkSet]:
        """The links (chosen, choosing) in which every choosing word takes at most one chosen word."""
        folder = chosen.vocabulary.with_suffix("")
        folder.mkdir()
        pairs = list(zip(chosen.sentences, choosing.sentences, strict=True))
        programs.write_lines(
            folder / "snt", chain.from_iterable(("1", *map(_numbers, pair)) for pair in pairs)
        )
        programs.write_lines(folder / "cooc", _cooccurrences(pairs))
        vocabularies = ("-S", chosen.vocabulary, "-T", choosing.vocabulary)
        text = ("-C", folder / "snt", "-CoocurrenceFile", folder / "cooc", "-o", folder / "out")
        options = _OPTIONS[self.model].split()
        self._program(self.program).run(*vocabularies, *text, *options, timeout=self.timeout)
        # mgiza writes one part per thread, with the sentences in any order.
        blocks: dict[int, str] = {}
        for part in sorted(folder.glob(_RESULT[self.model])):
            lines = part.read_text(encoding="utf-8").splitlines()
            for start in range(0, len(lines), 3):
                header = _HEADER.match(lines[start])
                number = int(header[1]) if header else 0
                # A line too many, a cut block, a pair twice or a pair that was never given would move
                # the links of all later pairs.
                if not 1 <= number <= len(pairs) or number in blocks or start + 3 > len(lines):
                    raise programs.unusable_output(
                        self.program, f"{part.name}:{start + 1}: {lines[start][:40]!r}"
                    )
                blocks[number] = "\n".join(lines[start : start + 3])
        programs.write_lines(folder / "merged", (block for _, block in sorted(blocks.items())))
        return programs.read_program_links(folder / "merged", pairs, program=self.program)


def _numbers(values: Sequence[int]) -> str:
    return " ".join(map(str, values))


def _cooccurrences(pairs: Sequence[tuple[Sequence[int], Sequence[int]]]) -> Iterator[str]:
    """All word pairs that occur in one sentence pair, ascending; the empty word occurs in every sentence."""
    base = 1 + max(max(second) for _, second in pairs)
    known = np.empty(0, np.int64)
    for start in range(0, len(pairs), _BLOCK):
        block = pairs[start : start + _BLOCK]
        cells = [np.add.outer(np.array([0, *first]) * base, np.array(second)) for first, second in block]
        known = np.unique(np.concatenate([known, *map(np.ravel, cells)]))
    for code in known.tolist():
        yield f"{code // base} {code % base}"
