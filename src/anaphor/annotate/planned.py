"""The units of a sampling plan, which `anaphor estimate plan` drew from all pronouns of a result.

A plan names a pronoun by segment and token, or by the id of an item. A pronoun that the suite does not list
is asked about too, without an antecedent; one that is not there means that suite and plan do not match.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from anaphor.annotate.draw import Drawing, by_key, make_item, single_unit
from anaphor.annotate.drawn import DrawnItem, DrawnUnit
from anaphor.annotate.linked import Linked
from anaphor.annotate.targets import Target
from anaphor.core import InputWarning, MismatchError, UnknownNameError
from anaphor.languages import fold, known_pairs, load_pair
from anaphor.meta import Plan
from anaphor.meta.population import Unit
from anaphor.suite import LoadedSuite
from anaphor.suite.texts import ItemTokens

_PLACE = re.compile(r"(\d{1,9}):(\d{1,9})")
_NO_DOCUMENT = "-"


@dataclass(frozen=True, slots=True)
class _Resolver:
    """Finds what a plan means in a suite with its candidates."""

    loaded: LoadedSuite
    linked: Linked
    known: Mapping[str, DrawnItem]
    watched: frozenset[str] | None
    path: str

    def item(self, unit: Unit) -> DrawnItem:
        found = self.known.get(unit.id)
        if found is None:
            found = self._unlisted(unit)
        if unit.document not in (_NO_DOCUMENT, found.document):
            raise self._mismatch(f"{unit.id} is in {unit.document} for the plan, in {found.document} here")
        return replace(found, key=unit.id)

    def _unlisted(self, unit: Unit) -> DrawnItem:
        """A pronoun that no item of the suite is about."""
        match = _PLACE.fullmatch(unit.id)
        if match is None:
            raise UnknownNameError.among(unit.id, self.known, kind="item of the plan", where=self.path)
        segment, token = int(match[1]), int(match[2])
        words = self.linked.source[segment] if segment < len(self.linked.source) else ()
        if token >= len(words):
            raise self._mismatch(f"the source has no token {token} in segment {segment}")
        if self.watched is not None and fold(words[token]) not in self.watched:
            raise self._mismatch(f"{unit.id} is {words[token]!r:.40} here, which is no pronoun to judge")
        return make_item(
            f"{segment}:{token} {self.linked.source_lines[segment]}",
            suite_item=unit.id,
            document=self._document(segment),
            category=unit.category,
            tokens=ItemTokens(((segment, token),), ()),
            antecedent=False,
        )

    def _document(self, segment: int) -> str:
        ends = 0
        for document in self.loaded.suite.documents:
            ends += document.segments
            if segment < ends:
                return document.id
        raise self._mismatch(f"there is no segment {segment}")

    def _mismatch(self, what: str) -> MismatchError:
        return MismatchError(
            f"the plan is not about this suite: {what}",
            where=self.path,
            fix="score the source that `anaphor suite export --source` writes, and plan with that result",
        )


def planned_units(
    loaded: LoadedSuite, linked: Linked, drawing: Drawing, plan: Plan, *, path: str
) -> tuple[Drawing, tuple[DrawnUnit, ...]]:
    """The units of a plan in its order, and the drawing with the items that they are about."""
    unknown = [name for name in plan.systems if name not in drawing.systems]
    if unknown:
        raise MismatchError(
            f"the plan is about the system {unknown[0]}, which is no candidate",
            where=path,
            fix=f"give all systems of the plan by name: --candidate {unknown[0]}=FILE",
        )
    resolver = _Resolver(loaded, linked, by_key(drawing.items), _watched(loaded), path)
    chosen = [(unit, resolver.item(unit)) for units in plan.items.values() for unit in units]
    unlisted = {item.id for _, item in chosen} - {item.id for item in drawing.items}
    if unlisted:
        warnings.warn(
            f"{len(unlisted)} pronouns of the plan are no items of the suite; they have no antecedent",
            InputWarning,
            stacklevel=2,
        )
    targets = dict(drawing.targets)
    for unit, item in chosen:
        target = _target(linked, drawing, unit, item)
        targets[unit.system, item.id] = replace(target, outcome=unit.outcome.name.lower())
    grown = Drawing(tuple(_distinct(item for _, item in chosen)), drawing.systems, targets)
    return grown, tuple(single_unit(grown, unit.system, item) for unit, item in chosen)


def _target(linked: Linked, drawing: Drawing, unit: Unit, item: DrawnItem) -> Target:
    found = drawing.targets.get((unit.system, item.id))
    if found is not None:
        return found
    tokens = ItemTokens(tuple((at.segment, at.token) for at in item.marks.pronoun), ())
    return Target(drawing.systems[unit.system].id, linked.highlight(unit.system, tokens), "")


def _distinct(items: Iterator[DrawnItem]) -> Iterator[DrawnItem]:
    yield from {item.id: item for item in items}.values()


def _watched(loaded: LoadedSuite) -> frozenset[str] | None:
    """The source pronouns of the language pair; None where no pack knows it."""
    pair = loaded.suite.pair
    if str(pair) not in known_pairs():
        return None
    return frozenset(map(fold, load_pair(pair).source_pronouns))
