"""Digests of inputs: computed together or one by one, they are the same."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from anaphor.core import Files, LanguagePair, digest
from anaphor.corpus import Text, read_alignments, read_inputs, read_text
from anaphor.engine import native


def test_messages_hashed_together_have_the_digests_of_each() -> None:
    if native is None or native.digests([]) is None:
        pytest.skip("this machine hashes one message after the other")
    rng = random.Random(1)
    lengths = (0, 1, 55, 56, 63, 64, 65, 119, 120, 5000, 100_000)
    messages = [[rng.randbytes(rng.choice(lengths)) for _ in range(rng.randrange(5))] for _ in range(40)]
    assert native.digests(messages) == [digest(parts) for parts in messages]
    short = np.array([0, 1, -1, 32767, -32768] * 900, np.int16)
    wide = short.astype("<i4").tobytes()
    assert native.digests([[b"odd", short, b"end"]]) == [digest([b"odd", wide, b"end"])]
    with pytest.raises(TypeError):
        native.digests([["text"]])


def test_inputs_read_together_have_the_digests_of_each(tmp_path: Path) -> None:
    for name in ("source", "reference", "candidate"):
        (tmp_path / name).write_text(f"{name} é\n\n" * 3000, encoding="utf-8")
    (tmp_path / "links").write_text("0-0 1-1\n\n" * 3000, encoding="utf-8")
    (tmp_path / "unsure").write_text("0-1 1?0 99999-0\n\n" * 3000, encoding="utf-8")
    source, reference, candidate, links, unsure = (
        str(tmp_path / name) for name in ("source", "reference", "candidate", "links", "unsure")
    )
    files = Files(
        source=source,
        references=(reference,),
        candidates=(("a", candidate),),
        reference_alignments=(links,),
        candidate_alignments=(unsure,),
    )
    inputs = read_inputs(files, LanguagePair("en", "fr"))
    texts = (inputs.source, *inputs.references, *inputs.candidates.values())
    for text, path in zip(texts, (source, reference, candidate), strict=True):
        assert text.digest == read_text(path).digest == Text.of(text.lines, path="other").digest
    assert inputs.reference_alignments is not None
    assert inputs.candidate_alignments is not None
    assert inputs.reference_alignments[0].digest == read_alignments(links, segments=6000).digest
    assert inputs.candidate_alignments["a"].digest == read_alignments(unsure, segments=6000).digest
