"""A parse on tokens that are cut otherwise."""

from __future__ import annotations

import pytest

from anaphor.analyse.tree import own_tokens, placed
from anaphor.core import MismatchError, Where
from anaphor.corpus.conllu import Contraction, ParsedSentence, Word
from anaphor.languages import Tokenizer, load_language

HERE = Where("x.conllu", 1)


def sentence(rows: list[tuple[str, str, str, int | None, str]], *contractions: Contraction) -> ParsedSentence:
    words = tuple(Word(form, lemma, tag, {}, head, relation) for form, lemma, tag, head, relation in rows)
    return ParsedSentence(words, contractions, 1)


DU_CHAT = sentence(
    [("de", "de", "ADP", 2, "case"), ("le", "le", "DET", 2, "det"), ("chat", "chat", "NOUN", None, "root")],
    Contraction("du", 0, 2),
)
IT_ISNT = sentence(
    [("It", "it", "PRON", None, "nsubj"), ("is", "be", "AUX", 0, "cop"), ("n't", "not", "PART", 0, "advmod")],
    Contraction("isn't", 1, 3),
)
DARLE = sentence(
    [("dar", "dar", "VERB", None, "root"), ("le", "él", "PRON", 0, "iobj")], Contraction("darle", 0, 2)
)


@pytest.mark.parametrize(
    ("parse", "tokens"),
    [(DU_CHAT, ("du", "chat")), (IT_ISNT, ("It", "is", "n't")), (DARLE, ("darle",))],
)
def test_contractions_are_cut_where_a_tokeniser_cuts_them(
    parse: ParsedSentence, tokens: tuple[str, ...]
) -> None:
    english = Tokenizer(load_language("en"))
    assert own_tokens(parse, english.words) == tokens


@pytest.mark.parametrize(
    ("parse", "tokens", "lemmas", "tags"),
    [
        (DU_CHAT, ["du", "chat"], ("de", "chat"), ("ADP", "NOUN")),
        (DARLE, ["darle"], ("dar",), ("VERB",)),
        (IT_ISNT, ["It", "isn't"], ("it", "be"), ("PRON", "AUX")),
        (IT_ISNT, ["Itisn't"], ("it",), ("PRON",)),
        (IT_ISNT, ["I", "t", "is", "n't"], ("it", "it", "be", "not"), ("PRON", "PRON", "AUX", "PART")),
    ],
)
def test_tokens_take_the_highest_word_they_share_letters_with(
    parse: ParsedSentence, tokens: list[str], lemmas: tuple[str, ...], tags: tuple[str, ...]
) -> None:
    analysis = placed(parse, tokens, language="en", where=HERE)
    assert (analysis.lemmas, analysis.tags) == (lemmas, tags)


def test_a_token_is_a_subject_when_a_word_in_it_is() -> None:
    assert placed(IT_ISNT, ["Itisn't"], language="en", where=HERE).subjects == {0}


def test_heads_are_counted_in_tokens() -> None:
    tree = placed(DU_CHAT, ["du", "ch", "at"], language="fr", where=HERE).tree
    assert tree is not None
    assert tree.heads == (1, None, 1)
    assert tree.relations == ("case", "root", "goeswith")


@pytest.mark.parametrize("tokens", [["du", "chien"], ["du"], ["du", "chat", "!"], ["", "du"]])
def test_another_text_is_a_mismatch(tokens: list[str]) -> None:
    with pytest.raises(MismatchError, match="another sentence"):
        placed(DU_CHAT, tokens, language="fr", where=HERE)
