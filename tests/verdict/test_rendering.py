"""What became of a pronoun. All sentences are invented; links are written by hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from anaphor.antecedents import TargetLanguage
from anaphor.verdict import Case, Rendering, RenderingKind
from anaphor.verdict.rendering import (
    Surroundings,
    governor,
    rendering_of,
    source_verbs,
    surroundings_of,
)

CaseMaker = Callable[..., list[Case]]


@pytest.fixture
def rendered(cases_of: CaseMaker) -> Callable[[str, str, str, str], Rendering]:
    """How the only pronoun of a sentence is rendered."""

    def render(pair: str, source: str, candidate: str, links: str) -> Rendering:
        (case,) = cases_of(pair, (source,), (candidate,), (links,))
        return rendering_of(case)

    return render


Render = Callable[[str, str, str, str], Rendering]


def numbers(rendering: Rendering) -> set[str]:
    return {one.number for one in rendering.readings}


def genders(rendering: Rendering) -> set[str]:
    return {one.gender for one in rendering.readings}


@pytest.mark.parametrize(
    ("pair", "source", "candidate", "links", "kind", "form"),
    [
        ("en-de", "It is here .", "Sie ist hier .", "0-0 1-1 2-2", RenderingKind.PRONOUN, "sie"),
        ("en-es", "It is here .", "Está aquí .", "1-0 2-1", RenderingKind.NULL_SUBJECT, "Está"),
        ("en-de", "It is here .", "Tisch ist hier .", "0-0 1-1 2-2", RenderingKind.NOUN, "Tisch"),
        (
            "en-de",
            "We work with it .",
            "Wir arbeiten damit .",
            "0-0 1-1 2-2 3-2",
            RenderingKind.ADVERB,
            "damit",
        ),
        ("en-de", "It is here .", "Sehr ist hier .", "0-0 1-1 2-2", RenderingKind.OTHER, "Sehr"),
        ("en-fr", "It is here .", "est ici .", "1-0 2-1", RenderingKind.NOTHING, ""),
        ("en-de", "It is here .", "It ist hier .", "0-0 1-1 2-2", RenderingKind.UNTRANSLATED, "it"),
    ],
)
def test_every_kind(
    rendered: Render, pair: str, source: str, candidate: str, links: str, kind: RenderingKind, form: str
) -> None:
    found = rendered(pair, source, candidate, links)
    assert (found.kind, found.form) == (kind, form)


def test_every_kind_is_tested() -> None:
    (table,) = (mark.args[1] for mark in test_every_kind.pytestmark)  # type: ignore[attr-defined]
    assert {row[4] for row in table} == set(RenderingKind)


# Spanish


def test_a_gerund_after_estar_does_not_agree(rendered: Render) -> None:
    found = rendered("en-es", "It is turning .", "Está girando .", "1-0 2-1")
    assert found.kind is RenderingKind.NULL_SUBJECT
    assert found.agreeing == ""


@pytest.mark.parametrize(
    ("source", "candidate", "links", "number"),
    [
        ("It works well .", "Funciona bien .", "1-0 2-1", "s"),
        ("They work well .", "Funcionan bien .", "1-0 2-1", "p"),
        # Links of 're are often missing; the verb is then before the first word that has one.
        ("They 're here .", "Están aquí .", "2-1", "p"),
    ],
)
def test_a_spanish_verb_carries_its_subject(
    rendered: Render, source: str, candidate: str, links: str, number: str
) -> None:
    found = rendered("en-es", source, candidate, links)
    assert found.kind is RenderingKind.NULL_SUBJECT
    assert numbers(found) == {number}
    assert genders(found) == {"m", "f"}
    assert found.shown == f"the verb *{found.form}*"


@pytest.mark.parametrize(
    ("candidate", "agreeing", "gender"),
    [
        ("Está vacía .", "vacía", "f"),
        ("Está vacío .", "vacío", "m"),
        ("Está rota .", "rota", "f"),
        ("Está muy sucia .", "sucia", "f"),
    ],
)
def test_an_adjective_shows_the_gender_of_a_subject_that_is_not_there(
    rendered: Render, candidate: str, agreeing: str, gender: str
) -> None:
    source = "It is very dirty ." if "muy" in candidate else "It is empty ."
    links = "1-0 2-1 3-2" if "muy" in candidate else "1-0 2-1"
    found = rendered("en-es", source, candidate, links)
    assert found.agreeing == agreeing
    assert genders(found) == {gender}
    assert found.shown == f"*Está … {agreeing}*"


def test_an_adjective_before_a_noun_does_not_agree_with_the_subject(rendered: Render) -> None:
    found = rendered("en-es", "It is a great city .", "Es una gran ciudad .", "1-0 2-1 3-2 4-3")
    assert found.kind is RenderingKind.NULL_SUBJECT
    assert found.agreeing == ""


@pytest.mark.parametrize(
    ("source", "candidate", "links", "form"),
    [
        ("We want to do it .", "Queremos hacerlo .", "1-0 3-1", "lo"),
        ("We want to sell them .", "Queremos venderlas .", "1-0 3-1", "las"),
        ("You give it to me .", "Dámelo .", "1-0", "lo"),
        ("We are reading it .", "Estamos leyéndola .", "1-0 2-1", "la"),
        ("I have seen it .", "La he visto .", "1-1 2-2", "la"),
    ],
)
def test_spanish_objects_on_or_before_their_verb(
    rendered: Render, source: str, candidate: str, links: str, form: str
) -> None:
    found = rendered("en-es", source, candidate, links)
    assert (found.kind, found.form) == (RenderingKind.PRONOUN, form)


def test_lo_que_is_not_the_object(rendered: Render) -> None:
    found = rendered("en-es", "We know it .", "Sabemos lo que pasa .", "1-0 2-1")
    assert not (found.kind is RenderingKind.PRONOUN and found.form == "lo")


def test_reflexive_se_is_not_the_subject(rendered: Render) -> None:
    found = rendered("en-es", "It opens slowly .", "Se abre despacio .", "0-0 1-1 2-2")
    assert found.kind is RenderingKind.NULL_SUBJECT
    assert found.form == "abre"


def test_an_object_pronoun_is_not_the_subject(rendered: Render) -> None:
    found = rendered("en-es", "They do this .", "Lo hacen .", "0-0 1-1 2-0")
    assert found.kind is RenderingKind.NULL_SUBJECT
    assert found.form == "hacen"
    assert numbers(found) == {"p"}


@pytest.mark.parametrize(
    ("verb", "number"),
    [
        *(("canta", "s"), ("cantan", "p"), ("es", "s"), ("son", "p"), ("Fueron", "p")),
        *(
            ("cantar", ""),
            ("cantando", ""),
            ("cantado", ""),
            ("cantamos", ""),
            ("cantas", ""),
            ("hacerlo", ""),
        ),
        # The first person of the present, and third persons of some preterites.
        *(("siento", ""), ("ocupo", ""), ("hizo", "s"), ("compuso", "s"), ("introdujo", "s")),
    ],
)
def test_the_number_of_a_spanish_verb(verb: str, number: str) -> None:
    assert TargetLanguage.load("es").verb_number(verb) == number


# Italian and Portuguese


@pytest.mark.parametrize(
    ("pair", "source", "candidate", "links", "form"),
    [
        ("en-it", "I saw it .", "L' ho visto .", "0-1 1-2 2-0 3-3", "l'"),
        ("en-it", "I want to see it .", "Voglio vederlo .", "0-0 1-0 3-1 5-2", "lo"),
        ("en-it", "I want to see them .", "Voglio vederle .", "0-0 1-0 3-1 5-2", "le"),
        ("en-it", "Tell him about it .", "Parlagliene .", "0-0 4-1", "ne"),
        ("en-it", "I spoke about it .", "Ne ho parlato .", "1-2 3-0 4-3", "ne"),
        ("en-it", "It works .", "Essa funziona .", "0-0 1-1 2-2", "essa"),
        ("en-pt", "I want to see it .", "Quero vê-lo .", "0-0 1-0 3-1 5-2", "o"),
        ("en-pt", "I want to see them .", "Quero vê -las .", "0-0 1-0 3-1 4-2 5-3", "as"),
        ("en-pt", "I saw it .", "Eu a vi .", "0-0 1-2 2-1 3-3", "a"),
        ("en-pt", "I believe it .", "Acredito nisso .", "1-0 2-1 3-2", "isso"),
        ("en-pt", "It works .", "Ele funciona .", "0-0 1-1 2-2", "ele"),
    ],
)
def test_italian_and_portuguese_pronouns(
    rendered: Render, pair: str, source: str, candidate: str, links: str, form: str
) -> None:
    found = rendered(pair, source, candidate, links)
    assert (found.kind, found.form) == (RenderingKind.PRONOUN, form)


@pytest.mark.parametrize(
    ("pair", "source", "candidate", "links", "form", "agreeing", "shown"),
    [
        ("en-it", "They are broken .", "Sono rotti .", "1-0 2-1 3-2", "Sono", "rotti", {"mp"}),
        ("en-it", "They left early .", "Sono partite presto .", "1-1 2-2 3-3", "Sono", "partite", {"fp"}),
        ("en-it", "It opens slowly .", "Si apre piano .", "0-0 1-1 2-2 3-3", "apre", "", {"ms", "fs"}),
        ("en-it", "They do it .", "Lo fanno .", "0-0 1-1 2-0 3-2", "fanno", "", {"mp", "fp"}),
        ("en-it", "It was closed .", "E' stata chiusa .", "1-0 2-2 3-3", "E'", "chiusa", {"fs"}),
        # A form that looks like a verb, and the infinitive of a copula after a modal verb.
        ("en-it", "They are complete .", "Sono complete .", "1-0 2-1 3-2", "Sono", "complete", {"fp"}),
        (
            "en-it",
            "It must be checked .",
            "Deve essere controllata .",
            "1-0 2-1 3-2 4-3",
            "Deve",
            "controllata",
            {"fs"},
        ),
        # The number of hours says nothing of *it*.
        ("en-it", "It was nine .", "Erano le nove .", "1-0 2-2 3-3", "Erano", "", {"ms", "fs", "mp", "fp"}),
        ("en-pt", "It is too bright .", "É demasiado clara .", "1-0 2-1 3-2 4-3", "É", "clara", {"fs"}),
        ("en-pt", "It is broken .", "Está quebrada .", "1-0 2-1 3-2", "Está", "quebrada", {"fs"}),
        ("en-pt", "They are broken .", "Estão quebrados .", "1-0 2-1 3-2", "Estão", "quebrados", {"mp"}),
        ("en-pt", "It opens slowly .", "Abre -se devagar .", "0-1 1-0 2-2 3-3", "Abre", "", {"ms", "fs"}),
    ],
)
def test_a_verb_with_its_subject_shows_number_and_what_agrees(
    cases_of: CaseMaker,
    pair: str,
    source: str,
    candidate: str,
    links: str,
    form: str,
    agreeing: str,
    shown: set[str],
) -> None:
    found = rendering_of(cases_of(pair, [source], [candidate], [links])[0])
    assert (found.kind, found.form, found.agreeing) == (RenderingKind.NULL_SUBJECT, form, agreeing)
    assert {"".join(reading) for reading in found.readings} == shown


@pytest.mark.parametrize(
    ("candidate", "agreeing", "shown"),
    [
        ("L' ho vista .", "vista", {"fs"}),
        ("L' ho già venduto .", "venduto", {"ms"}),
        # Without an auxiliary there is no participle.
        ("Poi l' apre .", "", {"ms", "fs"}),
    ],
)
def test_a_participle_shows_the_gender_of_an_elided_object(
    cases_of: CaseMaker, candidate: str, agreeing: str, shown: set[str]
) -> None:
    found = rendering_of(cases_of("en-it", ["I saw it ."], [candidate], ["2-0 2-1"])[0])
    assert (found.kind, found.form, found.agreeing) == (RenderingKind.PRONOUN, "l'", agreeing)
    assert {"".join(reading) for reading in found.readings} == shown


def test_what_stands_before_a_gerund_is_a_verb(rendered: Render) -> None:
    found = rendered("en-pt", "It is failing .", "Esta dando erro .", "0-0 1-0 2-1")
    assert found.kind is not RenderingKind.PRONOUN


@pytest.mark.parametrize(
    ("language", "singular", "plural", "neither"),
    [
        (
            "it",
            "è viene disse permette esiste offre funzioni",
            "sono hanno dissero parlano",
            "fatto andati vedere sei",
        ),
        ("pt", "é tem foi quer faz contém ajuda fizer", "são têm foram estão", "feito vendida ver fui"),
    ],
)
def test_the_number_of_italian_and_portuguese_verbs(
    language: str, singular: str, plural: str, neither: str
) -> None:
    known = TargetLanguage.load(language)
    assert {known.verb_number(verb) for verb in singular.split()} == {"s"}
    assert {known.verb_number(verb) for verb in plural.split()} == {"p"}
    assert {known.verb_number(verb) for verb in neither.split()} == {""}


def test_a_link_to_punctuation_renders_nothing(rendered: Render) -> None:
    assert rendered("en-pt", "Got it .", "Entendi .", "0-0 1-1 2-1").kind is RenderingKind.NOTHING


# French


@pytest.mark.parametrize(
    ("source", "candidate", "links", "form"),
    [
        ("I have seen it .", "Je l' ai vu .", "0-0 1-2 2-3", "l'"),
        ("I have never seen them .", "Je ne les ai jamais vus .", "0-0 1-3 2-4 3-5", "les"),
        ("Put it there .", "Mets-le là .", "0-0 2-1", "le"),
        ("We want to talk about it .", "Nous voulons en parler .", "0-0 1-1 3-3", "en"),
    ],
)
def test_french_objects_that_the_links_have_missed(
    rendered: Render, source: str, candidate: str, links: str, form: str
) -> None:
    found = rendered("en-fr", source, candidate, links)
    assert (found.kind, found.form) == (RenderingKind.PRONOUN, form)


@pytest.mark.parametrize(
    ("pair", "source", "candidate", "links", "form"),
    [
        ("en-fr", "Close it .", "Ferme -le .", "0-0 1-1 2-2", "le"),
        ("en-fr", "Cut it in two .", "Coupe -la en deux .", "0-0 1-1 2-2 3-3 4-4", "la"),
        ("en-fr", "Is it here ?", "Est -il ici ?", "0-0 1-1 2-2 3-3", "il"),
        # The aligner often links the object to the verb that ends in it.
        ("en-es", "We managed to find it .", "Logramos encontrarla .", "1-0 3-1 4-1 5-2", "la"),
        ("en-es", "Let us give it time .", "Démosle tiempo .", "2-0 3-0 4-1 5-2", "le"),
    ],
)
def test_a_pronoun_is_seen_behind_a_hyphen_or_at_the_end_of_its_verb(
    rendered: Render, pair: str, source: str, candidate: str, links: str, form: str
) -> None:
    found = rendered(pair, source, candidate, links)
    assert (found.kind, found.form) == (RenderingKind.PRONOUN, form)
    assert found.readings


def test_an_article_before_a_noun_is_no_object(rendered: Render) -> None:
    found = rendered("en-fr", "I have seen it .", "Je ferme la porte .", "0-0 2-1")
    assert found.kind is RenderingKind.NOTHING


def test_a_clitic_with_another_source_word_is_not_taken(rendered: Render) -> None:
    found = rendered("en-fr", "I have seen it .", "Je les ai vus .", "0-0 0-1 1-2 2-3")
    assert found.kind is RenderingKind.NOTHING


# German


@pytest.mark.parametrize(
    ("source", "candidate", "links", "number"),
    [
        ("It can wait .", "Sie kann warten .", "0-0 1-1 2-2", {"s"}),
        ("They can wait .", "Sie können warten .", "0-0 1-1 2-2", {"p"}),
        ("They are here .", "Sie sind hier .", "0-0 1-1 2-2", {"p"}),
        ("Today it will come .", "Heute wird sie kommen .", "0-0 1-2 2-1 3-3", {"s"}),
        (
            "We wait , because they had time .",
            "Wir warten , weil sie Zeit hatten .",
            "0-0 1-1 3-3 4-4 5-6 6-5",
            {"p"},
        ),
        # The verb of an object tells the number of its subject.
        ("We clean it .", "Wir putzen sie .", "0-0 1-1 2-2", {"s", "p"}),
    ],
)
def test_the_verb_tells_the_number_of_german_sie(
    rendered: Render, source: str, candidate: str, links: str, number: set[str]
) -> None:
    found = rendered("en-de", source, candidate, links)
    assert found.form == "sie"
    assert numbers(found) == number


def test_an_article_among_the_linked_words_is_not_the_pronoun(rendered: Render) -> None:
    found = rendered("en-de", "We see it .", "Wir sehen die Lampe .", "0-0 1-1 2-2 2-3")
    assert found.kind is not RenderingKind.PRONOUN or found.form == "die"


# Parts


def test_verbs_of_a_subject_are_looked_for_past_adverbs_only(cases_of: CaseMaker) -> None:
    (case,) = cases_of("en-fr", ("It has never really worked .",), ("Il marche .",), ("0-0 4-1",))
    assert list(source_verbs(case)) == [1, 4]
    (case,) = cases_of("en-fr", ("It , the lamp , works .",), ("Elle marche .",), ("0-0 5-1",))
    assert list(source_verbs(case)) == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("I have seen it .", ("verb", 2)),
        ("We talk about it .", ("preposition", 1)),
        ("And it .", ("other", None)),
    ],
)
def test_what_an_object_depends_on(
    cases_of: CaseMaker, source: str, expected: tuple[str, int | None]
) -> None:
    (case,) = cases_of("en-fr", (source,), ("Oui .",), ("0-0",))
    assert governor(case) == expected


# Surroundings

LONG = "The old lamp was broken , and it fell from the high table yesterday ."
TRANSLATED = "La vieille lampe était cassée , et elle est tombée de la haute table hier ."
LINKS = "0-0 1-1 2-2 3-3 4-4 5-5 6-6 7-7 8-9 9-10 10-11 11-12 12-13 13-14 14-15"


@pytest.fixture
def around(cases_of: CaseMaker) -> Callable[[str, str], Surroundings]:
    def measure(candidate: str, links: str) -> Surroundings:
        (case,) = cases_of("en-fr", (LONG,), (candidate,), (links,))
        return surroundings_of(case)

    return measure


Around = Callable[[str, str], Surroundings]


def test_a_whole_translation_has_nothing_to_complain_about(around: Around) -> None:
    assert around(TRANSLATED, LINKS) == Surroundings(0, 0, 0, 0, 0)


def test_a_lost_clause(around: Around) -> None:
    found = around("La vieille lampe était cassée .", "0-0 1-1 2-2 3-3 4-4 14-5")
    assert found.after == 1
    assert found.unlinked > 0.5
    assert found.cut > 0.3


def test_a_cut_segment(around: Around) -> None:
    longer = around("La vieille lampe était cassée , et elle", "0-0 1-1 2-2 3-3 4-4 5-5 6-6 7-7")
    shorter = around("La", "0-0")
    assert 0 < longer.cut < shorter.cut <= 1


def test_english_that_was_left(around: Around) -> None:
    found = around("La vieille lampe was broken , and it is fell from the high table hier .", LINKS)
    assert 0.2 < found.english < 1


def test_a_loop(around: Around) -> None:
    found = around(" ".join([TRANSLATED] * 3), LINKS)
    assert found.repeated > 0.5
    assert all(0 <= value <= 1 for value in (found.unlinked, found.cut, found.english, found.after))


def test_into_english_no_word_is_left_in_english(cases_of: CaseMaker) -> None:
    (case,) = cases_of("de-en", ("Er ist alt .",), ("It is old .",), ("0-0 1-1 2-2",))
    assert surroundings_of(case).english == 0
