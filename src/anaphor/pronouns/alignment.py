"""Alignments for texts without one: all are word-aligned jointly, which improves the links."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from anaphor.align.choice import AlignerChoice
from anaphor.align.pairs import sentences_to_align
from anaphor.core import Alignment
from anaphor.corpus import AlignmentFile, Inputs, Text
from anaphor.languages import Words

if TYPE_CHECKING:
    from anaphor.align.programs import SentencePair


def with_alignments(inputs: Inputs, choice: AlignerChoice, *, source: Words, target: Words) -> Inputs:
    """The inputs with an alignment for every reference and candidate; given ones stay as they are."""
    if not _unaligned(inputs):
        return inputs
    links = choice.build().align(_pairs(inputs, source=source, target=target))
    return _completed(inputs, links, name=choice.name)


def with_alignments_by_symmetrization(
    inputs: Inputs, choice: AlignerChoice, symmetrizations: Sequence[str], *, source: Words, target: Words
) -> dict[str, Inputs]:
    """The same for several symmetrizations; the aligner is trained once for all."""
    from anaphor.align.aligners import align_with_each  # most runs need no aligner

    aligned = align_with_each(choice, _pairs(inputs, source=source, target=target), symmetrizations)
    return {name: _completed(inputs, links, name=choice.name) for name, links in aligned.items()}


def _unaligned(inputs: Inputs) -> tuple[Text, ...]:
    """The texts without an alignment: references, then candidates."""
    references = inputs.references if inputs.reference_alignments is None else ()
    candidates = inputs.candidates.values() if inputs.candidate_alignments is None else ()
    return (*references, *candidates)


def _pairs(inputs: Inputs, *, source: Words, target: Words) -> list[SentencePair]:
    sentences = list(sentences_to_align(inputs.source, source))
    return [
        pair
        for text in _unaligned(inputs)
        for pair in zip(sentences, sentences_to_align(text, target), strict=True)
    ]


def _completed(inputs: Inputs, links: Iterable[Alignment], *, name: str) -> Inputs:
    """The inputs with these links, given in the order of `_unaligned`."""
    remaining = iter(links)
    made = iter(
        [
            AlignmentFile.made(islice(remaining, inputs.segments), path=f"{text.path} [aligned by {name}]")
            for text in _unaligned(inputs)
        ]
    )
    if inputs.reference_alignments is None and inputs.references:
        inputs = replace(inputs, reference_alignments=tuple(islice(made, len(inputs.references))))
    if inputs.candidate_alignments is None and inputs.candidates:
        inputs = replace(inputs, candidate_alignments=dict(zip(inputs.candidates, made, strict=True)))
    return inputs
