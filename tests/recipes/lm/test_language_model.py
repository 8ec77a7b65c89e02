"""Whoever scores, the numbers are the same: kenlm, our own code, one word or many sentences at a time."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphor.core import InputError, OptionError
from anaphor.recipes.lm.arpa import read_arpa
from anaphor.recipes.lm.fill import best_filling
from anaphor.recipes.lm.language_model import load_lm, perplexity, sentence_score, word_scores

needs_kenlm = pytest.mark.skipif(find_spec("kenlm") is None, reason="kenlm is not installed")
WORDS = st.lists(
    st.sampled_from(
        ["le", "la", "chat", "chien", "souris", "dort", "mange", "il", "elle", ".", "pleut", "rien"]
    ),
    max_size=9,
)


@given(sentences=st.lists(WORDS, min_size=1, max_size=5))
def test_many_sentences_at_once_score_like_one_word_after_the_other(
    small_arpa: Path, sentences: list[list[str]]
) -> None:
    model = read_arpa(small_arpa)
    assert sentences
    for words, values in zip(sentences, model.score_all(sentences), strict=True):
        assert values.tolist() == list(word_scores(model, words))
        assert sentence_score(model, words) == sum(values.tolist())


@needs_kenlm
@given(words=WORDS)
def test_kenlm_gives_the_same_numbers(small_arpa: Path, words: list[str]) -> None:
    ours, theirs = load_lm(small_arpa, scorer="own"), load_lm(small_arpa, scorer="kenlm")
    assert ours.order == theirs.order == 3
    assert list(word_scores(ours, words)) == pytest.approx(list(word_scores(theirs, words)), abs=1e-4)
    assert [ours.knows(word) for word in words] == [theirs.knows(word) for word in words]


@needs_kenlm
@given(parts=st.lists(WORDS, min_size=1, max_size=4))
def test_kenlm_leads_to_the_same_fillings(small_arpa: Path, parts: list[list[str]]) -> None:
    ours, theirs = (load_lm(small_arpa, scorer=scorer) for scorer in ("own", "kenlm"))
    options = ("il", "elle", "le", None)
    left, right = (best_filling(model, parts, options, -0.5) for model in (ours, theirs))
    assert left.words == right.words
    assert left.score == pytest.approx(right.score, abs=1e-4)


@needs_kenlm
def test_kenlm_accepts_our_files_and_says_why_it_does_not_accept_others(
    small_arpa: Path, tmp_path: Path
) -> None:
    theirs = load_lm(small_arpa)
    assert type(theirs).__name__ == "KenlmModel"
    broken = tmp_path / "broken.arpa"
    broken.write_text("\\data\\\nngram 1=2\n", encoding="utf-8")
    with pytest.raises(InputError, match="kenlm cannot read the model"):
        load_lm(broken, scorer="kenlm")


def test_perplexity_is_that_of_kenlms_query(small_arpa: Path) -> None:
    # `query -v summary` of kenlm (commit 4cb443e) on these two sentences:
    # including OOVs 3.940052, excluding OOVs 2.555281, 1 OOV, 9 tokens.
    found = perplexity(load_lm(small_arpa, scorer="own"), [["le", "chat", "dort", "."], ["il", "voit", "."]])
    assert (found.sentences, found.tokens, found.unknown) == (2, 9, 1)
    assert (found.perplexity, found.without_unknown) == pytest.approx((3.940052, 2.555281), abs=1e-4)


def test_a_text_without_sentences_has_no_perplexity(small_arpa: Path) -> None:
    nothing: Sequence[Sequence[str]] = []
    with pytest.raises(InputError, match="no sentences"):
        perplexity(load_lm(small_arpa, scorer="own"), nothing)


@pytest.mark.parametrize(
    ("name", "scorer", "kind"),
    [
        ("absent.arpa", "own", InputError),
        ("small.lm", "kenlm", OptionError),
        ("small.arpa", "srilm", OptionError),
    ],
)
def test_a_model_that_cannot_be_loaded_is_an_error(
    tmp_path: Path, name: str, scorer: str, kind: type[Exception]
) -> None:
    (tmp_path / "small.lm").write_bytes(b"")
    (tmp_path / "small.arpa").write_bytes(b"")
    with pytest.raises(kind):
        load_lm(tmp_path / name, scorer=scorer)


@pytest.mark.skipif(find_spec("kenlm") is not None, reason="kenlm is installed")
def test_a_missing_kenlm_is_named_with_its_extra(small_arpa: Path) -> None:
    with pytest.raises(OptionError) as caught:
        load_lm(small_arpa, scorer="kenlm")
    assert "anaphor[kenlm]" in caught.value.fix
