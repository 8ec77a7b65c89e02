"""How the official scorers read their two files, and how they die.

They are Perl programs. A fatal message ends with the line of the program and the line of the file read last,
and the exit code is what the operating system last complained of: 25 after a file was opened, and nothing,
which makes 255, once the end of a file was met.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from anaphor.core import LanguagePair
from anaphor.corpus.text import read_bytes
from anaphor.task.classes import OTHER, task_classes

# Bytes that are no UTF-8, as Python escapes them: a leading byte takes those along that would continue it.
_MORE = "[\udc80-\udcbf]"
_STRANGE = re.compile(
    f"[\udcc0-\udcdf]{_MORE}?|[\udce0-\udcef]{_MORE}{{0,2}}|[\udcf0-\udcff]{_MORE}{{0,3}}|{_MORE}"
)


@dataclass(frozen=True, slots=True)
class ScorerProgram:
    """One scorer: where its checks stand, and the labels it permits.

    `checks` is the program line of the first check of a gold line, `division` that of the accuracy.
    """

    checks: int
    division: int
    permitted: tuple[str, ...]


class Death(Exception):  # noqa: N818 - not an error of ours: it is what the original does
    """A fatal message of a scorer, and the exit code that comes with it."""

    def __init__(self, message: str, *, code: int) -> None:
        super().__init__(message)
        self.code = code

    def written(self) -> bytes:
        """What goes to the standard error: Latin-1, or UTF-8 after a warning where that cannot do."""
        message = str(self)
        try:
            return message.encode("latin-1")
        except UnicodeEncodeError:
            place = message[message.rindex(" at SCORER") :]
            return f"Wide character in die{place}{message}".encode()


@dataclass(slots=True)
class Handle:
    """A file that is open for reading, line by line, and how many lines were read.

    `strange` are the byte sequences that are no UTF-8, as Perl shows them.
    """

    name: str
    lines: list[str]
    strange: list[str]
    read: int = 0
    ended: bool = False

    @classmethod
    def open(cls, name: str, path: str | Path) -> Handle:
        text, strange = _decoded(read_bytes(path))
        return cls(name, re.findall(r"[^\n]*\n|[^\n]+", text), strange)

    def next(self) -> str | None:
        if self.read == len(self.lines):
            self.ended = True
            return None
        line = self.lines[self.read]
        self.read += 1
        self.ended = self.ended or not line.endswith("\n")
        return line

    def place(self) -> str:
        return f", <{self.name}> line {self.read}" if self.read else ""


@dataclass(frozen=True, slots=True)
class LabelPairs:
    """Gold and predicted label of every slot; `end` is how a message after the last line would name it."""

    pairs: tuple[tuple[str, str], ...]
    end: str


def read_label_pairs(
    gold: str | Path, predicted: str | Path, *, program: ScorerProgram, warned: list[str]
) -> LabelPairs:
    """All labels of both files; the first fault raises `Death`. Surplus predictions are not looked at.

    Warnings about bytes that are no UTF-8 are added to `warned`: all of a file when its first line is
    read, which is true of the original up to its buffer of 8 KiB.
    """
    answers, guesses = Handle.open("GOLD", gold), Handle.open("PREDICTED", predicted)
    reading = _Reading(str(gold), str(predicted), answers, guesses, program, warned)
    pairs: list[tuple[str, str]] = []
    while (line := reading.next_of(answers, -4)) is not None:
        pairs += reading.labels_of(line)
    return LabelPairs(tuple(pairs), answers.place())


@dataclass(frozen=True, slots=True)
class _Reading:
    """Both files at work, and the names that messages give them."""

    gold: str
    predicted: str
    answers: Handle
    guesses: Handle
    program: ScorerProgram
    warned: list[str]

    def next_of(self, handle: Handle, offset: int) -> str | None:
        """The next line; `offset` is that of the reading statement from the first check."""
        if not handle.read:
            place = f"at SCORER line {self.program.checks + offset}."
            self.warned.extend(f'UTF-8 "{text}" does not map to Unicode {place}\n' for text in handle.strange)
        return handle.next()

    def labels_of(self, line: str) -> list[tuple[str, str]]:
        """The pairs of labels of one line, none where both are empty."""
        columns = line.split("\t")
        if len(columns) != 5 or not all(columns[2:]):
            self._die(0, f"Wrong file format for {self.gold}!", self.answers)
        guess = self.next_of(self.guesses, 5)
        if guess is None or guess == "0":  # to Perl, a last line of one zero is no line
            self._die(5, f"The file {self.predicted} is shorter!", self.guesses)
        return self._paired(columns[0], re.split(r"[\t\n\r]", guess, maxsplit=1)[0])

    def _paired(self, gold: str, guess: str) -> list[tuple[str, str]]:
        if not gold and not guess:
            return []
        if not gold:
            self._die(15, f"The gold label is empty, but the predicted label is not: {guess}", self.guesses)
        if not guess:
            self._die(19, f"The predicted label is empty, but the gold label is not: {gold}", self.guesses)
        golds, guesses = gold.split(" "), guess.split(" ")
        if not set(golds) <= set(self.program.permitted):
            self._die(22, f"Wrong file format for {self.gold}: the gold label is '{gold}'", self.guesses)
        if not set(guesses) <= set(self.program.permitted):
            what = f"Wrong file format for {self.predicted}: the predicted label is '{guess}'"
            self._die(23, what, self.guesses)
        if len(golds) != len(guesses):
            self._die(27, "Different number of labels in the gold and in the predictions file.", self.guesses)
        return list(zip(golds, guesses, strict=True))

    def _die(self, offset: int, what: str, last: Handle) -> NoReturn:
        code = 255 if self.answers.ended or self.guesses.ended else 25
        line = self.program.checks + offset
        raise Death(f"Line {self.answers.read}: {what} at SCORER line {line}{last.place()}.\n", code=code)


def _decoded(data: bytes) -> tuple[str, list[str]]:
    """Perl's reading of UTF-8: a byte that is none becomes four characters such as `\\xE9`."""
    text = data.decode("utf-8", "surrogateescape")
    shown = [_shown(sequence) for sequence in _STRANGE.findall(text)]
    return _STRANGE.sub(lambda match: _shown(match[0]), text), shown


