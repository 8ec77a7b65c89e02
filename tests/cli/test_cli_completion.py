"""`anaphor completion`, tried in the shells themselves."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from anaphor.cli.completion import SHELLS, completion

Complete = Callable[[str], set[str]]
BASH = """source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_anaphor; printf '%s\\n' "${COMPREPLY[@]}"
"""


def in_bash(script: Path, line: str) -> set[str]:
    words = line.split(" ")
    command = ["bash", "--norc", "-c", BASH, "bash", str(script), *words]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    assert not found.stderr
    return set(found.stdout.split())


def in_fish(script: Path, line: str) -> set[str]:
    code = "source $argv[1]; complete -C $argv[2]"
    command = ["fish", "--no-config", "-c", code, str(script), line]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    assert not found.stderr
    return {text.partition("\t")[0] for text in found.stdout.splitlines()}


def in_zsh(script: Path, line: str) -> set[str]:
    """What an interactive zsh shows or inserts for a tab after the line."""
    child, terminal = pty.fork()
    if not child:
        os.chdir(script.parent)
        os.execvpe("zsh", ["zsh", "-f", "-i"], {**os.environ, "TERM": "dumb", "COLUMNS": "100"})  # noqa: S606
    try:
        setup = f"unsetopt zle_bracketed_paste; autoload -Uz compinit; compinit -D -u; source {script}"
        os.write(terminal, f"PS1= RPS1=; {setup}; print rea''dy\n".encode())
        read_until(terminal, "ready")
        os.write(terminal, f"{line}\t\t".encode())
        time.sleep(1)
        os.write(terminal, b"\x15print do''ne\n")  # clears the line, whatever it has become
        return set(re.split(r"[\s\r\x07\x08]+", read_until(terminal, "done")))
    finally:
        os.close(terminal)
        os.waitpid(child, 0)


def read_until(terminal: int, mark: str) -> str:
    text = ""
    while f"{mark}\r" not in text:
        assert select.select([terminal], [], [], 120)[0], f"zsh says no more than {text!r}"
        text += os.read(terminal, 1 << 16).decode("utf-8", "replace")
    return text


@pytest.fixture(params=SHELLS)
def complete(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Complete:
    shell = request.param
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    script = tmp_path / f"anaphor.{shell}"
    script.write_text(completion(shell), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "reference.fr").touch()
    run = {"bash": in_bash, "fish": in_fish, "zsh": in_zsh}[shell]
    return lambda line: run(script, line)


@pytest.mark.parametrize(
    ("line", "offered", "not_offered"),
    [
        ("anaphor ver", {"verify"}, {"score"}),
        ("anaphor a", {"align", "annotate"}, {"score"}),
        ("anaphor align ", {"run", "train", "evaluate"}, {"score"}),
        ("anaphor align run --sc", {"--scores"}, {"--source"}),
        ("anaphor score --by ", {"case", "pronoun", "document", "matrix", "clipped"}, {"classes"}),
        ("anaphor score -p en-", {"en-de", "en-es", "en-fr"}, {"de-en"}),
        ("anaphor score -m apt met", {"meteor", "meteor-pronouns"}, {"apt-2017"}),
        ("anaphor score -q --paired --fa", {"--fail-under"}, {"--paired-"}),
        ("anaphor completion ", {"bash", "zsh", "fish"}, {"score"}),
        ("anaphor task lm ", {"train", "tune"}, {"prepare"}),
    ],
)
def test_words_are_completed(complete: Complete, line: str, offered: set[str], not_offered: set[str]) -> None:
    found = complete(line)
    assert offered <= found
    assert not not_offered & found


def test_where_a_file_is_meant_its_name_is_completed(
    complete: Complete, request: pytest.FixtureRequest
) -> None:
    found = complete("anaphor score --reference refer")
    if request.node.callspec.params["complete"] == "bash":
        # Where the function offers nothing, interactive bash completes files: `complete -o default`.
        assert found == set()
        assert "complete -o default" in completion("bash")
    else:
        assert "reference.fr" in found


def test_a_completion_is_fast(complete: Complete) -> None:
    """A tab must not be felt; the shell itself takes most of this time, and zsh has to start a terminal."""
    start = time.process_time()
    times = os.times()
    complete("anaphor predict train --pa")
    after = os.times()
    spent = after.children_user + after.children_system - times.children_user - times.children_system
    assert spent + time.process_time() - start < 2


def test_every_command_and_option_is_in_every_script() -> None:
    for word in ("postedit", "equivalents", "--alignment-sensitivity", "--learn-from"):
        assert [shell for shell in SHELLS if word.removeprefix("--") in completion(shell)] == [*SHELLS]
