"""Makes anaphor-1 again: pieces, encoded text, training, and the folder that ships.

    python tools/train_anaphor1.py pieces SPLITS --output pieces.json
    python tools/train_anaphor1.py encode SPLITS --pieces pieces.json --output ARRAYS
    python tools/train_anaphor1.py train ARRAYS --pieces pieces.json --seed 1 --minutes 8 --output weights.npz
    python tools/train_anaphor1.py pack weights.npz --pieces pieces.json --output anaphor-1-small \\
        --habits "en-fr forms" "en-de forms"

SPLITS is the folder that benchmarks/predict-classic/data.py makes; docs/systems/anaphor-1.md has the data,
the figures and the reasons. `train` wants torch and, to end in minutes, a graphics card.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from zlib import crc32

import numpy as np

from anaphor.core import LanguagePair, TaskSegment, Where
from anaphor.predict.anaphor1.encoding import encode
from anaphor.predict.anaphor1.joint import Habit, JointNetworks
from anaphor.predict.anaphor1.material import (
    Corpus,
    arrays_of,
    corpus_of,
    domain_of,
    joined,
    language_numbers,
)
from anaphor.predict.anaphor1.model import VERSION, Anaphor1Model
from anaphor.predict.anaphor1.network import Network, Shape
from anaphor.predict.anaphor1.pronouns import pronoun_pieces
from anaphor.predict.anaphor1.subwords import Subwords, learn_pieces
from anaphor.predict.anaphor1.tasks import TASKS, class_numbers
from anaphor.predict.contract import ModelCard
from anaphor.task import task_classes
from anaphor.task.lines import parse_segment

PIECES = 16_000
#: Words of every language weigh the same; English is in all pairs and weighs more.
WEIGHT = {"en": 1.5e6, "fr": 1e6, "de": 1e6, "es": 1e6}
#: Styles of files, and whether their target has word forms.
STYLES = {"2015": True, "forms": True, "2016": False}


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def segments_of(path: Path, share: float = 1.0) -> Iterator[TaskSegment]:
    """The segments of a file; of its Europarl documents a share."""
    ids = Path(str(path).replace(".tsv.gz", ".doc-ids.gz"))
    with (
        gzip.open(path, "rt", encoding="utf-8") as lines,
        gzip.open(ids, "rt", encoding="utf-8") as documents,
    ):
        for number, (line, document) in enumerate(zip(lines, documents, strict=True), start=1):
            if _kept(name := document.strip(), share):
                where = Where(str(path), number)
                yield replace(parse_segment(line.rstrip("\n"), where=where, classes=None), document=name)


def _kept(document: str, share: float) -> bool:
    return "europarl" not in document or crc32(document.encode()) % 100 < 100 * share


def learn(options: argparse.Namespace) -> None:
    """Pieces from the training files."""
    counts: dict[str, Counter[str]] = {language: Counter() for language in WEIGHT}
    for segment in segments_of(options.input / "en-fr.2015.train.tsv.gz"):
        counts["en"].update(map(str.lower, segment.source))
        counts["fr"].update(word.lower() for word in segment.target if not word.startswith("REPLACE_"))
    for language in ("de", "es"):
        for segment in segments_of(options.input / f"{language}-en.2016.train.tsv.gz"):
            counts[language].update(map(str.lower, segment.source))
    weighed: dict[str, float] = {}
    for language, words in counts.items():
        scale = WEIGHT[language] / words.total()
        for word, count in words.items():
            weighed[word] = weighed.get(word, 0.0) + count * scale
    kept = {word: round(weight) for word, weight in sorted(weighed.items()) if weight >= 1}
    pieces = learn_pieces(kept, PIECES)
    options.output.write_text(json.dumps(pieces, ensure_ascii=False), encoding="utf-8")
    say(f"{len(kept):,} words, {len(pieces):,} pieces")


def encode_all(options: argparse.Namespace) -> None:
    """Arrays of every file of a folder; a share of Europarl, but all of English-French with word forms."""
    subwords = Subwords(_pieces(options))
    options.output.mkdir(parents=True, exist_ok=True)
    for path in sorted(options.input.glob("*.tsv.gz")):
        pair, style, part = path.name.split(".")[:3]
        if options.only and f"{pair}.{style}" not in options.only:
            continue
        share = options.share if part == "train" and style != "2015" else 1.0
        kept = list(segments_of(path, share))
        encoded = encode(kept, subwords, class_numbers(pair), forms=STYLES[style])
        languages = language_numbers(LanguagePair.parse(pair))
        given = np.array([(domain_of(one.document), *languages) for one in kept], dtype=np.int32)
        target = options.output / f"{pair}.{style}.{part}.npz"
        np.savez_compressed(target, **arrays_of(Corpus(encoded, given)))  # type: ignore[arg-type]
        say(f"{target.name}: {len(kept):,} segments, {len(encoded.labels):,} slots")


def _pieces(options: argparse.Namespace) -> tuple[str, ...]:
    return tuple(json.loads(options.pieces.read_text(encoding="utf-8")))


def load(path: Path) -> Corpus:
    with np.load(path, allow_pickle=False) as file:
        return corpus_of({name: file[name] for name in file.files})


def shape_of(pieces: tuple[str, ...]) -> Shape:
    return Shape(pieces=len(pieces), classes=TASKS[-1].classes.stop)


def train(options: argparse.Namespace) -> None:
    """One network on all training arrays of a folder, or on the ones named."""
    import torch

    from anaphor.predict.anaphor1.torch_network import TorchNetwork
    from anaphor.predict.anaphor1.training import Phase, Trainer

    torch.set_float32_matmul_precision("high")
    torch.manual_seed(options.seed)
    pieces = _pieces(options)
    files = sorted(options.input.glob("*.train.npz"))
    chosen = [path for path in files if not options.only or path.name[: -len(".train.npz")] in options.only]
    network = TorchNetwork(shape_of(pieces))
    if options.init:
        weights = {name: torch.from_numpy(value) for name, value in _weights(options.init).items()}
        network.load_state_dict(weights)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    trainer = Trainer(
        network,
        joined([load(path) for path in chosen]),
        groups=[range(task.classes.start, task.classes.stop) for task in TASKS],
        pronouns=pronoun_pieces(pieces),
        device=device,
        seed=options.seed,
    )
    began = time.monotonic()

    def watch(step: int, words: float, pronouns: float) -> None:
        if step % 1000 == 0:
            say(f"{step} {words:.3f} {pronouns:.3f} {time.monotonic() - began:.0f} s")

    trainer.run(Phase(minutes=options.minutes, batch=options.batch, rate=options.rate), watch)
    state = {name: value.detach().float().cpu().numpy() for name, value in network.state_dict().items()}
    np.savez(options.output, **{name: value.astype(np.float16) for name, value in state.items()})


def _weights(path: Path) -> dict[str, np.ndarray]:
    with np.load(path, allow_pickle=False) as file:
        return {name: file[name].astype(np.float32) for name in file.files}


def pack(options: argparse.Namespace) -> None:
    """The folder of a model from the weights of one or more trainings."""
    pieces = _pieces(options)
    networks = tuple(Network(shape_of(pieces), _weights(path)) for path in [options.input, *options.more])
    classes = task_classes(LanguagePair("en", "fr"), year=2016)
    card = ModelCard(
        recipe=options.output.name,
        family="anaphor1",
        version=VERSION,
        pair="en-fr",
        year=2016,
        forms=True,
        classes=classes.classes,
        options={"tool": "tools/train_anaphor1.py"},
    )
    habits = {name: Habit(temperature=options.temperature) for name in options.habits}
    Anaphor1Model(card, JointNetworks(pieces, networks, habits)).save(options.output)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    jobs = parser.add_subparsers(required=True)
    for name, job in (("pieces", learn), ("encode", encode_all), ("train", train), ("pack", pack)):
        one = jobs.add_parser(name, help=job.__doc__)
        one.add_argument("input", type=Path)
        one.add_argument("--output", type=Path, required=True)
        one.add_argument("--pieces", type=Path)
        one.add_argument("--only", nargs="*", help="PAIR.STYLE of the files to use")
        one.add_argument("--share", type=float, default=0.4, help="of Europarl, encode")
        one.add_argument("--seed", type=int, default=1)
        one.add_argument("--minutes", type=float, default=8)
        one.add_argument("--batch", type=int, default=256)
        one.add_argument("--rate", type=float, default=0.01)
        one.add_argument("--init", type=Path, help="weights to go on from")
        one.add_argument("--more", type=Path, nargs="*", default=[], help="weights of further networks, pack")
        one.add_argument("--habits", nargs="*", default=["en-fr forms"])
        one.add_argument("--temperature", type=float, default=1.0)
        one.set_defaults(job=job)
    options = parser.parse_args()
    options.job(options)


if __name__ == "__main__":
    main()
