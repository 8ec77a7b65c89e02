"""The aligner as its users see it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphor.align import DecodingMode, HmmAligner, HmmOptions, TrainedAligner, load_engine
from anaphor.align.hmm_aligner import between_tokens, widened
from anaphor.align.model import REACH, DecodedLinks, HmmModel, LexiconRows, LinkPlaces
from anaphor.align.programs import SentencePair
from anaphor.align.vocabulary import NumberedBitext, Packs, WordVocabulary, number_pairs
from anaphor.core import InputError, LanguagePair, MismatchError, OptionError, UserError
from anaphor.core.engine import has_native
from anaphor.languages import load_pair

ENGINES = [
    pytest.param("native", marks=pytest.mark.skipif(not has_native(), reason="not compiled")),
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
@pytest.mark.parametrize("reading", [DecodingMode.FORWARD, DecodingMode.REVERSE])
def test_one_direction_alone_links_every_word_at_most_once(engine: str, reading: DecodingMode) -> None:
    options = HmmOptions(reading=reading, agree=False)
    alignments = list(HmmAligner(options, engine=load_engine(engine)).align(PAIRS))
    assert alignments
    for alignment in alignments:
        steps = alignment.targets if reading is DecodingMode.FORWARD else alignment.sources
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


@pytest.mark.parametrize("engine", ENGINES)
def test_progress_names_every_phase_and_never_goes_back(engine: str) -> None:
    seen: list[tuple[str, float]] = []
    aligner = HmmAligner(
        engine=load_engine(engine), progress=lambda phase, share: seen.append((phase, share))
    )
    assert len(list(aligner.align(PAIRS, extra=PAIRS))) == len(PAIRS)
    phases = list(dict.fromkeys(phase for phase, _ in seen))
    assert phases[-3:] == ["position model", "hmm", "links"]
    shares = [share for _, share in seen]
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1)


def test_progress_of_a_trained_model_is_reported_if_the_number_of_pairs_is_known() -> None:
    seen: list[tuple[str, float]] = []
    trained = HmmAligner().train(PAIRS)
    assert len(list(trained.align(PAIRS, progress=lambda *at: seen.append(at)))) == len(PAIRS)
    assert seen[-1] == ("links", 1)
    assert len(list(trained.align(iter(PAIRS), progress=lambda *at: seen.clear()))) == len(PAIRS)
    assert seen


def test_an_exception_in_progress_stops_training() -> None:
    def interrupt(phase: str, share: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        HmmAligner(progress=interrupt).train(PAIRS)


def test_running_out_of_memory_is_an_error_that_says_what_to_do() -> None:
    def exhausted(phase: str, share: float) -> None:
        raise MemoryError

    with pytest.raises(UserError, match="not enough memory") as caught:
        HmmAligner(progress=exhausted).train(PAIRS)
    assert "--threads 1" in caught.value.fix


def test_threads_belong_to_the_run_and_not_to_the_file(tmp_path: Path) -> None:
    HmmAligner(HmmOptions(threads=7)).train(PAIRS).save(tmp_path / "m")
    assert TrainedAligner.load(tmp_path / "m").options == HmmOptions()
    assert TrainedAligner.load(tmp_path / "m", threads=3).options == HmmOptions(threads=3)


def test_a_pack_of_the_user_cuts_clitics_as_a_built_in_one_does() -> None:
    pairs: list[SentencePair] = [(tokens("see it"), tokens("verlo")), (tokens("see"), tokens("ver"))] * 3
    packs = Packs.of(load_pair(LanguagePair("en", "es")))
    given = HmmAligner(pair=LanguagePair("xx", "yy"), packs=packs).align(pairs)
    built_in = HmmAligner(pair=LanguagePair("en", "es")).align(pairs)
    assert list(given) == list(built_in)


def test_pairs_may_come_from_an_iterator() -> None:
    trained = HmmAligner().train(pair for pair in PAIRS)
    assert list(trained.align(iter(PAIRS))) == list(HmmAligner().align(iter(PAIRS)))


sentence = st.lists(st.sampled_from(["a", "b", "c", "it", "la", "l'", ".", "\u00ad", "𝔸"]), max_size=12)


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


@pytest.mark.parametrize("engine", ENGINES)
def test_ten_thousand_tokens_in_a_line_and_a_vocabulary_of_one_word(engine: str) -> None:
    length = 10_000 if engine == "native" else 1_000
    huge = ("x",) * length
    options = HmmOptions(position_passes=1, hmm_passes=1)
    links = list(HmmAligner(options, engine=load_engine(engine)).align([(huge, huge), (("x",), ("x",))]))
    assert len(links) == 2
    assert links[1].sources == (0,)


def test_distinct_words_of_a_ten_thousand_token_line_are_linked() -> None:
    line = tuple(f"{n:05d}"[::-1] for n in range(10_000))  # no two near each other begin alike
    links = list(HmmAligner().align([(line, line), (line[:50], line[:50])]))
    assert len(links[0]) > 5_000
    assert all(abs(i - j) <= 200 for i, j in zip(links[0].sources, links[0].targets, strict=True))


# Tokens of several words are written with a plus: the words of pair 1 are d e f g h and y z w.
OF_WORDS: list[SentencePair] = [
    (("a+b", "c"), ("x",)),
    (("d", "e+f+g", "h"), ("y+z", "w")),
    ((), ()),
    (("k", "l+m"), ("u", "v")),
]
#: For each pair (source word, target word, confidence), and what remains of it between tokens.
WORD_LINKS = [
    [(0, 0, 0.5), (1, 0, 0.7), (2, 0, 0.4)],
    [(0, 0, 0.3), (1, 1, 0.2), (3, 0, 0.9), (2, 0, 0.9), (4, 2, 0.6)],
    [],
    [(1, 1, 0.1), (2, 0, 0.8)],
]
TOKEN_LINKS = [
    [(0, 0, 0.7), (1, 0, 0.4)],
    [(0, 0, 0.3), (1, 0, 0.9), (2, 1, 0.6)],
    [],
    [(1, 0, 0.8), (1, 1, 0.1)],
]


@pytest.mark.parametrize("first", range(4))
def test_links_of_words_become_links_of_tokens_wherever_a_text_begins(first: int) -> None:
    def parts(token: str) -> tuple[str, ...]:
        return tuple(token.split("+"))

    numbered = number_pairs(OF_WORDS[first:], source=WordVocabulary(parts), target=WordVocabulary(parts))
    found = [sorted(links) for links in WORD_LINKS[first:]]
    flat = [link for links in found for link in links]
    links = DecodedLinks(
        np.cumsum([0, *map(len, found)], dtype=np.int64),
        np.array([link[0] for link in flat], np.int32),
        np.array([link[1] for link in flat], np.int32),
        np.array([link[2] for link in flat], np.float32),
    )
    places = LinkPlaces.of(numbered.text, links)
    keep = np.ones(len(flat), np.bool_)
    alignments = between_tokens(numbered, links, places, keep)
    assert [
        list(zip(one.sources, one.targets, np.round(one.confidence or (), 4).tolist(), strict=True))
        for one in alignments
    ] == TOKEN_LINKS[first:]


def test_a_text_in_several_batches_is_numbered_as_in_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def numbered() -> list[list[int]]:
        sides = [WordVocabulary(lambda token: tuple(token.split("+"))) for _ in range(2)]
        made = number_pairs(OF_WORDS, source=sides[0], target=sides[1])
        text = made.text
        arrays = (text.source, text.source_start, text.target, text.target_start)
        return [array.tolist() for array in (*arrays, made.source_inside, made.target_inside)]

    whole = numbered()
    assert whole[4:] == [[1, 5, 6, 10], [2]]
    monkeypatch.setattr("anaphor.align.vocabulary.PAIRS_AT_ONCE", 1)
    assert numbered() == whole


@pytest.mark.parametrize("at_once", [1, 2, 100])
def test_a_numbered_text_is_cut_as_if_each_part_had_been_numbered(
    monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    source, target = (WordVocabulary(lambda token: tuple(token.split("+"))) for _ in range(2))

    def content(numbered: NumberedBitext) -> list[list[int]]:
        text = numbered.text
        arrays = (text.source, text.source_start, text.target, text.target_start)
        return [array.tolist() for array in (*arrays, numbered.source_inside, numbered.target_inside)]

    whole = number_pairs(OF_WORDS, source=source, target=target)
    monkeypatch.setattr("anaphor.align.vocabulary.PAIRS_AT_ONCE", at_once)
    first = OF_WORDS[:3]
    parts = [first[at : at + at_once] for at in range(0, 3, at_once)]
    assert [content(part) for part in whole.batches(3)] == [
        content(number_pairs(part, source=source, target=target)) for part in parts
    ]


def test_a_word_that_was_never_seen_is_as_rare_as_the_rarest_of_its_side() -> None:
    def floats(*values: float) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
        return np.array(values, np.float32)

    rows = LexiconRows(np.array([0, 1, 1], np.int64), np.array([0], np.int32))
    jumps = np.full(2 * REACH + 1, 0.5, np.float32)
    unigrams = floats(0.75, 0.25), floats(0.5, 0.125, 0.375)
    nulls = floats(0.625, 0.375), floats(0.25, 0.5, 0.25)
    model = widened(HmmModel(rows, floats(1, 1), *unigrams, *nulls, jumps, jumps), 4, 4)
    assert model.source_unigram.tolist() == [0.75, 0.25, 0.25, 0.25]
    assert model.target_unigram.tolist() == [0.5, 0.125, 0.375, 0.125]
    assert model.source_null.tolist() == [0.625, 0.375, 0.375, 0.375]
    assert model.target_null.tolist() == [0.25, 0.5, 0.25, 0.25]
    assert model.rows is rows
