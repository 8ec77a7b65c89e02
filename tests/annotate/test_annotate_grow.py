"""Campaigns that grow: systems, items and a larger sample join while answers stay as they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from anaphor.align import AlignerChoice
from anaphor.annotate.analysis.more import draw_more
from anaphor.annotate.analysis.status import read_status, remaining
from anaphor.annotate.analysis.tally import CampaignTally
from anaphor.annotate.campaign.create import CampaignConfig, create_campaign
from anaphor.annotate.campaign.facts import campaign_plan, campaign_suite, system_names
from anaphor.annotate.campaign.grow import GROWN, GrownCampaign, StoredCampaign, grow_campaign
from anaphor.annotate.campaign.people import find_person, people
from anaphor.annotate.campaign.pool import build_pool
from anaphor.annotate.campaign.sampling import with_new_systems
from anaphor.annotate.campaign.workload import WorkloadConfig, add_annotator, add_annotators
from anaphor.annotate.exchange import export_parts
from anaphor.annotate.judging.assignments import list_assignments, progress_of
from anaphor.annotate.maintenance import check
from anaphor.annotate.store import schema
from anaphor.annotate.store.audit import audit_log
from anaphor.annotate.store.database import Store, open_store
from anaphor.annotate.types import Mode
from anaphor.core import MismatchError, OptionError, Outcome
from anaphor.corpus import Text
from anaphor.meta import PlannedUnit, make_plan
from anaphor.suite import EvaluationOptions, LoadedSuite, SuiteTexts

AnswerAll = Callable[..., int]
ANNOTATORS = ("ann", "bob", "cem")


@pytest.fixture(scope="session")
def options(loaded: LoadedSuite) -> EvaluationOptions:
    return EvaluationOptions(aligner=AlignerChoice(pair=loaded.suite.pair))


@pytest.fixture(scope="session")
def gamma(loaded: LoadedSuite) -> dict[str, Text]:
    """The reference as a third system."""
    return {"gamma": Text.of([line or "" for line in loaded.texts.lines("reference")], path="gamma.fr")}


def rows(store: Store, table: Any) -> int:
    with store.read() as connection:
        return int(connection.execute(select(func.count()).select_from(table)).scalar_one())


def answers(store: Store) -> list[Any]:
    with store.read() as connection:
        return list(connection.execute(select(schema.answers).order_by(schema.answers.c.id)).all())


def part_of(loaded: LoadedSuite, documents: tuple[str, ...], items: int | None = None) -> LoadedSuite:
    """Some documents of a suite, or its first items, as a suite of its own."""
    suite, texts = loaded
    kept = tuple(one for one in suite.items if one.document in documents)[:items]
    sides = {name: {one: part[one] for one in documents if one in part} for name, part in texts.sides()}
    of_suite = tuple(one for one in suite.documents if one.id in documents)
    return LoadedSuite(replace(suite, documents=of_suite, items=kept), SuiteTexts(sides.pop("source"), sides))


def test_what_a_campaign_was_made_from_is_read_back_whole(store: Store) -> None:
    with store.read() as connection:
        stored = StoredCampaign.read(connection)
        units = set(
            connection.execute(select(schema.units.c.id).where(schema.units.c.expected.is_(None))).scalars()
        )
    pool = build_pool(stored.loaded, stored.candidates, stored.linked, references=stored.references)
    assert {one.id for one in pool.items} == stored.items
    assert {name: one.id for name, one in pool.systems.items()} == stored.known
    assert {pool.unit([name], item).id for name in pool.systems for item in pool.items} == units


def test_a_system_joins_while_all_answers_stay(
    any_answered: Store, options: EvaluationOptions, gamma: dict[str, Text]
) -> None:
    before, old = answers(any_answered), rows(any_answered, schema.assignments)
    added = grow_campaign(any_answered, options, candidates=gamma)
    assert (added.systems, added.items, added.units) == (1, 0, 34)
    assert rows(any_answered, schema.assignments) == old + added.assignments
    assert sum(added.by_person.values()) == added.assignments > added.units, "a share goes to several"
    assert set(added.by_person) == set(ANNOTATORS)
    assert answers(any_answered) == before
    with any_answered.read() as connection:
        assert [name for name in system_names(connection).values() if ":" not in name] == [
            "alpha",
            "beta",
            "gamma",
        ]
    for name in ANNOTATORS:
        own = list_assignments(any_answered, find_person(any_answered, name).id)
        assert [one.position for one in own] == list(range(1, len(own) + 1)), "new work follows the old"
        assert [one.batch for one in own] == sorted(one.batch for one in own)
    (entry,) = (one for one in audit_log(any_answered) if one.action == GROWN)
    assert entry.detail == {
        "systems": "1",
        "items": "0",
        "units": "34",
        "assignments": str(added.assignments),
    }
    assert not any(check(any_answered).values())


def test_new_work_is_answered_counted_and_exported(
    answered: Store, options: EvaluationOptions, gamma: dict[str, Text], answer_all: AnswerAll
) -> None:
    tally = CampaignTally.of(answered)
    grow_campaign(answered, options, candidates=gamma)
    answer_all(answered, seed=2)
    assert read_status(answered).overall.units_answered == 34 * 3
    assert tally.refresh(answered).answered_units() == 34 * 3, "a tally that is open follows"
    lines = b"".join(export_parts(answered, "judgements")).decode().splitlines()
    assert Counter(line.split("\t")[0] for line in lines)["gamma"] >= 34
    assert not any(check(answered).values())


def test_a_system_that_is_there_is_refused_and_nothing_is_written(
    store: Store, options: EvaluationOptions, candidates: dict[str, Text]
) -> None:
    with pytest.raises(OptionError, match="already has a system alpha"):
        grow_campaign(store, options, candidates={"alpha": candidates["alpha"]})
    with pytest.raises(OptionError, match="nothing to add"):
        grow_campaign(store, options)
    short = {"gamma": Text.of(["too", "short"], path="gamma.fr")}
    with pytest.raises(MismatchError):
        grow_campaign(store, options, candidates=short)
    assert rows(store, schema.systems) == 2 + 2, "two candidates, and two texts of attention items"


def test_items_join_in_documents_that_are_there(
    loaded: LoadedSuite,
    candidates: dict[str, Text],
    options: EvaluationOptions,
    empty_address: str,
    answer_all: AnswerAll,
) -> None:
    few = part_of(loaded, tuple(one.id for one in loaded.suite.documents), items=10)
    create_campaign(empty_address, few, candidates, options, CampaignConfig(annotators=ANNOTATORS))
    with open_store(empty_address) as store:
        answer_all(store)
        before = answers(store)
        added = grow_campaign(store, options, suite=loaded)
        assert (added.systems, added.items, added.units) == (0, 24, 48)
        assert answers(store) == before
        with store.read() as connection:
            assert campaign_suite(connection).suite == loaded.suite
        with pytest.raises(MismatchError, match="10 items of the campaign are not in the suite"):
            grow_campaign(
                store,
                options,
                suite=loaded._replace(suite=replace(loaded.suite, items=loaded.suite.items[10:])),
            )
        assert not any(check(store).values())


def test_documents_join_behind_those_that_are_there(
    loaded: LoadedSuite, candidates: dict[str, Text], options: EvaluationOptions, tmp_path: Path
) -> None:
    first, second = (one.id for one in loaded.suite.documents)
    part = part_of(loaded, (first,))
    known = part.suite.segments
    short = {name: Text.of(text.lines[:known], path=name) for name, text in candidates.items()}
    path = tmp_path / "campaign.db"
    create_campaign(path, part, short, options, CampaignConfig(annotators=ANNOTATORS))
    with open_store(path) as store:
        with pytest.raises(OptionError, match="need a translation by beta"):
            grow_campaign(store, options, suite=loaded, candidates={"alpha": candidates["alpha"]})
        changed = {
            name: Text.of([line.upper() for line in one.lines], path=name) for name, one in candidates.items()
        }
        with pytest.raises(MismatchError, match="not the translations of alpha"):
            grow_campaign(store, options, suite=loaded, candidates=changed)
        with pytest.raises(MismatchError, match="does not begin with the documents"):
            grow_campaign(store, options, suite=part_of(loaded, (second,)), candidates=candidates)
        added = grow_campaign(store, options, suite=loaded, candidates=candidates)
        items = sum(one.document == second for one in loaded.suite.items)
        assert (added.systems, added.items, added.units) == (0, items, 2 * items)
        with store.read() as connection:
            stored = StoredCampaign.read(connection)
        assert stored.loaded.suite == loaded.suite
        assert stored.candidates["beta"].lines == candidates["beta"].lines
        assert not any(check(store).values())


def test_a_comparison_grows_by_pairs_with_the_new_system(
    make_campaign: Any, options: EvaluationOptions, gamma: dict[str, Text], tmp_path: Path
) -> None:
    path = tmp_path / "campaign.db"
    made = make_campaign(path, CampaignConfig(annotators=ANNOTATORS, mode=Mode.COMPARE))
    with open_store(path) as store:
        added = grow_campaign(store, options, candidates=gamma)
        with store.read() as connection:
            sizes = Counter(
                text.count('"system"')
                for text in connection.execute(select(schema.units.c.targets)).scalars()
            )
        assert sizes == {2: made.units + added.units}
        assert added.units > 0


def test_two_who_let_it_grow_at_once_do_not_mix(
    any_store: Store, options: EvaluationOptions, gamma: dict[str, Text], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second one has read the campaign before the first wrote; it is refused and can be repeated."""
    read = StoredCampaign.read
    other = {"delta": next(iter(gamma.values()))}
    raced: list[GrownCampaign] = []

    def racing(connection: Any) -> StoredCampaign:
        found = read(connection)
        if not raced:
            raced.append(None)  # type: ignore[arg-type]
            raced[0] = grow_campaign(any_store, options, candidates=other)
        return found

    monkeypatch.setattr(StoredCampaign, "read", racing)
    with pytest.raises(MismatchError, match="has grown meanwhile"):
        grow_campaign(any_store, options, candidates=gamma)
    assert raced[0].units == 34
    assert grow_campaign(any_store, options, candidates=gamma).units == 34
    assert not any(check(any_store).values())


