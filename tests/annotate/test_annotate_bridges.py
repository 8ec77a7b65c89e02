"""Exports in the programs they are for: Pearmut and Label Studio show them, and answers come back.

The programs are installed outside this project, in environments of their own: ANAPHOR_PEARMUT and
ANAPHOR_LABEL_STUDIO name their executables. Without them these tests are skipped, and say so.
"""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from anaphor.annotate.exchange import export_bytes, import_bytes
from anaphor.annotate.judging.answer_rows import answer_rows
from anaphor.annotate.store.database import Store
from anaphor.annotate.types import AnnotatorAnswer, Mark

TOKEN = "0123456789abcdef0123456789abcdef01234567"  # noqa: S105 - of a server that lives as long as its test
DOCUMENTED = Path(__file__).parents[2] / "docs" / "annotate" / "exchange.md"


def program(variable: str) -> str:
    found = os.environ.get(variable)
    if found is None:
        pytest.skip(f"{variable} does not name the program")
    return found


def answers(store: Store) -> dict[tuple[str, str], AnnotatorAnswer]:
    with store.read() as connection:
        return {(row.unit, row.person): row.answer for row in answer_rows(connection)}


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def ask(url: str, content: object = None, headers: Mapping[str, str] | None = None) -> Any:
    data = None if content is None else json.dumps(content).encode()
    request = urllib.request.Request(  # noqa: S310 - our own server
        url, data, {"Content-Type": "application/json", **(headers or {})}
    )
    with urllib.request.urlopen(request, timeout=120) as response:  # noqa: S310
        return json.loads(response.read())


@contextmanager
def running(command: list[str], url: str, folder: Path, environment: Mapping[str, str]) -> Iterator[None]:
    with (folder / "server.log").open("wb") as log:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=os.environ | environment,
            stdout=log,
            stderr=log,
            stdin=subprocess.DEVNULL,
        )
        try:
            for _ in range(1800):
                assert process.poll() is None, (folder / "server.log").read_text(encoding="utf-8")
                try:
                    with urllib.request.urlopen(url, timeout=10):  # noqa: S310
                        break
                except urllib.error.HTTPError:
                    break
                except OSError:
                    time.sleep(0.5)
            else:
                pytest.fail("the program does not answer")
            yield
        finally:
            process.terminate()
            process.wait()


def test_pearmut_shows_the_pronoun_and_its_answers_come_back(
    answered: Store, empty: Store, tmp_path: Path
) -> None:
    pearmut, port = program("ANAPHOR_PEARMUT"), free_port()
    file = tmp_path / "campaign.json"
    file.write_bytes(export_bytes(answered, "pearmut"))
    environment = {"PEARMUT_ROOT": str(tmp_path)}
    added = subprocess.run(
        [pearmut, "add", str(file)],
        cwd=tmp_path,
        env=os.environ | environment,
        capture_output=True,
        check=False,
    )
    assert added.returncode == 0, added.stderr
    content = json.loads(file.read_bytes())
    campaign, user = content["campaign_id"], content["info"]["users"][0]
    url = f"http://127.0.0.1:{port}"
    with running([pearmut, "run", "--port", str(port)], url, tmp_path, environment):
        who = {"campaign_id": campaign, "user_id": user}
        shown = ask(f"{url}/get-i-item", who | {"item_i": 0})
        (item,) = shown["payload"]
        assert re.search(r"<b>\w+</b>", item["src"]), "the pronoun is marked"
        assert "<b>bold</b>" in shown["info"]["instructions"]
        (system,) = item["tgt"]
        payload = {
            "annotation": [{system: {"score": 50, "error_spans": []}}],
            "actions": [{"time": 1.0, "action": "submit"}],
            "item": [item],
        }
        assert ask(f"{url}/log-response", who | {"item_i": 0, "payload": payload}) == "ok"
    (output,) = (tmp_path / "data" / "annotations").glob("*.jsonl")
    report = import_bytes(empty, "pearmut", output.read_bytes(), by="lea")
    assert (report.added, report.written) == (1, True)
    assert answers(empty)[item["item_id"], user].pronoun is Mark.YES


@pytest.mark.slow  # Label Studio makes its database first, which takes about a minute
def test_label_studio_takes_tasks_with_answers_and_gives_them_back(
    answered: Store, empty: Store, tmp_path: Path
) -> None:
    studio, port = program("ANAPHOR_LABEL_STUDIO"), free_port()
    environment = {
        "LABEL_STUDIO_BASE_DATA_DIR": str(tmp_path),
        "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true",
        "LATEST_VERSION_CHECK": "false",
        "COLLECT_ANALYTICS": "false",
    }
    command = [studio, "start", "--no-browser", "--port", str(port), "--internal-host", "127.0.0.1"]
    command += ["--username", "lea@example.org", "--password", "a long password", "--user-token", TOKEN]
    url, key = f"http://127.0.0.1:{port}", {"Authorization": f"Token {TOKEN}"}
    (config,) = re.findall(r"```xml\n(.*?)```", DOCUMENTED.read_text(encoding="utf-8"), re.DOTALL)
    with running(command, f"{url}/health", tmp_path, environment):
        project = ask(f"{url}/api/projects", {"title": "pronouns", "label_config": config}, key)["id"]
        tasks = json.loads(export_bytes(answered, "label-studio"))
        taken = ask(f"{url}/api/projects/{project}/import", tasks, key)
        assert taken["task_count"] == len(tasks)
        assert taken["annotation_count"] == len(answers(answered))
        first = ask(f"{url}/api/tasks?project={project}", headers=key)["tasks"][0]["data"]
        assert re.search(r"\[\w+\]", first["source_text"]), "a text with the pronoun, not an object"
        back = ask(f"{url}/api/projects/{project}/export?exportType=JSON", headers=key)
    report = import_bytes(empty, "label-studio", json.dumps(back).encode(), by="lea")
    assert report.written
    assert answers(empty) == answers(answered)
