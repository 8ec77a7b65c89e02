"""Stanza's neural pipelines as analysers: `pip install stanza`, and models that were fetched before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from anaphor.analyse.optional import missing_model, optional_module
from anaphor.analyse.signing import signed
from anaphor.analyse.tree import analysis_of
from anaphor.core import Analysis, Signature
from anaphor.corpus.conllu import Word, features_of_cell

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
                words = [_word(word) for word in next(parsed).words] if tokens else []
                yield analysis_of(words, language=self._language)

    def signature(self) -> Signature:
        """Names the folder of the models, and Stanza with its version."""
        return signed(self.name, language=self._language, model=self._model, package=self._package)

    def _parsed(self, batch: list[list[str]]) -> list[Any]:
        return list(self._pipeline(batch).sentences) if batch else []


def _word(word: Any) -> Word:
    return Word(
        word.text,
        word.lemma or word.text,
        word.upos,
        features_of_cell(word.feats or "_"),
        word.head - 1 if word.head else None,
        word.deprel,
    )


def build(language: str, model: str | None) -> StanzaAnalyser:
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
