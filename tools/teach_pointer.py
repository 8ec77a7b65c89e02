"""A language model that points at antecedents, to teach the small network of `train_pointer.py`.

    python tools/teach_pointer.py pack PACKED.npz --tokenizer tokenizer.json --output FOLDER
    python tools/teach_pointer.py train PACKED.npz FOLDER BASE --output FOLDER [--minutes 3]

PACKED is a file of pack_pointer.py, with its `.words.gz` next to it. `pack` splits the words by the tokenizer
of the base model, and writes `ids.npy` for `tools.detector.base cut`, which makes BASE. `train` learns from
all sources but the annotated ones of `train_pointer.GOLD`, so that what it says of these is held out. It
writes `taught.npy`: log probabilities of the candidates and functions of every pronoun, NaN for candidates
that were not read.

The model reads the text before the pronoun, its sentence with the pronoun marked, and the next one. The state
at the end asks, those at the candidates' last pieces answer.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from pointer_sources import SHARES, SOURCES
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812
from train_pointer import DEVICE, FUNCTIONS, GOLD, figures, for_all, say

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from anaphor.predict.detector.large.decoder import Decoder
from tools.detector.base import load
from tools.detector.teacher import padded

DTYPE = torch.bfloat16 if DEVICE == "cuda" else torch.float32
#: Pieces of a text; sentences before the pronoun's own; the most candidates.
LONGEST, BEFORE, CANDIDATES = 384, 12, 80
DEPTH = 128
#: What stands around a text: the marks, the end of a line, the end of the text.
FRAME = (" <<", ">>", "\n", "\nPronoun:")
#: The most pieces of a batch, padding included.
PIECES = 32_768
Numbers = NDArray[Any]


def pack(packed: Path, tokenizer: Path, output: Path) -> None:
    """Pieces of all sentences, and for every word the place after its last piece in its sentence."""
    from tokenizers import Tokenizer

    known = Tokenizer.from_file(str(tokenizer))
    with gzip.open(packed.with_suffix(".words.gz"), "rt", encoding="utf-8") as file:
        lines = file.read().removesuffix("\n").split("\n")
    pieces: list[Numbers] = []
    ends: list[Numbers] = []
    for start in range(0, len(lines), 10_000):
        part = lines[start : start + 10_000]
        # A space before each line, so that its first word is spelt like any other.
        for line, found in zip(
            part, known.encode_batch([f" {line}" for line in part], add_special_tokens=False), strict=True
        ):
            stops = np.cumsum([len(word) + 1 for word in line.split(" ")])
            begins = np.array([begin for begin, _ in found.offsets])
            pieces.append(np.array(found.ids, dtype=np.uint32))
            ends.append(np.searchsorted(begins, stops).astype(np.uint16))
    frame = [np.array(one.ids) for one in known.encode_batch(list(FRAME), add_special_tokens=False)]
    flat = np.concatenate([*frame, *pieces])
    ids, rows = np.unique(flat, return_inverse=True)
    output.mkdir(parents=True, exist_ok=True)
    np.save(output / "ids.npy", ids.astype(np.uint32))
    np.savez_compressed(
        output / "pieces.npz",
        rows=rows.astype(np.uint16 if len(ids) < 65_536 else np.uint32),
        frame=np.array([len(one) for one in frame]),
        counts=np.array([len(one) for one in pieces], dtype=np.uint16),
        ends=np.concatenate(ends),
    )
    say(f"{len(lines)} sentences, {len(rows)} pieces, {len(ids)} of them different")


class Texts:
    """The packed pronouns as texts of the base model."""

    def __init__(self, packed: Path, folder: Path, base: Path) -> None:
        with np.load(packed) as file:
            self.table = {name: file[name] for name in file.files}
        with np.load(folder / "pieces.npz") as file:
            given = {name: file[name] for name in file.files}
        known = np.load(base / "vocabulary.npz")["ids"]
        ids = np.load(folder / "ids.npy").astype(known.dtype)
        places = np.minimum(np.searchsorted(known, ids), len(known) - 1)
        manifest = json.loads((base / "manifest.json").read_text())
        special = manifest["special_rows"]
        self._first = special["bos"]
        # An id that was not kept is read as the unknown one.
        rows = np.where(known[places] == ids, places, special.get("unknown", self._first))[given["rows"]]
        cut = np.cumsum(given["frame"])
        self._left, self._right, self._newline, self._end = np.split(rows[: cut[-1]], cut[:-1])
        self._pieces = rows[cut[-1] :]
        self._starts = np.concatenate([[0], np.cumsum(given["counts"], dtype=np.int64)])
        self._ends = given["ends"]
        self._words = np.concatenate([[0], np.cumsum(self.table["sentences"], dtype=np.int64)])
        choices = self.table["choices"].astype(np.int64)
        self.first = np.concatenate([[0], np.cumsum(choices)])
        #: The pieces of each pronoun, from a place where it stands inside a sentence.
        inside = (self.table["position"] > 0) & (self.table["end"] == 0)
        self._pronouns = {
            pronoun: self._word(int(np.flatnonzero(inside & (self.table["pronoun"] == pronoun))[0]))
            for pronoun in np.unique(self.table["pronoun"][self.table["end"] > 0]).tolist()
        }
        self.start = self.first + FUNCTIONS * np.arange(len(self.first))
        self.sources = self.table["source"]

    def __len__(self) -> int:
        return len(self.table["position"])

    def _line(self, sentence: int) -> tuple[Numbers, Numbers]:
        """Pieces of a sentence, and where each of its words ends."""
        words = slice(self._words[sentence], self._words[sentence + 1])
        return self._pieces[self._starts[sentence] : self._starts[sentence + 1]], self._ends[words]

    def _word(self, n: int) -> Numbers:
        """The pieces of a pronoun that stands in the text."""
        pieces, ends = self._line(int(self.table["sentence"][n]))
        position = int(self.table["position"][n])
        return pieces[ends[position - 1] if position else 0 : ends[position]]

    def arrays(self, n: int) -> tuple[Numbers, Numbers]:
        """The text of a pronoun, and the place of every candidate's last piece, -1 where it is not read."""
        table, sentence = self.table, int(self.table["sentence"][n])
        position, end = int(table["position"][n]), int(table["end"][n]) or int(table["position"][n]) + 1
        documents = table["documents"]
        pieces, ends = self._line(sentence)
        a, b = int(ends[position - 1]) if position else 0, int(ends[end - 1])
        word = pieces[a:b]
        if table["end"][n]:
            word = self._pronouns[int(table["pronoun"][n])]
        own = np.concatenate([pieces[:a], self._left, word, self._right, pieces[b:], self._newline])
        moved = len(self._left) + len(self._right) + len(word) - (b - a)
        parts = [own[: LONGEST - 40]]
        size = len(parts[0]) + len(self._end) + 1
        after = sentence + 1
        if after < len(documents) and documents[after] == documents[sentence]:
            following = self._line(after)[0][:60]
            if size + len(following) < LONGEST:
                parts.append(following)
                size += len(following)
        begins: dict[int, tuple[int, Numbers]] = {}
        before: list[Numbers] = []
        first = sentence
        for number in range(sentence - 1, max(-1, sentence - 1 - BEFORE), -1):
            if documents[number] != documents[sentence]:
                break
            line = np.concatenate([self._line(number)[0], self._newline])
            if size + len(line) > LONGEST:
                break
            before.insert(0, line)
            size += len(line)
            first = number
        at = 1
        for number, line in enumerate(before, start=first):
            begins[number] = at, self._line(number)[1]
            at += len(line)
        begins[sentence] = at, ends
        row = np.concatenate([[self._first], *before, *parts, self._end]).astype(np.int32)
        chosen = slice(self.first[n], self.first[n + 1])
        places = np.full(self.first[n + 1] - self.first[n], -1, dtype=np.int16)
        for number, (back, word_at) in enumerate(
            zip(table["back"][chosen], table["at"][chosen], strict=True)
        ):
            line_number = sentence - int(back)
            if line_number not in begins:
                continue
            begin, stops = begins[line_number]
            place = begin + int(stops[int(word_at)]) - 1
            if line_number == sentence and int(word_at) >= position:
                place += moved
            if place < len(row) - len(self._end):
                places[number] = place
        return row, places[:CANDIDATES]


