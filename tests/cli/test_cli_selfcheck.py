"""`anaphor selfcheck`: packs and test sets that cannot be trusted are refused, and the items are shown."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from anaphor.languages import known_pairs

Command = Callable[..., tuple[int, str, str]]
SET = ("--source", "src.en", "--reference", "ref.fr", "--alignment-reference", "ref.align")
PAIR = """
source_pronouns = ["it", "they"]
target_pronouns = ["il", "elle", "ce", "c'"]
object_pronouns = []
identical = [["ce", "c'"]]
equivalent = [{ forms = ["%s", "%s"] }]
[likely]
it = ["il"]
they = ["il"]
[about]
facts = "made up for a test"
licence = "Apache-2.0"
"""


def test_the_built_in_packs_and_the_demo_hold(anaphor: Command) -> None:
    code, out, err = anaphor("selfcheck")
    assert (code, err) == (0, "")
    pairs = {line.split()[1] for line in out.splitlines() if "are found as written" in line}
    assert pairs == {f"{pair}:" for pair in known_pairs()}
    assert all(line.startswith("holds  ") for line in out.splitlines())
    for metric in ("apt", "autoprf"):
        assert f"reference 0: {metric} is 1.0000 over 1" in out  # a hundred and more listed counterparts


def test_findings_as_json(anaphor: Command) -> None:
    code, out, _ = anaphor("selfcheck", "--pair", "en-fr", "--json")
    findings = json.loads(out)
    assert code == 0
    assert len(findings) == 4
    assert all(set(finding) == {"what", "holds", "items"} and finding["holds"] for finding in findings)


def test_a_good_set_holds(anaphor: Command) -> None:
    """Of seven pronouns in conftest.py the reference has a listed counterpart for five."""
    code, out, err = anaphor("selfcheck", "--pair", "en-fr", *SET)
    assert (code, err) == (0, "")
    assert "holds  reference 0: apt is 1.0000 over 5 listed counterparts" in out
    assert "holds  reference 0: autoprf is 1.0000 over 5 listed counterparts" in out


@pytest.mark.parametrize("weights", ["1,0.5,0,0,0,0", "0.8,0.5,0,0,0,0", "1,0,0,0,0,1"])
def test_full_marks_are_what_the_weights_allow(anaphor: Command, weights: str) -> None:
    code, out, _ = anaphor("selfcheck", "--pair", "en-fr", *SET, "--weights", weights)
    assert code == 0
    assert f"apt is {float(weights.split(',')[0]):.4f} over 5 listed counterparts" in out


def test_two_references_hold_where_one_leaves_a_pronoun_out(anaphor: Command, folder: Path) -> None:
    """Segment 5 has no counterpart of its second pronoun in the reference, and has one in a."""
    two = ("--reference", "ref.fr", "a.fr", "--alignment-reference", "ref.align", "a.align")
    code, out, err = anaphor("selfcheck", "--pair", "en-fr", *SET[:2], *two)
    assert (code, err) == (0, ""), out
    assert "reference 1: apt is 1.0000 over 6 listed counterparts" in out


def test_a_pack_whose_equivalent_forms_are_identical_is_refused(anaphor: Command, folder: Path) -> None:
    (folder / "en-fr.toml").write_text(PAIR % ("ce", "c'"), encoding="utf-8")
    code, out, err = anaphor("selfcheck", "--pair", "en-fr", "--packs", ".")
    assert (code, out) == (1, "")
    assert "these are already identical" in err
    assert "\nwhere: en-fr.toml" in err


def test_a_good_pack_of_the_user_holds(anaphor: Command, folder: Path) -> None:
    (folder / "en-fr.toml").write_text(PAIR % ("il", "elle"), encoding="utf-8")
    assert anaphor("selfcheck", "--pair", "en-fr", "--packs", ".")[0] == 0


@pytest.fixture
def one_form(folder: Path) -> None:
    """A set in which every pronoun is il: shuffling it changes nothing, so it tells no systems apart."""
    (folder / "src.en").write_text("It rains .\nIt snows .\nIt is late .\n", encoding="utf-8")
    (folder / "ref.fr").write_text("Il pleut .\nIl neige .\nIl est tard .\n", encoding="utf-8")
    (folder / "ref.align").write_text("0-0 1-1 2-2\n" * 3, encoding="utf-8")


def test_a_set_with_a_single_form_is_refused(anaphor: Command, one_form: None) -> None:
    code, out, err = anaphor("selfcheck", "--pair", "en-fr", *SET)
    assert code == 1
    assert "FAILS  reference 0: apt falls from 1.0000 to 1.0000 with shuffled counterparts" in out
    assert err.startswith("error: 2 of 9 checks fail, first: reference 0: apt falls")
    assert "\nwhere: src.en\nfix:   " in err


def test_whatever_fails_shows_its_items(anaphor: Command, one_form: None) -> None:
    _, out, _ = anaphor("selfcheck", "--pair", "en-fr", *SET, "--json")
    failed = [finding for finding in json.loads(out) if not finding["holds"]]
    assert failed
    assert all(finding["items"] for finding in failed)


@pytest.mark.parametrize(
    "options",
    [SET, ("--set", "set.tsv"), ("--pair", "en-fr", *SET[2:]), ("--pair", "en-fr", *SET[4:])],
    ids=["a set without a pair", "a bundle without a pair", "no source", "alignments only"],
)
def test_files_that_would_not_be_looked_at_are_an_error(anaphor: Command, options: tuple[str, ...]) -> None:
    code, _, err = anaphor("selfcheck", *options)
    assert code == 1
    assert err.startswith("error: ")


@pytest.mark.parametrize("options", [(), ("--symmetrize", "union"), ("--priors", "none")])
def test_a_set_without_alignments_is_aligned(anaphor: Command, options: tuple[str, ...]) -> None:
    """A reference and the candidate that it poses as get the same links, whatever these are."""
    code, out, err = anaphor("selfcheck", "--pair", "en-fr", *SET[:4], *options)
    lines = out.splitlines()
    fails = [line for line in lines if not line.startswith("holds  ")]
    assert "holds  reference 0: every pronoun has the outcome of a perfect translation" in lines
    for metric in ("apt", "autoprf"):
        assert re.search(rf"^holds  reference 0: {metric} is 1\.0000 over [1-7] listed", out, re.MULTILINE)
    # Few links may leave so few forms that a shuffle changes nothing; then it says so.
    assert all("with shuffled counterparts" in line for line in fails if line.startswith("FAILS"))
    assert (code, err.startswith("error: ")) == ((1, True) if fails else (0, False))
