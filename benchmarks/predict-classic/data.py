"""The data of every comparison of predictors: prepared files, cut into training, development and test.

Usage: python benchmarks/predict-classic/data.py FOLDER [--pairs en-fr ...] [--styles 2015 2016 forms]
           [--more CLONES] [--free]

FOLDER/2015, FOLDER/2016 and FOLDER/forms take the prepared files; one that has its report there is not made
again. `forms` has the word forms of the pairs that 2015 lacked; for German all *it* and *they*, as in 2015.
FOLDER/split takes PAIR.STYLE.PART.tsv.gz with its .doc-ids.gz. The parts, by document:

- Europarl goes by the date of the debate, so that a model of several pairs cannot have seen a test debate in
  another language: crc32 of YYMMDD modulo 20 is 0 for test and 1 for development.
- The TED talks of the German files go by their number modulo 3: 0 training, 1 development, 2 test; talks 9 to
  19 are those of teddev and never in training, nor is talk 27, which is in the MQM set. German has two tests,
  `test-ted` and `test-europarl`.
- The Europarl part of the German development sets has no dates and is left out. All else is for training.
- results/documents.json lists the documents of every part, for a test that none is in two.
- Items of SCAT that share an English sentence with ContraPro, as far as it is there, are left out of all.
- With `--more`, German has a further part, `more`: the dialogues of BConTrasT (train and dev) and the novels
  of LibriVoxDeEn. CLONES has the repositories Unbabel/BConTrasT and PedroDKE/LibriS2S of GitHub.
- With `--free`, only texts that permit any use are prepared: no talks, no news, no subtitles, no novels.
- `en-fr.STYLE.teddev` is the released development file of 2015, as it is or made again in the style of 2016.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import subprocess
import sys
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from anaphor.core import Alignment, TaskSegment
from anaphor.core.engine import warn_without_native
from anaphor.corpus import format_alignment
from anaphor.task import read_task

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

from documents import write_documents  # noqa: E402

from benchmarks.task.counts import DATA, LEARN_FROM, PAIRS, make, options_of  # noqa: E402
from benchmarks.task.teddev import NOTHING, RELEASED, filled  # noqa: E402

STYLES = ("2015", "2016", "forms")
#: What `task prepare` is asked for beside the texts, where it is not the style of 2016.
FORMS = {pair: ["--words", "forms"] for pair in ("fr-en", "de-en", "es-en")}
FORMS["en-de"] = ["--words", "forms", "--subjects", "all"]
#: Shorter sentences are the same by chance: *Is it true?*
LEAST_SHARED = 12
FOLDS = 20
TALK_FOLDS = ("train", "dev", "test-ted")
TEDDEV_TALKS = range(9, 20)
#: A talk of the MQM set, on which verdicts are measured.
MQM_TALKS = (27,)
_DEBATE = re.compile(r"1\.europarl/(?:ep-)?(?:19|20)?([0-9]{2})-?([0-9]{2})-?([0-9]{2})(?![0-9])")
_TALK = re.compile(r"5\.concatenated_en2de_dev_(?:en|de)/([0-9]+)")
_UNDATED = re.compile(r"7\.concatenated_en2de_dev_(?:en|de)/")
#: Chapter and number of a sentence.
_PASSAGE = re.compile(r"([0-9]+)-.*_([0-9]+)\.flac")
#: Novels: how sure a pair must be, how many sentences may be missing within a passage, and how much longer or
#: shorter the English sentence may be.
LEAST_SURE, LARGEST_GAP, LENGTHS = 0.5, 3, (0.4, 2.2)
_MARKS = re.compile(r"</?p>|</?hon>|</?hoff>")
_SCAT = "scat-en-fr/highlighted.train."


def part_of(document: str, pair: str) -> str | None:
    """The part that a document belongs to; None where it is left out."""
    if _UNDATED.match(document):
        return None
    if talk := _TALK.fullmatch(document):
        return _part_of_talk(int(talk[1]))
    if document.startswith("1.europarl/"):
        debate = _DEBATE.match(document)
        if debate is None:
            sys.exit(f"no date in the name of a debate: {document}")
        fold = zlib.crc32("".join(debate.groups()).encode()) % FOLDS
        test = "test-europarl" if "de" in pair.split("-") else "test"
        return {0: test, 1: "dev"}.get(fold, "train")
    return "train"


def _part_of_talk(number: int) -> str | None:
    part = TALK_FOLDS[number % len(TALK_FOLDS)]
    tested = number in TEDDEV_TALKS or number in MQM_TALKS
    return None if part == "train" and tested else part


def split(prepared: Path, pair: str, style: str, folder: Path) -> Counter[str]:
    """Write the parts of one prepared file; gives the number of segments of each."""
    counts: Counter[str] = Counter()
    with ExitStack() as stack:
        outputs: dict[str, Output] = {}
        for line, document in _lines(prepared, pair):
            part = part_of(document.decode().strip(), pair)
            if part is None:
                continue
            if part not in outputs:
                outputs[part] = Output.open(stack, folder / f"{pair}.{style}.{part}")
            outputs[part].segments.write(line)
            outputs[part].documents.write(document)
            counts[part] += 1
    for output in outputs.values():
        output.finish()
    return counts


class Output(NamedTuple):
    """The two files of a part, and where they go once they are complete."""

    segments: gzip.GzipFile
    documents: gzip.GzipFile
    paths: tuple[Path, Path]

    @classmethod
    def open(cls, stack: ExitStack, stem: Path) -> Output:
        paths = (stem.with_name(f"{stem.name}.tsv.gz"), stem.with_name(f"{stem.name}.doc-ids.gz"))
        files = [_packed(stack, path.with_name(f".{path.name}")) for path in paths]
        return cls(files[0], files[1], paths)

    def finish(self) -> None:
        for path in self.paths:
            path.with_name(f".{path.name}").replace(path)


def _packed(stack: ExitStack, path: Path) -> gzip.GzipFile:
    # No name and no time inside, so that the bytes depend on the lines alone.
    raw = stack.enter_context(path.open("wb"))
    packed = gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0, compresslevel=4)
    return stack.enter_context(packed)


def _lines(prepared: Path, pair: str) -> Iterator[tuple[bytes, bytes]]:
    with (
        gzip.open(prepared / f"{pair}.tsv.gz") as segments,
        gzip.open(prepared / f"{pair}.doc-ids.gz") as documents,
    ):
        yield from zip(segments, documents, strict=True)


def make_2015(folder: Path, *, free: bool) -> None:
    """English-French with word forms and all *it* and *they*: the texts of 2016's file, and SCAT."""
    report = folder / "en-fr.json"
    if report.is_file() and report.stat().st_size:
        return
    options = [*options_of("en-fr"), "--style", "2015"]
    if not free:
        source, target = _scat_as_text(folder)
        options += ["--document-mark", "<d>", "--source", source, "--target", target]
    report.write_text(_prepare(options, folder / "en-fr.tsv.gz"), encoding="utf-8")


