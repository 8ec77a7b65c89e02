"""The picture of README.md and the site shows what the demo's report says now."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def tool() -> Iterator[ModuleType]:
    """The script that makes the picture."""
    spec = util.spec_from_file_location("readme_picture", ROOT / "tools" / "readme_picture.py")
    assert spec is not None
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    sys.modules["readme_picture"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["readme_picture"]


def test_the_picture_and_its_alternative_text_are_current(tool: ModuleType) -> None:
    words, _ = tool.current_card()
    rerun = "run: python tools/readme_picture.py"
    assert tool.words_of(tool.PICTURE.read_bytes()) == words, rerun
    for page, path in tool.PAGES.items():
        assert f"{tool.MARK}\n{tool.image_line(words, path)}\n" in page.read_text(encoding="utf-8"), rerun
    assert "accepted: " in words
    assert "rejected: " in words
    assert " → " in words


def test_the_picture_is_small(tool: ModuleType) -> None:
    assert tool.PICTURE.stat().st_size < 150_000


def test_words_are_read_back_from_a_picture(tool: ModuleType) -> None:
    header = b"\x89PNG\r\n\x1a\n" + b"\0\0\0\x0dIHDR" + b"\0" * 17
    end = b"\0\0\0\0IEND\xae\x42\x60\x82"
    assert tool.words_of(tool.with_words(header + end, "“keys” → « clés »")) == "“keys” → « clés »"
    assert tool.words_of(header + end) == ""
