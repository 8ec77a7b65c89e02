"""The exported tasks run in lm-evaluation-harness itself, with a tiny model, and its samples come back."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from anaphor.bench.export import export_lm_eval
from anaphor.bench.items import BenchOutcome
from anaphor.bench.scores import judge_scores, read_scores
from tests.bench.test_scores import BENCH

#: What `lm_eval run --include_path DIR --log_samples` does, without the scan of its 13,000 tasks. The model
#: knows how often letters follow each other in the texts of the tasks; torch is not needed for it.
PROGRAM = """
import math, sys
from collections import Counter
from pathlib import Path
from lm_eval import simple_evaluate
from lm_eval.api.model import LM
from lm_eval.loggers import EvaluationTracker
from lm_eval.tasks import TaskManager

tasks, output = sys.argv[1:]
text = Path(tasks, "items.jsonl").read_text()
pairs, letters = Counter(zip(text, text[1:])), Counter(text)

class Letters(LM):
    def loglikelihood(self, requests):
        def log_probability(context, continuation):
            found = zip(context[-1:] + continuation, continuation)
            return sum(math.log((1 + pairs[pair]) / (99 + letters[pair[0]])) for pair in found)
        return [(log_probability(*request.args), False) for request in requests]
    def loglikelihood_rolling(self, requests):
        raise NotImplementedError
    generate_until = loglikelihood_rolling

found = simple_evaluate(
    model=Letters(), bootstrap_iters=0, log_samples=True, tasks=["anaphor_mine", "anaphor_mine_sentence"],
    task_manager=TaskManager(include_path=tasks, include_defaults=False),
)
samples = found.pop("samples")
tracker = EvaluationTracker(output_path=output)
tracker.save_results_aggregated(results=found, samples=samples)
for name in found["configs"]:
    tracker.save_results_samples(task_name=name, samples=samples[name])
"""


@pytest.mark.slow  # the harness takes seconds to start, and nothing less shows that it takes the files
def test_the_harness_runs_the_exported_tasks_and_its_samples_come_back(tmp_path: Path) -> None:
    pytest.importorskip("lm_eval", reason="the test runs lm-evaluation-harness; pip install lm-eval")
    export_lm_eval(BENCH, tmp_path / "tasks")
    quiet = {"HF_HOME": str(tmp_path / "cache"), "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path / "tasks"), str(tmp_path / "out")],
        env=os.environ | quiet,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    (aggregated,) = (tmp_path / "out").rglob("results_*.json")
    results = json.loads(aggregated.read_text())["results"]
    for task in ("anaphor_mine", "anaphor_mine_sentence"):
        (samples,) = (tmp_path / "out").rglob(f"samples_{task}_2*.jsonl")
        found = read_scores(samples, BENCH)
        assert (found.format, found.higher_is_better) == ("lm-eval", True)
        assert len(set(found.values)) == len(found.values)  # no ties, so that the harness counts as we do
        right = judge_scores(BENCH, found).count(BenchOutcome.RIGHT)
        assert results[task]["acc,none"] == pytest.approx(right / len(BENCH.items))
