"""The table of evidence on the pages is the one that the recorded results make."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.verdict.sets import PAGES, RESULTS, as_table


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_table_is_made_from_the_results(page: Path) -> None:
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    expected = f"<!-- sets -->\n{as_table(list(results.values()))}<!-- end -->\n"
    assert expected in page.read_text(encoding="utf-8"), "run benchmarks/verdict/sets.py none --write"
