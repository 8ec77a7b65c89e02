"""The large detector: a pretrained decoder that learns to tell wrong pronouns from right ones, by adapters.

    python -m tools.detector.teacher train PACKED BASE --output FOLDER [--minutes 6] [--resume]
    python -m tools.detector.teacher read PACKED BASE FOLDER --output FOLDER
    python -m tools.detector.teacher label PACKED BASE FOLDER --output FOLDER

PACKED is a folder of `pack.py teacher`, BASE one of `base.py cut` with the same `ids.npy`. `train` goes over
all pronouns of known label outside the judged sets. `read` goes on with judged ones: five times without a
fifth of the documents, which it then judges, and once with all of them. `label` gives log odds for every
pronoun.

`train` and `read` write their figures to `figures.json`. `train` also saves its whole state from time to
time, and `--resume` goes on from there as if it had not stopped, in the schedule and in the examples.
"""

from __future__ import annotations

import argparse
import json
import math
import time
import zlib
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, count, islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from anaphor.predict.detector.large.decoder import Classifier
from anaphor.predict.detector.large.text import LANGUAGES, TEMPLATE, Frame, MarkedLine
from tools.detector.base import load
from tools.detector.compact import expand
from tools.detector.pack import KINDS

Numbers = NDArray[Any]
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
#: Half the bits on a GPU; most processors are many times slower with them.
DTYPE = torch.bfloat16 if DEVICE == "cuda" else torch.float32
#: The most pieces of a batch, padding included.
TOKENS = 32_768
#: Parts of the judged documents; each is judged by a network that has not seen it.
FOLDS = 5


class Pronouns:
    """Packed pronouns as sequences of ids; with a base, ids are rows of its embedding."""

    def __init__(self, folder: Path, base: Path | None = None) -> None:
        lines = expand(folder)
        self._pieces = lines["pieces"].astype(np.int64)
        first: list[int] = []
        self._frames: list[Frame] = []
        if base is not None:
            # The rows of the cut embedding that the ids of the whole vocabulary became.
            known = np.load(base / "vocabulary.npz")["ids"]
            ids = np.load(folder / "ids.npy").astype(known.dtype)
            if not np.isin(ids, known).all():
                raise ValueError(f"{base} was cut for other texts than {folder}")
            self._pieces = np.searchsorted(known, ids)[self._pieces]
            manifest = json.loads((base / "manifest.json").read_text())
            if manifest["config"]["kind"].startswith("gemma"):
                first = [manifest["special_rows"]["bos"]]
        self._starts = np.concatenate([[0], np.cumsum(lines["lengths"].astype(np.int64))])
        if base is not None:
            # The first lines are what stands around the texts of a teacher.
            template = [self._line(number) for number in range(len(TEMPLATE))]
            self._frames = [
                Frame.of(template, language=number, first=first) for number in range(len(LANGUAGES))
            ]
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

    def sequence(self, n: int) -> Numbers:
        """The whole text of a pronoun: context and sentence, in both languages."""
        row = dict(zip(self.table, self._rows[n].tolist(), strict=True))
        source = MarkedLine(self._line(row["source"]), (row["sa"], row["sb"]))
        target = MarkedLine(self._line(row["current"]), (row["ta"], row["tb"]))
        before = (
            (self._line(row["source"] - back), self._line(row["context"] - back))
            for back in range(1, row["before"] + 1)
        )
        return np.array(self._frames[row["language"]].text(source, target, before), dtype=np.int32)


_FUNCTION: list[Callable[[int], Any]] = []


def _call(number: int) -> Any:
    return _FUNCTION[-1](number)


def for_all(function: Callable[[int], Any], numbers: Iterable[int]) -> list[Any]:
    """What a function gives for each number, from all cores.

    Processes inherit the function with the arrays that it holds, which would be slow to send to them.
    """
    _FUNCTION.append(function)
    with get_context("fork").Pool() as pool:
        return pool.map(_call, numbers, chunksize=1000)


