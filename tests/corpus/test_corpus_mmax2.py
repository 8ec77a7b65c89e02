"""The reader of MMAX2 on small invented projects, and on ParCorFull where it is at hand."""

from __future__ import annotations

import re
import tarfile
from collections import Counter
from pathlib import Path

import pytest

from anaphor.core import InputError, InputWarning, Span
from anaphor.corpus.mmax2 import Mmax2Document, read_mmax2

WORDS = ["The", "cat", "sleeps", ".", "It", "is", "old", "and", "tired", "."]
SENTENCES = '<markable id="s1" span="word_5..word_10"/><markable id="s0" span="word_1..word_4" orderid="0"/>'
MENTIONS = (
    '<markable id="m2" span="word_5" mention="pronoun" type="anaphoric" coref_class="set_1"/>'
    '<markable id="m1" span="word_1..word_2" mention="np" coref_class="set_1"/>'
    '<markable id="m3" span="word_7,word_9" mention="np"/>'
)


def project(
    folder: Path,
    *,
    words: str | None = None,
    sentences: str = SENTENCES,
    mentions: str = MENTIONS,
    mmax: str = "<words>talk_words.xml</words>",
    doctype: str = '<!DOCTYPE markables SYSTEM "markables.dtd">',
) -> Path:
    """A project with one document; every part can be replaced."""
    if words is None:
        words = "".join(f'<word id="word_{n}">{word}</word>\n' for n, word in enumerate(WORDS, start=1))
    for name in ("Basedata", "Markables"):
        (folder / name).mkdir()
    parts = {
        "talk.mmax": f'<?xml version="1.0"?>\n<mmax_project>{mmax}</mmax_project>',
        "Basedata/talk_words.xml": f'<!DOCTYPE words SYSTEM "words.dtd">\n<words>{words}</words>',
        "Markables/talk_sentence_level.xml": f"{doctype}<markables>{sentences}</markables>",
        "Markables/talk_coref_level.xml": f"{doctype}\n<markables>{mentions}</markables>",
    }
    for name, text in parts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_a_document_has_its_words_sentences_and_mentions_in_order(tmp_path: Path) -> None:
    (document,) = read_mmax2(project(tmp_path))
    assert document.name == "talk"
    assert document.words == tuple(WORDS)
    assert document.sentences == (Span(0, 4), Span(4, 10))
    assert [document.text_of(mention) for mention in document.mentions] == ["The cat", "It", "old tired"]
    assert document.mentions[1].attributes["type"] == "anaphoric"
    assert document.mentions[1].where.line == 2


def test_mentions_are_in_the_order_of_their_words_whatever_their_ids(tmp_path: Path) -> None:
    mentions = "".join(
        f'<markable id="{name}" span="{span}"/>'
        for name, span in [("m1", "word_5"), ("m2", "word_1,word_3"), ("m3", "word_1..word_2")]
    )
    (document,) = read_mmax2(project(tmp_path, mentions=mentions))
    assert [mention.id for mention in document.mentions] == ["m3", "m2", "m1"]


def test_a_single_file_is_read_like_its_folder(tmp_path: Path) -> None:
    folder = project(tmp_path)
    assert read_mmax2(folder / "talk.mmax") == read_mmax2(folder)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (
            {"mentions": '<markable id="m1" span="word_4..word_2"/>'},
            "talk_coref_level.xml:2:12: skipped m1: its span word_4..word_2 runs backwards",
        ),
        (
            {"mentions": '<markable id="m1" span="word_1..word_3,word_2"/>'},
            "talk_coref_level.xml:2:12: joined the pieces of m1, which overlap",
        ),
        (
            {"sentences": '<markable id="s0" span="word_1..word_4"/>'},
            "talk_sentence_level.xml: 6 of 10 words are in no sentence",
        ),
        (
            {"sentences": SENTENCES.replace("word_4", "word_5")},
            "ended s0 where the next sentence begins, s1",
        ),
    ],
)
def test_defects_of_released_files_are_tolerated_and_named(
    tmp_path: Path, parts: dict[str, str], message: str
) -> None:
    with pytest.warns(InputWarning, match=re.escape(message)):
        (document,) = read_mmax2(project(tmp_path, **parts))
    assert all(mention.words for mention in document.mentions)


def test_a_sentence_that_has_no_words_of_its_own_is_left_out(tmp_path: Path) -> None:
    sentences = '<markable id="s0" span="word_1..word_4"/><markable id="s1" span="word_1..word_10"/>'
    with pytest.warns(InputWarning, match="ended s0 where the next sentence begins, s1"):
        (document,) = read_mmax2(project(tmp_path, sentences=sentences))
    assert document.sentences == (Span(0, 10),)


def test_a_sentence_in_pieces_reaches_from_its_first_word_to_its_last(tmp_path: Path) -> None:
    (document,) = read_mmax2(
        project(tmp_path, sentences=SENTENCES.replace("word_1..word_4", "word_1,word_4"))
    )
    assert document.sentences == (Span(0, 4), Span(4, 10))


def test_a_markable_that_runs_backwards_is_left_out(tmp_path: Path) -> None:
    mentions = '<markable id="m1" span="word_4..word_2"/><markable id="m2" span="word_2"/>'
    with pytest.warns(InputWarning):
        (document,) = read_mmax2(project(tmp_path, mentions=mentions))
    assert [mention.id for mention in document.mentions] == ["m2"]


