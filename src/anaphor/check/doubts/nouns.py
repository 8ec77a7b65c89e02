"""Doubts from nouns nearby that agree with the form."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from anaphor.analyse.gender import Readings
from anaphor.antecedents import TargetLanguage
from anaphor.check.doubts.suspect import Suspect, folded, rows_before
from anaphor.check.linking import LinkedBlock
from anaphor.check.verdicts import Examined
from anaphor.core.text import NOUNS
from anaphor.verdict import RenderingKind

#: Rows back in which another noun may show what is meant.
_REACH = 2


def another_agrees(suspect: Suspect) -> bool:
    """Whether a noun before the word agrees with a form other than the default."""
    rendering = suspect.pronoun.evidence.rendering
    agreeing = rendering.kind is RenderingKind.NULL_SUBJECT and rendering.agreeing
    return bool(suspect.pronoun.is_marked or agreeing) and any(
        _agreeing(suspect.block, suspect.pronoun, row, end)
        for row, end in rows_before(suspect.block, suspect.pronoun, _REACH)
    )


def nearer_agrees(suspect: Suspect) -> bool:
    """Whether a default form agrees with a noun of its unit that is nearer than the antecedent, and which
    the source has too: *these things … they are the arms of some creature. They …*.
    """
    pronoun, tags = suspect.pronoun, suspect.source_tags
    if not pronoun.is_default or pronoun.score.antecedent is None or pronoun.agreement.get("number"):
        return False
    nearer = {at for at in suspect.nearer if tags[at] == "NOUN" and not _is_prepositional(tags, at)}
    back = suspect.block.links(pronoun.row).by_target()
    return any(
        nearer.intersection(back.get(at, ()))
        for row, end in rows_before(suspect.block, pronoun, 0)
        for at in _agreeing(suspect.block, pronoun, row, end)
    )


def explained_by_another_noun(block: LinkedBlock, pronoun: Examined, noun: str) -> bool:
    """Whether a noun of the same or the preceding row agrees with a pronoun, and translates another noun than
    its supposed antecedent.
    """
    for row, end in rows_before(block, pronoun, 1):
        tags, words = block.source_analysis(row).tags, folded(block.source(row).tokens)
        back = block.links(row).by_target()
        for at in _agreeing(block, pronoun, row, end):
            if any(tags[source] == "NOUN" and words[source] != noun for source in back.get(at, ())):
                return True
    return False


def _agreeing(block: LinkedBlock, pronoun: Examined, row: int, end: int) -> list[int]:
    """The nouns of one gender that agree with a form, among the first target tokens of a row."""
    nouns = _nouns_of_one_gender(block.pair.target, block.target(row).tokens, block.target_analysis(row).tags)
    wanted = pronoun.evidence.rendering.readings
    return [at for at, readings in nouns if at < end and readings & wanted]


@lru_cache(maxsize=64)
def _nouns_of_one_gender(
    language: str, tokens: tuple[str, ...], tags: tuple[str, ...]
) -> list[tuple[int, Readings]]:
    """The nouns of a row that have only one gender, with their readings."""
    read = TargetLanguage.load(language).noun_readings
    nouns = ((at, read(tokens, at)) for at, tag in enumerate(tags) if tag == "NOUN")
    return [(at, its) for at, its in nouns if len({reading.gender for reading in its}) == 1]


def _is_prepositional(tags: Sequence[str], noun: int) -> bool:
    """Whether a preposition governs a noun, which is then less likely to be what a pronoun refers to."""
    before = next((tag for tag in reversed(tags[:noun]) if tag not in ("DET", "ADJ", "NUM", "NOUN")), "")
    return before == "ADP"


def complement_agrees(suspect: Suspect) -> bool:
    """Whether the antecedent is the first noun of *a cup of tea*, and the second agrees."""
    if suspect.pronoun.score.antecedent is None:
        return False
    row, position = suspect.pronoun.score.antecedent
    words = folded(suspect.block.source(row).tokens)
    tags = suspect.block.source_analysis(row).tags[: position + 6]
    if words[position + 1 : position + 2] != ("of",) or "NOUN" not in tags[position + 2 :]:
        return False
    noun = tags.index("NOUN", position + 2)
    return any(readings & suspect.readings for readings in suspect.noun_readings(row, noun))


def predicate_agrees(suspect: Suspect) -> bool:
    """Whether what the object is called agrees with the form: *call it a panel*, *nennen es ein Panel*; or
    whether German *es* says what a thing is, which it can for any gender: *it is something new*.
    """
    words, tags, at = suspect.source_words, suspect.source_tags, suspect.at
    if suspect.form == "es" and _is_equation(words[at + 1 : at + 4]):
        return True
    noun = next((i for i in range(at + 2, min(len(words), at + 7)) if tags[i] in NOUNS), None)
    called = words[at + 1 : at + 2] in (("a",), ("an",), ("the",)) and at > 0 and tags[at - 1] == "VERB"
    if not called or noun is None:
        return False
    while noun + 1 < len(tags) and tags[noun + 1] in NOUNS:
        noun += 1
    readings = suspect.noun_readings(suspect.pronoun.row, noun)
    return not all(readings) or any(its & suspect.readings for its in readings)


def _is_equation(following: Sequence[str]) -> bool:
    """Whether a pronoun is followed by *is* and a noun with its article, or *something*."""
    copula, *predicate = [*following, "", ""]
    return copula in ("is", "was", "'s", "be") and not {"a", "an", "something"}.isdisjoint(predicate[:2])
