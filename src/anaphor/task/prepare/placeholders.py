"""Where a source pronoun's placeholder goes in the target: the rules of the shared tasks.

wmt16-findings, section 3.3.2, and discomt17-findings, section 3.3.1, in this order:

1. words are aligned to the pronoun: one that belongs to the accepted set is hidden, else the shortest;
2. none is: the nearest source word with a link tells the place, first one step away, then two and so on,
   the left side before the right; the placeholder comes after the words of a left neighbour, before those
   of a right one;
3. the segment has no link at all: a place like that of the pronoun in the source.

What the papers leave open follows the released files of 2015: the left neighbour first, after its last word
or before the first word of a right one. A target word is hidden once, for the pronoun that it is linked to
most surely.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import NamedTuple

from anaphor.core import Alignment, Analysis, Link, Slot, TaskSegment, Tree
from anaphor.languages import LanguagePack, fold
from anaphor.task.classes import NONE, TaskClasses
from anaphor.task.lines import PLACEHOLDER

Targets = Mapping[int, Sequence[int]]
"""Linked target positions by source position."""


class Placeholder(NamedTuple):
    """A placeholder: the source token it stands for, and the target token it hides or comes before."""

    source: int
    target: int
    hides: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkThresholds:
    """The confidence that a link needs, by what it is asked for; links without one always count.

    - `accepted`: between a pronoun and a word of the accepted set: strict, for it decides the class.
    - `likely`: between a pronoun and another usual translation, such as le for it. Clitics stand elsewhere
      than the source pronoun, so that their links are never sure; the class is OTHER all the same.
    - `other`: between a pronoun and any other word; it moves the place alone.
    - `neighbour`: of a word that places the placeholder of a pronoun without links.
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
    """Target words, folded, that may stand for a watched pronoun: the accepted set, and others."""

    accepted: Container[str]
    likely: Container[str] = frozenset()

    def limit_of(self, word: str, limits: LinkThresholds) -> float:
        """The confidence that a link between a pronoun and this word needs."""
        folded = fold(word)
        if folded in self.accepted:
            return limits.accepted
        return limits.likely if folded in self.likely else limits.other


def find_placeholders(
    pronouns: Sequence[int],
    *,
    source_length: int,
    words: Sequence[str],
    alignment: Alignment,
    counterparts: TargetPronouns,
    limits: LinkThresholds,
) -> tuple[Placeholder, ...]:
    """A place for every source position in `pronouns`, in their order."""
    if not pronouns:
        return ()
    hidden = _hidden_words(pronouns, words, alignment, counterparts, limits)
    linked = linked_targets(alignment, limits.neighbour)
    return tuple(
        Placeholder(pronoun, hidden[pronoun], hides=True)
        if pronoun in hidden
        else Placeholder(pronoun, gap_of(pronoun, source_length, len(words), linked), hides=False)
        for pronoun in pronouns
    )


def _hidden_words(
    pronouns: Sequence[int],
    words: Sequence[str],
    alignment: Alignment,
    counterparts: TargetPronouns,
    limits: LinkThresholds,
) -> dict[int, int]:
    """The word that each linked pronoun hides: one of the accepted set, else the shortest."""
    links = [
        link
        for link in alignment.links()
        if link.source in pronouns
        and (link.confidence is None or link.confidence >= counterparts.limit_of(words[link.target], limits))
    ]
    hidden: dict[int, int] = {}
    for link in sorted(links, key=lambda link: (-(link.confidence or 1), link.source, link.target)):
        if fold(words[link.target]) in counterparts.accepted:
            _hide(hidden, link)
    for link in sorted(links, key=lambda link: (len(words[link.target]), link.target)):
        _hide(hidden, link)
    return hidden


def _hide(hidden: dict[int, int], link: Link) -> None:
    if link.source not in hidden and link.target not in hidden.values():
        hidden[link.source] = link.target


def linked_targets(alignment: Alignment, limit: float) -> dict[int, list[int]]:
    """Target positions of every source position that has a link of this confidence."""
    confidences = alignment.confidence or (1.0,) * len(alignment)
    linked: dict[int, list[int]] = {}
    for source, target, sure in zip(alignment.sources, alignment.targets, confidences, strict=True):
        if sure >= limit:
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


_OBJECT_CASES = frozenset(["accusative", "dative", "oblique", "any"])


