"""Acceptability for German, French and Spanish sources: number and animacy in English. Invented sentences."""

from __future__ import annotations

import pytest

from anaphor.core import PronounScore, Settings
from anaphor.corpus import AlignmentFile, Inputs, Text
from anaphor.corpus.alignments import parse_pharaoh
from anaphor.evaluation.experiment import Experiment
from anaphor.metrics import MetricInput
from anaphor.metrics.accept import Accept


def judged(pair: str, source: tuple[str, ...], candidate: tuple[str, ...]) -> PronounScore:
    """The score of the last pronoun; words are linked one by one."""
    settings = Settings(pair=pair, metrics=("accept",), tokenized=True, samples=0)
    pharaoh = "".join(
        " ".join(f"{i}-{i}" for i in range(min(len(s.split()), len(c.split())))) + "\n"
        for s, c in zip(source, candidate, strict=True)
    )
    links = AlignmentFile.of(parse_pharaoh(pharaoh.encode(), path="links"), path="links")
    given = Inputs(
        source=Text.of(source, path="source"),
        references=(Text.of(candidate, path="reference"),),
        candidates={"system": Text.of(candidate, path="candidate")},
        reference_alignments=(links,),
        candidate_alignments={"system": links},
    )
    experiment = Experiment.of(given, settings)
    trial = MetricInput("system", (), candidate, experiment.pairs["system"], source, None, links)
    (metric,) = experiment.metrics
    assert isinstance(metric, Accept)
    return metric.judged(trial).scores[-1]


@pytest.mark.parametrize(
    ("pair", "source", "context", "right", "wrong"),
    [
        ("de-en", ("Der Tisch ist alt .", "Er ist groß ."), "The table is old .", "It", "He"),
        (
            "de-en",
            ("Die Lehrerin lacht laut .", "Sie ist froh ."),
            "The teacher laughs loudly .",
            "She",
            "It",
        ),
        ("de-en", ("Die Häuser sind alt .", "Sie sind groß ."), "The houses are old .", "They", "It"),
        ("fr-en", ("La table est vieille .", "Elle est grande ."), "The table is old .", "It", "She"),
        (
            "fr-en",
            ("Les voitures sont vieilles .", "Elles sont grandes ."),
            "The cars are old .",
            "They",
            "She",
        ),
        ("es-en", ("La mujer está contenta .", "Ella canta bien ."), "The woman is happy .", "She", "It"),
        (
            "es-en",
            ("Los hombres están contentos .", "Ellos cantan bien ."),
            "The men are happy .",
            "They",
            "He",
        ),
    ],
)
def test_number_and_animacy_decide(
    pair: str, source: tuple[str, str], context: str, right: str, wrong: str
) -> None:
    good = judged(pair, source, (context, f"{right} is big ."))
    bad = judged(pair, source, (context, f"{wrong} is big ."))
    assert good.value is not None
    assert bad.value is not None
    assert good.value > bad.value
    assert good.verdict == "accepted"
    assert f"*{right.lower()}* agrees" in good.reason
    assert bad.verdict in ("rejected", "open")
    assert f"*{wrong.lower()}* does not agree" in bad.reason


def test_the_reason_names_the_noun_and_what_it_is_in_english() -> None:
    found = judged("de-en", ("Der Tisch ist alt .", "Er ist groß ."), ("The table is old .", "He is big ."))
    assert found.reason == "*er* = *Tisch* (line 1) → *table* (a thing); *he* does not agree"


def test_the_polite_form_of_address_has_no_antecedent() -> None:
    found = judged(
        "de-en", ("Der Tisch ist alt .", "Kennen Sie ihn ?"), ("The table is old .", "Know you it ?")
    )
    assert found.antecedent is None
    assert found.verdict == "accepted"
    assert "*sie* is rendered by *you*" in found.reason
