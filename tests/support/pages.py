"""What every visit of an annotator begins with, in a real browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page


def go_in(page: Page) -> None:
    """Press the button of a personal link, and that of the instructions, which come once."""
    page.click("#enter")
    page.wait_for_load_state()
    if page.locator("#begin").count():
        page.click("#begin")
        page.wait_for_load_state()
