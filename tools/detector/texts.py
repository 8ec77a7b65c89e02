"""The parallel texts that the detector learns from, by name: `--text NAME` of `examples.py`.

Every reader takes the folder of the data and gives documents. Another list of names trains on other texts,
for example on free ones only. No text is here whose pronouns were judged or marked, nor any beside it,
because the detector is measured on these: not the references of WMT24, DiaBLa and the chats, and not the
talks of the MQM set.
"""

from __future__ import annotations

import csv
import gzip
import json
import re
import sys
import tarfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from benchmarks.verdict.evidence import Part

csv.field_size_limit(sys.maxsize)


@dataclass(frozen=True, slots=True)
class ParallelDocument:
    """The lines of one document in English and in another language.

    `is_machine` is true of a system's output, and `reference` then has a person's translation. `wrong` has
    other versions of the last line, which are wrong in one pronoun.
    """

    name: str
    language: str
    source: list[str]
    target: list[str]
    is_machine: bool = False
    reference: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()


Reader = Callable[[Path], Iterator[ParallelDocument]]


def _rows(path: Path) -> Iterator[list[str]]:
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        for line in file:
            yield line.rstrip("\n").split("\t")


def _grouped(
    name: str, language: str, rows: Iterable[tuple[str, str, str]], *, longest: int = 400
) -> Iterator[ParallelDocument]:
    """Documents of rows with their name, cut where they are very long."""
    for document, members in groupby(rows, key=lambda row: row[0]):
        pairs = [(source, target) for _, source, target in members]
        for start in range(0, len(pairs), longest):
            part = pairs[start : start + longest]
            title = f"{name}-{language}/{document}/{start}"
            yield ParallelDocument(title, language, [one for one, _ in part], [other for _, other in part])


def _europarl(language: str) -> Reader:
    def read(data: Path) -> Iterator[ParallelDocument]:
        rows = _rows(data / "europarl" / f"europarl.en-{language}.docs.tsv.gz")
        next(rows)
        yield from _grouped("europarl", language, ((row[0], row[3], row[4]) for row in rows))

    return read


def _columns(path: str, column: int, source: int, name: str, language: str) -> Reader:
    """A table with several languages; documents by the first column."""

    def read(data: Path) -> Iterator[ParallelDocument]:
        rows = _rows(data / path)
        next(rows)
        kept = ((row[0], row[source], row[column]) for row in rows if row[source] and row[column])
        yield from _grouped(name, language, kept)

    return read


def _tatoeba(language: str, code: str, *, reverse: bool) -> Reader:
    def read(data: Path) -> Iterator[ParallelDocument]:
        for number, row in enumerate(_rows(data / "tatoeba" / f"tatoeba-test-v2023-09-26.{code}.txt.gz")):
            source, target = (row[3], row[2]) if reverse else (row[2], row[3])
            yield ParallelDocument(f"tatoeba-{language}/{number}", language, [source], [target])

    return read


_MARKS = re.compile(r"</?p>|</?hon>|</?hoff>")


def _sentences(text: str) -> list[str]:
    return [part for part in re.split(r"(?<=[.!?…])\s+", text.strip()) if part]


def _scat(data: Path) -> Iterator[ParallelDocument]:
    """Subtitles with the lines before them; context without equal counts of sentences is one line."""

    def lines(name: str) -> list[str]:
        path = data / "scat-en-fr" / f"highlighted.train.{name}.gz"
        return _MARKS.sub("", gzip.open(path, "rt", encoding="utf-8", newline="\n").read()).split("\n")

    texts = zip(*(lines(name) for name in ("context.en", "context.fr", "en", "fr")), strict=True)
    for number, (before, before_target, source, target) in enumerate(texts):
        if not source.strip() or not target.strip():
            continue
        left, right = _sentences(before), _sentences(before_target)
        if len(left) != len(right):
            left, right = [before.strip()], [before_target.strip()]
        yield ParallelDocument(f"scat/{number}", "fr", [*left, source.strip()], [*right, target.strip()])


def _contrapro(data: Path) -> Iterator[ParallelDocument]:
    path = data / "contrapro-en-de" / "with-context.every-fourth.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            wrong = tuple(one[-1] for one in row["wrong"])
            yield ParallelDocument(
                f"contrapro/{row['group']}", "de", row["source"], row["correct"], wrong=wrong
            )


def _lopes(data: Path) -> Iterator[ParallelDocument]:
    path = data / "contrastive-lopes-en-fr" / "items.every-fourth.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            target = [*row["context"], row["correct"]]
            if len(target) == len(row["source"]):
                name = f"lopes/{row['item']}"
                yield ParallelDocument(name, "fr", row["source"], target, wrong=(row["wrong"],))


