"""CoNLL-U files: what is read, and where a mistake is said to be."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anaphor.core import InputError, InputWarning, OptionError
from anaphor.corpus.conllu import Contraction, EmptyNode, ParsedSentence, Word, read_conllu, write_conllu

GOOD = """\
# text = Il parle du chat
1\tIl\til\tPRON\t_\tNumber=Sing|Person=3\t2\tnsubj\t_\t_
2\tparle\tparler\tVERB\t_\tPerson=3\t0\troot\t_\t_
3-4\tdu\t_\t_\t_\t_\t_\t_\t_\t_
3\tde\tde\tADP\t_\t_\t5\tcase\t_\t_
4\tle\tle\tDET\t_\t_\t5\tdet\t_\t_
4.1\tvide\t_\t_\t_\t_\t_\t_\t_\t_
5\tchat\tchat\tNOUN\t_\t_\t2\tobl\t_\t_

1\tOui\toui\tINTJ\t_\t_\t0\troot\t_\t_
"""


def read(tmp_path: Path, text: str) -> list[ParsedSentence]:
    path = tmp_path / "text.conllu"
    path.write_text(text, encoding="utf-8")
    return list(read_conllu(path))


def test_words_contractions_and_trees_are_read(tmp_path: Path) -> None:
    first, second = read(tmp_path, GOOD)
    assert [word.form for word in first.words] == ["Il", "parle", "de", "le", "chat"]
    assert first.contractions == (Contraction("du", 2, 4),)
    assert [word.head for word in first.words] == [1, None, 4, 4, 1]
    assert first.words[0].features == {"Number": "Sing", "Person": "3"}
    assert (first.line, second.line) == (2, 10)


def test_an_underscore_can_be_a_form_but_not_a_tag(tmp_path: Path) -> None:
    """Treebanks of web text contain the character itself, as a word."""
    path = tmp_path / "text.conllu"
    path.write_text("1\t_\t_\tSYM\t_\t_\t0\troot\t_\t_\n", encoding="utf-8")
    (sentence,) = read_conllu(path)
    assert (sentence.words[0].form, sentence.words[0].lemma) == ("_", "_")
    path.write_text("1\t_\t_\t_\t_\t_\t0\troot\t_\t_\n", encoding="utf-8")
    with pytest.raises(InputError, match="not a part of speech"):
        list(read_conllu(path))


def test_a_missing_lemma_is_the_form(tmp_path: Path) -> None:
    (sentence,) = read(tmp_path, "1\tOui\t_\tINTJ\t_\t_\t0\troot\t_\t_\n")
    assert sentence.words[0].lemma == "Oui"


def test_an_empty_file_has_no_sentences(tmp_path: Path) -> None:
    assert read(tmp_path, "") == []


def test_comments_and_empty_nodes_are_kept(tmp_path: Path) -> None:
    first, _ = read(tmp_path, GOOD)
    assert first.comments == ("# text = Il parle du chat",)
    assert first.empty_nodes == (EmptyNode(4, 1, ("vide", *("_",) * 7)),)


def test_comments_without_a_sentence_are_announced(tmp_path: Path) -> None:
    with pytest.warns(InputWarning, match="text.conllu:2: left out comments"):
        (sentence,) = read(tmp_path, f"# licence\n\n# text = Oui\n{WORD}\n")
    assert sentence.comments == ("# text = Oui",)


def test_windows_line_ends_are_announced(tmp_path: Path) -> None:
    with pytest.warns(InputWarning, match="CRLF"):
        assert len(read(tmp_path, GOOD.replace("\n", "\r\n"))) == 2


WORD = "1\tOui\toui\tINTJ\t_\t_\t0\troot\t_\t_"
RANGE = "\t_" * 8


@pytest.mark.parametrize(
    ("line", "place", "what"),
    [
        ("1\tOui", ":1", "columns"),
        (f"{WORD}\textra", ":1", "columns"),
        (WORD.replace("1\t", "x\t", 1), ":1:1", "word number"),
        (WORD.replace("1\t", "2\t", 1), ":1:1", "word number 1"),
        (WORD.replace("\tOui", "\t"), ":1:2", "a form"),
        (WORD.replace("INTJ", "_"), ":1:4", "part of speech"),
        (WORD.replace("_\t_\t0", "_\tNumber\t0"), ":1:6", "features"),
        (WORD.replace("_\t_\t0", "_\tNumber=\t0"), ":1:6", "features"),
        (WORD.replace("\t0\t", "\t_\t"), ":1:7", "a head"),
        (WORD.replace("\t0\t", "\t-1\t"), ":1:7", "a head"),
        (WORD.replace("\t0\t", "\t²\t"), ":1:7", "a head"),
        (WORD.replace("\t0\t", "\t9\t"), ":1:7", "a head in the sentence"),
        (WORD.replace("\t0\t", "\t1\t"), ":1:7", "a head in the sentence"),
        (WORD.replace("root", "_"), ":1:8", "relation"),
        (f"2-3\tdu{chr(9) + '_' * 1}" + "\t_" * 7 + f"\n{WORD}", ":1:1", "starts at 1"),
        (f"1-2\tdu{chr(9) + '_' * 1}" + "\t_" * 7 + f"\n{WORD}", ":1", "range in the sentence"),
        ("1-2\tdu" + "\t_" * 8, ":1", "without words"),
        ("1-1\tdu" + "\t_" * 8 + f"\n0.1\tx{RANGE}\n{WORD}", ":2:1", "word number 1"),
        (f"1-1\tdu{RANGE}\n1-1\tdu{RANGE}\n{WORD}", ":2:1", "starts at 1"),
        (f"1-1\tdu\tde{RANGE[2:]}\n{WORD}", ":1:3", "as a range has"),
        (f"{WORD}\n0.1\tx{RANGE}", ":2:1", "empty node 1.1"),
        (f"{WORD}\n1.2\tx{RANGE}", ":2:1", "empty node 1.1"),
        (f"{WORD}\n# late", ":2", "comment between"),
        (WORD.replace("_\t_\t0", "_\tA=1|A=2\t0"), ":1:6", "features"),
        (WORD.replace("\t0\t", "\t" + "1" * 5000 + "\t"), ":1:7", "a head"),
        (
            WORD.replace("\t0\t", "\t2\t") + "\n" + WORD.replace("1\t", "2\t", 1).replace("\t0\t", "\t1\t"),
            ":1:7",
            "cycle",
        ),
    ],
)
def test_a_mistake_names_its_place(tmp_path: Path, line: str, place: str, what: str) -> None:
    with pytest.raises(InputError, match=what) as caught:
        read(tmp_path, f"{line}\n")
    assert str(caught.value.where).endswith(f"text.conllu{place}")


def test_invalid_bytes_name_their_line(tmp_path: Path) -> None:
    path = tmp_path / "text.conllu"
    path.write_bytes(b"# fine\n\xff\n")
    with pytest.raises(InputError, match="UTF-8"):
        list(read_conllu(path))


# A sentence with everything that a line can have, and a short one.
WHOLE = """\
# sent_id = one
#text=Il parle du chat
0.1\tvide\t_\t_\t_\t_\t_\t_\t2:nsubj\tEntity=(e1)
1\tIl\til\tPRON\tPRP\tNumber=Sing|Person=3\t2\tnsubj\t2:nsubj\tSpaceAfter=No|Gloss=he
2\tparle\tparler\tVERB\tV\tPerson=3\t0\troot\t0:root\t_
3-4\tdu\t_\t_\t_\tTypo=Yes\t_\t_\t_\tSpaceAfter=No
3\tde\tde\tADP\t_\t_\t5\tcase\t_\t_
3.1\tun\t_\t_\t_\t_\t_\t_\t_\t_
3.2\tdeux\tdeux\tNUM\t_\tA=B\t_\t_\t5:dep\tX=1
4\tle\tle\tDET\t_\t_\t5\tdet\t_\t_
5\tchat\tchat\tNOUN\t_\t_\t2\tobl\t_\t_
5.1\tfin\t_\t_\t_\t_\t_\t_\t_\t_

