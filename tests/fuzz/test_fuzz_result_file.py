"""Whatever stands in a result file, reading and verifying it gives an answer or a `UserError`."""

from __future__ import annotations

import copy
import json
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anaphor.core import Files, InputWarning, Settings, UserError
from anaphor.evaluation.experiment import Experiment
from anaphor.evaluation.pipeline import evaluate_experiment
from anaphor.report.result_file import read_result
from anaphor.scoring.verification import verify
from tests.support.results import result_json

QUICK = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
TEXTS = {
    "src": "It rains .\nThey laugh .\n",
    "ref": "Il pleut .\nElles rient .\n",
    "cand": "Il pleut .\nIls rient .\n",
    "links": "0-0 1-1 2-2\n0-0 1-1 2-2\n",
}
# Small numbers only: a result file may ask for as many resamples as its user likes.
VALUES = [
    None,
    True,
    0,
    7,
    -1,
    0.5,
    "",
    "-",
    "apt",
    "en-fr",
    "src",
    [],
    [1],
    ["apt"],
    [["a", "src"]],
    {},
    {"a": 1},
]
PIECES = [
    b"",
    b"\0",
    b"\xff",
    b"[",
    b"]",
    b"{",
    b"}",
    b'"',
    b",",
    b":",
    b"null",
    b"NaN",
    b"1e999",
    b"[" * 2000,
]


@pytest.fixture
def result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The content of a good result file, whose inputs lie in the working directory."""
    monkeypatch.chdir(tmp_path)
    for name, content in TEXTS.items():
        Path(name).write_text(content, encoding="utf-8")
    files = Files(
        source="src",
        references=("ref",),
        candidates=(("a", "cand"),),
        reference_alignments=("links",),
        candidate_alignments=("links",),
    )
    return result_json(evaluate_experiment(Experiment.read(files, Settings(pair="en-fr", samples=0))), files)


def mistake(read: Callable[[str], object], data: bytes) -> UserError | None:
    """The `UserError` that the bytes lead to, if they do; every other exception comes through."""
    Path("result.json").write_bytes(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        try:
            read("result.json")
        except UserError as error:
            return error
    return None


def assert_answered_or_refused(read: Callable[[str], object], data: bytes) -> None:
    error = mistake(read, data)
    assert error is None or (error.what and error.fix)


def places(value: Any, start: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every value inside, whole parts included."""
    if isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield (*start, key)
            yield from places(part, (*start, key))


def test_the_unchanged_file_is_verified(result: str) -> None:
    assert mistake(verify, result.encode()) is None


@QUICK
@given(data=st.binary(max_size=60))
def test_random_bytes(result: str, data: bytes) -> None:
    assert_answered_or_refused(read_result, data)


@QUICK
@given(place=st.floats(0, 1), width=st.integers(0, 40), piece=st.sampled_from(PIECES))
def test_cut_and_overwritten_bytes(result: str, place: float, width: int, piece: bytes) -> None:
    data = result.encode()
    at = int(place * len(data))
    assert_answered_or_refused(read_result, data[:at] + piece + data[at + width :])


@QUICK
@given(changes=st.lists(st.tuples(st.floats(0, 0.999), st.sampled_from(VALUES)), min_size=1, max_size=2))
def test_values_of_any_kind_anywhere(result: str, changes: list[tuple[float, object]]) -> None:
    """The file is still JSON, and says something else in one or two places."""
    content = json.loads(result)
    for fraction, value in changes:
        ways = list(places(content))
        *way, last = ways[int(fraction * len(ways))]
        part = content
        for key in way:
            part = part[key]
        part[last] = copy.deepcopy(value)  # a later change must not reach into the table of values
    assert_answered_or_refused(verify, json.dumps(content).encode())
