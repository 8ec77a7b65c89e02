"""The small detector: low-rank changes of a network of anaphor-2, taught by the large one.

    python tools/detector/student.py PACKED --network FILE --labels logits.npy --output FOLDER [--minutes 3]

PACKED is a folder of `pack.py student`, FILE the network to start from, the labels those of
`teacher.py label` for the same pronouns, by name. It learns three things at once: the teacher's log odds, the
labels of made and contrastive examples, and the forms that stand where one is hidden. Pronouns of judged
documents have the teacher's labels only, and only with `--with-judged`.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).resolve().parents[2] / "src")]

from compact import expand
from teacher import DEVICE, FOLDS, Pronouns, document_of, figures, for_all, note

from anaphor.predict.detector.windows import PieceLine, PieceMark, Window, batch_of, window_of
from anaphor.predict.anaphor2.network import Shape, read_network
from anaphor.predict.anaphor2.torch_network import TorchNetwork
from anaphor.predict.anaphor2.windows import InputBatch

SHAPE = Shape(pieces=16_000, classes=38)
#: English is the first language of the network, then French, German and Spanish.
LANGUAGE_NUMBERS = {"de": 3, "fr": 2, "es": 4}
#: Forms that are rarer than this are no classes.
LEAST_FORM = 150
_CHANGED = ("query", "key_value", "out", "up", "down")


class StudentPronouns(Pronouns):
    """Packed pronouns as windows."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._tags = expand(folder)["tags"].astype(np.int64)
        forms = json.loads((folder / "forms.json").read_text(encoding="utf-8"))
        names = {number: name for name, number in forms.items()}
        self.forms = [names[number] for number in self.table["form"].tolist()]

    def _piece_line(self, number: int) -> PieceLine:
        place = slice(self._starts[number], self._starts[number + 1])
        return PieceLine(self._pieces[place], self._tags[place])

    def window(self, n: int, *, hidden: bool = False) -> Window:
        row = dict(zip(self.table, self._rows[n].tolist(), strict=True))
        before = min(row["before"], 3)
        source = [self._piece_line(row["source"] - k) for k in range(before, 0, -1)]
        target = [self._piece_line(row["context"] - k) for k in range(before, 0, -1)]
        source.append(self._piece_line(row["origin"]))
        target.append(self._piece_line(row["current"]))
        if row["after"]:
            source.append(self._piece_line(row["source"] + 1))
            target.append(self._piece_line(row["context"] + 1))
        span = (row["ta"], row["tb"])
        if hidden and self.forms[n].endswith("∅"):
            span = (row["ta"], row["ta"])
        mark = PieceMark((row["sa"], row["sb"]), span)
        languages = (1, LANGUAGE_NUMBERS[("de", "fr", "es")[row["language"]]])
        return window_of(source, target, before, mark, languages, hidden=hidden)

    def visible(self, n: int) -> Window:
        return self.window(n)

    def hidden(self, n: int) -> Window:
        return self.window(n, hidden=True)


class Changed(nn.Module):
    """A frozen matrix with a low-rank change."""

    def __init__(self, linear: nn.Linear, rank: int) -> None:
        super().__init__()
        self.linear = linear
        self.a = nn.Parameter(torch.randn(rank, linear.in_features) * linear.in_features**-0.5)
        self.b = nn.Parameter(torch.zeros(linear.out_features, rank))

    def forward(self, x: Tensor) -> Tensor:
        found: Tensor = self.linear(x) + F.linear(F.linear(x, self.a), self.b)
        return found


