"""How long it takes to train anaphor-2 on this machine, from a few steps of it.

    python benchmarks/predict-neural/training.py ARRAYS --pieces pieces.json [--steps 60] [--write]

ARRAYS and pieces are those of `tools/train_anaphor2.py`. A fresh network learns for so many steps; places of
text that it went through in a second tell how long it would take to go through as many as the one that ships
did. Writes results/training.json.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from anaphor.predict.anaphor2.torch_network import TorchNetwork
from anaphor.predict.anaphor2.training import Phase, Trainer
from anaphor.predict.anaphor2.windows import LONGEST
from tools.train_anaphor2 import joined, load, shape_of

#: What the network that ships went through: steps of so many windows.
STEPS, BATCH = 35_000, 256
#: Windows of a step on a processor, so that some steps end in minutes. Muon's own work is the same for every
#: step, so that a place of a large one would be somewhat cheaper.
SMALL = 16


def measure(options: argparse.Namespace) -> dict[str, float | str]:
    pieces = tuple(json.loads(options.pieces.read_text(encoding="utf-8")))
    device = "cuda" if torch.cuda.is_available() else "cpu"
    batch = BATCH if device == "cuda" else SMALL
    corpus = joined([load(path) for path in sorted(options.arrays.glob("*.train.npz"))])
    trainer = Trainer(
        TorchNetwork(shape_of(pieces)),
        corpus,
        pieces=pieces,
        device=device,
        seed=1,
    )
    trainer.run(Phase(steps=5, batch=batch))  # compilation is not counted
    began = time.monotonic()
    trainer.run(Phase(steps=options.steps, batch=batch))
    places = options.steps * batch * LONGEST / (time.monotonic() - began)
    return {
        "device": device,
        "cores": os.cpu_count() or 0,
        "steps": options.steps,
        "windows_a_step": batch,
        "places_a_second": round(places),
        "hours_for_the_model_that_ships": round(STEPS * BATCH * LONGEST / places / 3600, 1),
        "load": round(os.getloadavg()[0], 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="How long training takes here.")
    parser.add_argument("arrays", type=Path)
    parser.add_argument("--pieces", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--write", action="store_true", help="keep the result under results/")
    options = parser.parse_args()
    text = json.dumps(measure(options), indent=1)
    print(text)
    if options.write:
        path = Path(__file__).parent / "results" / "training.json"
        path.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
