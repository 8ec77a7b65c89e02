"""Counterparts of source pronouns: plain links, repaired links, forms inside words."""

from __future__ import annotations

from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphor.analyse.builtin import build
from anaphor.core import Counterpart, LanguagePair, Pronoun
from anaphor.corpus import AlignmentFile
from anaphor.corpus.alignments import parse_pharaoh
from anaphor.languages import load_pair, split_words
from anaphor.pronouns import AlignedTranslation, CounterpartFinder
from anaphor.pronouns.counterparts import is_article

EN_FR = load_pair(LanguagePair("en", "fr"))
LINES = ("Elle dort , dit-il .", "", "Ce fut long .")
PRONOUNS = (Pronoun(0, 0, "it"), Pronoun(0, 4, "it"), Pronoun(1, 0, "they"), Pronoun(2, 1, "it"))


def side(lines: tuple[str, ...], *alignments: str) -> AlignedTranslation:
    data = "".join(f"{line}\n" for line in alignments).encode()
    return AlignedTranslation(
        lines, split_words, AlignmentFile.of(parse_pharaoh(data, path="links"), path="links")
    )


SIDE = side(LINES, "0-0 1-1 4-3", "", "1-0 1-1 2-2")


def finder(*, repair: bool) -> CounterpartFinder:
    return CounterpartFinder(EN_FR, EN_FR.target_pronouns, repair=repair)


def test_without_repair_links_are_taken_as_they_are() -> None:
    first, second, third, fourth = finder(repair=False).find(PRONOUNS, SIDE)
    assert first is not None
    assert (first.positions, first.words, first.forms) == ((0,), ("Elle",), ("elle",))
    assert second is not None
    assert (second.words, second.forms) == (("dit-il",), ("il",))
    assert third is None
    assert fourth is not None
    assert (fourth.words, fourth.forms, fourth.repair) == (("Ce", "fut"), ("ce",), None)


def test_repair_keeps_the_pronoun_of_several_words_and_records_it() -> None:
    fourth = finder(repair=True).find(PRONOUNS, SIDE)[3]
    assert fourth is not None
    assert fourth.words == ("Ce",)
    assert fourth.linked_words == ("Ce", "fut")
    assert fourth.repair is not None
    assert fourth.repair.chosen == (0,)


def test_repair_finds_what_the_aligner_left_out() -> None:
    links = side(("Puis elle dort .",), "0-0 2-2")
    plain = finder(repair=False).find([Pronoun(0, 1, "it")], links)
    repaired = finder(repair=True).find([Pronoun(0, 1, "it")], links)
    assert plain == [None]
    assert repaired[0] is not None
    assert repaired[0].forms == ("elle",)


@pytest.mark.parametrize(
    ("pair", "form", "word", "found"),
    [
        # Bring it to him: glie is him.
        ("en-it", "it", "portaglielo", "lo"),
        ("en-it", "it", "portagliela", "la"),
        ("en-it", "them", "portagliele", "le"),
        # Bring it to them.
        ("en-it", "them", "portateglielo", "glie"),
        ("en-es", "it", "dáselo", "lo"),
        ("en-es", "them", "dáselo", "se"),
        ("en-pt", "them", "-lhas", "as"),
    ],
)
def test_of_two_pronouns_in_a_word_one_translates_the_source_pronoun(
    pair: str, form: str, word: str, found: str
) -> None:
    pack = load_pair(LanguagePair.parse(pair))
    listed = [*pack.target_pronouns, *pack.object_pronouns]
    links = side((word,), "0-0")
    (counterpart,) = CounterpartFinder(pack, listed).find([Pronoun(0, 0, form)], links)
    assert counterpart is not None
    assert counterpart.forms == (found,)


def test_two_pronouns_of_a_segment_do_not_share_a_word() -> None:
    links = side(("Il pense qu' elle dort .",), "0-0 1-1 2-2 4-4")
    pronouns = [Pronoun(0, 0, "it"), Pronoun(0, 3, "it")]
    found = finder(repair=True).find(pronouns, links)
    assert [c.words if c else None for c in found] == [("Il",), ("elle",)]


