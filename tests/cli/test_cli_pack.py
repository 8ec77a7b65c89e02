"""`anaphor pack`: from templates to an alignment with a prior of one's own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

Command = Callable[..., tuple[int, str, str]]

FORMS = """forms = [
    { form = "den", person = 3, number = "singular", gender = "any", case = "any" },
    { form = "det", person = 3, number = "singular", gender = "neuter", case = "any" },
    { form = "de", person = 3, number = "plural", gender = "any", case = "nominative" },
    { form = "dem", person = 3, number = "plural", gender = "any", case = "oblique" },
"""
TEXT = [
    ("The book is old.", "Boken är gammal."),
    ("I bought it.", "Jag köpte den."),
    ("The house is old.", "Huset är gammalt."),
    ("I sold it.", "Jag sålde det."),
    ("The books are old.", "Böckerna är gamla."),
    ("They are old.", "De är gamla."),
] * 5


@pytest.fixture
def swedish(folder: Path, anaphor: Command) -> Command:
    """A folder with filled-in packs of English to Swedish, and texts."""
    assert anaphor("pack", "new", "en-sv")[0] == 0
    for name, old, new in (
        ("sv", "forms = [\n", FORMS),
        ("en-sv", "target_pronouns = []", 'target_pronouns = ["den", "det", "de"]'),
        ("en-sv", '"it" = []', '"it" = ["den", "det"]'),
        ("en-sv", '"they" = []', '"they" = ["de", "dem"]'),
    ):
        path = folder / "packs" / f"{name}.toml"
        path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    for name, lines in zip(("text.en", "text.sv"), zip(*TEXT, strict=True), strict=True):
        (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return anaphor


def test_templates_are_written_once(anaphor: Command, folder: Path) -> None:
    assert anaphor("pack", "new", "en-sv") == (0, "packs/sv.toml\npacks/en-sv.toml\n", "")
    code, out, err = anaphor("pack", "new", "en-sv")
    assert (code, out) == (1, "")
    assert "the pair en-sv already has a pack" in err
    assert anaphor("pack", "new", "en-fr", "--output", "mine")[0] == 1
    assert not (folder / "mine").exists()


def test_a_check_is_text_or_json(swedish: Command) -> None:
    code, out, _ = swedish("pack", "check", "en-sv", "--packs", "packs")
    assert code == 0
    assert out.startswith("en-sv: en.toml, packs/sv.toml, packs/en-sv.toml\n")
    assert "missing  alignment prior" in out
    assert "anaphor pack build en-sv" in out
    assert "packs/sv.toml:" in out.partition("Probably not meant")[2]
    found = json.loads(swedish("pack", "check", "en-sv", "--packs", "packs", "--json")[1])
    assert list(found) == ["pair", "packs", "parts", "warnings"]
    assert {part["level"] for part in found["parts"]} == {"works", "partly", "missing"}
    assert found["warnings"][0]["where"].startswith("packs/sv.toml:")


def test_a_prior_is_built_and_used_from_the_folder(swedish: Command) -> None:
    align = ["align", "run", "--pair", "en-sv", "--source", "text.en", "--target", "text.sv"]
    align += ["--packs", "packs", "--json"]
    _, out, err = swedish(*align)
    assert "there are no built-in priors for en-sv" in err
    assert "anaphor pack build" in err
    assert json.loads(out)["aligner"].endswith("prior-none")
    code, out, _ = swedish(
        "pack", "build", "en-sv", "--texts", "text.en", "text.sv", "--output", "packs", "--json"
    )
    assert code == 0
    built = json.loads(out)
    assert (built["path"], built["sentence_pairs"]) == ("packs/en-sv.prior", len(TEXT))
    _, out, err = swedish(*align)
    assert err == ""
    assert not json.loads(out)["aligner"].endswith("prior-none")
    assert "packs/en-sv.prior" in swedish("pack", "check", "en-sv", "--packs", "packs")[1]


def test_what_is_wrong_in_a_pack_is_named_with_its_line(swedish: Command, folder: Path) -> None:
    path = folder / "packs/en-sv.toml"
    text = path.read_text(encoding="utf-8").replace('["den", "det", "de"]', '["den", "det",\n  "den"]')
    path.write_text(text, encoding="utf-8")
    code, _, err = swedish("pack", "check", "en-sv", "--packs", "packs")
    assert code == 1
    line = text.splitlines().index('  "den"]') + 1
    assert f"error: target_pronouns: den is listed twice\nwhere: packs/en-sv.toml:{line}\n" in err


def test_a_text_in_another_script_is_named_with_its_line_and_both_scripts(
    swedish: Command, folder: Path
) -> None:
    lines = ["Boken är gammal."] + ["Я купил её вчера в магазине."] * 29
    (folder / "system.sv").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    score = "score --pair en-sv --packs packs --source text.en --reference text.sv --candidate system.sv"
    code, _, err = swedish(*score.split(), "--metrics", "apt")
    assert code == 1
    assert "is written in Cyrillic script, but the pack of sv says Latin" in err
    assert "where: system.sv:2" in err
