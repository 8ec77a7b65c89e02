"""`anaphor task prepare` as a user types it, on the small experiment of the conftest."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import anaphor as anaphor_package
from anaphor.task import read_task

Command = Callable[..., tuple[int, str, str]]
PREPARE = ("task", "prepare", "--pair", "en-fr", "--output", "out.tsv", "--tokenized")
TEXTS = ("--source", "src.en", "--target", "ref.fr")
LINKS = ("--alignment", "ref.align")


def test_the_table_counts_classes_before_and_after_filtering(anaphor: Command, folder: Path) -> None:
    code, out, _ = anaphor(*PREPARE, *TEXTS, *LINKS, "--documents", "docs")
    assert code == 0
    assert out.splitlines()[0] == "out.tsv: 6 segments"
    # by hand: Il il Elles C' and Ils are subjects; le (an object) and the second they (no link) are OTHER
    counts = {line.split()[0]: line.split()[1:] for line in out.splitlines()[3:12]}
    assert counts["il"] == ["2", "2"]
    assert counts["ce"] == counts["elles"] == counts["ils"] == ["1", "1"]
    assert counts["OTHER"] == ["2", "1"]
    assert counts["all"] == ["7", "6"]
    segments = list(read_task("out.tsv", documents=folder / "out.doc-ids"))
    assert [segment.document for segment in segments] == ["rain", "rain", "party", "party", "trial", "trial"]


def test_json_has_the_same_counts_and_names_the_job(anaphor: Command) -> None:
    _, out, _ = anaphor(*PREPARE, *TEXTS, *LINKS, "--style", "2015", "--json")
    report = json.loads(out)
    assert report["classes"]["OTHER"] == {"before": 2, "after": 2}
    assert report["placed"] == {"linked": 6, "neighbour": 1, "position": 0}
    assert (report["segments"], len(report["job"])) == (6, 12)


def test_tables_and_texts_are_prepared_together(anaphor: Command, folder: Path) -> None:
    (folder / "t.tsv").write_text("doc\tfr\ten\nd1\tIl dort .\tIt sleeps .\n", encoding="utf-8")
    (folder / "all.align").write_text("0-0 1-1 2-2\n" + (folder / "ref.align").read_text(), encoding="utf-8")
    code, out, _ = anaphor(*PREPARE, *TEXTS, "--tsv", "t.tsv", "--alignment", "all.align", "--style", "2015")
    assert (code, out.splitlines()[0]) == (0, "out.tsv: 7 segments")
    ids = (folder / "out.doc-ids").read_text(encoding="utf-8").splitlines()
    assert ids[:2] == ["1.t/d1", "2.src/text"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param((), "no text is given", id="no text"),
        pytest.param(("--source", "src.en"), "1 source texts, 0 target texts", id="no target"),
        pytest.param((*TEXTS, "--columns", "en,fr"), "--columns", id="columns without a table"),
        pytest.param(("--tsv", "src.en", "--columns", "1"), "1 columns", id="one column"),
        pytest.param(("--source", "-", "--target", "ref.fr"), "read more than once", id="standard input"),
        pytest.param((*TEXTS, *LINKS, "--priors", "none"), "would be ignored", id="links and an aligner"),
        pytest.param((*TEXTS, *LINKS, "--learn-from", "5"), "would be ignored", id="links and learning"),
        pytest.param((*TEXTS, "--learn-from", "0"), "0 segments", id="learning from nothing"),
        pytest.param((*TEXTS, "--workers", "0"), "0 processes", id="no worker"),
        pytest.param(
            (*TEXTS, "--documents", "docs", "--document-mark", "x"), "given twice", id="two documents"
        ),
        pytest.param((*TEXTS, "--analyser", "spacey"), "spacy", id="unknown analyser"),
        pytest.param((*TEXTS, "--pair", "en-it"), "en-it", id="unknown pair"),
    ],
)
def test_options_that_do_not_fit_are_refused(
    anaphor: Command, folder: Path, options: tuple[str, ...], message: str
) -> None:
    code, _, err = anaphor(*PREPARE, *options)
    assert code == 1
    assert message in err
    assert not (folder / "out.tsv").exists()


def test_pairs_with_an_empty_side_are_counted(anaphor: Command, folder: Path) -> None:
    (folder / "src.en").write_text("It rains .\n\n", encoding="utf-8")
    (folder / "ref.fr").write_text("Il pleut .\nRien .\n", encoding="utf-8")
    (folder / "ref.align").write_text("0-0\n\n", encoding="utf-8")
    _, out, _ = anaphor(*PREPARE, *TEXTS, *LINKS, "--style", "2015")
    assert "pairs left out, one side is empty: 1" in out.splitlines()


def test_a_tolerance_is_reported_once_although_the_text_is_read_twice(anaphor: Command, folder: Path) -> None:
    (folder / "src.en").write_bytes((folder / "src.en").read_bytes().replace(b"\n", b"\r\n"))
    code, _, err = anaphor(*PREPARE, *TEXTS, "--style", "2015")
    assert (code, err) == (0, "note: src.en: read Windows line ends (CRLF)\n")


def test_ctrl_c_leaves_no_output_and_no_worker(folder: Path) -> None:
    times = 6000  # far from done when the first part is, also on a busy machine
    for name in ("src.en", "ref.fr", "ref.align"):
        path = folder / name
        path.write_text(path.read_text(encoding="utf-8") * times, encoding="utf-8")
    command = [sys.executable, "-m", "anaphor.cli.main", *PREPARE, *TEXTS, *LINKS, "--workers", "2"]
    environment = os.environ | {"PYTHONPATH": str(Path(anaphor_package.__file__).parents[1])}
    process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, start_new_session=True)
    deadline = time.monotonic() + 120
    # Several parts, so that both workers have started: one that is stopped while it loads prints a traceback.
    while len(list(folder.glob("out.tsv.parts/*.json"))) < 4 and time.monotonic() < deadline:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)  # as the terminal does: to every process of the group
    _, errors = process.communicate(timeout=120)
    assert (process.returncode, errors) == (130, b"")
    assert not (folder / "out.tsv").exists()
    assert list(folder.glob("out.tsv.parts/*.json"))
