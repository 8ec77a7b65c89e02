"""Metrics declare their options once; the command line, settings, signatures and result files follow."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any

import pytest

from anaphor.cli.main import main
from anaphor.core import Files, InputError, OptionError, Settings, UnknownNameError
from anaphor.core.options import MetricOption
from anaphor.core.registry import Registry
from anaphor.evaluation.experiment import Experiment
from anaphor.evaluation.pipeline import evaluate_experiment
from anaphor.metrics import METRICS
from anaphor.metrics.contract import check_options
from anaphor.metrics.options import BUILT_IN_OPTIONS, known_options, option_value
from anaphor.report.result_file import read_result, settings_content
from anaphor.scoring.verification import verify

DOCS = Path(__file__).parents[2] / "docs" / "metrics"


PLUGIN = '''
import numpy as np
from anaphor.core import Counts
from anaphor.core.options import MetricOption
from anaphor.metrics import Metric


class Share(Metric):
    """The share of candidate lines with a word, raised to a power."""

    name = "word-share"
    pronominal = False
    depends = frozenset()
    options = (
        MetricOption(name="word", type=str, default="il", help="100 % of the word"),
        MetricOption(name="power", type=float, default=1.0, help="exponent"),
        MetricOption(name="skip-first", type=bool, default=False, help="leave the first line out"),
    )

    def __init__(self, word, power, skip):
        self.word, self.power, self.skip = word, power, skip

    @classmethod
    def build(cls, context):
        values = context.values(cls)
        return cls(values["word"], values["power"], values["skip-first"])

    def settings(self):
        return {"made": "here"}

    def count(self, trial):
        rows = [[self.word in line.lower().split(), 1] for line in trial.candidate]
        if self.skip:
            rows[0] = [0, 0]
        return Counts(("found", "lines"), np.array(rows, float))

    def value(self, totals):
        return (totals[..., 0] / totals[..., 1]) ** self.power

    def details(self, totals):
        return {"found": float(totals[0])}
'''


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package with a metric, as pip would install it, and one whose metric cannot be imported."""
    site = tmp_path / "site"
    for name, code, target in [
        ("word_share_package", PLUGIN, "word-share = word_share_package:Share"),
        ("stray_package", "class Metric:\n    name = 'stray'", "stray = stray_package:Metric"),
        ("broken_package", "raise RuntimeError('broken')", "broken = broken_package:Metric"),
    ]:
        info = site / f"{name}-1.0.dist-info"
        info.mkdir(parents=True)
        (site / f"{name}.py").write_text(textwrap.dedent(code))
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[anaphor.metrics]\n{target}\n")
    monkeypatch.syspath_prepend(site)
    # The registry reads entry points once; for this test it starts anew, and ends as it was.
    fresh: Registry[object] = Registry("metric", {name: METRICS.target(name) for name in METRICS})
    for attribute, value in vars(fresh).items():
        monkeypatch.setattr(METRICS, attribute, value)


@pytest.fixture
def texts(tmp_path: Path) -> Files:
    for name, lines in {
        "src": "it works\nit sleeps\nit falls\n",
        "ref": "il marche\nil dort\nelle tombe\n",
        "cand": "il marche\nelle dort\nil tombe\n",
    }.items():
        (tmp_path / name).write_text(lines)
    return Files(
        source=str(tmp_path / "src"),
        references=(str(tmp_path / "ref"),),
        candidates=(("cand", str(tmp_path / "cand")),),
    )


def command(texts: Files, *more: str) -> list[str]:
    source, reference = str(texts.source), texts.references[0]
    files = ["--source", source, "--reference", reference, "--candidate", texts.candidates[0][1]]
    return ["score", "--pair", "en-fr", *files, "--samples", "0", *more]


@pytest.mark.parametrize("name", [name for name in METRICS if METRICS.is_built_in(name)])
def test_built_in_options_are_declared_where_help_finds_them(name: str) -> None:
    assert METRICS.get(name).options == BUILT_IN_OPTIONS.get(name, ())
    pages = [page.read_text(encoding="utf-8") for page in DOCS.glob("*.md")]
    (page,) = [text for text in pages if f"`{name}`" in text.partition("\n")[0]]
    for option in BUILT_IN_OPTIONS.get(name, ()):
        assert f"--{option.name}" in page, f"the page of {name} does not describe --{option.name}"


