"""Attention items: translations whose right answer is known, mixed among the others.

They are made from the first reference. Half of them show it as it is, where pronoun and antecedent are right;
the other half have the source pronoun left in its place, which is wrong in any language.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from anaphor.annotate.drawn import DrawnItem, DrawnSystem, DrawnUnit, content_id, unit_id
from anaphor.annotate.linked import Linked
from anaphor.annotate.nouns import Answer, Highlight, Mark, TokenAt
from anaphor.annotate.targets import Target
from anaphor.core import Item, OptionError, Place, ReferencePair
from anaphor.suite import LoadedSuite
from anaphor.suite.texts import Locator, TokenFinder, Words

RIGHT, WRONG = "attention: reference", "attention: pronoun kept"


@dataclass(frozen=True, slots=True)
class Attention:
    """The texts of the attention items and the units that show them."""

    systems: tuple[DrawnSystem, ...]
    units: tuple[DrawnUnit, ...]


def attention_units(
    loaded: LoadedSuite, linked: Linked, items: Sequence[DrawnItem], *, count: int, seed: int, words: Words
) -> Attention:
    """So many units with a known answer, half of them wrong on purpose."""
    maker = _Maker(loaded, linked, words)
    usable = [(item, drawn) for item, drawn in _listed(loaded, items) if maker.usable(item, drawn)]
    random.Random(f"attention {seed}").shuffle(usable)  # noqa: S311 - a draw that can be repeated
    chosen = list(_apart(usable, count))
    if len(chosen) < count:
        raise OptionError(
            f"only {len(chosen)} items are fit for attention items: those with one word in the reference",
            where="--attention",
            fix="ask for fewer attention items",
        )
    return maker.made(chosen)


def _listed(loaded: LoadedSuite, items: Sequence[DrawnItem]) -> Iterator[tuple[Item, DrawnItem]]:
    known = {item.id: item for item in loaded.suite.items}
    return ((known[one.suite_item], one) for one in items if one.suite_item in known)


def _apart(usable: Sequence[tuple[Item, DrawnItem]], count: int) -> Iterator[tuple[Item, DrawnItem]]:
    """The first ones whose contexts do not touch, so that one never shows the change of another."""
    taken: set[int] = set()
    for item, drawn in usable:
        around = set(range(drawn.first - 1, drawn.last + 2))
        if count and not around & taken:
            taken |= around
            count -= 1
            yield item, drawn


class _Maker:
    """Knows where the words of the first reference stand."""

    def __init__(self, loaded: LoadedSuite, linked: Linked, words: Words) -> None:
        self._linked = linked
        self._words = words
        name = next(iter(loaded.texts.references), None)
        if name is None:
            raise OptionError(
                "attention items are made from a reference, and the suite has none",
                where="--attention",
                fix="leave the option out",
            )
        self._name = name
        self._lines = [line or "" for line in loaded.texts.lines(name)]
        self._tokens = [words(line) for line in self._lines]
        self._locators: dict[str, Locator] = loaded.texts.locators(name)
        self._finder = TokenFinder(self._lines, self._tokens, path=name)

    def usable(self, item: Item, drawn: DrawnItem) -> bool:
        """Whether the reference has one word for the pronoun, in its line, and words for the heads."""
        pair = self._pair(item)
        if pair is None:
            return False
        highlight = self._highlight(item, pair, drawn)
        here = {at.segment for at in drawn.marks.pronoun}
        single = len(highlight.pronoun) == 1 and {at.segment for at in highlight.pronoun} == here
        return single and all(highlight.heads)

    def made(self, chosen: Sequence[tuple[Item, DrawnItem]]) -> Attention:
        right, wrong = chosen[: (len(chosen) + 1) // 2], chosen[(len(chosen) + 1) // 2 :]
        changed = list(self._lines)
        for item, drawn in wrong:
            self._keep_pronoun(changed, item, drawn)
        systems = (self._system(RIGHT, self._lines), self._system(WRONG, changed))
        lines = {one.id: one.lines for one in systems}
        units = [
            self._unit(item, drawn, system, lines)
            for part, system in ((right, systems[0]), (wrong, systems[1]))
            for item, drawn in part
        ]
        return Attention(tuple(systems), tuple(units))

    def _unit(
        self, item: Item, drawn: DrawnItem, system: DrawnSystem, lines: dict[str, tuple[str, ...]]
    ) -> DrawnUnit:
        pair = self._pair(item)
        assert pair is not None  # noqa: S101 - `usable` looked
        highlight = self._highlight(item, pair, drawn)
        good = system.name == RIGHT
        head = Mark.YES if drawn.antecedent else Mark.UNSET
        expected = Answer(antecedent=head, pronoun=Mark.YES if good else Mark.NO)
        targets = (Target(system.id, highlight, "attention"),)
        return DrawnUnit(unit_id(drawn, targets, lines), drawn, targets, expected)

    def _keep_pronoun(self, lines: list[str], item: Item, drawn: DrawnItem) -> None:
        """Put the source's word where the reference has its own."""
        pair = self._pair(item)
        assert pair is not None  # noqa: S101 - `usable` looked
        (at,) = self._highlight(item, pair, drawn).pronoun
        tokens = list(self._tokens[at.segment])
        source = drawn.marks.pronoun[0]
        tokens[at.token] = self._linked.source[source.segment][source.token]
        lines[at.segment] = " ".join(tokens)

    def _system(self, name: str, lines: Sequence[str]) -> DrawnSystem:
        key = content_id("system", [name, *lines])
        tokens = [self._words(line) if line in self._lines else line.split(" ") for line in lines]
        return DrawnSystem(key, name, key[:12], tuple(lines), tokens, ("",) * len(lines), attention=True)

    def _pair(self, item: Item) -> ReferencePair | None:
        return next((one for one in item.references if one.reference == self._name and one.pronoun), None)

    def _highlight(self, item: Item, pair: ReferencePair, drawn: DrawnItem) -> Highlight:
        heads = pair.heads if drawn.antecedent else ()
        return Highlight(self._places(item, pair.pronoun), tuple(self._places(item, one) for one in heads))

    def _places(self, item: Item, place: Place) -> tuple[TokenAt, ...]:
        stretches = self._locators[item.document].stretches(place)
        return tuple(TokenAt(*at) for at in self._finder.tokens(stretches))
