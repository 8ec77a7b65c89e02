"""Units word-aligned with their translations, the basis of all checks.

Long texts are linked in blocks of documents, so memory does not grow with the number of units.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from anaphor.analyse import Analyser, load_analyser
from anaphor.check.markup_in_text import hidden
from anaphor.check.units import Unit, UnitFile
from anaphor.core import Alignment, Analysis, LanguagePair, Progress, Sentence, Settings
from anaphor.corpus import Inputs, Text
from anaphor.evaluation.experiment import Experiment
from anaphor.pronouns import Splitter

#: Units that are linked together; links get hardly better with more.
BLOCK = 20_000
#: The share of units with *I* from which a file is dialogue and no text of a program.
_SPOKEN = 0.05
_SPEAKER = frozenset({"i", "me", "my", "mine", "myself"})
#: What a candidate is called that nobody names.
CANDIDATE = "translation"


@dataclass(frozen=True, slots=True)
class LinkedUnit:
    """A unit of one of the files, and the document that provides its context."""

    file: UnitFile
    unit: Unit
    document: str

    @property
    def source(self) -> str:
        """The source with tags and placeholders hidden; positions are unchanged."""
        return hidden(self.unit.source)

    @property
    def target(self) -> str:
        return hidden(self.unit.target)


@dataclass(frozen=True)
class LinkedBlock:
    """Units that were linked together."""

    rows: Sequence[LinkedUnit]
    experiment: Experiment

    @property
    def pair(self) -> LanguagePair:
        return self.experiment.pack.pair

    # The functions below keep no reference to the block: in a cycle it would outlive its last use, and the
    # blocks of a large file would be in memory together.

    @cached_property
    def source(self) -> Callable[[int], Sentence]:
        """The source of a row with its tokens."""
        return _sentences(self.experiment.source, self.experiment.inputs.source)

    @cached_property
    def target(self) -> Callable[[int], Sentence]:
        """The translation of a row with its tokens."""
        return _sentences(self.experiment.target, self.experiment.inputs.candidates[CANDIDATE])

    @cached_property
    def _dialogues(self) -> frozenset[str]:
        units, spoken = Counter[str](), Counter[str]()
        for row, linked in enumerate(self.rows):
            units[linked.file.path] += 1
            words = map(str.lower, self.source(row).tokens)
            spoken[linked.file.path] += not _SPEAKER.isdisjoint(words)
        return frozenset(path for path, number in units.items() if spoken[path] > _SPOKEN * number)

    def is_dialogue(self, path: str) -> bool:
        """Whether the units of a file are dialogue: some of them contain *I*."""
        return path in self._dialogues

    def links(self, row: int) -> Alignment:
        """The links between the tokens of a row."""
        return (self.experiment.inputs.candidate_alignments or {})[CANDIDATE][row]

    @cached_property
    def source_analysis(self) -> Callable[[int], Analysis]:
        """The analysis of a row's source."""
        return _analyses(load_analyser("built-in", language=self.pair.source), self.source)

    @cached_property
    def target_analysis(self) -> Callable[[int], Analysis]:
        """The analysis of a row's translation."""
        return _analyses(load_analyser("built-in", language=self.pair.target), self.target)


def _sentences(splitter: Splitter, text: Text) -> Callable[[int], Sentence]:
    return lru_cache(maxsize=64)(lambda row: splitter.sentence(text.lines[row]))


def _analyses(analyser: Analyser, sentence: Callable[[int], Sentence]) -> Callable[[int], Analysis]:
    return lru_cache(maxsize=64)(lambda row: next(iter(analyser.analyse([sentence(row).tokens]))))


def linked_blocks(
    files: Sequence[UnitFile], settings: Settings, progress: Progress = lambda _: None
) -> Iterator[LinkedBlock]:
    """The units of all files, in blocks that end with a document."""
    rows: list[LinkedUnit] = []
    for file in files:
        # A document's name counts within its file; runs of the same name are one document.
        within, document = "", f"{file.path} "
        for unit in file.units:
            if unit.document != within:
                within, document = unit.document, f"{file.path} {unit.document}"
            row = LinkedUnit(file, unit, document)
            if len(rows) >= BLOCK and row.document != rows[-1].document:
                yield _linked(rows, settings, progress)
                rows = []
            rows.append(row)
    if rows:
        yield _linked(rows, settings, progress)


def _linked(rows: Sequence[LinkedUnit], settings: Settings, progress: Progress) -> LinkedBlock:
    inputs = Inputs(
        Text.of([row.source for row in rows], path="sources"),
        (),
        {CANDIDATE: Text.of([row.target for row in rows], path="translations")},
        tuple(row.document for row in rows),
    )
    return LinkedBlock(tuple(rows), Experiment.of(inputs, settings).aligned(progress))
