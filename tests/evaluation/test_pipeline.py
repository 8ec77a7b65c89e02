"""The main path on texts in memory, and what must not change a score."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import anaphor
from anaphor.align.choice import VERSION
from anaphor.core import Files, InputError, MismatchError, Outcome, Result, Settings
from anaphor.corpus import (
    AlignmentFile,
    Inputs,
    Text,
    format_alignment,
    read_alignments,
    read_documents,
    read_text,
)
from anaphor.evaluation.experiment import Experiment
from anaphor.evaluation.pipeline import evaluate_experiment
from anaphor.metrics import METRICS
from tests.support.networks import WITHOUT_NETWORKS
from tests.support.results import result_json

DEMO = Path(anaphor.__file__).parent / "demo"
SYSTEMS = ("baldur", "cormoran", "dahlia")
SEGMENTS = 115
SHORT = ("maps", "letter", "museum")
#: All but COMET, whose package is not installed with this one, and the judge, which needs a server.
ALL = tuple(name for name in METRICS if name not in ("comet", "judge"))
Evaluated = Callable[[Settings], Result]
PLAIN = Settings(pair="en-fr", metrics=ALL, samples=0)
#: The same in a tenth of the time.
UNAIDED = replace(PLAIN, options=WITHOUT_NETWORKS)
OURS = f"anaphor-hmm-{VERSION}"
UNPRIMED = Settings(pair="en-fr", metrics=("apt",), samples=0, priors="none")
FEW = settings(
    max_examples=3,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@pytest.fixture(scope="session")
def demo() -> Inputs:
    """The demo documents, in memory."""
    links = {
        name: read_alignments(DEMO / f"{name}.align", segments=SEGMENTS) for name in ("reference", *SYSTEMS)
    }
    return Inputs(
        read_text(DEMO / "source.en"),
        (read_text(DEMO / "reference.fr"),),
        {name: read_text(DEMO / f"{name}.fr") for name in SYSTEMS},
        documents=read_documents(DEMO / "documents", segments=SEGMENTS),
        reference_alignments=(links["reference"],),
        candidate_alignments={name: links[name] for name in SYSTEMS},
    )


def chosen(inputs: Inputs, order: Sequence[int], folder: Path) -> Inputs:
    """The segments of an experiment in another order, or several times, with all that belongs to them."""
    assert inputs.reference_alignments
    assert inputs.candidate_alignments
    assert inputs.documents

    def text(whole: Text) -> Text:
        return Text.of((whole.lines[i] for i in order), path=whole.path)

    def links(whole: AlignmentFile) -> AlignmentFile:
        path = folder / "links.align"
        path.write_text("".join(f"{format_alignment(whole[i])}\n" for i in order), encoding="utf-8")
        return read_alignments(path, segments=len(order))

    return Inputs(
        text(inputs.source),
        tuple(map(text, inputs.references)),
        {name: text(candidate) for name, candidate in inputs.candidates.items()},
        documents=tuple(inputs.documents[i] for i in order),
        reference_alignments=tuple(map(links, inputs.reference_alignments)),
        candidate_alignments={name: links(whole) for name, whole in inputs.candidate_alignments.items()},
    )


@pytest.fixture(scope="session")
def part(demo: Inputs, tmp_path_factory: pytest.TempPathFactory) -> Inputs:
    """Three short documents of the demo, 30 segments."""
    assert demo.documents
    order = [i for i, name in enumerate(demo.documents) if name in SHORT]
    return chosen(demo, order, tmp_path_factory.mktemp("part"))


@pytest.fixture(scope="session")
def evaluated(part: Inputs) -> Evaluated:
    """The result of the part under any settings, computed once."""

    @cache
    def of(options: Settings) -> Result:
        return evaluate_experiment(Experiment.of(part, options))

    return of


def scores(result: Result) -> dict[tuple[str, str], float]:
    return {(system.name, score.metric): score.value for system in result.systems for score in system.scores}


@pytest.fixture(scope="session")
def plain(demo: Inputs) -> Result:
    return evaluate_experiment(Experiment.of(demo, UNAIDED))


def test_every_metric_scores_every_system_in_order(plain: Result) -> None:
    assert [system.name for system in plain.systems] == list(SYSTEMS)
    assert [score.metric for score in plain.systems[0].scores] == list(ALL)
    assert all(0 <= value <= 1 for value in scores(plain).values())
    assert (plain.segments, plain.comparisons) == (SEGMENTS, ())


def test_a_run_on_files_is_the_same_as_one_in_memory(demo: Inputs) -> None:
    name = SYSTEMS[0]
    assert demo.candidate_alignments
    inputs = replace(
        demo,
        candidates={name: demo.candidates[name]},
        candidate_alignments={name: demo.candidate_alignments[name]},
    )
    files = Files(
        source=str(DEMO / "source.en"),
        references=(str(DEMO / "reference.fr"),),
        candidates=((name, str(DEMO / f"{name}.fr")),),
        documents=str(DEMO / "documents"),
        reference_alignments=(str(DEMO / "reference.align"),),
        candidate_alignments=(str(DEMO / f"{name}.align"),),
    )
    steps: list[str] = []
    in_memory = evaluate_experiment(Experiment.of(inputs, PLAIN))
    read = Experiment.read(files, PLAIN, steps.append)
    assert result_json(evaluate_experiment(read, steps.append), files) == result_json(in_memory, files)
    assert steps[:2] == ["reading", "finding pronouns and their counterparts"]
    assert steps[2:] == [f"scoring with {metric}" for metric in ALL]


def test_two_runs_give_the_same_bytes(demo: Inputs) -> None:
    options = Settings(pair="en-fr", metrics=("apt", "bleu"), paired=True, samples=100)
    first, second = (
        result_json(evaluate_experiment(Experiment.of(demo, options)), Files()) for _ in range(2)
    )
    assert first == second


def test_a_metric_named_twice_is_computed_once(demo: Inputs) -> None:
    result = evaluate_experiment(
        Experiment.of(demo, Settings(pair="en-fr", metrics=("apt", "bleu", "apt"), samples=0))
    )
    assert [score.metric for score in result.systems[0].scores] == ["apt", "bleu"]


def test_metrics_of_whole_texts_need_no_alignments(demo: Inputs, plain: Result) -> None:
    bare = replace(demo, documents=None, reference_alignments=None, candidate_alignments=None)
    steps: list[str] = []
    result = evaluate_experiment(Experiment.of(bare, replace(PLAIN, metrics=("bleu", "chrf"))), steps.append)
    assert steps == ["scoring with bleu", "scoring with chrf"]
    assert scores(result) == {
        key: value for key, value in scores(plain).items() if key[1] in ("bleu", "chrf")
    }
    assert result.systems[0].verdicts == ()


def aligner_of(result: Result) -> str:
    return result.systems[0].scores[0].signature.as_dict()["aligner"]


def test_missing_alignments_are_made(demo: Inputs, plain: Result) -> None:
    """Links set by hand and links made here must lead to much the same numbers, and to the same ranks."""
    bare = replace(demo, reference_alignments=None, candidate_alignments=None)
    result = evaluate_experiment(Experiment.of(bare, UNAIDED))
    assert scores(result) == pytest.approx(scores(plain), abs=0.1)
    values = [scores(result)[system, "apt"] for system in SYSTEMS]
    assert values == sorted(values, reverse=True)
    assert set(result.digests) == set(plain.digests)
    assert re.fullmatch(rf"{OURS}\+posterior\+prior-[0-9a-f]{{12}}", aligner_of(result))


@pytest.mark.parametrize(
    ("given", "options", "expected"),
    [
        ("reference candidate", UNPRIMED, "given"),
        ("reference candidate", replace(UNPRIMED, outside_links="drop"), "given-inside"),
        ("reference", UNPRIMED, f"given,{OURS}+posterior+prior-none for candidates"),
        (
            "candidate",
            replace(UNPRIMED, symmetrization="union"),
            f"given,{OURS}+union+prior-none for references",
        ),
        ("", replace(UNPRIMED, symmetrization="intersection"), f"{OURS}+intersection+prior-none"),
    ],
)
def test_the_signature_says_where_the_links_come_from(
    part: Inputs, given: str, options: Settings, expected: str
) -> None:
    inputs = replace(
        part,
        reference_alignments=part.reference_alignments if "reference" in given else None,
        candidate_alignments=part.candidate_alignments if "candidate" in given else None,
    )
    assert aligner_of(evaluate_experiment(Experiment.of(inputs, options))) == expected


def test_made_alignments_do_not_depend_on_the_order_of_systems(part: Inputs) -> None:
    bare = replace(part, reference_alignments=None, candidate_alignments=None)
    turned = replace(bare, candidates={name: bare.candidates[name] for name in reversed(SYSTEMS)})
    one, other = (
        evaluate_experiment(Experiment.of(bare, UNPRIMED)),
        evaluate_experiment(Experiment.of(turned, UNPRIMED)),
    )
    assert one.digests == other.digests
    assert scores(one) == scores(other)


def test_without_documents_segments_are_resampled(demo: Inputs) -> None:
    options = Settings(pair="en-fr", metrics=("apt",), samples=100)
    result = evaluate_experiment(Experiment.of(replace(demo, documents=None), options))
    assert "|cluster:segment|" in str(result.systems[0].scores[0].signature)
    assert result.systems[0].by_document == {"apt": {}}
    assert "|cluster:document-" in str(
        evaluate_experiment(Experiment.of(demo, options)).systems[0].scores[0].signature
    )


def test_two_references_give_at_least_the_score_of_each(demo: Inputs) -> None:
    """The second reference is what baldur wrote, so baldur is perfect where it has a pronoun."""
    assert demo.reference_alignments
    assert demo.candidate_alignments
    both = replace(
        demo,
        references=(*demo.references, demo.candidates["baldur"]),
        reference_alignments=(*demo.reference_alignments, demo.candidate_alignments["baldur"]),
    )
    options = Settings(pair="en-fr", metrics=("apt",), samples=0)
    one, two = (
        evaluate_experiment(Experiment.of(demo, options)),
        evaluate_experiment(Experiment.of(both, options)),
    )
    assert all(scores(two)[key] >= value for key, value in scores(one).items())
    wrong = [verdict for verdict in two.systems[0].verdicts if verdict.outcome is not Outcome.IDENTICAL]
    assert all(v.pair.candidate is None or not v.pair.candidate.forms for v in wrong)
    assert {verdict.reference for verdict in two.systems[1].verdicts} == {0, 1}


def test_paired_comparisons_are_made_with_the_first_system(demo: Inputs) -> None:
    options = Settings(pair="en-fr", metrics=("apt", "bleu"), paired=True, samples=100)
    result = evaluate_experiment(Experiment.of(demo, options))
    assert [(c.metric, c.baseline, c.system) for c in result.comparisons] == [
        ("apt", "baldur", "cormoran"),
        ("apt", "baldur", "dahlia"),
        ("bleu", "baldur", "cormoran"),
        ("bleu", "baldur", "dahlia"),
    ]
    values = scores(result)
    for c in result.comparisons:
        assert c.difference == pytest.approx(values[c.system, c.metric] - values[c.baseline, c.metric])
        assert (c.p_mcnemar is None) is (c.metric == "bleu")


def test_a_text_in_memory_with_other_lines_than_the_source_is_a_mismatch(demo: Inputs) -> None:
    short = Text.of(demo.candidates["baldur"].lines[:-1], path="short")
    with pytest.raises(MismatchError, match="114 lines"):
        evaluate_experiment(
            Experiment.of(replace(demo, candidates={**demo.candidates, "baldur": short}), PLAIN)
        )


def test_a_pronoun_is_shown_with_the_lines_before_it_of_its_document(plain: Result, demo: Inputs) -> None:
    assert demo.documents is not None
    for verdict, context in zip(plain.systems[0].verdicts, plain.contexts, strict=True):
        segment = verdict.pair.source.segment
        assert context.line == demo.source.lines[segment]
        assert context.marked.count("[") == 1
        assert context.line[slice(*context.span)].casefold() == verdict.pair.source.form
        first = segment - len(context.before)
        assert context.before == demo.source.lines[first:segment]
        assert set(demo.documents[first : segment + 1]) == {demo.documents[segment]}
        assert len(context.before) >= 3 or first == demo.documents.index(demo.documents[segment])


def test_context_reaches_back_to_an_antecedent_that_a_metric_found(tmp_path: Path) -> None:
    """A chain of *it* leads to the lamp of the first line; *It turns out* has no antecedent."""
    lines = {
        "source": "The lamp stood in the tower.\nIt was old.\nIt smelled of oil.\nIt was heavy.\n"
        "It broke.\nIt fell.\nIt turns out that the tower was closed.\n",
        "target": "La lampe se dressait dans la tour.\nElle était vieille.\nElle sentait l’huile.\n"
        "Elle était lourde.\nElle s’est cassée.\nElle est tombée.\nIl s’avère que la tour était fermée.\n",
    }
    for name, text in lines.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    source, target = str(tmp_path / "source"), str(tmp_path / "target")
    files = Files(source=source, references=(target,), candidates=(("a", target),))
    result = evaluate_experiment(
        Experiment.read(files, Settings(pair="en-fr", metrics=("apt", "accept"), samples=0))
    )
    assert [len(context.before) for context in result.contexts] == [1, 2, 3, 4, 5, 3]
    assert {one.antecedent for one in result.systems[0].pronoun_scores["accept"]} == {(0, 1), None}


def test_no_pronoun_found_is_an_error(demo: Inputs) -> None:
    with pytest.raises(InputError, match="no pronoun found in 115 segments") as caught:
        evaluate_experiment(Experiment.of(demo, replace(PLAIN, pronouns=("thou",))))
    assert str(caught.value.where) == demo.source.path


def test_the_reference_as_a_candidate_gets_the_maximum(demo: Inputs) -> None:
    """APT's is the share of identical pronouns: all with a listed counterpart, 120 of 142."""
    assert demo.reference_alignments
    perfect = replace(
        demo,
        candidates={"perfect": demo.references[0]},
        candidate_alignments={"perfect": demo.reference_alignments[0]},
    )
    result = evaluate_experiment(Experiment.of(perfect, PLAIN))
    values = {metric: value for (_, metric), value in scores(result).items()}
    assert values.pop("apt") == pytest.approx(120 / 142)
    assert 0.9 < values.pop("accept") < 1  # judged by its own antecedents, not by the reference
    meteors = [values.pop("meteor"), values.pop("meteor-pronouns")]
    assert values == pytest.approx({"autoprf": 1, "bleu": 1, "chrf": 1})
    assert min(meteors) > 0.999  # METEOR keeps a small penalty for the one chunk of each segment
    assert all(reference == candidate for reference, candidate in result.systems[0].confusion)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:documents. . of . are scattered")
