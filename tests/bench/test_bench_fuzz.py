"""Whatever bytes stand in a file of results, only `UserError` comes out of its reader."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anaphor.bench.choice import read_answers
from anaphor.bench.scores import read_scores
from anaphor.bench.translations import read_translations
from anaphor.core import InputWarning, UserError
from tests.support.scores import BENCH, FILES, fairseq, plain

SAMPLES = {**FILES, "fairseq": fairseq, "plain": plain}
#: Pieces that break formats: numbers that are none, other types, half of a pair.
PIECES = [
    "nan",
    "-inf",
    "null",
    "{}",
    "[]",
    '"x"',
    "1e999",
    "|||",
    "#",
    "\t",
    "\n",
    "\\ud800",
    "-1",
    "é",
    "[[",
    "true",
]


@pytest.mark.parametrize("name", SAMPLES)
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damaged_scores_raise_user_errors_only(name: str, data: st.DataObject, tmp_path: Path) -> None:
    content = SAMPLES[name]()
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(content)))
        end = data.draw(st.integers(start, min(len(content), start + 12)))
        content = content[:start] + data.draw(st.sampled_from(PIECES)) + content[end:]
    check(tmp_path / "scores", content.encode(), lambda path: read_scores(path, BENCH))


ROWS = [*PIECES, '{"id": "lamp#0", "answer": ', '{"id": "lamp", "translation": ', "1", "}\n"]


@pytest.mark.parametrize("reader", [read_answers, read_translations])
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(parts=st.lists(st.sampled_from(ROWS), max_size=9))
def test_other_damaged_results_raise_user_errors_only(
    reader: Callable[..., Any], parts: list[str], tmp_path: Path
) -> None:
    check(tmp_path / "results", "".join(parts).encode(), lambda path: reader(path, BENCH))


def check(path: Path, content: bytes, read: Callable[[Path], object]) -> None:
    path.write_bytes(content)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        refused: UserError | None = None
        try:
            assert read(path), "what is read has content"
        except UserError as error:
            refused = error
    if refused is not None:
        assert str(path) in str(refused.where)
        assert refused.fix
