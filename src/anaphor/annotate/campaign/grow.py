"""Growing a running campaign: more systems, more items, a larger sample.

The original inputs are read back from the database, so additions get the ids they would have had from the
start. Everything is read, aligned and checked first; then one transaction adds the new content and
distributes it among the annotators, after their existing assignments. Answers are never changed.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, ClassVar

from sqlalchemy import Connection, func, select, update

from anaphor.annotate.campaign import pool as pools
from anaphor.annotate.campaign.content import (
    insert_documents,
    insert_items,
    insert_systems,
    insert_units,
    plan_columns,
    suite_columns,
    text_rows,
)
from anaphor.annotate.campaign.facts import REFERENCE, campaign_plan, campaign_suite, read_campaign
from anaphor.annotate.campaign.pool import ItemPool, PoolUnit
from anaphor.annotate.campaign.sampling import (
    check_population,
    drawn_units,
    is_own,
    own_population,
    stored_population,
    with_new_systems,
)
from anaphor.annotate.campaign.workload import WorkloadConfig, assign, insert_rows
from anaphor.annotate.store import Store, schema
from anaphor.annotate.store.audit import COMMAND_LINE, note
from anaphor.annotate.store.database import analyse
from anaphor.annotate.types import Campaign, Mode, PersonRole
from anaphor.core import Alignment, InputWarning, MismatchError, OptionError, Suite
from anaphor.core.table import Block, JsonFields, Paragraph, counted
from anaphor.corpus import AlignmentFile, Text
from anaphor.languages import Words
from anaphor.meta import PlannedUnit, SamplingPlan
from anaphor.suite import EvaluationOptions, GivenLinks, LoadedSuite
from anaphor.suite.linking import LinkedTexts, tokenizer_for
from anaphor.suite.texts import SOURCE, ItemTokens, TokenFinder, Tokens

#: The action in the audit log.
GROWN = "campaign grown"


@dataclass(frozen=True, slots=True)
class GrownCampaign(JsonFields):
    """What was added: systems, items, units, assignments, and the assignments per annotator."""

    systems: int
    items: int
    units: int
    assignments: int
    by_person: Mapping[str, int]

    json_keys: ClassVar = {"by_person": "annotators"}

    def tables(self) -> Sequence[Block]:
        added = ", ".join(
            counted(number, name)
            for number, name in ((self.systems, "system"), (self.items, "item"), (self.units, "example"))
            if number
        )
        return [Paragraph([f"added: {added}", *(f"  {name}: {n}" for name, n in self.by_person.items())])]


@dataclass(frozen=True, slots=True)
class StoredCampaign:
    """The inputs of a campaign as stored in its database; attention items are left out.

    `linked` has the tokens and links of every system, `references` the tokens of every reference, `known`
    the id of each system by name.
    """

    campaign: Campaign
    loaded: LoadedSuite
    candidates: Mapping[str, Text]
    linked: LinkedTexts
    references: Mapping[str, Tokens]
    known: Mapping[str, str]
    plan: SamplingPlan | None
    population: tuple[PlannedUnit, ...] | None
    units: frozenset[str]
    items: frozenset[str]

    @classmethod
    def read(cls, connection: Connection) -> StoredCampaign:
        loaded = campaign_suite(connection)
        table, texts = schema.systems, schema.texts
        rows = connection.execute(select(table).where(~table.c.attention).order_by(table.c.place)).all()
        known = {row.name: row.id for row in rows}
        lines: dict[str, list[Any]] = {}
        references: dict[str, list[list[str]]] = {}
        for row in connection.execute(select(texts).order_by(texts.c.segment)):
            if row.side == REFERENCE:
                references.setdefault(row.name, []).append(json.loads(row.tokens))
            else:
                lines.setdefault(row.name, []).append(row)
        source = [json.loads(row.tokens) for row in lines[""]]
        candidates = {
            name: Text.of([row.line for row in lines[key]], path=f"the database [{name}]")
            for name, key in known.items()
        }
        linked = LinkedTexts(
            source,
            items_among(loaded, source),
            {name: [json.loads(row.tokens) for row in lines[key]] for name, key in known.items()},
            {
                name: AlignmentFile.made(
                    [_alignment(row.links or "") for row in lines[key]], path=f"the database [{name}]"
                )
                for name, key in known.items()
            },
        )
        return cls(
            read_campaign(connection),
            loaded,
            candidates,
            linked,
            {name: references[name] for name in loaded.texts.references},
            known,
            campaign_plan(connection),
            stored_population(connection),
            frozenset(connection.execute(select(schema.units.c.id)).scalars()),
            frozenset(connection.execute(select(schema.items.c.id)).scalars()),
        )


@dataclass(frozen=True, slots=True)
class _Growth:
    """All new content, ready to be written; `before` is the number of units it was prepared for.

    `words` tokenizes lines of the target language; None if there is no new text.
    """

    before: int
    loaded: LoadedSuite
    linked: LinkedTexts
    pool: ItemPool
    units: tuple[PoolUnit, ...]
    plan: SamplingPlan | None
    population: tuple[PlannedUnit, ...] | None
    words: Words | None = None


def items_among(loaded: LoadedSuite, source: Sequence[Sequence[str]]) -> tuple[ItemTokens, ...]:
    """The items of a suite among existing source tokens."""
    finder = TokenFinder(loaded.texts.source_lines, source, path="the database [source]")
    locators = loaded.texts.locators[SOURCE]
    return tuple(
        ItemTokens(
            finder.tokens(locators[item.document].stretches(item.pronoun)),
            tuple(
                finder.tokens(locators[item.document].stretches(antecedent.head))
                for antecedent in item.antecedents
            ),
        )
        for item in loaded.suite.items
    )


def _alignment(links: str) -> Alignment:
    pairs = [tuple(map(int, pair.split("-"))) for pair in links.split()]
    return Alignment(tuple(key for key, _ in pairs), tuple(two for _, two in pairs))


def grow_campaign(
    store: Store,
    options: EvaluationOptions,
    *,
    suite: LoadedSuite | None = None,
    candidates: Mapping[str, Text] | None = None,
    links: GivenLinks | None = None,
    plan: SamplingPlan | None = None,
    plan_path: str = "the plan",
    population: Sequence[PlannedUnit] | None = None,
    guess: pools.Guesser | None = None,
    by: str = COMMAND_LINE,
    progress: Callable[[str], None] = lambda _: None,
) -> GrownCampaign:
    """Add systems and items to a campaign; annotators can keep working meanwhile.

    - `suite`: the suite of the campaign with more items, or with more documents appended.
    - `candidates`: translations of new systems; with more documents, also those of the existing systems.
    - `plan`: a larger plan, for a campaign created from one.
    - `guess`: the automatic verdict, for a campaign with suggestions.
    """
    # Everything slow happens between two transactions, so that annotators can go on answering; `_write`
    # checks that the campaign has not grown in between.
    progress("reading the campaign")
    with store.read() as connection:
        now = StoredCampaign.read(connection)
    new = dict(candidates or {})
    loaded = now.loaded if suite is None else _larger(now.loaded, suite)
    grown = loaded.suite.segments > now.loaded.suite.segments
    for name, text in new.items():
        if name in now.known and not grown:
            fix = "pass a new system another name: --candidate NAME=FILE"
            raise OptionError(f"the campaign already has a system {name}", where=text.path, fix=fix)
    missing = [name for name in now.known if grown and name not in new]
    if missing:
        what = f"the new documents need a translation by {missing[0]}"
        raise OptionError(what, where="--candidate", fix=f"pass all systems: --candidate {missing[0]}=FILE")
    linked = now.linked
    if new:
        linked = _linked(now, loaded, new, options, links=links, progress=progress)
    elif suite is not None:
        linked = replace(now.linked, items=items_among(loaded, now.linked.source))
    words = tokenizer_for(loaded.suite.pair.target, options, links=links)
    every = {**now.candidates, **new}
    pool = pools.build_pool(
        loaded,
        every,
        linked,
        references=now.references if suite is None else pools.reference_tokens(loaded, words),
        packs=options.aligner.packs,
        known=now.known,
    )
    _require_items(now, pool, loaded.suite)
    # With the same items and no plan, only new systems have something new to judge.
    judged = new if suite is None and plan is None else every
    guesses = _guesses(now, guess, loaded, judged, linked, progress=progress)
    pool = pools.with_guesses(pool, guesses)
    if plan is not None:
        _require_larger(now, plan, plan_path)
        packs = options.aligner.packs
        pool, units = pools.planned_units(
            loaded, linked, pool, plan, path=plan_path, packs=packs, guesses=guesses
        )
        drawn_from = now.population if population is None else tuple(population)
        if drawn_from is not None:
            check_population(plan, drawn_from, path=plan_path)
    else:
        plan, drawn_from, units = _unplanned(now, pool, grown=suite is not None)
    units = tuple(unit for unit in units if unit.id not in now.units)
    growth = _Growth(len(now.units), loaded, linked, pool, units, plan, drawn_from, words if new else None)
    return _write(store, growth, by=by)


def judge_more(
    store: Store, plan: SamplingPlan, *, guess: pools.Guesser | None = None, by: str = COMMAND_LINE
) -> GrownCampaign:
    """Add what a larger plan draws from the campaign's own population.

    `guess` is the automatic verdict, for a campaign with suggestions.
    """
    with store.read() as connection:
        now = StoredCampaign.read(connection)
    pool = pools.build_pool(
        now.loaded, now.candidates, now.linked, references=now.references, known=now.known
    )
    _require_larger(now, plan, "the plan")
    guesses = _guesses(now, guess, now.loaded, now.candidates, now.linked)
    pool = pools.with_guesses(pool, guesses)
    if is_own(plan):
        every = pools.all_units(pool, now.campaign.mode, mismatches_only=now.campaign.mismatches_only)
        units = drawn_units(pool, every, plan)
    else:
        pool, units = pools.planned_units(
            now.loaded, now.linked, pool, plan, path="the plan", guesses=guesses
        )
    units = tuple(unit for unit in units if unit.id not in now.units)
    growth = _Growth(len(now.units), now.loaded, now.linked, pool, units, plan, now.population)
    return _write(store, growth, by=by)


def _guesses(
    now: StoredCampaign,
    guess: pools.Guesser | None,
    loaded: LoadedSuite,
    candidates: Mapping[str, Text],
    linked: LinkedTexts,
    *,
    progress: Callable[[str], None] = lambda _: None,
) -> pools.Guesses:
    """What the automatic verdict says about some systems, for a campaign with suggestions."""
    if not now.campaign.suggestions or not candidates:
        return {}
    if guess is None:
        what = "the campaign shows suggestions, and what is added now has none"
        warnings.warn(what, InputWarning, stacklevel=3)
        return {}
    progress("judging")
    tokens = {name: linked.tokens[name] for name in candidates}
    alignments = {name: linked.alignments[name] for name in candidates}
    return guess(loaded, candidates, replace(linked, tokens=tokens, alignments=alignments))


def _larger(old: LoadedSuite, new: LoadedSuite) -> LoadedSuite:
    """The new suite, which must begin with the documents of the old one."""
    known, given = old.suite.documents, new.suite.documents
    same = [(document.id, document.segments, document.source) for document in known]
    if new.suite.pair != old.suite.pair or same != [
        (document.id, document.segments, document.source) for document in given[: len(known)]
    ]:
        raise MismatchError(
            "the suite does not begin with the documents of the campaign",
            where=new.suite.name,
            fix="append new documents and items, and change nothing else",
        )
    return new


def _require_items(now: StoredCampaign, pool: ItemPool, suite: Suite) -> None:
    """Reject a suite that lacks an item of the campaign, or has a different one under its name."""
    present = {item.id for item in pool.items}
    known = {item.id for item in pools.build_items(now.loaded, now.linked)}
    lost = (now.items & known) - present
    if lost:
        raise MismatchError(
            f"{counted(len(lost), 'item')} of the campaign are not in the suite, or not the same",
            where=suite.name,
            fix="leave the existing items unchanged",
        )


def _linked(
    now: StoredCampaign,
    loaded: LoadedSuite,
    new: Mapping[str, Text],
    options: EvaluationOptions,
    *,
    links: GivenLinks | None,
    progress: Callable[[str], None],
) -> LinkedTexts:
    """Tokens and links of all systems: existing ones, and new ones where missing."""
    fresh = pools.link_candidates(loaded, new, options, links=links, progress=progress)
    segments = len(now.linked.source)
    # Answers name tokens by number: other tokens would move what people have marked.
    if [list(line) for line in fresh.source[:segments]] != [list(line) for line in now.linked.source]:
        raise MismatchError(
            "the source is tokenized differently than when the campaign was created",
            where="--tokenized, --alignment, --source",
            fix="pass these options as for `anaphor annotate init`",
        )
    for name, text in new.items():
        if name in now.candidates and text.lines[:segments] != now.candidates[name].lines:
            fix = "pass the file that the campaign was made from, with the new documents appended"
            raise MismatchError(
                f"these are not the translations of {name} in the campaign", where=text.path, fix=fix
            )
    tokens, alignments = dict(now.linked.tokens), dict(now.linked.alignments)
    for name in new:
        old = [*now.linked.alignments[name]] if name in now.known else []
        # What the campaign has stays as it is, although an aligner may link it differently with more text.
        words = [*tokens.get(name, ())]
        tokens[name] = [*words, *fresh.tokens[name][len(words) :]]
        path = fresh.alignments[name].path
        alignments[name] = AlignmentFile.made([*old, *[*fresh.alignments[name]][len(old) :]], path=path)
    return LinkedTexts(fresh.source, fresh.items, tokens, alignments)


def _unplanned(
    now: StoredCampaign, pool: ItemPool, *, grown: bool
) -> tuple[SamplingPlan | None, tuple[PlannedUnit, ...] | None, tuple[PoolUnit, ...]]:
    """The new content of a campaign without a plan file, with its plan and population afterwards."""
    if now.plan is not None and not is_own(now.plan):
        fix = "make a larger plan with `anaphor estimate plan --previous`, and add it: --plan FILE"
        raise OptionError("the campaign was made from a plan", where="--plan", fix=fix)
    mode, names = now.campaign.mode, list(pool.systems)
    if mode is Mode.COMPARE:
        # Old items were compared already: only pairs with a new system are new. New items get all groups.
        every = pools.all_units(pool, mode, mismatches_only=False)
        pairs = [pair for pair in combinations(names, 2) if set(pair) - set(now.known)]
        old = [item for item in pool.items if item.id in now.items]
        fresh = (
            *(unit for unit in every if unit.item.id not in now.items),
            *pools.differing(pool, (pool.unit(pair, item) for item in old for pair in pairs)),
        )
        return None, None, fresh
    units = pools.all_units(pool, mode, mismatches_only=now.campaign.mismatches_only)
    if mode is Mode.GAPS:
        units = tuple(unit for unit in units if unit.targets[0].highlight.pronoun)
    if now.plan is None or now.population is None:
        return None, None, units
    if grown:
        fix = "make a new campaign for the new items, or one that judges everything"
        raise OptionError("the campaign judges a sample of its first items", where="--suite", fix=fix)
    joined = own_population(pool, [unit for unit in units if _is_new(unit, now, pool)])
    plan, population = with_new_systems(now.plan, now.population, joined)
    return plan, population, drawn_units(pool, units, plan)


def _is_new(unit: PoolUnit, now: StoredCampaign, pool: ItemPool) -> bool:
    new = {system.id for name, system in pool.systems.items() if name not in now.known}
    return unit.targets[0].system in new


def _require_larger(now: StoredCampaign, plan: SamplingPlan, path: str) -> None:
    """Reject a plan for a campaign without one, and a plan that lacks items drawn by the campaign's plan."""
    if now.plan is None:
        fix = "leave the plan out: the campaign asks about everything"
        raise OptionError("the campaign was not made from a plan", where=path, fix=fix)
    old, new = (
        {(unit.system, unit.id) for part in sampling.items.values() for unit in part}
        for sampling in (now.plan, plan)
    )
    # Answers to what a plan no longer draws would bias the estimate.
    if not old <= new:
        fix = "make it with `anaphor estimate plan --previous`, which keeps what was drawn"
        raise MismatchError("the plan lacks items that the campaign asks about", where=path, fix=fix)


