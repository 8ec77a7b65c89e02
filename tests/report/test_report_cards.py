"""Cards: what led to each outcome, kept in the result file and refused when it was changed."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from anaphor.core import InputError, Result, Span
from anaphor.corpus import Inputs
from anaphor.evaluation.experiment import Experiment
from anaphor.evaluation.pipeline import evaluate_experiment
from anaphor.report.cards import Cards, cards_content, cards_of, read_cards
from anaphor.report.ranking import apt_totals, pairwise_p
from tests.support.networks import WITHOUT_NETWORKS


@pytest.fixture(scope="module")
def cards(demo: tuple[Result, Inputs]) -> Cards:
    return cards_of(Experiment.of(demo[1], demo[0].settings), demo[0])


def test_every_pronoun_of_every_system_has_a_card_with_its_outcome(
    demo: tuple[Result, Inputs], cards: Cards
) -> None:
    assert demo[0].systems
    for system in demo[0].systems:
        assert [card.outcome for card in cards.judged[system.name]] == [v.outcome for v in system.verdicts]


def test_labels_add_up_to_the_confusion(demo: tuple[Result, Inputs], cards: Cards) -> None:
    assert demo[0].systems
    for system in demo[0].systems:
        assert Counter(card.labels for card in cards.judged[system.name]) == Counter(system.confusion)


def test_spans_lead_to_the_words(cards: Cards) -> None:
    assert cards.judged.items()
    for name, judged in cards.judged.items():
        for pronoun, card in zip(cards.pronouns, judged, strict=True):
            line = cards.source[pronoun.segment]
            assert line[slice(*pronoun.span)].casefold() == pronoun.form
            texts = (cards.references[card.reference], cards.candidates[name])
            for lines, side in zip(texts, (card.reference_side, card.candidate_side), strict=True):
                found = () if side is None else tuple(lines[pronoun.segment][slice(*s)] for s in side.spans)
                assert side is None or found == side.words


def test_the_first_card_of_the_demo(cards: Cards) -> None:
    """Read by hand: in line 2 `It stood` is `Elle se dressait`, and `Il se tenait` in cormoran."""
    first, card = cards.pronouns[0], cards.judged["cormoran"][0]
    assert (first.segment, first.token, first.form, first.span) == (1, 0, "it", Span(0, 2))
    assert (card.outcome.name, card.labels) == ("DIFFERENT", ("elle", "il"))
    assert card.reference_side is not None
    assert card.reference_side.words == ("Elle",)
    assert card.reference_side.confidence == (None,)


def test_a_repair_is_described_in_words(cards: Cards) -> None:
    sides = [side for judged in cards.judged.values() for card in judged for side in [card.candidate_side]]
    repairs = [side.repair for side in sides if side is not None and side.repair is not None]
    assert repairs, "the demo has repairs"
    assert {repair.kind for repair in repairs} <= {"unaligned", "non-pronoun", "multiple"}
    assert all(set(repair.chosen) <= set(repair.options) for repair in repairs if repair.window is not None)


def _confidences(cards: Cards) -> list[float | None]:
    """Of every word that is linked, and not found by a repair."""
    judged = [card for system in cards.judged.values() for card in system]
    sides = [side for card in judged for side in (card.reference_side, card.candidate_side) if side]
    linked = [side for side in sides if side.repair is None or side.repair.window is None]
    return [value for side in linked for value in side.confidence]


def test_confidences_of_links_from_files_are_not_known(cards: Cards) -> None:
    assert set(_confidences(cards)) == {None}


def test_every_link_that_the_aligner_made_has_its_confidence(demo: tuple[Result, Inputs]) -> None:
    given = replace(demo[1], reference_alignments=None, candidate_alignments=None)
    settings = replace(demo[0].settings, samples=0, paired=False)
    made = Experiment.of(given, settings).aligned()
    result = evaluate_experiment(made)
    assert result == evaluate_experiment(Experiment.of(given, settings)), (
        "aligning beforehand changes neither score nor signature"
    )
    values = _confidences(cards_of(made, result))
    assert len(values) > 2 * 3 * 100
    assert all(value is not None and 0 <= value <= 1 for value in values)


def test_cards_survive_the_file(cards: Cards) -> None:
    content = json.loads(json.dumps(cards_content(cards)))
    assert read_cards(content, path="x") == cards


def test_cards_have_the_lines_before_each_pronoun_and_its_antecedent(demo: tuple[Result, Inputs]) -> None:
    settings = replace(
        demo[0].settings,
        metrics=("apt", "accept"),
        samples=0,
        paired=False,
        options={**WITHOUT_NETWORKS, "accept_reference": "ignore"},
    )
    experiment = Experiment.of(demo[1], settings)
    cards = cards_of(experiment, evaluate_experiment(experiment))
    assert read_cards(json.loads(json.dumps(cards_content(cards))), path="x") == cards
    assert sum(pronoun.antecedent is not None for pronoun in cards.pronouns) > 100
    same = quoted = 0
    for pronoun, card in zip(cards.pronouns, cards.judged["baldur"], strict=True):
        needed = range(pronoun.segment - pronoun.before, pronoun.segment + 1)
        for lines in (cards.source, cards.references[0], cards.candidates["dahlia"]):
            assert set(needed) <= set(lines)
        if pronoun.antecedent is not None:
            segment, span = pronoun.antecedent
            assert segment in needed
            words = cards.source[segment][slice(*span)], str(segment + 1)
            for word, line in re.findall(r"= \*(.+?)\* \(line (\d+)\)", card.scores["accept"].reason):
                assert int(line) - 1 <= pronoun.segment
                quoted += 1
                same += (word, line) == words
    # A rejection names the likeliest noun that disagrees, which need not be the likeliest of all.
    assert quoted > 50, (quoted, same)
    assert same >= 0.8 * quoted


def test_lines_without_a_pronoun_do_not_change_a_p_value(demo: tuple[Result, Inputs]) -> None:
    cards = cards_of(Experiment.of(demo[1], demo[0].settings), demo[0])
    segments = {pronoun.segment for pronoun in cards.pronouns}

    def kept(lines: Mapping[int, str]) -> dict[int, str]:
        return {segment: line for segment, line in lines.items() if segment in segments}

    assert cards.documents is not None
    alone = replace(
        cards,
        documents=kept(cards.documents),
        source=kept(cards.source),
        references=tuple(map(kept, cards.references)),
        candidates={name: kept(lines) for name, lines in cards.candidates.items()},
        pronouns=tuple(replace(pronoun, before=0, antecedent=None) for pronoun in cards.pronouns),
    )
    content = json.loads(json.dumps(cards_content(alone)))
    read = read_cards(content, path="alone.json")
    assert read == alone
    settings = demo[0].settings
    assert pairwise_p(apt_totals(read), settings) == pairwise_p(apt_totals(cards), settings)
    one = replace(cards, documents=None), replace(read, documents=None)
    assert pairwise_p(apt_totals(one[0]), settings) == pairwise_p(apt_totals(one[1]), settings)


def test_an_impossible_context_is_refused(cards: Cards) -> None:
    for before in (-1, 10**12):
        wrong = replace(cards, pronouns=(replace(cards.pronouns[0], before=before), *cards.pronouns[1:]))
        with pytest.raises(InputError, match="a context is impossible"):
            read_cards(json.loads(json.dumps(cards_content(wrong))), path="x")


def _set(key: str, value: object) -> Callable[[dict[str, Any]], None]:
    return lambda content: content.update({key: value})


def _lie(content: dict[str, Any]) -> None:
    content["judged"]["baldur"][0]["outcome"] = "different"


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (_set("cards_version", 2), "cards of version 2, this program reads 1"),
        (_set("digest", "000000000000"), "the digest does not match"),
        (_set("source", {}), "the digest does not match"),
        (_lie, "the digest does not match"),
        (lambda content: content.pop("judged"), "were changed after they were written"),
        (lambda content: content.pop("cards_version"), "were changed after they were written"),
    ],
)
def test_changed_cards_are_refused(cards: Cards, change: Callable[[dict[str, Any]], None], what: str) -> None:
    content = json.loads(json.dumps(cards_content(cards)))
    change(content)
    with pytest.raises(InputError, match=what) as caught:
        read_cards(content, path="result.json")
    assert str(caught.value.where) == "result.json"


@pytest.mark.parametrize("content", [None, 5, [], "cards", {}])
def test_what_is_no_object_of_cards_is_refused(content: object) -> None:
    with pytest.raises(InputError, match="were changed"):
        read_cards(content, path="result.json")
