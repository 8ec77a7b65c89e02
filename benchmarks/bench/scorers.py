"""Our predictor and our metrics on contrastive items.

    python benchmarks/bench/scorers.py [--generated] [--write]

Every fourth group of ContraPro (one sentence of context) and every fourth pair of the English-French set
(three sentences), as far as ANAPHOR_DATA has them. French items that share their sentence with SCAT are left
out, and so are even items, on which coefficients of `accept` were chosen. `--generated`: metrics that compare
with a reference, APT and AutoPRF, on what PECoRe's six models translate of DiscEvalMT, with and without
context. `--write` keeps the figures in results/ and in README.md.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tarfile
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

import anaphor
from anaphor.bench import judge_translations, make_from_files
from anaphor.bench.context import evaluate_context
from anaphor.bench.items import Bench, BenchItem, BenchOutcome
from anaphor.bench.predictor import predictor_scores
from anaphor.bench.result import BenchResult
from anaphor.bench.scores import VariantScores, evaluate_scores, scores_of
from anaphor.core import InputWarning, LanguagePair
from anaphor.predict.shipped import find_model
from benchmarks.bench.references import DATA, write_table
from benchmarks.verdict.contrastive import ContrastiveItem, french, german, judged_variants

HERE = Path(__file__).parent
MODEL = "anaphor-2-small"


def bench_of(name: str, pair: str, items: Sequence[ContrastiveItem]) -> Bench:
    found = [
        BenchItem(str(one.group), one.source, context=one.target[:-1], variants=(one.target[-1], *one.wrong))
        for one in items
    ]
    return Bench(name, LanguagePair.parse(pair), "contrapro", tuple(found))


def accept_scores(bench: Bench, items: Sequence[ContrastiveItem]) -> VariantScores:
    """The values of `accept` without a reference; an item that it leaves open gets zeros, which is a tie."""
    values = {}
    for item, variants in zip(bench.items, judged_variants(str(bench.pair), items), strict=True):
        known = [
            value
            for one in variants
            if one.verdicts["accept"] != "open" and (value := one.scores["accept"]) is not None
        ]
        complete = len(known) == len(item.variants)
        values[item.id] = known if complete else [0.0] * len(item.variants)
    return scores_of(bench, values, higher_is_better=True, path="accept")


def measure(name: str, pair: str, items: Sequence[ContrastiveItem]) -> dict[str, Any]:
    bench, model = bench_of(name, pair, items), find_model(MODEL, pair=pair, forms=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        scores = {
            "with": predictor_scores(bench, model),
            "without": predictor_scores(bench, model, context=False),
        }
    context = evaluate_context(evaluate_scores(bench, scores))
    (total,) = context.parts["total"]
    return {
        "pair": pair,
        "items": len(bench.items),
        "hash": bench.hash,
        "chance": round(sum(1 / len(item.variants) for item in bench.items) / len(bench.items), 3),
        f"{MODEL} with context": figures(context.result, "with"),
        f"{MODEL} without context": figures(context.result, "without"),
        "won by context": total.won,
        "lost by context": total.lost,
        "p": total.p_value,
        "accept": figures(evaluate_scores(bench, {"accept": accept_scores(bench, items)}), "accept"),
    }


def figures(result: BenchResult, system: str) -> dict[str, Any]:
    (found,) = (one for one in result.scores if one.system == system)
    ties = found.counts[BenchOutcome.TIE]
    judged = found.total.items - ties
    return {
        "right of all": round(found.total.accuracy, 3),
        "interval": [round(found.total.interval.low, 3), round(found.total.interval.high, 3)],
        "left open": round(ties / found.total.items, 3),
        "right of what is judged": round(found.total.right / max(1, judged), 3),
    }


def table(sets: Mapping[str, Mapping[str, Any]]) -> list[str]:
    rows = [
        "| set | items | scorer | right of all | left open | right of what is judged |",
        "|---|---|---|---|---|---|",
    ]
    for name, one in sets.items():
        rows.append(f"| {name} | {one['items']} | chance | {100 * one['chance']:.1f} | | |")
        for scorer in (f"{MODEL} with context", f"{MODEL} without context", "accept"):
            found = one[scorer]
            low, high = (100 * value for value in found["interval"])
            rows.append(
                f"| | | {scorer} | {100 * found['right of all']:.1f} [{low:.1f}, {high:.1f}] "
                f"| {100 * found['left open']:.1f} | {100 * found['right of what is judged']:.1f} |"
            )
    return rows


def generated() -> dict[str, dict[str, float]]:
    """Accuracies on DiscEvalMT, and metrics with its correct variants as the reference, by output."""
    bench = make_from_files("disceval-anaphora", [DATA / "contrastive-bawden-en-fr" / "anaphora.json"])
    outputs = {}
    (archive,) = (DATA / "pecore-en-fr").glob("*.tar.gz")
    with tarfile.open(archive) as files:
        for name in sorted(files.getnames()):
            found = re.search(r"/(no_)?ctx/disc_eval_mt-anaphora-(.*-scat(-target)?)(-noctx)?\.txt$", name)
            if found and (member := files.extractfile(name)):
                lines = member.read().decode("utf-8").split("\n")[:-1]
                system = f"{found[2]}, {'without' if found[1] else 'with'} context"
                outputs[system] = [line.rpartition("<brk>")[2].strip() for line in lines]
    metrics = anaphor.evaluate(
        source=[item.source[-1] for item in bench.items],
        references=[item.variants[0] for item in bench.items],
        systems=outputs,
        pair="en-fr",
        metrics=["apt", "autoprf"],
        samples=0,
    )
    sets = {}
    for system, lines in outputs.items():
        judged = judge_translations(bench, lines).outcomes
        shares = {rule: found.count(BenchOutcome.RIGHT) / len(found) for rule, found in judged.items()}
        sets[system] = {
            name: round(100 * value, 1) for name, value in {**shares, **metrics.scores[system]}.items()
        }
    return sets


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="keep the figures")
    parser.add_argument("--generated", action="store_true", help="metrics with a reference, on translations")
    options = parser.parse_args()
    if options.generated:
        found = generated()
        columns = ("official", "linked", "apt", "autoprf")
        rows = [
            "| output | right, official | right, linked | APT | AutoPRF |",
            "|---|---|---|---|---|",
            *(f"| {name} | {' | '.join(str(one[key]) for key in columns)} |" for name, one in found.items()),
        ]
        print("\n".join(rows))
        linked, apt = ([one[key] for one in found.values()] for key in ("linked", "apt"))
        print(f"Pearson's r of accuracy (linked) and APT: {np.corrcoef(linked, apt)[0, 1]:.2f}")
        if options.write:
            write_table("scorers.py --generated", rows)
        return
    readers = {
        "ContraPro, odd groups of a quarter": ("en-de", german),
        "English–French, likewise": ("en-fr", french),
    }
    sets = {
        name: measure(name, pair, [item for item in read() if item.group % 2])
        for name, (pair, read) in readers.items()
    }
    print(json.dumps(sets, indent=2, ensure_ascii=False))
    if options.write:
        content = json.dumps(sets, indent=2, ensure_ascii=False) + "\n"
        (HERE / "results" / "scorers.json").write_text(content, encoding="utf-8")
        write_table("scorers.py", table(sets))


if __name__ == "__main__":
    main()
