"""Training of anaphor-1: hidden pieces and hidden pronouns on windows of text, then pronouns above all.

The same code runs on a processor and on one GPU. Where steps, not minutes, end a phase, a seed gives the same
model again on the same machine.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812

from anaphor.predict.anaphor1.encoding import NO_LABEL, Numbers
from anaphor.predict.anaphor1.material import Corpus, labels_by_place, training_windows
from anaphor.predict.anaphor1.muon import Muon
from anaphor.predict.anaphor1.subwords import MASK, SPECIALS
from anaphor.predict.anaphor1.torch_network import TorchNetwork
from anaphor.predict.anaphor1.windows import ANY_DOMAIN, LONGEST, Batch, batch_of

#: Told how many steps are done, and the losses of hidden pieces and of slots.
Watcher = Callable[[int, float, float], None]
_WATCH = 100
#: Windows of like length are read together, as wide as one of these: at one width nearly half of all places
#: were empty.
_WIDTHS = (LONGEST // 4, LONGEST * 3 // 4, LONGEST)
#: Shares of the places of a batch that are guessed and that are slots, at most. Tensors of one size let a
#: device run ahead of the processor.
_MOST_HIDDEN, _MOST_SLOTS = 0.32, 1 / 24
_IGNORED = -100
#: Rounds over the text before it is cut into other windows.
_ROUNDS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """One phase of training.

    - `minutes`: where given, the clock ends the phase and not `steps`; no two runs are then quite the same.
    - `hidden`: share of pieces that are hidden and guessed; `hidden_pronouns`: the same of target pronouns.
    - `slots`: weight of the loss at slots beside that of hidden pieces.
    - `batch`: windows of full length in a batch; of shorter ones, as many as take the same room.
    - `rate` is that of Muon for matrices; the rest learns at a tenth of it.
    """

    steps: int = 0
    minutes: float | None = None
    batch: int = 256
    rate: float = 0.02
    hidden: float = 0.3
    hidden_pronouns: float = 0.5
    slots: float = 1.0
    alone: float = 0.1

    def done(self, step: int, seconds: float) -> float:
        """The share of the phase that is over."""
        return step / self.steps if self.minutes is None else seconds / 60 / self.minutes


class Trainer:
    """Holds a network, the text on its device, and what must not be confused: classes of other sub-tasks."""

    def __init__(
        self,
        network: TorchNetwork,
        corpus: Corpus,
        *,
        groups: Sequence[range],
        pronouns: Sequence[int],
        device: str,
        seed: int,
    ) -> None:
        """`groups` has the classes of each sub-task, `pronouns` the pieces that are pronouns."""
        self.network = network.to(device)
        self._corpus, self._device, self._seed = corpus, device, seed
        self._text = _on_device(corpus, device)
        self._labels = torch.from_numpy(labels_by_place(corpus.encoded)).to(device)
        self._rivals = _rivals(groups).to(device)
        self._pronoun = torch.zeros(network.guess_bias.shape[0], dtype=torch.bool, device=device)
        self._pronoun[torch.tensor(list(pronouns), dtype=torch.long, device=device)] = True
        self._places = torch.arange(LONGEST, device=device)
        self._compared = torch.compile(self._compare, dynamic=False) if device == "cuda" else self._compare

    def run(self, phase: Phase, watcher: Watcher | None = None) -> None:
        """Train for the steps of a phase."""
        torch.manual_seed(self._seed)
        self.network.train()
        optimisers = self._optimisers(phase)
        began = time.monotonic()
        for step, batch in enumerate(self._batches(phase)):
            done = phase.done(step, time.monotonic() - began)
            if done >= 1:
                break
            losses = self._step(batch, phase, optimisers, _schedule(done))
            if watcher is not None and (step + 1) % _WATCH == 0:
                watcher(step + 1, *(float(loss) for loss in losses))
        self.network.train(False)

    def _optimisers(self, phase: Phase) -> list[tuple[torch.optim.Optimizer, float]]:
        named = list(self.network.named_parameters())
        matrices = [p for name, p in named if name.startswith("blocks") and p.dim() == 2]
        chosen = set(matrices)
        rest = [p for _, p in named if p not in chosen]
        fused = self._device == "cuda"
        adam = torch.optim.AdamW(rest, phase.rate / 10, betas=(0.9, 0.98), weight_decay=0.01, fused=fused)
        return [(Muon(matrices, rate=phase.rate), phase.rate), (adam, phase.rate / 10)]

    def _batches(self, phase: Phase) -> Iterator[tuple[Tensor, Tensor, int]]:
        """Rows of windows, what is given of them, and how wide they are; text after text, without end."""
        rng = np.random.default_rng(self._seed)
        for number in count():
            if number % _ROUNDS == 0:
                windows = training_windows(self._corpus, rng, alone=phase.alone)
            yield from self._round(*windows, phase, rng)

    def _round(
        self, rows: Numbers, given: Numbers, phase: Phase, rng: np.random.Generator
    ) -> Iterator[tuple[Tensor, Tensor, int]]:
        batches = list(_alike(rng.permutation(len(rows)).astype(np.int32), rows, phase.batch))
        order = np.concatenate([chosen for chosen, _ in batches])
        starts = np.cumsum([0, *(len(chosen) for chosen, _ in batches)]).tolist()
        # Now and then the kind of text is not told, so that a text of no known kind can be read.
        kept = given[order]
        kept[rng.random(len(kept)) < 0.1, 0] = ANY_DOMAIN
        ordered, told = self._tensor(rows[order]), self._tensor(kept)
        for number in rng.permutation(len(batches)).tolist():
            part = slice(starts[number], starts[number + 1])
            yield ordered[part], told[part], batches[number][1]

    def _tensor(self, array: Numbers) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(array)).to(self._device)

    def _step(
        self,
        batch: tuple[Tensor, Tensor, int],
        phase: Phase,
        optimisers: Sequence[tuple[torch.optim.Optimizer, float]],
        share: float,
    ) -> tuple[Tensor, Tensor]:
        with torch.autocast(self._device, torch.bfloat16, enabled=self._device == "cuda"):
            pieces, slots = self._losses(*batch, phase)
        for optimiser, rate in optimisers:
            optimiser.zero_grad(set_to_none=True)
            for group in optimiser.param_groups:
                group["lr"] = rate * share
        torch.autograd.backward(pieces + phase.slots * slots)
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        for optimiser, _ in optimisers:
            optimiser.step()
        return pieces.detach(), slots.detach()

    def _losses(self, rows: Tensor, given: Tensor, width: int, phase: Phase) -> tuple[Tensor, Tensor]:
        """The losses of hidden pieces and of slots."""
        batch, from_target = batch_of(torch, self._text, rows, given, self._places[:width])
        hidden = self._choose_hidden(batch.pieces, from_target >= 0, phase)
        labels = torch.where(from_target >= 0, self._labels[from_target.clip(0)], NO_LABEL)
        guessed = _places_of(hidden, _MOST_HIDDEN)
        asked = _places_of(labels != NO_LABEL, _MOST_SLOTS)
        wanted = torch.where(hidden, batch.pieces, _IGNORED).flatten()[guessed].long()
        found = torch.where(labels != NO_LABEL, labels, _IGNORED).flatten()[asked].long()
        read = batch._replace(pieces=torch.where(hidden, MASK, batch.pieces))
        return self._compared(read, guessed, wanted, asked, found)

    def _compare(
        self, batch: Batch, guessed: Tensor, wanted: Tensor, asked: Tensor, found: Tensor
    ) -> tuple[Tensor, Tensor]:
        """The losses at places [k] of a batch, where pieces [k] and classes [k] are wanted."""
        states = self.network(batch).flatten(0, 1)
        guesses = self.network.guesses(states[guessed]).float()
        scores = self.network.classes(states[asked]).float() + self._rivals[found.clip(0)]
        return _mean_loss(guesses, wanted), _mean_loss(scores, found)

    def _choose_hidden(self, pieces: Tensor, in_target: Tensor, phase: Phase) -> Tensor:
        chance = torch.rand(pieces.shape, device=self._device)
        pronoun = in_target & self._pronoun[pieces]
        share = torch.where(pronoun, phase.hidden_pronouns, phase.hidden)
        return (pieces >= len(SPECIALS)) & (chance < share)


def _alike(order: Numbers, rows: Numbers, batch: int) -> Iterator[tuple[Numbers, int]]:
    """Numbers of rows that fill a batch, taken in an order, and the width that all of them fit."""
    sizes = rows[:, 1] - rows[:, 0] + rows[:, 3] - rows[:, 2] + 2
    kinds = np.searchsorted(_WIDTHS, sizes)[order]
    for kind, width in enumerate(_WIDTHS):
        chosen = order[kinds == kind]
        most = batch * LONGEST // width
        # A rest is left out where there are full batches: the next round has another order.
        for start in range(0, len(chosen) - most + 1, most) or range(0, len(chosen), most):
            yield chosen[start : start + most], width


def _places_of(asked: Tensor, most: float) -> Tensor:
    """Where a batch asks something [k], flattened; a fixed number, filled up with places that ask nothing."""
    flat = asked.flatten()
    return (flat + torch.rand(flat.shape, device=flat.device)).topk(math.ceil(most * len(flat))).indices


def _mean_loss(scores: Tensor, wanted: Tensor) -> Tensor:
    """Cross-entropy; zero, with its gradient, where nothing was asked."""
    total = F.cross_entropy(scores, wanted, reduction="sum", ignore_index=_IGNORED)
    return total / (wanted != _IGNORED).sum().clip(1)


def _rivals(groups: Sequence[range]) -> Tensor:
    """For every class what is added to all scores: nothing for those of its sub-task, minus infinity else."""
    rivals = torch.full((groups[-1].stop, groups[-1].stop), -math.inf)
    for group in groups:
        rivals[group.start : group.stop, group.start : group.stop] = 0
    return rivals


def _schedule(done: float) -> float:
    """Up in the first twentieth, down from the middle to a fiftieth."""
    return min(1.0, done / 0.05 + 0.01) * min(1.0, max(0.02, 2 * (1 - done)))


@dataclass(frozen=True, slots=True)
class _Text:
    source: Any
    target: Any


@dataclass(frozen=True, slots=True)
class _SideOnDevice:
    pieces: Tensor
    tags: Tensor
    links: Tensor
    segments: Tensor


def _on_device(corpus: Corpus, device: str) -> _Text:
    def moved(array: Numbers) -> Tensor:
        return torch.from_numpy(array).to(device)

    sides = (corpus.encoded.source, corpus.encoded.target)
    return _Text(*(_SideOnDevice(*map(moved, (s.pieces, s.tags, s.links, s.segments))) for s in sides))
