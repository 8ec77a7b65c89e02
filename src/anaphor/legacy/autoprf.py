"""The original AutoPRF from its three arguments to its tables: the same counts, the same layout."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from pathlib import Path

from anaphor.core import MismatchError, OptionError, Where
from anaphor.legacy.autoprf_corpus import FlatCorpus, read_corpus, read_documents
from anaphor.legacy.autoprf_tables import Tally, recall_table, score_table, total

_TRIGGERS = frozenset({"it", "It", "they", "They"})
_DECIMALS = (".", ",")
_VERBOSITIES = (0, 1, 2)


@dataclass(frozen=True, slots=True)
class Trigger:
    """A source pronoun with the words aligned to it on both sides; `token` counts through the text."""

    segment: int
    token: int
    form: str
    reference: tuple[str, ...]
    candidate: tuple[str, ...]

    def tally(self) -> Tally:
        """Matches are clipped for this pronoun alone, not over the corpus."""
        shared = Counter(self.reference) & Counter(self.candidate)
        return Tally(shared.total(), len(self.reference), len(self.candidate))


def run_autoprf(
    reference: str,
    candidate: str,
    documents: str,
    *,
    verbosity: int = 1,
    source: str = "en",
    target: str = "fr",
    decimal: str = ".",
) -> str:
    """What the original prints for two stems and a document file.

    `verbosity` 0 gives precision and recall, 1 adds recall per document, 2 adds every segment with a
    pronoun. `decimal` is the decimal mark, which followed the user's locale.
    """
    _check_option("verbosity", verbosity, _VERBOSITIES)
    _check_option("decimal", decimal, _DECIMALS)
    starts = read_documents(Path(documents))
    corpora = [read_corpus(stem, source=source, target=target) for stem in (reference, candidate)]
    _check_sizes(corpora[0], corpora[1], whole_lines=verbosity == 2)
    triggers = list(_triggers(corpora[0], corpora[1]))
    rows = _tallies(
        triggers, [starts.document_of(trigger.segment) for trigger in triggers], len(starts.names)
    )
    sums = _sums(rows)
    parts = [score_table(sums, decimal=decimal)]
    if verbosity >= 1:
        parts.insert(0, recall_table(starts.names, rows, list(sums), decimal=decimal) + "\n")
    if verbosity == 2:
        parts.insert(0, "".join(_segments(corpora[0], corpora[1], triggers)))
    return "".join(parts)


def _triggers(reference: FlatCorpus, candidate: FlatCorpus) -> Iterator[Trigger]:
    for token, word in enumerate(reference.source.tokens):
        if word in _TRIGGERS:
            yield Trigger(
                segment=reference.source.segment_of(token),
                token=token,
                form=word.lower(),
                reference=reference.words(token),
                candidate=candidate.words(token),
            )


def _tallies(triggers: Sequence[Trigger], documents: Sequence[int], count: int) -> list[Mapping[str, Tally]]:
    """The tally of each pronoun form in each document."""
    rows: list[defaultdict[str, Tally]] = [defaultdict(Tally) for _ in range(count)]
    for trigger, document in zip(triggers, documents, strict=True):
        rows[document][trigger.form] += trigger.tally()
    return [dict(row) for row in rows]


def _sums(rows: Sequence[Mapping[str, Tally]]) -> dict[str, Tally]:
    """The tally of each form in alphabetical order.

    A form that no candidate word is aligned to is not listed, nor are its reference words counted.
    """
    forms = sorted({form for row in rows for form in row})
    sums = {form: total(row.get(form, Tally()) for row in rows) for form in forms}
    return {form: tally for form, tally in sums.items() if tally.candidate}


def _segments(reference: FlatCorpus, candidate: FlatCorpus, triggers: Sequence[Trigger]) -> Iterator[str]:
    """The block of each segment with a pronoun: three sentences, then a line for each pronoun."""
    for segment, found in groupby(triggers, key=attrgetter("segment")):
        group = list(found)
        first = group[0].token - reference.source.starts[segment]
        marked = [
            f"*{word}*" if at == first else word for at, word in enumerate(reference.source.sentence(segment))
        ]
        sentences = (marked, reference.target.sentence(segment), candidate.target.sentence(segment))
        lines = [" ".join(sentence) for sentence in sentences]
        lines.extend(
            f"{trigger.form} ||| {' | '.join(trigger.reference)} ||| {' | '.join(trigger.candidate)}"
            for trigger in group
        )
        yield "\n".join(lines) + "\n\n"


def _check_sizes(reference: FlatCorpus, candidate: FlatCorpus, *, whole_lines: bool) -> None:
    """The original compared the numbers of source tokens, not the texts."""
    sizes = len(reference.source.tokens), len(candidate.source.tokens)
    unit = "tokens"
    if whole_lines and sizes[0] == sizes[1]:
        sizes, unit = (reference.source.segments, candidate.source.segments), "lines"
    if sizes[0] != sizes[1]:
        raise MismatchError(
            f"the reference's source has {sizes[0]} {unit}, the candidate's source has {sizes[1]}",
            where=Where(str(candidate.source.path)),
            fix="both must be the same source text, tokenised in the same way",
        )


def _check_option(name: str, value: object, allowed: Sequence[object]) -> None:
    if value not in allowed:
        raise OptionError(
            f"{name} is {value!r}", where=f"--{name}", fix=f"choose one of {', '.join(map(str, allowed))}"
        )
