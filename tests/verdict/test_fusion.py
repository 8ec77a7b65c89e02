"""From testimonies to a probability, a verdict and a reason."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator

import pytest

from anaphor.core import UnknownNameError
from anaphor.verdict import ACCEPTED_FROM, REJECTED_BELOW, Fusion, contract, verdict_of
from anaphor.verdict.fusion import Opinion, fusion_digest, reason_of

LANGUAGES = ("de", "fr", "es", "en")
WITNESSES = ("agreement", "rendering", "coverage", "detector", "reference")
#: Signals of each witness in the shipped weights.
SIGNALS = {
    witness: sorted(
        name.removeprefix(f"{witness}.")
        for name in Fusion.load("fr", reference=True).weights
        if name.startswith(f"{witness}.")
    )
    for witness in WITNESSES
}


def random_testimonies(count: int) -> Iterator[dict[str, contract.Testimony]]:
    """Any witness may be absent, say nothing, or have no clause for one side."""
    draw = random.Random(11)
    for _ in range(count):
        found = {}
        for witness in draw.sample(WITNESSES, draw.randint(0, len(WITNESSES))):
            names = draw.sample(SIGNALS[witness], draw.randint(0, len(SIGNALS[witness])))
            signals = {name: draw.choice((0.0, 1.0, draw.random(), draw.gauss(0, 3))) for name in names}
            found[witness] = contract.Testimony(
                signals,
                draw.choice(("", f"{witness} accepts")),
                draw.choice(("", f"{witness} rejects")),
            )
        yield found


@pytest.mark.parametrize("language", LANGUAGES)
def test_shipped_weights_are_usable(language: str) -> None:
    for used in (False, True):
        fusion = Fusion.load(language, reference=used)
        assert 0 < fusion.prior < 1
        values = (fusion.intercept, *fusion.weights.values(), *fusion.means.values())
        assert all(math.isfinite(value) for value in values)
        assert {name.split(".")[0] for name in fusion.weights} <= set(WITNESSES)
    assert Fusion.load(language).weights.keys() < Fusion.load(language, reference=True).weights.keys()


def test_every_witness_has_weights() -> None:
    assert all(SIGNALS.values())
    assert len(fusion_digest()) >= 8


def test_a_language_without_judgements_shares_the_weights_of_all() -> None:
    assert Fusion.load("pt") == Fusion.load("shared")


def test_a_witness_that_says_nothing_moves_nothing() -> None:
    fusion = Fusion.load("fr", reference=True)
    nothing = fusion.weigh({})
    assert nothing == Opinion(fusion.intercept, {})
    for witness in WITNESSES:
        silent = {witness: contract.Testimony({}, "good", "bad")}
        assert fusion.weigh(silent) == nothing
        assert "good" not in reason_of("accepted", fusion.weigh(silent), silent)
        assert "bad" not in reason_of("rejected", fusion.weigh(silent), silent)


def test_a_witness_moves_the_log_odds_by_its_own_signals_alone() -> None:
    fusion = Fusion(-1.0, 0.2, {"a.x": 2.0, "a.y": -1.0, "ab.x": 50.0}, {"a.x": 0.5, "a.y": 0.25})
    found = fusion.weigh({"a": contract.Testimony({"x": 1.0, "unknown": 9.0})})
    assert found.contributions == {"a": pytest.approx(2.0 * 0.5 + 1.0 * 0.25)}
    assert found.log_odds == pytest.approx(-1.0 + 1.25)
    both = fusion.weigh({"a": contract.Testimony({"x": 1.0}), "ab": contract.Testimony({"x": 1.0})})
    assert both.contributions == {"a": pytest.approx(1.25), "ab": pytest.approx(50)}


def test_the_likelihood_ratio_is_free_of_the_share_of_wrong_pronouns() -> None:
    fusion = Fusion(0.0, 0.2, {}, {})
    assert fusion.likelihood_ratio(Opinion(math.log(0.25), {})) == pytest.approx(0)


def test_the_verdict_follows_from_the_probability_by_two_limits() -> None:
    order = ("rejected", "open", "accepted")
    values = [number / 1000 for number in range(1001)]
    verdicts = [verdict_of(value) for value in values]
    assert [order.index(one) for one in verdicts] == sorted(order.index(one) for one in verdicts)
    assert set(verdicts) == set(order)
    assert verdict_of(ACCEPTED_FROM) == "accepted"
    assert verdict_of(math.nextafter(ACCEPTED_FROM, 0)) == "open"
    assert verdict_of(REJECTED_BELOW) == "open"
    assert verdict_of(math.nextafter(REJECTED_BELOW, 0)) == "rejected"


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_reason_argues_against_its_verdict(language: str) -> None:
    fusion = Fusion.load(language, reference=True)
    drawn = list(random_testimonies(500))
    assert drawn
    for testimonies in drawn:
        opinion = fusion.weigh(testimonies)
        assert opinion.log_odds == pytest.approx(fusion.intercept + sum(opinion.contributions.values()))
        accepted, rejected = (reason_of(one, opinion, testimonies) for one in ("accepted", "rejected"))
        assert "rejects" not in accepted
        assert "accepts" not in rejected
        quoted = [one for one in WITNESSES if f"{one} accepts" in accepted]
        assert all(opinion.contributions[one] < 0.5 for one in quoted)
        quoted = [one for one in WITNESSES if f"{one} rejects" in rejected]
        assert all(opinion.contributions[one] > 0 for one in quoted)
        undecided = reason_of("open", opinion, testimonies)
        assert all((accepted, rejected, undecided))


def test_the_reason_of_an_accepted_pronoun_has_what_readers_can_check() -> None:
    testimonies = {name: contract.Testimony({"x": 1.0}, f"{name} +", f"{name} -") for name in "abc"}
    testimonies["b"] = testimonies["b"]._replace(checkable=True)
    opinion = Opinion(-3.0, {"a": -0.5, "b": 0.1, "c": -1.0})
    assert reason_of("accepted", opinion, testimonies) == "c +; b +"
    # Nor is an opinion quoted that speaks against the rendering, however little.
    assert reason_of("accepted", Opinion(-3.0, {"a": 0.1, "c": -1.0}), testimonies) == "c +"
    # What speaks against the rendering is not quoted for it.
    opinion = Opinion(-3.0, {"a": -0.5, "b": 0.6, "c": -1.0})
    assert reason_of("accepted", opinion, testimonies) == "c +; a +"


def test_the_witness_that_decided_comes_first() -> None:
    testimonies = {name: contract.Testimony({"x": 1.0}, f"{name} +", f"{name} -") for name in "abc"}
    opinion = Opinion(3.0, {"a": 0.5, "b": 2.0, "c": 1.0})
    assert reason_of("rejected", opinion, testimonies) == "b -; c -"
    opinion = Opinion(-3.0, {"a": -0.5, "b": -0.01, "c": -1.0})
    assert reason_of("accepted", opinion, testimonies) == "c +; a +"
    opinion = Opinion(0.0, {"a": -0.5, "b": 1.0, "c": -1.0})
    assert reason_of("open", opinion, testimonies) == "c +, but b -"
    assert reason_of("open", Opinion(0.0, {}), {}) == "too little evidence"


def test_the_reason_of_a_rejected_pronoun_has_what_readers_can_check() -> None:
    opinion = Opinion(3.0, {"c": 2.0, "a": 1.0, "b": 0.5})
    testimonies = {name: contract.Testimony({"x": 1.0}, f"{name} +", f"{name} -") for name in "abc"}
    assert reason_of("rejected", opinion, testimonies) == "c -; a -"
    testimonies["b"] = testimonies["b"]._replace(checkable=True)
    assert reason_of("rejected", opinion, testimonies) == "c -; b -"


def test_an_open_verdict_does_not_quote_a_witness_on_both_sides() -> None:
    """A witness that moves little may speak for either, but then another must speak for the other side."""
    opinion = Opinion(0.3, {"a": 0.3, "b": -0.1})
    testimonies = {name: contract.Testimony({"x": 1.0}, f"{name} +", f"{name} -") for name in "ab"}
    assert reason_of("open", opinion, testimonies) == "b +, but a -"
    assert reason_of("open", Opinion(0.3, {"a": 0.3}), testimonies) == "a -"


def test_a_language_without_judged_pronouns_uses_the_weights_of_another_one() -> None:
    assert Fusion.load("pt", alike="es") == Fusion.load("es")
    assert Fusion.load("pt") == Fusion.load("pt", alike="shared") != Fusion.load("es")
    assert Fusion.load("de", alike="es") == Fusion.load("de")
    with pytest.raises(UnknownNameError, match="sp") as caught:
        Fusion.load("pt", alike="sp")
    assert "pt.toml" in str(caught.value.where)
