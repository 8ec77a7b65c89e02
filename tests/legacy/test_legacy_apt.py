"""The habits of the original APT, one small case each; expected values follow from its description.

A row is what `.detail` shows: positions and words of reference and candidate, then the case.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest

from anaphor.core import InputError, InputWarning, MismatchError, OptionError, Outcome, UserError
from anaphor.legacy import AptRun, run_apt, write

Apt = Callable[..., AptRun]

NO_LIST = {"files.list_target_pronouns": ""}
REPAIR = {"dictionary.source_pronouns": "list_src", "dictionary.target_pronouns": "list_tgt"}


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


def repaired(apt: Apt, ref: str, sr: str, src: str = "so it works") -> str:
    """Positions and words of the reference for the last pronoun."""
    files = {"src": f"{src}\n", "ref": f"{ref}\n", "sr": f"{sr}\n", "tgt": "x il y\n", "st": "1-1\n"}
    reference = apt(files, REPAIR).judged[-1].reference
    return " ".join([*map(str, reference.positions), *reference.words])


@pytest.mark.parametrize(
    ("ref", "sr", "expected"),
    [
        ("qu' il purifie", "1-2", "2 1 il"),
        ("il a b c", "1-3", "3 OTHER"),
        ("il a b c", "1-2", "2 0 il"),
        ("a b c elle", "1-1", "1 3 elle"),
    ],
)
def test_the_repair_looks_two_words_around_the_aligned_one(
    apt: Apt, ref: str, sr: str, expected: str
) -> None:
    assert repaired(apt, ref, sr) == expected


def test_an_aligned_pronoun_keeps_all_its_listed_words(apt: Apt) -> None:
    assert repaired(apt, "il que elle", "1-0 1-1 1-2") == "0 1 2 il elle"


def test_an_unaligned_pronoun_is_left_alone(apt: Apt) -> None:
    assert repaired(apt, "que il va", "0-0 2-2") == ""


def test_a_capital_letter_hides_a_pronoun(apt: Apt) -> None:
    assert repaired(apt, "Il purifie", "1-1") == "1 OTHER"


def test_a_word_of_another_listed_source_pronoun_is_not_taken(apt: Apt) -> None:
    assert repaired(apt, "il dit que", "0-0 2-2", src="it says it") == "2 OTHER"


def test_a_capitalised_source_pronoun_does_not_block(apt: Apt) -> None:
    assert repaired(apt, "il dit que", "0-0 2-2", src="It says it") == "2 0 il"


def test_the_middle_words_tie_and_the_leftmost_wins(apt: Apt) -> None:
    # Window of five words, distances 2 1 1 1 2: elle (1) beats il (0), ils (3) ties and loses.
    assert repaired(apt, "il elle x ils on", "1-2") == "2 1 elle"


@pytest.mark.parametrize(
    ("ref", "sr", "expected"),
    [
        # Three words, all of distance 1: the middle one (3) ties with the one before it and loses.
        ("x y il elle z", "1-4", "4 2 il"),
        # Seven words, distances 3 2 1 1 1 2 3: the middle one (3) beats one of distance 2 before it.
        ("x il y elle z w v", "1-2 1-4", "2 4 3 elle"),
        # The right half mirrors the left one: distance 2 (1) beats distance 3 (6).
        ("x il y z w v elle", "1-2 1-4", "2 4 1 il"),
        ("il x y z w elle v", "1-2 1-4", "2 4 5 elle"),
    ],
)
def test_an_odd_window_has_three_middle_words(apt: Apt, ref: str, sr: str, expected: str) -> None:
    assert repaired(apt, ref, sr) == expected


def test_an_even_window_has_two_middle_words(apt: Apt) -> None:
    # Window of four words, distances 2 1 1 2: il (0) is farther than elle (2).
    assert repaired(apt, "il x elle y", "1-1") == "1 2 elle"


def test_the_window_spans_all_aligned_words(apt: Apt) -> None:
    assert repaired(apt, "il a b c d e elle", "1-2 1-4") == "2 4 0 il"


def test_the_last_part_of_a_hyphenated_token_brings_the_whole_token(apt: Apt) -> None:
    assert repaired(apt, "x Dit-il y", "1-0") == "0 1 Dit-il"
    assert repaired(apt, "x il-y y", "1-0") == "0 OTHER"


def test_a_repaired_token_outside_the_list_fits_no_listed_word(apt: Apt) -> None:
    files = {"ref": "x dit-il\n", "sr": "0-0\n", "tgt": "il va\n"}
    assert rows(apt(files, REPAIR)) == ["0 0 it 0 1 dit-il 0 il 3"]


def test_two_repaired_tokens_outside_the_list_are_identical(apt: Apt) -> None:
    files = {"ref": "x dit-il\n", "sr": "0-0\n", "tgt": "y va-elle\n", "st": "0-0\n"}
    assert rows(apt(files, REPAIR)) == ["0 0 it 0 1 dit-il 0 1 va-elle 1"]


def test_without_a_target_list_the_word_is_added_to_the_others(apt: Apt) -> None:
    files = {"ref": "x il\n", "sr": "0-0\n"}
    assert rows(apt(files, {**REPAIR, **NO_LIST})) == ["0 0 it 0 1 x il 0 il 1"]


def test_each_repair_is_printed_on_the_console(apt: Apt) -> None:
    run = apt({"src": "It works\n", "ref": "x dit-il\n", "tgt": "y elle\n"}, REPAIR)
    assert "For reference:\n0 0 it 1 dit-il\nFor target:\n0 0 it 1 elle\n*** End" in run.console


KEYS = {
    "lang": ["source", "target", "source_word_separator", "target_word_separator"],
    "files": [
        *("source", "reference", "target", "alignment_source_reference", "alignment_source_target"),
        *("list_source_pronouns", "input_type", "list_target_pronouns"),
    ],
    "dictionary": ["equal", "similar", "source_pronouns", "target_pronouns"],
    "cases": ["cases_to_use", "weigths_per_case", "count_OTHER_as_equal"],
    "output": ["output_file", "counting_multiword_in_matrix", "max_length_matrix"],
}


@pytest.mark.parametrize(("section", "key"), [(section, key) for section in KEYS for key in KEYS[section]])
def test_a_missing_key_is_named(apt: Apt, section: str, key: str) -> None:
    with pytest.raises(InputError, match=rf"section \[{section}\] has no key {key}"):
        apt({}, {f"{section}.{key}": None})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"cases.cases_to_use": ""}, "cases_to_use is ''"),
        ({"cases.cases_to_use": "7,0"}, "cases_to_use lists no case"),
        ({"cases.cases_to_use": "1;2"}, "cases_to_use is '1;2'"),
        ({"cases.weigths_per_case": "1,half,0,0,0,0"}, "weigths_per_case is '1,half,0,0,0,0'"),
        ({"cases.weigths_per_case": "1,nan,0,0,0,0"}, "weigths_per_case is '1,nan,0,0,0,0'"),
        ({"cases.weigths_per_case": "1,0.5,0"}, "3 weights for 6 listed cases"),
        ({"cases.count_OTHER_as_equal": "maybe"}, "count_OTHER_as_equal is 'maybe'"),
        ({"output.counting_multiword_in_matrix": ""}, "counting_multiword_in_matrix is ''"),
        ({"output.max_length_matrix": "many"}, "max_length_matrix is 'many'"),
        ({"output.max_length_matrix": "-1"}, "max_length_matrix is '-1'"),
        ({"files.source": ""}, "source is ''"),
        ({"lang.source_word_separator": "–"}, "source_word_separator is '–'"),
    ],
)
def test_a_value_the_original_cannot_use_is_refused(apt: Apt, settings: dict[str, str], message: str) -> None:
    with pytest.raises(OptionError, match=message) as caught:
        apt({}, settings)
    assert caught.value.where.line is not None


def test_a_missing_configuration_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        run_apt(tmp_path / "config")


def test_numbers_that_are_no_case_are_dropped(apt: Apt) -> None:
    run = apt({}, {"cases.cases_to_use": "0, 1 ,3,7", "cases.weigths_per_case": "1,0"})
    assert run.cases == (Outcome.IDENTICAL, Outcome.DIFFERENT)
    assert run.score_text.startswith("Score: 1.0000\nCases: 1,3\nWeights: 1.0,0.0\nFindings per case: 1,0\n")


def test_a_single_case_left_over_takes_all_weights(apt: Apt) -> None:
    # One pronoun of case 1, weights 1 and 0.5: (1 + 0.5) / 1, beyond any sense and as the original prints it.
    run = apt({}, {"cases.cases_to_use": "1,7", "cases.weigths_per_case": "1,0.5"})
    assert run.score == 1.5
    assert "Weights: 1.0,0.5\n" in run.score_text


def test_a_single_weight_serves_all_cases(apt: Apt) -> None:
    assert apt({}, {"cases.weigths_per_case": "0.25"}).score == 0.25


@pytest.mark.parametrize("written", ["1", "yes", "TRUE", "on"])
def test_booleans_have_four_spellings(apt: Apt, written: str) -> None:
    files = {"ref": "qui marche\n", "tgt": "que marche\n"}
    assert apt(files, {"cases.count_OTHER_as_equal": written}).judged[0].outcome is Outcome.IDENTICAL


def test_relative_paths_belong_to_the_working_directory(
    apt: Apt, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    apt({})
    (tmp_path / "elsewhere").mkdir()
    config = (tmp_path / "config").rename(tmp_path / "elsewhere" / "config")
    monkeypatch.chdir(tmp_path)
    assert run_apt(config).score == 1.0


def test_an_unknown_input_type_finds_nothing(apt: Apt) -> None:
    with pytest.warns(InputWarning, match="no source pronoun found"):
        run = apt({}, {"files.input_type": "position"})
    assert run.score_text.startswith("Score: nan\n")
    assert "Score: nan\n" in run.console


POSITIONS = {"files.input_type": "possition"}


def complaint(tmp_path: Path, error: UserError) -> str:
    """Where the error is, without the folder of the test."""
    assert error.fix
    return str(error.where).removeprefix(f"{tmp_path}/")


@pytest.mark.parametrize("name", ["source", "reference", "target"])
def test_a_missing_text_is_refused(apt: Apt, tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="cannot be read") as caught:
        apt({}, {f"files.{name}": "nowhere"})
    assert complaint(tmp_path, caught.value) == "nowhere"


@pytest.mark.parametrize("name", ["alignment_source_reference", "alignment_source_target"])
def test_a_missing_alignment_is_refused(apt: Apt, tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        apt({}, {f"files.{name}": "nowhere"})


@pytest.mark.parametrize(
    ("files", "where", "message"),
    [
        ({"sr": "0-2\n"}, "sr:1", "target token 2, but the sentence has 2 tokens"),
        ({"st": "0-0 0-9\n"}, "st:1", "target token 9"),
        ({"sr": "0-0 0:1\n"}, "sr:1:5", "not an alignment point: '0:1'"),
        ({"sr": "0-0 1\n"}, "sr:1:5", "not an alignment point: '1'"),
        ({"sr": "0-0-1\n"}, "sr:1:1", "not an alignment point"),
        ({"sr": "0--1\n"}, "sr:1:1", "not an alignment point"),
        ({"sr": "9999999999-0\n"}, "sr:1:1", "not an alignment point"),
        ({"sr": b"\xef\xbb\xbf0-0\n"}, "sr:1:1", "not an alignment point"),
        ({"src": b"it \xff\n"}, "src:1:4", "0xff is not valid UTF-8"),
        ({"equal": b"ce,\xff\n"}, "equal:1:4", "0xff is not valid UTF-8"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*byte order mark:anaphor.core.InputWarning")
def test_a_broken_file_is_refused_with_its_place(
    apt: Apt, tmp_path: Path, files: dict[str, str | bytes], where: str, message: str
) -> None:
    with pytest.raises(InputError, match=message) as caught:
        apt(files)
    assert complaint(tmp_path, caught.value) == where


@pytest.mark.parametrize("code", ["\u2028", "\u2029", "\x85", "\v", "\f", "\x1c", "\x1d", "\x1e", "\r"])
@pytest.mark.parametrize("name", ["src", "ref", "tgt"])
def test_a_character_that_split_lines_is_refused(apt: Apt, tmp_path: Path, code: str, name: str) -> None:
    with pytest.raises(InputError, match=f"U\\+{ord(code):04X} makes") as caught:
        apt({name: f"x y\nit{code} works\n"})
    assert complaint(tmp_path, caught.value) == f"{name}:2:3"


@pytest.mark.parametrize("name", ["ref", "tgt", "sr", "st"])
def test_every_segment_with_a_pronoun_must_have_its_line(apt: Apt, tmp_path: Path, name: str) -> None:
    files = {"src": "x\nit\n", "ref": "x\nil\n", "tgt": "x\nil\n", "sr": "0-0\n0-0\n", "st": "0-0\n0-0\n"}
    short = {name: files[name].split("\n")[0] + "\n"}
    with pytest.raises(MismatchError, match="has 1 lines, but there is a pronoun in source line 2") as caught:
        apt({**files, **short})
    assert complaint(tmp_path, caught.value) == f"{name}:2"


@pytest.mark.parametrize(
    ("positions", "message"),
    [
        ("0 0\n\n", "not a position: ''"),
        ("0\n", "not a position: '0'"),
        ("0 0 0\n", "not a position"),
        ("-1 0\n", "not a position"),
        ("it\n", "not a position"),
        ("1 0\n", "no token 0 in segment 1"),
        ("0 2\n", "no token 2 in segment 0"),
    ],
)
def test_a_position_that_names_no_token_is_refused(apt: Apt, positions: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        apt({"list_src": positions}, POSITIONS)


def test_the_repair_refuses_a_source_index_past_the_sentence(apt: Apt, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="source token 7, but the sentence has 2 tokens") as caught:
        apt({"ref": "x il\n", "sr": "0-0 7-1\n"}, REPAIR)
    assert complaint(tmp_path, caught.value) == "sr:1"


@pytest.mark.parametrize("blocked", ["out.score", "out.detail"])
def test_nothing_is_written_when_one_file_cannot_be(apt: Apt, tmp_path: Path, blocked: str) -> None:
    run = apt({})
    (tmp_path / blocked).mkdir()
    with pytest.raises(OptionError, match="cannot be written"):
        write(run)
    assert [path.name for path in tmp_path.glob("out*")] == [blocked]


def test_a_missing_output_folder_is_refused(apt: Apt) -> None:
    run = apt({}, {"output.output_file": "nowhere/out"})
    with pytest.raises(OptionError, match="cannot be written"):
        write(run)


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


def test_a_label_that_is_listed_twice_counts_where_it_is_listed_first(apt: Apt) -> None:
    # Numbers 0 to 4: il, elle, il, OTHER, NONE. Only number 0 is on the diagonal; ties fall by number.
    header, first, *rest = apt({"list_tgt": "il\nelle\nil\n"}).score_text.splitlines()[5:]
    assert header.split("\t") == ["", "il", "NONE", "OTHER", "il", "elle", "-sum-"]
    assert first.split("\t") == ["il", "1", "0", "0", "0", "0", "1"]
    assert [line.split("\t")[0] for line in rest] == ["NONE", "OTHER", "il", "elle", "-sum-"]


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


@pytest.mark.parametrize(("ref", "tgt"), [("cela", "il"), ("il", "cela")])
def test_without_a_target_list_the_labels_are_the_aligned_words(apt: Apt, ref: str, tgt: str) -> None:
    """Both words belong into one slot of the old set: the reference's has it, and so the lower number."""
    run = apt({"ref": f"{ref} va\n", "tgt": f"{tgt} va\n"}, NO_LIST)
    assert run.score_text.splitlines()[5].split("\t")[1:] == ["NONE", tgt, ref, "-sum-"]
    assert cells(run) == {(ref, tgt): 1}


def test_a_word_in_two_equal_groups_counts_as_the_head_of_the_first(apt: Apt) -> None:
    """*elle* counts as *il*, whatever the second group says, and *ce* as *elle* did before."""
    equal = "il,elle\nelle,ce\n"
    assert apt({"equal": equal, "ref": "il va\n", "tgt": "elle va\n"}).judged[0].outcome is Outcome.IDENTICAL
    assert (
        apt({"equal": equal, "ref": "il va\n", "tgt": "ce va\n"}).judged[0].outcome is not Outcome.IDENTICAL
    )