def _scat_as_text(folder: Path) -> tuple[str, str]:
    """SCAT's training sentences, each with its context as a document of its own, without its marks."""
    names = ("context.en", "context.fr", "en", "fr")
    columns = [_scat_lines(name) for name in names]
    tested = {letters for line in _contrapro() if len(letters := _letters(line)) >= LEAST_SHARED}
    paths = (folder.resolve() / "scat.en", folder.resolve() / "scat.fr")
    with paths[0].open("w", encoding="utf-8") as source, paths[1].open("w", encoding="utf-8") as target:
        for before_en, before_fr, here_en, here_fr in zip(*columns, strict=True):
            if tested & {_letters(before_en), _letters(here_en)}:
                continue
            before = [(before_en, before_fr)] if before_en and before_fr else []
            for english, french in [("<d>", "<d>"), *before, (here_en, here_fr)]:
                source.write(f"{english}\n")
                target.write(f"{french}\n")
    return str(paths[0]), str(paths[1])


def _scat_lines(name: str) -> list[str]:
    with gzip.open(DATA / f"{_SCAT}{name}.gz", "rt", encoding="utf-8") as lines:
        return [" ".join(_MARKS.sub("", line).split()) for line in lines]


def _contrapro() -> Iterator[str]:
    """The English sentences of ContraPro."""
    path = DATA / "contrapro-en-de" / "with-context.every-fourth.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield from json.loads(line)["source"]


