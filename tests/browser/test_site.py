"""The site builds without a broken link or a page outside the navigation, and loads nothing else."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("furo", reason="the site needs its generator: pip install '.[site]'")

#: The site is built anew in every process of the tests, which takes most of a minute.
pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
#: What the browser loads with a page, by tag; links that a reader may follow are not among them.
LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}


def build(source: Path, target: Path) -> subprocess.CompletedProcess[str]:
    """The build of `make site`."""
    options = ["-q", "-W", "--keep-going", "-c", str(source / "docs"), "-d", str(target / ".doctrees")]
    command = [sys.executable, "-m", "sphinx", *options, str(source), str(target)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("site")
    done = build(ROOT, target)
    assert done.returncode == 0, done.stderr
    return target


class Resources(HTMLParser):
    """Collects the addresses that a page loads."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.extend(value for name, value in attrs if value and name == LOADED.get(tag))


def loaded(site: Path) -> Iterator[tuple[Path, str]]:
    """Everything that pages and style sheets load, each with where it is named."""
    for page in site.rglob("*.html"):
        parser = Resources()
        parser.feed(page.read_text(encoding="utf-8"))
        yield from ((page, address) for address in parser.found)
    for style in site.rglob("*.css"):
        text = style.read_text(encoding="utf-8")
        yield from ((style, address) for address in re.findall(r"""(?:url\(|@import )["']?([^"')]+)""", text))


def test_the_site_loads_nothing_from_elsewhere(site: Path) -> None:
    found = list(loaded(site))
    assert any(address.endswith(".js") for _, address in found), "the parser finds no script"
    assert [entry for entry in found if re.match(r"(?!data:)[a-z]+:|//", entry[1])] == []


def test_every_page_of_the_repository_is_in_the_site(site: Path) -> None:
    pages = [*ROOT.glob("docs/**/*.md"), *ROOT.glob("benchmarks/**/README.md"), ROOT / "CONTRIBUTING.md"]
    built = [(site / page.relative_to(ROOT)).with_suffix(".html") for page in pages]
    assert [page for page in built if not page.is_file()] == []
    assert "docs/index.html" in (site / "index.html").read_text(encoding="utf-8")


def test_the_search_knows_the_words_of_the_pages(site: Path) -> None:
    index = (site / "searchindex.js").read_text(encoding="utf-8")
    assert "mcnemar" in index
    assert "docs/statistics" in index


@pytest.mark.parametrize("width", [1400, 400])
@pytest.mark.parametrize("page", ["docs/index", "docs/tutorial", "docs/pairs", "docs/systems/README"])
def test_a_page_fits_its_window_and_asks_for_nothing(
    site: Path, open_page: Callable[..., Any], page: str, width: int
) -> None:
    seen = open_page(site / f"{page}.html", viewport={"width": width, "height": 900})
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= width
    assert seen.said == []
    assert [address for address in seen.asked if not address.startswith(("file:", "data:"))] == []


def test_the_search_finds_a_page_in_the_browser(site: Path, open_page: Callable[..., Any]) -> None:
    seen = open_page(site / "index.html")
    seen.page.wait_for_url("**/docs/index.html")
    seen.page.get_by_placeholder("Search").first.fill("McNemar")
    seen.page.keyboard.press("Enter")
    seen.page.locator("#search-results a", has_text="Intervals and tests").first.click()
    assert "/docs/statistics.html" in seen.page.url


@pytest.mark.parametrize(
    ("page", "text", "warning"),
    [
        ("docs/index.md", "\n[a](nowhere.md)\n", "nowhere.md"),
        ("docs/index.md", "\n[a](why.md#nowhere)\n", "nowhere"),
        ("docs/index.md", "\n[a](#nowhere)\n", "nowhere"),
        ("docs/outside.md", "# Outside\n", "isn't included in any toctree"),
    ],
)
def test_the_build_fails_for(page: str, text: str, warning: str, tmp_path: Path) -> None:
    """A small copy: two pages, with the configuration of the real site."""
    source = tmp_path / "source"
    (source / "docs").mkdir(parents=True)
    (source / "src" / "anaphor").mkdir(parents=True)
    static = ("docs/site.css", "docs/site.js", "docs/logo.svg")
    for path in (*static, "src/anaphor/__init__.py", "pyproject.toml"):
        shutil.copy(ROOT / path, source / path)
    configuration = (ROOT / "docs" / "conf.py").read_text(encoding="utf-8")
    navigation = 'NAVIGATION = {"docs/index": {"": ["why"]}}\n'
    (source / "docs" / "conf.py").write_text(f"{configuration}\n{navigation}", "utf-8")
    for name in ("index", "why"):
        (source / "docs" / f"{name}.md").write_text(f"# {name}\n", "utf-8")
    with (source / page).open("a", encoding="utf-8") as file:
        file.write(text)
    done = build(source, tmp_path / "site")
    assert done.returncode != 0
    assert warning in done.stderr, done.stderr
    assert done.stderr.count("WARNING") == 1, "something else is wrong, too"
