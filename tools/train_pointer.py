"""Train the network that points at antecedents, and score pronouns with networks that have not seen them.

    python tools/train_pointer.py PACKED... --network FILE --output FOLDER [--taught FILE]

PACKED are files of pack_pointer.py, FILE the network of anaphor-2 to start from. First one network learns
from all sources but the annotated one (`GOLD`). From there on, for every fold, a network learns from the
annotated documents of the other folds and scores the pronouns of this one; last, one learns from all.
Networks learn low-rank changes and a layer of their own. With `--taught`, they also learn what the model of
`teach_pointer.py` said of the pronouns outside the annotated documents, many of which have no other label.

Writes `weights.npz`, `scores.npz` and `figures.json`. Each array in `scores.npz` has, in the order of PACKED,
the scores of all candidates and functions of every pronoun, NaN where a candidate is outside the window or
the pronoun was learned from.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from pointer_sources import SHARES, SOURCES
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from anaphor.predict.anaphor2.network import Shape, read_network
from anaphor.predict.anaphor2.subwords import FIRST_DOMAIN, MASK
from anaphor.predict.anaphor2.torch_network import TorchNetwork
from anaphor.predict.anaphor2.windows import LONGEST, InputBatch
from anaphor.predict.pointer.windows import (
    AFTER,
    BEFORE,
    CLASSES,
    DEPTH,
    FUNCTIONS,
    PRONOUN,
    Candidate,
    SourceLine,
    tag_number,
    window_of,
)

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
SHAPE = Shape(pieces=16_000, classes=38)
#: Pairs of folds of make_resolver.py.
FOLDS = 4
#: Sources with the annotated documents that are measured: the first one that is there.
GOLD = ("parcorfull", "gum-free")
#: How many draws of the second part are from sources of the first.
REHEARSED = 0.3
#: The most candidates of a pronoun; those further away are not scored.
CANDIDATES = 80
#: The share of the teacher in what a network learns from a pronoun that also has a label.
TAUGHT = 0.5
#: How many pieces are masked while the network learns.
MASKED = 0.08
_CHANGED = ("query", "key_value", "out", "up", "down")


def say(*parts: object) -> None:
    """Prints at once."""
    sys.stdout.write(" ".join(map(str, parts)) + "\n")
    sys.stdout.flush()


class Pronouns:
    """The packed pronouns as windows."""

    def __init__(self, paths: Sequence[Path]) -> None:
        tables: list[dict[str, NDArray[Any]]] = []
        sentences = documents = 0
        for path in paths:
            with np.load(path) as file:
                tables.append({name: file[name] for name in file.files})
            tables[-1]["sentence"] = tables[-1]["sentence"].astype(np.int64) + sentences
            tables[-1]["documents"] = tables[-1]["documents"].astype(np.int64) + documents
            sentences += len(tables[-1]["sentences"])
            documents = int(tables[-1]["documents"][-1])
        table = {name: np.concatenate([one[name] for one in tables]) for name in tables[0]}
        table["fold"] = table["fold"] % FOLDS
        self.table = table
        self._words = np.concatenate([[0], np.cumsum(table["sentences"], dtype=np.int64)])
        self._pieces = np.concatenate([[0], np.cumsum(table["words"], dtype=np.int64)])
        self.first = np.concatenate([[0], np.cumsum(table["choices"], dtype=np.int64)])
        #: Where the scores of a pronoun start: those of its candidates, then of the functions.
        self.start = self.first + FUNCTIONS * np.arange(len(self.first))
        self.documents = table["documents"]
        self.sources = table["source"]
        numbers = [SOURCES.index(name) for name in GOLD]
        self.gold = next(number for number in numbers if (self.sources == number).any())

    def __len__(self) -> int:
        return len(self.table["position"])

    def _line(self, sentence: int) -> SourceLine:
        words = slice(self._words[sentence], self._words[sentence + 1])
        sizes = self.table["words"][words].astype(np.int64)
        begin = self._pieces[words.start]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        pieces = self.table["pieces"][begin : begin + starts[-1]]
        return SourceLine(pieces, np.repeat(self.table["tags"][words], sizes), starts)

    def arrays(self, n: int) -> tuple[NDArray[np.int16], int, NDArray[np.int16], NDArray[np.float32]]:
        """The window of a pronoun, its place, the places of its candidates, and how far each is right."""
        table, sentence = self.table, int(self.table["sentence"][n])
        position, end = int(table["position"][n]), int(table["end"][n])
        first, last = sentence, sentence + 1
        while sentence - first < BEFORE and first and self.documents[first - 1] == self.documents[sentence]:
            first -= 1
        while (
            last - 1 - sentence < AFTER
            and last < len(self.documents)
            and self.documents[last] == self.documents[sentence]
        ):
            last += 1
        lines = [self._line(number) for number in range(first, last)]
        at = sentence - first
        if end:
            pieces, tags, starts = lines[at]
            a, b = starts[position], starts[end]
            word = np.array([table["pronoun"][n]], dtype=pieces.dtype)
            tag = np.array([tag_number("PRON")], dtype=tags.dtype)
            lines[at] = SourceLine(
                np.concatenate([pieces[:a], word, pieces[b:]]),
                np.concatenate([tags[:a], tag, tags[b:]]),
                np.concatenate([starts[: position + 1], starts[end:] - (b - a - 1)]),
            )
        own = slice(self.first[n], self.first[n + 1])
        candidates = [
            Candidate(at - int(back), int(word), int(link))
            for back, word, link in zip(table["back"][own], table["at"][own], table["link"][own], strict=True)
        ]
        window = window_of(lines, at, position, candidates)
        rows = np.zeros((5, LONGEST), dtype=np.int16)
        rows[:, : window.rows.shape[1]] = window.rows
        places = np.full(CANDIDATES, -1, dtype=np.int16)
        places[: len(candidates)] = window.candidates[:CANDIDATES]
        right = np.zeros(CANDIDATES + FUNCTIONS, dtype=np.float32)
        given = table["right"][self.start[n] : self.start[n + 1]].astype(np.float32)
        right[: min(len(candidates), CANDIDATES)] = given[: min(len(candidates), CANDIDATES)]
        right[:CANDIDATES][places < 0] = 0
        right[CANDIDATES:] = given[-FUNCTIONS:]
        return rows, window.place, places, right


_FUNCTION: list[Callable[[int], Any]] = []


def _call(number: int) -> Any:
    return _FUNCTION[-1](number)


def for_all(function: Callable[[int], Any], numbers: Iterable[int]) -> list[Any]:
    """What a function gives for each number, from all cores."""
    _FUNCTION.append(function)
    with get_context("fork").Pool() as pool:
        return pool.map(_call, numbers, chunksize=500)


class Lessons(NamedTuple):
    """All windows on the device where networks learn."""

    rows: Tensor
    place: Tensor
    candidates: Tensor
    right: Tensor
    has_functions: Tensor
    lengths: NDArray[np.int64]
    #: The teacher's probabilities; zero where it has not said anything.
    taught: Tensor

    @classmethod
    def of(cls, pronouns: Pronouns, taught: Path | None) -> Lessons:
        found = for_all(pronouns.arrays, range(len(pronouns)))
        rows, place, candidates, right = (np.stack([one[k] for one in found]) for k in range(4))
        return cls(
            torch.from_numpy(rows).to(DEVICE),
            torch.from_numpy(place.astype(np.int64)).to(DEVICE),
            torch.from_numpy(candidates).to(DEVICE),
            torch.from_numpy(right).to(DEVICE),
            torch.from_numpy(pronouns.table["functions"].astype(np.bool_)).to(DEVICE),
            (rows[:, 0] != 0).sum(1).astype(np.int64),
            torch.from_numpy(opinions(pronouns, candidates, taught)).to(DEVICE),
        )


def opinions(pronouns: Pronouns, candidates: NDArray[np.int16], taught: Path | None) -> NDArray[np.float32]:
    """A teacher's probabilities of the candidates in the window and of the functions."""
    found = np.zeros((len(pronouns), CANDIDATES + FUNCTIONS), dtype=np.float32)
    if taught is None:
        return found
    values = np.exp(np.load(taught).astype(np.float32))
    for n in np.flatnonzero(~is_gold(pronouns)).tolist():
        own = values[pronouns.start[n] : pronouns.start[n + 1]]
        count = min(CANDIDATES, len(own) - FUNCTIONS)
        found[n, :count] = np.where(candidates[n, :count] >= 0, np.nan_to_num(own[:count]), 0)
        found[n, CANDIDATES:] = own[-FUNCTIONS:] * pronouns.table["functions"][n]
    total = found.sum(1, keepdims=True)
    # A pronoun whose antecedent lies outside the window teaches nothing.
    return np.where(total > 0.5, found / np.maximum(total, 1e-6), 0).astype(np.float32)