class Detector(Classifier):
    """The classifier over a base model whose embedding was cut to the rows in use."""

    def __init__(self, base: Path, rank: int) -> None:
        config = json.loads((base / "manifest.json").read_text())["config"]
        super().__init__(config, rank=rank, dtype=DTYPE)
        weights = load(base)
        rows = weights.pop("embed.weight").to(DTYPE)
        self.embed = nn.Embedding.from_pretrained(rows)  # type: ignore[no-untyped-call]
        self.decoder.fill(weights)
        nn.init.zeros_(self.last.weight)

    def forward(self, rows: Tensor, ends: Tensor) -> Tensor:
        """Rows of the embedding [batch, tokens] to log odds."""
        return super().forward(self.embed(rows), ends)

    def trained(self) -> dict[str, nn.Parameter]:
        """What learns, by name; all else is the base model's."""
        return {name: value for name, value in self.named_parameters() if value.requires_grad}


def batches(
    sequences: Sequence[Sequence[int]], numbers: Sequence[int], rng: np.random.Generator | None
) -> Iterator[list[int]]:
    """Numbers of pronouns of like length, so that there is little padding; shuffled with a generator."""
    numbers = list(numbers)
    if rng is not None:
        rng.shuffle(numbers)
    pool = 64 * 128 if rng is not None else max(len(numbers), 1)
    for start in range(0, len(numbers), pool):
        chunk = sorted(numbers[start : start + pool], key=lambda n: len(sequences[n]))
        found: list[list[int]] = []
        batch: list[int] = []
        longest = 0
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
    """Lengths in steps, because a new length costs a compiled network time."""
    return -(-length // 32) * 32


def tensors(sequences: Sequence[Sequence[int]], batch: Sequence[int]) -> tuple[Tensor, Tensor]:
    """Texts padded on the right, and the place of the last piece of each."""
    size = padded(max(len(sequences[n]) for n in batch))
    rows = np.zeros((len(batch), size), dtype=np.int64)
    for row, n in zip(rows, batch, strict=True):
        row[: len(sequences[n])] = sequences[n]
    ends = np.array([len(sequences[n]) - 1 for n in batch])
    both = (torch.from_numpy(one).to(DEVICE, non_blocking=True) for one in (rows, ends))
    return next(both), next(both)


def auc(values: Numbers, wrong: Numbers) -> float:
    """How often a wrong pronoun has more than a right one; ties are broken by order, as log odds have few."""
    order = values.argsort(kind="stable")
    ranks = np.empty(len(values))
    ranks[order] = np.arange(1, len(values) + 1)
    bad = wrong.sum()
    if not bad or bad == len(wrong):
        return float("nan")
    return float((ranks[wrong].sum() - bad * (bad + 1) / 2) / (bad * (len(wrong) - bad)))


@torch.no_grad()
def log_odds(model: Detector, sequences: Sequence[Sequence[int]], numbers: Sequence[int]) -> Numbers:
    """What the model gives for some pronouns, in their order."""
    model.eval()
    found: dict[int, float] = {}
    for batch in batches(sequences, numbers, None):
        found.update(zip(batch, model(*tensors(sequences, batch)).tolist(), strict=True))
    return np.array([found[n] for n in numbers])


def figures(pronouns: Pronouns, numbers: Numbers, values: Numbers) -> dict[str, float]:
    """AUC by language, for all kinds and for each; of judged pronouns also by who read them."""
    wrong = pronouns.label[numbers] == 1
    table = {name: one[numbers] for name, one in pronouns.table.items()}
    readers = np.array([pronouns.names[n].rpartition(":")[2] for n in numbers])
    found = {}
    for language, code in enumerate(LANGUAGES):
        here = table["language"] == language
        for reader in ("", "given", "ours"):
            chosen = here & ((readers == reader) if reader else True)
            if chosen.any():
                found[f"{code} {reader}".strip()] = round(auc(values[chosen], wrong[chosen]), 3)
        for kind, title in enumerate(KINDS[:-1]):
            chosen = here & (table["kind"] == kind)
            if wrong[chosen].sum() >= 3:
                found[f"{code} {title}"] = round(auc(values[chosen], wrong[chosen]), 3)
    return found


def note(folder: Path, stage: str, found: dict[str, Any]) -> None:
    """Adds the figures of a stage to those of the others."""
    path = folder / "figures.json"
    known = json.loads(path.read_text()) if path.exists() else {}
    known[stage] = found
    path.write_text(json.dumps(known, indent=1) + "\n")
    print(stage, json.dumps(found), flush=True)


def save(model: Detector, path: Path) -> None:
    """What was learned, in half precision."""
    torch.save({name: value.detach().half().cpu() for name, value in model.trained().items()}, path)


def fill(own: Mapping[str, Tensor], given: Mapping[str, Tensor]) -> None:
    """Puts values in the places of others of the same names."""
    with torch.no_grad():
        for name, value in given.items():
            own[name].copy_(value)


class Training:
    """All that a training needs to go on after a stop.

    The order of the examples needs no place here: it follows from the seed and the number of steps.
    """

    def __init__(self, model: Detector, rate: float) -> None:
        self.model = model
        self.optimizer = optimizer_of(model, rate)
        #: A mean of the weights of the last steps, which is what is kept in the end.
        self.average = {name: value.detach().clone() for name, value in model.trained().items()}
        self.steps = self.pronouns = 0
        #: The time that was spent on it, all runs together; the schedule goes by it.
        self.seconds = 0.0

    def save(self, path: Path) -> None:
        """Replaces the file at once, so that a stop in the middle leaves the one before."""
        state = {
            "weights": {name: value.detach() for name, value in self.model.trained().items()},
            "average": self.average,
            "optimizer": self.optimizer.state_dict(),
            "steps": self.steps,
            "pronouns": self.pronouns,
            "seconds": self.seconds,
        }
        partial = path.with_suffix(".part")
        torch.save(state, partial)
        partial.replace(path)

    def restore(self, path: Path) -> None:
        """Goes back to what was saved."""
        state = torch.load(path, map_location=DEVICE, weights_only=True)
        fill(self.model.trained(), state["weights"])
        fill(self.average, state["average"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.steps, self.pronouns, self.seconds = (state[name] for name in ("steps", "pronouns", "seconds"))


def optimizer_of(model: Detector, rate: float) -> torch.optim.Optimizer:
    return torch.optim.AdamW(
        model.trained().values(), lr=rate, betas=(0.9, 0.98), weight_decay=0.01, fused=True
    )


def step(model: Detector, optimizer: torch.optim.Optimizer, loss: Tensor) -> None:
    """Learns from one batch."""
    optimizer.zero_grad(set_to_none=True)
    loss.backward()  # type: ignore[no-untyped-call]
    nn.utils.clip_grad_norm_(model.trained().values(), 1.0)
    optimizer.step()


def train(
    options: argparse.Namespace, pronouns: Pronouns, sequences: Sequence[Sequence[int]], model: Detector
) -> None:
    """Learns made and contrastive examples until the time is over."""
    rng = np.random.default_rng(options.seed)
    known = np.flatnonzero((pronouns.label >= 0) & ~pronouns.is_real)
    # One example in fifty is kept apart, by document.
    apart = np.array([zlib.crc32(pronouns.names[n].partition(":")[0].encode()) % 50 == 0 for n in known])
    held, seen = known[apart][:4000], known[~apart]
    judged = np.flatnonzero(pronouns.is_judged & (pronouns.label >= 0))
    weight = torch.tensor([options.weight.get(name, 1.0) for name in pronouns.set_of]).to(DEVICE)
    labels = torch.from_numpy(pronouns.label).to(DEVICE)
    training, state = Training(model, options.rate), options.output / "state.pt"
    if options.resume and state.exists():
        training.restore(state)
        print(f"goes on after {training.steps} steps, {training.seconds:.0f} s", flush=True)
    limit = options.minutes * 60
    start = time.time() - training.seconds
    losses: deque[Tensor] = deque(maxlen=100)
    model.train()
    order = chain.from_iterable(batches(sequences, seen.tolist(), rng) for _ in count())
    for batch in islice(order, training.steps, None):
        training.seconds = time.time() - start
        share = training.seconds / limit
        if share >= 1:
            break
        factor = min(1.0, (training.steps + 1) / 100) * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * share)))
        for group in training.optimizer.param_groups:
            group["lr"] = options.rate * factor
        chosen = torch.tensor(batch).to(DEVICE)
        wanted = labels[chosen] * 0.96 + 0.02
        loss = F.binary_cross_entropy_with_logits(
            model(*tensors(sequences, batch)), wanted, weight=weight[chosen]
        )
        step(model, training.optimizer, loss)
        with torch.no_grad():
            torch._foreach_lerp_(list(training.average.values()), list(model.trained().values()), 1 - 0.995)
        losses.append(loss.detach())
        training.steps, training.pronouns = training.steps + 1, training.pronouns + len(batch)
        if training.steps % 100 == 0:
            mean = torch.stack(list(losses)).mean().item()
            so_far = f"{training.steps} steps, {training.pronouns} pronouns, {training.seconds:.0f} s"
            print(f"{so_far}, loss {mean:.4f}", flush=True)
        if training.steps % options.every == 0:
            values = log_odds(model, sequences, judged.tolist())
            print(json.dumps(figures(pronouns, judged, values)), flush=True)
            model.train()
            save(model, options.output / "adapter.pt")
            training.seconds = time.time() - start
            training.save(state)
    training.save(state)
    fill(model.trained(), training.average)
    save(model, options.output / "adapter.pt")
    found: dict[str, Any] = {
        "steps": training.steps,
        "pronouns": training.pronouns,
        "seconds": round(training.seconds),
    }
    found["held out"] = figures(pronouns, held, log_odds(model, sequences, held.tolist()))
    values = log_odds(model, sequences, judged.tolist())
    found["judged"] = figures(pronouns, judged, values)
    note(options.output, "train", found)


