"""Post-editing of hand-written documents: errors that should be corrected, and pronouns that should stay.

Usage: python benchmarks/postedit/handwritten.py [--model anaphor-2-small] [--development] [--write] [--show]

`handwritten/PAIR.txt` has a source line and its translation in turn, with an empty line between documents.
`[Es>Er]` is an error and its correction, `[=Es]` a pronoun that is right; `[It opens>They open]` is corrected
only if the verb is. The documents were written before any model was run on them, by the makers of the tool;
README.md says what was changed after those into English had been seen. Settings are chosen on
the documents of `handwritten/development`, and only there.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import warnings
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from anaphor.core.engine import warn_without_native
from anaphor.evaluation.postediting import find_postedit_model
from benchmarks.postedit.run import RESULTS, Asked
from benchmarks.postedit.texts import Translated

FOLDER = Path(__file__).parent / "handwritten"
DEVELOPMENT = FOLDER / "development"
PAIRS = ("en-fr", "en-de", "fr-en", "de-en", "es-en")
THRESHOLDS = (0.5, 0.9)
MARK = re.compile(r"\[(?:=(?P<stays>[^]]+)|(?P<wrong>[^]>]+)>(?P<right>[^]]+))\]")


def documents_of(path: Path) -> tuple[Translated, dict[tuple[int, int], str | None]]:
    """The text as a candidate, and for the place of every mark the correction, None where it is right."""
    source: list[str] = []
    candidate: list[str] = []
    documents: list[str] = []
    marks: dict[tuple[int, int], str | None] = {}
    for number, block in enumerate(path.read_text("utf-8").strip().split("\n\n")):
        lines = block.split("\n")
        for line, other in zip(lines[::2], lines[1::2], strict=True):
            plain, end = "", 0
            for mark in MARK.finditer(other):
                plain += other[end : mark.start()]
                marks[len(candidate), len(plain)] = mark["right"]
                plain += mark["stays"] or mark["wrong"]
                end = mark.end()
            source.append(line)
            candidate.append(plain + other[end:])
            documents.append(str(number))
    name = f"hand-written, {path.stem}"
    return Translated(name, tuple(source), tuple(candidate), (), tuple(documents), pair=path.stem), marks


def rows(path: Path, model_name: str, show: bool) -> list[dict[str, Any]]:
    """Errors corrected, changed to something else and left, and right pronouns changed, by threshold."""
    text, marks = documents_of(path)
    pair = text.pair
    asked = Asked(text, find_postedit_model(model_name, pair=pair))
    errors = {place: right for place, right in marks.items() if right is not None}
    found = []
    for threshold in THRESHOLDS:
        made = {
            (one.occurrence.pronoun.segment, one.occurrence.span.start): one
            for one in asked.proposals(threshold)[0]
        }
        new = {
            place: (one.edit.text if " " in (errors.get(place) or "") else one.new).lower()
            for place, one in made.items()
        }
        found.append(
            {
                "pair": pair,
                "threshold": threshold,
                "errors": len(errors),
                "corrected": sum(new.get(place) == right.lower() for place, right in errors.items()),
                "changed_wrongly": sum(
                    new.get(place, right.lower()) != right.lower() for place, right in errors.items()
                ),
                "controls": len(marks) - len(errors),
                "controls_changed": sum(place in new for place in marks.keys() - errors.keys()),
                "elsewhere": len(new.keys() - marks.keys()),
            }
        )
        if show:
            for place in sorted(marks.keys() | new.keys()):
                print(
                    threshold, text.candidate[place[0]], place[1], marks.get(place), new.get(place), sep="\t"
                )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="anaphor-2-small")
    parser.add_argument("--development", action="store_true", help="the documents to choose settings on")
    parser.add_argument("--write", action="store_true", help="keep the result under results/")
    parser.add_argument("--show", action="store_true", help="also print what was proposed for every pronoun")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    folder = DEVELOPMENT if options.development else FOLDER
    paths = [path for pair in PAIRS if (path := folder / f"{pair}.txt").is_file()]
    report = [row for path in paths for row in rows(path, options.model, options.show)]
    text = json.dumps({"benchmark": "postedit-handwritten", "model": options.model, "rows": report}, indent=1)
    print(text)
    if options.write:
        name = "handwritten-development.json" if options.development else "handwritten.json"
        (RESULTS / name).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    warn_without_native()
    main()
