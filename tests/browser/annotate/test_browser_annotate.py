"""The annotation page in a real browser: a whole campaign by keyboard, answers that survive the server."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from anaphor.annotate.campaign.people import find_person
from anaphor.annotate.judging.answers import journal, save_answer
from anaphor.annotate.judging.assignments import list_assignments
from anaphor.annotate.types import AnnotatorAnswer, Mode
from tests.support.pages import go_in

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PASSWORD = "a long enough password"  # noqa: S105 - of a lead in these tests
PEOPLE = ("Ann", "Bob", "Cem")
OpenWindow = Callable[..., Any]
Serve = Callable[[Mode], Any]


def position(page: Page) -> int:
    return int(page.locator("#item").get_attribute("data-position") or 0)


def press_to(page: Page, target: str, *, most: int = 200) -> None:
    """Press Tab until an element has the focus, as somebody without a mouse would."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", target):
            return
    pytest.fail(f"the keyboard does not reach {target}")


def judge(page: Page, verdict: str = "n") -> None:
    """Answer the questions of an item with keys."""
    if page.locator("[name=antecedent]").count():
        page.keyboard.press("1")
    page.keyboard.press(verdict)


def judge_all(page: Page, verdict: str) -> int:
    """Answer every item with keys alone; how many there were."""
    total = int(page.locator("#item").get_attribute("data-total") or 0)
    for number in range(1, total + 1):
        assert position(page) == number
        judge(page, verdict)
        for word in page.locator(".word input").all():
            if verdict == "y" and not word.is_checked():
                word.focus()
                page.keyboard.press("Space")
        page.keyboard.press("Control+Enter")
        expected = min(number + 1, total)
        page.wait_for_function(
            "([at, done]) => Number(document.querySelector('#item')?.dataset.position) === at"
            " && Number(document.querySelector('progress').value) === done",
            arg=[expected, number],
        )
    return total


def test_a_whole_campaign_by_keyboard(window: OpenWindow, server: Any, tmp_path: Path) -> None:
    totals = []
    for name, verdict in zip(PEOPLE, ("y", "y", "n"), strict=True):
        with window(server) as (page, messages):
            server.enter(page, name)
            assert "enter" not in page.url, "the token has left the address bar"
            totals.append(judge_all(page, verdict))
            assert messages == []
    assert totals[0] > 3
    with window(server, accept_downloads=True) as (page, messages):
        page.goto(server.url)
        press_to(page, "#name")
        page.keyboard.type("Lea")
        page.keyboard.press("Tab")
        page.keyboard.type(PASSWORD)
        page.keyboard.press("Enter")
        page.wait_for_url("**/lead")
        assert f"{sum(totals)} of {sum(totals)}" in " ".join(page.inner_text("main").split())
        press_to(page, "a[href='/lead/disagreements']")
        page.keyboard.press("Enter")
        page.wait_for_selector("article")
        open_ones = page.locator("article").count()
        assert open_ones == totals[0], "one of the three always says no"
        press_to(page, "article a")
        page.keyboard.press("Enter")
        for _ in range(open_ones):
            page.wait_for_selector("html[data-ready] #answer")
            here = page.url
            page.keyboard.press("y")
            page.keyboard.press("Control+Enter")
            page.wait_for_function("url => location.href !== url", arg=here)
        page.wait_for_url("**/lead/disagreements")
        assert "Nothing to decide" in page.inner_text("main")
        press_to(page, "a[href='/lead/agreement']")
        page.keyboard.press("Enter")
        page.wait_for_selector("table")
        assert f"agree on {totals[0]} of {totals[0]}" in page.inner_text("main")
        press_to(page, "a[href='/lead/files']")
        page.keyboard.press("Enter")
        page.wait_for_selector("a[href='/lead/files/jsonl']")
        press_to(page, "a[href='/lead/files/jsonl']")
        with page.expect_download() as download:
            page.keyboard.press("Enter")
        path = tmp_path / "answers.jsonl"
        download.value.save_as(path)
        assert messages == []
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(rows) >= sum(totals)


def test_a_link_in_a_mail_program_opens_the_page(window: OpenWindow, server: Any) -> None:
    """Strict cookies do not follow redirects that another site began; the page must come all the same."""
    with window(server) as (page, _):
        page.set_content(f"<a href='{server.link('Ann')}'>Your link</a>")
        page.click("a")
        go_in(page)
        page.wait_for_selector("#item")