def _shown(escaped: str) -> str:
    return "".join(f"\\x{ord(character) - 0xDC00:02X}" for character in escaped)


_WIDTH = 5


@dataclass(frozen=True, slots=True)
class Percentages:
    """One class, or an average: percent, computed in the scorer's own order of operations."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, slots=True)
class ScorerMatrix:
    """Counts of the scorer, `cells[gold][predicted]`, in the order of its labels."""

    labels: tuple[str, ...]
    cells: tuple[tuple[int, ...], ...]

    @property
    def rows(self) -> list[int]:
        return [sum(row) for row in self.cells]

    @property
    def columns(self) -> list[int]:
        return [sum(column) for column in zip(*self.cells, strict=True)]

    @property
    def diagonal(self) -> list[int]:
        return [row[i] for i, row in enumerate(self.cells)]

    def accuracy(self) -> float:
        """Percent of all labels; there must be one."""
        return 100.0 * sum(self.diagonal) / sum(self.rows)

    def by_label(self) -> list[Percentages]:
        return list(map(_percentages, self.diagonal, self.columns, self.rows))

    def macro(self) -> Percentages:
        """The mean over all labels, those included that the gold file does not have."""
        scores, count = self.by_label(), len(self.labels)
        return Percentages(
            sum(score.precision for score in scores) / count,
            sum(score.recall for score in scores) / count,
            sum(score.f1 for score in scores) / count,
        )


def matrix_text(matrix: ScorerMatrix) -> str:
    """The confusion matrix with its sums, and the blank line below it."""
    rule = "       +" + "-" * ((_WIDTH + 1) * len(matrix.labels)) + "+"
    lines = [
        "Confusion matrix:",
        "       " + "".join(f" {padded(label)}" for label in matrix.labels) + " <-- classified as",
        f"{rule} -SUM-",
    ]
    for label, row, total in zip(matrix.labels, matrix.cells, matrix.rows, strict=True):
        lines.append(f" {padded(label)} |{_cells(row)}| {total:5d}")
    return "\n".join([*lines, rule, f" -SUM- {_cells(matrix.columns)}", "", ""])


def scores_text(matrix: ScorerMatrix) -> str:
    """Accuracy, labels and averages, and the three blank lines below them."""
    right, total = sum(matrix.diagonal), sum(matrix.rows)
    micro, macro = _percentages(right, total, total), matrix.macro()
    share = f"{right}/{total} = {matrix.accuracy():5.2f}%"
    return "\n".join(
        [
            f"Accuracy (calculated for the above confusion matrix) = {share}",
            "",
            "Results for the individual labels:",
            *_label_lines(matrix),
            "",
            "Micro-averaged result:",
            _fractions(right, total, total, micro),
            "",
            "MACRO-averaged result:",
            f"P = {macro.precision:6.2f}%\tR = {macro.recall:6.2f}%\tF1 = {macro.f1:6.2f}%",
            *[""] * 4,
        ]
    )


def padded(label: str) -> str:
    """A label in five characters: one space after it, the others before, as far as there is room."""
    return (label + " " if len(label) < _WIDTH else label).rjust(_WIDTH)


def _label_lines(matrix: ScorerMatrix) -> list[str]:
    columns = zip(matrix.labels, matrix.diagonal, matrix.columns, matrix.rows, matrix.by_label(), strict=True)
    return [
        f"     {padded(label)} :    {_fractions(right, predicted, gold, score)}"
        for label, right, predicted, gold, score in columns
    ]


def _fractions(right: int, predicted: int, gold: int, score: Percentages) -> str:
    return (
        f"P = {right:5d}/{predicted:5d} = {score.precision:6.2f}%     "
        f"R = {right:5d}/{gold:5d} = {score.recall:6.2f}%     F1 = {score.f1:6.2f}%"
    )


def _cells(counts: Sequence[int]) -> str:
    return "".join(f"{count:5d} " for count in counts)


def _percentages(right: int, predicted: int, gold: int) -> Percentages:
    precision = 100.0 * right / predicted if predicted else 0.0
    recall = 100.0 * right / gold if gold else 0.0
    # From the percentages and not from the counts: the last digit can differ.
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return Percentages(precision, recall, f1)


_PAIRS = ("en-fr", "fr-en", "en-de", "de-en", "es-en")
#: The coarse classes of 2015: ça joins cela, on joins OTHER.
_COARSE = {"ça": "cela", "on": OTHER}


@dataclass(frozen=True, slots=True)
class ScorerRun:
    """What a run of a scorer leaves behind: standard output, standard error, exit code."""

    output: bytes
    messages: bytes
    code: int


def run_wmt16(gold: str | Path, predicted: str | Path, pair: str) -> ScorerRun:
    """The scorer of WMT 2016: macro-averaged recall over all classes of the pair."""
    if pair not in _PAIRS:
        return ScorerRun(b"", f"Undefined language pair: {pair}\n".encode(), 255)
    classes = task_classes(LanguagePair.parse(pair), year=2016)
    program = ScorerProgram(checks=156, division=272, permitted=tuple(classes.aliases))

    def sections(labels: LabelPairs) -> Iterator[str]:
        matrix = _matrix(labels, classes.classes, classes.aliases)
        yield "\n<<< I.  EVALUATION >>>\n\n"
        yield from _evaluation(matrix, labels, program)
        yield f"<<< II. OFFICIAL SCORE >>>\n\nMACRO-averaged R: {matrix.macro().recall:6.2f}%\n\n"

    return _run(gold, predicted, program, sections)


def run_discomt15(gold: str | Path, predicted: str | Path) -> ScorerRun:
    """The scorer of DiscoMT 2015, English to French: macro-averaged F1 over the fine classes.

    Like the original it writes ça in Latin-1, and its last line names the file of the predictions.
    """
    fine = task_classes(LanguagePair("en", "fr"), year=2015).classes
    coarse = tuple(label for label in fine if label not in _COARSE)
    program = ScorerProgram(checks=81, division=210, permitted=fine)

    def sections(labels: LabelPairs) -> Iterator[str]:
        yield "\n<<< I. COARSE EVALUATION >>>\n\n"
        yield from _evaluation(_matrix(labels, coarse, _COARSE), labels, program)
        matrix = _matrix(labels, fine, {})
        yield "\n<<< II. FINE-GRAINED EVALUATION >>>\n\n"
        yield from _evaluation(matrix, labels, program)
        score, accuracy = matrix.macro().f1, matrix.accuracy()
        yield f"\n<<< III. OFFICIAL SCORE >>>\n\nMACRO-averaged fine-grained F1: {score:6.2f}%\n"
        yield f"{predicted}\t{score:.15g}\t{accuracy:.15g}\n"

    return _run(gold, predicted, program, sections)


def _run(
    gold: str | Path,
    predicted: str | Path,
    program: ScorerProgram,
    sections: Callable[[LabelPairs], Iterator[str]],
) -> ScorerRun:
    printed: list[str] = []
    warned: list[str] = []
    try:
        printed.extend(sections(read_label_pairs(gold, predicted, program=program, warned=warned)))
    except Death as death:
        return ScorerRun(_output(printed), _output(warned) + death.written(), death.code)
    return ScorerRun(_output(printed), _output(warned), 0)


def _evaluation(matrix: ScorerMatrix, labels: LabelPairs, program: ScorerProgram) -> Iterator[str]:
    yield matrix_text(matrix)
    if not labels.pairs:
        raise Death(f"Illegal division by zero at SCORER line {program.division}{labels.end}.\n", code=255)
    yield scores_text(matrix)


def _matrix(labels: LabelPairs, classes: tuple[str, ...], aliases: Mapping[str, str]) -> ScorerMatrix:
    counts = Counter((aliases.get(gold, gold), aliases.get(guess, guess)) for gold, guess in labels.pairs)
    return ScorerMatrix(classes, tuple(tuple(counts[gold, guess] for guess in classes) for gold in classes))


def _output(printed: Iterable[str]) -> bytes:
    """Perl's bytes for text without an encoding: Latin-1, or UTF-8 for a piece that does not fit."""
    pieces = []
    for text in printed:
        try:
            pieces.append(text.encode("latin-1"))
        except UnicodeEncodeError:
            pieces.append(text.encode("utf-8"))
    return b"".join(pieces)