class Changed(nn.Module):
    """A frozen matrix with a low-rank change."""

    def __init__(self, linear: nn.Linear, rank: int) -> None:
        super().__init__()
        self.linear = linear
        self.a = nn.Parameter(torch.randn(rank, linear.in_features) * linear.in_features**-0.5)
        self.b = nn.Parameter(torch.zeros(linear.out_features, rank))

    def forward(self, x: Tensor) -> Tensor:
        return F.linear(x, self.linear.weight + self.b @ self.a)


def network_of(path: Path, rank: int) -> TorchNetwork:
    """The network of a file, of which low-rank changes, small tables and a new layer learn."""
    network = TorchNetwork(SHAPE, drop=0.1)
    weights = read_network(path, SHAPE).weights
    network.load_state_dict(
        {name: torch.from_numpy(np.array(one)) for name, one in weights.items()}, strict=False
    )
    network.classes = nn.Linear(SHAPE.width, CLASSES)
    nn.init.normal_(network.classes.weight, std=0.05)
    nn.init.zeros_(network.classes.bias)
    del network.guess, network.guess_bias
    for parameter in network.parameters():
        parameter.requires_grad_(False)
    for block in network.blocks:
        for name in _CHANGED:
            setattr(block, name, Changed(getattr(block, name), rank))
        for name in ("before_attention", "before_dense"):
            block.get_parameter(f"{name}.weight").requires_grad_(True)
    for one in (network.norm, network.classes, network.link, network.tag, network.sentence):
        one.requires_grad_(True)
    return network


