"""Train neural recipes on packs, many at once on one device, inside a time limit.

    PYTHONPATH=src python benchmarks/predict-neural/train_all.py PACK OUT --minutes 8 --workers 12

One job is a network of a recipe on the data of a pair with a seed. `OUT/runs.json` has the predicted labels
of every test part, `OUT/<job>.npz` the probabilities on development and test data, for `combine.py` and for
ensembles. Both are written as soon as a job ends: what is done when time is up is kept. Needs torch and NumPy
alone.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from mps import shared_device
from packing import read_pack

RECIPES = (
    "turku-2016",
    "turku-2016-contrastive",
    "turku-2017",
    "ukyoto-2016",
    "uppsala-2017",
    "uppsala-2017-contrastive",
    "nyu-2017",
    "nyu-2017-sentence",
    "nyu-2017-attention",
    "nyu-2017-source-attention",
    "uu-hardmeier-2016",
    "uu-hardmeier-2016-contrastive",
    "uu-hardmeier-2017",
)
#: Variants that are trained on some of the data alone.
PARTLY = dict.fromkeys(("nyu-2017-attention", "nyu-2017-source-attention"), ("en-fr.2016", "en-de.2016"))
#: What a job takes in proportion to the others.
COST = {
    "neural/nyu": 2.0,
    "neural/turku": 1.5,
    "neural/uppsala": 1.2,
    "neural/ukyoto": 1.0,
    "neural/convolution": 0.5,
    "neural/latent": 0.4,
}
RESERVE = 25.0  # seconds at the end that are for predicting and writing
BESIDES = 8.0  # seconds of a job that are not training


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One network: `member` counts those of a recipe that has several."""

    recipe: str
    member: int
    settings: dict[str, Any]
    data: str
    seed: int
    minutes: float = 0.0

    @property
    def name(self) -> str:
        return f"{self.recipe}.{self.member}.{self.data}.{self.seed}"


def main() -> None:
    options = _options()
    options.out.mkdir(parents=True, exist_ok=True)
    end = time.time() + 60 * options.minutes
    jobs = sorted(_jobs(options), key=lambda job: (-job.seed, COST[job.settings["family"]]), reverse=True)
    jobs = list(_limited(jobs, seconds=60 * options.minutes - RESERVE, workers=options.workers))
    print(f"{len(jobs)} jobs, {options.workers} workers", flush=True)
    with shared_device(wanted=options.device != "cpu" and options.workers > 1 and not options.take_turns):
        _run(jobs, options, end)


def _run(jobs: Sequence[Job], options: argparse.Namespace, end: float) -> None:
    """Each worker is a pool of its own: what ends one of them, or its device, does not end the others."""
    runs: list[dict[str, Any]] = []
    failures: list[str] = []
    waiting = list(jobs)
    pools = [_pool() for _ in range(options.workers)]
    at_work: dict[Future[Any], int] = {}
    idle = list(range(options.workers))
    while (waiting or at_work) and time.time() < end + RESERVE:
        while idle and waiting:
            number = idle.pop()
            future = pools[number].submit(
                _work, waiting.pop(0), options.pack, options.out, options.device, end
            )
            at_work[future] = number
        done, _ = wait(at_work, timeout=2, return_when=FIRST_COMPLETED)
        for future in done:
            number = at_work.pop(future)
            idle.append(number)
            if not _collect(future, runs, failures):
                pools[number].shutdown(wait=False)
                pools[number] = _pool()
        if done:
            _write(options.out / "runs.json", runs, failures)
    for pool in pools:
        for process in list((getattr(pool, "_processes", None) or {}).values()) if at_work else []:
            process.terminate()  # time is up: what these were at is lost, all else is written
        pool.shutdown(wait=not at_work)
    print(
        f"{len(runs)} runs, {len(failures)} failures, {len(waiting) + len(at_work)} jobs not done", flush=True
    )


def _pool() -> ProcessPoolExecutor:
    return ProcessPoolExecutor(1, mp_context=get_context("spawn"))


def _collect(future: Future[Any], runs: list[dict[str, Any]], failures: list[str]) -> bool:
    """Keep what a job found, or what went wrong; whether its process is fit for another one."""
    found = future.result() if future.exception() is None else repr(future.exception())
    if isinstance(found, str):
        failures.append(found)
        print(found, flush=True)
        return False
    runs.extend(found)
    return True


def _write(path: Path, runs: list[dict[str, Any]], failures: list[str]) -> None:
    content = {"format": 1, "made_by": "benchmarks/predict-neural/train_all.py", "runs": runs}
    temporary = path.with_suffix(".tmp")
    temporary.write_text(json.dumps({**content, "failures": failures}, ensure_ascii=False), encoding="utf-8")
    temporary.replace(path)


