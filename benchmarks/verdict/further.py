"""Texts beyond `judged-pronouns` whose pronouns we read, in the same form: one folder for each part.

    python benchmarks/verdict/further.py --captions REPO --xquad REPO --squad REPO --squad-es REPO \\
        --mlqe REPO --output FOLDER

It needs copies of five public repositories. `3b1b/captions` has subtitles of mathematical talks, translated
sentence by sentence by DeepL or Google; only sentences that nobody corrected are used. Paragraphs of
Wikipedia are in `google-deepmind/xquad` and `chrischute/squad`, their translation into Spanish is in
`ccasimiro88/TranslateAlignRetrieve`. Single sentences of Wikipedia, and of the comments on its talk pages,
are in `sheffieldnlp/mlqe-pe` with their translation into German; those with a pronoun are used, each as a
document of its own. Nobody read the lessons of `microsoft/AI-For-Beginners`, `Data-Science-For-Beginners`,
`IoT-For-Beginners` and `Web-Dev-For-Beginners`, which a language model translated: the detector of the plain
installation takes them for good translations and learns from errors made in them.

`ANAPHOR_FURTHER` names the folder that was written; `fit.py` and the training of the detector read it there.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import math
import random
import re
import tarfile
from collections import Counter
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from itertools import accumulate
from pathlib import Path
from typing import Any

#: Languages of the talks, as their folders are named, and how many talks of each are in the first part.
TALKS = {"es": ("spanish", 60), "fr": ("french", 60), "de": ("german", 46)}
#: The first lines of a talk greet and announce. In the first part a talk ends with the line that has so many
#: pronouns; the second part has all other lines.
FIRST_LINE, PRONOUNS, MOST_LINES = 6, 13, 60
#: Systems of the talks; a talk counts as the one's that translated its first line.
SYSTEMS = ("DeepL", "google_nmt")
_PRONOUN = re.compile(r"\b(it|they)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[\"“«¿¡(]?[A-ZÁÉÍÓÚÑ0-9])")
#: Name of a document, then its lines in English and in the other language.
Document = tuple[str, list[tuple[str, str]]]


def _clean(text: str) -> str:
    return " ".join(text.split())


def talks(folder: Path, language: str) -> Iterator[tuple[str, Document]]:
    """Every talk up to a line that was corrected, with the system that translated its first line."""
    for path in sorted(folder.glob(f"*/*/{TALKS[language][0]}/sentence_translations.json")):
        rows: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))[FIRST_LINE:]
        pairs = []
        for row in rows:
            source, target = _clean(row["input"]), _clean(row["translatedText"])
            if row.get("model") not in SYSTEMS or row.get("n_reviews") or not source or not target:
                break
            pairs.append((source, target))
        if pairs:
            yield rows[0]["model"], ("/".join(path.parts[-4:-2]), pairs)


def first_lines(folder: Path, language: str) -> list[Document]:
    """The beginnings of some talks, half of them by each system."""
    by_system: dict[str, list[Document]] = {system: [] for system in SYSTEMS}
    for system, (name, pairs) in talks(folder, language):
        counts = accumulate(len(_PRONOUN.findall(source)) for source, _ in pairs[:MOST_LINES])
        end = next((n for n, count in enumerate(counts, start=1) if count >= PRONOUNS), MOST_LINES)
        if sum(len(_PRONOUN.findall(source)) for source, _ in pairs[:end]) >= PRONOUNS // 2:
            by_system[system].append((name, pairs[:end]))
    rng = random.Random(language)  # noqa: S311 - a sample, no secret
    half = TALKS[language][1] // 2
    return [one for found in by_system.values() for one in rng.sample(found, min(len(found), half))]


def other_lines(folder: Path, language: str) -> Iterator[Document]:
    """What the first part has not."""
    taken = {name: len(pairs) for name, pairs in first_lines(folder, language)}
    for _, (name, pairs) in talks(folder, language):
        if left := pairs[taken.get(name, 0) :]:
            yield name, left


def _articles(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["data"]
    return found


def _translated(squad: Path) -> list[dict[str, Any]]:
    """The articles in Spanish, in the order of the English ones."""
    return _articles(squad / "SQuAD-es-v1.1" / "dev-v1.1-es_small.json")


def _by_sentence(source: str, target: str) -> list[tuple[str, str]] | None:
    """The sentences of a paragraph beside their translations, or None if there are more of one side."""
    one, other = ([_clean(part) for part in _SENTENCE.split(text.strip())] for text in (source, target))
    return list(zip(one, other, strict=True)) if len(one) == len(other) else None


def paragraphs(xquad: Path, squad: Path) -> Iterator[Document]:
    """Paragraphs of Wikipedia with a pronoun, where both languages have as many sentences."""
    english: dict[str, tuple[str, str]] = {}
    for article in _articles(xquad / "xquad.en.json"):
        for paragraph in article["paragraphs"]:
            for question in paragraph["qas"]:
                english[question["id"]] = article["title"], paragraph["context"]
    seen: set[str] = set()
    for article in _translated(squad):
        for paragraph in article["paragraphs"]:
            known = [english[one["id"]] for one in paragraph["qas"] if one["id"] in english]
            if not known or known[0][1] in seen:
                continue
            title, text = known[0]
            seen.add(text)
            pairs = _by_sentence(text, paragraph["context"])
            if pairs and _PRONOUN.search(text):
                yield f"{title}/{len(seen)}", pairs


#: What two languages share of a paragraph: numbers, and how long words begin.
_STEM = re.compile(r"\d+|\w{4,}")
#: How much more a paragraph must share with its translation than with any other one, and at least.
_MARGIN, _LEAST = 1.3, 5.0


def _stems(text: str) -> Counter[str]:
    return Counter(word[:5].lower() for word in _STEM.findall(text))


def other_paragraphs(xquad: Path, english: Path, squad: Path) -> Iterator[Document]:
    """Paragraphs that `paragraphs` has not, matched by text, because their questions have other numbers."""
    taken = {
        one["context"] for article in _articles(xquad / "xquad.en.json") for one in article["paragraphs"]
    }
    titles = [article["title"] for article in _articles(xquad / "xquad.en.json")]
    spanish = {
        title: [one["context"] for one in article["paragraphs"]]
        for title, article in zip(titles, _translated(squad), strict=True)
    }
    for part in ("dev", "test"):
        for article in _articles(english / "data" / f"{part}-v2.0.json"):
            # One article collects what is left of others.
            if (targets := spanish.get(article["title"])) is None:
                continue
            stems = [_stems(text) for text in targets]
            known = Counter(stem for one in stems for stem in one)
            for number, text in enumerate(one["context"] for one in article["paragraphs"]):
                if text in taken or not _PRONOUN.search(text):
                    continue
                own = _stems(text)
                values = [
                    sum(
                        math.log((1 + len(targets)) / known[stem]) * min(count, other[stem])
                        for stem, count in own.items()
                        if stem in other
                    )
                    for other in stems
                ]
                best, second = sorted(range(len(values)), key=values.__getitem__)[:-3:-1]
                if values[best] < _MARGIN * max(values[second], _LEAST):
                    continue
                if pairs := _by_sentence(text, targets[best]):
                    yield f"{article['title']}/{part}-{number}", pairs


#: Where single sentences are: an archive, its table of sentences, and the articles that they are from.
SENTENCES = {
    "train": ("train/en-de-train", "en-de-train/train.ende.df.short.tsv", "en-de-train/train.doc_ids"),
    "dev": ("dev/en-de-dev", "en-de-dev/dev.ende.df.short.tsv", "en-de-dev/dev.doc_ids"),
    "test20": ("test/en-de-test", "en-de/test20.ende.df.short.tsv", "en-de/test20.doc_ids"),
}


def sentences(mlqe: Path) -> Iterator[Document]:
    """Single sentences with a pronoun."""
    for part, (archive, table, articles) in SENTENCES.items():
        lines = _members(mlqe / "data" / "direct-assessments" / f"{archive}.tar.gz")
        names = [name for name in lines[articles] if name != "doc_id"]
        rows = csv.DictReader(lines[table], delimiter="\t", quoting=csv.QUOTE_NONE)
        for number, (name, row) in enumerate(zip(names, rows, strict=True)):
            if _PRONOUN.search(row["original"]):
                pair = _clean(row["original"]), _clean(row["translation"])
                yield f"{name}/{part}-{number}", [pair]
    lines = _members(mlqe / "data" / "test21" / "en-de-test21.tar.gz")
    sides = (lines[f"en-de-test21/test21.{side}"] for side in ("src", "mt"))
    for number, (source, target) in enumerate(zip(*sides, strict=True)):
        if _PRONOUN.search(source):
            yield f"test21-{number}", [(source, target)]


def comments(mlqe: Path) -> Iterator[Document]:
    """Sentences of comments with a pronoun; what raters said of them is not used."""
    for part in ("train", "dev", "test_blind"):
        path = mlqe / "data" / "catastrophic_errors" / f"ende_majority_{part}.tsv"
        for line in path.read_text(encoding="utf-8").removesuffix("\n").split("\n"):
            number, source, target, *_ = line.split("\t")
            if _PRONOUN.search(source):
                yield f"{part}-{number}", [(_clean(source), _clean(target))]


#: Languages whose lessons are used.
LESSONS = ("de", "es", "fr")
#: How much of two lessons must begin alike: the original of a translation may have changed since.
_SAME = 0.98
_CODE = re.compile(r"^\s*```.*?^\s*```\s*$", re.MULTILINE | re.DOTALL)
#: What begins a line of Markdown: a heading, an item, a quotation, a row of a table.
_BEGIN = re.compile(r"\s*(#+|[-*+]|\d+\.|>|\|)?\s*")
#: Links keep their text; pictures, tags and signs of emphasis go.
_MARKUP = ((r"!\[[^\]]*\]\([^)]*\)", ""), (r"\[([^\]]*)\]\([^)]*\)", r"\1"), (r"<[^>]*>|[*_`]", ""))


def _lesson(text: str) -> list[tuple[str, str]]:
    """The lines of a lesson without its code: how each begins, and what it says."""
    found = []
    for line in _CODE.sub("", text).split("\n"):
        if not line.strip():
            continue
        begin = _BEGIN.match(line)
        assert begin is not None
        rest = line[begin.end() :]
        for pattern, new in _MARKUP:
            rest = re.sub(pattern, new, rest)
        mark = begin.group(1) or ""
        found.append(("1." if mark[:1].isdigit() else mark, _clean(rest)))
    return found


def lessons(repositories: Iterable[Path], language: str) -> Iterator[Document]:
    """Lessons whose lines begin alike in both languages; the few lines that differ are left out."""
    for repository in repositories:
        folder = repository / "translations" / language
        for path in sorted(folder.rglob("README.md")):
            original = repository / path.relative_to(folder)
            if not original.exists():
                continue
            one, other = (_lesson(file.read_text(encoding="utf-8")) for file in (original, path))
            matcher = SequenceMatcher(
                None, [kind for kind, _ in one], [kind for kind, _ in other], autojunk=False
            )
            pairs: list[tuple[str, str]] = []
            if matcher.ratio() < _SAME:
                continue
            for first, second, size in matcher.get_matching_blocks():
                for (kind, source), (_, target) in zip(
                    one[first : first + size], other[second : second + size], strict=True
                ):
                    if kind != "|" and source and target and source != target:
                        pairs += _by_sentence(source, target) or [(source, target)]
            if pairs:
                yield f"{repository.name}/{path.parent.relative_to(folder)}", pairs


def _members(path: Path) -> dict[str, list[str]]:
    """The lines of the texts in an archive, by name."""
    found = {}
    with tarfile.open(path) as archive:
        for member in archive:
            file = archive.extractfile(member)
            if file is not None and member.name.endswith((".tsv", ".doc_ids", ".src", ".mt")):
                found[member.name.removeprefix("./")] = file.read().decode().removesuffix("\n").split("\n")
    return found


def write(folder: Path, system: str, documents: Iterable[Document]) -> None:
    """The three files of a part: source, the system's lines, and the document of every line."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = [(name, source, target) for name, pairs in documents for source, target in pairs]
    for column, name in enumerate(("documents", "source", system)):
        with gzip.GzipFile(folder / f"{name}.gz", "wb", mtime=0) as file:
            file.write("".join(row[column] + "\n" for row in rows).encode())
    print(folder.name, len({row[0] for row in rows}), "documents", len(rows), "lines")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    for name in ("captions", "xquad", "squad", "squad-es", "mlqe", "output"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--lessons", type=Path, nargs="+", required=True)
    options = parser.parse_args()
    for language in TALKS:
        write(options.output / f"captions-en-{language}", "machine", first_lines(options.captions, language))
        write(options.output / f"talks-en-{language}", "machine", other_lines(options.captions, language))
    write(options.output / "wikipedia-en-es", "machine", paragraphs(options.xquad, options.squad_es))
    others = other_paragraphs(options.xquad, options.squad, options.squad_es)
    write(options.output / "squad-en-es", "machine", others)
    write(options.output / "articles-en-de", "machine", sentences(options.mlqe))
    write(options.output / "comments-en-de", "machine", comments(options.mlqe))
    for language in LESSONS:
        write(options.output / f"lessons-en-{language}", "machine", lessons(options.lessons, language))


if __name__ == "__main__":
    main()
