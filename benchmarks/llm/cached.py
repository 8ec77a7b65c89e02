"""Time and memory of questions whose answers are all in the cache.

    python benchmarks/llm/cached.py --write

For 2,500 and 10,000 questions, two things run in processes of their own: `answers`, which asks all prompts in
order and keeps nothing, and `bench`, the command `anaphor bench score --server` with two questions per item.
The server's address has no server, so that a question without a cached answer ends the run. `base` is the
peak memory of the same process before the first question.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from anaphor.bench import write_bench
from anaphor.bench.choice import choice_queries
from anaphor.bench.items import Bench, BenchItem
from anaphor.cli.main import main as command
from anaphor.core import LanguagePair
from anaphor.predict.server.asking import answers_in_order
from anaphor.predict.server.client import CompletionClient, Query, ServerOptions

RESULTS = Path(__file__).parent / "results" / "cached.json"
SIZES = (2_500, 10_000)
RUNS = ("answers", "bench")
ADDRESS, MODEL = "http://127.0.0.1:9/v1", "tiny"
_REPLY = {
    "choices": [{"message": {"content": "1"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 300, "completion_tokens": 1},
}
#: A kilobyte of text before the sentence in question, as in a prompt with context.
_CONTEXT = "The lamp stood on the table by the window, and nobody had lit it since the winter. " * 12


def bench_of(questions: int) -> Bench:
    """A set with half as many items as questions."""
    items = [
        BenchItem(
            f"item {number}",
            (_CONTEXT, f"It is number {number}."),
            variants=(f"Sie ist Nummer {number}.", f"Er ist Nummer {number}.", f"Es ist Nummer {number}."),
        )
        for number in range(questions // 2)
    ]
    return Bench("cached", LanguagePair("en", "de"), "disceval", tuple(items))


def options_of(folder: Path) -> ServerOptions:
    return ServerOptions(server=ADDRESS, model=MODEL, cache=str(folder / "answers"))


def peak_mb() -> float:
    kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return kilobytes / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def prompts_of(questions: int) -> Iterator[Query]:
    """The prompts of the bench, written one at a time."""
    for number in range(questions):
        yield Query(f"{_CONTEXT * 2}\n\nWhich is number {number}?\n\n1) one\n2) the other", choices=2)


def store(folder: Path) -> dict[str, Any]:
    """Put an answer to every question into the cache, and write the sets."""
    client, reply = CompletionClient(options_of(folder)), json.dumps(_REPLY).encode()
    for query in (*prompts_of(max(SIZES)), *choice_queries(bench_of(max(SIZES)))):
        client.store(query, reply)
    for questions in SIZES:
        write_bench(folder / f"{questions}.jsonl", bench_of(questions))
    return {}


def run(what: str, folder: Path, questions: int) -> dict[str, Any]:
    """Ask all questions in this process."""
    if what == "store":
        return store(folder)
    path = folder / f"{questions}.jsonl"
    base, began, used = peak_mb(), time.perf_counter(), time.process_time()
    if what == "answers":
        asked = answers_in_order(options_of(folder), prompts_of(questions))
        assert sum(answer.text == "1" for _, answer in asked) == questions
    else:
        given = ["bench", "score", str(path), "--server", ADDRESS, "--model", MODEL]
        with redirect_stdout(StringIO()):
            assert command([*given, "--cache", str(folder / "answers"), "--quiet"]) == 0
    return {
        "seconds": round(time.perf_counter() - began, 2),
        "cpu seconds": round(time.process_time() - used, 2),
        "base MB": round(base),
        "peak MB": round(peak_mb()),
    }


def _in_process(what: str, folder: str, questions: int) -> Any:
    arguments = [sys.executable, __file__, "--one", what, folder, str(questions)]
    return json.loads(subprocess.run(arguments, stdout=subprocess.PIPE, check=True, text=True).stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description="Time and memory of questions answered by the cache.")
    parser.add_argument("--write", action="store_true", help=f"write {RESULTS.name}")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        what, folder, questions = options.one
        print(json.dumps(run(what, Path(folder), int(questions))))
        return
    results: dict[str, dict[str, Any]] = {what: {} for what in RUNS}
    with TemporaryDirectory() as folder:
        # In a process of its own, too: a new process begins with the peak of the one that starts it.
        _in_process("store", folder, 0)
        for what in RUNS:
            for questions in SIZES:
                results[what][str(questions)] = figures = _in_process(what, folder, questions)
                print(what, questions, figures, flush=True)
    if options.write:
        RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
