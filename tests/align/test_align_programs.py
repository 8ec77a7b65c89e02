"""Programs of third-party aligners: their versions, running them, reading their output."""

from __future__ import annotations

import math
import os
import re
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import ClassVar

import pytest

from anaphor.align.programs import (
    UNKNOWN,
    ExternalProgram,
    SentencePair,
    TwoWayAligner,
    check_timeout,
    line_of,
    package_version,
    program_version,
    read_program_links,
    script_version,
    symmetrized,
    undirected,
)
from anaphor.align.symmetrize import Directions
from anaphor.core import Alignment, InputWarning, OptionError, UserError

PACKAGE = "numpy"


def script(folder: Path, first: str) -> str:
    path = folder / "tool"
    path.write_text(f"{first}\nprint('never run')\n", encoding="utf-8")
    return str(path)


def test_a_package_of_this_python_has_its_version() -> None:
    assert package_version(PACKAGE) == version(PACKAGE)
    assert package_version("no-such-package") == UNKNOWN


def test_a_script_has_the_version_that_its_own_python_knows(tmp_path: Path) -> None:
    assert script_version(script(tmp_path, f"#!{sys.executable}"), PACKAGE) == version(PACKAGE)


@pytest.mark.parametrize(
    "first",
    [
        f"#!{sys.executable} -IS",
        "#!/no/such/python",
        "#!/bin/sh",
        "#!",
        "\x7fELF\ufffd",
        "",
    ],
    ids=["a Python without packages", "no Python there", "a shell", "nobody", "a compiled program", "empty"],
)
def test_a_script_whose_python_cannot_tell_has_a_hash(tmp_path: Path, first: str) -> None:
    path = script(tmp_path, first)
    assert script_version(path, PACKAGE) == program_version(path)


def test_a_hash_stands_for_every_program_and_their_order(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).write_text(name, encoding="utf-8")
    one, two = str(tmp_path / "one"), str(tmp_path / "two")
    found = [program_version(one), program_version(two), program_version(one, two), program_version(two, one)]
    assert len(set(found)) == 4
    assert all(len(each) == 12 for each in found)


ALIGNER = ExternalProgram("tiny-aligner", "pip install tiny-aligner")
PAIRS = [(("a", "b"), ("x",)), (("c",), ("y", "z"))]


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on the PATH for scripts of a test."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    return folder


def install(folder: Path, script: str) -> None:
    path = folder / ALIGNER.name
    path.write_text(script, encoding="utf-8")
    path.chmod(0o755)


def test_what_a_program_prints_goes_to_the_output(programs: Path, tmp_path: Path) -> None:
    install(programs, '#!/bin/sh\necho "$1 and $2"\necho chatter >&2\n')
    ALIGNER.run("0-0", tmp_path, timeout=120, output=tmp_path / "out")
    assert (tmp_path / "out").read_text(encoding="utf-8") == f"0-0 and {tmp_path}\n"


def test_arguments_are_never_read_by_a_shell(programs: Path, tmp_path: Path) -> None:
    install(programs, '#!/bin/sh\nprintf %s "$1"\n')
    ALIGNER.run("$(id); *", timeout=120, output=tmp_path / "out")
    assert (tmp_path / "out").read_text(encoding="utf-8") == "$(id); *"


def test_a_program_has_a_user_name_where_the_environment_has_none(
    programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("USER", raising=False)
    install(programs, '#!/bin/sh\nprintf %s "$USER"\n')
    ALIGNER.run(timeout=120, output=tmp_path / "out")
    assert (tmp_path / "out").read_text(encoding="utf-8") == "anaphor"


def test_a_missing_program_is_named_with_its_install_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UserError, match="the program tiny-aligner is not installed") as caught:
        ALIGNER.run(timeout=None)
    assert caught.value.fix == "pip install tiny-aligner"


