"""lm-evaluation-harness on exported tasks with a small language model, and its samples read back.

    python benchmarks/llm/harness.py qwen2.5-coder-0.5b --items 50 --write

Exports a sample of a contrastive set (that of `contrastive.py`) as tasks, lets the harness compute the
log-probabilities of whole variants with and without context, and scores its samples as `anaphor bench score`
and `anaphor bench context` do. Needs lm-eval with its extra `hf`, and the packages of `torch_server.py`.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
os.environ["HF_HUB_OFFLINE"] = os.environ["HF_DATASETS_OFFLINE"] = "1"

import torch
from lm_eval import __version__, simple_evaluate
from lm_eval.loggers import EvaluationTracker
from lm_eval.tasks import TaskManager

from anaphor.bench.context import evaluate_context
from anaphor.bench.export import export_lm_eval
from anaphor.bench.scores import evaluate_scores, read_scores
from benchmarks.bench.scorers import figures
from benchmarks.llm.contrastive import benches
from benchmarks.llm.serve import MODELS, fetch
from benchmarks.llm.torch_server import converted

RESULTS = Path(__file__).parent / "results" / "harness.json"


def run_harness(tasks: Path, names: list[str], model: Path, output: Path) -> dict[str, Any]:
    """What `lm_eval run --model hf --log_samples` does, without the scan of its 13,000 tasks."""
    found = simple_evaluate(
        model="hf",
        model_args=f"pretrained={model},dtype=bfloat16",
        device="cpu",
        batch_size=4,
        bootstrap_iters=0,
        log_samples=True,
        tasks=names,
        task_manager=TaskManager(include_path=str(tasks), include_defaults=False),
    )
    samples = found.pop("samples")
    tracker = EvaluationTracker(output_path=str(output))
    tracker.save_results_aggregated(results=found, samples=samples)
    for name in found["configs"]:
        tracker.save_results_samples(task_name=name, samples=samples[name])
    return {name: found["results"][name] for name in names}


def measure(model: str, set_name: str, items: int, folder: Path) -> dict[str, Any]:
    known = benches()[set_name]
    bench = replace(known, name="sample", items=known.items[:items])
    began = time.process_time()
    with tempfile.TemporaryDirectory() as made:
        export_lm_eval(bench, Path(made) / "tasks")
        names = {"with": "anaphor_sample", "without": "anaphor_sample_sentence"}
        said = run_harness(
            Path(made) / "tasks", [*names.values()], converted(fetch(model, folder)), Path(made) / "out"
        )
        scores = {}
        for name, task in names.items():
            (samples,) = (Path(made) / "out").rglob(f"samples_{task}_2*.jsonl")
            scores[name] = read_scores(samples, bench)
    result = evaluate_scores(bench, scores)
    context = evaluate_context(result, scores=scores)
    (total,) = context.parts["total"]
    return {
        "harness": __version__,
        "items": len(bench.items),
        "hash": bench.hash,
        "chance": round(sum(1 / len(item.variants) for item in bench.items) / len(bench.items), 3),
        **{f"{name} context": figures(result, name) for name in names},
        **{f"{name} context, as the harness says": said[task]["acc,none"] for name, task in names.items()},
        "won by context": total.won,
        "lost by context": total.lost,
        "p": total.p_value,
        "cpu seconds": round(time.process_time() - began),
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("models", nargs="+", choices=sorted(MODELS))
    parser.add_argument("--items", type=int, default=50)
    parser.add_argument("--set", default="ContraPro")
    parser.add_argument("--folder", type=Path, default=Path("~/.cache/anaphor-llm"))
    parser.add_argument("--write", action="store_true", help="keep the figures in results/")
    options = parser.parse_args()
    torch.set_num_threads(1)
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for model in options.models:
        key = f"{options.set}, {model}"
        results[key] = measure(model, options.set, options.items, options.folder.expanduser())
        print(json.dumps({key: results[key]}, indent=1), flush=True)
        if options.write:
            RESULTS.parent.mkdir(exist_ok=True)
            RESULTS.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
