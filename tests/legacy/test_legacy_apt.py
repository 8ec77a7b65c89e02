"""The habits of the original APT, one small case each; expected values follow from its description.

A row is what `.detail` shows: positions and words of reference and candidate, then the case.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest

from anaphor.core import InputWarning, Outcome
from anaphor.legacy import AptRun, write

Apt = Callable[..., AptRun]

NO_LIST = {"files.list_target_pronouns": ""}


def rows(run: AptRun) -> list[str]:
    """The lines of the `.detail` file without its header, blanks for tabs."""
    return [line.replace("\t", " ") for line in run.detail_text.splitlines()[1:]]


@pytest.mark.parametrize(
    ("src", "expected"),
    [
        ("It works", ["0 0 it 0 il 0 il 1"]),
        ("THEY work", ["0 0 they 0 il 0 il 1"]),
        ("it it", ["0 0 it 0 il 0 il 1", "0 1 it 1 OTHER 1 OTHER 3"]),
    ],
)
def test_source_pronouns_are_found_in_any_case(apt: Apt, src: str, expected: list[str]) -> None:
    assert rows(apt({"src": f"{src}\n"})) == expected


def test_a_part_of_a_token_is_no_pronoun_without_a_separator(apt: Apt) -> None:
    with pytest.warns(InputWarning, match="no source pronoun found"):
        assert rows(apt({"src": "its it-they\n"})) == []


def test_target_words_are_compared_in_lower_case(apt: Apt) -> None:
    assert rows(apt({"ref": "IL marche\n", "tgt": "Il marche\n"})) == ["0 0 it 0 il 0 il 1"]


@pytest.mark.parametrize(
    ("ref", "tgt", "case"),
    [
        ("il", "il", Outcome.IDENTICAL),
        ("ça", "ç'", Outcome.IDENTICAL),
        ("c'", "il", Outcome.EQUIVALENT),
        ("cela", "c'", Outcome.EQUIVALENT),
        ("il", "ça", Outcome.DIFFERENT),
        ("il", "elle", Outcome.DIFFERENT),
        ("il", "que", Outcome.DIFFERENT),
    ],
)
def test_groups_decide_between_identical_equivalent_and_different(
    apt: Apt, ref: str, tgt: str, case: Outcome
) -> None:
    assert apt({"ref": f"{ref} va\n", "tgt": f"{tgt} va\n"}).judged[0].outcome is case


@pytest.mark.parametrize(
    ("equal", "case"),
    [
        ("il, celui-ci\n", Outcome.DIFFERENT),
        ("celui-ci, il, elle\n", Outcome.IDENTICAL),
        (" IL ,  Elle \n\n", Outcome.IDENTICAL),
    ],
)
def test_unlisted_members_leave_their_group_and_a_group_needs_two(
    apt: Apt, equal: str, case: Outcome
) -> None:
    run = apt({"equal": equal, "ref": "il va\n", "tgt": "elle va\n"})
    assert run.judged[0].outcome is case


@pytest.mark.parametrize(
    ("ref", "tgt", "switch", "case"),
    [
        ("qui", "que", "false", Outcome.DIFFERENT),
        ("qui", "que", "true", Outcome.IDENTICAL),
        ("qui", "il", "true", Outcome.DIFFERENT),
    ],
)
def test_two_unlisted_words_are_identical_only_by_option(
    apt: Apt, ref: str, tgt: str, switch: str, case: Outcome
) -> None:
    run = apt({"ref": f"{ref} va\n", "tgt": f"{tgt} va\n"}, {"cases.count_OTHER_as_equal": switch})
    assert run.judged[0].outcome is case


def test_without_a_target_list_every_shared_word_makes_a_pair_identical(apt: Apt) -> None:
    files = {"ref": "il , va\n", "tgt": "elle , va\n", "sr": "0-0 0-1\n", "st": "0-0 0-1\n"}
    assert rows(apt(files, NO_LIST)) == ["0 0 it 0 1 il , 0 1 elle , 1"]
    assert rows(apt(files)) == ["0 0 it 0 1 il 0 1 elle 3"]


def test_a_shared_word_counts_before_a_similar_one(apt: Apt) -> None:
    files = {"ref": "il ce\n", "tgt": "ce elle\n", "sr": "0-0 0-1\n", "st": "0-0 0-1\n"}
    assert rows(apt(files)) == ["0 0 it 0 1 il ce 0 1 ce elle 1"]


def test_aligned_positions_are_sorted_and_keep_repeated_points(apt: Apt) -> None:
    files = {"ref": "a elle il\n", "sr": "0-2 0-1 0-2\n"}
    assert rows(apt(files)) == ["0 0 it 1 2 2 elle il il 0 il 1"]


def test_a_missing_side_is_shown_as_a_dash(apt: Apt) -> None:
    assert rows(apt({"sr": "\n", "st": "0-0\n"})) == ["0 0 it - - 0 il 5"]
    assert rows(apt({"sr": "0-0\n", "st": "\n"})) == ["0 0 it 0 il - - 4"]
    assert rows(apt({"sr": "\n", "st": "\n"})) == ["0 0 it - - - - 6"]


@pytest.mark.parametrize(
    ("token", "separator", "word"),
    [("dit-il", "-", "il"), ("il-elle", "-", "il"), ("va-elle-il", "-", "elle"), ("dit-il", "", "OTHER")],
)
def test_the_first_listed_part_of_a_target_token_counts(
    apt: Apt, token: str, separator: str, word: str
) -> None:
    run = apt({"ref": f"{token} va\n"}, {"lang.target_word_separator": separator})
    assert run.judged[0].reference.words == (word,)


@pytest.mark.parametrize(
    ("src", "separator", "found"),
    [
        ("it-they a", "-", [("it", 0), ("they", 0)]),
        ("a it|it", "|", [("it", 1), ("it", 1)]),
        ("it-they it", "", [("it", 1)]),
    ],
)
def test_every_listed_part_of_a_source_token_is_an_instance(
    apt: Apt, src: str, separator: str, found: list[tuple[str, int]]
) -> None:
    run = apt({"src": f"{src}\n"}, {"lang.source_word_separator": separator})
    assert [(one.source.form, one.source.position) for one in run.judged] == found


def test_listed_positions_are_taken_whatever_stands_there(apt: Apt) -> None:
    files = {
        "src": "Dogs bark\nit works\n",
        "ref": "a b\nil c\n",
        "tgt": "a b\nil c\n",
        "list_src": "1 0\n0 1\n",
    }
    files |= {"sr": "0-0 1-1\n0-0\n", "st": "0-0 1-1\n0-0\n"}
    run = apt(files, {"files.input_type": "possition"})
    assert rows(run) == ["1 0 it 0 il 0 il 1", "0 1 bark 1 OTHER 1 OTHER 3"]


@pytest.mark.parametrize(
    ("cases", "weights", "score", "total"),
    [
        ("1,3", "1,0", "0.5000", 2),
        ("3,1", "0.25,1", "0.6250", 2),
        ("2", "0.5", "0.5000", 1),
        ("4", "1", "nan", 0),
    ],
)
def test_only_listed_cases_count_and_all_are_shown(
    apt: Apt, cases: str, weights: str, score: str, total: int
) -> None:
    files = {
        "src": "it\n" * 3,
        "ref": "il\nce\nil\n",
        "tgt": "il\nil\nelle\n",
        "sr": "0-0\n" * 3,
        "st": "0-0\n" * 3,
    }
    run = apt(files, {"cases.cases_to_use": cases, "cases.weigths_per_case": weights})
    assert run.score_text.startswith(f"Score: {score}\nCases: {cases}\n")
    assert f"Total findings: {total}\n" in run.score_text
    assert len(run.judged) == 3
    assert run.score_text.splitlines()[-1].split("\t")[-1] == str(total)


def test_a_missing_source_list_gives_nan_and_an_empty_detail(apt: Apt) -> None:
    with pytest.warns(InputWarning, match="no source pronoun found"):
        run = apt({}, {"files.list_source_pronouns": "nowhere"})
    assert math.isnan(run.score)
    assert rows(run) == []
    assert run.score_text.endswith("-sum-" + "\t0" * 13 + "\n")


def test_absent_lists_are_mentioned_on_the_console(apt: Apt) -> None:
    run = apt({}, {**NO_LIST, "dictionary.equal": "nowhere", "dictionary.similar": ""})
    assert run.console.startswith(
        "*** Reading input\n\n"
        "Not list of target pronouns\n"
        "Not dictionary of equal pronouns\n"
        "Not dictionary of similar pronouns\n"
        "Not dictionary of source pronouns\n"
        "Not dictionary of target pronouns\n"
        "*** End Reading input\n\n"
    )


def test_double_spaces_are_empty_tokens_and_outer_ones_are_stripped(apt: Apt) -> None:
    with pytest.warns(InputWarning, match="surplus spaces"):
        run = apt({"src": " it works\n", "ref": "  x  il\n", "sr": "0-2\n"})
    assert rows(run) == ["0 0 it 2 il 0 il 1"]


def test_a_byte_order_mark_hides_the_first_token(apt: Apt) -> None:
    files = {"src": b"\xef\xbb\xbfit works\nit\n", "ref": "il\nil\n", "tgt": "il\nil\n"}
    with pytest.warns(InputWarning, match="byte order mark"):
        run = apt({**files, "sr": "0-0\n0-0\n", "st": "0-0\n0-0\n"})
    assert rows(run) == ["1 0 it 0 il 0 il 1"]


@pytest.mark.filterwarnings("ignore:.*CRLF:anaphor.core.InputWarning")
def test_windows_line_ends_change_nothing(apt: Apt) -> None:
    names = ("src", "ref", "tgt", "sr", "st", "list_src", "list_tgt")
    plain = apt({})
    endings = {"src": "it works\r\n", "ref": "il marche\r\n", "tgt": "il marche\r\n", "sr": "0-0\r\n"}
    endings |= {"st": "0-0 \r\n", "list_src": "it\r\n", "list_tgt": "il\r\n"}
    assert set(endings) == set(names)
    assert rows(apt(endings)) == rows(plain)


def test_an_empty_line_is_one_empty_token(apt: Apt) -> None:
    files = {"src": "\nit\n", "ref": "\nil\n", "tgt": "\nil\n", "sr": "0-0\n0-0\n", "st": "0-0\n0-0\n"}
    assert rows(apt(files)) == ["1 0 it 0 il 0 il 1"]
    run = apt({**files, "list_src": "0 0\n"}, {"files.input_type": "possition"})
    assert rows(run) == ["0 0  0 OTHER 0 OTHER 3"]


def test_surplus_lines_are_ignored_with_a_warning(apt: Apt) -> None:
    with pytest.warns(InputWarning, match="2 lines for 1 source lines"):
        run = apt({"st": "0-0\n\n"})
    assert rows(run) == ["0 0 it 0 il 0 il 1"]


def test_both_files_are_written_with_their_whole_content(apt: Apt, tmp_path: Path) -> None:
    run = apt({}, {"output.output_file": "results.v1"})
    assert write(run) == (tmp_path / "results.v1.score", tmp_path / "results.v1.detail")
    assert (tmp_path / "results.v1.score").read_text(encoding="utf-8") == run.score_text
    assert (tmp_path / "results.v1.detail").read_text(encoding="utf-8") == run.detail_text
