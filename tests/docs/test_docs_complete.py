"""Nothing a user can meet is missing from the pages, and no page points nowhere."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import anaphor
from anaphor.cli.commands import CommandParser
from anaphor.cli.main import main
from anaphor.core import InputWarning, LanguagePair, UserError
from anaphor.demo import files as demo_files
from anaphor.languages import known_pairs, load_pair, pack_file
from anaphor.languages.pack_file import PackRecord
from anaphor.metrics import METRICS
from tests.support.parser import whole_parser

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
# The folders of the project itself; a virtual environment beside them has pages of other people.
FOLDERS = ("docs", "benchmarks", "src", "tests")
PAGES = sorted([*ROOT.glob("*.md"), *(page for name in FOLDERS for page in (ROOT / name).rglob("*.md"))])

METRIC_HEADINGS = ["What it measures", "Formula", "Worked example", "When not to trust it", "Reference"]
# Objects of the result file whose keys are names from the data, not words of the format.
NAMED_BY_DATA = {"digests", "confusion", "by_pronoun", "by_document"}

FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
OUTSIDE = re.compile(r"[a-z]+:")


def prose(page: Path) -> str:
    """The text of a page without its fenced blocks."""
    return FENCE.sub("", page.read_text(encoding="utf-8"))


def headings(page: Path, level: str = "#{1,6}") -> list[str]:
    return re.findall(rf"^{level} (.+)$", prose(page), re.MULTILINE)


def test_every_page_has_a_place_in_the_navigation_of_the_site() -> None:
    """The site itself is built by `make test-long` only."""
    code = ast.parse((DOCS / "conf.py").read_text(encoding="utf-8"))
    (found,) = (
        ast.literal_eval(node.value)
        for node in code.body
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "NAVIGATION" and node.value
    )
    listed = {DOCS / "index.md"}
    for page, captions in found.items():
        for entry in (entry for pages in captions.values() for entry in pages):
            name = re.sub(r".*<(.*)>", r"\1", entry)
            folder = ROOT if name.startswith("/") else (ROOT / page).parent
            below = list(folder.glob(f"{name.lstrip('/')}.md"))
            assert below, f"{page} lists {entry}, which is not there"
            listed.update(one.resolve() for one in below)
    assert {page.relative_to(ROOT) for page in DOCS.rglob("*.md") if page not in listed} == set()


def marked(page: Path) -> set[str]:
    """Everything a page sets in backticks."""
    return set(re.findall(r"`([^`\n]+)`", prose(page)))


def metric_page(name: str) -> Path:
    """The one page whose title has the metric in backticks."""
    (found,) = [page for page in (DOCS / "metrics").glob("*.md") if f"`{name}`" in headings(page, "#")[0]]
    return found


@pytest.mark.parametrize("name", list(METRICS))
def test_every_metric_has_a_page_with_the_five_headings_in_order(name: str) -> None:
    assert headings(metric_page(name), "##") == METRIC_HEADINGS


def options(parser: CommandParser) -> Iterator[str]:
    """Every option of a parser and of its verbs, but --help, which all have."""
    for child, _ in parser.commands.values():
        yield from options(child)
    for action in parser.actions():
        if action.dest != "help":
            yield from action.option_strings


def test_every_option_is_on_the_page_of_the_command_line() -> None:
    page = (DOCS / "cli.md").read_text(encoding="utf-8")
    known = set(options(whole_parser()))
    assert len(known) > 200
    assert not known - set(re.findall(r"(?<![\w-])--?\w[\w-]*", page))


def descendants(parent: str) -> set[str]:
    """A class and all below it, as the sources say: to import all modules takes a quarter of a minute."""
    sources = (path.read_text(encoding="utf-8") for path in Path(anaphor.__path__[0]).rglob("*.py"))
    classes = [
        one for text in sources for one in re.findall(r"^ *class (\w+)\(([^)]*)\)", text, re.MULTILINE)
    ]
    below = {parent}
    while more := {name for name, bases in classes if below & set(re.findall(r"\w+", bases))} - below:
        below |= more
    return below


def test_every_error_and_the_warning_are_in_the_section_on_errors() -> None:
    errors = descendants(UserError.__name__)
    assert len(errors) > 5
    assert errors | {InputWarning.__name__} <= marked(DOCS / "formats.md")


def pack_keys(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The keys that the readers of packs ask for, heard while they read every built-in pack."""
    asked: set[str] = set()
    allow = PackRecord.allow

    def listen(table: PackRecord, *keys: str) -> None:
        # Below `likely` the keys are source pronouns, which the pack itself chooses.
        if table._path != "likely.":
            asked.update(keys)
        allow(table, *keys)

    monkeypatch.setattr(PackRecord, "allow", listen)
    monkeypatch.setattr(pack_file, "_LANGUAGES", {})
    monkeypatch.setattr(pack_file, "_PAIRS", {})
    for pair in known_pairs():
        load_pair(LanguagePair.parse(pair))
    return asked


