"""The alignment repair: the worked example of apt-2017, Table 1, and every branch of section 2.3."""

from __future__ import annotations

import pytest

from anaphor.core import LanguagePair, Repair, RepairKind
from anaphor.corpus import AlignmentFile
from anaphor.corpus.alignments import parse_pharaoh
from anaphor.languages import FormMatcher, load_pair
from anaphor.pronouns import find_repair

EN_FR = load_pair(LanguagePair("en", "fr"))
LISTED = FormMatcher(EN_FR.target, EN_FR.target_pronouns)


def repair(
    position: int, alignment: str, target: str, *, form: str = "it", watched: tuple[int, ...] = ()
) -> Repair | None:
    links = AlignmentFile.of(parse_pharaoh(alignment.encode(), path="links"), path="links")
    others = [links.around([0], [other])[0].linked for other in watched]
    return find_repair(
        links.around([0], [position])[0],
        target.split(),
        listed=LISTED,
        likely=FormMatcher(EN_FR.target, EN_FR.likely[form]),
        taken={t for linked in others for t in linked},
    )


def test_table_1_of_the_paper_step_by_step() -> None:
    source = ["The", "system", "is", "so", "healthy", "that", "it", "purifies", "the", "water", "."]
    target = "Le système est si sain qu' il purifie l' eau ."
    # Step 0: everything is aligned but `it` (position 6) and `il` (position 6).
    alignment = "0-0 1-1 2-2 3-3 4-4 5-5 7-7 8-8 9-9 10-10"
    assert source[6] == "it"

    found = repair(6, alignment, target)

    assert found is not None
    assert found.kind is RepairKind.UNALIGNED
    assert found.before == ()
    # Step 1: the markers are the words linked to `that` and `purifies`.
    assert found.markers == (5, 7)
    # Step 2: one word wider on each side: [ sain qu' il purifie l' ].
    assert found.window == (4, 9)
    assert target.split()[4:9] == ["sain", "qu'", "il", "purifie", "l'"]
    # Step 3: the likely translations in it are il and l'.
    assert [target.split()[t] for t in found.options] == ["il", "l'"]
    # Step 4: the one closest to the centre.
    assert found.chosen == (6,)


@pytest.mark.parametrize(
    ("what", "position", "alignment", "target", "kind", "chosen"),
    [
        ("a link to a pronoun is left alone", 1, "0-0 1-1 2-2", "hier elle dort", None, None),
        ("so is a link to a likely form that is not listed", 1, "0-0 1-1 2-2", "je l' aime", None, None),
        ("a link to another word is looked into", 1, "0-0 1-2 2-2", "hier elle dort", "NON_PRONOUN", (1,)),
        ("a pronoun among several links is the answer", 1, "1-0 1-1", "dort elle", "MULTIPLE", (1,)),
        ("several pronouns among several links all stay", 1, "1-0 1-1 1-2", "elle , il", "MULTIPLE", (0, 2)),
        ("listed pronouns come before merely likely ones", 1, "1-0 1-1", "l' il", "MULTIPLE", (1,)),
        (
            "several links, no pronoun: search",
            1,
            "0-1 1-3 1-4",
            "elle va trop vite .",
            "MULTIPLE",
            (0,),
        ),
        ("one marker is enough at the start", 0, "1-1", "elle dort", "UNALIGNED", (0,)),
        ("one marker is enough at the end", 1, "0-1", "le voit-elle", "UNALIGNED", (1,)),
        ("without a marker nothing can be done", 1, "3-3", "a b c d il", None, None),
        ("without an option nothing is invented", 1, "0-0 2-2", "a b c d il", None, None),
        ("a non-pronoun stays when nothing better is near", 1, "0-0 1-1 2-2", "a b c d il", None, None),
        (
            "at the same distance the left one wins",
            1,
            "0-2 2-2",
            "x il dort elle y",
            "UNALIGNED",
            (1,),
        ),
        ("the window stops at the sentence limits", 1, "0-0 2-2", "il x elle", "UNALIGNED", (0,)),
        ("an inverted pronoun is found inside its word", 1, "0-0 2-2", "que dit-il donc", "UNALIGNED", (1,)),
    ],
)
def test_branches(
    what: str, position: int, alignment: str, target: str, kind: str | None, chosen: tuple[int, ...] | None
) -> None:
    found = repair(position, alignment, target)
    if kind is None:
        assert found is None, what
    else:
        assert found is not None, what
        assert (found.kind, found.chosen) == (RepairKind[kind], chosen), what


def test_a_word_linked_to_another_pronoun_is_not_taken() -> None:
    target = "il dit qu' elle dort"
    assert repair(1, "0-3 2-3 4-3", target, watched=(4,)) is None
    unguarded = repair(1, "0-3 2-3 4-3", target)
    assert unguarded is not None
    assert unguarded.chosen == (3,)


def test_the_repair_remembers_what_the_aligner_said() -> None:
    found = repair(1, "0-0 1-2 2-2", "hier elle dort")
    assert found is not None
    assert (found.before, found.words_before) == ((2,), ("dort",))
