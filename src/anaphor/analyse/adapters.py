"""Other analysers behind the same protocol: parses in a CoNLL-U file, spaCy, Stanza and UDPipe.

None of the packages is installed with this one, and no model is ever downloaded: a missing one is a
`UserError` with instructions. All of them analyse the given tokens; their tokenizers are not used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
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
                "the file continues after the last sentence", where=Where(name, surplus.line), fix=fix
            )

    def signature(self) -> Signature:
        """Identifies the file by its content."""
        return analyser_signature(self.name, language=self.language, model=digest([read_bytes(self.path)]))


def build_conllu(language: str, model: str | None) -> ConlluAnalyser:
    """`model` is the path of the file."""
    if model is None:
        raise OptionError("no CoNLL-U file is given", where=_OPTION, fix="pass its path")
    return ConlluAnalyser(model, language)


@dataclass(frozen=True, slots=True, eq=False)
class ParserAnalyser:
    """A third-party parser: `parse` returns the words of every sentence, in order.

    `model` identifies the model in signatures, `package` the parser with its version.
    """

    name: str
    language: str
    model: str
    package: str
    parse: Callable[[Iterable[Sequence[str]]], Iterator[list[Word]]]

    def analyse(self, sentences: Iterable[Sequence[str]]) -> Iterator[Analysis]:
        """One analysis for each sentence, in order."""
        return (analysis_of(words, language=self.language) for words in self.parse(sentences))

    def signature(self) -> Signature:
        return analyser_signature(self.name, language=self.language, model=self.model, package=self.package)


def build_spacy(language: str, model: str | None) -> ParserAnalyser:
    """`model` is the name of an installed package or the path of a pipeline; by default the best one
    installed.
    """
    spacy = _optional_module("spacy", package="spacy")
    for name in [f"{language}_{size}" for size in _SPACY_SIZES] if model is None else [model]:
        try:
            pipeline = spacy.load(name)
        except OSError:
            continue
        meta = pipeline.meta
        full_name = f"{meta['lang']}_{meta['name']} {meta['version']}"
        parse = partial(_spacy_words, pipeline)
        return ParserAnalyser("spacy", language, full_name, f"spacy {version('spacy')}", parse)
    what = f"spaCy model for {language}" if model is None else f"spaCy model {model}"
    # An official pipeline: other packages on the index with such names are not all spaCy's own.
    small = f"{language}_core_web_sm" if language in ("en", "zh") else f"{language}_core_news_sm"
    raise _missing_model(what, fix=f"python -m spacy download {small}, or pass the path of one")


def _spacy_words(pipeline: Any, sentences: Iterable[Sequence[str]]) -> Iterator[list[Word]]:
    """The parses of a spaCy pipeline.

    English and German pipelines use other relations (TIGER, ClearNLP), which are mapped to universal ones
    with the same meaning.
    """
    make = _optional_module("spacy.tokens", package="spacy").Doc
    for doc in pipeline.pipe(make(pipeline.vocab, words=list(tokens)) for tokens in sentences):
        yield [
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


def build_stanza(language: str, model: str | None) -> ParserAnalyser:
    """`model` is the folder in which Stanza keeps its models, by default Stanza's own."""
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
    parse = partial(_stanza_words, pipeline)
    return ParserAnalyser("stanza", language, model or "default", f"stanza {stanza.__version__}", parse)


def _stanza_words(pipeline: Any, sentences: Iterable[Sequence[str]]) -> Iterator[list[Word]]:
    """The parses of a Stanza pipeline, which does not split contractions either."""
    remaining = iter(sentences)
    while batch := [list(tokens) for tokens in islice(remaining, _STANZA_BATCH)]:
        full = [tokens for tokens in batch if tokens]
        parsed = iter(pipeline(full).sentences if full else ())
        for tokens in batch:
            yield [_word(word, word.text, word.upos) for word in (next(parsed).words if tokens else ())]


def build_udpipe(language: str, model: str | None) -> ParserAnalyser:
    """`model` is the path of a UDPipe 1 model file."""
    udpipe = _optional_module("ufal.udpipe", package="ufal.udpipe")
    if model is None:
        raise OptionError("no UDPipe model is given", where=_OPTION, fix="pass its path")
    if not Path(model).is_file():
        raise _missing_model(f"UDPipe model {model}", fix="check the path of the .udpipe file")
    loaded = udpipe.Model.load(model)
    if loaded is None:
        raise InputError("this is not a UDPipe model", where=model, fix="pass a file that ends in .udpipe")
    parse = partial(_udpipe_words, udpipe, loaded)
    return ParserAnalyser("udpipe", language, digest([Path(model).read_bytes()]), "ufal.udpipe", parse)


def _udpipe_words(udpipe: Any, model: Any, sentences: Iterable[Sequence[str]]) -> Iterator[list[Word]]:
    for tokens in sentences:
        sentence = udpipe.Sentence()
        for token in tokens:
            sentence.addWord(token)
        if tokens:
            model.tag(sentence, "")
            model.parse(sentence, "")
        # Word 0 is the root of the tree.
        words = (sentence.words[at] for at in range(1, len(tokens) + 1))
        yield [_word(word, word.form, word.upostag or "X") for word in words]


def _word(word: Any, form: str, tag: str) -> Word:
    """A word of Stanza or UDPipe, which count heads from 1."""
    features = features_of_cell(word.feats or "_")
    return Word(form, word.lemma or form, tag, features, word.head - 1 if word.head else None, word.deprel)
