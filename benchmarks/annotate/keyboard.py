"""Forty items by keyboard alone: how many keys an item takes, and how long, with and without `--advance`.

    python benchmarks/annotate/keyboard.py [--write NAME]

A real browser at a real server. The annotator answers as the automatic check does, practice as expected, with
the keys of the page and nothing else; a chord such as Ctrl+Enter is one key. Seconds are from an item on the
screen to the next one, with keys pressed at once: what the page takes, not what a person thinks. `--write`
keeps the result under a name, which may be that of an older version of this package.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
import threading
import time
from dataclasses import fields
from importlib.resources import files
from pathlib import Path
from statistics import mean, median
from typing import Any

import uvicorn
from playwright.sync_api import Page, sync_playwright
from sqlalchemy import select

from anaphor.align import AlignerChoice
from anaphor.annotate.answer_json import read_answer
from anaphor.annotate.campaign.create import CampaignConfig, create_campaign
from anaphor.annotate.campaign.people import add_link
from anaphor.annotate.campaign.workload import WorkloadConfig
from anaphor.annotate.store import schema
from anaphor.annotate.store.database import Store, open_store
from anaphor.annotate.types import read_targets
from anaphor.annotate.web import create_app
from anaphor.corpus import read_text
from anaphor.suite import EvaluationOptions, load_shipped

ITEMS, PRACTICE = 40, 4
RESULTS = Path(__file__).parent / "results" / "keyboard.json"
_RIGHT = ("match", "agrees", "head differs")
_KEYS = {"yes": ("1", "y"), "no": ("2", "n")}
PATIENCE = 180_000


def make(path: Path, *, advance: bool) -> Store:
    loaded = load_shipped("anaphor-en-fr")
    folder = files("anaphor") / "suite" / "shipped" / "anaphor-en-fr" / "candidates"
    candidates = {Path(str(entry)).stem: read_text(str(entry)) for entry in sorted(folder.iterdir(), key=str)}
    own: dict[str, Any] = {
        "annotators": ("Ada",),
        "practice": PRACTICE,
        "workload": WorkloadConfig(overlap=0),
    }
    if advance:
        own["advance"] = True
    options = EvaluationOptions(aligner=AlignerChoice(pair=loaded.suite.pair))
    create_campaign(path, loaded, candidates, options, CampaignConfig(**own))
    return open_store(path)


def wanted(store: Store) -> dict[str, tuple[str, str]]:
    """What to say about the head and the pronoun of every assignment."""
    given, unit = schema.assignments, schema.units
    answers = {}
    with store.read() as connection:
        for row in connection.execute(select(given.c.id, unit.c.targets, unit.c.expected).join(unit)):
            head, pronoun = "yes", "yes" if read_targets(row.targets)[0].outcome in _RIGHT else "no"
            if row.expected is not None:
                expected = read_answer(row.expected)
                head = expected.antecedent.value if expected.antecedent.value in _KEYS else "yes"
                pronoun = expected.pronoun.value
            answers[row.id] = head, pronoun
    return answers


class Keyboard:
    """Presses keys and counts them."""

    def __init__(self, page: Page) -> None:
        self._page, self.count = page, 0

    def press(self, key: str) -> None:
        self.count += 1
        self._page.keyboard.press(key)


def shown(page: Page) -> str:
    return str(page.evaluate("() => document.querySelector('#item')?.dataset.assignment ?? ''"))


def settle(page: Page, before: str) -> bool:
    """Wait for what a key led to; whether another item came."""
    page.wait_for_function(
        "(before) => !document.querySelector('#item')?.inert"
        " && document.querySelector('#pill').dataset.state !== 'saving'"
        " && (document.querySelector('#item')?.dataset.assignment !== before"
        " || document.querySelector('#warnings, #practice.good, #practice.bad'))",
        arg=before,
        timeout=PATIENCE,
    )
    return shown(page) != before


def one(page: Page, keyboard: Keyboard, head: str, pronoun: str, *, advance: bool) -> None:
    """Answer the item on the screen, and go on to the next."""
    before = shown(page)
    asks_head = page.locator("[name=antecedent]").count() > 0
    framed = page.locator("[name=words][data-of=pronoun]").count()
    if asks_head:
        keyboard.press(_KEYS[head][0])
        if head == "yes" and page.locator("[name=words][data-of=antecedent]").count() > 1:
            choose(page, keyboard, "antecedent")
    keyboard.press(_KEYS[pronoun][1])
    if pronoun == "yes" and framed > 1:
        choose(page, keyboard, "pronoun")
    if not (advance and went_on(page, before)):
        keyboard.press("Control+Enter")
        if not settle(page, before):
            keyboard.press("j")  # a warning, or the reply to practice: it has been read
            page.wait_for_function(
                "(before) => document.querySelector('#item')?.dataset.assignment !== before",
                arg=before,
                timeout=PATIENCE,
            )
    page.wait_for_function("() => !document.querySelector('#item').inert", timeout=PATIENCE)


def went_on(page: Page, before: str) -> bool:
    """Whether the page goes on by itself after the last key."""
    if page.evaluate("() => document.querySelector('#item').inert") or shown(page) != before:
        return settle(page, before)
    return False


def choose(page: Page, keyboard: Keyboard, kind: str) -> None:
    """Go to the first framed word of a kind, and choose it."""
    keyboard.press("w")
    for _ in range(30):
        if page.evaluate(f"() => document.activeElement.dataset.of === '{kind}'"):
            break
        keyboard.press("Tab")
    keyboard.press("Space")


def run(*, advance: bool) -> dict[str, float]:
    folder = Path(tempfile.mkdtemp(prefix="anaphor-keyboard-"))
    store = make(folder / "campaign.db", advance=advance)
    server = uvicorn.Server(uvicorn.Config(create_app(store), port=0, log_level="critical"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.05)
    url = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    answers, counts, seconds = wanted(store), [], []
    try:
        with sync_playwright() as driver:
            program = next(filter(None, map(shutil.which, ("chromium", "google-chrome"))))
            browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
            page = browser.new_page()
            page.set_default_timeout(PATIENCE)
            page.goto(f"{url}/enter/{add_link(store, 'Ada')}")
            page.keyboard.press("Tab")
            page.focus("#enter")
            page.keyboard.press("Enter")
            page.wait_for_selector("#begin, #item", state="attached")
            if page.locator("#begin").count():
                page.focus("#begin")
                page.keyboard.press("Enter")
            page.wait_for_selector("html[data-ready] #item")
            for _ in range(ITEMS):
                keyboard, start = Keyboard(page), time.perf_counter()
                one(page, keyboard, *answers[shown(page)], advance=advance)
                counts.append(keyboard.count)
                seconds.append(time.perf_counter() - start)
            browser.close()
    finally:
        server.should_exit = True
        thread.join()
        store.close()
        shutil.rmtree(folder)
    with_practice, rest = counts[:PRACTICE], counts[PRACTICE:]
    return {
        "items": len(counts),
        "keys": mean(counts),
        "keys_practice": mean(with_practice),
        "keys_others": mean(rest),
        "most_keys": max(counts),
        "seconds_median": median(seconds),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", metavar="NAME", help="keep the result under this name")
    options = parser.parse_args()
    report = {"by saving": run(advance=False)}
    if "advance" in {field.name for field in fields(CampaignConfig)}:
        report["by itself"] = run(advance=True)
    print(json.dumps(report))
    if options.write:
        kept = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
        kept[options.write] = report
        RESULTS.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
