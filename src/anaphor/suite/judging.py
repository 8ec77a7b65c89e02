"""What counts as right for each item: the translations of the references, and those people approved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from anaphor.core import Item
from anaphor.suite.agreement import AgreementChecker
from anaphor.suite.folder import LoadedSuite
from anaphor.suite.outcomes import OTHER_ANTECEDENT, Accepted, Agreement, Comparer, Found, ItemOutcome, Judged
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
        self._agreement = AgreementChecker.for_pair(suite.pair, self._comparer)
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
            self._beside_the_reference(
                self._comparer.judge(item, words, accepted, antecedent=self._counts[item.category])
            )
            for item, words, accepted in zip(self.items, found, self.accepted, strict=True)
        )

    def _beside_the_reference(self, judged: Judged) -> Judged:
        """The same; where the antecedent is another than the accepted ones, compared with the pronoun."""
        if self._agreement is None or judged.outcome not in OTHER_ANTECEDENT:
            return judged
        answer = self._agreement.check(judged.item, judged.found)
        outcome = ItemOutcome.AGREES if answer is Agreement.AGREES else judged.outcome
        return replace(judged, outcome=outcome, agreement=answer)


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
