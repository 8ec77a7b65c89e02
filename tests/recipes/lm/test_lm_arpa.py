"""ARPA files are read exactly, and a damaged one is refused with the line."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from anaphor.core import InputError, InputWarning
from anaphor.recipes.lm.arpa import read_arpa
from anaphor.recipes.lm.language_model import sentence_score

GOOD = """\
made by hand
\\data\\
ngram 1=5
ngram 2=3
ngram 3=1

\\1-grams:
-1.5\t<unk>
-99\t<s>\t-0.25
-0.5\t</s>
-0.75\til\t-0.125
-1\tdort\t-0.5

\\2-grams:
-0.25\t<s> il\t-0.0625
-0.5\til dort
-0.125\tdort </s>

\\3-grams:
-0.03125\t<s> il dort

\\end\\
"""


@pytest.fixture
def arpa(tmp_path: Path) -> Path:
    path = tmp_path / "good.arpa"
    path.write_text(GOOD, encoding="utf-8")
    return path


# Worked out by hand from the file above.
@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("il dort", -0.25 - 0.03125 - 0.125),
        ("il", -0.25 + (-0.0625 - 0.125 - 0.5)),
        ("dort", (-0.25 - 1) - 0.125),
        ("rien", (-0.25 - 1.5) - 0.5),
        ("dort il", (-0.25 - 1) + (-0.5 - 0.75) + (-0.125 - 0.5)),
        ("", -0.25 - 0.5),
    ],
)
def test_a_sentence_has_the_probability_that_the_file_gives(
    arpa: Path, sentence: str, expected: float
) -> None:
    model = read_arpa(arpa)
    assert sentence_score(model, sentence.split()) == expected
    assert model.score_all([sentence.split()])[0].sum() == expected


def test_a_compressed_file_is_the_same_model(arpa: Path, tmp_path: Path) -> None:
    packed = tmp_path / "good.arpa.gz"
    packed.write_bytes(gzip.compress(arpa.read_bytes()))
    assert sentence_score(read_arpa(packed), ["il", "dort"]) == -0.25 - 0.03125 - 0.125


@pytest.mark.parametrize("length", [1, 2])
def test_a_length_may_lack_all_backoff_weights(length: int, tmp_path: Path) -> None:
    head, section, rest = GOOD.partition(f"\\{length}-grams:")
    rows, blank, tail = rest.partition("\n\n")
    stripped = "\n".join("\t".join(row.split("\t")[:2]) for row in rows.split("\n"))
    path = tmp_path / "without.arpa"
    path.write_text(head + section + stripped + blank + tail, encoding="utf-8")
    # The sentence ends with a back-off over both lengths, each of which weighs 0 where it is left out.
    weights = {1: -0.125, 2: -0.0625}
    expected = -0.25 + sum(weight for other, weight in weights.items() if other != length) - 0.5
    assert sentence_score(read_arpa(path), ["il"]) == pytest.approx(expected, abs=1e-6)


def test_lines_may_stand_in_any_order(tmp_path: Path) -> None:
    path = tmp_path / "turned.arpa"
    path.write_text(GOOD.replace("-0.5\til dort\n-0.125\tdort </s>", "-0.125\tdort </s>\n-0.5\til dort"))
    assert sentence_score(read_arpa(path), ["il", "dort"]) == -0.25 - 0.03125 - 0.125


def test_a_model_without_unk_says_what_unknown_words_cost(tmp_path: Path) -> None:
    path = tmp_path / "closed.arpa"
    path.write_text(GOOD.replace("-1.5\t<unk>\n", "").replace("ngram 1=5", "ngram 1=4"))
    with pytest.warns(InputWarning, match="no <unk>"):
        model = read_arpa(path)
    assert model.step((), "rien") == (-100.0, (4,))


@pytest.mark.parametrize(
    ("old", "new", "line", "what"),
    [
        ("\\data\\", "data", None, "no line"),
        ("ngram 2=3\n", "", 4, "the size of 2-grams is missing"),
        ("ngram 2=3", "ngram 2=0", 7, "a length has no n-grams"),
        ("ngram 2=3", "ngrams 2=3", 4, "not a size"),
        ("ngram 3=1", "ngram 3=2", 21, "the 3-grams end before"),
        ("ngram 2=3", "ngram 2=2", 17, "expected .*3-grams"),
        ("\\2-grams:\n", "", 14, "expected .*2-grams"),
        ("-0.75\til", "-0,75\til", 11, "not a number: '-0,75'"),
        ("-0.75\til", "nan\til", 11, "not finite"),
        ("-0.75\til", "0.75\til", 11, "above 1"),
        ("-0.75\til\t-0.125", "-0.75\til\t-0.125\t0", 11, "not a 1-gram"),
        ("-0.75\til", "-0.75\tdort", 12, "the word dort occurs twice"),
        ("-0.5\til dort", "-0.5\tdort </s>", 17, "occurs twice"),
        ("-0.5\til dort", "-0.5\til dorment", 16, "the word dorment is not among"),
        ("<s> il dort", "dort il dort", 20, "the model has no 2-gram 'dort il'"),
        ("<s> il dort", "<s> il", 20, "not a 3-gram"),
        ("</s>", "<e>", None, "the model has no </s>"),
        ("\\end\\", "", None, "truncated"),
        ("\\end\\", "more", 22, "line after the last"),
    ],
)
def test_a_damaged_file_is_an_error_with_its_line(
    tmp_path: Path, old: str, new: str, line: int | None, what: str
) -> None:
    path = tmp_path / "bad.arpa"
    path.write_text(GOOD.replace(old, new), encoding="utf-8")
    with pytest.raises(InputError, match=what) as caught:
        read_arpa(path)
    assert caught.value.where.line == line


@pytest.mark.parametrize("lines", [1, 5, 7, 13, 18])
def test_a_file_that_ends_early_is_an_error(tmp_path: Path, lines: int) -> None:
    path = tmp_path / "short.arpa"
    path.write_text("\n".join(GOOD.split("\n")[:lines]), encoding="utf-8")
    with pytest.raises(InputError):
        read_arpa(path)
