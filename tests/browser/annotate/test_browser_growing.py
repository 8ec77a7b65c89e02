"""Two campaigns below their paths in a real browser: practice with feedback, a larger sample, completion."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from anaphor.annotate.campaign.people import add_link
from tests.support.pages import go_in

PASSWORD = "a long enough password"  # noqa: S105 - of a lead in this test
WHY = "The lamp is feminine: elle."


def judge(page: Any, key: str) -> None:
    """Answer the item that is shown, and choose its words where the answer is yes."""
    page.keyboard.press(key)
    for word in page.locator(".word input").all():
        if key == "y" and not word.is_checked():
            word.check()
    page.keyboard.press("Control+Enter")


def changed(page: Any, action: Callable[[], None]) -> None:
    """Do something, and wait until another item is shown."""
    before = page.get_attribute("#item", "data-assignment")
    action()
    page.wait_for_function("id => document.querySelector('#item')?.dataset.assignment !== id", arg=before)


def enter(page: Any, site: dict[str, Any], path: str) -> None:
    page.goto(f"{site['url']}{path}/enter/{add_link(site[path], 'Ann')}")
    go_in(page)
    page.wait_for_selector("html[data-ready] #item")


@pytest.mark.slow  # two campaigns, answered whole in three windows
def test_two_campaigns_practice_growth_and_completion(browser: Any, site: dict[str, Any]) -> None:
    context = browser.new_context()
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(site["url"])
    assert page.locator("li a").all_inner_texts() == ["Crowd", "Lamps"]

    enter(page, site, "/crowd")
    assert "It does not count" in page.inner_text("#practice")
    judge(page, "n")
    page.wait_for_selector("#practice.bad")
    assert WHY in page.inner_text("#practice")
    assert "pronoun yes" in page.inner_text("#practice")
    judge(page, "y")
    page.wait_for_selector("#practice.good")
    assert page.inner_text("#practice").startswith("Right.")
    assert "/crowd/items/" in page.url, "what was right needs no second key"
    for _ in range(3):
        changed(page, lambda: judge(page, "y"))
        assert page.url.startswith(f"{site['url']}/crowd/items/"), "the address follows the item"
    assert page.locator("#completed").count() == 0
    judge(page, "y")
    page.wait_for_selector("#completed")
    assert page.inner_text("#completion-code") == "C1A2"
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.click("#return", no_wait_after=True)
    until = time.monotonic() + 120
    while not any(one.endswith("/complete?cc=C1A2") for one in asked):
        assert time.monotonic() < until, asked
        page.wait_for_timeout(50)
    page.close()

    page = context.new_page()
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    enter(page, site, "/lamps")
    for key in "ynynyny":
        changed(page, partial(judge, page, key))
    judge(page, "n")
    page.wait_for_selector("#warnings.good")
    assert "Everything is answered" in page.inner_text("#warnings")

    lead = context.new_page()
    lead.goto(f"{site['url']}/lamps/")
    if lead.locator("#name").count() == 0:  # Ann is signed in in this browser
        lead.click("button.link >> text=Leave")
    lead.fill("#name", "Lea")
    lead.fill("#password", PASSWORD)
    lead.press("#password", "Enter")
    lead.wait_for_url("**/lamps/lead")
    button = lead.locator("form[action='/lamps/lead/more'] button")
    found = re.search(r"Ask for (\d+) more", button.inner_text())
    assert found is not None
    button.click()
    lead.wait_for_function("() => !document.querySelector('form[action$=\"/lead/more\"]')")
    assert f"of {8 + int(found[1])}" in lead.inner_text("main")
    assert [one for one in said if "ERR_" not in one] == []
    context.close()