def student_of(path: Path, classes: int, rank: int) -> TorchNetwork:
    """The network of a file; with a rank only low-rank changes and the heads learn, else everything."""
    network = TorchNetwork(SHAPE, drop=0.1)
    weights = read_network(path, SHAPE).weights
    network.load_state_dict({name: torch.from_numpy(np.array(one)) for name, one in weights.items()}, strict=False)
    network.classes = nn.Linear(SHAPE.width, classes)
    del network.guess, network.guess_bias
    if rank:
        for parameter in network.parameters():
            parameter.requires_grad_(False)
        for block in network.blocks:
            for name in _CHANGED:
                setattr(block, name, Changed(getattr(block, name), rank))
            for norm in (block.before_attention, block.before_dense):
                norm.weight.requires_grad_(True)
        for one in (network.norm, network.classes, network.link, network.language):
            one.requires_grad_(True)
    return network


def stacked(windows: Sequence[Window]) -> tuple[Tensor, Tensor]:
    """All windows as one array [windows, 5, places] of small numbers."""
    rows = np.zeros((len(windows), 5, 256), dtype=np.int16)
    for number, one in enumerate(windows):
        rows[number, :, : one.rows.shape[1]] = one.rows
    return torch.from_numpy(rows), torch.tensor([one.place for one in windows])


