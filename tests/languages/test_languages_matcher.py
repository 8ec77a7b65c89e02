from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphor.languages import FormMatcher, LanguagePack, Tokenizer, load_language

FRENCH = [
    "il",
    "elle",
    "ils",
    "elles",
    "ce",
    "c'",
    "on",
    "ça",
    "ç'",
    "cela",
    "le",
    "la",
    "l'",
    "les",
    "lui",
    "leur",
    "eux",
    "y",
    "en",
    "m'",
    "moi",
    "vous",
]
SPANISH = ["me", "te", "se", "lo", "la", "le", "nos", "os", "los", "las", "les", "él", "ella", "mí"]
ITALIAN = [
    "lo",
    "la",
    "l'",
    "li",
    "le",
    "gli",
    "glie",
    "ne",
    "ci",
    "c'",
    "ce",
    "mi",
    "me",
    "vi",
    "si",
    "se",
    "lui",
]
PORTUGUESE = ["ele", "ela", "eles", "o", "a", "os", "as", "lhe", "me", "nos", "se", "isso", "este", "mim"]
LISTED = {
    "fr": FRENCH,
    "it": ITALIAN,
    "pt": PORTUGUESE,
    "en": ["it", "they", "them", "us"],
    "de": ["er", "sie", "es", "du"],
    "es": SPANISH,
}

# Language, tokens, the listed forms inside each of them; all by the grammar of the language.
INSIDE = [
    ("fr", "qu'elle d'elle elle", "elle"),
    ("fr", "est-il -il peut-il -t-il va-t-il il, «il»", "il"),
    ("fr", "a-t-on -t-on dit-on qu'on", "on"),
    ("fr", "expliquent-ils s'ils", "ils"),
    ("fr", "c' c'est", "c'"),
    ("fr", "ç' ç'a", "ç'"),
    ("fr", "est-ce n'est-ce", "ce"),
    ("fr", "l' l'eau qu'l'eau", "l'"),
    ("fr", "donne-le-moi", "le moi"),
    ("fr", "donnez-m'en -m'en", "m' en"),
    ("fr", "il/elle", "il elle"),
    ("fr", "elles", "elles"),
    ("fr", "avril elle-même celui-ci rendez-vous c'est-à-dire quelqu'un jusqu'à cet http://il.fr -", ""),
    ("en", "it it's it'd 'tis it. 'twas", "it"),
    ("en", "they they've", "they"),
    ("en", "'em", "them"),
    ("en", "let's", "us"),
    ("en", "its item It-girl 's don't", ""),
    ("it", "l' l'acqua l'ha dell'l'acqua", "l'"),
    ("it", "vederlo farlo produrlo facendolo prendetelo diciamolo eccolo prendilo dillo", "lo"),
    ("it", "dirglielo dandoglielo diteglielo diglielo chiediglielo glielo", "glie lo"),
    ("it", "gliel'ha gliel'", "glie l'"),
    ("it", "dammelo darmelo ditemelo spiegamelo", "me lo"),
    ("it", "andarsene andandosene", "se ne"),
    ("it", "vedersi opporsi trattandosi conclusosi verificatesi vendesi", "si"),
    ("it", "offertogli assegnatagli dargli", "gli"),
    ("it", "c'è c'erano", "c'"),
    ("it", "esserci figuriamoci proviamoci vacci", "ci"),
    ("it", "scusami fammi aiutatemi sentirmi", "mi"),
    (
        "it",
        "carlo perla parlo parti diversi aeroporti esperti interne carne terne catene aprile capitolo titolo",
        "",
    ),
    ("it", "filo animali ultimi ghiandola artigli cortesi quasi dall'altro po' quest'anno dalla nello", ""),
    ("pt", "vê-lo fazê-lo fá-lo -lo fizeram-no dizem-no deu-o ei-lo", "o"),
    ("pt", "fá-lo-ei tê-lo-ia fá-lo-íamos", "o"),
    ("pt", "dar-lho deu-lho dar-lho-ei lho", "lhe o"),
    ("pt", "enviaram-lhas lhas", "lhe as"),
    ("pt", "apresenta-se-lhe", "se lhe"),
    ("pt", "diz-se dir-se-á dir-se-ia", "se"),
    ("pt", "deu-mo dar-mo", "me o"),
    ("pt", "no-lo deu-no-lo", "nos o"),
    ("pt", "dele nele ele", "ele"),
    ("pt", "dela Nela", "ela"),
    ("pt", "disso nisso", "isso"),
    ("pt", "comigo", "mim"),
    ("pt", "no do pelo mas guarda-chuva segunda-feira dia-a-dia cor-de-rosa d'água Índia consigo", ""),
    ("de", "gib's geht's 's gibts es", "es"),
    ("de", "er's", "er es"),
    ("de", "kannste", "du"),
    ("de", "zum es-dur ans esse mcdonald's", ""),
    ("es", "dámelo dármelo dándomelo dígamelo házmelo", "me lo"),
    ("es", "dárselo diciéndoselo démoselo cómpraselo", "se lo"),
    ("es", "verlo haciéndolo hazlo mátelo tráelo hagámoslo hacedlo cámbialo oírlo", "lo"),
    ("es", "dime háblame verme permítanme", "me"),
    ("es", "vámonos díganos vernos", "nos"),
    ("es", "irse siéntese reírse", "se"),
    ("es", "conmigo", "mí"),
    ("es", "parte muerte suerte carlos charlas perlas convierte gobiernos modernos firme duerme", ""),
    (
        "es",
        "película artículos rápidamente comúnmente ángeles escándalo fenómenos árboles números el del al",
        "",
    ),
]
CASES = [(code, token, tuple(found.split())) for code, words, found in INSIDE for token in words.split()]


