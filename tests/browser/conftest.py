"""A headless browser for pages, where one is installed, and a page that records all it does."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@dataclass(frozen=True, slots=True)
class Seen:
    """An open page, everything it said on the console, and every address it asked for."""

    page: Page
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)


Opener = Callable[..., Seen]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The browser that is installed; ANAPHOR_BROWSER names another program."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright drives the browser; pip install it")
    found = os.environ.get("ANAPHOR_BROWSER") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        pytest.skip("no browser: install Debian's chromium, or name one with ANAPHOR_BROWSER")
    with api.sync_playwright() as driver:
        # The sandbox of chromium needs rights that containers do not have; the pages are our own.
        started = driver.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Opener]:
    """Opens a file in a new window; keyword arguments are those of a browser context."""
    contexts = []

    def open_file(path: Path, **options: str) -> Seen:
        context = browser.new_context(**options)  # type: ignore[arg-type]
        contexts.append(context)
        seen = Seen(context.new_page())
        seen.page.on("console", lambda message: seen.said.append(message.text))
        seen.page.on("pageerror", lambda error: seen.said.append(str(error)))
        seen.page.on("dialog", lambda dialog: seen.said.append(f"dialog {dialog.message}"))
        seen.page.on("request", lambda request: seen.asked.append(request.url))
        seen.page.goto(path.as_uri())
        return seen

    yield open_file
    for context in contexts:
        context.close()
