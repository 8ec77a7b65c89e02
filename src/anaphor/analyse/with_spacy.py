"""spaCy's pipelines as analysers: `pip install spacy`, and a package with a model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from anaphor.analyse.optional import missing_model, optional_module
from anaphor.analyse.signing import signed
from anaphor.analyse.tree import analysis_of
from anaphor.core import Analysis, Signature
from anaphor.corpus.conllu import Word

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
            yield analysis_of([_word(token) for token in doc], language=self._language)

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


def _word(token: Any) -> Word:
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


def build(language: str, model: str | None) -> SpacyAnalyser:
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
