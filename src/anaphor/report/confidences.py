"""How sure the aligner is of the links of the judged pronouns.

Scores need links alone, so the alignments in memory do not keep confidences. Where an aligner made them, it
runs once more for those who want to see them; its links are the same both times.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from anaphor.align import SentencePair
from anaphor.core import Alignment, Pronoun, Result
from anaphor.corpus import Inputs, Text
from anaphor.metrics import Equipment

Place = tuple[int, int]
Found = Mapping[Place, Mapping[int, float]]


@dataclass(frozen=True, slots=True)
class Confidences:
    """For every text, source place (segment, token) and target token: the confidence of the link.

    Empty where links were given, or come from an aligner that has no confidences.
    """

    references: Mapping[int, Found] = field(default_factory=dict)
    candidates: Mapping[str, Found] = field(default_factory=dict)

    def of_reference(self, number: int, pronoun: Pronoun) -> Mapping[int, float]:
        return self.references.get(number, {}).get((pronoun.segment, pronoun.position), {})

    def of_candidate(self, system: str, pronoun: Pronoun) -> Mapping[int, float]:
        return self.candidates.get(system, {}).get((pronoun.segment, pronoun.position), {})


def read_confidences(
    result: Result, inputs: Inputs, progress: Callable[[str], None] = lambda _: None
) -> Confidences:
    """Align what came without links as the score did, and keep what is said of the judged pronouns."""
    references = () if inputs.reference_alignments is not None else inputs.references
    candidates = {} if inputs.candidate_alignments is not None else inputs.candidates
    texts = (*references, *candidates.values())
    if not texts:
        return Confidences()
    equipment = Equipment.of(result.settings)
    choice = equipment.aligner.telling("reading confidences", progress)
    links = iter(choice.build().align(_pairs(texts, inputs, equipment)))
    wanted = {(v.pair.source.segment, v.pair.source.position) for v in result.systems[0].verdicts}
    found = [_found(islice(links, inputs.segments), wanted) for _ in texts]
    return Confidences(
        dict(enumerate(found[: len(references)])),
        dict(zip(candidates, found[len(references) :], strict=True)),
    )


def _pairs(texts: tuple[Text, ...], inputs: Inputs, equipment: Equipment) -> list[SentencePair]:
    """References before candidates, as the score aligns them: texts aligned together help each other."""
    source = [equipment.source.words(line) for line in inputs.source.lines]
    return [
        pair for text in texts for pair in zip(source, map(equipment.target.words, text.lines), strict=True)
    ]


def _found(alignments: Iterator[Alignment], wanted: set[Place]) -> Found:
    found: dict[Place, dict[int, float]] = {}
    for segment, alignment in enumerate(alignments):
        if alignment.confidence is None:
            continue
        for link in alignment.links():
            if link.confidence is not None and (segment, link.source) in wanted:
                found.setdefault((segment, link.source), {})[link.target] = round(link.confidence, 4)
    return found
