"""Examples as arrays: every line once, in pieces, and every pronoun as numbers that point into the lines.

    python -m tools.detector.pack teacher EXAMPLES... --tokenizer tokenizer.json --output FOLDER
    python -m tools.detector.pack student EXAMPLES... --output FOLDER

EXAMPLES are files of `examples.py` and `real.py`. `lines.npz` has the pieces of all lines, `pronouns.npz` a
row per pronoun. The teacher's ids are those of its own vocabulary, renumbered by `ids.npy`, so that its
embedding can be cut down to the rows in use. The student reads words with what is known of their gender, so
that its lines have tags too.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anaphor.core.learned import learned_folder
from anaphor.predict.detector.large.text import BEFORE, LANGUAGES, TEMPLATE, inside

#: The columns of `pronouns.npz`. Four are numbers of lines: `source` and `context`, the sentence and its
#: translation as given, between their contexts; `origin` and `current`, the same two as they are read, with
#: an error if one was made. `before` and `after` count lines of context. `sa` and `sb`, `ta` and `tb` are the
#: pieces of the pronoun and of its rendering, -1 where there is none. `y` is the label.
FIELDS = (
    "source", "context", "current", "before", "sa", "sb", "ta", "tb",
    "y", "language", "kind", "set", "origin", "after", "form",
)  # fmt: skip
#: What stands for "nobody knows" among the labels.
UNKNOWN = -1
#: The form of a subject that is dropped.
NULL = "∅"
KINDS = ("pronoun", "null subject", "noun", "adverb", "other", "nothing", "untranslated")
#: Lines of context: those of the teacher are cut again where its text is too long.
TEACHER_REACH, STUDENT_REACH = BEFORE, 3
#: The one set whose texts come in tokens, divided by spaces.
_SPLIT = "judged-news-en-fr"


class Lines:
    """Lines of numbers; pronouns point to them by their order."""

    def __init__(self) -> None:
        self.parts: list[Sequence[int]] = []
        self.tags: list[Sequence[int]] = []

    def add(self, numbers: Sequence[int], tags: Sequence[int] = ()) -> int:
        """The number of the new line."""
        self.parts.append(numbers)
        self.tags.append(tags)
        return len(self.parts) - 1


def records(paths: Sequence[Path]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The documents of files of examples, each with the name of its file."""
    for path in paths:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for line in file:
                yield path.name.removesuffix(".jsonl.gz"), json.loads(line)


def needed(record: dict[str, Any], before: int) -> tuple[int, int]:
    """The first line of a document that is read, and one past the last: its contexts and pronouns."""
    rows = [row["l"] for row in record["pronouns"]]
    return max(0, min(rows) - before), max(rows) + 1


def pack_teacher(paths: Sequence[Path], *, tokenizer: Path, output: Path) -> None:
    """Lines by the tokenizer of a base model; spans by characters."""
    from tokenizers import Tokenizer

    known = Tokenizer.from_file(str(tokenizer))

    def encoded_lines(texts: Sequence[str]) -> list[tuple[list[int], list[tuple[int, int]]]]:
        found = known.encode_batch(list(texts), add_special_tokens=False)
        return [(one.ids, one.offsets) for one in found]

    lines = Lines()
    rows: list[tuple[int, ...]] = []
    names: list[str] = []
    sets: dict[str, int] = {}
    # The first lines are what stands around the text.
    for ids, _ in encoded_lines(TEMPLATE):
        lines.add(ids)
    for name, record in records(paths):
        first, last = needed(record, TEACHER_REACH)
        source, target = record["source"][first:last], record["target"][first:last]
        changed = [row["new"] for row in record["pronouns"] if "new" in row]
        encoded = encoded_lines([*source, *target, *changed])
        index = [lines.add(ids) for ids, _ in encoded]
        size, edits = last - first, 0
        number = sets.setdefault(name, len(sets))
        for row in record["pronouns"]:
            at = row["l"] - first
            current = size + at
            if "new" in row:
                current, edits = 2 * size + edits, edits + 1
            sa, sb = inside(encoded[at][1], [row["s"]])
            ta, tb = inside(encoded[current][1], row["t"])
            if sa < 0:
                continue
            rows.append(
                (
                    index[at], index[size + at], index[current], min(at, TEACHER_REACH), sa, sb, ta, tb,
                    row.get("y", UNKNOWN), LANGUAGES.index(record["language"]), KINDS.index(row["kind"]),
                    number, index[at], 0, 0,
                )
            )  # fmt: skip
            names.append(f"{record['name']}:{row['l']}:{row['sp']}:{row.get('what', '')}")
    save(output, lines, rows, names, sets, renumber=True)


