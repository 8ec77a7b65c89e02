"""Other analysers behind the same protocol: parses in a CoNLL-U file, spaCy, Stanza and UDPipe.

None of the packages is installed with this one, and no model is ever downloaded: what is missing is a
`UserError` that says how to get it. All of them analyse the given tokens; their tokenizers are not used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any

from anaphor.analyse.contract import analyser_signature
from anaphor.analyse.tree import analysis_of, placed
from anaphor.core import Analysis, InputError, MismatchError, OptionError, Signature, UserError, Where, digest
from anaphor.corpus.conllu import Word, features_of_cell, read_conllu
from anaphor.corpus.text import display_name, read_bytes

#: Where users name a model.
_OPTION = "--source-model or --target-model"
#: spaCy packages that are tried when no model is named, best first.
_SPACY_SIZES = ("core_news_lg", "core_web_lg", "core_news_md", "core_web_md", "core_news_sm", "core_web_sm")
#: Relations of TIGER and ClearNLP that have another name in Universal Dependencies.
_UNIVERSAL = {
    "sb": "nsubj",
    "ep": "expl",
    "nsubjpass": "nsubj:pass",
    "csubjpass": "csubj:pass",
    "auxpass": "aux:pass",
}
_STANZA_BATCH = 200


def _optional_module(name: str, *, package: str) -> Any:
    """The module, or a `UserError` with the line that installs it."""
    try:
        return import_module(name)
    except ImportError as error:
        raise UserError(
            f"the analyser needs the package {package}, which cannot be imported ({error})",
            where="--analyser",
            fix=f"pip install {package}, or use the built-in analyser",
        ) from None


def _missing_model(what: str, *, fix: str) -> UserError:
    return UserError(f"there is no {what} on this machine", where=_OPTION, fix=fix)


@dataclass(frozen=True, slots=True)
class ConlluAnalyser:
    """Reads the parse of each sentence from a file; its tokenization may differ from ours."""

    path: str
    language: str
    name: str = "conllu"

    def analyse(self, sentences: Iterable[Sequence[str]]) -> Iterator[Analysis]:
        """One analysis each. An empty sentence has none in the file; too few or too many are an error."""
        parses = read_conllu(self.path)
        name, fix = display_name(self.path), "parse the same text, one sentence per line"
        for number, tokens in enumerate(sentences, start=1):
            if not tokens:
                yield Analysis((), ())
                continue
            parse = next(parses, None)
            if parse is None:
                raise MismatchError(f"the file ends before sentence {number}", where=Where(name), fix=fix)
            yield placed(parse, tokens, language=self.language, where=Where(name, parse.line))
        surplus = next(parses, None)
        if surplus is not None:
            raise MismatchError(
                "the file goes on after the last sentence", where=Where(name, surplus.line), fix=fix
            )

    def signature(self) -> Signature:
        """Identifies the file by its content."""
        return analyser_signature(self.name, language=self.language, model=digest([read_bytes(self.path)]))


def build_conllu(language: str, model: str | None) -> ConlluAnalyser:
    """`model` is the path of the file."""
    if model is None:
        raise OptionError("no CoNLL-U file is named", where=_OPTION, fix="give its path")
    return ConlluAnalyser(model, language)


class SpacyAnalyser:
    """Runs a spaCy pipeline on the tokens.

    English and German pipelines have relations of their own (TIGER, ClearNLP), which are read as the
    universal ones where they mean the same.
    """

    name = "spacy"

    def __init__(self, pipeline: Any, *, language: str) -> None:
        self._pipeline, self._language = pipeline, language

    def analyse(self, sentences: Iterable[Sequence[str]]) -> Iterator[Analysis]:
        """One analysis for each sentence, in order."""
        make = _optional_module("spacy.tokens", package="spacy").Doc
        docs = (make(self._pipeline.vocab, words=list(tokens)) for tokens in sentences)
        for doc in self._pipeline.pipe(docs):
            words = [
                Word(
                    token.text,
                    token.lemma_ or token.text,
                    "PUNCT" if token.pos_ == "SPACE" else token.pos_ or "X",
                    token.morph.to_dict(),
                    None if token.head.i == token.i else token.head.i,
                    _UNIVERSAL.get(token.dep_, token.dep_ or "dep"),
                )
                for token in doc
            ]
            yield analysis_of(words, language=self._language)

    def signature(self) -> Signature:
        """Names the model with its version, and spaCy with its own."""
        meta = self._pipeline.meta
        model = f"{meta['lang']}_{meta['name']} {meta['version']}"
        package = f"spacy {version('spacy')}"
        return analyser_signature(self.name, language=self._language, model=model, package=package)


def build_spacy(language: str, model: str | None) -> SpacyAnalyser:
    """`model` is the name of an installed package or the path of a pipeline; else the best one installed."""
    spacy = _optional_module("spacy", package="spacy")
    for name in [f"{language}_{size}" for size in _SPACY_SIZES] if model is None else [model]:
        try:
            return SpacyAnalyser(spacy.load(name), language=language)
        except OSError:
            continue
    what = f"spaCy model for {language}" if model is None else f"spaCy model {model}"
    # An official pipeline: other packages on the index with such names are not all spaCy's own.
    small = f"{language}_core_web_sm" if language in ("en", "zh") else f"{language}_core_news_sm"
    raise _missing_model(what, fix=f"python -m spacy download {small}, or name the path of one")


class StanzaAnalyser:
    """Runs a Stanza pipeline on the tokens; it does not split contractions either."""

    name = "stanza"

    def __init__(self, pipeline: Any, *, language: str, model: str, package: str) -> None:
        self._pipeline, self._language, self._model, self._package = pipeline, language, model, package

    def analyse(self, sentences: Iterable[Sequence[str]]) -> Iterator[Analysis]:
        """One analysis for each sentence, in order."""
        remaining = iter(sentences)
        while batch := [list(tokens) for tokens in islice(remaining, _STANZA_BATCH)]:
            full = [tokens for tokens in batch if tokens]
            parsed = iter(self._pipeline(full).sentences if full else ())
            for tokens in batch:
                words = [_word(word, word.text, word.upos) for word in (next(parsed).words if tokens else ())]
                yield analysis_of(words, language=self._language)

    def signature(self) -> Signature:
        """Names the folder of the models, and Stanza with its version."""
        return analyser_signature(
            self.name, language=self._language, model=self._model, package=self._package
        )


def _word(word: Any, form: str, tag: str) -> Word:
    """A word of Stanza or UDPipe, which count heads from 1."""
    features = features_of_cell(word.feats or "_")
    return Word(form, word.lemma or form, tag, features, word.head - 1 if word.head else None, word.deprel)


def build_stanza(language: str, model: str | None) -> StanzaAnalyser:
    """`model` is the folder that Stanza keeps its models in, its default one when none is named."""
    stanza = _optional_module("stanza", package="stanza")
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
    except Exception as error:  # noqa: BLE001 - Stanza raises many classes of errors for missing models
        raise _missing_model(
            f"Stanza model for {language} ({error})",
            fix=f"fetch it once: python -c \"import stanza; stanza.download('{language}')\"",
        ) from None
    package = f"stanza {stanza.__version__}"
    return StanzaAnalyser(pipeline, language=language, model=model or "default", package=package)


class UdpipeAnalyser:
    """Tags and parses the tokens with a model of UDPipe 1."""

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
            # Word 0 is the root of the tree.
            found = [sentence.words[at] for at in range(1, len(tokens) + 1)]
            words = [_word(word, word.form, word.upostag or "X") for word in found]
            yield analysis_of(words, language=self._language)

    def signature(self) -> Signature:
        """Identifies the model by its content."""
        model = digest([Path(self._path).read_bytes()])
        return analyser_signature(self.name, language=self._language, model=model, package="ufal.udpipe")


def build_udpipe(language: str, model: str | None) -> UdpipeAnalyser:
    """`model` is the path of the model file."""
    udpipe = _optional_module("ufal.udpipe", package="ufal.udpipe")
    if model is None:
        raise OptionError("no UDPipe model is named", where=_OPTION, fix="give its path")
    if not Path(model).is_file():
        raise _missing_model(f"UDPipe model {model}", fix="check the path of the .udpipe file")
    loaded = udpipe.Model.load(model)
    if loaded is None:
        raise InputError("this is not a UDPipe model", where=model, fix="give a file that ends in .udpipe")
    return UdpipeAnalyser(udpipe, loaded, language=language, path=model)
