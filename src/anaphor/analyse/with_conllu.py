"""Analyses made elsewhere: a CoNLL-U file with one sentence for each of ours, in the same order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from anaphor.analyse.optional import unnamed_model
from anaphor.analyse.placing import placed
from anaphor.analyse.signing import signed
from anaphor.core import Analysis, MismatchError, Signature, Where, digest
from anaphor.corpus.conllu import read_conllu
from anaphor.corpus.reading import display_name, read_bytes


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


def build(language: str, model: str | None) -> ConlluAnalyser:
    """`model` is the path of the file."""
    if model is None:
        raise unnamed_model("CoNLL-U file")
    return ConlluAnalyser(model, language)