class PointingModel(nn.Module):
    """The base model with low-rank changes, and layers that compare the end of a text with candidates."""

    def __init__(self, base: Path, rank: int) -> None:
        super().__init__()
        config = json.loads((base / "manifest.json").read_text())["config"]
        self.decoder = Decoder(config, rank=rank, alpha=2 * rank, dtype=DTYPE)
        weights = load(base)
        rows = weights.pop("embed.weight").to(DTYPE)
        self.embed = nn.Embedding.from_pretrained(rows)  # type: ignore[no-untyped-call]
        self.decoder.fill(weights)
        width = config["width"]
        self.asked, self.given = nn.Linear(width, DEPTH), nn.Linear(width, DEPTH)
        self.alone, self.functions = nn.Linear(width, 1), nn.Linear(width, FUNCTIONS)

    def forward(self, rows: Tensor, ends: Tensor, places: Tensor) -> Tensor:
        """Scores of candidates and functions; -inf for candidates that are not read."""
        states = self.decoder(self.embed(rows))
        at = torch.arange(len(ends), device=rows.device)
        own, other = states[at, ends].float(), states[at[:, None], places.clamp(min=0)].float()
        found = (self.given(other) @ self.asked(own)[:, :, None])[:, :, 0] / math.sqrt(DEPTH)
        found = (found + self.alone(other)[:, :, 0]).masked_fill(places < 0, -torch.inf)
        return torch.cat([found, self.functions(own)], 1)


