"""The small detector: low-rank changes of a network of anaphor-2, taught by the large one.

    python -m tools.detector.student PACKED --network FILE --labels FOLDER --output FOLDER [--minutes 3]

PACKED is a folder of `pack.py student`, FILE the network to start from, and the labels are those of
`teacher.py label`. The student learns three things at once: the teacher's log odds, the labels of made and
contrastive examples, and the forms that stand where one is hidden. Of pronouns of judged documents it learns
the teacher's odds only, and only with `--with-judged`. Then it goes on with their verdicts, as the teacher's
`read` does. It writes `student.npz` before that and `student-read.npz` after it.
"""

from __future__ import annotations

import argparse
import json
import math
import time
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from anaphor.predict.anaphor2.network import Shape, read_network
from anaphor.predict.anaphor2.torch_network import TorchNetwork
from anaphor.predict.anaphor2.windows import InputBatch
from anaphor.predict.detector.large.text import LANGUAGES
from anaphor.predict.detector.windows import PieceLine, PieceMark, Window, window_of
from tools.detector.compact import expand
from tools.detector.pack import NULL, STUDENT_REACH, UNKNOWN
from tools.detector.teacher import (
    DEVICE,
    FOLDS,
    Numbers,
    Pronouns,
    document_of,
    figures,
    for_all,
    note,
    padded,
    shares_of,
)

SHAPE = Shape(pieces=16_000, classes=38)
#: English is the first language of the network, then French, German and Spanish.
LANGUAGE_NUMBERS = {"de": 3, "fr": 2, "es": 4}
#: Forms that are rarer than this are no classes.
LEAST_FORM = 150
#: The most places of a window.
PLACES = 256
#: The matrices of a block that get a low-rank change.
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

    def window(self, n: int, *, hidden: bool) -> Window:
        """What the student reads of a pronoun; with `hidden`, a slot is in the place of its rendering."""
        row = dict(zip(self.table, self._rows[n].tolist(), strict=True))
        before = min(row["before"], STUDENT_REACH)
        source = [self._piece_line(row["source"] - k) for k in range(before, 0, -1)]
        target = [self._piece_line(row["context"] - k) for k in range(before, 0, -1)]
        source.append(self._piece_line(row["origin"]))
        target.append(self._piece_line(row["current"]))
        if row["after"]:
            source.append(self._piece_line(row["source"] + 1))
            target.append(self._piece_line(row["context"] + 1))
        span = (row["ta"], row["tb"])
        if hidden and self.forms[n].endswith(NULL):
            # The verb stays: what is hidden is the subject before it.
            span = (row["ta"], row["ta"])
        mark = PieceMark((row["sa"], row["sb"]), span)
        languages = (1, LANGUAGE_NUMBERS[LANGUAGES[row["language"]]])
        return window_of(source, target, before, mark, languages, hidden=hidden)

    def visible(self, n: int) -> Window:
        """The pronoun with its rendering."""
        return self.window(n, hidden=False)

    def hidden(self, n: int) -> Window:
        """The pronoun with a form to guess."""
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
    network.load_state_dict(
        {name: torch.from_numpy(np.array(one)) for name, one in weights.items()}, strict=False
    )
    network.classes = nn.Linear(SHAPE.width, classes)
    del network.guess, network.guess_bias
    if rank:
        for parameter in network.parameters():
            parameter.requires_grad_(False)
        for block in network.blocks:
            for name in _CHANGED:
                setattr(block, name, Changed(getattr(block, name), rank))
            for name in ("before_attention", "before_dense"):
                block.get_parameter(f"{name}.weight").requires_grad_(True)
        for one in (network.norm, network.classes, network.link, network.language):
            one.requires_grad_(True)
    return network


def stacked(windows: Sequence[Window]) -> tuple[Tensor, Tensor]:
    """All windows as one array [windows, 5, places] of small numbers, and the place to read in each."""
    rows = np.zeros((len(windows), 5, PLACES), dtype=np.int16)
    for number, one in enumerate(windows):
        rows[number, :, : one.rows.shape[1]] = one.rows
    return torch.from_numpy(rows), torch.tensor([one.place for one in windows])


def scores(network: TorchNetwork, rows: Tensor, places: Tensor) -> Tensor:
    """For each window its log odds of an error, then the scores of all forms."""
    size = int(rows[:, 0].ne(0).sum(1).max())
    size = min(PLACES, padded(size))
    batch = InputBatch(*(rows[:, k, :size].long() for k in range(5)))
    states = network(batch)[torch.arange(len(rows), device=rows.device), places]
    found: Tensor = network.classes(states).float()
    return found