def test_a_watched_form_without_likely_list_uses_the_targets() -> None:
    links = side(("Alors elles dorment",), "0-0 2-2")
    found = finder(repair=True).find([Pronoun(0, 1, "these")], links)
    assert found[0] is not None
    assert found[0].forms == ("elles",)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["Il pense qu' elle dort .", "Elle dort ; ce fut long .", "il l' a"]),
            st.sampled_from(["0-0 1-1 2-2", "0-0 1-1 2-1", "1-0", ""]),
            st.sampled_from([((0, "it"),), ((1, "it"),), ((1, "they"),), ((0, "it"), (2, "they"))]),
        ),
        min_size=1,
        max_size=12,
    )
)
def test_sentences_that_are_repeated_have_the_counterparts_of_each_alone(
    segments: list[tuple[str, str, tuple[tuple[int, str], ...]]],
) -> None:
    translation = side(tuple(line for line, _, _ in segments), *(links for _, links, _ in segments))
    pronouns = [Pronoun(k, at, form) for k, (_, _, inside) in enumerate(segments) for at, form in inside]
    found = finder(repair=True).find(pronouns, translation)
    assert found == [
        one
        for line, links, inside in segments
        for one in finder(repair=True).find([Pronoun(0, *place) for place in inside], side((line,), links))
    ]
    with patch("anaphor.pronouns.counterparts.native", None):
        assert finder(repair=True).find(pronouns, translation) == found


def test_without_pronouns_there_are_no_counterparts() -> None:
    assert finder(repair=True).find([], SIDE) == []


EN_DE = load_pair(LanguagePair("en", "de"))


def recognized(line: str, links: str, *, pronoun: int = 0, analysis: bool = True) -> Counterpart | None:
    tag = build("de", None).tags if analysis else None
    finder = CounterpartFinder(EN_DE, EN_DE.target_pronouns, tag=tag)
    return finder.find([Pronoun(0, pronoun, "it")], side((line,), links))[0]


@pytest.mark.parametrize(
    ("line", "forms"),
    [
        ("Das Haus war alt .", ()),
        ("Das sehr alte Haus brannte .", ()),
        ("Das war sehr alt .", ("das",)),
        # A determiner before another one has no noun of its own.
        ("Dies ist ein altes Haus .", ("dies",)),
        # Forms that are nothing but pronouns need no analysis.
        ("Es Haus war alt .", ("es",)),
    ],
)
def test_the_analysis_tells_pronouns_from_articles(line: str, forms: tuple[str, ...]) -> None:
    found = recognized(line, "0-0")
    assert found is not None
    assert (found.positions, found.forms) == ((0,), forms)
    assert found.articles == (() if forms else (line.split()[0],))
    by_list = recognized(line, "0-0", analysis=False)
    assert by_list is not None
    assert by_list.forms
    assert by_list.articles == ()


def test_a_rejected_article_is_repaired_like_any_other_word() -> None:
    # *it* is linked to the article of *das Haus*; between its neighbours stands the real pronoun.
    found = recognized("Wir sahen , dass es das Haus ist .", "0-0 1-1 2-2 3-3 4-5 5-7 6-8", pronoun=4)
    assert found is not None
    assert found.forms == ("es",)
    assert found.repair is not None
    assert found.repair.words_before == ("das",)


def test_articles_are_found_inside_given_tokens() -> None:
    tag = build("fr", None).tags
    finder = CounterpartFinder(EN_FR, (*EN_FR.target_pronouns, *EN_FR.object_pronouns), tag=tag)
    article, pronoun = (
        finder.find([Pronoun(0, 0, "it")], side((line,), "0-1"))[0]
        for line in ("Voici l'eau froide .", "Nous l'avons vu hier .")
    )
    assert article is not None
    assert pronoun is not None
    assert (article.forms, pronoun.forms) == ((), ("l'",))


@pytest.mark.parametrize(
    ("tags", "article"),
    [
        ("DET NOUN", True),
        ("DET ADJ NOUN", True),
        ("DET VERB", False),
        ("DET", False),
        ("DET VERB NOUN", False),
        ("ADP NOUN", True),
        ("SCONJ PRON", True),
        ("PRON VERB", False),
        ("PRON NOUN", False),
    ],
)
def test_what_has_the_form_of_a_pronoun_and_is_none(tags: str, article: bool) -> None:
    assert is_article(tags.split(), 0) is article
