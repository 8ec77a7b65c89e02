"""Symmetrization against grids worked out by hand from the definitions in the docstring.

A grid has a row per source word and a column per target word: `#` is a link of both directions, `f` of
the forward one only, `r` of the reverse one only. In results `#` is a link.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphor.align.symmetrize import METHODS, LinkSet, symmetrize
from anaphor.core import UnknownNameError

SYMMETRIC = ("intersection", "union")


def marked(grid: str, marks: str) -> LinkSet:
    rows = grid.split()
    return frozenset((s, t) for s, row in enumerate(rows) for t, mark in enumerate(row) if mark in marks)


def turned(links: LinkSet) -> LinkSet:
    return frozenset((target, source) for source, target in links)


# (what the grid shows, the two directions, method -> result)
GRIDS = [
    (
        "a chain of corners is grown from its one sure end",
        """
        #...
        .f..
        ..r.
        ...f
        """,
        {
            "forward": "#... .#.. .... ...#",
            "reverse": "#... .... ..#. ....",
            "intersection": "#... .... .... ....",
            "union": "#... .#.. ..#. ...#",
            "grow-diag": "#... .#.. ..#. ...#",
        },
    ),
    (
        "a link between two covered words is only in the union",
        """
        #r
        f#
        """,
        {
            "union": "## ##",
            "grow-diag": "#. .#",
            "grow-diag-final": "#. .#",
            "grow-diag-final-and": "#. .#",
        },
    ),
    (
        # Nothing touches 0-0. The final steps take 1-3 (two new words); after it 2-0 and 3-3 have one
        # new word each, enough for final, not for final-and.
        "far links come with the final steps",
        """
        #...
        ...f
        r...
        ...r
        """,
        {
            "grow-diag": "#... .... .... ....",
            "grow-diag-final": "#... ...# #... ...#",
            "grow-diag-final-and": "#... ...# .... ....",
        },
    ),
    (
        # From 2-1 the corners 1-0 and 1-2 are added. The walk goes on to 1-2 (ahead), which adds 0-1;
        # only then 1-0 (behind) is visited, and its neighbour 0-0 has no new word left.
        "a link ahead of the walk is followed before one behind it",
        """
        fr.
        r.f
        .#.
        """,
        {"grow-diag": ".#. #.# .#."},
    ),
    (
        # Without intersection nothing grows; 0-1 of forward comes first and leaves 1-1 no new target.
        "the final steps take forward links before reverse ones",
        """
        .f
        .r
        """,
        {"grow-diag": ".. ..", "grow-diag-final": ".# .#", "grow-diag-final-and": ".# .."},
    ),
    (
        "no links at all",
        """
        ...
        ...
        """,
        dict.fromkeys(METHODS, "... ..."),
    ),
]


@pytest.mark.parametrize(
    ("grid", "method", "expected"),
    [
        pytest.param(grid, method, expected, id=f"{name}: {method}")
        for name, grid, results in GRIDS
        for method, expected in results.items()
    ],
)
def test_hand_worked_grid(grid: str, method: str, expected: str) -> None:
    result = symmetrize(marked(grid, "#f"), marked(grid, "#r"), method)
    assert result == marked(expected, "#")


def test_unknown_method_lists_the_known_ones() -> None:
    with pytest.raises(UnknownNameError) as caught:
        symmetrize(frozenset(), frozenset(), "grow-dig")
    assert "did you mean grow-diag?" in caught.value.fix
    assert all(method in caught.value.fix for method in METHODS)


def any_links() -> st.SearchStrategy[LinkSet]:
    return st.frozensets(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=14)


@given(any_links(), any_links())
def test_every_heuristic_lies_between_its_neighbours(forward: LinkSet, reverse: LinkSet) -> None:
    found = {method: symmetrize(forward, reverse, method) for method in METHODS}
    assert found["intersection"] <= found["grow-diag"]
    assert found["grow-diag"] <= found["grow-diag-final-and"] <= found["union"]
    assert found["grow-diag"] <= found["grow-diag-final"] <= found["union"]


def grown(forward: LinkSet, reverse: LinkSet, method: str) -> LinkSet:
    """The heuristics as Moses writes them: the whole grid is scanned again until a scan adds nothing."""
    union, links = forward | reverse, set(forward & reverse)

    def covers(source: int, target: int, *, both: bool) -> bool:
        new = source not in {s for s, _ in links}, target not in {t for _, t in links}
        return all(new) if both else any(new)

    steps = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))
    added = True
    while added:
        added = False
        for target in range(7):
            for source in range(7):
                for down, right in steps if (source, target) in links else ():
                    near = (source + right, target + down)
                    if near in union and near not in links and covers(*near, both=False):
                        links.add(near)
                        added = True
    for direction in (forward, reverse) if method != "grow-diag" else ():
        for target in range(7):
            for source in range(7):
                if (source, target) in direction and covers(
                    source, target, both=method == "grow-diag-final-and"
                ):
                    links.add((source, target))
    return frozenset(links)


@pytest.mark.parametrize("method", ["grow-diag", "grow-diag-final", "grow-diag-final-and"])
@given(forward=any_links(), reverse=any_links())
def test_one_walk_adds_what_repeated_scans_of_the_grid_add(
    forward: LinkSet, reverse: LinkSet, method: str
) -> None:
    assert symmetrize(forward, reverse, method) == grown(forward, reverse, method)


@given(any_links(), any_links())
def test_grow_diag_final_covers_every_word_the_union_covers(forward: LinkSet, reverse: LinkSet) -> None:
    final, union = symmetrize(forward, reverse, "grow-diag-final"), forward | reverse
    assert {source for source, _ in final} == {source for source, _ in union}
    assert {target for _, target in final} == {target for _, target in union}


@given(any_links(), st.sampled_from(METHODS))
def test_agreeing_directions_are_left_as_they_are(links: LinkSet, method: str) -> None:
    assert symmetrize(links, links, method) == links


@given(any_links(), any_links(), st.sampled_from(SYMMETRIC))
def test_turning_the_pair_around_turns_the_result_around(
    forward: LinkSet, reverse: LinkSet, method: str
) -> None:
    around = symmetrize(turned(reverse), turned(forward), method)
    assert turned(around) == symmetrize(forward, reverse, method)


@given(any_links(), any_links())
def test_turning_the_pair_around_exchanges_the_directions(forward: LinkSet, reverse: LinkSet) -> None:
    around = symmetrize(turned(reverse), turned(forward), "forward")
    assert turned(around) == symmetrize(forward, reverse, "reverse")


def test_turning_the_pair_around_changes_what_grows() -> None:
    grid = "fr. r.f .#."
    around = symmetrize(turned(marked(grid, "#r")), turned(marked(grid, "#f")), "grow-diag")
    assert turned(around) == marked("#.. #.# .#.", "#")
