"""A guess at what *it* or *they* refers to: the nearest noun that fits in number, subjects first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from anaphor.analyse.function import AnalysedSentence
from anaphor.core import Analysis, Tree

_BACK = 2
_NOUNS = frozenset({"NOUN", "PROPN"})
_OF_THE_NOUN = frozenset({"DET", "ADJ", "NUM", "NOUN", "PROPN", "PRON"})
# Nouns that tell when or how, which a pronoun seldom takes up.
_SELDOM = frozenset({"year", "month", "week", "day", "hour", "minute", "time", "today", "way", "kind", "lot"})
# Nouns for a group that English sees as one or as many (protest-2016, section 5.1).
_GROUPS = frozenset(
    {
        "army",
        "audience",
        "band",
        "board",
        "class",
        "club",
        "committee",
        "community",
        "company",
        "corporation",
        "council",
        "couple",
        "crew",
        "crowd",
        "department",
        "family",
        "firm",
        "gang",
        "government",
        "group",
        "jury",
        "management",
        "ministry",
        "organization",
        "organisation",
        "parliament",
        "party",
        "police",
        "public",
        "staff",
        "team",
        "tribe",
        "union",
        "university",
    }
)
# Words for one person whose sex is left open: *they* then stands for one.
_ANYONE = frozenset(
    {
        "someone",
        "somebody",
        "anyone",
        "anybody",
        "everyone",
        "everybody",
        "nobody",
        "person",
        "child",
        "student",
        "patient",
        "user",
        "reader",
    }
)


@dataclass(frozen=True, slots=True)
class FoundAntecedent:
    """A noun before the pronoun: its segment and token, the pronoun's number, whether it names a group."""

    segment: int
    position: int
    number: str
    group: bool


def find_antecedent(
    sentences: Sequence[AnalysedSentence], segment: int, position: int, *, plural: bool
) -> FoundAntecedent | None:
    """The noun that fits best in this sentence, or else in the nearest of the two before it."""
    for number in range(segment, max(segment - _BACK - 1, -1), -1):
        sentence = sentences[number]
        end = position if number == segment else len(sentence.tokens)
        fitting = [at for at in _nouns(sentence, end) if _fits(sentence, at, plural=plural)]
        if fitting:
            return _found(sentence, number, _best(sentence, fitting), plural=plural)
    return None


def _best(sentence: AnalysedSentence, fitting: Sequence[int]) -> int:
    """The last subject, or else the last noun that no preposition governs, or else the last one."""
    subjects = [at for at in fitting if at in sentence.analysis.subjects]
    free = [at for at in fitting if not _is_governed(sentence, at)]
    return (subjects or free or fitting)[-1]


def _is_governed(sentence: AnalysedSentence, at: int) -> bool:
    """Whether a preposition stands before the noun, with nothing but its own words between."""
    before = at - 1
    while before >= 0 and sentence.analysis.tags[before] in _OF_THE_NOUN:
        before -= 1
    return before >= 0 and sentence.analysis.tags[before] == "ADP"


def _nouns(sentence: AnalysedSentence, end: int) -> Iterator[int]:
    """Nouns that close their phrase, and the words for anyone, before a position."""
    tags = sentence.analysis.tags
    for at in range(end):
        inside = at + 1 < end and tags[at + 1] in _NOUNS
        if sentence.analysis.lemmas[at].casefold() in _SELDOM:
            continue
        if (tags[at] in _NOUNS and not inside) or sentence.tokens[at].casefold() in _ANYONE:
            yield at


def _fits(sentence: AnalysedSentence, at: int, *, plural: bool) -> bool:
    lemma = sentence.analysis.lemmas[at].casefold()
    if plural:
        return _is_plural(sentence, at) or lemma in _GROUPS or lemma in _ANYONE
    return not _is_plural(sentence, at) and lemma not in _ANYONE


def _is_plural(sentence: AnalysedSentence, at: int) -> bool:
    """A noun in another form than its lemma; *people* is its own lemma and plural."""
    word = sentence.tokens[at].casefold()
    return word == "people" or (
        sentence.analysis.tags[at] == "NOUN" and word != sentence.analysis.lemmas[at].casefold()
    )


def _found(sentence: AnalysedSentence, segment: int, at: int, *, plural: bool) -> FoundAntecedent:
    lemma = sentence.analysis.lemmas[at].casefold()
    one = not plural or (lemma in _ANYONE and not _is_plural(sentence, at))
    return FoundAntecedent(segment, at, "singular" if one else "plural", lemma in _GROUPS)


# What ends the part of an English noun phrase that its head closes.
_CLOSING = frozenset({"ADP", "SCONJ", "VERB", "AUX", "CCONJ", "PUNCT"})
_RELATIVE = frozenset({"that", "which", "who", "whom", "whose", "where"})
# *A lot of people*: the word after *of* says what is counted, and the pronoun agrees with that.
_QUANTITIES = frozenset(
    {
        "lot",
        "number",
        "kind",
        "sort",
        "bunch",
        "couple",
        "set",
        "series",
        "pair",
        "type",
        "majority",
        "plenty",
        "variety",
    }
)
_STAND_IN = ("PRON", "NUM", "ADJ", "DET", "VERB")


def head_of(analysis: Analysis, tokens: Sequence[str], positions: Sequence[int]) -> int | None:
    """The position of the head of a mention; None if there is no word that could be one.

    With a dependency tree it is the word whose own head lies outside; without one, rules of English order
    find it: the last noun before a preposition, a clause, a conjunction or a comma.
    """
    if analysis.tree is not None:
        return _by_tree(analysis.tree, positions)
    return _by_rules(analysis, tokens, positions)


def _by_tree(tree: Tree, positions: Sequence[int]) -> int | None:
    inside = set(positions)
    return next((position for position in positions if tree.heads[position] not in inside), None)


def _by_rules(analysis: Analysis, tokens: Sequence[str], positions: Sequence[int]) -> int | None:
    end = _core_end(analysis, tokens, positions)
    core = positions[:end]
    nouns = [position for position in core if analysis.tags[position] in _NOUNS]
    if nouns and analysis.lemmas[nouns[-1]].casefold() in _QUANTITIES and _is_of(tokens, positions, end):
        counted = _by_rules(analysis, tokens, positions[end + 1 :])
        return nouns[-1] if counted is None else counted
    if nouns:
        return nouns[-1]
    stand_ins = [position for tag in _STAND_IN for position in core if analysis.tags[position] == tag]
    return stand_ins[0] if stand_ins else None


def _core_end(analysis: Analysis, tokens: Sequence[str], positions: Sequence[int]) -> int:
    """How many positions come before what follows the head; a noun must have come first."""
    seen = False
    for number, position in enumerate(positions):
        tag = analysis.tags[position]
        if seen and (tag in _CLOSING or tokens[position].casefold() in _RELATIVE):
            return number
        seen = seen or tag in _NOUNS
    return len(positions)


def _is_of(tokens: Sequence[str], positions: Sequence[int], number: int) -> bool:
    return number < len(positions) - 1 and tokens[positions[number]].casefold() == "of"