@torch.no_grad()
def all_scores(network: TorchNetwork, windows: tuple[Tensor, Tensor], numbers: Tensor) -> Numbers:
    """`scores` of many windows, without learning from them."""
    if not len(numbers):
        return np.zeros((0, network.classes.out_features), dtype=np.float32)
    rows, places = windows
    network.eval()
    found = []
    for part in numbers.split(1024):  # type: ignore[no-untyped-call]
        with torch.autocast(DEVICE, torch.bfloat16):
            found.append(scores(network, rows[part].to(DEVICE), places[part].to(DEVICE)).cpu())
    network.train()
    return torch.cat(found).numpy()


def optimizer_of(own: Sequence[nn.Parameter], rate: float) -> torch.optim.Optimizer:
    return torch.optim.AdamW(own, lr=rate, betas=(0.9, 0.98), weight_decay=0.01, fused=True)


def step(own: Sequence[nn.Parameter], optimizer: torch.optim.Optimizer, loss: Tensor) -> None:
    """Learns from one batch."""
    optimizer.zero_grad(set_to_none=True)
    loss.backward()  # type: ignore[no-untyped-call]
    nn.utils.clip_grad_norm_(own, 1.0)
    optimizer.step()


@dataclass(frozen=True)
class Lessons:
    """All that the student learns from, on the device where it learns.

    `seen` are the pronouns that it learns from, `held` those of documents that are kept apart. `forms_seen`
    and `forms_held` are the same of pronouns with a form to guess, as places in `hidden`.
    """

    visible: tuple[Tensor, Tensor]
    hidden: tuple[Tensor, Tensor]
    classes: list[str]
    form_of: Tensor
    teacher: Tensor
    has_teacher: Tensor
    labels: Tensor
    weights: Tensor
    seen: Tensor
    held: Tensor
    forms_seen: Tensor
    forms_held: Tensor

    @classmethod
    def of(cls, pronouns: StudentPronouns, teacher: Numbers, *, with_judged: bool) -> Lessons:
        """`teacher` has its log odds, NaN where it gave none."""
        everything = list(range(len(pronouns)))
        real = pronouns.is_real
        # Real pronouns have the teacher's opinion only.
        labels = np.where(real, np.float32(UNKNOWN), pronouns.label)
        is_good = [pronouns.label[n] == 0 and not real[n] for n in everything]
        counts = Counter(form for form, good in zip(pronouns.forms, is_good, strict=True) if good)
        classes = sorted(
            name for name, count in counts.items() if count >= LEAST_FORM and not name.endswith(" ")
        )
        number_of = {name: n for n, name in enumerate(classes, start=1)}
        with_form = [n for n in everything if is_good[n] and pronouns.forms[n] in number_of]
        # One document in fifty is kept apart.
        apart = np.array([zlib.crc32(name.partition(":")[0].encode()) % 50 == 0 for name in pronouns.names])
        has_label = ~np.isnan(teacher) | (labels >= 0)
        usable = has_label & ~apart & (~pronouns.is_judged | with_judged)
        visible = stacked(for_all(pronouns.visible, everything))
        hidden = stacked(for_all(pronouns.hidden, with_form))
        return cls(
            visible=(visible[0].to(DEVICE), visible[1].to(DEVICE)),
            hidden=(hidden[0].to(DEVICE), hidden[1].to(DEVICE)),
            classes=classes,
            form_of=torch.tensor([number_of[pronouns.forms[n]] for n in with_form]).to(DEVICE),
            teacher=torch.from_numpy(np.nan_to_num(teacher)).to(DEVICE).clamp(-6, 6),
            has_teacher=torch.from_numpy(~np.isnan(teacher)).to(DEVICE),
            labels=torch.from_numpy(labels).to(DEVICE),
            weights=torch.from_numpy(np.where(real, 4.0, 1.0).astype(np.float32)).to(DEVICE),
            seen=torch.from_numpy(np.flatnonzero(usable)),
            held=torch.from_numpy(np.flatnonzero(apart & (labels >= 0))[:6000]),
            forms_seen=torch.from_numpy(np.flatnonzero(~apart[with_form])),
            forms_held=torch.from_numpy(np.flatnonzero(apart[with_form])),
        )


def teacher_odds(pronouns: StudentPronouns, folder: Path) -> Numbers:
    """The log odds that `teacher.py label` wrote, NaN for pronouns that it did not read.

    Errors of one kind in one pronoun have the same name, and all get the odds of the first.
    """
    names = (folder / "names.txt").read_text(encoding="utf-8").splitlines()
    known: dict[str, float] = {}
    for name, value in zip(names, np.load(folder / "logits.npy").tolist(), strict=True):
        known.setdefault(name, value)
    return np.array([known.get(name, np.nan) for name in pronouns.names], dtype=np.float32)