def _jobs(options: argparse.Namespace) -> Iterator[Job]:
    """The neural networks of every recipe on every pair it was submitted for that has a pack."""
    from anaphor.recipes.recipe import load_recipe

    there = {path.name.removesuffix(".json") for path in options.pack.glob("*.json")}
    for name in options.recipes:
        recipe = load_recipe(name)
        data = [f"{pair}.2016" for pair in recipe.pairs] + ["en-fr.2015"]
        networks = list(recipe.settings.get("members", [recipe.settings]))
        for number, settings in enumerate(networks):
            if settings["family"].startswith("neural/"):
                for one in PARTLY.get(name, data):
                    if one in there and (not options.data or one in options.data):
                        for seed in options.seeds:
                            yield Job(recipe=name, member=number, settings=settings, data=one, seed=seed)


def _limited(jobs: Sequence[Job], *, seconds: float, workers: int) -> Iterator[Job]:
    """Each job with its part of the time of all workers, in proportion to its cost."""
    total = sum(COST[job.settings["family"]] for job in jobs)
    time_of_all = max(seconds * workers / 4, seconds * workers - BESIDES * len(jobs))
    for job in jobs:
        part = time_of_all * COST[job.settings["family"]] / total
        yield replace(job, minutes=min(seconds, part) / 60)


def _work(job: Job, pack: Path, out: Path, device: str, end: float) -> list[dict[str, Any]] | str:
    """The runs of a job, one for each test part, or what went wrong."""
    try:
        return _trained(job, pack, out, device, end)
    except Exception:  # noqa: BLE001  (one job must not end the others)
        return f"{job.name}: {traceback.format_exc()}"


def _trained(job: Job, pack: Path, out: Path, device: str, end: float) -> list[dict[str, Any]]:
    import torch

    from anaphor.core import LanguagePair
    from anaphor.predict.contract import ModelCard
    from anaphor.predict.families import build_predictor
    from anaphor.recipes.neural.model import NeuralPredictor
    from anaphor.task.classes import task_classes

    torch.set_num_threads(1)
    left = (end - RESERVE - time.time()) / 60
    if left < 0.05:
        return []
    facts = json.loads((pack / f"{job.data}.json").read_text(encoding="utf-8"))
    run_options = {"device": device, "minutes": min(left, job.minutes)}
    settings = {
        **job.settings,
        "name": job.recipe,
        "options": {**job.settings.get("options", {}), **run_options},
    }
    predictor = build_predictor(settings)
    if not isinstance(predictor, NeuralPredictor):
        raise TypeError(job.name)
    classes = task_classes(LanguagePair.parse(facts["pair"]), year=facts["year"])
    card = ModelCard(
        recipe=predictor.recipe,
        family=predictor.family,
        version=predictor.version,
        pair=str(classes.pair),
        year=classes.year,
        forms=facts["style"] == 2015,
        classes=classes.classes,
        options=dict(predictor.settings),
        trained_on={"slots": facts["slots"]["train"]},
    )
    train, dev = (read_pack(pack / f"{job.data}.{part}.xz")[0] for part in ("train", "dev"))
    begun, steps = time.monotonic(), [""]
    model = predictor.fit_contexts(
        train, dev, card=card, seed=job.seed, progress=lambda step, _: steps.append(step)
    )
    seconds = time.monotonic() - begun
    arrays = {"dev": model.probabilities(dev).astype(np.float16)}
    runs = []
    for path in sorted(pack.glob(f"{job.data}.te*.xz")):
        part, begun = path.name.split(".")[2], time.monotonic()
        contexts, lines = read_pack(path)
        found = model.probabilities(contexts)
        arrays[part] = found.astype(np.float16)
        runs.append(
            {
                "recipe": job.recipe,
                "variant": "" if job.member == 0 else f"network {job.member} alone",
                "pair": facts["pair"],
                "style": facts["style"],
                "year": facts["year"],
                "train_slots": facts["slots"]["train"],
                "test": part,
                "seed": job.seed,
                "labels": _labels(found.argmax(axis=1), lines, facts["classes"]),
                "seconds": {"train": round(seconds, 1), "predict": round(time.monotonic() - begun, 2)},
                "note": f"{steps[-1]} was the last begun",
            }
        )
    np.savez_compressed(out / f"{job.name}.npz", **arrays)  # type: ignore[arg-type]
    right = arrays["dev"].argmax(axis=1) == dev.slots.label
    print(f"{job.name}: {right.mean():.3f} on dev, {steps[-1]}, {seconds:.0f} s", flush=True)
    return runs


def _labels(found: np.ndarray[Any, Any], lines: Sequence[int], classes: Sequence[str]) -> list[str]:
    """The labels of every line of the file, as text."""
    rest = iter(found.tolist())
    return [" ".join(classes[next(rest)] for _ in range(count)) for count in lines]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Train neural recipes on packs.")
    parser.add_argument("pack", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--minutes", type=float, default=8.0, help="time of the whole")
    parser.add_argument("--workers", type=int, default=min(12, os.cpu_count() or 1))
    parser.add_argument("--device", default="auto")
    parser.add_argument("--take-turns", action="store_true", help="try no multi-process service")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--recipes", nargs="+", default=RECIPES)
    parser.add_argument("--data", nargs="+", default=[], help="such as en-fr.2015; default: all packs")
    return parser.parse_args()


if __name__ == "__main__":
    main()
