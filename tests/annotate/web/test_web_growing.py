"""Practice, completion, the next item where it gains most, and the button for a larger sample."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from litestar import Litestar
from sqlalchemy import select

from anaphor.align import AlignerChoice
from anaphor.annotate.analysis.adaptive import AdaptiveOrder
from anaphor.annotate.analysis.agreement import agreement_table
from anaphor.annotate.analysis.status import attention_results, overall, read_status, speeds
from anaphor.annotate.analysis.tally import CampaignTally
from anaphor.annotate.campaign.completion import check_completion, return_address
from anaphor.annotate.campaign.create import CampaignConfig, create_campaign
from anaphor.annotate.campaign.facts import campaign_plan, read_campaign
from anaphor.annotate.campaign.people import (
    JOINED,
    add_lead,
    deactivate,
    find_person,
    people,
    revoke_link,
    study_link,
)
from anaphor.annotate.campaign.practice import PracticeExample, read_practice
from anaphor.annotate.campaign.workload import WorkloadConfig, add_annotator, joining
from anaphor.annotate.exchange import export_parts
from anaphor.annotate.judging.answers import save_answer
from anaphor.annotate.judging.assignments import list_assignments
from anaphor.annotate.store import schema
from anaphor.annotate.store.audit import audit_log
from anaphor.annotate.store.database import Store, open_store
from anaphor.annotate.types import AnnotatorAnswer, Mark, Mode, read_targets
from anaphor.annotate.web import ServerConfig
from anaphor.core import InputError, OptionError, Outcome, UnknownNameError
from anaphor.corpus import Text
from anaphor.meta import PlannedUnit, make_plan
from anaphor.meta.plan import guessed
from anaphor.suite import EvaluationOptions, LoadedSuite
from anaphor.suite.linking import LinkedTexts
from tests.support.web import PASSWORD, Served, answer

WRONG = PracticeExample(
    "lamp", "secret-beta", AnnotatorAnswer(pronoun=Mark.NO), "A <lampadaire> is masculine."
)
URL = "https://app.prolific.com/submissions/complete?cc=C1&who={person}"


# Practice.


@pytest.fixture
def practised(serve_small: Any) -> Served:
    served: Served = serve_small(practice=(WRONG,))
    return served


def answered_by(store: Store, name: str, **fields: Any) -> None:
    """Everything that somebody has is answered."""
    person = find_person(store, name).id
    for row in list_assignments(store, person):
        given = AnnotatorAnswer(**fields)
        save_answer(store, person, row.id, given, version=0, request=f"{name}-{row.id}", seconds=4.0)


def test_practice_comes_first_and_says_what_was_expected(practised: Served) -> None:
    ann = practised.annotator()
    page = ann.get("/items/next")
    item = page.url.path.rpartition("/")[2]
    assert "Practice 1 " in page.text
    assert "It does not count" in page.text
    assert "lampadaire&gt; is masculine" not in page.text, "the answer is not told before"
    wrong = answer(pronoun="yes", antecedent="yes")
    told = ann.send(f"/api/items/{item}/answer", wrong).json()["html"]
    assert f'data-assignment="{item}"' in told, "the feedback is shown before the next item"
    assert "Not what was expected: pronoun no." in told
    assert "A &lt;lampadaire&gt; is masculine." in told, "the explanation is escaped"
    right = answer(pronoun="no", antecedent="yes", version=1)
    assert "<strong>Right.</strong>" in ann.send(f"/api/items/{item}/answer", right).json()["html"]
    first = ann.get("/items/next").text
    assert "Item 2 " in first, "practice has the number 1"
    assert re.search(r"0 of \d answered \(without practice\)", first)
    assert re.search(r'name="position"[^>]* value="2"', first), "the same number as in the heading"
    assert re.search(r'class="state-open">2<', ann.get("/items").text)


def test_practice_without_script_goes_on_by_its_link(practised: Served) -> None:
    ann = practised.annotator()
    item = ann.first()
    form = {"version": "0", "request": "without-script", "go": "next", "pronoun": "no", "antecedent": "yes"}
    assert ann.post(f"/items/{item}/answer", form).headers["location"] == f"/items/{item}"
    page = ann.get(f"/items/{item}").text
    assert '<a href="/items/next">Go on</a>' in page
    assert ann.get("/items/next").url.path != f"/items/{item}"


def test_practice_counts_nowhere(practised: Served) -> None:
    store = practised.store
    with store.read() as connection:
        unit = connection.execute(
            select(schema.units.c.id).where(schema.units.c.feedback.is_not(None))
        ).scalar_one()
    answered_by(store, "Ann", pronoun=Mark.YES)
    answered_by(store, "Bob", pronoun=Mark.NO)
    tally = CampaignTally.of(store)
    assert overall(tally).units == 3, "two items in two systems, of which one is practice"
    assert unit not in tally.differing()
    assert agreement_table(tally)[-1].items == 3
    assert {one.person: (one.right, one.wrong) for one in attention_results(tally, practice=True)} == {
        "Ann": (0, 1),
        "Bob": (1, 0),
    }
    assert attention_results(tally) == ()
    assert {one.person: one.answers for one in speeds(tally)} == {"Ann": 2, "Bob": 2}, "one is unfinished"
    assert read_status(store).to_dict()["practice"][1]["right"] == 1
    for name in ("judgements", "final", "csv", "jsonl", "label-studio", "pearmut"):
        content = b"".join(export_parts(store, name)).decode()
        assert unit not in content, name
    judged = b"".join(export_parts(store, "judgements")).decode().splitlines()
    assert len(judged) == 1 + 2 * 3


def test_whoever_joins_later_practises_too(practised: Served) -> None:
    for share in ("open", "overlap", "all"):
        late = add_annotator(practised.store, share, share=share)
        first = list_assignments(practised.store, late.id)[0]
        with practised.store.read() as connection:
            query = select(schema.units.c.feedback).join(schema.assignments)
            assert connection.execute(query.where(schema.assignments.c.id == first.id)).scalar() is not None


def test_practice_is_made_up_from_the_reference_where_only_a_number_is_given(serve_small: Any) -> None:
    ann = serve_small(practice=1).annotator()
    item = ann.first()
    head = {"antecedent": "yes"} if 'name="antecedent"' in ann.get(f"/items/{item}").text else {}
    html = ann.send(f"/api/items/{item}/answer", answer(pronoun="yes", **head)).json()["html"]
    assert "reference translation" in html


def test_practice_and_attention_items_are_apart(make_campaign: Any, tmp_path: Path) -> None:
    make_campaign(tmp_path / "both.db", CampaignConfig(annotators=("Ann",), practice=3, attention=2))
    with open_store(tmp_path / "both.db") as store:
        (practice,) = attention_results(store, practice=True)
        (attention,) = attention_results(store)
        assert (practice.items, attention.items) == (3, 2)
        with store.read() as connection:
            query = (
                select(schema.units.c.expected).join(schema.assignments).order_by(schema.assignments.c.place)
            )
            first = connection.execute(query.where(schema.assignments.c.place <= 3)).scalars().all()
        assert ['"pronoun":"yes"' in one for one in first] == [True, False, True], "right and wrong in turn"


def test_practice_of_gap_filling(serve_small: Any) -> None:
    choices = PracticeExample("rain", "secret-alpha", AnnotatorAnswer(choices=("il",)), "It rains.")
    served = serve_small(mode=Mode.GAPS, practice=(choices,))
    ann = served.annotator()
    item = ann.first()
    html = ann.send(f"/api/items/{item}/answer", answer(choices=["elle"])).json()["html"]
    assert "Not what was expected: il." in html
    assert attention_results(served.store, practice=True)[0].wrong == 1


def test_a_file_of_practice(tmp_path: Path) -> None:
    path = tmp_path / "practice.jsonl"
    line = {"item": "lamp", "system": "a", "pronoun": "no", "explanation": "why"}
    path.write_text(json.dumps(line) + "\n", encoding="utf-8")
    (one,) = read_practice(path)
    assert (one.item, one.system, one.answer.pronoun, one.explanation) == ("lamp", "a", Mark.NO, "why")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "not JSON"),
        ("[]", "not an object"),
        ('{"item": "lamp", "pronoun": "no"}', "system is missing"),
        ('{"item": "lamp", "system": "a"}', "correct answer is missing"),
        ('{"item": "lamp", "system": "a", "pronoun": "perhaps"}', "invalid answer"),
        ('{"item": "lamp", "system": "a", "pronoun": "no", "explanation": 3}', "explanation is missing"),
    ],
)
def test_a_broken_file_of_practice_names_its_line(tmp_path: Path, line: str, said: str) -> None:
    path = tmp_path / "practice.jsonl"
    good = '{"item": "lamp", "system": "a", "pronoun": "no"}'
    path.write_text(f"{good}\n{line}\n", encoding="utf-8")
    with pytest.raises(InputError, match=said) as refused:
        read_practice(path)
    assert str(refused.value.where) == f"{path}:2"


def test_practice_that_is_not_there_is_refused(serve_small: Any) -> None:
    for item, system in (("lamb", "secret-beta"), ("lamp", "secret-gamma")):
        with pytest.raises(UnknownNameError):
            serve_small(practice=(PracticeExample(item, system, AnnotatorAnswer(pronoun=Mark.NO)),))
    with pytest.raises(OptionError, match="no practice for comparisons"):
        serve_small(mode=Mode.COMPARE, practice=2)


# Completion.


def test_the_code_is_shown_when_everything_is_answered_and_not_before(serve_small: Any) -> None:
    served = serve_small(completion_code="C1 <b>", completion_url=URL)
    ann = served.annotator()
    assert "C1" not in ann.get("/items").text
    early = ann.get("/complete", follow_redirects=False)
    assert early.headers["location"] == "/items/next"
    rows = list_assignments(served.store, served.person())
    for row in rows:
        html = ann.send(f"/api/items/{row.id}/answer", answer(tags=["bad_translation"])).json()["html"]
    assert '<code id="completion-code">C1 &lt;b&gt;</code>' in html, "the last answer shows it"
    assert '<code id="completion-code">C1 &lt;b&gt;</code>' in ann.get("/items").text
    done = ann.get("/complete", follow_redirects=False)
    assert done.headers["location"] == "https://app.prolific.com/submissions/complete?cc=C1&who=Ann"
    assert [one.actor for one in audit_log(served.store) if one.action == "completed"] == ["Ann"]


def test_a_campaign_without_a_platform_shows_nothing_of_it(served: Served) -> None:
    answered_by(served.store, "Ann", tags=("bad_translation",))
    ann = served.annotator()
    assert "completion" not in ann.get("/items").text
    assert ann.get("/complete", follow_redirects=False).headers["location"] == "/items"


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "data:text/html,x",
        "//elsewhere.example/",
        "/lead",
        "https://",
        "https://user:secret@host/",
        "https://{person}.example/",
        "https://host/ space",
        'https://host/"onclick=',
        "https://host/\r\nSet-Cookie: x",
        "https://[::1",
        "ftp://host/",
    ],
)
def test_addresses_that_a_browser_should_not_be_sent_to_are_refused(url: str) -> None:
    with pytest.raises(OptionError, match="invalid return address"):
        check_completion("", url)


def test_the_name_in_an_address_is_escaped() -> None:
    check_completion("C1", URL)
    assert return_address(URL, "a&b=c/é\r\n").endswith("cc=C1&who=a%26b%3Dc%2F%C3%A9%0D%0A")
    with pytest.raises(OptionError, match="code cannot be shown"):
        check_completion("a\nb", "")


def test_the_shared_link_lets_people_join_and_come_back_up_to_its_limit(serve_small: Any) -> None:
    served = serve_small(study_people=2)
    shared = read_campaign(served.store).study_token
    lead = served.lead()
    assert f"/enter/{shared}?participant=ID" in lead.get("/lead/people").text

    def come(who: str, name: str = "participant", token: str = shared) -> int:
        return int(served.stranger().enter(f"/enter/{token}?{urlencode({name: who})}").status_code)

    assert len(people(served.store)) == 3, "Ann, Bob and the lead: looking at the page adds nobody"
    assert served.stranger().get(f"/enter/{shared}", params={"participant": "5f1"}).status_code == 200
    assert len(people(served.store)) == 3
    assert come("5f1", "PROLIFIC_PID") == 303
    work = list_assignments(served.store, served.person("5f1"))
    assert work
    assert come("5f1") == 303, "the same person comes back"
    assert list_assignments(served.store, served.person("5f1")) == work
    assert come("Ann") == 403, "nobody whom the lead added can be entered"
    assert come("5f2", token=shared[::-1]) == 403
    assert come("a b") == come("<b>") == come("x" * 81) == 403
    assert come("5f2", "workerId") == 303
    assert come("5f3") == 403, "two may join"
    assert come("5f1") == 303, "who has joined still may"
    deactivate(served.store, "5f1")
    assert come("5f1") == 403
    assert come("5f3") == 403, "the place of somebody who left is not given away"
    joined = [one.actor for one in audit_log(served.store) if one.action == JOINED]
    assert sorted(joined) == ["5f1", "5f2"]


@pytest.mark.parametrize("by", ["page", "command"])
def test_a_lead_ends_the_shared_link(serve_small: Any, by: str) -> None:
    served = serve_small(study_people=9)
    shared, lead = read_campaign(served.store).study_token, served.lead()

    def come(who: str) -> int:
        return int(served.stranger().enter(f"/enter/{shared}?participant={who}").status_code)

    assert come("5f1") == 303
    if by == "page":
        assert 'action="/lead/links/shared/revoke"' in lead.get("/lead/people").text
        assert lead.post("/lead/links/shared/revoke").status_code == 303
    else:
        revoke_link(served.store, "shared")
    assert "Shared link" not in lead.get("/lead/people").text
    assert study_link(served.store, "http://x") is None
    assert come("5f2") == 403, "nobody joins any more"
    assert come("5f1") == 303, "who has joined comes back"
    with pytest.raises(UnknownNameError):
        revoke_link(served.store, "shared")


def test_without_the_option_nobody_joins(served: Served) -> None:
    assert read_campaign(served.store).study_token == ""
    for token in ("", ":", "x"):
        assert joining(served.store, f"{token}:5f1") == ""
    assert "Shared link" not in served.lead().get("/lead/people").text


# A larger sample, and the next item where it gains most.


@pytest.fixture
def growing(
    loaded: LoadedSuite, candidates: dict[str, Text], tmp_path: Path, make_app: Callable[..., Litestar]
) -> Iterator[Served]:
    """A campaign that judges 30 of its 68 examples, where judgements gain most."""
    config = CampaignConfig(
        annotators=("Ann", "Bob"), budget=30, adaptive=True, workload=WorkloadConfig(overlap=0)
    )
    options = EvaluationOptions(aligner=AlignerChoice(pair=loaded.suite.pair))
    create_campaign(tmp_path / "growing.db", loaded, candidates, options, config)
    with open_store(tmp_path / "growing.db") as store:
        add_lead(store, "Lea", PASSWORD)
        yield Served(store, make_app(store))


def test_judge_more_is_a_button(growing: Served) -> None:
    lead = growing.lead()
    assert 'action="/lead/more"' not in lead.get("/lead").text, "nothing is known yet"
    assert lead.post("/lead/more").status_code == 400
    for name, pronoun in (("Ann", Mark.YES), ("Bob", Mark.NO)):
        answered_by(growing.store, name, pronoun=pronoun)
    page = lead.get("/lead").text
    found = re.search(r"Ask for (\d+) more examples", page)
    assert found is not None
    assert re.search(r"judge \d+ more for ±2 points", page)
    assert growing.annotator().post("/lead/more").status_code == 403
    assert lead.post("/lead/more").headers["location"] == "/lead"
    page = lead.get("/lead").text
    assert 'action="/lead/more"' not in page
    assert f"of {30 + int(found[1])}" in page
    assert "Item " in growing.annotator().get("/items/next").text
    assert [one.actor for one in audit_log(growing.store) if one.action == "campaign grown"] == ["Lea"]


def test_the_next_item_is_where_a_judgement_gains_most(growing: Served) -> None:
    """Every stratum gets its first two judgements, then those with the largest variance have their turn."""
    store, ann = growing.store, growing.annotator()
    with store.read() as connection:
        plan = campaign_plan(connection)
    assert plan is not None
    person, order = growing.person(), AdaptiveOrder()
    of_unit = strata_of(store)
    rows = {one.id for one in list_assignments(store, person)}
    seen: list[str] = []
    page = ann.get("/items/next")
    here = page.url.path.rpartition("/")[2]
    for _ in range(len(plan.strata)):
        seen.append(of_unit[here])
        shown = ann.get(f"/items/{here}").text
        (number,) = re.findall(r'id="item"[^>]* data-position="(\d+)"', shown)
        ahead = ann.get(f"/api/positions/{number}/ahead").json()["pages"]
        marks = {"pronoun": "no"} | ({"antecedent": "no"} if 'name="antecedent"' in shown else {})
        html = ann.send(f"/api/items/{here}/answer", answer(**marks)).json()["html"]
        here = re.findall(r'data-assignment="(\w+)"', html)[0]
        assert here in {one["assignment"] for one in ahead}, "what comes next was fetched ahead"
    own = {of_unit[one] for one in rows}
    assert set(seen) <= own
    assert max(seen.count(name) for name in seen) <= 2, "no stratum gets a third before all have two"
    best = order.open_assignments(store, CampaignTally.of(store), person, limit=3)
    assert len(set(best)) == 3


def strata_of(store: Store) -> dict[str, str]:
    """The stratum of every assignment."""
    order = AdaptiveOrder()
    with store.read() as connection:
        order._refresh(connection, CampaignTally.of(store))
        rows = connection.execute(select(schema.assignments.c.id, schema.assignments.c.unit)).all()
    return {row.id: order._stratum[row.unit] for row in rows}


def test_verdicts_of_a_metric_decide_what_comes_next(
    loaded: LoadedSuite, candidates: dict[str, Text], tmp_path: Path
) -> None:
    """With the probabilities of accept: after two of each verdict, the least sure one is asked about."""
    options = EvaluationOptions(aligner=AlignerChoice(pair=loaded.suite.pair))
    everything = tmp_path / "all.db"
    create_campaign(everything, loaded, candidates, options, CampaignConfig(annotators=("Ann",)))
    with open_store(everything) as store, store.read() as connection:
        rows = connection.execute(
            select(schema.items.c.pronoun_key, schema.items.c.document).order_by(schema.items.c.place)
        ).all()
    # The first half is surely right, of the second nobody knows.
    units = guessed(
        [
            PlannedUnit(
                system,
                row.pronoun_key,
                Outcome.IDENTICAL,
                "it",
                row.document,
                score=0.99 if number < len(rows) // 2 else 0.5,
            )
            for system in candidates
            for number, row in enumerate(rows)
        ]
    )
    plan = make_plan(units, result="r", budget=40, seed=1, least=5, guess="accept")
    config = CampaignConfig(annotators=("Ann",), adaptive=True)
    path = tmp_path / "accept.db"
    create_campaign(path, loaded, candidates, options, config, plan=plan, population=units)
    with open_store(path) as store:
        person, order, of = find_person(store, "Ann").id, AdaptiveOrder(), strata_of(store)
        asked = order.open_assignments(store, CampaignTally.of(store), person, limit=14)
        strata = [of[one] for one in asked]
        sure = [name for name in plan.strata if name.endswith("/high")]
        least = 2 * len(plan.strata)
        assert {strata[:least].count(name) for name in plan.strata} == {2}
        assert [name for name in strata[least:] if name in sure] == [], "what is surely right waits"
        places = {one.id: one.position for one in list_assignments(store, person)}
        for name in plan.strata:
            own = [places[one] for one, stratum in zip(asked, strata, strict=True) if stratum == name]
            assert own == sorted(own), "inside a stratum the order stays random"


def test_a_system_that_is_added_on_the_page_has_suggestions(
    loaded: LoadedSuite, candidates: dict[str, Text], tmp_path: Path, make_app: Callable[..., Litestar]
) -> None:
    def guess(
        loaded: LoadedSuite, candidates: Mapping[str, Text], linked: LinkedTexts
    ) -> dict[tuple[str, str], str]:
        places = [f"{line}:{token}" for item in linked.items for line, token in item.pronoun]
        return {(system, place): "yes" for system in candidates for place in places}

    options = EvaluationOptions(aligner=AlignerChoice(pair=loaded.suite.pair))
    config = CampaignConfig(annotators=("Ann",), attention=2, suggestions="before", suggestion_share=1.0)
    alpha = {"alpha": candidates["alpha"]}
    create_campaign(tmp_path / "growing.db", loaded, alpha, options, config, guess=guess)
    with open_store(tmp_path / "growing.db") as store:
        add_lead(store, "Lea", PASSWORD)
        lea = Served(store, make_app(store, ServerConfig(guess=guess))).lead()
        lines = "\n".join(candidates["beta"].lines).encode()
        added = lea.post("/lead/growth", files=[("candidates", ("beta.fr", lines, "text/plain"))])
        assert added.status_code == 200, added.text
        assert "The campaign has alpha, beta." in added.text, "texts for attention items are no systems"
        query = select(schema.units.c.targets).where(schema.units.c.expected.is_(None))
        with store.read() as connection:
            stored = [*connection.execute(query).scalars()]
        assert len(stored) == 2 * len(loaded.suite.items)
        assert {read_targets(content)[0].guess for content in stored} == {"yes"}
        assert "Not measured yet" in lea.get("/lead/agreement").text
