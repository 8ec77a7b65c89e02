"""A small invented text in shards."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

from anaphor.align import AlignerChoice
from anaphor.core import LanguagePair
from anaphor.task.prepare.plan import PreparationPlan
from anaphor.task.prepare.preparation import LinkConfig, Preparation
from anaphor.task.prepare.texts import TextPair

PAIR = LanguagePair("en", "fr")

_SUBJECTS = [("It", "Elle"), ("It", "Il"), ("They", "Ils"), ("The house", "La maison"), ("You", "Vous")]

_VERBS = [("sleeps", "dort"), ("sees", "voit"), ("eats", "mange"), ("sells", "vend"), ("holds", "tient")]

_OBJECTS = [("the bread", "le pain"), ("a book", "un livre"), ("the cat", "le chat"), ("it", "cela")]

_ENDS = [("today", "aujourd'hui"), ("here", "ici"), ("again", "encore"), ("slowly", "lentement")]


def write_shards(folder: Path, *, shards: int, pairs: int, seed: int = 7) -> list[TextPair]:
    """Invented shards with document ids; no two are alike."""
    chance = random.Random(seed)
    texts = []
    for number in range(shards):
        drawn = [[chance.choice(part) for part in (_SUBJECTS, _VERBS, _OBJECTS, _ENDS)] for _ in range(pairs)]
        paths = [str(folder / f"part-{number:02d}.{suffix}") for suffix in ("en.gz", "fr.gz", "ids")]
        for side, path in enumerate(paths[:2]):
            lines = (" ".join(words[side] for words in sentence) + f" {number} .\n" for sentence in drawn)
            Path(path).write_bytes(gzip.compress("".join(lines).encode("utf-8"), mtime=0))
        ids = (f"talk-{number}-{place * 3 // pairs}\n" for place in range(pairs))
        Path(paths[2]).write_text("".join(ids), encoding="utf-8")
        texts.append(TextPair(source=paths[0], target=paths[1], documents=paths[2]))
    return texts


def preparation(texts: list[TextPair], **linking: object) -> Preparation:
    """How these texts are prepared, by default with an aligner that learns from them."""
    choice = AlignerChoice(pair=PAIR, threads=1)
    return Preparation(tuple(texts), PreparationPlan(pair=PAIR), LinkConfig(choice=choice, **linking))  # type: ignore[arg-type]
