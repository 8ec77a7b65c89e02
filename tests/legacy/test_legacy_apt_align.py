"""The original's own alignment repair, switched on by a list of target pronouns.

Expected positions follow from its description; the clean repair of the paper is tested elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from anaphor.legacy import AptRun

Apt = Callable[..., AptRun]

NO_LIST = {"files.list_target_pronouns": ""}
REPAIR = {"dictionary.source_pronouns": "list_src", "dictionary.target_pronouns": "list_tgt"}


def rows(run: AptRun) -> list[str]:
    """The lines of the `.detail` file without its header, blanks for tabs."""
    return [line.replace("\t", " ") for line in run.detail_text.splitlines()[1:]]


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


def test_each_repair_is_told_on_the_console(apt: Apt) -> None:
    run = apt({"src": "It works\n", "ref": "x dit-il\n", "tgt": "y elle\n"}, REPAIR)
    assert "For reference:\n0 0 it 1 dit-il\nFor target:\n0 0 it 1 elle\n*** End" in run.console