@pytest.mark.parametrize(
    ("script", "what"),
    [
        ("#!/bin/sh\necho no such corpus >&2\nexit 3\n", "failed with exit code 3\n  no such corpus"),
        ("#!/bin/sh\nkill -s SEGV $$\n", "was ended by signal 11 (SIGSEGV)"),
        ("not a program", "cannot be started"),
    ],
    ids=["exit code and messages", "signal", "not executable"],
)
def test_a_failure_is_shown(programs: Path, script: str, what: str) -> None:
    install(programs, script)
    with pytest.raises(UserError) as caught:
        ALIGNER.run(timeout=120)
    assert caught.value.what.startswith(f"tiny-aligner {what}")
    assert "pip install tiny-aligner" in caught.value.fix


def test_only_the_last_messages_are_shown(programs: Path) -> None:
    install(programs, "#!/bin/sh\nfor i in 1 2 3 4 5 6 7 8 9 10; do echo line $i >&2; done\nexit 1\n")
    with pytest.raises(UserError) as caught:
        ALIGNER.run(timeout=120)
    assert caught.value.what.splitlines()[1:] == [f"  line {i}" for i in range(3, 11)]


def test_after_the_time_out_the_program_and_its_children_are_ended(programs: Path, tmp_path: Path) -> None:
    """The child holds the writing end of a pipe, which the system closes when it ends."""
    os.mkfifo(tmp_path / "held")
    reader = os.open(tmp_path / "held", os.O_RDONLY | os.O_NONBLOCK)
    install(programs, f"#!/bin/sh\nsleep 60 > {tmp_path}/held &\nwait\n")
    with pytest.raises(UserError, match=r"did not finish within 0\.5 seconds"):
        ALIGNER.run(timeout=0.5)
    assert is_closed(reader)
    os.close(reader)


