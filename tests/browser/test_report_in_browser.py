"""The report in a real browser: filters by keyboard, no error, no request, readable in light and dark."""

from __future__ import annotations

import re
import tarfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from anaphor.cli.main import main
from anaphor.demo import SYSTEMS
from anaphor.demo import files as demo_files

if TYPE_CHECKING:
    from playwright.sync_api import Page

Opener = Callable[..., Any]
SCRIPT = "</script><script>alert(1)</script>"

#: Whether something has a name for a screen reader: controls need a label, the rest may have text.
NAMED = """e => e.ariaLabel || e.getAttribute("aria-labelledby") ||
  (e.matches("select, input") ? e.labels.length : e.textContent.trim())"""

#: Every visible piece of text whose contrast with the nearest background is below 4.5, as WCAG counts it.
CONTRAST = """() => {
  const parse = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const ground = (element) => {
    for (; element; element = element.parentElement) {
      const colour = parse(getComputedStyle(element).backgroundColor);
      if (colour.length < 4 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const low = [];
  for (const element of document.querySelectorAll("body *")) {
    const words = [...element.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!words || !element.checkVisibility() || element.closest("script, noscript")) continue;
    const style = getComputedStyle(element);
    const [a, b] = [light(parse(element.closest("svg") ? style.fill : style.color)), light(ground(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) low.push(`${element.tagName} ${element.className} ${ratio.toFixed(2)}`);
  }
  return low;
}"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of the demo."""
    path = tmp_path_factory.mktemp("report") / "demo.html"
    files = demo_files(alignments=True)
    command = ["score", "--pair", "en-fr", "--source", str(files.source), "--reference", *files.references]
    command += ["--candidate", *(place for _, place in files.candidates), "--paired", "--report", str(path)]
    command += ["--alignment-reference", *files.reference_alignments, "--documents", str(files.documents)]
    assert main([*command, "--alignment-candidate", *files.candidate_alignments]) == 0
    return path


def count(page: Page) -> int:
    found = re.match(r"(\d+) examples", page.locator("#status").text_content() or "")
    assert found is not None
    return int(found[1])


def wait_until(page: Page, expression: str, *, seconds: float = 20) -> None:
    """Ask again and again: what waits inside the page would break its own rule against `eval`."""
    for _ in range(round(seconds / 0.05)):
        if page.evaluate(expression):
            return
        page.wait_for_timeout(50)
    pytest.fail(f"still not true: {expression}")