def scores(network: TorchNetwork, lessons: Lessons, part: Tensor, size: int, *, masking: bool) -> Tensor:
    """Scores of candidates and functions [pronouns, CANDIDATES + FUNCTIONS], -inf where there is none."""
    rows = lessons.rows[part][:, :, :size].long()
    pieces = rows[:, 0]
    if masking:
        hidden = (torch.rand(pieces.shape, device=DEVICE) < MASKED) & (pieces > FIRST_DOMAIN + 7)
        pieces = torch.where(hidden & (rows[:, 3] != PRONOUN), MASK, pieces)
    batch = InputBatch(pieces, rows[:, 1], rows[:, 2], rows[:, 3], rows[:, 4])
    states = network(batch)
    at = torch.arange(len(part), device=DEVICE)
    places = lessons.candidates[part].long()
    own = network.classes(states[at, lessons.place[part]]).float()  # [b, c]
    other = network.classes(states[at[:, None], places.clamp(min=0)]).float()  # [b, m, c]
    begin = 1 + FUNCTIONS
    asked, given = own[:, begin : begin + DEPTH], other[:, :, begin + DEPTH :]
    found = other[:, :, 0] + (given @ asked[:, :, None])[:, :, 0] / math.sqrt(DEPTH)
    found = found.masked_fill(places < 0, -torch.inf)
    functions = own[:, 1:begin].masked_fill(~lessons.has_functions[part][:, None], -torch.inf)
    return torch.cat([found, functions], 1)


