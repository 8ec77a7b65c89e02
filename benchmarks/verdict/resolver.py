"""How often does the resolver find the antecedent of *it* and *they*, and where is the loss?

    python benchmarks/verdict/resolver.py SOURCE=FOLDER... [--write]

The sources are those of tools/make_resolver.py; `parcorfull` and `gum` must be among them. Documents of
ParCorFull are measured by cross-validation, with the other sources learned from in every fold; those of GUM's
test part with a model that learned from everything else. A pronoun is resolved as the package does it, chains
of pronouns included, and counts as right if the likeliest noun is the head of a mention in its annotated
chain.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "tools"))
#: Tools are scripts, not modules of a package.
coreference_data: Any = import_module("coreference_data")
make_resolver: Any = import_module("make_resolver")

WAYS = ("resolver", "without chains", "nearest noun", "first noun", "reachable")


def figures(tally: Counter[str]) -> dict[str, Any]:
    """Shares in percent, and where pronouns are lost."""
    found: dict[str, Any] = {}
    for pronoun in ("it", "they"):
        total, functions = tally[f"{pronoun} with antecedent"], tally[f"{pronoun} function"]
        found[pronoun] = {
            "with antecedent": total,
            **{way: round(100 * tally[f"{pronoun} {way}"] / total, 1) for way in WAYS},
            "function": round(100 * tally[f"{pronoun} function right"] / functions, 1),
            "functions": functions,
            "lost": _counts(tally, f"{pronoun} lost: "),
            "functions as": _counts(tally, f"{pronoun} function ", skipped="right"),
        }
    return found


def _counts(tally: Counter[str], start: str, skipped: str = "") -> dict[str, int]:
    names = sorted(name for name in tally if name.startswith(start))
    return {name.removeprefix(start): tally[name] for name in names if name != start + skipped}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sources", nargs="+", metavar="SOURCE=FOLDER")
    parser.add_argument("--write", action="store_true", help="record the figures in results/resolver.json")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    sources = {name: Path(folder) for name, folder in (one.split("=", 1) for one in options.sources)}
    gold = make_resolver.annotated(coreference_data.parcorfull(sources["parcorfull"]))
    lines = [" ".join(one.tokens) for _, sentences in gold for one in sentences if len(one.tokens) > 8]
    other, weights = make_resolver.read_sources(sources, lines)
    tally = make_resolver.cross_validated(gold, other, weights)
    results = {"ParCorFull, cross-validation over 39 documents": figures(tally)}
    own = [one for examples, _ in gold for one in examples]
    importance = np.array([1.0] * len(own) + weights)
    model = make_resolver.learn([*own, *other], importance, make_resolver.ENGLISH_PENALTY)
    results["GUM, test part"] = figures(make_resolver.gum_test(sources["gum"], model))
    results["sources"] = {"parcorfull": len(own), **Counter(one.source for one in other)}
    print(json.dumps(results, indent=1))
    if options.write:
        path = HERE / "results" / "resolver.json"
        path.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
