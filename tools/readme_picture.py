"""The picture of README.md and the site: a card of the demo's report, and its words as alternative text.

    python tools/readme_picture.py [--chromium /usr/bin/chromium]

Writes docs/card.png and the line after each mark in the pages. Run it after anything that changes verdicts or
reasons; `tests/docs/test_docs_card.py` fails until then. The picture carries its words, so that the test can
compare them without a browser. It needs playwright and a Chromium that is already installed.
"""

from __future__ import annotations

import argparse
import struct
import zlib
from pathlib import Path

from anaphor.demo import WITHOUT_REFERENCE
from anaphor.report.html import ReportView
from anaphor.report.html.divided import card_lines, divided_pronouns, source_language
from anaphor.report.html.page import document
from anaphor.report.html.sections import dividing_card
from anaphor.scoring.demo import score_demo

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "card.png"
PAGES = {ROOT / "README.md": "docs/card.png", ROOT / "docs" / "index.md": "card.png"}
MARK = "<!-- card: python tools/readme_picture.py -->"
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_KEY = b"Description"


def current_card() -> tuple[str, str]:
    """The words of the card and its HTML, as the demo gives them now."""
    view = ReportView.of([score_demo(WITHOUT_REFERENCE).stored()], title="anaphor demo")
    card = divided_pronouns(view)[0]
    return " / ".join(card_lines(card)), dividing_card(card, source_language(view))


def image_line(words: str, path: str) -> str:
    """The picture in Markdown; its brackets would end the alternative text."""
    return f"![{words.replace('[', '“').replace(']', '”')}]({path})"


def words_of(picture: bytes) -> str:
    """The words that a picture carries; empty if it has none."""
    at = len(_SIGNATURE)
    while at < len(picture):
        (size,) = struct.unpack(">I", picture[at : at + 4])
        kind, content = picture[at + 4 : at + 8], picture[at + 8 : at + 8 + size]
        if kind == b"iTXt" and content.startswith(_KEY + b"\0"):
            return content.rpartition(b"\0")[2].decode()
        at += size + 12
    return ""


def with_words(picture: bytes, words: str) -> bytes:
    """The picture with its words in an iTXt chunk after the header."""
    content = _KEY + b"\0\0\0\0\0" + words.encode()
    chunk = struct.pack(">I", len(content)) + b"iTXt" + content
    chunk += struct.pack(">I", zlib.crc32(b"iTXt" + content))
    end_of_header = len(_SIGNATURE) + 25
    return picture[:end_of_header] + chunk + picture[end_of_header:]


def photographed(html: str, chromium: str) -> bytes:
    """The card as a PNG."""
    from playwright.sync_api import sync_playwright

    page_html = document("card", f'<main class="divided"><div style="padding:1rem 0">{html}</div></main>')
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 640, "height": 600}, device_scale_factor=2)
        page.set_content(page_html)
        picture = page.locator("article").screenshot()
        browser.close()
    return picture


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--chromium", default="/usr/bin/chromium", help="the browser to use")
    options = parser.parse_args()
    words, html = current_card()
    PICTURE.write_bytes(with_words(photographed(html, options.chromium), words))
    for page, path in PAGES.items():
        before, mark, after = page.read_text(encoding="utf-8").partition(MARK + "\n")
        if not mark:
            raise SystemExit(f"{page} has no line {MARK}")
        page.write_text(
            f"{before}{mark}{image_line(words, path)}\n{after.partition(chr(10))[2]}", encoding="utf-8"
        )
    print(f"{PICTURE.relative_to(ROOT)}: {PICTURE.stat().st_size} bytes\n{words}")


if __name__ == "__main__":
    main()
