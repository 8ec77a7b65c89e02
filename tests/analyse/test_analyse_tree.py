"""Subjects, expletives and left-out subjects from trees drawn by hand."""

from __future__ import annotations

import pytest

from anaphor.analyse.tree import analysis_of, own_tokens, placed, roles_of
from anaphor.core import MismatchError, Where
from anaphor.corpus.conllu import Contraction, ParsedSentence, Word, features_of_cell
from anaphor.languages import Tokenizer, load_language

FINITE = "Mood=Ind|Person=3|VerbForm=Fin"


def parsed(*rows: str) -> list[Word]:
    """Rows such as `hay VERB 0 root Person=3`, heads counted from 1."""
    words = []
    for row in rows:
        form, tag, head, relation, *features = row.split()
        cell = features[0] if features else "_"
        words.append(
            Word(
                form,
                form.lower(),
                tag,
                features_of_cell(cell),
                int(head) - 1 if head != "0" else None,
                relation,
            )
        )
    return words


@pytest.mark.parametrize(
    ("rows", "subjects", "expletives"),
    [
        (["It PRON 2 nsubj", "works VERB 0 root"], {0}, set()),
        (["It PRON 3 nsubj:pass", "was AUX 3 aux:pass", "seen VERB 0 root"], {0}, set()),
        (["I PRON 2 nsubj", "saw VERB 0 root", "it PRON 2 obj"], {0}, set()),
        (["There PRON 2 expl", "is VERB 0 root", "one NUM 2 nsubj"], {0, 2}, {0}),
        # The object it of: I find it hard to say.
        (["I PRON 2 nsubj", "find VERB 0 root", "it PRON 2 expl", "hard ADJ 2 xcomp"], {0}, {2}),
        # French: il y a, where y belongs to the verb.
        (["Il PRON 3 expl:subj", "y PRON 3 expl:comp", "a VERB 0 root", "gens NOUN 3 obj"], {0}, {0}),
        # An expl:subj is a subject wherever it stands: Jean vient-il ?
        (["Jean PROPN 2 nsubj", "vient VERB 0 root", "-il PRON 2 expl:subj"], {0, 2}, {2}),
        # German: er freut sich.
        (["Er PRON 2 nsubj", "freut VERB 0 root", "sich PRON 2 expl:pv"], {0}, set()),
    ],
)
def test_overt_subjects_and_expletives(rows: list[str], subjects: set[int], expletives: set[int]) -> None:
    roles = roles_of(parsed(*rows), language="fr")
    assert (set(roles.subjects), set(roles.expletives)) == (subjects, expletives)


@pytest.mark.parametrize(
    ("rows", "nulls"),
    [
        ([f"Llegó VERB 0 root {FINITE}", "ayer ADV 1 advmod"], {0}),
        (["Ana PROPN 2 nsubj", f"llegó VERB 0 root {FINITE}"], set()),
        ([f"Ha AUX 2 aux {FINITE}", "llegado VERB 0 root VerbForm=Part"], {0}),
        (["Ana PROPN 3 nsubj", f"ha AUX 3 aux {FINITE}", "llegado VERB 0 root VerbForm=Part"], set()),
        # A noun with a copula: es un problema.
        ([f"Es AUX 3 cop {FINITE}", "un DET 3 det", "problema NOUN 0 root"], {0}),
        ([f"Hay VERB 0 root {FINITE}", "gente NOUN 1 obj"], {0}),
        (["Llegué VERB 0 root Mood=Ind|Person=1|VerbForm=Fin"], set()),
        (["Venga VERB 0 root Mood=Imp|Person=3|VerbForm=Fin"], set()),
        (["Llegar VERB 0 root VerbForm=Inf"], set()),
        # A clause as subject: conviene que vengas.
        (
            [
                f"Conviene VERB 0 root {FINITE}",
                "que SCONJ 3 mark",
                "vengas VERB 1 csubj Person=2|VerbForm=Fin",
            ],
            set(),
        ),
        # Where auxiliary and head are both finite, the first word of the phrase: Puede llega.
        ([f"Puede AUX 2 aux {FINITE}", f"llega VERB 0 root {FINITE}"], {0}),
        ([f"Llega VERB 0 root {FINITE}", f"puede AUX 1 aux {FINITE}"], {0}),
        # Of two auxiliaries the first that is finite and in the third person.
        (
            ["haber AUX 3 aux VerbForm=Inf", f"Ha AUX 3 aux {FINITE}", "sido VERB 0 root VerbForm=Part"],
            {1},
        ),
        # The second verb of a coordination has no subject arc of its own: Ana vino y comió.
        (
            [
                "Ana PROPN 2 nsubj",
                f"vino VERB 0 root {FINITE}",
                "y CCONJ 4 cc",
                f"comió VERB 2 conj {FINITE}",
            ],
            {3},
        ),
    ],
)
def test_left_out_subjects_in_spanish(rows: list[str], nulls: set[int]) -> None:
    assert set(roles_of(parsed(*rows), language="es").null_subjects) == nulls


def test_a_language_that_needs_subjects_leaves_none_out() -> None:
    words = parsed(f"Kam VERB 0 root {FINITE}")
    assert roles_of(words, language="de").null_subjects == frozenset()


def test_an_analysis_has_the_tree() -> None:
    analysis = analysis_of(parsed("It PRON 2 nsubj", "works VERB 0 root"), language="en")
    assert analysis.tree is not None
    assert analysis.tree.heads == (1, None)
    assert analysis.tree.relations == ("nsubj", "root")
    assert analysis.tags == ("PRON", "VERB")


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
