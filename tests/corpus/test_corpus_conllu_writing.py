"""CoNLL-U files: what is written is what was read, and what could not be read back is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anaphor.core import InputError, OptionError
from anaphor.corpus.conllu import Contraction, EmptyNode, ParsedSentence, Word, read_conllu
from anaphor.corpus.conllu_writing import write_conllu

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
def test_what_would_not_be_read_back_is_refused(tmp_path: Path, bad: ParsedSentence, what: str) -> None:
    path = tmp_path / "new.conllu"
    with pytest.raises(InputError, match=what) as caught:
        write_conllu(path, [sentence(YES), bad])
    assert "the sentence 2" in caught.value.what
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="cannot be written"):
        write_conllu(tmp_path / "none" / "new.conllu", [sentence(YES)])


CELLS = st.text(st.characters(codec="utf-8"), max_size=5)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
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
