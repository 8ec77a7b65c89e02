"""A signature changes with everything that can move its number, and with nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import pytest

from anaphor import __version__
from anaphor.core import Settings, Signature
from anaphor.corpus import AlignmentFile, Inputs, Text
from anaphor.corpus.alignments import parse_pharaoh
from anaphor.evaluation.experiment import Experiment

SETTINGS = Settings(pair="en-fr")


def text(*lines: str) -> Text:
    return Text.of(lines, path="memory")


def links(data: bytes) -> AlignmentFile:
    return AlignmentFile.of(parse_pharaoh(data, path="memory"), path="memory")


LINKS, CROSSED, MORE = links(b"0-0\n0-0\n"), links(b"0-1\n0-0\n"), links(b"0-0\n1-1\n")
INPUTS = Inputs(
    text("It rains", "They laugh"),
    (text("Il pleut", "Elles rient"), text("Ça pleut", "Ils rigolent")),
    {"a": text("Il pleut", "Ils rient"), "b": text("Elle pleut", "Elles rient")},
    documents=("d1", "d2"),
    reference_alignments=(LINKS, CROSSED),
    candidate_alignments={"a": LINKS, "b": CROSSED},
)


def signature(
    metric: str, inputs: Inputs = INPUTS, settings: Settings = SETTINGS, system: str = "a"
) -> Signature:
    experiment = Experiment.of(inputs, replace(settings, metrics=(metric,)))
    return experiment.signer.sign(experiment.metrics[0], system)


def changed(**values: Any) -> Settings:
    """The settings with other values, options of metrics among them."""
    return Settings.of(**{one.name: getattr(SETTINGS, one.name) for one in fields(SETTINGS)} | values)


def test_a_signature_names_options_inputs_and_version_in_order() -> None:
    fields = signature("apt").fields
    assert [name for name, _ in fields] == [
        *("weights", "discard", "other", "pair", "refs", "tok", "packs", "forms", "pronouns", "repair"),
        *("recognize", "aligner", "test", "cand", "cluster", "samples", "level", "seed"),
    ]
    assert dict(fields)["pronouns"] == "it,they"
    assert signature("apt").version == __version__


def test_a_metric_is_signed_with_what_it_depends_on_alone() -> None:
    assert not {"repair", "forms"} & signature("autoprf").as_dict().keys()
    assert not {"packs", "repair", "pronouns", "aligner"} & signature("bleu").as_dict().keys()


@pytest.mark.parametrize(
    "change",
    [
        {"weights": (1, 0, 0, 0, 0, 0)},
        {"discard": (5,)},
        {"other": "identical"},
        {"pronouns": ("it",)},
        {"objects": True},
        {"repair": False},
        {"recognize": "list"},
        {"tokenized": True},
        {"outside_links": "drop"},
        {"pair": "en-de"},
        {"samples": 500},
        {"samples": 0},
        {"seed": 1},
        {"level": 0.9},
    ],
    ids=str,
)
def test_every_setting_that_moves_apt_or_its_interval_shows(change: dict[str, Any]) -> None:
    assert str(signature("apt", settings=changed(**change))) != str(signature("apt"))


@pytest.mark.parametrize(
    ("metric", "change"),
    [
        ("autoprf", {"weights": (1, 0, 0, 0, 0, 0)}),
        ("autoprf", {"repair": False}),
        ("autoprf", {"recognize": "list"}),
        ("apt", {"clip": "corpus"}),
        ("apt", {"paired": True}),
        ("bleu", {"pronouns": ("it",)}),
    ],
)
def test_a_setting_that_moves_nothing_does_not_show(metric: str, change: dict[str, Any]) -> None:
    assert signature(metric, settings=changed(**change)) == signature(metric)


INPUT_CHANGES: dict[str, Callable[[Inputs], Inputs]] = {
    "source": lambda i: replace(i, source=text("It snows", "They laugh")),
    "reference": lambda i: replace(i, references=(text("Il neige", "Elles rient"), i.references[1])),
    "second reference": lambda i: replace(i, references=(i.references[0], text("Ça neige", "Ils rigolent"))),
    "a third reference": lambda i: replace(
        i, references=(*i.references, i.references[0]), reference_alignments=(LINKS, CROSSED, LINKS)
    ),
    "candidate": lambda i: replace(i, candidates={**i.candidates, "a": text("Il neige", "Ils rient")}),
    "alignment of the reference": lambda i: replace(i, reference_alignments=(MORE, CROSSED)),
    "alignment of the second reference": lambda i: replace(i, reference_alignments=(LINKS, MORE)),
    "alignment of the candidate": lambda i: replace(i, candidate_alignments={"a": MORE, "b": CROSSED}),
    "positions": lambda i: replace(i, positions=text("0 0")),
    "no documents": lambda i: replace(i, documents=None),
    "other documents": lambda i: replace(i, documents=("d1", "d1")),
}


@pytest.mark.parametrize("change", INPUT_CHANGES.values(), ids=INPUT_CHANGES.keys())
def test_every_input_that_moves_apt_or_its_interval_shows(change: Callable[[Inputs], Inputs]) -> None:
    assert signature("apt", change(INPUTS)) != signature("apt")


@pytest.mark.parametrize(
    "name", ["source", "alignment of the reference", "alignment of the candidate", "positions"]
)
def test_inputs_that_a_metric_does_not_read_do_not_show(name: str) -> None:
    assert signature("bleu", INPUT_CHANGES[name](INPUTS)) == signature("bleu")


def test_another_candidate_changes_only_its_own_signature() -> None:
    other = INPUT_CHANGES["candidate"](INPUTS)
    assert signature("apt", other, system="b") == signature("apt", system="b")
    assert dict(signature("apt", other).fields)["test"] == dict(signature("apt").fields)["test"]


def test_the_links_of_another_candidate_change_only_its_own_signature() -> None:
    other = replace(INPUTS, candidate_alignments={"a": LINKS, "b": MORE})
    assert signature("apt", other, system="b") != signature("apt", system="b")
    assert signature("apt", other) == signature("apt")


@pytest.mark.parametrize(
    "change",
    [
        {"reference_alignments": (MORE, CROSSED)},
        {"reference_alignments": (LINKS, MORE)},
        {"candidate_alignments": {"a": MORE, "b": CROSSED}},
        {"candidate_alignments": {"a": LINKS, "b": MORE}},
    ],
)
def test_every_alignment_that_was_made_shows_in_the_signature_of_every_system(change: dict[str, Any]) -> None:
    bare = replace(INPUTS, reference_alignments=None, candidate_alignments=None)
    made = Experiment.of(bare, replace(SETTINGS, metrics=("apt",)))

    def signed(inputs: Inputs, system: str) -> Signature:
        experiment = replace(made, inputs=inputs)
        return experiment.signer.sign(experiment.metrics[0], system)

    for system in ("a", "b"):
        assert signed(replace(INPUTS, **change), system) != signed(INPUTS, system)


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("source", "source"),
        ("reference", "reference 0"),
        ("second reference", "reference 1"),
        ("candidate", "candidate a"),
        ("alignment of the reference", "alignment of reference 0"),
        ("alignment of the second reference", "alignment of reference 1"),
        ("alignment of the candidate", "alignment of candidate a"),
        ("other documents", "documents"),
    ],
)
def test_digests_name_the_input_that_changed(name: str, role: str) -> None:
    def digests(inputs: Inputs) -> dict[str, str]:
        return Experiment.of(inputs, SETTINGS).signer.digests()

    before, after = digests(INPUTS), digests(INPUT_CHANGES[name](INPUTS))
    assert {key for key in before if before[key] != after[key]} == {role}
