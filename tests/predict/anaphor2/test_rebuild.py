"""The command that makes the shipped model, in sizes for a CPU: every job runs, and something is learned."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="torch is not installed: pip install 'anaphor[neural]'")

from anaphor.core import LanguagePair, TaskSegment
from anaphor.predict.anaphor2.encoding import TrainingCorpus
from anaphor.predict.anaphor2.joint import class_numbers
from anaphor.predict.anaphor2.subwords import Subwords
from anaphor.predict.families import load_model
from tools.train_anaphor2 import (
    arrays_of,
    corpus_of,
    describe_added,
    near_slots,
    parser,
    segments_of,
    training_corpora,
)

NOUNS = {"lamp": "la lampe", "watch": "la montre", "bag": "le sac", "train": "le train"}
VERBS = {"works": "marche", "waits": "attend", "falls": "tombe", "stays": "reste"}


def write_part(folder: Path, part: str, documents: int) -> None:
    """Documents of two sentences: a noun, and a pronoun whose gender is that of the noun."""
    rng = random.Random(part)
    lines, names = [], []
    for number in range(documents):
        (noun, french), (verb, other) = rng.choice(sorted(NOUNS.items())), rng.choice(sorted(VERBS.items()))
        label = "elle" if french.startswith("la ") else "il"
        lines.append(f"\t\there is the {noun}\tvoici {french}\t0-0 2-1 3-2")
        lines.append(f"{label}\t{label}\tit {verb}\tREPLACE_0 {other}\t0-0 1-1")
        names += [f"text-{number}"] * 2
    for suffix, rows in (("tsv", lines), ("doc-ids", names)):
        with gzip.open(folder / f"en-fr.2015.{part}.{suffix}.gz", "wt", encoding="utf-8") as file:
            file.writelines(f"{row}\n" for row in rows)


@pytest.mark.slow
def test_one_command_makes_a_model_that_has_learned(tmp_path: Path) -> None:
    splits = tmp_path / "splits"
    splits.mkdir()
    for part, documents in (("train", 200), ("dev", 40), ("teddev", 40)):
        write_part(splits, part, documents)
    options = parser().parse_args(["rebuild", str(splits), "--output", str(tmp_path / "made"), "--tiny"])
    options.job(options)
    model = load_model(tmp_path / "made" / "anaphor-2-small")
    segments = list(segments_of(splits / "en-fr.2015.teddev.tsv.gz"))
    found = [prediction.label for one in model.predict(segments) for prediction in one]
    right = [slot.label for segment in segments for slot in segment.slots]
    # The more frequent class alone would reach about half.
    assert np.mean([a == b for a, b in zip(found, right, strict=True)]) > 0.9
    before, last = model.card.trained_on["network-1"]["mean_of"]
    stages = [*before["mean_of"], last]
    assert [(stage["seed"], stage["text"], stage["stop"]) for stage in stages] == [
        (2, "all", "all steps done"),
        (12, "around slots", "all steps done"),
        (72, "around slots", "all steps done"),
    ]
    assert [stage["init"] for stage in stages] == [None, "mean-1-0.npz", "mean-1-1.npz"]
    assert stages[0]["files"]["en-fr.2015.train.npz"]["slots"] == 200
    read = json.loads((tmp_path / "made" / "stage-1-1.json").read_text())
    assert read == stages[1]


def tagged(words: str, *, slot: bool = False) -> str:
    return " ".join(["REPLACE_0"] * slot + [f"{word}|VERB" for word in words.split()])


def test_only_what_stands_around_slots_is_kept(tmp_path: Path, pieces: tuple[str, ...]) -> None:
    """Three segments before a slot and one after it; a document has no neighbours in another."""
    lines = [
        f"{'ce' * (n in (5, 9))}\t{'ce' * (n in (5, 9))}\tit is {n}\t{tagged('est', slot=n in (5, 9))}\t0-0"
        for n in range(12)
    ]
    names = ["a"] * 8 + ["b"] * 4
    for suffix, rows in (("tsv", lines), ("doc-ids", names)):
        with gzip.open(tmp_path / f"en-fr.2016.train.{suffix}.gz", "wt", encoding="utf-8") as file:
            file.writelines(f"{row}\n" for row in rows)
    segments: list[TaskSegment] = list(segments_of(tmp_path / "en-fr.2016.train.tsv.gz"))
    corpus = TrainingCorpus.of(
        segments, Subwords(pieces), class_numbers("en-fr"), pair=LanguagePair("en", "fr"), forms=False
    )
    near = near_slots(corpus)
    assert near.encoded.documents.tolist() == [0, 0, 0, 0, 0, 1, 1, 1]
    assert near.encoded.slot_segments.tolist() == [3, 6]
    assert near.encoded.source.segments[near.encoded.slot_sources].tolist() == [3, 6]
    assert near.encoded.target.segments[near.encoded.slot_targets].tolist() == [3, 6]
    # Tags of verbs are numbers above 255.
    again = corpus_of({name: array.copy() for name, array in arrays_of(near).items()})
    assert again.encoded.target.tags.tolist() == near.encoded.target.tags.tolist()
    assert again.encoded.target.tags.max() > 255


def test_talks_can_count_more_than_other_text(tmp_path: Path, pieces: tuple[str, ...]) -> None:
    """Further copies of a file, whole or of its talks alone; the slots of other text are gone with it."""
    names = ["europarl/1", "europarl/1", "ted/2", "ted/2"]
    lines = [f"ce\tce\tit is {n}\t{tagged('est', slot=True)}\t0-0" for n in range(4)]
    for suffix, rows in (("tsv", lines), ("doc-ids", names)):
        with gzip.open(tmp_path / f"en-fr.2016.train.{suffix}.gz", "wt", encoding="utf-8") as file:
            file.writelines(f"{row}\n" for row in rows)
    corpus = TrainingCorpus.of(
        list(segments_of(tmp_path / "en-fr.2016.train.tsv.gz")),
        Subwords(pieces),
        class_numbers("en-fr"),
        pair=LanguagePair("en", "fr"),
        forms=False,
    )
    path = tmp_path / "en-fr.2016.train.npz"
    np.savez(path, **arrays_of(corpus))  # type: ignore[arg-type]
    add = {"en-fr.2016.train:talks": 2, "en-de.forms.more": 3}  # the second is not there
    whole, first, second = training_corpora(tmp_path, [path], add, near=False)
    assert len(whole.encoded.labels) == 4
    assert len(first.encoded) == len(first.encoded.labels) == 2
    assert first.encoded.slot_segments.tolist() == [0, 1]
    assert first.encoded.target.segments[first.encoded.slot_targets].tolist() == [0, 1]
    assert first.encoded.source.pieces.tolist() == whole.encoded.source.pieces.tolist()[-6:]
    assert second.encoded.documents.tolist() == [0, 0]
    assert describe_added(tmp_path, add) == {"en-fr.2016.train:talks": {"times": 2}}