def _write(store: Store, growth: _Growth, *, by: str) -> GrownCampaign:
    """Add everything in one transaction."""
    if not growth.units:
        fix = "pass a new --candidate, a --suite with more items, or a larger --plan"
        raise OptionError("there is nothing to add", where="the campaign", fix=fix)
    campaign, systems, items, documents = schema.campaign, schema.systems, schema.items, schema.documents
    with store.write() as connection:
        # Two who let it grow at the same time: the second one meets a campaign that it was not made for.
        connection.execute(select(campaign.c.id).with_for_update())
        if _count(connection, schema.units) != growth.before:
            fix = "run the same command again"
            raise MismatchError("the campaign has grown meanwhile", where=store.address, fix=fix)
        facts = read_campaign(connection)
        known_systems = set(connection.execute(select(systems.c.id)).scalars())
        known_items = set(connection.execute(select(items.c.id)).scalars())
        new_systems = [system for system in growth.pool.systems.values() if system.id not in known_systems]
        # The ids of items and systems are hashes of their content.
        new_items = [item for item in growth.pool.items if item.id not in known_items]
        drawn = {unit.item.id for unit in growth.units}
        if growth.plan is not None:
            new_items = [item for item in new_items if item.id in drawn]
        have = _count(connection, documents)
        first = connection.execute(select(func.sum(documents.c.segments))).scalar() or 0
        insert_documents(connection, growth.loaded.suite.documents[have:], first=first)
        insert_systems(connection, new_systems, first=_count(connection, systems))
        if growth.words is not None:
            _insert_texts(connection, growth, growth.words)
        insert_items(connection, new_items, first=_count(connection, items))
        insert_units(connection, growth.units)
        by_person = _assign(connection, facts, growth.units)
        stored = {item.id: item for item in growth.pool.items}
        columns = suite_columns(growth.loaded.suite, stored.values())
        columns["categories"] = _joined_categories(connection, columns["categories"])
        values = {**columns, **plan_columns(growth.plan, growth.population)}
        connection.execute(update(campaign).values(values))
        added = GrownCampaign(
            len(new_systems), len(new_items), len(growth.units), sum(by_person.values()), by_person
        )
        detail = {name: str(getattr(added, name)) for name in ("systems", "items", "units", "assignments")}
        note(connection, actor=by, action=GROWN, detail=detail)
        analyse(connection)
    return added


