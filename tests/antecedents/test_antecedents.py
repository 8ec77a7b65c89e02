"""Mentions, the resolver, and agreement with what an antecedent became. All sentences are invented."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest

from anaphor.analyse import load_analyser
from anaphor.analyse.function import AnalysedSentence
from anaphor.analyse.gender import GenderReading, parse_readings
from anaphor.antecedents import Expectation, PronounAntecedents, Resolver, TargetDocument, TargetLanguage
from anaphor.antecedents.features import SENTENCES_BACK, PlainText, candidates_of
from anaphor.antecedents.mentions import Kind, Mention, find_mentions, names_something
from anaphor.antecedents.pointing import PointedPronoun
from anaphor.antecedents.resolver import Place, parse_weights, resolver_languages
from anaphor.antecedents.source import SourceLanguage
from anaphor.core import Alignment, Analysis, InputError, UnknownNameError

ENGLISH = SourceLanguage.load("en")


def analysed(*sentences: str, language: str = "en") -> list[AnalysedSentence]:
    tokens = [tuple(sentence.split()) for sentence in sentences]
    analyses = load_analyser("built-in", language=language).analyse(tokens)
    return [AnalysedSentence(*pair) for pair in zip(tokens, analyses, strict=True)]


def diagonal(length: int) -> Alignment:
    return Alignment(tuple(range(length)), tuple(range(length)))


def best_head(antecedents: PronounAntecedents) -> str:
    heads = antecedents.heads
    return max(heads, key=lambda head: heads[head]).form if heads else ""


# Mentions


def mentions_of(
    words: str, tags: str, lemmas: str = "", subjects: Sequence[int] = ()
) -> list[tuple[str, ...]]:
    analysis = Analysis(tuple((lemmas or words).split()), tuple(tags.split()), frozenset(subjects))
    found = find_mentions(0, words.split(), analysis, ENGLISH)
    return [(one.form, one.kind, one.role, one.determiner, "plural" if one.plural else "") for one in found]


@pytest.mark.parametrize(
    ("words", "tags", "lemmas", "subjects", "expected"),
    [
        ("the old ship sank", "DET ADJ NOUN VERB", "", [2], [("ship", "noun", "subject", "the", "")]),
        # Only the last noun of a compound is a head.
        ("space time bends", "NOUN NOUN VERB", "", [1], [("time", "noun", "subject", "", "")]),
        (
            "she read two letters of Anna",
            "PRON VERB NUM NOUN ADP PROPN",
            "she read two letter of Anna",
            [0],
            [
                ("she", "pronoun", "subject", "", ""),
                ("letters", "noun", "object", "two", "plural"),
                ("Anna", "name", "of", "", ""),
            ],
        ),
        # A plural without -s; a word that ends in -ss is none.
        ("people like glass", "NOUN VERB NOUN", "", [0], [("people", "noun", "subject", "", "plural"),
                                                        ("glass", "noun", "object", "", "")]),
        # A demonstrative before a noun is no pronoun.
        ("this ship", "PRON NOUN", "", [], [("ship", "noun", "other", "", "")]),
        ("this sank", "PRON VERB", "", [0], [("this", "pronoun", "subject", "", "")]),
        ("near its port", "ADP PRON NOUN", "", [], [("its", "pronoun", "possessor", "", ""),
                                                  ("port", "noun", "preposition", "its", "")]),
    ],
)  # fmt: skip
def test_mentions_with_their_kind_role_determiner_and_number(
    words: str, tags: str, lemmas: str, subjects: list[int], expected: list[tuple[str, ...]]
) -> None:
    assert mentions_of(words, tags, lemmas, subjects) == expected


def test_candidates_come_nearest_first_and_end_three_sentences_back() -> None:
    sentences = analysed(*["The ship sank ."] * 5, "A boat came and it left .")
    mentions = [find_mentions(number, *one, ENGLISH) for number, one in enumerate(sentences)]
    found = candidates_of(mentions, 5, 4)
    assert [one.sentence for one in found] == [5, 4, 3, 2]
    assert 5 - found[-1].sentence == SENTENCES_BACK
    assert found[0].form == "boat"


def test_a_mention_behind_the_pronoun_is_no_candidate() -> None:
    sentences = analysed("It met a boat .")
    assert candidates_of([find_mentions(0, *sentences[0], ENGLISH)], 0, 0) == []


def test_features_tell_distance_number_and_role_apart() -> None:
    sentences = analysed("The ship met two boats .", "It sank .")
    mentions = [find_mentions(number, *one, ENGLISH) for number, one in enumerate(sentences)]
    candidates, rows = PlainText(sentences, mentions, ENGLISH).describe(1, 0)
    assert len(rows) == len(candidates) + 2
    by_form = dict(zip((one.form for one in candidates), rows, strict=False))
    assert {"plural=False pronoun=it", "role=subject", "distance=1"} <= set(by_form["ship"])
    assert {"plural=True pronoun=it", "distance=1"} <= set(by_form["boats"])
    assert all(feature.startswith("event: ") for feature in rows[-2])
    assert all(feature.startswith("pleonastic: ") for feature in rows[-1])


# Resolver


def test_resolvers_ship_for_six_languages() -> None:
    assert resolver_languages() == ("de", "en", "es", "fr", "it", "pt")
    with pytest.raises(UnknownNameError, match="unknown language: xx"):
        Resolver.load("xx")


@pytest.mark.parametrize(
    ("code", "sentences", "place", "head"),
    [
        ("it", ("La lampada sulla scrivania è nuova .", "Essa funziona bene ."), Place(1, 0), "lampada"),
        ("it", ("I bambini giocano in cortile .", "Loro non vogliono tornare ."), Place(1, 0), "bambini"),
        ("it", ("Il motore fa rumore perché esso è vecchio .",), Place(0, 5), "motore"),
        ("pt", ("A lâmpada na mesa é nova .", "Ela funciona bem ."), Place(1, 0), "lâmpada"),
        ("pt", ("As chaves estavam no jardim .", "Elas foram encontradas ."), Place(1, 0), "chaves"),
    ],
)
def test_languages_without_gold_data_share_the_weights_of_spanish(
    code: str, sentences: tuple[str, ...], place: Place, head: str
) -> None:
    analyser = load_analyser("built-in", language=code)
    tokens = [tuple(line.split()) for line in sentences]
    text = [AnalysedSentence(*one) for one in zip(tokens, analyser.analyse(tokens), strict=True)]
    resolver = Resolver.load(code)
    assert resolver.digest() == Resolver.load("es").digest()
    found = resolver.resolve(text)[place]
    assert max(found.heads, key=lambda noun: found.heads[noun]).form == head


@pytest.mark.parametrize(("code", "polite"), [("de", "Sie"), ("it", "Lei"), ("it", "Loro")])
def test_polite_forms_within_a_sentence_are_not_resolved(code: str, polite: str) -> None:
    language = SourceLanguage.load(code)
    assert not language.is_resolved(("x", polite), 1)
    # At the start of a sentence the capital says nothing.
    assert language.is_resolved((polite, "x"), 0)
    assert language.is_resolved(("x", ".", polite), 2)


def test_probabilities_sum_to_one_before_small_ones_are_dropped() -> None:
    resolved = Resolver.load("en").resolve(analysed("The ship met a boat .", "It sank because it was old ."))
    assert list(resolved) == [Place(1, 0), Place(1, 3)]
    for antecedents in resolved.values():
        shares = [share for _, share in antecedents.candidates]
        assert shares == sorted(shares, reverse=True)
        assert 0.98 < sum(shares) + antecedents.event + antecedents.pleonastic <= 1 + 1e-9


def test_the_weights_of_a_referent_are_the_logarithms_of_what_multiplies_its_odds() -> None:
    sentences = analysed("The ship met two boats .", "It sank .")
    weights = {"it number=singular": math.log(2), "it lemma=ship": math.log(4), "event: it": math.log(3)}
    found = Resolver(weights).resolve(sentences)[Place(1, 0)]
    # 2 * 4 for the ship and 3 for an event; the boats, nothing and people in general have no weight: 1 each.
    shares = {mention.form: share for mention, share in found.candidates}
    assert shares == pytest.approx({"ship": 8 / 14, "boats": 1 / 14})
    assert (found.event, found.pleonastic, found.generic) == pytest.approx((3 / 14, 1 / 14, 1 / 14))


@pytest.mark.parametrize(
    ("sentences", "place", "head"),
    [
        (("The sun is a star .", "It is not massive enough ."), Place(1, 0), "sun"),
        (("We can always see the planet .", "It cannot hide ."), Place(1, 0), "planet"),
        (("The engineers found a fault .", "They fixed it at once ."), Place(1, 0), "engineers"),
        (("The engineers found a fault .", "They fixed it at once ."), Place(1, 2), "fault"),
    ],
)
def test_plain_antecedents_are_found(sentences: tuple[str, ...], place: Place, head: str) -> None:
    assert best_head(Resolver.load("en").resolve(analysed(*sentences))[place]) == head


def test_a_chain_of_pronouns_leads_to_its_noun() -> None:
    resolved = Resolver.load("en").resolve(
        analysed("The plant grew .", "It was green .", "It had leaves .", "It died .", "It was gone .")
    )
    # The last pronoun is four sentences from the noun, beyond the reach of a single step.
    assert best_head(resolved[Place(4, 0)]) == "plant"


def test_weather_and_judgements_are_pleonastic_rather_than_things() -> None:
    resolved = Resolver.load("en").resolve(analysed("The ship was old .", "It is clear that nobody cared ."))
    antecedents = resolved[Place(1, 0)]
    assert antecedents.pleonastic > max((share for _, share in antecedents.candidates), default=0)


def test_resolving_is_linear_in_the_document_and_chains_stay_short() -> None:
    sentences = analysed("The plant grew .", *["It was green ."] * 400)
    resolved = Resolver.load("en").resolve(sentences)
    assert len(resolved) == 400
    assert max(len(one.heads) for one in resolved.values()) < 10


def test_the_digest_changes_with_a_weight() -> None:
    assert Resolver({"a": 1.0}).digest() != Resolver({"a": 1.5}).digest()
    assert Resolver({"a": 1.0, "b": 2.0}).digest() == Resolver({"b": 2.0, "a": 1.0}).digest()


@pytest.mark.parametrize("line", ["a", "a\tx", "a\tnan", "a\tinf", "b\t1\nb\t2"])
def test_broken_weights_are_an_input_error_with_the_line(line: str) -> None:
    with pytest.raises(InputError, match="feature and its weight") as caught:
        parse_weights(f"# comment\n{line}\n", path="weights.tsv")
    assert str(caught.value.where).startswith("weights.tsv:")


# Agreement


def readings(text: str) -> frozenset[GenderReading]:
    return parse_readings(text)


@pytest.mark.parametrize(
    ("language", "sentence", "position", "expected"),
    [
        ("de", "die Sonne", 1, "fs"),
        ("de", "der sehr kleine Berg", 3, "ms"),
        ("de", "das Universum", 1, "ns"),
        # The determiner decides what the form of the noun leaves open.
        ("de", "den Xyzzqq", 1, "ms mp fp np"),
        # Punctuation ends the search.
        ("de", "das , Sonne", 2, "fs"),
        # A determiner next to the noun, or to its adjective, is surer than the endings.
        ("de", "das schnelle Lernen", 2, "ns"),
        ("de", "das sehr kleine Sonne", 3, "fs"),
        ("fr", "la maison", 1, "fs"),
        ("fr", "un vélo", 1, "ms"),
        ("es", "las casas", 1, "fp"),
    ],
)
def test_readings_of_a_noun_by_form_and_determiner(
    language: str, sentence: str, position: int, expected: str
) -> None:
    assert TargetLanguage.load(language).noun_readings(sentence.split(), position) == readings(expected)


def test_a_target_language_without_facts_is_unknown() -> None:
    with pytest.raises(UnknownNameError, match="unknown target language: fi"):
        TargetLanguage.load("fi")


@pytest.mark.parametrize(
    ("form", "agrees"), [("sie", "yes"), ("es", "no"), ("er", "no"), ("haus", "unknown"), ("diese", "yes")]
)
def test_the_pronoun_is_compared_with_the_noun_of_this_translation(form: str, agrees: str) -> None:
    source = analysed("We can see the planet .", "It cannot hide .")
    target = [["Wir", "können", "sehen", "die", "Erde", "."], [form, "kann", "nicht", "fliehen", "."]]
    resolved = Resolver.load("en").resolve(source)
    document = TargetDocument(TargetLanguage.load("de"), resolved, target, [diagonal(6), diagonal(4)])
    found = TargetLanguage.load("de").agreement(form, document.expectation(Place(1, 0)))
    assert math.isclose(found.agree + found.disagree + found.unknown, 1)
    answers = {"yes": found.agree, "no": found.disagree, "unknown": found.unknown}
    assert max(answers, key=lambda name: answers[name]) == agrees


def test_another_noun_in_the_candidate_asks_for_another_pronoun() -> None:
    source = analysed("We can see the planet .", "It cannot hide .")
    language, resolved = TargetLanguage.load("de"), Resolver.load("en").resolve(source)
    links = [diagonal(6), diagonal(4)]
    feminine = TargetDocument(language, resolved, [["Wir", "können", "sehen", "die", "Erde", "."], []], links)
    masculine = TargetDocument(
        language, resolved, [["Wir", "können", "sehen", "den", "Planeten", "."], []], links
    )
    place = Place(1, 0)
    assert language.agreement("sie", feminine.expectation(place)).agree > 0.5
    assert language.agreement("sie", masculine.expectation(place)).agree < 0.2
    assert language.agreement("er", masculine.expectation(place)).agree > 0.5


def test_an_unlinked_antecedent_leaves_the_question_open() -> None:
    source = analysed("We can see the planet .", "It cannot hide .")
    empty = Alignment((), ())
    document = TargetDocument(
        TargetLanguage.load("de"), Resolver.load("en").resolve(source), [["Ja"], ["Es"]], [empty, empty]
    )
    expected = document.expectation(Place(1, 0))
    assert not expected.readings
    assert expected.unknown > 0.4


def test_a_form_of_the_candidate_helps_where_no_noun_is_known() -> None:
    source = analysed("It was here .", "It left .")
    language, resolved = TargetLanguage.load("de"), Resolver.load("en").resolve(source)
    links = [diagonal(4), diagonal(3)]
    she = TargetDocument(language, resolved, [["Sie", "war", "hier", "."], ["Sie", "ging", "."]], links)
    he = TargetDocument(language, resolved, [["Er", "war", "hier", "."], ["Er", "ging", "."]], links)
    place = Place(1, 0)
    assert (
        language.agreement("er", he.expectation(place)).agree
        > language.agreement("er", she.expectation(place)).agree
    )


def mention(form: str, position: int, *, kind: Kind = "noun", sentence: int = 0) -> Mention:
    return Mention(sentence, position, position, kind, form, form, False, "", "other", 0)


@pytest.mark.parametrize(
    ("links", "event"),
    [
        (diagonal(4), 0.1),
        # Two forms are linked to the earlier pronoun: neither is its own.
        (Alignment((0, 0, 3), (0, 1, 3)), 0.2),
    ],
)
def test_the_form_of_an_earlier_pronoun_has_half_of_what_its_chain_tells(
    links: Alignment, event: float
) -> None:
    language, moon = TargetLanguage.load("de"), mention("moon", 3)
    earlier = mention("it", 0, kind="pronoun")
    resolved = {
        Place(0, 0): PronounAntecedents(((moon, 0.8),), {moon: 0.8}, event=0.2, pleonastic=0.0),
        Place(1, 0): PronounAntecedents(((earlier, 1.0),), {moon: 0.8}, event=0.0, pleonastic=0.0),
    }
    target = [["Sie", "er", "sieht", "Mond"], ["Er", "ist", "schön", "."]]
    expected = TargetDocument(language, resolved, target, [links, diagonal(4)]).expectation(Place(1, 0))
    assert expected.event == pytest.approx(event)
    assert sum(expected.readings.values()) == pytest.approx(1 - event)


def test_of_several_linked_words_a_known_noun_is_the_translation() -> None:
    language, moon = TargetLanguage.load("fr"), mention("moon", 1)
    links = Alignment((0, 1, 1), (0, 1, 2))
    document = TargetDocument(language, {}, [["la", "nouvelle", "lune"]], [links])
    assert document.translation(moon)[0] == "lune"


@pytest.mark.parametrize(
    ("language", "translated", "genders"), [("de", "Donau", {"f"}), ("en", "Danube", set())]
)
def test_only_an_english_name_has_no_gender(language: str, translated: str, genders: set[str]) -> None:
    document = TargetDocument(TargetLanguage.load(language), {}, [["x", translated]], [diagonal(2)])
    _, readings = document.translation(mention("Donau", 1, kind="name"))
    assert {reading.gender for reading in readings} == genders


def test_the_number_of_the_source_narrows_a_form_that_has_both() -> None:
    # *Teller* is singular or plural; the English noun tells which.
    language = TargetLanguage.load("de")
    source = analysed("He bought plates .", "They were cheap .")
    links = [diagonal(4), diagonal(3)]
    document = TargetDocument(
        language,
        Resolver.load("en").resolve(source),
        [["Er", "kaufte", "Teller", "."], ["Sie", "waren", "."]],
        links,
    )
    assert {one.number for one in document.expectation(Place(1, 0)).readings} == {"p"}


@pytest.mark.parametrize(
    ("links", "word"),
    [
        # *bill* is linked to the last noun of *projet de loi* alone, which stands for all three words.
        ("0-0 1-1 2-2 3-5", "projet"),
        # *the* is linked to the head, too: the article is part of the phrase.
        ("0-0 1-1 2-3 2-2 3-5", "projet"),
        # Another word of the source is linked to the head: *loi* is the noun.
        ("0-3 1-1 2-2 3-5", "loi"),
    ],
)
def test_the_head_of_a_phrase_is_a_noun_of_its_own_if_another_word_is_linked_to_it(
    links: str, word: str
) -> None:
    source = analysed("We saw the bill .", "It passed .")
    sides = [tuple(int(side) for side in link.split("-")) for link in links.split()]
    alignment = Alignment(tuple(one for one, _ in sides), tuple(other for _, other in sides))
    target = [["Nous", "vîmes", "le", "projet", "de", "loi", "."], ["Il", "passa", "."]]
    resolved = Resolver.load("en").resolve(source)
    document = TargetDocument(TargetLanguage.load("fr"), resolved, target, [alignment, diagonal(3)])
    (mention,) = {one for one in resolved[Place(1, 0)].heads if one.sentence == 0 and one.position == 3}
    assert document.translation(mention)[0] == word


def test_a_word_of_quantity_is_no_head_in_the_translation() -> None:
    source = analysed("I bought some ice .", "It melts .")
    links = Alignment((0, 1, 3, 4), (0, 1, 4, 5))
    target = [["J'", "achetai", "peu", "de", "glace", "."], ["Elle", "fond", "."]]
    resolved = Resolver.load("en").resolve(source)
    document = TargetDocument(TargetLanguage.load("fr"), resolved, target, [links, diagonal(3)])
    (ice,) = {one for one in resolved[Place(1, 0)].heads if one.form == "ice"}
    assert document.translation(ice)[0] == "glace"


def test_a_noun_of_quantity_passes_on_to_the_noun_that_it_counts() -> None:
    resolved = Resolver.load("en").resolve(analysed("We ate a lot of bread .", "It was good ."))
    heads = resolved[Place(1, 0)].heads
    assert [one.form for one in heads if one.sentence == 0] == ["bread"]
    assert heads.keys() == {one for one, _ in resolved[Place(1, 0)].candidates if one.kind != "pronoun"}


def test_events_are_referred_to_by_neuter_forms() -> None:
    language = TargetLanguage.load("de")
    event = Expectation({}, event=1.0, pleonastic=0.0, demonstrative=0.0, unknown=0.0)
    assert language.agreement("das", event).agree == 1
    assert language.agreement("er", event).disagree == 1
    nothing = Expectation({}, event=0.0, pleonastic=0.0, demonstrative=0.0, unknown=0.0)
    assert language.agreement("es", nothing).unknown == 1


def test_a_compound_may_be_linked_to_the_modifier_alone() -> None:
    source = analysed("We heard the gravitational waves .", "They left .")
    head = next(one for one in find_mentions(0, *source[0], ENGLISH) if one.form == "waves")
    resolved = Resolver.load("en").resolve(source)
    links = [Alignment((0, 1, 3), (0, 1, 3)), diagonal(3)]
    german = [["Wir", "hörten", "die", "Gravitationswellen", "."], []]
    document = TargetDocument(TargetLanguage.load("de"), resolved, german, links)
    assert document.translation(head)[0] == "Gravitationswellen"
    # French writes the two words apart, and the modifier says nothing of the noun.
    french = [["Nous", "entendions", "les", "gravitationnelles", "."], []]
    document = TargetDocument(TargetLanguage.load("fr"), resolved, french, links)
    assert document.translation(head) == ("", frozenset())


@pytest.mark.parametrize(
    ("sentence", "position", "names"),
    [
        ("They are the sounds of space .", 0, True),
        ("It is really a very old machine .", 0, True),
        ("It 's Mary .", 0, True),
        ("It is broken .", 0, False),
        ("It left .", 0, False),
        ("This is it", 2, False),
    ],
)
def test_whether_a_pronoun_names_something(sentence: str, position: int, names: bool) -> None:
    (one,) = analysed(sentence)
    assert names_something(position, *one) is names


def test_a_neutral_form_is_never_wrong_where_the_pronoun_names_something() -> None:
    language = TargetLanguage.load("de")
    plural = {GenderReading("f", "p"): 1.0}
    expected = Expectation(plural, 0.0, 0.0, 0.0, 0.0, names_something=True)
    assert language.agreement("das", expected).disagree == 0
    assert language.agreement("er", expected).disagree == 1
    # It does not become the better choice by that.
    assert language.agreement("sie", expected).agree > language.agreement("das", expected).agree


def test_a_form_without_gender_can_stand_for_any_noun() -> None:
    # *La glace ? C'est bon*: *c'* says nothing about the gender of what it stands for.
    language = TargetLanguage.load("fr")
    noun = Expectation({GenderReading("f", "s"): 0.8}, event=0.2, pleonastic=0, demonstrative=0, unknown=0)
    for form in ("c'", "ça", "en"):
        found = language.agreement(form, noun)
        assert found.disagree == 0, form
        assert found.agree == pytest.approx(0.2), form
    assert language.agreement("il", noun).disagree == 1
    assert language.agreement("elle", noun).agree == pytest.approx(0.8)


# Other source languages


@pytest.mark.parametrize(
    ("language", "sentences", "place", "head"),
    [
        ("de", ("Der Hund sah die Katze .", "Er bellte ."), Place(1, 0), "Hund"),
        ("de", ("Der Hund sah die Katze .", "Sie lief weg ."), Place(1, 0), "Katze"),
        ("de", ("Die Frau kaufte das Haus .", "Es war sehr alt ."), Place(1, 0), "Haus"),
        ("fr", ("La voiture suit le camion .", "Elle est rouge ."), Place(1, 0), "voiture"),
        ("fr", ("La voiture suit le camion .", "Il est rouge ."), Place(1, 0), "camion"),
        ("fr", ("Les filles ont un vélo .", "Elles sont contentes ."), Place(1, 0), "filles"),
        ("es", ("La mujer habla con el médico .", "Ella está contenta ."), Place(1, 0), "mujer"),
        ("es", ("La mujer habla con el médico .", "Él está contento ."), Place(1, 0), "médico"),
    ],
)
def test_gender_leads_to_the_antecedent(
    language: str, sentences: tuple[str, ...], place: Place, head: str
) -> None:
    resolved = Resolver.load(language).resolve(analysed(*sentences, language=language))
    assert best_head(resolved[place]) == head


def test_the_german_form_of_address_is_not_resolved() -> None:
    resolved = Resolver.load("de").resolve(
        analysed("Die Frau kam .", "Haben Sie sie gesehen ?", "Sie ging .", language="de")
    )
    assert list(resolved) == [Place(1, 2), Place(2, 0)]


@pytest.mark.parametrize(("sentence", "numbers"), [("sie lachen", {"p"}), ("sie lacht", {"s"})])
def test_the_verb_tells_the_number_of_german_sie(sentence: str, numbers: set[str]) -> None:
    tokens = sentence.split()
    found = SourceLanguage.load("de").pronoun_readings(tokens, ("PRON", "VERB"), 0)
    assert {one.number for one in found} == numbers


@pytest.mark.parametrize(
    ("noun", "described", "agreeing"),
    [
        ("the house", "a thing", "it"),
        ("a teacher", "a person", "he she they"),
        ("the king", "a man", "he"),
        ("the government", "a group", "it they"),
        ("these houses", "plural", "they"),
        ("the dog", "an animal", "he she it they"),
    ],
)
def test_english_pronouns_agree_with_people_things_and_groups(
    noun: str, described: str, agreeing: str
) -> None:
    english = TargetLanguage.load("en")
    found = english.noun_readings(noun.split(), 1)
    assert english.described(found) == described
    expected = Expectation(dict.fromkeys(found, 1 / len(found)), 0.0, 0.0, 0.0, 0.0)
    forms = [form for form in ("he", "she", "it", "they") if english.agreement(form, expected).agree > 0.5]
    assert forms == agreeing.split()


@pytest.mark.parametrize("words", ["of the", "the runner"])
def test_words_without_readings_may_be_anything(words: str) -> None:
    english = TargetLanguage.load("en")
    found = english.noun_readings(words.split(), 1)
    assert not found
    assert english.described(found) == "a person or a thing"


def test_an_english_name_does_not_tell_a_person_from_a_thing() -> None:
    source = analysed("Wir sahen Paris .", "Es war groß .", language="de")
    mention = next(
        one for one in find_mentions(0, *source[0], SourceLanguage.load("de")) if one.kind == "name"
    )
    document = TargetDocument(
        TargetLanguage.load("en"), {}, [["We", "saw", "Paris", "."], []], [diagonal(4), diagonal(0)]
    )
    assert document.translation(mention) == ("Paris", frozenset())


def test_a_form_for_people_is_wrong_only_if_nearly_all_of_the_evidence_says_so() -> None:
    language = TargetLanguage.load("en")
    thing, person = GenderReading("n", "s"), GenderReading("c", "s")
    divided = Expectation({thing: 0.8, person: 0.2}, 0.0, 0.0, 0.0, 0.0)
    assert language.agreement("he", divided).disagree == 0
    assert language.agreement("he", divided).unknown == pytest.approx(0.8)
    sure = Expectation({thing: 0.95, person: 0.05}, 0.0, 0.0, 0.0, 0.0)
    assert language.agreement("he", sure).disagree == pytest.approx(0.95)
    # The rule is for people: *it* for a person needs less evidence.
    assert language.agreement("it", Expectation({person: 0.8, thing: 0.2}, 0.0, 0.0, 0.0, 0.0)).disagree > 0.7


class EvenPointer:
    """Gives every candidate and function the same, and remembers for which pronouns it was asked."""

    def __init__(self) -> None:
        self.asked: list[Place] = []

    def point(
        self, sentences: Sequence[AnalysedSentence], pronouns: Sequence[PointedPronoun]
    ) -> list[list[float]]:
        self.asked += [Place(one.sentence, one.position) for one in pronouns]
        return [[0.0] * (len(one.candidates) + 3) for one in pronouns]


def test_wanted_pronouns_have_the_same_antecedents_as_among_all() -> None:
    sentences = analysed(
        "The ship lost its anchor , and it sank .",
        "The sailors saw it , and their captain called them .",
        *["Nothing happened ."] * 4,
        "The boats left their harbour .",
        "They were old , and it rained on them .",
    )
    resolver, pointer = Resolver.load("en"), EvenPointer()
    for one in (resolver, resolver.with_pointer(pointer)):
        pointer.asked.clear()
        everything = one.resolve(sentences)
        assert len(everything) == 9
        for place in everything:
            pointer.asked.clear()
            found = one.resolve(sentences, {place})
            assert found[place] == everything[place]
            assert all(found[other] == everything[other] for other in found)
            assert list(found) == [other for other in everything if other in found]
        # What is too far away to be an antecedent is not read either.
        pointer.asked.clear()
        found = one.resolve(sentences, {max(everything)})
        assert min(found).sentence > 5
        assert sorted(pointer.asked) == ([] if one is resolver else list(found))
        assert not one.resolve(sentences, set())
