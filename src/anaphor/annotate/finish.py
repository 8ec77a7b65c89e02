"""What happens when a campaign is finished: a file with everything in a folder, a message to an address.

A campaign is finished when no active annotator has anything left to answer; new work opens it again. The
audit log records what was announced, so that a restart repeats nothing. A server that is killed in between
may announce the same end twice: the message has an id by which a receiver recognizes it.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from urllib.parse import urlsplit

from sqlalchemy import Connection, func, or_, select

from anaphor.annotate.campaign.facts import read_campaign
from anaphor.annotate.exchange.formats import SNAPSHOT, export_file
from anaphor.annotate.store import Store, schema
from anaphor.annotate.store.audit import COMMAND_LINE, note, now
from anaphor.annotate.store.database import StoreError
from anaphor.annotate.types import PersonRole, Status
from anaphor.core import InputError, OptionError, UserError
from anaphor.core.deadline import Deadline

FINISHED = "finished"
"""The action in the audit log."""
_LOG = logging.getLogger("anaphor.annotate.web")
#: Seconds between two looks, and at most after a message that did not arrive.
_EVERY, _LONGEST = 5.0, 300.0
_TIMEOUT = 10.0
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, slots=True)
class FinishActions:
    """What to do at the end: a folder for the snapshot, and an address that gets a message as JSON."""

    folder: str = ""
    webhook: str = ""

    def __post_init__(self) -> None:
        if self.folder and not Path(self.folder).is_dir():
            raise InputError("folder not found", where=self.folder, fix="name an existing folder")
        if not self.webhook:
            return
        try:
            parts = urlsplit(self.webhook)
            secure = parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK)
            valid = secure and bool(parts.hostname) and parts.username is None and parts.port != 0
        except ValueError:
            valid = False
        if not valid or not self.webhook.isascii() or not self.webhook.isprintable():
            fix = "give an address that begins with https://, or http:// on this machine"
            raise OptionError("not an address for messages", where="--webhook", fix=fix)

    def __bool__(self) -> bool:
        return bool(self.folder or self.webhook)


def finished_work(connection: Connection) -> int:
    """The number of assignments of a campaign in which nothing is left to answer; 0 while something is."""
    given, who = schema.assignments, schema.people
    working = (
        who.c.role == PersonRole.ANNOTATOR.value,
        who.c.active,
        or_(who.c.stopped.is_(None), who.c.stopped == ""),
    )
    left = select(given.c.id).join(who).where(given.c.status == Status.NEW.value, *working).limit(1)
    if connection.execute(left).first() is not None:
        return 0
    if connection.execute(select(schema.answers.c.id).limit(1)).first() is None:
        return 0
    return int(connection.execute(select(func.count()).select_from(given)).scalar_one())


def announce_end(store: Store, actions: FinishActions) -> bool:
    """Announce the end of a campaign, once; return whether it is newly finished."""
    audit = schema.audit
    with store.read() as connection:
        work = finished_work(connection)
        if not work:
            return False
        last = select(audit.c.detail).where(audit.c.action == FINISHED).order_by(audit.c.seq.desc()).limit(1)
        detail = connection.execute(last).scalar()
        campaign = read_campaign(connection)
    if detail is not None and json.loads(detail).get("assignments") == str(work):
        return False
    written = ""
    if actions.folder:
        path = Path(actions.folder, f"{campaign.id[:12]}-{work}.zip")
        export_file(store, SNAPSHOT, path)
        written = path.name
    if actions.webhook:
        content = {
            "event": "campaign finished",
            "id": f"{campaign.id}-{work}",
            "campaign": campaign.name,
            "assignments": work,
            "at": now(),
            "file": written,
        }
        _post(actions.webhook, content)
    note(store, actor=COMMAND_LINE, action=FINISHED, detail={"assignments": str(work), "file": written})
    return True


def watch(store: Store, actions: FinishActions, stop: threading.Event) -> threading.Thread:
    """Look for the end in the background until `stop` is set; what fails is logged and tried again."""

    def look() -> None:
        pause = _EVERY
        while not stop.wait(pause):
            try:
                announce_end(store, actions)
                pause = _EVERY
            except (StoreError, UserError, OSError, HTTPException) as error:
                _LOG.error("the end of the campaign could not be announced: %s", error)
                pause = min(_LONGEST, 2 * pause)

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    return thread


def _post(address: str, content: Mapping[str, object]) -> None:
    """Send JSON to an address; an answer other than success is an error, and no redirect is followed."""
    parts = urlsplit(address)
    with Deadline(_TIMEOUT) as deadline:
        kind = deadline.kinds()[parts.scheme == "https"]
        with closing(kind(parts.hostname or "", parts.port, timeout=_TIMEOUT)) as connection:
            target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
            headers = {"Content-Type": "application/json"}
            try:
                connection.request("POST", target, json.dumps(content).encode(), headers)
                status = connection.getresponse().status
            except (OSError, HTTPException):
                if not deadline.passed:
                    raise
        if deadline.passed:
            raise TimeoutError(f"the receiver did not answer within {_TIMEOUT:g} seconds")
    if not 200 <= status < 300:
        # The address may hold a secret, and stays out of the log.
        raise OSError(f"the receiver answered with the status {status}")
