"""From a suite and candidates to units: everything that can be judged, before it is assigned.

A unit is an item in one system, or in several that are compared. Ids are derived from content, so the same
item or unit has the same id in every database.
"""

from __future__ import annotations

import hashlib
import json
import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import TypeAlias

from msgspec import structs

from anaphor.annotate.types import AnnotatorAnswer, Highlight, Mode, Target, TokenAt
from anaphor.core import InputError, InputWarning, MismatchError, OptionError, UnknownNameError, Where
from anaphor.core.progress import Progress
from anaphor.corpus import Text
from anaphor.languages import Words, fold, known_pairs, load_pair
from anaphor.meta import SamplingPlan
from anaphor.meta.plan import PlannedUnit
from anaphor.suite import EvaluationOptions, GivenLinks, ItemOutcome, LoadedSuite
from anaphor.suite.format import format_item
from anaphor.suite.frames import FrameFinder
from anaphor.suite.linking import LinkedTexts, check_candidates, link_texts, with_reference_words
from anaphor.suite.outcomes import ItemJudge
from anaphor.suite.texts import ItemTokens, TokenPlace, Tokens

#: With more systems than this, comparisons are made in pairs.
MOST_AT_ONCE = 3
_PLACE = re.compile(r"(\d{1,9}):(\d{1,9})")
_NO_DOCUMENT = "-"
Guesses: TypeAlias = Mapping[tuple[str, str], str]
"""What the automatic verdict says, `yes` or `no`, by system and pronoun of the source, as SEGMENT:TOKEN."""
Guesser: TypeAlias = Callable[[LoadedSuite, Mapping[str, Text], LinkedTexts], Guesses]
"""Judges the given candidates, whose tokens and links are in the last argument."""


@dataclass(frozen=True, slots=True)
class PoolSystem:
    """A candidate, or a text for attention items: its lines, tokens, and links as `source-target`."""

    id: str
    name: str
    digest: str
    lines: tuple[str, ...]
    tokens: Sequence[Sequence[str]]
    links: tuple[str, ...]
    attention: bool = False


@dataclass(frozen=True, slots=True)
class PoolItem:
    """An item: its names in the suite and in judgements, its source tokens, and the segments it needs.

    `reference_words` are the words of each reference for the pronoun.
    """

    id: str
    suite_item: str
    key: str
    document: str
    category: str
    antecedent: bool
    marks: Highlight
    first: int
    last: int
    reference_words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PoolUnit:
    """What is judged together: an item in one system, or in several systems to compare.

    `expected` is the known answer of an attention or practice item, `feedback` the explanation shown after a
    practice answer; None for all others.
    """

    id: str
    item: PoolItem
    targets: tuple[Target, ...]
    expected: AnnotatorAnswer | None = None
    feedback: str | None = None

    @property
    def stratum(self) -> tuple[str, ...]:
        """The unit of balancing: the category and the systems."""
        return (self.item.category, *(target.system for target in self.targets))


@dataclass(frozen=True, slots=True)
class ItemPool:
    """Everything that can be judged: items in suite order, and the words of the systems for them.

    `targets` are keyed by system name and item id; `frames` finds the words for other pronouns.
    """

    items: tuple[PoolItem, ...]
    systems: Mapping[str, PoolSystem]
    targets: Mapping[tuple[str, str], Target]
    frames: FrameFinder

    def lines(self) -> dict[str, tuple[str, ...]]:
        return {system.id: system.lines for system in self.systems.values()}

    def unit(self, systems: Sequence[str], item: PoolItem) -> PoolUnit:
        """An item in some systems."""
        targets = tuple(self.targets[name, item.id] for name in systems)
        return PoolUnit(unit_id(item, targets, self.lines()), item, targets)


def with_guesses(pool: ItemPool, guesses: Guesses) -> ItemPool:
    """A pool that has the guesses of the automatic verdict with its targets."""
    if not guesses:
        return pool
    items = {item.id: item for item in pool.items}
    targets = {}
    for (name, key), target in pool.targets.items():
        at = items[key].marks.pronoun[0]
        guess = guesses.get((name, f"{at.segment}:{at.token}"), "")
        targets[name, key] = structs.replace(target, guess=guess)
    return replace(pool, targets=targets)


def content_id(kind: str, parts: Sequence[str]) -> str:
    """An id derived from content: equal content has the same id in every database."""
    content = kind.encode()
    for part in parts:
        # The length goes first: otherwise ["ab", "c"] and ["a", "bc"] would have the same id.
        data = part.encode("utf-8", "surrogatepass")
        content += len(data).to_bytes(8, "big") + data
    return hashlib.sha256(content).hexdigest()[:32]


def unit_id(item: PoolItem, targets: Sequence[Target], lines: Mapping[str, Sequence[str]]) -> str:
    """The id of a unit: its item, its systems, and their translations."""
    shown = (line for target in targets for line in lines[target.system][item.first : item.last + 1])
    return content_id("unit", [item.id, *(target.system for target in targets), *shown])