@dataclass(frozen=True, slots=True)
class SourcePronouns:
    """The source tokens of a sub-task: its forms in small letters, capitalised and in capitals.

    Forms that the tokeniser cuts off a verb (`-il`) belong to them. `ambiguous` are those that can be objects
    too (it, es, sie).
    """

    tokens: frozenset[str]
    ambiguous: frozenset[str]

    @classmethod
    def of(cls, classes: TaskClasses, pack: LanguagePack) -> SourcePronouns:
        """From the sub-task and the forms of its source language.

        French elle and elles also follow prepositions; the papers took them for subjects all the same
        (wmt16-findings, section 3.3.3), and so they are not ambiguous here.
        """
        forms = {form: form for form in classes.source_pronouns}
        forms |= {token: form for token, form in enclitics_of(pack).items() if form in forms}
        objects = {entry.form for entry in pack.forms if entry.case in _OBJECT_CASES}
        return cls(_spelled(forms), _spelled(token for token, form in forms.items() if form in objects))

    def positions(self, tokens: Sequence[str]) -> list[int]:
        """Where a watched token stands; most sentences have none, and are looked through as a whole."""
        if self.tokens.isdisjoint(tokens):
            return []
        return [position for position, token in enumerate(tokens) if token in self.tokens]

    def need_analysis(self, tokens: Sequence[str], positions: Sequence[int]) -> bool:
        """Whether one of the positions may be no subject."""
        return any(tokens[position] in self.ambiguous for position in positions)


def _spelled(forms: Iterable[str]) -> frozenset[str]:
    return frozenset(spell(form) for form in forms for spell in (str, str.capitalize, str.upper))


@dataclass(frozen=True, slots=True, kw_only=True)
class PronounFilter:
    """Which of the watched pronouns are kept.

    - `subjects`: only subjects, among the forms that can be objects (wmt16-findings, section 3.3.3); in
      2015 all were kept.
    - `expletives`: keep those that stand for nothing. The papers lost them by the label of their parser,
      and found that a mistake (wmt16-findings, section 3.3.3; discomt17-findings, footnote 6).
    """

    subjects: bool = True
    expletives: bool = True

    @property
    def passes_all(self) -> bool:
        return not self.subjects and self.expletives

    def keeps(
        self, place: Placeholder, token: str, watched: SourcePronouns, analysis: Analysis | None
    ) -> bool:
        """Whether this pronoun stays an example; an analysis is there where the token is ambiguous."""
        if analysis is None or token not in watched.ambiguous:
            return True
        if not self.expletives and place.source in analysis.expletives:
            return False
        return not self.subjects or place.source in analysis.subjects


def enclitics_of(pack: LanguagePack) -> dict[str, str]:
    """Tokens that the tokeniser cuts off a verb, `-ils` and `-t-il`, and the pronoun that each of them is."""
    return {token: forms[0] for token, forms in pack.enclitics.items() if len(forms) == 1}


def with_enclitics(classes: TaskClasses, pack: LanguagePack) -> TaskClasses:
    """The same sub-task with a class for tokens such as `-ils`."""
    found = {
        token: classes.members[form] for token, form in enclitics_of(pack).items() if form in classes.members
    }
    return replace(classes, members={**found, **classes.members})


_VERBAL = frozenset(["VERB", "AUX"])
_PRONOMINAL = frozenset(["PRON", "DET"])  # taggers call a `this` that stands alone either
_FARTHEST_SUBJECT = 6


def null_subject_placeholders(
    source: Analysis, target: Analysis, alignment: Alignment, limits: LinkThresholds
) -> tuple[Placeholder, ...]:
    """A place for every third-person verb without a subject (discomt17-findings, section 3.3.1).

    The verb's links lead to the verb of the target, and the target's parse to the subject of that. If this
    is a pronoun it is hidden, and the placeholder carries the position of the source verb. A verb that leads
    to no pronoun has its placeholder before the linked verb, and one without links where a pronoun without
    links has it.
    """
    places: list[Placeholder] = []
    hidden: set[int] = set()
    links = linked_targets(alignment, limits.neighbour)
    for verb in sorted(source.null_subjects):
        linked = sorted(links.get(verb, ()))
        subject = _subject_of(linked, target)
        if subject is not None and subject not in hidden:
            hidden.add(subject)
            places.append(Placeholder(verb, subject, hides=True))
        elif linked:
            places.append(Placeholder(verb, _first_verb(linked, target), hides=False))
        else:
            gap = gap_of(verb, len(source.tags), len(target.tags), links)
            places.append(Placeholder(verb, gap, hides=False))
    return tuple(places)


