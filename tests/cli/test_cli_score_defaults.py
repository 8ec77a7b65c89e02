"""What `anaphor score` computes when no metric is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import anaphor as package
from anaphor.cli.main import main

SOURCE = ["The lamp is old.", "It still works."]
TARGET = ["Die Lampe ist alt.", "Es geht noch."]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, lines in (("src.en", SOURCE), ("a.de", TARGET), ("ref.de", TARGET)):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return tmp_path


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("reference", "metrics"), [([], ["accept"]), (["--reference", "ref.de"], ["apt", "autoprf"])]
)
def test_the_metrics_depend_on_whether_there_is_a_reference(
    capsys: pytest.CaptureFixture[str], reference: list[str], metrics: list[str]
) -> None:
    given = ["--pair", "EN-DE", "--source", "src.en", "--candidate", "a.de", "--samples", "0", "--json"]
    assert main(["score", *given, *reference]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["settings"]["metrics"] == metrics
    assert found["settings"]["pair"] == "en-de"


def test_the_library_has_the_same_defaults() -> None:
    common = {"source": SOURCE, "systems": {"a": TARGET}, "pair": "EN-DE", "samples": 0}
    assert list(package.evaluate(**common).scores["a"]) == ["accept"]  # type: ignore[arg-type]
    with_reference = package.evaluate(**common, references=TARGET)  # type: ignore[arg-type]
    assert list(with_reference.scores["a"]) == ["apt", "autoprf"]
