"""Pronouns that readers judged, beside the items of metrics. All sentences are invented."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from anaphor.core import InputError, MismatchError, OptionError, UnknownNameError
from anaphor.meta.detection import MarkEvaluation
from anaphor.meta.readings import read_readings
from anaphor.meta.spans import evaluate_spans

HEADER = "id part document line system start pronoun verdict word reader_1 reader_2 why"
#: The line is: It [it] broke, so they threw it out.
ROWS = (
    "1 news d1 0 alder 0 It ok Er ok ok -",
    "2 news d1 0 alder 18 they ok sie ok unsure -",
    "3 news d1 0 alder 29 it wrong es wrong wrong needs_ihn",
    "4 news d2 1 alder 0 It wrong es ok wrong -",
    "5 news d2 1 birch 0 It unsure es wrong unsure -",
    "6 talks d3 0 alder 0 It wrong es wrong wrong -",
)
COLUMNS = "system segment token pronoun outcome source accept accept_verdict accept_reason".replace(" ", "\t")


def item(system: str, segment: int, token: int, source: str, accept: str, verdict: str) -> str:
    pronoun = "they" if "[they]" in source else "it"
    cells = (
        system,
        str(segment),
        str(token),
        pronoun,
        "reference_missing",
        source,
        accept,
        verdict,
        "because",
    )
    return "\t".join(cells)


ITEMS = (
    item("alder", 0, 0, "[It] [it] broke, so they threw it out.", "0.9", "accepted"),
    # The brackets of the text itself come before those around the item.
    item("alder", 0, 9, "It [it] broke, so they threw [it] out.", "0.2", "rejected"),
    item("alder", 0, 7, "It [it] broke, so [they] threw it out.", "-", "open"),
    item("alder", 1, 0, "[It] fell.", "0.8", "accepted"),
    item("birch", 1, 0, "[It] fell.", "0.7", "accepted"),
)


def write_judged(path: Path, *rows: str) -> str:
    path.write_text("".join(row.replace(" ", "\t") + "\n" for row in (HEADER, *rows)), encoding="utf-8")
    return str(path)


def write_items(path: Path, *rows: str) -> str:
    path.write_text("".join(f"{row}\n" for row in (COLUMNS, *rows)), encoding="utf-8")
    return str(path)


def evaluated(
    folder: Path, *, judged: tuple[str, ...] = ROWS, items: tuple[str, ...] = ITEMS, **more: Any
) -> MarkEvaluation:
    table = write_judged(folder / "judged.tsv", *judged)
    path = write_items(folder / "news.tsv", *items)
    return evaluate_spans([path], pair="en-de", judged=table, samples=0, **more)


def test_a_judged_pronoun_is_the_item_that_begins_at_its_character(tmp_path: Path) -> None:
    found = evaluated(tmp_path, open_score=0.95)
    # Four of the part are ok or wrong, one is unsure; the other part has no items here.
    assert (found.items, found.marked, found.unmatched, found.left_out) == (4, 2, 0, 1)
    assert (found.systems, found.documents) == (1, 2)
    accept = next(one for one in found.metrics if one.metric == "accept")
    assert accept.open == 1
    # Marked are 0.2 and 0.8, not marked 0.9 and what is open.
    assert accept.auc.value == 1.0
    counts = {one.verdict: (one.items, one.marked) for one in accept.verdicts}
    assert counts == {"accepted": (2, 1), "open": (1, 0), "rejected": (1, 1)}


def test_readers_agree_or_not_also_where_nothing_was_decided(tmp_path: Path) -> None:
    found = evaluated(tmp_path)
    values = {one.coefficient: one for one in found.agreement}
    assert values["observed"].items == 5
    assert values["observed"].value == pytest.approx(2 / 5)
    assert "cohen-kappa" in values
    assert found.to_dict()["marked_by"][-1] == {"votes": 2, "raters": 2, "items": 1}


def test_any_reader_can_mark(tmp_path: Path) -> None:
    found = evaluated(tmp_path, vote="any")
    assert (found.items, found.marked) == (5, 3)


def test_a_judged_pronoun_that_is_no_item_is_counted(tmp_path: Path) -> None:
    found = evaluated(tmp_path, items=(*ITEMS[:2], *ITEMS[3:]))
    assert (found.items, found.unmatched) == (3, 1)
    assert "1 judged but not among the items" in str(found.tables()[0])


def test_items_belong_to_the_part_that_they_are_named_after_or_that_is_named(tmp_path: Path) -> None:
    judged = write_judged(tmp_path / "judged.tsv", *ROWS)
    news = write_items(tmp_path / "news.tsv", *ITEMS)
    talks = write_items(tmp_path / "talks.tsv", ITEMS[0])
    options: dict[str, Any] = {"pair": "en-de", "judged": judged, "samples": 0}
    both = evaluate_spans([news, talks], **options)
    assert (both.items, both.marked, both.documents) == (5, 3, 3)
    other = write_items(tmp_path / "run-2.tsv", *ITEMS)
    assert evaluate_spans([other], part="news", **options).items == 4
    # Two runs on one part are compared.
    compared = evaluate_spans([news, other], part="news", **options)
    assert {one.metric for one in compared.metrics} == {"apt", "accept (news)", "accept (run-2)"}
    with pytest.raises(MismatchError, match="is unclear") as caught:
        evaluate_spans([other], **options)
    assert "news, talks" in caught.value.fix
    with pytest.raises(UnknownNameError, match="unknown part"):
        evaluate_spans([other], part="novels", **options)
    with pytest.raises(OptionError, match="only judged pronouns"):
        evaluate_spans([other], pair="en-de", judgements=judged, part="news")
    (tmp_path / "more").mkdir()
    same = write_items(tmp_path / "more" / "news.tsv", *ITEMS)
    with pytest.raises(MismatchError, match="two files of items have the same name"):
        evaluate_spans([news, same], **options)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("alder 18", "alder 17", "line 0 of the items has ' the' at character 17, not 'they'"),
        ("alder 18 they", "alder 18 them", "not 'them'"),
        ("news d1 0 alder 0", "news d1 0 cedar 0", "pronouns of cedar are judged, but have no items"),
    ],
)
def test_items_of_other_texts_are_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    judged = tuple(row.replace(old, new) for row in ROWS)
    with pytest.raises(MismatchError, match=message):
        evaluated(tmp_path, judged=judged)


def test_items_need_the_line_with_the_pronoun_in_brackets(tmp_path: Path) -> None:
    with pytest.raises(MismatchError, match="no line of the source with the pronoun in brackets"):
        evaluated(tmp_path, items=tuple(row.replace("[It] fell", "It fell") for row in ITEMS))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("verdict", "colour", "verdict: missing"),
        (" wrong es wrong", " bad es wrong", "verdict: unknown value: bad"),
        ("ok unsure", "ok maybe", "reader_2: unknown value: maybe"),
        ("news d1 0 alder 18", "news d1 -1 alder 18", "line: expected an integer of at least 0"),
        ("alder 18", "alder x", "start: expected an integer of at least 0"),
        ("alder 18", "alder 0", "start: the same pronoun as in"),
    ],
)
def test_a_broken_row_is_an_input_error(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = tmp_path / "judged.tsv"
    text = "".join(row.replace(" ", "\t") + "\n" for row in (HEADER, *ROWS))
    path.write_text(text.replace(old.replace(" ", "\t"), new.replace(" ", "\t"), 1), encoding="utf-8")
    with pytest.raises(InputError, match=message) as caught:
        read_readings(path)
    assert caught.value.where.line is not None
