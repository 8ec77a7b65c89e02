"""An invented campaign of any size, and a PostgreSQL server of our own to put it in."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from anaphor.align import AlignerChoice
from anaphor.annotate.campaign.create import CampaignConfig, create_campaign
from anaphor.annotate.campaign.workload import WorkloadConfig
from anaphor.core import (
    Alignment,
    Antecedent,
    Category,
    Item,
    LanguagePair,
    ReferencePair,
    Span,
    Suite,
    SuiteDocument,
)
from anaphor.corpus import AlignmentFile, Text
from anaphor.suite import EvaluationOptions, GivenLinks, LoadedSuite, SuiteTexts

PAIR = LanguagePair("en", "fr")
ITEMS_EACH = 50  # in a document; every item has two segments
NOUNS = {"table": "table", "lamp": "lampe", "chair": "chaise", "book": "livre", "boat": "bateau"}
PLACES = {"garden": "jardin", "office": "bureau", "market": "marché", "port": "port"}
PRONOUNS = ("elle", "il", "ce", "ça")


def make_campaign(address: str, *, items: int, annotators: int, raters: int | None = None) -> int:
    """A campaign in which so many are asked about every item, by default all; how many assignments it has."""
    loaded, candidate = _suite(items)
    links = [
        _diagonal(source, target) for source, target in zip(_lines(loaded), candidate.lines, strict=True)
    ]
    given = GivenLinks(
        Text.of(_lines(loaded), path="source"), {"system": AlignmentFile.made(links, path="links")}
    )
    names = tuple(f"annotator {number}" for number in range(annotators))
    config = CampaignConfig(
        annotators=names, workload=WorkloadConfig(overlap=1.0, raters=raters or annotators)
    )
    options = EvaluationOptions(aligner=AlignerChoice(pair=PAIR), tokenized=True)
    made = create_campaign(address, loaded, {"system": candidate}, options, config, links=given)
    return made.assignments


def _lines(loaded: LoadedSuite) -> list[str]:
    return list(loaded.texts.source_lines)


def _diagonal(source: str, target: str) -> Alignment:
    words = tuple(range(min(len(source.split(" ")), len(target.split(" ")))))
    return Alignment(words, words)


def _suite(items: int) -> tuple[LoadedSuite, Text]:
    draw = random.Random(1)  # noqa: S311 - invented sentences
    source: dict[str, Text] = {}
    reference: dict[str, Text] = {}
    candidate: list[str] = []
    found: list[Item] = []
    for first in range(0, items, ITEMS_EACH):
        name, lines, offset = f"d{first // ITEMS_EACH}", list[str](), 0
        translated, translated_offset = list[str](), 0
        for index in range(first, min(first + ITEMS_EACH, items)):
            noun, place = draw.choice(list(NOUNS)), draw.choice(list(PLACES))
            pair = [f"we saw the {noun} near the old {place} .", "it is very heavy and quite cheap today ."]
            seen = f"nous avons vu la {NOUNS[noun]} près du {PLACES[place]} ."
            said = [seen, "elle est très lourde et assez bon marché aujourd'hui ."]
            candidate += [seen, said[1].replace("elle", draw.choice(PRONOUNS), 1)]
            head = (Span(offset + 11, offset + 11 + len(noun)),)
            start = offset + len(pair[0]) + 1
            pronoun = (Span(start, start + 2),)
            noun_at, elle_at = translated_offset + 17, translated_offset + len(seen) + 1
            heads = ((Span(noun_at, noun_at + len(NOUNS[noun])),),)
            given = (ReferencePair("human", (Span(elle_at, elle_at + 4),), heads),)
            found.append(Item(f"i{index}", name, "anaphoric_it", pronoun, (Antecedent(head, head),), given))
            lines += pair
            offset += sum(map(len, pair)) + 2
            translated += said
            translated_offset += sum(map(len, said)) + 2
        source[name], reference[name] = (Text.of(one, path=name) for one in (lines, translated))
    documents = tuple(
        SuiteDocument(name, len(text), text.digest, {"human": reference[name].digest})
        for name, text in source.items()
    )
    categories = (Category("anaphoric_it", True, "it for a thing"),)
    suite = Suite("bench", "1", PAIR, "Apache-2.0", "", categories, documents, tuple(found))
    texts = SuiteTexts(source, {"human": reference})
    return LoadedSuite(suite, texts), Text.of(candidate, path="candidate")


@contextmanager
def postgresql() -> Iterator[str | None]:
    """The address of a database on a server of our own, with all that makes it durable; None without one."""
    programs = _programs()
    if programs is None:
        yield None
        return
    folder = Path(tempfile.mkdtemp(prefix="anaphor-pg-"))
    # The server refuses to run as root: it then runs as the user that its package made.
    user = "postgres" if os.geteuid() == 0 else None
    if user is not None:
        shutil.chown(folder, user)

    def run(program: str, *arguments: str) -> None:
        command = [str(programs / program), "-D", str(folder / "data"), *arguments]
        subprocess.run(command, check=True, user=user, cwd=folder, stdout=subprocess.DEVNULL)

    try:
        run("initdb", "-U", "anaphor", "-A", "trust", "-E", "UTF8")
        options = f"-k {folder} -c listen_addresses=''"
        run("pg_ctl", "-o", options, "-l", str(folder / "log"), "-w", "start")
        try:
            yield f"postgresql://anaphor@/postgres?host={folder}"
        finally:
            run("pg_ctl", "-m", "fast", "-w", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _programs() -> Path | None:
    found = shutil.which("initdb")
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    return Path(found).parent if found else next(iter(reversed(folders)), None)
