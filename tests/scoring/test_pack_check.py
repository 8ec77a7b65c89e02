"""What `anaphor pack check` says: about built-in pairs, about packs of a user, about mistakes in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from anaphor.align.prior_building import build_prior
from anaphor.align.priors import built_in_pairs
from anaphor.core import InputError, LanguagePair, OptionError
from anaphor.languages import known_pairs
from anaphor.languages.pack_file import pack_path
from anaphor.languages.template import write_template
from anaphor.scoring.pack_check import PackPart, PackReport, check_packs
from anaphor.verdict.fusion import fitted_languages

PAIR = LanguagePair("en", "sv")
FORM = '    {{ form = "{}", person = 3, number = "{}", gender = "{}", case = "{}" }},\n'
FORMS = [
    ("den", "singular", "any", "any"),
    ("det", "singular", "neuter", "any"),
    ("de", "plural", "any", "nominative"),
    ("dem", "plural", "any", "oblique"),
]


@pytest.fixture
def packs(tmp_path: Path) -> Path:
    """Templates with the least that makes them valid."""
    folder = tmp_path / "packs"
    write_template(PAIR, folder)
    change(folder / "sv.toml", "forms = [\n", "forms = [\n" + "".join(FORM.format(*form) for form in FORMS))
    for old, new in (
        ("target_pronouns = []", 'target_pronouns = ["den", "det", "de"]'),
        ('"it" = []', '"it" = ["den"]'),
        ('"they" = []', '"they" = ["de", "dem"]'),
    ):
        change(folder / "en-sv.toml", old, new)
    return folder


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{old!r} in {path.name}"
    path.write_text(text.replace(old, new), encoding="utf-8")


def levels(report: PackReport) -> dict[str, str]:
    return {part.part: part.level for part in report.parts}


def warned(folder: Path) -> dict[str, str]:
    return {
        warning.where.rpartition("/")[2]: warning.what
        for warning in check_packs(PAIR, folder=folder).warnings
    }


@pytest.mark.parametrize("name", known_pairs())
def test_built_in_pairs_score_and_have_no_warnings(name: str) -> None:
    report = check_packs(LanguagePair.parse(name))
    found = levels(report)
    assert found["scores"] == found["alignment repair"] == found["words"] == "works"
    assert (found["alignment prior"] == "works") is (name in built_in_pairs())
    assert report.warnings == ()
    assert all(part.what for part in report.parts)


def test_the_pairs_of_the_papers_have_all_but_suites() -> None:
    for name in ("en-de", "en-fr"):
        assert set(levels(check_packs(LanguagePair.parse(name))).values()) == {"works"}


def test_a_pair_without_packs_has_a_way_to_them() -> None:
    report = check_packs(PAIR)
    found = levels(report)
    assert (
        found["words"]
        == found["scores"]
        == found["alignment prior"]
        == found["verdict (accept)"]
        == "missing"
    )
    assert found["antecedents"] == found["analyser"] == "works"
    assert any(part.more == "anaphor pack new en-sv --output packs" for part in report.parts)


def test_packs_of_a_user_reach_their_level_step_by_step(packs: Path) -> None:
    found = levels(check_packs(PAIR, folder=packs))
    assert found["scores"] == found["alignment repair"] == "works"
    assert found["words"] == found["whole documents"] == found["suites"] == "partly"
    assert found["alignment prior"] == "missing"
    change(packs / "sv.toml", "abbreviations = []", 'abbreviations = ["t.ex."]')
    for name, line in (("text.en", "It sees them ."), ("text.sv", "Den ser dem .")):
        (packs.parent / name).write_text(f"{line}\n" * 20, encoding="utf-8")
    texts = (str(packs.parent / "text.en"), str(packs.parent / "text.sv"))
    build_prior(PAIR, [texts], packs)
    report = check_packs(PAIR, folder=packs)
    found = levels(report)
    assert found["words"] == found["alignment prior"] == "works"
    assert any(str(packs / "en-sv.prior") in part.what for part in report.parts)
    assert report.packs == ("en.toml", str(packs / "sv.toml"), str(packs / "en-sv.toml"))


def verdict(name: str, folder: Path | None = None) -> PackPart:
    (part,) = (
        p for p in check_packs(LanguagePair.parse(name), folder=folder).parts if p.part.startswith("verdict")
    )
    return part


def test_the_verdict_names_what_it_lacks(tmp_path: Path, packs: Path) -> None:
    assert (verdict("de-en").level == "works") is ("en" in fitted_languages())
    spanish = pack_path("es").read_text(encoding="utf-8").partition("[agreement]")[0]
    (tmp_path / "es.toml").write_text(spanish, encoding="utf-8")
    lacking = verdict("en-es", tmp_path)
    assert (lacking.level, lacking.what) == ("missing", "genders of Spanish nouns are not known")
    assert lacking.more == "a table [agreement] in es.toml"
    # No pack can add an analyser.
    unknown = verdict("en-sv", packs)
    assert "no analyser for" in unknown.what
    assert unknown.more == ""


def test_verbs_that_carry_the_subject_have_a_level_of_their_own(packs: Path) -> None:
    assert "dropped subjects" not in levels(check_packs(PAIR, folder=packs))
    for table, level in (
        ("\n[agreement]\nnull_subjects = true\n", "partly"),
        ('\n[agreement.verbs]\nsingular = ["-"]\n', "works"),
    ):
        path = packs / "sv.toml"
        path.write_text(path.read_text(encoding="utf-8") + table, encoding="utf-8")
        assert levels(check_packs(PAIR, folder=packs))["dropped subjects"] == level


def test_weights_of_a_language_without_any_have_a_warning(packs: Path) -> None:
    path = packs / "sv.toml"
    path.write_text(path.read_text(encoding="utf-8") + '\n[agreement]\nweights = "xx"\n', encoding="utf-8")
    assert any("no fitted weights for xx" in what for what in warned(packs).values())


def test_languages_are_named(packs: Path) -> None:
    """*it* may be Italian or a pronoun."""
    texts = [part.what for part in check_packs(LanguagePair.parse("en-it")).parts]
    assert any("judged Italian pronouns" in text for text in texts)
    change(packs / "sv.toml", 'name = "sv"', 'name = "Swedish"')
    assert any("how Swedish sentences" in part.what for part in check_packs(PAIR, folder=packs).parts)


def test_what_looks_wrong_has_its_line(packs: Path) -> None:
    found = warned(packs)
    lines = (packs / "sv.toml").read_text(encoding="utf-8").splitlines()
    for key in ("facts =", "name =", "abbreviations =", "particles ="):
        number = next(n for n, line in enumerate(lines, start=1) if line.startswith(key))
        assert key.split()[0] in found.pop(f"sv.toml:{number}")
    pair = (packs / "en-sv.toml").read_text(encoding="utf-8").splitlines()
    likely = pair.index('"it" = ["den"]') + 1
    assert found.pop(f"en-sv.toml:{likely}").startswith("likely.it: 1 likely translation")
    assert list(found.values()) == ["about.facts: name the source of the facts"]


def test_a_script_with_a_full_stop_of_its_own_needs_no_abbreviations(packs: Path) -> None:
    path = packs / "sv.toml"
    text = path.read_text(encoding="utf-8").replace("den", "它").replace("det", "牠").replace("dem", "他们")
    path.write_text(text.replace('"de"', '"她们"').replace('"Latin"', '"CJK"'), encoding="utf-8")
    (packs / "en-sv.toml").unlink()
    report = check_packs(PAIR, folder=packs)
    assert levels(report)["words"] == "works"
    assert not any("abbreviations" in warning.what for warning in report.warnings)


def test_a_gender_and_number_without_a_form_is_named(packs: Path) -> None:
    change(packs / "en-sv.toml", '"den", "det", "de"', '"den", "det"')
    change(packs / "en-sv.toml", '["de", "dem"]', '["den", "det"]')
    assert "target_pronouns: no form is plural, but the language has de" in warned(packs).values()


def test_a_form_that_the_token_rules_hide_is_named(packs: Path) -> None:
    change(
        packs / "sv.toml",
        "particles = []",
        'particles = []\nwhole = ["det"]\n[tokens.contractions]\nDET = []',
    )
    with pytest.raises(InputError, match="not in the form that is compared: 'DET'"):
        check_packs(PAIR, folder=packs)


def test_a_template_that_is_not_filled_in_is_an_error_with_its_line(tmp_path: Path) -> None:
    write_template(PAIR, tmp_path)
    with pytest.raises(InputError, match="forms: empty") as raised:
        check_packs(PAIR, folder=tmp_path)
    line = (tmp_path / "sv.toml").read_text(encoding="utf-8").splitlines().index("forms = [") + 1
    assert str(raised.value.where) == f"{tmp_path / 'sv.toml'}:{line}"


def test_words_of_a_script_without_spaces_need_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str, language: str) -> str:
        raise OptionError(f"{name} for {language}", where="--pair", fix="install it")

    monkeypatch.setattr("anaphor.scoring.pack_check.breaker_version", missing)
    (words, *_) = check_packs(LanguagePair.parse("en-zh")).parts
    assert (words.level, "cjk" in words.more) == ("missing", True)
    assert "Chinese" in words.what
