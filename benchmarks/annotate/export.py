"""One export of a campaign in a process that loads no more than the export needs: seconds and memory.

Usage: python benchmarks/annotate/export.py DATABASE FORMAT OUTPUT
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from anaphor.annotate.exchange import export_file
from anaphor.annotate.store.database import open_store


def main(address: str, name: str, path: str) -> None:
    with open_store(address) as store:
        start, worked = time.perf_counter(), time.process_time()
        size = export_file(store, name, path)
        seconds, worked = time.perf_counter() - start, time.process_time() - worked
    # Not `ru_maxrss`, which a process inherits from the one that started it.
    status = Path("/proc/self/status").read_text(encoding="ascii")
    peak = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) / 1024
    print(json.dumps({"seconds": seconds, "processor": worked, "megabytes": peak, "bytes": size}))


if __name__ == "__main__":
    main(*sys.argv[1:])