def batches(lessons: Lessons, numbers: NDArray[np.int64], size: int) -> list[tuple[NDArray[np.int64], int]]:
    """Batches of windows of like length, with that of the longest."""
    length = -(-lessons.lengths[numbers] // 32) * 32
    order = numbers[np.argsort(length, kind="stable")]
    parts = [order[at : at + size] for at in range(0, len(order), size)]
    return [(part, min(LONGEST, -(-int(lessons.lengths[part].max()) // 32) * 32)) for part in parts]


def learn(
    network: TorchNetwork, lessons: Lessons, chances: NDArray[np.float64], rng: np.random.Generator,
    *, rate: float, minutes: float, draws: float = math.inf, size: int = 256, name: str = "",
) -> None:  # fmt: skip
    """Trains with pronouns drawn by their chances, until the time or the draws are over."""
    own = [one for one in network.parameters() if one.requires_grad]
    optimizer = torch.optim.AdamW(own, lr=rate, betas=(0.9, 0.98), weight_decay=0.01, fused=DEVICE == "cuda")
    network.train()
    begin, done, share, step = time.time(), 0, 0.0, 0
    chances = chances / chances.sum()
    total = 0.0
    while share < 1:
        drawn = rng.choice(len(chances), 64 * size, p=chances)
        parts = batches(lessons, drawn, size)
        for at in rng.permutation(len(parts)).tolist():
            share = max((time.time() - begin) / (60 * minutes), done / draws)
            if share >= 1:
                break
            part, width = torch.from_numpy(parts[at][0]).to(DEVICE), parts[at][1]
            cosine = 0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * share))
            for group in optimizer.param_groups:
                group["lr"] = rate * min(1.0, (step + 1) / 60) * cosine
            with torch.autocast(DEVICE, torch.bfloat16, enabled=DEVICE == "cuda"):
                found = scores(network, lessons, part, width, masking=True)
            loss = losses(found, lessons, part).mean()
            optimizer.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(own, 1.0)
            optimizer.step()
            done, step = done + len(part), step + 1
            total += loss.detach()
            if step % 20 == 0:
                seconds = time.time() - begin
                say(f"{name}: {step} steps, {seconds:.0f} s, loss {total / 20:.4f}")
                total = 0.0
    say(f"{name}: {step} steps, {time.time() - begin:.0f} s, {done} draws")


def losses(found: Tensor, lessons: Lessons, part: Tensor) -> Tensor:
    """How improbable what is right is for each pronoun, and how far the scores are from the teacher's."""
    right, taught = lessons.right[part], lessons.taught[part]
    every = torch.logsumexp(found, 1)
    known = right.sum(1) > 0
    # Without a label everything counts as right, which costs nothing and has no gradient.
    right = torch.where(known[:, None], right, torch.ones_like(right))
    own = every - torch.logsumexp(found + torch.log(right), 1)
    # A choice that the network cannot make has a score of -inf and is left out.
    possible = torch.isfinite(found)
    far = ((every[:, None] - found.masked_fill(~possible, 0.0)) * taught * possible).sum(1)
    return TAUGHT * far + torch.where(taught.sum(1) > 0, 1 - TAUGHT, 1.0) * own


@torch.no_grad()
def scored(
    network: TorchNetwork, lessons: Lessons, pronouns: Pronouns, numbers: NDArray[np.int64],
    into: NDArray[np.float32],
) -> None:  # fmt: skip
    """Write the scores of some pronouns to where they belong."""
    network.eval()
    for part, width in batches(lessons, numbers, 512):
        with torch.autocast(DEVICE, torch.bfloat16, enabled=DEVICE == "cuda"):
            found = scores(network, lessons, torch.from_numpy(part).to(DEVICE), width, masking=False)
        for n, row in zip(part.tolist(), found.cpu().numpy(), strict=True):
            count = min(CANDIDATES, int(pronouns.table["choices"][n]))
            start, end = pronouns.start[n], pronouns.start[n + 1]
            values = into[start:end]
            values[:count] = np.where(np.isinf(row[:count]), np.nan, row[:count])
            values[-FUNCTIONS:] = row[-FUNCTIONS:]


def figures(pronouns: Pronouns, values: NDArray[np.float32]) -> dict[str, list[float]]:
    """Of which pronouns the best choice is right, by source, pronoun and label: how many, and the share."""
    tally: Counter[str] = Counter()
    table = pronouns.table
    for n in range(len(pronouns)):
        own = values[pronouns.start[n] : pronouns.start[n + 1]]
        right = table["right"][pronouns.start[n] : pronouns.start[n + 1]]
        if np.isnan(own).all() or not right.any():
            continue
        guess = int(np.nanargmax(own))
        label = int(table["label"][n])
        key = f"{SOURCES[table['source'][n]]} {int(table['pronoun'][n])} label {label}"
        tally[f"{key}|all"] += 1
        tally[f"{key}|right"] += bool(right[guess] > 0)
    keys = sorted({key.partition("|")[0] for key in tally})
    return {
        key: [tally[f"{key}|all"], round(100 * tally[f"{key}|right"] / tally[f"{key}|all"], 1)]
        for key in keys
    }


def own_state(network: TorchNetwork) -> dict[str, NDArray[np.float16]]:
    """The weights that learned."""
    learned = {name for name, one in network.named_parameters() if one.requires_grad}
    return {
        name: one.detach().float().cpu().numpy().astype(np.float16)
        for name, one in network.state_dict().items()
        if name in learned
    }


def restore(network: TorchNetwork, state: Mapping[str, Tensor]) -> None:
    network.load_state_dict(dict(state), strict=False)


def chances_of(
    pronouns: Pronouns, lessons: Lessons, sources: Sequence[str], apart: int | None = None
) -> NDArray[np.float64]:
    """How often every pronoun is drawn; those of a fold apart, and those without an answer, never."""
    share = np.array([SHARES[name] if name in sources else 0.0 for name in SOURCES])
    usable = ((lessons.right.sum(1) > 0) | (lessons.taught.sum(1) > 0)).cpu().numpy()
    found = share[pronouns.sources] * usable
    if apart is not None:
        found = found * ~((pronouns.table["fold"] == apart) & is_gold(pronouns))
    return found


def is_gold(pronouns: Pronouns) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = pronouns.sources == pronouns.gold
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("packed", type=Path, nargs="+", help="files of pack_pointer.py, ParCorFull first")
    parser.add_argument("--network", type=Path, required=True, help="the network to start from")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--taught", type=Path, help="taught.npy of teach_pointer.py, for the same files")
    parser.add_argument("--rank", type=int, default=40)
    parser.add_argument("--rate", type=float, default=1.5e-3)
    parser.add_argument("--first-minutes", type=float, default=2.5)
    parser.add_argument("--second-minutes", type=float, default=0.4, help="the longest for one fold")
    parser.add_argument("--second-rate", type=float, default=5e-4)
    parser.add_argument("--passes", type=float, default=3, help="passes over the annotated documents")
    parser.add_argument("--folds", type=int, default=FOLDS, help="fewer for a trial")
    parser.add_argument("--size", type=int, default=256)
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(1)
    rng = np.random.default_rng(1)
    start = time.time()
    pronouns = Pronouns(options.packed)
    lessons = Lessons.of(pronouns, options.taught)
    usable = chances_of(pronouns, lessons, SOURCES) > 0
    counts = Counter(SOURCES[number] for number in pronouns.sources[usable].tolist())
    say(f"{dict(counts)}, mean of {lessons.lengths.mean():.0f} places")
    say(f"windows after {time.time() - start:.0f} s")
    network = network_of(options.network, options.rank).to(DEVICE)
    say(sum(one.numel() for one in network.parameters() if one.requires_grad), "numbers learn")
    others = [name for name in SOURCES if name not in GOLD]
    gold = np.flatnonzero(is_gold(pronouns))

    found: dict[str, Any] = {"pronouns": dict(counts)}
    arrays: dict[str, NDArray[Any]] = {}
    weights: dict[str, NDArray[Any]] = {}

    def note(name: str, values: NDArray[np.float32]) -> None:
        found[name] = figures(pronouns, values)
        arrays[name] = values[: pronouns.start[gold[-1] + 1]].astype(np.float16)
        say(name, json.dumps(found[name]), f"{time.time() - start:.0f} s")
        np.savez_compressed(options.output / "scores.npz", **arrays)
        np.savez(options.output / "weights.npz", **weights)
        (options.output / "figures.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")

    first = chances_of(pronouns, lessons, others)
    learn(
        network, lessons, first, rng, rate=options.rate, minutes=options.first_minutes, size=options.size,
        name="first",
    )  # fmt: skip
    values = np.full(pronouns.start[-1], np.nan, dtype=np.float32)
    scored(network, lessons, pronouns, gold, values)
    note("first", values)
    begin = {name: one.detach().clone() for name, one in network.state_dict().items()}
    values = np.full(pronouns.start[-1], np.nan, dtype=np.float32)
    for fold in (*range(options.folds), None):
        restore(network, begin)
        mine = chances_of(pronouns, lessons, GOLD, fold)
        draws = options.passes * float((mine > 0).sum()) / (1 - REHEARSED)
        chances = (1 - REHEARSED) * mine / mine.sum() + REHEARSED * first / first.sum()
        learn(
            network, lessons, chances, rng, rate=options.second_rate, minutes=options.second_minutes,
            draws=draws, size=options.size, name=f"own {fold}",
        )  # fmt: skip
        if fold is not None:
            held = gold[pronouns.table["fold"][gold] == fold]
            scored(network, lessons, pronouns, held, values)
    weights.update({f"own/{key}": one for key, one in own_state(network).items()})
    note("own", values)
    sys.stdout.write(f"{time.time() - start:.0f} s\n")


if __name__ == "__main__":
    main()
