"""Lines that are too long to be aligned are refused with their number, before memory is spent on them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import anaphor
from anaphor.align import AlignerChoice
from anaphor.align.pairs import MOST_TOKENS
from anaphor.align.texts import align_texts
from anaphor.core import InputError, LanguagePair

PAIR = LanguagePair("en", "fr")
LONG = " ".join(["it"] * (MOST_TOKENS + 1))


@pytest.fixture
def files(tmp_path: Path) -> Callable[..., tuple[str, str]]:
    def write(source: str, target: str) -> tuple[str, str]:
        for name, long in (("s", source), ("t", target)):
            (tmp_path / name).write_text(f"it rains\nit falls\n{long}\n", encoding="utf-8")
        return str(tmp_path / "s"), str(tmp_path / "t")

    return write


@pytest.mark.parametrize("side", ["s", "t"])
def test_align_names_the_line(side: str, files: Callable[..., tuple[str, str]]) -> None:
    pair = files(LONG if side == "s" else "it", LONG if side == "t" else "it")
    with pytest.raises(InputError, match="has 10,001 tokens, and the aligner takes at most") as caught:
        align_texts(AlignerChoice(pair=PAIR), pair, tokenized=True)
    assert str(caught.value.where) == f"{pair[0] if side == 's' else pair[1]}:3"


def test_score_names_the_line_of_the_candidate() -> None:
    texts = {"source": ["it", "it rains"], "references": [["il", "il pleut"]], "tokenized": True}
    with pytest.raises(InputError, match="10,001 tokens") as caught:
        anaphor.evaluate(**texts, systems={"mine": ["il", LONG.replace("it", "il")]}, pair="en-fr")  # type: ignore[arg-type]
    assert str(caught.value.where) == "<mine>:2"


def test_the_number_of_a_pair_is_counted_over_all_batches() -> None:
    pairs = [(("it",), ("il",))] * 9000 + [(("it",), tuple(LONG.split()))]
    with pytest.raises(InputError, match="10,001 tokens") as caught:
        list(AlignerChoice(pair=PAIR).align(pairs))
    assert caught.value.where.line == 9001


def test_the_longest_line_that_is_aligned_takes_little_memory(tmp_path: Path) -> None:
    """200,000 words in the longest lines, and as many in short ones, each in a process of its own."""

    def peak(lines: int, words: int) -> int:
        for name, word in (("s", "it"), ("t", "il")):
            text = " ".join([word, "house", "lamp", "tree", "falls"] * (words // 5))
            (tmp_path / name).write_text(f"{text}\n" * lines, encoding="utf-8")
        command = "align run -s s --target t --pair en-fr --tokenized --threads 1 --quiet --output links"
        script = (
            "import resource, subprocess, sys\n"
            "subprocess.run([sys.executable, '-m', 'anaphor', *sys.argv[1:]], check=True)\n"
            "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
        )
        found = subprocess.run(
            [sys.executable, "-c", script, *command.split()],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(Path(anaphor.__file__).parents[1])},
            capture_output=True,
            text=True,
            check=True,
        )
        return int(found.stdout.split()[-1]) << (0 if sys.platform == "darwin" else 10)

    assert peak(20, MOST_TOKENS) - peak(10_000, 20) < 400 << 20
