"""The confusion matrix; expected cells are counted by hand from the rules of the original."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from anaphor.legacy import AptRun

Apt = Callable[..., AptRun]

REPAIR = {"dictionary.source_pronouns": "list_src", "dictionary.target_pronouns": "list_tgt"}
BOTH = {"sr": "0-0 0-1\n", "st": "0-0 0-1\n"}
LABELS = ["il", "elle", "ils", "elles", "ce", "c'", "on", "ça", "ç'", "cela", "OTHER", "NONE"]


def cells(run: AptRun) -> dict[tuple[str, str], int]:
    """The cells above zero by label, sums left out."""
    header, *lines = (line.split("\t") for line in run.score_text.splitlines()[5:])
    found = {
        (line[0], column): int(value)
        for line in lines
        for column, value in zip(header[1:], line[1:], strict=True)
    }
    return {place: value for place, value in found.items() if value and "-sum-" not in place}


def test_one_cell_is_counted_for_several_words(apt: Apt) -> None:
    assert cells(apt({"ref": "elle ils\n", "tgt": "on elles\n", **BOTH})) == {("elle", "elles"): 1}


def test_the_first_word_is_the_first_of_an_old_set(apt: Apt) -> None:
    # Without equal groups cela keeps its index 9, which is 1 modulo 8 and so comes before ils, index 2.
    files = {"ref": "ils cela\n", "tgt": "elle x\n", "equal": "", **BOTH}
    assert cells(apt(files)) == {("cela", "elle"): 1}


def test_every_pair_is_counted_on_request(apt: Apt) -> None:
    run = apt(
        {"ref": "elle ils\n", "tgt": "on elles\n", **BOTH}, {"output.counting_multiword_in_matrix": "true"}
    )
    assert cells(run) == {("elle", "on"): 1, ("elle", "elles"): 1, ("ils", "on"): 1, ("ils", "elles"): 1}


def test_an_identical_pair_counts_what_is_shared(apt: Apt) -> None:
    files = {"ref": "elle ils\n", "tgt": "ils on\n", **BOTH}
    assert cells(apt(files, {"output.counting_multiword_in_matrix": "true"})) == {("ils", "ils"): 1}


def test_an_equivalent_pair_counts_what_is_in_the_group(apt: Apt) -> None:
    files = {"ref": "elle il\n", "tgt": "ils c'\n", **BOTH}
    assert cells(apt(files, {"output.counting_multiword_in_matrix": "true"})) == {("il", "ce"): 1}


@pytest.mark.parametrize(
    ("sr", "st", "cell"),
    [("\n", "0-0\n", ("NONE", "il")), ("0-0\n", "\n", ("il", "NONE")), ("\n", "\n", ("NONE", "NONE"))],
)
def test_a_missing_side_is_the_label_none(apt: Apt, sr: str, st: str, cell: tuple[str, str]) -> None:
    assert cells(apt({"sr": sr, "st": st})) == {cell: 1}


def test_a_word_without_index_fills_the_row_of_the_other_side(apt: Apt) -> None:
    files = {"ref": "x dit-il\n", "sr": "0-0\n", "tgt": "elle va\n"}
    assert cells(apt(files, REPAIR)) == {("elle", label): 1 for label in LABELS}
    files = {"ref": "elle va\n", "tgt": "x dit-il\n", "st": "0-0\n"}
    assert cells(apt(files, REPAIR)) == {("elle", label): 1 for label in LABELS}


def test_two_words_without_index_fill_the_matrix(apt: Apt) -> None:
    files = {"ref": "x dit-il\n", "sr": "0-0\n", "tgt": "y va-elle\n", "st": "0-0\n"}
    run = apt(files, REPAIR)
    assert cells(run) == {(row, column): 1 for row in LABELS for column in LABELS}
    assert "Total findings: 1\n" in run.score_text


def test_labels_fall_with_the_diagonal_and_ties_with_their_number(apt: Apt) -> None:
    files = {
        "src": "it\nit\n",
        "ref": "ils\nils\n",
        "tgt": "ils\nils\n",
        "sr": "0-0\n0-0\n",
        "st": "0-0\n0-0\n",
    }
    header = apt(files).score_text.splitlines()[5].split("\t")
    assert header == ["", "ils", *(label for label in reversed(LABELS) if label != "ils"), "-sum-"]


def test_the_labels_beyond_the_limit_are_summed(apt: Apt) -> None:
    files = {"src": "it\n" * 4, "ref": "il\nelle\non\nil\n", "tgt": "il\nil\nelle\nelle\n"}
    run = apt({**files, "sr": "0-0\n" * 4, "st": "0-0\n" * 4}, {"output.max_length_matrix": "1"})
    assert run.score_text.splitlines()[5:] == [
        "\til\t...\t-sum-",
        "il\t1\t1\t2",
        "...\t1\t1\t2",
        "-sum-\t2\t2\t4",
    ]


def test_no_room_for_labels_leaves_only_the_rest(apt: Apt) -> None:
    run = apt({}, {"output.max_length_matrix": "0"})
    assert run.score_text.splitlines()[5:] == ["\t...\t-sum-", "...\t1\t1", "-sum-\t1\t1"]


def test_without_a_target_list_the_labels_are_the_aligned_words(apt: Apt) -> None:
    run = apt({"ref": "cela va\n"}, {"files.list_target_pronouns": ""})
    assert sorted(run.score_text.splitlines()[5].split("\t")[1:]) == ["-sum-", "NONE", "cela", "il"]
    assert cells(run) == {("cela", "il"): 1}