def scores(network: TorchNetwork, rows: Tensor, places: Tensor) -> Tensor:
    size = int(rows[:, 0].ne(0).sum(1).max())
    size = min(256, -(-size // 32) * 32)
    batch = InputBatch(*(rows[:, k, :size].long() for k in range(5)))
    states = network(batch)[torch.arange(len(rows), device=rows.device), places]
    found: Tensor = network.classes(states).float()
    return found


@torch.no_grad()
def all_scores(network: TorchNetwork, rows: Tensor, places: Tensor, numbers: Tensor) -> np.ndarray:
    network.eval()
    found = []
    for part in numbers.split(1024):
        with torch.autocast(DEVICE, torch.bfloat16):
            found.append(scores(network, rows[part].to(DEVICE), places[part].to(DEVICE)).cpu())
    network.train()
    return torch.cat(found).numpy()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("packed", type=Path)
    parser.add_argument("--network", type=Path, required=True)
    parser.add_argument("--labels", type=Path, help="a folder with logits.npy and names.txt of the teacher")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=3)
    parser.add_argument("--rank", type=int, default=48, help="0: everything learns")
    parser.add_argument("--rate", type=float, default=1.5e-3)
    parser.add_argument("--read-rate", type=float, default=3e-4)
    parser.add_argument("--passes", type=int, default=3)
    parser.add_argument("--with-judged", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(options.seed)
    start = time.time()
    pronouns = StudentPronouns(options.packed)
    everything = list(range(len(pronouns)))
    teacher = np.full(len(pronouns), np.nan, dtype=np.float32)
    if options.labels:
        names = (options.labels / "names.txt").read_text(encoding="utf-8").splitlines()
        # Several made errors of one pronoun have names of their own; the order decides between the same.
        known: dict[str, list[float]] = {}
        for name, value in zip(names, np.load(options.labels / "logits.npy").tolist(), strict=True):
            known.setdefault(name, []).append(value)
        for n, name in enumerate(pronouns.names):
            if name in known:
                teacher[n] = known[name][0]
    labels = pronouns.label.copy()
    real = pronouns.is_real
    # Real pronouns have the teacher's opinion only.
    labels[real] = -1
    counts: dict[str, int] = {}
    for n in everything:
        if pronouns.label[n] == 0 and not real[n]:
            counts[pronouns.forms[n]] = counts.get(pronouns.forms[n], 0) + 1
    classes = sorted(name for name, count in counts.items() if count >= LEAST_FORM and not name.endswith(" "))
    number_of = {name: n for n, name in enumerate(classes, start=1)}
    visible = stacked(for_all(pronouns.visible, everything))
    with_form = [n for n in everything if pronouns.label[n] == 0 and not real[n] and pronouns.forms[n] in number_of]
    hidden = stacked(for_all(pronouns.hidden, with_form))
    form_of = torch.tensor([number_of[pronouns.forms[n]] for n in with_form])
    apart = np.array([zlib.crc32(name.partition(":")[0].encode()) % 50 == 0 for name in pronouns.names])
    has_label = ~np.isnan(teacher) | (labels >= 0)
    usable = has_label & ~apart & (~pronouns.is_judged | options.with_judged)
    seen = torch.from_numpy(np.flatnonzero(usable))
    forms_seen = torch.tensor([k for k, n in enumerate(with_form) if not apart[n]])
    forms_held = torch.tensor([k for k, n in enumerate(with_form) if apart[n]])
    weight = np.where(real, 4.0, 1.0).astype(np.float32)
    print(len(seen), "to learn from,", len(classes), "forms,", f"{time.time() - start:.0f} s", flush=True)

    network = student_of(options.network, 1 + len(classes), options.rank).to(DEVICE).train()
    own = [one for one in network.parameters() if one.requires_grad]
    print(sum(one.numel() for one in own), "numbers learn", flush=True)
    optimizer = torch.optim.AdamW(own, lr=options.rate, betas=(0.9, 0.98), weight_decay=0.01, fused=True)
    gpu = [one.to(DEVICE) for one in (*visible, *hidden, form_of)]
    target = torch.from_numpy(np.nan_to_num(teacher)).to(DEVICE).clamp(-6, 6)
    has_teacher = torch.from_numpy(~np.isnan(teacher)).to(DEVICE)
    hard = torch.from_numpy(labels).to(DEVICE)
    weights = torch.from_numpy(weight).to(DEVICE)
    average = [one.detach().clone() for one in own]
    begin, number, share = time.time(), 0, 0.0
    rng = torch.Generator().manual_seed(options.seed)
    judged = torch.from_numpy(np.flatnonzero(pronouns.is_judged & (pronouns.label >= 0)))
    while share < 1:
        order = seen[torch.randperm(len(seen), generator=rng)]
        for part in order.split(384):
            share = (time.time() - begin) / (60 * options.minutes)
            if share >= 1:
                break
            rate = options.rate * min(1.0, (number + 1) / 200) * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * share)))
            for group in optimizer.param_groups:
                group["lr"] = rate
            some = forms_seen[torch.randint(len(forms_seen), (128,), generator=rng)].to(DEVICE)
            part = part.to(DEVICE)
            with torch.autocast(DEVICE, torch.bfloat16):
                odds = scores(network, gpu[0][part], gpu[1][part])[:, 0]
                guesses = scores(network, gpu[2][some], gpu[3][some])[:, 1:]
            soft = F.binary_cross_entropy_with_logits(odds, torch.sigmoid(target[part]), reduction="none")
            sharp = F.binary_cross_entropy_with_logits(odds, hard[part].clamp(0, 1) * 0.96 + 0.02, reduction="none")
            own_hard, own_soft = (hard[part] >= 0).float(), has_teacher[part].float()
            loss = ((soft * own_soft + 0.3 * sharp * own_hard) * weights[part]).mean()
            loss = loss + 0.3 * F.cross_entropy(guesses, gpu[4][some] - 1)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(own, 1.0)
            optimizer.step()
            with torch.no_grad():
                torch._foreach_lerp_(average, own, 0.002)
            number += 1
            if number % 500 == 0:
                print(f"{number} steps, {time.time() - begin:.0f} s, loss {loss.item():.4f}", flush=True)
            if number % 2000 == 0:
                values = all_scores(network, gpu[0], gpu[1], judged)[:, 0]
                print(json.dumps(figures(pronouns, judged.numpy(), values)), flush=True)
    with torch.no_grad():
        for one, mean in zip(own, average, strict=True):
            one.copy_(mean)
    found: dict[str, Any] = {"steps": number, "seconds": round(time.time() - begin)}
    values = all_scores(network, gpu[0], gpu[1], judged)[:, 0]
    found["judged"] = figures(pronouns, judged.numpy(), values)
    held = torch.from_numpy(np.flatnonzero(apart & (labels >= 0))[:6000])
    found["held out"] = figures(pronouns, held.numpy(), all_scores(network, gpu[0], gpu[1], held)[:, 0])
    guesses = all_scores(network, gpu[2], gpu[3], forms_held)[:, 1:]
    for language in ("de", "fr", "es"):
        own_classes = [k for k, name in enumerate(classes) if name.startswith(language)]
        rows = [k for k, f in enumerate(form_of[forms_held].tolist()) if classes[f - 1].startswith(language)]
        best = np.array(own_classes)[guesses[rows][:, own_classes].argmax(1)]
        right = form_of[forms_held].numpy()[rows] - 1
        found[f"forms {language}"] = [len(rows), round(float((best == right).mean()), 4)]
    note(options.output, "student", found)
    write(network, options.output / "student.npz", is_changed=bool(options.rank))
    (options.output / "classes.json").write_text(json.dumps(classes, ensure_ascii=False) + "\n", encoding="utf-8")
    values = all_scores(network, gpu[0], gpu[1], torch.arange(len(pronouns)))[:, 0]
    np.save(options.output / "student-odds.npy", values.astype(np.float16))

    # Judged pronouns last, each document by a network that has not seen its verdicts.
    first = [one.detach().clone() for one in own]
    folds = np.array([zlib.crc32(document_of(one).encode()) % FOLDS for one in pronouns.names])
    parts = np.flatnonzero(pronouns.is_judged)
    verdicts = torch.from_numpy(pronouns.label).to(DEVICE)
    read = np.zeros(len(pronouns), dtype=np.float32)
    for fold in (*range(FOLDS), None):
        with torch.no_grad():
            for one, before in zip(own, first, strict=True):
                one.copy_(before)
        known = judged if fold is None else judged[torch.from_numpy(folds[judged.numpy()] != fold)]
        optimizer = torch.optim.AdamW(own, lr=options.read_rate, betas=(0.9, 0.98), weight_decay=0.01, fused=True)
        total = options.passes * math.ceil(len(known) / 64)
        for number in range(total):
            for group in optimizer.param_groups:
                group["lr"] = options.read_rate * min(1.0, (number + 1) / 10) * (1 - number / total)
            new = known[torch.randint(len(known), (64,), generator=rng)].to(DEVICE)
            old = seen[torch.randint(len(seen), (192,), generator=rng)].to(DEVICE)
            part = torch.cat([new, old])
            with torch.autocast(DEVICE, torch.bfloat16):
                odds = scores(network, gpu[0][part], gpu[1][part])[:, 0]
            soft = torch.cat([verdicts[new] * 0.9 + 0.05, torch.sigmoid(target[old])])
            loss = F.binary_cross_entropy_with_logits(odds, soft, reduction="none")
            loss = loss[:64].mean() + loss[64:].mean()
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(own, 1.0)
            optimizer.step()
        if fold is None:
            break
        held = torch.from_numpy(parts[folds[parts] == fold])
        read[held.numpy()] = all_scores(network, gpu[0], gpu[1], held)[:, 0]
    note(options.output, "read", figures(pronouns, judged.numpy(), read[judged.numpy()]))
    np.save(options.output / "student-read.npy", read.astype(np.float16))
    write(network, options.output / "student-read.npz", is_changed=bool(options.rank))


def write(network: TorchNetwork, path: Path, *, is_changed: bool) -> None:
    """The weights that learned; all of them where everything did."""
    state = {name: one.detach().float().cpu().numpy() for name, one in network.state_dict().items()}
    if is_changed:
        kept = (".a", ".b", "norm.weight", "before_attention.weight", "before_dense.weight", "link.weight", "language.weight")
        state = {name: one for name, one in state.items() if name.endswith(kept) or name.startswith("classes")}
    np.savez(path, **{name: one.astype(np.float16) for name, one in state.items()})


if __name__ == "__main__":
    main()
