"""Training of anaphor-2, which predicts masked subwords and hidden pronouns in windows of text.

The same code runs on a CPU and on a single GPU. If phases end after steps rather than minutes, a seed
reproduces the model on the same machine.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from anaphor.core.array_types import Ints
from anaphor.core.progress import ShareProgress
from anaphor.languages import load_language
from anaphor.predict.anaphor2 import windows
from anaphor.predict.anaphor2.encoding import ANY_DOMAIN, LANGUAGES, NO_LABEL, EncodedSide, TrainingCorpus
from anaphor.predict.anaphor2.joint import TASKS
from anaphor.predict.anaphor2.network import NumpyNetwork, Shape
from anaphor.predict.anaphor2.subwords import MASK, SPECIALS, START
from anaphor.predict.anaphor2.synthetic_examples import SyntheticExamples
from anaphor.predict.anaphor2.torch_network import TorchNetwork, as_numpy
from anaphor.predict.device import chosen_device

#: Called with the number of finished steps, and the losses of masked pieces and of slots.
Watcher = Callable[[int, float, float], None]
_WATCH = 100
#: Windows of similar length are read together, padded to one of these widths: with a single width nearly
#: half of all places were padding.
_WIDTHS = (windows.LONGEST // 4, windows.LONGEST * 3 // 4, windows.LONGEST)
#: The largest shares of the places of a batch that are masked and that are slots. Tensors of constant size
#: let a GPU run ahead of the CPU.
_MOST_HIDDEN, _MOST_SLOTS = 0.32, 1 / 24
_IGNORED = -100
#: Passes over the text before it is divided into other windows.
_PASSES = 3
#: Coefficients of the quintic iteration of Muon, which drives all singular values towards one.
_QUINTIC = (3.4445, -4.7750, 2.0315)
_ITERATIONS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """One phase of training.

    - `minutes`: if given, time ends the phase instead of `steps`; runs are then not exactly reproducible.
    - `hidden`: share of subwords that are masked and predicted; `hidden_pronouns`: the same for target
      pronouns.
    - `slots`: weight of the loss at slots relative to that of masked subwords.
    - `batch`: windows of full length per batch; shorter ones fill the same space.
    - `rate`: learning rate of Muon for matrices; all other parameters use a tenth of it.
    - `alone`: share of windows with a single segment.
    - `synthetic`: share of windows turned into synthetic examples (see `synthetic_examples`).
    - `shown`: share of slots that are not hidden.
    """

    steps: int = 0
    minutes: float | None = None
    batch: int = 256
    rate: float = 0.02
    hidden: float = 0.3
    hidden_pronouns: float = 0.5
    slots: float = 1.0
    alone: float = 0.1
    synthetic: float = 0.0
    shown: float = 0.0

    def done(self, step: int, seconds: float) -> float:
        """The completed share of the phase."""
        return step / self.steps if self.minutes is None else seconds / 60 / self.minutes


class Trainer:
    """A network and its training data on one device."""

    def __init__(
        self,
        network: TorchNetwork,
        corpus: TrainingCorpus,
        *,
        pieces: Sequence[str],
        device: str,
        seed: int,
    ) -> None:
        self.network = network.to(device)
        self._corpus, self._device, self._seed = corpus, device, seed
        encoded = corpus.encoded
        self._text = SimpleNamespace(source=self._moved(encoded.source), target=self._moved(encoded.target))
        # The class that is hidden at each target piece.
        labels = np.full(len(encoded.target.pieces), NO_LABEL, dtype=np.int32)
        labels[encoded.slot_targets] = encoded.labels
        self._labels = self._tensor(labels)
        self._synthetic = SyntheticExamples(pieces, encoded, device)
        self._rivals = _rivals().to(device)
        self._pronoun = torch.zeros(network.guess_bias.shape[0], dtype=torch.bool, device=device)
        self._pronoun[torch.tensor(pronoun_pieces(pieces), dtype=torch.long, device=device)] = True
        self._places = torch.arange(windows.LONGEST, device=device)
        self._compared = torch.compile(self._compare, dynamic=False) if device == "cuda" else self._compare

    def run(
        self,
        phase: Phase,
        watcher: Watcher | None = None,
        *,
        checkpoint: Path | None = None,
        until: int | None = None,
    ) -> None:
        """Train for the steps of a phase.

        With a checkpoint, training continues from the state in that file, if it exists, and saves its state
        there at the end: a phase can be split into parts, each `until` a step, and gives the same network.
        """
        torch.manual_seed(self._seed)
        self.network.train()
        named = list(self.network.named_parameters())
        matrices = [p for name, p in named if name.startswith("blocks") and p.dim() == 2]
        chosen = set(matrices)
        rest = [p for _, p in named if p not in chosen]
        fused = self._device == "cuda"
        adam = torch.optim.AdamW(rest, phase.rate / 10, betas=(0.9, 0.98), weight_decay=0.01, fused=fused)
        optimizers: list[tuple[torch.optim.Optimizer, float]] = [
            (Muon(matrices, rate=phase.rate), phase.rate),
            (adam, phase.rate / 10),
        ]
        first = 0
        if checkpoint is not None and checkpoint.is_file():
            first = self._resume(checkpoint, [optimizer for optimizer, _ in optimizers])
        began = time.monotonic()
        step = first
        for step, batch in enumerate(self._batches(phase)):
            done = phase.done(step, time.monotonic() - began)
            if done >= 1 or step == until:
                break
            if step < first:
                continue
            with torch.autocast(self._device, torch.bfloat16, enabled=self._device == "cuda"):
                pieces, slots = self._losses(*batch, phase)
            for optimizer, rate in optimizers:
                optimizer.zero_grad(set_to_none=True)
                for group in optimizer.param_groups:
                    group["lr"] = rate * _schedule(done)
            torch.autograd.backward(pieces + phase.slots * slots)
            torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
            for optimizer, _ in optimizers:
                optimizer.step()
            if watcher is not None and (step + 1) % _WATCH == 0:
                watcher(step + 1, float(pieces.detach()), float(slots.detach()))
        if checkpoint is not None:
            state = {
                "step": step,
                "network": self.network.state_dict(),
                "optimizers": [optimizer.state_dict() for optimizer, _ in optimizers],
                "random": torch.cuda.get_rng_state() if fused else torch.get_rng_state(),
            }
            torch.save(state, checkpoint)
        self.network.train(False)

    def _resume(self, checkpoint: Path, optimizers: Sequence[torch.optim.Optimizer]) -> int:
        """Load a checkpoint and return the next step."""
        state = torch.load(checkpoint, map_location=self._device, weights_only=True)
        self.network.load_state_dict(state["network"])
        for optimizer, saved in zip(optimizers, state["optimizers"], strict=True):
            optimizer.load_state_dict(saved)
        if self._device == "cuda":
            torch.cuda.set_rng_state(state["random"].cpu())
        else:
            torch.set_rng_state(state["random"].cpu())
        return int(state["step"])

    def _batches(self, phase: Phase) -> Iterator[tuple[Tensor, Tensor, int]]:
        """Rows of windows, their domains and languages, and their width, in endless passes over the text."""
        rng = np.random.default_rng(self._seed)
        for number in count():
            if number % _PASSES == 0:
                packed = windows.packed(self._corpus.encoded, rng, alone=phase.alone)
                rows = rng.permutation(windows.as_rows(packed))
            yield from self._pass(rows, phase, rng)

    def _pass(
        self, rows: Ints, phase: Phase, rng: np.random.Generator
    ) -> Iterator[tuple[Tensor, Tensor, int]]:
        batches = list(_same_width(rng.permutation(len(rows)).astype(np.int32), rows, phase.batch))
        order = np.concatenate([chosen for chosen, _ in batches])
        starts = np.cumsum([0, *(len(chosen) for chosen, _ in batches)]).tolist()
        # In a tenth of the windows the domain is withheld, so that a text of unknown kind can be read.
        kept = self._corpus.given[rows[order, windows.PieceWindow._fields.index("segment")]]
        kept[rng.random(len(kept)) < 0.1, 0] = ANY_DOMAIN
        ordered, domains = self._tensor(rows[order]), self._tensor(kept)
        for number in rng.permutation(len(batches)).tolist():
            part = slice(starts[number], starts[number + 1])
            yield ordered[part], domains[part], batches[number][1]

    def _tensor(self, array: Ints) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(array)).to(self._device)

    def _moved(self, side: EncodedSide) -> SimpleNamespace:
        names = ("pieces", "tags", "links", "segments")
        return SimpleNamespace(**{name: self._tensor(getattr(side, name)) for name in names})

    def _losses(self, rows: Tensor, given: Tensor, width: int, phase: Phase) -> tuple[Tensor, Tensor]:
        """The losses of masked subwords and of slots."""
        batch, from_target = windows.batch_of(torch, self._text, rows, given, self._places[:width])
        labels = torch.where(from_target >= 0, self._labels[from_target.clip(0)], NO_LABEL)
        if phase.shown:
            batch, labels = self._synthetic.show(batch, labels, phase.shown)
        if phase.synthetic:
            batch, labels = self._synthetic.apply(batch, labels, given, from_target, phase.synthetic)
        chance = torch.rand(batch.pieces.shape, device=self._device)
        pronoun = (from_target >= 0) & self._pronoun[batch.pieces]
        share = torch.where(pronoun, phase.hidden_pronouns, phase.hidden)
        hidden = (batch.pieces >= len(SPECIALS)) & (chance < share)
        guessed = _places_of(hidden, _MOST_HIDDEN)
        slots = _places_of(labels != NO_LABEL, _MOST_SLOTS)
        wanted = torch.where(hidden, batch.pieces, _IGNORED).flatten()[guessed].long()
        classes = torch.where(labels != NO_LABEL, labels, _IGNORED).flatten()[slots].long()
        read = batch._replace(pieces=torch.where(hidden, MASK, batch.pieces))
        return self._compared(read, guessed, wanted, slots, classes)

    def _compare(
        self, batch: windows.InputBatch, guessed: Tensor, wanted: Tensor, slots: Tensor, classes: Tensor
    ) -> tuple[Tensor, Tensor]:
        """The losses at positions [k] of a batch, given the correct subwords [k] and classes [k]."""
        states = self.network(batch).flatten(0, 1)
        guesses = self.network.guesses(states[guessed]).float()
        scores = self.network.classes(states[slots]).float() + self._rivals[classes.clip(0)]
        return _mean_loss(guesses, wanted), _mean_loss(scores, classes)


def _same_width(order: Ints, rows: Ints, batch: int) -> Iterator[tuple[Ints, int]]:
    """Batches of row numbers in the given order, and the width that fits them all."""
    kinds = np.searchsorted(_WIDTHS, windows.lengths_of(rows))[order]
    for kind, width in enumerate(_WIDTHS):
        chosen = order[kinds == kind]
        most = batch * windows.LONGEST // width
        # An incomplete batch is dropped if there are full ones: the next pass has another order.
        for start in range(0, len(chosen) - most + 1, most) or range(0, len(chosen), most):
            yield chosen[start : start + most], width


def _places_of(chosen: Tensor, most: float) -> Tensor:
    """Flat indices [k] of the chosen positions; a fixed number, padded with random other positions."""
    flat = chosen.flatten()
    return (flat + torch.rand(flat.shape, device=flat.device)).topk(math.ceil(most * len(flat))).indices


def _mean_loss(scores: Tensor, wanted: Tensor) -> Tensor:
    """Mean cross-entropy; zero, with a gradient, if there is nothing to predict."""
    total = F.cross_entropy(scores, wanted, reduction="sum", ignore_index=_IGNORED)
    return total / (wanted != _IGNORED).sum().clip(1)


def pronoun_pieces(pieces: Sequence[str]) -> list[int]:
    """The numbers of subwords that are complete pronouns of one of the languages, which training masks more
    often.
    """
    words = {START + form for language in LANGUAGES for form in load_language(language).inventory()}
    return [number for number, piece in enumerate(pieces) if piece in words]


def _rivals() -> Tensor:
    """The mask added to the scores given the correct class: minus infinity for classes of other sub-tasks."""
    size = TASKS[-1].classes.stop
    rivals = torch.full((size, size), -math.inf)
    for task in TASKS:
        rivals[task.classes, task.classes] = 0
    return rivals


def _schedule(done: float) -> float:
    """Learning rate: warm-up in the first twentieth, constant, then decay from the middle to a fiftieth."""
    return min(1.0, done / 0.05 + 0.01) * min(1.0, max(0.02, 2 * (1 - done)))


class Muon(torch.optim.Optimizer):
    """Momentum whose updates for matrices are nearly orthogonalized (Jordan et al. 2024).

    For two-dimensional parameters only; those of equal shape are updated together, which is faster. In equal
    time it outperformed AdamW for the dense matrices of a Transformer; all other parameters use AdamW.
    """

    def __init__(self, parameters: Iterable[nn.Parameter], *, rate: float, momentum: float = 0.95) -> None:
        by_shape: dict[torch.Size, list[nn.Parameter]] = {}
        for parameter in parameters:
            by_shape.setdefault(parameter.shape, []).append(parameter)
        groups = [{"params": group} for group in by_shape.values()]
        super().__init__(groups, {"lr": rate, "momentum": momentum})

    @torch.no_grad()
    def step(self) -> None:  # type: ignore[override]
        """Update every parameter with a gradient."""
        for group in self.param_groups:
            moved: list[Tensor] = [parameter for parameter in group["params"] if parameter.grad is not None]
            if not moved:
                continue
            rate, momentum = group["lr"], group["momentum"]
            gradients = torch.stack([parameter.grad for parameter in moved if parameter.grad is not None])
            speed = self.state[moved[0]].setdefault("speed", torch.zeros_like(gradients))
            speed.mul_(momentum).add_(gradients)
            rows, columns = gradients.shape[1:]
            steps = orthogonal(gradients.add(speed, alpha=momentum)).to(gradients.dtype)
            scale = -rate * max(1.0, rows / columns) ** 0.5
            for parameter, change in zip(moved, steps, strict=True):
                parameter.mul_(1 - rate * 0.01).add_(change, alpha=scale)


def orthogonal(matrices: Tensor) -> Tensor:
    """Matrices [m, rows, columns] with nearly the same directions and all singular values near one."""
    a, b, c = _QUINTIC
    x = matrices.bfloat16() if matrices.is_cuda else matrices.float()
    turned = x.shape[1] > x.shape[2]
    x = x.mT if turned else x
    x = x / (x.norm(dim=(1, 2), keepdim=True) + 1e-7)
    for _ in range(_ITERATIONS):
        square = x @ x.mT
        x = a * x + (b * square + c * square @ square) @ x
    straight: Tensor = x.mT if turned else x
    return straight


def train_network(
    shape: Shape,
    corpus: TrainingCorpus,
    phase: Phase,
    *,
    pieces: Sequence[str],
    device: str,
    seed: int,
    progress: ShareProgress | None,
) -> NumpyNetwork:
    """Train a network for one phase."""
    torch.manual_seed(seed)
    network = TorchNetwork(shape)
    trainer = Trainer(network, corpus, pieces=pieces, device=chosen_device(device).type, seed=seed)

    def watch(step: int, pieces: float, slots: float) -> None:
        if progress is not None:
            progress(f"loss {pieces:.2f} of words, {slots:.2f} of pronouns", step / phase.steps)

    trainer.run(phase, watch)
    return as_numpy(network, shape)
