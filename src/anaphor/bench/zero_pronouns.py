"""Pronouns that the source leaves out, as Chinese does: their forms in English, and the metric aZPT.

aZPT (Xu et al. 2022) looks for the English form near the words linked to the pronoun, after annotators have
put it back into the source.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise

from anaphor.align import AlignerChoice
from anaphor.bench.items import Bench, BenchItem, BenchOutcome
from anaphor.core import Sentence, Span
from anaphor.core.records import Record
from anaphor.languages.choose_tokenizer import tokenizer_of

_FILE = "zero_pronouns.toml"
#: Words on either side of a linked one among which the form may be. The default of the program is 2, but all
#: published details were made with 3.
AZPT_NEIGHBOURS = 3


@dataclass(frozen=True, slots=True)
class ZeroPronouns:
    """The English forms of Chinese pronouns: subject, object, attributive, possessive, reflexive."""

    forms: Mapping[str, tuple[str, ...]]
    roles: Mapping[str, str]
    azpt: Mapping[str, str]

    def expected(self, pronoun: str, role: str) -> tuple[str, ...]:
        """The forms of a pronoun in a role, the one that aZPT expects first; none if the pronoun is unknown.

        `pronoun` is as it is marked, which may be *我的* or *我自己* for *我*; `role` is a mark of mZPRT or
        empty. English may choose another case: *him* is accepted for *he*, but no possessive is.
        """
        own = self.forms.get(pronoun.removesuffix("的").removesuffix("自己"), ())
        if not own:
            return ()
        subject, object_, attributive, possessive, reflexive = own
        possessives, others = (attributive, possessive), (subject, object_, reflexive)
        if not role:
            return tuple(dict.fromkeys(possessives if pronoun.endswith("的") else own))
        first = self.azpt.get(f"<{pronoun}>_{role}", own[[*self.roles].index(role)])
        return tuple(dict.fromkeys((first, *(possessives if role in ("Pa", "P") else others))))

    def wrong(self, pronoun: str) -> tuple[str, ...]:
        """The forms of all other pronouns."""
        own = self.forms[pronoun.removesuffix("的").removesuffix("自己")]
        return tuple(dict.fromkeys(form for row in self.forms.values() for form in row if form not in own))


@cache
def zero_pronouns() -> ZeroPronouns:
    """The table that ships."""
    record = Record.from_toml((files("anaphor.bench") / _FILE).read_bytes(), file=_FILE)
    forms, roles, azpt = (record.table(key) for key in ("forms", "roles", "azpt"))
    return ZeroPronouns(
        {word: forms.texts(word) for word in forms},
        {mark: roles.text(mark) for mark in roles},
        {label: azpt.text(label) for label in azpt},
    )


def restored_sentences(bench: Bench, tokenize: Callable[[str], Sentence]) -> list[Sentence]:
    """The tested sentence of every item, with the pronouns that were put back as separate tokens."""
    slots: dict[str, set[Span]] = {}
    for item in bench.items:
        if item.restored and item.slot is not None:
            slots.setdefault(item.group, set()).add(item.slot)
    return [
        _cut_at(item.restored, sorted(slots.get(item.group, ())), tokenize)
        if item.restored
        else tokenize(item.source[-1])
        for item in bench.items
    ]


def _cut_at(text: str, slots: Sequence[Span], tokenize: Callable[[str], Sentence]) -> Sentence:
    tokens: list[str] = []
    starts: list[int] = []
    bounds = [0, *(at for slot in slots for at in slot), len(text)]
    for number, (start, end) in enumerate(pairwise(bounds)):
        if number % 2:  # a slot
            tokens.append(text[start:end])
            starts.append(start)
            continue
        part = tokenize(text[start:end])
        tokens += part.tokens
        starts += [start + at for at in part.starts]
    return Sentence(text, tuple(tokens), tuple(starts))


@dataclass(frozen=True, slots=True)
class AzptDecision:
    """Whether the form was found, and where: the words at `places` are those that the program marks."""

    right: bool
    places: tuple[int, ...]
    #: The words that were searched last, if it was not found.
    searched: tuple[str, ...] = ()


def decide_azpt(
    expected: str,
    words: Sequence[str],
    links: Mapping[int, Sequence[int]],
    position: int,
    *,
    neighbours: int = AZPT_NEIGHBOURS,
) -> AzptDecision:
    """The decision of the program aZPT on the source word at `position`, faults included.

    `words` are those of the translation in lower case, `links` the target words of each linked source word.
    The windows around linked words reach one word farther to the right than to the left. Without a link, the
    search starts at the first word linked to the left neighbour and goes on to the end of the sentence, even
    past the right neighbour; if no word to the right is linked, the last word is left out.
    """
    if linked := links.get(position):
        for at in linked:
            if words[at] == expected:
                return AzptDecision(True, (at,))
        start = stop = 0
        for at in linked:
            start, stop = max(at - neighbours, 0), min(at + neighbours, len(words) - 1) + 1
            for place in range(start, min(stop + 1, len(words))):
                if words[place] == expected:
                    return AzptDecision(True, (place,))
        return AzptDecision(False, tuple(range(start, stop)), tuple(words[start : stop + 1]))
    others = sorted(links)
    at = bisect_left(others, position)
    left = links[others[at - 1]] if at else (0,)
    right = links[others[at]] if at < len(others) else None
    searched = words[min(left) : -1] if right is None else words[min(left) :]
    if expected in searched:
        return AzptDecision(True, (min(left) + list(searched).index(expected),))
    end = len(words) if right is None else max(right)
    return AzptDecision(False, tuple(range(max(left), end)), tuple(searched))


def judge_azpt(bench: Bench, lines: Sequence[str], aligner: AlignerChoice) -> tuple[BenchOutcome, ...]:
    """aZPT on the words that our tokenizers find, with the links of this aligner."""
    source, target = (tokenizer_of(code) for code in (bench.pair.source, bench.pair.target))
    tested = restored_sentences(bench, source)
    translations = [[word.lower() for word in target(line).tokens] for line in lines]
    pairs = [(sentence.tokens, words) for sentence, words in zip(tested, translations, strict=True)]
    outcomes = []
    for item, sentence, words, alignment in zip(
        bench.items, tested, translations, aligner.build().align(pairs), strict=True
    ):
        decision = decide_azpt(item.expected[0], words, alignment.by_source(), position_of(item, sentence))
        is_there = not set(item.wrong).isdisjoint(decision.searched)
        wrong = BenchOutcome.WRONG if is_there else BenchOutcome.ABSENT
        outcomes.append(BenchOutcome.RIGHT if decision.right else wrong)
    return tuple(outcomes)


def position_of(item: BenchItem, sentence: Sentence) -> int:
    """The token of the pronoun that was put back; it begins where the slot does."""
    return sentence.starts.index(item.slot.start if item.slot is not None else 0)
