"""Analyses made elsewhere: a CoNLL-U file with one sentence for each of ours, in the same order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from anaphor.analyse.contract import missing_model, optional_module, signed, unnamed_model
from anaphor.analyse.tree import analysis_of, placed
from anaphor.core import Analysis, InputError, MismatchError, Signature, Where, digest
from anaphor.corpus.conllu import Word, features_of_cell, read_conllu
from anaphor.corpus.text import display_name, read_bytes


@dataclass(frozen=True, slots=True)
class ConlluAnalyser:
    """Reads the parse of each sentence from a file; tokens may be cut otherwise than in the file."""

    path: str
    language: str
    name: str = "conllu"

    def analyse(self, sentences: Iterable[Sequence[str]]) -> Iterator[Analysis]:
        """One analysis each. An empty sentence has none in the file; too few or too many are an error."""
        parses = read_conllu(self.path)
        name = display_name(self.path)
        for number, tokens in enumerate(sentences, start=1):
            if not tokens:
                yield Analysis((), ())
                continue
            parse = next(parses, None)
            if parse is None:
                raise self._unequal(f"the file ends before sentence {number}", Where(name))
            yield placed(parse, tokens, language=self.language, where=Where(name, parse.line))
        surplus = next(parses, None)
        if surplus is not None:
            raise self._unequal("the file goes on after the last sentence", Where(name, surplus.line))

    def signature(self) -> Signature:
        """Names the file by its content."""
        return signed(self.name, language=self.language, model=digest([read_bytes(self.path)]))

    def _unequal(self, what: str, where: Where) -> MismatchError:
        return MismatchError(what, where=where, fix="parse the same text, one sentence a line")


def build_conllu(language: str, model: str | None) -> ConlluAnalyser:
    """`model` is the path of the file."""
    if model is None:
        raise unnamed_model("CoNLL-U file")
    return ConlluAnalyser(model, language)


#: Packages that are tried when no model is named, best first.
_SIZES = ("core_news_lg", "core_web_lg", "core_news_md", "core_web_md", "core_news_sm", "core_web_sm")


class SpacyAnalyser:
    """Runs a pipeline on given tokens; its own tokeniser is not used.

    English and German pipelines have relations of their own (TIGER, ClearNLP), which are read as the
    universal ones where they say the same.
    """

    name = "spacy"

    def __init__(self, pipeline: Any, *, language: str) -> None:
        self._pipeline, self._language = pipeline, language

    def analyse(self, sentences: Iterable[Sequence[str]]) -> Iterator[Analysis]:
        """One analysis for each sentence, in order."""
        make = optional_module("spacy.tokens", package="spacy").Doc
        docs = (make(self._pipeline.vocab, words=list(tokens)) for tokens in sentences)
        for doc in self._pipeline.pipe(docs):
            yield analysis_of([_spacy_word(token) for token in doc], language=self._language)

    def signature(self) -> Signature:
        """Names the model with its version, and spaCy with its own."""
        meta = self._pipeline.meta
        model = f"{meta['lang']}_{meta['name']} {meta['version']}"
        return signed(self.name, language=self._language, model=model, package=_package())


#: Relations of TIGER and ClearNLP that have another name in Universal Dependencies.
_UNIVERSAL = {
    "sb": "nsubj",
    "ep": "expl",
    "nsubjpass": "nsubj:pass",
    "csubjpass": "csubj:pass",
    "auxpass": "aux:pass",
}


def _spacy_word(token: Any) -> Word:
    relation = token.dep_ or "dep"
    return Word(
        token.text,
        token.lemma_ or token.text,
        "PUNCT" if token.pos_ == "SPACE" else token.pos_ or "X",
        token.morph.to_dict(),
        None if token.head.i == token.i else token.head.i,
        _UNIVERSAL.get(relation, relation),
    )


def _package() -> str:
    from importlib.metadata import version

    return f"spacy {version('spacy')}"


def build_spacy(language: str, model: str | None) -> SpacyAnalyser:
    """`model` is the name of an installed package or the path of a pipeline; else the best one installed."""
    spacy = optional_module("spacy", package="spacy")
    names = [f"{language}_{size}" for size in _SIZES] if model is None else [model]
    for name in names:
        try:
            return SpacyAnalyser(spacy.load(name), language=language)
        except OSError:
            continue
    what = f"spaCy model for {language}" if model is None else f"spaCy model {model}"
    raise missing_model(what, fix=f"python -m spacy download {_small(language)}, or name the path of one")


def _small(language: str) -> str:
    """The smallest official pipeline. Names of others on the package index are not all spaCy's own."""
    return f"{language}_core_web_sm" if language in ("en", "zh") else f"{language}_core_news_sm"


_BATCH = 200


class StanzaAnalyser:
    """Runs a pipeline on given tokens; its tokeniser and the cutting of contractions are switched off."""

    name = "stanza"

    def __init__(self, pipeline: Any, *, language: str, model: str, package: str) -> None:
        self._pipeline, self._language, self._model, self._package = pipeline, language, model, package

    def analyse(self, sentences: Iterable[Sequence[str]]) -> Iterator[Analysis]:
        """One analysis for each sentence, in order."""
        remaining = iter(sentences)
        while batch := [list(tokens) for tokens in islice(remaining, _BATCH)]:
            parsed = iter(self._parsed([tokens for tokens in batch if tokens]))
            for tokens in batch:
                words = [_stanza_word(word) for word in next(parsed).words] if tokens else []
                yield analysis_of(words, language=self._language)

    def signature(self) -> Signature:
        """Names the folder of the models, and Stanza with its version."""
        return signed(self.name, language=self._language, model=self._model, package=self._package)

    def _parsed(self, batch: list[list[str]]) -> list[Any]:
        return list(self._pipeline(batch).sentences) if batch else []


def _stanza_word(word: Any) -> Word:
    return Word(
        word.text,
        word.lemma or word.text,
        word.upos,
        features_of_cell(word.feats or "_"),
        word.head - 1 if word.head else None,
        word.deprel,
    )


def build_stanza(language: str, model: str | None) -> StanzaAnalyser:
    """`model` is the folder that Stanza keeps its models in, its usual one when none is named."""
    stanza = optional_module("stanza", package="stanza")
    folder = {} if model is None else {"dir": model}
    try:
        pipeline = stanza.Pipeline(
            language,
            processors="tokenize,pos,lemma,depparse",
            tokenize_pretokenized=True,
            download_method=None,
            verbose=False,
            **folder,
        )
    except Exception as error:  # noqa: BLE001 - Stanza has errors of many classes for what is not there
        raise missing_model(
            f"Stanza model for {language} ({error})",
            fix=f"fetch it once: python -c \"import stanza; stanza.download('{language}')\"",
        ) from None
    package = f"stanza {stanza.__version__}"
    return StanzaAnalyser(pipeline, language=language, model=model or "default", package=package)


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
            words = [_udpipe_word(sentence.words[at]) for at in range(1, len(tokens) + 1)]
            yield analysis_of(words, language=self._language)

    def signature(self) -> Signature:
        """Names the model by its content."""
        hashed = digest([Path(self._path).read_bytes()])
        return signed(self.name, language=self._language, model=hashed, package="ufal.udpipe")


def _udpipe_word(word: Any) -> Word:
    return Word(
        word.form,
        word.lemma or word.form,
        word.upostag or "X",
        features_of_cell(word.feats or "_"),
        word.head - 1 if word.head else None,
        word.deprel,
    )


def build_udpipe(language: str, model: str | None) -> UdpipeAnalyser:
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
