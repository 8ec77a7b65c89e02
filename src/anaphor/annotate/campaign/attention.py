"""Attention items: translations whose right answer is known, mixed with the others.

They are made from the first reference. Half of them show it unchanged, so that pronoun and antecedent are
right; in the other half the source pronoun replaces its translation, which is wrong in any language.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from anaphor.annotate.campaign.facts import tokens_with_gaps
from anaphor.annotate.campaign.pool import (
    PoolItem,
    PoolSystem,
    PoolUnit,
    content_id,
    unit_id,
)
from anaphor.annotate.types import AnnotatorAnswer, Highlight, Mark, Target, TokenAt
from anaphor.core import Item, OptionError, Place
from anaphor.suite import LoadedSuite
from anaphor.suite.linking import LinkedTexts
from anaphor.suite.texts import TokenizedSide, Words

RIGHT, WRONG = "attention: reference", "attention: pronoun kept"


#: The texts of the attention items, and the units that show them.
AttentionItems = tuple[tuple[PoolSystem, ...], tuple[PoolUnit, ...]]


def attention_units(
    loaded: LoadedSuite,
    linked: LinkedTexts,
    items: Sequence[PoolItem],
    *,
    count: int,
    seed: int,
    words: Words,
) -> AttentionItems:
    """`count` units with a known answer, half of them deliberately wrong."""
    if count == 0:
        return (), ()
    builder = _AttentionBuilder(loaded, linked, words)
    usable = [(one, found) for one in items if (found := builder.highlight(one)) is not None]
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
        raise OptionError(
            f"only {len(chosen)} items can become attention items: those with one word in the reference",
            where="--attention",
            fix="ask for fewer attention items",
        )
    return builder.build(chosen)


class _AttentionBuilder:
    """Knows the words of the first reference."""

    def __init__(self, loaded: LoadedSuite, linked: LinkedTexts, words: Words) -> None:
        self._source = linked.source
        name = next(iter(loaded.texts.references), None)
        if name is None:
            raise OptionError(
                "attention items are made from a reference, and the suite has none",
                where="--attention",
                fix="leave the option out",
            )
        self._reference = name
        self._items: Mapping[str, Item] = {item.id: item for item in loaded.suite.items}
        self._side = TokenizedSide(loaded.texts, name, words)

    def highlight(self, pool_item: PoolItem) -> Highlight | None:
        """The words of the reference for an item; None if it cannot become an attention item.

        The reference must have one word for the pronoun, in the pronoun's own line, and words for all heads.
        """
        item = self._items.get(pool_item.suite_item)
        pairs = item.references if item is not None else ()
        pair = next((one for one in pairs if one.reference == self._reference and one.pronoun), None)
        if item is None or pair is None:
            return None
        pronoun = self._places(item, pair.pronoun)
        heads = tuple(self._places(item, one) for one in (pair.heads if pool_item.antecedent else ()))
        segments = {at.segment for at in pool_item.marks.pronoun}
        single = len(pronoun) == 1 and {pronoun[0].segment} == segments
        return Highlight(pronoun, heads) if single and all(heads) else None

    def _places(self, item: Item, place: Place) -> tuple[TokenAt, ...]:
        return tuple(TokenAt(*at) for at in self._side.find(item.document, place))

    def build(self, chosen: Sequence[tuple[PoolItem, Highlight]]) -> AttentionItems:
        half = (len(chosen) + 1) // 2
        lines, tokens = list(self._side.lines), [list(words) for words in self._side.tokens]
        for item, highlight in chosen[half:]:
            source = item.marks.pronoun[0]
            (at,) = highlight.pronoun
            lines[at.segment], tokens[at.segment] = replace_token(
                lines[at.segment], tokens[at.segment], at.token, self._source[source.segment][source.token]
            )
        systems = (
            _attention_system(RIGHT, self._side.lines, self._side.tokens),
            _attention_system(WRONG, lines, tokens),
        )
        texts = {one.id: one.lines for one in systems}
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


def replace_token(line: str, tokens: Sequence[str], position: int, word: str) -> tuple[str, list[str]]:
    """A line and its tokens with one token replaced; the rest of the line stays as it is written.

    The new word takes over the case of the old one, and is separated from letters that the old one was joined
    to (`l'a` becomes `it a`): spacing or a capital must not tell annotators which items are made up.
    """
    old = tokens[position]
    if word != "I":
        word = (word[:1].upper() if old[:1].isupper() else word[:1].lower()) + word[1:]
    start = sum(len(gap) + len(token) for gap, token in tokens_with_gaps(line, tokens[:position]))
    start += len(line[start:]) - len(line[start:].lstrip())
    before, after = line[:start], line[start + len(old) :]
    before += " " if before[-1:].isalnum() else ""
    after = (" " if after[:1].isalnum() else "") + after
    return before + word + after, [*tokens[:position], word, *tokens[position + 1 :]]


def _attention_system(name: str, lines: Sequence[str], tokens: Sequence[Sequence[str]]) -> PoolSystem:
    key = content_id("system", [name, *lines])
    return PoolSystem(key, name, key[:12], tuple(lines), tokens, ("",) * len(lines), attention=True)