def _letters(text: str) -> str:
    return "".join(letter for letter in text.lower() if letter.isalnum())


def make_more(pair: str, style: str, clones: Path, folder: Path, target: Path, *, free: bool) -> int:
    """Prepare dialogues, and novels if not `free`, as a part of its own; gives the number of its segments."""
    kinds = {"dialogues": _dialogues(clones / "BConTrasT")}
    if not free:
        kinds["novels"] = _novels(clones / "LibriS2S")
    texts = {f"{kind}.{code}": folder / f"{kind}.{code}" for kind in kinds for code in ("en", "de")}
    for kind, documents in kinds.items():
        write_pairs(documents, texts[f"{kind}.en"], texts[f"{kind}.de"])
    options = ["--pair", pair, "--learn-from", LEARN_FROM, "--document-mark", "<d>"]
    for side, code in zip(("--source", "--target"), pair.split("-"), strict=True):
        options += [side, *(str(texts[f"{kind}.{code}"].resolve()) for kind in kinds)]
    output = target / f"{pair}.{style}.more.tsv.gz"
    report = json.loads(_prepare([*options, *(FORMS[pair] if style == "forms" else [])], output))
    for path in texts.values():
        path.unlink()
    return int(report["segments"])


def write_pairs(documents: Iterable[list[tuple[str, str]]], english: Path, german: Path) -> None:
    """Pairs of sentences as two texts in which a line starts each document."""
    with english.open("w", encoding="utf-8") as source, german.open("w", encoding="utf-8") as target:
        for document in filter(None, documents):
            for one, other in [("<d>", "<d>"), *document]:
                source.write(f"{one}\n")
                target.write(f"{other}\n")


def _dialogues(clone: Path) -> Iterator[list[tuple[str, str]]]:
    """Conversations of customers, who speak German, and agents, who speak English; both were translated."""
    for part in ("train", "dev"):
        conversations = json.loads((clone / f"{part}.json").read_text(encoding="utf-8"))
        for turns in conversations.values():
            sides = [(" ".join(turn["source"].split()), " ".join(turn["target"].split())) for turn in turns]
            by_agent = [turn["speaker"] == "agent" for turn in turns]
            pairs = (
                side if agent else (side[1], side[0]) for side, agent in zip(sides, by_agent, strict=True)
            )
            yield [pair for pair in pairs if all(pair)]


def _novels(clone: Path) -> Iterator[list[tuple[str, str]]]:
    """Passages of novels; pairs that the makers of the set were unsure of are left out."""
    for path in sorted((clone / "LibrivoxDeEn_alignments").glob("*_data.tsv")):
        rows: dict[tuple[int, int], tuple[float, str, str]] = {}
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                _, audio, score, german, english = line.rstrip("\n").split("\t")[:5]
                if place := _PASSAGE.match(audio):
                    found = float(score), " ".join(english.split()), " ".join(german.split())
                    rows.setdefault((int(place[1]), int(place[2])), found)
        passage: list[tuple[str, str]] = []
        before = (0, 0)
        for (chapter, number), (sure, english, german) in sorted(rows.items()):
            if chapter != before[0] or number > before[1] + LARGEST_GAP:
                yield passage
                passage = []
            before = (chapter, number)
            alike = english and german and LENGTHS[0] < len(english) / len(german) < LENGTHS[1]
            if sure >= LEAST_SURE and alike:
                passage.append((english, german))
        yield passage


