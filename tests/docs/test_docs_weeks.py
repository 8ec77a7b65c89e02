"""First weeks with real data: scripts whose transcripts are in benchmarks/weeks/README.md.

A script of `tests/weeks` is a shell script. Each of its commands runs in a shell of its own in one folder,
and the transcript shows the comments, the commands, what they print, and exit codes other than 0. After a
change:

    ANAPHOR_DATA=... python -m tests.docs.test_docs_weeks --write [paper-table]
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.etree import ElementTree as ET

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "benchmarks" / "weeks" / "README.md"
WEEKS = sorted((ROOT / "tests" / "weeks").glob("*.sh"))


def commands(script: Path) -> Iterator[str]:
    """Comments, empty lines and commands, each with the lines that continue it."""
    yield from re.findall(r"(?:.*\\\n)*.*\n", script.read_text(encoding="utf-8"))


def transcript(script: Path, folder: Path, data: Path) -> str:
    """What a person sees who types the script; the command is that of this checkout."""
    programs = folder / "bin"
    programs.mkdir()
    (programs / "anaphor").write_text(
        f'#!/bin/sh\nexec "{sys.executable}" -m anaphor "$@"\n', encoding="utf-8"
    )
    (programs / "anaphor").chmod(0o755)
    paths = os.pathsep.join([str(programs), os.environ["PATH"]])
    environment = {
        **os.environ,
        "PATH": paths,
        "ANAPHOR_DATA": str(data),
        "PYTHONPATH": os.pathsep.join(
            str(ROOT / folder) for folder in ("src", "packages/anaphor-research/src")
        ),
    }
    shown = ""
    for command in commands(script):
        if not command.strip() or command.startswith("#"):
            shown += command
            continue
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        )
        # A slow machine writes lines of progress, a fast one none.
        printed = re.sub(r"^.* \.\.\.\n", "", done.stdout, flags=re.MULTILINE)
        shown += f"$ {command}{printed}" + (f"[exit code {done.returncode}]\n" if done.returncode else "")
    return shown


def shown_on_page(name: str) -> str:
    """The transcript of a script as the page has it."""
    match = re.search(
        rf"<!-- transcript: {re.escape(name)} -->\n\n```text\n(.*?)```\n", PAGE.read_text("utf-8"), re.DOTALL
    )
    assert match, f"benchmarks/weeks/README.md has no transcript of {name}"
    return match[1]


@pytest.mark.slow
@pytest.mark.skipif(
    not (shutil.which("bash") and shutil.which("perl")), reason="the scripts need bash and perl"
)
@pytest.mark.parametrize("script", WEEKS, ids=lambda script: script.stem)
def test_a_first_week_goes_as_the_page_says(script: Path, data_dir: Path, tmp_path: Path) -> None:
    assert transcript(script, tmp_path, data_dir) == shown_on_page(script.name)
    if script.stem == "paper-table":
        table = (tmp_path / "table.tex").read_text(encoding="utf-8")
        for part in (
            "APT, they",
            r"\textbf{",
            r"$^{\uparrow}$",
            r"$^{\downarrow}$",
            "reference 2 by the others",
        ):
            assert part in table
        assert table.count(r"{\scriptsize [") == 10 * 3  # five systems, five bounds
        assert r"\caption{Pronoun translation, en-de (997 segments, 170 documents, 631 pronouns)" in table
        return
    root = ET.parse(tmp_path / "gates.xml").getroot()
    if script.stem == "nightly-gate":
        # Friday: five systems, none of which could be checked.
        assert (root.get("tests"), root.get("errors")) == ("5", "5")
    else:
        assert root.get("failures") == "1"
        page = (tmp_path / "discomt.html").read_text(encoding="utf-8")
        # The page shows every mismatch: 0.8040 of 250 items match in `masculine`, and `plural` has no others.
        assert page.count("<article>") == 250 - round(0.8040 * 250)


def test_no_sentence_of_the_data_is_on_the_page(data_dir: Path) -> None:
    """The texts are not ours to print: no line of the page may share six words with them in a row."""
    grams: set[tuple[str, ...]] = set()
    with tarfile.open(data_dir / "wmt24-en-de" / "texts.tar.gz") as archive:
        for member in archive.getmembers():
            if member.name.endswith(".txt") and (file := archive.extractfile(member)):
                grams |= set(_grams(file.read().decode("utf-8")))
    with tarfile.open(data_dir / "parcorfull" / "parcor-full-corpus.tar.gz") as archive:
        for member in archive.getmembers():
            if member.name.endswith("_words.xml") and (file := archive.extractfile(member)):
                grams |= set(_grams(" ".join(re.findall(r">([^<]+)</word>", file.read().decode("utf-8")))))
    assert len(grams) > 100_000
    assert not [gram for script in WEEKS for gram in _grams(shown_on_page(script.name)) if gram in grams]


def _grams(text: str) -> Iterator[tuple[str, ...]]:
    words = text.lower().split()
    return zip(*(words[start:] for start in range(6)), strict=False)


def write() -> None:
    """Run the scripts, or those that are named, and put their transcripts on the page."""
    text = PAGE.read_text(encoding="utf-8")
    for script in [script for script in WEEKS if not sys.argv[2:] or script.stem in sys.argv[2:]]:
        with TemporaryDirectory() as folder:
            found = transcript(script, Path(folder), Path(os.environ["ANAPHOR_DATA"]))
        begin = f"<!-- transcript: {script.name} -->\n\n```text\n"
        before, rest = text.split(begin)
        text = before + begin + found + rest[rest.index("```\n") :]
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    assert sys.argv[1:2] == ["--write"]
    write()
