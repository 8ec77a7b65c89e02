"""Fifty annotators at work: how long "save and next" takes, how much the server bears, what memory it needs.

Usage: python benchmarks/annotate/run.py [--seconds 60] [--memory-answers 10000] [--write]
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import http.client
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import psycopg

# A script finds what lies in its own folder; mypy looks from the root of the repository.
if TYPE_CHECKING:
    from benchmarks.annotate.campaign import make_campaign, postgresql
    from benchmarks.annotate.crowd import Annotator, Tally, at_once, at_rate, sign_in
    from benchmarks.annotate.lead import measure_exports, measure_import, measure_lead
    from benchmarks.annotate.table import write_table
else:
    from campaign import make_campaign, postgresql
    from crowd import Annotator, Tally, at_once, at_rate, sign_in
    from lead import measure_exports, measure_import, measure_lead
    from table import write_table

#: Answers a second that are tried one after the other.
RATES = (25, 50, 75, 100, 125, 150, 200, 250, 300, 400)
#: Where the slowest hundredth takes longer than this, a rate is not held.
PATIENCE = 1.0
PORT = 18_473


@dataclass(frozen=True, slots=True)
class Server:
    """`anaphor annotate serve` as a process."""

    process: subprocess.Popen[bytes]

    def megabytes(self) -> float:
        """Memory that is resident now."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
        return int(line.split()[1]) / 1024

    def cpu_seconds(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def served(address: str) -> Iterator[Server]:
    command = [sys.executable, "-m", "anaphor.cli.main", "annotate", "serve", address]
    process = subprocess.Popen([*command, "--port", str(PORT), "--no-open"], stderr=subprocess.DEVNULL)
    try:
        while not _answers():
            assert process.poll() is None, "the server did not start"
            time.sleep(0.1)
        yield Server(process)
    finally:
        process.terminate()
        process.wait()


def _answers() -> bool:
    with contextlib.suppress(OSError):
        connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=5)
        connection.request("GET", "/health")
        return connection.getresponse().status == 200
    return False


def percentile(seconds: Sequence[float], share: float) -> float:
    """In milliseconds, the smallest value that so large a share does not exceed."""
    ordered = sorted(seconds)
    return 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def told(tally: Tally) -> dict[str, Any]:
    times = (
        {f"p{name}_ms": percentile(tally.seconds, share) for name, share in _SHARES} if tally.seconds else {}
    )
    return {"answers": len(tally.seconds), "errors": len(tally.errors), **times}


_SHARES = (("50", 0.5), ("95", 0.95), ("99", 0.99), ("100", 1.0))


def steady(crowd: list[Annotator], server: Server, *, seconds: float, rate: float) -> dict[str, Any]:
    """The load of the promise: everybody answers every two seconds."""
    _run(crowd, at_rate(crowd, rate=rate, seconds=3))  # warm
    before = server.cpu_seconds()
    tally = _run(crowd, at_rate(crowd, rate=rate, seconds=seconds))
    share = (server.cpu_seconds() - before) / seconds
    return {
        "rate": rate,
        "seconds": seconds,
        **told(tally),
        "server_cores": share,
        "first_errors": tally.errors[:3],
    }


def ramp(crowd: list[Annotator], *, seconds: float) -> dict[str, Any]:
    """Higher and higher rates until one is not held: an error, or more than a second for one in a hundred."""
    held, steps = 0.0, []
    for rate in RATES:
        tally = _run(crowd, at_rate(crowd, rate=rate, seconds=seconds))
        found = told(tally)
        steps.append({"rate": rate, **found})
        if tally.errors or found.get("p99_ms", PATIENCE * 2000) > 1000 * PATIENCE:
            break
        held = rate
    return {"held_per_second": held, "steps": steps}


