"""Readers of the public sets of ambiguous gender: WinoMT, MT-GenEval and GATE."""

from __future__ import annotations

import csv
import re
import warnings
from collections.abc import Sequence
from dataclasses import replace

from anaphor.bench.items import BenchItem
from anaphor.bench.original_files import AGAIN, Items, parts, same_length, splitter
from anaphor.core import InputError, InputWarning, LanguagePair, Span, Where
from anaphor.core.records import whole_number
from anaphor.core.table import counted
from anaphor.corpus import Text, read_text
from anaphor.languages import fold

_WORD = re.compile(r"\w+")
_ARTICLES = ("the", "a", "an")


def winomt(paths: Sequence[str], _pair: LanguagePair) -> Items:
    """`en.txt`, `en_pro.txt` or `en_anti.txt` of WinoMT: gender, index of the word, sentence, entity."""
    text = read_text(paths[0])
    for number, line in enumerate(text.lines):
        cells = line.split("\t")
        words = cells[2].split(" ") if len(cells) == 4 else []
        index = whole_number(cells[1]) if len(cells) == 4 else None
        if cells[0] not in ("male", "female", "neutral") or index is None or index >= len(words):
            what = "not a WinoMT line: gender, word index, sentence and entity, separated by tabs"
            raise InputError(what, where=Where(text.path, number + 1), fix=AGAIN)
        # The article belongs to the entity: in the target it shows the gender.
        first = index - (index > 0 and words[index - 1].lower() in _ARTICLES)
        start = sum(len(word) + 1 for word in words[:first])
        end = sum(len(word) + 1 for word in words[:index]) + len(words[index].rstrip(".,;:!?"))
        slot = Span(start, end)
        yield BenchItem(
            str(number), (cells[2],), category=cells[0], pronoun=cells[3], slot=slot, antecedent=cells[3]
        )


def mtgeneval_context(paths: Sequence[str], pair: LanguagePair) -> Items:
    """The `2to1` source (`context <sep> sentence`) and the `original` and `flipped` references."""
    source, original, flipped = map(read_text, paths)
    same_length(source, original, flipped)
    for number, (line, right, wrong) in enumerate(
        zip(source.lines, original.lines, flipped.lines, strict=True)
    ):
        yield _gendered(str(number), parts(line, "<sep>"), right, wrong, pair)


def mtgeneval_sentences(paths: Sequence[str], pair: LanguagePair) -> Items:
    """Masculine and feminine source, masculine and feminine reference: two items per line, one group."""
    texts = [read_text(path) for path in paths]
    same_length(*texts)
    sides = ("masculine", "feminine")
    for number, row in enumerate(zip(*(text.lines for text in texts), strict=True)):
        for side, name in enumerate(sides):
            item = _gendered(f"{number}.{name}", (row[side].strip(),), row[2 + side], row[3 - side], pair)
            yield replace(item, category=name, group=str(number))


def gate(paths: Sequence[str], pair: LanguagePair, *, wanted: str) -> Items:
    """`XX_2_variants.tsv` of GATE: the sentence in the `wanted` gender, `f` or `m`, and in the other one.

    Both may be the same text; such an item has one variant.
    """
    text = read_text(paths[0])
    names = _tab_separated(text, 0)
    if missing := [name for name in ("labels", "source", "f", "m") if name not in names]:
        what = f"the heading has no column {' or '.join(missing)}"
        fix = "pass a file XX_2_variants.tsv: the official rule has no other number of variants"
        raise InputError(what, where=Where(text.path, 1), fix=fix)
    same = []
    for number in range(1, len(text)):
        cells = _tab_separated(text, number)
        if len(cells) != len(names):
            what = f"{counted(len(cells), 'field')} in a row, the heading has {len(names)}"
            raise InputError(what, where=Where(text.path, number + 1), fix=AGAIN)
        row = dict(zip(names, (cell.strip() for cell in cells), strict=True))
        labels = tuple(dict.fromkeys(row["labels"].split(";")))
        if blank := [name for name in ("source", "f", "m") if not row[name]] + ["labels"] * ("" in labels):
            raise InputError(f"{blank[0]} is empty", where=Where(text.path, number + 1), fix=AGAIN)
        item = _gendered(str(number), (row["source"],), row[wanted], row["m" if wanted == "f" else "f"], pair)
        if item.variants[0] == item.variants[1]:
            same.append(number + 1)
            item = replace(item, variants=item.variants[:1])
        yield replace(item, labels=labels)
    if same:
        what = f"{counted(len(same), 'row')} with the same text for both genders, first in line {same[0]}"
        warnings.warn(f"{text.path}: {what}: it is right in either", InputWarning, stacklevel=2)


def _tab_separated(text: Text, number: int) -> list[str]:
    """The cells of a line as Python's `csv` reads them, which GATE's script uses: quotation marks enclose."""
    try:
        cells, *rest = csv.reader([f"{text.lines[number]}\n", "end\n"], delimiter="\t")
    except csv.Error as error:
        raise InputError(f"not a row: {error}", where=Where(text.path, number + 1), fix=AGAIN) from error
    if not rest:
        what = "a quotation mark at the start of a field is not closed in its line"
        raise InputError(what, where=Where(text.path, number + 1), fix=AGAIN)
    return cells


def _gendered(name: str, source: Sequence[str], right: str, wrong: str, pair: LanguagePair) -> BenchItem:
    """An item of MT-GenEval; words are the official rule's and, with their hyphens, our tokenizer's."""
    own, other = (
        [fold(word) for word in (*_WORD.findall(text), *splitter(pair.target)(text))]
        for text in (right, wrong)
    )
    return BenchItem(
        name,
        tuple(source),
        variants=(right.strip(), wrong.strip()),
        expected=tuple(word for word in dict.fromkeys(own) if word not in other),
        wrong=tuple(word for word in dict.fromkeys(other) if word not in own),
    )