def is_closed(reader: int) -> bool:
    """Whether nobody holds the other end of a pipe any more; a killed process needs a moment to end."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        try:
            return os.read(reader, 1) == b""
        except BlockingIOError:
            time.sleep(0.02)
    return False


@pytest.mark.parametrize("timeout", [0, -1, float("nan"), float("inf")])
def test_a_time_out_that_cannot_be_is_refused(timeout: float) -> None:
    with pytest.raises(OptionError, match="invalid timeout"):
        check_timeout(timeout)


@pytest.mark.parametrize(
    ("tokens", "line"),
    [
        (("it", "works"), "it works"),
        (("1\u00a0000", "a b", "c\td\n"), "1_000 a_b c_d_"),
        (("", "|||", "||||"), "_ _ ||||"),
        (("x\u2028y", "x\x1cy"), "x_y x_y"),
    ],
    ids=["plain", "spaces inside", "empty and separator", "rare white space"],
)
def test_a_line_has_as_many_words_as_tokens(tokens: tuple[str, ...], line: str) -> None:
    assert line_of(tokens) == line
    assert len(line.split()) == len(tokens)


def test_links_are_read_with_one_line_a_pair(tmp_path: Path) -> None:
    (tmp_path / "links").write_text("1-0 0-0\n\n", encoding="utf-8")
    found = read_program_links(tmp_path / "links", PAIRS, program="tiny-aligner")
    assert found == [frozenset({(0, 0), (1, 0)}), frozenset()]
    assert list(symmetrized([undirected(found[0])], "union")) == [Alignment((0, 1), (0, 0))]


@pytest.mark.parametrize(
    ("written", "what"),
    [
        ("0-0\n", "1 segments"),
        ("0-0\n0-0\n0-0\n", "3 segments"),
        ("0-0\n0-2\n", "link 0-2 points outside"),
        ("0-0\nerror\n", "not an alignment link"),
        ("", "0 segments"),
    ],
    ids=["too few lines", "too many lines", "outside the sentence", "not links", "nothing"],
)
def test_output_that_does_not_fit_the_text_is_refused(tmp_path: Path, written: str, what: str) -> None:
    (tmp_path / "links").write_text(written, encoding="utf-8")
    with pytest.raises(UserError) as caught:
        read_program_links(tmp_path / "links", PAIRS, program="tiny-aligner")
    assert caught.value.what.startswith("tiny-aligner succeeded, but")
    assert what in caught.value.what


FIRST, NO_LINKS = frozenset({(0, 0)}), frozenset[tuple[int, int]]()


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstWords(TwoWayAligner):
    """Links the first words of pairs of at most two tokens per side, and remembers the pairs it was given."""

    label: ClassVar[str] = "p"
    most_tokens: ClassVar[float] = 2
    given: list[SentencePair] = field(default_factory=list)

    def version(self) -> str:
        return "1"

    def _run(self, pairs: Sequence[SentencePair]) -> list[Directions]:
        """The forward direction; the reverse one has no links."""
        self.given.extend(pairs)
        return [(FIRST, NO_LINKS)] * len(pairs)


class FirstWordsOfAll(FirstWords):
    most_tokens: ClassVar[float] = math.inf


class Fallback:
    """Links the first words of every pair and remembers how many pairs it saw."""

    seen = 0

    def align(self, pairs: Sequence[SentencePair]) -> Iterator[Alignment]:
        self.seen += len(pairs)
        return iter([Alignment((0,), (0,))] * len(pairs))


MIXED: list[SentencePair] = [((), ("x",)), (("a",), ("x",)), (("a", "b", "c"), ("x",)), (("a",), ())]
NOTHING, AHEAD, BOTH = (NO_LINKS, NO_LINKS), (FIRST, NO_LINKS), (FIRST, FIRST)


def test_empty_sides_have_no_links_and_are_not_given_to_the_program() -> None:
    aligner = FirstWordsOfAll()
    assert list(aligner.directions(MIXED)) == [NOTHING, AHEAD, AHEAD, NOTHING]
    assert aligner.given == MIXED[1:3]


def test_a_refused_pair_has_no_links_and_a_warning() -> None:
    with pytest.warns(InputWarning, match="p cannot align .* 1 of 4 have no links, the first is line 3"):
        found = list(FirstWords().directions(MIXED))
    assert found == [NOTHING, AHEAD, NOTHING, NOTHING]


def test_a_refused_pair_is_aligned_by_the_fallback_which_sees_all_pairs() -> None:
    fallback = Fallback()
    found = FirstWords(fallback=fallback).directions(MIXED)
    assert list(found) == [NOTHING, AHEAD, BOTH, NOTHING]
    assert fallback.seen == 4


@pytest.mark.parametrize(("tokens", "accepted"), [(1, True), (2, True), (3, False)])
def test_the_limit_of_tokens_holds_for_either_side(tokens: int, accepted: bool) -> None:
    long, short = ("w",) * tokens, ("w",)
    fallback = Fallback()
    aligner = FirstWords(fallback=fallback)
    assert len(list(aligner.align([(long, short), (short, long)]))) == 2
    assert len(aligner.given) == (2 if accepted else 0)
    assert fallback.seen == (0 if accepted else 2)


def test_nothing_is_run_without_a_full_pair() -> None:
    aligner = FirstWords()
    assert list(aligner.directions(MIXED[:1])) == [NOTHING]
    assert list(aligner.directions([])) == []
    assert aligner.given == []


def test_the_two_directions_of_every_pair_become_one_alignment() -> None:
    found = [(FIRST, frozenset({(1, 0)})), undirected(FIRST)]
    assert list(symmetrized(found, "union")) == [Alignment((0, 1), (0, 0)), Alignment((0,), (0,))]
    assert list(symmetrized(found, "intersection")) == [Alignment(), Alignment((0,), (0,))]


def test_the_version_of_a_program_is_a_hash_that_changes_with_it(programs: Path) -> None:
    install(programs, "#!/bin/sh\nexit 0\n")
    before = ALIGNER.version()
    assert re.fullmatch("[0-9a-f]{12}", before)
    assert ALIGNER.version() == before
    install(programs, "#!/bin/sh\nexit 1\n")
    os.utime(programs / ALIGNER.name, ns=(1, 1))
    assert ALIGNER.version() != before


def test_the_version_of_a_program_that_is_missing_is_its_install_line() -> None:
    with pytest.raises(UserError) as caught:
        ALIGNER.version()
    assert caught.value.fix == "pip install tiny-aligner"