def learn(
    network: TorchNetwork,
    lessons: Lessons,
    options: argparse.Namespace,
    rng: torch.Generator,
    look: Callable[[], None],
) -> dict[str, Any]:
    """Trains until the time is over and leaves the mean of the last weights; calls `look` now and then."""
    own = [one for one in network.parameters() if one.requires_grad]
    optimizer = optimizer_of(own, options.rate)
    average = [one.detach().clone() for one in own]
    begin, number, share = time.time(), 0, 0.0
    while share < 1:
        order = lessons.seen[torch.randperm(len(lessons.seen), generator=rng)]
        for chosen in order.split(384):  # type: ignore[no-untyped-call]
            share = (time.time() - begin) / (60 * options.minutes)
            if share >= 1:
                break
            cosine = 0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * share))
            for group in optimizer.param_groups:
                group["lr"] = options.rate * min(1.0, (number + 1) / 200) * cosine
            places = torch.randint(len(lessons.forms_seen), (128,), generator=rng)
            some, part = lessons.forms_seen[places].to(DEVICE), chosen.to(DEVICE)
            with torch.autocast(DEVICE, torch.bfloat16):
                odds = scores(network, *(one[part] for one in lessons.visible))[:, 0]
                guesses = scores(network, *(one[some] for one in lessons.hidden))[:, 1:]
            wanted, hard = torch.sigmoid(lessons.teacher[part]), lessons.labels[part]
            soft = F.binary_cross_entropy_with_logits(odds, wanted, reduction="none")
            sharp = F.binary_cross_entropy_with_logits(odds, hard.clamp(0, 1) * 0.96 + 0.02, reduction="none")
            both = soft * lessons.has_teacher[part].float() + 0.3 * sharp * (hard >= 0).float()
            loss = (both * lessons.weights[part]).mean()
            loss = loss + 0.3 * F.cross_entropy(guesses, lessons.form_of[some] - 1)
            step(own, optimizer, loss)
            with torch.no_grad():
                torch._foreach_lerp_(average, list[Tensor](own), 0.002)
            number += 1
            if number % 500 == 0:
                print(f"{number} steps, {time.time() - begin:.0f} s, loss {loss.item():.4f}", flush=True)
            if number % 2000 == 0:
                look()
    with torch.no_grad():
        for one, mean in zip(own, average, strict=True):
            one.copy_(mean)
    return {"steps": number, "seconds": round(time.time() - begin)}


def guessed_forms(network: TorchNetwork, lessons: Lessons) -> dict[str, list[float]]:
    """How many hidden forms of documents kept apart were asked for, and the share that was guessed."""
    guesses = all_scores(network, lessons.hidden, lessons.forms_held)[:, 1:]
    right = lessons.form_of.cpu()[lessons.forms_held].numpy() - 1
    found: dict[str, list[float]] = {}
    for language in LANGUAGES:
        own = [k for k, name in enumerate(lessons.classes) if name.startswith(language)]
        rows = [k for k, form in enumerate(right.tolist()) if lessons.classes[form].startswith(language)]
        if rows:
            best = np.array(own)[guesses[rows][:, own].argmax(1)]
            found[f"forms {language}"] = [len(rows), round(float((best == right[rows]).mean()), 4)]
    return found