def batches(numbers: Numbers, lengths: Numbers) -> list[Numbers]:
    """Pronouns of like length together."""
    order = numbers[np.argsort(lengths[numbers], kind="stable")]
    found, begin = [], 0
    for at, n in enumerate(order.tolist()):
        if padded(int(lengths[n])) * (at - begin + 1) > PIECES:
            found.append(order[begin:at])
            begin = at
    return [*found, order[begin:]]


class Lessons:
    """All texts as arrays of one shape."""

    def __init__(self, texts: Texts) -> None:
        rows = for_all(texts.arrays, range(len(texts)))
        self.lengths = np.array([len(row) for row, _ in rows])
        self._rows = np.zeros((len(rows), LONGEST), dtype=np.int32)
        self._places = np.full((len(rows), CANDIDATES), -1, dtype=np.int16)
        self._right = np.zeros((len(rows), CANDIDATES + FUNCTIONS), dtype=np.float32)
        right = texts.table["right"].astype(np.float32)
        for n, (row, places) in enumerate(rows):
            self._rows[n, : len(row)] = row[:LONGEST]
            self._places[n, : len(places)] = places
            given = right[texts.start[n] : texts.start[n + 1]]
            self._right[n, : len(places)] = given[: len(places)] * (places >= 0)
            self._right[n, CANDIDATES:] = given[-FUNCTIONS:]
        self.has_functions = texts.table["functions"].astype(np.bool_)
        self.usable = self._right.sum(1) > 0

    def tensors(self, part: Numbers) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Rows, the place of the last piece, places of candidates, and what is right."""
        size = min(LONGEST, padded(int(self.lengths[part].max())))
        ends = np.minimum(self.lengths[part], LONGEST) - 1
        widest = max(1, int((self._places[part] >= 0).any(0).nonzero()[0].max(initial=0)) + 1)
        right = np.concatenate([self._right[part][:, :widest], self._right[part][:, CANDIDATES:]], 1)
        arrays = (
            self._rows[part][:, :size].astype(np.int64),
            ends,
            self._places[part][:, :widest].astype(np.int64),
        )
        rows, last, places = (torch.from_numpy(one).to(DEVICE, non_blocking=True) for one in arrays)
        return rows, last, places, torch.from_numpy(right).to(DEVICE)


def train(options: argparse.Namespace) -> None:
    """Learns until the time is over, then scores every pronoun."""
    begin = time.time()
    texts = Texts(options.packed, options.folder, options.base)
    lessons = Lessons(texts)
    share = np.array([0.0 if name in GOLD else SHARES[name] for name in SOURCES])
    chances = share[texts.sources] * lessons.usable
    counts = Counter(SOURCES[n] for n in texts.sources[chances > 0].tolist())
    say(f"{dict(counts)}, mean of {lessons.lengths.mean():.0f} pieces, {time.time() - begin:.0f} s")
    chances /= chances.sum()
    model = PointingModel(options.base, options.rank).to(DEVICE)
    own = [one for one in model.parameters() if one.requires_grad]
    optimizer = torch.optim.AdamW(own, lr=options.rate, betas=(0.9, 0.98), weight_decay=0.01, fused=True)
    rng = np.random.default_rng(options.seed)
    functions = torch.from_numpy(lessons.has_functions).to(DEVICE)
    start, step, done, spent, total = time.time(), 0, 0, 0.0, 0.0
    model.train()
    while spent < 1:
        parts = batches(rng.choice(len(chances), 8192, p=chances), lessons.lengths)
        for at in rng.permutation(len(parts)).tolist():
            spent = (time.time() - start) / (60 * options.minutes)
            if spent >= 1:
                break
            for group in optimizer.param_groups:
                cosine = 0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * spent))
                group["lr"] = options.rate * min(1.0, (step + 1) / 60) * cosine
            part = parts[at]
            rows, last, places, right = lessons.tensors(part)
            found = model(rows, last, places)
            found[:, -FUNCTIONS:] = found[:, -FUNCTIONS:].masked_fill(
                ~functions[torch.from_numpy(part).to(DEVICE)][:, None], -torch.inf
            )
            chance = torch.logsumexp(found + torch.log(right), 1)
            loss = (torch.logsumexp(found, 1) - chance).mean()
            optimizer.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(own, 1.0)
            optimizer.step()
            step, done = step + 1, done + len(part)
            total += float(loss.detach()) if step % 20 == 0 else 0.0
            if step % 100 == 0:
                say(f"{step} steps, {done} pronouns, {time.time() - start:.0f} s, loss {total / 5:.4f}")
                total = 0.0
    values = scored(model, texts, lessons)
    options.output.mkdir(parents=True, exist_ok=True)
    np.save(options.output / "taught.npy", values.astype(np.float16))
    found_figures = figures(texts, values)  # type: ignore[arg-type]
    say(json.dumps({name: one for name, one in found_figures.items() if name.startswith("parcorfull")}))
    (options.output / "figures.json").write_text(json.dumps(found_figures, indent=1) + "\n", encoding="utf-8")


@torch.no_grad()
def scored(model: PointingModel, texts: Texts, lessons: Lessons) -> NDArray[np.float32]:
    """Log probabilities of all pronouns, in the order of the packed file."""
    model.eval()
    values = np.full(texts.start[-1], np.nan, dtype=np.float32)
    for part in batches(np.arange(len(texts)), lessons.lengths):
        rows, last, places, _ = lessons.tensors(part)
        found = F.log_softmax(model(rows, last, places), 1).cpu().numpy()
        for n, row in zip(part.tolist(), found, strict=True):
            into = values[texts.start[n] : texts.start[n + 1]]
            count = min(len(into) - FUNCTIONS, len(row) - FUNCTIONS)
            into[:count] = np.where(np.isinf(row[:count]), np.nan, row[:count])
            into[-FUNCTIONS:] = row[-FUNCTIONS:]
    return values


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    packing = commands.add_parser("pack", help="split the words by the tokenizer of the base model")
    packing.add_argument("packed", type=Path)
    packing.add_argument("--tokenizer", type=Path, required=True)
    training = commands.add_parser("train", help="learn, and score every pronoun")
    training.add_argument("packed", type=Path)
    training.add_argument("folder", type=Path, help="what pack wrote")
    training.add_argument("base", type=Path, help="a folder of tools.detector.base cut")
    training.add_argument("--minutes", type=float, default=3)
    training.add_argument("--rank", type=int, default=32)
    training.add_argument("--rate", type=float, default=4e-4)
    training.add_argument("--seed", type=int, default=1)
    for one in (packing, training):
        one.add_argument("--output", type=Path, required=True)
    options = parser.parse_args()
    torch.manual_seed(1)
    if options.command == "pack":
        pack(options.packed, options.tokenizer, options.output)
    else:
        train(options)


if __name__ == "__main__":
    main()