@pytest.mark.parametrize(
    ("parts", "where", "what"),
    [
        ({"mentions": '<markable id="m1" span="word_11"/>'}, "coref_level.xml:2:12", "there are 10 words"),
        ({"mentions": '<markable id="m1" span="word_0"/>'}, "coref_level.xml:2:12", "invalid span"),
        ({"mentions": '<markable id="m1" span="wort_1"/>'}, "coref_level.xml:2:12", "invalid span"),
        ({"mentions": '<markable id="m1"/>'}, "coref_level.xml:2:12", "has no span"),
        ({"mentions": MENTIONS.replace("m3", "m2")}, "coref_level.xml:2", "two markables have the id m2"),
        ({"mentions": "<markable"}, "coref_level.xml:2", "not well-formed"),
        ({"mentions": "<other/>"}, "coref_level.xml:2:12", "<other>"),
        ({"sentences": ""}, "sentence_level.xml", "no sentence"),
        ({"words": '<word id="word_2">x</word>'}, "words.xml:2:8", "the id 'word_2'"),
        ({"words": '<word id="word_1"> </word>'}, "words.xml:2:8", "the text ''"),
        ({"words": "<word>x</word>"}, "words.xml:2:8", "has no id"),
        ({"mmax": ""}, "talk.mmax", "one file of words"),
        ({"mmax": "<words>../talk_words.xml</words>"}, "talk.mmax", "one file of words"),
        ({"mmax": "<words>other_words.xml</words>"}, "other_words.xml", "cannot be read"),
    ],
)
def test_broken_projects_are_refused_with_file_and_place(
    tmp_path: Path, parts: dict[str, str], where: str, what: str
) -> None:
    with pytest.raises(InputError) as caught:
        read_mmax2(project(tmp_path, **parts))
    assert what in caught.value.what
    assert where in str(caught.value.where)


@pytest.mark.parametrize(
    "doctype",
    [
        '<!DOCTYPE markables [<!ENTITY a "b"><!ENTITY c "&a;&a;">]>',
        '<!DOCTYPE markables [<!ENTITY file SYSTEM "file:///etc/hostname">]>',
        '<!DOCTYPE markables SYSTEM "markables.dtd" [<!ENTITY a "b">]>',
        '<!DOCTYPE markables [<!ENTITY % remote SYSTEM "http://localhost/x.dtd"> %remote;]>',
    ],
)
def test_entity_declarations_are_refused(tmp_path: Path, doctype: str) -> None:
    with pytest.raises(InputError, match="refused for safety"):
        read_mmax2(project(tmp_path, doctype=doctype))


def test_an_entity_of_the_named_dtd_is_not_looked_up(tmp_path: Path) -> None:
    folder = project(tmp_path, words='<word id="word_1">&secret;</word>')
    (folder / "Basedata" / "words.dtd").write_text('<!ENTITY secret "read">', encoding="utf-8")
    with pytest.raises(InputError, match="undefined entity"):
        read_mmax2(folder)


def test_a_folder_without_projects_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no \.mmax file"):
        read_mmax2(tmp_path)


@pytest.fixture(scope="module")
def corpus(data_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """ParCorFull, unpacked."""
    archive = data_dir / "parcorfull" / "parcor-full-corpus.tar.gz"
    if not archive.is_file():
        pytest.skip(f"{archive} is not there")
    folder = tmp_path_factory.mktemp("parcorfull")
    with tarfile.open(archive) as file:
        file.extractall(folder, filter="data")
    return folder / "corpus"


@pytest.mark.filterwarnings("ignore::anaphor.core.InputWarning")
@pytest.mark.parametrize("part", ["DiscoMT", "TED", "news"])
def test_counts_of_the_english_side(corpus: Path, golden_dir: Path, part: str) -> None:
    """golden/parcorfull: words, sentences and markables of every talk, values of every attribute."""
    documents = read_mmax2(corpus / part / "EN")
    lines = (golden_dir / "parcorfull" / f"attributes.{part}.EN.txt").read_text("utf-8").splitlines()
    sizes = [line for line in lines if line.endswith("markables")]
    assert [_size(document) for document in documents] == sizes
    for name in ("mention", "type", "antetype", "split", "position", "agreement", "type_of_pronoun"):
        (line,) = [line for line in lines if line.startswith(f"{name} {{")]
        expected = {value: int(n) for value, n in re.findall(r"(None|'[^']*'): (\d+)", line)}
        found = Counter(repr(m.attributes.get(name)) for one in documents for m in one.mentions)
        assert found == expected


def _size(document: Mmax2Document) -> str:
    counts = (len(document.words), len(document.sentences), len(document.mentions))
    return "{} {} words {} sents {} markables".format(document.name, *counts)


def test_the_broken_files_of_the_release_are_refused(corpus: Path) -> None:
    """Found by reading every file: a Portuguese one has a bare ampersand, a German one a stray sign."""
    for name, where in [("PT/08", "08_words.xml:226:22"), ("DE/07", "07_coref_level.xml:4:2")]:
        with pytest.raises(InputError, match="not well-formed") as caught:
            read_mmax2(corpus / "news" / f"{name}.mmax")
        assert str(caught.value.where).endswith(where)
