"""The large detector: a pretrained decoder that learns to tell wrong pronouns from right ones, by adapters.

    python tools/detector/teacher.py train PACKED BASE --output FOLDER [--minutes 6] [--resume]
    python tools/detector/teacher.py read PACKED BASE FOLDER --output FOLDER
    python tools/detector/teacher.py label PACKED BASE FOLDER --output logits.npy

PACKED is a folder of `pack.py`, BASE one of `base.py cut` with the same `ids.npy`. `train` goes over all
pronouns of known label outside the judged sets; `read` goes on with judged ones, five times, each time without
a fifth of the documents, which it then judges, and once with all of them; `label` gives log odds for every
pronoun. Every stage writes its figures to `figures.json`, and `--resume` goes on from the last state that was
saved.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

sys.path.insert(0, str(Path(__file__).parent))

from base import load
from compact import expand
from model import Decoder

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
LONGEST = 320
#: The most pieces of the sentence itself, on either side.
SENTENCE = 110
TOKENS = 32_768
FOLDS = 5
HEAD, TARGETS, END, LEFT, RIGHT, NEWLINE = 0, (1, 2, 3), 4, 5, 6, 7


class Pronouns:
    """Packed pronouns as sequences of ids."""

    def __init__(self, folder: Path, base: Path | None = None) -> None:
        lines = expand(folder)
        self._pieces = lines["pieces"].astype(np.int64)
        self._first: list[int] = []
        if base is not None:
            # The rows of the cut embedding that the ids of the whole vocabulary became.
            known = np.load(base / "vocabulary.npz")["ids"]
            ids = np.load(folder / "ids.npy").astype(known.dtype)
            if not np.isin(ids, known).all():
                raise ValueError(f"{base} was cut for other texts than {folder}")
            self._pieces = np.searchsorted(known, ids)[self._pieces]
            manifest = json.loads((base / "manifest.json").read_text())
            if manifest["config"]["kind"].startswith("gemma"):
                self._first = [manifest["special_rows"]["bos"]]
        self._starts = np.concatenate([[0], np.cumsum(lines["lengths"].astype(np.int64))])
        table = np.load(folder / "pronouns.npz")
        self.table = {name: table[name] for name in table.files}
        self._rows = np.stack(list(self.table.values()), axis=1)
        self.names = (folder / "names.txt").read_text(encoding="utf-8").splitlines()
        self.sets = json.loads((folder / "sets.json").read_text())
        self.label = self.table["y"].astype(np.float32)
        by_number = {number: name for name, number in self.sets.items()}
        self.set_of = [by_number[number] for number in self.table["set"].tolist()]
        self.is_judged = np.array([name.startswith("judged") for name in self.set_of])
        self.is_real = np.array([name.startswith(("judged", "marked")) for name in self.set_of])

    def __len__(self) -> int:
        return len(self.label)

    def _line(self, number: int) -> list[int]:
        found: list[int] = self._pieces[self._starts[number] : self._starts[number + 1]].tolist()
        return found

    def _marked(self, number: int, start: int, end: int) -> list[int]:
        """A sentence with its pronoun between marks, cut around it where it is long."""
        pieces = self._line(number)
        if start < 0:
            return pieces[:SENTENCE]
        marked = [*pieces[:start], *self._line(LEFT), *pieces[start:end], *self._line(RIGHT), *pieces[end:]]
        first = max(0, min(start - SENTENCE // 2, len(marked) - SENTENCE))
        return marked[first : first + SENTENCE]

    def sequence(self, n: int) -> np.ndarray:
        """The whole text of a pronoun: context and sentence, in both languages."""
        row = dict(zip(self.table, self._rows[n].tolist(), strict=True))
        source = self._marked(row["source"], row["sa"], row["sb"])
        target = self._marked(row["current"], row["ta"], row["tb"])
        newline = self._line(NEWLINE)
        frame = [self._first, self._line(HEAD), self._line(TARGETS[row["language"]]), self._line(END)]
        room = LONGEST - len(source) - len(target) - sum(map(len, frame))
        before: list[list[int]] = []
        before_target: list[list[int]] = []
        for back in range(1, row["before"] + 1):
            one, two = self._line(row["source"] - back), self._line(row["context"] - back)
            room -= len(one) + len(two) + 2 * len(newline)
            if room < 0:
                break
            before.insert(0, [*one, *newline])
            before_target.insert(0, [*two, *newline])
        pieces = [
            *frame[0],
            *frame[1],
            *(piece for line in before for piece in line),
            *source,
            *frame[2],
            *(piece for line in before_target for piece in line),
            *target,
            *frame[3],
        ]
        return np.array(pieces, dtype=np.int32)


_FUNCTION: list[Callable[[int], Any]] = []


def _call(number: int) -> Any:
    return _FUNCTION[-1](number)


def for_all(function: Callable[[int], Any], numbers: Iterable[int]) -> list[Any]:
    """What a function gives for each number, in all processes; they inherit the function and what it holds."""
    _FUNCTION.append(function)
    with get_context("fork").Pool() as pool:
        return pool.map(_call, numbers, chunksize=1000)


class Detector(nn.Module):
    """A decoder and a layer that reads its last state."""

    def __init__(self, base: Path, rank: int) -> None:
        super().__init__()
        config = json.loads((base / "manifest.json").read_text())["config"]
        self.decoder = Decoder(config, rank=rank, alpha=2 * rank)
        self.decoder.fill(load(base))
        self.first = nn.Linear(config["width"], 256)
        self.last = nn.Linear(256, 1)
        nn.init.zeros_(self.last.weight)

    def forward(self, rows: Tensor, ends: Tensor) -> Tensor:
        hidden = self.decoder(rows)[torch.arange(len(ends), device=rows.device), ends]
        found: Tensor = self.last(F.gelu(self.first(hidden.float())))[:, 0]
        return found

    def trained(self) -> dict[str, nn.Parameter]:
        return {name: value for name, value in self.named_parameters() if value.requires_grad}


def batches(
    sequences: Sequence[Sequence[int]], numbers: Sequence[int], rng: np.random.Generator | None
) -> Iterator[list[int]]:
    """Numbers of pronouns of like length, so that there is little padding; shuffled with a generator."""
    numbers = list(numbers)
    if rng is not None:
        rng.shuffle(numbers)
    pool = 64 * 128 if rng is not None else len(numbers)
    for start in range(0, len(numbers), pool):
        chunk = sorted(numbers[start : start + pool], key=lambda n: len(sequences[n]))
        found, batch, longest = [], [], 0
        for n in chunk:
            longest = max(longest, padded(len(sequences[n])))
            if batch and longest * (len(batch) + 1) > TOKENS:
                found.append(batch)
                batch, longest = [], padded(len(sequences[n]))
            batch.append(n)
        if batch:
            found.append(batch)
        if rng is not None:
            rng.shuffle(found)
        yield from found


def padded(length: int) -> int:
    return -(-length // 32) * 32


def tensors(sequences: Sequence[Sequence[int]], batch: Sequence[int]) -> tuple[Tensor, Tensor]:
    size = padded(max(len(sequences[n]) for n in batch))
    rows = np.zeros((len(batch), size), dtype=np.int64)
    for row, n in zip(rows, batch, strict=True):
        row[: len(sequences[n])] = sequences[n]
    ends = np.array([len(sequences[n]) - 1 for n in batch])
    return torch.from_numpy(rows).to(DEVICE, non_blocking=True), torch.from_numpy(ends).to(DEVICE, non_blocking=True)


def auc(values: np.ndarray, wrong: np.ndarray) -> float:
    order = values.argsort(kind="stable")
    ranks = np.empty(len(values))
    ranks[order] = np.arange(1, len(values) + 1)
    bad = wrong.sum()
    if not bad or bad == len(wrong):
        return float("nan")
    return float((ranks[wrong].sum() - bad * (bad + 1) / 2) / (bad * (len(wrong) - bad)))


@torch.no_grad()
def log_odds(model: Detector, sequences: Sequence[Sequence[int]], numbers: Sequence[int]) -> np.ndarray:
    model.eval()
    found = {}
    for batch in batches(sequences, numbers, None):
        for n, value in zip(batch, model(*tensors(sequences, batch)).tolist(), strict=True):
            found[n] = value
    return np.array([found[n] for n in numbers])


def figures(pronouns: Pronouns, numbers: np.ndarray, values: np.ndarray) -> dict[str, float]:
    """AUC by language, for all kinds and for each; of judged pronouns also by who read them."""
    wrong = pronouns.label[numbers] == 1
    table = {name: one[numbers] for name, one in pronouns.table.items()}
    readers = np.array([pronouns.names[n].rpartition(":")[2] for n in numbers])
    found = {}
    for language, code in enumerate(("de", "fr", "es")):
        here = table["language"] == language
        for reader in ("", "given", "ours"):
            chosen = here & ((readers == reader) if reader else True)
            if chosen.any():
                found[f"{code} {reader}".strip()] = round(auc(values[chosen], wrong[chosen]), 3)
        for kind, title in enumerate(("pronoun", "null subject", "noun", "adverb", "other", "nothing")):
            chosen = here & (table["kind"] == kind)
            if wrong[chosen].sum() >= 3:
                found[f"{code} {title}"] = round(auc(values[chosen], wrong[chosen]), 3)
    return found


def note(folder: Path, stage: str, found: dict[str, Any]) -> None:
    path = folder / "figures.json"
    known = json.loads(path.read_text()) if path.exists() else {}
    known[stage] = found
    path.write_text(json.dumps(known, indent=1) + "\n")
    print(stage, json.dumps(found), flush=True)


def save(model: Detector, path: Path) -> None:
    torch.save({name: value.detach().half().cpu() for name, value in model.trained().items()}, path)


def restore(model: Detector, path: Path) -> None:
    state = torch.load(path, map_location=DEVICE, weights_only=True)
    own = model.trained()
    with torch.no_grad():
        for name, value in state.items():
            own[name].copy_(value.float())


def optimizer_of(model: Detector, rate: float) -> torch.optim.Optimizer:
    return torch.optim.AdamW(
        model.trained().values(), lr=rate, betas=(0.9, 0.98), weight_decay=0.01, fused=True
    )


def step(model: Detector, optimizer: torch.optim.Optimizer, loss: Tensor) -> None:
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    nn.utils.clip_grad_norm_(model.trained().values(), 1.0)
    optimizer.step()


def train(options: argparse.Namespace, pronouns: Pronouns, sequences: Sequence[Sequence[int]], model: Detector) -> None:
    rng = np.random.default_rng(options.seed)
    known = np.flatnonzero((pronouns.label >= 0) & ~pronouns.is_real)
    # One example in fifty is kept apart, by document.
    apart = np.array([zlib.crc32(pronouns.names[n].partition(":")[0].encode()) % 50 == 0 for n in known])
    held, seen = known[apart][:4000], known[~apart]
    judged = np.flatnonzero(pronouns.is_judged & (pronouns.label >= 0))
    weight = torch.tensor([options.weight.get(name, 1.0) for name in pronouns.set_of]).to(DEVICE)
    labels = torch.from_numpy(pronouns.label).to(DEVICE)
    optimizer = optimizer_of(model, options.rate)
    average = {name: value.detach().clone() for name, value in model.trained().items()}
    start, done, number = time.time(), 0, 0
    limit = options.minutes * 60
    share, losses = 0.0, []
    model.train()
    while share < 1:
        for batch in batches(sequences, seen.tolist(), rng):
            share = (time.time() - start) / limit
            if share >= 1:
                break
            factor = min(1.0, (number + 1) / 100) * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * share)))
            for group in optimizer.param_groups:
                group["lr"] = options.rate * factor
            chosen = torch.tensor(batch).to(DEVICE)
            wanted = labels[chosen] * 0.96 + 0.02
            loss = F.binary_cross_entropy_with_logits(
                model(*tensors(sequences, batch)), wanted, weight=weight[chosen]
            )
            step(model, optimizer, loss)
            with torch.no_grad():
                torch._foreach_lerp_(list(average.values()), list(model.trained().values()), 1 - 0.995)
            losses.append(loss.detach())
            number, done = number + 1, done + len(batch)
            if number % 100 == 0:
                mean = torch.stack(losses[-100:]).mean().item()
                print(f"{number} steps, {done} pronouns, {time.time() - start:.0f} s, loss {mean:.4f}", flush=True)
            if number % options.every == 0:
                values = log_odds(model, sequences, judged.tolist())
                print(json.dumps(figures(pronouns, judged, values)), flush=True)
                model.train()
                save(model, options.output / "adapter.pt")
    with torch.no_grad():
        for name, value in model.trained().items():
            value.copy_(average[name])
    save(model, options.output / "adapter.pt")
    found: dict[str, Any] = {"steps": number, "pronouns": done, "seconds": round(time.time() - start)}
    found["held out"] = figures(pronouns, held, log_odds(model, sequences, held.tolist()))
    values = log_odds(model, sequences, judged.tolist())
    found["judged"] = figures(pronouns, judged, values)
    note(options.output, "train", found)


def document_of(name: str) -> str:
    """Part and document of a judged pronoun, the same for all systems."""
    return "/".join(name.rpartition(":")[0].split("/")[:2])


def read(options: argparse.Namespace, pronouns: Pronouns, sequences: Sequence[Sequence[int]], model: Detector) -> None:
    """Goes on with judged pronouns, held out by document."""
    judged = np.flatnonzero(pronouns.is_judged & (pronouns.label >= 0))
    all_of_parts = np.flatnonzero(pronouns.is_judged)
    folds = np.array([zlib.crc32(document_of(one).encode()) % FOLDS for one in pronouns.names])
    others = np.flatnonzero((pronouns.label >= 0) & ~pronouns.is_real)
    labels = torch.from_numpy(pronouns.label).to(DEVICE)
    first = {name: value.detach().clone() for name, value in model.trained().items()}
    values = np.zeros(len(pronouns), dtype=np.float32)
    for fold in (*range(FOLDS), None):
        with torch.no_grad():
            for name, value in model.trained().items():
                value.copy_(first[name])
        seen = judged[folds[judged] != fold] if fold is not None else judged
        rng = np.random.default_rng(1)
        optimizer = optimizer_of(model, options.rate)
        model.train()
        total = options.passes * math.ceil(len(seen) / 64)
        for number in range(total):
            for group in optimizer.param_groups:
                group["lr"] = options.rate * min(1.0, (number + 1) / 10) * (1 - number / total)
            # Half of every batch is what was learned before, so that it is not forgotten.
            batch = [*rng.choice(seen, 64, replace=False), *rng.choice(others, 64, replace=False)]
            wanted = labels[torch.tensor(batch).to(DEVICE)] * 0.9 + 0.05
            logits = model(*tensors(sequences, batch))
            step(model, optimizer, F.binary_cross_entropy_with_logits(logits, wanted))
        if fold is None:
            save(model, options.output / "adapter.pt")
            continue
        held = all_of_parts[folds[all_of_parts] == fold]
        values[held] = log_odds(model, sequences, held.tolist())
    np.save(options.output / "read.npy", values)
    note(options.output, "read", figures(pronouns, judged, values[judged]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("job", choices=("train", "read", "label"))
    parser.add_argument("packed", type=Path)
    parser.add_argument("base", type=Path)
    parser.add_argument("adapter", type=Path, nargs="?", help="a folder with adapter.pt to start from")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=6)
    parser.add_argument("--rate", type=float)
    parser.add_argument("--rank", type=int, default=32)
    parser.add_argument("--passes", type=int, default=2)
    parser.add_argument("--every", type=int, default=800, help="steps between two looks at judged pronouns")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--weight", type=lambda text: (text.split("=")[0], float(text.split("=")[1])), action="append")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--compile", action="store_true")
    options = parser.parse_args()
    options.rate = options.rate or {"train": 4e-4, "read": 1e-4}.get(options.job)
    options.weight = dict(options.weight or ())
    options.output.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(options.seed)
    torch.backends.cuda.matmul.allow_tf32 = True
    start = time.time()
    pronouns = Pronouns(options.packed, options.base)
    sequences = for_all(pronouns.sequence, range(len(pronouns)))
    model = Detector(options.base, options.rank).to(DEVICE)
    if options.compile:
        for block in model.decoder.blocks:
            block.compile(dynamic=True)
    origin = options.output if options.resume else options.adapter
    if origin is not None and (origin / "adapter.pt").exists():
        restore(model, origin / "adapter.pt")
    print(f"{len(sequences)} texts, mean {np.mean([len(one) for one in sequences]):.0f} pieces, {time.time() - start:.0f} s", flush=True)
    if options.job == "train":
        train(options, pronouns, sequences, model)
    elif options.job == "read":
        read(options, pronouns, sequences, model)
    else:
        everything = log_odds(model, sequences, list(range(len(pronouns))))
        np.save(options.output / "logits.npy", everything.astype(np.float32))


if __name__ == "__main__":
    main()
