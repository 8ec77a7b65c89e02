"""APT and AutoPRF beside sacrebleu's BLEU on the same two files, in the same run.

Usage: python benchmarks/score/run.py [--times 10] [--curve] [--write]
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

from anaphor.core.engine import warn_without_native

DATA = Path(os.environ.get("ANAPHOR_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
NEWS = DATA / "news-en-fr-autoprf"
FILES = {
    "source": "pronoun-test.tok.en",
    "reference": "pronoun-test.tok.fr",
    "candidate": "mt-output.fr",
    "reference_links": "pronoun-test.tok.en-fr.alig",
    "candidate_links": "mt-output.en-fr.alig",
}


def enlarge(folder: Path, times: int, *, marked: bool = False) -> int:
    """Write the news set several times over; the number of segments.

    Marked, every line of a text ends in the number of its copy, so that no copy has a line of another.
    """
    segments = 0
    for name, file in FILES.items():
        lines = (NEWS / file).read_text(encoding="utf-8").split("\n")[:4954]
        with (folder / name).open("w", encoding="utf-8") as out:
            for copy in range(times):
                mark = f" {copy}" if marked and "links" not in name else ""
                out.writelines(f"{line}{mark}\n" for line in lines)
        segments = len(lines) * times
    return segments


def ours(folder: Path) -> dict[str, float]:
    from anaphor import Files, LanguagePair, Settings
    from anaphor.corpus import read_inputs
    from anaphor.evaluation.experiment import Experiment
    from anaphor.evaluation.pipeline import evaluate_experiment

    files = Files(
        source=str(folder / "source"),
        references=(str(folder / "reference"),),
        candidates=(("mt", str(folder / "candidate")),),
        reference_alignments=(str(folder / "reference_links"),),
        candidate_alignments=(str(folder / "candidate_links"),),
    )
    settings = Settings(pair="en-fr", tokenized=True, samples=0, outside_links="drop", recognize="list")
    warnings.simplefilter("ignore")
    start = time.perf_counter()
    inputs = read_inputs(files, LanguagePair.parse(settings.pair))
    read = time.perf_counter()
    result = evaluate_experiment(Experiment.of(inputs, settings))
    done = time.perf_counter()
    apt, autoprf = result.systems[0].scores
    return {
        "read_s": read - start,
        "score_s": done - read,
        "apt": apt.value,
        "autoprf": autoprf.value,
        "pronouns": len(result.systems[0].verdicts),
    }


def theirs(folder: Path) -> dict[str, float]:
    import sacrebleu

    start, used = time.perf_counter(), time.process_time()
    texts = [
        (folder / name).read_text(encoding="utf-8").split("\n")[:-1] for name in ("candidate", "reference")
    ]
    read = time.perf_counter()
    bleu = sacrebleu.corpus_bleu(texts[0], [texts[1]], force=True)
    return {
        "read_s": read - start,
        "score_s": time.perf_counter() - read,
        "cpu_s": time.process_time() - used,
        "bleu": bleu.score,
    }


def command(folder: Path, samples: int) -> float:
    """The processor time of the whole command, from the start of Python to the printed table."""
    arguments = [
        "score",
        "-q",
        "-p",
        "en-fr",
        "--tokenized",
        "--recognize",
        "list",
        "--outside-links",
        "drop",
    ]
    arguments += ["-s", "source", "-r", "reference", "-c", "mt=candidate", "--samples", str(samples)]
    arguments += ["--alignment-reference", "reference_links", "--alignment-candidate", "candidate_links"]
    # An installed package is compiled to bytecode once: here by the first run, which is not the fastest.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = str(folder / "bytecode")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    program = [sys.executable, "-m", "anaphor.cli.main", *arguments]
    subprocess.run(program, cwd=folder, env=environment, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(which: str, folder: Path, repeats: int) -> dict[str, float]:
    """The fastest of several runs, each in a process of its own so that memory and caches are its own."""
    runs = []
    for _ in range(repeats):
        command = [sys.executable, __file__, "--worker", which, str(folder)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        runs.append(json.loads(done.stdout))
    return min(runs, key=lambda run: run["score_s"])


def worker(which: str, folder: Path) -> None:
    result = (ours if which == "ours" else theirs)(folder)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(result | {"peak_mb": peak}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=10, help="how often the news set is repeated")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--curve", action="store_true", help="also 20, 50 and 100 times, and marked copies")
    parser.add_argument("--write", action="store_true", help="keep the result under results/")
    parser.add_argument("--worker", nargs=2, metavar=("WHICH", "FOLDER"))
    options = parser.parse_args()
    if options.worker:
        worker(options.worker[0], Path(options.worker[1]))
        return
    if not NEWS.is_dir():
        sys.exit(f"{NEWS} is not there; set ANAPHOR_DATA to the folder that has it")
    report: dict[str, Any] = {"benchmark": "score", "python": sys.version.split()[0], "cpus": os.cpu_count()}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        report["segments"] = enlarge(folder, options.times)
        report["anaphor"] = measure("ours", folder, options.repeats)
        report["sacrebleu"] = measure("theirs", folder, options.repeats)
        report["ratio"] = report["anaphor"]["score_s"] / report["sacrebleu"]["score_s"]
        whole = [sum(report[one][part] for part in ("read_s", "score_s")) for one in ("anaphor", "sacrebleu")]
        report["ratio_with_reading"] = whole[0] / whole[1]
        # What somebody waits for: the whole command with intervals, beside BLEU alone. In turns, for the
        # speed of a machine that others use changes from minute to minute.
        turns = [
            (command(folder, 0), command(folder, 1000), measure("theirs", folder, 1)["cpu_s"])
            for _ in range(max(options.repeats, 2))
        ]
        plain, resampled, rival = map(min, zip(*turns, strict=True))
        report["commands"] = [{"samples": 0, "cpu_s": plain}, {"samples": 1000, "cpu_s": resampled}]
        report["rival_cpu_s"] = rival
        report["ratio_of_command"] = resampled / rival
        if options.curve:
            report["curve"] = []
            for times in (10, 20, 50, 100):
                segments = enlarge(folder, times)
                report["curve"].append({"segments": segments} | measure("ours", folder, 1))
            segments = enlarge(folder, 100, marked=True)
            report["marked"] = {"segments": segments} | measure("ours", folder, 1)
    print(json.dumps(report))
    if options.write:
        target = Path(__file__).parent / "results" / "score.json"
        target.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    warn_without_native()
    main()
