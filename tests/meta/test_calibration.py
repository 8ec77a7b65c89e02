"""Verdicts beside people: counted by hand, bounds, and the coverage of the corrected rate."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from anaphor.cli.main import main
from anaphor.core import Outcome, UserError
from anaphor.meta.calibration import CalibrationCurve, calibrate_items, corrected_rate
from anaphor.meta.judgements import JudgedPronoun, Judgement, Key, ScoredItem


def calibration(
    labels: list[bool], verdicts: list[str], *, items: int = 0, least: int = 10, category: str | None = None
) -> CalibrationCurve:
    """Verdicts of one source `judge` on labelled items; further items are all accepted."""
    scored: dict[Key, ScoredItem] = {}
    for number, verdict in enumerate([*verdicts, *["accepted"] * items]):
        key = "a", f"{number}:0"
        scored[key] = ScoredItem(
            *key, "-", "it", Outcome.IDENTICAL, None, None, (), {"judge": None}, {"judge": verdict}
        )
    judged = [
        JudgedPronoun(
            "a",
            f"{number}:0",
            Judgement.CORRECT if label else Judgement.INCORRECT,
            category if number % 2 else None,
            None,
            "",
        )
        for number, label in enumerate(labels)
    ]
    return calibrate_items(scored, judged, least=least)


def test_figures_are_those_counted_by_hand() -> None:
    labels = [True] * 8 + [False] * 4
    verdicts = ["accepted"] * 6 + ["rejected", "open", "accepted", "rejected", "rejected", "open"]
    result = calibration(labels, verdicts)
    whole = result.reliability[0]
    assert (whole.labels, whole.correct, whole.open) == (12, 8, 2)
    assert whole.sensitivity == pytest.approx(6 / 8)
    assert whole.specificity == pytest.approx(3 / 4)
    # Expected by chance: both say yes, or both say no.
    assert whole.kappa.value == pytest.approx((9 / 12 - 76 / 144) / (1 - 76 / 144))
    (rate,) = result.rates
    assert rate.accepted == pytest.approx(7 / 12)
    assert rate.corrected == pytest.approx((7 / 12 + 0.75 - 1) / 0.5)


def test_the_interval_is_mirrored_where_accepting_and_rejecting_change_places() -> None:
    first, second = (0.9, 50), (0.7, 400)
    _, interval = corrected_rate(0.4, 200, sensitivity=first, specificity=second, level=0.95)
    _, mirrored = corrected_rate(0.6, 200, sensitivity=second, specificity=first, level=0.95)
    assert interval is not None
    assert mirrored is not None
    assert (mirrored.low, mirrored.high) == pytest.approx((1 - interval.high, 1 - interval.low))


def test_divided_annotators_and_missing_verdicts() -> None:
    """One judgement of each kind on the first pronoun, one on the second, of which the judge said nothing."""
    items = {
        ("a", name): ScoredItem(
            *("a", name, "-", "it", Outcome.IDENTICAL, None, None, ()), {}, {"judge": verdict}
        )
        for name, verdict in (("0", "accepted"), ("1", ""), ("2", "rejected"))
    }
    judged = [
        JudgedPronoun("a", name, judgement, None, None, "")
        for name, judgement in (
            ("0", Judgement.CORRECT),
            ("0", Judgement.INCORRECT),
            ("1", Judgement.CORRECT),
            ("2", Judgement.INCORRECT),
        )
    ]
    result = calibrate_items(items, judged)
    whole = result.reliability[0]
    assert (result.disputed, whole.labels, whole.correct, whole.open) == (1, 2, 1, 1)


def test_a_perfect_judge_and_a_coin() -> None:
    rng = np.random.default_rng(1)
    labels = [bool(label) for label in rng.random(400) < 0.7]
    perfect = calibration(labels, ["accepted" if label else "rejected" for label in labels])
    assert perfect.reliability[0].kappa.value == 1
    assert perfect.rates[0].corrected == pytest.approx(np.mean(labels))
    coin = calibration(labels, ["accepted" if toss else "rejected" for toss in rng.random(400) < 0.5])
    kappa = coin.reliability[0].kappa
    assert kappa.interval is not None
    assert kappa.interval.low < 0 < kappa.interval.high
    rate = coin.rates[0]
    assert rate.interval is None or rate.interval.high - rate.interval.low > 0.8


def test_too_few_labels_give_no_headline() -> None:
    labels, verdicts = [True, False] * 6, ["accepted", "rejected"] * 6
    assert calibration(labels, verdicts, least=12).rates[0].corrected is not None
    few = calibration(labels, verdicts, least=13)
    assert few.rates[0].corrected is None
    assert "at least 13 are needed" in str(few.tables()[1])


def test_parts_are_pronouns_and_categories() -> None:
    result = calibration([True, False] * 5, ["accepted", "rejected"] * 5, category="event")
    assert [row.part for row in result.reliability] == ["all", "it", "category event"]
    assert result.reliability[2].labels == 5
    assert result.reliability[2].sensitivity is None


def test_the_interval_covers_the_true_rate() -> None:
    """95 % of simulated campaigns, within what 400 of them can show."""
    rng = np.random.default_rng(2)
    for true, q1, q0 in ((0.8, 0.9, 0.7), (0.6, 0.7, 0.6), (0.95, 0.85, 0.8)):
        covered = 0
        for _ in range(400):
            correct = rng.random(600) < true
            accepts = np.where(correct, rng.random(600) < q1, rng.random(600) >= q0)
            labelled = slice(0, 150)
            ones = int(correct[labelled].sum())
            sensitivity = float(accepts[labelled][correct[labelled]].mean()), ones
            specificity = float((~accepts[labelled][~correct[labelled]]).mean()), 150 - ones
            _, around = corrected_rate(
                float(accepts.mean()), 600, sensitivity=sensitivity, specificity=specificity, level=0.95
            )
            covered += around is None or around.low <= true <= around.high
        assert covered / 400 > 0.92


def test_the_command_compares_all_sources(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    columns = "system\tsegment\ttoken\tpronoun\toutcome\t{}\n"
    names = [f"{metric}{part}" for metric in ("accept", "judge") for part in ("", "_verdict", "_reason")]
    rows = ["a\t0\t0\tit\tidentical\t0.9\taccepted\tfine\t1.0\taccepted\tfits\n"]
    rows.append("a\t1\t0\tit\tidentical\t0.9\taccepted\tfine\t0.0\trejected\tdoes not\n")
    (tmp_path / "items.tsv").write_text(columns.format("\t".join(names)) + "".join(rows))
    judged = "system\tsegment\ttoken\tjudgement\na\t0\t0\tcorrect\na\t1\t0\tincorrect\n"
    (tmp_path / "judged.tsv").write_text(judged)
    command = [
        "judge",
        "calibrate",
        str(tmp_path / "items.tsv"),
        "--judgements",
        str(tmp_path / "judged.tsv"),
    ]
    assert main(command) == 0
    shown = capsys.readouterr().out
    assert "accept" in shown
    assert "judge" in shown
    assert "no corrected rate: 2 labels" in shown
    assert main([*command, "--json"]) == 0


def test_items_without_verdicts_are_refused() -> None:
    with pytest.raises(UserError, match="has verdicts"):
        calibrate_items({}, [])
