"""Make the list of what English nouns name, from WordNet.

    python tools/make_senses.py --wordnet FOLDER --words FILE OUTPUT

FOLDER holds `data.noun` and `index.noun` of WordNet 3.0. The first sense of every noun is the most
frequent one, and the lexicographer's file it lies in says what it names: a person, an animal, a group, an
artifact and so on. FILE is a list of lemmas, one a line: nouns that are not in it are left out, because most
are very rare.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from anaphor.files.writing import write_atomically

#: The lexicographer's files of nouns, in the order of their numbers from 3.
KINDS = """
top act animal artifact attribute body cognition communication event feeling food group location motive object
person phenomenon plant possession process quantity relation shape state substance time"""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--wordnet", type=Path, required=True)
    parser.add_argument("--words", type=Path, required=True)
    parser.add_argument("output", type=Path)
    options = parser.parse_args()
    kinds: dict[str, str] = {}
    for line in (options.wordnet / "data.noun").read_text(encoding="latin-1").split("\n"):
        if line and line[0] != " ":
            offset, number, _ = line.split(" ", 2)
            kinds[offset] = KINDS.split()[int(number) - 3]
    known = set(options.words.read_text(encoding="utf-8").split())
    found: dict[str, list[str]] = {}
    for line in (options.wordnet / "index.noun").read_text(encoding="latin-1").split("\n"):
        if line and line[0] != " ":
            cells = line.split()
            # The offsets of all senses come last, the most frequent sense first.
            if cells[0] in known:
                found.setdefault(kinds[cells[-int(cells[2])]], []).append(cells[0])
    lines = [f"{kind}\t{' '.join(sorted(nouns))}\n" for kind, nouns in sorted(found.items())]
    head = "# What English nouns name, by WordNet 3.0 (see LICENSE), made by tools/make_senses.py.\n"
    write_atomically(options.output, head + "".join(lines))


if __name__ == "__main__":
    main()
