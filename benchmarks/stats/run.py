"""10,000 paired resamples of ten systems: intervals, paired bootstrap and permutation of one metric.

Usage: python benchmarks/stats/run.py [--write]
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import time
from pathlib import Path

import numpy as np

from anaphor.core import LanguagePair
from anaphor.languages import load_pair
from anaphor.metrics.apt import Apt
from anaphor.stats import bootstrap, compare, resampled_scores

SYSTEMS, CLUSTERS, SAMPLES = 10, 5000, 10_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="keep the result under results/")
    options = parser.parse_args()
    metric = Apt(
        load_pair(LanguagePair("en", "fr")),
        weights=(1, 0.5, 0, 0, 0, 0),
        discard=frozenset(),
        other="different",
    )
    rng = np.random.default_rng(1)
    totals = [rng.poisson(0.3, (CLUSTERS, 6)).astype(np.float64) for _ in range(SYSTEMS)]
    start = time.perf_counter()
    resamples = bootstrap(totals, metric.value, samples=SAMPLES, seed=1)
    scores = resampled_scores(totals, metric.value, resamples=resamples)
    for score in scores:
        assert score is not None
        score.interval(level=0.95)
    compare(
        "apt",
        names=[f"system {n}" for n in range(SYSTEMS)],
        totals=totals,
        value=metric.value,
        resampled=scores,
        right=None,
        seed=1,
        level=0.95,
    )
    report = {
        "benchmark": "stats",
        "systems": SYSTEMS,
        "clusters": CLUSTERS,
        "samples": SAMPLES,
        "seconds": time.perf_counter() - start,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "python": sys.version.split()[0],
        "cpus": os.cpu_count(),
    }
    print(json.dumps(report))
    if options.write:
        target = Path(__file__).parent / "results" / "stats.json"
        target.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
