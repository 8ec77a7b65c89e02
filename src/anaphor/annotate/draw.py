"""From a suite and candidates to units: what people are asked, before anybody is assigned to it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from anaphor.annotate.drawn import DrawnItem, DrawnSystem, DrawnUnit, content_id, unit_id
from anaphor.annotate.linked import Linked
from anaphor.annotate.nouns import Highlight, Mode, TokenAt
from anaphor.annotate.targets import Marks, Target
from anaphor.core import Item, OptionError
from anaphor.corpus import Text
from anaphor.suite import ItemOutcome, LoadedSuite
from anaphor.suite.format import format_item
from anaphor.suite.linking import ExactMatcher
from anaphor.suite.outcomes import ItemJudge
from anaphor.suite.texts import ItemTokens, Locator, TokenPlace

#: More translations than this are not ranked at once, but in pairs.
MOST_AT_ONCE = 3


@dataclass(frozen=True, slots=True)
class Drawing:
    """Everything that could be asked: items in the order of the suite, and what systems have for them."""

    items: tuple[DrawnItem, ...]
    systems: Mapping[str, DrawnSystem]
    targets: Mapping[tuple[str, str], Target]

    def lines(self) -> dict[str, tuple[str, ...]]:
        return {one.id: one.lines for one in self.systems.values()}


def draw(loaded: LoadedSuite, candidates: Mapping[str, Text], linked: Linked) -> Drawing:
    """Items and targets; `targets` go from the name of a system and the id of an item."""
    locators = {name: loaded.texts.locators(name) for name in loaded.texts.references}
    items = tuple(
        _item(loaded, item, tokens, locators)
        for item, tokens in zip(loaded.suite.items, linked.items, strict=True)
    )
    systems = {name: drawn_system(name, text, linked) for name, text in candidates.items()}
    judge = ItemJudge(loaded, alternatives=True)
    recogniser = ExactMatcher(loaded.suite, loaded.texts)
    targets = {}
    for name, system in systems.items():
        highlights = [linked.highlight(name, tokens) for tokens in linked.items]
        found = recogniser.improve(candidates[name], [linked.found(name, one) for one in highlights])
        for item, highlight, judged in zip(items, highlights, judge.judge(found), strict=True):
            shown = highlight if item.antecedent else Highlight(highlight.pronoun)
            targets[name, item.id] = Target(system.id, shown, judged.outcome.value)
    return Drawing(items, systems, targets)


def units_of(drawing: Drawing, mode: Mode, *, mismatches_only: bool) -> tuple[DrawnUnit, ...]:
    """All units of a campaign without a plan; `mismatches_only` leaves out what the check matched."""
    if mode is Mode.COMPARE:
        return tuple(_comparisons(drawing))
    return tuple(
        single_unit(drawing, name, item)
        for item in drawing.items
        for name in drawing.systems
        if not mismatches_only or drawing.targets[name, item.id].outcome != ItemOutcome.MATCH.value
    )


def single_unit(drawing: Drawing, system: str, item: DrawnItem) -> DrawnUnit:
    """An item in one system."""
    targets = (drawing.targets[system, item.id],)
    return DrawnUnit(unit_id(item, targets, drawing.lines()), item, targets)


def _comparisons(drawing: Drawing) -> Iterator[DrawnUnit]:
    """Two or three systems at once, more in all pairs; equal translations are not compared."""
    names = list(drawing.systems)
    if len(names) < 2:
        raise OptionError("one system cannot be compared", where="--candidate", fix="name two or more")
    lines = drawing.lines()
    groups = [tuple(names)] if len(names) <= MOST_AT_ONCE else list(combinations(names, 2))
    for item in drawing.items:
        for group in groups:
            targets = tuple(drawing.targets[name, item.id] for name in group)
            if len({lines[one.system][item.first : item.last + 1] for one in targets}) > 1:
                yield DrawnUnit(unit_id(item, targets, lines), item, targets)


def drawn_system(name: str, text: Text, linked: Linked) -> DrawnSystem:
    links = tuple(
        " ".join(
            f"{source}-{target}" for source, target in sorted(set(zip(one.sources, one.targets, strict=True)))
        )
        for one in linked.links[name]
    )
    key = content_id("system", [name, text.digest])
    return DrawnSystem(key, name, text.digest, text.lines, linked.tokens[name], links)


def make_item(
    record: str, *, suite_item: str, document: str, category: str, tokens: ItemTokens, antecedent: bool
) -> DrawnItem:
    """An item; `record` is all that makes it what it is."""
    marks = Marks(_places(tokens.pronoun), tuple(map(_places, tokens.heads)) if antecedent else ())
    needed = [at.segment for at in marks.pronoun] + [at.segment for head in marks.heads for at in head]
    segment, token = tokens.pronoun[0]
    return DrawnItem(
        id=content_id("item", [document, record]),
        suite_item=suite_item,
        key=f"{segment}:{token}",
        document=document,
        category=category,
        antecedent=antecedent,
        marks=marks,
        first=min(needed),
        last=max(needed),
    )


def _item(
    loaded: LoadedSuite, item: Item, tokens: ItemTokens, locators: Mapping[str, Mapping[str, Locator]]
) -> DrawnItem:
    counts = {one.name: one.antecedent for one in loaded.suite.categories}
    # Approved alternatives come and go; they do not make another item.
    record = json.loads(format_item(item))
    record.pop("alternatives", None)
    words = tuple(locators[one.reference][item.document].text(one.pronoun) or "-" for one in item.references)
    made = make_item(
        json.dumps([loaded.texts.source[item.document].digest, record], sort_keys=True),
        suite_item=item.id,
        document=item.document,
        category=item.category,
        tokens=tokens,
        antecedent=counts[item.category] and bool(item.antecedents),
    )
    return replace(made, reference_words=words)


def _places(place: TokenPlace) -> tuple[TokenAt, ...]:
    return tuple(TokenAt(*at) for at in place)


def by_key(items: Sequence[DrawnItem]) -> dict[str, DrawnItem]:
    """Items by the names that a plan may use: that of the suite, or SEGMENT:TOKEN."""
    return {one.key: one for one in items} | {one.suite_item: one for one in items}
