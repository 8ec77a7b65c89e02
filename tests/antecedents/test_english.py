"""English antecedents: what a phrase is, and sentences that show how pronouns are read."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from anaphor.analyse import load_analyser
from anaphor.analyse.function import AnalysedSentence
from anaphor.antecedents import Mention, Place, PronounAntecedents, Resolver
from anaphor.antecedents.arguments import place_of
from anaphor.antecedents.english import COUNTED_BACK, EnglishText, shipped_senses
from anaphor.antecedents.features import PlainText
from anaphor.antecedents.mentions import NEAREST, find_mentions
from anaphor.antecedents.pointing import Influence, PointedPronoun, parse_influence
from anaphor.antecedents.source import SourceLanguage
from anaphor.core import Analysis, InputError

ENGLISH = SourceLanguage.load("en")


def analysed(*sentences: str) -> list[AnalysedSentence]:
    tokens = [tuple(sentence.split()) for sentence in sentences]
    analyses = load_analyser("built-in", language="en").analyse(tokens)
    return [AnalysedSentence(*pair) for pair in zip(tokens, analyses, strict=True)]


def resolved(word: str, *sentences: str) -> PronounAntecedents:
    """What the last such pronoun of the last sentence refers to."""
    tokens = sentences[-1].lower().split()
    position = len(tokens) - 1 - tokens[::-1].index(word)
    return Resolver.load("en").resolve(analysed(*sentences))[Place(len(sentences) - 1, position)]


def best(found: PronounAntecedents) -> str:
    return max(found.heads, key=lambda one: found.heads[one]).form


def mentions_of(words: str, tags: str) -> list[Mention]:
    tokens = words.split()
    return find_mentions(0, tokens, Analysis(tuple(map(str.lower, tokens)), tuple(tags.split())), ENGLISH)


# Phrases


@pytest.mark.parametrize(
    ("words", "tags", "expected"),
    [
        ("everybody left", "PRON VERB", ["everybody"]),
        ("take the third one .", "VERB DET ADJ PRON PUNCT", ["one"]),
        ("these three left", "DET NUM VERB", ["three"]),
        # The tagger takes some nouns for verbs.
        ("I saw the show .", "PRON VERB DET VERB PUNCT", ["show"]),
        ("this sank", "PRON VERB", ["this"]),
    ],
)
def test_phrases_without_a_word_that_is_tagged_as_noun(words: str, tags: str, expected: list[str]) -> None:
    assert [one.form for one in mentions_of(words, tags)] == expected


@pytest.mark.parametrize(
    ("words", "tags", "expected"),
    [
        ("Anna and Paul sang", "PROPN CCONJ PROPN VERB", [True, False]),
        ("cats , old dogs and mice sleep", "NOUN PUNCT ADJ NOUN CCONJ NOUN VERB", [True, True, False]),
        ("the cat slept and dogs ran", "DET NOUN VERB CCONJ NOUN VERB", [False, False]),
        ("Anna sang and left", "PROPN VERB CCONJ VERB", [False]),
    ],
)
def test_the_first_of_several_nouns_is_coordinated(words: str, tags: str, expected: list[bool]) -> None:
    assert [one.coordinated for one in mentions_of(words, tags)] == expected


@pytest.mark.parametrize(
    ("words", "tags", "subjects", "span", "expected"),
    [
        ("ice melts", "NOUN VERB", [0], (0, 0), "s:melts"),
        ("the tower is tall", "DET NOUN AUX ADJ", [1], (0, 1), "a:tall"),
        ("it is a tower", "PRON AUX DET NOUN", [0], (0, 0), "b:tower"),
        ("cakes be eaten", "NOUN AUX VERB", [0], (0, 0), "o:eaten"),
        ("we eat the cake", "PRON VERB DET NOUN", [0], (2, 3), "o:eat"),
        ("we look at it", "PRON VERB ADP PRON", [0], (3, 3), "p:look_at"),
        ("the roof of the house", "DET NOUN ADP DET NOUN", [], (3, 4), "h:roof"),
        ("the house 's roof", "DET NOUN PART NOUN", [], (0, 1), "h:roof"),
        ("it", "PRON", [], (0, 0), ""),
    ],
)
def test_the_place_of_a_phrase(
    words: str, tags: str, subjects: list[int], span: tuple[int, int], expected: str
) -> None:
    lemmas = tuple(word.replace("is", "be") if word == "is" else word for word in words.split())
    analysis = Analysis(lemmas, tuple(tags.split()), subjects=frozenset(subjects))
    assert place_of(words.split(), analysis, *span) == expected


def test_wordnet_says_what_frequent_nouns_name() -> None:
    senses = shipped_senses()
    named = {noun: senses[noun] for noun in ("minister", "dog", "team", "chair", "idea", "rain")}
    assert named["minister"] == "person"
    assert named["dog"] == "animal"
    assert named["team"] == "group"
    assert named["chair"] == "artifact"
    assert named["idea"] == "cognition"


def test_features_do_not_depend_on_sentences_far_before() -> None:
    sentences = analysed(*["The cat saw a dog ."] * (COUNTED_BACK + 9), "It ran .")
    end = len(sentences) - 1

    def described(cut: int) -> list[list[str]]:
        part = sentences[cut:]
        mentions = [find_mentions(number, *one, ENGLISH) for number, one in enumerate(part)]
        return EnglishText(part, mentions, ENGLISH).describe(end - cut, 0)[1]

    assert described(0) == described(2)


class CountedTags(tuple[str, ...]):
    """Tags that count how many of them are sliced."""

    sliced = 0

    def __getitem__(self, at: Any) -> Any:
        found = super().__getitem__(at)
        CountedTags.sliced += len(found) if isinstance(at, slice) else 0
        return found


@pytest.mark.parametrize("kind", [EnglishText, PlainText])
def test_the_tags_before_a_pronoun_are_not_counted_again_for_each_candidate(
    kind: type[EnglishText | PlainText],
) -> None:
    ((tokens, analysis),) = analysed(" ".join(["it"] * 250))
    CountedTags.sliced = 0
    counted = AnalysedSentence(tokens, replace(analysis, tags=CountedTags(analysis.tags)))
    text = kind([counted], [find_mentions(0, *counted, ENGLISH)], ENGLISH)
    candidates = sum(len(text.describe(0, position)[0]) for position in range(250))
    assert candidates == 250 * 249 / 2
    assert CountedTags.sliced < candidates


@pytest.mark.parametrize("kind", [EnglishText, PlainText])
def test_only_the_nearest_mentions_of_a_very_long_line_are_candidates(
    kind: type[EnglishText | PlainText],
) -> None:
    sentences = analysed(" ".join(["it"] * 2 * NEAREST), "it")
    text = kind(sentences, [find_mentions(at, *one, ENGLISH) for at, one in enumerate(sentences)], ENGLISH)
    for sentence, position in ((0, NEAREST - 1), (0, 2 * NEAREST - 1), (1, 0)):
        candidates = text.describe(sentence, position)[0]
        end = position if sentence == 0 else 2 * NEAREST
        expected = range(end - 1, max(0, end - NEAREST) - 1, -1)
        assert [one.position for one in candidates] == [*expected]


# Readings


@pytest.mark.parametrize(
    ("word", "sentences", "head"),
    [
        ("they", ("Anna and Paul bought a house .", "They painted the door ."), "Anna"),
        ("they", ("The farmers sold the land .", "They moved to the city ."), "farmers"),
        ("they", ("If somebody calls , tell me what they said .",), "somebody"),
        ("they", ("I spoke with the committee .", "They rejected the plan ."), "committee"),
        ("it", ("The minister opened the bridge .", "It collapsed a week later ."), "bridge"),
        ("it", ("I bought a car , and it broke down .",), "car"),
        ("it", ("There is a house on the hill .", "It was built by a farmer ."), "house"),
        ("its", ("The company sold its factory .",), "company"),
        ("them", ("She picked the apples and ate them .",), "apples"),
    ],
)
def test_antecedents(word: str, sentences: tuple[str, ...], head: str) -> None:
    assert best(resolved(word, *sentences)) == head


@pytest.mark.parametrize(
    "sentence",
    [
        "It will be raining when we arrive .",
        "It turns out that the door was open .",
        "It is time to close the shop .",
        "It takes three days to cross the desert .",
        "It is important to read the rules .",
        "It seems that nobody came .",
    ],
)
def test_weather_time_and_clauses_to_come_are_no_things(sentence: str) -> None:
    found = resolved("it", "The ship was old .", sentence)
    assert found.pleonastic > max((share for _, share in found.candidates), default=0.0)


def test_people_whom_nobody_named() -> None:
    generic = resolved("they", "They say that love is blind .").generic
    named = resolved("they", "The doctors were tired .", "They went home .").generic
    assert generic > 0.3 > named


def test_shares_sum_to_one() -> None:
    found = resolved("they", "The doctors met two nurses .", "They say that they were tired .")
    shares = [share for _, share in found.candidates]
    assert 0.97 < sum(shares) + found.event + found.pleonastic + found.generic <= 1 + 1e-9


def test_other_languages_know_no_generic_people() -> None:
    tokens = ("Sie", "schlafen", ".")
    (analysis,) = load_analyser("built-in", language="de").analyse([tokens])
    (found,) = Resolver.load("de").resolve([AnalysedSentence(tokens, analysis)]).values()
    assert found.generic == 0


# A second opinion


class Preferring:
    """Is nearly sure that a noun is the antecedent, and has not read some others."""

    def __init__(self, noun: str, *unread: str) -> None:
        self.noun, self.unread = noun, unread

    def point(
        self, sentences: Sequence[AnalysedSentence], pronouns: Sequence[PointedPronoun]
    ) -> list[list[float]]:
        assert all(sentences[one.sentence].tokens[one.position].lower() == "it" for one in pronouns)
        return [
            [
                math.nan if mention.form in self.unread else -0.01 if mention.form == self.noun else -6.0
                for mention, _ in one.candidates
            ]
            + [-6.0] * 3
            for one in pronouns
        ]


def counted(features: float, pointer: float, unread: float) -> dict[str, Influence]:
    """The same influence of all opinions, on *it*."""
    return {"it": Influence(features, pointer, pointer, pointer, pointer, pointer, unread)}


@pytest.mark.parametrize("noun", ["ship", "house"])
def test_a_pointer_of_much_influence_decides_and_one_of_none_does_not(noun: str) -> None:
    text = analysed("The ship was near the house .", "It had a key .")
    plain = best(Resolver.load("en").resolve(text)[Place(1, 0)])
    weights = Resolver.load("en").weights
    for share, expected in ((9.0, noun), (0.0, plain)):
        resolver = Resolver(weights, pointer=Preferring(noun), influence=counted(1, share, share * -6))
        assert best(resolver.resolve(text)[Place(1, 0)]) == expected


def test_what_a_pointer_did_not_read_gets_a_score_of_its_own() -> None:
    text = analysed("The ship was near the house .", "It sank .")
    weights, pointer = Resolver.load("en").weights, Preferring("house", "ship")
    shares = []
    for unread in (-9.0, 9.0):
        resolver = Resolver(weights, pointer=pointer, influence=counted(0, 1, unread))
        heads = resolver.resolve(text)[Place(1, 0)].heads
        shares.append({one.form: share for one, share in heads.items()})
    assert shares[0]["house"] > 0.9
    assert shares[1]["ship"] > 0.9


def test_a_table_of_influence_that_misses_a_part_is_an_error() -> None:
    with pytest.raises(InputError, match="unread"):
        parse_influence("it\tfeatures\t1\n", path="pointer.tsv")
