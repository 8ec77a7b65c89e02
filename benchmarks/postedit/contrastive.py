"""Post-editing of contrastive items: are wrong pronouns corrected, and do right ones stay?

Usage: python benchmarks/postedit/contrastive.py [--every 3] [--write]

Every item of ContraPro (English-German), of the large English-French set and of DiscEvalMT, as far as
ANAPHOR_DATA has them, is edited twice: with its right pronoun, and with that of its first wrong variant. What
counts is the first word in which the two differ; *network alone* is without antecedents.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from anaphor.core.engine import warn_without_native
from anaphor.evaluation.postediting import find_postedit_model
from benchmarks.postedit.run import RESULTS, Asked
from benchmarks.postedit.texts import DATA, Translated
from benchmarks.verdict.contrastive import ContrastiveItem, french, german

MODEL = "anaphor-2-small"
THRESHOLDS = (0.5, 0.9)


def discevalmt() -> Iterator[ContrastiveItem]:
    """Its items on anaphora; a semi-correct version counts as right."""
    blocks = json.loads((DATA / "contrastive-bawden-en-fr" / "anaphora.json").read_text(encoding="utf-8"))
    for number, block in enumerate(blocks.values()):
        for pair in block["trg"]:
            right = pair.get("correct") or pair["semi-correct"]
            yield ContrastiveItem(number, tuple(block["src"]), tuple(right), (pair["incorrect"][-1],))


def as_text(name: str, pair: str, items: Sequence[ContrastiveItem]) -> tuple[Translated, list[int]]:
    """Every item with its right line and with a wrong one, and the number of these last lines."""
    source: list[str] = []
    candidate: list[str] = []
    documents: list[str] = []
    tested: list[int] = []
    for number, item in enumerate(items):
        for version, last in enumerate((item.target[-1], item.wrong[0])):
            for line, other in zip(item.source, (*item.target[:-1], last), strict=True):
                if line.strip() and other.strip():
                    source.append(" ".join(line.split()))
                    candidate.append(" ".join(other.split()))
                    documents.append(f"{number}-{version}")
            tested.append(len(source) - 1)
    return Translated(name, tuple(source), tuple(candidate), (), tuple(documents), pair=pair), tested


def rows(name: str, pair: str, items: Sequence[ContrastiveItem]) -> Iterator[dict[str, Any]]:
    text, tested = as_text(name, pair, items)
    asked = Asked(text, find_postedit_model(MODEL, pair=pair))
    given = [line.lower().split() for line in text.candidate]
    triples = [
        (right, wrong, next(n for n, word in enumerate(given[right]) if given[wrong][n : n + 1] != [word]))
        for right, wrong in zip(tested[::2], tested[1::2], strict=True)
    ]
    for alone in (True, False):
        for threshold in THRESHOLDS:
            edited = [line.lower().split() for line in asked.edited(threshold, alone=alone)]
            corrected = sum(edited[wrong][n] == given[right][n] for right, wrong, n in triples)
            left = sum(edited[wrong][n] == given[wrong][n] for _, wrong, n in triples)
            yield {
                "text": name,
                "network alone": alone,
                "threshold": threshold,
                "items": len(items),
                "corrected": corrected,
                "changed_wrongly": len(items) - corrected - left,
                "right_changed": sum(edited[right][n] != given[right][n] for right, _, n in triples),
            }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=3, help="take every Nth item of the two large sets")
    parser.add_argument("--write", action="store_true", help="keep the result under results/")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    report = [
        *rows("ContraPro", "en-de", list(german())[:: options.every]),
        *rows("English-French", "en-fr", list(french())[:: options.every]),
        *rows("DiscEvalMT", "en-fr", list(discevalmt())),
    ]
    content = {"benchmark": "postedit-contrastive", "model": MODEL, "every": options.every, "rows": report}
    text = json.dumps(content, indent=1)
    print(text)
    if options.write:
        (RESULTS / "contrastive.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    warn_without_native()
    main()