def test_every_key_of_a_pack_is_on_the_page_of_packs(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = pack_keys(monkeypatch)
    assert {"fused", "host", "equivalent", "probability"} <= asked, "the listener hears nothing"
    assert asked <= {part for text in marked(DOCS / "packs.md") for part in text.split(".")}


def keys(content: object) -> Iterator[str]:
    """The words of the result format in a part of a result file."""
    if isinstance(content, dict):
        for key, value in content.items():
            yield key
            if key not in NAMED_BY_DATA:
                yield from keys(value)
    elif isinstance(content, list):
        for value in content:
            yield from keys(value)


def test_every_key_of_a_result_file_is_on_the_page_of_formats(capsys: pytest.CaptureFixture[str]) -> None:
    demo = demo_files(alignments=True)
    command = ["score", "--pair", "en-fr", "--source", str(demo.source), "--reference", *demo.references]
    command += ["--candidate", *(path for _, path in demo.candidates), "--documents", str(demo.documents)]
    command += ["--metrics", "apt", "accept", "bleu", "--paired", "--samples", "100", "--json"]
    for network in ("detector", "pointer"):
        command += [f"--accept-{network}", "ignore"]
    assert main(command) == 0
    found = set(keys(json.loads(capsys.readouterr().out)))
    assert {"by_pronoun", "case_6", "p_adjusted", "outside_links"} <= found, "the demo is not what it was"
    assert found <= marked(DOCS / "formats.md")


def anchor(heading: str) -> str:
    """What GitHub makes of a heading: lower case, punctuation dropped, hyphens for spaces."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def broken_links(page: Path) -> Iterator[str]:
    for target in LINK.findall(prose(page)):
        path, _, part = target.partition("#")
        goal = page.parent / path if path else page
        if OUTSIDE.match(target):
            continue
        if not goal.exists() or (part and part not in map(anchor, headings(goal))):
            yield target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_relative_links_lead_somewhere(page: Path) -> None:
    assert list(broken_links(page)) == []


def test_a_link_to_nowhere_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# One `two`!\n[a](#one-two) [b](#three) [c](other.md) [d](https://x.y/z)\n", "utf-8")
    assert list(broken_links(page)) == ["#three", "other.md"]


def test_the_readme_fits_two_screens() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    lines = re.sub(r"<!--[^\n]*?-->", "", text).splitlines()
    assert len(lines) <= 100
    # The alternative text of the picture has no line breaks.
    assert max(len(line) for line in lines if not line.startswith("![")) <= 120


def test_every_extra_is_on_the_first_page() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    page = (DOCS / "index.md").read_text(encoding="utf-8")
    missing = [name for name in project["optional-dependencies"] if f".[{name}]" not in page]
    assert missing == ["dev"], "an extra is for users, who look for it on the first page"


#: 70 pages and 110,000 words can be read and kept true: to add one, merge or cut another.
MOST_PAGES, MOST_WORDS = 70, 110_000


def test_the_pages_stay_few_and_short() -> None:
    """Everything counts as in `wc -w`: examples, the generated reference and comments as well."""
    pages = [*(ROOT / "docs").rglob("*.md")]
    assert 30 < len(pages) <= MOST_PAGES
    assert sum(len(page.read_text(encoding="utf-8").split()) for page in pages) <= MOST_WORDS
