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

from anaphor.annotate.campaign.people import add_link, find_person
from anaphor.annotate.exchange import export_bytes
from anaphor.annotate.judging.answers import save_answer
from anaphor.annotate.judging.assignments import list_assignments
from anaphor.annotate.judging.messages import ask_lead, reply
from anaphor.annotate.judging.views import assignment_view
from anaphor.annotate.types import AnnotatorAnswer, Mark, Mode, Status
from tests.support.pages import go_in

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
  for (const cell of all("td[data-label]")) {
    if (cell.scrollHeight > cell.clientHeight + 1) say("heading reaches into the next row", cell);
  }
  for (const dialog of all("dialog")) {
    if (dialog.scrollWidth > dialog.clientWidth) say("dialog cut off at its side", dialog);
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

LEAD = (
    *("/lead", "/lead?systems=true", "/lead/disagreements", "/lead/disagreements?blind=true&decided=true"),
    *("/lead/agreement", "/lead/agreement?question=antecedent", "/lead/inbox", "/lead/inbox?kind=remark"),
    *("/lead/examples", "/lead/examples?mark=no", "/lead/people", "/lead/files", "/lead/log"),
    *("/lead/annotator?name=Ann", "/lead/annotator?show=warned", "/lead/growth"),
)
#: A page is looked at as all of these; pictures are taken of all four pairs of the second table.
LOOKS = (("light", 1280), ("dark", 1280), ("light", 400), ("dark", 360))
MISSING = {Mode.COMPARE: "Say which translation is better", Mode.GAPS: "Choose"}
PICTURES = tuple((scheme, width) for scheme in ("light", "dark") for width in (1280, 400))


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


def axe(page: Page) -> list[str]:
    """What axe-core finds; ANAPHOR_AXE names its file (axe.min.js), which is not part of this repository."""
    if page.evaluate("() => typeof axe") == "undefined":
        page.evaluate(Path(os.environ["ANAPHOR_AXE"]).read_text(encoding="utf-8"))
    found = page.evaluate("async () => (await axe.run()).violations.map(one => [one.id, one.nodes[0].html])")
    return [": ".join(one) for one in found]


def check(page: Page, name: str) -> None:
    """Hold a page to the rules, light and wide, and dark on a phone.

    Where ANAPHOR_SCREENSHOTS names a folder, pictures for people to look at are saved there.
    """
    if folder := os.environ.get("ANAPHOR_SCREENSHOTS"):
        for scheme, width in PICTURES:
            look(page, scheme, width)
            page.screenshot(path=Path(folder) / f"{name}-{width}-{scheme}.png", full_page=width < 1280)
    for scheme, width in LOOKS:
        look(page, scheme, width)
        where = f"{name}, {scheme}, {width} wide"
        if "ANAPHOR_AXE" in os.environ:
            assert axe(page) == [], where
        assert page.evaluate(RULES) == [], where
        assert page.evaluate(CONTRAST) == [], where
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth"), f"{where}: too wide"


def look(page: Page, scheme: str, width: int) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.set_viewport_size({"width": width, "height": 800})


@pytest.mark.skipif("ANAPHOR_AXE" not in os.environ, reason="ANAPHOR_AXE does not name a copy of axe.min.js")
def test_axe_would_tell(browser: Browser) -> None:
    """Where axe-core is given, every check below also asks it; here it has something to find."""
    page = browser.new_page()
    page.set_content("<html lang='en'><title>x</title><main><h1>x</h1><img src='x.png'></main></html>")
    assert any(one.startswith("image-alt") for one in axe(page))
    page.close()


def check_refusals(page: Page, server: Any, who: str) -> None:
    """Pages that say no; the browser notes their status on the console, and nothing else."""
    for number, path in enumerate(("/nowhere", "/items/unknown", "/lead/units/unknown", "/enter/wrong")):
        page.goto(server.url + path)
        check(page, f"refused-{who}-{number}")


def test_every_page_of_an_annotator_keeps_the_rules(window: OpenWindow, server: Any) -> None:
    answer_some(server)
    ann, lea = (find_person(server.store, name).id for name in ("Ann", "Lea"))
    first, second, *_ = list_assignments(server.store, ann)
    ask_lead(server.store, ann, second.id, "Which lamp is meant?", request="question-1")
    reply(server.store, lea, second.id, "The one in the tower.", request="reply-to-it")
    with window(server) as (page, messages):
        page.goto(server.url)
        check(page, "welcome")
        check_refusals(page, server, "stranger")
        messages.clear()
        page.goto(server.link("Ann"))
        check(page, "landing")
        go_in(page)
        page.wait_for_selector("html[data-ready] #item")
        page.goto(server.link("Bob"))
        check(page, "landing-of-another")
        paths = {"items": "/items", "guidelines": "/guidelines", "answered": f"/items/{first.id}"}
        paths |= {"questions": f"/items/{second.id}", "history": f"/items/{first.id}/history"}
        paths |= {f"open-{number}": f"/items/at?position={number}" for number in (6, 7, 8)}
        for name, path in paths.items():
            page.goto(server.url + path)
            check(page, name)
        page.locator("details").evaluate_all("all => all.forEach(one => { one.open = true })")
        check(page, "unfolded")
        for key, name in (("h", "history"), ("?", "guidelines"), ("Keys", "keys")):
            page.goto(f"{server.url}/items/{first.id}")
            page.wait_for_selector("html[data-ready]")
            if len(key) == 1:
                page.keyboard.press(key)
            else:
                page.click(f"button >> text={key}")
            page.wait_for_selector("dialog[open]")
            check(page, f"dialog-{name}")
        page.goto(f"{server.url}/items/at?position=6")
        page.wait_for_selector("html[data-ready]")
        page.keyboard.press("Control+Enter")
        page.wait_for_selector("#told:not([hidden])")
        check(page, "something-missing")
        assert messages == []
        check_refusals(page, server, "annotator")


def test_every_page_of_a_lead_keeps_the_rules(window: OpenWindow, server: Any) -> None:
    answer_some(server)
    ann = find_person(server.store, "Ann").id
    for row in list_assignments(server.store, ann)[:2]:
        ask_lead(server.store, ann, row.id, "Which lamp is meant?", request=f"question-{row.position}")
    with window(server) as (page, messages):
        sign_in(page, server)
        for path in LEAD:
            page.goto(server.url + path)
            check(page, path[1:].replace("/", "-").replace("?", "-"))
        page.goto(f"{server.url}/lead/agreement")
        look(page, *LOOKS[0])
        clipped = "all => all.map(one => one.scrollWidth > one.clientWidth)"
        found = page.locator(".cards .wide").evaluate_all(clipped)
        assert found, "there are cards"
        assert not any(found), "no card clips a column"
        for name, path in (("unit", "/lead/disagreements"), ("unit-blind", "/lead/disagreements?blind=true")):
            page.goto(server.url + path)
            page.locator("article a").first.click()
            page.wait_for_selector("html[data-ready] #answer")
            check(page, f"lead-{name}")
        undecided = page.url
        page.keyboard.press("1")
        page.wait_for_url(lambda url: "blind" in url and url != undecided)
        page.goto(f"{server.url}/lead/disagreements?decided=true")
        check(page, "lead-decided")
        page.goto(f"{server.url}/lead/people")
        page.click("button >> text=Make a link")
        page.wait_for_selector("#made")
        check(page, "lead-people-link")
        page.goto(f"{server.url}/lead/files")
        lines = [json.loads(one) for one in export_bytes(server.store, "jsonl").decode().splitlines()]
        lines[0] |= {"pronoun": "no" if lines[0]["pronoun"] == "yes" else "yes", "words": [], "version": 9}
        lines[1] |= {"unit": "unknown"}
        content = "\n".join(map(json.dumps, lines)).encode()
        page.set_input_files("#file", {"name": "a.jsonl", "mimeType": "text/plain", "buffer": content})
        page.select_option("#format", "jsonl")
        page.click("button >> text=Read the file")
        page.wait_for_selector("main .notice table")
        check(page, "lead-files-conflicts")
        assert messages == []
        check_refusals(page, server, "lead")


@pytest.mark.parametrize("mode", [Mode.GAPS, Mode.COMPARE])
def test_the_other_modes_keep_the_rules_too(window: OpenWindow, serve_campaign: Serve, mode: Mode) -> None:
    server = serve_campaign(mode)
    answer_some(server)
    with window(server) as (page, messages):
        server.enter(page, "Ann")
        check(page, f"{mode.value}-open")
        page.keyboard.press("Control+Enter")
        page.wait_for_selector("#told:not([hidden])")
        assert MISSING[mode] in page.inner_text("#told"), "what is missing is said, and nothing is saved"
        check(page, f"{mode.value}-something-missing")
        for name, path in (("answered", "/items/at?position=1"), ("guidelines", "/guidelines")):
            page.goto(server.url + path)
            check(page, f"{mode.value}-{name}")
        assert messages == []
    with window(server) as (page, messages):
        sign_in(page, server)
        for path in ("/lead", "/lead/examples", "/lead/agreement", "/lead?systems=true"):
            page.goto(server.url + path)
            check(page, f"{mode.value}{path.replace('/', '-').replace('?', '-')}")
        page.goto(server.url + "/lead/examples")
        page.locator("article a").first.click()
        page.wait_for_selector("#answer")
        check(page, f"{mode.value}-unit")
        assert messages == []


@pytest.mark.parametrize("mode", list(Mode))
def test_two_answers_side_by_side_keep_the_rules(
    window: OpenWindow, serve_campaign: Serve, mode: Mode
) -> None:
    server = serve_campaign(mode)
    with window(server) as (page, _):
        server.enter(page, "Ann")
        person = find_person(server.store, "Ann").id
        first = list_assignments(server.store, person)[0].id
        save_answer(server.store, person, first, AnnotatorAnswer(remark="x"), version=0, request="elsewhere")
        page.evaluate("""() => {
          const groups = new Set();
          for (const input of document.querySelectorAll(".choices:not(.tags) input")) {
            if (!groups.has(input.name)) input.click();
            groups.add(input.name);
          }
        }""")
        page.keyboard.press("Control+Enter")
        page.wait_for_selector("#conflict")
        check(page, f"conflict-{mode.value}")


def test_several_campaigns_practice_and_completion_keep_the_rules(
    browser: Browser, site: dict[str, Any]
) -> None:
    page = browser.new_page()
    page.goto(site["url"])
    check(page, "campaigns")
    page.goto(f"{site['url']}/nowhere")
    check(page, "campaigns-nowhere")
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(f"{site['url']}/crowd/enter/{add_link(site['/crowd'], 'Ann')}")
    go_in(page)
    page.wait_for_selector("html[data-ready] #practice")
    check(page, "practice")
    for key, seen in (("n", "bad"), ("y", "good")):
        page.keyboard.press(key)
        page.keyboard.press("Control+Enter")
        page.wait_for_selector(f"#practice.{seen}")
        check(page, f"practice-{seen}")
    for number in range(4):
        # A key that is pressed before the script listens is lost; the progress is not visible on a phone.
        page.wait_for_function(
            f"() => document.querySelector('html[data-ready] #item progress')?.value === {number}"
        )
        page.keyboard.press("n")
        page.keyboard.press("Control+Enter")
    page.wait_for_selector("#completed")
    check(page, "completed")
    page.goto(f"{site['url']}/crowd/items")
    check(page, "completed-items")
    page.goto(f"{site['url']}/lamps/enter/{add_link(site['/lamps'], 'Ann')}")
    go_in(page)
    page.wait_for_selector("html[data-ready] #item")
    check(page, "adaptive")
    _shared_link(page, f"{site['url']}/crowd")
    assert said == []
    page.context.close()


def test_instructions_consent_suggestions_and_a_polite_end_keep_the_rules(
    window: OpenWindow, strict_server: Any
) -> None:
    server = strict_server
    for name, key in (("Ann", "n"), ("Bob", "y")):
        with window(server) as (page, messages):
            page.goto(server.link(name))
            page.click("#enter")
            page.wait_for_selector("#begin")
            if name == "Ann":
                check(page, "instructions-and-consent")
            page.check("[name=agreed]")
            page.click("#begin")
            page.wait_for_selector("html[data-ready] #practice")
            page.keyboard.press(key)
            page.keyboard.press("Control+Enter")
            page.wait_for_selector("#practice.good, [data-url='/stopped']")
            page.goto(f"{server.url}/items")
            if name == "Ann":
                assert "needs no more answers" in page.inner_text("main")
                check(page, "stopped")
                continue
            person = find_person(server.store, name).id
            rows = [row for row in list_assignments(server.store, person) if row.status is Status.NEW]
            shown = [row for row in rows if assignment_view(server.store, person, row.id).prefilled]
            page.goto(f"{server.url}/items/{shown[0].id}")
            page.wait_for_selector("html[data-ready] #suggestion")
            check(page, "suggestion")
            for row in rows:
                answer = AnnotatorAnswer(pronoun=Mark.NO if row in shown else Mark.YES)
                save_answer(server.store, person, row.id, answer, version=0, request=f"of-{row.id}")
            assert messages == []
    with window(server) as (page, messages):
        sign_in(page, server)
        for name in ("agreement", "people", "growth", "annotator?name=Ann&show=failed"):
            page.goto(f"{server.url}/lead/{name}")
            check(page, f"strict-{name.partition('?')[0]}")
        page.goto(f"{server.url}/lead/agreement")
        assert "With suggestions" in page.inner_text("main")
        page.goto(f"{server.url}/lead/people")
        assert page.locator(".chip.failed").inner_text() == "stopped: practice"
        assert messages == []


def _shared_link(page: Page, url: str) -> None:
    """A lead gives it away, somebody joins by it, and the lead ends it."""

    def sign_in() -> None:
        page.context.clear_cookies()
        page.goto(f"{url}/")
        page.fill("#name", "Lea")
        page.fill("#password", PASSWORD)
        page.press("#password", "Enter")
        page.wait_for_selector("h1:has-text('Progress')")
        page.goto(f"{url}/lead/people")

    sign_in()
    check(page, "shared-link")
    shared = page.inner_text("#shared").replace("participant=ID", "participant=5f1")
    shared = url + shared[shared.index("/enter/") :]
    page.context.clear_cookies()
    page.goto(shared)
    check(page, "shared-link-entered")
    go_in(page)
    page.wait_for_selector("html[data-ready] #practice")
    sign_in()
    page.click("#end-shared")
    page.wait_for_selector("#shared", state="detached")
    check(page, "shared-link-ended")


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
