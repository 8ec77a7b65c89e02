"""What every analyser does, and the table of their names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from typing import Any, Protocol

from anaphor import __version__
from anaphor.core import Analysis, OptionError, Registry, Signature, UserError


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
        "conllu": "anaphor.analyse.adapters:build_conllu",
        "spacy": "anaphor.analyse.adapters:build_spacy",
        "stanza": "anaphor.analyse.adapters:build_stanza",
        "udpipe": "anaphor.analyse.adapters:build_udpipe",
    },
    option="--analyser",
)


def load_analyser(name: str, *, language: str, model: str | None = None) -> Analyser:
    """The analyser of that name for a language; what it lacks is a `UserError` that says how to get it."""
    return ANALYSERS.get(name)(language, model)


def signed(name: str, *, language: str, model: str, package: str = "") -> Signature:
    """Analyser, language, model and, where another package does the work, that package with its version."""
    fields = [("language", language), ("model", model)]
    if package:
        fields.append(("package", package))
    return Signature(name, tuple(fields), __version__)


#: Where users name a model.
_OPTION = "--source-model or --target-model"


def optional_module(name: str, *, package: str) -> Any:
    """The module, or a `UserError` with the line that installs it. Nothing is ever fetched."""
    try:
        return import_module(name)
    except ImportError as error:
        raise UserError(
            f"the analyser needs the package {package}, which cannot be imported ({error})",
            where="--analyser",
            fix=f"pip install {package}, or use the built-in analyser",
        ) from None


def missing_model(what: str, *, fix: str) -> UserError:
    """The error for a model that is not on this machine."""
    return UserError(f"there is no {what} on this machine", where=_OPTION, fix=fix)


def unnamed_model(what: str) -> OptionError:
    """The error for an analyser that cannot do without the path of a model."""
    return OptionError(f"no {what} is named", where=_OPTION, fix="give its path")
