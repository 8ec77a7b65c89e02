"""Segments that a candidate translates exactly as a reference does: the suite itself knows what stands where.

There no aligner is asked, whose mistakes would count against a perfect translation; so every reference gets
full marks as a candidate. With alignments of the user's own nothing is recognised: their links are followed.
"""

from __future__ import annotations

from collections.abc import Sequence

from anaphor.core import Item, Place, Suite
from anaphor.corpus import Text
from anaphor.suite.outcomes import Found
from anaphor.suite.texts import SOURCE, Locator, SuiteTexts


class Recogniser:
    """Compares the lines of candidates with those of the references at the places of items."""

    def __init__(self, suite: Suite, texts: SuiteTexts) -> None:
        self._suite = suite
        self._source = texts.locators(SOURCE)
        self._references = {name: texts.locators(name) for name in texts.references}

    def improve(self, candidate: Text, found: Sequence[Found]) -> list[Found]:
        """The words of every item, taken from a reference wherever its lines are the candidate's."""
        return [
            self._item(item, candidate, linked) for item, linked in zip(self._suite.items, found, strict=True)
        ]

    def _item(self, item: Item, candidate: Text, linked: Found) -> Found:
        pronoun, heads = linked.pronoun, list(linked.heads)
        sources = [item.pronoun, *(one.head for one in item.antecedents)]
        for pair in reversed(item.references):  # the first reference has the last word
            locator = self._references[pair.reference][item.document]
            for number, place in enumerate((pair.pronoun, *pair.heads)):
                if self._same(item, sources[number], locator, place, candidate):
                    words = tuple(locator.text((span,)) for span in place)
                    if number:
                        heads[number - 1] = words
                    else:
                        pronoun = words
        return Found(pronoun, tuple(heads))

    def _same(self, item: Item, source: Place, locator: Locator, place: Place, candidate: Text) -> bool:
        """Whether the candidate has the reference's line where the source stands and where its words do."""
        stretches = (*self._source[item.document].stretches(source), *locator.stretches(place))
        return all(
            candidate.lines[at.segment] == locator.lines[at.segment - locator.first] for at in stretches
        )
