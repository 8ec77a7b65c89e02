"""No talk or debate of a test is in any training list: ids compared, over all pairs and styles.

`benchmarks/predict-classic/results/documents.json` lists the documents of every part that predictors learn
from or are tested on. Where the data is there, the talks that teddev and the official test are made of are
found in it by their sentences, whatever number another corpus gives them.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LISTS = ROOT / "benchmarks" / "predict-classic" / "results" / "documents.json"
EUROPARL = "1.europarl"
GERMAN_TALKS = re.compile(r"5\.concatenated_en2de_dev_(?:en|de)")
#: A sentence shorter than this may stand in any two talks.
TELLING = 25

Lists = dict[str, dict[str, list[str]]]


@pytest.fixture(scope="module")
def lists() -> Lists:
    found: Lists = json.loads(LISTS.read_text(encoding="utf-8"))
    return found


def names(entries: list[str]) -> Iterator[str]:
    """The names of a list, runs of numbers written out."""
    for entry in entries:
        run = re.fullmatch(r"([1-9][0-9]*)-([1-9][0-9]*)", entry)
        yield from map(str, range(int(run[1]), int(run[2]) + 1)) if run else [entry]


def documents(lists: Lists, *, training: bool) -> dict[str, set[str]]:
    """By corpus, the documents that are learned from in any list, or that are never learned from.

    The talks of both German files are the same ones, in either direction.
    """
    found: dict[str, set[str]] = {}
    for part, corpora in lists.items():
        if part.endswith((".train", ".more")) == training:
            for corpus, entries in corpora.items():
                key = "german talks" if GERMAN_TALKS.fullmatch(corpus) else corpus
                found.setdefault(key, set()).update(names(entries))
    return found


def test_every_pair_and_style_has_lists_of_training_and_test(lists: Lists) -> None:
    stems = {part.rpartition(".")[0] for part in lists}
    assert {"en-fr.2015", "en-fr.2016", "fr-en.2016", "en-de.2016", "de-en.2016", "es-en.2016"} <= stems
    for stem in stems:
        parts = {part.rpartition(".")[2] for part in lists if part.startswith(f"{stem}.")}
        assert "train" in parts
        assert "dev" in parts
        assert any(part.startswith("test") for part in parts)


def test_no_document_that_is_tested_on_is_learned_from_in_any_pair(lists: Lists) -> None:
    learned, held = documents(lists, training=True), documents(lists, training=False)
    assert {EUROPARL, "german talks", "ted"} <= set(held)
    assert len(learned["german talks"]) > 20
    assert len(learned[EUROPARL]) > 400
    for corpus, tested in held.items():
        assert not tested & learned.get(corpus, set()), corpus


def test_the_talks_of_2015_are_in_no_training_list(lists: Lists) -> None:
    """Eleven talks of teddev and twelve of the official test; nothing learned from has the names of talks."""
    held = documents(lists, training=False)["ted"]
    assert len(held) == 23
    assert "ted" not in documents(lists, training=True)


def test_a_leak_would_be_detected(lists: Lists) -> None:
    spoiled = {**lists, "xx-yy.2016.train": {EUROPARL: lists["en-fr.2015.test"][EUROPARL][:1]}}
    learned, held = documents(spoiled, training=True), documents(spoiled, training=False)
    assert learned[EUROPARL] & held[EUROPARL]


def letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))


def german_talks(data: Path) -> Iterator[tuple[str, set[str]]]:
    """The talks of the English-German file with their numbers, each as its telling sentences."""
    path = data / "docs-en-de" / "IWSLT2017" / "concatenated_en2de_dev_en.txt.gz"
    talks = re.split(r"(?m)^<d>[ \r]*$", gzip.decompress(path.read_bytes()).decode())
    filled = [talk for talk in talks if talk.strip()]
    for number, talk in enumerate(filled, start=1):
        lines = (letters(line) for line in talk.splitlines())
        yield str(number), {line for line in lines if len(line) > TELLING}


def held_sentences(data: Path) -> set[str]:
    """The telling English sentences of teddev and of the official test."""
    files = (data / "discomt2015-task" / name for name in ("teddev.tsv", "test.blind.tsv"))
    lines = (line for file in files for line in file.read_text(encoding="utf-8").splitlines())
    return {line for line in (letters(line.split("\t")[2]) for line in lines) if len(line) > TELLING}


def test_no_talk_that_shares_its_text_with_a_test_is_learned_from(lists: Lists, data_dir: Path) -> None:
    held = held_sentences(data_dir)
    shared = {number for number, lines in german_talks(data_dir) if len(lines & held) > len(lines) / 10}
    # The talks of teddev, numbers 9 to 19 of the German file; none of the official test is there.
    assert shared == {str(number) for number in range(9, 20)}
    assert not shared & documents(lists, training=True)["german talks"]


def test_the_talk_of_the_mqm_set_is_in_no_training_list(lists: Lists, data_dir: Path) -> None:
    """Talk 3 of the MQM set is number 27 of the German file; talks 1 and 5 are not there."""
    with gzip.open(data_dir / "mqm-ted-en-de" / "mqm.tsv.gz", "rt", encoding="utf-8") as rows:
        column = next(rows).rstrip("\n").split("\t").index("source")
        held = {letters(re.sub("</?v>", "", row.split("\t")[column])) for row in rows}
    shared = {number for number, lines in german_talks(data_dir) if len(lines & held) > len(lines) / 10}
    assert shared == {"27"}
    assert not shared & documents(lists, training=True)["german talks"]


def test_the_lists_name_the_talks_of_the_data(lists: Lists, data_dir: Path) -> None:
    for part, file in (("teddev", "teddev.doc-ids"), ("official-test", "test.doc-ids")):
        ids = (data_dir / "discomt2015-task" / file).read_text(encoding="utf-8").split()
        assert set(names(lists[f"en-fr.2015.{part}"]["ted"])) == set(ids)


def test_a_new_list_leaves_those_of_other_pairs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`data.py --pairs es-en` once dropped the lists of all other pairs from the tracked file."""
    monkeypatch.syspath_prepend(str(LISTS.parents[1]))
    writer = import_module("documents")
    official = tmp_path / "test.doc-ids"
    official.write_text("7\n", encoding="utf-8")
    lists = tmp_path / "documents.json"
    old = {"es-en.2016.test": {"ted": ["1"]}, "es-en.2016.extra": {}, "fr-en.2016.dev": {"ted": ["2"]}}
    lists.write_text(json.dumps(old), encoding="utf-8")
    monkeypatch.setattr(writer, "RESULT", lists)
    monkeypatch.setattr(writer, "_OFFICIAL", official)
    split = tmp_path / "split"
    split.mkdir()
    (split / "es-en.2016.test.doc-ids.gz").write_bytes(gzip.compress(b"3\n4\n"))
    writer.write_documents(split)
    assert json.loads(lists.read_text(encoding="utf-8")) == {
        "es-en.2016.test": {"ted": ["3-4"]},
        "fr-en.2016.dev": {"ted": ["2"]},
        "en-fr.2015.official-test": {"ted": ["7"]},
    }