def _ctxpro(data: Path) -> Iterator[ParallelDocument]:
    path = data / "ctxpro-en-es" / "gender.opensubtitles.en-es.dev.json.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = json.load(file)
    for number, row in enumerate(rows):
        source, target = [row["src segment"]], [row["ref segment"]]
        if not row["intrasegmental"]:
            source.insert(0, row["src ante segment"])
            target.insert(0, row["ref ante segment"])
        yield ParallelDocument(f"ctxpro/{number}", "es", source, target)


#: The talks of teddev, and one of the MQM set.
_OTHER_TALKS = frozenset({*range(9, 20), 27})


def _marked_documents(folder: str, name: str) -> Reader:
    """Files in which `<d>` opens a document."""

    def read(data: Path) -> Iterator[ParallelDocument]:
        def lines(language: str) -> list[str]:
            path = data / "docs-en-de" / folder / f"concatenated_en2de_dev_{language}.txt.gz"
            return gzip.open(path, "rt", encoding="utf-8", newline="\n").read().split("\n")

        number, rows = -1, []
        for source, target in zip(lines("en"), lines("de"), strict=True):
            if source.startswith("<d>"):
                number += 1
            elif source and target and not (name == "ted" and number in _OTHER_TALKS):
                rows.append((str(number), source, target))
        yield from _grouped(name, "de", rows)

    return read


def _spanish_talks(data: Path) -> Iterator[ParallelDocument]:
    """Talks without boundaries: the files are cut every forty lines."""
    folder = data / "apt-ted-es-en"

    def lines(language: str) -> list[str]:
        text = (folder / f"IWSLT14.TED.tst.tc.{language}").read_text(encoding="utf-8")
        return text.replace(" @-@ ", "-").split("\n")

    rows = zip(lines("en"), lines("es"), strict=True)
    numbered = ((str(n // 40), one, other) for n, (one, other) in enumerate(rows) if one and other)
    yield from _grouped("ted", "es", numbered)


def _wmt21(data: Path) -> Iterator[ParallelDocument]:
    """System outputs of news; the file has no documents, so that lines follow each other as published."""
    with tarfile.open(data / "wmt21-news" / "wmt21_en-de_de-en_fr-de.tar.gz") as archive:

        def lines(name: str) -> list[str]:
            file = archive.extractfile(name)
            if file is None:
                raise ValueError(f"{name} is no file of the archive")
            return file.read().decode().removesuffix("\n").split("\n")

        folder = "./txt/system-outputs/newstest2021.en-de.hyp."
        source = lines("./txt/sources/newstest2021.en-de.src.en")
        references = [lines(f"./txt/references/newstest2021.en-de.ref.{one}.de") for one in "AC"]
        for name in sorted(one for one in archive.getnames() if one.startswith(folder)):
            system, target = name.removeprefix(folder).removesuffix(".de"), lines(name)
            for start in range(0, len(source), 40):
                part = slice(start, start + 40)
                yield ParallelDocument(
                    f"wmt21/{system}/{start}",
                    "de",
                    source[part],
                    target[part],
                    is_machine=True,
                    reference=tuple("\n".join(one[part]) for one in references),
                )


def _lessons(language: str) -> Reader:
    """Lessons with their translations, in the folder of `benchmarks/verdict/further.py`."""

    def read(_data: Path) -> Iterator[ParallelDocument]:
        part = Part.read(f"lessons-en-{language}")
        rows = zip(part.documents, part.source, part.candidates["machine"], strict=True)
        yield from _grouped("lessons", language, rows)

    return read


_HANDBOOK = "debian-handbook/handbook.en-fr-de-es.paragraphs.tsv.gz"
_BIBLE = "bible/bible.en-de-es.tsv.gz"
TEXTS: dict[str, Reader] = {
    **{f"europarl-{language}": _europarl(language) for language in ("de", "fr", "es")},
    "tatoeba-de": _tatoeba("de", "deu-eng", reverse=True),
    "tatoeba-fr": _tatoeba("fr", "eng-fra", reverse=False),
    "tatoeba-es": _tatoeba("es", "eng-spa", reverse=False),
    "handbook-fr": _columns(_HANDBOOK, 3, 2, "handbook", "fr"),
    "handbook-de": _columns(_HANDBOOK, 4, 2, "handbook", "de"),
    "handbook-es": _columns(_HANDBOOK, 5, 2, "handbook", "es"),
    "bible-de": _columns(_BIBLE, 4, 3, "bible", "de"),
    "bible-es": _columns(_BIBLE, 5, 3, "bible", "es"),
    **{f"lessons-{language}": _lessons(language) for language in ("de", "fr", "es")},
    "scat-fr": _scat,
    "contrapro-de": _contrapro,
    "lopes-fr": _lopes,
    "ctxpro-es": _ctxpro,
    "ted-de": _marked_documents("IWSLT2017", "ted"),
    "news-de": _marked_documents("NC-2016", "news"),
    "ted-es": _spanish_talks,
    "wmt21-de": _wmt21,
}
