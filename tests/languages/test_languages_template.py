"""Packs to fill in, for a pair that has none."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from anaphor.core import InputError, LanguagePair, OptionError, UnknownNameError
from anaphor.languages import FormMatcher, known_pairs, load_pair
from anaphor.languages.template import write_template

NOMINATIVE = (
    '    { form = "on", person = 3, number = "singular", gender = "masculine", case = "nominative" },\n'
)
FORM = '    { form = "on", person = 3, number = "singular", gender = "masculine", case = "any" },\n'


def test_an_unknown_pair_names_known_ones_and_the_way_to_a_pack() -> None:
    with pytest.raises(UnknownNameError) as caught:
        load_pair(LanguagePair.parse("en-hr"))
    assert all(pair in caught.value.fix for pair in known_pairs())
    assert "anaphor pack new en-hr" in caught.value.fix
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
    assert "ihn" in pack.object_pronouns
    assert {"er", "sie", "ihn"} <= {*pack.likely["il"]}
    assert "er" not in pack.likely["ils"]


def test_nothing_is_replaced_and_a_known_pair_needs_no_template(tmp_path: Path) -> None:
    write_template(LanguagePair.parse("en-hr"), tmp_path)
    with pytest.raises(OptionError, match="already has a pack"):
        write_template(LanguagePair.parse("en-hr"), tmp_path)
    with pytest.raises(OptionError, match="already has a pack"):
        write_template(LanguagePair.parse("en-de"), tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_the_other_direction_keeps_the_language_and_takes_its_forms(tmp_path: Path) -> None:
    (language, _) = map(Path, write_template(LanguagePair.parse("en-hr"), tmp_path))
    language.write_text(
        language.read_text(encoding="utf-8").replace("forms = [\n", f"forms = [\n{NOMINATIVE}"),
        encoding="utf-8",
    )
    (other,) = map(Path, write_template(LanguagePair.parse("hr-en"), tmp_path))
    assert other.name == "hr-en.toml"
    pack = load_pair(LanguagePair.parse("hr-en"), folder=tmp_path)
    assert pack.source_pronouns == ("on",)
    assert {"it", "he", "him"} <= {*pack.likely["on"]}
    assert "these" not in pack.likely["on"]


def with_examples(path: Path, forms: str) -> str:
    """A template with its examples, which are indented comments, in place of empty lists, and with forms."""
    lines = path.read_text(encoding="utf-8").splitlines()
    examples = {line: line.removeprefix("#     ") for line in lines if line.startswith("#     ")}
    given = {f"{text.partition(' =')[0]} = []" for text in examples.values()}
    content = [examples.get(line, line) for line in lines if line.replace('"', "") not in given]
    rows = [line for line in content if line.startswith("{ form")]
    text = "\n".join(line for line in content if line not in rows)
    return text.replace("forms = [", "\n".join(["forms = [", *rows, forms]), 1)


def test_the_examples_in_the_templates_are_valid(tmp_path: Path) -> None:
    pair = LanguagePair.parse("en-hr")
    language, own = map(Path, write_template(pair, tmp_path))
    words = "il ils elles ce c' cela le la l' les y en on eux mí eso esto ello él ella es me te se lo"
    rows = (FORM.replace('"on"', f'"{word}"') for word in words.split())
    language.write_text(with_examples(language, "".join(rows)), encoding="utf-8")
    own.write_text(
        with_examples(own, "").replace('"they" = []', '"they" = ["ils", "elles"]'), encoding="utf-8"
    )
    pack = load_pair(pair, folder=tmp_path)
    assert pack.target.proclitics["qu'"] == ()
    assert pack.target.enclitics["-t-on"] == ("on",)
    assert pack.target.contractions["gibts"] == ("es",)
    assert (pack.target.cased, pack.target.whole) == (("Sie", "Ihnen"), ("rendez-vous", "quelqu'un"))
    assert pack.target.word_breaker == "jieba"
    matcher = FormMatcher(replace(pack.target, word_breaker=None), ["me", "lo", "la"])
    assert (matcher.forms_in("dámelo"), matcher.forms_in("hablarle")) == (("me", "lo"), ())
    facts = pack.target.agreement
    assert facts is not None
    assert facts.null_subjects
    assert (facts.determiners["mi"], facts.nouns["mano"], facts.verbs["-n"]) == (("ms", "fs"), ("fs",), "p")
    assert pack.target.ambiguous == ("la", "en")
    assert pack.source_objects == ("them",)
    assert pack.identical == (("ce", "c'"),)
    assert pack.likely["it"][:2] == ("il", "elle")
    assert pack.prediction is not None
    assert pack.prediction.null_subjects


def test_forms_with_quotes_and_controls_are_written_as_toml(tmp_path: Path) -> None:
    write_template(LanguagePair("zz", "fr"), tmp_path)
    text = (tmp_path / "zz.toml").read_text(encoding="utf-8")
    row = NOMINATIVE.replace('"on"', r'"l\"u\\\u007f"')
    (tmp_path / "zz.toml").write_text(text.replace("\nforms = [", f"\nforms = [\n{row}"), encoding="utf-8")
    (tmp_path / "zz-fr.toml").unlink()
    write_template(LanguagePair("zz", "fr"), tmp_path)
    table = tomllib.loads((tmp_path / "zz-fr.toml").read_text(encoding="utf-8"))
    assert table["source_pronouns"] == [*table["likely"]] == ['l"u\\\x7f']
