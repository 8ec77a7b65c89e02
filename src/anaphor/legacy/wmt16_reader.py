"""How the official scorers read their two files, and how they die.

They are Perl programs. A fatal message ends with the line of the program and the line of the file read last,
and the exit code is what the operating system last complained of: 25 after a file was opened, and nothing,
which makes 255, once the end of a file was met.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from anaphor.corpus.reading import read_bytes

# Bytes that are no UTF-8, as Python escapes them: a leading byte takes those along that would continue it.
_MORE = "[\udc80-\udcbf]"
_STRANGE = re.compile(
    f"[\udcc0-\udcdf]{_MORE}?|[\udce0-\udcef]{_MORE}{{0,2}}|[\udcf0-\udcff]{_MORE}{{0,3}}|{_MORE}"
)


@dataclass(frozen=True, slots=True)
class Program:
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
    gold: str | Path, predicted: str | Path, *, program: Program, warned: list[str]
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
    program: Program
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