def document_of(name: str) -> str:
    """Part and document of a judged pronoun, the same for all systems."""
    return "/".join(name.rpartition(":")[0].split("/")[:2])


def shares_of(pronouns: Pronouns, numbers: Numbers) -> Numbers:
    """How often judged pronouns are drawn; the shares add up to one.

    Every language is drawn as often, and within it right and wrong ones by the root of their number: one
    Spanish pronoun in fifteen is wrong, and drawn as they come the few would hardly be learned.
    """
    table = pronouns.table["language"][numbers].tolist()
    cells = list(zip(table, pronouns.label[numbers].tolist(), strict=True))
    counts = Counter(cells)
    roots: defaultdict[int, float] = defaultdict(float)
    for (language, _), number in counts.items():
        roots[language] += number**0.5
    shares = np.array([counts[cell] ** -0.5 / roots[cell[0]] for cell in cells])
    return shares / shares.sum()


def read(
    options: argparse.Namespace, pronouns: Pronouns, sequences: Sequence[Sequence[int]], model: Detector
) -> None:
    """Goes on with judged pronouns, held out by document.

    With `--only` it learns from some judged sets alone, and all others are held out at once.
    """
    judged = np.flatnonzero(pronouns.is_judged & (pronouns.label >= 0))
    if options.only:
        names = tuple(f"judged-{name}" for name in options.only)
        learned = np.array([pronouns.set_of[n].startswith(names) for n in judged])
        judged, rest = judged[learned], judged[~learned]
    all_of_parts = np.flatnonzero(pronouns.is_judged)
    folds = np.array([zlib.crc32(document_of(one).encode()) % FOLDS for one in pronouns.names])
    others = np.flatnonzero((pronouns.label >= 0) & ~pronouns.is_real)
    labels = torch.from_numpy(pronouns.label).to(DEVICE)
    first = {name: value.detach().clone() for name, value in model.trained().items()}
    values = np.zeros(len(pronouns), dtype=np.float32)
    for fold in (None,) if options.only else (*range(FOLDS), None):
        fill(model.trained(), first)
        seen = judged[folds[judged] != fold] if fold is not None else judged
        rng = np.random.default_rng(1)
        optimizer = optimizer_of(model, options.rate)
        model.train()
        shares = shares_of(pronouns, seen)
        total = options.passes * math.ceil(len(seen) / 64)
        for number in range(total):
            for group in optimizer.param_groups:
                group["lr"] = options.rate * min(1.0, (number + 1) / 10) * (1 - number / total)
            # Half of every batch is what was learned before, so that it is not forgotten.
            batch = [*rng.choice(seen, 64, replace=False, p=shares), *rng.choice(others, 64, replace=False)]
            wanted = labels[torch.tensor(batch).to(DEVICE)] * 0.9 + 0.05
            logits = model(*tensors(sequences, batch))
            step(model, optimizer, F.binary_cross_entropy_with_logits(logits, wanted))
        if fold is None:
            save(model, options.output / "adapter.pt")
            continue
        held = all_of_parts[folds[all_of_parts] == fold]
        values[held] = log_odds(model, sequences, held.tolist())
    if options.only:
        note(options.output, "read", figures(pronouns, rest, log_odds(model, sequences, rest.tolist())))
        return
    np.save(options.output / "read.npy", values)
    note(options.output, "read", figures(pronouns, judged, values[judged]))