def press_to(page: Page, target: str, *, most: int = 150) -> None:
    """Press Tab until an element has the focus, as somebody without a mouse would."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", target):
            return
    pytest.fail(f"the keyboard does not reach {target}")


def test_it_opens_without_an_error_and_asks_for_nothing(report: Path, open_page: Opener) -> None:
    seen = open_page(report)
    assert count(seen.page) == 426
    assert seen.said == []
    assert seen.asked == [report.as_uri()]


def test_filters_work_by_keyboard(report: Path, open_page: Opener) -> None:
    seen = open_page(report)
    page = seen.page
    press_to(page, "select[name=system]")
    page.keyboard.type("dah")
    wait_until(page, "document.querySelector('#status').textContent.startsWith('142 ')")
    assert page.evaluate("location.hash") == "#system=dahlia"
    assert page.evaluate("document.activeElement.name") == "system", "the focus stays"
    page.keyboard.press("Tab")
    page.keyboard.type("they")
    page.keyboard.press("Tab")
    page.keyboard.type("identical")
    wait_until(page, "location.hash.includes('outcome=1')")
    assert 0 < count(page) < 46
    shown = page.locator("article .outcome").all_text_contents()
    assert set(shown) == {"identical"}
    press_to(page, "button[type=reset]")
    page.keyboard.press("Enter")
    wait_until(page, "document.querySelector('#status').textContent.startsWith('426 ')")
    assert seen.said == []


def test_disagreement_shows_only_pronouns_with_several_outcomes(report: Path, open_page: Opener) -> None:
    page = open_page(report).page
    press_to(page, "input[name=disagreement]")
    page.keyboard.press("Space")
    wait_until(page, "location.hash.includes('disagreement')")
    assert count(page) % 3 == 0
    for article in page.locator("article").all():
        assert len(set(article.locator(".outcome").all_text_contents())) > 1


def test_a_cell_leads_to_the_examples_behind_it_by_keyboard(report: Path, open_page: Opener) -> None:
    page = open_page(report).page
    cell = page.locator("#confusion a.examples").first
    expected = int(cell.text_content() or "")
    cell.focus()
    page.keyboard.press("Enter")
    wait_until(page, "document.activeElement.id === 'status'")
    assert count(page) == expected
    assert page.locator("select[name=system]").input_value() == "baldur"
    page.go_back()
    wait_until(page, "document.querySelector('#status').textContent.startsWith('426 ')")


def test_more_examples_come_on_request_and_take_the_focus(report: Path, open_page: Opener) -> None:
    page = open_page(report).page
    assert page.locator("article").count() == 20
    page.locator("#more").focus()
    page.keyboard.press("Enter")
    assert page.locator("article").count() == 40
    assert page.evaluate("[...document.querySelectorAll('article')].indexOf(document.activeElement)") == 20


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_has_contrast(report: Path, open_page: Opener, scheme: str) -> None:
    page = open_page(report, color_scheme=scheme).page
    for details in page.locator("details").all():
        details.evaluate("element => { element.open = true; }")
    assert page.evaluate(CONTRAST) == []


def test_a_screen_reader_finds_names_for_all_that_can_be_reached(report: Path, open_page: Opener) -> None:
    page = open_page(report).page
    for role in ("combobox", "checkbox", "link", "button", "region", "table", "img"):
        for element in page.get_by_role(role).all():
            assert element.evaluate(NAMED), f"a {role} without a name"
    levels = page.locator("h1, h2, h3, h4").evaluate_all("all => all.map(e => Number(e.tagName[1]))")
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_texts_that_attack_the_page_are_shown_as_text(tmp_path: Path, open_page: Opener) -> None:
    line = f"It is. {SCRIPT} <img src=x onerror=alert(2)> \u202eIt is\u202c here."
    for name in ("source", "reference", "candidate"):
        (tmp_path / name).write_text(f"{line}\n" * 2, encoding="utf-8")
    names = {name: str(tmp_path / name) for name in ("source", "reference", "candidate")}
    page_path = tmp_path / "page.html"
    command = ["score", "--pair", "en-fr", "--source", names["source"], "--reference", names["reference"]]
    command += ["--candidate", f"<b>{SCRIPT}={names['candidate']}", "--samples", "0"]
    assert main([*command, "--report", str(page_path)]) == 0
    seen = open_page(page_path)
    assert (seen.said, seen.asked) == ([], [page_path.as_uri()])
    assert seen.page.locator("script").count() == 2
    assert seen.page.locator("article img").count() == 0
    assert "[U+202E]" in (seen.page.locator("article").first.text_content() or "")
    assert SCRIPT in (seen.page.locator("article").first.text_content() or "")


def test_without_a_script_the_numbers_are_there(report: Path, browser: Any, tmp_path: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(report.as_uri())
    assert page.locator("#summary table tbody tr").count() == len(SYSTEMS)
    assert page.locator("#filter").is_hidden()
    context.close()


@pytest.mark.slow
def test_twenty_news_systems_in_one_command(data_dir: Path, tmp_path: Path, open_page: Opener) -> None:
    archive = data_dir / "wmt21-news" / "wmt21_en-de_de-en_fr-de.tar.gz"
    if not archive.is_file():
        pytest.skip(f"{archive} is not there")
    with tarfile.open(archive) as tar:
        tar.extractall(tmp_path, filter="data")
    texts = tmp_path / "txt"
    source = texts / "sources" / "newstest2021.en-de.src.en"
    reference = texts / "references" / "newstest2021.en-de.ref.A.de"
    outputs = sorted((texts / "system-outputs").glob("newstest2021.en-de.hyp.*.de"))
    # A quarter of the text: aligning all of it takes a minute. benchmarks/report does that.
    for path in (source, reference, *outputs):
        path.write_text("".join(path.read_text(encoding="utf-8").splitlines(True)[:250]), encoding="utf-8")
    page_path = tmp_path / "news.html"
    command = [
        "score",
        "--pair",
        "en-de",
        "--source",
        str(source),
        "--reference",
        str(reference),
        "--candidate",
    ]
    command += [f"{path.name.split('.')[3]}={path}" for path in outputs]
    assert main([*command, "--paired", "--report", str(page_path)]) == 0
    assert len(outputs) == 20
    assert page_path.stat().st_size < 1_000_000
    seen = open_page(page_path)
    assert count(seen.page) == 20 * 87
    assert (seen.said, seen.asked) == ([], [page_path.as_uri()])
    assert seen.page.evaluate(CONTRAST) == []
