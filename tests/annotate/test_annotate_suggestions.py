"""Suggestions: shown to a random part of the work, confirmed only by saving, and their effect on answers."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from anaphor.annotate.analysis.suggestion_effect import suggestion_effect
from anaphor.annotate.campaign.people import find_person
from anaphor.annotate.exchange import export_bytes
from anaphor.annotate.judging.answers import save_answer
from anaphor.annotate.judging.assignments import list_assignments
from anaphor.annotate.judging.views import PRONOUN, assignment_view
from anaphor.annotate.store.database import open_store
from anaphor.annotate.suggested import is_shown
from anaphor.annotate.types import AnnotatorAnswer, Mark
from anaphor.core import OptionError
from anaphor.suite import LoadedSuite
from tests.support.campaigns import CONFIG, Make


def everything_wrong(loaded: LoadedSuite) -> dict[tuple[str, str], str]:
    """A verdict that rejects every pronoun of both systems, whatever tokens the source has."""
    places = [f"{line}:{token}" for line in range(loaded.suite.segments) for token in range(60)]
    return {(system, place): "no" for system in ("alpha", "beta") for place in places}


@pytest.mark.parametrize("when", ["before", "after"])
def test_suggestions_are_shown_to_a_part_of_the_work_and_measured(
    make_campaign: Make, loaded: LoadedSuite, tmp_path: Path, when: str
) -> None:
    config = replace(CONFIG, suggestions=when)
    make_campaign(tmp_path / "c.db", config, guesses=everything_wrong(loaded))
    with open_store(tmp_path / "c.db") as store:
        shown, hidden = 0, 0
        for name in CONFIG.annotators:
            person = find_person(store, name).id
            for row in list_assignments(store, person):
                view = assignment_view(store, person, row.id)
                if when == "before":
                    prefilled = view.prefilled
                    assert prefilled in (None, AnnotatorAnswer(pronoun=Mark.NO))
                    # This annotator believes whatever is suggested, and calls the rest right.
                    answer = prefilled or AnnotatorAnswer(pronoun=Mark.YES)
                else:
                    assert view.prefilled is None, "nothing is said before the answer"
                    answer = AnnotatorAnswer(pronoun=Mark.YES)
                if view.asks_antecedent:
                    answer = AnnotatorAnswer(antecedent=Mark.NO, pronoun=answer.pronoun)
                if answer.pronoun is Mark.YES:
                    tokens = [token for line in view.lines for slot in line.slots for token in slot.tokens]
                    words = tuple(token.at for token in tokens if token.role == PRONOUN)
                    answer = AnnotatorAnswer(antecedent=answer.antecedent, pronoun=Mark.YES, words=words)
                stored = save_answer(store, person, row.id, answer, version=0, request=f"first-{row.id}")
                if when == "after" and stored.is_doubted:
                    changed = AnnotatorAnswer(antecedent=answer.antecedent, pronoun=Mark.NO)
                    save_answer(store, person, row.id, changed, version=1, request=f"second-{row.id}")
                shown += view.suggestion is Mark.NO
                hidden += view.suggestion is Mark.UNSET and not stored.is_known
        without, with_them = suggestion_effect(store)
        assert (without.answers, with_them.answers) == (hidden, shown)
        assert min(hidden, shown) > 5, "both parts are there"
        assert (without.agreeing, with_them.agreeing) == (0, shown)
        assert with_them.changed == (shown if when == "after" else 0)
        rows = [json.loads(line) for line in export_bytes(store, "suggestions").splitlines()]
        assert sum(row["shown"] for row in rows) == shown
        assert {row["guess"] for row in rows} == {"no"}


def test_without_them_nothing_is_suggested_or_measured(
    make_campaign: Make, loaded: LoadedSuite, tmp_path: Path
) -> None:
    make_campaign(tmp_path / "c.db", CONFIG, guesses=everything_wrong(loaded))
    with open_store(tmp_path / "c.db") as store:
        person = find_person(store, CONFIG.annotators[0]).id
        for row in list_assignments(store, person):
            assert assignment_view(store, person, row.id).suggestion is Mark.UNSET
        assert suggestion_effect(store) == ()
        assert export_bytes(store, "suggestions") == b""


def test_the_share_is_that_of_the_work() -> None:
    shown = sum(is_shown(f"unit {unit}", f"person {unit % 7}", 0.3) for unit in range(2000))
    # By hand: 600 expected, standard deviation 20.5.
    assert 530 < shown < 670
    assert all(is_shown(f"{unit}", "p", 1.0) for unit in range(100))


def test_what_cannot_be_suggested_is_refused(make_campaign: Make, tmp_path: Path) -> None:
    for change in ({"suggestions": "sometimes"}, {"suggestion_share": 0.0}, {"suggestion_share": 2.0}):
        with pytest.raises(OptionError):
            make_campaign(tmp_path / "c.db", replace(CONFIG, **change))
