"""CoNLL-U out: what the reader gave, or what a program made, in the same ten columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from anaphor.core import InputError
from anaphor.corpus.conllu import parse_conllu
from anaphor.corpus.conllu_nouns import Contraction, EmptyNode, ParsedSentence, Row, Word
from anaphor.corpus.writing import write_atomically


def write_conllu(path: str | Path, sentences: Iterable[ParsedSentence]) -> None:
    """Write sentences so that `read_conllu` gives them back; one that it would not is an `InputError`.

    Nothing is written then. A missing lemma was read as the form and is written as the form.
    """
    texts = [_checked(sentence, number, path) for number, sentence in enumerate(sentences, start=1)]
    write_atomically(path, "".join(texts))


def _checked(sentence: ParsedSentence, number: int, path: str | Path) -> str:
    text = conllu_text(sentence)
    # Breaks inside a cell are not seen line by line: `clean` would join or refuse them in the file.
    if not _is_encodable(text) or "\0" in text or "\r\n" in text:
        raise _not_the_same(number, path)
    try:
        found = list(parse_conllu(text.removesuffix("\n\n").split("\n"), str(path)))
    except InputError as error:
        what = f"the sentence {number} cannot be written as CoNLL-U: {error.what}"
        raise InputError(what, where=str(path), fix=error.fix) from error
    if found != [sentence]:
        raise _not_the_same(number, path)
    return text


def conllu_text(sentence: ParsedSentence) -> str:
    """The lines of a sentence and the empty line after it, unchecked."""
    position = 0
    lines = list(sentence.comments)
    for row in sentence.rows():
        position += isinstance(row, Word)
        lines.append("\t".join(_cells(row, position)))
    return "\n".join(lines) + "\n\n"


def _cells(row: Row, position: int) -> tuple[str, ...]:
    """The ten columns; `position` is the number of a word."""
    if isinstance(row, EmptyNode):
        return (f"{row.after}.{row.number}", *row.cells, row.misc)
    features = _feature_cell(row.features)
    if isinstance(row, Contraction):
        return (f"{row.start + 1}-{row.end}", row.form, "_", "_", "_", features, "_", "_", "_", row.misc)
    head = "0" if row.head is None else str(row.head + 1)
    tags = (row.tag, row.language_tag)
    return (str(position), row.form, row.lemma, *tags, features, head, row.relation, row.enhanced, row.misc)


def _feature_cell(features: Mapping[str, str]) -> str:
    return "|".join(f"{name}={value}" for name, value in features.items()) or "_"


def _is_encodable(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _not_the_same(number: int, path: str | Path) -> InputError:
    return InputError(
        f"the sentence {number} would not be read back the same",
        where=str(path),
        fix="give comments that start with #, cells without tabs or line ends, and nodes in their order",
    )
