"""Priors learned from a user's texts, and used from the folder of packs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from anaphor.align import AlignerChoice, built_in_prior, read_prior
from anaphor.align.prior_building import LONGEST, build_prior
from anaphor.core import InputError, LanguagePair, MismatchError, UnknownNameError

PAIR = LanguagePair("en", "fr")
NOUNS = {
    "house": "maison",
    "dog": "chien",
    "book": "livre",
    "street": "rue",
    "garden": "jardin",
    "cat": "chat",
}
VERBS = {"sees": "voit", "likes": "aime", "finds": "trouve", "sells": "vend"}


@pytest.fixture
def texts(tmp_path: Path) -> tuple[str, str]:
    """Every noun with every verb, then an empty line and one that is too long."""
    pairs = [
        (f"Mary {v} the {n} .", f"Marie {verb} le {noun} .")
        for v, verb in VERBS.items()
        for n, noun in NOUNS.items()
    ]
    pairs += [("", "Rien ."), ("the " * (LONGEST + 1), "le")]
    paths = tmp_path / "text.en", tmp_path / "text.fr"
    for path, lines in zip(paths, zip(*pairs, strict=True), strict=True):
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return str(paths[0]), str(paths[1])


def test_a_prior_contains_what_the_texts_teach(texts: tuple[str, str], tmp_path: Path) -> None:
    built = build_prior(PAIR, [texts], tmp_path / "packs")
    assert (built.sentence_pairs, built.left_out) == (len(NOUNS) * len(VERBS), 2)
    assert built.path == str(tmp_path / "packs" / "en-fr.prior")
    table = read_prior(Path(built.path))
    assert len(table.rows) == built.word_pairs
    counts = {
        (table.source_forms[s], table.target_forms[t]): c
        for s, t, c in zip(table.rows.sources(), table.rows.target, table.count, strict=True)
    }
    for source, target in {**NOUNS, **VERBS}.items():
        likeliest = max((pair for pair in counts if pair[0] == source), key=lambda pair: counts[pair])
        assert likeliest == (source, target)


def test_texts_given_together_are_learned_from_together(texts: tuple[str, str], tmp_path: Path) -> None:
    assert build_prior(PAIR, [texts, texts], tmp_path).sentence_pairs == 2 * len(NOUNS) * len(VERBS)


def test_a_prior_in_the_folder_of_packs_comes_first_in_both_directions(
    texts: tuple[str, str], tmp_path: Path
) -> None:
    folder = tmp_path / "packs"
    built = build_prior(PAIR, [texts], folder)
    own = read_prior(Path(built.path))
    for pair, words in ((PAIR, own.source_forms), (LanguagePair("fr", "en"), own.target_forms)):
        found = AlignerChoice(pair=pair, packs=folder).prior()
        assert found is not None
        assert (found.pair, found.source_forms) == (pair, words)
    signatures = {AlignerChoice(pair=PAIR, packs=packs).signature() for packs in (None, folder)}
    assert len(signatures) == 2
    by_name = AlignerChoice(pair=PAIR, priors=built.path).signature()
    assert by_name == AlignerChoice(pair=PAIR, packs=folder).signature()
    assert AlignerChoice(pair=PAIR, packs=folder, priors="none").prior() is None
    named = AlignerChoice(pair=PAIR, packs=folder, priors=build_prior(PAIR, [texts] * 2, tmp_path / "b").path)
    assert named.signature() not in signatures
    # Another pair still has the built-in one.
    german = AlignerChoice(pair=LanguagePair("en", "de"), packs=folder).prior()
    assert german is not None
    assert german.source_forms == built_in_prior(LanguagePair("en", "de")).source_forms


def test_a_prior_under_the_name_of_another_pair_is_refused(texts: tuple[str, str], tmp_path: Path) -> None:
    built = Path(build_prior(PAIR, [texts], tmp_path).path)
    renamed = built.rename(tmp_path / "en-de.prior")
    with pytest.raises(MismatchError, match="the prior is for en-fr, the text is en-de") as raised:
        AlignerChoice(pair=LanguagePair("en", "de"), packs=tmp_path).prior()
    assert str(raised.value.where) == str(renamed)


def test_texts_that_teach_nothing_are_an_error(tmp_path: Path) -> None:
    for name in ("a.en", "a.fr"):
        (tmp_path / name).write_text("\n\n", encoding="utf-8")
    with pytest.raises(InputError, match=f"no sentence pair has 1 to {LONGEST} tokens"):
        build_prior(PAIR, [(str(tmp_path / "a.en"), str(tmp_path / "a.fr"))], tmp_path / "packs")
    assert not (tmp_path / "packs").exists()


def test_texts_in_another_language_or_script_are_an_error_with_the_line(tmp_path: Path) -> None:
    english, russian = tmp_path / "a.en", tmp_path / "a.ru"
    english.write_text("The old bridge was closed in May.\n" * 9, encoding="utf-8")
    russian.write_text("OK\n" + "Старый мост был закрыт в мае.\n" * 8, encoding="utf-8")
    with pytest.raises(MismatchError, match="Cyrillic script, but the pack of French says Latin") as raised:
        build_prior(PAIR, [(str(english), str(russian))], tmp_path / "packs")
    assert str(raised.value.where) == f"{russian}:2"
    with pytest.raises(MismatchError, match="looks like English, but the pair says French"):
        build_prior(PAIR, [(str(english), str(english))], tmp_path / "packs")


def test_a_pair_without_packs_names_the_way_to_them(texts: tuple[str, str], tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="no pack of the language sv") as raised:
        build_prior(LanguagePair("en", "sv"), [texts], tmp_path / "packs")
    assert "anaphor pack new en-sv" in raised.value.fix


@pytest.mark.parametrize("pair", ["en-fr", "fr-en"])
def test_a_link_that_leaves_the_folder_is_neither_written_nor_read(
    texts: tuple[str, str], tmp_path: Path, pair: str
) -> None:
    folder, outside = tmp_path / "packs", tmp_path / "outside"
    folder.mkdir()
    outside.write_bytes(b"precious")
    (folder / f"{pair}.prior").symlink_to(outside)
    if pair == "en-fr":
        with pytest.raises(InputError, match="leaves its folder"):
            build_prior(PAIR, [texts], folder)
    with pytest.raises(InputError, match="leaves its folder"):
        AlignerChoice(pair=PAIR, packs=folder).prior()
    assert outside.read_bytes() == b"precious"


def test_a_prior_that_is_a_pipe_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "en-fr.prior")
    with pytest.raises(InputError, match="a pipe"):
        AlignerChoice(pair=PAIR, packs=tmp_path).prior()
