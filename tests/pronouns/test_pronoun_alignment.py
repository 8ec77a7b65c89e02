"""Alignments made for the texts that came without."""

from __future__ import annotations

from anaphor.align import AlignerChoice
from anaphor.core import LanguagePair
from anaphor.corpus import AlignmentFile, Inputs, Text
from anaphor.corpus.alignments import parse_pharaoh
from anaphor.languages import split_words
from anaphor.pronouns import with_alignments

SOURCE = ("it sleeps", "they sleep", "it eats", "they eat", "it runs", "they run") * 4
REFERENCE = ("il dort", "ils dorment", "il mange", "ils mangent", "il court", "ils courent") * 4
CANDIDATE = ("elle dort", "elles dorment", "elle mange", "elles mangent", "elle court", "elles courent") * 4
CHOICE = AlignerChoice(pair=LanguagePair("en", "fr"), priors="none")


def inputs() -> Inputs:
    texts = [Text.of(lines, path=name) for name, lines in (("s", SOURCE), ("r", REFERENCE), ("c", CANDIDATE))]
    return Inputs(texts[0], (texts[1],), {"c": texts[2]})


def test_every_text_gets_links_and_regular_sentences_get_the_right_ones() -> None:
    made = with_alignments(inputs(), CHOICE, source=split_words, target=split_words)
    assert made.reference_alignments is not None
    assert made.candidate_alignments is not None
    for alignments in (made.reference_alignments[0], made.candidate_alignments["c"]):
        assert len(alignments) == len(SOURCE)
        links = [set(zip(a.sources, a.targets, strict=True)) for a in alignments]
        assert all((0, 0) in found and (1, 1) in found for found in links)


def test_given_alignments_stay() -> None:
    data = b"1-0\n" * len(SOURCE)
    given = AlignmentFile.of(parse_pharaoh(data, path="given"), path="given")
    texts = inputs()
    texts = Inputs(texts.source, texts.references, texts.candidates, reference_alignments=(given,))
    made = with_alignments(texts, CHOICE, source=split_words, target=split_words)
    assert made.reference_alignments == (given,)
    assert made.candidate_alignments is not None


def test_the_signature_names_model_way_and_priors() -> None:
    assert CHOICE.signature() == "anaphor-hmm-4+posterior+prior-none"