@FEW
@given(times=st.integers(2, 4), clip=st.sampled_from(["pronoun", "corpus"]))
def test_a_corpus_several_times_over_has_the_same_scores(
    part: Inputs, evaluated: Evaluated, tmp_path: Path, times: int, clip: str
) -> None:
    options = replace(PLAIN, options={"clip": clip})
    once = scores(evaluated(options))
    again = chosen(part, list(range(part.segments)) * times, tmp_path)
    assert scores(evaluate_experiment(Experiment.of(again, options))) == pytest.approx(once, abs=1e-12)


@pytest.mark.slow
@FEW
@given(documents=st.permutations(SHORT))
def test_the_order_of_documents_changes_no_score(
    part: Inputs, evaluated: Evaluated, tmp_path: Path, documents: list[str]
) -> None:
    assert part.documents
    order = [i for name in documents for i in range(part.segments) if part.documents[i] == name]
    plain = evaluated(PLAIN)
    moved = evaluate_experiment(Experiment.of(chosen(part, order, tmp_path), PLAIN))
    assert scores(moved) == pytest.approx(scores(plain), abs=1e-12)
    for before, after in zip(plain.systems, moved.systems, strict=True):
        assert after.by_document["apt"] == pytest.approx(before.by_document["apt"], nan_ok=True)
        assert after.confusion == before.confusion


@pytest.mark.slow
@FEW
@given(order=st.permutations(SYSTEMS), clip=st.sampled_from(["pronoun", "corpus"]))
def test_the_order_of_systems_changes_nothing_about_any(
    part: Inputs, evaluated: Evaluated, order: list[str], clip: str
) -> None:
    """Scores, intervals, parts, verdicts and signatures: all that a JSON entry is made of."""
    options = Settings(pair="en-fr", metrics=ALL, samples=100, options={"clip": clip})
    moved = replace(part, candidates={name: part.candidates[name] for name in order})

    found, expected = (
        {system.name: system for system in result.systems}
        for result in (evaluate_experiment(Experiment.of(moved, options)), evaluated(options))
    )
    assert found == expected
