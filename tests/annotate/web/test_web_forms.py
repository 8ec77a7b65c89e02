"""The annotator's page without script: plain forms, whole pages."""

from __future__ import annotations

import re
from typing import Any

import pytest

from anaphor.annotate.types import Mode


def form(**fields: Any) -> dict[str, Any]:
    return {"version": "0", "request": "request-by-form", "go": "next", **fields}


def present(visitor: Any, item: str) -> str:
    """The history of an item as text."""
    return re.sub(r"<[^>]+>|\s+", " ", visitor.get(f"/items/{item}/history").text)


def test_a_form_saves_everything_it_has(served: Any) -> None:
    ann = served.annotator()
    number = next(n for n in range(1, 5) if "anaphoric" in ann.get(f"/items/at?position={n}").text)
    item = str(ann.get(f"/items/at?position={number}").url.path).rpartition("/")[2]
    sent = form(
        antecedent="yes",
        pronoun="yes",
        words=["0.3", "1.0"],
        tags=["desc_vs_presc"],
        own_tags="my tag, another",
        remark="first line\r\nsecond line",
    )
    saved = ann.post(f"/items/{item}/answer", sent)
    assert saved.status_code == 303
    page = ann.get(f"/items/{item}").text
    assert re.search(r'name="antecedent" value="yes" data-key="1" checked', page)
    assert len(re.findall(r'name="words" value="[\d.]+" data-of="\w+" checked', page)) == 2
    assert len(re.findall(r'name="tags" value="(?:desc_vs_presc|my tag|another)"[^>]* checked', page)) == 3
    assert "first line\nsecond line</textarea>" in page


@pytest.mark.parametrize(("go", "goal"), [("next", 3), ("previous", 1), ("stay", 2)])
def test_a_form_goes_where_its_button_says(served: Any, go: str, goal: int) -> None:
    ann = served.annotator()
    second = str(ann.get("/items/at?position=2").url.path)
    saved = ann.post(f"{second}/answer", form(remark="x", go=go))
    assert ann.get(saved.headers["location"]).url == ann.get(f"/items/at?position={goal}").url


def test_a_warning_keeps_the_item_open_once(served: Any) -> None:
    ann = served.annotator()
    saved = ann.post(f"/items/{ann.first()}/answer", form(tags="ant_unsure"))
    assert saved.headers["location"] == f"/items/{ann.first()}"
    assert "Please check it again" in ann.get(f"/items/{ann.first()}").text


def test_a_form_in_which_nothing_is_chosen_says_so_and_saves_nothing(served: Any) -> None:
    ann = served.annotator()
    sent = ann.post(f"/items/{ann.first()}/answer", form())
    assert "Nothing was chosen, so nothing is saved" in ann.get(sent.headers["location"]).text
    assert present(ann, ann.first()).count("version") == 0


def test_after_the_last_item_comes_the_list(served: Any) -> None:
    ann = served.annotator()
    last = str(ann.get("/items/at?position=4").url.path)
    assert ann.post(f"{last}/answer", form(remark="x")).headers["location"] == "/items"


def test_a_stale_form_shows_both_answers_and_can_be_settled(served: Any) -> None:
    ann = served.annotator()
    item = ann.first()
    ann.post(f"/items/{item}/answer", form(remark="was first"))
    clash = ann.post(f"/items/{item}/answer", form(remark="came second", request="another-request"))
    assert clash.status_code == 409
    assert "was first" in clash.text
    assert "came second" in clash.text
    assert present(ann, item).count("version") == 2, "the history has both, and nothing was overwritten"
    hidden = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', clash.text))
    kept = re.findall(r'name="keep" value="([^"]*)"', clash.text)
    assert kept[0] == "saved"
    assert "came second" in ann.get(f"/items/{item}").text, "the choice is there until it is made"
    assert ann.post(f"/items/{item}/conflict", {**hidden, "keep": kept[1]}).status_code == 303
    assert "came second" in present(ann, item)


def test_a_form_can_undo(served: Any) -> None:
    ann = served.annotator()
    item = ann.first()
    ann.post(f"/items/{item}/answer", form(remark="to be undone"))
    undone = ann.post(f"/items/{item}/undo", form(version="1", request="undo-by-form"))
    assert undone.headers["location"] == f"/items/{item}"
    assert "not answered yet" in ann.get(f"/items/{item}").text
    again = ann.post(f"/items/{item}/undo", form(version="1", request="undo-once-more"))
    assert again.status_code == 409


@pytest.mark.parametrize(
    ("fields", "order"),
    [
        ({"order": "b|a"}, "B &gt; A"),
        ({"order": "a b"}, "A = B"),
        ({"place-a": "2", "place-b": "1"}, "B &gt; A"),
    ],
)
def test_comparisons_are_read_from_forms(serve_small: Any, fields: dict[str, str], order: str) -> None:
    ann = serve_small(mode=Mode.COMPARE).annotator()
    item = ann.first()
    assert ann.post(f"/items/{item}/answer", form(**fields)).status_code == 303
    assert order in present(ann, item)


@pytest.mark.parametrize(
    "fields",
    [
        {"version": "one"},
        {"version": "-1"},
        {"pronoun": "maybe"},
        {"words": "99.99"},
        {"words": "x"},
        {"remark": "x" * 4001},
        {"own_tags": "x" * 200},
        {"request": "short"},
        {"answer": "{"},
        {"answer": "[" * 5000},
        {"answer": '{"pronoun": "yes", "else": 1}'},
        {"choices": "il"},
        {"order": "a"},
    ],
)
def test_impossible_forms_are_refused(served: Any, fields: dict[str, str]) -> None:
    ann = served.annotator()
    refused = ann.post(f"/items/{ann.first()}/answer", form(**fields))
    assert refused.status_code == 400
    assert "<dt>fix</dt>" in refused.text
    assert "not answered yet" in ann.get(f"/items/{ann.first()}").text
