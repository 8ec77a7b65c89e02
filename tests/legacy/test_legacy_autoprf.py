"""The habits of the original AutoPRF, one small case each; counts are made by hand."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from anaphor.core import InputError, InputWarning, MismatchError, OptionError, UserError
from anaphor.legacy import run_autoprf
from anaphor.legacy.autoprf import MatchCounts, recall_table, score_table

AutoPrf = Callable[..., str]

_FRACTIONS = re.compile(r" *(\w+) +(\d+)/ *(\d+) +\S+ +(\d+)/ *(\d+) ")

ONE = {"ref.en": "it works\n", "cand.en": "it works\n", "ref.fr": "il va\n", "cand.fr": "il va\n"}
ONE |= {"ref.en-fr.alig": "0-0\n", "cand.en-fr.alig": "0-0\n"}


def fractions(printed: str) -> dict[str, tuple[str, str]]:
    """Matches over candidate words and over reference words, by pronoun and in total."""
    table = printed.split("F1\n")[1]
    found = (_FRACTIONS.match(line) for line in table.splitlines())
    return {match[1]: (f"{match[2]}/{match[3]}", f"{match[4]}/{match[5]}") for match in found if match}


def test_matches_and_words_are_counted_per_pronoun(autoprf: AutoPrf) -> None:
    assert fractions(autoprf({})) == {
        "it": ("1/1", "1/1"),
        "they": ("0/1", "0/1"),
        "TOTAL": ("1/2", "1/2"),
    }


@pytest.mark.parametrize("word", ["IT", "THEY", "its", "It's"])
def test_only_four_spellings_are_triggers(autoprf: AutoPrf, word: str) -> None:
    files = {**ONE, "ref.en": f"{word} works\n", "cand.en": f"{word} works\n"}
    assert fractions(autoprf(files)) == {"TOTAL": ("0/0", "0/0")}


def test_the_source_of_the_reference_decides_what_is_a_trigger(autoprf: AutoPrf) -> None:
    assert fractions(autoprf({**ONE, "cand.en": "dogs bark\n"}))["it"] == ("1/1", "1/1")


@pytest.mark.parametrize(
    ("ref", "cand", "ref_links", "cand_links", "expected"),
    [
        ("Il va", "il va", "0-0", "0-0", ("0/1", "0/1")),
        ("il il", "il va", "0-0 0-1", "0-0", ("1/1", "1/2")),
        ("il va", "il il", "0-0", "0-0 0-1", ("1/2", "1/1")),
        ("il va", "il va", "0-0 0-0", "0-0 0-0", ("2/2", "2/2")),
        ("il va", "il va", "", "0-0", ("0/1", "0/0")),
        ("qu' il", "il qu'", "0-0 0-1", "0-0 0-1", ("2/2", "2/2")),
    ],
)
def test_words_are_compared_as_multisets_with_their_case(
    autoprf: AutoPrf, ref: str, cand: str, ref_links: str, cand_links: str, expected: tuple[str, str]
) -> None:
    files = {**ONE, "ref.fr": ref + "\n", "cand.fr": cand + "\n"}
    printed = autoprf({**files, "ref.en-fr.alig": ref_links + "\n", "cand.en-fr.alig": cand_links + "\n"})
    assert fractions(printed)["it"] == expected


def test_matches_are_clipped_for_each_pronoun_token(autoprf: AutoPrf) -> None:
    # Over the whole corpus il and elle would match; pronoun by pronoun nothing does.
    files = {"ref.en": "it a\nit a\n", "ref.fr": "il a\nelle a\n", "cand.fr": "elle a\nil a\n"}
    assert fractions(autoprf({**files, "cand.en": "it a\nit a\n"}))["it"] == ("0/2", "0/2")


def test_a_pronoun_without_candidate_words_vanishes_with_its_reference_words(autoprf: AutoPrf) -> None:
    printed = autoprf({"cand.en-fr.alig": "0-0\n1-1\n"})
    assert fractions(printed) == {"it": ("1/1", "1/1"), "TOTAL": ("1/1", "1/1")}
    assert printed.splitlines()[1:4] == [
        "                           it   ",
        "        Document 0     1/   1      1/   1   1.0000",
        "                       1/   1      1/   1   1.0000",
    ]


def test_equal_numbers_of_tokens_are_enough_even_with_other_sentences(autoprf: AutoPrf) -> None:
    # The fourth token of both texts is compared: they in the reference, y in the candidate.
    files = {
        "ref.en": "a b\nc they\n",
        "cand.en": "a b c\ny\n",
        "ref.fr": "p q\nr ils\n",
        "cand.fr": "p q r\nils\n",
    }
    printed = autoprf({**files, "ref.en-fr.alig": "\n1-1\n", "cand.en-fr.alig": "\n0-0\n"})
    assert fractions(printed)["they"] == ("1/1", "1/1")


def test_the_lines_retained_own_the_alignment_lines(autoprf: AutoPrf) -> None:
    files = {
        "cand.en-fr.lines-retained": "2\n",
        "cand.en-fr.alig": "0-0\n",
        "cand.fr": "il marche\nils vont\n",
    }
    assert fractions(autoprf(files)) == {"they": ("1/1", "1/1"), "TOTAL": ("1/1", "1/1")}


def test_line_numbers_past_the_text_are_never_met(autoprf: AutoPrf) -> None:
    files = {"cand.en-fr.lines-retained": "1\n3\n", "cand.en-fr.alig": "0-0\n7-7\n"}
    with pytest.warns(InputWarning, match="1 surplus line"):
        assert fractions(autoprf(files))["TOTAL"] == ("1/1", "1/1")


@pytest.mark.parametrize(
    ("docs", "rows"),
    [
        (
            "0\n1\n",
            ["        Document 0     1/   1      -/   -", "        Document 1     -/   -      0/   1"],
        ),
        ("0 a talk\n1\tother\n", ["            a talk     1/   1", "             other     -/   -"]),
        ("1\n", ["        Document 0     1/   1      0/   1"]),
        (
            "0\n9\n",
            ["        Document 0     1/   1      0/   1", "        Document 1     -/   -      -/   -"],
        ),
        ("0 a name of more than eighteen\n", ["a name of more than eighteen     1/   1"]),
    ],
)
def test_documents_are_rows_and_early_segments_belong_to_the_first(
    autoprf: AutoPrf, docs: str, rows: list[str]
) -> None:
    printed = autoprf({"docs": docs}).splitlines()[2:]
    assert printed
    for line, start in zip(printed, rows, strict=False):
        assert line.startswith(start)


def test_an_earlier_longer_sentence_lets_an_index_spill_over(autoprf: AutoPrf) -> None:
    files = {"ref.en": "a b c\nit a\nx y\n", "cand.en": "a b c\nit a\nx y\n"}
    files |= {"ref.fr": "a b c\nil va\nelle va\n", "cand.fr": "a b c\nelle va\nx y\n"}
    files |= {"ref.en-fr.alig": "\n0-2 2-0\n\n", "cand.en-fr.alig": "\n0-0\n\n"}
    with pytest.warns(InputWarning, match=r"ref.en-fr.alig:2: a point lies outside its sentence"):
        assert fractions(autoprf(files))["it"] == ("1/1", "1/1")


def test_nothing_follows_the_last_sentence(autoprf: AutoPrf) -> None:
    files = {"ref.fr": "a b c\nils marchent\n", "ref.en": "a b c\nthey work\n", "ref.en-fr.alig": "\n0-2\n"}
    files |= {"cand.en": "a b c\nthey work\n", "cand.fr": "a b c\nelles vont\n"}
    with (
        pytest.warns(InputWarning, match="outside its sentence"),
        pytest.raises(InputError, match="points past the last word"),
    ):
        autoprf(files)


def test_spaces_make_empty_tokens_except_at_the_end(autoprf: AutoPrf) -> None:
    files = {**ONE, "ref.en": " it  works \n", "cand.en": "x it y works\n", "ref.en-fr.alig": "1-0 \n"}
    with pytest.warns(InputWarning, match="surplus spaces"):
        printed = autoprf({**files, "cand.en-fr.alig": "1-0\n"})
    assert fractions(printed)["it"] == ("1/1", "1/1")


def test_a_byte_order_mark_hides_the_first_token(autoprf: AutoPrf) -> None:
    with pytest.warns(InputWarning, match="byte order mark"):
        printed = autoprf({"ref.en": b"\xef\xbb\xbfit works\nthey work\n"})
    assert fractions(printed) == {"they": ("0/1", "0/1"), "TOTAL": ("0/1", "0/1")}


@pytest.mark.filterwarnings("ignore:.*CRLF:anaphor.core.InputWarning")
def test_windows_line_ends_change_nothing(autoprf: AutoPrf, tmp_path: Path) -> None:
    plain = autoprf({})
    endings = {path.name: path.read_bytes().replace(b"\n", b"\r\n") for path in tmp_path.iterdir()}
    assert autoprf(endings) == plain


def test_line_separators_of_unicode_stay_inside_a_line(autoprf: AutoPrf) -> None:
    assert fractions(autoprf({**ONE, "ref.fr": "il va\u2028bien\x85\n"}))["it"] == ("1/1", "1/1")


def test_other_languages_change_the_file_names(autoprf: AutoPrf, tmp_path: Path) -> None:
    autoprf({})
    for path in list(tmp_path.iterdir()):
        path.rename(path.with_name(path.name.replace(".fr", ".de").replace("en-fr", "en-de")))
    names = [str(tmp_path / name) for name in ("ref", "cand", "docs")]
    assert fractions(run_autoprf(*names, target="de"))["it"] == ("1/1", "1/1")


def test_verbosity_two_shows_every_segment_with_a_pronoun(autoprf: AutoPrf) -> None:
    files = {"ref.en": "so It and they\nno\n", "cand.en": "so It and they\nno\n"}
    files |= {"ref.fr": "alors qu' il\nnon\n", "cand.fr": "donc ça ils\nnon\n"}
    files |= {"ref.en-fr.alig": "1-2 1-1\n\n", "cand.en-fr.alig": "1-1 3-2\n\n"}
    printed = autoprf(files, verbosity=2)
    assert printed.startswith(
        "so *It* and they\nalors qu' il\ndonc ça ils\nit ||| il | qu' ||| ça\nthey |||  ||| ils\n\n"
        "Pronoun translation recall per document:\n"
    )


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"ref.fr": "il marche\n"}, "source has 2 lines, the target has 1"),
        ({"ref.en-fr.alig": "0-0\n"}, "1 alignment lines for 2 segments"),
        ({"cand.en": "it works well\nthey work\n"}, "4 tokens, the candidate's source has 5"),
        ({"ref.en-fr.alig": "0:0\n0-0\n"}, "not an alignment: '0:0'"),
        ({"ref.en-fr.alig": " 0-0\n0-0\n"}, "not an alignment: ' 0-0'"),
        ({"ref.en-fr.alig": "0-0  1-1\n0-0\n"}, "not an alignment"),
        ({"ref.en-fr.alig": "0-2\n0-0\n"}, "the point 0-2 lies outside its sentence"),
        ({"ref.en-fr.alig": "2-0\n0-0\n"}, "the point 2-0 lies outside its sentence"),
        ({"docs": "0\n\n"}, "not the start of another document: ''"),
        ({"docs": "1\n0\n"}, "not the start of another document: '0'"),
        ({"docs": "first\n"}, "not the start of another document: 'first'"),
        ({"docs": ""}, "lists no documents"),
        ({"ref.en-fr.lines-retained": "2\n1\n"}, "not a further line number: '1'"),
        ({"ref.en-fr.lines-retained": "one\n"}, "not a further line number: 'one'"),
        ({"ref.fr": b"\xff\nx\n"}, "not valid UTF-8"),
    ],
)
def test_input_the_original_fails_on_is_refused(
    autoprf: AutoPrf, files: dict[str, str | bytes], message: str
) -> None:
    with pytest.raises(UserError, match=message) as caught:
        autoprf(files)
    assert caught.value.fix


def test_surplus_alignment_lines_are_ignored_with_a_warning(autoprf: AutoPrf) -> None:
    plain = autoprf({})
    with pytest.warns(InputWarning, match=r"ref.en-fr.alig: 2 surplus line\(s\) ignored"):
        assert autoprf({"ref.en-fr.alig": "0-0 1-1\n0-0 1-1\n\n5-5\n"}) == plain


def test_a_missing_file_is_refused(tmp_path: Path, autoprf: AutoPrf) -> None:
    autoprf({})
    (tmp_path / "cand.en-fr.alig").unlink()
    with pytest.raises(InputError, match="cannot be read"):
        run_autoprf(*(str(tmp_path / name) for name in ("ref", "cand", "docs")))


@pytest.mark.parametrize("option", [{"verbosity": 3}, {"verbosity": -1}, {"decimal": ";"}])
def test_an_option_outside_its_range_is_refused(autoprf: AutoPrf, option: dict[str, object]) -> None:
    with pytest.raises(OptionError, match=f"{next(iter(option))} is"):
        autoprf({}, **option)


def test_verbosity_two_needs_the_same_lines(autoprf: AutoPrf) -> None:
    files = {"cand.en": "it works they work\n", "cand.fr": "il va\n", "cand.en-fr.alig": "0-0\n"}
    assert fractions(autoprf(files))["it"] == ("1/1", "1/1")
    with pytest.raises(MismatchError, match="2 lines, the candidate's source has 1"):
        autoprf(files, verbosity=2)


@pytest.mark.parametrize(
    ("tally", "printed"),
    [
        # The original's own output for the news set.
        (
            MatchCounts(410, reference=1319, candidate=1379),
            " 410/1379   0.2973    410/1319   0.3108   0.3039",
        ),
        (MatchCounts(0, reference=1, candidate=1), "   0/   1   0.0000      0/   1   0.0000   NaN"),
        (MatchCounts(), "   0/   0   NaN      0/   0   NaN   NaN"),
        # 1/32 = 0.03125 is exact and rounds up, as Java rounds; C and Python would print 0.0312.
        (MatchCounts(1, reference=32, candidate=32), "   1/  32   0.0313      1/  32   0.0313   0.0313"),
        (
            MatchCounts(10000, reference=20000, candidate=10000),
            "10000/10000   1.0000   10000/20000   0.5000   0.6667",
        ),
    ],
)
def test_a_row_has_the_width_and_the_rounding_of_the_original(tally: MatchCounts, printed: str) -> None:
    table = score_table({"it": tally}, decimal=".")
    assert table.splitlines()[4] == f"      it   {printed}"


def test_ratios_are_32_bit_floats() -> None:
    tally = MatchCounts(1, reference=3, candidate=7)
    assert tally.precision.dtype == tally.recall.dtype == tally.f1.dtype == np.float32
    assert tally.recall == np.float32(1) / np.float32(3)


def test_the_harmonic_mean_of_an_undefined_value_is_undefined() -> None:
    assert math.isnan(MatchCounts(0, reference=0, candidate=3).f1)


def test_the_decimal_mark_can_be_a_comma() -> None:
    table = score_table({"it": MatchCounts(1, reference=1, candidate=2)}, decimal=",")
    assert table.splitlines()[-1] == "TOTAL         1/   2   0,5000      1/   1   1,0000   0,6667"


def test_a_pronoun_that_a_document_lacks_is_dashed() -> None:
    rows = [{"it": MatchCounts(1, 2, 3)}, {}]
    assert recall_table(["a", "b"], rows, ["it"], decimal=".").splitlines()[1:] == [
        "                           it   ",
        "                 a     1/   2      1/   2   0.5000",
        "                 b     -/   -      0/   0   NaN",
        "                       1/   2      1/   2   0.5000",
    ]


def test_a_pronoun_before_the_first_start_counts_for_the_first_document(autoprf: AutoPrf) -> None:
    """*it* stands in segment 0; the documents start at segments 1 and 2."""
    rows = autoprf({"docs": "1 first\n2 second\n"}).splitlines()[2:4]
    assert [row.split()[0] for row in rows] == ["first", "second"]
    assert "1/   1" in rows[0]
    assert "1/   1" not in rows[1]
