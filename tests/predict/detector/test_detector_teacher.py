"""A stopped training of the teacher goes on as if it had not stopped."""

from __future__ import annotations

import argparse
import itertools
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="torch is not installed: pip install 'anaphor[neural]'")

import torch

from tools.detector import teacher

SIZE = 40


class Small(torch.nn.Module):
    """In place of a language model: an embedding whose mean is read."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(3)
        self.embedding = torch.nn.Embedding(50, 4)
        self.last = torch.nn.Linear(4, 1)

    def forward(self, rows: Any, _ends: Any) -> Any:
        return self.last(self.embedding(rows).mean(1))[:, 0]

    def trained(self) -> dict[str, Any]:
        return dict(self.named_parameters())


@pytest.fixture
def pronouns() -> Any:
    return SimpleNamespace(
        label=(np.arange(SIZE) % 2).astype(np.float32),
        is_real=np.zeros(SIZE, dtype=bool),
        is_judged=np.arange(SIZE) < 4,
        names=[f"text/{n}:0:0:real" for n in range(SIZE)],
        set_of=["text"] * SIZE,
        table={"language": np.zeros(SIZE, int), "kind": np.zeros(SIZE, int)},
    )


class Stopped(Exception):  # noqa: N818
    """Somebody pulled the plug."""


def train(
    monkeypatch: pytest.MonkeyPatch, pronouns: Any, folder: Path, *, resume: bool, ticks: int | None = None
) -> dict[str, Any]:
    """What a training of 60 seconds learned, where each look at the clock takes one."""
    folder.mkdir(exist_ok=True)
    clock = itertools.count(1_000.0)

    def now() -> float:
        value = next(clock)
        if ticks is not None and value >= 1_000 + ticks:
            raise Stopped
        return value

    monkeypatch.setattr("time.time", now)
    monkeypatch.setattr(teacher, "DEVICE", "cpu")
    monkeypatch.setattr(teacher, "TOKENS", 32 * 6)
    options = argparse.Namespace(
        output=folder, seed=1, rate=0.05, minutes=1, every=5, weight={}, resume=resume
    )
    sequences = [[n, (7 * n) % 50, 3] for n in range(SIZE)]
    model: Any = Small()
    teacher.train(options, pronouns, sequences, model)
    learned = {name: value.detach().clone() for name, value in model.trained().items()}
    assert not torch.equal(learned["embedding.weight"], Small().embedding.weight)
    return learned


def test_the_same_is_learned_with_and_without_a_stop(
    monkeypatch: pytest.MonkeyPatch, pronouns: Any, tmp_path: Path
) -> None:
    whole = train(monkeypatch, pronouns, tmp_path / "whole", resume=False)
    with pytest.raises(Stopped):
        train(monkeypatch, pronouns, tmp_path / "parts", resume=False, ticks=33)
    saved = torch.load(tmp_path / "parts" / "state.pt", weights_only=True)
    assert saved["steps"] == 25
    parts = train(monkeypatch, pronouns, tmp_path / "parts", resume=True)
    torch.testing.assert_close(parts, whole, rtol=0, atol=0)


def test_without_resume_it_starts_anew(
    monkeypatch: pytest.MonkeyPatch, pronouns: Any, tmp_path: Path
) -> None:
    whole = train(monkeypatch, pronouns, tmp_path, resume=False)
    again = train(monkeypatch, pronouns, tmp_path, resume=False)
    torch.testing.assert_close(again, whole, rtol=0, atol=0)


def test_a_finished_training_learns_nothing_more(
    monkeypatch: pytest.MonkeyPatch, pronouns: Any, tmp_path: Path
) -> None:
    train(monkeypatch, pronouns, tmp_path, resume=False)
    before = torch.load(tmp_path / "state.pt", weights_only=True)
    adapter = (tmp_path / "adapter.pt").read_bytes()
    train(monkeypatch, pronouns, tmp_path, resume=True)
    after = torch.load(tmp_path / "state.pt", weights_only=True)
    assert after["steps"] == before["steps"]
    assert (tmp_path / "adapter.pt").read_bytes() == adapter
