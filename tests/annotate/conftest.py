"""A small campaign on SQLite and on PostgreSQL, and people who answer it.

Two documents of the shipped English-French suite (34 items), two systems made from its reference by
exchanging pronouns, three annotators. The campaign is made once; every test works on a copy of its own.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from argon2 import PasswordHasher
from litestar import Litestar
from sqlalchemy import delete, text, update

from anaphor.align import AlignerChoice
from anaphor.annotate.campaign import people as people_module
from anaphor.annotate.campaign.create import CampaignConfig, CreatedCampaign, create_campaign
from anaphor.annotate.campaign.people import find_person, people
from anaphor.annotate.judging.answers import save_answer
from anaphor.annotate.judging.assignments import list_assignments
from anaphor.annotate.judging.views import assignment_view
from anaphor.annotate.store import schema
from anaphor.annotate.store.database import Store, open_store
from anaphor.annotate.types import PersonRole
from anaphor.annotate.web import ServerConfig, create_app
from anaphor.annotate.web.state import AppState
from anaphor.corpus import Text
from anaphor.suite import EvaluationOptions, LoadedSuite, SuiteTexts, load_shipped
from tests.support.campaigns import CONFIG, AnswerAll, Make, MakeApp, made_up

DOCUMENTS = ("coffee", "houserules")


@pytest.fixture(scope="session", autouse=True)
def fast_passwords() -> Iterator[PasswordHasher]:
    """Hashes passwords by the same function with the least work; yields the hasher that is really used."""
    real: PasswordHasher = people_module._HASHER
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(people_module, "_HASHER", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
        yield real


@pytest.fixture(scope="session")
def unused_apps() -> dict[ServerConfig, list[Litestar]]:
    """Applications that no test uses now."""
    return defaultdict(list)


@pytest.fixture
def make_app(unused_apps: dict[ServerConfig, list[Litestar]]) -> Iterator[MakeApp]:
    """Makes the application of an open campaign.

    Building the routes takes longer than most tests do, so that an application of an earlier test with the
    same configuration is used again; all that it knows of a campaign is in its `AppState`.
    """
    made: list[tuple[ServerConfig, Litestar]] = []

    def make(store: Store, config: ServerConfig | None = None) -> Litestar:
        config = config or ServerConfig()
        if unused_apps[config]:
            app = unused_apps[config].pop()
            app.state["app_state"] = state = AppState.of(store, config)
            app.dependencies["app_state"].dependency = lambda: state  # type: ignore[union-attr]
        else:
            app = create_app(store, config)
        made.append((config, app))
        return app

    yield make
    for config, app in made:
        unused_apps[config].append(app)


@pytest.fixture(scope="session")
def loaded() -> LoadedSuite:
    """The two documents as a suite of their own."""
    suite, texts = load_shipped("anaphor-en-fr")
    kept = replace(
        suite,
        documents=tuple(one for one in suite.documents if one.id in DOCUMENTS),
        items=tuple(one for one in suite.items if one.document in DOCUMENTS),
    )
    sides = {name: {one: part[one] for one in DOCUMENTS if one in part} for name, part in texts.sides()}
    return LoadedSuite(kept, SuiteTexts(sides.pop("source"), sides))


@pytest.fixture(scope="session")
def candidates(loaded: LoadedSuite) -> dict[str, Text]:
    """The reference with il and elle, or ils and elles, exchanged."""
    lines = [line or "" for line in loaded.texts.lines("reference")]
    swapped = [line.replace(" il ", " elle ").replace("Il ", "Elle ") for line in lines]
    plural = [line.replace(" ils ", " elles ").replace("Ils ", "Elles ") for line in lines]
    return {"alpha": Text.of(swapped, path="alpha.fr"), "beta": Text.of(plural, path="beta.fr")}


@pytest.fixture(scope="session")
def make_campaign(loaded: LoadedSuite, candidates: dict[str, Text]) -> Make:
    """Makes a campaign at an address; keywords are those of `create_campaign`."""

    def make(address: str | Path, config: CampaignConfig = CONFIG, **more: object) -> CreatedCampaign:
        options = EvaluationOptions(aligner=AlignerChoice(pair=loaded.suite.pair))
        return create_campaign(address, loaded, candidates, options, config, **more)  # type: ignore[arg-type]

    return make


@pytest.fixture(scope="session")
def campaign_file(make_campaign: Make, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("campaign") / "campaign.db"
    make_campaign(path)
    return path


@pytest.fixture
def database(campaign_file: Path, tmp_path: Path) -> Path:
    """A copy of the campaign for one test."""
    return Path(shutil.copy(campaign_file, tmp_path / "campaign.db"))


@pytest.fixture
def store(database: Path) -> Iterator[Store]:
    """The campaign on SQLite."""
    opened = open_store(database)
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The address of a PostgreSQL server of our own, up to the name of the database."""
    programs = _programs()
    # Every test has a copy of a database, which takes long to write to a disk and to remove from it.
    memory = Path("/dev/shm")  # noqa: S108 - a folder of our own is made in it
    fast = memory.is_dir() and shutil.disk_usage(memory).free > 4 * 2**30
    folder = Path(tempfile.mkdtemp(prefix="anaphor-pg-", dir=memory if fast else None))
    # The server refuses to run as root; a test that does hands its folder to somebody without rights.
    user = "postgres" if os.geteuid() == 0 else None
    if user is not None:
        shutil.chown(folder, user)
    address = f"postgresql://anaphor@/{{}}?host={folder}"
    data, log = str(folder / "data"), folder / "log"
    options = ("listen_addresses=", "fsync=off", "wal_level=minimal", "max_wal_senders=0")
    settings = ("-k", str(folder), *(part for option in options for part in ("-c", option)))
    try:
        make = (str(programs / "initdb"), "-D", data, "-U", "anaphor", "-A", "trust", "-N", "-E", "UTF8")
        subprocess.run(make, check=True, user=user, cwd=folder, stdout=subprocess.DEVNULL)
        # A child of ours, and not of pg_ctl: where nobody reaps orphans, pg_ctl waits a minute for its end.
        with log.open("wb") as written:
            process = subprocess.Popen(
                [str(programs / "postgres"), "-D", data, *settings],
                user=user,
                cwd=folder,
                stdout=written,
                stderr=subprocess.STDOUT,
            )
        try:
            until = time.monotonic() + 120
            while not _accepts(address.format("postgres")):
                assert process.poll() is None, log.read_text(encoding="utf-8")
                assert time.monotonic() < until, "PostgreSQL does not start"
                time.sleep(0.05)
            yield address
        finally:
            process.send_signal(signal.SIGQUIT)  # an immediate shutdown
            process.wait(60)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _accepts(address: str) -> bool:
    try:
        psycopg.connect(address).close()
    except psycopg.OperationalError:
        return False
    return True


