"""Ten invented segments a language, each with the cases of its pronouns and the reason for them.

`[1 It] works` and `[1 Она] работает` are linked; what is not marked is not. Objects are evaluated as well.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

import anaphor
from anaphor.core import LanguagePair
from anaphor.languages import Tokenizer, load_language, load_pair

IDENTICAL, EQUIVALENT, DIFFERENT = "identical", "equivalent", "different"
NOT_IN_CANDIDATE, NOT_IN_REFERENCE, IN_NEITHER = "candidate_missing", "reference_missing", "both_missing"

#: English, reference, candidate, the cases of the English pronouns in their order.
Segment = tuple[str, str, str, Sequence[str]]

SEGMENTS: dict[str, tuple[Segment, ...]] = {
    "ru": (
        # The same pronoun, whatever the verb.
        ("[1 It] was broken.", "[1 Она] была сломана.", "[1 Она] сломалась.", [IDENTICAL]),
        # The lamp (лампа) is feminine; он is another gender.
        ("[1 It] was broken.", "[1 Она] была сломана.", "[1 Он] был сломан.", [DIFFERENT]),
        # Most texts write е for ё: the spelling differs, the pronoun does not.
        (
            "[1 They] saw [2 it].",
            "[1 Они] увидели [2 её].",
            "[1 Они] увидели [2 ее].",
            [IDENTICAL, IDENTICAL],
        ),
        # The preposition demands н-; the accusative of он is the same.
        ("I looked at [1 it].", "Я осмотрел [1 его].", "Я посмотрел на [1 него].", [IDENTICAL]),
        # Gender shows in the dative as well.
        ("He went up to [1 it].", "Он подошёл к [1 нему].", "Он подошёл к [1 ней].", [DIFFERENT]),
        # Weather and time have no subject in Russian.
        ("[1 It] is late.", "Уже поздно.", "Уже поздно.", [IN_NEITHER]),
        # This is: это is in the list.
        ("[1 It] is a clock.", "[1 Это] часы.", "[1 Это] же часы.", [IDENTICAL]),
        # эти is no form of the list, so it is not they.
        ("[1 They] are old.", "[1 Они] старые.", "[1 Эти] старые.", [DIFFERENT]),
        # ними is several, ним is one.
        ("She works with [1 them].", "Она работает с [1 ними].", "Она работает с [1 ним].", [DIFFERENT]),
        # Primers mark the stress.
        ("[1 It] shines.", "[1 Оно] светит.", "[1 Оно\u0301] све\u0301тит.", [IDENTICAL]),
    ),
    "uk": (
        ("[1 It] works.", "[1 Вона] працює.", "[1 Вона] діє.", [IDENTICAL]),
        # Another gender.
        ("[1 It] works.", "[1 Вона] працює.", "[1 Він] працює.", [DIFFERENT]),
        # н- after a preposition.
        ("I see [1 it].", "Я бачу [1 її].", "Я дивлюся на [1 неї].", [IDENTICAL]),
        # The order of words is free.
        (
            "[1 They] seek [2 it].",
            "[1 Вони] шукають [2 його].",
            "[1 Вони] [2 його] шукають.",
            [IDENTICAL, IDENTICAL],
        ),
        # The locative has two forms.
        ("He sits on [1 it].", "Він сидить на [1 ньому].", "Він сидить на [1 нім].", [IDENTICAL]),
        # No subject at all.
        ("[1 It] is cold.", "Холодно.", "Дуже холодно.", [IN_NEITHER]),
        # то is spoken for це, but not in the list: most of its uses are no pronouns.
        ("[1 It] is a lamp.", "[1 Це] лампа.", "[1 То] лампа.", [DIFFERENT]),
        # The verb shows who: the subject may go, which is no error, but no counterpart either.
        ("[1 They] know.", "[1 Вони] знають.", "Знають.", [NOT_IN_CANDIDATE]),
        ("[1 They] know.", "Знають.", "[1 Вони] знають.", [NOT_IN_REFERENCE]),
        # With several, with her.
        ("She lives with [1 them].", "Вона живе з [1 ними].", "Вона живе з [1 нею].", [DIFFERENT]),
    ),
    "pl": (
        # The ending of the verb is the subject.
        ("[1 It] works.", "Działa.", "Ciągle działa.", [IN_NEITHER]),
        # Where subjects stand, their gender counts.
        ("[1 It] works.", "[1 Ona] działa.", "[1 On] działa.", [DIFFERENT]),
        # n- after a preposition.
        ("I see [1 it].", "Widzę [1 ją].", "Patrzę na [1 nią].", [IDENTICAL]),
        # The short form, and the long one with emphasis.
        ("I see [1 it].", "Widzę [1 go].", "[1 Jego] widzę.", [IDENTICAL]),
        # doń is do and niego.
        ("I went up to [1 it].", "Podszedłem do [1 niego].", "Podszedłem [1 doń].", [IDENTICAL]),
        # oni are men, one are women or things.
        ("[1 They] came.", "[1 Oni] przyszli.", "[1 One] przyszły.", [DIFFERENT]),
        ("[1 It] is a clock.", "[1 To] zegar.", "Jest [1 to] zegar.", [IDENTICAL]),
        # The same distinction among objects: ich are men, je are not.
        ("I see [1 them].", "Widzę [1 ich].", "Widzę [1 je].", [DIFFERENT]),
        # to is this, je is several or a child.
        (
            "I bought [1 it] for [2 them].",
            "Kupiłem [1 to] dla [2 nich].",
            "Kupiłem [1 je] dla [2 nich].",
            [DIFFERENT, IDENTICAL],
        ),
        # nie, here them, is not in the list, because it is nearly always not: the reference has another word.
        ("I looked at [1 them].", "Spojrzałem na [1 nie].", "Spojrzałem na [1 nich].", [DIFFERENT]),
    ),
    "cs": (
        # The ending of the verb is the subject.
        ("[1 It] works.", "Funguje.", "Pořád funguje.", [IN_NEITHER]),
        ("[1 It] is a clock.", "Jsou [1 to] hodiny.", "[1 To] jsou hodiny.", [IDENTICAL]),
        # n- after a preposition; and letters with separate accents are the same letters.
        ("I see [1 it].", "Vidím [1 ji].", "Di\u0301va\u0301m se na [1 ni].", [IDENTICAL]),
        # Two forms of one accusative.
        ("I see [1 it].", "Vidím [1 ho].", "Vidím [1 jej].", [IDENTICAL]),
        # naň is na and něj.
        ("He waited for [1 it].", "Čekal na [1 něj].", "Čekal [1 naň].", [IDENTICAL]),
        # oni are men or animals, ony are women or things.
        ("[1 They] came.", "[1 Oni] přišli.", "[1 Ony] přišly.", [DIFFERENT]),
        # je is several, ho is one.
        ("I see [1 them].", "Vidím [1 je].", "Vidím [1 ho].", [DIFFERENT]),
        # A subject with emphasis where the reference has none.
        ("[1 They] are old.", "Jsou staré.", "[1 Ony] jsou staré.", [NOT_IN_REFERENCE]),
        # For them, or to them: number agrees, but cases are forms of their own.
        (
            "I bought [1 it] for [2 them].",
            "Koupil jsem [1 to] pro [2 ně].",
            "Koupil jsem [2 jim] [1 to].",
            [IDENTICAL, DIFFERENT],
        ),
        # tohle is toto as it is spoken.
        ("[1 It] happened.", "[1 Toto] se stalo.", "[1 Tohle] se stalo.", [IDENTICAL]),
    ),
    "nl": (
        # The lamp (de lamp) is hij to most speakers, ze to some: APT asks for the reference's form.
        ("[1 It] works.", "[1 Hij] werkt.", "[1 Ze] werkt.", [DIFFERENT]),
        # Reduced forms are the same pronouns.
        ("[1 It] works.", "[1 Het] werkt.", "[1 't] Werkt.", [IDENTICAL]),
        ("[1 They] came.", "[1 Zij] kwamen.", "[1 Ze] kwamen.", [IDENTICAL]),
        ("I see [1 it].", "Ik zie [1 hem].", "Ik zie [1 ’m].", [IDENTICAL]),
        # -ie is hij after another word.
        ("She says [1 it] works.", "Ze zegt dat [1 hij] werkt.", "Ze zegt dat[1 -ie] werkt.", [IDENTICAL]),
        # het and dat are often exchanged, as are hun and hen.
        ("[1 It] is mine.", "[1 Het] is van mij.", "[1 Dat] is van mij.", [EQUIVALENT]),
        ("I gave [1 them] a book.", "Ik gaf [1 hun] een boek.", "Ik gaf [1 hen] een boek.", [EQUIVALENT]),
        # For it is one word. It has more and less emphatic forms, which are not listed as one.
        ("I paid for [1 it].", "Ik heb [1 ervoor] betaald.", "Ik heb [1 daarvoor] betaald.", [DIFFERENT]),
        # Or two words, of which the first is the pronoun.
        ("I know [1 it].", "Ik weet [1 er] van.", "Ik weet [1 er] alles van.", [IDENTICAL]),
        # A sentence turned round has no word for it.
        ("[1 It] snowed.", "[1 Het] sneeuwde.", "Er viel sneeuw.", [NOT_IN_CANDIDATE]),
    ),
    "it": (
        # The ending of the verb is the subject.
        ("[1 It] works.", "Funziona.", "Funziona ancora.", [IN_NEITHER]),
        # A pronoun that the reference does without: the lamp (la lampada) is feminine, and essa is bookish.
        ("[1 It] works.", "Funziona.", "[1 Essa] funziona.", [NOT_IN_REFERENCE]),
        # In writing they are essi, in speech loro; of several things, esse.
        ("[1 They] are old.", "[1 Essi] sono vecchi.", "[1 Loro] sono vecchi.", [EQUIVALENT]),
        ("[1 They] are old.", "[1 Essi] sono vecchi.", "[1 Esse] sono vecchie.", [DIFFERENT]),
        # Before the verb or attached to the infinitive: the clitic is the same, its gender counts.
        ("I want to see [1 it].", "[1 Lo] voglio vedere.", "Voglio [1 vederlo].", [IDENTICAL]),
        ("I want to see [1 it].", "Voglio [1 vederla].", "Voglio [1 vederlo].", [DIFFERENT]),
        # gli and lo are one word, and glie is gli before another clitic.
        (
            "Bring [1 it] to [2 them].",
            "[1 Portalo] a [2 loro].",
            "[1 Portaglielo].",
            [IDENTICAL, NOT_IN_CANDIDATE],
        ),
        ("I talked to [1 them].", "[1 Gli] ho parlato.", "[1 Gliel'] ho detto.", [IDENTICAL]),
        # l' has no gender: it is neither lo nor la.
        ("I saw [1 it].", "[1 L'] ho vista.", "Ho visto [1 lei].", [DIFFERENT]),
        # Of it, ne or n'.
        ("I talked about [1 it].", "[1 Ne] ho parlato.", "[1 N'] ho parlato a lungo.", [IDENTICAL]),
    ),
    "pt": (
        # The ending of the verb is the subject.
        ("[1 It] works.", "Funciona.", "Ainda funciona.", [IN_NEITHER]),
        # Brazilian texts drop fewer subjects than European ones.
        ("[1 They] know.", "Sabem.", "[1 Eles] sabem.", [NOT_IN_REFERENCE]),
        # The lamp (a lâmpada) is feminine.
        ("[1 It] was broken.", "[1 Ela] estava quebrada.", "[1 Ele] estava quebrado.", [DIFFERENT]),
        # -lo after a verb that loses its -r, and o before it, are the same pronoun.
        ("I want to see [1 it].", "Quero vê[1 -lo].", "Eu [1 o] quero ver.", [IDENTICAL]),
        # Inside the future.
        ("I will do [1 it].", "Fá[1 -lo]-ei.", "Vou fazê[1 -lo].", [IDENTICAL]),
        # After a nasal, o is -no.
        (
            "[1 They] did [2 it].",
            "Fizeram[2 -no].",
            "[1 Eles] [2 a] fizeram.",
            [NOT_IN_REFERENCE, DIFFERENT],
        ),
        # Contracted with a preposition or not: dele is de and ele, nela em and ela.
        ("I like [1 it].", "Gosto [1 dele].", "Gosto de usar [1 ele].", [IDENTICAL]),
        ("I trust [1 it].", "Confio [1 nele].", "Confio [1 nela].", [DIFFERENT]),
        # Few speakers of Brazil keep isto and isso apart.
        ("[1 It] is true.", "[1 Isto] é verdade.", "[1 Isso] é verdade.", [EQUIVALENT]),
        # Them, to them: cases are forms of their own, and lhas has to them first.
        ("I saw [1 them].", "Vi[1 -os].", "Deu[1 -lhas].", [DIFFERENT]),
    ),
}
#: The same, translated into English: source, reference, candidate, cases.
INTO_ENGLISH: dict[str, tuple[Segment, ...]] = {
    "it": (
        # The lamp is it, and nobody's name: she is another form.
        ("[1 Essa] funziona.", "[1 It] works.", "[1 She] works.", [DIFFERENT]),
        # lui may be he or him: the case is the translation's, so that both are forms of their own.
        ("È stato [1 lui].", "[1 He] did it.", "It was [1 him].", [DIFFERENT]),
        ("[1 Loro] lo sanno.", "[1 They] know.", "[1 They] know it.", [IDENTICAL]),
        # A subject that is not written cannot be evaluated.
        ("Lo sanno.", "They know.", "He knows.", []),
    ),
    "pt": (
        ("[1 Ela] funciona.", "[1 It] works.", "[1 She] works.", [DIFFERENT]),
        # The pronoun inside dele.
        ("O carro é [1 dele].", "The car is [1 his].", "The car belongs to [1 him].", [DIFFERENT]),
        ("[1 Eles] sabem.", "[1 They] know.", "[1 They] know it.", [IDENTICAL]),
        ("Falei com [1 elas].", "I talked to [1 them].", "I talked.", [NOT_IN_CANDIDATE]),
    ),
}
_MARK = re.compile(r"\[(\d) ([^\]]+)\]")


def plain(text: str) -> str:
    return _MARK.sub(r"\2", text)


def marked(text: str, code: str) -> dict[int, int]:
    """The token of every mark."""
    tokens = Tokenizer(load_language(code))(plain(text))
    places, removed = {}, 0
    for match in _MARK.finditer(text):
        start = match.start() - removed
        (places[int(match[1])],) = [at for at in range(len(tokens.tokens)) if tokens.starts[at] == start]
        removed += len(match[0]) - len(match[2])
    return places


def links(source: str, target: str, code: str, *, of: str = "en") -> list[tuple[int, int]]:
    sources, targets = marked(source, of), marked(target, code)
    return [(sources[number], place) for number, place in targets.items()]


@pytest.mark.parametrize("code", SEGMENTS)
def test_the_cases_of_ten_segments_are_those_that_a_reader_gives(code: str) -> None:
    assert len(SEGMENTS[code]) == 10
    check_cases(SEGMENTS[code], "en", code)


@pytest.mark.parametrize("code", INTO_ENGLISH)
def test_the_cases_into_english_are_those_that_a_reader_gives(code: str) -> None:
    check_cases(INTO_ENGLISH[code], code, "en")


def check_cases(segments: Sequence[Segment], of: str, code: str) -> None:
    report = anaphor.evaluate(
        source=[plain(source) for source, *_ in segments],
        references=[plain(reference) for _, reference, *_ in segments],
        systems={"candidate": [plain(candidate) for _, _, candidate, _ in segments]},
        reference_alignments=[[links(source, own, code, of=of) for source, own, *_ in segments]],
        system_alignments={"candidate": [links(source, own, code, of=of) for source, _, own, _ in segments]},
        pair=f"{of}-{code}",
        metrics="apt",
        objects=True,
        samples=0,
    )
    found: list[list[str]] = [[] for _ in segments]
    for verdict in report.result.systems[0].verdicts:
        found[verdict.pair.source.segment].append(verdict.outcome.label)
    assert found == [list(cases) for *_, cases in segments]


@pytest.mark.parametrize("code", SEGMENTS)
def test_a_translation_equal_to_the_reference_differs_in_nothing(code: str) -> None:
    segments = [segment for segment in SEGMENTS[code] if _MARK.search(segment[1])]
    lines = [plain(reference) for _, reference, *_ in segments]
    aligned = [links(source, reference, code) for source, reference, *_ in segments]
    report = anaphor.evaluate(
        source=[plain(source) for source, *_ in segments],
        references=lines,
        systems={"candidate": lines},
        reference_alignments=[aligned],
        system_alignments={"candidate": aligned},
        pair=f"en-{code}",
        metrics="autoprf",
        objects=True,
        samples=0,
    )
    assert report.scores["candidate"]["autoprf"] == 1


@pytest.mark.parametrize("code", SEGMENTS)
@pytest.mark.parametrize("turned", [False, True])
def test_every_evaluated_form_has_usual_translations_that_are_compared(code: str, turned: bool) -> None:
    pack = load_pair(LanguagePair(code, "en") if turned else LanguagePair("en", code))
    compared = {*pack.target_pronouns, *pack.object_pronouns}
    forms = (*pack.source_pronouns, *pack.source_objects)
    assert len(forms) > 1
    assert all(compared & {*pack.likely[form]} for form in forms)
