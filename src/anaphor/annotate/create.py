"""A new campaign: everything is read, linked, drawn and checked first, then written in one transaction."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from sqlalchemy import Connection

from anaphor.annotate.assigning import Assigned, Shares, assign
from anaphor.annotate.attention import Attention, attention_units
from anaphor.annotate.audit import COMMAND_LINE, note_in
from anaphor.annotate.clock import fresh_id, now
from anaphor.annotate.conflicts import POLITENESS_TAGS, STANDARD_TAGS
from anaphor.annotate.draw import Drawing, draw, units_of
from anaphor.annotate.drawn import DrawnUnit
from anaphor.annotate.filling import Filling, fill
from anaphor.annotate.linked import link_candidates
from anaphor.annotate.nouns import Mode
from anaphor.annotate.people import check_name
from anaphor.annotate.planned import planned_units
from anaphor.annotate.rules import BAD_CHOICE
from anaphor.annotate.store import Store, create_store
from anaphor.core import InputError, LanguagePair, OptionError, Suite
from anaphor.corpus import Text
from anaphor.languages import known_pairs, load_pair
from anaphor.meta import Plan, plan_json
from anaphor.meta.gaps import CHOICES
from anaphor.suite import EvaluationOptions, GivenLinks, LoadedSuite
from anaphor.suite.linking import tokenizer_for

#: As the shipped suites and PROTEST call it; politeness is tagged there.
_SINGULAR_YOU = "addressee_deictic_singular_you"
MAX_GUIDELINES = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What a campaign is to be. Empty `choices` are those of the pair; `attention` is for each person."""

    annotators: tuple[str, ...]
    mode: Mode = Mode.JUDGE
    name: str = ""
    shares: Shares = field(default_factory=Shares)
    attention: int = 0
    mismatches_only: bool = False
    tags: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    guidelines: str = ""


@dataclass(frozen=True, slots=True)
class Created:
    """What was written: how many items, units, assignments in all, and assignments of each annotator."""

    items: int
    units: int
    assignments: int
    by_person: Mapping[str, int]


def create_campaign(
    address: str | Path,
    loaded: LoadedSuite,
    candidates: Mapping[str, Text],
    options: EvaluationOptions,
    wishes: Wishes,
    *,
    plan: Plan | None = None,
    plan_path: str = "the plan",
    links: GivenLinks | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Created:
    """Make a database with a campaign; nothing is left behind where something does not fit."""
    names = tuple(map(check_name, wishes.annotators))
    _check(wishes, plan)
    linked = link_candidates(loaded, candidates, options, links=links, progress=progress)
    progress("drawing")
    drawing = draw(loaded, candidates, linked)
    if plan is None:
        units = units_of(drawing, wishes.mode, mismatches_only=wishes.mismatches_only)
    else:
        drawing, units = planned_units(loaded, linked, drawing, plan, path=plan_path)
    if not units:
        raise InputError("there is nothing to judge", where=loaded.suite.name, fix="take more items in")
    words = tokenizer_for(loaded.suite.pair.target, options, links=links)
    seed = wishes.shares.seed
    extra = (
        attention_units(loaded, linked, drawing.items, count=wishes.attention, seed=seed, words=words)
        if wishes.attention
        else Attention((), ())
    )
    assigned = assign(units, names, wishes.shares, attention=extra.units)
    progress("writing")
    filling = Filling(
        loaded=loaded,
        linked=linked,
        words=words,
        systems=(*drawing.systems.values(), *extra.systems),
        items=drawing.items,
        units=(*units, *extra.units),
        assigned=assigned,
        campaign=_campaign_row(loaded, wishes, plan),
        categories=_categories(loaded, drawing),
    )
    _write(address, filling)
    return _created(drawing, units, assigned)


def _write(address: str | Path, filling: Filling) -> None:
    def write(connection: Connection) -> None:
        fill(connection, filling)
        note_in(connection, actor=COMMAND_LINE, action="campaign created")

    store: Store = create_store(address, write)
    store.close()


def _created(
    drawing: Drawing, units: Sequence[DrawnUnit], assigned: Mapping[str, Sequence[Assigned]]
) -> Created:
    by_person = {name: len(rows) for name, rows in assigned.items()}
    return Created(len(drawing.items), len(units), sum(by_person.values()), by_person)


def _check(wishes: Wishes, plan: Plan | None) -> None:
    judged = wishes.mode is Mode.JUDGE
    rules = (
        (wishes.mode is Mode.COMPARE and plan is not None, "--plan", "a plan is about single systems"),
        (
            plan is not None and wishes.mismatches_only,
            "--mismatches-only",
            "a plan says itself what is judged",
        ),
        (
            wishes.mode is Mode.COMPARE and wishes.mismatches_only,
            "--mismatches-only",
            "comparisons have no such",
        ),
        (wishes.attention > 0 and not judged, "--attention", "attention items are for judging"),
        (wishes.attention < 0, "--attention", "not a number of items"),
        (bool(wishes.choices) and wishes.mode is not Mode.GAPS, "--choices", "choices are for gap filling"),
        (len(wishes.guidelines) > MAX_GUIDELINES, "--guidelines", "the text is too long"),
    )
    for broken, option, what in rules:
        if broken:
            raise OptionError(what, where=option, fix="leave the option out, or choose another --mode")


def _campaign_row(loaded: LoadedSuite, wishes: Wishes, plan: Plan | None) -> dict[str, str | None]:
    suite = loaded.suite
    facts = {
        "source_language": suite.pair.source,
        "target_language": suite.pair.target,
        "suite": f"{suite.name} {suite.version}",
        "tags": list(dict.fromkeys((*STANDARD_TAGS, *wishes.tags))),
        "category_tags": {_SINGULAR_YOU: POLITENESS_TAGS},
        "choices": _choices(suite, wishes),
        "guidelines": wishes.guidelines,
        **asdict(wishes.shares),
    }
    return {
        "id": fresh_id(),
        "name": wishes.name or suite.name,
        "mode": wishes.mode.value,
        "created": now(),
        "facts": json.dumps(facts, ensure_ascii=False),
        "sampling_plan": None if plan is None else plan_json(plan),
    }


def _choices(suite: Suite, wishes: Wishes) -> list[str]:
    if wishes.mode is not Mode.GAPS:
        return []
    if wishes.choices:
        return list(dict.fromkeys((*wishes.choices, "other", BAD_CHOICE)))
    if suite.pair == LanguagePair("en", "fr"):
        return list(CHOICES)  # those of DiscoMT 2015
    if str(suite.pair) not in known_pairs():
        raise OptionError(
            f"no pack says which pronouns {suite.pair} has", where="--choices", fix="name the choices"
        )
    return list(dict.fromkeys((*load_pair(suite.pair).target_pronouns, "other", BAD_CHOICE)))


def _categories(loaded: LoadedSuite, drawing: Drawing) -> list[dict[str, object]]:
    """Those of the suite, then those that only the plan knows."""
    rows: dict[str, dict[str, object]] = {
        one.name: {"name": one.name, "antecedent": one.antecedent, "description": one.description}
        for one in loaded.suite.categories
    }
    for item in drawing.items:
        rows.setdefault(item.category, {"name": item.category, "antecedent": False, "description": ""})
    return list(rows.values())
