"""The annotator's page with its script: what goes out, what comes back, and what is never lost."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from anaphor.annotate.judging.answers import save_answer
from anaphor.annotate.types import AnnotatorAnswer, Mark, Mode

Send = Callable[..., dict[str, Any]]


def item_number(html: str) -> int:
    found = re.search(r'data-position="(\d+)"', html)
    assert found is not None
    return int(found[1])


def test_the_first_page_is_the_first_open_item(served: Any) -> None:
    page = served.annotator().get("/")
    assert page.status_code == 200
    assert "<h1" in page.text
    assert item_number(page.text) == 1
    assert "Item 1" in page.text


def test_no_page_names_a_system(served: Any) -> None:
    ann = served.annotator()
    for position in range(1, 5):
        page = ann.get(f"/items/at?position={position}")
        assert "secret" not in page.text
        assert "secret" not in ann.get(f"/api/positions/{position}/ahead").text


def test_save_and_next_is_one_request_with_the_next_item(served: Any, answered: Send) -> None:
    ann = served.annotator()
    saved = ann.send(f"/api/items/{ann.first()}/answer", answered(remark="seen"))
    assert saved.status_code == 200
    assert saved.json()["version"] == 1
    assert item_number(saved.json()["html"]) == 2
    assert "1 of 4 answered" in saved.json()["html"]


@pytest.mark.parametrize(
    ("go", "position", "expected"),
    [("previous", None, 1), ("stay", None, 2), ("jump", 4, 4), ("next", None, 3)],
)
def test_an_answer_can_be_followed_by_any_item(
    served: Any, answered: Send, go: str, position: int | None, expected: int
) -> None:
    ann = served.annotator()
    second = str(ann.get("/items/at?position=2").url.path).rpartition("/")[2]
    saved = ann.send(f"/api/items/{second}/answer", answered(remark="x", go=go) | {"position": position})
    assert item_number(saved.json()["html"]) == expected


def test_an_answer_that_breaks_a_rule_is_saved_and_shown_again(served: Any, answered: Send) -> None:
    ann = served.annotator()
    saved = ann.send(f"/api/items/{ann.first()}/answer", answered(tags=["ant_unsure"]))
    assert saved.json()["version"] == 1
    assert item_number(saved.json()["html"]) == 1
    assert "there are tags, but no answer about the pronoun" in saved.json()["html"]


def test_a_retry_gives_the_same_acknowledgement(served: Any, answered: Send) -> None:
    ann, body = served.annotator(), answered(remark="once")
    path = f"/api/items/{ann.first()}/answer"
    assert [ann.send(path, body).json()["version"] for _ in range(3)] == [1, 1, 1]


def test_answers_sent_later_bring_no_page(served: Any, answered: Send) -> None:
    ann = served.annotator()
    saved = ann.send(f"/api/items/{ann.first()}/answer", answered(remark="late", go="none"))
    assert (saved.json()["version"], saved.json()["html"]) == (1, "")


def test_two_windows_cannot_overwrite_each_other(served: Any, answered: Send) -> None:
    ann = served.annotator()
    path = f"/api/items/{ann.first()}/answer"
    assert ann.send(path, answered(remark="from the first window")).status_code == 200
    second = ann.send(path, answered(remark="from the second window"))
    assert second.status_code == 409
    assert "from the first window" in second.json()["html"]
    assert "from the second window" in second.json()["html"]
    third = ann.send(path, answered(remark="from the second window", version=1))
    assert third.json()["version"] == 2


def test_undo_goes_back_and_history_keeps_both(served: Any, answered: Send) -> None:
    ann = served.annotator()
    item = ann.first()
    ann.send(f"/api/items/{item}/answer", answered(remark="a first thought"))
    ann.send(f"/api/items/{item}/answer", answered(remark="a second thought", version=1))
    back = ann.send(f"/api/items/{item}/undo", {"request": "undo-request", "version": 2})
    assert back.json()["version"] == 3
    assert "a first thought" in back.json()["html"]
    result = ann.get(f"/api/items/{item}/history").json()["html"]
    assert result.count("<li>") == 3
    assert "a second thought" in result


def test_undo_of_nothing_is_explained(served: Any) -> None:
    ann = served.annotator()
    back = ann.send(f"/api/items/{ann.first()}/undo", {"request": "undo-request", "version": 0})
    assert back.status_code == 400
    assert set(back.json()) == {"what", "where", "fix"}


def test_a_jump_to_an_unknown_position_saves_nothing(served: Any, answered: Send) -> None:
    ann = served.annotator()
    body = answered(remark="x", go="jump") | {"position": 99}
    assert ann.send(f"/api/items/{ann.first()}/answer", body).status_code == 400
    assert "not answered yet" in ann.get(f"/items/{ann.first()}").text


def test_undo_of_another_version_is_refused(served: Any, answered: Send) -> None:
    ann = served.annotator()
    ann.send(f"/api/items/{ann.first()}/answer", answered(remark="here"))
    back = ann.send(f"/api/items/{ann.first()}/undo", {"request": "undo-request", "version": 0})
    assert back.status_code == 409
    assert "changed" in back.json()["what"]


def test_more_context_comes_on_demand_and_stays_in_the_document(served: Any) -> None:
    ann = served.annotator()
    pages = [ann.get(f"/items/at?position={number}").text for number in range(1, 5)]
    rain = next(number for number, page in enumerate(pages, start=1) if "pleonastic" in page)
    assert "I bought" not in pages[rain - 1]
    item = str(ann.get(f"/items/at?position={rain}").url.path).rpartition("/")[2]
    text = ann.get(f"/api/items/{item}/text?before=1000&after=1000").json()["html"]
    assert "bought" in text
    assert "earlier lines" not in text
    assert "Show later lines" not in text
    whole = ann.get(f"/items/{item}/text?before=1000&after=0")
    assert "bought" in whole.text


def test_words_are_linked_both_ways(served: Any) -> None:
    ann = served.annotator()
    page = next(text for n in range(1, 5) if "anaphoric" in (text := ann.get(f"/items/at?position={n}").text))
    assert re.search(r'id="s-1-0" data-links="t-a-1-0"', page)
    assert re.search(r'id="t-a-1-0"[^>]* data-links="s-1-0"', page)
    assert 'value="1.0"' in page, "the word for the pronoun can be chosen"
    assert 'value="0.3"' in page, "the word for the antecedent can be chosen"


def test_ahead_are_the_following_items_and_none_after_the_last(served: Any) -> None:
    ann = served.annotator()
    ahead = ann.get("/api/positions/1/ahead").json()["pages"]
    assert [page["position"] for page in ahead] == [2, 3, 4]
    assert ann.get("/api/positions/4/ahead").json()["pages"] == []
    assert ann.get("/api/positions/5").status_code == 400


def test_lists_guidelines_and_keys_are_there(served: Any) -> None:
    ann = served.annotator()
    listed = ann.get("/items").text
    assert listed.count('<li><a href="/items/') == 4
    assert "Batch 2" in listed
    assert "Be strict" in ann.get("/guidelines").text
    assert "Be strict" in ann.get("/api/guidelines").json()["html"]
    assert "<kbd>z</kbd>" in ann.get("/api/keys").json()["html"]


def test_guidelines_of_the_lead_replace_ours(serve_small: Any) -> None:
    ann = serve_small(guidelines="Only look at <verbs>.\n\nSecond part.").annotator()
    page = ann.get("/guidelines").text
    assert "Only look at &lt;verbs&gt;." in page
    assert "Be strict" not in page


def test_all_done_leads_to_the_list(served: Any) -> None:
    ann = served.annotator()
    for number in range(1, 5):
        item = str(ann.get(f"/items/at?position={number}").url.path).rpartition("/")[2]
        answer = AnnotatorAnswer(remark="done")
        save_answer(served.store, served.person(), item, answer, version=0, request=f"request-{number}")
    page = ann.get("/")
    assert page.url.path == "/items"
    assert "All your items are answered" in page.text


def test_gaps_hide_the_word_everywhere(serve_small: Any, answered: Send) -> None:
    ann = serve_small(mode=Mode.GAPS, choices=("il", "elle", "ça")).annotator()
    pages = [ann.get(f"/items/at?position={number}") for number in range(1, 5)]
    for page in pages:
        text = re.search(r'<div class="row">((?!class="row).)*hidden word.*?</div>', page.text, re.S)
        assert text is not None
        assert not re.search(r">(Elle|il|ça)<", text[0])
        assert 'name="choices" value="bad"' in page.text
        assert 'value="bad_translation"' not in page.text, "it is a choice, and not a tag as well"
    item = str(pages[0].url.path).rpartition("/")[2]
    saved = ann.send(f"/api/items/{item}/answer", answered(choices=["il", "elle"], go="stay"))
    assert len(re.findall(r'value="(?:il|elle)" data-key="\d" checked', saved.json()["html"])) == 2
    assert ann.send(f"/api/items/{item}/answer", answered(choices=["on"], version=1)).status_code == 400


def test_comparisons_are_blind_and_take_orders(serve_small: Any, answered: Send) -> None:
    ann = serve_small(mode=Mode.COMPARE).annotator()
    page = ann.get("/")
    assert "A is better" in page.text
    assert "secret" not in page.text
    saved = ann.send(f"/api/items/{ann.first()}/answer", answered(order=[["b"], ["a"]], go="stay"))
    assert re.search(r'value="b\|a" data-key="2" checked', saved.json()["html"])
    bad = ann.send(f"/api/items/{ann.first()}/answer", answered(order=[["b"], ["z"]], version=1))
    assert bad.status_code == 400


def test_right_to_left_text_is_marked(serve_small: Any) -> None:
    page = serve_small(pair="en-he").annotator().get("/").text
    assert 'lang="he" dir="rtl"' in page
    assert 'lang="en" dir="auto"' in page


def test_the_time_of_an_answer_is_kept(served: Any, answered: Send) -> None:
    ann = served.annotator()
    body = answered(remark="x") | {"seconds": 7.5}
    assert ann.send(f"/api/items/{ann.first()}/answer", body).status_code == 200
    page = served.lead().get("/lead").text
    assert "7.5" in page


def test_marks_and_words_come_back_as_they_were_sent(served: Any, answered: Send) -> None:
    ann = served.annotator()
    number = next(n for n in range(1, 5) if "anaphoric" in ann.get(f"/items/at?position={n}").text)
    item = str(ann.get(f"/items/at?position={number}").url.path).rpartition("/")[2]
    body = answered(antecedent="no", pronoun="yes", words=[[1, 0]], go="stay")
    html = ann.send(f"/api/items/{item}/answer", body).json()["html"]
    assert re.search(r'name="antecedent" value="no" data-key="2" checked', html)
    assert re.search(r'name="pronoun" value="yes" data-key="y" checked', html)
    assert re.search(r'value="1.0" data-of="pronoun" checked', html)
    assert Mark.YES.value in html


def test_database_errors_are_reported_and_the_answer_stays_in_the_browser(
    served: Any, answered: Send
) -> None:
    """503 is what the script of the page takes for a server that is away: it sends the answer again later."""
    ann = served.annotator()
    path = f"/api/items/{ann.first()}/answer"
    with served.store.write() as connection:
        connection.exec_driver_sql("ALTER TABLE journal RENAME TO elsewhere")
    refused = ann.send(path, answered(remark="x"))
    assert refused.status_code == 503
    assert set(refused.json()) == {"what", "where", "fix"}
    with served.store.write() as connection:
        connection.exec_driver_sql("ALTER TABLE elsewhere RENAME TO journal")
    assert ann.send(path, answered(remark="x")).json()["version"] == 1
