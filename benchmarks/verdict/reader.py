"""How well a careful reader finds the antecedents that ParCorFull annotates, counted as the resolver is.

    python benchmarks/verdict/reader.py PARCORFULL [--write]

PARCORFULL is its unpacked `corpus`. The readings of 17 of its documents are in `readings/antecedents.tsv`
(tools/antecedent_readings.py); the readers did not see the annotation.
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

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "tools"))
#: Tools are scripts, not modules of a package.
antecedent_readings: Any = import_module("antecedent_readings")
coreference_data: Any = import_module("coreference_data")
make_resolver: Any = import_module("make_resolver")


def counted(parcorfull: Path) -> Counter[str]:
    """Pronouns that were read, and those where reading and annotation agree."""
    read = {
        one.name: {pronoun.place: pronoun for pronoun in one.pronouns}
        for one in antecedent_readings.documents(antecedent_readings.CHECKED, parcorfull)
    }
    tally: Counter[str] = Counter()
    for document in coreference_data.parcorfull(parcorfull):
        known = read.get(f"{antecedent_readings.CHECKED}-{document.name.replace('/', '-')}")
        if known is None:
            continue
        text = make_resolver.Text(make_resolver.analysed(document.sentences))
        nouns = {(c.sentence, c.position) for row in text.mentions for c in row if c.kind != "pronoun"}
        for one in make_resolver.gold_examples(document, text):
            if one.pronoun not in ("it", "they"):
                continue
            reading = known.get((one.place.sentence, one.place.position))
            label = reading.label if reading is not None else "unclear"
            tally[f"{one.pronoun} function"] += 1
            tally[f"{one.pronoun} function {one.label} as {label}"] += 1
            tally[f"{one.pronoun} function right"] += label == one.label
            if one.label == "entity":
                named = [mention for mention in (reading.before if reading else ()) if not mention.pronoun]
                heads = {
                    place for mention in named for place in make_resolver.head_of(mention, nouns, document)
                }
                tally[f"{one.pronoun} with antecedent"] += 1
                tally[f"{one.pronoun} reader"] += bool(heads & one.heads)
    return tally


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("parcorfull", type=Path)
    parser.add_argument("--write", action="store_true", help="keep results/reader.json")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    tally = counted(options.parcorfull)
    for name, count in sorted(tally.items()):
        print(f"{name}: {count}")
    for pronoun in ("it", "they"):
        for what, of in (("reader", "with antecedent"), ("function right", "function")):
            share = tally[f"{pronoun} {what}"] / tally[f"{pronoun} {of}"]
            print(f"{pronoun} {what}: {100 * share:.1f} %")
    if options.write:
        path = HERE / "results" / "reader.json"
        path.write_text(json.dumps(dict(sorted(tally.items())), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
