from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anaphor.core import InputError, LanguagePair, OptionError, UnknownNameError, UserError
from anaphor.languages import FormMatcher, Tokenizer, known_languages, known_pairs, load_language, load_pair

PAIR = LanguagePair("en", "xx")
WritePacks = Callable[..., Path]


def test_built_in_packs_are_known_by_name() -> None:
    languages, pairs = known_languages(), known_pairs()
    assert {"cs", "de", "en", "es", "fr", "it", "ja", "nl", "pl", "pt", "ru", "uk", "zh"} <= set(languages)
    # Every language has English both ways.
    assert {f"en-{code}" for code in languages if code != "en"} <= set(pairs)
    assert {f"{code}-en" for code in languages if code != "en"} <= set(pairs)
    assert (list(languages), list(pairs)) == (sorted(languages), sorted(pairs))


def test_a_new_language_is_two_files_and_no_python(write_packs: WritePacks) -> None:
    folder = write_packs()
    assert "xx" in known_languages(folder)
    assert "en-xx" in known_pairs(folder)
    pair = load_pair(PAIR, folder=folder)
    matcher = FormMatcher(pair.target, [*pair.target_pronouns, *pair.object_pronouns])
    sentence = Tokenizer(pair.target)("La'nu, la'mo vi-lu; dr. Xo kolu parlus.")
    assert sentence.tokens == (
        "La'nu",
        ",",
        "la'",
        "mo",
        "vi",
        "-lu",
        ";",
        "dr.",
        "Xo",
        "kolu",
        "parlus",
        ".",
    )
    found = {token: matcher.forms_in(token) for token in sentence.tokens if matcher.forms_in(token)}
    assert found == {"la'": ("la'",), "-lu": ("lu",), "kolu": ("lu",), "parlus": ("lus",)}


def test_a_pack_of_the_user_hides_the_built_in_one(write_packs: WritePacks) -> None:
    folder = write_packs()
    (folder / "xx.toml").rename(folder / "en.toml")
    assert load_language("en", folder=folder).name == "Invented"
    assert load_language("en").name == "English"


def test_other_files_in_the_folder_are_no_packs(write_packs: WritePacks) -> None:
    folder = write_packs()
    for name in ("notes.toml", "EN.toml", "en.txt", "en-xx-yy.toml"):
        (folder / name).write_text("not a pack")
    assert set(known_languages(folder)) == {*known_languages(), "xx"}
    assert set(known_pairs(folder)) == {*known_pairs(), "en-xx"}


@pytest.mark.parametrize("code", ["qq", "", "../en", "en-fr"])
def test_an_unknown_language_lists_the_known_ones(code: str) -> None:
    with pytest.raises(UnknownNameError, match="unknown language") as raised:
        load_language(code)
    assert ", ".join(known_languages()) in raised.value.fix


def test_an_unknown_pair_suggests_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="unknown language pair: en-fra") as raised:
        load_pair(LanguagePair("en", "fra"))
    assert raised.value.fix.startswith("did you mean en-fr?")


def test_a_pair_without_its_language_is_an_error(write_packs: WritePacks) -> None:
    folder = write_packs()
    (folder / "xx.toml").unlink()
    with pytest.raises(UnknownNameError, match="unknown language: xx") as raised:
        load_pair(PAIR, folder=folder)
    assert str(folder) in str(raised.value.where)


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="folder of packs not found"):
        known_languages(tmp_path / "nowhere")


def test_a_pack_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "xx.toml").mkdir()
    with pytest.raises(InputError, match="cannot read the pack"):
        load_language("xx", folder=tmp_path)


def test_digests_are_short_and_repeatable() -> None:
    pair = load_pair(LanguagePair("en", "fr"))
    assert re.fullmatch("[0-9a-f]{12}", pair.digest)
    assert pair == load_pair(LanguagePair("en", "fr"))


@pytest.mark.parametrize("change", [{"language": ("Invented", "Changed")}, {"pair": ("0.25", "0.26")}])
def test_the_digest_of_a_pair_covers_its_language_files(
    write_packs: WritePacks, change: dict[str, tuple[str, str]]
) -> None:
    before = load_pair(PAIR, folder=write_packs()).digest
    assert load_pair(PAIR, folder=write_packs(**change)).digest != before


MUTATION = st.tuples(st.floats(0, 1), st.integers(0, 12), st.binary(max_size=6))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.sampled_from(["xx.toml", "en-xx.toml"]), st.lists(MUTATION, min_size=1, max_size=3))
def test_a_damaged_pack_loads_or_raises_a_user_error(
    write_packs: WritePacks, name: str, mutations: list[tuple[float, int, bytes]]
) -> None:
    folder = write_packs()
    content = (folder / name).read_bytes()
    for place, length, inserted in mutations:
        start = int(place * len(content))
        content = content[:start] + inserted + content[start + length :]
    (folder / name).write_bytes(content)
    with contextlib.suppress(UserError):
        pair = load_pair(PAIR, folder=folder)
        FormMatcher(pair.target, pair.target_pronouns).forms_in("vi-lu")
