"""Whatever stands in a result file, a report is made or the mistake is explained."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from anaphor.core import UserError
from anaphor.report.cards import cards_digest
from anaphor.report.html import ReportView, report_page
from anaphor.report.result_file import parse_result, sealed
from anaphor.report.result_tables import result_markdown
from anaphor.report.stored import stored_of

VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.floats(),
    st.text(max_size=5),
    st.builds(list),
    st.builds(dict),
    st.lists(st.integers(-1, 2), min_size=1, max_size=2),
)


def _replace(content: Any, value: object, draw: Any) -> None:
    """Put a value in the place of some part of a JSON tree, reached by drawn steps."""
    while True:
        keys = list(content) if isinstance(content, dict) else list(range(len(content)))
        key = draw(st.sampled_from(keys))
        inner = content[key]
        if not isinstance(inner, dict | list) or not inner or draw(st.integers(0, 5)) == 0:
            content[key] = value
            return
        content = inner


@given(data=st.data(), value=VALUES, part=st.sampled_from(["systems", "cards", "comparisons", ""]))
def test_a_part_of_a_result_can_be_anything(
    demo_json: str, data: st.DataObject, value: object, part: str
) -> None:
    content = json.loads(demo_json)
    _replace(content[part] if part else content, value, data.draw)
    cards = content.get("cards")
    if isinstance(cards, dict):  # a digest that fits, so that what lies behind it is read
        body = {key: inner for key, inner in cards.items() if key not in ("cards_version", "digest")}
        cards["digest"] = cards_digest(body)
    try:
        stored = stored_of(parse_result(json.dumps(sealed(content)).encode(), path="x"), path="x")
        page = report_page(ReportView.of([stored], title="x"))
        result_markdown(stored)
    except UserError:
        return
    assert page.startswith("<!DOCTYPE html>")