@pytest.fixture
def sampled(
    loaded: LoadedSuite, candidates: dict[str, Text], options: EvaluationOptions, empty_address: str
) -> Any:
    """A campaign that judges 30 of its 68 examples."""
    config = CampaignConfig(annotators=ANNOTATORS, budget=30, workload=WorkloadConfig(overlap=0))
    created = create_campaign(empty_address, loaded, candidates, options, config)
    assert created.units == 30
    with open_store(empty_address) as store:
        yield store


def test_a_larger_sample_is_drawn_when_it_is_needed(sampled: Store, answer_all: AnswerAll) -> None:
    with pytest.raises(MismatchError, match="has 0 judgements"):
        draw_more(sampled)
    answer_all(sampled)
    left, before = remaining(sampled), answers(sampled)
    assert left.more
    assert left.addable > 0
    added = draw_more(sampled, by="lea")
    assert (added.units, added.assignments) == (left.addable, left.addable)
    assert answers(sampled) == before
    with sampled.read() as connection:
        plan = campaign_plan(connection)
    assert plan is not None
    assert plan.budget == 30 + left.addable == rows(sampled, schema.units)
    assert remaining(sampled).addable == 0, "what is needed is asked for now"
    with pytest.raises(OptionError, match="no more examples are needed"):
        draw_more(sampled)
    answer_all(sampled, seed=3)
    assert remaining(sampled).more is not None
    assert not any(check(sampled).values())
    assert next(one.actor for one in audit_log(sampled) if one.action == GROWN) == "lea"


