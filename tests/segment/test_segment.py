"""Cutting documents: nothing is lost, and simple documents are cut where they were joined."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.resources import files
from itertools import accumulate, pairwise
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphor.align.model import LexiconRows
from anaphor.align.priors import PriorTable, initial_jumps, write_prior
from anaphor.align.vocabulary import load_packs
from anaphor.cli.main import main
from anaphor.core import InputError, LanguagePair, MismatchError, OptionError, UserError
from anaphor.core.engine import native
from anaphor.segment import Segmentation, segment_document, segment_documents
from anaphor.segment.encode import edge_table, read_edges, sides_of
from anaphor.segment.model import default_model, lexicon_of, read_model
from anaphor.segment.search import Search, search
from anaphor.suite import load_shipped

SHIPPED = Path(str(files("anaphor.segment")))

SOURCE = [
    "The cat sat on the mat.",
    "It was happy with the new house.",
    "Then they left the city in the morning.",
    "In 2019 the president of France spoke to the European Parliament about the war.",
]
TARGET = [
    "Die Katze saß auf der Matte.",
    "Sie war mit dem neuen Haus glücklich.",
    "Dann verließen sie am Morgen die Stadt.",
    "Im Jahr 2019 sprach der Präsident von Frankreich vor dem Europäischen Parlament über den Krieg.",
]


def assert_whole(found: Segmentation, segments: int) -> None:
    """Stretches and additions are the whole text, each character once."""
    assert len(found.stretches) == segments
    assert len(found.boundaries) == max(segments - 1, 0)
    at = 0
    for span, _ in found.pieces:
        assert span.start == at
        at = span.end
    assert at == len(found.text)
    assert all(0 <= boundary.confidence <= 1 for boundary in found.boundaries)
    empty = {i for i, span in enumerate(found.stretches) if span.start == span.end}
    assert {omission.segment for omission in found.omissions} <= empty


@pytest.mark.parametrize("joiner", [" ", "\n", "\n\n", "  "])
def test_a_joined_document_is_cut_where_it_was_joined(joiner: str) -> None:
    found = segment_document(SOURCE, joiner.join(TARGET), "en-de")
    assert found.segments == tuple(TARGET)
    assert not found.omissions
    assert not found.additions
    assert all(boundary.confidence > 0.9 for boundary in found.boundaries)


_SCRAPS = st.sampled_from([*TARGET, *SOURCE, " ", "\n", ".", "“", "2019", "\u3042\u308a", "\u00a0", "x" * 50])
_TEXTS = st.one_of(st.text(max_size=80), st.lists(_SCRAPS, max_size=8).map("".join))


@given(st.lists(st.one_of(st.sampled_from(SOURCE), st.text(max_size=20)), max_size=6), _TEXTS)
def test_no_character_is_lost(source: list[str], text: str) -> None:
    assert_whole(segment_document(source, text, "en-de"), len(source))


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ([], ""),
        ([], "Niemand fragte."),
        (SOURCE, ""),
        (SOURCE, " \n\t "),
        (["", "", ""], "Wort"),
        (SOURCE, "x" * 50_000),
        (SOURCE, "猫は帽子の上に座った。" * 50),
        (SOURCE, "Wort " * 2000),
        (SOURCE * 40, "Die Katze."),
        (SOURCE, "Ο γάτος κάθισε στο χαλί. Ήταν ευτυχισμένος."),
    ],
)
def test_odd_documents_have_a_result(source: list[str], text: str) -> None:
    assert_whole(segment_document(source, text, "en-de"), len(source))


def test_documents_share_a_vocabulary() -> None:
    documents = [(SOURCE[:2], " ".join(TARGET[:2])), (SOURCE[2:], " ".join(TARGET[2:]))]
    assert [found.segments for found in segment_documents(documents, "en-de")] == [
        tuple(TARGET[:2]),
        tuple(TARGET[2:]),
    ]


def test_threads_make_no_difference() -> None:
    documents = [(SOURCE[i:], " ".join(TARGET[i:])) for i in range(3)] * 5
    assert segment_documents(documents, "en-de", threads=4) == segment_documents(documents, "en-de")


def test_output_is_byte_identical_for_any_number_of_threads(tmp_path: Path) -> None:
    (tmp_path / "src").write_text("".join(f"{line}\n" for line in SOURCE * 6), encoding="utf-8")
    (tmp_path / "docs").write_text("".join(f"d{n // 4}\n" for n in range(24)), encoding="utf-8")
    texts = [" ".join(TARGET[:n] + TARGET[n + 1 :]) for n in (0, 1, 2, 3)] + [" ".join(TARGET), "Wort " * 50]
    (tmp_path / "chat").write_text("\n".join(texts) + "\n", encoding="utf-8")
    command = [
        "segment",
        "-q",
        "-p",
        "en-de",
        "-s",
        str(tmp_path / "src"),
        "--documents",
        str(tmp_path / "docs"),
    ]
    written = set()
    for threads in ("1", "2", "7"):
        more = [
            "-c",
            str(tmp_path / "chat"),
            "-o",
            str(tmp_path / "out"),
            "--details",
            str(tmp_path / "json"),
        ]
        assert main([*command, *more, "--threads", threads]) == 0
        written.add(((tmp_path / "out").read_bytes(), (tmp_path / "json").read_bytes()))
    assert len(written) == 1


def test_there_is_at_least_one_thread() -> None:
    with pytest.raises(OptionError, match="0 threads"):
        segment_documents([(SOURCE, " ".join(TARGET))], "en-de", threads=0)


def test_a_deleted_sentence_is_an_omission() -> None:
    for missing in range(4):
        kept = [line for k, line in enumerate(TARGET) if k != missing]
        found = segment_document(SOURCE, " ".join(kept), "en-de")
        assert [omission.segment for omission in found.omissions] == [missing]
        assert not found.additions
        assert [line for line in found.segments if line] == kept


def test_a_sentence_that_stands_twice_is_a_repetition() -> None:
    found = segment_document(SOURCE, " ".join([*TARGET[:2], *TARGET[1:]]), "en-de")
    assert [addition.repeats for addition in found.additions] == [1]
    assert found.segments == tuple(TARGET)


def test_swapped_sentences_are_moved() -> None:
    text = " ".join([TARGET[0], TARGET[3], *TARGET[1:3]])
    found = segment_document(SOURCE, text, "en-de")
    assert [move.segment for move in found.moves] == [3]
    assert found.segments == tuple(TARGET)
    assert_whole(found, len(SOURCE))


def test_chatter_is_an_addition() -> None:
    chatter = "Hier ist der gewünschte Text in deutscher Sprache, wie du ihn haben wolltest:\n\n"
    found = segment_document(SOURCE, chatter + "\n".join(TARGET), "en-de")
    assert found.segments == tuple(TARGET)
    assert [found.text[addition.span.start : addition.span.end] for addition in found.additions] == [chatter]


def test_an_unsure_boundary_has_a_second_place() -> None:
    source = ["New train to London", "Green car is fast"]
    found = segment_document(source, "Neuer Zug nach London Neu Grün Auto ist schnell", "en-de")
    boundary = found.boundaries[0]
    assert boundary.second is not None
    assert boundary.second != boundary.position
    assert boundary.confidence + boundary.second_confidence <= 1.001
    assert found.second is not None
    assert found.second[0].end == found.second[1].start == boundary.second
    assert "".join(found.text[start:end] for start, end in found.second) == found.text


def test_merged_sentences_are_cut_at_the_word() -> None:
    """A comma and a small letter stand where the full stop was; the comma stays with its word."""
    target = [TARGET[0].replace(".", "“,"), "sie" + TARGET[1].removeprefix("Sie"), *TARGET[2:]]
    assert segment_document(SOURCE, " ".join(target), "en-de").segments == tuple(target)


def test_a_doubtful_addition_goes_to_the_segments_around_it() -> None:
    """Half of the words are of no language: neither omitted segments nor an addition are to be seen."""
    strange = (
        "Den närmar sig Mexicos stränder. Så ser det nämligen ut. Allt hänger ihop. Vi är oerhört sårbara."
    )
    source = [
        *SOURCE[:2],
        "It is near.",
        "That is the case.",
        "All hangs together.",
        "We are weak.",
        *SOURCE[2:],
    ]
    text = " ".join([*TARGET[:2], strange, *TARGET[2:]])
    found = segment_document(source, text, "en-de")
    assert_whole(found, len(source))
    assert not found.omissions
    assert not found.additions
    assert found.segments[:2] + found.segments[6:] == tuple(TARGET)


def test_text_that_no_segment_can_take_is_added_and_not_lost() -> None:
    stranger = "Wer hätte gedacht, dass so viele Leute ohne Schuhe kommen würden? " * 12
    found = segment_document(SOURCE, " ".join([*TARGET[:2], stranger.strip(), *TARGET[2:]]), "en-de")
    assert_whole(found, len(SOURCE))
    assert found.segments == tuple(TARGET)
    assert [found.text[start:end] for (start, end) in (one.span for one in found.additions)] == [stranger]


def test_packs_of_the_users_own_are_read(tmp_path: Path) -> None:
    pack = (Path(str(files("anaphor.languages"))) / "packs" / "de.toml").read_text(encoding="utf-8")
    (tmp_path / "de.toml").write_text(pack, encoding="utf-8")
    text = " ".join(TARGET)
    same = segment_document(SOURCE, text, "en-de", packs=tmp_path)
    assert same == segment_document(SOURCE, text, "en-de")
    (tmp_path / "de.toml").write_text("language = 1\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"de\.toml"):
        segment_document(SOURCE, text, "en-de", packs=tmp_path)


def test_a_prior_of_the_users_own_is_used_and_checked(tmp_path: Path) -> None:
    """It says that `aaa` is translated by `xxx`, and `bbb` by `yyy`."""
    path = tmp_path / "own.prior"
    rows = LexiconRows(np.array([0, 1, 2]), np.array([0, 1], np.int32))
    counts, totals = np.full(2, 900, np.float32), np.full(2, 1000, np.float32)
    jumps = initial_jumps()
    forms = ("aaa", "bbb"), ("xxx", "yyy")
    pair = LanguagePair("en", "de")
    write_prior(path, PriorTable(pair, *forms, rows, counts, totals, totals, jumps, jumps), origin="made up")
    source, text = ["aaa aaa", "bbb bbb bbb bbb"], "xxx xxx xxx xxx yyy yyy"
    assert segment_document(source, text, pair, priors=str(path)).segments == ("xxx xxx xxx xxx", "yyy yyy")
    assert segment_document(source, text, pair, priors="none").segments != ("xxx xxx xxx xxx", "yyy yyy")
    with pytest.raises(MismatchError, match="the prior is for en-de"):
        segment_document(source, text, "en-fr", priors=str(path))


def test_confidences_are_shares_of_right_boundaries() -> None:
    """Documents of the suites that ship, in which many full stops and capitals are missing."""
    chance = Random(4)
    found: list[tuple[float, bool]] = []
    for name in ("anaphor-en-fr", "anaphor-en-de"):
        loaded = load_shipped(name)
        sides = dict(loaded.texts.sides())
        for document in loaded.suite.documents:
            source, target = (sides[side][document.id].lines for side in ("source", "reference"))
            plain = [line.rstrip(".?!") if chance.random() < 0.7 else line for line in target]
            plain = [line[:1].lower() + line[1:] if chance.random() < 0.5 else line for line in plain]
            cut = segment_document(source, " ".join(plain), loaded.suite.pair)
            right = accumulate(len(line) + 1 for line in plain)
            found += [
                (one.confidence, one.position == at) for one, at in zip(cut.boundaries, right, strict=False)
            ]
    assert len(found) > 150
    sure, share = np.mean([one for one, _ in found]), np.mean([right for _, right in found])
    assert share > 0.8
    assert abs(sure - share) < 0.05


def test_damaged_tables_of_the_package_are_refused(tmp_path: Path) -> None:
    values = json.loads((SHIPPED / "model.json").read_text(encoding="utf-8"))
    model, edges = tmp_path / "model.json", tmp_path / "de.tsv"
    for key, value in (("gaps", [0, 0]), ("ends", "x"), ("temperature", 0), ("words", None), ("more", 1)):
        model.write_text(json.dumps({**values, key: value}), encoding="utf-8")
        with pytest.raises(InputError, match=key) as caught:
            read_model(model)
        assert "reinstall the package" in caught.value.fix
    edges.write_text("der\t-3\t4\nund\t5\n", encoding="utf-8")
    with pytest.raises(InputError, match="not a word and two numbers") as caught:
        read_edges(edges)
    assert str(caught.value.where) == f"{edges}:2"


def test_languages_without_a_prior_are_cut_by_length_and_punctuation() -> None:
    target = [
        "Kissa istui matolla.",
        "Se oli iloinen uudesta talosta.",
        "Sitten he lähtivät kaupungista aamulla.",
    ]
    found = segment_document(SOURCE[:3], " ".join(target), "en-fi")
    assert found.segments == tuple(target)


def test_text_without_spaces_is_cut_between_characters() -> None:
    target = ["猫がマットの上に座った。", "新しい家に満足していた。", "そして朝、彼らは町を出た。"]
    assert segment_document(SOURCE[:3], "".join(target), "en-ja").segments == tuple(target)


@pytest.mark.skipif(native is None, reason="nothing to compare: the extension is not compiled")
def test_both_engines_find_the_same_cuts(monkeypatch: pytest.MonkeyPatch) -> None:
    documents = [
        (SOURCE, " ".join(TARGET)),
        (SOURCE * 3, " ".join([*TARGET, *TARGET[2:], TARGET[1], *TARGET[:3]])),
        (SOURCE[:2], "x" * 100),
        (SOURCE, "Wort " * 300),
        # Several segments in a row are missing, of which every one but the first costs less.
        (
            [
                "Mat cat car.",
                "Woman tree war president.",
                "Woman president car shines.",
                "Left lamp the house.",
            ],
            "Frau Baum Krieg Präsident.",
        ),
        (
            [
                "The dog president.",
                "Man left lamp president city.",
                "War tree falls.",
                "House dog.",
                "Woman the woman.",
            ],
            "Wort Präsident Wort",
        ),
    ]
    fast = segment_documents(documents, "en-de")
    monkeypatch.setattr("anaphor.segment.search.native", None)
    assert fast
    for one, other in zip(fast, segment_documents(documents, "en-de"), strict=True):
        assert one.pieces == other.pieces
        for mine, reference in zip(one.boundaries, other.boundaries, strict=True):
            assert mine.confidence == pytest.approx(reference.confidence, abs=1e-3)
        for omission, same in zip(one.omissions, other.omissions, strict=True):
            assert omission.confidence == pytest.approx(same.confidence, abs=1e-3)


def test_a_reference_helps_where_there_is_no_prior() -> None:
    source = ["one two three four", "five six seven eight"]
    reference = ["eins zwei drei vier", "fünf sechs sieben acht"]
    text = "eins zwei drei fünf sechs sieben acht"
    assert segment_document(source, text, "en-de", priors="none", reference=reference).segments == (
        "eins zwei drei",
        "fünf sechs sieben acht",
    )
    with pytest.raises(MismatchError, match="the reference has 1 segments, the source 2"):
        segment_document(source, text, "en-de", reference=reference[:1])


def test_without_priors_words_are_not_associated() -> None:
    source, text = ["The dog sleeps", "The house is large"], "Der Hund schläft das Haus ist groß"
    with_priors = segment_document(source, text, "en-de")
    without = segment_document(source, text, "en-de", priors="none")
    assert with_priors.segments == ("Der Hund schläft", "das Haus ist groß")
    assert without.boundaries[0].confidence < with_priors.boundaries[0].confidence


@pytest.mark.slow  # a document must have thousands of segments to be cut in blocks
@pytest.mark.skipif(native is None, reason="the extension is not compiled")
def test_a_long_document_is_cut_like_a_short_one() -> None:
    """Above 4,096 segments states are kept in blocks, and made again between them."""
    count = 4100
    source = [f"Number {n} is here." for n in range(count)]
    target = [f"Nummer {n} ist hier." for n in range(count)]
    found = segment_document(source, " ".join(target), "en-de")
    assert found.segments == tuple(target)
    assert all(one.position < other.position for one, other in pairwise(found.boundaries))


def test_the_language_says_which_words_end_and_begin_sentences() -> None:
    table = edge_table("de")
    assert table["der"][0] < -3
    assert all(len(edge_table(language)) > 1000 for language in ("en", "es", "fr"))
    assert edge_table("fi") == {}


def test_arrays_that_do_not_belong_together_are_refused() -> None:
    if native is None:
        pytest.skip("the extension is not compiled")
    source, target = sides_of(load_packs(LanguagePair("en", "de")), "en", "de")
    segments, tokens = source.encode_segments(SOURCE), target.encode(" ".join(TARGET))
    lexicon, _ = lexicon_of(None, source.number, target.number)
    plan = Search(segments, tokens, lexicon, default_model(), 1.0)
    assert len(search(plan).start) == len(SOURCE)
    wrong_source: dict[str, Any] = {
        "words": segments.words + 1000,
        "start": segments.start[::-1].copy(),
        "ends": segments.ends - 100,
        "begins": segments.begins[:-1],
        "first": segments.first + 1000,
        "length": -segments.length,
    }
    for field, value in wrong_source.items():
        plan.segments = replace(segments, **{field: value})
        with pytest.raises(ValueError, match=r"range|lengths|finite|ascend|start|index"):
            search(plan)
    plan.segments = segments
    wrong: dict[str, Any] = {
        "words": tokens.words + 1000,
        "kinds": tokens.kinds[:-1],
        "length": tokens.length[::-1].copy(),
        "begins": tokens.begins + 50,
        "gaps": tokens.gaps - 1,
        "final": np.full_like(tokens.final, np.nan),
    }
    for field, value in wrong.items():
        plan.tokens = replace(tokens, **{field: value})
        with pytest.raises(ValueError, match=r"range|lengths|descend|finite"):
            search(plan)


def test_an_addition_is_compared_with_the_omitted_segments_near_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A text that translates nothing: most of its source is omitted, and looked for wherever it has more."""
    rng, counts = Random(1), []
    words = [
        "il",
        "elle",
        "la",
        "maison",
        "lampe",
        "arbre",
        "vieux",
        "tombe",
        "brille",
        "et",
        "mais",
        "ici",
        "sur",
        "de",
    ]
    english = [
        "it",
        "they",
        "the",
        "a",
        "house",
        "lamp",
        "tree",
        "old",
        "new",
        "stands",
        "falls",
        "shines",
        "and",
        "but",
    ]
    source = [" ".join(rng.choices(english, k=12)).capitalize() + " ." for _ in range(150)]
    text = " ".join(" ".join(rng.choices(words, k=12)).capitalize() + " ." for _ in range(150))

    def counted(plan: Search) -> Any:
        counts.append(plan.count)
        return search(plan)

    monkeypatch.setattr("anaphor.segment.documents.search", counted)
    segment_documents([(source, text)], "en-fr")
    assert max(counts[1:]) > 20
    monkeypatch.setattr("anaphor.segment.documents.MISSING", 20)
    counts.clear()
    segment_documents([(source, text)], "en-fr")
    assert counts[0] == 150
    assert max(counts[1:]) <= 20
