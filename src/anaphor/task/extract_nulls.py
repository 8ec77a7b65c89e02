"""Examples without a source pronoun: third-person verbs whose subject is left out."""

from __future__ import annotations

from collections.abc import Sequence

from anaphor.core import Alignment, Analysis, Tree
from anaphor.task.extract import Limits, Place, gap_of, linked_targets

_VERBAL = frozenset(["VERB", "AUX"])
_PRONOMINAL = frozenset(["PRON", "DET"])  # taggers call a `this` that stands alone either
_FARTHEST_SUBJECT = 6


def null_subject_places(
    source: Analysis, target: Analysis, alignment: Alignment, limits: Limits
) -> tuple[Place, ...]:
    """A place for every third-person verb without a subject (discomt17-findings, section 3.3.1).

    The verb's links lead to the verb of the target, and the target's parse to the subject of that. If this
    is a pronoun it is hidden, and the placeholder carries the position of the source verb. A verb that leads
    to no pronoun has its placeholder before the linked verb, and one without links where a pronoun without
    links has it.
    """
    places: list[Place] = []
    hidden: set[int] = set()
    links = linked_targets(alignment, limits.neighbour)
    for verb in sorted(source.null_subjects):
        linked = sorted(links.get(verb, ()))
        subject = _subject_of(linked, target)
        if subject is not None and subject not in hidden:
            hidden.add(subject)
            places.append(Place(verb, subject, hides=True))
        elif linked:
            places.append(Place(verb, _first_verb(linked, target), hides=False))
        else:
            gap = gap_of(verb, len(source.tags), len(target.tags), links)
            places.append(Place(verb, gap, hides=False))
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
