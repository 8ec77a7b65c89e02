"""Whether everybody can use the annotation page: checks after WCAG on every page, written out here."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from anaphor.annotate.campaign.people import find_person
from anaphor.annotate.judging.answers import save_answer
from anaphor.annotate.judging.assignments import list_assignments
from anaphor.annotate.judging.views import assignment_view
from anaphor.annotate.types import AnnotatorAnswer, Mark, Mode

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PASSWORD = "a long enough password"  # noqa: S105 - of a lead in these tests
OpenWindow = Callable[..., Any]
Serve = Callable[[Mode], Any]

#: Every breach of a rule in words. Rules: WCAG 2.2 success criteria 1.1.1, 1.3.1, 1.4.3, 2.4.1-2.4.6, 2.5.8,
#: 3.1.1, 3.3.2, 4.1.2, as far as a program can see them.
RULES = r"""() => {
  const breaches = [];
  const say = (rule, element) => breaches.push(`${rule}: ${element.outerHTML.slice(0, 120)}`);
  const seen = (element) => element.checkVisibility({ visibilityProperty: true });
  const all = (selector) => [...document.querySelectorAll(selector)].filter(seen);
  const named = (element) =>
    element.getAttribute("aria-label") || element.textContent.trim() || element.title ||
    (element.getAttribute("aria-labelledby") ?? "").split(" ").some((id) => document.getElementById(id));

  if (!document.documentElement.lang) say("no language", document.documentElement);
  if (!document.title.trim()) breaches.push("no title");
  if (all("main").length !== 1) breaches.push("not one main");
  if (all("h1").length !== 1) breaches.push("not one h1");
  if (!document.querySelector("a.skip[href='#main']")) breaches.push("no skip link");
  const navigations = all("nav");
  if (navigations.some((nav) => !nav.getAttribute("aria-label"))) breaches.push("a nav without a name");

  let level = 0;
  for (const heading of all("h1, h2, h3, h4, h5, h6")) {
    const next = Number(heading.tagName[1]);
    if (next > level + 1) say(`heading after level ${level}`, heading);
    if (!heading.textContent.trim()) say("empty heading", heading);
    level = next;
  }
  const ids = new Map();
  for (const element of document.querySelectorAll("[id]")) {
    if (ids.has(element.id)) say("id twice", element);
    ids.set(element.id, element);
  }
  for (const element of document.querySelectorAll("[aria-labelledby]")) {
    const missing = element.getAttribute("aria-labelledby").split(" ").some((id) => !ids.has(id));
    if (missing) say("label missing", element);
  }
  for (const field of all("input:not([type=hidden]), select, textarea")) {
    const label = [...(field.labels ?? [])].some((one) => one.textContent.trim());
    if (!label && !field.getAttribute("aria-label")) say("field without a label", field);
  }
  for (const group of all("fieldset")) {
    if (!group.querySelector("legend")?.textContent.trim()) say("no legend", group);
  }
  for (const element of all("button, a[href], [role=region], summary")) {
    if (!named(element)) say("no name", element);
  }
  for (const table of all("table")) {
    if (![...table.querySelectorAll("th")].every((cell) => cell.scope)) say("th without scope", table);
  }
  for (const image of all("img, svg")) if (!image.alt && !named(image)) say("image without words", image);
  for (const element of all("[tabindex]")) if (element.tabIndex > 0) say("tabindex", element);
  for (const element of all("button, .button, .choices label, select, input[type=number]")) {
    const box = element.getBoundingClientRect();
    if (element.matches(".link")) continue;   // inside a line of text
    if (box.height < 24 || box.width < 24) say("small target", element);
  }
  for (const progress of all("progress")) if (!progress.getAttribute("aria-label")) say("progress", progress);
  return breaches;
}"""

#: Every visible text whose contrast with what is behind it is below 4.5 to 1.
CONTRAST = r"""() => {
  const channels = (colour) => colour.match(/[\d.]+/g).map(Number);
  const luminance = ([red, green, blue]) => {
    const [r, g, b] = [red, green, blue].map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = channels(getComputedStyle(at).backgroundColor);
      if (colour.length < 4 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const low = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || !element.checkVisibility() || element.matches("option, :disabled")) continue;
    const [a, b] = [channels(getComputedStyle(element).color), behind(element)].map(luminance);
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) low.push(`${element.tagName}.${element.className} ${ratio.toFixed(2)}`);
  }
  return low;
}"""

#: Whether what has the focus can be seen to have it: by itself, or by the label around it.
FOCUS = r"""() => {
  const element = document.activeElement;
  const shows = (one) => {
    const { outlineStyle = "none", outlineWidth = "0" } = one ? getComputedStyle(one) : {};
    return outlineStyle !== "none" && parseFloat(outlineWidth) > 1;
  };
  return [element.outerHTML.slice(0, 100), shows(element) || shows(element.closest("label"))];
}"""

ANNOTATOR = ("/items", "/guidelines", "/items/at?position=1", "/items/at?position=8")
LEAD = (
    "/lead",
    "/lead/disagreements",
    "/lead/agreement",
    "/lead/inbox",
    "/lead?systems=true",
    "/lead/examples",
    "/lead/people",
    "/lead/files",
    "/lead/log",
)


def sign_in(page: Page, server: Any) -> None:
    page.goto(server.url)
    page.fill("#name", "Lea")
    page.fill("#password", PASSWORD)
    page.press("#password", "Enter")
    page.wait_for_url("**/lead")


def answer_some(server: Any) -> None:
    """Two people who do not agree."""
    for name, mark in (("Ann", Mark.YES), ("Bob", Mark.NO)):
        person = find_person(server.store, name).id
        for row in list_assignments(server.store, person)[:5]:
            view = assignment_view(server.store, person, row.id)
            answer = {
                Mode.JUDGE: AnnotatorAnswer(
                    antecedent=Mark.YES if view.asks_antecedent else Mark.UNSET,
                    pronoun=mark,
                    remark="a remark",
                    tags=("my tag",),
                ),
                Mode.GAPS: AnnotatorAnswer(
                    choices=view.choices[:2] if mark is Mark.YES else view.choices[2:3]
                ),
                Mode.COMPARE: AnnotatorAnswer(order=(view.slots,)),
            }[view.mode]
            save_answer(server.store, person, row.id, answer, version=0, request=f"request-{row.position}")


def keep(page: Page, name: str) -> None:
    """Save a picture for people to look at, where ANAPHOR_SCREENSHOTS names a folder."""
    folder = os.environ.get("ANAPHOR_SCREENSHOTS")
    if folder:
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


def axe(page: Page) -> list[str]:
    """What axe-core finds; ANAPHOR_AXE names its file (axe.min.js), which is not part of this repository."""
    if page.evaluate("() => typeof axe") == "undefined":
        page.evaluate(Path(os.environ["ANAPHOR_AXE"]).read_text(encoding="utf-8"))
    found = page.evaluate("async () => (await axe.run()).violations.map(one => [one.id, one.nodes[0].html])")
    return [": ".join(one) for one in found]


def check(page: Page, name: str) -> None:
    keep(page, name)
    if "ANAPHOR_AXE" in os.environ:
        assert axe(page) == [], name
    assert page.evaluate(RULES) == [], name
    assert page.evaluate(CONTRAST) == [], name
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth"), f"{name} is too wide"


@pytest.mark.skipif("ANAPHOR_AXE" not in os.environ, reason="ANAPHOR_AXE does not name a copy of axe.min.js")
def test_axe_would_tell(browser: Browser) -> None:
    """Where axe-core is given, every check below also asks it; here it has something to find."""
    page = browser.new_page()
    page.set_content("<html lang='en'><title>x</title><main><h1>x</h1><img src='x.png'></main></html>")
    assert any(one.startswith("image-alt") for one in axe(page))
    page.close()


@pytest.mark.parametrize(
    ("scheme", "width"), [("light", 1280), ("dark", 360)], ids=["light-wide", "dark-phone"]
)
def test_every_page_of_a_campaign_keeps_the_rules(
    window: OpenWindow, server: Any, scheme: str, width: int
) -> None:
    answer_some(server)
    size = {"width": width, "height": 800}
    with window(server, color_scheme=scheme, viewport=size) as (page, messages):
        page.goto(server.url)
        check(page, f"welcome-{scheme}")
        server.enter(page, "Ann")
        for path in ANNOTATOR:
            page.goto(server.url + path)
            check(page, f"annotator{path.replace('/', '-').replace('?', '-')}-{scheme}")
        page.goto(server.url + "/items/at?position=1")
        page.wait_for_selector("html[data-ready]")
        for key in ("h", "?"):
            page.keyboard.press(key)
            page.wait_for_selector("dialog[open]")
            assert page.evaluate(CONTRAST) == []
            page.keyboard.press("Escape")
        assert messages == []
    with window(server, color_scheme=scheme, viewport=size) as (page, messages):
        sign_in(page, server)
        for path in LEAD:
            page.goto(server.url + path)
            check(page, f"{path[1:].replace('/', '-')}-{scheme}")
        page.goto(server.url + "/lead/disagreements")
        page.locator("article a").first.click()
        page.wait_for_selector("#answer")
        check(page, f"lead-unit-{scheme}")
        assert messages == []


@pytest.mark.parametrize("mode", [Mode.GAPS, Mode.COMPARE])
def test_the_other_modes_keep_the_rules_too(window: OpenWindow, serve_campaign: Serve, mode: Mode) -> None:
    server = serve_campaign(mode)
    answer_some(server)
    for width in (1280, 360):
        with window(server, viewport={"width": width, "height": 800}) as (page, messages):
            server.enter(page, "Ann")
            check(page, f"{mode.value}-{width}")
            assert messages == []
        with window(server, viewport={"width": width, "height": 800}) as (page, messages):
            sign_in(page, server)
            for path in ("/lead/examples", "/lead/agreement"):
                page.goto(server.url + path)
                check(page, f"{mode.value}{path.replace('/', '-')}-{width}")
            page.goto(server.url + "/lead/examples")
            page.locator("article a").first.click()
            page.wait_for_selector("#answer")
            check(page, f"{mode.value}-unit-{width}")
            assert messages == []


def test_two_answers_side_by_side_keep_the_rules(window: OpenWindow, server: Any) -> None:
    with window(server, viewport={"width": 360, "height": 800}) as (page, _):
        server.enter(page, "Ann")
        person = find_person(server.store, "Ann").id
        first = list_assignments(server.store, person)[0].id
        save_answer(server.store, person, first, AnnotatorAnswer(remark="x"), version=0, request="elsewhere")
        if page.locator("[name=antecedent]").count():
            page.keyboard.press("2")
        page.keyboard.press("n")
        page.keyboard.press("Control+Enter")
        page.wait_for_selector("#conflict")
        check(page, "conflict")


def test_the_focus_can_always_be_seen_and_reaches_everything(window: OpenWindow, server: Any) -> None:
    with window(server) as (page, _):
        server.enter(page, "Ann")
        page.wait_for_selector("html[data-ready]")
        page.evaluate("() => document.querySelectorAll('details').forEach(one => { one.open = true })")
        reached = []
        for _ in range(120):
            page.keyboard.press("Tab")
            element, shown = page.evaluate(FOCUS)
            if element.startswith("<body"):
                break
            assert shown, element
            reached.append(
                page.evaluate("() => document.activeElement.name || document.activeElement.textContent")
            )
        wanted = {"pronoun", "words", "tags", "own_tags", "remark", "go", "position"}
        assert wanted <= set(reached)
        assert any("History" in one for one in reached)


def test_new_items_are_announced_to_screen_readers(window: OpenWindow, server: Any) -> None:
    with window(server) as (page, _):
        server.enter(page, "Ann")
        assert page.get_attribute("#status", "role") == "status"
        assert page.get_attribute("#pill", "role") == "status"
        if page.locator("[name=antecedent]").count():
            page.keyboard.press("2")
        page.keyboard.press("n")
        assert "no: chosen" in page.inner_text("#status")
        page.keyboard.press("Control+Enter")
        page.wait_for_function("() => document.querySelector('#item').dataset.position === '2'")
        assert page.evaluate("() => document.activeElement.tagName") == "H1", "the heading is read out"
        assert page.inner_text("#pill") == "All answers saved"


def test_right_to_left_text_runs_that_way(window: OpenWindow, server: Any, tmp_path: Path) -> None:
    """The translations become Hebrew letters, token by token, as a Hebrew campaign would have them."""
    database = sqlite3.connect(tmp_path / "judge.db")
    (facts,) = database.execute("SELECT facts FROM campaign").fetchone()
    database.execute(
        "UPDATE campaign SET facts = ?", (json.dumps(json.loads(facts) | {"target_language": "he"}),)
    )
    for side, name, segment, tokens in database.execute(
        "SELECT side, name, segment, tokens FROM texts WHERE side = 'system'"
    ).fetchall():
        words = ["אבגדהוזחט"[: 1 + number % 8] for number, _ in enumerate(json.loads(tokens))]
        database.execute(
            "UPDATE texts SET line = ?, tokens = ? WHERE side = ? AND name = ? AND segment = ?",
            (" ".join(words), json.dumps(words), side, name, segment),
        )
    database.commit()
    database.close()
    server.stop()
    server.start()
    with window(server, viewport={"width": 360, "height": 800}) as (page, messages):
        server.enter(page, "Ann")
        direction = "element => getComputedStyle(element).direction"
        assert set(page.locator(".target").evaluate_all(f"all => all.map({direction})")) == {"rtl"}
        assert set(page.locator(".source").evaluate_all(f"all => all.map({direction})")) == {"ltr"}
        spans = "all => all.map(element => element.getBoundingClientRect()).map(box => [box.top, box.left])"
        boxes = page.locator(".target").last.locator("span[data-links], label, mark").evaluate_all(spans)
        pairs = [(a, b) for a, b in pairwise(boxes) if abs(a[0] - b[0]) < 3]
        assert pairs
        assert all(after[1] < before[1] for before, after in pairs), "words follow each other leftwards"
        check(page, "right-to-left")
        assert messages == []
