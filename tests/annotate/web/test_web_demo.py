"""`anaphor annotate demo`: one command, pages of an annotator and of a lead, and nothing left behind."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import urllib.request
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.parse import urlencode


def test_the_demo_can_be_looked_at_and_is_gone_afterwards(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "anaphor", "annotate", "demo", "--no-open"]
    with subprocess.Popen(
        command,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        # Programs that a shell starts in the background ignore Ctrl+C, and so do all that they start.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        assert process.stderr is not None
        told = ""
        for line in process.stderr:
            told += line
            if "as the lead" in line:
                break
        address = re.search(r"as the annotator Ada: (http://\S+/enter/\S+)", told)
        password = re.search(r"password (\S+)", told)
        assert address is not None, told
        assert password is not None, told
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        _send(browser, address[1], "/enter")
        page = browser.open(f"{_root(address[1])}items").read().decode()  # the instructions come before
        assert "<h1" in page
        assert re.search(r"[1-9]\d* of \d+ answered", page), "half is done"
        other = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        _send(other, _root(address[1]), "/login", name="demo", password=password[1])
        shown = other.open(f"{_root(address[1])}lead").read().decode()
        assert all(name in shown for name in ("Ada", "Bruno", "Celia"))
        assert "Questions without a reply" in shown
        assert shown.count("failed attention items") < 3, "they know some answers"
        process.send_signal(signal.SIGINT)
        process.stderr.read()
        assert process.wait(120) == 0
    assert list(tmp_path.iterdir()) == [], "nothing to clean up"


def _root(address: str) -> str:
    return address.partition("enter/")[0]


def _send(browser: urllib.request.OpenerDirector, page: str, path: str, **fields: str) -> None:
    """Send the form of a page with its hidden fields."""
    text = browser.open(page).read().decode()
    hidden = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', text))
    data = urlencode(hidden | fields).encode()
    browser.open(urllib.request.Request(_root(page).rstrip("/") + path, data=data)).read()  # noqa: S310 - our own