def read(
    network: TorchNetwork,
    lessons: Lessons,
    pronouns: StudentPronouns,
    options: argparse.Namespace,
    rng: torch.Generator,
) -> Numbers:
    """Goes on with judged pronouns: once without each fold, which it then judges, and last with all.

    Gives the log odds of pronouns of judged documents, each from a network that has not seen its verdict, and
    leaves the network that has seen them all.
    """
    own = [one for one in network.parameters() if one.requires_grad]
    first = [one.detach().clone() for one in own]
    folds = np.array([zlib.crc32(document_of(one).encode()) % FOLDS for one in pronouns.names])
    parts = np.flatnonzero(pronouns.is_judged)
    judged = np.flatnonzero(pronouns.is_judged & (pronouns.label >= 0))
    verdicts = torch.from_numpy(pronouns.label).to(DEVICE)
    found = np.zeros(len(pronouns), dtype=np.float32)
    for fold in (*range(FOLDS), None):
        with torch.no_grad():
            for one, before in zip(own, first, strict=True):
                one.copy_(before)
        known = torch.from_numpy(judged if fold is None else judged[folds[judged] != fold])
        shares = torch.from_numpy(shares_of(pronouns, known.numpy()))
        optimizer = optimizer_of(own, options.read_rate)
        total = options.passes * math.ceil(len(known) / 64)
        for number in range(total):
            for group in optimizer.param_groups:
                group["lr"] = options.read_rate * min(1.0, (number + 1) / 10) * (1 - number / total)
            new = known[torch.multinomial(shares, 64, replacement=True, generator=rng)].to(DEVICE)
            old = lessons.seen[torch.randint(len(lessons.seen), (192,), generator=rng)].to(DEVICE)
            part = torch.cat([new, old])
            with torch.autocast(DEVICE, torch.bfloat16):
                odds = scores(network, *(one[part] for one in lessons.visible))[:, 0]
            # What was learned before is rehearsed: the teacher's odds, or else the label.
            taught, label = lessons.has_teacher[old], lessons.labels[old]
            before_it = torch.where(taught, torch.sigmoid(lessons.teacher[old]), label * 0.96 + 0.02)
            soft = torch.cat([verdicts[new] * 0.9 + 0.05, before_it])
            loss = F.binary_cross_entropy_with_logits(odds, soft, reduction="none")
            rehearsed = loss[64:].mean()
            step(own, optimizer, loss[:64].mean() + rehearsed)
        if fold is not None:
            held = torch.from_numpy(parts[folds[parts] == fold])
            found[held.numpy()] = all_scores(network, lessons.visible, held)[:, 0]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__.partition("\n")[0],
        epilog="There is nothing to resume: a training takes minutes and is simply started again.",
    )
    parser.add_argument("packed", type=Path, help="a folder of pack.py student or compact.py")
    parser.add_argument("--network", type=Path, required=True, help="the network to start from")
    parser.add_argument("--labels", type=Path, help="a folder of teacher.py label")
    parser.add_argument("--output", type=Path, required=True, help="folder for all that is written")
    parser.add_argument("--minutes", type=float, default=3, help="how long to train (default: 3)")
    parser.add_argument(
        "--rank", type=int, default=48, help="rank of the changes; 0: everything learns (default: 48)"
    )
    parser.add_argument("--rate", type=float, default=1.5e-3, help="learning rate (default: 1.5e-3)")
    parser.add_argument(
        "--read-rate", type=float, default=3e-4, help="learning rate for judged pronouns (default: 3e-4)"
    )
    parser.add_argument("--passes", type=int, default=3, help="passes over judged pronouns (default: 3)")
    parser.add_argument(
        "--with-judged", action="store_true", help="learn the teacher's odds of judged documents too"
    )
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(options.seed)
    rng = torch.Generator().manual_seed(options.seed)
    start = time.time()
    pronouns = StudentPronouns(options.packed)
    teacher = np.full(len(pronouns), np.nan, dtype=np.float32)
    if options.labels:
        teacher = teacher_odds(pronouns, options.labels)
    lessons = Lessons.of(pronouns, teacher, with_judged=options.with_judged)
    numbers = f"{len(lessons.seen)} to learn from, {len(lessons.classes)} forms"
    print(f"{numbers}, {time.time() - start:.0f} s", flush=True)
    network = student_of(options.network, 1 + len(lessons.classes), options.rank).to(DEVICE).train()
    print(sum(one.numel() for one in network.parameters() if one.requires_grad), "numbers learn", flush=True)

    def figures_of(chosen: Tensor) -> dict[str, float]:
        return figures(pronouns, chosen.numpy(), all_scores(network, lessons.visible, chosen)[:, 0])

    judged = torch.from_numpy(np.flatnonzero(pronouns.is_judged & (pronouns.label >= 0)))
    found = learn(network, lessons, options, rng, lambda: print(json.dumps(figures_of(judged)), flush=True))
    found |= {"judged": figures_of(judged), "held out": figures_of(lessons.held)}
    note(options.output, "student", found | guessed_forms(network, lessons))
    write(network, options.output / "student.npz", is_changed=bool(options.rank))
    classes = json.dumps(lessons.classes, ensure_ascii=False)
    (options.output / "classes.json").write_text(classes + "\n", encoding="utf-8")
    values = all_scores(network, lessons.visible, torch.arange(len(pronouns)))[:, 0]
    np.save(options.output / "student-odds.npy", values.astype(np.float16))

    values = read(network, lessons, pronouns, options, rng)
    note(options.output, "read", figures(pronouns, judged.numpy(), values[judged.numpy()]))
    np.save(options.output / "student-read.npy", values.astype(np.float16))
    write(network, options.output / "student-read.npz", is_changed=bool(options.rank))


def write(network: TorchNetwork, path: Path, *, is_changed: bool) -> None:
    """The weights that learned; all of them where everything did."""
    state = {name: one.detach().float().cpu().numpy() for name, one in network.state_dict().items()}
    if is_changed:
        kept = (
            ".a", ".b", "norm.weight", "before_attention.weight", "before_dense.weight", "link.weight",
            "language.weight", "classes.weight", "classes.bias",
        )  # fmt: skip
        state = {name: one for name, one in state.items() if name.endswith(kept)}
    np.savez(path, **{name: one.astype(np.float16) for name, one in state.items()})


if __name__ == "__main__":
    main()
