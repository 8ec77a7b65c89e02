"""The official scorers of the prediction task as they were: WMT 2016 (also used in 2017) and DiscoMT 2015."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from anaphor.core import LanguagePair
from anaphor.legacy.wmt16_layout import Matrix, matrix_text, scores_text
from anaphor.legacy.wmt16_reader import Death, LabelPairs, Program, read_label_pairs
from anaphor.task.classes import OTHER, task_classes

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
    program = Program(checks=156, division=272, permitted=tuple(classes.aliases))

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
    program = Program(checks=81, division=210, permitted=fine)

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
    gold: str | Path, predicted: str | Path, program: Program, sections: Callable[[LabelPairs], Iterator[str]]
) -> ScorerRun:
    printed: list[str] = []
    warned: list[str] = []
    try:
        printed.extend(sections(read_label_pairs(gold, predicted, program=program, warned=warned)))
    except Death as death:
        return ScorerRun(_output(printed), _output(warned) + death.written(), death.code)
    return ScorerRun(_output(printed), _output(warned), 0)


def _evaluation(matrix: Matrix, labels: LabelPairs, program: Program) -> Iterator[str]:
    yield matrix_text(matrix)
    if not labels.pairs:
        raise Death(f"Illegal division by zero at SCORER line {program.division}{labels.end}.\n", code=255)
    yield scores_text(matrix)


def _matrix(labels: LabelPairs, classes: tuple[str, ...], aliases: Mapping[str, str]) -> Matrix:
    counts = Counter((aliases.get(gold, gold), aliases.get(guess, guess)) for gold, guess in labels.pairs)
    return Matrix(classes, tuple(tuple(counts[gold, guess] for guess in classes) for gold in classes))


def _output(printed: Iterable[str]) -> bytes:
    """Perl's bytes for text without an encoding: Latin-1, or UTF-8 for a piece that does not fit."""
    pieces = []
    for text in printed:
        try:
            pieces.append(text.encode("latin-1"))
        except UnicodeEncodeError:
            pieces.append(text.encode("utf-8"))
    return b"".join(pieces)
