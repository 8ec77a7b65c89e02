"""A suite on disk: a folder with `suite.toml`, `items.jsonl` and perhaps `documents/`.

documents/source/talk1.txt          one segment per line
documents/REFERENCE/talk1.txt       the same segments in a reference
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from anaphor.core import InputError, Suite, digest
from anaphor.corpus import Text, read_text
from anaphor.corpus.text import is_folder
from anaphor.files.folders import inside
from anaphor.files.writing import atomic_folder, write_atomically
from anaphor.suite.format import format_header, format_items, parse_header, with_items
from anaphor.suite.texts import SuiteTexts, check_places, read_texts

HEADER, ITEMS, DOCUMENTS = "suite.toml", "items.jsonl", "documents"


class LoadedSuite(NamedTuple):
    """A suite with the texts it was made from."""

    suite: Suite
    texts: SuiteTexts


def _items_file(path: str | Path) -> Path:
    """The items of a suite, given its folder, its header, or the items themselves."""
    given = Path(path)
    if is_folder(given):
        return given / ITEMS
    return given.with_name(ITEMS) if given.name == HEADER else given


def read_suite(path: str | Path) -> Suite:
    """A suite without its texts; raise if its content does not match its hash."""
    items = _items_file(path)
    fix = "check the path; `anaphor suite shipped NAME --output FOLDER` copies one that comes with anaphor"
    if not items.parent.is_dir() or not Path(path).exists():
        raise InputError("there is no suite of this name", where=str(path), fix=fix)
    if is_folder(Path(path)) and not items.with_name(HEADER).exists():
        raise InputError(f"the folder is not a suite: it has no {HEADER}", where=str(path), fix=fix)
    header, expected = parse_header(read_text(inside(items.parent, items.with_name(HEADER))))
    suite = with_items(header, read_text(items if items == Path(path) else inside(items.parent, items)))
    if expected is not None and expected != (actual := suite_digest(suite)):
        what = f"the content has the hash {actual}, not {expected}"
        fix = f'get the suite again; if you changed it, raise its version and write hash = "{actual}"'
        raise InputError(what, where=str(items.with_name(HEADER)), fix=fix)
    return suite


def load_suite(path: str | Path, *, documents: str | Path | None = None) -> LoadedSuite:
    """Read a test suite with its texts.

    Args:
        path: The folder of the suite.
        documents: The folder of its texts; by default the folder `documents` in it.

    Returns:
        The suite and its texts.

    Raises:
        UserError: A file is missing or broken, or the texts are not those of the suite.
    """
    suite, items = read_suite(path), _items_file(path)
    home = inside(items.parent, items.with_name(DOCUMENTS))
    folder = home if documents is None else Path(documents)
    return LoadedSuite(suite, read_texts(suite, folder, items=str(items)))


def suite_digest(suite: Suite, items: str | None = None) -> str:
    """The digest of everything in a suite, texts by their digests; spacing in files does not count.

    Callers that have the text of `items` may pass it.
    """
    return digest([format_header(suite, None).encode(), (items or format_items(suite)).encode()])


def write_suite(suite: Suite, folder: str | Path, *, texts: SuiteTexts | None = None) -> None:
    """Write a new folder atomically; without texts, suites with restricted texts can be shared.

    A suite that could not be read back is not written; the errors are those of reading.
    """
    header, _ = parse_header(Text.of(format_header(suite, None).split("\n"), path=HEADER))
    with_items(header, Text.of(format_items(suite).split("\n")[:-1], path=ITEMS))
    if texts is not None:
        check_places(suite, texts, items=ITEMS)
    with atomic_folder(folder) as part:
        write_atomically(part / HEADER, format_header(suite, suite_digest(suite)))
        write_atomically(part / ITEMS, format_items(suite))
        for side, documents in () if texts is None else texts.sides():
            (part / DOCUMENTS / side).mkdir(parents=True)
            for name, text in documents.items():
                write_atomically(part / DOCUMENTS / side / f"{name}.txt", "\n".join(text.lines) + "\n")
