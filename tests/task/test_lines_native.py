"""The compiled reader of lines, held against the Python that it stands in for."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphor.core import LanguagePair, TaskSegment, UserError
from anaphor.core.engine import has_native
from anaphor.task import lines, task_classes
from anaphor.task.lines import parse_segment, parse_unseen

if TYPE_CHECKING:
    from anaphor._native import LineReader

# Where anything was compiled this was too, so that a missing module is a failure and not a reason to skip.
pytestmark = pytest.mark.skipif(not has_native(), reason="nothing was compiled")

EN_FR = task_classes(LanguagePair("en", "fr"))

#: Lines that the compiled reader takes.
GOOD = [
    "\t\tthe house\tla maison\t0-0 1-1",
    "\t\ta\tb\t",
    "\t\ta\tb\t ",
    "\t\ta b\tc\t 0-0  1-0 ",
    "\t\ta b\tc\t000001-00000",
    "ce OTHER\tce|PRON qui|PRON\tIt pays . It waits .\tREPLACE_0 payer|VER REPLACE_3 .|.\t0-0 1-1 3-2",
    "\tx\tit\tREPLACE_0\t",
    "ce\t\tit\tREPLACE_00\t0-0",
    "\t\tREPLACE_9 it\tREPLACEMENT xREPLACE_1 REPLACES_2 REPLACE\u00e9\t",
    "\t\tun\u00a0e\u2003x\x0b y\rz\x1c\tb\n\x85c\t1-0",
    "\t\td\u00e9j\u00e0\tvu\t0-0",
    "\t\t\u201c\u010d\u201d house\t\u0446 house\t0-0",
    "\t\t\U0001f600 house\t\U00010348 \u00e9 house\t0-0",
    "\t\t\ud800 x\t\udfff\t",
    "\t\ta\0b \0 \0\0\tc\t2-0",
    "\t\t" + " ".join(f"w{k}" for k in range(600)) + "\t" + " ".join(["v"] * 300) + "\t599-299 256-257",
]

#: Lines that it leaves alone; some are wrong in more than one way, and the first way counts.
LEFT = [
    "",
    " ",
    "\t\t\t\t",
    "\t\ta\tb",
    "\t\ta\tb\t\t",
    "\t\t\tb\t",
    "\t\ta\t\t0-0",
    "\t\ta  b\tc\t0-0",
    "\t\t a\tc\t0-0",
    "\t\ta\tc \t0-0",
    "\t\ta\tb\t0:0",
    "\t\ta\tb\t0-0\u00a00-0",
    "\t\ta\tb\t\u0660-0",
    "\t\ta\tb\t0-",
    "\t\ta\tb\t0-0-0",
    "\t\ta\tb\t0-0 0-1",
    "\t\ta\tb\t1-0",
    "\t\ta\tb\t0000000-0",
    "\t\ta\tb\t4294967296-0",
    "\t\ta\tREPLACE\t",
    "\t\ta\tREPLACE_\t",
    "\t\ta\tREPLACE_x\t9-9",
    "\t\ta\tREPLACE_0_\t",
    "\t\ta\tREPLACE_1\t",
    "\t\ta\tREPLACE_\u0660\t",
    "\t\ta\tREPLACE_0000000\t",
    "ce\t\ta\tb\t",
    "\tx\ta\tb\t",
    "ce ce\tx\ta\tREPLACE_0\t",
    "ce\tx y\ta\tREPLACE_0\t9-9",
    "ce  ce\tx\ta\tREPLACE_0\t",
    " \t\ta\tREPLACE_0\t",
    "\tx \ta\tREPLACE_0\t",
]


def unseen(line: str) -> TaskSegment:
    return parse_unseen(line, "made", 7, document="d")


def seen(line: str) -> TaskSegment:
    return parse_segment(line, "made", 7, classes=None, document="d")


def classed(line: str) -> TaskSegment:
    return parse_segment(line, "made", 7, classes=EN_FR)


def outcome(parse: Callable[[str], TaskSegment], line: str) -> object:
    """The segment, or all that an error says."""
    try:
        return parse(line)
    except UserError as error:
        return type(error), error.what, error.where, error.fix


def in_python(parse: Callable[[str], TaskSegment], line: str) -> object:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "_READER", None)
        return outcome(parse, line)


def check_same(line: str) -> None:
    for parse in (seen, unseen, classed):
        assert outcome(parse, line) == in_python(parse, line)


def reader(words: int = 1 << 10) -> LineReader:
    from anaphor._native import LineReader

    return LineReader(words)


def test_the_reader_was_compiled_with_the_rest() -> None:
    assert lines._READER is not None


@pytest.mark.parametrize("line", GOOD)
def test_what_is_well_formed_is_read_as_in_python(line: str) -> None:
    assert reader().read(line) is not None
    check_same(line)


@pytest.mark.parametrize("line", LEFT)
def test_everything_else_is_left_to_python(line: str) -> None:
    from anaphor._native import is_plain_line

    assert reader().read(line) is None
    assert not is_plain_line(line)
    check_same(line)


def test_a_label_that_the_task_does_not_have_is_the_same_error() -> None:
    line = "ce OTHRE\t\tit it\tREPLACE_0 REPLACE_1\t"
    assert reader().read(line) is not None
    check_same(line)
    check_same(line.replace("OTHRE", "other"))


PIECES = st.sampled_from(
    ["\t", " ", "-", "_", "0", "9", "REPLACE", "REPLACE_1", "0-0", "\u00e9", "\u201d", "\U0001f600", "\0"]
)


@given(st.data())
def test_native_and_python_agree_on_damaged_lines(data: st.DataObject) -> None:
    line = data.draw(st.sampled_from(GOOD[:-1]))
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(line)))
        end = min(len(line), start + data.draw(st.integers(0, 3)))
        line = line[:start] + data.draw(PIECES | st.text(max_size=2)) + line[end:]
    check_same(line)


@given(st.lists(st.text("ab é”\0", max_size=6), min_size=5, max_size=5))
def test_any_five_columns_are_read_the_same(columns: list[str]) -> None:
    check_same("\t".join(columns))


def test_token_types_are_python_strings() -> None:
    for line in GOOD:
        found = seen(line)
        for part in (found.source, found.target, found.alignment.sources, found.alignment.targets):
            assert type(part) is tuple
        assert {type(token) for token in (*found.source, *found.target)} == {str}
        assert {type(end) for end in (*found.alignment.sources, *found.alignment.targets)} <= {int}
        assert type(found.slots) is tuple


def test_every_word_is_kept_once() -> None:
    """Also when it stands among wider characters, and among those that Python itself interned."""
    segments = [seen(f"\t\thouse é {wide}\tx\t") for wide in ("a", "\u201d", "\U0001f600")]
    for place, word in enumerate(["house", "é"]):
        assert all(segment.source[place] is sys.intern(word) for segment in segments)


@pytest.mark.parametrize("words", [0, 1, 64])
def test_the_reader_caches_no_more_words_than_its_limit(words: int) -> None:
    small = reader(words)
    for _ in range(2):
        for k in range(500):
            found = small.read(f"\t\tw{k} w{k + 1} w0\tv{k}\t0-0")
            assert found is not None
            assert found[2:4] == ((f"w{k}", f"w{k + 1}", "w0"), (f"v{k}",))
    assert 0 < len(small) <= max(words, 4)


def test_words_are_freed_with_their_reader() -> None:
    word = sys.intern("a-word-that-nobody-else-has")
    before = sys.getrefcount(word)
    held = reader()
    for _ in range(3):
        found = held.read(f"\t\t{word} {word}\t{word}\t")
    assert sys.getrefcount(word) == before + 4
    del found, held
    assert sys.getrefcount(word) == before


def test_invalid_text_is_left_to_python() -> None:
    class Text(str):
        __slots__ = ()

    assert reader().read(b"\t\ta\tb\t") is None  # type: ignore[arg-type]
    assert reader().read(Text(GOOD[0])) == reader().read(GOOD[0])


def test_nothing_is_left_over_at_the_end() -> None:
    """The module complains on the error stream if an object outlives the interpreter."""
    program = "from anaphor.task.lines import _READER; assert _READER.read('\\t\\ta\\tb\\t')"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert (found.stdout, found.stderr) == ("", "")
