"""Alignments for the texts that came without: all of them trained together, so that they help each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from anaphor.align import AlignerChoice
from anaphor.corpus import AlignmentFile, Inputs, Text
from anaphor.pronouns.find import Words


def with_alignments(inputs: Inputs, choice: AlignerChoice, *, source: Words, target: Words) -> Inputs:
    """The inputs with an alignment for every reference and candidate; given ones stay as they are."""
    references = inputs.references if inputs.reference_alignments is None else ()
    candidates = {} if inputs.candidate_alignments is not None else inputs.candidates
    if not references and not candidates:
        return inputs
    sentences = [source(line) for line in inputs.source.lines]
    made = iter(_align(sentences, (*references, *candidates.values()), choice, target))
    if references:
        inputs = replace(inputs, reference_alignments=tuple(islice(made, len(references))))
    if candidates:
        inputs = replace(inputs, candidate_alignments=dict(zip(candidates, made, strict=True)))
    return inputs


def _align(
    source: list[Sequence[str]], texts: Sequence[Text], choice: AlignerChoice, words: Words
) -> list[AlignmentFile]:
    pairs = [pair for text in texts for pair in zip(source, map(words, text.lines), strict=True)]
    links = iter(choice.build().align(pairs))
    return [
        AlignmentFile.made(islice(links, len(source)), path=f"{text.path} [aligned by {choice.name}]")
        for text in texts
    ]
