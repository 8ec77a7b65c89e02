"""Placeholders of English into Spanish: dropped subjects, clitics and articles, on sentences of our own.

A line is the source, the target, links, and the target that is expected with its labels and words.
"""

from __future__ import annotations

import pytest

from anaphor.analyse import load_analyser
from anaphor.core import Alignment, LanguagePair
from anaphor.languages import load_pair
from anaphor.task import task_classes
from anaphor.task.prepare.dropped_subjects import with_dropped_subjects
from anaphor.task.prepare.null_subjects import AnalysedPair
from anaphor.task.prepare.placeholders import (
    LinkThresholds,
    SourcePronouns,
    TargetPronouns,
    find_placeholders,
    hide_words,
)

PACK = load_pair(LanguagePair.parse("en-es"))
CLASSES = task_classes(PACK.pair)


def prepared(source: str, target: str, links: str) -> tuple[str, str, str]:
    words, spanish = source.split(), target.split()
    sources, targets = zip(*(map(int, link.split("-")) for link in links.split()), strict=True)
    alignment, limits = Alignment(sources, targets), LinkThresholds()
    analyses = (
        next(iter(load_analyser("built-in", language=code).analyse([side])))
        for code, side in (("en", words), ("es", spanish))
    )
    pair = AnalysedPair(words, next(analyses), spanish, next(analyses), alignment)
    places = find_placeholders(
        SourcePronouns.of(CLASSES, PACK.source).positions(words),
        source_length=len(words),
        words=spanish,
        alignment=alignment,
        counterparts=TargetPronouns(CLASSES.members),
        limits=limits,
    )
    segment = hide_words(
        words,
        words=spanish,
        shown=spanish,
        places=with_dropped_subjects(places, pair, limits, CLASSES),
        links=alignment,
        classes=CLASSES,
    )
    labels = " ".join(str(slot.label) for slot in segment.slots)
    return " ".join(segment.target), labels, " ".join(str(slot.word) for slot in segment.slots)


@pytest.mark.parametrize(
    ("source", "target", "links", "expected"),
    [
        # The pronoun is linked to nothing, or to its verb.
        ("They fell .", "Cayeron .", "1-0 2-1", ("REPLACE_0 Cayeron .", "NULL", "NONE")),
        (
            "They came late .",
            "Llegaron tarde .",
            "0-0 1-0 2-1 3-2",
            ("REPLACE_0 Llegaron tarde .", "NULL", "NONE"),
        ),
        # Before negation and clitics.
        (
            "They did not see him .",
            "No lo vieron .",
            "2-0 3-2 4-1 5-3",
            ("REPLACE_0 No lo vieron .", "NULL", "NONE"),
        ),
        # A written subject is hidden.
        ("They came late .", "Ellos llegaron tarde .", "0-0 1-1 2-2 3-3", (
            "REPLACE_0 llegaron tarde .", "ellos", "Ellos",
        )),
        # A clitic that is not linked.
        ("We bought it .", "Lo compramos .", "1-1 3-2", ("REPLACE_2 compramos .", "lo", "Lo")),
        ("We have seen it .", "La hemos visto .", "1-1 2-2 4-3", ("REPLACE_3 hemos visto .", "la", "La")),
        # An article is no pronoun.
        ("I know it .", "Conozco la casa .", "1-0 2-1 3-3", ("Conozco REPLACE_2 la casa .", "OTHER", "NONE")),
    ],
)  # fmt: skip
def test_what_is_hidden(source: str, target: str, links: str, expected: tuple[str, str, str]) -> None:
    assert prepared(source, target, links) == expected


def test_dropped_subjects_are_a_class_before_other() -> None:
    assert CLASSES.classes == ("él", "ella", "ellos", "ellas", "lo", "la", "NULL", "OTHER")
    assert CLASSES.aliases["NULL"] == CLASSES.dropped == "NULL"
    # It is the label of no word.
    assert CLASSES.class_of("null") == CLASSES.class_of("NULL") == "OTHER"
