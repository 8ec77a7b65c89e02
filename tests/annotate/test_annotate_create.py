"""Making a campaign: assignments, what a page shows, and errors that leave nothing behind."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from anaphor.align import AlignerChoice
from anaphor.annotate.answer_json import read_answer
from anaphor.annotate.campaign.attention import GENDER, RIGHT, WRONG, replace_token
from anaphor.annotate.campaign.create import CampaignConfig, CreatedCampaign, create_campaign
from anaphor.annotate.campaign.facts import REFERENCE, SYSTEM, campaign_suite, read_campaign, side_lines
from anaphor.annotate.campaign.people import find_person
from anaphor.annotate.campaign.pool import PoolItem, PoolUnit, content_id
from anaphor.annotate.campaign.workload import PlannedAssignment, WorkloadConfig, add_annotator, assign
from anaphor.annotate.judging.assignments import list_assignments, progress_of
from anaphor.annotate.judging.views import AssignmentView, assignment_view
from anaphor.annotate.store import schema
from anaphor.annotate.store.database import Store, open_store
from anaphor.annotate.types import AnnotatorAnswer, Highlight, Mark, Mode, Target, TokenAt
from anaphor.core import InputError, MismatchError, OptionError, UserError
from anaphor.corpus import Text
from anaphor.suite import EvaluationOptions, LoadedSuite, evaluate_suite, suite_digest

Make = Callable[..., CreatedCampaign]


def unit(number: int, category: str, system: str) -> PoolUnit:
    marks = Highlight((TokenAt(number, 0),))
    item = PoolItem(f"item-{number}", f"i{number}", f"{number}:0", "d", category, False, marks, 0, 0)
    return PoolUnit(f"{number}-{system}", item, (Target(system, Highlight(), ""),))


UNITS = [
    unit(number, category, system)
    for number, category in enumerate(["event"] * 20 + ["they"] * 30)
    for system in ("a", "b")
]
NAMES = ("ann", "bob", "cem", "dan")


def test_work_is_shared_evenly_within_category_and_system() -> None:
    assigned = assign(UNITS, NAMES, WorkloadConfig(overlap=0.2, raters=2))
    by_id = {one.id: one for one in UNITS}
    totals = [len(rows) for rows in assigned.values()]
    assert sum(totals) == 100 + 20  # a fifth of each category and system is asked of two people
    assert max(totals) - min(totals) <= 1
    for name in NAMES:
        strata = Counter(by_id[row.unit].stratum for row in assigned[name])
        assert max(strata.values()) <= 2 * min(strata.values())


@pytest.mark.parametrize(
    ("overlap", "raters", "events", "people"),
    # 0.13 of 20 and of 30 are 2.6 and 3.9, which are rounded.
    [(0.2, 3, 4, 6), (0.2, 2, 4, 6), (0.13, 3, 3, 4)],
)
def test_the_overlap_is_a_share_of_every_category_and_system(
    overlap: float, raters: int, events: int, people: int
) -> None:
    assigned = assign(UNITS, NAMES, WorkloadConfig(overlap=overlap, raters=raters))
    raters_of = Counter(row.unit for rows in assigned.values() for row in rows)
    shared = Counter(one.stratum for one in UNITS if raters_of[one.id] == raters)
    expected = {("event", "a"): events, ("event", "b"): events, ("they", "a"): people, ("they", "b"): people}
    assert shared == expected
    assert {row.unit for rows in assigned.values() for row in rows if row.overlap} == {
        key for key, count in raters_of.items() if count > 1
    }
    assert set(raters_of) == {one.id for one in UNITS}


def test_an_attention_item_is_placed_apart_from_the_item_that_it_is_made_from() -> None:
    """Next to it always, it would give itself away; by chance it may stand there."""
    check = replace(UNITS[0], id="check", expected=AnnotatorAnswer(pronoun=Mark.YES))
    distances = set()
    for seed in range(5):
        rows = assign(UNITS, ["ann"], WorkloadConfig(seed=seed), attention=[check])["ann"]
        place = {row.unit: row.place for row in rows}
        distances.add(min(abs(place["check"] - place[f"0-{system}"]) for system in ("a", "b")))
    assert max(distances) > 2


def test_a_single_annotator_gets_everything_once() -> None:
    (rows,) = assign(UNITS, ["ann"], WorkloadConfig()).values()
    assert sorted(row.unit for row in rows) == sorted(one.id for one in UNITS)
    assert not any(row.overlap for row in rows)


def test_systems_of_an_item_follow_each_other_and_orders_differ() -> None:
    assigned = assign(UNITS, ("ann", "bob"), WorkloadConfig(overlap=1.0))
    orders = []
    for rows in assigned.values():
        items = [row.unit.split("-")[0] for row in rows]
        assert all(first == second for first, second in zip(items[::2], items[1::2], strict=True))
        orders.append([row.unit for row in rows])
    assert orders[0] != orders[1]
    firsts = Counter(row.unit.split("-")[1] for row in assigned["ann"][::2])
    assert set(firsts) == {"a", "b"}


def test_batches_and_places_count_from_one() -> None:
    rows = assign(UNITS, ["ann"], WorkloadConfig(batch_size=30))["ann"]
    assert [row.place for row in rows] == list(range(1, 101))
    assert Counter(row.batch for row in rows) == {1: 30, 2: 30, 3: 30, 4: 10}


def test_the_seed_determines_the_assignments() -> None:
    def order(seed: int) -> list[PlannedAssignment]:
        return assign(UNITS, NAMES, WorkloadConfig(seed=seed))["ann"]

    assert order(1) == order(1) != order(2)


@pytest.mark.parametrize(
    ("names", "workload", "where"),
    [
        ((), WorkloadConfig(), "--annotators"),
        (("ann", "ann"), WorkloadConfig(), "--annotators"),
        (NAMES, WorkloadConfig(overlap=1.2), "--overlap"),
        (NAMES, WorkloadConfig(batch_size=0), "--batch-size"),
        (NAMES, WorkloadConfig(raters=1), "--raters"),
        (NAMES, WorkloadConfig(seed=-1), "--seed"),
    ],
)
def test_invalid_workloads_are_refused(names: tuple[str, ...], workload: WorkloadConfig, where: str) -> None:
    with pytest.raises(OptionError) as caught:
        assign(UNITS, names, workload)
    assert str(caught.value.where) == where


def test_ids_come_from_content_and_parts_cannot_run_into_each_other() -> None:
    assert content_id("item", ["a", "b"]) == content_id("item", ["a", "b"])
    different = [("item", ["ab"]), ("item", ["a", "b"]), ("item", ["", "ab"]), ("unit", ["ab"])]
    assert len({content_id(kind, parts) for kind, parts in different}) == 4


def test_the_campaign_keeps_the_whole_suite(store: Store, loaded: LoadedSuite) -> None:
    with store.read() as connection:
        kept = campaign_suite(connection)
    assert suite_digest(kept.suite) == suite_digest(loaded.suite) == read_campaign(store).suite_digest
    for side, documents in loaded.texts.sides():
        assert {name: text.lines for name, text in dict(kept.texts.sides())[side].items()} == {
            name: text.lines for name, text in documents.items()
        }


def test_two_campaigns_of_the_same_texts_have_the_same_units(
    make_campaign: Make, store: Store, tmp_path: Path
) -> None:
    make_campaign(tmp_path / "other.db", CampaignConfig(annotators=("zoe",), attention=2))
    other = open_store(tmp_path / "other.db")
    units = []
    for one in (store, other):
        with one.read() as connection:
            units.append(set(connection.execute(select(schema.units.c.id)).scalars()))
    other.close()
    assert units[0] == units[1]


def test_outcomes_are_those_of_the_automatic_check(
    store: Store, loaded: LoadedSuite, candidates: dict[str, Text]
) -> None:
    options = EvaluationOptions(aligner=AlignerChoice(pair=loaded.suite.pair))
    report = evaluate_suite(loaded, candidates, options)
    expected = {
        (system.system, one.item.id): one.outcome.value for system in report.systems for one in system.judged
    }
    with store.read() as connection:
        names = dict(connection.execute(select(schema.systems.c.id, schema.systems.c.name)).all())
        query = select(schema.units.c.targets, schema.items.c.suite_item).join(schema.items)
        rows = connection.execute(query.where(schema.units.c.expected.is_(None))).all()
    found = {}
    for targets, item in rows:
        (target,) = json.loads(targets)
        found[names[target["system"]], item] = target["outcome"]
    assert found == expected


def test_attention_items_are_right_and_wrong_on_purpose(store: Store) -> None:
    with store.read() as connection:
        query = select(schema.units).where(schema.units.c.expected.is_not(None))
        expected = [read_answer(row.expected).pronoun for row in connection.execute(query)]
    assert sorted(mark.value for mark in expected) == ["no", "yes"]
    person = find_person(store, "ann").id
    views = [assignment_view(store, person, row.id) for row in list_assignments(store, person)]
    with store.read() as connection:
        systems = {row.name: row.id for row in connection.execute(select(schema.systems)) if row.attention}
        references = side_lines(connection, REFERENCE, "reference")
        lines = {name: side_lines(connection, SYSTEM, key) for name, key in systems.items()}
    assert lines.pop(RIGHT) == references
    ((name, wrong),) = lines.items()
    assert name in (GENDER, WRONG)
    changed = [(one, other) for one, other in zip(wrong, references, strict=True) if one != other]
    assert len(changed) == 1, "one pronoun in one line"
    words = [pair for pair in zip(*(line.split() for line in changed[0]), strict=True) if len({*pair}) > 1]
    assert len(words) == 1
    assert len(views) == progress_of(store, person).total


def test_attention_items_are_written_like_the_reference(
    make_campaign: Make, loaded: LoadedSuite, tmp_path: Path
) -> None:
    """An attention item that is tokenized, unlike all others, would give itself away."""
    make_campaign(tmp_path / "new.db", CampaignConfig(annotators=("ann",), attention=6))
    with open_store(tmp_path / "new.db") as store, store.read() as connection:
        query = select(schema.texts).join(schema.systems, schema.systems.c.id == schema.texts.c.name)
        rows = connection.execute(query.where(schema.systems.c.attention)).all()
    reference = [line or "" for line in loaded.texts.lines("reference")]
    changed = 0
    for row in rows:
        tokens, original = json.loads(row.tokens), reference[row.segment]
        assert "".join(row.line.split()) == "".join(tokens)
        if row.line != original:
            changed += 1
            # One word differs; what is before and after it is written as in the reference.
            parts = SequenceMatcher(None, original.split(), row.line.split()).get_opcodes()
            assert sum(kind != "equal" for kind, *_ in parts) == 1
            assert " ," not in row.line
            assert " ." not in row.line
    assert changed == 3


@pytest.mark.parametrize(
    ("line", "tokens", "position", "word", "expected"),
    [
        ("Oui, elle part.", ["Oui", ",", "elle", "part", "."], 2, "it", "Oui, it part."),
        ("Elle part.", ["Elle", "part", "."], 0, "it", "It part."),
        ("Oui, elle part.", ["Oui", ",", "elle", "part", "."], 2, "It", "Oui, it part."),
        ("Je l'ai vu.", ["Je", "l'", "ai", "vu", "."], 1, "it", "Je it ai vu."),
        ("Donne-le-moi.", ["Donne", "-le", "-moi", "."], 1, "them", "Donne them-moi."),
        ("et moi et lui", ["et", "moi", "et", "lui"], 3, "I", "et moi et I"),
        ("  elle  et elle", ["elle", "et", "elle"], 2, "it", "  elle  et it"),
    ],
)
def test_one_token_is_replaced_and_the_rest_stays(
    line: str, tokens: list[str], position: int, word: str, expected: str
) -> None:
    made, cut = replace_token(line, tokens, position, word)
    assert made == expected
    assert "".join(made.split()) == "".join(cut)
    assert len(cut) == len(tokens)


def shown(view: AssignmentView) -> set[str]:
    return {token.text for line in view.lines for slot in line.slots for token in slot.tokens if token.role}


def test_a_page_shows_context_marks_and_links_but_no_system(store: Store) -> None:
    person = find_person(store, "bob").id
    rows = list(list_assignments(store, person))
    assert rows
    for row in rows:
        view = assignment_view(store, person, row.id)
        assert {token.role for line in view.lines for token in line.source} >= {"pronoun"}
        assert not {"alpha", "beta"} & set(repr(view).replace("'", " ").split())
        tokens = {t.at: t for line in view.lines for slot in line.slots for t in slot.tokens}
        assert {at for at, token in tokens.items() if token.role} == set(view.highlighted)
        for line in view.lines:
            for slot in line.slots:
                text = "".join(token.gap + token.text for token in slot.tokens)
                assert text.strip()
                for source, targets in slot.source_links.items():
                    for at in targets:
                        assert line.source[source].at in tokens[at].links


def test_more_context_stays_inside_the_document(store: Store, loaded: LoadedSuite) -> None:
    sizes = {document.id: document.segments for document in loaded.suite.documents}
    person = find_person(store, "ann").id
    rows = list(list_assignments(store, person)[:10])
    assert rows
    for row in rows:
        few = assignment_view(store, person, row.id)
        whole = assignment_view(store, person, row.id, before=10**6, after=10**6)
        assert [line.number for line in whole.lines] == list(range(1, sizes[whole.document] + 1))
        assert (whole.more_before, whole.more_after) == (False, False)
        assert few.more_before == (few.lines[0].number > 1)
        assert few.more_after == (few.lines[-1].number < sizes[few.document])


def test_gap_filling_hides_the_word_and_offers_choices(make_campaign: Make, tmp_path: Path) -> None:
    make_campaign(tmp_path / "gaps.db", CampaignConfig(annotators=("ann",), mode=Mode.GAPS))
    store = open_store(tmp_path / "gaps.db")
    person = find_person(store, "ann").id
    hidden = 0
    for row in list_assignments(store, person):
        view = assignment_view(store, person, row.id)
        assert view.choices == ("il", "elle", "ils", "elles", "ce", "on", "ça/cela", "other", "bad")
        for line in view.lines:
            before = None
            for token in line.slots[0].tokens:
                assert token.role != "pronoun"
                if token.role == "gap":
                    hidden += 1
                    assert token.text == ""
                    assert before is None or token.gap == " ", "a hyphen or an elision would give it away"
                    assert before is None or not before.text.endswith(("'", "’"))
                before = token
    assert hidden > 20
    store.close()


def test_comparison_shows_differing_translations_in_shuffled_slots(
    make_campaign: Make, tmp_path: Path
) -> None:
    make_campaign(tmp_path / "ranks.db", CampaignConfig(annotators=("ann", "bob"), mode=Mode.COMPARE))
    store = open_store(tmp_path / "ranks.db")
    with store.read() as connection:
        orders = Counter(connection.execute(select(schema.assignments.c.shown)).scalars())
    assert len(orders) == 2
    person = find_person(store, "ann").id
    rows = list_assignments(store, person)
    assert rows
    for row in rows:
        view = assignment_view(store, person, row.id)
        assert view.slots == ("a", "b")
        first, second = (
            [[token.text for token in line.slots[slot].tokens] for line in view.lines] for slot in (0, 1)
        )
        assert first != second
    store.close()


def test_only_mismatches_become_units(make_campaign: Make, tmp_path: Path, store: Store) -> None:
    created = make_campaign(tmp_path / "few.db", CampaignConfig(annotators=("ann",), mismatches_only=True))
    with store.read() as connection:
        targets = connection.execute(
            select(schema.units.c.targets).where(schema.units.c.expected.is_(None))
        ).scalars()
        mismatches = sum(json.loads(one)[0]["outcome"] != "match" for one in targets)
    assert created.units == mismatches > 0


@pytest.mark.parametrize("share", ["open", "overlap", "all", "none"])
def test_a_new_annotator_gets_work_and_takes_none_away(any_store: Store, share: str) -> None:
    before = {name: progress_of(any_store, find_person(any_store, name).id) for name in ("ann", "bob", "cem")}
    person = add_annotator(any_store, "dan", share=share)
    assert before == {name: progress_of(any_store, find_person(any_store, name).id) for name in before}
    total = progress_of(any_store, person.id).total
    with any_store.read() as connection:
        units = len(connection.execute(select(schema.units)).all())
        overlap = len(
            set(
                connection.execute(
                    select(schema.assignments.c.unit).where(schema.assignments.c.overlap)
                ).scalars()
            )
        )
    usual = round(sum(one.total for one in before.values()) / 3)
    assert total >= {"open": usual, "overlap": 2, "all": units, "none": 0}[share]
    assert overlap or share != "overlap"
    with pytest.raises(OptionError, match="there is already a person"):
        add_annotator(any_store, "dan")


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"annotators": ("ann", "ann")}, OptionError),
        ({"annotators": ("ann", " ann ")}, OptionError),
        ({"annotators": ("",)}, OptionError),
        ({"annotators": ("a\nb",)}, OptionError),
        ({"attention": 10_000}, OptionError),
        ({"attention": 3, "mode": Mode.GAPS}, OptionError),
        ({"choices": ("il",)}, OptionError),
        ({"mode": Mode.COMPARE, "mismatches_only": True}, OptionError),
        ({"guidelines": "x" * 200_000}, OptionError),
    ],
)
def test_options_that_do_not_match_leave_nothing_behind(
    make_campaign: Make, tmp_path: Path, change: dict[str, Any], error: type[UserError]
) -> None:
    with pytest.raises(error):
        make_campaign(tmp_path / "new.db", replace(CampaignConfig(annotators=("ann",)), **change))
    assert list(tmp_path.iterdir()) == []


def bad(loaded: LoadedSuite, candidates: dict[str, Text], address: Path) -> CreatedCampaign:
    options = EvaluationOptions(aligner=AlignerChoice(pair=loaded.suite.pair))
    return create_campaign(address, loaded, candidates, options, CampaignConfig(annotators=("ann",)))


def test_texts_that_do_not_match_leave_nothing_behind(
    loaded: LoadedSuite, candidates: dict[str, Text], tmp_path: Path
) -> None:
    short = {"alpha": Text.of(candidates["alpha"].lines[:-1], path="short.fr")}
    nul = {"alpha": Text.of(("\0", *candidates["alpha"].lines[1:]), path="nul.fr")}
    empty = loaded._replace(suite=replace(loaded.suite, items=()))
    with pytest.raises(MismatchError, match="lines") as caught:
        bad(loaded, short, tmp_path / "new.db")
    assert caught.value.where.path == "short.fr"
    with pytest.raises(InputError, match="NUL"):
        bad(loaded, nul, tmp_path / "new.db")
    with pytest.raises(OptionError, match="no candidate"):
        bad(loaded, {}, tmp_path / "new.db")
    with pytest.raises(InputError, match="no items"):
        bad(empty, candidates, tmp_path / "new.db")
    assert list(tmp_path.iterdir()) == []
