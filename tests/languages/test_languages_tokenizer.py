from __future__ import annotations

import gzip
import time
import unicodedata
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from anaphor.core import Sentence
from anaphor.languages import LanguagePack, Tokenizer, load_language, split_tokens, split_words

CODES = ("cs", "de", "en", "es", "fr", "nl", "pl", "ru", "uk")
TOKENIZERS = {code: Tokenizer(load_language(code)) for code in CODES}

# Language, text, tokens with a vertical bar between them. All counted by hand.
SENTENCES = [
    ("fr", "qu'elle", "qu'|elle"),
    ("fr", "c'est", "c'|est"),
    ("fr", "Ç'a été", "Ç'|a|été"),
    ("fr", "l'eau", "l'|eau"),
    ("fr", "jusqu'à", "jusqu'|à"),
    ("fr", "lorsqu'il", "lorsqu'|il"),
    ("fr", "d'aujourd'hui", "d'|aujourd'hui"),
    ("fr", "quelqu'un", "quelqu'un"),
    ("fr", "est-il", "est|-il"),
    ("fr", "a-t-on", "a|-t-on"),
    ("fr", "s'est-il", "s'|est|-il"),
    ("fr", "n'est-ce pas", "n'|est|-ce|pas"),
    ("fr", "donne-le-moi", "donne|-le|-moi"),
    ("fr", "va-t'en", "va|-t'en"),
    ("fr", "vas-y", "vas|-y"),
    ("fr", "peut-être", "peut-être"),
    ("fr", "c'est-à-dire", "c'est-à-dire"),
    ("fr", "les rendez-vous", "les|rendez-vous"),
    ("fr", "celui-ci", "celui-ci"),
    ("fr", "l'après-midi", "l'|après-midi"),
    ("fr", "qu'en-dira-t-on", "qu'en-dira-t-on"),
    ("fr", "l'«eau»", "l'|«|eau|»"),
    ("fr", "qu' elle", "qu'|elle"),
    ("fr", "M. Dupont, etc.", "M.|Dupont|,|etc."),
    ("fr", "Il y croit\u00a0!", "Il|y|croit|!"),
    ("en", "It's", "It|'s"),
    ("en", "they've", "they|'ve"),
    ("en", "don't", "do|n't"),
    ("en", "shouldn't've", "should|n't|'ve"),
    ("en", "cannot", "cannot"),
    ("en", "o'clock", "o'clock"),
    ("en", "O'Brien's", "O'Brien|'s"),
    ("en", "the dogs' tails", "the|dogs|'|tails"),
    ("en", "'Tis", "'Tis"),
    ("en", "let's", "let's"),
    ("en", "a 19-year-old", "a|19-year-old"),
    ("en", "the U.S., e.g. here", "the|U.S.|,|e.g.|here"),
    ("en", "Approx. here", "Approx.|here"),
    ("en", "(it)", "(|it|)"),
    ("en", "see http://example.org/a?b=1.", "see|http://example.org/a?b=1|."),
    ("en", "ask me.too@example.org!", "ask|me.too@example.org|!"),
    ("en", "#it @they", "#it|@they"),
    ("en", "it -- they – it... they…", "it|--|they|–|it|...|they|…"),
    ("de", "Gib's mir", "Gib|'s|mir"),
    ("de", "Wie geht's?", "Wie|geht|'s|?"),
    ("de", "'s ist", "'s|ist"),
    ("de", "zum E-Mail-Konto", "zum|E-Mail-Konto"),
    ("de", "Z.B. „es“ usw.", "Z.B.|„|es|“|usw."),
    ("es", "¿Lo ves? ¡Dámelo!", "¿|Lo|ves|?|¡|Dámelo|!"),
    ("es", "del al", "del|al"),
    ("es", "el Sr. López", "el|Sr.|López"),
    ("ru", "Кто-то из-за него пришёл.", "Кто-то|из-за|него|пришёл|."),
    ("ru", "«О ней» — и т.д.", "«|О|ней|»|—|и|т.д."),
    ("ru", "Я дал им. О нем. В 1990 г. он", "Я|дал|им|.|О|нем|.|В|1990|г.|он"),
    ("uk", "М'яч біля об'їзду, див. її.", "М'яч|біля|об'їзду|,|див.|її|."),
    ("pl", "Poszedł doń, m.in. z nią.", "Poszedł|doń|,|m.in.|z|nią|."),
    ("pl", "W 1990 r. biało-czerwony", "W|1990|r.|biało-czerwony"),
    ("cs", "„Čekal naň,“ řekla, tj. ona.", "„|Čekal|naň|,|“|řekla|,|tj.|ona|."),
    ("cs", "Je-li tomu tak", "Je-li|tomu|tak"),
    ("nl", "'t Is van 'm, heeft-ie gezegd.", "'t|Is|van|'m|,|heeft|-ie|gezegd|."),
    ("nl", "Oma's auto's, zo'n dag, 's avonds", "Oma's|auto's|,|zo'n|dag|,|'s|avonds"),
]
IN_EVERY_LANGUAGE = [
    ("3,5 % 1.000 10:30 1990-1991", "3,5|%|1.000|10:30|1990-1991"),
    ("", ""),
    (" \t ", ""),
    ("é\u2028è\u0085ê", "é|è|ê"),
    ("👍🏽!", "👍|🏽|!"),
    ("snake_case x2", "snake_case|x2"),
]


def tokens(expected: str) -> tuple[str, ...]:
    return tuple(expected.split("|")) if expected else ()


@pytest.mark.parametrize("apostrophe", ["'", "’", "ʼ"])
@pytest.mark.parametrize(("code", "text", "expected"), SENTENCES)
def test_words_are_cut_by_the_rules_of_the_language(
    code: str, text: str, expected: str, apostrophe: str
) -> None:
    sentence = TOKENIZERS[code](text.replace("'", apostrophe))
    assert sentence.tokens == tokens(expected.replace("'", apostrophe))


