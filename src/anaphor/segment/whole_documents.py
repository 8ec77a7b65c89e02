"""Candidates as whole documents: one text per document of the source, from a file, a folder or memory."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from anaphor.core import InputError, InputWarning, MismatchError, OptionError, Where, digest
from anaphor.core.records import Record
from anaphor.core.table import counted
from anaphor.corpus.text import clean, decode, display_name, is_folder, read_bytes
from anaphor.files.folders import files_inside

#: The name of the only document where documents are not known.
WHOLE = "text"
#: Keys of the text in JSON lines: ours, and that of published outputs of language models.
_TEXT_KEYS = ("text", "translation")
_DOCS = "docs/segment.md"
#: A longer word is none: nothing could be aligned with it. Scripts without spaces between words do not count.
_LONGEST_WORD = 1000
_ENDLESS = re.compile(
    rf"(?:(?![\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff])\S){{{_LONGEST_WORD + 1},}}"
)
_AS_NULL = 'a document without any output is {"document": "...", "text": null} in JSON lines'


@dataclass(frozen=True, slots=True)
class WholeDocuments:
    """The output of one system: for every document of the source its text, None if there is no output.

    Attributes:
        path: The name of the input in messages.
        texts: The texts by document, in the order of the source.
        digest: A hash of documents and texts.
    """

    path: str
    texts: Mapping[str, str | None]
    digest: str

    @classmethod
    def of(cls, texts: Mapping[str, str | None], documents: Iterable[str], *, path: str) -> WholeDocuments:
        """The texts in source order; a missing, unknown, empty or endless one is an error."""
        order = dict.fromkeys(documents)
        if strange := [name for name in texts if name not in order]:
            raise MismatchError(
                f"document {strange[0]} is not in the source, which has {counted(len(order), 'document')}",
                where=path,
                fix="use the document names of --documents, and remove documents that are not scored",
            )
        if missing := [name for name in order if name not in texts]:
            more = f", and {len(missing) - 1} more" if len(missing) > 1 else ""
            what = f"document {missing[0]} is missing{more}"
            raise MismatchError(what, where=path, fix=f"add it; {_AS_NULL}")
        ordered = {name: texts[name] for name in order}
        for name, text in ordered.items():
            if text is None:
                continue
            if not text.strip():
                raise InputError(f"document {name} is empty", where=path, fix=f"add its text; {_AS_NULL}")
            if "\0" in text:
                what = f"document {name} has a NUL character, at {text.index(chr(0))}"
                raise InputError(what, where=path, fix="remove it")
            if endless := _ENDLESS.search(text):
                raise InputError(
                    f"document {name} has a word of {len(endless[0])} characters, {endless[0][:20]}…, from "
                    f"character {endless.start()} on",
                    where=path,
                    fix=f"remove it, or put spaces where words end; {_AS_NULL}",
                )
        if silent := [name for name, text in ordered.items() if text is None]:
            message = f"{path}: no output for {counted(len(silent), 'document')}, the first is {silent[0]}"
            warnings.warn(message, InputWarning, stacklevel=3)
        parts = [
            part for name, text in ordered.items() for part in (name, "0" if text is None else "1" + text)
        ]
        return cls(path, ordered, digest(part.encode() for part in parts))


def read_whole_documents(path: str | Path, documents: Sequence[str] | None) -> WholeDocuments:
    """The documents of a candidate from a file or a folder, in the order of the source.

    `documents` has the document of every source segment; None treats the whole file as one document. A folder
    has a file `DOCUMENT.txt` for each. A file is JSON lines (`document`, `text`), plain text with one
    document per line, or plain text with blank lines between documents.
    """
    order = list(dict.fromkeys(documents if documents is not None else (WHOLE,)))
    name = display_name(path)
    if is_folder(path):
        return WholeDocuments.of(_from_folder(Path(path)), order, path=name)
    text = decode(clean(read_bytes(path), path=name), path=name)
    if text.lstrip().startswith("{"):
        lines = text.removesuffix("\n").split("\n")
        return WholeDocuments.of(dict(_from_json(lines, order, path=name)), order, path=name)
    return WholeDocuments.of(_from_plain(text, order, path=name), order, path=name)


def whole_documents_of(value: object, documents: Sequence[str] | None, *, name: str) -> WholeDocuments:
    """The same for texts in memory: a path, texts by document, a list of texts in order, or one text.

    A single-line string that names a file or a folder is read as that file or folder.
    """
    order = list(dict.fromkeys(documents if documents is not None else (WHOLE,)))
    if isinstance(value, WholeDocuments):
        return WholeDocuments.of(value.texts, order, path=value.path)
    if isinstance(value, Path) or (isinstance(value, str) and "\n" not in value and _exists(value)):
        return read_whole_documents(value, documents)
    if isinstance(value, Mapping):
        texts = dict(value)
    elif isinstance(value, str):
        return WholeDocuments.of(_from_plain(value, order, path=name), order, path=name)
    elif isinstance(value, Iterable):
        listed = list(value)
        if len(listed) != len(order):
            raise _wrong_number(len(listed), order, path=name, what="texts")
        texts = dict(zip(order, listed, strict=True))
    else:
        what = f"not documents: a value of type {type(value).__name__}"
        raise OptionError(what, where=name, fix="pass texts by document, a list of texts, a string or a path")
    for document, text in texts.items():
        if not isinstance(document, str) or not (text is None or isinstance(text, str)):
            what = f"the text of document {document!r:.40} is of type {type(text).__name__}"
            raise InputError(what, where=name, fix="pass a string per document, or None for no output")
    return WholeDocuments.of(texts, order, path=name)


def _exists(value: str) -> bool:
    try:
        return bool(value) and Path(value).exists()
    except (OSError, ValueError):  # no path can be that long
        return False


def _from_folder(folder: Path) -> dict[str, str | None]:
    files = files_inside(folder, "*.txt", "*.txt.gz")
    if not files:
        fix = "pass a folder with a file DOCUMENT.txt for every document"
        raise InputError("the folder has no .txt files", where=str(folder), fix=fix)
    texts: dict[str, str | None] = {}
    for file in files:
        name = file.name.removesuffix(".gz").removesuffix(".txt")
        if name in texts:
            raise InputError(f"document {name} occurs twice", where=str(file), fix="remove one of the files")
        texts[name] = decode(clean(read_bytes(file), path=str(file)), path=str(file))
    return texts


def _from_json(lines: Sequence[str], order: Sequence[str], *, path: str) -> Iterator[tuple[str, str | None]]:
    records = list(Record.from_json_lines(lines, path=path, docs=_DOCS))
    if not any(key in records[0] for key in _TEXT_KEYS):
        keys = ", ".join(records[0]) or "none"
        records[0].refuse("text", f"missing; the keys are {keys:.80}", fix="name the translation `text`")
    named = "document" in records[0]
    if not named and len(records) != len(order):
        raise _wrong_number(len(records), order, path=path, what="records")
    seen: dict[str, int] = {}
    for number, record in enumerate(records, start=1):
        key = next((name for name in _TEXT_KEYS if name in record), _TEXT_KEYS[0])
        text = None if key in record and record.raw(key) is None else record.text(key, blank=True)
        if named:
            name = record.text("document")
        elif "document" in record:
            record.refuse("document", "here, and not in the first record", fix="name all documents, or none")
        else:
            name = order[number - 1]
        if name in seen:
            record.refuse("document", f"{name} is in line {seen[name]} already", fix="keep one text of each")
        seen[name] = number
        yield name, text


def _from_plain(text: str, order: Sequence[str], *, path: str) -> dict[str, str | None]:
    """The documents of plain text: the whole of it, one per line, or with blank lines between them."""
    if not text.strip():
        raise InputError("there is no text", where=path, fix="provide the translation of every document")
    if len(order) == 1:
        return {order[0]: text}
    lines = text.removesuffix("\n").split("\n")
    blocks = [block for block in re.split(r"\n[ \t]*\n\s*", text.strip()) if block.strip()]
    for parts in (lines, blocks):
        if len(parts) == len(order):
            return dict(zip(order, parts, strict=True))
    what = "lines" if len(blocks) == 1 else f"lines and {len(blocks)} blocks between blank lines"
    raise _wrong_number(len(lines), order, path=path, what=what)


def _wrong_number(given: int, order: Sequence[str], *, path: str, what: str) -> MismatchError:
    more = "more" if given > len(order) else "fewer"
    return MismatchError(
        f"{more} texts than documents: there are {given} {what}, but the source has {len(order)} documents",
        where=Where(path, min(given, len(order) + 1)),
        fix='pass one text per document, in order, or name them in JSON lines: {"document": "...", "text": '
        '"..."}; a text without document boundaries can be cut without --documents',
    )