def test_answers_typed_while_the_server_is_away_are_sent_when_it_is_back(
    window: OpenWindow, server: Any
) -> None:
    with window(server) as (page, _):
        server.enter(page, "Ann")
        page.wait_for_selector("html[data-ahead]")  # the next items are there
        server.stop()
        for number in (1, 2):
            judge(page)
            page.keyboard.press("r")
            page.keyboard.type(f"written offline {number}")
            page.keyboard.press("Control+Enter")
            page.wait_for_function(
                "number => Number(document.querySelector('#item').dataset.position) === number + 1",
                arg=number,
            )
        page.wait_for_selector("#pill >> text=Not connected · 2 answers kept in this browser")
        assert not journal(server.store)
        server.start()
        page.wait_for_function(
            "() => document.querySelector('#pill').textContent === 'All answers saved'", timeout=60000
        )
        remarks = {entry.after.remark for entry in journal(server.store)}
        assert remarks == {"written offline 1", "written offline 2"}
        assert page.evaluate("Object.keys(localStorage).filter(key => key.includes(':answer:')).length") == 0


def test_answers_wait_for_another_visit(browser: Browser, server: Any) -> None:
    context = browser.new_context()
    page = context.new_page()
    server.enter(page, "Ann")
    server.stop()
    judge(page)
    page.keyboard.press("r")
    page.keyboard.type("before the computer was shut down")
    page.keyboard.press("Control+Enter")
    page.wait_for_function(
        "() => document.querySelector('#pill').textContent.includes('kept in this browser')"
    )
    page.close()
    server.start()
    again = context.new_page()
    again.goto(server.url)
    again.wait_for_function("() => document.querySelector('#pill').textContent === 'All answers saved'")
    assert [entry.after.remark for entry in journal(server.store)] == ["before the computer was shut down"]
    context.close()


def test_what_is_typed_and_not_saved_is_there_after_a_reload(window: OpenWindow, server: Any) -> None:
    with window(server) as (page, messages):
        server.enter(page, "Ann")
        page.keyboard.press("r")
        page.keyboard.type("half a thou")
        page.reload()
        page.wait_for_selector("#told:not([hidden])")
        assert page.input_value("#remark") == "half a thou"
        assert messages == []


def test_two_windows_meet_side_by_side(browser: Browser, server: Any) -> None:
    context = browser.new_context()
    first, second = context.new_page(), context.new_page()
    server.enter(first, "Ann")
    second.goto(first.url)
    second.wait_for_selector("html[data-ready]")
    for page, text in ((first, "from the first"), (second, "from the second")):
        page.bring_to_front()
        judge(page)
        page.keyboard.press("r")
        page.keyboard.type(text)
        page.keyboard.press("Control+Enter")
        page.wait_for_function("text => !document.querySelector('#remark')?.value.includes(text)", arg=text)
    second.wait_for_selector("#conflict")
    shown = second.inner_text("#conflict")
    assert "from the first" in shown
    assert "from the second" in shown
    assert [(entry.kind, entry.after.remark) for entry in journal(server.store)] == [
        ("conflict", "from the second"),
        ("save", "from the first"),
    ]
    press_to(second, "[data-keep=mine]")
    second.keyboard.press("Enter")
    second.wait_for_selector("#item")
    assert [(entry.kind, entry.after.remark) for entry in journal(server.store)] == [
        ("save", "from the second"),
        ("conflict", "from the second"),
        ("save", "from the first"),
    ]
    context.close()


def test_keys_move_undo_and_open_dialogs(window: OpenWindow, server: Any) -> None:
    with window(server) as (page, messages):
        server.enter(page, "Ann")
        page.keyboard.press("j")
        page.wait_for_function("() => document.querySelector('#item').dataset.position === '2'")
        page.keyboard.press("ArrowLeft")
        page.wait_for_function("() => document.querySelector('#item').dataset.position === '1'")
        page.keyboard.press("g")
        page.keyboard.type("3")
        page.keyboard.press("Enter")
        page.wait_for_function("() => document.querySelector('#item').dataset.position === '3'")
        page.keyboard.press("n")
        page.keyboard.press("k")
        page.wait_for_function("() => document.querySelector('#item').dataset.position === '2'")
        page.go_back()
        page.wait_for_function("() => document.querySelector('#item').dataset.position === '3'")
        assert page.is_checked("[name=pronoun][value=no]"), "moving on saved it"
        page.keyboard.press("z")
        page.wait_for_selector("#told:not([hidden])")
        assert page.locator("[name=pronoun]:checked").count() == 0
        for key, words in (("h", "undo"), ("?", "Be strict")):
            page.keyboard.press(key)
            page.wait_for_selector("dialog[open]")
            assert words in page.inner_text("dialog")
            page.keyboard.press("Escape")
            page.wait_for_selector("dialog", state="detached")
        assert messages == []


