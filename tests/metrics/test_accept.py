"""Acceptability: agreement with the antecedent of the candidate's own text. All sentences are invented."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from anaphor.analyses.bound_scores import bounds
from anaphor.analyses.function_scores import scores_by_function
from anaphor.antecedents import ResolvedDocument, Resolver
from anaphor.core import Detection, LanguagePair, MarkedPronoun, OptionError, PronounScore, Result, Settings
from anaphor.corpus import AlignmentFile, Inputs, Text
from anaphor.corpus.alignments import parse_pharaoh
from anaphor.evaluation.experiment import Experiment
from anaphor.evaluation.pipeline import evaluate_experiment, metric_input
from anaphor.metrics import MetricInput
from anaphor.metrics.accept import Accept
from anaphor.metrics.contract import MetricContext
from anaphor.predict.detector import PronounDetector, detector_digest, detector_pairs
from anaphor.predict.pointer import pointer_digest
from anaphor.report.cards import cards_content, cards_of, read_cards
from anaphor.report.emit import render
from anaphor.report.html.data import scored
from anaphor.report.result_tables import result_blocks
from anaphor.report.rows import items_tsv

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
) -> PronounScore:
    options = {"accept_reference": reference}
    settings = Settings(pair="en-de", metrics=("accept",), tokenized=True, options=options)
    experiment = Experiment.of(inputs(candidate, documents=documents), settings)
    (found,) = accept_of(experiment).judged(trial_of(experiment, "system0")).scores
    return found


def accept_of(experiment: Experiment) -> Accept:
    (metric,) = experiment.metrics
    assert isinstance(metric, Accept)
    return metric


def trial_of(experiment: Experiment, system: str) -> MetricInput:
    given = experiment.inputs
    return metric_input(
        experiment,
        system,
        given.candidates[system],
        experiment.pairs[system],
        alignment=(given.candidate_alignments or {})[system],
    )


def probability(*candidate: str, **more: str) -> float:
    found = verdict(*candidate, **more).value  # type: ignore[arg-type]
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
    found = verdict("Wir sehen dort die Erde .", "Es kann nicht fliehen .", reference="ignore")
    assert found.verdict != "accepted"
    assert "*it* = *planet* (line 1) → *Erde* (feminine); *es* does not agree" in found.reason
    assert found.antecedent == (0, 4)
    found = verdict("Wir sehen dort die Erde .", "Sie kann nicht fliehen .", reference="ignore")
    assert found.verdict == "accepted"
    assert "*it* = *planet* (line 1) → *Erde* (feminine); *sie* agrees" in found.reason


def test_an_antecedent_is_not_looked_for_in_another_document() -> None:
    candidate = ("Wir sehen dort die Erde .", "Es kann nicht fliehen .")
    together = verdict(*candidate, documents=("a", "a"))
    apart = verdict(*candidate, documents=("a", "b"))
    assert "planet" in together.reason
    assert "planet" not in apart.reason


def test_an_untranslated_pronoun_is_hardly_accepted() -> None:
    found = verdict("Wir sehen dort die Erde .", "It kann nicht fliehen .")
    assert found.verdict == "rejected"
    assert "the segment is left in English" in found.reason
    assert "*it* is left" in found.reason
    assert found.value is not None
    assert found.value < probability("Wir sehen dort die Erde .", "Es kann nicht fliehen .")


@pytest.mark.filterwarnings("ignore:candidate system0. blank lines")
@pytest.mark.parametrize(
    ("line", "second_links", "expected", "clause"),
    [
        ("Die Erde kann nicht fliehen .", "0-1 1-2 2-3 3-4", "accepted", "the noun *Erde* stands for *it*"),
        ("", "", "rejected", "no word is linked to *it*, the subject"),
    ],
)
def test_every_pronoun_counts_whatever_became_of_it(
    line: str, second_links: str, expected: str, clause: str
) -> None:
    settings = Settings(pair="en-de", metrics=("accept",), tokenized=True, samples=0)
    given = inputs(("Wir sehen dort die Erde .", line))
    own = links(LINKS.split("\n")[0] + f"\n{second_links}\n")
    given = replace(given, candidate_alignments={"system0": own})
    system = evaluate_experiment(Experiment.of(given, settings)).systems[0]
    (score,), (found,) = system.scores, system.pronoun_scores["accept"]
    assert found.verdict == expected
    assert clause in found.reason
    assert score.details == {"judged": 1.0, "accepted": 0.0, "rejected": 0.0, "open": 0.0} | {expected: 1.0}
    assert 0 < score.value < 1


def test_the_score_is_the_mean_probability_and_the_signature_says_what_made_it() -> None:
    settings = Settings(
        pair="en-de",
        metrics=("accept",),
        tokenized=True,
        samples=0,
    )
    given = inputs(("Wir sehen dort die Erde .", "Es kann nicht fliehen ."), documents=("a", "a"))
    (score,) = evaluate_experiment(Experiment.of(given, settings)).systems[0].scores
    # Scores are made from bins of the evidence, so they differ a little from the mean of the probabilities.
    expected = probability("Wir sehen dort die Erde .", "Es kann nicht fliehen .")
    assert score.value == pytest.approx(expected, abs=0.02)
    signature = str(score.signature)
    assert "accept-reference:use" in signature
    assert "|resolver:" in signature
    assert "|weights:" in signature
    assert "|documents:" in signature


def test_a_pair_without_resolver_or_nouns_is_an_option_error() -> None:
    context = MetricContext.of(Settings(pair="fr-en", metrics=("accept",)))
    pack = replace(context.pack, pair=LanguagePair("cs", "en"))
    with pytest.raises(OptionError, match="not available for cs-en") as caught:
        Accept.build(replace(context, pack=pack))
    assert "en-de" in caught.value.fix


@pytest.fixture
def without_reference() -> tuple[Result, Inputs]:
    given = inputs(
        ("Wir sehen dort die Erde .", "Es kann nicht fliehen ."),
        ("Wir sehen dort die Erde .", "Sie kann nicht fliehen ."),
    )
    given = replace(given, references=(), reference_alignments=None)
    settings = Settings(
        pair="en-de",
        metrics=("accept",),
        tokenized=True,
        samples=0,
    )
    return evaluate_experiment(Experiment.of(given, settings)), given


def test_no_reference_is_needed(without_reference: tuple[Result, Inputs]) -> None:
    wrong, right = without_reference[0].systems
    assert right.scores[0].value > wrong.scores[0].value
    assert right.scores[0].value == pytest.approx(
        probability("Wir sehen dort die Erde .", "Sie kann nicht fliehen .", reference="ignore"), abs=0.02
    )
    assert "|refs:0|" in str(right.scores[0].signature)
    # There is nothing to say of cases against a reference, and so no table of them.
    assert "identical" not in emit_text(without_reference[0])


def emit_text(result: Result) -> str:
    return render(result_blocks(result, ("case", "pronoun")))


def test_the_other_metrics_say_that_they_need_one(without_reference: tuple[Result, Inputs]) -> None:
    for metrics in (("apt",), ("accept", "bleu")):
        with pytest.raises(OptionError, match=f"{metrics[-1]} cannot score without one") as caught:
            evaluate_experiment(
                Experiment.of(
                    without_reference[1], Settings(pair="en-de", metrics=metrics, tokenized=True, samples=0)
                )
            )
        assert str(caught.value.where) == "--reference"


def test_items_have_the_score_and_its_reason(without_reference: tuple[Result, Inputs]) -> None:
    heading, wrong, right = (line.split("\t") for line in items_tsv(*without_reference).splitlines())
    assert heading[-3:] == ["accept", "accept_verdict", "accept_reason"]
    assert wrong[-2] != "accepted"
    assert "*it* = *planet* (line 1) → *Erde* (feminine); *es* does not agree" in wrong[-1]
    assert float(right[-3]) > float(wrong[-3])
    assert right[heading.index("reference_words")] == "-"


def test_cards_keep_the_score_and_its_reason(without_reference: tuple[Result, Inputs]) -> None:
    cards = cards_of(Experiment.of(without_reference[1], without_reference[0].settings), without_reference[0])
    (card,) = cards.judged["system0"]
    assert "*es* does not agree" in card.scores["accept"].reason
    assert card.reference_side is None
    assert read_cards(json.loads(json.dumps(cards_content(cards))), path="result.json") == cards
    (note,) = scored(card.scores)
    assert note.startswith(f"accept: {card.scores['accept'].verdict}, 0.")
    assert "“es” does not agree" in note


def test_scores_by_function_know_the_alignment_of_the_candidate() -> None:
    settings = Settings(pair="en-de", metrics=("accept",), tokenized=True, samples=0)
    given = inputs(("Wir sehen dort die Erde .", "Es kann nicht fliehen ."))
    result = evaluate_experiment(Experiment.of(given, settings))
    found = scores_by_function(Experiment.of(given, result.settings), result)
    assert sum(found.counts.values()) == 1
    (by_function,) = found.scores["accept"].values()
    # There is one pronoun, so the score of its function is that of the system, with every witness.
    assert list(by_function.values()) == [result.systems[0].scores[0].value]


def test_the_reference_as_a_bound_is_scored_like_a_candidate() -> None:
    settings = Settings(pair="en-de", metrics=("accept",), tokenized=True, samples=0)
    given = inputs(REFERENCE)
    result = evaluate_experiment(Experiment.of(given, settings))
    (bound,) = bounds(Experiment.of(given, result.settings), result)
    assert bound.scores["accept"] == result.systems[0].scores[0].value


FRENCH = ("We bought a lamp .", "It works .")


class ToldDetector:
    """Has the given opinion of every pronoun."""

    def __init__(self, log_odds: float) -> None:
        self._opinion = Detection(log_odds, {"cela": 0.9})

    def detect(
        self, source: Any, target: Any, links: Any, marks: Sequence[MarkedPronoun], *, written: Any = None
    ) -> list[Detection]:
        return [self._opinion for _ in marks]


def french(form: str, log_odds: float) -> PronounScore:
    settings = Settings(pair="en-fr", metrics=("accept",), tokenized=True, samples=0)
    given = Inputs(
        source=Text.of(FRENCH, path="source"),
        references=(),
        candidates={"system": Text.of(("Nous avons acheté une lampe .", f"{form} marche ."), path="system")},
        candidate_alignments={"system": links("0-0 1-2 2-3 3-4\n0-0 1-1\n")},
    )
    experiment = Experiment.of(given, settings)
    trial = replace(trial_of(experiment, "system"), detector=ToldDetector(log_odds))
    (found,) = accept_of(experiment).judged(trial).scores
    return found


def test_evidence_that_is_divided_leaves_the_verdict_open() -> None:
    found = [french("Elle", half / 2) for half in range(-8, 13)]
    values = [one.value for one in found if one.value is not None]
    assert values == sorted(values, reverse=True)
    # The more the detector doubts the form that agrees, the worse the verdict, without a jump.
    order = [one.verdict for one in found]
    assert list(dict.fromkeys(order)) == ["accepted", "open", "rejected"]
    divided = found[order.index("open")]
    assert divided.reason.startswith("cannot tell: ")
    assert "*elle* agrees, but the detector flags *elle* as wrong and expects *cela* (0.90)" in divided.reason


@pytest.mark.parametrize("pair", ["en-de", "en-fr", "en-es", "de-en"])
@pytest.mark.parametrize("option", ["use", "ignore"])
def test_the_signature_names_the_detector_only_where_it_is_asked(pair: str, option: str) -> None:
    chosen = Settings(pair=pair, metrics=("accept",), options={"accept_detector": option})
    experiment = Experiment.of(inputs(REFERENCE), chosen)
    known = option == "use" and pair in detector_pairs()
    assert accept_of(experiment).detector == ("built-in" if option == "use" else "")
    assert (experiment.networks.detector() is not None) == known
    signed = experiment.signer.sign(accept_of(experiment), "system0").as_dict()
    assert signed.get("detector") == (detector_digest() if known else None)


def test_a_detector_that_is_ignored_is_not_heard() -> None:
    heard = {}
    for option in ("use", "ignore"):
        options = {"accept_detector": option}
        settings = Settings(pair="en-de", metrics=("accept",), tokenized=True, options=options)
        experiment = Experiment.of(inputs(("Wir sehen dort die Erde .", "Er kann nicht fliehen .")), settings)
        metric = accept_of(experiment)
        detector = PronounDetector(LanguagePair("en", "de"))
        trial = replace(trial_of(experiment, "system0"), detector=detector)
        (found,) = metric.judge.evidence(metric.text(trial))
        heard[option] = found.testimonies
    assert heard["use"].keys() - heard["ignore"].keys() == {"detector"}
    assert heard["use"]["detector"].signals["log_odds"] > 0
    assert "*er* as wrong and expects *sie*" in heard["use"]["detector"].rejects


@pytest.mark.parametrize("pair", ["en-de", "de-en"])
@pytest.mark.parametrize("option", ["use", "ignore"])
def test_the_signature_names_the_pointer_only_where_it_is_asked(pair: str, option: str) -> None:
    chosen = Settings(pair=pair, metrics=("accept",), options={"accept_pointer": option})
    experiment = Experiment.of(inputs(REFERENCE), chosen)
    known = option == "use" and pair == "en-de"
    assert (experiment.networks.pointer is not None) == known
    signed = experiment.signer.sign(accept_of(experiment), "system0").as_dict()
    assert signed.get("pointer") == (pointer_digest() if known else None)


def test_a_pointer_is_heard_only_where_it_is_asked() -> None:
    """It changes how likely each antecedent is, and the text is resolved again when it comes or goes."""
    settings = Settings(pair="en-de", metrics=("accept",), tokenized=True, options={"accept_pointer": "use"})
    experiment = Experiment.of(inputs(("Wir sehen dort die Erde .", "Er kann nicht fliehen .")), settings)
    metric, trial = accept_of(experiment), trial_of(experiment, "system0")
    texts = [metric.text(one) for one in (trial, replace(trial, pointer=None), trial)]
    signals = [
        [own.testimonies["agreement"].signals for own in metric.judge.evidence(text)] for text in texts
    ]
    assert signals[0] == signals[2] != signals[1]


def _without_shares(reason: str) -> str:
    """The reason without the form that the detector expects, which depends on the next line too."""
    return re.sub(r" and expects \*\w+\* \([01]\.\d+\)", "", reason)


@pytest.mark.filterwarnings("ignore:candidate two. equals candidate one")
def test_a_long_document_is_judged_in_pieces_with_the_same_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    pieces = (
        ("Wir sehen dort die Erde .", "Es kann nicht fliehen ."),
        ("Wir sehen dort den Planeten .", "Er kann nicht fliehen ."),
    )
    lines = [line for number in range(12) for line in pieces[number % 2]]
    settings = Settings(pair="en-de", metrics=("accept",), tokenized=True, samples=0)
    given = Inputs(
        source=Text.of(SOURCE * 12, path="source"),
        references=(),
        candidates={name: Text.of(lines, path=name) for name in ("one", "two")},
        candidate_alignments=dict.fromkeys(("one", "two"), links(LINKS * 12)),
        documents=("a",) * 18 + ("b",) * 6,
    )
    whole = [
        system.pronoun_scores["accept"]
        for system in evaluate_experiment(Experiment.of(given, settings)).systems
    ]
    assert whole[0] == whole[1]
    assert len({score.verdict for score in whole[0]}) > 1
    monkeypatch.setattr("anaphor.verdict.document._BLOCK", 5)
    monkeypatch.setattr("anaphor.verdict.judge._KEPT_BLOCKS", 2)
    resolve = Resolver.resolve
    resolved = []

    def counted(*given: Any) -> ResolvedDocument:
        resolved.append(given)
        return resolve(*given)

    monkeypatch.setattr(Resolver, "resolve", counted)
    cut = [
        system.pronoun_scores["accept"]
        for system in evaluate_experiment(Experiment.of(given, settings)).systems
    ]
    # Too long to be kept, all but its first piece is resolved again for each system, but not for each kind of
    # pronoun, nor for counts and verdicts: four pieces of one document and two of the other.
    assert len(resolved) == 6 + 5
    for scores, others in zip(cut, whole, strict=True):
        assert [one.verdict for one in scores] == [one.verdict for one in others]
        # The last line of a piece has no next line that detector and pointer could read.
        assert [one.value for one in scores] == pytest.approx([one.value for one in others], abs=0.02)
        pairs = zip(scores, others, strict=True)
        differing = [_without_shares(one.reason) != _without_shares(other.reason) for one, other in pairs]
        # In one of these lines, the probability of a noun is beyond the limit from which it is named.
        assert sum(differing) <= 1
    # What chains bring from before the overlap is lost, and it is little.
    monkeypatch.setattr("anaphor.verdict.document._OVERLAP", 6)
    shorter = [
        system.pronoun_scores["accept"]
        for system in evaluate_experiment(Experiment.of(given, settings)).systems
    ]
    for scores, others in zip(shorter, whole, strict=True):
        for one, other in zip(scores, others, strict=True):
            assert one.value == pytest.approx(other.value, abs=0.05)