@pytest.mark.parametrize(("code", "text", "expected"), [row for row in SENTENCES if "." not in row[1]])
def test_capitals_are_cut_alike(code: str, text: str, expected: str) -> None:
    assert TOKENIZERS[code](text.upper()).tokens == tokens(expected.upper())


@pytest.mark.parametrize(("code", "text", "expected"), SENTENCES)
def test_decomposed_text_is_cut_alike(code: str, text: str, expected: str) -> None:
    decomposed = unicodedata.normalize("NFD", text)
    assert TOKENIZERS[code](decomposed).tokens == tokens(unicodedata.normalize("NFD", expected))


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize(("text", "expected"), IN_EVERY_LANGUAGE)
def test_numbers_and_signs_are_cut_alike_everywhere(code: str, text: str, expected: str) -> None:
    assert TOKENIZERS[code](text).tokens == tokens(expected)


def test_a_tokenizer_is_named_after_its_language(languages: dict[str, LanguagePack]) -> None:
    assert Tokenizer(languages["fr"]).name == "anaphor-fr"


def outside(sentence: Sentence) -> str:
    """All that no token covers; fails where tokens overlap or do not stand in the text."""
    left, end = [], 0
    for i, token in enumerate(sentence.tokens):
        span = sentence.span(i)
        assert token
        assert span.start >= end
        assert sentence.text[span.start : span.end] == token
        left.append(sentence.text[end : span.start])
        end = span.end
    return "".join([*left, sentence.text[end:]])


FRAGMENTS = st.sampled_from(
    [
        "qu'",
        "c’",
        "-t-il",
        "n't",
        "'s",
        "elle",
        "-le",
        "http://",
        "www.",
        "a@b",
        ".",
        "...",
        "-",
        " ",
        "\u0301",
        "3,5",
    ]
)


@given(st.one_of(st.text(), st.lists(FRAGMENTS).map("".join)), st.sampled_from(CODES))
def test_tokens_stand_in_the_text_and_only_white_space_is_left_out(text: str, code: str) -> None:
    left = outside(TOKENIZERS[code](text))
    assert not left or left.isspace()


WORDS = st.lists(
    st.sampled_from(
        ["maison", "house", "Straße", "niño", "avril", "parte", "42", "1.000", "!", "»", "peut-être", "etc."]
    )
)


@given(WORDS, st.sampled_from(["en", "fr"]))
def test_cutting_again_leaves_ordinary_words_as_they_are(words: list[str], code: str) -> None:
    joined = " ".join(TOKENIZERS[code](" ".join(words)).tokens)
    assert TOKENIZERS[code](joined).tokens == tuple(joined.split())


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize(
    "unit", ["a.", "-le", "'s", "www.", "a-", "a@", "l'", "don't", "1,", "\u0301", "http://"]
)
def test_no_text_makes_the_tokenizer_slow(code: str, unit: str) -> None:
    started = time.process_time()
    TOKENIZERS[code](unit * 20_000 + "x")
    assert time.process_time() - started < 15  # a tenth of a second is usual, quadratic search takes minutes


@pytest.mark.parametrize(
    ("text", "expected", "starts"),
    [
        ("a b c", ("a", "b", "c"), (0, 2, 4)),
        ("qu' il est-il", ("qu'", "il", "est-il"), (0, 4, 7)),
        ("", (), ()),
        ("   ", (), ()),
        (" a  b ", ("a", "b"), (1, 4)),
        ("a\tb\vc\fd", ("a", "b", "c", "d"), (0, 2, 4, 6)),
        ("10\u00a0000 x\u2028y\u0085z", ("10\u00a0000", "x\u2028y\u0085z"), (0, 7)),
        ("a\u3000b\rc", ("a\u3000b\rc",), (0,)),
    ],
)
def test_given_tokens_are_separated_by_ascii_blanks_alone(
    text: str, expected: tuple[str, ...], starts: tuple[int, ...]
) -> None:
    assert split_tokens(text) == Sentence(text, expected, starts)


@given(st.text(alphabet=st.one_of(st.sampled_from(" \t\v\fab\u00a0\u2028\r"), st.characters())))
def test_given_tokens_stand_in_the_text_and_are_counted_right(text: str) -> None:
    sentence = split_tokens(text)
    assert set(outside(sentence)) <= set(" \t\v\f")
    assert not set("".join(sentence.tokens)) & set(" \t\v\f")
    assert tuple(split_words(text)) == sentence.tokens


def test_french_news_is_cut_into_the_pronouns_that_annotators_saw(data_dir: Path) -> None:
    """Subjects of Sequoia's development part: our cut of the raw text against the treebank's own tokens."""
    seen, wanted = 0, 0
    text = ""
    with gzip.open(data_dir / "ud" / "fr_sequoia-ud-dev.conllu.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("# text = "):
                text = line.removeprefix("# text = ")
                seen += sum(
                    token.lower() in ("il", "-il", "-t-il") for token in TOKENIZERS["fr"](text).tokens
                )
            elif line[0].isdigit():
                wanted += line.split("\t")[1].lower() in ("il", "-il", "-t-il")
    assert wanted > 50
    assert seen == wanted


@given(st.text(max_size=60), st.sampled_from(sorted(TOKENIZERS)))
@example("quʼelle", "fr")
@example("a\xadt-il", "fr")
@example("they`re it's.It", "en")
def test_words_are_the_tokens(text: str, code: str) -> None:
    assert tuple(TOKENIZERS[code].words(text)) == TOKENIZERS[code](text).tokens