def test_single_keys_can_be_switched_off(window: OpenWindow, server: Any) -> None:
    with window(server) as (page, _):
        server.enter(page, "Ann")
        press_to(page, "[data-dialog=keys]")
        page.keyboard.press("Enter")
        page.wait_for_selector("dialog[open]")
        press_to(page, "#keys-switch")
        page.keyboard.press("Space")
        page.keyboard.press("Escape")
        page.keyboard.press("n")
        assert page.locator("[name=pronoun]:checked").count() == 0


def test_linked_words_light_up_under_pointer_and_focus(window: OpenWindow, server: Any) -> None:
    with window(server) as (page, messages):
        server.enter(page, "Ann")
        word = page.locator(".source [data-links^=t-]").first
        partner = page.locator(f"#{(word.get_attribute('data-links') or '').split()[0]}")
        word.hover()
        assert "lit" in (partner.get_attribute("class") or "")
        page.mouse.move(0, 0)
        marked = page.locator(".word input").first
        marked.focus()
        assert page.locator(".lit").count() >= 2
        page.keyboard.press("ArrowRight")
        assert "linked to" in page.inner_text("#status")
        assert messages == []


def test_more_lines_keep_what_was_chosen(window: OpenWindow, server: Any) -> None:
    with window(server) as (page, messages):
        server.enter(page, "Ann")
        page.keyboard.press("y")
        rows = page.locator("#text .row").count()
        page.locator("[data-text]").last.click()
        page.wait_for_function("rows => document.querySelectorAll('#text .row').length > rows", arg=rows)
        assert page.is_checked("[name=pronoun][value=yes]")
        assert messages == []


def test_without_script_plain_forms_do_the_work(window: OpenWindow, server: Any) -> None:
    with window(server, java_script_enabled=False) as (page, _):
        page.goto(server.link("Ann"))
        go_in(page)
        page.wait_for_selector("#item")
        page.click("button[value=next]")
        assert "Nothing was chosen, so nothing is saved" in page.inner_text("#told")
        if page.locator("[name=antecedent]").count():
            page.check("[name=antecedent][value=no]")
        page.check("[name=pronoun][value=no]")
        page.click("button[value=next]")
        assert page.inner_text("h1").startswith("Item 2")
        page.click("text=History")
        assert "Nothing has been saved" in page.inner_text("main")
    assert [entry.kind for entry in journal(server.store)] == ["save"]


@pytest.mark.parametrize(("mode", "keys"), [(Mode.GAPS, "12"), (Mode.COMPARE, "1")])
def test_other_modes_work_by_keyboard(
    window: OpenWindow, serve_campaign: Serve, mode: Mode, keys: str
) -> None:
    server = serve_campaign(mode)
    with window(server) as (page, messages):
        server.enter(page, "Bob")
        for key in keys:
            page.keyboard.press(key)
        page.keyboard.press("Control+Enter")
        page.wait_for_function("() => document.querySelector('#item').dataset.position === '2'")
        assert messages == []
    (entry,) = journal(server.store)
    assert len(entry.after.choices) == 2 if mode is Mode.GAPS else len(entry.after.order) == 2


def test_figures_stay_fresh_while_a_lead_looks_at_them(window: OpenWindow, server: Any) -> None:
    with window(server) as (page, messages):
        page.clock.install()
        page.goto(server.url)
        page.fill("#name", "Lea")
        page.fill("#password", PASSWORD)
        page.press("#password", "Enter")
        page.wait_for_url("**/lead")
        assert page.inner_text(".figure >> nth=0").startswith("0 ")
        person = find_person(server.store, "Ann").id
        first = list_assignments(server.store, person)[0].id
        save_answer(server.store, person, first, AnnotatorAnswer(remark="x"), version=0, request="meanwhile")
        page.clock.fast_forward(16000)
        page.wait_for_function("() => document.querySelector('.figure').textContent.startsWith('1 ')")
        assert messages == []
