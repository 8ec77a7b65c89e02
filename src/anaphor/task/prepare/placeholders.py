"""The shared tasks' rules: which source tokens are examples, and where their placeholders go in the target.

wmt16-findings, section 3.3.2, and discomt17-findings, section 3.3.1, in this order:

1. words are aligned to the pronoun: one that belongs to the accepted set is hidden, else the shortest;
2. none is: the nearest source word with a link gives the position, first one step away, then two and so on,
   the left side before the right; the placeholder comes after the words of a left neighbour, before those
   of a right one;
3. the segment has no link at all: the same relative position as the pronoun in the source.

Where the papers are silent, this follows the released files of 2015: the left neighbour first, after its last
word or before the first word of a right one. A target word is hidden once, for the pronoun whose link has the
highest confidence.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import NamedTuple

from anaphor.core import Alignment, Analysis, Slot, TaskSegment
from anaphor.languages import LanguagePack, fold
from anaphor.task.classes import NONE, TaskClasses
from anaphor.task.lines import PLACEHOLDER

#: Linked target positions by source position.
Targets = Mapping[int, Sequence[int]]

_OBJECT_CASES = frozenset(["accusative", "dative", "oblique", "any"])


class Placeholder(NamedTuple):
    """The source token of a placeholder, and the target token it hides or is inserted before.

    `dropped`: it hides nothing, because the target language omits the subject.
    """

    source: int
    target: int
    hides: bool
    dropped: bool = False

    def label(self, words: Sequence[str], classes: TaskClasses) -> str:
        """The class of the hidden text in a target with these words."""
        if self.dropped and classes.dropped is not None:
            return classes.dropped
        return classes.class_of(words[self.target]) if self.hides else classes.other


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkThresholds:
    """The confidence that a link needs, by its purpose; links without one always count.

    - `accepted`: between a pronoun and a word of the accepted set: strict, because it decides the class.
    - `likely`: between a pronoun and another usual translation, such as le for it. Clitics are far from the
      source pronoun, so the confidence of their links is low; the class is OTHER anyway.
    - `other`: between a pronoun and any other word; it affects only the position.
    - `neighbour`: of a word that determines the position of a pronoun without links.
    - `written`: of the links in the fifth column.

    They were chosen on the development file of 2015 (docs/task/prepare.md).
    """

    accepted: float = 0.1
    likely: float = 0.05
    other: float = 0.05
    neighbour: float = 0.1
    written: float = 0.25

    @property
    def loosest(self) -> float:
        return min(self.accepted, self.likely, self.other, self.neighbour, self.written)


class TargetPronouns(NamedTuple):
    """Folded target words that may translate a source pronoun: the accepted set, and other likely ones."""

    accepted: Container[str]
    likely: Container[str] = frozenset()

    def limit_of(self, word: str, limits: LinkThresholds) -> float:
        """The confidence that a link between a pronoun and this word needs."""
        folded = fold(word)
        if folded in self.accepted:
            return limits.accepted
        return limits.likely if folded in self.likely else limits.other


@dataclass(frozen=True, slots=True)
class SourcePronouns:
    """The source tokens of a sub-task: its forms in lower case, capitalized and in capitals.

    They include forms that the tokenizer splits off a verb (`-il`). `ambiguous` are those that can also be
    objects (it, es, sie).
    """

    tokens: frozenset[str]
    ambiguous: frozenset[str]

    @classmethod
    def of(cls, classes: TaskClasses, pack: LanguagePack) -> SourcePronouns:
        """From the sub-task and the forms of its source language.

        French elle and elles also follow prepositions; the papers nevertheless treated them as subjects
        (wmt16-findings, section 3.3.3), so they are not ambiguous here.
        """

        def spelled(forms: Iterable[str]) -> frozenset[str]:
            return frozenset(spell(form) for form in forms for spell in (str, str.capitalize, str.upper))

        forms = {form: form for form in classes.source_pronouns}
        forms |= {token: form for token, form in enclitics_of(pack).items() if form in forms}
        objects = {entry.form for entry in pack.forms if entry.case in _OBJECT_CASES}
        return cls(spelled(forms), spelled(token for token, form in forms.items() if form in objects))

    def positions(self, tokens: Sequence[str]) -> list[int]:
        """The positions of source pronouns."""
        if self.tokens.isdisjoint(tokens):  # most sentences have none, and this is faster
            return []
        return [position for position, token in enumerate(tokens) if token in self.tokens]

    def need_analysis(self, tokens: Sequence[str], positions: Sequence[int]) -> bool:
        """Whether one of the positions may not be a subject."""
        return any(tokens[position] in self.ambiguous for position in positions)


@dataclass(frozen=True, slots=True, kw_only=True)
class PronounFilter:
    """Which source pronouns are kept.

    - `subjects`: only subjects, among the forms that can be objects (wmt16-findings, section 3.3.3); in
      2015 all were kept.
    - `expletives`: keep those without a referent. The papers lost them through a label of their parser, and
      called that a mistake (wmt16-findings, section 3.3.3; discomt17-findings, footnote 6).
    """

    subjects: bool = True
    expletives: bool = True

    @property
    def passes_all(self) -> bool:
        return not self.subjects and self.expletives

    def keeps(
        self, place: Placeholder, token: str, pronouns: SourcePronouns, analysis: Analysis | None
    ) -> bool:
        """Whether this pronoun stays an example; ambiguous tokens come with an analysis."""
        if analysis is None or token not in pronouns.ambiguous:
            return True
        if not self.expletives and place.source in analysis.expletives:
            return False
        return not self.subjects or place.source in analysis.subjects


def enclitics_of(pack: LanguagePack) -> dict[str, str]:
    """Tokens that the tokenizer splits off a verb, such as `-ils` and `-t-il`, and the pronoun in each."""
    return {token: forms[0] for token, forms in pack.enclitics.items() if len(forms) == 1}


def with_enclitics(classes: TaskClasses, pack: LanguagePack) -> TaskClasses:
    """The same sub-task with classes for tokens such as `-ils`."""
    members = {
        token: classes.members[form] for token, form in enclitics_of(pack).items() if form in classes.members
    }
    return replace(classes, members={**members, **classes.members})


def find_placeholders(
    pronouns: Sequence[int],
    *,
    source_length: int,
    words: Sequence[str],
    alignment: Alignment,
    counterparts: TargetPronouns,
    limits: LinkThresholds,
) -> tuple[Placeholder, ...]:
    """A placeholder for every source position in `pronouns`, in order."""
    if not pronouns:
        return ()
    links = [
        link
        for link in alignment.links()
        if link.source in pronouns
        and (link.confidence is None or link.confidence >= counterparts.limit_of(words[link.target], limits))
    ]
    accepted = [link for link in links if fold(words[link.target]) in counterparts.accepted]
    accepted.sort(key=lambda link: (-(link.confidence or 1), link.source, link.target))
    links.sort(key=lambda link: (len(words[link.target]), link.target))
    hidden: dict[int, int] = {}
    for link in (*accepted, *links):
        if link.source not in hidden and link.target not in hidden.values():
            hidden[link.source] = link.target
    linked = linked_targets(alignment, limits.neighbour)
    return tuple(
        Placeholder(pronoun, hidden[pronoun], hides=True)
        if pronoun in hidden
        else Placeholder(pronoun, gap_of(pronoun, source_length, len(words), linked), hides=False)
        for pronoun in pronouns
    )


def linked_targets(alignment: Alignment, limit: float) -> dict[int, list[int]]:
    """Target positions of every source position that has a link of this confidence."""
    confidences = alignment.confidence or (1.0,) * len(alignment)
    linked: dict[int, list[int]] = {}
    for source, target, confidence in zip(alignment.sources, alignment.targets, confidences, strict=True):
        if confidence >= limit:
            linked.setdefault(source, []).append(target)
    return linked


def gap_of(pronoun: int, source_length: int, target_length: int, linked: Targets) -> int:
    """The target position before which the placeholder of a pronoun without links is inserted."""
    for distance in range(1, source_length):
        if pronoun - distance in linked:
            return max(linked[pronoun - distance]) + 1
        if pronoun + distance in linked:
            return min(linked[pronoun + distance])
    return round(pronoun * target_length / source_length)


def hide_words(
    source: Sequence[str],
    *,
    words: Sequence[str],
    shown: Sequence[str],
    places: Sequence[Placeholder],
    links: Alignment,
    classes: TaskClasses,
) -> TaskSegment:
    """The segment with its placeholders; `words` are the target's tokens and `shown` the same as written.

    The word of a slot is the token as written, with its tag where tokens have one; `NONE` for a placeholder
    that hides nothing. Every placeholder is linked to its source token.
    """
    if not places:
        return TaskSegment(tuple(source), tuple(shown), (), links)
    # At one position, inserted placeholders come before the one that hides the word there.
    ordered = sorted(places, key=lambda place: (place.target, place.hides, place.source))
    inserted_before = accumulate((not place.hides for place in ordered), initial=0)
    slots = []
    for place, inserted in zip(ordered, inserted_before, strict=False):
        label, word = place.label(words, classes), NONE
        if place.hides:
            word = words[place.target]
            if shown is not words:
                word += "".join(shown[place.target].rpartition("|")[1:])
        slots.append(Slot(place.source, place.target + inserted, label, word))
    target = list(shown)
    for place in reversed(ordered):  # from the end, so that earlier positions stay valid
        target[place.target : place.target + place.hides] = [f"{PLACEHOLDER}_{place.source}"]
    gaps = [place.target for place in ordered if not place.hides]
    moved = {
        (from_source, to_target + bisect_right(gaps, to_target))
        for from_source, to_target in zip(links.sources, links.targets, strict=True)
    }
    moved |= {(slot.source, slot.target) for slot in slots}
    sources, targets = zip(*sorted(moved), strict=True)
    return TaskSegment(tuple(source), tuple(target), tuple(slots), Alignment(sources, targets))
