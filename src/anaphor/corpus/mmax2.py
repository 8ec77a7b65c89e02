"""Annotated documents of MMAX2, as in ParCor 1.0 and ParCorFull.

    NAME.mmax                           names the file of words
    Basedata/NAME_words.xml             <word id="word_1">So</word>
    Markables/NAME_sentence_level.xml   <markable id="markable_0" span="word_1..word_23" orderid="0" />
    Markables/NAME_coref_level.xml      <markable id="markable_9" span="word_3,word_7..word_8" type="..." />

`docs/suites/categories.md` lists the defects of released files that are tolerated, each with a warning that
names file and markable.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from anaphor.core import InputError, InputWarning, Span, Where
from anaphor.corpus.markup import Element, parse_xml
from anaphor.corpus.text import is_folder, read_bytes, without_bom
from anaphor.files.folders import files_inside, inside

#: A larger file is not an annotated document; the largest of ParCorFull has 400 kB.
MAX_BYTES = 64 * 2**20

# `<!DOCTYPE words SYSTEM "words.dtd">` alone. One with declarations in brackets stays and is refused by the
# parser, so nothing can be declared: an entity of any kind is then unknown, which is an error as well.
_DOCTYPE = re.compile(
    rb"""\s*(?:<\?xml[^>]*\?>\s*)?(<!DOCTYPE\s+\w+(?:\s+SYSTEM\s+(?:"[^"\[\]<>]*"|'[^'\[\]<>]*'))?\s*>)"""
)
_PIECE = re.compile(r"word_([0-9]{1,9})(?:\.\.word_([0-9]{1,9}))?")
_SUFFIX = "_words.xml"


@dataclass(frozen=True, slots=True)
class Markable:
    """An annotated mention: positions of its words from 0, and its attributes as the file has them."""

    id: str
    words: tuple[int, ...]
    attributes: Mapping[str, str]
    where: Where


@dataclass(frozen=True, slots=True)
class Mmax2Document:
    """The words of a document, its sentences as spans of words, its mentions in the order of their words."""

    name: str
    words: tuple[str, ...]
    sentences: tuple[Span, ...]
    mentions: tuple[Markable, ...]

    def text_of(self, markable: Markable) -> str:
        """The words of a mention, with single spaces."""
        return " ".join(self.words[word] for word in markable.words)


def read_mmax2(path: str | Path, *, skip_broken: bool = False) -> tuple[Mmax2Document, ...]:
    """The document of a `.mmax` file, or those of all `.mmax` files in a folder, sorted by name.

    With `skip_broken` an invalid document of a folder is left out with a warning, if another one is valid.
    """
    if not is_folder(path):
        return (_document(Path(path)),)
    files = files_inside(path, "*.mmax")
    if not files:
        what = "the folder has no .mmax file"
        raise InputError(what, where=str(path), fix="pass the folder that holds the .mmax files")
    documents = []
    for number, file in enumerate(files, start=1):
        try:
            documents.append(_document(file))
        except InputError as error:
            if not skip_broken or (number == len(files) and not documents):
                fix = f"{error.fix}; --skip-broken leaves invalid documents out"
                raise InputError(error.what, where=error.where, fix=fix) from error
            message = f"{file}: left out, {error.what} ({error.where})"
            warnings.warn(message, InputWarning, stacklevel=2)
    return tuple(documents)


def _document(project: Path) -> Mmax2Document:
    root = _read_xml(project, root="mmax_project")
    names = [child.text.strip() for child in root.children if child.tag == "words"]
    # The file must lie in its folder: a path could lead anywhere.
    if len(names) != 1 or not names[0].endswith(_SUFFIX) or Path(names[0]).name != names[0]:
        fix = f"write <words>NAME{_SUFFIX}</words>, where the file lies in Basedata"
        raise InputError("the project does not name one file of words", where=root.where, fix=fix)
    words = []
    home = project.parent
    tokens = _read_xml(inside(home, home / "Basedata" / names[0]), root="words").only("word")
    for number, element in enumerate(tokens, start=1):
        text = element.text.strip()
        if element.require("id") != f"word_{number}" or not text:
            what = f"word {number} of the file has the id {element.attributes['id']!r} and the text {text!r}"
            fix = "give every word its text, and the ids word_1, word_2 and so on"
            raise InputError(what, where=element.where, fix=fix)
        words.append(text)
    stem = names[0].removesuffix(_SUFFIX)
    level = {
        layer: inside(home, home / "Markables" / f"{stem}_{layer}_level.xml")
        for layer in ("sentence", "coref")
    }
    sentences = _sentences(level["sentence"], words=len(words))
    mentions = sorted(_markables(level["coref"], len(words)), key=lambda m: m.words)
    return Mmax2Document(stem, tuple(words), sentences, tuple(mentions))


def _markables(path: Path, words: int) -> Iterator[Markable]:
    seen: set[str] = set()
    for element in _read_xml(path, root="markables").only("markable"):
        name = element.require("id")
        if name in seen:
            what = f"two markables have the id {name}"
            raise InputError(what, where=element.where, fix="give each its own")
        seen.add(name)
        pieces = [_piece(text, element, words) for text in element.require("span").split(",")]
        if any(piece.end <= piece.start for piece in pieces):
            _warn(element, f"skipped {name}: its span {element.attributes['span']} runs backwards")
            continue
        covered = sorted({word for piece in pieces for word in range(*piece)})
        if len(covered) < sum(piece.end - piece.start for piece in pieces):
            _warn(element, f"joined the pieces of {name}, which overlap: {element.attributes['span']}")
        yield Markable(name, tuple(covered), element.attributes, element.where)


def _piece(text: str, element: Element, words: int) -> Span:
    match = _PIECE.fullmatch(text.strip())
    numbers = [int(number) for number in match.groups() if number] if match else []
    if not numbers or min(numbers) < 1 or max(numbers) > words:
        what = f"{element.attributes['id']} has an invalid span: {text!r} (there are {words} words)"
        fix = "write word_3, word_3..word_5 or such pieces with commas between them"
        raise InputError(what, where=element.where, fix=fix)
    return Span(numbers[0] - 1, numbers[-1])


def _sentences(path: Path, *, words: int) -> tuple[Span, ...]:
    """Sentences in the order of their words; `orderid` gives the same order but is often missing."""
    markables = sorted(_markables(path, words), key=lambda markable: markable.words)
    if not markables:
        raise InputError("no sentence is marked", where=str(path), fix="mark the sentences of the document")
    sentences = []
    for markable, after in zip_longest(markables, markables[1:]):
        start, end = markable.words[0], markable.words[-1] + 1
        if after is not None and after.words[0] < end:
            message = f"{markable.where}: ended {markable.id} where the next sentence begins, {after.id}"
            warnings.warn(message, InputWarning, stacklevel=2)
            end = after.words[0]
        if start < end:
            sentences.append(Span(start, end))
    outside = words - sum(end - start for start, end in sentences)
    if outside:
        warnings.warn(f"{path}: {outside} of {words} words are in no sentence", InputWarning, stacklevel=2)
    return tuple(sentences)


def _warn(element: Element, message: str) -> None:
    warnings.warn(f"{element.where}: {message}", InputWarning, stacklevel=2)


def _read_xml(path: Path, *, root: str) -> Element:
    """The root element of one file, which must have this tag. The DTD that it names is never read."""
    data = read_bytes(path)
    if len(data) > MAX_BYTES:
        what = f"the file has {len(data)} bytes, more than {MAX_BYTES}"
        raise InputError(what, where=str(path), fix="pass the files of one document at a time")
    data = without_bom(data, path=str(path))
    if match := _DOCTYPE.match(data):  # spaces in its place keep lines and columns as they are
        start, end = match.span(1)
        data = data[:start] + re.sub(rb"[^\n]", b" ", match[1]) + data[end:]
    element = parse_xml(data, path=str(path))
    if element.tag != root:
        what = f"the file begins with <{element.tag}> and not with <{root}>"
        raise InputError(what, where=element.where, fix="pass the files of an MMAX2 project")
    return element
