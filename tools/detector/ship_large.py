"""Make the file of the large detector's adapter from what the teacher learned.

    python -m tools.detector.ship_large READ/adapter.pt --packed TEXTS --odds READ/read.npy

TEXTS is the folder of `pack.py teacher` that the teacher read, and `read.npy` has its log odds of judged
documents that it had not seen. With them and those of the small detector (`--small`, which `ship.py` writes)
two numbers per language are fitted that put the teacher on the scale of the small one: each is turned into a
probability by a logistic regression on the verdicts, and numbers that mean the same probability are mapped
onto each other. The weights of the verdict then hold for either. What the large detector said of judged
documents is written on this scale too, for `benchmarks/verdict/witnesses.py`.
"""

from __future__ import annotations

import argparse
import gzip
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from anaphor.predict.detector.large.adapter import AdapterCard, Scale, write_adapter
from anaphor.predict.detector.large.gguf import BASES
from anaphor.predict.detector.large.text import LANGUAGES, TEMPLATE
from tools.detector.compact import expand
from tools.detector.ship import held_out_file
from tools.distributions import ROOT

FOLDER = ROOT / "models" / "detector-large"
#: The teacher's changes are multiplied by alpha / rank, and its alpha is twice the rank.
_FACTOR = 2.0
#: Strength of the penalty on the slope of a regression; Spanish has few errors.
_PENALTY = 1.0

Numbers = NDArray[Any]


def logistic(values: Numbers, labels: Numbers) -> tuple[float, float]:
    """Slope and intercept of the log odds of a label, by Newton's method."""
    design = np.stack([values, np.ones_like(values)], axis=1)
    weights = np.zeros(2)
    penalty = np.diag([_PENALTY, 0.0])
    for _ in range(50):
        shares = 1 / (1 + np.exp(-design @ weights))
        slope = design.T @ (labels - shares) - penalty @ weights
        curve = (design * (shares * (1 - shares))[:, None]).T @ design + penalty
        weights = weights + np.linalg.solve(curve, slope)
    return float(weights[0]), float(weights[1])


def scale_of(large: Numbers, small: Numbers, labels: Numbers) -> Scale:
    """The map of the large detector's log odds onto those of the small one that mean the same."""
    (one, first), (two, second) = logistic(large, labels), logistic(small, labels)
    if min(one, two) <= 0:
        raise SystemExit("a detector whose log odds do not rise with the share of errors has no scale")
    return Scale(round(one / two, 4), round((first - second) / two, 4))


def scales(packed: Path, odds: Path, small: Path) -> dict[str, Scale]:
    """The scale of every language, from judged pronouns that neither detector had seen."""
    table = np.load(packed / "pronouns.npz")
    names = (packed / "names.txt").read_text(encoding="utf-8").splitlines()
    with gzip.open(small, "rt", encoding="utf-8") as file:
        known = {
            name: float(value) for name, _, value in (line.rstrip("\n").rpartition("\t") for line in file)
        }
    values, labels = np.load(odds), table["y"]
    own = np.array([known.get(name.rpartition(":")[0], np.nan) for name in names])
    # Pronouns outside the judged documents have no log odds of either.
    usable = (labels >= 0) & (values != 0) & ~np.isnan(own)
    found = {}
    for number, language in enumerate(LANGUAGES):
        chosen = usable & (table["language"] == number)
        found[language] = scale_of(values[chosen].astype(float), own[chosen], labels[chosen].astype(float))
        print(language, int(chosen.sum()), "pronouns,", int(labels[chosen].sum()), "wrong,", found[language])
    return found


def write_held_out(packed: Path, odds: Path, scales: Mapping[str, Scale]) -> None:
    """What the large detector said of documents that it had not seen, on the scale of the small one."""
    languages = np.load(packed / "pronouns.npz")["language"].tolist()
    names = (packed / "names.txt").read_text(encoding="utf-8").splitlines()
    with gzip.GzipFile(held_out_file().with_name("detector-large.tsv.gz"), "wb", mtime=0) as file:
        for name, language, value in zip(names, languages, np.load(odds).tolist(), strict=True):
            if value:
                scale = scales[LANGUAGES[language]]
                file.write(f"{name.rpartition(':')[0]}\t{scale.factor * value + scale.offset:.3f}\n".encode())


def frame_of(packed: Path) -> tuple[tuple[int, ...], ...]:
    """The pieces around the texts by their numbers in the whole vocabulary.

    They are not always those of the tokenizer: packing may have made rare ones unknown.
    """
    lines, ids = expand(packed), np.load(packed / "ids.npy")
    ends = np.cumsum(lines["lengths"][: len(TEMPLATE)].astype(np.int64))
    parts = np.split(lines["pieces"][: ends[-1]], ends[:-1])
    return tuple(tuple(ids[part].tolist()) for part in parts)


def arrays_of(state: Mapping[str, torch.Tensor]) -> dict[str, Numbers]:
    """What the teacher learned, as the adapter's file names it."""
    arrays = {}
    for name, value in state.items():
        array = value.float().numpy()
        arrays[name.removeprefix("decoder.")] = array * _FACTOR if name.endswith(".b") else array
    return arrays


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("adapter", type=Path, help="adapter.pt of teacher.py")
    parser.add_argument("--packed", type=Path, required=True, help="folder of pack.py teacher")
    parser.add_argument("--odds", type=Path, required=True, help="read.npy of teacher.py read")
    parser.add_argument(
        "--small", type=Path, default=held_out_file(), help="held-out odds of the small detector"
    )
    parser.add_argument("--card", type=Path, default=FOLDER / "card.toml", help="base, licence and data")
    parser.add_argument("--output", type=Path, default=FOLDER / "adapter.safetensors")
    options = parser.parse_args()
    about = tomllib.loads(options.card.read_text(encoding="utf-8"))
    found = scales(options.packed, options.odds, options.small)
    arrays = arrays_of(torch.load(options.adapter, map_location="cpu", weights_only=True))
    card = AdapterCard(
        about["base"],
        BASES[about["base"]].sha256,
        len(arrays["blocks.0.q.a"]),
        tuple(about["languages"]),
        frame_of(options.packed),
        about["licence"],
        tuple(about["data"]),
        found,
    )
    write_adapter(options.output, card, arrays)
    write_held_out(options.packed, options.odds, found)
    print(f"{options.output.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
