"""The campaigns of docs/annotate, followed literally by somebody who has never seen it."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.pages import go_in

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PAGE = Path(__file__).parents[3] / "docs" / "annotate" / "campaigns.md"
PASSWORD = "a long enough password"  # noqa: S105 - of a lead in this test


def run(command: str, *, typed: str = "") -> str:
    """A command as the page shows it."""
    done = subprocess.run(
        [sys.executable, "-m", *shlex.split(command)],
        input=typed,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, (command, done.stderr)
    return done.stdout


def judge(page: Page, verdict: str) -> None:
    """Answer every item with the keys that the page for annotators lists."""
    for number in range(1, 5):
        page.wait_for_function(f"() => document.querySelector('#item')?.dataset.position === '{number}'")
        if page.locator("[name=antecedent]").count():
            page.keyboard.press("1")
        page.keyboard.press(verdict)
        for word in page.locator(".word input").all():
            if verdict == "y" and not word.is_checked():
                word.check()
        page.keyboard.press("Control+Enter")
    page.wait_for_selector("#warnings")


@pytest.mark.slow
def test_the_documented_campaign_works_from_init_to_export(browser: Browser, tmp_path: Path) -> None:
    text = PAGE.read_text(encoding="utf-8")
    before = Path.cwd()
    os.chdir(tmp_path)
    try:
        for path, content in re.findall(r"^```\w+ (\S+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            Path(path).write_text(content, encoding="utf-8")
        (init,) = re.findall(r"^\$ (anaphor annotate init .*)$", text, re.MULTILINE)
        assert "4 examples to judge" in run(init)
        access = re.search(r"## Giving access.*?```sh\n(.*?)```", text, re.DOTALL)
        assert access is not None
        commands = access[1].strip().splitlines()
        link, lead = (next(one for one in commands if f"annotate {verb}" in one) for verb in ("link", "lead"))
        given = run(link)
        run(lead, typed=f"{PASSWORD}\n")
        (serve,) = (one for one in commands if "annotate serve" in one)
        command = [sys.executable, "-m", *shlex.split(serve), "--port", "0", "--no-open"]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
            try:
                assert server.stderr is not None
                found = re.search(r"http://\S+/", server.stderr.readline())
                assert found is not None
                url = found[0]
                urllib.request.urlopen(url, timeout=120).close()  # noqa: S310 - our own server
                for token, verdict in zip(re.findall(r"/enter/(\S+)", given), "yn", strict=True):
                    page = browser.new_context().new_page()
                    page.goto(f"{url}enter/{token}")
                    if page.locator("#enter").count():
                        go_in(page)
                    page.wait_for_selector("html[data-ready] #item")
                    judge(page, verdict)
                    assert "Everything is answered" in page.inner_text("#warnings")
                    page.context.close()
                page = browser.new_context().new_page()
                page.goto(url)
                page.fill("#name", shlex.split(lead)[-1])
                page.fill("#password", PASSWORD)
                page.press("#password", "Enter")
                page.wait_for_url("**/lead")
                page.goto(f"{url}lead/disagreements")
                page.click("article a >> nth=0")
                for _ in range(4):
                    page.wait_for_selector("html[data-ready] #answer")
                    here = page.url
                    page.keyboard.press("1")
                    page.wait_for_function("url => location.href !== url", arg=here)
                assert "Nothing to decide" in page.inner_text("main")
                page.context.close()
            finally:
                server.terminate()
        (export,) = re.findall(r"^\$ (anaphor annotate export .*)$", text, re.MULTILINE)
        run(export)
        rows = Path("judgements.tsv").read_text(encoding="utf-8").splitlines()
        assert len(rows) == 1 + 8, "every answer of both annotators"
    finally:
        os.chdir(before)


@pytest.mark.slow  # three campaigns are made of a novel's beginning, and answered
def test_the_documented_crowd_practises_asks_and_completes(browser: Browser, tmp_path: Path) -> None:
    text = (PAGE.parent / "growing.md").read_text(encoding="utf-8")
    files = run("anaphor demo --output " + shlex.quote(str(tmp_path / "files")))
    assert files
    before = Path.cwd()
    os.chdir(tmp_path / "files")
    try:
        for path, content in re.findall(r"^```\w+ (\S+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
            Path(path).write_text(content, encoding="utf-8")
        commands = re.findall(r"^\$ (anaphor annotate .*?[^\\])$", text, re.MULTILINE | re.DOTALL)
        wanted = [
            one
            for one in commands
            if re.search(r"init (practised|study)\.db|init crowd\.db(?!.*--practice)", one, re.DOTALL)
        ]
        assert [re.search(r"(\w+)\.db", one)[1] for one in wanted] == ["practised", "crowd", "study"]  # type: ignore[index]
        for command in wanted:
            run(command.replace("\\\n", " "))
        for name in ("practised", "crowd", "study"):
            run(f"anaphor annotate lead {name}.db --add Lea", typed=f"{PASSWORD}\n")
        (python,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
        names: dict[str, Any] = {}
        exec(python.replace('"campaign.db"', '"crowd.db"'), names)  # noqa: S102 - the page's own example
        serve = "anaphor annotate serve practised.db crowd.db study.db --port 0 --no-open"
        with subprocess.Popen(
            [sys.executable, "-m", *shlex.split(serve)], stderr=subprocess.PIPE, text=True
        ) as server:
            try:
                assert server.stderr is not None
                found = re.search(r"http://[\d.:]+", server.stderr.readline())
                assert found is not None
                urllib.request.urlopen(f"{found[0]}/health", timeout=120).close()  # noqa: S310 - our own server
                page = browser.new_context().new_page()
                page.goto(run("anaphor annotate link practised.db --add ann").split("\t")[1].strip())
                go_in(page)
                page.wait_for_selector("html[data-ready] #practice")
                page.keyboard.press("n")
                page.keyboard.press("Control+Enter")
                page.wait_for_selector("#practice.bad")
                assert "The lamp is feminine" in page.inner_text("#practice")
                page.click("#practice a")
                page.wait_for_selector("html[data-ready] #item")
                page.keyboard.press("a")
                page.keyboard.type("Is this one meant?")
                page.click("#question button")
                page.wait_for_selector("#asking .thread")
                page.context.close()

                page = browser.new_context().new_page()
                page.goto(f"{found[0]}/practised/")
                page.fill("#name", "Lea")
                page.fill("#password", PASSWORD)
                page.press("#password", "Enter")
                page.goto(f"{found[0]}/practised/lead/inbox")
                assert "Is this one meant?" in page.inner_text("main")
                page.context.close()

                page = browser.new_context().new_page()
                page.goto(run("anaphor annotate link crowd.db --add annotator-1").split("\t")[1].strip())
                go_in(page)
                page.goto(f"{found[0]}/crowd/items")
                assert page.inner_text("#completion-code") == "C1A2B3"
                page.context.close()

                page = browser.new_context().new_page()
                shared = re.search(r"http\S+participant=ID", run("anaphor annotate link study.db"))
                assert shared is not None
                page.goto(shared[0].replace("participant=ID", "PROLIFIC_PID=5f1a"))
                assert "Welcome, 5f1a" in page.inner_text("h1")
                go_in(page)
                page.wait_for_selector("html[data-ready] #item")
                page.context.close()
            finally:
                server.terminate()
    finally:
        os.chdir(before)
