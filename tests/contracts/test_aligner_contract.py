"""What every aligner promises, checked on every aligner in the registry that can run here."""

from __future__ import annotations

import pytest

from anaphor.align import ALIGNERS, AlignerChoice
from anaphor.align.programs import Aligner
from anaphor.core import LanguagePair, UserError

PAIRS = [
    (["the", "cat", "sleeps"], ["le", "chat", "dort"]),
    (["the", "dog", "sleeps"], ["le", "chien", "dort"]),
    ([], ["rien"]),
    (["nothing"], []),
    ([], []),
    (["the", "cat", "eats", "the", "fish", "."], ["le", "chat", "mange", "le", "poisson", "."]),
] * 5


@pytest.fixture(params=list(ALIGNERS))
def aligner(request: pytest.FixtureRequest) -> Aligner:
    built = AlignerChoice(pair=LanguagePair("en", "fr"), name=request.param).build()
    try:
        list(built.align(PAIRS[:1]))
    except UserError as error:
        if not error.fix.startswith(("pip install", "build ")):
            raise
        pytest.skip(f"{error.what}; {error.fix}")
    return built


def test_one_alignment_for_every_pair_and_no_link_outside_it(aligner: Aligner) -> None:
    found = list(aligner.align(PAIRS))
    assert len(found) == len(PAIRS)
    for alignment, (source, target) in zip(found, PAIRS, strict=True):
        assert all(0 <= link.source < len(source) for link in alignment.links())
        assert all(0 <= link.target < len(target) for link in alignment.links())


def test_empty_sides_have_no_links_and_others_have_some(aligner: Aligner) -> None:
    for alignment, (source, target) in zip(aligner.align(PAIRS), PAIRS, strict=True):
        assert bool(len(alignment)) == bool(source and target)


def test_no_pairs_no_alignments(aligner: Aligner) -> None:
    assert list(aligner.align([])) == []


def test_the_input_is_left_as_it_was(aligner: Aligner) -> None:
    pairs = [(list(source), list(target)) for source, target in PAIRS]
    list(aligner.align(pairs))
    assert pairs == PAIRS


def test_our_own_gives_the_same_links_again() -> None:
    choice = AlignerChoice(pair=LanguagePair("en", "fr"))
    assert list(choice.build().align(PAIRS)) == list(choice.build().align(PAIRS))