def reference_tokens(loaded: LoadedSuite, words: Words) -> dict[str, Tokens]:
    """The tokens of every reference; lines are empty where one lacks the document."""
    return {
        name: [words(line or "") for line in loaded.texts.lines(name)] for name in loaded.texts.references
    }


def link_candidates(
    loaded: LoadedSuite,
    candidates: Mapping[str, Text],
    options: EvaluationOptions,
    *,
    links: GivenLinks | None,
    progress: Progress,
) -> LinkedTexts:
    """Find the items in the source and their words in every candidate; without `links` these are aligned."""
    check_candidates(loaded, candidates)
    for text in (*candidates.values(), *loaded.texts.source.values()):
        for number, line in enumerate(text.lines, start=1):
            if "\0" in line:
                what = "the line has a NUL character, which PostgreSQL cannot store"
                raise InputError(what, where=Where(text.path, number), fix="remove it from the text")
    return link_texts(loaded, candidates, options, links=links, progress=progress)


def build_items(loaded: LoadedSuite, linked: LinkedTexts) -> tuple[PoolItem, ...]:
    """All items of a suite, in order."""
    locators = loaded.texts.locators
    asks_antecedent = {category.name: category.antecedent for category in loaded.suite.categories}
    items = []
    for item, tokens in zip(loaded.suite.items, linked.items, strict=True):
        # Approved alternatives come and go; they do not make another item.
        record = json.loads(format_item(item))
        record.pop("alternatives", None)
        content = json.dumps([loaded.texts.source[item.document].digest, record], sort_keys=True)
        asks = asks_antecedent[item.category] and bool(item.antecedents)
        pool_item = _pool_item(content, item.id, item.document, item.category, tokens, antecedent=asks)
        words = (
            locators[reference.reference][item.document].text(reference.pronoun) or "-"
            for reference in item.references
        )
        items.append(replace(pool_item, reference_words=tuple(words)))
    return tuple(items)


def build_pool(
    loaded: LoadedSuite,
    candidates: Mapping[str, Text],
    linked: LinkedTexts,
    *,
    references: Mapping[str, Tokens],
    packs: Path | None = None,
    known: Mapping[str, str] | None = None,
) -> ItemPool:
    """All items of a suite and their translations in all candidates; `packs` is the folder of the user's
    language packs.

    `references` are the tokens of the references. `known` has the ids of the systems already in a campaign,
    which they keep when more text is added.
    """
    items = build_items(loaded, linked)
    systems = {}
    for name, text in candidates.items():
        pairs = (
            sorted(set(zip(alignment.sources, alignment.targets, strict=True)))
            for alignment in linked.alignments[name]
        )
        links = tuple(" ".join(f"{source}-{target}" for source, target in part) for part in pairs)
        key = (known or {}).get(name) or content_id("system", [name, text.digest])
        systems[name] = PoolSystem(key, name, text.digest, tuple(text.lines), linked.tokens[name], links)
    judge = ItemJudge(loaded, alternatives=True, packs=packs)
    finder = FrameFinder(loaded, linked, references=references, packs=packs)
    targets = {}
    for name, system in systems.items():
        frames = finder.find(name, candidates[name])
        judged = judge.judge(with_reference_words(loaded, candidates[name], linked.words(name)))
        for pool_item, frame, judgement in zip(items, frames, judged, strict=True):
            heads = map(_at, frame.heads) if pool_item.antecedent else ()
            shown = Highlight(_at(frame.pronoun), tuple(heads))
            targets[name, pool_item.id] = Target(system.id, shown, judgement.outcome.value)
    return ItemPool(items, systems, targets, finder)


def _at(place: TokenPlace) -> tuple[TokenAt, ...]:
    return tuple(TokenAt(*at) for at in sorted(place))