def _programs() -> Path:
    found = shutil.which("initdb")
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if found is None and not folders:
        pytest.skip("PostgreSQL is not installed: no initdb on the path or under /usr/lib/postgresql")
    return Path(found).parent if found else folders[-1]


@pytest.fixture(scope="session")
def new_database(server: str) -> Callable[[str | None], str]:
    """Makes a database, empty or as a copy of another one; its address."""
    names = (f"test_{number}" for number in range(10_000))

    def make(template: str | None = None) -> str:
        name = next(names)
        with psycopg.connect(server.format("postgres"), autocommit=True) as connection:
            copied = "" if template is None else f" TEMPLATE {template}"
            connection.execute(f"CREATE DATABASE {name}{copied}".encode())
        return server.format(name)

    return make


@pytest.fixture(scope="session")
def template(new_database: Callable[[str | None], str], make_campaign: Make) -> str:
    """The name of a database with the campaign, to be copied."""
    address = new_database(None)
    make_campaign(address)
    return address.split("/")[3].partition("?")[0]


@pytest.fixture(params=["sqlite", "postgresql"])
def any_store(request: pytest.FixtureRequest) -> Iterator[Store]:
    """The campaign on both databases."""
    if request.param == "sqlite":
        yield request.getfixturevalue("store")
        return
    copy = request.getfixturevalue("new_database")(request.getfixturevalue("template"))
    opened = open_store(copy)
    yield opened
    opened.close()


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a database can be made, on both kinds."""
    if request.param == "sqlite":
        return str(tmp_path / "new.db")
    address: str = request.getfixturevalue("new_database")(None)
    return address


@pytest.fixture(scope="session")
def answer_all() -> AnswerAll:
    """Lets everybody answer a share of their examples; how many answers were given."""

    def answer(store: Store, *, share: float = 1.0, seed: int = 1, only: str | None = None) -> int:
        draw = random.Random(seed)
        chosen = [find_person(store, only)] if only else people(store)
        given = 0
        for person in chosen:
            rows = list_assignments(store, person.id) if person.role is PersonRole.ANNOTATOR else ()
            for row in rows:
                if draw.random() < share:
                    view = assignment_view(store, person.id, row.id)
                    save_answer(
                        store,
                        person.id,
                        row.id,
                        made_up(view, draw),
                        version=view.stored.version,
                        request=f"{seed}-{row.id}",
                        seconds=10 * draw.random(),
                    )
                    given += 1
        return given

    return answer


@pytest.fixture(scope="session")
def answered_file(
    campaign_file: Path, answer_all: AnswerAll, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The campaign with every example answered."""
    path = Path(shutil.copy(campaign_file, tmp_path_factory.mktemp("answered") / "campaign.db"))
    store = open_store(path)
    answer_all(store)
    store.close()
    return path


@pytest.fixture
def answered(answered_file: Path, tmp_path: Path) -> Iterator[Store]:
    """The answered campaign on SQLite."""
    opened = open_store(shutil.copy(answered_file, tmp_path / "answered.db"))
    yield opened
    opened.close()


@pytest.fixture
def empty(answered_file: Path, tmp_path: Path) -> Iterator[Store]:
    """The same campaign with the same ids, before anybody answered."""
    store = open_store(shutil.copy(answered_file, tmp_path / "empty.db"))
    with store.write() as connection:
        connection.execute(text("DROP TRIGGER journal_keeps_delete"))
        for table in (schema.journal, schema.answers, schema.own_tags):
            connection.execute(delete(table))
        connection.execute(update(schema.assignments).values(status="new"))
    yield store
    store.close()


@pytest.fixture(scope="session")
def answered_template(new_database: Callable[[str | None], str], template: str, answer_all: AnswerAll) -> str:
    """The name of a database with the answered campaign, to be copied."""
    address = new_database(template)
    store = open_store(address)
    answer_all(store)
    store.close()
    return address.split("/")[3].partition("?")[0]


@pytest.fixture(params=["sqlite", "postgresql"])
def any_answered(request: pytest.FixtureRequest) -> Iterator[Store]:
    """The answered campaign on both databases."""
    if request.param == "sqlite":
        yield request.getfixturevalue("answered")
        return
    copy = request.getfixturevalue("new_database")(request.getfixturevalue("answered_template"))
    opened = open_store(copy)
    yield opened
    opened.close()
