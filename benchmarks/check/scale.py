"""Time and memory of `anaphor check` on a large file: 100,000 units in two minutes and 500 MB are wanted.

    python benchmarks/check/scale.py --units 100000 --fast

Writes an XLIFF file of short dialogues in scenes of 50 units, put together from the sentences below, of which
two in five have a pronoun that is judged, and checks it in a process of its own. Prints one JSON line with
seconds of processor time and of the clock, and the peak of memory in MB.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SCENE = 50
NOUNS = {
    "lamp": ("Lampe", "f"),
    "key": ("Schlüssel", "m"),
    "boat": ("Boot", "n"),
    "door": ("Tür", "f"),
    "letter": ("Brief", "m"),
    "window": ("Fenster", "n"),
    "map": ("Karte", "f"),
    "table": ("Tisch", "m"),
}
ARTICLES = {"m": "Der", "f": "Die", "n": "Das"}
PRONOUNS = {"m": "Er", "f": "Sie", "n": "Es"}
ADJECTIVES = {
    "old": "alt",
    "small": "klein",
    "heavy": "schwer",
    "new": "neu",
    "green": "grün",
    "lost": "verloren",
}
OTHERS = (
    ("We should go home before the rain starts.", "Wir sollten nach Hause gehen, bevor der Regen anfängt."),
    ("My brother works in the harbour.", "Mein Bruder arbeitet im Hafen."),
    ("Nobody answered.", "Niemand antwortete."),
)


def units(number: int) -> list[tuple[str, str]]:
    """Texts and translations; one translated pronoun in twenty does not agree."""
    draw = random.Random(1)  # noqa: S311
    rows: list[tuple[str, str]] = []
    while len(rows) < number:
        noun, (german, gender) = draw.choice(list(NOUNS.items()))
        adjective, translated = draw.choice(list(ADJECTIVES.items()))
        shown = PRONOUNS[draw.choice("mfn") if draw.random() < 0.05 else gender]
        rows += [
            (f"The {noun} is on the floor.", f"{ARTICLES[gender]} {german} liegt auf dem Boden."),
            (f"It is {adjective}.", f"{shown} ist {translated}."),
            draw.choice(OTHERS),
            (
                f"Did you see that it was {adjective}?",
                f"Hast du gesehen, dass {shown.lower()} {translated} war?",
            ),
            draw.choice(OTHERS),
        ]
    return rows[:number]


def xliff(rows: list[tuple[str, str]]) -> str:
    parts = ['<?xml version="1.0" encoding="UTF-8"?>\n<xliff version="1.2">']
    for start in range(0, len(rows), SCENE):
        parts.append(
            f'<file original="{start}" source-language="en" target-language="de" datatype="x"><body>'
        )
        parts += [
            f'<trans-unit id="{start + at}"><source>{source}</source><target>{target}</target></trans-unit>'
            for at, (source, target) in enumerate(rows[start : start + SCENE])
        ]
        parts.append("</body></file>")
    return "\n".join([*parts, "</xliff>\n"])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--units", type=int, default=100_000)
    parser.add_argument("--fast", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.xlf"
        path.write_text(xliff(units(options.units)), encoding="utf-8")
        command = [
            sys.executable,
            "-m",
            "anaphor",
            "check",
            str(path),
            "--fail-on",
            "none",
            "--format",
            "json",
        ]
        begin = time.monotonic()
        done = subprocess.run(
            command + ["--fast"] * options.fast, check=True, capture_output=True, text=True, encoding="utf-8"
        )
        clock = time.monotonic() - begin
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(
        json.dumps(
            {
                "units": options.units,
                "fast": options.fast,
                "findings": len(json.loads(done.stdout)["findings"]),
                "processor_seconds": round(used.ru_utime + used.ru_stime, 1),
                "seconds": round(clock, 1),
                "peak_mb": round(used.ru_maxrss / 1024),
            }
        )
    )


if __name__ == "__main__":
    main()