def _pool_item(
    record: str, suite_item: str, document: str, category: str, tokens: ItemTokens, *, antecedent: bool
) -> PoolItem:
    """An item; its id is derived from the document and the record."""
    pronoun, *heads = (
        tuple(TokenAt(*at) for at in place)
        for place in (tokens.pronoun, *(tokens.heads if antecedent else ()))
    )
    marks = Highlight(pronoun, tuple(heads))
    needed = [at.segment for at in marks.words]
    segment, token = tokens.pronoun[0]
    return PoolItem(
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


def all_units(pool: ItemPool, mode: Mode, *, mismatches_only: bool) -> tuple[PoolUnit, ...]:
    """All units of a campaign without a plan; `mismatches_only` omits items matched by the automatic check.

    Up to three systems are compared at once, more in all pairs; identical translations are not compared.
    """
    if mode is not Mode.COMPARE:
        return tuple(
            pool.unit([name], item)
            for item in pool.items
            for name in pool.systems
            if not mismatches_only or pool.targets[name, item.id].outcome != ItemOutcome.MATCH.value
        )
    names = list(pool.systems)
    if len(names) < 2:
        raise OptionError("a comparison needs two systems", where="--candidate", fix="add at least one more")
    groups = [tuple(names)] if len(names) <= MOST_AT_ONCE else list(combinations(names, 2))
    return differing(pool, (pool.unit(group, item) for item in pool.items for group in groups))


def differing(pool: ItemPool, units: Iterable[PoolUnit]) -> tuple[PoolUnit, ...]:
    """The comparisons whose translations are not all identical."""
    lines = pool.lines()
    return tuple(
        unit
        for unit in units
        if len({lines[target.system][unit.item.first : unit.item.last + 1] for target in unit.targets}) > 1
    )


def planned_units(
    loaded: LoadedSuite,
    linked: LinkedTexts,
    pool: ItemPool,
    plan: SamplingPlan,
    *,
    path: str,
    packs: Path | None = None,
    guesses: Guesses | None = None,
) -> tuple[ItemPool, tuple[PoolUnit, ...]]:
    """The units of a sampling plan in order, and the pool of their items.

    A plan from `anaphor estimate plan` names a pronoun by segment and token, or by the id of an item.
    Pronouns that the suite does not list are included too, without an antecedent.
    """
    # A plan of fewer systems than there are candidates is fine: the others are only not judged.
    unknown = [name for name in plan.systems if name not in pool.systems]
    if unknown:
        what = f"the plan is about the system {unknown[0]}, which is not among the candidates"
        fix = f"pass all systems of the plan by name: --candidate {unknown[0]}=FILE"
        raise MismatchError(what, where=path, fix=fix)
    resolver = _PlanResolver(loaded, linked, pool, path, packs)
    chosen = [(unit, resolver.item(unit)) for units in plan.items.values() for unit in units]
    items = {item.id: item for _, item in chosen}
    unlisted = items.keys() - {item.id for item in pool.items}
    if unlisted:
        warnings.warn(
            f"{len(unlisted)} pronouns of the plan are not items of the suite; they have no antecedent",
            InputWarning,
            stacklevel=2,
        )
    targets = dict(pool.targets)
    for name, system in pool.systems.items():
        lines = Text.of(system.lines, path=name)
        others = [item for unit, item in chosen if unit.system == name and (name, item.id) not in targets]
        places = pool.frames.search(name, lines, [item.marks.pronoun for item in others])
        for item, (place, _) in zip(others, places, strict=True):
            targets[name, item.id] = Target(system.id, Highlight(_at(place)), "")
    for unit, item in chosen:
        target = targets[unit.system, item.id]
        targets[unit.system, item.id] = structs.replace(target, outcome=unit.outcome.label)
    planned = ItemPool(tuple(items.values()), pool.systems, targets, pool.frames)
    planned = with_guesses(planned, guesses or {})
    return planned, tuple(planned.unit([unit.system], item) for unit, item in chosen)


class _PlanResolver:
    """Finds the items that a plan refers to; a missing one means that suite and plan do not match."""

    def __init__(
        self, loaded: LoadedSuite, linked: LinkedTexts, pool: ItemPool, path: str, packs: Path | None
    ) -> None:
        self._suite = loaded.suite
        self._lines, self._source = loaded.texts.source_lines, linked.source
        self._path = path
        self._known = {item.key: item for item in pool.items} | {item.suite_item: item for item in pool.items}
        pair = loaded.suite.pair
        self._pronouns: frozenset[str] | None = None  # of a pair without a pack nothing is known
        if str(pair) in known_pairs(packs):
            self._pronouns = frozenset(map(fold, load_pair(pair, folder=packs).source_pronouns))

    def item(self, unit: PlannedUnit) -> PoolItem:
        item = self._known.get(unit.id)
        if item is None:
            item = self._unlisted(unit)
        if unit.document not in (_NO_DOCUMENT, item.document):
            raise self._mismatch(f"{unit.id} is in {unit.document} in the plan, in {item.document} here")
        return replace(item, key=unit.id)

    def _unlisted(self, unit: PlannedUnit) -> PoolItem:
        """A pronoun that is not an item of the suite."""
        match = _PLACE.fullmatch(unit.id)
        if match is None:
            raise UnknownNameError.among(unit.id, self._known, kind="item of the plan", where=self._path)
        segment, token = int(match[1]), int(match[2])
        words = self._source[segment] if segment < len(self._source) else ()
        if token >= len(words):
            raise self._mismatch(f"the source has no token {token} in segment {segment}")
        if self._pronouns is not None and fold(words[token]) not in self._pronouns:
            raise self._mismatch(f"{unit.id} is {words[token]!r:.40} here, which is not an evaluated pronoun")
        end = 0
        for document in self._suite.documents:
            end += document.segments
            if segment < end:
                break
        else:
            raise self._mismatch(f"there is no segment {segment}")
        record, tokens = f"{segment}:{token} {self._lines[segment]}", ItemTokens(((segment, token),), ())
        return _pool_item(record, unit.id, document.id, unit.category, tokens, antecedent=False)

    def _mismatch(self, what: str) -> MismatchError:
        fix = "score the source that `anaphor suite export --source` writes, and plan with that result"
        return MismatchError(f"the plan does not match this suite: {what}", where=self._path, fix=fix)
