"""What every analyser does, and the table of their names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from anaphor.core import Analysis, Registry, Signature


class Analyser(Protocol):
    """Says of tokens what they are; the tokens themselves are never cut or joined."""

    @property
    def name(self) -> str: ...

    def analyse(self, sentences: Iterable[Sequence[str]]) -> Iterator[Analysis]:
        """One analysis for each sentence, in order, as long as the sentence; read and given in batches."""
        ...

    def signature(self) -> Signature:
        """The analyser, its version and its model: whatever can move a tag."""
        ...


class AnalyserBuilder(Protocol):
    """Makes an analyser of one language; `model` is a name or path that the analyser understands."""

    def __call__(self, language: str, model: str | None) -> Analyser: ...


ANALYSERS: Registry[AnalyserBuilder] = Registry(
    "analyser",
    {
        "built-in": "anaphor.analyse.builtin:build",
        "conllu": "anaphor.analyse.with_conllu:build",
        "spacy": "anaphor.analyse.with_spacy:build",
        "stanza": "anaphor.analyse.with_stanza:build",
        "udpipe": "anaphor.analyse.with_udpipe:build",
    },
    option="--analyser",
)


def load_analyser(name: str, *, language: str, model: str | None = None) -> Analyser:
    """The analyser of that name for a language; what it lacks is a `UserError` that says how to get it."""
    return ANALYSERS.get(name)(language, model)
