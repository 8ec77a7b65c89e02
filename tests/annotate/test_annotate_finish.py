"""The end of a campaign: what is announced, when, and how often; and the snapshot of everything."""

from __future__ import annotations

import io
import json
import socket
import threading
import time
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from anaphor.annotate import finish as ending
from anaphor.annotate.campaign.people import deactivate, find_person
from anaphor.annotate.campaign.workload import add_annotator
from anaphor.annotate.exchange import export_bytes, export_parts
from anaphor.annotate.finish import FINISHED, FinishActions, announce_end
from anaphor.annotate.judging.answers import save_answer, undo
from anaphor.annotate.judging.assignments import list_assignments
from anaphor.annotate.store import Store
from anaphor.annotate.store.audit import audit_log
from anaphor.annotate.types import AnnotatorAnswer, Mark
from anaphor.core import UserError
from tests.support.campaigns import ANNOTATORS


class Receiver(BaseHTTPRequestHandler):
    """Keeps what it is sent, and answers with a status that tests choose."""

    status = 200
    received: list[dict[str, Any]]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.received.append(json.loads(body))
        self.send_response(self.status)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def receiver() -> Iterator[tuple[str, type[Receiver]]]:
    kind = type("Receiving", (Receiver,), {"received": []})
    server = HTTPServer(("127.0.0.1", 0), kind)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/hook", kind
    server.shutdown()
    thread.join()
    server.server_close()


def finish(store: Store, *names: str) -> None:
    """Let people answer whatever they have left."""
    for name in names:
        person = find_person(store, name).id
        for row in list_assignments(store, person):
            if row.status.value == "new":
                answer, request = AnnotatorAnswer(pronoun=Mark.UNCLEAR), f"end-{name}-{row.position}"
                save_answer(store, person, row.id, answer, version=0, request=request)


def test_the_end_is_announced_once_and_again_after_new_work(
    any_store: Store, tmp_path: Path, receiver: tuple[str, type[Receiver]]
) -> None:
    store, (address, kind) = any_store, receiver
    actions = FinishActions(folder=str(tmp_path), webhook=address)
    assert not announce_end(store, actions), "nobody has answered"
    finish(store, *ANNOTATORS[1:])
    assert not announce_end(store, actions), "one has not"
    finish(store, ANNOTATORS[0])
    assert announce_end(store, actions)
    assert not announce_end(store, actions), "once"
    (message,) = kind.received
    assert message["event"] == "campaign finished"
    assert (tmp_path / message["file"]).is_file()
    person = find_person(store, ANNOTATORS[0]).id
    first = list_assignments(store, person)[0].id
    undo(store, person, first, version=1, request="reopened-1")
    assert not announce_end(store, actions), "open again"
    save_answer(store, person, first, AnnotatorAnswer(pronoun=Mark.NO), version=2, request="reopened-2")
    assert not announce_end(store, actions), "the same work is not announced twice"
    add_annotator(store, "Zoe", share="all")
    finish(store, "Zoe")
    assert announce_end(store, actions), "new work ends anew"
    assert len({one["id"] for one in kind.received}) == 2
    assert [one.action for one in audit_log(store)].count(FINISHED) == 2


def test_a_message_that_is_refused_is_sent_again(store: Store, receiver: tuple[str, type[Receiver]]) -> None:
    address, kind = receiver
    finish(store, *ANNOTATORS)
    kind.status = 500
    with pytest.raises(OSError, match="status 500"):
        announce_end(store, FinishActions(webhook=address))
    kind.status = 204
    assert announce_end(store, FinishActions(webhook=address))
    assert kind.received[0]["id"] == kind.received[1]["id"], "a receiver knows it by its id"


@pytest.mark.parametrize("head", [b"", b"HTTP/1.1 200 OK\r\n"], ids=["status", "headers"])
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_receiver_that_sends_a_byte_now_and_then_is_left_in_time(
    head: bytes, scheme: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = threading.Event()

    def drip() -> None:
        with suppress(OSError), listening.accept()[0] as connection:
            connection.recv(1 << 16)
            connection.sendall(b"\x16\x03\x03\x3f\xff" if scheme == "https" else head)
            while not ended.wait(0.05):
                connection.sendall(b"x")

    finish(store, *ANNOTATORS)
    monkeypatch.setattr(ending, "_TIMEOUT", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=drip)
        thread.start()
        begun = time.monotonic()
        try:
            with pytest.raises(TimeoutError, match=r"within 0\.3 seconds"):
                announce_end(
                    store, FinishActions(webhook=f"{scheme}://127.0.0.1:{listening.getsockname()[1]}/")
                )
            assert time.monotonic() - begun < 4
        finally:
            ended.set()
            thread.join()


def test_people_who_have_left_keep_nothing_open(store: Store, tmp_path: Path) -> None:
    finish(store, *ANNOTATORS[1:])
    deactivate(store, ANNOTATORS[0])
    assert announce_end(store, FinishActions(folder=str(tmp_path)))


@pytest.mark.parametrize(
    "address", ["http://example.org/x", "ftp://example.org", "https://", "https://a:b@example.org", "x"]
)
def test_messages_go_nowhere_unprotected(address: str) -> None:
    with pytest.raises(UserError, match="not an address"):
        FinishActions(webhook=address)


def test_a_folder_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="folder not found"):
        FinishActions(folder=str(tmp_path / "none"))


def test_a_snapshot_shows_one_moment_while_people_answer(any_store: Store) -> None:
    store = any_store
    finish(store, ANNOTATORS[0])
    parts = export_parts(store, "journal")
    before = next(parts)
    finish(store, ANNOTATORS[1])  # the export goes on at the moment at which it began
    assert f'"{ANNOTATORS[1]}"'.encode() not in before + b"".join(parts)
    with zipfile.ZipFile(io.BytesIO(export_bytes(store, "snapshot"))) as archive:
        facts = json.loads(archive.read("snapshot.json"))
        changes = archive.read("journal.jsonl").decode().splitlines()
        assert {"csv.csv", "tsv.tsv", "label-studio.json"} <= set(archive.namelist())
    assert facts["answers"] == facts["last_change"] == len(changes)
    assert facts["left_out"] == {}
