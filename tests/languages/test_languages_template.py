"""Packs to fill in, for a pair that has none."""

from __future__ import annotations

from pathlib import Path

import pytest

from anaphor.core import InputError, LanguagePair, OptionError, UnknownNameError
from anaphor.languages import known_pairs, load_pair
from anaphor.languages.template import write_template

FORM = '    { form = "on", person = 3, number = "singular", gender = "masculine", case = "any" },\n'


def test_an_unknown_pair_names_known_ones_and_the_way_to_a_pack() -> None:
    with pytest.raises(UnknownNameError) as caught:
        load_pair(LanguagePair.parse("en-hr"))
    assert all(pair in caught.value.fix for pair in known_pairs())
    assert "anaphor list --pair en-hr --template packs" in caught.value.fix
    assert "--packs" in caught.value.fix


def test_a_template_says_what_is_missing_and_works_once_filled_in(tmp_path: Path) -> None:
    pair = LanguagePair.parse("en-hr")
    language, own = map(Path, write_template(pair, tmp_path / "packs"))
    assert (language.name, own.name) == ("hr.toml", "en-hr.toml")
    folder = tmp_path / "packs"
    for path, gap, filled in (
        (language, "forms = [\n", f"forms = [\n{FORM}"),
        (own, "target_pronouns = []", 'target_pronouns = ["on"]'),
        (own, '"it" = []', '"it" = ["on"]'),
        (own, '"they" = []', '"they" = ["on"]'),
    ):
        with pytest.raises(InputError) as caught:
            load_pair(pair, folder=folder)
        assert str(caught.value.where).startswith(str(path))
        path.write_text(path.read_text(encoding="utf-8").replace(gap, filled), encoding="utf-8")
    pack = load_pair(pair, folder=folder)
    assert (pack.source_pronouns, pack.target_pronouns) == (("it", "they"), ("on",))


def test_languages_that_have_packs_fill_in_the_pair(tmp_path: Path) -> None:
    pair = LanguagePair.parse("fr-de")
    (path,) = write_template(pair, tmp_path)
    assert Path(path).name == "fr-de.toml"
    pack = load_pair(pair, folder=tmp_path)
    assert {"il", "elle", "ils", "elles"} <= {*pack.source_pronouns}
    assert {"er", "sie", "es"} <= {*pack.target_pronouns}


def test_nothing_is_replaced_and_a_known_pair_needs_no_template(tmp_path: Path) -> None:
    write_template(LanguagePair.parse("en-hr"), tmp_path)
    with pytest.raises(OptionError, match="exists already"):
        write_template(LanguagePair.parse("en-hr"), tmp_path)
    with pytest.raises(OptionError, match="has a pack"):
        write_template(LanguagePair.parse("en-de"), tmp_path)
