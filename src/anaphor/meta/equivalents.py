"""Equivalent pronouns from judgements (apt-2017, section 2.5).

Of every pair of different forms, candidate and reference, the share that people called correct is the
probability of the equivalence. Pairs rarer than 5 % of the whole sample are dropped, and those above 0.5 are
proposed. The paper leaves three things open, which are settled so:

- The sample is every judged pronoun, identical ones too; those that could not be judged (bad) are left out.
- Forms of one identical set (ce, c') are one form, named by the first of the set.
- A pack does not know directions, so (il for ce) and (ce for il) are counted together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from anaphor.core import OptionError
from anaphor.languages import FormMatcher, PairPack
from anaphor.meta.judgements import Answer, JudgedCase
from anaphor.meta.rows import read_rows


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """The words of candidate and reference for one pronoun, whether they were called correct, how often."""

    candidate: str
    reference: str
    correct: bool
    times: int = 1


@dataclass(frozen=True, slots=True)
class PairCount:
    """A pair of forms in alphabetical order, how often it was judged and called correct, and of how many."""

    forms: tuple[str, str]
    judged: int
    correct: int
    sample: int

    @property
    def probability(self) -> float:
        return self.correct / self.judged

    @property
    def share(self) -> float:
        return self.judged / self.sample


@dataclass(frozen=True, slots=True)
class Proposal:
    """All pairs, the most frequent first, and those among them that are frequent and probable enough."""

    counts: tuple[PairCount, ...]
    proposed: tuple[PairCount, ...]
    sample: int


def read_pairs(path: str | Path) -> tuple[JudgedPair, ...]:
    """TSV or JSON lines with `candidate`, `reference`, `judgement` and, where rows are counts, `times`."""
    rows = read_rows(path, required=("candidate", "reference", "judgement"), optional=("times",))
    answers = [answer.value for answer in Answer]
    return tuple(
        JudgedPair(
            row.text("candidate"),
            row.text("reference"),
            row.text("judgement") == Answer.CORRECT.value,
            row.integer("times", low=0) if "times" in row else 1,
        )
        for row in rows
        if row.choice("judgement", answers) != Answer.BAD.value
    )


def pairs_of(joined: Iterable[JudgedCase]) -> tuple[JudgedPair, ...]:
    """The pairs behind judgements that were joined with their cases; a missing side is an empty word."""
    return tuple(
        JudgedPair(
            one.case.candidate_words or "",
            one.case.reference_words or "",
            one.judged.answer is Answer.CORRECT,
        )
        for one in joined
        if one.judged.answer is not Answer.BAD
    )


def propose(
    pairs: Sequence[JudgedPair], pack: PairPack, *, share: float = 0.05, threshold: float = 0.5
) -> Proposal:
    """The pairs that are worth an entry in a pack.

    A pair is dropped when its share of the sample is smaller than `share`, and proposed when its probability
    is greater than `threshold`.
    """
    for name, value in (("--share", share), ("--threshold", threshold)):
        if not 0 <= value < 1:
            raise OptionError(f"not a share: {value:g}", where=name, fix="give a number from 0 to below 1")
    sample = sum(pair.times for pair in pairs)
    judged: Counter[tuple[str, str]] = Counter()
    correct: Counter[tuple[str, str]] = Counter()
    forms = _Forms(pack)
    for pair in pairs:
        key = forms.pair(pair)
        if key is not None:
            judged[key] += pair.times
            correct[key] += pair.times * pair.correct
    counts = [PairCount(key, number, correct[key], sample) for key, number in judged.items() if number]
    counts.sort(key=lambda count: (-count.judged, count.forms))
    kept = [count for count in counts if count.share >= share and count.probability > threshold]
    return Proposal(tuple(counts), tuple(kept), sample)


def pack_fragment(proposal: Proposal) -> str:
    """The `equivalent` entry of a pair's pack, as TOML."""
    rows = [
        f'    {{ forms = ["{count.forms[0]}", "{count.forms[1]}"], probability = {count.probability:.4g} }},'
        f"  # {count.correct} of {count.judged} judged correct\n"
        for count in proposal.proposed
    ]
    heading = f"# From {proposal.sample} judged pronouns. Replaces `equivalent` in the pack of the pair.\n"
    return f"{heading}equivalent = [\n{''.join(rows)}]\n"


class _Forms:
    """Finds the form of a side, by the pack's lists, and names it by its identical set."""

    def __init__(self, pack: PairPack) -> None:
        self._matcher = FormMatcher(pack.target, (*pack.target_pronouns, *pack.object_pronouns))
        self._heads = {form: group[0] for group in pack.identical for form in group}

    def pair(self, pair: JudgedPair) -> tuple[str, str] | None:
        """Two different listed forms in alphabetical order; None where there are not two."""
        found = {self._form(pair.candidate), self._form(pair.reference)} - {None}
        if len(found) != 2:
            return None
        first, second = sorted(form for form in found if form is not None)
        return first, second

    def _form(self, words: str) -> str | None:
        forms = [form for word in words.split() for form in self._matcher.forms_in(word)]
        return self._heads.get(forms[0], forms[0]) if forms else None
