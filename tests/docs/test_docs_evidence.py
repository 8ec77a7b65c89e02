"""The table of evidence on the pages is the one that the recorded results make."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import anaphor
from anaphor import demo
from benchmarks.verdict.sets import PAGES, RESULTS, as_table

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_table_is_made_from_the_results(page: Path) -> None:
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    expected = f"<!-- sets -->\n{as_table(list(results.values()))}<!-- end -->\n"
    assert expected in page.read_text(encoding="utf-8"), "run benchmarks/verdict/sets.py none --write"


@pytest.mark.parametrize("page", [ROOT / "README.md", ROOT / "docs" / "metrics" / "accept.md"], ids=str)
def test_figures_in_sentences_are_those_of_the_results(page: Path) -> None:
    """AUC with its interval and the precision of rejections, as they were recorded last."""
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    text = " ".join(page.read_text(encoding="utf-8").split())
    for pair in ("en-de", "en-fr", "en-es"):
        auc = results[f"judged-{pair}"]["metrics"][0]["auc"]
        low, high = auc["interval"]
        figure = f"{auc['value']:.2f} [{low:.2f}, {high:.2f}]".replace("0.", ".")
        assert figure in text, f"{pair}: {figure}"
    fitted = json.loads((RESULTS.parent / "fit.json").read_text(encoding="utf-8"))
    for language, name in (("de", "German"), ("fr", "French")):
        assert f"{100 * fitted['sets'][f'{language}, given']['precision']:.0f} % ({name})" in text
    assert f"off by {fitted['scores']['mean error']} points on average" in text


def test_the_first_example_of_the_readme_is_a_real_one() -> None:
    """Source, translation, verdict and reason are what the demo gives."""
    block = (ROOT / "README.md").read_text(encoding="utf-8").split("```text\n")[1].split("```")[0]
    shown = " ".join(block.split())
    files = demo.files(alignments=False)
    result = anaphor.evaluate(
        source=files.source,
        systems=dict(files.candidates),
        documents=files.documents,
        pair="en-fr",
        metrics="accept",
        samples=0,
    )
    rows = [row for row in result.rows("items") if row["system"] == "cormoran" and row["segment"] == 1]
    row = rows[-1]
    assert f"rejected {row['accept_reason']}" in shown
    assert row["accept_verdict"] == "rejected"
    assert " ".join(row["context"]) in shown
    assert row["source"] in shown
