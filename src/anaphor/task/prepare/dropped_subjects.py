"""How Spanish renders *it* and *they*, beyond the rules of the shared tasks: by dropping them, or with
clitics.

- A subject is dropped. The rules of `null_subjects`, applied to the reversed pair, determine which pronoun is
  the subject of which verb. They are applied to every finite verb: if the translation has a pronoun as
  subject, a nearby verb without one has dropped it, even if the analyser disagrees.
- A clitic precedes its verb, far from the pronoun, and is often unaligned: *I saw it*, *lo vi*.
- *la* and *lo* are also articles: *la casa*, *lo que*.
- Aligners link a pronoun without a translation to its verb. No verb is hidden, but the placeholder precedes
  it, together with its clitics and negation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from anaphor.core import Alignment
from anaphor.core.text import VERBS
from anaphor.languages import fold
from anaphor.task.classes import TaskClasses
from anaphor.task.prepare.null_subjects import (
    CLITICS,
    AnalysedPair,
    finite_verbs,
    null_subject_placeholders,
    verb_phrase_start,
)
from anaphor.task.prepare.placeholders import LinkThresholds, Placeholder, linked_targets

#: Object pronouns that are spelled like articles.
_ARTICLES = frozenset(["la", "lo"])
#: How many words before an object its verb is looked for.
_VERB_REACH = 3


def with_dropped_subjects(
    places: Sequence[Placeholder], pair: AnalysedPair, limits: LinkThresholds, classes: TaskClasses
) -> tuple[Placeholder, ...]:
    """The placeholders of the papers' rules, corrected for a target that drops subjects."""
    return tuple(_Spanish(pair, limits, classes).placed(places))


class _Spanish:
    """A pair with the verbs that drop their subjects, by the position of the English pronoun."""

    def __init__(self, pair: AnalysedPair, limits: LinkThresholds, classes: TaskClasses) -> None:
        self._pair, self._classes = pair, classes
        self._words = [fold(word) for word in pair.target_words]
        self._tags = pair.target_analysis.tags
        self._linked = linked_targets(pair.alignment, limits.neighbour)
        self._verbs = self._dropping(limits)

    def placed(self, places: Sequence[Placeholder]) -> Iterator[Placeholder]:
        """The placeholders in their order."""
        kept = [place.hides and self._is_pronoun(place.target) for place in places]
        hidden = {place.target for place, is_kept in zip(places, kept, strict=True) if is_kept}
        for place, is_kept in zip(places, kept, strict=True):
            source, target = place.source, place.target
            if is_kept:
                yield place
            elif (verb := self._verbs.get(source)) is not None:
                start = verb_phrase_start(self._words, verb)
                yield Placeholder(source, start, hides=False, dropped=True)
            elif (clitic := self._clitic(source)) is not None and clitic not in hidden:
                hidden.add(clitic)
                yield Placeholder(source, clitic, hides=True)
            elif place.hides and (self._tags[target] in VERBS or self._words[target] in _ARTICLES):
                yield Placeholder(source, verb_phrase_start(self._words, target), hides=False)
            else:
                yield place

    def _is_pronoun(self, position: int) -> bool:
        """Whether a word belongs to the classes and is not an article."""
        word = self._words[position]
        if word not in self._classes.members:
            return False
        return word not in _ARTICLES or self._is_clitic(position)

    def _is_clitic(self, position: int) -> bool:
        """Whether a verb follows, as after *la* and *lo* when these are pronouns."""
        behind = position + 1
        return behind < len(self._words) and self._tags[behind] in VERBS

    def _clitic(self, pronoun: int) -> int | None:
        """The *lo* or *la* before the translation of the verb that has a pronoun as its object."""
        source = self._pair.analysis
        if pronoun in source.subjects:
            return None
        before = range(pronoun - 1, max(pronoun - _VERB_REACH, 0) - 1, -1)
        verb = next((at for at in before if source.tags[at] in VERBS), None)
        for target in self._linked.get(verb, ()) if verb is not None else ():
            at = target
            while at and self._tags[at] in VERBS:
                at -= 1  # *la habían ordenado*: the clitic stands before the auxiliary
            while at >= 0 and at < target and self._words[at] in CLITICS:
                if self._words[at] in _ARTICLES and self._words[at] in self._classes.members:
                    return at
                at -= 1
        return None

    def _dropping(self, limits: LinkThresholds) -> Mapping[int, int]:
        """The verb that drops its subject, by the position of the corresponding source pronoun."""
        pair, links = self._pair, self._pair.alignment
        turned = AnalysedPair(
            pair.target_words,
            pair.target_analysis,
            pair.words,
            pair.analysis,
            Alignment(links.targets, links.sources, confidence=links.confidence),
        )
        verbs = finite_verbs(pair.target_words, pair.target_analysis)
        found = null_subject_placeholders(turned, limits, verbs=verbs)
        return {place.target: place.source for place in found if place.hides}
