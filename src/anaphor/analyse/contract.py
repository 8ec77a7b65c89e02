"""The contract of analysers, and the registry of their names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol

from anaphor import __version__
from anaphor.core import Analysis, Registry, Signature
from anaphor.core.learned import signed_models


class Analyser(Protocol):
    """Analyses tokens, which it never splits or joins."""

    @property
    def name(self) -> str: ...

    def analyse(self, sentences: Iterable[Sequence[str]]) -> Iterator[Analysis]:
        """One analysis per sentence, in order and of equal length; read and yielded in batches."""
        ...

    def signature(self) -> Signature:
        """The analyser, its version and its model: everything that can affect a tag."""
        ...


#: Builds the analyser of one language from a model: a name or path that the analyser understands, or None.
AnalyserBuilder = Callable[[str, str | None], Analyser]

ANALYSERS: Registry[AnalyserBuilder] = Registry(
    "analyser",
    {
        "built-in": "anaphor.analyse.builtin:build",
        "conllu": "anaphor.analyse.adapters:build_conllu",
        "spacy": "anaphor.analyse.adapters:build_spacy",
        "stanza": "anaphor.analyse.adapters:build_stanza",
        "udpipe": "anaphor.analyse.adapters:build_udpipe",
    },
    option="--analyser",
)


def load_analyser(name: str, *, language: str, model: str | None = None) -> Analyser:
    """The analyser with this name for a language; a missing part is a `UserError` with instructions."""
    return ANALYSERS.get(name)(language, model)


def analyser_signature(name: str, *, language: str, model: str, package: str = "") -> Signature:
    """Analyser, language, model and, if another package does the work, that package with its version."""
    fields = [("language", language), ("model", model), *signed_models().items()]
    if package:
        fields.append(("package", package))
    return Signature(name, tuple(fields), __version__)
