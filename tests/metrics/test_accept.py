"""Acceptability: agreement with the antecedent of the candidate's own text. All sentences are invented."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from anaphor.core import OptionError, Settings
from anaphor.corpus import AlignmentFile, Inputs, Text
from anaphor.corpus.alignments import parse_pharaoh
from anaphor.metrics import MetricInput, ScoringSetup
from anaphor.metrics.accept import Accept, AcceptVerdict
from anaphor.pipeline import evaluate

SOURCE = ("We can see the planet .", "It cannot hide .")
REFERENCE = ("Wir sehen dort die Erde .", "Sie kann nicht fliehen .")
LINKS = "0-0 1-1 2-1 3-3 4-4 5-5\n0-0 1-1 2-2 3-3\n"


def links(text: str = LINKS) -> AlignmentFile:
    return AlignmentFile.of(parse_pharaoh(text.encode(), path="links"), path="links")


def inputs(*candidates: tuple[str, ...], documents: tuple[str, ...] | None = None) -> Inputs:
    names = [f"system{number}" for number in range(len(candidates))]
    return Inputs(
        source=Text.of(SOURCE, path="source"),
        references=(Text.of(REFERENCE, path="reference"),),
        candidates={name: Text.of(lines, path=name) for name, lines in zip(names, candidates, strict=True)},
        reference_alignments=(links(),),
        candidate_alignments=dict.fromkeys(names, links()),
        documents=documents,
    )


def verdict(
    *candidate: str, documents: tuple[str, ...] | None = None, reference: str = "use"
) -> AcceptVerdict:
    settings = Settings(
        pair="en-de", metrics=("accept",), tokenized=True, options={"accept_reference": reference}
    )
    setup, given = ScoringSetup.of(settings), inputs(candidate, documents=documents)
    trial = MetricInput(
        "system0",
        (REFERENCE,),
        candidate,
        setup.pairs(given)["system0"],
        given.source.lines,
        documents,
        links(),
    )
    (found,) = Accept.build(setup.context).verdicts(trial)
    return found


def probability(*candidate: str, **more: str) -> float:
    found = verdict(*candidate, **more).probability  # type: ignore[arg-type]
    assert found is not None
    return found


def test_a_pronoun_that_agrees_with_its_own_antecedent_is_accepted() -> None:
    earth, planet = "Wir sehen dort die Erde .", "Wir sehen dort den Planeten ."
    for mode in ("use", "ignore"):
        assert probability(earth, "Sie kann nicht fliehen .", reference=mode) > probability(
            earth, "Es kann nicht fliehen .", reference=mode
        )
    # Without the reference *er* is as good for *Planeten* as *sie* is for *Erde*.
    right = probability(planet, "Er kann nicht fliehen .", reference="ignore")
    assert right > probability(planet, "Sie kann nicht fliehen .", reference="ignore")
    assert right > 0.9


def test_the_reference_counts_only_if_it_is_used() -> None:
    candidate = ("Wir sehen dort den Planeten .", "Er kann nicht fliehen .")
    assert probability(*candidate, reference="use") < probability(*candidate, reference="ignore")


def test_the_reason_names_antecedent_translation_and_agreement() -> None:
    found = verdict("Wir sehen dort die Erde .", "Es kann nicht fliehen .")
    assert found.reason == "*it* = *planet* (line 1) → *Erde* (feminine); *es* does not agree"
    found = verdict("Wir sehen dort die Erde .", "Sie kann nicht fliehen .")
    assert found.reason.endswith("*sie* agrees")


def test_an_antecedent_is_not_looked_for_in_another_document() -> None:
    candidate = ("Wir sehen dort die Erde .", "Es kann nicht fliehen .")
    together = verdict(*candidate, documents=("a", "a"))
    apart = verdict(*candidate, documents=("a", "b"))
    assert "planet" in together.reason
    assert "planet" not in apart.reason


def test_an_untranslated_pronoun_is_hardly_accepted() -> None:
    found = verdict("Wir sehen dort die Erde .", "It kann nicht fliehen .")
    assert found.reason == "*it* is not translated"
    assert found.probability is not None
    assert found.probability < probability("Wir sehen dort die Erde .", "Sie kann nicht fliehen .")


@pytest.mark.parametrize(
    ("line", "second_links"), [("Erde kann nicht fliehen .", "0-0 1-1 2-2 3-3"), ("", "")]
)
def test_without_evidence_the_verdict_is_open(line: str, second_links: str) -> None:
    settings = Settings(pair="en-de", metrics=("accept",), tokenized=True, samples=0)
    given = inputs(("Wir sehen dort die Erde .", line))
    own = links(LINKS.split("\n")[0] + f"\n{second_links}\n")
    given = replace(given, candidate_alignments={"system0": own})
    (score,) = evaluate(given, settings).systems[0].scores
    assert math.isnan(score.value)
    assert score.details == {"accepted": 0.0, "rejected": 0.0, "open": 1.0}


def test_the_score_is_the_mean_probability_and_the_signature_says_what_made_it() -> None:
    settings = Settings(pair="en-de", metrics=("accept",), tokenized=True, samples=0)
    given = inputs(("Wir sehen dort die Erde .", "Es kann nicht fliehen ."), documents=("a", "a"))
    (score,) = evaluate(given, settings).systems[0].scores
    assert score.value == pytest.approx(probability("Wir sehen dort die Erde .", "Es kann nicht fliehen ."))
    signature = str(score.signature)
    assert "accept-reference:use" in signature
    assert "|resolver:" in signature
    assert "|calibration:" in signature
    assert "|documents:" in signature


def test_a_pair_without_resolver_or_nouns_is_an_option_error() -> None:
    with pytest.raises(OptionError, match="not available for fr-en") as caught:
        Accept.build(ScoringSetup.of(Settings(pair="fr-en", metrics=("accept",))).context)
    assert "en-de" in caught.value.fix
