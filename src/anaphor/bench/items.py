"""A bench: a targeted test set as data, whatever its original format, and its file.

The file has one JSON object per line: a header, then one item per line; docs/bench.md describes the keys.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import MISSING, dataclass, fields
from enum import Enum
from functools import cached_property
from pathlib import Path

from anaphor.core import InputError, LanguagePair, OptionError, Span, Where, digest
from anaphor.core.records import Record
from anaphor.corpus import Text, read_text
from anaphor.files.writing import write_atomically

FORMAT = "anaphor-bench 1"
DOCS = "docs/bench.md"
#: The families of sets. Each has an official rule, by which its authors count an item as right.
KINDS = (
    *("contrapro", "contracat", "ctxpro", "disceval", "scat"),
    *("voita", "winomt", "mtgeneval", "gate", "mzprt", "tvsub", "suite"),
)


class BenchOutcome(Enum):
    """The outcome of one item for a system, in any mode."""

    RIGHT = "right"
    #: A wrong variant or form was preferred.
    WRONG = "wrong"
    #: The best variants have the same score, or right and wrong forms stand in the translation. Not right.
    TIE = "tie"
    #: Neither a right nor a wrong form was found, or no variant was chosen. Not right.
    ABSENT = "absent"
    #: A gender-neutral pronoun is in the place of one with a gender. Not right.
    NEUTRAL = "neutral"
    #: A language model declined to choose. Not right.
    ABSTAINED = "abstained"
    #: The answer of a language model names no variant. Not right.
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class BenchItem:
    """One question of a bench.

    Attributes:
        id: Unique in the bench.
        source: The sentences of the source, the tested one last.
        document: The origin of the item; intervals resample documents. Empty if unknown.
        context: The translations of the source sentences before the tested one, if known. If there are fewer
        than source sentences, they belong to the last ones. variants: Translations of the tested sentence,
        the correct one first. A single one is the reference. contexts: One context for each variant, only if
        they differ. expected: Accepted forms for the slot; the first is that of the reference. wrong: Forms
        that show an error in the slot. pronoun: The tested source word or words; empty if the set does not
        say.
        slot: Their character span in the tested sentence. category: The phenomenon or type, in the words of
        the set. distance: The number of sentences between the antecedent and the tested one; 0 is the same
        sentence. antecedent: The antecedent in the source. group: Items of one group are one block of the
        set. correct_at: The position of the correct variant in the original, since score files keep the
        original order. restored: The tested sentence with the pronouns that the source leaves out, if these
        are tested; then `slot` is a span of it. labels: The phenomena of an item that has several, in the
        words of the set.
    """

    id: str
    source: tuple[str, ...]
    document: str = ""
    context: tuple[str, ...] = ()
    variants: tuple[str, ...] = ()
    contexts: tuple[tuple[str, ...], ...] = ()
    expected: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    pronoun: str = ""
    slot: Span | None = None
    category: str = ""
    distance: int | None = None
    antecedent: str = ""
    group: str = ""
    correct_at: int = 0
    restored: str = ""
    labels: tuple[str, ...] = ()

    def target(self, variant: int) -> tuple[str, ...]:
        """A variant with the preceding sentences, if known."""
        context = self.contexts[variant] if self.contexts else self.context
        return (*context, self.variants[variant])


# Without slots: `hash` is computed once and kept.
@dataclass(frozen=True)
class Bench:
    """A test set.

    Attributes:
        name: The name of the catalogue, or the user's.
        pair: The language pair.
        kind: Its family, one of `KINDS`, which decides the official rule.
        items: The items in the order of the original, which is the order of score and output files.
    """

    name: str
    pair: LanguagePair
    kind: str
    items: tuple[BenchItem, ...]

    @cached_property
    def hash(self) -> str:
        """A digest of the content, the same for equal items under any name."""
        header = f"{self.kind} {self.pair}"
        return digest(line.encode("utf-8") for line in (header, *map(_format_item, self.items)))

    @property
    def contrastive(self) -> bool:
        """Whether every item has a correct and a wrong variant, as scores and choices require."""
        return all(len(item.variants) > 1 for item in self.items)


def make_bench(name: str, pair: LanguagePair, kind: str, items: Iterable[BenchItem], *, path: str) -> Bench:
    """A bench whose ids are checked to be unique; `path` is its name in messages."""
    bench = Bench(name, pair, kind, tuple(items))
    seen: dict[str, int] = {}
    for number, item in enumerate(bench.items, start=1):
        if (first := seen.setdefault(item.id, number)) != number:
            what = f"item {number} has the id of item {first}: {item.id}"
            raise InputError(what, where=path, fix="give every item a different id")
    if not bench.items:
        raise InputError("the bench has no items", where=path, fix="the file must contain at least one item")
    return bench


def read_bench(path: str | Path) -> Bench:
    """Read the file of a bench, `.gz` decompressed."""
    return parse_bench(read_text(path))


def parse_bench(text: Text) -> Bench:
    """A bench from the lines of its file."""
    records = Record.from_json_lines(text.lines, path=text.path, docs=DOCS)
    if f'"{FORMAT}"' not in text.lines[0]:
        fix = (
            f'its first line is {{"format": "{FORMAT}", ...}}; `anaphor bench make` makes one of public files'
        )
        raise InputError("this is not a bench file", where=Where(text.path, 1), fix=fix)
    header = next(records)
    header.allow("format", "name", "pair", "kind", "hash")
    try:
        pair = LanguagePair.parse(header.text("pair"))
    except OptionError as error:
        header.refuse("pair", error.what, fix=error.fix)
    name, kind, given = (
        header.text("name", one_line=True),
        header.choice("kind", KINDS),
        header.text("hash", ""),
    )
    lines = (f"{kind} {pair}", *text.lines[1:])
    # Such lines are as `write_bench` writes them: there is nothing to check, and nothing to format again.
    unchanged = given == digest(line.encode("utf-8") for line in lines)
    items = _unchanged_items(text.lines[1:]) if unchanged else None
    bench = make_bench(name, pair, kind, map(_item, records) if items is None else items, path=text.path)
    if items is not None:
        bench.__dict__["hash"] = given
    elif given and given != bench.hash:
        what = f"the header says hash {given}, the content has {bench.hash}"
        fix = "make the bench again; if you changed items on purpose, delete the key hash"
        raise InputError(what, where=Where(text.path, 1), fix=fix)
    return bench


def write_bench(path: str | Path, bench: Bench) -> None:
    """Write the file of a bench; equal benches give identical bytes."""
    header = {"format": FORMAT, "name": bench.name, "pair": str(bench.pair), "kind": bench.kind}
    lines = [json.dumps(header | {"hash": bench.hash}, ensure_ascii=False), *map(_format_item, bench.items)]
    write_atomically(path, "".join(f"{line}\n" for line in lines))


def _format_item(item: BenchItem) -> str:
    filled = {}
    for name, default in _DEFAULTS.items():
        value = getattr(item, name)
        if default is MISSING or value != default:
            filled[name] = value
    return _ENCODE(filled)


# Made once: sets have thousands of items.
_DEFAULTS = {field.name: field.default for field in fields(BenchItem)}
_ENCODE = json.JSONEncoder(ensure_ascii=False).encode
_DECODE = json.JSONDecoder().decode


def _unchanged_items(lines: Iterable[str]) -> list[BenchItem] | None:
    """The items of lines with the right hash; None if it was written above lines that are no items."""
    try:
        return list(map(_unchanged_item, lines))
    except (AttributeError, RecursionError, TypeError, ValueError):
        return None


def _unchanged_item(line: str) -> BenchItem:
    values = _DECODE(line)
    for key, value in values.items():
        if type(value) is list:
            values[key] = Span(*value) if key == "slot" else tuple(value)
    if "contexts" in values:
        values["contexts"] = tuple(map(tuple, values["contexts"]))
    return BenchItem(**values)


def _item(record: Record) -> BenchItem:
    record.allow(*_DEFAULTS)
    source, context = sentences(record, "source"), sentences(record, "context")
    variants = sentences(record, "variants")
    contexts: tuple[tuple[str, ...], ...] = ()
    if "contexts" in record:
        per_variant = record.elements("contexts")
        contexts = tuple(sentences(per_variant, index) for index in per_variant)
    if not source:
        record.refuse("source", "empty", fix="write the tested sentence last, after its context")
    if contexts and len(contexts) != len(variants):
        record.refuse("contexts", f"{len(contexts)} for {len(variants)} variants")
    if len(context) >= len(source) or any(len(other) >= len(source) for other in contexts):
        record.refuse("context", f"more sentences than the {len(source) - 1} of the source before the tested")
    if len(set(zip(contexts, variants, strict=True) if contexts else variants)) != len(variants):
        record.refuse("variants", "two are the same", fix="keep variants that differ, the correct one first")
    expected = record.texts("expected", one_line=True) if "expected" in record else ()
    category = record.text("category", "", blank=True)
    if not variants and not expected and not category:
        record.refuse("variants", "missing, and there are no expected forms")
    slot = None
    restored = record.text("restored", "")
    if restored and "slot" not in record:
        record.refuse("slot", "missing", fix="write the characters of the pronoun in `restored`")
    if "slot" in record:
        match record.raw("slot"):
            case [int(start), int(end)] if (
                0 <= start < end <= len(restored or source[-1]) and start is not False
            ):
                slot = Span(start, end)
            case other:
                record.refuse("slot", f"not characters [start, end] of the tested sentence: {other!r:.60}")
    return BenchItem(
        record.text("id", one_line=True),
        source,
        record.text("document", "", blank=True),
        context,
        variants,
        contexts,
        expected,
        record.texts("wrong", (), one_line=True) if "wrong" in record else (),
        record.text("pronoun", "", blank=True),
        slot,
        category,
        record.integer("distance", low=0) if "distance" in record else None,
        record.text("antecedent", "", blank=True),
        record.text("group", "", blank=True),
        record.integer("correct_at", 0, low=0, high=max(0, len(variants) - 1)),
        restored,
        record.texts("labels", (), one_line=True) if "labels" in record else (),
    )


def sentences(record: Record, key: str) -> tuple[str, ...]:
    """A list of one-line sentences, which may be empty: subtitles have empty translations."""
    if key not in record:
        return ()
    given = record.raw(key)
    if isinstance(given, list) and all(type(line) is str and "\n" not in line for line in given):
        return tuple(given)  # the common case, several times faster
    elements = record.elements(key)
    return tuple(elements.text(index, blank=True, one_line=True) for index in elements)
