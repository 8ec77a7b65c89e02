"""The official scorers of the prediction task as they were: WMT 2016 (also used in 2017) and DiscoMT 2015.

They are Perl programs. A fatal message ends with the line of the program and the line of the file read last,
and the exit code is the last error of the operating system: 25 after a file was opened, and none, which
gives 255, once the end of a file was reached.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, NoReturn

from anaphor.core import LanguagePair
from anaphor.corpus.text import read_bytes
from anaphor.task.classes import OTHER, task_classes

_PAIRS = ("en-fr", "fr-en", "en-de", "de-en", "es-en")
#: The coarse classes of 2015: ça joins cela, on joins OTHER.
_COARSE = {"ça": "cela", "on": OTHER}
_WIDTH = 5

# Bytes that are not UTF-8, as Python escapes them: a leading byte takes along those that would continue it.
_MORE = "[\udc80-\udcbf]"
_MALFORMED = re.compile(
    f"[\udcc0-\udcdf]{_MORE}?|[\udce0-\udcef]{_MORE}{{0,2}}|[\udcf0-\udcff]{_MORE}{{0,3}}|{_MORE}"
)


@dataclass(frozen=True, slots=True)
class ScorerRun:
    """The outcome of a scorer run: standard output, standard error, exit code."""

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
        matrix = labels.matrix(classes.classes, classes.aliases)
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
        yield from _evaluation(labels.matrix(coarse, _COARSE), labels, program)
        matrix = labels.matrix(fine, {})
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
    died, code = b"", 0
    try:
        printed.extend(sections(_read_label_pairs(gold, predicted, program, warned)))
    except Death as death:
        died, code = death.written(), death.code
    output, messages = (b"".join(map(_perl_bytes, pieces)) for pieces in (printed, warned))
    return ScorerRun(output, messages + died, code)


def _evaluation(matrix: ScorerMatrix, labels: LabelPairs, program: ScorerProgram) -> Iterator[str]:
    yield matrix.table()
    if not labels.pairs:
        raise Death(f"Illegal division by zero at SCORER line {program.division}{labels.end}.\n", code=255)
    yield matrix.scores()


def _perl_bytes(text: str, *, warning: str = "") -> bytes:
    """Perl's bytes for text without an encoding: Latin-1, or a warning and UTF-8 if it does not fit."""
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        return (warning + text).encode()


class Percentages(NamedTuple):
    """One class, or an average, in percent, computed in the scorer's own order of operations."""

    precision: float
    recall: float
    f1: float

    @classmethod
    def of(cls, right: int, predicted: int, gold: int) -> Percentages:
        precision = 100.0 * right / predicted if predicted else 0.0
        recall = 100.0 * right / gold if gold else 0.0
        # From the percentages and not from the counts: the last digit can differ.
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        return cls(precision, recall, f1)

    def fractions(self, right: int, predicted: int, gold: int) -> str:
        return (
            f"P = {right:5d}/{predicted:5d} = {self.precision:6.2f}%     "
            f"R = {right:5d}/{gold:5d} = {self.recall:6.2f}%     F1 = {self.f1:6.2f}%"
        )


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
        return list(map(Percentages.of, self.diagonal, self.columns, self.rows))

    def macro(self) -> Percentages:
        """The mean over all labels, including those that the gold file does not have."""
        return Percentages(*(sum(column) / len(self.labels) for column in zip(*self.by_label(), strict=True)))

    def table(self) -> str:
        """The confusion matrix with its sums, and the blank line below it."""

        def line(counts: Sequence[int]) -> str:
            return "".join(f"{count:5d} " for count in counts)

        rule = "       +" + "-" * ((_WIDTH + 1) * len(self.labels)) + "+"
        body = zip(self.labels, self.cells, self.rows, strict=True)
        return "\n".join(
            [
                "Confusion matrix:",
                "       " + "".join(f" {padded(label)}" for label in self.labels) + " <-- classified as",
                f"{rule} -SUM-",
                *(f" {padded(label)} |{line(row)}| {total:5d}" for label, row, total in body),
                rule,
                f" -SUM- {line(self.columns)}",
                *[""] * 2,
            ]
        )

    def scores(self) -> str:
        """Accuracy, labels and averages, and the three blank lines below them."""
        right, total = sum(self.diagonal), sum(self.rows)
        macro = self.macro()
        columns = zip(self.labels, self.diagonal, self.columns, self.rows, self.by_label(), strict=True)
        share = f"{right}/{total} = {self.accuracy():5.2f}%"
        return "\n".join(
            [
                f"Accuracy (calculated for the above confusion matrix) = {share}",
                "",
                "Results for the individual labels:",
                *(
                    f"     {padded(label)} :    {score.fractions(hits, predicted, gold)}"
                    for label, hits, predicted, gold, score in columns
                ),
                "",
                "Micro-averaged result:",
                Percentages.of(right, total, total).fractions(right, total, total),
                "",
                "MACRO-averaged result:",
                f"P = {macro.precision:6.2f}%\tR = {macro.recall:6.2f}%\tF1 = {macro.f1:6.2f}%",
                *[""] * 4,
            ]
        )


