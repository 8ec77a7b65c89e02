"""Whole documents in Chinese and Japanese are cut at their sentences, which no space separates."""

from __future__ import annotations

import pytest

from anaphor.core import LanguagePair
from anaphor.segment import segment_document
from anaphor.segment.candidate import DocumentCutter
from tests.support.cjk import needs_cjk

SENTENCES = {
    "en": """
        The old bridge was closed in May because it was not safe.
        The engineers say that they need more money.
        It is late, and the shops are closed.
        She bought a lamp and put it on the table.
        They told the children that they could go home.
    """,
    "zh": """
        旧桥在五月关闭了，因为它不安全。
        工程师们说他们需要更多的钱。
        天已经晚了，商店都关门了！
        她买了一盏灯，把它放在桌子上。
        他们告诉孩子们可以回家了。
    """,
    "ja": """
        古い橋は安全ではなかったので、五月に閉鎖された。
        技術者たちは、彼らにはもっとお金が必要だと言っている。
        もう遅いので、店は閉まっている！
        彼女はランプを買って、それをテーブルの上に置いた。
        彼らは子供たちに、家に帰ってもよいと言った。
    """,
}


@needs_cjk
@pytest.mark.parametrize("pair", ["en-zh", "zh-en", "en-ja", "ja-en"])
def test_documents_are_cut_at_their_sentences(pair: str) -> None:
    source, target = (
        [line.strip() for line in SENTENCES[code].strip().split("\n")] for code in pair.split("-")
    )
    whole = (" " if pair.endswith("en") else "").join(target)
    segmentation = segment_document(source, whole, pair)
    assert [line.strip() for line in segmentation.cut(segmentation.stretches)] == target
    assert all(boundary.confidence > 0.5 for boundary in segmentation.boundaries)


@needs_cjk
def test_the_method_names_the_library_that_finds_words() -> None:
    assert "jieba" in DocumentCutter().method(LanguagePair("zh", "en"))
    assert "sudachi" in DocumentCutter().method(LanguagePair("en", "ja"))
    assert "anaphor-" not in DocumentCutter().method(LanguagePair("en", "fr")).removeprefix("anaphor-segment")
