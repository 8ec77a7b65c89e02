"""Large files are linked in blocks, of which one is in memory at a time."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest

from anaphor.check import CheckInput, CheckOptions, check_files, linking
from anaphor.check.linking import LinkedBlock
from anaphor.check.verdicts import Examined, examine
from anaphor.core import LanguagePair, Progress


@pytest.fixture
def no_collector() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("no_collector")
def test_a_block_is_freed_before_the_next_is_linked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "units.tsv"
    rows = [f"{number}\tIt is an old lamp.\tEs ist eine alte Lampe." for number in range(6)]
    path.write_text("\n".join(["document\tsource\ttarget", *rows]) + "\n", encoding="utf-8")
    blocks: list[weakref.ref[LinkedBlock]] = []
    alive: list[int] = []

    def counting(block: LinkedBlock, progress: Progress) -> list[Examined]:
        blocks.append(weakref.ref(block))
        alive.append(sum(seen() is not None for seen in blocks))
        return examine(block, progress)

    monkeypatch.setattr(linking, "BLOCK", 2)
    monkeypatch.setattr("anaphor.check.checking.examine", counting)
    report = check_files([CheckInput(path=str(path), pair=LanguagePair("en", "de"))], CheckOptions(fast=True))
    assert report.units == 6
    assert alive == [1, 1, 1]