def test_a_metric_of_another_package_has_options_everywhere(
    plugin: None, texts: Files, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "result.json"
    chosen = ["--metrics", "word-share", "--word-share-word", "elle", "--word-share-power", "2"]
    assert main(command(texts, *chosen, "--output", str(path))) == 0
    assert "word-share|word:elle|power:2|skip-first:False|made:here|pair:en-fr" in capsys.readouterr().out
    stored = read_result(path)
    assert stored.settings.options == {"word_share_word": "elle", "word_share_power": 2.0}
    assert stored.content["settings"]["metric_options"] == stored.settings.options
    assert stored.content["systems"][0]["metrics"][0]["score"] == pytest.approx(1 / 9)
    assert verify(str(path)).differences == ()
    again = Settings(
        pair="en-fr", metrics=("word-share",), samples=0, options={"word_share_skip_first": True}
    )
    assert evaluate_experiment(Experiment.read(texts, again)).systems[0].scores[0].value == 0.5


def test_a_metric_must_inherit_from_the_contract(
    plugin: None, texts: Files, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command(texts, "--metrics", "stray")) == 1
    error = capsys.readouterr().err
    assert "stray does not inherit from anaphor.metrics.Metric" in error
    assert "stray_package:Metric" in error


def test_help_shows_options_of_the_metrics_that_are_named(
    plugin: None, capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments, shown in [(["--metrics", "word-share"], True), ([], False)]:
        with pytest.raises(SystemExit):
            main(["score", *arguments, "--help"])
        out = capsys.readouterr().out
        assert ("--word-share-power" in out) is shown
        assert ("100 % of the word (default il)" in " ".join(out.split())) is shown
        assert "--weights" in out


def test_a_broken_package_does_not_affect_others(
    plugin: None, texts: Files, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command(texts, "--metrics", "word-share", "apt")) == 0
    assert main(command(texts, "--metrics", "broken")) == 1
    error = capsys.readouterr().err
    assert "the metric broken cannot be loaded: broken" in error
    assert "broken_package:Metric" in error
    assert {"broken", "word-share", "apt"} <= set(METRICS)


@pytest.mark.parametrize(
    ("options", "problem", "where"),
    [
        ({"weights": (1, 2, 0, 0, 0, 0)}, "not six weights between 0 and 1", "--weights"),
        ({"weights": (1, 0.5)}, "not six weights", "--weights"),
        ({"weights": "1,0.5,0,0,0,0"}, "not a value of type a list of float", "--weights"),
        ({"weights": (1, True, 0, 0, 0, 0)}, "not a value of type a list of float", "--weights"),
        ({"discard": (7,)}, r"cannot discard the cases \[7\]", "--discard"),
        ({"discard": (1, 2, 3, 4, 5, 6)}, "cannot discard", "--discard"),
        ({"discard": (1.5,)}, "not a value of type a list of int", "--discard"),
        ({"other": "equal"}, "unknown value: equal", "--other"),
        ({"clip": 3}, "unknown value: 3", "--clip"),
        ({"clip": "never"}, "unknown value: never", "--clip"),
    ],
)
def test_values_that_make_no_sense_are_refused(options: dict[str, Any], problem: str, where: str) -> None:
    with pytest.raises(OptionError, match=problem) as caught:
        check_options(Settings(pair="en-fr", options=options))
    assert str(caught.value.where) == where
    assert caught.value.fix


def test_an_option_that_no_metric_has_is_refused_with_a_suggestion() -> None:
    with pytest.raises(UnknownNameError, match="unknown option: wieghts") as caught:
        check_options(Settings(pair="en-fr", options={"wieghts": (1, 1, 0, 0, 0, 0)}))
    assert "did you mean weights?" in caught.value.fix


def test_options_given_by_name_and_as_a_mapping_are_the_same() -> None:
    by_name = Settings.of(pair="en-fr", clip="corpus")
    assert by_name == Settings(pair="en-fr", options={"clip": "corpus"}) != Settings(pair="en-fr")
    assert option_value(by_name, "clip") == "corpus"
    assert option_value(by_name, "other") == "different"
    assert hash(by_name) == hash(Settings(pair="en-fr"))
    assert set(known_options()) >= {"weights", "discard", "other", "clip"}


def test_how_values_are_written_and_signed() -> None:
    cases = MetricOption(name="c", type=int, many=True, unordered=True, default=(), help="")
    assert (cases.parse("6,5"), cases.signed((6, 5)), cases.signed(())) == ((6, 5), "5,6", "none")
    numbers = MetricOption(name="n", type=float, many=True, default=(), help="")
    assert (numbers.parse("1,.5"), numbers.signed((1.0, 0.5))) == ((1.0, 0.5), "1,0.5")
    assert numbers.checked([1, 0.5]) == (1, 0.5)
    with pytest.raises(ValueError, match="could not convert"):
        numbers.parse("1,x")


def test_a_result_file_of_another_version_may_not_lack_or_forge_options(texts: Files, tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    assert main(command(texts, "--output", str(path), "--discard", "6,5")) == 0
    content = json.loads(path.read_text())
    assert content["settings"]["discard"] == [6, 5]
    for key in known_options():
        lacking = {name: value for name, value in content["settings"].items() if name != key}
        (tmp_path / "lacking.json").write_text(json.dumps({**content, "settings": lacking}))
        with pytest.raises(InputError, match=f"not a result file.*{key}"):
            read_result(tmp_path / "lacking.json")
    changes: list[dict[str, object]] = [{"clip": "all"}, {"weights": [1, 1]}, {"discard": "5"}]
    for change in changes:
        forged = tmp_path / "forged.json"
        forged.write_text(json.dumps({**content, "settings": {**content["settings"], **change}}))
        with pytest.raises(InputError, match="not a result file"):
            read_result(forged)


def test_a_result_has_every_setting_and_every_built_in_option() -> None:
    content = settings_content(Settings(pair="en-fr", options={"clip": "corpus"}))
    assert set(known_options()) < set(content)
    assert (content["clip"], content["other"], content["recognize"]) == ("corpus", "different", "analysis")