def write_teddev(folder: Path) -> None:
    """The released development file, and the same talks prepared in the style of 2016."""
    ids = RELEASED.with_suffix(".doc-ids").read_bytes()
    for style in ("2015", "2016"):
        (folder / f"en-fr.{style}.teddev.doc-ids.gz").write_bytes(gzip.compress(ids, mtime=0))
    released = folder / "en-fr.2015.teddev.tsv.gz"
    released.write_bytes(gzip.compress(RELEASED.read_bytes(), mtime=0))
    texts = {name: folder / f"teddev.{name}" for name in ("en", "fr", "align", "ids")}
    rows = [restored(segment) for segment in read_task(RELEASED)]
    for column, name in enumerate(("en", "fr", "align")):
        texts[name].write_text("".join(f"{row[column]}\n" for row in rows), encoding="utf-8")
    texts["ids"].write_bytes(ids)
    names = {name: str(path.resolve()) for name, path in texts.items()}
    options = ["--pair", "en-fr", "--tokenized", "--source", names["en"], "--target", names["fr"]]
    options += ["--alignment", names["align"], "--documents", names["ids"]]
    _prepare(options, folder / "en-fr.2016.teddev.tsv.gz")
    for path in texts.values():
        path.unlink()


def restored(segment: TaskSegment) -> tuple[str, str, str]:
    """Source, target and links of a segment with its hidden words put back."""
    words = filled(segment)
    place: dict[int, int] = {}
    for position, word in enumerate(words):
        if word != NOTHING:
            place[position] = len(place)
    links = [(link.source, place[link.target]) for link in segment.alignment.links() if link.target in place]
    alignment = Alignment(tuple(link[0] for link in links), tuple(link[1] for link in links))
    target = " ".join(word for word in words if word != NOTHING)
    return " ".join(segment.source), target, format_alignment(alignment)


def _prepare(options: Iterable[str], output: Path) -> str:
    command = [sys.executable, "-m", "anaphor.cli.main", "task", "prepare", *options, "--json"]
    done = subprocess.run(
        [*command, "--output", str(output.resolve())],
        cwd=DATA,
        stdout=subprocess.PIPE,
        check=True,
    )
    return done.stdout.decode()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pairs", nargs="*", default=PAIRS, choices=PAIRS)
    parser.add_argument("--styles", nargs="*", default=STYLES, choices=STYLES)
    parser.add_argument("--more", type=Path, metavar="CLONES", help="dialogues and novels, German alone")
    parser.add_argument("--free", action="store_true", help="only texts that permit any use")
    options = parser.parse_args()
    if not DATA.is_dir():
        sys.exit(f"{DATA} is not there; set ANAPHOR_DATA to the folder that has it")
    warn_without_native()
    target = options.folder / "split"
    target.mkdir(parents=True, exist_ok=True)
    for style in options.styles:
        prepared = options.folder / style
        prepared.mkdir(exist_ok=True)
        pairs = {"2015": ["en-fr"], "2016": PAIRS, "forms": FORMS}[style]
        for pair in (one for one in options.pairs if one in pairs):
            if style == "2015":
                make_2015(prepared, free=options.free)
            else:
                make(pair, prepared, FORMS[pair] if style == "forms" else [], free=options.free)
            counts = split(prepared, pair, style, target)
            if options.more and "de" in pair.split("-"):
                counts["more"] = make_more(pair, style, options.more, prepared, target, free=options.free)
            print(pair, style, json.dumps(counts), flush=True)
    if "en-fr" in options.pairs and not options.free:
        write_teddev(target)
    if not options.free:
        write_documents(target)


if __name__ == "__main__":
    main()
