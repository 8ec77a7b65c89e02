"""Words of a translation that contradict the cast: pronouns, adjectives, nouns, titles, address."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from anaphor.check.cast.genders import load_forms
from anaphor.check.cast.members import Cast
from anaphor.check.cast.names import name_findings
from anaphor.check.cast.predicates import predicate_findings
from anaphor.check.cast.pronouns import pronoun_findings
from anaphor.check.cast.referents import PRONOUNS
from anaphor.check.cast.row import RowView
from anaphor.check.cast.scene import Scene
from anaphor.check.cast.speeches import address_findings
from anaphor.check.findings import Finding
from anaphor.check.linking import LinkedBlock


def cast_findings(block: LinkedBlock, cast: Cast) -> tuple[list[Finding], set[tuple[int, int]]]:
    """Every contradiction of the cast in a block, and the pronouns that the cast has decided.

    Such a pronoun, given by row and source token, is a *they* for one person; it is not left to the verdict,
    which only knows the usual pronouns.
    """
    findings: list[Finding] = []
    decided: set[tuple[int, int]] = set()
    forms = load_forms(block.pair.target)
    if block.pair.source != "en" or forms is None or not cast.members:
        return findings, decided
    rows = range(len(block.rows))
    for _, members in groupby(rows, key=lambda row: block.rows[row].document):
        scene = Scene(cast, block, list(members))
        for scene_row in scene.rows:
            row = RowView(scene, scene_row, forms)
            findings += _row_findings(row)
            decided |= _decided(row)
    return findings, decided


def _row_findings(row: RowView) -> Iterator[Finding]:
    """The contradictions in one row; nothing if its source names, addresses or refers to nobody."""
    words = {token.lower() for token in row.tokens}
    spoken = row.speeches and words & {"i", "you", "your", "my", "me"}
    if row.mentions or words & PRONOUNS.keys() or spoken:
        yield from pronoun_findings(row)
        yield from name_findings(row)
        yield from predicate_findings(row)
        yield from address_findings(row)


def _decided(row: RowView) -> set[tuple[int, int]]:
    """The pronouns *they* and *them* of a row that refer to one member."""
    return {
        (row.number, at)
        for at, token in enumerate(row.tokens)
        if token.lower() in ("they", "them") and row.referents(at, "they")
    }
