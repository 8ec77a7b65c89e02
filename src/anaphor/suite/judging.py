"""What counts as right for each item: the translations of the references, and those people approved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from anaphor.core import Item
from anaphor.suite.folder import LoadedSuite
from anaphor.suite.outcomes import Accepted, Comparer, Found, Judged
from anaphor.suite.texts import Locator


class Judge:
    """Knows the accepted translations of every item, references first.

    With `alternatives` they include the approved ones; such figures cannot be compared with those of others
    (protest-2016, section 6).
    """

    def __init__(self, loaded: LoadedSuite, *, alternatives: bool) -> None:
        suite, texts = loaded
        self.items = suite.items
        self._comparer = Comparer(suite.pair)
        self._counts = {category.name: category.antecedent for category in suite.categories}
        locators = {name: texts.locators(name) for name in texts.references}
        self.accepted = [
            (
                *_references(item, locators, self._comparer),
                *(_approved(item, self._comparer) if alternatives else ()),
            )
            for item in suite.items
        ]

    def judge(self, found: Sequence[Found]) -> tuple[Judged, ...]:
        """The outcome of every item, from what a candidate has for it."""
        return tuple(
            self._comparer.judge(item, words, accepted, antecedent=self._counts[item.category])
            for item, words, accepted in zip(self.items, found, self.accepted, strict=True)
        )


def _references(
    item: Item, locators: Mapping[str, Mapping[str, Locator]], comparer: Comparer
) -> Iterator[Accepted]:
    for pair in item.references:
        locator = locators[pair.reference][item.document]
        heads = tuple(comparer.units(locator.text(place)) for place in pair.heads)
        yield Accepted(pair.reference, comparer.units(locator.text(pair.pronoun)), heads)


def _approved(item: Item, comparer: Comparer) -> Iterator[Accepted]:
    for one in item.alternatives:
        heads = tuple(map(comparer.units, one.heads))
        yield Accepted(f"approved by {one.by}", comparer.units(one.pronoun), heads)
