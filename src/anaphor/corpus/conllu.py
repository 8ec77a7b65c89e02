"""CoNLL-U: sentences with lemma, tag, features and dependency tree, one word per line.

Ten columns separated by tabs; `#` starts a comment, an empty line ends a sentence. A range such as `3-4` is
the token that the words 3 and 4 were split from (*du* = *de* + *le*). Empty nodes (`8.1`) belong to the
enhanced graph, not to the text: they are stored separately from the words.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from anaphor.core import InputError, InputWarning, Where
from anaphor.corpus.text import clean, decode, display_name, read_bytes, split_lines
from anaphor.files.writing import write_atomically

_COLUMNS = 10
_WORD = re.compile(r"[1-9]\d*")
_RANGE = re.compile(r"[1-9]\d{0,8}-[1-9]\d{0,8}")
_HEAD = re.compile(r"[0-9]{1,9}")
_EMPTY_NODE = re.compile(r"\d+\.[1-9]\d*")


@dataclass(frozen=True, slots=True)
class Word:
    """One syntactic word; `head` is a position counted from 0, None at the root.

    `language_tag`, `enhanced` and `misc` are the unparsed cells XPOS, DEPS and MISC.
    """

    form: str
    lemma: str
    tag: str
    features: Mapping[str, str]
    head: int | None
    relation: str
    language_tag: str = "_"
    enhanced: str = "_"
    misc: str = "_"


@dataclass(frozen=True, slots=True)
class Contraction:
    """A token of the text that covers the words from `start` to `end` (exclusive)."""

    form: str
    start: int
    end: int
    features: Mapping[str, str] = field(default_factory=dict)
    misc: str = "_"


@dataclass(frozen=True, slots=True)
class EmptyNode:
    """A node of the enhanced graph behind `after` words, the `number`th there, counted from 1.

    `cells` are the unparsed columns FORM to DEPS.
    """

    after: int
    number: int
    cells: tuple[str, ...]
    misc: str = "_"


#: What one line of a sentence describes.
ConlluLine: TypeAlias = Word | Contraction | EmptyNode


@dataclass(frozen=True, slots=True)
class ParsedSentence:
    """The words of a sentence, its contractions, and its other lines.

    `line` is the line in the file at which the words start; it does not affect equality. Comments keep their
    `#`.
    """

    words: tuple[Word, ...]
    contractions: tuple[Contraction, ...]
    line: int = field(compare=False)
    comments: tuple[str, ...] = ()
    empty_nodes: tuple[EmptyNode, ...] = ()

    def rows(self) -> Iterator[ConlluLine]:
        """Words, contractions and empty nodes in the order of their lines; the first is at `line`."""
        contractions = {contraction.start: contraction for contraction in self.contractions}
        empty: dict[int, list[EmptyNode]] = {}
        for node in self.empty_nodes:
            empty.setdefault(node.after, []).append(node)
        yield from empty.get(0, ())
        for at, word in enumerate(self.words):
            if at in contractions:
                yield contractions[at]
            yield word
            yield from empty.get(at + 1, ())


def read_conllu(path: str | Path) -> Iterator[ParsedSentence]:
    """The sentences of a file. Invalid CoNLL-U is an `InputError` with line and column.

    Comments that an empty line separates from all words are left out with a warning.
    """
    name = display_name(path)
    lines = split_lines(clean(read_bytes(path), path=name))
    yield from parse_conllu((decode(line, path=name) for line in lines), name)


def parse_conllu(lines: Iterable[str], name: str) -> Iterator[ParsedSentence]:
    """Read sentences as `read_conllu` does, from lines without newlines, of the file `name`."""
    comments: list[str] = []
    rows: list[tuple[int, str]] = []
    for number, line in enumerate(lines, start=1):
        if not line:
            yield from _block(comments, rows, Where(name, number))
            comments, rows = [], []
        elif not line.startswith("#"):
            rows.append((number, line))
        elif rows:
            where = Where(name, number)
            raise InputError("a comment between the words", where=where, fix="move it before the first word")
        else:
            comments.append(line)
    yield from _block(comments, rows, Where(name))


def write_conllu(path: str | Path, sentences: Iterable[ParsedSentence]) -> None:
    """Write sentences so that `read_conllu` restores them; one that would change is an `InputError`.

    In that case nothing is written. A missing lemma is read as the form and written as the form.
    """
    texts = []
    for number, sentence in enumerate(sentences, start=1):
        text = conllu_text(sentence)
        try:
            text.encode("utf-8")
            parsed = list(parse_conllu(text.removesuffix("\n\n").split("\n"), str(path)))
        except UnicodeEncodeError:
            parsed = []
        except InputError as error:
            what = f"sentence {number} cannot be written as CoNLL-U: {error.what}"
            raise InputError(what, where=str(path), fix=error.fix) from error
        # Parsing line by line does not see line ends inside a cell: `clean` would change or refuse them.
        if parsed != [sentence] or "\0" in text or "\r\n" in text:
            fix = "use comments that start with #, cells without tabs or line ends, and nodes in order"
            raise InputError(f"sentence {number} would change if it were read back", where=str(path), fix=fix)
        texts.append(text)
    write_atomically(path, "".join(texts))


def conllu_text(sentence: ParsedSentence) -> str:
    """The lines of a sentence and the empty line after it, unchecked."""
    position = 0
    lines = list(sentence.comments)
    for row in sentence.rows():
        cells: tuple[str, ...]
        if isinstance(row, EmptyNode):
            cells = (f"{row.after}.{row.number}", *row.cells, row.misc)
        else:
            features = "|".join(f"{name}={value}" for name, value in row.features.items()) or "_"
            if isinstance(row, Contraction):
                number = f"{row.start + 1}-{row.end}"
                cells = (number, row.form, "_", "_", "_", features, "_", "_", "_", row.misc)
            else:
                position += 1
                head = "0" if row.head is None else str(row.head + 1)
                cells = (str(position), row.form, row.lemma, row.tag, row.language_tag, features, head)
                cells += (row.relation, row.enhanced, row.misc)
        lines.append("\t".join(cells))
    return "\n".join(lines) + "\n\n"


def features_of_cell(cell: str) -> Mapping[str, str]:
    """`Number=Sing|Person=3` by name, empty for `_`; otherwise a `ValueError`."""
    features: dict[str, str] = {}
    for part in () if cell == "_" else cell.split("|"):
        name, _, value = part.partition("=")
        if not name or not value or name in features:
            raise ValueError(cell)
        features[name] = value
    return features


def _block(comments: Sequence[str], rows: Sequence[tuple[int, str]], end: Where) -> Iterator[ParsedSentence]:
    """The sentence between two empty lines, if there is one; `end` is where they end."""
    if not rows:
        if comments:
            warnings.warn(f"{end}: left out comments without a sentence", InputWarning, stacklevel=2)
        return
    words: list[Word] = []
    contractions: list[Contraction] = []
    empty_nodes: list[EmptyNode] = []
    lines: list[int] = []
    for number, line in rows:
        row = _parse_line(line, len(words), contractions, empty_nodes, Where(end.path, number))
        if isinstance(row, Word):
            words.append(row)
            lines.append(number)
        elif isinstance(row, Contraction):
            contractions.append(row)
        else:
            empty_nodes.append(row)
    first = rows[0][0]
    _check_references(words, contractions, lines, Where(end.path, first))
    yield ParsedSentence(tuple(words), tuple(contractions), first, tuple(comments), tuple(empty_nodes))


def _parse_line(
    line: str,
    before: int,
    contractions: Sequence[Contraction],
    empty_nodes: Sequence[EmptyNode],
    where: Where,
) -> ConlluLine:
    """Parse one line after `before` words, given the contractions and empty nodes so far."""
    cells = line.split("\t")
    if len(cells) != _COLUMNS:
        problem = f"the line has {len(cells)} columns, CoNLL-U has {_COLUMNS}"
        raise InputError(problem, where=where, fix="separate ten columns with single tabs")

    def refuse(column: int, wanted: str) -> InputError:
        return _not(wanted, cells[column], Where(where.path, where.line, column + 1))

    def features() -> Mapping[str, str]:
        try:
            return features_of_cell(cells[5])
        except ValueError:
            raise refuse(5, "features such as Number=Sing|Person=3") from None

    if _WORD.fullmatch(cells[0]):
        if cells[0] != str(before + 1):
            raise refuse(0, f"the word number {before + 1}")
        for column, what in ((1, "a form"), (3, "a part of speech"), (7, "a relation")):
            if not cells[column] or (cells[column] == "_" and column != 1):
                raise refuse(column, what)
        if not _HEAD.fullmatch(cells[6]):
            raise refuse(6, "a head")
        lemma = cells[1] if cells[2] == "_" else cells[2]
        parent = int(cells[6]) - 1 if int(cells[6]) else None
        return Word(cells[1], lemma, cells[3], features(), parent, cells[7], cells[4], cells[8], cells[9])
    if _RANGE.fullmatch(cells[0]):
        first, last = map(int, cells[0].split("-"))
        if first != before + 1 or last < first or (contractions and contractions[-1].end > before):
            raise refuse(0, f"a range that starts at {before + 1}")
        for column in (2, 3, 4, 6, 7, 8):
            if cells[column] != "_":
                raise refuse(column, "_, as a range has")
        return Contraction(cells[1], before, last, features(), cells[9])
    if contractions and contractions[-1].start == before:
        raise refuse(0, f"the word number {before + 1}")  # nothing stands between a range and its words
    if not _EMPTY_NODE.fullmatch(cells[0]):
        raise refuse(0, "a word number")
    earlier = empty_nodes[-1].number if empty_nodes and empty_nodes[-1].after == before else 0
    if cells[0] != f"{before}.{earlier + 1}":
        raise refuse(0, f"the empty node {before}.{earlier + 1}")
    return EmptyNode(before, earlier + 1, tuple(cells[1:9]), cells[9])


def _check_references(
    words: Sequence[Word], contractions: Sequence[Contraction], lines: Sequence[int], first: Where
) -> None:
    """No head, and no contraction, may reach outside the sentence; no word is its own ancestor."""
    if not words:
        raise InputError("a sentence without words", where=first, fix="remove it")
    for at, (word, line) in enumerate(zip(words, lines, strict=True)):
        where = Where(first.path, line, 7)
        if word.head is not None and (word.head >= len(words) or word.head == at):
            raise _not("a head in the sentence", str(word.head + 1), where)
        above: int | None = at
        for _ in words:  # whoever is not at the root after as many steps as there are words never gets there
            above = words[above].head if above is not None and above < len(words) else None
        if above is not None:
            what = f"the heads of word {at + 1} form a cycle"
            raise InputError(what, where=where, fix="make one word the root, with head 0")
    for contraction in contractions:
        if contraction.end > len(words):
            raise _not("a range in the sentence", f"{contraction.start + 1}-{contraction.end}", first)


def _not(wanted: str, cell: str, where: Where) -> InputError:
    return InputError(f"not {wanted}: {cell!r}", where=where, fix="see universaldependencies.org/format.html")
