"""Starting is cheap: what an import or a help text loads. Seconds are measured in benchmarks/start."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = {"numpy", "sacrebleu", "snowballstemmer", "lxml", "regex", "importlib.metadata"}


def modules_after(code: str) -> set[str]:
    program = f"{code}\nimport json, sys\nprint('\\n' + json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_importing_anaphor_loads_nothing_heavy() -> None:
    loaded = modules_after("import anaphor")
    assert not loaded & HEAVY
    assert {name for name in loaded if name.startswith("anaphor")} == {
        "anaphor",
        "anaphor.core",
        "anaphor.core.lazy",
    }


@pytest.mark.parametrize("arguments", [["--help"], ["score", "--help"], ["--version"]])
def test_help_loads_nothing_heavy(arguments: list[str]) -> None:
    code = f"""
from anaphor.cli.main import main
try:
    main({arguments!r})
except SystemExit:
    pass
"""
    loaded = modules_after(code)
    assert not loaded & HEAVY
    assert "anaphor.predict.detector" not in loaded


@pytest.mark.parametrize(("argument", "most"), [("--version", 14), ("--help", 14), ("score", 30)])
def test_starting_loads_few_of_our_modules(argument: str, most: int) -> None:
    """Modules stand for time, which a busy machine makes unreliable: each costs about a millisecond."""
    arguments = [argument, "--help"] if argument == "score" else [argument]
    code = f"from anaphor.cli.main import main\ntry:\n    main({arguments!r})\nexcept SystemExit:\n    pass\n"
    loaded = {name for name in modules_after(code) if name.partition(".")[0] == "anaphor"}
    assert len(loaded) <= most, sorted(loaded)


def test_scoring_without_the_detector_does_not_load_it() -> None:
    """An experiment imports it where a metric wants it, so that no other run waits for it."""
    code = """
from anaphor.core import Settings
from anaphor.corpus import Inputs, Text
from anaphor.evaluation.experiment import Experiment

settings = Settings(pair="en-de", metrics=("accept",), options={"accept_detector": "ignore"})
text = Text.of(["It works ."], path="x")
assert Experiment.of(Inputs(text, (), {"x": text}), settings).networks.detector() is None
"""
    assert not {name for name in modules_after(code) if name.startswith("anaphor.predict.detector")}


def test_lists_do_without_numpy() -> None:
    assert "numpy" not in modules_after("from anaphor.cli.main import main\nassert main(['list']) == 0")


def test_an_experiment_of_built_in_parts_reads_no_entry_points() -> None:
    code = """
from anaphor.core import Settings
from anaphor.corpus import Inputs, Text
from anaphor.evaluation.experiment import Experiment

text = Text.of(["It works ."], path="x")
Experiment.of(Inputs(text, (text,), {"x": text}), Settings(pair="en-de"))
"""
    assert "importlib.metadata" not in modules_after(code)
