"""The table of evidence on the pages is the one that the recorded results make."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from benchmarks.verdict.sets import PAGES, RESULTS, as_table, read_results

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_table_is_made_from_the_results(page: Path) -> None:
    expected = f"<!-- sets -->\n{as_table(*read_results())}<!-- end -->\n"
    assert expected in page.read_text(encoding="utf-8"), "run benchmarks/verdict/sets.py none --write"


def test_figures_in_sentences_are_those_of_the_results() -> None:
    """AUC with its interval and the precision of rejections, as they were recorded last."""
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    page = ROOT / "README.md"
    text = " ".join(re.sub(r"<!--.*?-->", "", page.read_text(encoding="utf-8"), flags=re.DOTALL).split())
    for pair in ("en-de", "en-fr", "en-es"):
        auc = results[f"judged-{pair}"]["metrics"][0]["auc"]
        low, high = auc["interval"]
        figure = f"{auc['value']:.2f} [{low:.2f}, {high:.2f}]".replace("0.", ".")
        assert figure in text, f"{pair}: {figure}"
    fitted = json.loads((RESULTS.parent / "fit.json").read_text(encoding="utf-8"))
    for language, name in (("de", "German"), ("fr", "French")):
        assert f"{100 * fitted['sets'][f'{language}, given']['precision']:.0f} % ({name})" in text
    assert f"off by {fitted['scores']['mean error']} points on average" in text
