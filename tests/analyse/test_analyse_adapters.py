"""Adapters of spaCy, Stanza and UDPipe, tested with stand-ins that have the interface of each package."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from anaphor.analyse import adapters, load_analyser
from anaphor.core import Analysis, InputError, OptionError, Tree, UserError, digest

SENTENCES = (("Sie", "schläft"), (), ("Es", "regnet", "\n"))
#: What every stand-in says: the lemma is the form in lower case, the second word is the root.
TREES = (Tree((1, None), ("nsubj", "root")), Tree((), ()), Tree((1, None, 1), ("expl", "root", "punct")))


def module(monkeypatch: pytest.MonkeyPatch, name: str, **content: Any) -> None:
    found = ModuleType(name)
    found.__dict__.update(content)
    monkeypatch.setitem(sys.modules, name, found)


def check(found: Sequence[Analysis]) -> None:
    assert [one.tree for one in found] == list(TREES)
    assert [one.lemmas[:2] for one in found] == [("sie", "schläft"), (), ("es", "regnet")]
    assert [one.tags for one in found] == [("PRON", "VERB"), (), ("PRON", "VERB", "PUNCT")]
    assert [one.subjects for one in found] == [{0}, frozenset(), {0}]
    assert [one.expletives for one in found] == [frozenset(), frozenset(), {0}]


class SpacyPipeline:
    vocab = "vocabulary"
    meta = {"lang": "de", "name": "core_news_md", "version": "3.7.0"}  # noqa: RUF012

    def pipe(self, docs: Iterable[list[str]]) -> Iterator[list[SimpleNamespace]]:
        for doc in docs:
            tokens = [
                SimpleNamespace(
                    i=at,
                    text=text,
                    lemma_=text.lower().strip(),  # empty for white space
                    pos_=("PRON", "VERB", "SPACE")[at],
                    morph=SimpleNamespace(to_dict=dict),
                    # TIGER's names of a subject and an expletive.
                    dep_=("ep" if text == "Es" else "sb", "ROOT", "punct")[at],
                )
                for at, text in enumerate(doc)
            ]
            for token in tokens:
                token.head = tokens[1]
            if tokens:
                tokens[1].dep_ = "root"
            yield tokens


def install_spacy(monkeypatch: pytest.MonkeyPatch, *installed: str) -> None:
    def load(name: str) -> SpacyPipeline:
        if name not in installed:
            raise OSError(name)
        return SpacyPipeline()

    def doc(vocab: str, *, words: list[str]) -> list[str]:
        assert vocab == SpacyPipeline.vocab
        return words

    module(monkeypatch, "spacy", load=load)
    module(monkeypatch, "spacy.tokens", Doc=doc)
    monkeypatch.setattr(adapters, "version", {"spacy": "3.7.2"}.__getitem__)


def test_spacy_parses_are_read_with_universal_relations(monkeypatch: pytest.MonkeyPatch) -> None:
    install_spacy(monkeypatch, "de_core_news_md", "de_core_news_sm")
    analyser = load_analyser("spacy", language="de")
    found = list(analyser.analyse(SENTENCES))
    check(found)
    assert found[2].lemmas[2] == "\n"  # where spaCy has no lemma, the form is one
    fields = analyser.signature().as_dict()
    assert (fields["model"], fields["package"]) == ("de_core_news_md 3.7.0", "spacy 3.7.2")


@pytest.mark.parametrize(("language", "small"), [("en", "en_core_web_sm"), ("fr", "fr_core_news_sm")])
def test_a_missing_spacy_model_is_an_error_with_the_line_that_installs_one(
    monkeypatch: pytest.MonkeyPatch, language: str, small: str
) -> None:
    install_spacy(monkeypatch)
    with pytest.raises(UserError, match=f"no spaCy model for {language} on this machine") as caught:
        load_analyser("spacy", language=language)
    assert f"spacy download {small}" in caught.value.fix
    with pytest.raises(UserError, match="no spaCy model mine on this machine"):
        load_analyser("spacy", language=language, model="mine")


def parsed_word(at: int, form: str, /, **names: str) -> SimpleNamespace:
    """A word of Stanza or UDPipe: heads count from 1, the head 0 is the root."""
    relation = "expl" if form == "Es" else "nsubj"
    lemma = form.lower().strip() or None
    tree = {"head": (2, 0, 2)[at], "deprel": (relation, "root", "punct")[at]}
    return SimpleNamespace(lemma=lemma, feats="Number=Sing" if at == 0 else None, **tree, **names)


def install_stanza(monkeypatch: pytest.MonkeyPatch, *, batches: list[int]) -> None:
    def pipeline(language: str, **options: Any) -> Any:
        if language != "de":
            raise FileNotFoundError("no resources")
        assert options["tokenize_pretokenized"]
        assert options["download_method"] is None

        def parse(sentences: list[list[str]]) -> SimpleNamespace:
            batches.append(len(sentences))
            parsed = [
                SimpleNamespace(
                    words=[
                        parsed_word(at, form, text=form, upos=("PRON", "VERB", "PUNCT")[at])
                        for at, form in enumerate(forms)
                    ]
                )
                for forms in sentences
            ]
            return SimpleNamespace(sentences=parsed)

        return parse

    module(monkeypatch, "stanza", Pipeline=pipeline, __version__="1.9")


def test_stanza_parses_batches_of_sentences_that_have_words(monkeypatch: pytest.MonkeyPatch) -> None:
    batches: list[int] = []
    install_stanza(monkeypatch, batches=batches)
    monkeypatch.setattr(adapters, "_STANZA_BATCH", 2)
    analyser = load_analyser("stanza", language="de")
    check(list(analyser.analyse(SENTENCES)))
    assert batches == [1, 1]  # the empty sentence is not given to Stanza
    assert list(analyser.analyse([(), ()])) == [Analysis((), (), tree=Tree((), ()))] * 2
    fields = analyser.signature().as_dict()
    assert (fields["model"], fields["package"]) == ("default", "stanza 1.9")
    with pytest.raises(UserError, match=r"no Stanza model for fr \(no resources\)"):
        load_analyser("stanza", language="fr")


class UdpipeSentence:
    def __init__(self) -> None:
        self.words = [SimpleNamespace(form="<root>")]
        self.done: list[str] = []

    def addWord(self, form: str) -> None:  # noqa: N802 - the name of UDPipe
        tag = ("PRON", "VERB", "PUNCT")[len(self.words) - 1]
        self.words.append(parsed_word(len(self.words) - 1, form, form=form, upostag=tag))


class UdpipeModel:
    @staticmethod
    def load(path: str) -> UdpipeModel | None:
        return UdpipeModel() if Path(path).read_bytes() == b"a model" else None

    def tag(self, sentence: UdpipeSentence, options: str) -> None:
        assert (len(sentence.words) > 1, options) == (True, "")

    def parse(self, sentence: UdpipeSentence, options: str) -> None:
        assert (len(sentence.words) > 1, options) == (True, "")


def test_udpipe_tags_and_parses_each_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    module(monkeypatch, "ufal", udpipe=None)
    module(monkeypatch, "ufal.udpipe", Model=UdpipeModel, Sentence=UdpipeSentence)
    path = tmp_path / "german.udpipe"
    path.write_bytes(b"a model")
    analyser = load_analyser("udpipe", language="de", model=str(path))
    check(list(analyser.analyse(SENTENCES)))
    assert analyser.signature().as_dict()["model"] == digest([b"a model"])
    with pytest.raises(OptionError, match="no UDPipe model is given"):
        load_analyser("udpipe", language="de")
    with pytest.raises(UserError, match=r"no UDPipe model .*missing.udpipe on this machine"):
        load_analyser("udpipe", language="de", model=str(tmp_path / "missing.udpipe"))
    path.write_bytes(b"something else")
    with pytest.raises(InputError, match="this is not a UDPipe model"):
        load_analyser("udpipe", language="de", model=str(path))
