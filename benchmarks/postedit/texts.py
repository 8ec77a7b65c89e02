"""The texts of the benchmark: the news set, translations by Apertium, dialogues, contrastive pairs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tarfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DATA = Path(os.environ.get("ANAPHOR_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
#: Lines of the news set that Apertium translates: its first twenty documents.
APERTIUM_LINES = 649


@dataclass(frozen=True, slots=True)
class Translated:
    """A source, one candidate, references where there are some, and the document of every line."""

    name: str
    source: tuple[str, ...]
    candidate: tuple[str, ...]
    references: tuple[tuple[str, ...], ...]
    documents: tuple[str, ...]
    tokenized: bool = False
    pair: str = "en-fr"


def news() -> Translated:
    """Newstest, English to French, with the output of a statistical system."""
    folder = DATA / "news-en-fr-autoprf"
    names = ("pronoun-test.tok.en", "mt-output.fr", "pronoun-test.tok.fr")
    source, candidate, reference = (_lines(folder / name) for name in names)
    starts = set(map(int, _lines(folder / "doc-boundaries")))
    documents, current = [], 0
    for number in range(len(source)):
        current = number if number in starts else current
        documents.append(str(current))
    return Translated(
        "news, statistical MT", source, candidate, (reference,), tuple(documents), tokenized=True
    )


def news_by_apertium(whole: Translated) -> Translated | None:
    """The first documents of the news set as Apertium translates them; None where it is not installed."""
    source = whole.source[:APERTIUM_LINES]
    candidate = apertium(source)
    if candidate is None:
        return None
    references = tuple(lines[:APERTIUM_LINES] for lines in whole.references)
    return Translated("news, Apertium", source, candidate, references, whole.documents[:APERTIUM_LINES])


def apertium(lines: Sequence[str]) -> tuple[str, ...] | None:
    """Lines through Catalan, for there is no package from English to French."""
    if shutil.which("apertium") is None:
        return None
    text = "\n\n".join(lines) + "\n"
    for direction in ("eng-cat", "cat-fra"):
        done = subprocess.run(
            ["apertium", "-u", direction], input=text, capture_output=True, text=True, check=True
        )
        text = done.stdout
    translated = tuple(line.strip() for line in text.rstrip("\n").split("\n\n"))
    if len(translated) != len(lines):
        raise SystemExit(f"Apertium gave {len(translated)} lines for {len(lines)}")
    return translated


@dataclass(frozen=True, slots=True)
class Dialogues:
    """Dialogues line by line, and for lines translated from English the verdict and the problems."""

    text: Translated
    judgements: dict[int, tuple[str, tuple[str, ...]]]


def dialogues() -> Dialogues:
    """DiaBLa: what one speaker wrote in English as the other read it; turns in French are context."""
    source: list[str] = []
    candidate: list[str] = []
    references: list[str] = []
    documents: list[str] = []
    judgements: dict[int, tuple[str, tuple[str, ...]]] = {}
    for name, dialogue in _dialogues():
        for turn in dialogue["utterances"].values():
            written, read = turn["original_text"], turn["postprocessed_text"]
            english = turn["language"] == "english"
            if english and turn["eval"].get("judgment"):
                judgements[len(source)] = (turn["eval"]["judgment"], tuple(turn["eval"].get("problems", ())))
            source.append(_line(written if english else read))
            candidate.append(_line(read if english else written))
            references.append(_line(turn["reference_translation"] if english else written))
            documents.append(name)
    sides = (tuple(source), tuple(candidate), (tuple(references),), tuple(documents))
    return Dialogues(Translated("DiaBLa", *sides), judgements)


def _dialogues() -> Iterator[tuple[str, dict[str, Any]]]:
    with tarfile.open(DATA / "diabla-en-fr" / "dialogues-half.tar.gz") as archive:
        for member in sorted(archive.getmembers(), key=lambda one: one.name):
            if member.name.endswith(".json") and not Path(member.name).name.startswith("."):
                content = archive.extractfile(member)
                if content is not None:
                    yield Path(member.name).stem, json.load(content)


def contrastive() -> tuple[Translated, list[bool]]:
    """DiscEvalMT, anaphora: two lines a pair, and for every line whether its pronoun is right."""
    source: list[str] = []
    candidate: list[str] = []
    documents: list[str] = []
    right: list[bool] = []
    blocks = json.loads((DATA / "contrastive-bawden-en-fr" / "anaphora.json").read_text(encoding="utf-8"))
    for number, block in blocks.items():
        for version, pair in enumerate(block["trg"]):
            for kind in ("correct", "semi-correct", "incorrect"):
                if kind in pair:
                    source += map(_line, block["src"])
                    candidate += map(_line, pair[kind])
                    documents += [f"{number}-{version}-{kind}"] * 2
                    right += [kind != "incorrect"] * 2
    sides = (tuple(source), tuple(candidate), (), tuple(documents))
    return Translated("DiscEvalMT", *sides), right


def _lines(path: Path) -> tuple[str, ...]:
    return tuple(path.read_text(encoding="utf-8").removesuffix("\n").split("\n"))


def _line(text: str) -> str:
    return " ".join(text.split())