def padded(label: str) -> str:
    """A label in five characters: one space after it, the others before, as far as they fit."""
    return (label + " " if len(label) < _WIDTH else label).rjust(_WIDTH)


class ScorerProgram(NamedTuple):
    """One scorer: the program lines of its checks, and the labels it permits.

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
        """The text for standard error: Latin-1, or UTF-8 after a warning if that is impossible."""
        message = str(self)
        return _perl_bytes(message, warning=f"Wide character in die{message[message.rindex(' at SCORER') :]}")


class PerlFile:
    """A file that Perl reads line by line, and how many lines were read.

    A byte that is not UTF-8 becomes four characters such as `\\xE9`; `malformed` lists all such sequences.
    """

    def __init__(self, name: str, path: str | Path) -> None:
        self.name, self.read, self.ended = name, 0, False
        text = read_bytes(path).decode("utf-8", "surrogateescape")
        self.malformed = [_escaped(sequence) for sequence in _MALFORMED.findall(text)]
        text = _MALFORMED.sub(lambda match: _escaped(match[0]), text)
        self._lines: list[str] = re.findall(r"[^\n]*\n|[^\n]+", text)

    def next(self) -> str | None:
        if self.read == len(self._lines):
            self.ended = True
            return None
        line = self._lines[self.read]
        self.read += 1
        self.ended = not line.endswith("\n")
        return line

    def place(self) -> str:
        return f", <{self.name}> line {self.read}" if self.read else ""


def _escaped(malformed: str) -> str:
    return "".join(f"\\x{ord(character) - 0xDC00:02X}" for character in malformed)


@dataclass(frozen=True, slots=True)
class LabelPairs:
    """Gold and predicted label of every slot; `end` is how a message after the last line would name it."""

    pairs: tuple[tuple[str, str], ...]
    end: str

    def matrix(self, classes: tuple[str, ...], aliases: Mapping[str, str]) -> ScorerMatrix:
        counts = Counter((aliases.get(gold, gold), aliases.get(guess, guess)) for gold, guess in self.pairs)
        cells = tuple(tuple(counts[gold, guess] for guess in classes) for gold in classes)
        return ScorerMatrix(classes, cells)


def _read_label_pairs(
    gold_path: str | Path, predicted_path: str | Path, program: ScorerProgram, warned: list[str]
) -> LabelPairs:
    """All labels of both files; the first fault raises `Death`. Surplus predictions are ignored.

    Warnings about bytes that are not UTF-8 are added to `warned`: all of a file when its first line is
    read, which is true of the original up to its buffer of 8 KiB.
    """
    answers, guesses = PerlFile("GOLD", gold_path), PerlFile("PREDICTED", predicted_path)

    def next_of(file: PerlFile, offset: int) -> str | None:
        """The next line; `offset` is that of the reading statement from the first check."""
        if not file.read:
            place = f"at SCORER line {program.checks + offset}."
            warned.extend(f'UTF-8 "{text}" does not map to Unicode {place}\n' for text in file.malformed)
        return file.next()

    def die(offset: int, what: str, last: PerlFile) -> NoReturn:
        code = 255 if answers.ended or guesses.ended else 25
        line = program.checks + offset
        raise Death(f"Line {answers.read}: {what} at SCORER line {line}{last.place()}.\n", code=code)

    pairs: list[tuple[str, str]] = []
    permitted = set(program.permitted)
    while (line := next_of(answers, -4)) is not None:
        columns = line.split("\t")
        if len(columns) != 5 or not all(columns[2:]):
            die(0, f"Wrong file format for {gold_path}!", answers)
        predicted = next_of(guesses, 5)
        if predicted is None or predicted == "0":  # to Perl, a last line of one zero is false
            die(5, f"The file {predicted_path} is shorter!", guesses)
        gold, guess = columns[0], re.split(r"[\t\n\r]", predicted, maxsplit=1)[0]
        if not gold and not guess:
            continue
        if not gold:
            die(15, f"The gold label is empty, but the predicted label is not: {guess}", guesses)
        if not guess:
            die(19, f"The predicted label is empty, but the gold label is not: {gold}", guesses)
        golds, labels = gold.split(" "), guess.split(" ")
        if not set(golds) <= permitted:
            die(22, f"Wrong file format for {gold_path}: the gold label is '{gold}'", guesses)
        if not set(labels) <= permitted:
            die(23, f"Wrong file format for {predicted_path}: the predicted label is '{guess}'", guesses)
        if len(golds) != len(labels):
            die(27, "Different number of labels in the gold and in the predictions file.", guesses)
        pairs += zip(golds, labels, strict=True)
    return LabelPairs(tuple(pairs), answers.place())
