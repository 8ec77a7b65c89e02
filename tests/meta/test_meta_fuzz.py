"""Whatever bytes a file of human work has, only a `UserError` comes out of its reader."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anaphor.core import UserError
from anaphor.meta.chat import read_chat
from anaphor.meta.equivalents import read_pairs
from anaphor.meta.gaps import read_gaps, score_gaps
from anaphor.meta.judgements import read_cases, read_judgements
from anaphor.meta.mqm import read_bio_mqm, read_mqm
from anaphor.meta.plan import read_categories, read_plan, read_population
from anaphor.meta.readings import read_readings
from anaphor.meta.scores import read_case_counts, read_score_file, read_score_table

READERS: list[Callable[[Path], object]] = [
    read_pairs,
    lambda path: score_gaps(read_gaps(path)),
    read_case_counts,
    read_cases,
    read_categories,
    read_judgements,
    read_plan,
    read_population,
    lambda path: read_score_file(path, human=True),
    read_score_table,
    read_mqm,
    lambda path: read_bio_mqm(path, pair="en-de"),
    lambda path: read_chat(path, pair="en-de"),
    read_readings,
]
WORDS = [
    "system",
    "id",
    "judgement",
    "outcome",
    "candidate",
    "choices",
    "case_1",
    "a",
    "il",
    "1e9",
    "-1",
    "bad",
]

cells = st.one_of(st.sampled_from(WORDS), st.text(max_size=5))
tables = st.lists(st.lists(cells, min_size=1, max_size=5).map("\t".join), max_size=5).map("\n".join)
objects = st.dictionaries(st.sampled_from(WORDS), st.one_of(cells, st.integers(), st.none()), max_size=4)


def read_or_refuse(reader: Callable[[Path], object], path: Path) -> None:
    """A refusal says what is wrong, where, and how to mend it."""
    refused = None
    try:
        reader(path)
    except UserError as error:
        refused = error
    assert refused is None or all((refused.what, refused.where, refused.fix))


@pytest.mark.parametrize("reader", READERS)
@settings(max_examples=20)
@given(
    content=st.one_of(tables.map(lambda text: text.encode("utf-8", "surrogatepass")), st.binary(max_size=40))
)
def test_only_user_errors_come_out(
    tmp_path_factory: pytest.TempPathFactory, reader: Callable[[Path], object], content: bytes
) -> None:
    folder = tmp_path_factory.mktemp("fuzz")
    for name in ("x.tsv", "x.jsonl"):
        (folder / name).write_bytes(content)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            read_or_refuse(reader, folder / name)


@pytest.mark.parametrize("reader", READERS)
@settings(max_examples=20)
@given(content=objects)
def test_any_json_object_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, reader: Callable[[Path], object], content: dict[str, object]
) -> None:
    import json

    path = tmp_path_factory.mktemp("fuzz") / "x.jsonl"
    path.write_text(json.dumps(content) + "\n", encoding="utf-8")
    read_or_refuse(reader, path)
