"""The exported tasks run in lm-evaluation-harness itself, with a tiny GPT-2, and its samples come back."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from anaphor.bench.context import evaluate_context
from anaphor.bench.export import export_lm_eval
from anaphor.bench.items import BenchOutcome
from anaphor.bench.scores import evaluate_scores, judge_scores, read_scores
from tests.support.scores import BENCH

#: A GPT-2 of one layer with random weights and a tokenizer of bytes, made on the spot and loaded from its
#: folder as any model is. Then what `lm_eval run --model hf --include_path DIR --log_samples` does, without
#: the scan of its 13,000 tasks.
PROGRAM = """
import sys
import torch
from lm_eval import simple_evaluate
from lm_eval.loggers import EvaluationTracker
from lm_eval.tasks import TaskManager
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

tasks, model, output = sys.argv[1:]
alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
tokenizer = Tokenizer(models.BPE({sign: at for at, sign in enumerate([*alphabet, "<end>"])}, []))
tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
tokenizer.decoder = decoders.ByteLevel()
wrapped = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<end>", bos_token="<end>")
wrapped.save_pretrained(model)
torch.manual_seed(1)
config = GPT2Config(
    vocab_size=len(alphabet) + 1, n_positions=1024, n_embd=32, n_layer=1, n_head=2, initializer_range=1.0,
    bos_token_id=len(alphabet), eos_token_id=len(alphabet),
)
GPT2LMHeadModel(config).save_pretrained(model)

found = simple_evaluate(
    model="hf", model_args=f"pretrained={model}", device="cpu", batch_size=4, bootstrap_iters=0,
    log_samples=True, tasks=["anaphor_mine", "anaphor_mine_sentence"],
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
    for name in ("lm_eval", "transformers", "torch"):
        pytest.importorskip(name, reason="runs lm-evaluation-harness on a model: pip install 'lm-eval[hf]'")
    export_lm_eval(BENCH, tmp_path / "tasks")
    quiet = {"HF_HOME": str(tmp_path / "cache"), "HF_HUB_OFFLINE": "1", "CUDA_VISIBLE_DEVICES": ""}
    folders = [str(tmp_path / name) for name in ("tasks", "model", "out")]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *folders], env=os.environ | quiet, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    (aggregated,) = (tmp_path / "out").rglob("results_*.json")
    results = json.loads(aggregated.read_text())["results"]
    scores = {}
    for task in ("anaphor_mine", "anaphor_mine_sentence"):
        (samples,) = (tmp_path / "out").rglob(f"samples_{task}_2*.jsonl")
        scores[task] = found = read_scores(samples, BENCH)
        assert (found.format, found.higher_is_better) == ("lm-eval", True)
        assert len(set(found.values)) == len(found.values)  # no ties, so that the harness counts as we do
        right = judge_scores(BENCH, found).count(BenchOutcome.RIGHT)
        assert results[task]["acc,none"] == pytest.approx(right / len(BENCH.items))
    # The two tasks are what `anaphor bench context` compares.
    named = dict(zip(("with", "without"), scores.values(), strict=True))
    context = evaluate_context(evaluate_scores(BENCH, named), scores=named)
    assert context.cxmi
