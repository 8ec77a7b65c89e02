"""CoNLL-U files: what is read, and where a mistake is said to be."""

from __future__ import annotations

from pathlib import Path

import pytest

from anaphor.core import InputError, InputWarning
from anaphor.corpus.conllu import Contraction, EmptyNode, ParsedSentence, read_conllu

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


def test_a_missing_lemma_is_the_form(tmp_path: Path) -> None:
    (sentence,) = read(tmp_path, "1\tOui\t_\tINTJ\t_\t_\t0\troot\t_\t_\n")
    assert sentence.words[0].lemma == "Oui"


def test_an_empty_file_has_no_sentences(tmp_path: Path) -> None:
    assert read(tmp_path, "") == []


def test_what_belongs_to_no_word_is_kept(tmp_path: Path) -> None:
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
            "circle",
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
