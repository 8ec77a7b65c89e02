"""The aligner as its users see it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anaphor.align import HmmAligner, HmmOptions, Reading, TrainedAligner, load_engine
from anaphor.align.programs import SentencePair
from anaphor.core import InputError, LanguagePair, MismatchError, OptionError

ENGINES = [
    pytest.param("native", marks=pytest.mark.skipif("not __import__('anaphor.align').align.has_native()")),
    "reference",
]


def tokens(text: str) -> tuple[str, ...]:
    return tuple(text.split())


PAIRS: list[SentencePair] = [
    (tokens("the house"), tokens("la maison")),
    (tokens("the small house"), tokens("la petite maison")),
    (tokens("a book"), tokens("un livre")),
    (tokens("the book"), tokens("le livre")),
    (tokens("a small book"), tokens("un petit livre")),
    (tokens("it is a house"), tokens("elle est une maison")),
    (tokens("it is small"), tokens("il est petit")),
]


@pytest.mark.parametrize("engine", ENGINES)
def test_words_that_go_together_are_linked(engine: str) -> None:
    links = list(HmmAligner(engine=load_engine(engine)).align(PAIRS))
    assert set(zip(links[0].sources, links[0].targets, strict=True)) == {(0, 0), (1, 1)}
    assert set(zip(links[3].sources, links[3].targets, strict=True)) == {(0, 0), (1, 1)}
    assert all(0 < c <= 1 for alignment in links for c in alignment.confidence or ())


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("reading", [Reading.FORWARD, Reading.REVERSE])
def test_one_direction_alone_links_every_word_at_most_once(engine: str, reading: Reading) -> None:
    options = HmmOptions(reading=reading, agree=False)
    for alignment in HmmAligner(options, engine=load_engine(engine)).align(PAIRS):
        steps = alignment.targets if reading is Reading.FORWARD else alignment.sources
        assert len(set(steps)) == len(steps)
        assert len(alignment) > 0


@pytest.mark.parametrize("engine", ENGINES)
def test_empty_and_long_sentences_keep_their_place(engine: str) -> None:
    long = tuple(f"{n:03d}" for n in range(210))
    pairs: list[SentencePair] = [*PAIRS, ((), tokens("la")), (tokens("it"), ()), ((), ()), (long, long)]
    links = list(HmmAligner(engine=load_engine(engine)).align(pairs))
    assert len(links) == len(pairs)
    assert [len(alignment) for alignment in links[7:10]] == [0, 0, 0]
    assert len(links[10]) > 100


def test_nothing_in_gives_nothing_out() -> None:
    assert list(HmmAligner().align([])) == []


def test_training_on_nothing_is_refused() -> None:
    with pytest.raises(InputError, match="nothing to train on"):
        HmmAligner().train([])


def test_a_clitic_inside_a_verb_is_linked_through_the_verb() -> None:
    pairs: list[SentencePair] = [
        (tokens("I want to feel it"), tokens("quiero sentirla")),
        (tokens("I see it"), tokens("la veo")),
        (tokens("he sees it"), tokens("él la ve")),
        (tokens("I want to feel"), tokens("quiero sentir")),
        (tokens("you want it"), tokens("la quieres")),
    ]
    aligner = HmmAligner(pair=LanguagePair("en", "es"))
    links = list(aligner.align(pairs * 4))
    assert (4, 1) in set(zip(links[0].sources, links[0].targets, strict=True))


def test_a_model_saved_and_loaded_gives_the_same_links(tmp_path: Path) -> None:
    trained = HmmAligner(pair=LanguagePair("en", "fr")).train(PAIRS)
    trained.save(tmp_path / "en-fr.model")
    loaded = TrainedAligner.load(tmp_path / "en-fr.model", pair=LanguagePair("en", "fr"))
    new: list[SentencePair] = [*PAIRS, (tokens("the unheard-of house"), tokens("la maison inouïe"))]
    assert list(loaded.align(new)) == list(trained.align(new))
    assert loaded.options == trained.options


def test_a_model_of_another_pair_is_refused(tmp_path: Path) -> None:
    HmmAligner(pair=LanguagePair("en", "fr")).train(PAIRS).save(tmp_path / "m")
    with pytest.raises(MismatchError, match="en-fr, not en-de"):
        TrainedAligner.load(tmp_path / "m", pair=LanguagePair("en", "de"))


@pytest.mark.parametrize(
    ("name", "value"), [("alpha", 0.0), ("null", 1.0), ("threads", 0), ("threshold", float("nan"))]
)
def test_an_option_out_of_range_is_refused(name: str, value: float) -> None:
    with pytest.raises(OptionError, match=name):
        HmmOptions(**{name: value})  # type: ignore[arg-type]


def test_progress_is_told_and_an_exception_in_it_stops_training() -> None:
    seen: list[tuple[str, float]] = []
    HmmAligner(progress=lambda stage, share: seen.append((stage, share))).train(PAIRS)
    assert [stage for stage, _ in seen] == ["position model"] * 2 + ["hmm"] * 4
    assert seen[-1][1] == 1

    def interrupt(stage: str, share: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        HmmAligner(progress=interrupt).train(PAIRS)


sentence = st.lists(st.sampled_from(["a", "b", "c", "it", "la", "l'", ".", "\u00ad", "𝔸"]), max_size=12)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(sentence, sentence), min_size=1, max_size=12))
def test_any_text_gives_links_inside_its_sentences_on_any_number_of_threads(
    pairs: list[tuple[Sequence[str], Sequence[str]]],
) -> None:
    one, other = (
        list(HmmAligner(HmmOptions(threads=threads), LanguagePair("en", "es")).align(pairs))
        for threads in (1, 3)
    )
    assert one == other
    for (source, target), alignment in zip(pairs, one, strict=True):
        assert all(0 <= i < len(source) for i in alignment.sources)
        assert all(0 <= j < len(target) for j in alignment.targets)


def test_three_thousand_tokens_in_a_line_and_a_vocabulary_of_one_word() -> None:
    huge = ("x",) * 3000
    links = list(HmmAligner().align([(huge, huge), (("x",), ("x",))]))
    assert len(links) == 2
    assert links[1].sources == (0,)