def pack_student(paths: Sequence[Path], *, output: Path) -> None:
    """Lines by the pieces of the networks; spans by tokens."""
    from anaphor.core import Alignment, LanguagePair
    from anaphor.languages import Tokenizer as Splitter
    from anaphor.languages import load_pair
    from anaphor.predict.anaphor2.subwords import Subwords
    from anaphor.predict.detector.windows import LineEncoder

    networks = learned_folder("predict/models/anaphor-2-small") / "networks.json"
    subwords = Subwords(json.loads(networks.read_text(encoding="utf-8"))["pieces"])
    readers = {}
    for language in LANGUAGES:
        pack = load_pair(LanguagePair.parse(f"en-{language}"))
        readers[language] = Splitter(pack.source), Splitter(pack.target), LineEncoder(subwords, pack.pair)

    def both(
        language: str, texts: tuple[str, str], links: Sequence[int], *, is_split: bool
    ) -> tuple[Any, Any]:
        *splitters, encoder = readers[language]
        source, target = (
            text.split() if is_split else splitter.words(text)
            for text, splitter in zip(texts, splitters, strict=True)
        )
        return encoder.lines(source, target, Alignment(tuple(links[::2]), tuple(links[1::2])))

    lines = Lines()
    rows: list[tuple[int, ...]] = []
    names: list[str] = []
    sets: dict[str, int] = {}
    forms: dict[str, int] = {}
    for name, record in records(paths):
        read = partial(both, record["language"], is_split=name == _SPLIT)
        first, last = needed(record, STUDENT_REACH)
        last = min(last + 1, len(record["source"]))
        parts = (record[part][first:last] for part in ("source", "target", "links"))
        pairs = [read((one, other), links) for one, other, links in zip(*parts, strict=True)]
        source = [lines.add(one.pieces, one.tags) for one, _ in pairs]
        target = [lines.add(two.pieces, two.tags) for _, two in pairs]
        number = sets.setdefault(name, len(sets))
        for row in record["pronouns"]:
            at = row["l"] - first
            (one, two), origin, current = pairs[at], source[at], target[at]
            if row["sp"] + 1 >= len(one.starts):
                continue
            if "new" in row:
                # What is linked to the changed line shows on the source side too.
                one, two = read((record["source"][row["l"]], row["new"]), row["links"])
                origin, current = lines.add(one.pieces, one.tags), lines.add(two.pieces, two.tags)
            if any(p + 1 >= len(two.starts) for p in row["tp"]):
                continue
            span = (two.starts[row["tp"][0]], two.starts[row["tp"][0] + 1]) if row["tp"] else (-1, -1)
            form = {"null subject": NULL, "pronoun": row["form"]}.get(row["kind"], "")
            form_number = forms.setdefault(f"{record['language']} {form}", len(forms))
            rows.append(
                (
                    source[at], target[at], current, at, one.starts[row["sp"]], one.starts[row["sp"] + 1],
                    *span, row.get("y", UNKNOWN), LANGUAGES.index(record["language"]),
                    KINDS.index(row["kind"]), number, origin, int(at + 1 < len(pairs)), form_number,
                )
            )  # fmt: skip
            names.append(f"{record['name']}:{row['l']}:{row['sp']}:{row.get('what', '')}")
    save(output, lines, rows, names, sets, renumber=False)
    (output / "forms.json").write_text(json.dumps(forms, ensure_ascii=False) + "\n", encoding="utf-8")


def save(
    folder: Path,
    lines: Lines,
    rows: Sequence[Sequence[int]],
    names: Sequence[str],
    sets: dict[str, int],
    *,
    renumber: bool,
) -> None:
    """Writes the arrays; with `renumber` pieces count among the ids in use, else lines have tags."""
    folder.mkdir(parents=True, exist_ok=True)
    starts = np.concatenate([[0], np.cumsum([len(one) for one in lines.parts])]).astype(np.uint32)
    flat: NDArray[Any] = np.fromiter(
        (n for one in lines.parts for n in one), dtype=np.uint32, count=int(starts[-1])
    )
    arrays: dict[str, Any] = {"lengths": np.diff(starts).astype(np.uint16)}
    if renumber:
        ids, flat = np.unique(flat, return_inverse=True)
        print(len(ids), "ids in use")
        np.save(folder / "ids.npy", ids.astype(np.uint32))
    else:
        arrays["tags"] = np.fromiter((n for one in lines.tags for n in one), dtype=np.uint8, count=len(flat))
    arrays["pieces"] = flat.astype(np.uint16 if flat.max() < 65536 else np.uint32)
    np.savez(folder / "lines.npz", **arrays)
    table = np.array(rows, dtype=np.int32)
    columns: dict[str, Any] = {name: table[:, n] for n, name in enumerate(FIELDS)}
    np.savez(folder / "pronouns.npz", **columns)
    (folder / "names.txt").write_text("\n".join(names) + "\n", encoding="utf-8")
    (folder / "sets.json").write_text(json.dumps(sets) + "\n", encoding="utf-8")
    print(len(rows), "pronouns,", len(lines.parts), "lines,", len(flat), "pieces")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("reader", choices=("teacher", "student"), help="the network that will read them")
    parser.add_argument("examples", type=Path, nargs="+", help="files of examples")
    parser.add_argument(
        "--tokenizer", type=Path, help="the tokenizer.json of the base model; for the teacher"
    )
    parser.add_argument("--output", type=Path, required=True, help="folder for the arrays")
    options = parser.parse_args()
    if options.reader == "student":
        pack_student(options.examples, output=options.output)
    elif options.tokenizer is None:
        parser.error("the teacher needs --tokenizer, the tokenizer.json of its base model")
    else:
        pack_teacher(options.examples, tokenizer=options.tokenizer, output=options.output)


if __name__ == "__main__":
    main()
