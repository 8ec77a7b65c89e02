"""Annotators in a real browser: questions not sent yet, reconnecting, dialogs, replies of the lead."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from anaphor.annotate.campaign.people import find_person
from anaphor.annotate.judging.answers import journal
from anaphor.annotate.judging.messages import inbox, reply
from anaphor.annotate.types import Mode

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory, open_server: Callable[..., Any]) -> Iterator[Any]:
    with open_server(tmp_path_factory.mktemp("third"), Mode.JUDGE) as server:
        yield server


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context()
    yield context.new_page()
    context.close()


def go_to(server: Any, page: Page, name: str, number: int) -> str:
    server.enter(page, name)
    page.goto(f"{server.url}/items/at?position={number}")
    page.wait_for_selector("html[data-ready] #item")
    return page.locator("#item").get_attribute("data-assignment") or ""


def judge(page: Page, verdict: str = "n") -> None:
    if page.locator("[name=antecedent]").count():
        page.keyboard.press("2")
    page.keyboard.press(verdict)


def test_a_question_that_is_not_sent_is_neither_lost_nor_overlooked(campaign: Any, page: Page) -> None:
    go_to(campaign, page, "Bob", 2)
    page.keyboard.press("a")
    page.keyboard.type("Is this the lamp?")
    page.reload()
    page.wait_for_selector("html[data-ready] #item")
    assert page.input_value("#question-text") == "Is this the lamp?", "it is there after a reload"
    judge(page)
    page.click("h1")
    page.keyboard.press("Control+Enter")
    assert "question to the lead is not sent" in page.inner_text("#told")
    assert page.locator("#item").get_attribute("data-position") == "2"
    page.focus("#question-text")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(".thread")
    assert page.input_value("#question-text") == ""
    assert [entry.messages[0].text for entry in inbox(campaign.store)] == ["Is this the lamp?"]
    page.click("h1")
    page.keyboard.press("Control+Enter")
    page.wait_for_function("() => document.querySelector('#item')?.dataset.position === '3'")


def test_moving_on_keeps_a_question_and_says_that_it_is_not_sent(campaign: Any, page: Page) -> None:
    go_to(campaign, page, "Bob", 3)
    page.keyboard.press("a")
    page.keyboard.type("jam or jar?")
    assert page.locator("#item").get_attribute("data-position") == "3", "j is a letter in the field"
    page.click("h1")
    page.keyboard.press("j")
    page.wait_for_function("() => document.querySelector('#item')?.dataset.position === '4'")
    assert page.inner_text("#told") == "Your question about item 3 is not sent; it is kept there."
    assert page.input_value("#question-text") == "", "it belongs to the item it was typed for"
    page.keyboard.press("k")
    page.wait_for_function("() => document.querySelector('#item')?.dataset.position === '3'")
    assert page.input_value("#question-text") == "jam or jar?"
    assert page.locator("#told").is_hidden()
    assert page.locator("#question-text").is_visible(), "its place is open"


def test_the_lead_has_replied(campaign: Any, page: Page) -> None:
    assignment = go_to(campaign, page, "Cem", 4)
    page.keyboard.press("a")
    page.keyboard.type("Which one?")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(".thread")
    lead = find_person(campaign.store, "Lea").id
    reply(campaign.store, lead, assignment, "The second one.", request="a-reply-of-lea")
    page.goto(f"{campaign.url}/items/at?position=1")
    page.click("#replies a")
    page.wait_for_selector(".from-lead")
    assert "The second one." in page.inner_text(".thread")
    assert page.locator("#replies").count() == 0
    page.goto(f"{campaign.url}/items")
    assert page.locator("#replies").count() == 0, "it has been seen"


def test_after_a_reconnection_at_the_last_item_nothing_is_misreported(campaign: Any, page: Page) -> None:
    server = campaign
    go_to(server, page, "Ann", 1)
    total = page.locator("#item").get_attribute("data-total")
    assignment = go_to(server, page, "Ann", int(total or 0))
    server.stop()
    judge(page)
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#pill[data-state=offline]")
    server.start()
    page.wait_for_selector("#pill[data-state=saved]", timeout=60000)
    page.wait_for_selector(".chip.state-done, .chip.state-warned")
    assert page.inner_text("#pill") == "All answers saved"
    page.click("h1")
    page.keyboard.press("Control+Enter")
    page.wait_for_timeout(300)
    assert len(journal(server.store, assignment=assignment)) == 1, "saving again writes no second version"


def test_the_server_may_stop_in_the_middle_of_every_answer(campaign: Any, page: Page) -> None:
    """Between the two questions of each item, the last one included: all is stored once, and said so."""
    server = campaign
    go_to(server, page, "Cem", 1)
    total = int(page.locator("#item").get_attribute("data-total") or 0)
    assert total == 8
    for number in range(1, total + 1):
        assignment = go_to(server, page, "Cem", number)
        if page.locator("[name=antecedent]").count():
            page.keyboard.press("2")
        server.stop()
        page.keyboard.press("n")
        page.keyboard.press("Control+Enter")
        page.wait_for_selector("#pill[data-state=offline]")
        server.start()
        page.wait_for_selector("#pill[data-state=saved]", timeout=60000)
        assert page.inner_text("#pill") == "All answers saved", number
        (entry,) = journal(server.store, assignment=assignment)
        assert (entry.version, entry.after.pronoun.value) == (1, "no"), number
    page.goto(f"{server.url}/items")
    assert "8 of 8 answered" in page.inner_text("main")


def test_a_phone_shows_both_questions_above_the_bar_and_the_pronoun_above_them(
    campaign: Any, browser: Browser
) -> None:
    context = browser.new_context(viewport={"width": 400, "height": 700})
    page = context.new_page()
    campaign.enter(page, "Bob")
    for number in range(1, 9):
        page.goto(f"{campaign.url}/items/at?position={number}")
        page.wait_for_selector("html[data-ready] #item")
        bar = page.locator(".go-main").bounding_box()
        assert bar is not None
        questions = page.locator("fieldset.question").all()
        assert questions, number
        for question in questions:
            box = question.bounding_box()
            assert box is not None
            assert box["y"] >= 0
            assert box["y"] + box["height"] <= bar["y"] + 1, number
        assert bar["y"] + bar["height"] <= 701
        asked = page.locator(".ask").bounding_box()
        assert asked is not None
        told = page.locator("#told, #warnings").locator("visible=true").count() > 0
        words = page.locator("#text .row .pronoun").all()
        assert words, number
        for word in words:
            box = word.bounding_box()
            assert box is not None
            assert told or (box["y"] >= 0 and box["y"] + box["height"] <= asked["y"] + 1), number
    context.close()


def test_dialogs_open_at_their_top_and_show_the_keys_on_a_phone(campaign: Any, browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 400, "height": 700})
    page = context.new_page()
    campaign.enter(page, "Ann")
    page.keyboard.press("?")
    page.wait_for_selector("dialog[open]")
    assert page.evaluate("document.querySelector('dialog').scrollTop") == 0
    assert page.locator("dialog h2").first.is_visible()
    page.keyboard.press("Escape")
    page.click("[data-dialog=keys]")
    page.wait_for_selector("dialog[open] table kbd")
    assert page.locator("dialog table kbd").first.is_visible()
    context.close()


def test_any_word_can_be_named_by_mouse_and_by_keys(campaign: Any, page: Page) -> None:
    assignment = go_to(campaign, page, "Bob", 5)
    page.locator("#text .any").first.click()
    assert page.locator("#text .renders").count() == 1
    page.locator("#text .renders").click()
    assert page.locator("#text .renders").count() == 0, "a second click takes it back"
    page.keyboard.press("p")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    named = page.locator("#text .renders")
    assert named.count() == 1
    place = named.get_attribute("data-at")
    page.click("h1")
    if page.locator("[name=antecedent]").count():
        page.keyboard.press("2")
    page.keyboard.press("y")
    assert page.locator(".word.pronoun input:checked").count() == 0, "the frame does not count any more"
    page.keyboard.press("Control+Enter")
    page.wait_for_function("() => document.querySelector('#item')?.dataset.position === '6'")
    saved = journal(campaign.store, assignment=assignment)[0].after
    assert [f"{at.segment}.{at.token}" for at in saved.rendering or ()] == [place]
    page.keyboard.press("0")
    assert page.is_checked("[name=rendering][value=none]")
    page.keyboard.press("k")
    page.wait_for_function("() => document.querySelector('#item')?.dataset.position === '5'")
    assert page.locator("#text .renders").get_attribute("data-at") == place, "it is shown again"
    page.keyboard.press("j")
    page.wait_for_function("() => document.querySelector('#item')?.dataset.position === '6'")
    assert page.is_checked("[name=rendering][value=none]"), "moving on saved it"
