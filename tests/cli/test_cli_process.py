"""The command as a process of its own: exit codes, standard input, broken pipes, colour."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import anaphor
from tests.cli.on_terminal import run_on_terminal

ANAPHOR = (sys.executable, "-m", "anaphor.cli.main")
SCORE = (*ANAPHOR, "score", "--pair", "en-fr", "--samples", "0", "--source", "src.en")
#: The package that is tested here, wherever it was imported from; the user's taste of colours is left out.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
ENVIRONMENT["PYTHONPATH"] = str(Path(anaphor.__file__).parents[1])
LINKS = ("--alignment-reference", "ref.align", "--alignment-candidate", "a.align")


def run(command: tuple[str, ...], standard_input: bytes) -> tuple[int, bytes, bytes]:
    """Exit code, stdout and stderr."""
    done = subprocess.run(command, input=standard_input, capture_output=True, env=ENVIRONMENT, check=False)
    return done.returncode, done.stdout, done.stderr


def test_a_text_comes_from_the_standard_input(folder: Path) -> None:
    command = (*SCORE, *LINKS, "--reference", "ref.fr", "--candidate", "piped=-")
    code, out, err = run(command, (folder / "a.fr").read_bytes())
    assert (code, err) == (0, b"")
    assert out.decode().splitlines()[3].split() == ["piped", "50.0", "61.5"]


def test_a_candidate_on_the_standard_input_needs_no_name_and_no_second(folder: Path) -> None:
    command = (*SCORE, "-r", "ref.fr", "--priors", "none", "-c")
    code, out, _ = run((*command, "-"), (folder / "a.fr").read_bytes())
    assert code == 0
    assert out.decode().splitlines()[3].startswith("stdin ")
    code, out, err = run((*command, "-", "b=-"), (folder / "a.fr").read_bytes())
    assert (code, out) == (1, b"")
    assert err.startswith(b"error: standard input can only be used for one file\nwhere: -\n")
    suite = (*ANAPHOR, "suite", "evaluate", "any", "-c", "a=-", "b=-")
    assert run(suite, b"x\n")[2].startswith(b"error: standard input can only be used for one file\n")


def test_an_error_is_printed_on_stderr_alone(folder: Path) -> None:
    command = (*SCORE, *LINKS, "--reference", "ref.fr", "--candidate", "-", "--output", "result.json")
    code, out, err = run(command, b"\xff\n")
    assert (code, out) == (1, b"")
    assert err.decode().splitlines()[:2] == [
        "error: byte 0xff is not valid UTF-8",
        "where: <stdin>:1:1",
    ]
    assert not (folder / "result.json").exists()


def test_notes_go_to_stderr_and_leave_stdout_alone(folder: Path) -> None:
    command = (*SCORE, *LINKS, "--reference", "ref.fr", "--candidate", "a=-", "--json")
    code, out, err = run(command, (folder / "a.fr").read_bytes().replace(b"\n", b"\r\n"))
    assert (code, err) == (0, b"note: <stdin>: read Windows line ends (CRLF)\n")
    assert out.startswith(b"{")


def test_a_reader_that_has_gone_is_no_mistake(folder: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = (*ANAPHOR, "list")
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, env=ENVIRONMENT, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize(("no_color", "coloured"), [(None, True), ("1", False), ("", True)])
def test_colour_on_a_terminal_unless_no_color_is_set(
    folder: Path, no_color: str | None, coloured: bool
) -> None:
    environment = {**ENVIRONMENT, **({} if no_color is None else {"NO_COLOR": no_color})}
    terminal, end = os.openpty()
    subprocess.run([*ANAPHOR, "selfcheck", "--pair", "en-fr"], stdout=end, env=environment, check=True)
    os.close(end)
    shown = os.read(terminal, 10_000)
    os.close(terminal)
    assert (b"\x1b[" in shown) is coloured
    assert b"holds" in shown


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_progress_on_a_terminal_stays_off_stdout(folder: Path) -> None:
    command = (*SCORE, *LINKS, "--reference", "ref.fr", "--candidate", "a.fr", "--json")
    output, shown = run_on_terminal(command, ENVIRONMENT)
    assert b"scoring with apt ..." in shown
    assert shown.endswith(b"\r\x1b[K")  # the line is wiped
    assert output.startswith(b"{")


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_the_share_of_the_alignment_that_is_made_is_shown(folder: Path) -> None:
    command = (*SCORE, "--reference", "ref.fr", "--candidate", "a.fr", "--priors", "none", "--json")
    _, shown = run_on_terminal(command, ENVIRONMENT)
    assert re.search(rb"aligning: [a-z ]+, 100% \.\.\.", shown)


def test_the_end_of_the_process_waits_for_threads_and_calls_what_was_registered_for_it() -> None:
    program = """if True:
        import atexit, sys, threading
        from anaphor.cli.main import run_and_exit
        def late():
            threading.main_thread().join()
            print("thread")
        if sys.argv.pop() == "thread":
            threading.Thread(target=late).start()
        atexit.register(print, "registered")
        run_and_exit()
    """
    command = (sys.executable, "-c", program, "completion", "bash")
    for last, expected in (("thread", [b"thread", b"registered"]), ("none", [b"registered"])):
        code, out, err = run((*command, last), b"")
        assert (code, err) == (0, b"")
        lines = out.splitlines()
        assert len(lines) > 20
        assert lines[-len(expected) :] == expected
