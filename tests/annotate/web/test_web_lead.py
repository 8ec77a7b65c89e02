"""The researcher's pages: progress, disagreements, decisions, agreement, people, files."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any

import pytest

from anaphor.annotate.analysis.status import ProgressRow
from anaphor.annotate.judging.adjudication import decisions
from anaphor.annotate.judging.answers import save_answer
from anaphor.annotate.judging.assignments import list_assignments
from anaphor.annotate.judging.views import assignment_view, unit_views
from anaphor.annotate.types import AnnotatorAnswer, Mark, Mode
from anaphor.annotate.web import sign_in
from anaphor.annotate.web.context import progress_by_category


def plain(page: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


@pytest.fixture
def disputed(served: Any) -> Any:
    """Ann says yes to everything, Bob no to the pleonastic pronouns, of which there are two."""
    for name in ("Ann", "Bob"):
        person = served.person(name)
        for row in list_assignments(served.store, person):
            view = assignment_view(served.store, person, row.id)
            wrong = name == "Bob" and row.category == "pleonastic_it"
            answer = AnnotatorAnswer(
                antecedent=Mark.YES if view.asks_antecedent else Mark.UNSET,
                pronoun=Mark.NO if wrong else Mark.YES,
                words=() if wrong else view.highlighted,
                remark="ça <b>non</b>" if wrong else "",
            )
            save_answer(
                served.store,
                person,
                row.id,
                answer,
                version=0,
                request=f"request-{row.position}",
                seconds=5.0,
            )
    return served


def first_unit(visitor: Any) -> str:
    found = re.search(r"/lead/units/(\w+)", visitor.get("/lead/disagreements").text)
    assert found is not None
    return found[1]


def test_progress_is_shown_by_annotator_and_category(disputed: Any) -> None:
    page = plain(disputed.lead().get("/lead").text)
    assert "8 of 8" in page
    assert "Ann 2 / 2 2 / 2" in page
    assert re.search(r"Ann 4 of 4 50 % of 4 5\.0 720 0 min 2\d{3}-", page), "one row with agreement and pace"
    assert "secret-alpha" not in page, "systems are shown when asked for"
    assert "secret-alpha" in plain(disputed.lead().get("/lead?systems=true").text)
    assert "Open disagreements 2" in page
    assert "points" in page or "too early" in page, "the remaining work is stated"
    assert plain(disputed.lead().get("/api/lead").json()["html"]).count("anaphoric it") == 1


def test_progress_has_people_as_rows() -> None:
    rows = [ProgressRow("A", "x", 3, 1, 1), ProgressRow("B", "x", 2, 0, 0), ProgressRow("B", "y", 5, 5, 0)]
    assert progress_by_category(rows) == {
        "categories": ["x", "y"],
        "by_category": [("A", ((2, 3), (0, 0))), ("B", ((0, 2), (5, 5)))],
    }


def test_disagreements_stand_side_by_side_with_systems(disputed: Any) -> None:
    lea = disputed.lead()
    page = lea.get("/lead/disagreements").text
    assert page.count("<article") == 2
    assert "secret-alpha" in page
    assert "ça &lt;b&gt;non&lt;/b&gt;" in page
    assert lea.get("/lead/disagreements?category=anaphoric_it").text.count("<article") == 0
    assert lea.get("/lead/disagreements?page=2").text.count("<article") == 0


def test_a_decision_stands_beside_the_answers(disputed: Any) -> None:
    lea = disputed.lead()
    unit = first_unit(lea)
    before = unit_views(disputed.store, [unit])[0].answers
    form = {"version": "0", "request": "first-decision", "pronoun": "yes", "remark": "il is fine"}
    decided = lea.post(f"/lead/units/{unit}/decision", form)
    assert decided.status_code == 303
    assert decided.headers["location"].startswith("/lead/units/"), "the next open one comes"
    assert unit_views(disputed.store, [unit])[0].answers == before
    assert [one.by for one in decisions(disputed.store, unit)] == ["Lea"]
    assert "Open disagreements 1" in plain(lea.get("/lead").text)
    assert lea.get("/lead/disagreements?decided=true").text.count("<article") == 2
    assert "il is fine" in lea.get(f"/lead/units/{unit}").text


def test_a_decision_of_somebody_else_is_not_overwritten(disputed: Any) -> None:
    lea = disputed.lead()
    unit = first_unit(lea)
    lea.post(f"/lead/units/{unit}/decision", {"version": "0", "request": "decision-one", "pronoun": "yes"})
    late = lea.post(
        f"/lead/units/{unit}/decision", {"version": "0", "request": "decision-two", "pronoun": "no"}
    )
    assert late.status_code == 409
    assert "has decided this in the meantime" in late.text
    assert len(decisions(disputed.store, unit)) == 1
    again = {"version": "1", "request": "decision-three", "pronoun": "no"}
    assert lea.post(f"/lead/units/{unit}/decision", again).status_code == 303
    assert [one.answer.pronoun for one in decisions(disputed.store, unit)] == [Mark.NO, Mark.YES]


def test_deciding_like_somebody_takes_their_answer(disputed: Any) -> None:
    lea = disputed.lead()
    unit = first_unit(lea)
    page = lea.get(f"/lead/units/{unit}").text
    hidden = re.findall(r'name="answer" value="([^"]*)"', page)
    assert len(hidden) == 2
    form = {"version": "0", "request": "like-somebody", "answer": html.unescape(hidden[1])}
    assert lea.post(f"/lead/units/{unit}/decision", form).status_code == 303
    assert (
        decisions(disputed.store, unit)[0].answer == unit_views(disputed.store, [unit])[0].answers[1].answer
    )


def test_all_decided_leads_back_to_the_list(disputed: Any) -> None:
    lea = disputed.lead()
    for number in range(2):
        form = {"version": "0", "request": f"decision-{number}", "pronoun": "yes"}
        last = lea.post(f"/lead/units/{first_unit(lea)}/decision", form)
    assert last.headers["location"] == "/lead/disagreements"
    assert "Nothing to decide" in lea.get("/lead/disagreements").text
    assert "Annotators beside decisions" in lea.get("/lead/agreement").text
    assert "agree on 2 of 2" in plain(lea.get("/lead/agreement").text)


@pytest.mark.parametrize("question", ["overall", "pronoun", "antecedent"])
def test_agreement_is_shown_for_every_question(disputed: Any, question: str) -> None:
    lea = disputed.lead()
    page = plain(lea.get(f"/lead/agreement?question={question}").text)
    assert "anaphoric it 2 2 1.00" in page
    if question != "antecedent":
        # By hand: the two of them agree on 2 of 4 units.
        assert re.search(r"total 4 2 0\.50 ", page)
        assert re.search(r"agree on 2 of 4, Cohen’s κ -?[01]\.\d\d", page), "every pair has its own"
    assert lea.get(f"/api/lead/agreement?question={question}").status_code == 200


def test_an_unknown_question_is_refused(served: Any) -> None:
    assert served.lead().get("/lead/agreement?question=else").status_code == 400


@pytest.mark.parametrize(
    ("query", "cards"),
    [("", 4), ("?category=pleonastic_it", 2), ("?system=secret-beta", 2), ("?mark=no", 2), ("?page=2", 0)],
)
def test_examples_are_cards_that_can_be_filtered(disputed: Any, query: str, cards: int) -> None:
    page = disputed.lead().get(f"/lead/examples{query}").text
    assert page.count("<article") == cards
    if cards:
        assert "automatic check" in page
        assert "references" in page


def test_more_context_is_a_link_for_leads(disputed: Any) -> None:
    lea = disputed.lead()
    page = lea.get(f"/lead/units/{first_unit(lea)}?before=9&after=9").text
    assert "bought" in page


@pytest.mark.parametrize("mode", [Mode.GAPS, Mode.COMPARE])
def test_other_modes_can_be_decided_too(serve_small: Any, mode: Mode) -> None:
    served = serve_small(mode=mode, choices=("il", "elle") if mode is Mode.GAPS else ())
    for name in ("Ann", "Bob"):
        person = served.person(name)
        for row in list_assignments(served.store, person):
            view = assignment_view(served.store, person, row.id)
            best = view.slots if name == "Ann" else tuple(reversed(view.slots))
            answer = (
                AnnotatorAnswer(choices=("elle",) if name == "Ann" else ("il",))
                if mode is Mode.GAPS
                else AnnotatorAnswer(order=tuple((slot,) for slot in best))
            )
            save_answer(served.store, person, row.id, answer, version=0, request=f"request-{row.position}")
    lea = served.lead()
    assert lea.get("/lead/agreement").status_code == 200
    units = re.findall(r"/lead/units/(\w+)", lea.get("/lead/examples").text)
    page = lea.get(f"/lead/units/{units[0]}").text
    assert "Decide like Ann" in page
    hidden = re.findall(r'name="answer" value="([^"]*)"', page)
    form = {"version": "0", "request": "like-ann-12", "answer": html.unescape(hidden[0])}
    assert lea.post(f"/lead/units/{units[0]}/decision", form).status_code == 303
    assert decisions(served.store, units[0])[0].by == "Lea"


def test_links_are_made_shown_once_and_revoked(served: Any) -> None:
    lea = served.lead()
    made = lea.post("/lead/links", {"name": "Ann", "days": "3"})
    link = re.search(r'<code id="made">http://127.0.0.1(/enter/[\w-]{43})</code>', made.text)
    assert link is not None
    assert served.stranger().get(link[1]).status_code == 200
    people = lea.get("/lead/people").text
    assert link[1] not in people
    revoke = re.search(r'action="(/lead/links/\w+/revoke)"', people)
    assert revoke is not None
    assert lea.post(revoke[1]).status_code == 303
    assert served.stranger().get(link[1]).status_code == 403
    assert lea.post(revoke[1]).status_code == 404
    assert lea.post("/lead/links", {"name": "Nobody"}).status_code == 404
    assert lea.post("/lead/links", {"name": "Ann", "days": "0"}).status_code == 400


def test_annotators_can_be_added_and_deactivated(served: Any) -> None:
    lea = served.lead()
    assignments_with_items = lea.post("/lead/people", {"name": "Dora", "share": "all"})
    link = re.search(r"http://127.0.0.1(/enter/[\w-]+)", assignments_with_items.text)
    assert link is not None
    dora = served.stranger()
    dora.enter(link[1])
    assert "0 of 4 answered" in plain(dora.get("/items").text)
    assert lea.post("/lead/people", {"name": "Dora"}).status_code == 400
    assert lea.post("/lead/people/end", {"name": "Dora"}).status_code == 303
    assert dora.get("/items").status_code == 401


def test_every_format_can_be_downloaded(disputed: Any) -> None:
    lea = disputed.lead()
    names = re.findall(r'href="/lead/files/([\w-]+)"', lea.get("/lead/files").text)
    assert len(names) > 8
    for name in names:
        file = lea.get(f"/lead/files/{name}")
        assert file.status_code in (200, 400), name
        if file.status_code == 200:
            assert file.headers["content-disposition"].startswith(f'attachment; filename="campaign-{name}.')
    assert lea.get("/lead/files/nothing").status_code == 404
    rows = [json.loads(line) for line in lea.get("/lead/files/jsonl").text.splitlines()]
    assert sum("pronoun" in json.dumps(row) for row in rows) >= 8


def test_a_file_that_comes_back_changes_nothing(disputed: Any) -> None:
    lea = disputed.lead()
    content = lea.get("/lead/files/jsonl").content
    files = {"file": ("answers.jsonl", content)}
    back = lea.post("/lead/files", {"format": "jsonl"}, files=files)
    assert back.status_code == 200
    assert "Here already: 8" in plain(back.text)
    assert "Conflicts: 0" in plain(back.text)


def test_conflicts_of_a_file_are_shown_and_nothing_is_written(disputed: Any) -> None:
    lea = disputed.lead()
    content = lea.get("/lead/files/jsonl").text.replace("non</b>", "si</b>")
    before = lea.get("/lead/files/jsonl").text
    back = lea.post("/lead/files", {"format": "jsonl"}, files={"file": ("a.jsonl", content.encode())})
    assert "Conflicts: 2" in plain(back.text)
    assert "ça &lt;b&gt;si&lt;/b&gt;" in back.text
    assert lea.get("/lead/files/jsonl").text == before


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"{", b"[]\n", b"PK\x03\x04", b"\0" * 1000])
def test_malformed_files_are_explained(served: Any, content: bytes) -> None:
    lea = served.lead()
    for name in ("jsonl", "csv", "protest"):
        back = lea.post("/lead/files", {"format": name}, files={"file": ("x", content)})
        assert back.status_code in (200, 400), (name, back.text)
    assert lea.post("/lead/files", {"format": "else"}, files={"file": ("x", content)}).status_code == 404


def test_uploads_have_a_limit(serve_small: Any) -> None:
    from anaphor.annotate.web import ServerConfig

    lea = serve_small(settings=ServerConfig(max_upload=100_000)).lead()
    large = {"file": ("x", b"x" * 200_000)}
    assert lea.post("/lead/files", {"format": "csv"}, files=large).status_code == 413


def test_the_cells_of_tables_look_like_cells() -> None:
    """A class of cells was once one of highlighted words, too, which made the log grey and crooked."""
    web = Path(sign_in.__file__).parent
    styles = "".join(path.read_text(encoding="utf-8") for path in sorted(web.glob("static/*.css")))
    selectors = [one.strip() for rule in re.findall(r"([^{}]+)\{", styles) for one in rule.split(",")]
    pages = "".join(path.read_text(encoding="utf-8") for path in sorted(web.glob("pages/lead*.html")))
    cells = {name for given in re.findall(r'<t[dh][^>]*class="([\w -]+)"', pages) for name in given.split()}
    assert {"words", "long"} <= cells
    for name in cells:
        for selector in selectors:
            for found in re.findall(rf"(\S*)\.{name}(?![\w-])", selector):
                assert re.search(r"(?:td|th|table)[^ ]*$", found), f"{selector} also styles cells"


def test_the_log_page_shows_who_did_what(disputed: Any) -> None:
    lea = disputed.lead()
    page = plain(lea.get("/lead/log").text)
    assert "Lea signed in" in page
    assert re.search(r"Bob save version 1 rain pleonastic it, number \d – pronoun no, remark: ça", page), (
        "with item and answer"
    )