def memory(crowd: list[Annotator], server: Server, *, answers: int, samples: int = 20) -> dict[str, Any]:
    """Memory of the server while everybody answers as fast as they can."""
    start, found, errors = time.perf_counter(), [server.megabytes()], 0
    for _ in range(samples):
        tally = _run(crowd, at_once(crowd, answers=answers // samples))
        errors += len(tally.errors)
        found.append(server.megabytes())
    settled = found[samples // 4 :]
    return {
        "answers": answers,
        "errors": errors,
        "per_second": answers / (time.perf_counter() - start),
        "megabytes": [round(one, 1) for one in found],
        "growth_after_a_quarter": settled[-1] / settled[0] - 1,
    }


def _run(crowd: list[Annotator], work: Coroutine[Any, Any, Tally]) -> Tally:
    """Run the work; connections belong to the loop that opened them, so they end with it."""

    async def closing() -> Tally:
        try:
            return await work
        finally:
            for one in crowd:
                one.close()

    return asyncio.run(closing())


def measure(address: str, options: argparse.Namespace, *, memory_answers: int) -> dict[str, Any]:
    start = time.perf_counter()
    assignments = make_campaign(address, items=options.items, annotators=options.annotators)
    print(f"  campaign of {assignments} assignments made", file=sys.stderr)
    report: dict[str, Any] = {"assignments": assignments, "make_s": time.perf_counter() - start}
    with served(address) as server:
        crowd = sign_in(address, PORT)
        rate = options.annotators / 2
        report["steady"] = steady(crowd, server, seconds=options.seconds, rate=rate)
        print(f"  {report['steady']}", file=sys.stderr)
        report["ramp"] = ramp(crowd, seconds=options.ramp_seconds)
        print(f"  holds {report['ramp']['held_per_second']} a second", file=sys.stderr)
        if memory_answers:
            report["memory"] = memory(crowd, server, answers=memory_answers)
            print(f"  {report['memory']}", file=sys.stderr)
    return report


def measure_leads_side(address: str, options: argparse.Namespace) -> dict[str, Any]:
    """Import, pages, a decision and exports in a campaign in which three people answer every item."""
    assignments = make_campaign(address, items=options.lead_items, annotators=options.annotators, raters=3)
    report: dict[str, Any] = {"assignments": assignments}
    with served(address):
        report["import"] = measure_import(address, PORT)
        print(f"  {report['import']}", file=sys.stderr)
    with served(address) as server:
        report |= measure_lead(address, PORT, server.cpu_seconds)
        print(f"  {report['pages_ms']}", file=sys.stderr)
    report["exports"] = measure_exports(address)
    return report


def keep(report: dict[str, Any], folder: Path) -> None:
    """Write the result and the table of the README; a database that was not measured keeps its figures."""
    target = folder / "results" / "annotate.json"
    target.parent.mkdir(exist_ok=True)
    before = json.loads(target.read_text(encoding="utf-8")) if target.exists() else {}
    whole = {**before, **report}
    target.write_text(json.dumps(whole, indent=2) + "\n", encoding="utf-8")
    write_table(folder / "README.md", whole)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--annotators", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60, help="of the steady load")
    parser.add_argument("--ramp-seconds", type=float, default=4, help="of each rate that is tried")
    parser.add_argument("--memory-answers", type=int, default=10_000, help="0 leaves this part out")
    parser.add_argument("--lead-items", type=int, default=33_480, help="0 leaves the lead's side out")
    parser.add_argument("--only", choices=("sqlite", "postgresql"))
    parser.add_argument("--write", action="store_true", help="keep the result under results/")
    options = parser.parse_args()
    report: dict[str, Any] = {
        "benchmark": "annotate",
        "items": options.items,
        "annotators": options.annotators,
    }
    if options.only != "postgresql":
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / "campaign.db")
            report["sqlite"] = measure(path, options, memory_answers=options.memory_answers)
            if options.lead_items:
                lead_path = str(Path(folder) / "lead.db")
                report["sqlite"]["lead"] = measure_leads_side(lead_path, options)
    if options.only != "sqlite":
        with postgresql() as address:
            # Memory is a matter of the server's code, which is the same: once is enough.
            answers = options.memory_answers if options.only else 0
            report["postgresql"] = (
                measure(address, options, memory_answers=answers) if address else "not installed"
            )
            if address and options.lead_items:
                with psycopg.connect(address, autocommit=True) as connection:
                    connection.execute("CREATE DATABASE lead")
                parts = urlsplit(address)
                other = parts._replace(path="/lead").geturl()
                report["postgresql"]["lead"] = measure_leads_side(other, options)
    report |= {"python": platform.python_version(), "cpus": os.cpu_count()}
    print(json.dumps(report))
    if options.write:
        keep(report, Path(__file__).parent)


if __name__ == "__main__":
    main()
