"""The self-check finds what it should find, and nothing in what is sound."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

from anaphor.core import LanguagePair, Settings
from anaphor.corpus import AlignmentFile, Inputs, Text
from anaphor.corpus.alignments import parse_pharaoh
from anaphor.languages import Equivalence, PairPack, known_pairs, load_pair
from anaphor.scoring.selfcheck import CheckFinding, check_pack, check_set

EN_FR = load_pair(LanguagePair("en", "fr"))
SETTINGS = Settings(pair="en-fr", samples=0)
SOURCE = ("It rains .", "They laugh .", "It is a lie .", "She sees it .", "They say they lied .")
REFERENCE = ("Il pleut .", "Elles rient .", "C' est un bobard .", "Elle le voit .", "Ils disent mentir .")
LINKS = (b"0-0 1-1", b"0-0 1-1", b"0-0 1-1", b"0-0 1-2 2-1", b"0-0 1-1 3-2")


def text(lines: Iterable[str]) -> Text:
    return Text.of(lines, path="memory")


def links(lines: Iterable[bytes]) -> AlignmentFile:
    return AlignmentFile.of(parse_pharaoh(b"\n".join(lines) + b"\n", path="memory"), path="memory")


def posing(*references: tuple[str, ...]) -> Inputs:
    """A set whose references pose as candidates, all with the same links."""
    aligned = [links(LINKS) for _ in references]
    names = [f"reference {n}" for n in range(len(references))]
    return Inputs(
        text(SOURCE),
        tuple(map(text, references)),
        dict(zip(names, map(text, references), strict=True)),
        reference_alignments=tuple(aligned),
        candidate_alignments=dict(zip(names, aligned, strict=True)),
    )


def failures(findings: Iterable[CheckFinding]) -> dict[str, tuple[str, ...]]:
    return {finding.what: finding.items for finding in findings if not finding.holds}


@pytest.mark.parametrize("pair", known_pairs())
def test_every_built_in_pack_holds(pair: str) -> None:
    findings = list(check_pack(load_pair(LanguagePair.parse(pair))))
    assert len(findings) == 4
    assert failures(findings) == {}


def with_equivalent(first: str, second: str) -> PairPack:
    return replace(EN_FR, equivalent=(*EN_FR.equivalent, Equivalence((first, second), None)))


def test_equivalent_forms_that_are_identical_fail_with_the_forms() -> None:
    (items,) = failures(check_pack(with_equivalent("ce", "c'"))).values()
    assert set(items) == {"ce c'"}


def test_identical_forms_in_two_groups_fail_with_the_forms() -> None:
    """A form has one head, so the second group takes ce away from c'."""
    torn = replace(EN_FR, identical=(("ce", "c'"), ("cela", "ce")))
    found = failures(check_pack(torn))
    assert found["en-fr: identical forms are identical"] == ("ce c'", "c' ce")


def test_a_form_that_cannot_be_found_fails_with_its_spellings() -> None:
    """Texts are folded before they are searched, so a form that is not folded is never found."""
    broken = replace(EN_FR, target_pronouns=(*EN_FR.target_pronouns, "Il"))
    (items,) = failures(check_pack(broken)).values()
    assert set(items) == {"Il", "IL"}


def test_a_sound_set_holds_and_says_what_it_measured() -> None:
    """Six pronouns: four listed counterparts, one object (le), one left out."""
    findings = list(check_set(posing(REFERENCE), SETTINGS))
    assert failures(findings) == {}
    measured = [finding.what for finding in findings]
    assert measured[0].startswith("reference 0: every pronoun ")
    assert measured[1].startswith("reference 0: apt is 1.0000 over 4 ")
    assert measured[2].startswith("reference 0: apt falls from 0.6667 to ")  # 4 of 6
    assert measured[3].startswith("reference 0: autoprf is 1.0000 over 4 ")
    assert measured[4].startswith("reference 0: autoprf falls from 1.0000 to ")


@pytest.mark.parametrize("other", ["different", "identical", "same-word"])
@pytest.mark.parametrize("objects", [False, True])
def test_a_sound_set_holds_with_every_option_for_other_words(other: str, objects: bool) -> None:
    settings = replace(SETTINGS, options={"other": other}, objects=objects)
    assert failures(check_set(posing(REFERENCE), settings)) == {}


def test_two_references_that_differ_both_hold() -> None:
    second = ("Il pleut .", "Ils rient .", "Il est un bobard .", "Elle le voit .", "Elles disent mentir .")
    findings = list(check_set(posing(REFERENCE, second), SETTINGS))
    assert failures(findings) == {}
    assert len(findings) == 10


def test_a_set_with_one_form_only_cannot_tell_systems_apart() -> None:
    one_form = (*(line.replace("Elles", "Il").replace("C'", "Il") for line in REFERENCE[:3]), *REFERENCE[3:])
    inputs = replace(posing(one_form), positions=text(["0 0", "1 0", "2 0"]))
    assert [what.partition(" with ")[0] for what in failures(check_set(inputs, SETTINGS))] == [
        "reference 0: apt falls from 1.0000 to 1.0000",
        "reference 0: autoprf falls from 1.0000 to 1.0000",
    ]


def test_a_set_without_a_listed_counterpart_fails() -> None:
    """Only the object of segment 3 is watched, and le is no subject form."""
    inputs = replace(posing(REFERENCE), positions=text(["3 2"]))
    failed = failures(check_set(inputs, SETTINGS))
    assert "reference 0: apt is nan over 0 listed counterparts" in failed


def test_the_shuffle_depends_on_the_seed_alone() -> None:
    def shuffled(seed: int) -> list[CheckFinding]:
        return list(check_set(posing(REFERENCE), replace(SETTINGS, seed=seed)))

    assert shuffled(1) == shuffled(1)