1\tOui\toui\tINTJ\t_\t_\t0\troot\t_\t_

"""
YES = Word("Oui", "oui", "INTJ", {}, None, "root")


def sentence(word: Word) -> ParsedSentence:
    return ParsedSentence((word,), (), 1)


def test_a_file_is_written_as_it_was_read(tmp_path: Path) -> None:
    old, new = tmp_path / "old.conllu", tmp_path / "new.conllu"
    old.write_text(WHOLE, encoding="utf-8")
    write_conllu(new, read_conllu(old))
    assert new.read_text(encoding="utf-8") == WHOLE


def test_a_real_treebank_is_written_as_it_was_read(tmp_path: Path, data_dir: Path) -> None:
    sentences = list(read_conllu(data_dir / "ud" / "en_pud-ud-test.conllu.gz"))
    write_conllu(tmp_path / "new.conllu", sentences)
    assert list(read_conllu(tmp_path / "new.conllu")) == sentences


def test_no_sentences_make_an_empty_file(tmp_path: Path) -> None:
    write_conllu(tmp_path / "new.conllu", [])
    assert list(read_conllu(tmp_path / "new.conllu")) == []


@pytest.mark.parametrize(
    ("bad", "what"),
    [
        (sentence(replace(YES, form="a\tb")), "columns"),
        (sentence(replace(YES, misc="a\n")), "read back"),
        (sentence(replace(YES, misc="a\r")), "read back"),
        (sentence(replace(YES, misc="a\0")), "read back"),
        (sentence(replace(YES, misc="\ud800")), "read back"),
        (sentence(replace(YES, lemma="_")), "read back"),
        (sentence(replace(YES, tag="_")), "part of speech"),
        (sentence(replace(YES, head=4)), "a head"),
        (sentence(replace(YES, features={"A": ""})), "features"),
        (sentence(replace(YES, features={"A|B": "1"})), "features"),
        (sentence(replace(YES, features={"A": "1|B=2"})), "read back"),
        (ParsedSentence((), (), 1), "read back"),
        (ParsedSentence((YES,), (), 1, comments=("text",)), "columns"),
        (ParsedSentence((YES,), (), 1, comments=("# a\n\n# b",)), "read back"),
        (ParsedSentence((YES,), (Contraction("du", 0, 2),), 1), "a range"),
        (ParsedSentence((YES,), (Contraction("du", 3, 4),), 1), "read back"),
        (ParsedSentence((YES,), (), 1, empty_nodes=(EmptyNode(0, 2, ("_",) * 8),)), "empty node 0.1"),
        (ParsedSentence((YES,), (), 1, empty_nodes=(EmptyNode(0, 1, ("_",)),)), "columns"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*comments without a sentence")
def test_sentences_that_would_not_be_read_back_are_refused(
    tmp_path: Path, bad: ParsedSentence, what: str
) -> None:
    path = tmp_path / "new.conllu"
    with pytest.raises(InputError, match=what) as caught:
        write_conllu(path, [sentence(YES), bad])
    assert "sentence 2" in caught.value.what
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="cannot be written"):
        write_conllu(tmp_path / "none" / "new.conllu", [sentence(YES)])


CELLS = st.text(st.characters(codec="utf-8"), max_size=5)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(CELLS, CELLS, CELLS, st.dictionaries(CELLS, CELLS, max_size=2))
@pytest.mark.filterwarnings("ignore:.*comments without a sentence")
def test_any_text_is_read_back_or_refused(
    tmp_path: Path, form: str, misc: str, comment: str, features: dict[str, str]
) -> None:
    word = replace(YES, form=form, misc=misc, features=features)
    made = ParsedSentence((word,), (), 1, comments=(f"#{comment}",))
    try:
        write_conllu(tmp_path / "new.conllu", [made])
    except InputError:
        return
    assert list(read_conllu(tmp_path / "new.conllu")) == [made]
