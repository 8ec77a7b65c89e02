"""A small experiment in a fresh folder, and the command run on it in this process.

Seven pronouns. What the two systems make of them, counted by hand:

    segment  pronoun  reference  a                 b
    0        It       Il         Il    identical   Elle  different
    1        it       il         il    identical   il    identical once its missing link is repaired
    2        They     Elles      Ils   different   Elles identical
    3        It       C'         Il    equivalent  Ce    identical
    4        it       le         le    different   -     no candidate (le is no subject form)
    5        They     Ils        Ils   identical   Ils   identical
    5        they     -          ils   no reference  -   neither

APT is (3 + 0.5) / 7 for a, 4 / 7 for b and 3 / 7 for b without repair.
AutoPRF compares the linked words as they are: 2 * 4 / (7 + 6) for a, 2 * 2 / (4 + 6) for b.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from anaphor.cli.main import main

FILES = {
    "src.en": """\
It rains .
The cat sleeps because it is tired .
They laugh .
It is a lie .
Mary sees it .
They say that they lied .
""",
    "ref.fr": """\
Il pleut .
Le chat dort car il est las .
Elles rient .
C' est un mensonge .
Marie le voit .
Ils disent avoir menti .
""",
    "a.fr": """\
Il pleut .
Le chat dort car il est las .
Ils rient .
Il est un mensonge .
Marie le voit .
Ils disent qu' ils mentent .
""",
    "b.fr": """\
Elle pleut .
Le chat dort car il est las .
Elles rient .
Ce est un mensonge .
Marie voit .
Ils disent avoir menti .
""",
    "ref.align": """\
0-0 1-1 2-2
0-0 1-1 2-2 3-3 4-4 5-5 6-6 7-7
0-0 1-1 2-2
0-0 1-1 2-2 3-3 4-4
0-0 1-2 2-1 3-3
0-0 1-1 4-3 5-4
""",
    "a.align": """\
0-0 1-1 2-2
0-0 1-1 2-2 3-3 4-4 5-5 6-6 7-7
0-0 1-1 2-2
0-0 1-1 2-2 3-3 4-4
0-0 1-2 2-1 3-3
0-0 1-1 2-2 3-3 4-4 5-5
""",
    "b.align": """\
0-0 1-1 2-2
0-0 1-1 2-2 3-3 5-5 6-6 7-7
0-0 1-1 2-2
0-0 1-1 2-2 3-3 4-4
0-0 1-1 3-2
0-0 1-1 4-3 5-4
""",
    "docs": "rain\nrain\nparty\nparty\ntrial\ntrial\n",
}
SCORE = (
    *("score", "--pair", "en-fr", "--samples", "0", "--source", "src.en"),
    *("--reference", "ref.fr", "--alignment-reference", "ref.align"),
    *("--candidate", "a.fr", "b.fr", "--alignment-candidate", "a.align", "b.align"),
)

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the experiment, which is also the working directory."""
    for name, content in FILES.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("NO_COLOR", raising=False)
    return tmp_path


@pytest.fixture
def anaphor(folder: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs the command with any arguments; gives exit code, stdout and stderr."""

    def run(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = main(arguments)
        return code, *capsys.readouterr()

    return run


@pytest.fixture
def score(anaphor: Command) -> Command:
    """Runs `anaphor score` on the experiment; an option given again replaces the one of the fixture."""
    return lambda *options: anaphor(*without(SCORE, *options), *options)


def without(command: tuple[str, ...], *options: str) -> tuple[str, ...]:
    """The command without the options that are given again, because lists would add up."""
    kept: list[str] = []
    dropped = False
    for word in command:
        dropped = word in options if word.startswith("--") else dropped
        kept += [] if dropped else [word]
    return tuple(kept)
