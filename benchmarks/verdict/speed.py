"""How many pronouns `accept` judges in a second, and how its memory grows with the length of a document.

    python benchmarks/verdict/speed.py [--write]
    python benchmarks/verdict/speed.py --news 49540 [--write]

The texts of the demo are repeated into one document of 2,500 and of 10,000 lines, each in its own process.
Alignments are given, so that only finding pronouns, detecting and judging are timed: with and without the
detector.

`--news` takes so many segments of the news set of benchmarks/score instead, repeated if need be, and measures
the processor time of the command by part: the command without networks, and what each network adds.
`tools/plain.py` in front measures the models of the plain installation.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import redirect_stdout
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from anaphor import demo
from anaphor.core import LanguagePair, Settings
from anaphor.corpus import AlignmentFile, Inputs, Text, read_inputs
from anaphor.corpus.alignments import parse_pharaoh
from anaphor.evaluation.experiment import Experiment
from anaphor.evaluation.pipeline import evaluate_experiment

HERE = Path(__file__).parent
LINES = (2_500, 10_000)
DATA = Path(os.environ.get("ANAPHOR_DATA", HERE.parents[2] / "shared" / "data"))
#: The lines of the news set; its candidate has one more link line than text.
NEWS_LINES = 4_954
NETWORKS = ("detector", "pointer")


def one_document(lines: int) -> Inputs:
    """The first system of the demo, repeated."""
    files = demo.files(alignments=True)
    given = read_inputs(files, LanguagePair.parse(demo.WITH_REFERENCE.pair))
    name, text = next(iter(given.candidates.items()))
    links = Path(files.candidate_alignments[0]).read_text(encoding="utf-8").splitlines()
    repeated = "\n".join(islice(cycle(links), lines)) + "\n"
    alignment = AlignmentFile.of(parse_pharaoh(repeated.encode(), path="links"), path="links")
    return Inputs(
        source=Text.of(list(islice(cycle(given.source.lines), lines)), path="source"),
        references=(),
        candidates={name: Text.of(list(islice(cycle(text.lines), lines)), path=name)},
        candidate_alignments={name: alignment},
        documents=("one",) * lines,
    )


def measure(lines: int, detector: str) -> dict[str, Any]:
    inputs = one_document(lines)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    settings = Settings(
        pair="en-fr",
        metrics=("accept",),
        samples=0,
        options={"accept_detector": detector},
    )
    wall, cpu = time.perf_counter(), time.process_time()
    result = evaluate_experiment(Experiment.of(inputs, settings))
    seconds, cpu = time.perf_counter() - wall, time.process_time() - cpu
    pronouns = len(result.systems[0].verdicts)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "lines": lines,
        "detector": detector,
        "pronouns": pronouns,
        "per second": round(pronouns / seconds),
        "per second of processor": round(pronouns / cpu),
        "peak MB": round(peak / 1024),
        "more than the texts MB": round((peak - before) / 1024),
    }


def run_command(arguments: list[str]) -> None:
    """Run `anaphor` in this process without its tables."""
    from anaphor.cli.main import main as anaphor

    with Path(os.devnull).open("w", encoding="utf-8") as nowhere, redirect_stdout(nowhere):
        code = anaphor(arguments)
    sys.exit(code)


def news(segments: int) -> dict[str, Any]:
    """The processor time of `anaphor score --metrics accept` by part, without the start of Python."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, short in (
            ("pronoun-test.tok.en", "source"),
            ("mt-output.fr", "mt"),
            ("mt-output.en-fr.alig", "links"),
        ):
            lines = (DATA / "news-en-fr-autoprf" / file).read_text(encoding="utf-8").split("\n")[:NEWS_LINES]
            text = "".join(f"{line}\n" for line in islice(cycle(lines), segments))
            (folder / short).write_text(text, encoding="utf-8")
        files = [f"--source={folder / 'source'}", "-c", f"mt={folder / 'mt'}"]
        command = ["score", "-q", "-p", "en-fr", "--tokenized", "--outside-links", "drop", *files]
        command += ["--alignment-candidate", str(folder / "links"), "--metrics", "accept", "--samples", "0"]
        seconds = {}
        for used in ("none", *NETWORKS, "all"):
            options = [
                word
                for network in NETWORKS
                for word in (f"--accept-{network}", "use" if used in (network, "all") else "ignore")
            ]
            # A process of its own, so that no part finds what another has loaded.
            child = multiprocessing.get_context("fork").Process(
                target=run_command, args=([*command, *options],)
            )
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            child.start()
            child.join()
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            if child.exitcode:
                sys.exit(f"the command failed with {used}")
            seconds[used] = round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 2)
    parts = {network: round(seconds[network] - seconds["none"], 2) for network in NETWORKS}
    return {"segments": segments, "cpus": os.cpu_count(), "processor seconds": seconds, "added by": parts}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--news", type=int, metavar="SEGMENTS")
    parser.add_argument("--one", nargs=2, metavar=("LINES", "DETECTOR"))
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(int(options.one[0]), options.one[1])))
        return
    if options.news:
        result = news(options.news)
        print(json.dumps(result))
        if options.write:
            path = HERE / "results" / "speed-news.json"
            path.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
        return
    rows = []
    for detector in ("ignore", "use"):
        for lines in LINES:
            command = [sys.executable, __file__, "--one", str(lines), detector]
            rows.append(
                json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            )
            print(rows[-1])
    if options.write:
        path = HERE / "results" / "speed.json"
        path.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
