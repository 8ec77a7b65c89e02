"""Scores and cases out of real result files, and files that somebody changed."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from anaphor.core import InputError, MismatchError
from anaphor.meta.results import require_same_version, result_columns, result_counts

#: As `anaphor score` writes it, without what is not read. APT is (3 + 0.5) / 7 and 4 / 7.
CONTENT: dict[str, Any] = {
    "settings": {"weights": [1.0, 0.5, 0.0, 0.0, 0.0, 0.0], "discard": [], "repair": True},
    "systems": [
        {
            "system": name,
            "metrics": [
                {
                    "name": "apt",
                    "score": score,
                    "details": {f"case_{n}": float(count) for n, count in enumerate(cases, start=1)},
                },
                {"name": "bleu", "score": 0.25, "details": {}},
            ],
        }
        for name, score, cases in (("a", 0.5, (3, 1, 2, 0, 1, 0)), ("b", 4 / 7, (4, 0, 1, 1, 0, 1)))
    ],
}


def test_every_metric_is_a_column() -> None:
    apt, bleu = result_columns(CONTENT, path="r.json")
    assert dict(apt.values) == {"a": 0.5, "b": 4 / 7}
    assert dict(bleu.values) == {"a": 0.25, "b": 0.25}


def test_cases_come_with_their_repair() -> None:
    found = result_counts(CONTENT, path="r.json")
    assert (found.repair, dict(found.systems)) == (
        "paper",
        {"a": (3, 1, 2, 0, 1, 0), "b": (4, 0, 1, 1, 0, 1)},
    )


def _metric(content: dict[str, Any]) -> dict[str, Any]:
    metric: dict[str, Any] = content["systems"][0]["metrics"][0]
    return metric


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda c: _metric(c).update(score=0.9), "the apt of a is 0.9, but its cases give 0.5"),
        (lambda c: _metric(c)["details"].update(case_1=4.0), "but its cases give"),
        (lambda c: _metric(c).update(score=None), "score apt of a is None"),
        (lambda c: _metric(c).update(score=1.5), "score apt of a is 1.5"),
        (lambda c: _metric(c).update(score="high"), "score apt of a is high"),
        (lambda c: _metric(c).update(details=[]), "not six counts"),
        (lambda c: _metric(c)["details"].pop("case_6"), "not six counts"),
        (lambda c: c["systems"].append(c["systems"][0]), "a has two scores of apt"),
        (lambda c: c.pop("systems"), "cannot be read"),
        (lambda c: c["systems"].append(3), "cannot be read"),
        (lambda c: c["settings"].update(discard=[1, 2, 3, 4, 5, 6]), "nothing to score"),
    ],
)
def test_a_changed_result_is_refused(change: Callable[[dict[str, Any]], object], words: str) -> None:
    content = deepcopy(CONTENT)
    change(content)
    with pytest.raises(InputError, match=words):
        result_columns(content, path="r.json")


def test_a_result_without_apt_has_no_cases() -> None:
    content = deepcopy(CONTENT)
    for system in content["systems"]:
        del system["metrics"][0]
    with pytest.raises(InputError, match="no cases of apt"):
        result_counts(content, path="r.json")


def test_versions_are_not_mixed() -> None:
    require_same_version({"a.json": "1.0", "b.json": "1.0"})
    with pytest.raises(MismatchError, match="different versions"):
        require_same_version({"a.json": "1.0", "b.json": "1.1"})
