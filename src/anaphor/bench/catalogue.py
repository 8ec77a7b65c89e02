"""The catalogue of public test sets, and benches made from their files."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from anaphor.bench.items import KINDS, Bench, make_bench
from anaphor.bench.readers import FORMATS, BenchFormat
from anaphor.core import LanguagePair, OptionError, UnknownNameError
from anaphor.core.records import Record
from anaphor.core.table import Block, Listing, Paragraph, Table, count, counted, text
from anaphor.corpus.text import is_folder, read_bytes

_FILE = "catalogue.toml"


@dataclass(frozen=True, slots=True)
class BenchVersion:
    """A version of a set; hashes are those of its files in order; unknown values are empty or None."""

    name: str
    pair: str
    items: int | None
    md5: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BenchSet:
    """A public test set.

    Attributes:
        name: The name for `anaphor bench make`.
        title: What it tests, and who made it.
        kind: Its family, which decides the official rule.
        format: The format of its files, a key of `FORMATS`.
        pairs: The language pairs that it has.
        licence: The licence as its authors state it.
        home: Where to download it.
        files: The files in the required order.
        versions: The known versions.
    """

    name: str
    title: str
    kind: str
    format: str
    pairs: tuple[str, ...]
    licence: str
    home: str
    files: tuple[str, ...]
    versions: tuple[BenchVersion, ...]

    @property
    def reader(self) -> BenchFormat:
        return FORMATS[self.format]


@cache
def bench_sets() -> Mapping[str, BenchSet]:
    """All sets of the catalogue by name."""
    content = (files("anaphor.bench") / _FILE).read_bytes()
    record = Record.from_toml(content, file=_FILE)
    sets = {}
    for name in record:
        entry = record.table(name)
        entry.allow("title", "kind", "format", "pairs", "licence", "home", "files", "versions")
        versions = entry.table("versions", {})
        sets[name] = BenchSet(
            name,
            entry.text("title"),
            entry.choice("kind", KINDS),
            entry.choice("format", FORMATS),
            entry.texts("pairs"),
            entry.text("licence"),
            entry.text("home"),
            entry.texts("files"),
            tuple(_version(version, versions.table(version)) for version in versions),
        )
    return sets


def _version(name: str, record: Record) -> BenchVersion:
    record.allow("pair", "items", "md5")
    md5: tuple[str, ...] = ()
    if "md5" in record:
        md5 = (record.text("md5"),) if isinstance(record.raw("md5"), str) else record.texts("md5")
    items = record.integer("items", low=1) if "items" in record else None
    return BenchVersion(name, record.text("pair", ""), items, md5)


def bench_set(name: str) -> BenchSet:
    """The set of that name."""
    if name not in (known := bench_sets()):
        raise UnknownNameError.among(name, known, kind="test set", where="the catalogue of test sets")
    return known[name]


def make_from_files(name: str, paths: Sequence[str | Path], *, pair: str = "") -> Bench:
    """A bench from the original files of a set.

    Args:
        name: The name of the set in the catalogue.
        paths: Its files in the order of the catalogue, compressed or not.
        pair: The language pair; by default the set's only pair, or that of the version whose hashes match the
            files.

    Returns:
        The bench, named after the set.

    Raises:
        UserError: The name is unknown, files are missing or invalid, or the pair is ambiguous.
    """
    bench = bench_set(name)
    given = [str(path) for path in paths]
    # Only the last files of a set are optional, so their number says which are missing.
    least = len(bench.reader.files) - bench.reader.optional
    if len(given) not in (least, len(bench.reader.files)):
        wanted = ", ".join(bench.files)
        what = f"{counted(len(given), 'file')} for {name}, which has {len(bench.files)}"
        rest = f"; the last {bench.reader.optional} may be left out" if bench.reader.optional else ""
        raise OptionError(
            what, where=f"the files of {name}", fix=f"pass these files, in this order: {wanted}{rest}"
        )
    version = _known_version(bench, _hashes(given)) if not pair and len(bench.pairs) > 1 else None
    pair = (
        pair
        or (version.pair if version is not None else "")
        or (bench.pairs[0] if len(bench.pairs) == 1 else "")
    )
    if not pair:
        what = f"the files do not say to which language pair of {name} they belong"
        raise OptionError(what, where="--pair", fix=f"use one of {', '.join(bench.pairs)}")
    languages = LanguagePair.parse(pair)
    return make_bench(name, languages, bench.kind, bench.reader.read(given, languages), path=given[0])


def _hashes(paths: Sequence[str]) -> list[str]:
    """The MD5 of every decompressed file; a folder has none."""
    # The catalogue has the sums that authors publish, which are MD5; nothing secret depends on them.
    return [
        "" if is_folder(path) else hashlib.md5(read_bytes(path), usedforsecurity=False).hexdigest()
        for path in paths
    ]


def _known_version(bench: BenchSet, hashes: Sequence[str]) -> BenchVersion | None:
    """The version whose known hashes match the first files."""
    return next(
        (
            version
            for version in bench.versions
            if version.md5 and version.md5 == tuple(hashes[: len(version.md5)])
        ),
        None,
    )


@dataclass(frozen=True, slots=True)
class BenchCheck:
    """Files of a set compared with the catalogue.

    Attributes:
        name: The set.
        bench: The content of the files.
        files: Each path with its MD5.
        version: The name of the known version, or empty.
        problems: The mismatches; empty if there are none.
    """

    name: str
    bench: Bench
    files: tuple[tuple[str, str], ...]
    version: str
    problems: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "set": self.name,
            "pair": str(self.bench.pair),
            "version": self.version or None,
            "items": len(self.bench.items),
            "hash": self.bench.hash,
            "files": [{"path": path, "md5": md5} for path, md5 in self.files],
            "problems": list(self.problems),
        }

    def tables(self) -> Sequence[Block]:
        what = f"{self.name} {self.bench.pair}: {counted(len(self.bench.items), 'item')}, "
        what += f"hash {self.bench.hash}, " + (
            f"version: {self.version}" if self.version else "version unknown"
        )
        return [Table([text("file"), text("md5")], self.files), what, *self.problems]


def check_files(name: str, paths: Sequence[str | Path], *, pair: str = "") -> BenchCheck:
    """Compare the files of a set with the hashes and counts of the catalogue, and read them.

    A set without known hashes is identified by its number of items alone.

    Args:
        name: The name of the set.
        paths: Its files in the order of the catalogue.
        pair: The language pair, if the set has several and the hash is unknown.

    Returns:
        The comparison, with all mismatches.

    Raises:
        UserError: The files are not valid files of this set.
    """
    bench_entry = bench_set(name)
    bench = make_from_files(name, paths, pair=pair)
    given = [str(path) for path in paths]
    hashes = _hashes(given)
    version = _known_version(bench_entry, hashes)
    problems = []
    size = len(bench.items)
    here = [version for version in bench_entry.versions if version.pair in ("", str(bench.pair))]
    if version is None:
        # A version may be known by its size alone.
        version = next((other for other in here if not other.md5 and other.items == size), None)
        if version is None and here:
            known = "; ".join(
                other.name + (f" ({counted(other.items, 'item')})" if other.items else "") for other in here
            )
            problems.append(f"no known version has these files ({counted(size, 'item')}); known: {known}")
    elif version.items not in (None, size):
        problems.append(f"{counted(size, 'item')} were read, the version has {version.items}")
    return BenchCheck(
        name,
        bench,
        tuple(zip(given, hashes, strict=True)),
        version.name if version is not None else "",
        tuple(problems),
    )


def list_sets(names: Sequence[str] = ()) -> Listing:
    """The sets of these names with their versions and files, or a short list of all."""
    sets = tuple(map(bench_set, names)) if names else tuple(bench_sets().values())
    content = [asdict(bench) for bench in sets]
    if names:
        return Listing(content, [block for bench in sets for block in _details(bench)])
    lines = [
        line
        for bench in sets
        for line in (f"{bench.name}: {bench.title}", f"    {' '.join(bench.pairs)}; {bench.licence}")
    ]
    return Listing(
        content, [Paragraph(lines), "`anaphor bench list NAME` says where to get a set and which files."]
    )


def _details(bench: BenchSet) -> list[Block]:
    blocks: list[Block] = [
        bench.title,
        f"name: {bench.name}",
        f"licence: {bench.licence}",
        f"from: {bench.home}",
        f"pairs: {' '.join(bench.pairs)}",
        "files, in this order: " + ", ".join(bench.files),
    ]
    if bench.reader.optional:
        last = "the last" if bench.reader.optional == 1 else f"the last {bench.reader.optional}"
        blocks.append(f"{last} may be left out")
    if bench.versions:
        versions = [(known.name, known.items, " ".join(known.md5)) for known in bench.versions]
        blocks.append(Table([text("version"), count("items"), text("md5")], versions))
    return blocks
