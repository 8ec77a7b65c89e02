"""The save path in a real browser: the states of the pill, conflicts, slow saves, what is missing.

All tests share one server; each works as another annotator or on another item.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from anaphor.annotate.campaign.people import find_person
from anaphor.annotate.judging.answers import journal, save_answer
from anaphor.annotate.judging.assignments import list_assignments, progress_of
from anaphor.annotate.judging.messages import inbox
from anaphor.annotate.judging.views import assignment_view
from anaphor.annotate.types import AnnotatorAnswer, Mark, Mode

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page, Route

PASSWORD = "a long enough password"  # noqa: S105 - of a lead in these tests


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory, open_server: Callable[..., Any]) -> Iterator[Any]:
    with open_server(tmp_path_factory.mktemp("save-path"), Mode.JUDGE) as server:
        yield server


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    made = browser.new_context()
    yield made
    made.close()


def go_to(server: Any, page: Page, name: str, number: int) -> str:
    """Open an item of somebody; its assignment."""
    server.enter(page, name)
    page.goto(f"{server.url}/items/at?position={number}")
    page.wait_for_selector("html[data-ready] #item")
    page.wait_for_selector("html[data-ahead]")
    return page.locator("#item").get_attribute("data-assignment") or ""


def judge(page: Page, verdict: str) -> None:
    if page.locator("[name=antecedent]").count():
        page.keyboard.press("2")
    page.keyboard.press(verdict)


def pill(page: Page, state: str) -> str:
    page.wait_for_selector(f"#pill[data-state={state}]")
    return page.inner_text("#pill")


def at(page: Page, number: int) -> None:
    page.wait_for_function(
        "number => Number(document.querySelector('#item')?.dataset.position) === number", arg=number
    )


def kinds(server: Any, assignment: str) -> list[tuple[str, str]]:
    return [(one.kind, one.after.pronoun.value) for one in journal(server.store, assignment=assignment)]


def test_a_conflict_from_offline_work_is_opened_and_resolved(campaign: Any, context: BrowserContext) -> None:
    page = context.new_page()
    assignment = go_to(campaign, page, "Ann", 1)
    sentence = page.inner_text(".source >> nth=-1")
    campaign.stop()
    judge(page, "n")
    page.keyboard.press("Control+Enter")
    assert "Not connected · 1 answer kept in this browser" in pill(page, "offline")
    other = AnnotatorAnswer(antecedent=Mark.UNSET, pronoun=Mark.YES, remark="given elsewhere")
    save_answer(
        campaign.store,
        find_person(campaign.store, "Ann").id,
        assignment,
        other,
        version=0,
        request="elsewhere",
    )
    campaign.start()
    assert "Two answers to item 1: choose" in pill(page, "conflict")
    page.goto(f"{campaign.url}/items/{assignment}")
    page.wait_for_selector("html[data-ready] #conflict")
    assert sentence in page.inner_text("#conflict"), "the sentence is there"
    assert "given elsewhere" in page.inner_text("#conflict")
    page.goto(f"{campaign.url}/items/at?position=3")
    page.wait_for_selector("html[data-ready] #item")
    page.click("#pill[data-state=conflict] button")
    page.wait_for_selector("#conflict")
    page.click("[data-keep=saved]")
    page.wait_for_selector("#item")
    assert page.is_checked("[name=pronoun][value=yes]"), "what was kept is shown"
    assert pill(page, "saved") == "All answers saved"
    assert sorted(kinds(campaign, assignment)) == [("conflict", "no"), ("save", "yes")], (
        "the history has both"
    )
    page.reload()
    page.wait_for_selector("html[data-ready] #item")
    assert "Two answers" not in page.inner_text("body")


def test_signing_in_again_does_not_break_an_open_tab(campaign: Any, context: BrowserContext) -> None:
    page = context.new_page()
    assignment = go_to(campaign, page, "Bob", 1)
    page.evaluate("() => { document.querySelector('meta[name=csrf]').content = 'of an earlier session' }")
    judge(page, "n")
    page.keyboard.press("Control+Enter")
    at(page, 2)
    assert pill(page, "saved") == "All answers saved"
    assert kinds(campaign, assignment) == [("save", "no")]
    context.clear_cookies()
    judge(page, "n")
    page.keyboard.press("Control+Enter")
    assert "Signed out · 1 answer kept in this browser" in pill(page, "refused")
    assert "open your personal link again" in page.inner_text("#told")
    assert "connected" not in page.inner_text("body")
    again = context.new_page()
    campaign.enter(again, "Bob")
    assert pill(again, "saved") == "All answers saved", "it was sent after signing in"


def test_keys_during_a_slow_save_go_nowhere(campaign: Any, context: BrowserContext) -> None:
    page = context.new_page()
    first = go_to(campaign, page, "Cem", 1)
    waiting: list[Route] = []
    page.route("**/api/items/*/answer", lambda route: waiting.append(route))
    judge(page, "y")
    page.keyboard.press("Control+Enter")
    assert pill(page, "saving") == "Saving…"
    for key in "nr":
        page.keyboard.press(key)
    page.keyboard.type("meant for the next item")
    page.keyboard.press("Control+Enter")
    (route,) = waiting
    route.continue_()
    page.wait_for_selector("#pill[data-state=saved]")
    assert kinds(campaign, first) == [("save", "yes")]
    assert page.evaluate("() => Object.keys(localStorage).filter(key => key.includes(':draft:'))") == []
    page.goto(f"{campaign.url}/items/at?position=2")
    page.wait_for_selector("html[data-ready] #item")
    assert page.locator("#answer [name=pronoun]:checked").count() == 0, "nor into the next item"


def test_save_and_next_says_what_is_missing(campaign: Any, context: BrowserContext) -> None:
    page = context.new_page()
    person = find_person(campaign.store, "Cem").id
    rows = list_assignments(campaign.store, person)
    two = next(
        row.position
        for row in rows
        if row.position > 2 and assignment_view(campaign.store, person, row.id).asks_antecedent
    )
    assignment = go_to(campaign, page, "Cem", two)
    page.keyboard.press("Control+Enter")
    assert "antecedent head translated right?" in page.inner_text("#told")
    assert "Is the pronoun translated right?" in page.inner_text("#told")
    page.keyboard.press("n")
    page.keyboard.press("Control+Enter")
    assert "antecedent" in page.inner_text("#told")
    assert "pronoun translated right" not in page.inner_text("#told")
    assert kinds(campaign, assignment) == []
    done = progress_of(campaign.store, person).answered
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#warnings")
    assert kinds(campaign, assignment) == [("save", "no")], "kept unfinished when asked for again"
    assert progress_of(campaign.store, person).answered == done, "and not counted"
    page.keyboard.press("3")
    page.keyboard.press("Control+Enter")
    page.wait_for_function("() => !document.querySelector('#warnings')")
    assert progress_of(campaign.store, person).answered == done + 1, "can't judge is an answer"


def test_saving_the_last_item_says_so(campaign: Any, context: BrowserContext) -> None:
    page = context.new_page()
    person = find_person(campaign.store, "Bob").id
    last = len(list_assignments(campaign.store, person))
    go_to(campaign, page, "Bob", last - 1)
    page.keyboard.press("j")
    at(page, last)
    judge(page, "n")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#warnings")
    assert "That was your last item" in page.inner_text("#warnings")
    assert "Still open" in page.inner_text("#warnings")
    page.click("#warnings a")
    page.wait_for_selector("html[data-ready] #item")


def test_a_question_reaches_the_lead_and_the_reply_comes_back(campaign: Any, context: BrowserContext) -> None:
    page = context.new_page()
    go_to(campaign, page, "Ann", 4)
    page.keyboard.press("a")
    page.keyboard.type("Which lamp is meant?")
    page.click("#question button")
    page.wait_for_selector("#asking .thread")
    (entry,) = inbox(campaign.store, kind="question")
    assert entry.is_open
    assert progress_of(campaign.store, find_person(campaign.store, "Ann").id).answered < 4
    lead = context.browser.new_context().new_page() if context.browser else page
    lead.goto(campaign.url)
    lead.fill("#name", "Lea")
    lead.fill("#password", PASSWORD)
    lead.press("#password", "Enter")
    lead.wait_for_url("**/lead")
    lead.goto(f"{campaign.url}/lead/inbox")
    lead.fill("article textarea", "The one in the tower.")
    lead.click("article button.main")
    lead.wait_for_selector("article .from-lead")
    lead.click("article >> text=To the item")
    lead.wait_for_selector("#answer")
    lead.context.close()
    page.reload()
    assert "The one in the tower." in page.inner_text("#asking")


def test_the_judging_page_fits_the_window(campaign: Any, browser: Browser) -> None:
    for width, height, most in ((1280, 800, 800), (390, 844, 2000)):
        made = browser.new_context(viewport={"width": width, "height": height})
        page = made.new_page()
        go_to(campaign, page, "Ann", 5)
        boxes = page.locator(".question, .notes summary, .go").evaluate_all(
            "all => all.map(one => one.getBoundingClientRect()).map(box => [box.bottom, box.right])"
        )
        assert max(box[0] for box in boxes) <= most, "above the fold"
        assert max(box[1] for box in boxes) <= width
        assert page.locator("#answer :checked").count() == 0, "nothing is chosen at first"
        bars = page.locator(".go, .go-main").evaluate_all(
            "all => all.map(one => getComputedStyle(one).position)"
        )
        assert "sticky" in bars
        made.close()


def test_decisions_keep_the_filter_and_have_keys(
    tmp_path: Path, open_server: Callable[..., Any], context: BrowserContext
) -> None:
    with open_server(tmp_path, Mode.JUDGE) as server:
        for name, mark in (("Ann", Mark.YES), ("Bob", Mark.NO)):
            person = find_person(server.store, name).id
            for row in list_assignments(server.store, person):
                view = assignment_view(server.store, person, row.id)
                head = Mark.NO if view.asks_antecedent else Mark.UNSET
                answer = AnnotatorAnswer(antecedent=head, pronoun=mark)
                save_answer(
                    server.store, person, row.id, answer, version=0, request=f"request-{row.position}"
                )
        page = context.new_page()
        page.goto(server.url)
        page.fill("#name", "Lea")
        page.fill("#password", PASSWORD)
        page.press("#password", "Enter")
        page.wait_for_url("**/lead")
        category = "anaphoric_inter_subject_it"
        page.goto(f"{server.url}/lead/disagreements?category={category}&blind=true")
        count = page.locator("article").count()
        assert count > 1
        assert page.locator("article mark.pronoun").count() >= 2 * count - 2, "the text is there"
        assert "Ann" not in page.inner_text("main").replace("Annotator", "")
        page.click("article a >> nth=0")
        for number in range(count, 0, -1):
            page.wait_for_selector("html[data-ready] #answer")
            assert f"1 of {number}" in page.inner_text("h1")
            here = page.url
            page.keyboard.press("1")
            page.wait_for_function("url => location.href !== url", arg=here)
            assert f"category={category}" in page.url, "the filter is kept"
        assert "Nothing to decide" in page.inner_text("main")
        page.goto(f"{server.url}/lead/log")
        styles = page.locator("tbody td").evaluate_all(
            "all => [...new Set(all.map(one => getComputedStyle(one).borderRadius))]"
        )
        assert styles == ["0px"], "cells of the log are no panels"
