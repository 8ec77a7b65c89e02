"""Attention items: translations whose right answer is known, mixed with the others.

They are made from the first reference. Half of them show it unchanged, so that pronoun and antecedent are
right; in the other half the source pronoun replaces its translation, which is wrong in any language.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from anaphor.annotate.campaign.facts import tokens_end
from anaphor.annotate.campaign.pool import PoolItem, PoolSystem, PoolUnit, content_id, unit_id
from anaphor.annotate.types import AnnotatorAnswer, Highlight, Mark, Target, TokenAt
from anaphor.core import OptionError
from anaphor.languages import Words
from anaphor.suite import LoadedSuite
from anaphor.suite.linking import LinkedTexts
from anaphor.suite.texts import TokenizedSide

RIGHT, WRONG = "attention: reference", "attention: pronoun kept"


def attention_units(
    loaded: LoadedSuite,
    linked: LinkedTexts,
    items: Sequence[PoolItem],
    *,
    count: int,
    seed: int,
    words: Words,
) -> tuple[tuple[PoolSystem, ...], tuple[PoolUnit, ...]]:
    """`count` units with a known answer, half of them deliberately wrong, and the texts that they show."""
    if count == 0:
        return (), ()
    reference = next(iter(loaded.texts.references), None)
    if reference is None:
        what = "attention items are made from a reference, but the suite has none"
        raise OptionError(what, where="--attention", fix="leave the option out")
    side = TokenizedSide(loaded.texts, reference, words)
    lines, tokens = side.lines, side.tokens
    highlights = _highlights(loaded, reference, items, side)
    usable = [(item, highlights[item.id]) for item in items if item.id in highlights]
    random.Random(f"attention {seed}").shuffle(usable)  # noqa: S311 - a draw that can be repeated
    # Contexts must not touch: otherwise one attention item would show the change of another.
    chosen: list[tuple[PoolItem, Highlight]] = []
    taken: set[int] = set()
    for item, highlight in usable:
        around = set(range(item.first - 1, item.last + 2))
        if len(chosen) < count and not around & taken:
            taken |= around
            chosen.append((item, highlight))
    if len(chosen) < count:
        what = f"only {len(chosen)} items can become attention items: those with one word in the reference"
        raise OptionError(what, where="--attention", fix="ask for fewer attention items")
    half = (count + 1) // 2
    wrong_lines, wrong_tokens = list(lines), list(tokens)
    for item, highlight in chosen[half:]:
        source, (at,) = item.marks.pronoun[0], highlight.pronoun
        wrong_lines[at.segment], wrong_tokens[at.segment] = replace_token(
            lines[at.segment], tokens[at.segment], at.token, linked.source[source.segment][source.token]
        )
    systems = (_system(RIGHT, lines, tokens), _system(WRONG, wrong_lines, wrong_tokens))
    texts = {system.id: system.lines for system in systems}
    units = []
    for number, (item, highlight) in enumerate(chosen):
        system = systems[0 if number < half else 1]
        expected = AnnotatorAnswer(
            antecedent=Mark.YES if item.antecedent else Mark.UNSET,
            pronoun=Mark.YES if system.name == RIGHT else Mark.NO,
        )
        targets = (Target(system.id, highlight, "attention"),)
        units.append(PoolUnit(unit_id(item, targets, texts), item, targets, expected))
    return systems, tuple(units)


def _highlights(
    loaded: LoadedSuite, reference: str, items: Sequence[PoolItem], side: TokenizedSide
) -> dict[str, Highlight]:
    """The words of a reference for every item that can become an attention item.

    The reference must have one word for the pronoun, in the pronoun's own line, and words for all heads.
    """
    of_suite = {item.id: item for item in loaded.suite.items}
    highlights = {}
    for item in items:
        pairs = of_suite[item.suite_item].references if item.suite_item in of_suite else ()
        pair = next((pair for pair in pairs if pair.reference == reference and pair.pronoun), None)
        if pair is not None:
            pronoun, *heads = (
                tuple(TokenAt(*at) for at in side.find(item.document, place))
                for place in (pair.pronoun, *(pair.heads if item.antecedent else ()))
            )
            same_line = {at.segment for at in pronoun} == {at.segment for at in item.marks.pronoun}
            if len(pronoun) == 1 and same_line and all(heads):
                highlights[item.id] = Highlight(pronoun, tuple(heads))
    return highlights


def replace_token(line: str, tokens: Sequence[str], position: int, word: str) -> tuple[str, list[str]]:
    """A line and its tokens with one token replaced; the rest of the line stays as it is written.

    The new word takes over the case of the old one, and is separated from letters that the old one was joined
    to (`l'a` becomes `it a`): spacing or a capital must not tell annotators which items are made up.
    """
    old = tokens[position]
    if word != "I":
        word = (word[:1].upper() if old[:1].isupper() else word[:1].lower()) + word[1:]
    start = tokens_end(line, tokens[:position])
    start += len(line[start:]) - len(line[start:].lstrip())
    before, after = line[:start], line[start + len(old) :]
    before += " " if before[-1:].isalnum() else ""
    after = (" " if after[:1].isalnum() else "") + after
    return before + word + after, [*tokens[:position], word, *tokens[position + 1 :]]


def _system(name: str, lines: Sequence[str], tokens: Sequence[Sequence[str]]) -> PoolSystem:
    key = content_id("system", [name, *lines])
    return PoolSystem(key, name, key[:12], tuple(lines), tokens, ("",) * len(lines), attention=True)
