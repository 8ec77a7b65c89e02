"""The figures of the code: counted by hand on a small package, and written as they are printed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import code_figures
from tools.code_figures import END, PAGE, START, as_markdown, figures, main

MODULE = '''"""A module."""

from dataclasses import dataclass


@dataclass
class Pair:
    left: int = 0  # counted
    right: int = 0  # noqa: E501


def total(pairs: list[Pair]) -> int:
    for one in pairs:
        found = _sum(one)
    return found


def _sum(one: Pair):
    return one.left + one.right


PAIR = Pair()
'''


@pytest.fixture
def package(tmp_path: Path) -> Path:
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").write_text(MODULE, encoding="utf-8")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_it.py").write_text("assert True\n" * 11, encoding="utf-8")
    return tmp_path / "package"


def test_figures_counted_by_hand(package: Path) -> None:
    assert figures(package, package.parent / "tests") == {
        "files": "1",
        "lines": "22",
        "function length, median / 95th percentile": "3 / 2",
        "private helpers called once, share of functions": "50 %",
        "import lines / blank lines": "4.5 / 40.9 %",
        "comments per 100 lines": "4.5",
        "dataclasses / built in one place": "1 / 1",
        "class names defined in several modules": "0",
        "functions with a return type": "50 %",
        "local names `one` / `found`": "2 / 1",
        "test lines per source line": "0.50",
    }


def test_installed_packages_have_no_figure_of_their_tests(package: Path) -> None:
    table = as_markdown({"now": figures(package, package.parent / "tests"), "other": figures(package)})
    first, _, files, *_, last = table.splitlines()
    assert (first, files) == ("| | now | other |", "| files | 1 | 1 |")
    assert last == "| test lines per source line | 0.50 |  |"


def test_the_table_takes_its_place_on_the_page_and_nothing_else_changes(
    package: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = package.parent / "page.md"
    page.write_text(f"Before.\n{START}old\n{END}After.\n", encoding="utf-8")
    monkeypatch.setattr(code_figures, "PAGE", page)
    monkeypatch.setattr(code_figures, "of_checkout", lambda: figures(package))
    monkeypatch.setattr(code_figures, "of_revision", lambda _: figures(package))
    monkeypatch.setattr(code_figures, "installed", lambda _: package)
    main(["--write"])
    table = capsys.readouterr().out
    assert page.read_text(encoding="utf-8") == f"Before.\n{START}\n{table}\n{END}After.\n"
    assert table.splitlines()[0] == shown()[0]


def shown() -> list[str]:
    """The table on the page."""
    return PAGE.read_text(encoding="utf-8").partition(START)[2].partition(END)[0].strip().splitlines()


def test_the_page_has_the_rows_of_the_script(package: Path) -> None:
    expected = as_markdown({"now": figures(package, package.parent / "tests")}).splitlines()
    assert [row.split(" | ")[0] for row in shown()[2:]] == [row.split(" | ")[0] for row in expected[2:]]
