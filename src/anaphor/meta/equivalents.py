"""Equivalent pronouns from judgements (apt-2017, section 2.5).

For every pair of different forms, candidate and reference, the share that annotators called correct is the
probability of the equivalence. docs/meta/cases.md explains the choices that the paper leaves open.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from anaphor.core import OptionError
from anaphor.core.table import Block, JsonFields, Styled, Table, count, number, percent, text
from anaphor.languages import FormMatcher, PairPack
from anaphor.meta.judgements import JudgedCase, Judgement, join, read_cases, read_judgements
from anaphor.meta.scores import read_rows


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """The words of candidate and reference for one pronoun, whether they were called correct, and how
    often."""

    candidate: str
    reference: str
    correct: bool
    times: int = 1


@dataclass(frozen=True, slots=True)
class PairCount(JsonFields):
    """A pair of forms in alphabetical order, how often it was judged and called correct, and out of how
    many."""

    forms: tuple[str, str]
    judged: int
    correct: int
    sample: int

    json_keys: ClassVar = {"sample": None}
    json_extra = ("share", "probability")

    @property
    def probability(self) -> float:
        return self.correct / self.judged

    @property
    def share(self) -> float:
        return self.judged / self.sample


@dataclass(frozen=True, slots=True)
class EquivalentsProposal:
    """All pairs, most frequent first, and those among them that are frequent and probable enough."""

    counts: tuple[PairCount, ...]
    proposed: tuple[PairCount, ...]
    sample: int

    def to_dict(self) -> dict[str, Any]:
        pairs = [{**count.to_dict(), "proposed": count in self.proposed} for count in self.counts]
        return {"sample": self.sample, "pairs": pairs}

    def tables(self) -> list[Block]:
        columns = [text("forms"), count("judged"), percent("% of sample"), count("correct")]
        rows = []
        for pair in self.counts:
            mark = Styled("proposed", "good") if pair in self.proposed else ""
            rows.append(
                (" / ".join(pair.forms), pair.judged, pair.share, pair.correct, pair.probability, mark)
            )
        return [f"{self.sample} judged pronouns", Table([*columns, number("p", digits=2), text("")], rows)]


def judged_pairs(
    *, pairs: str | None = None, items: str | None = None, judgements: str | None = None
) -> tuple[JudgedPair, ...]:
    """The judged pairs of a file of pairs, or of items and their judgements."""
    if pairs and not items and not judgements:
        return read_pairs(pairs)
    if pairs or not (items and judgements):
        what = "judged pairs come from one place"
        fix = "add --pairs, or --items and --judgements"
        raise OptionError(what, where="--pairs, --items, --judgements", fix=fix)
    return pairs_of(join(read_judgements(judgements), read_cases(items)))


def read_pairs(path: str | Path) -> tuple[JudgedPair, ...]:
    """TSV or JSON lines with `candidate`, `reference`, `judgement` and, for aggregated rows, `times`."""
    rows = read_rows(path, required=("candidate", "reference", "judgement"), optional=("times",))
    labels = [judgement.value for judgement in Judgement]
    return tuple(
        JudgedPair(
            row.text("candidate"),
            row.text("reference"),
            row.text("judgement") == Judgement.CORRECT.value,
            row.integer("times", low=0) if "times" in row else 1,
        )
        for row in rows
        # A bad translation says nothing about the pronouns in it.
        if row.choice("judgement", labels) != Judgement.BAD.value
    )


def pairs_of(joined: Iterable[JudgedCase]) -> tuple[JudgedPair, ...]:
    """The pairs behind judgements that were joined with their cases; a missing side is an empty word."""
    return tuple(
        JudgedPair(
            judged.case.candidate_words or "",
            judged.case.reference_words or "",
            judged.judged.judgement is Judgement.CORRECT,
        )
        for judged in joined
        if judged.judged.judgement is not Judgement.BAD
    )


def propose(
    pairs: Sequence[JudgedPair], pack: PairPack, *, share: float = 0.05, threshold: float = 0.5
) -> EquivalentsProposal:
    """The pairs that are worth an entry in a pack.

    A pair is dropped when its share of the sample is smaller than `share`, and proposed when its probability
    is greater than `threshold`.
    """
    for name, value in (("--share", share), ("--threshold", threshold)):
        if not 0 <= value < 1:
            raise OptionError(
                f"not a share: {value:g}", where=name, fix="use a number of at least 0 and below 1"
            )
    sample = sum(pair.times for pair in pairs)
    judged: Counter[tuple[str, str]] = Counter()
    correct: Counter[tuple[str, str]] = Counter()
    matcher = FormMatcher(pack.target, (*pack.target_pronouns, *pack.object_pronouns))
    # Identical forms, such as ce and c', are one entry of the pack.
    heads = {form: group[0] for group in pack.identical for form in group}

    def form_in(words: str) -> str | None:
        """The first listed form, named by its identical set."""
        forms = [form for word in words.split() for form in matcher.forms_in(word)]
        return heads.get(forms[0], forms[0]) if forms else None

    for pair in pairs:
        # Words without a listed form on either side could not be entries of a pack.
        first, second = form_in(pair.candidate), form_in(pair.reference)
        if first is not None and second is not None and first != second:
            # Equivalence has no direction: candidate and reference may be exchanged.
            key = (min(first, second), max(first, second))
            judged[key] += pair.times
            correct[key] += pair.times * pair.correct
    counts = [PairCount(key, times, correct[key], sample) for key, times in judged.items() if times]
    counts.sort(key=lambda pair: (-pair.judged, pair.forms))
    kept = [pair for pair in counts if pair.share >= share and pair.probability > threshold]
    return EquivalentsProposal(tuple(counts), tuple(kept), sample)


def pack_fragment(proposal: EquivalentsProposal) -> str:
    """The `equivalent` entry of a pair's pack, as TOML."""
    rows = [
        f'    {{ forms = ["{pair.forms[0]}", "{pair.forms[1]}"], probability = {pair.probability:.4g} }},'
        f"  # {pair.correct} of {pair.judged} judged correct\n"
        for pair in proposal.proposed
    ]
    heading = f"# From {proposal.sample} judged pronouns. Replaces `equivalent` in the pack of the pair.\n"
    return f"{heading}equivalent = [\n{''.join(rows)}]\n"
