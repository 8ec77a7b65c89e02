"""Making a campaign: everything is read, linked, sampled and checked first, then written in one
transaction."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import ClassVar

from sqlalchemy import Connection, insert

from anaphor.annotate.campaign import pool as pools
from anaphor.annotate.campaign.attention import attention_units
from anaphor.annotate.campaign.completion import check_completion
from anaphor.annotate.campaign.content import (
    insert_documents,
    insert_items,
    insert_systems,
    insert_units,
    plan_columns,
    suite_columns,
    text_rows,
)
from anaphor.annotate.campaign.people import check_name, insert_person
from anaphor.annotate.campaign.practice import PracticeExample, explained, practice_units, require_apart
from anaphor.annotate.campaign.sampling import check_population, drawn_units, own_plan
from anaphor.annotate.campaign.workload import WorkloadConfig, assign, insert_rows
from anaphor.annotate.rules import BAD_CHOICE, POLITENESS_TAGS, STANDARD_TAGS
from anaphor.annotate.store import create_store, schema
from anaphor.annotate.store.audit import COMMAND_LINE, fresh_id, note, now
from anaphor.annotate.suggested import AFTER, BEFORE
from anaphor.annotate.types import CampaignOptions, Mode, PersonRole
from anaphor.core import InputError, LanguagePair, OptionError, Suite
from anaphor.core.records import whole_number
from anaphor.core.table import Block, JsonFields, Paragraph, counted
from anaphor.corpus import Text
from anaphor.languages import known_pairs, load_pair
from anaphor.meta import PlannedUnit, SamplingPlan
from anaphor.meta.gaps import CHOICES
from anaphor.suite import EvaluationOptions, GivenLinks, LoadedSuite
from anaphor.suite.linking import tokenizer_for

#: The category's name in the shipped suites and in PROTEST; politeness is tagged there.
_SINGULAR_YOU = "addressee_deictic_singular_you"
MAX_GUIDELINES = 100_000
MAX_NUMBERED = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignConfig(CampaignOptions):
    """What a campaign asks, and whom. Empty `choices` are those of the language pair.

    - `attention`: the number of attention items for every annotator.
    - `budget`: the number of examples to judge first; others are added when more are needed. None for all.
    - `practice`: examples that everyone answers first, with feedback; or how many to generate.
    """

    annotators: tuple[str, ...]
    mode: Mode = Mode.JUDGE
    name: str = ""
    workload: WorkloadConfig = field(default_factory=WorkloadConfig)
    attention: int = 0
    tags: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    budget: int | None = None
    practice: int | tuple[PracticeExample, ...] = 0


@dataclass(frozen=True, slots=True)
class CreatedCampaign(JsonFields):
    """The number of items, units and assignments written, and of assignments of each annotator.

    `without_gap` counts what gap filling leaves out: translations in which no word was found for the pronoun.
    `without_frame` counts such examples of the other modes.
    """

    database: str
    items: int
    units: int
    assignments: int
    by_person: Mapping[str, int]
    without_gap: int = 0
    without_frame: int = 0

    json_keys: ClassVar = {"database": None, "by_person": "annotators"}

    def tables(self) -> Sequence[Block]:
        lines = [f"{self.database}: {counted(self.items, 'item')}, {counted(self.units, 'example')} to judge"]
        if self.without_gap:
            left_out = counted(self.without_gap, "example")
            lines.append(f"  {left_out} left out: no word of the translation was found for the pronoun")
        if self.without_frame:
            examples = counted(self.without_frame, "example")
            lines.append(f"  {examples} without a frame: no word was found for the pronoun")
        return [Paragraph([*lines, *(f"  {name}: {count}" for name, count in self.by_person.items())])]


def numbered_annotators(names: Sequence[str]) -> tuple[str, ...]:
    """The names; a single number means annotator-1, annotator-2 and so on."""
    if len(names) == 1 and 0 < (count := whole_number(names[0]) or 0) <= MAX_NUMBERED:
        return tuple(f"annotator-{number}" for number in range(1, count + 1))
    return tuple(names)


def create_campaign(
    address: str | Path,
    loaded: LoadedSuite,
    candidates: Mapping[str, Text],
    options: EvaluationOptions,
    config: CampaignConfig,
    *,
    plan: SamplingPlan | None = None,
    plan_path: str = "the plan",
    population: Sequence[PlannedUnit] | None = None,
    links: GivenLinks | None = None,
    guess: pools.Guesser | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> CreatedCampaign:
    """Make a database with a campaign; after an error nothing is left behind.

    `population` has the items that the plan was drawn from, so more of them can be drawn later.
    `guess` is the automatic verdict, for a campaign with suggestions.
    """
    names = tuple(map(check_name, config.annotators))
    _check(config, plan)
    linked = pools.link_candidates(loaded, candidates, options, links=links, progress=progress)
    guesses: pools.Guesses = {}
    if config.suggestions:
        if guess is None:
            fix = "pass the verdict that they come from, or leave suggestions out"
            raise OptionError("there is nothing to suggest", where="--suggestions", fix=fix)
        progress("judging")
        guesses = guess(loaded, candidates, linked)
    progress("sampling")
    words = tokenizer_for(loaded.suite.pair.target, options, links=links)
    references = pools.reference_tokens(loaded, words)
    pool = pools.build_pool(loaded, candidates, linked, references=references, packs=options.aligner.packs)
    pool = pools.with_guesses(pool, guesses)
    made = config.practice if isinstance(config.practice, int) else 0
    made_up, known = attention_units(
        loaded,
        linked,
        pool.items,
        count=made + config.attention,
        seed=config.workload.seed,
        words=words,
        packs=options.aligner.packs,
    )
    practice, attention = explained(known, made, systems=made_up)
    if not isinstance(config.practice, int):
        practice = practice_units(pool, config.practice)
    if plan is not None:
        pool, units = pools.planned_units(
            loaded, linked, pool, plan, path=plan_path, packs=options.aligner.packs, guesses=guesses
        )
        if population is not None:
            check_population(plan, population, path=plan_path)
        require_apart(practice, units)
    else:
        units = pools.all_units(pool, config.mode, mismatches_only=config.mismatches_only)
        shown_first = {unit.id for unit in practice}
        units = tuple(unit for unit in units if unit.id not in shown_first)
        if config.budget is not None:
            plan, population = own_plan(pool, units, budget=config.budget, seed=config.workload.seed)
            units = drawn_units(pool, units, plan)
    offered = len(units)
    if config.mode is Mode.GAPS:  # without a word for the pronoun there is nothing to hide
        units = tuple(unit for unit in units if unit.targets[0].highlight.pronoun)
    if not units:
        raise InputError("there is nothing to judge", where=loaded.suite.name, fix="include more items")
    assigned = assign(units, names, config.workload, attention=attention, practice=practice)
    campaign = {
        **suite_columns(loaded.suite, pool.items),
        **plan_columns(plan, population),
        "id": fresh_id(),
        "name": config.name or loaded.suite.name,
        "mode": config.mode.value,
        "created": now(),
        "facts": _facts(loaded.suite, config, options.aligner.packs),
    }
    systems = (*pool.systems.values(), *made_up)
    progress("writing")

    def fill(connection: Connection) -> None:
        connection.execute(insert(schema.campaign).values(campaign))
        insert_documents(connection, loaded.suite.documents)
        insert_systems(connection, systems)
        insert_rows(connection, schema.texts, text_rows(loaded, linked, systems, words))
        insert_items(connection, pool.items)
        insert_units(connection, (*units, *practice, *attention))
        for name, part in assigned.items():
            person = insert_person(connection, name, PersonRole.ANNOTATOR)
            insert_rows(connection, schema.assignments, (assignment.row(person.id) for assignment in part))
        note(connection, actor=COMMAND_LINE, action="campaign created")

    create_store(address, fill).close()
    by_person = {name: len(part) for name, part in assigned.items()}
    database = Path(address).name if "://" not in str(address) else "the database"
    return CreatedCampaign(
        database,
        len(pool.items),
        len(units),
        sum(by_person.values()),
        by_person,
        offered - len(units),
        sum(not all(target.highlight.pronoun for target in unit.targets) for unit in units),
    )


def _check(config: CampaignConfig, plan: SamplingPlan | None) -> None:
    planned, mode, only_mismatches = plan is not None, config.mode, config.mismatches_only
    comparing, option = mode is Mode.COMPARE, "--mismatches-only"
    rules = (
        (comparing and planned, "--plan", "a plan samples single systems, not comparisons"),
        (planned and only_mismatches, option, f"{option} does not apply with a plan"),
        (comparing and only_mismatches, option, f"{option} does not apply to compare mode"),
        (
            config.attention > 0 and mode is not Mode.JUDGE,
            "--attention",
            "attention items are only for judging",
        ),
        (config.attention < 0, "--attention", f"invalid number of attention items: {config.attention}"),
        (bool(config.choices) and mode is not Mode.GAPS, "--choices", "choices are only for gap filling"),
        (
            comparing and config.budget is not None,
            "--budget",
            "a budget is for single systems, not comparisons",
        ),
        (planned and config.budget is not None, "--budget", "a plan already has a budget"),
        (comparing and config.practice != 0, "--practice", "there is no practice for comparisons"),
        (
            mode is Mode.GAPS and isinstance(config.practice, int) and config.practice > 0,
            "--practice",
            "practice for gap filling is read from a file",
        ),
        (
            isinstance(config.practice, int) and config.practice < 0,
            "--practice",
            "invalid number of examples",
        ),
        (not 0 <= config.study_people <= MAX_NUMBERED, "--study-people", "invalid number of people"),
        (
            config.adaptive and mode is not Mode.JUDGE,
            "--adaptive",
            ("only judgements can be used for estimates"),
        ),
        (config.suggestions not in ("", BEFORE, AFTER), "--suggestions", "suggestions are before or after"),
        (
            bool(config.suggestions) and mode is not Mode.JUDGE,
            "--suggestions",
            "suggestions are only for judging",
        ),
        (not 0 < config.suggestion_share <= 1, "--suggestion-share", "the share is above 0, and at most 1"),
        (len(config.guidelines) > MAX_GUIDELINES, "--guidelines", "the text is too long"),
        (len(config.consent) > MAX_GUIDELINES, "--consent", "the text is too long"),
        (
            not 0 <= config.practice_required <= 1 or (config.practice_required > 0 and config.practice == 0),
            "--practice-required",
            "the required share is one of practice, from 0 to 1",
        ),
        (
            config.attention_limit < 0 or (config.attention_limit > 0 and config.attention == 0),
            "--attention-limit",
            "the limit is one of attention items",
        ),
    )
    for broken, option, what in rules:
        if broken:
            raise OptionError(what, where=option, fix="omit the option, or choose another --mode")
    check_completion(config.completion_code, config.completion_url)


def _facts(suite: Suite, config: CampaignConfig, packs: Path | None) -> str:
    facts = {
        "source_language": suite.pair.source,
        "target_language": suite.pair.target,
        "suite": f"{suite.name} {suite.version}",
        "tags": list(dict.fromkeys((*STANDARD_TAGS, *config.tags))),
        "category_tags": {_SINGULAR_YOU: POLITENESS_TAGS},
        "choices": _choices(suite, config, packs),
        **{option.name: getattr(config, option.name) for option in fields(CampaignOptions)},
        "study_token": secrets.token_urlsafe(24) if config.study_people else "",
        **asdict(config.workload),
    }
    return json.dumps(facts, ensure_ascii=False)


def _choices(suite: Suite, config: CampaignConfig, packs: Path | None) -> list[str]:
    if config.mode is not Mode.GAPS:
        return []
    if config.choices:
        return list(dict.fromkeys((*config.choices, "other", BAD_CHOICE)))
    if suite.pair == LanguagePair("en", "fr"):
        return list(CHOICES)  # those of DiscoMT 2015
    if str(suite.pair) not in known_pairs(packs):
        what = f"there is no pack for {suite.pair} that lists its pronouns"
        raise OptionError(
            what, where="--choices", fix="specify the choices, or a folder with a pack (--packs)"
        )
    forms = load_pair(suite.pair, folder=packs).target_pronouns
    return list(dict.fromkeys((*forms, "other", BAD_CHOICE)))