def _count(connection: Connection, table: Any) -> int:
    return int(connection.execute(select(func.count()).select_from(table)).scalar_one())


def _joined_categories(connection: Connection, categories: str) -> str:
    """All categories, old ones first."""
    old = json.loads(connection.execute(select(schema.campaign.c.categories)).scalar_one())
    joined = {category["name"]: category for category in [*old, *json.loads(categories)]}
    return json.dumps([*joined.values()], ensure_ascii=False)


def _insert_texts(connection: Connection, growth: _Growth, words: Words) -> None:
    """Insert the missing lines: those of new systems and new documents."""
    table = schema.texts
    query = select(table.c.side, table.c.name, func.count()).group_by(table.c.side, table.c.name)
    have = {(side, name): number for side, name, number in connection.execute(query)}
    # Text is only ever added behind what is there, so that the number of lines says what is new.
    rows = text_rows(growth.loaded, growth.linked, [*growth.pool.systems.values()], words)
    new = (row for row in rows if row["segment"] >= have.get((row["side"], row["name"]), 0))
    insert_rows(connection, table, new)


def _assign(connection: Connection, facts: Campaign, units: Sequence[PoolUnit]) -> dict[str, int]:
    """Distribute units among all active annotators, after each one's last assignment."""
    who, given = schema.people, schema.assignments
    active = select(who.c.id, who.c.name).where(who.c.role == PersonRole.ANNOTATOR.value, who.c.active)
    people = {row.name: row.id for row in connection.execute(active.order_by(who.c.name))}
    if not people:
        fix = "add one first: anaphor annotate annotator DATABASE --add NAME"
        raise OptionError("the campaign has no active annotator", where="people", fix=fix)
    last = select(func.max(given.c.place), func.max(given.c.batch)).where
    workload = WorkloadConfig(
        overlap=facts.overlap,
        raters=facts.raters,
        batch_size=facts.batch_size,
        # Another draw each time: otherwise the first in the alphabet would always get the remainder.
        seed=facts.seed + _count(connection, schema.units),
    )
    numbers = {}
    for name, part in assign(units, list(people), workload).items():
        place, batch = connection.execute(last(given.c.person == people[name])).one()
        moved = (
            replace(assignment, place=assignment.place + (place or 0), batch=assignment.batch + (batch or 0))
            for assignment in part
        )
        insert_rows(connection, given, (assignment.row(people[name]) for assignment in moved))
        numbers[name] = len(part)
    return numbers
