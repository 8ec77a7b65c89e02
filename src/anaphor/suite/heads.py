"""The head of an antecedent: the word that the pronoun agrees with (protest-2016, section 5.1)."""

from __future__ import annotations

from collections.abc import Sequence

from anaphor.core import Analysis, Tree

_NOUNS = frozenset({"NOUN", "PROPN"})
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
