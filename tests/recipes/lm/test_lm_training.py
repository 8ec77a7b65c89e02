"""LmTrainingOptions against lmplz, and against users' mistakes."""

from __future__ import annotations

import gzip
import math
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from anaphor.core import InputError, OptionError, UserError, Where
from anaphor.recipes.lm.arpa import read_arpa
from anaphor.recipes.lm.language_model import load_lm
from anaphor.recipes.lm.training import LmTrainingOptions, LmTrainingReport, train_lm

#: lmplz of kenlm (commit 4cb443e) on the same text: lmplz -o 3 --discount_fallback
LMPLZ = {
    "<unk>": (-1.4979476, 0.0),
    "<s>": (0.0, -0.3467875),
    "chat": (-1.2715513, -0.30103),
    "<s> le": (-0.5621222, -0.30103),
    "le chat": (-0.55790323, -0.30103),
    "<s> il": (-0.75925046, -0.30103),
    "<s> le chat": (-0.4107455, None),
    "chat mange la": (-0.19124044, None),
    "<s> il pleut": (-0.5794206, None),
}


Train = Callable[[Path, LmTrainingOptions], LmTrainingReport]


def lines_of(text: str) -> Iterable[tuple[Where, str]]:
    return ((Where("text", number), line) for number, line in enumerate(text.splitlines(), start=1))


def entries(path: Path) -> dict[str, tuple[float, float | None]]:
    """Every n-gram of an ARPA file with its two values."""
    found: dict[str, tuple[float, float | None]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if "\t" in line:
            value, words, *backoff = line.split("\t")
            found[words] = (float(value), float(backoff[0]) if backoff else None)
    return found


@pytest.mark.parametrize("words", LMPLZ)
def test_values_are_those_of_lmplz(small_arpa: Path, words: str) -> None:
    assert entries(small_arpa)[words] == pytest.approx(LMPLZ[words], abs=1e-6)


def test_the_report_says_what_the_model_holds(tmp_path: Path, train_small: Train) -> None:
    # lmplz prints the same sizes for this text.
    trained = train_small(tmp_path / "m.arpa", LmTrainingOptions(order=3, fallback=True))
    assert (trained.sentences, trained.tokens, trained.words, trained.ngrams) == (10, 39, 14, (14, 23, 29))


@pytest.mark.parametrize("context", ["", "le", "il", "le chat", "la souris", "pleut pleut"])
def test_probabilities_after_any_context_sum_to_one(small_arpa: Path, context: str) -> None:
    model = read_arpa(small_arpa, double=True)
    state = model.begin()
    for word in context.split():
        state = model.step(state, word)[1]
    total = sum(math.pow(10, model.step(state, word)[0]) for word in model.words if word != "<s>")
    assert total == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("prune", [(), (0, 0, 1)])
def test_all_three_kinds_of_files_hold_the_same_model(
    tmp_path: Path, train_small: Train, small_text: str, prune: tuple[int, ...]
) -> None:
    training = LmTrainingOptions(order=3, fallback=True, prune=prune)
    for name in ("m.arpa", "m.arpa.gz", "m.lm"):
        train_small(tmp_path / name, training)
    assert gzip.decompress((tmp_path / "m.arpa.gz").read_bytes()) == (tmp_path / "m.arpa").read_bytes()
    text, mapped = (load_lm(tmp_path / name, scorer="own") for name in ("m.arpa", "m.lm"))
    for sentence in (*small_text.splitlines(), "le pleut inconnu dort", ""):
        states = text.begin(), mapped.begin()
        for word in (*sentence.split(), "</s>"):
            (one, left), (two, right) = text.step(states[0], word), mapped.step(states[1], word)
            assert one == pytest.approx(two, abs=1e-6)
            states = left, right


@pytest.mark.parametrize(
    ("text", "order", "what"),
    [
        ("", 3, "the text has no words"),
        ("\n\n", 3, "the text has no words"),
        ("a\nb\n", 4, "no sentence is long enough to have a 4-gram"),
        ("a b\nc <s> d\n", 3, "the text has the word <s>"),
        ("a </s>\n", 3, "the text has the word </s>"),
        ("<unk>\n", 3, "the text has the word <unk>"),
        ("a b c d\n", 3, "the discounts of 1-grams cannot be estimated"),
    ],
)
def test_an_unusable_text_is_an_error_and_leaves_no_file(
    tmp_path: Path, text: str, order: int, what: str
) -> None:
    with pytest.raises(InputError, match=what):
        train_lm(lines_of(text), tmp_path / "m.arpa", LmTrainingOptions(order=order, folder=tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_a_mark_in_the_text_is_shown_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        train_lm(lines_of("a b\nc <s> d\n"), tmp_path / "m.arpa", LmTrainingOptions())
    assert str(caught.value.where) == "text:2"


@pytest.mark.parametrize(
    "wrong",
    [
        {"order": 1},
        {"order": 7},
        {"memory": 1000},
        {"prune": (1,)},
        {"prune": (0, 2, 1)},
        {"order": 2, "prune": (0, 0, 1)},
    ],
    ids=str,
)
def test_options_are_validated_on_construction(wrong: dict[str, int]) -> None:
    with pytest.raises(OptionError):
        LmTrainingOptions(**wrong)  # type: ignore[arg-type]


def test_a_missing_folder_is_an_error(tmp_path: Path, small_text: str) -> None:
    with pytest.raises(OptionError, match="temporary files cannot be written"):
        train_lm(lines_of(small_text), tmp_path / "m.arpa", LmTrainingOptions(folder=tmp_path / "absent"))


def test_a_full_disk_is_a_readable_error(train_small: Train) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    with pytest.raises(UserError, match="No space left"):
        train_small(Path("/dev/full"), LmTrainingOptions(order=3, fallback=True))


def test_progress_names_every_step(tmp_path: Path, small_text: str) -> None:
    steps: list[str] = []
    with pytest.warns(UserWarning, match="discounts"):
        train_lm(
            lines_of(small_text),
            tmp_path / "m.arpa",
            LmTrainingOptions(order=2, fallback=True),
            progress=steps.append,
        )
    assert steps == [
        "reading the text",
        "counting 1-grams",
        "counting 2-grams",
        "estimating probabilities",
        "writing 37 n-grams",
    ]