def _subject_of(linked: Sequence[int], target: Analysis) -> int | None:
    """The pronoun that is the subject of one of the linked words; a linked subject pronoun itself counts."""
    for word in linked:
        if word in target.subjects and target.tags[word] in _PRONOMINAL:
            return word
    for word in linked:
        if target.tags[word] in _VERBAL:
            found = _subject_nearby(word, target)
            if target.tree is not None:
                found = _subject_by_tree(word, target, target.tree)
            if found is not None and target.tags[found] in _PRONOMINAL:
                return found
    return None


def _subject_by_tree(verb: int, target: Analysis, tree: Tree) -> int | None:
    """A subject that depends on the verb, or on the word whose auxiliary or copula the verb is."""
    heads, relations = tree.heads, tree.relations
    head = heads[verb] if relations[verb].startswith(("aux", "cop")) else verb
    return next((word for word in sorted(target.subjects) if heads[word] in (verb, head)), None)


def _subject_nearby(verb: int, target: Analysis) -> int | None:
    """The nearest subject before the verb with no other verb between, auxiliaries aside; else just after."""
    for word in range(verb - 1, max(verb - _FARTHEST_SUBJECT, 0) - 1, -1):
        if word in target.subjects:
            return word
        if target.tags[word] in ("VERB", "PUNCT", "SCONJ"):
            break
    after = verb + 1
    return after if after in target.subjects else None


def _first_verb(linked: Sequence[int], target: Analysis) -> int:
    return next((word for word in linked if target.tags[word] in _VERBAL), linked[0])


def hide_words(
    source: Sequence[str],
    *,
    words: Sequence[str],
    shown: Sequence[str],
    places: Sequence[Placeholder],
    links: Alignment,
    classes: TaskClasses,
) -> TaskSegment:
    """The segment; `words` are the target's own tokens and `shown` the same as the file writes them.

    The word of a slot is the token as written there, with its tag where tokens have one; `NONE` for a
    placeholder that hides nothing. Every placeholder is linked to its source token.
    """
    if not places:
        return TaskSegment(tuple(source), tuple(shown), (), links)
    # At one place inserted placeholders come before the one that hides the word there.
    ordered = sorted(places, key=lambda place: (place.target, place.hides, place.source))
    slots = tuple(
        _slot(place, place.target + inserted, words, shown, classes)
        for place, inserted in zip(ordered, _inserted_before(ordered), strict=True)
    )
    return TaskSegment(
        source=tuple(source),
        target=_with_placeholders(shown, ordered),
        slots=slots,
        alignment=_moved(links, ordered, slots),
    )


def _inserted_before(places: Sequence[Placeholder]) -> list[int]:
    """For every place how many placeholders were inserted before it."""
    return [0, *accumulate(not place.hides for place in places)][: len(places)]


def _with_placeholders(shown: Sequence[str], ordered: Sequence[Placeholder]) -> tuple[str, ...]:
    target = list(shown)
    for place in reversed(ordered):  # from the end, so that places before it still hold
        target[place.target : place.target + place.hides] = [f"{PLACEHOLDER}_{place.source}"]
    return tuple(target)


def _slot(
    place: Placeholder, target: int, words: Sequence[str], shown: Sequence[str], classes: TaskClasses
) -> Slot:
    if not place.hides:
        return Slot(place.source, target, classes.other, NONE)
    word = words[place.target]
    _, bar, tag = shown[place.target].rpartition("|") if shown is not words else ("", "", "")
    return Slot(place.source, target, classes.class_of(word), f"{word}{bar}{tag}")


def _moved(links: Alignment, places: Sequence[Placeholder], slots: Sequence[Slot]) -> Alignment:
    """The links with their targets counted in the new text, and those of the placeholders."""
    gaps = [place.target for place in places if not place.hides]
    moved = {
        (source, target + bisect_right(gaps, target))
        for source, target in zip(links.sources, links.targets, strict=True)
    }
    moved |= {(slot.source, slot.target) for slot in slots}
    sources, targets = zip(*sorted(moved), strict=True)
    return Alignment(sources, targets)
