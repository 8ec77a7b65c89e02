"""Digests of inputs: of what they hold, however they were read."""

from __future__ import annotations

from pathlib import Path

from anaphor.core import Files, LanguagePair
from anaphor.corpus import Text, read_alignments, read_inputs, read_text


def test_inputs_have_the_digest_of_their_content(tmp_path: Path) -> None:
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
