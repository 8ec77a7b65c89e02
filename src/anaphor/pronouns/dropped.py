"""Verbs that carry the subject: *it works* becomes *funciona*, and no word of the translation is the pronoun.

The verb of the source pronoun is linked to the verb of the translation; its ending shows the number of the
subject. `accept` and APT find it with the same function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from anaphor.core import Analysis, Counterpart, DroppedSubject, Pronoun
from anaphor.core.text import VERBS
from anaphor.languages import AgreementFacts, LanguagePack, Words, fold
from anaphor.pronouns.counterparts import AlignedTranslation, Tagger

#: The analyses of sentences, each a sequence of tokens.
Analyse = Callable[[Iterable[Sequence[str]]], Iterator[Analysis]]
#: What may stand between a subject pronoun and its verb.
_BETWEEN = frozenset({"ADV", "PART", "AUX", "PUNCT"})
#: How far from the pronoun its verb is looked for.
_VERB_REACH = 6
_NUMBERS = {"s": "singular", "p": "plural"}


class FiniteVerb(NamedTuple):
    """A finite verb in the third person: its position, and its number, `s` or `p`; empty if unknown."""

    position: int
    number: str


def verbs_of_subject(tags: Sequence[str], position: int) -> Iterator[int]:
    """The positions of the verb group after a subject pronoun, nearest first."""
    for at in range(position + 1, min(position + 1 + _VERB_REACH, len(tags))):
        if tags[at] in VERBS:
            yield at
        elif tags[at] not in _BETWEEN:
            return


def subject_verb(
    source_tags: Sequence[str],
    position: int,
    links: Mapping[int, Sequence[int]],
    own: Sequence[int],
    verb_at: Callable[[int], FiniteVerb | None],
) -> FiniteVerb | None:
    """The finite verb of a translation that implies the subject of the source.

    Args:
        source_tags: The parts of speech of the source.
        position: The position of the subject pronoun.
        links: The target positions of each source position.
        own: The target positions of the pronoun itself.
        verb_at: The finite verb at a position of the translation, if there is one.
    """
    verbs = list(verbs_of_subject(source_tags, position))
    linked = [target for verb in verbs for target in links.get(verb, ())]
    if not linked:
        # Links of *'s* and *'re* are often missing: the verb then stands before the first word that has one.
        rest = range(position + 1 + len(verbs), len(source_tags))
        first = next((targets[0] for at in rest if (targets := links.get(at))), None)
        linked = [] if first is None else [first, first - 1, first - 2]
    linked = [*own, *linked]
    # The reflexive stands before its verb, the participle after it.
    near = [other for at in linked for other in (at, at + 1, at - 1)]
    verbs_near = (verb_at(at) for at in dict.fromkeys((*linked, *near)))
    return next((verb for verb in verbs_near if verb is not None), None)


def tagged_verb(
    tokens: Sequence[str], tags: Sequence[str], facts: AgreementFacts, at: int
) -> FiniteVerb | None:
    """The word at a position if it is tagged as a verb and has the ending of a third person."""
    if not 0 <= at < len(tokens) or tags[at] not in VERBS:
        return None
    number = facts.verb_number(tokens[at])
    return FiniteVerb(at, number) if number else None


@dataclass(frozen=True, slots=True, kw_only=True)
class DroppedSubjects:
    """Finds dropped subjects in translations of one source.

    `pack` is that of the target language and `facts` its agreement. With `tag`, the verb must be one by its
    tag and have the ending of a third person. Without it, which is less sure, the verb is the word linked to
    the verb of the source.
    """

    pack: LanguagePack
    facts: AgreementFacts
    lines: Sequence[str]
    words: Words
    analyse: Analyse
    tag: Tagger | None
    _sources: dict[int, Analysis] = field(default_factory=dict, repr=False)

    def mark(
        self,
        pronouns: Sequence[Pronoun],
        counterparts: Sequence[Counterpart | None],
        translation: AlignedTranslation,
    ) -> list[Counterpart | None]:
        """The counterparts; where a subject has no listed pronoun, its verb if it carries the subject."""
        marked = list(counterparts)
        unwritten = [
            number
            for number, counterpart in enumerate(counterparts)
            if counterpart is None or not counterpart.forms
        ]
        segments = list(dict.fromkeys(pronouns[number].segment for number in unwritten))
        self._analyse_source(segments)
        tokens = {segment: translation.words(translation.lines[segment]) for segment in segments}
        tags: Mapping[int, Sequence[str]] = {}
        if self.tag is not None:
            tags = dict(zip(segments, self.tag(tokens.values()), strict=True))
        for number in unwritten:
            pronoun, counterpart = pronouns[number], counterparts[number]
            segment, source = pronoun.segment, self._sources[pronoun.segment]
            if pronoun.position not in source.subjects:
                continue
            own = () if counterpart is None else counterpart.positions
            words, links = tokens[segment], translation.alignments[segment].by_source()
            if self.tag is None:
                verb = self._linked_verb(source.tags, pronoun.position, links, words)
            else:
                verb_at = partial(tagged_verb, words, tags[segment], self.facts)
                verb = subject_verb(source.tags, pronoun.position, links, own, verb_at)
            if verb is not None:
                dropped = DroppedSubject(_NUMBERS.get(verb.number, "any"), counterpart)
                marked[number] = Counterpart((verb.position,), (words[verb.position],), (), dropped=dropped)
        return marked

    def _analyse_source(self, segments: Sequence[int]) -> None:
        new = [segment for segment in segments if segment not in self._sources]
        analyses = self.analyse([self.words(self.lines[segment]) for segment in new])
        self._sources.update(zip(new, analyses, strict=True))

    def _linked_verb(
        self,
        source_tags: Sequence[str],
        position: int,
        links: Mapping[int, Sequence[int]],
        words: Sequence[str],
    ) -> FiniteVerb | None:
        """The first content word linked to the verb of the source."""
        linked = (
            target for verb in verbs_of_subject(source_tags, position) for target in links.get(verb, ())
        )
        verb = next((at for at in linked if self._is_content(words[at])), None)
        return None if verb is None else FiniteVerb(verb, self.facts.verb_number(words[verb]))

    def _is_content(self, word: str) -> bool:
        """Whether a word may be a verb, if nothing is known but the lists of the pack."""
        form = fold(word)
        listed = form in self.pack.particles or any(form == other.form for other in self.pack.forms)
        return form[:1].isalpha() and not listed


def as_linked(counterpart: Counterpart | None) -> Counterpart | None:
    """The counterpart by the links alone."""
    return counterpart if counterpart is None or counterpart.dropped is None else counterpart.dropped.linked