def test_a_system_joins_a_sample_with_the_same_share(
    sampled: Store, options: EvaluationOptions, gamma: dict[str, Text], answer_all: AnswerAll
) -> None:
    added = grow_campaign(sampled, options, candidates=gamma)
    assert added.units == round(34 * 30 / 68)
    answer_all(sampled)
    assert "gamma" in (remaining(sampled).note or "") or remaining(sampled).more == 0
    with sampled.read() as connection:
        suite = campaign_suite(connection)
    with pytest.raises(OptionError, match="a sample of its first items"):
        grow_campaign(sampled, options, suite=suite)


def test_each_seed_draws_other_items_of_a_new_system() -> None:
    def population(system: str) -> list[PlannedUnit]:
        return [PlannedUnit(system, f"{n}", Outcome.DIFFERENT, "event", "d") for n in range(60)]

    drawn = set()
    for seed in (0, 1, 2):
        plan = make_plan(population("a"), result="", budget=30, seed=seed, least=5)
        joined, _ = with_new_systems(plan, population("a"), population("b"))
        new = [unit.id for units in joined.items.values() for unit in units if unit.system == "b"]
        assert len(new) == 30
        drawn.add(frozenset(new))
    assert len(drawn) == 3


def test_a_campaign_that_asks_about_everything_has_nothing_to_draw(answered: Store) -> None:
    assert remaining(answered).addable == 0
    with pytest.raises(OptionError, match="includes everything"):
        draw_more(answered)


def test_new_annotators_share_what_comes_after_them(
    store: Store, options: EvaluationOptions, gamma: dict[str, Text]
) -> None:
    dan = add_annotator(store, "dan", share="none")
    assert progress_of(store, dan.id).total == 0
    added = grow_campaign(store, options, candidates=gamma)
    assert added.by_person["dan"] > 0
    with pytest.raises(OptionError, match="already a person named dan"):
        add_annotators(store, ["eve", "dan"])
    assert "eve" not in {one.name for one in people(store)}, "all of them or none"