@pytest.fixture(scope="module")
def matchers(languages: dict[str, LanguagePack]) -> dict[str, FormMatcher]:
    return {code: FormMatcher(languages[code], forms) for code, forms in LISTED.items()}


@pytest.mark.parametrize(("code", "token", "expected"), CASES)
def test_listed_forms_are_found_inside_tokens(
    matchers: dict[str, FormMatcher], code: str, token: str, expected: tuple[str, ...]
) -> None:
    assert matchers[code].forms_in(token) == expected


@pytest.mark.parametrize(("code", "token", "expected"), CASES)
@pytest.mark.parametrize("apostrophe", ["’", "ʼ"])
def test_spelling_does_not_hide_a_form(
    matchers: dict[str, FormMatcher], code: str, token: str, expected: tuple[str, ...], apostrophe: str
) -> None:
    written = token.replace("'", apostrophe)
    for variant in (written, written.upper(), written.capitalize(), unicodedata.normalize("NFD", written)):
        assert matchers[code].forms_in(variant) == expected


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        ("fr", "Qu'elle vienne, dit-il : c'est l'eau qu'a-t-on ?", ["elle", "il", "c'", "l'", "on"]),
        ("es", "Dámelo; ella quiere verlo.", ["me", "lo", "ella", "lo"]),
        ("it", "Gliel'ho detto: c'è lui, puoi vederlo.", ["glie", "l'", "c'", "lui", "lo"]),
        ("pt", "Fá-lo-ei com ele; disse-lhe isso.", ["o", "ele", "lhe", "isso"]),
        ("de", "Gib's ihm, sie hat's.", ["es", "sie", "es"]),
        ("en", "It's theirs, isn't it? 'Tis.", ["it", "it", "it"]),
    ],
)
def test_raw_text_and_its_white_space_pieces_hold_the_same_forms(
    languages: dict[str, LanguagePack],
    matchers: dict[str, FormMatcher],
    code: str,
    text: str,
    expected: list[str],
) -> None:
    for cut in (Tokenizer(languages[code])(text).tokens, text.split()):
        assert [form for token in cut for form in matchers[code].forms_in(token)] == expected


def test_only_listed_forms_are_found(languages: dict[str, LanguagePack]) -> None:
    matcher = FormMatcher(languages["es"], ["lo"])
    assert matcher.forms_in("dámelo") == ("lo",)
    assert matcher.forms_in("dame") == ()


def test_a_form_outside_the_inventory_is_compared_as_a_whole_word(
    languages: dict[str, LanguagePack],
) -> None:
    matcher = FormMatcher(languages["fr"], ["Çui-là"])
    assert matcher.forms_in("çui-là") == ("çui-là",)
    assert matcher.forms_in("d'çui-là") == ("çui-là",)


@given(st.text(), st.sampled_from(sorted(LISTED)))
def test_any_token_has_an_answer_of_listed_forms(token: str, code: str) -> None:
    matcher = FormMatcher(load_language(code), LISTED[code])
    found = matcher.forms_in(token)
    assert set(found) <= set(LISTED[code])
    assert matcher.forms_in(token) == found
