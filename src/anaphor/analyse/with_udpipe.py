"""UDPipe models as analysers: `pip install ufal.udpipe`, and a model file of UDPipe 1."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from anaphor.analyse.optional import missing_model, optional_module, unnamed_model
from anaphor.analyse.signing import signed
from anaphor.analyse.tree import analysis_of
from anaphor.core import Analysis, InputError, Signature, digest
from anaphor.corpus.conllu import Word, features_of_cell


class UdpipeAnalyser:
    """Tags and parses given tokens; the model's tokeniser is not used."""

    name = "udpipe"

    def __init__(self, udpipe: Any, model: Any, *, language: str, path: str) -> None:
        self._udpipe, self._model, self._language, self._path = udpipe, model, language, path

    def analyse(self, sentences: Iterable[Sequence[str]]) -> Iterator[Analysis]:
        """One analysis for each sentence, in order."""
        for tokens in sentences:
            sentence = self._udpipe.Sentence()
            for token in tokens:
                sentence.addWord(token)
            if tokens:
                self._model.tag(sentence, "")
                self._model.parse(sentence, "")
            words = [_word(sentence.words[at]) for at in range(1, len(tokens) + 1)]
            yield analysis_of(words, language=self._language)

    def signature(self) -> Signature:
        """Names the model by its content."""
        hashed = digest([Path(self._path).read_bytes()])
        return signed(self.name, language=self._language, model=hashed, package="ufal.udpipe")


def _word(word: Any) -> Word:
    return Word(
        word.form,
        word.lemma or word.form,
        word.upostag or "X",
        features_of_cell(word.feats or "_"),
        word.head - 1 if word.head else None,
        word.deprel,
    )


def build(language: str, model: str | None) -> UdpipeAnalyser:
    """`model` is the path of the model file."""
    udpipe = optional_module("ufal.udpipe", package="ufal.udpipe")
    if model is None:
        raise unnamed_model("UDPipe model")
    if not Path(model).is_file():
        raise missing_model(f"UDPipe model {model}", fix="check the path of the .udpipe file")
    loaded = udpipe.Model.load(model)
    if loaded is None:
        raise InputError("this is no UDPipe model", where=model, fix="give a file that ends in .udpipe")
    return UdpipeAnalyser(udpipe, loaded, language=language, path=model)
