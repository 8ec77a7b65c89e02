"""Making a campaign: all is read, linked, sampled and checked first, then written in one transaction."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from sqlalchemy import Connection, insert

from anaphor.annotate.answer_json import answer_json
from anaphor.annotate.campaign import pool as pools
from anaphor.annotate.campaign.attention import attention_units
from anaphor.annotate.campaign.facts import REFERENCE, SOURCE, SYSTEM
from anaphor.annotate.campaign.people import check_name, insert_person
from anaphor.annotate.campaign.pool import PoolItem, PoolSystem
from anaphor.annotate.campaign.workload import WorkloadConfig, assign, insert_rows
from anaphor.annotate.rules import BAD_CHOICE, POLITENESS_TAGS, STANDARD_TAGS
from anaphor.annotate.store import create_store, schema
from anaphor.annotate.store.audit import COMMAND_LINE, fresh_id, note, now
from anaphor.annotate.store.database import to_row
from anaphor.annotate.types import Mode, PersonRole, marks_json, targets_json
from anaphor.core import InputError, LanguagePair, OptionError, Suite
from anaphor.core.table import Block, JsonFields, Paragraph, counted
from anaphor.corpus import Text
from anaphor.languages import known_pairs, load_pair
from anaphor.meta import SamplingPlan, plan_json
from anaphor.meta.gaps import CHOICES
from anaphor.suite import EvaluationOptions, GivenLinks, LoadedSuite, suite_digest
from anaphor.suite.format import format_header, format_items
from anaphor.suite.linking import LinkedTexts, tokenizer_for
from anaphor.suite.texts import Words

#: The category's name in the shipped suites and in PROTEST; politeness is tagged there.
_SINGULAR_YOU = "addressee_deictic_singular_you"
MAX_GUIDELINES = 100_000
MAX_NUMBERED = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignConfig:
    """What a campaign asks, and whom. Empty `choices` are those of the language pair.

    `attention` is the number of attention items for every annotator.
    """

    annotators: tuple[str, ...]
    mode: Mode = Mode.JUDGE
    name: str = ""
    workload: WorkloadConfig = field(default_factory=WorkloadConfig)
    attention: int = 0
    mismatches_only: bool = False
    tags: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    guidelines: str = ""


@dataclass(frozen=True, slots=True)
class CreatedCampaign(JsonFields):
    """The number of items, units and assignments written, and of assignments of each annotator.

    `without_gap` counts what gap filling leaves out: translations in which no word is linked to the pronoun.
    """

    database: str
    items: int
    units: int
    assignments: int
    by_person: Mapping[str, int]
    without_gap: int = 0

    json_keys: ClassVar = {"database": None, "by_person": "annotators"}

    def tables(self) -> Sequence[Block]:
        lines = [f"{self.database}: {counted(self.items, 'item')}, {counted(self.units, 'example')} to judge"]
        if self.without_gap:
            left_out = counted(self.without_gap, "example")
            lines.append(f"  {left_out} left out: no word of the translation is linked to the pronoun")
        return [Paragraph([*lines, *(f"  {name}: {count}" for name, count in self.by_person.items())])]


def numbered_annotators(names: Sequence[str]) -> tuple[str, ...]:
    """The names; a single number stands for annotator-1, annotator-2 and so on."""
    if len(names) == 1 and names[0].isdecimal() and 0 < int(names[0]) <= MAX_NUMBERED:
        return tuple(f"annotator-{number}" for number in range(1, int(names[0]) + 1))
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
    links: GivenLinks | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> CreatedCampaign:
    """Make a database with a campaign; after an error nothing is left behind."""
    names = tuple(map(check_name, config.annotators))
    _check(config, plan)
    linked = pools.link_candidates(loaded, candidates, options, links=links, progress=progress)
    progress("sampling")
    pool = pools.build_pool(loaded, candidates, linked, packs=options.aligner.packs)
    if plan is None:
        units = pools.all_units(pool, config.mode, mismatches_only=config.mismatches_only)
    else:
        pool, units = pools.planned_units(
            loaded, linked, pool, plan, path=plan_path, packs=options.aligner.packs
        )
    asked = len(units)
    if config.mode is Mode.GAPS:  # no word of the translation is linked to the pronoun: nothing to hide
        units = tuple(unit for unit in units if unit.targets[0].highlight.pronoun)
    if not units:
        raise InputError("there is nothing to judge", where=loaded.suite.name, fix="include more items")
    words = tokenizer_for(loaded.suite.pair.target, options, links=links)
    made_up, attention = attention_units(
        loaded, linked, pool.items, count=config.attention, seed=config.workload.seed, words=words
    )
    assigned = assign(units, names, config.workload, attention=attention)
    campaign = _campaign_row(loaded.suite, config, pool.items, plan, options.aligner.packs)
    systems = (*pool.systems.values(), *made_up)
    progress("writing")

    def fill(connection: Connection) -> None:
        connection.execute(insert(schema.campaign).values(campaign))
        first = 0
        documents = []
        for document in loaded.suite.documents:
            documents.append({"id": document.id, "first": first, "segments": document.segments})
            first += document.segments
        insert_rows(connection, schema.documents, documents)
        rows = (to_row(schema.systems, one, place=place) for place, one in enumerate(systems))
        insert_rows(connection, schema.systems, rows)
        insert_rows(connection, schema.texts, _text_rows(loaded, linked, systems, words))
        rows = (
            to_row(
                schema.items,
                one,
                pronoun_key=one.key,
                place=place,
                marks=marks_json(one.marks),
                reference_words=json.dumps(one.reference_words, ensure_ascii=False),
            )
            for place, one in enumerate(pool.items)
        )
        insert_rows(connection, schema.items, rows)
        rows = (
            to_row(
                schema.units,
                unit,
                item=unit.item.id,
                category=unit.item.category,
                targets=targets_json(unit.targets),
                expected=None if unit.expected is None else answer_json(unit.expected),
            )
            for unit in (*units, *attention)
        )
        insert_rows(connection, schema.units, rows)
        for name, part in assigned.items():
            person = insert_person(connection, name, PersonRole.ANNOTATOR)
            insert_rows(connection, schema.assignments, (one.row(person.id) for one in part))
        note(connection, actor=COMMAND_LINE, action="campaign created")

    create_store(address, fill).close()
    by_person = {name: len(part) for name, part in assigned.items()}
    database = Path(address).name if "://" not in str(address) else "the database"
    return CreatedCampaign(
        database, len(pool.items), len(units), sum(by_person.values()), by_person, asked - len(units)
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
        (len(config.guidelines) > MAX_GUIDELINES, "--guidelines", "the text is too long"),
    )
    for broken, option, what in rules:
        if broken:
            raise OptionError(what, where=option, fix="leave the option out, or choose another --mode")


def _campaign_row(
    suite: Suite,
    config: CampaignConfig,
    items: Iterable[PoolItem],
    plan: SamplingPlan | None,
    packs: Path | None,
) -> dict[str, str | None]:
    categories: dict[str, dict[str, object]] = {
        one.name: {"name": one.name, "antecedent": one.antecedent, "description": one.description}
        for one in suite.categories
    }
    for item in items:  # a plan may have categories of its own
        categories.setdefault(item.category, {"name": item.category, "antecedent": False, "description": ""})
    facts = {
        "source_language": suite.pair.source,
        "target_language": suite.pair.target,
        "suite": f"{suite.name} {suite.version}",
        "tags": list(dict.fromkeys((*STANDARD_TAGS, *config.tags))),
        "category_tags": {_SINGULAR_YOU: POLITENESS_TAGS},
        "choices": _choices(suite, config, packs),
        "guidelines": config.guidelines,
        **asdict(config.workload),
    }
    return {
        "id": fresh_id(),
        "name": config.name or suite.name,
        "mode": config.mode.value,
        "created": now(),
        "facts": json.dumps(facts, ensure_ascii=False),
        "sampling_plan": None if plan is None else plan_json(plan),
        "suite_header": format_header(suite, None),
        "suite_items": format_items(suite),
        "suite_digest": suite_digest(suite),
        "categories": json.dumps(list(categories.values()), ensure_ascii=False),
    }


def _choices(suite: Suite, config: CampaignConfig, packs: Path | None) -> list[str]:
    if config.mode is not Mode.GAPS:
        return []
    if config.choices:
        return list(dict.fromkeys((*config.choices, "other", BAD_CHOICE)))
    if suite.pair == LanguagePair("en", "fr"):
        return list(CHOICES)  # those of DiscoMT 2015
    if str(suite.pair) not in known_pairs(packs):
        what = f"there is no pack for {suite.pair} that lists its pronouns"
        raise OptionError(what, where="--choices", fix="name the choices, or a folder with a pack (--packs)")
    forms = load_pair(suite.pair, folder=packs).target_pronouns
    return list(dict.fromkeys((*forms, "other", BAD_CHOICE)))


def _text_rows(
    loaded: LoadedSuite, linked: LinkedTexts, systems: Sequence[PoolSystem], words: Words
) -> Iterator[dict[str, Any]]:
    yield from _side_rows(SOURCE, "", loaded.texts.source_lines, linked.source)
    for name in loaded.texts.references:
        lines = [line or "" for line in loaded.texts.lines(name)]
        yield from _side_rows(REFERENCE, name, lines, [words(line) for line in lines])
    for one in systems:
        yield from _side_rows(SYSTEM, one.id, one.lines, one.tokens, one.links)


def _side_rows(
    side: str,
    name: str,
    lines: Sequence[str],
    tokens: Sequence[Sequence[str]],
    links: Sequence[str] | None = None,
) -> Iterator[dict[str, Any]]:
    for segment, (line, words) in enumerate(zip(lines, tokens, strict=True)):
        yield {
            "side": side,
            "name": name,
            "segment": segment,
            "line": line,
            "tokens": json.dumps(list(words), ensure_ascii=False),
            "links": None if links is None else links[segment],
        }
