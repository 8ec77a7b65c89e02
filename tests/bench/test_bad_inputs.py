"""Broken files in the hands of a user: every command says what is wrong, where, and how to mend it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from anaphor.bench import write_bench
from anaphor.cli.main import main
from tests.support.choice import always
from tests.support.scores import BENCH, LAMP, batch, ctranslate2, echo, fairseq, lines_of, lm_eval, plain

GERMAN = "Sie funktioniert noch.\nIch habe ihn gesehen.\nTrink ihn, er ist heiß.\n"
WINOMT = "male\t1\tThe doctor ran .\tdoctor\n"
ROWS = [
    {"id": item.id, "translation": line} for item, line in zip(BENCH.items, GERMAN.splitlines(), strict=True)
]
ANSWERS = [{"id": name, "answer": text} for name, text in always(0).items()]
HEADER = {"format": "anaphor-bench 1", "name": "mine", "pair": "en-de", "kind": "contrapro"}
ITEM = {"id": "lamp", "source": LAMP.source, "variants": LAMP.variants}

SCORES = "score bench.jsonl --maximize --scores in"
LOGS = "score bench.jsonl --scores in"
TRANSLATIONS = "score bench.jsonl --translations in"
CHOICES = "score bench.jsonl --answers in"
OTHER_BENCH = "score in --maximize --scores good"
MAKE = "make contrapro in --output out"
MAKE_WINOMT = "make winomt in --pair en-de --output out"

#: What is done, the command, the content of the file `in`, what is wrong, where.
BROKEN: dict[str, tuple[str, str | bytes | None, str, str]] = {
    # scores
    "the last score is missing": (SCORES, lines_of(*plain().splitlines()[:-1]), "6 scores", "in:7"),
    "a score is surplus": (SCORES, plain() + "-1\n", "8 scores", "in:8"),
    "an empty line": (SCORES, plain().replace("-4.0\n", "\n"), "not a number: ''", "in:4"),
    "NaN": (SCORES, plain().replace("-4.0", "nan"), "not a finite number", "in:4"),
    "a comma in numbers": (SCORES, plain().replace(".", ","), "not a number: '-1,5'", "in:1"),
    "a number for Python alone": (SCORES, plain().replace("-4.0", "-4_0"), "not a number: '-4_0'", "in:4"),
    "two columns": (SCORES, plain().replace("-4.0", "-4.0\t3"), "not a number", "in:4"),
    "no direction": (LOGS, plain(), "all scores are negative", "in"),
    "an empty file": (SCORES, "", "no lines", "in"),
    "a binary file": (SCORES, bytes(range(256)), "NUL byte", "in:1:1"),
    "UTF-16": (SCORES, plain().encode("utf-16"), "UTF-16", "in"),
    "a folder": ("score bench.jsonl --maximize --scores .", None, "cannot be read", "."),
    "no such file": ("score bench.jsonl --maximize --scores nowhere", None, "cannot be read", "nowhere"),
    "broken gzip": ("score bench.jsonl --maximize --scores cut.gz", None, "gzip", "cut.gz"),
    "no name before =": ("score bench.jsonl --maximize --scores =good", None, "no name before", "=good"),
    "a harness's summary": (LOGS, json.dumps({"results": {}}, indent=1), "no known score format", "in:1"),
    "another task": (LOGS, lines_of({"doc": {}, "filtered_resps": []}), "another task", "in:1"),
    "a sample is cut off": (LOGS, lm_eval()[:-20], "not a JSON object", "in:3"),
    "another version": (LOGS, lm_eval().replace(BENCH.hash, "0" * 12), "another version of mine", "in:1"),
    "an item twice": (LOGS, lm_eval() * 2, "tea is scored twice", "in:4"),
    "words for numbers": (LOGS, lm_eval().replace('"-4.0"', '"low"'), "not a number: 'low'", "in:2"),
    "numbers as strings": (LOGS, ctranslate2().replace("1.0", '"1.0"'), "not a list of numbers", "in:1"),
    "no tokens": (LOGS, lines_of({"tokens": [], "log_probs": []}), "log_probs: empty", "in:1"),
    "an error of a server": (LOGS, echo() + lines_of({"error": "busy", "choices": []}), "busy", "in:8"),
    "no log-probabilities": (
        LOGS,
        lines_of({"choices": [{"message": {"content": "x"}, "logprobs": None}]}),
        "no log-probabilities",
        "in:1",
    ),
    "a batch without a variant": (LOGS, batch().replace("tea#1", "tea"), "not ITEM#VARIANT", "in:1"),
    "fairseq without a line": (LOGS, fairseq().replace("H-2\t", "D-2\t"), "no line H-2", "in"),
    "fairseq with a number without end": (
        LOGS,
        fairseq().replace("H-2\t", f"H-{'2' * 5000}\t"),
        "no line H-2",
        "in",
    ),
    # translations
    "a line is missing": (TRANSLATIONS, GERMAN.partition("\n")[2], "2 lines", "in:3"),
    "Latin-1": (TRANSLATIONS, GERMAN.encode("latin-1"), "not valid UTF-8", "in:3:22"),
    "a translation twice": (TRANSLATIONS, lines_of(*ROWS, ROWS[0]), "lamp is translated twice", "in:4"),
    "another key": (TRANSLATIONS, lines_of({"id": "lamp", "text": "Sie."}), "translation: missing", "in:1"),
    "a number for a text": (TRANSLATIONS, lines_of({"id": "lamp", "translation": 7}), "string", "in:1"),
    "a JSON list": (TRANSLATIONS, json.dumps(ROWS), "not a JSON object", "in:1"),
    "no such rule": (f"{TRANSLATIONS} --rule official", GERMAN, "no official rule", "--rule"),
    # choices
    "an answer is missing": (CHOICES, "1\n" * 5, "5 lines", "in:6"),
    "an answer twice": (CHOICES, lines_of(*ANSWERS, ANSWERS[0]), "lamp#0 is answered twice", "in:7"),
    "other prompts": (CHOICES, lines_of({**ANSWERS[0], "seed": 2}), "seed 2, not 1", "in:1"),
    "prompts for answers": (CHOICES, lines_of({"id": "lamp#0", "prompt": "x"}), "answer: missing", "in:1"),
    "no server": ("score bench.jsonl --server localhost --model m", None, "server address", "server"),
    # benches and original files
    "the original file": (OTHER_BENCH, json.dumps([ITEM], indent=1), "this is not a bench file", "in:1"),
    "an id twice": (OTHER_BENCH, lines_of(HEADER, ITEM, ITEM), "has the id of item 1", "in"),
    "a changed item": (OTHER_BENCH, lines_of({**HEADER, "hash": "0" * 12}, ITEM), "header says hash", "in:1"),
    "a misspelt key": (OTHER_BENCH, lines_of(HEADER, {**ITEM, "distanz": 1}), "distanz: unknown", "in:2"),
    "not a pair": (OTHER_BENCH, lines_of({**HEADER, "pair": "German"}, ITEM), "not a language pair", "in:1"),
    "a page for a file": (MAKE, "<html>\n", "not valid JSON", "in:1"),
    "no items": (MAKE, "[]", "no items", "in"),
    "too many files": (
        "make contrapro in in --output out",
        "[]",
        "2 files for contrapro",
        "the files of contrapro",
    ),
    "no pair": ("make winomt in --output out", WINOMT, "which language pair", "--pair"),
    "too many fields": (MAKE_WINOMT, WINOMT.replace("\n", "\tx\n"), "not a WinoMT line", "in:1"),
    "no such folder": ("make winomt in --pair en-de --output no/out", WINOMT, "no folder", "no/out"),
    "an unknown version": ("check winomt in --pair en-de", WINOMT, "not a known version", "in"),
    # doors and context
    "an empty name": ("export bench.jsonl --plain ''", None, "cannot be written", ""),
    "to no folder": ("import bench.jsonl --maximize --scores good --output no/x", None, "no folder", "no/x"),
    "half of a comparison": (
        "context bench.jsonl --maximize --with good --without in",
        "-1\n",
        "1 score",
        "in:2",
    ),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_bench("bench.jsonl", BENCH)
    Path("good").write_text(plain(), encoding="utf-8")
    Path("cut.gz").write_bytes(b"\x1f\x8b\x08\x00")
    return tmp_path


def run(command: str, content: str | bytes | None) -> int:
    if content is not None:
        Path("in").write_bytes(content if isinstance(content, bytes) else content.encode())
    return main(["bench", *(word.replace("''", "") for word in command.split())])


@pytest.mark.filterwarnings("ignore::anaphor.InputWarning")
@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_stops_with_what_where_and_how(
    name: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command, content, what, where = BROKEN[name]
    assert run(command, content) == 1
    *_, error, place, fix = capsys.readouterr().err.splitlines()
    assert error.startswith("error: ")
    assert what in error
    assert place.rstrip() == f"where: {where}".rstrip()
    assert fix.startswith("fix:   ")
    assert not (folder / "out").exists()


FINE: dict[str, tuple[str, str | bytes, str]] = {
    "a byte order mark": (SCORES, "\ufeff" + plain(), "33.3"),
    "Windows line ends": (SCORES, plain().replace("\n", "\r\n"), "33.3"),
    "an empty translation": (TRANSLATIONS, GERMAN.partition("\n")[2] + "\n", "absent"),
    "the source": (TRANSLATIONS, "It still works.\nI saw it.\nDrink it.\n", "3 of 3 lines are the source"),
    "no separator": (f"{TRANSLATIONS} --whole --separator <brk>", GERMAN, "no line has the separator <brk>"),
    "numbers as answers": (
        CHOICES,
        lines_of(*({**one, "answer": int(one["answer"])} for one in ANSWERS)),
        "100.0",
    ),
    "an answer of nothing": (CHOICES, lines_of(*({**one, "answer": None} for one in ANSWERS)), "unreadable"),
}


@pytest.mark.filterwarnings("ignore::anaphor.InputWarning")
@pytest.mark.parametrize("name", FINE)
def test_what_can_be_read_is_read(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command, content, told = FINE[name]
    assert run(command, content) == 0
    assert told in capsys.readouterr().out


def test_a_reader_that_goes_away_and_an_old_locale(folder: Path) -> None:
    """A closed pipe is no error, and the C locale does not harm letters beyond ASCII."""
    command = [sys.executable, "-m", "anaphor", "bench", "score", "bench.jsonl", "--maximize"]
    command += ["--scores", "good", "--examples", "3"]
    environment = {**os.environ, "LC_ALL": "C", "LANG": "C"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as gone:
        assert gone.stdout is not None
        assert gone.stderr is not None
        gone.stdout.close()
        assert gone.stderr.read() == b""
    translations = [*command[:6], "--translations", "good.de", "--examples", "3"]
    (folder / "good.de").write_text(GERMAN.replace("Sie", "Er für"), encoding="utf-8")
    found = subprocess.run(translations, capture_output=True, env=environment, check=True).stdout
    assert "Er für" in found.decode("utf-8")
