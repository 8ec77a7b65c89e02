"""A campaign whose every text field holds an attack, and people who come to it with bad intentions.

The suite is invented: for every attack one line that holds it and one with the pronoun.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from litestar import Litestar

from anaphor.align import AlignerChoice
from anaphor.annotate.campaign.create import CampaignConfig, create_campaign
from anaphor.annotate.campaign.people import add_lead, find_person
from anaphor.annotate.campaign.workload import WorkloadConfig
from anaphor.annotate.judging.answers import save_answer
from anaphor.annotate.judging.views import assignment_view
from anaphor.annotate.store.database import Store, open_store
from anaphor.annotate.types import AnnotatorAnswer, Mark, Mode
from anaphor.annotate.web import ServerConfig, create_app
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
from tests.support.security import ATTACKS, NAMES, Running, Site, items_of

SOURCE = Path(__file__).resolve().parents[3] / "src"
PASSWORD = "a long enough password"  # noqa: S105 - of a lead in these tests


def attacked_suite(system: str = "Elle") -> tuple[LoadedSuite, Text]:
    """A suite with an attack before every pronoun, and a candidate with the same."""
    lines = [line for attack in ATTACKS for line in (f"A lamp {attack} .", "It is bright .")]
    human = [line for attack in ATTACKS for line in (f"Une lampe {attack} .", "Elle est vive .")]
    given = [line.replace("Elle", system) for line in human]
    source, reference = Text.of(lines, path="source"), Text.of(human, path="human")
    items, here, there = [], 0, 0
    for number in range(len(ATTACKS)):
        head, human_head = (Span(here + 2, here + 6),), (Span(there + 4, there + 9),)
        here, there = here + len(lines[2 * number]) + 1, there + len(human[2 * number]) + 1
        known = ReferencePair("human", (Span(there, there + 4),), (human_head,))
        pronoun = (Span(here, here + 2),)
        items.append(Item(f"item {number}", "home", NAMES[0], pronoun, (Antecedent(head, head),), (known,)))
        here, there = here + len(lines[2 * number + 1]) + 1, there + len(human[2 * number + 1]) + 1
    category = Category(NAMES[0], True, " ".join(ATTACKS[:20]))
    document = SuiteDocument("home", len(lines), source.digest, {"human": reference.digest})
    pair = LanguagePair("en", "fr")
    suite = Suite(NAMES[1], "1", pair, NAMES[2], NAMES[3], (category,), (document,), tuple(items))
    texts = SuiteTexts({"home": source}, {"human": {"home": reference}})
    return LoadedSuite(suite, texts), Text.of(given, path="candidate")


def make(path: Path, mode: Mode) -> None:
    """The campaign: three systems, three annotators, all with names that attack."""
    words = {f"secret {name}": word for name, word in zip(NAMES[2:5], ("Elle", "Il", "Ce"), strict=True)}
    found = {name: attacked_suite(word) for name, word in words.items()}
    loaded, _ = attacked_suite()
    texts = {name: text for name, (_, text) in found.items()}
    links = [Alignment((0, 1), (0, 1)), Alignment((0, 1, 2), (0, 1, 2))] * len(ATTACKS)
    files = {name: AlignmentFile.made(links, path=name) for name in texts}
    given = GivenLinks(Text.of(loaded.texts.source_lines, path="source"), files)
    config = CampaignConfig(
        annotators=NAMES[5:8],
        mode=mode,
        name=NAMES[4],
        workload=WorkloadConfig(overlap=1.0, batch_size=20),
        tags=NAMES[10:14],
        guidelines="\n".join(ATTACKS),
    )
    options = EvaluationOptions(aligner=AlignerChoice(pair=loaded.suite.pair), tokenized=True)
    create_campaign(path, loaded, texts, options, config, links=given)


def answer_all(store: Store) -> None:
    """Everybody answers everything with remarks and tags that attack; two agree, one does not."""
    tags = tuple(one for one in NAMES if "," not in one and len(one) <= 60)
    for number in range(3):
        person = find_person(store, NAMES[5 + number]).id
        for place, item in enumerate(items_of(store, number)):
            attack = ATTACKS[place % len(ATTACKS)]
            view = assignment_view(store, person, item)
            answer = AnnotatorAnswer(
                pronoun=Mark.UNSET if view.mode is not Mode.JUDGE else Mark.NO if number else Mark.YES,
                order=((view.slots[0],), view.slots[1:]) if view.mode is Mode.COMPARE else (),
                tags=(tags[place % len(tags)],),
                remark=f"{attack}\n{attack}",
            )
            save_answer(store, person, item, answer, version=0, request=f"request-{number}-{place}")


@pytest.fixture(scope="session")
def attacked_file(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """The campaign in each mode, with and without answers; each is made once."""

    @cache
    def file(mode: Mode, *, answered: bool) -> Path:
        path = tmp_path_factory.mktemp("attacked") / "campaign.db"
        if answered:
            shutil.copy(file(mode, answered=False), path)
        else:
            make(path, mode)
        store = open_store(path)
        if answered:
            answer_all(store)
        else:
            add_lead(store, "Lea", PASSWORD)
        store.close()
        return path

    return file


@pytest.fixture
def attack(
    attacked_file: Callable[..., Path], tmp_path: Path, make_app: Callable[..., Litestar]
) -> Iterator[Callable[..., Site]]:
    """Serves a copy of the campaign in a mode."""
    stores: list[Store] = []

    def serve(
        mode: Mode = Mode.JUDGE, settings: ServerConfig | None = None, *, answered: bool = False
    ) -> Site:
        file = attacked_file(mode, answered=answered)
        stores.append(open_store(shutil.copy(file, tmp_path / f"{len(stores)}.db")))
        return Site(stores[-1], make_app(stores[-1], settings))

    yield serve
    for store in stores:
        store.close()


@pytest.fixture
def site(attack: Callable[..., Site]) -> Site:
    """The campaign in which pronouns are judged."""
    return attack()


@pytest.fixture(scope="module")
def running(
    attacked_file: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Running]:
    """The real server over a real socket, for requests that no proper client would send."""
    file = attacked_file(Mode.JUDGE, answered=False)
    path = Path(shutil.copy(file, tmp_path_factory.mktemp("running") / "campaign.db"))
    command = [
        sys.executable,
        "-m",
        "anaphor.cli.main",
        "annotate",
        "serve",
        str(path),
        "--no-open",
        "--port",
        "0",
    ]
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
    try:
        assert process.stderr is not None
        found = re.search(r":(\d+)/", process.stderr.readline())
        assert found is not None
        store = open_store(path)
        yield Running(Site(store, create_app(store)), int(found[1]))
        store.close()
    finally:
        process.kill()
        process.communicate()
