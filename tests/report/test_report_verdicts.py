"""How many pronouns are judged and how many are open stands beside the score of accept in every format."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from anaphor.core import InputError, InputWarning, Result, Settings, VerdictCounts
from anaphor.corpus import Inputs, Text
from anaphor.demo import files as demo_files
from anaphor.evaluation.experiment import Experiment
from anaphor.evaluation.pipeline import evaluate_experiment
from anaphor.report.emit import render
from anaphor.report.html import ReportView, report_page
from anaphor.report.html.page import leaderboard_page
from anaphor.report.result_file import parse_result, sealed
from anaphor.report.result_tables import result_blocks, result_latex, result_markdown, verdict_tables
from anaphor.report.stored import StoredResult, stored_of
from tests.support.networks import WITHOUT_NETWORKS
from tests.support.results import result_json

DEMO = demo_files(alignments=True)
SETTINGS = Settings(pair="en-fr", metrics=("apt", "accept"), samples=0, options=WITHOUT_NETWORKS)


@pytest.fixture(scope="module")
def scored(demo: tuple[Result, Inputs]) -> Result:
    return evaluate_experiment(Experiment.of(demo[1], SETTINGS))


@pytest.fixture(scope="module")
def stored(scored: Result) -> StoredResult:
    return stored_of(parse_result(result_json(scored, DEMO).encode(), path="demo.json"), path="demo.json")


def counts(scored: Result) -> dict[str, VerdictCounts]:
    found = {system.name: VerdictCounts.of(system.scores[1].details) for system in scored.systems}
    return {name: one for name, one in found.items() if one is not None}


def test_every_pronoun_is_accepted_rejected_or_open(scored: Result) -> None:
    assert list(counts(scored)) == ["baldur", "cormoran", "dahlia"]
    for system, one in zip(scored.systems, counts(scored).values(), strict=True):
        verdicts = [score.verdict for score in system.pronoun_scores["accept"]]
        assert one == tuple(verdicts.count(name) for name in ("accepted", "rejected", "open"))
        assert one.total == len(verdicts) == 142
        assert system.scores[1].details["judged"] == one.judged == one.accepted + one.rejected


def test_details_of_other_metrics_are_no_verdicts(scored: Result) -> None:
    assert VerdictCounts.of(scored.systems[0].scores[0].details) is None
    assert VerdictCounts.of({}) is None
    assert VerdictCounts.of({"accepted": 1, "rejected": 0.5, "open": 2}) is None
    assert VerdictCounts.of({"accepted": -1, "rejected": 1, "open": 2}) is None


def test_a_block_of_its_own_follows_the_scores(scored: Result) -> None:
    lines = render(result_blocks(scored)).splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("accept "))
    assert lines[start].split() == ["accept", "judged", "accepted", "rejected", "open"]
    one = counts(scored)["baldur"]
    assert lines[start + 1].split() == ["baldur", *map(str, (one.judged, *one))]
    assert start < next(number for number, line in enumerate(lines) if line.startswith("case "))


def test_there_is_no_block_without_verdicts(demo: tuple[Result, Inputs]) -> None:
    assert "judged" not in render(result_blocks(demo[0]))
    assert verdict_tables({"apt": {"a": None}}) == []


@pytest.mark.parametrize("format", ["markdown", "latex", "tsv", "html"])
def test_every_format_has_the_block(scored: Result, format: str) -> None:
    text = render(result_blocks(scored), format)  # type: ignore[arg-type]
    one = counts(scored)["dahlia"]
    row = r"[^\w\n]+(?:td[^\w\n]+)*".join(map(str, ("dahlia", one.judged, *one)))
    assert re.search(row.replace("dahlia", r"dahlia(?:</th>)?"), text)


def test_verdicts_are_in_the_json_file_and_read_back(scored: Result, stored: StoredResult) -> None:
    found = {system.name: system.scores[1].verdicts for system in stored.systems}
    assert found == counts(scored)
    content = json.loads(result_json(scored, DEMO))
    details = content["systems"][0]["metrics"][1]["details"]
    assert list(details) == ["judged", "accepted", "rejected", "open"]


def test_verdicts_that_do_not_add_up_to_the_pronouns_are_refused(scored: Result) -> None:
    content = json.loads(result_json(scored, DEMO))
    content["systems"][0]["metrics"][1]["details"]["open"] += 1
    data = json.dumps(sealed({key: value for key, value in content.items() if key != "seal"})).encode()
    with pytest.raises(InputError, match="verdicts of accept on baldur add up to 143"):
        stored_of(parse_result(data, path="x.json"), path="x.json")


def test_tables_for_papers_have_two_columns_beside_the_score(scored: Result, stored: StoredResult) -> None:
    one = counts(scored)["baldur"]
    latex, markdown = result_latex(stored), result_markdown(stored)
    assert "APT & Acceptability & judged & open & APT, it" in latex
    assert re.search(rf"baldur & .* & {one.judged} & {one.open} & ", latex)
    assert "Judged and open: pronouns with and without a verdict of Acceptability" in latex
    assert "| System | APT | Acceptability | judged | open |" in markdown
    assert "| Acceptability | judged | accepted | rejected | open |" in markdown
    assert f"| baldur | {one.judged} | {one.accepted} | {one.rejected} | {one.open} |" in markdown


def test_bounds_have_no_verdicts(scored: Result, stored: StoredResult, demo: tuple[Result, Inputs]) -> None:
    from anaphor.analyses.bound_scores import bounds

    table = result_markdown(replace(stored, bounds=bounds(Experiment.of(demo[1], scored.settings), scored)))
    assert re.search(r"\| reference \| 84\.5 \| [0-9.]+ \| n/a \| n/a \|", table)


def test_the_page_and_the_leaderboard_show_them(scored: Result, stored: StoredResult) -> None:
    one = counts(scored)["dahlia"]
    page = report_page(ReportView.of([stored], title="x"))
    assert '<section id="verdicts"' in page
    assert f"<td>{one.judged}</td><td>{one.accepted}</td><td>{one.rejected}</td><td>{one.open}</td>" in page
    for ranked in (page, leaderboard_page([stored], [], title="x")):
        assert re.search(r">accept</th><th[^>]*>judged</th><th[^>]*>open</th>", ranked)
        assert re.search(rf"dahlia.*?<td>{one.judged}</td><td>{one.open}</td>", ranked)


def test_the_short_signature_says_whether_the_reference_was_used(demo: tuple[Result, Inputs]) -> None:
    def signature(inputs: Inputs, mode: str) -> str:
        options = {"accept_reference": mode, **WITHOUT_NETWORKS}
        settings = Settings(pair="en-fr", metrics=("accept",), samples=0, options=options)
        return render(result_blocks(evaluate_experiment(Experiment.of(inputs, settings)))[-1:])

    inputs = replace(demo[1], candidates={"baldur": demo[1].candidates["baldur"]})
    assert "|reference:used|" in signature(inputs, "use")
    ignored = signature(inputs, "ignore")
    assert "|reference:ignored|" in ignored
    assert "accept-reference" not in ignored
    without = replace(inputs, references=(), reference_alignments=())
    assert "|reference:none|" in signature(without, "use")
    assert "|reference:none|" in signature(without, "ignore")


def test_fewer_than_half_judged_is_a_note(
    demo: tuple[Result, Inputs], monkeypatch: pytest.MonkeyPatch
) -> None:
    inputs = replace(demo[1], candidates={"baldur": demo[1].candidates["baldur"]})
    monkeypatch.setattr("anaphor.verdict.fusion.ACCEPTED_FROM", 0.999)
    with pytest.warns(InputWarning, match=r"candidate baldur: accept judged only \d+ of 142 pronouns"):
        result = evaluate_experiment(Experiment.of(inputs, SETTINGS))
    assert [note for note in result.notes if "fewer than half" in note] == list(result.notes)
    assert json.loads(result_json(result, DEMO))["notes"] == list(result.notes)


def test_half_or_more_judged_is_no_note(scored: Result) -> None:
    assert scored.notes == ()


def test_a_handful_of_pronouns_is_no_reason_for_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anaphor.verdict.fusion.ACCEPTED_FROM", 2.0)
    monkeypatch.setattr("anaphor.verdict.fusion.REJECTED_BELOW", 0.0)
    source, lines = ["The lamp is old.", "It works."], ["La lampe est vieille.", "Elle marche."]
    inputs = Inputs(Text.of(source, path="s"), (), {"x": Text.of(lines, path="c")})
    result = evaluate_experiment(
        Experiment.of(
            inputs,
            Settings(pair="en-fr", metrics=("accept",), samples=0, options=WITHOUT_NETWORKS),
        )
    )
    assert VerdictCounts.of(result.systems[0].scores[0].details) == (0, 0, 1)
    assert result.notes == ()