def weighted(text: str) -> tuple[str, float]:
    """SET=N."""
    name, _, number = text.partition("=")
    return name, float(number)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("job", choices=("train", "read", "label"))
    parser.add_argument("packed", type=Path, help="a folder of pack.py teacher or compact.py")
    parser.add_argument("base", type=Path, help="a folder of base.py cut")
    parser.add_argument("adapter", type=Path, nargs="?", help="a folder with the adapter.pt to start from")
    parser.add_argument("--output", type=Path, required=True, help="folder for all that is written")
    parser.add_argument("--minutes", type=float, default=6, help="how long to train (default: 6)")
    parser.add_argument("--rate", type=float, help="learning rate (default: 4e-4 for train, 1e-4 for read)")
    parser.add_argument("--rank", type=int, default=32, help="rank of the adapters (default: 32)")
    parser.add_argument("--passes", type=int, default=2, help="passes over judged pronouns (default: 2)")
    parser.add_argument(
        "--every", type=int, default=800, help="steps between two looks at judged pronouns (default: 800)"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--weight", type=weighted, action="append", metavar="SET=N", help="how much examples of a set count"
    )
    parser.add_argument(
        "--only", action="append", metavar="PART", help="read only judged parts whose names start so"
    )
    parser.add_argument(
        "--resume", action="store_true", help="go on from state.pt in the output, if it is there"
    )
    parser.add_argument(
        "--compile", action="store_true", help="compile the network: slow to start, then faster"
    )
    options = parser.parse_args()
    if options.job != "train" and options.resume:
        parser.error(f"{options.job} takes minutes and always starts anew; only train can resume")
    if options.job != "train" and options.adapter is None:
        parser.error(f"{options.job} needs the folder of a trained adapter")
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
    if options.adapter is not None:
        adapter = torch.load(options.adapter / "adapter.pt", map_location=DEVICE, weights_only=True)
        fill(model.trained(), adapter)
    mean = np.mean([len(one) for one in sequences])
    print(f"{len(sequences)} texts, mean {mean:.0f} pieces, {time.time() - start:.0f} s", flush=True)
    if options.job == "train":
        train(options, pronouns, sequences, model)
    elif options.job == "read":
        read(options, pronouns, sequences, model)
    else:
        everything = log_odds(model, sequences, list(range(len(pronouns))))
        np.save(options.output / "logits.npy", everything.astype(np.float32))
        # The student finds the pronouns by name.
        (options.output / "names.txt").write_text("\n".join(pronouns.names) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
