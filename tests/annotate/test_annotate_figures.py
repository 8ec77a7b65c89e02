"""What figures, files and newcomers' work say: nothing twice, nothing that does not count, nothing lost."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select

from anaphor.annotate.analysis.agreement import agreement_table, confusions
from anaphor.annotate.analysis.status import overall, progress_table, read_status
from anaphor.annotate.analysis.tally import CampaignTally
from anaphor.annotate.campaign.people import find_person, people
from anaphor.annotate.campaign.workload import WorkloadConfig, add_annotator
from anaphor.annotate.exchange import export_bytes, import_bytes
from anaphor.annotate.exchange.merge import MergeRules
from anaphor.annotate.judging.answers import save_answer
from anaphor.annotate.judging.assignments import list_assignments, progress_of
from anaphor.annotate.judging.views import assignment_view
from anaphor.annotate.store import Store, open_store, schema
from anaphor.annotate.types import AnnotatorAnswer, Mark
from anaphor.core import InputError
from tests.support.campaigns import CONFIG, AnswerAll, Make

ALONE = replace(CONFIG, attention=0, workload=WorkloadConfig(overlap=0, batch_size=10))


def assigned(store: Store) -> dict[str, list[str]]:
    """The units of everybody in order."""
    query = select(schema.people.c.name, schema.assignments.c.unit).join(schema.assignments)
    units: dict[str, list[str]] = {}
    with store.read() as connection:
        for name, unit in connection.execute(query.order_by(schema.assignments.c.place)):
            units.setdefault(name, []).append(unit)
    return units


def test_practice_and_attention_items_are_no_progress(make_campaign: Make, tmp_path: Path) -> None:
    config = replace(CONFIG, attention=3, practice=2, workload=WorkloadConfig(overlap=0))
    made = make_campaign(tmp_path / "c.db", config)
    with open_store(tmp_path / "c.db") as store:
        ann = find_person(store, "ann").id
        known = set()
        with store.read() as connection:
            known = set(
                connection.execute(
                    select(schema.units.c.id).where(schema.units.c.expected.is_not(None))
                ).scalars()
            )
        rows = list_assignments(store, ann)
        units = assigned(store)["ann"]
        assert overall(store).assignments == made.units, "five known ones of everybody are left out"
        for number, row in enumerate(rows):
            if units[number] in known:
                answer = AnnotatorAnswer(pronoun=Mark.UNCLEAR)
                save_answer(store, ann, row.id, answer, version=0, request=f"answer-{number:03}")
        tally = CampaignTally.of(store)
        assert overall(tally).answered == 0
        assert sum(row.total for row in progress_table(tally) if row.person == "ann") == len(rows) - 5
        own = progress_of(store, ann)
        assert own.total == len(rows) - 2, "an annotator must not see which items are attention items"
        assert own.answered == 3
        real = next(row for row, unit in zip(rows, units, strict=True) if unit not in known)
        save_answer(store, ann, real.id, AnnotatorAnswer(pronoun=Mark.UNCLEAR), version=0, request="real-one")
        assert overall(tally.refresh(store)).answered == 1


def test_a_newcomer_at_overlap_0_takes_work_over(make_campaign: Make, tmp_path: Path) -> None:
    make_campaign(tmp_path / "c.db", replace(ALONE, attention=1))
    with open_store(tmp_path / "c.db") as store:
        before = assigned(store)
        ann = find_person(store, "ann").id
        rows = list_assignments(store, ann)
        for row in rows[:4]:
            save_answer(
                store, ann, row.id, AnnotatorAnswer(pronoun=Mark.NO), version=0, request=f"first-{row.id}"
            )
        tally = CampaignTally.of(store)
        add_annotator(store, "dan")
        after = assigned(store)
        with store.read() as connection:
            real = select(schema.units.c.id).where(schema.units.c.expected.is_(None))
            every = sorted(connection.execute(real).scalars())
        flat = sorted(unit for units in after.values() for unit in units if unit in set(every))
        assert flat == every, "nothing twice, nothing lost"
        assert len(after["dan"]) >= len(every) // 4 - 3
        for name in before:
            kept = len([unit for unit in after[name] if unit in set(every)])
            assert after[name][:8] == before[name][:8], "what somebody may have open stays where it is"
            assert kept < len(before[name])
        for person in people(store):
            places = [row.position for row in list_assignments(store, person.id)]
            assert places == list(range(1, len(places) + 1))
        assert sum(row.total for row in progress_table(tally.refresh(store))) == len(every)


def test_the_first_four_stay_when_everything_is_answered(make_campaign: Make, tmp_path: Path) -> None:
    make_campaign(tmp_path / "c.db", ALONE)
    with open_store(tmp_path / "c.db") as store:
        before = assigned(store)
        for number in range(12):
            add_annotator(store, f"late-{number}")
        after = assigned(store)
        assert all(after[name][:6] == before[name][:6] for name in before)
        flat = [unit for units in after.values() for unit in units]
        assert len(flat) == len(set(flat))


def test_cohens_kappa_of_three_annotators_is_the_mean_of_their_pairs(answered: Store) -> None:
    rows = {row.category: row for row in agreement_table(answered)}
    pairs = confusions(answered)
    assert len(pairs) == 3
    values = [pair.kappa.value for pair in pairs if pair.kappa is not None]
    assert rows["total"].raters == 3
    assert rows["total"].cohen is not None
    assert rows["total"].cohen.value == pytest.approx(sum(values) / 3)
    assert rows["total"].cohen.interval is None


def test_protest_keeps_cannot_judge(store: Store, tmp_path: Path) -> None:
    ann = find_person(store, "ann").id
    for row in list_assignments(store, ann):
        view = assignment_view(store, ann, row.id)
        if view.asks_antecedent:
            break
    answer = AnnotatorAnswer(antecedent=Mark.YES, pronoun=Mark.UNCLEAR, words=view.highlighted, tags=("own",))
    save_answer(store, ann, row.id, answer, version=0, request="cannot-judge")
    content = export_bytes(store, "protest")
    report = import_bytes(store, "protest", content, by="test", rules=MergeRules(dry_run=True))
    assert (report.added, report.unchanged, report.conflicts) == (0, 1, [])


def test_skip_leaves_out_what_does_not_fit_and_says_what_was_not_asked(
    answered: Store, tmp_path: Path
) -> None:
    lines = [json.loads(line) for line in export_bytes(answered, "jsonl").splitlines()]
    with answered.read() as connection:
        asked = dict(connection.execute(select(schema.items.c.suite_item, schema.items.c.antecedent)).all())
    unasked = next(row for row in lines if not asked[row["item"]])
    other = next(row for row in lines if row["unit"] != unasked["unit"] and row["pronoun"] == "yes")
    unasked["antecedent"] = "yes"
    content = "".join(json.dumps(row) + "\n" for row in (unasked, other)).encode()
    with pytest.raises(InputError, match="antecedent, which is not asked here"):
        import_bytes(answered, "jsonl", content, by="test")
    report = import_bytes(answered, "jsonl", content, by="test", rules=MergeRules(skip=True))
    assert report.written
    assert report.unchanged == 1
    assert "antecedent, which is not asked here" in report.unknown[0]


def test_conflicts_are_explained_where_there_are_some(store: Store, answer_all: AnswerAll) -> None:
    def lines() -> list[object]:
        return [block for block in read_status(store).tables() if isinstance(block, str)]

    assert not any("conflicts:" in str(line) for line in lines())
    answer_all(store)
    assert any("conflicts: answers that contradict themselves" in str(line) for line in lines())
