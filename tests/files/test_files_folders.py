"""Names from data that become file names, and which files of a folder are read."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from importlib import resources
from pathlib import Path

import pytest

from anaphor.core import InputError, LanguagePair, UserError
from anaphor.corpus.inputs import read_bundle
from anaphor.corpus.mmax2 import read_mmax2
from anaphor.files.folders import file_name, file_names, files_inside, inside
from anaphor.languages import load_language, load_pair
from anaphor.meta.chat import read_chat
from anaphor.meta.diabla import read_diabla
from anaphor.meta.mqm import read_bio_mqm
from anaphor.meta.scores import read_score_folder
from anaphor.predict.model_folder import CARD, read_folder
from anaphor.report.html.page import read_folder as read_results
from anaphor.segment.candidate import DocumentCutter
from anaphor.segment.whole_documents import read_whole_documents
from anaphor.suite.folder import load_suite
from anaphor.suite.linking import read_candidates
from anaphor.suite.shipped import copy_shipped, load_shipped, shipped_suites

PAIR = LanguagePair("en", "de")
UNSAFE = [
    "",
    ".",
    "..",
    "../a",
    "/a",
    "a/b",
    "a\\b",
    ".a",
    "C:a",
    "a\0",
    "a\nb",
    "a\x7f",
    " a",
    "a ",
    "\ud800",
]


@pytest.mark.parametrize("name", [*UNSAFE, "a\n", "ä" * 126])
def test_a_name_that_cannot_be_a_file_is_refused_with_its_origin(name: str) -> None:
    with pytest.raises(InputError, match="the system has a name that cannot be that of a file") as caught:
        file_name(name, kind="system", where="marks.tsv", ending=".txt")
    assert str(caught.value.where) == "marks.tsv"
    assert "rename the system" in caught.value.fix


@pytest.mark.parametrize("name", ["a", "GPT-4o.mini", "Über", "a b", "a..b", "ä" * 125])
def test_other_names_stay_as_they_are(name: str) -> None:
    assert file_name(name, kind="system", where="", ending=".txt") == f"{name}.txt"


@pytest.mark.parametrize("names", [("A", "a"), ("source",), ("Source",), ("ß", "SS"), ("readme",)])
def test_two_names_do_not_share_a_file(names: tuple[str, ...]) -> None:
    with pytest.raises(InputError, match="the file of another"):
        file_names(names, kind="system", where="marks.tsv", reserved=("source", "README"))
    assert file_names(("a", "b"), kind="system", where="", ending=".txt") == {"a": "a.txt", "b": "b.txt"}


def test_links_are_followed_inside_of_a_folder_only(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "real").write_text("here")
    (tmp_path / "private").write_text("secret")
    (tmp_path / "folder-beside").mkdir()
    (tmp_path / "folder-beside" / "file").write_text("secret")
    (folder / "near").symlink_to("real")
    (folder / "far").symlink_to("../private")
    (folder / "beside").symlink_to(tmp_path / "folder-beside")
    (tmp_path / "named").symlink_to(folder)  # the user named the folder, which may be a link
    assert inside(folder, folder / "near") == folder / "near"
    assert inside(tmp_path / "named", tmp_path / "named" / "real").read_text() == "here"
    assert inside(folder, folder / "missing") == folder / "missing"
    for name in ("far", "beside/file", "../private", ".."):
        with pytest.raises(InputError, match="leaves its folder"):
            inside(folder, folder / name)
    with pytest.raises(InputError, match="leaves its folder"):
        files_inside(folder, "*")
    assert files_inside(folder, "r*", "re*") == [folder / "real"]


def test_devices_and_pipes_are_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="a device, a pipe or a socket") as caught:
        inside(tmp_path, tmp_path / "pipe")
    assert str(caught.value.where) == str(tmp_path / "pipe")


def _mtme(folder: Path) -> None:
    for name in ("sources/en-de.txt", "references/en-de.refA.txt", "system-outputs/en-de/mt.txt"):
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_text("It.\n")
    (folder / "documents").mkdir()
    (folder / "documents/en-de.docs").write_text("news a\n")
    for name in ("human-scores/en-de.mqm.sys.score", "metric-scores/en-de/apt-refA.sys.score"):
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_text("mt\t0.5\n")


def _mmax(folder: Path) -> None:
    (folder / "Basedata").mkdir()
    (folder / "Markables").mkdir()
    (folder / "t.mmax").write_text("<mmax_project><words>t_words.xml</words></mmax_project>")
    (folder / "Basedata/t_words.xml").write_text('<words><word id="word_1">It</word></words>')
    space = 'xmlns="www.eml.org/NameSpaces/{}"'
    sentence = '<markable id="markable_0" span="word_1" orderid="0"/>'
    (folder / "Markables/t_sentence_level.xml").write_text(
        f"<markables {space.format('sentence')}>{sentence}</markables>"
    )
    (folder / "Markables/t_coref_level.xml").write_text(f"<markables {space.format('coref')}></markables>")


def _model(folder: Path) -> None:
    card = {"format": "anaphor-model/1", "card": {}, "files": {}}
    (folder / CARD).write_text(json.dumps(card))
    (folder / "weights").write_text("")


def _files(*names: str) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        for name in names:
            (folder / name).write_text("{}")

    return make


def _suite(folder: Path) -> None:
    folder.rmdir()
    copy_shipped(shipped_suites()[0], folder)


def _packs(folder: Path) -> None:
    for name in ("de.toml", "en.toml", "en-de.toml"):
        shipped = resources.files("anaphor.languages") / "packs" / name
        (folder / name).write_bytes(shipped.read_bytes())


def _candidate(folder: Path) -> object:
    """The folder as a candidate of a suite, of which it has the first document."""
    return read_candidates(_SUITE, [("mt", str(folder))])


_SUITE = load_shipped(shipped_suites()[0]).suite
_DOCUMENT = f"{_SUITE.documents[0].id}.txt"

#: How a folder is made, how it is read, and one of its files.
FOLDERS: dict[str, tuple[Callable[[Path], None], Callable[[Path], object], str]] = {
    "source": (_mtme, lambda folder: read_bundle(folder, pair=PAIR), "sources/en-de.txt"),
    "reference": (_mtme, lambda folder: read_bundle(folder, pair=PAIR), "references/en-de.refA.txt"),
    "system": (_mtme, lambda folder: read_bundle(folder, pair=PAIR), "system-outputs/en-de/mt.txt"),
    "documents": (_mtme, lambda folder: read_bundle(folder, pair=PAIR), "documents/en-de.docs"),
    "human": (
        _mtme,
        lambda folder: read_score_folder(folder, pair=PAIR, human=True),
        "human-scores/en-de.mqm.sys.score",
    ),
    "metric": (
        _mtme,
        lambda folder: read_score_folder(folder, pair=PAIR, human=False),
        "metric-scores/en-de/apt-refA.sys.score",
    ),
    "sgm": (_files("a.sgm"), lambda folder: read_bundle(folder, pair=PAIR), "a.sgm"),
    "mmax": (_mmax, read_mmax2, "t.mmax"),
    "words": (_mmax, read_mmax2, "Basedata/t_words.xml"),
    "sentences": (_mmax, read_mmax2, "Markables/t_sentence_level.xml"),
    "coreference": (_mmax, read_mmax2, "Markables/t_coref_level.xml"),
    "whole documents": (_files("d.txt"), lambda folder: read_whole_documents(folder, ["d"]), "d.txt"),
    "chat": (_files("a.csv"), lambda folder: read_chat([str(folder)], pair="en-de"), "a.csv"),
    "mqm": (_files("en-de.jsonl"), lambda folder: read_bio_mqm(folder, pair="en-de"), "en-de.jsonl"),
    "dialogues": (_files("a.json"), read_diabla, "a.json"),
    "model": (_model, read_folder, CARD),
    "weights": (_model, read_folder, "weights"),
    "suite": (_suite, load_suite, "suite.toml"),
    "items": (_suite, load_suite, "items.jsonl"),
    "text": (_suite, load_suite, f"documents/source/{_DOCUMENT}"),
    "texts": (_suite, load_suite, "documents"),
    "candidate": (_files(_DOCUMENT), _candidate, _DOCUMENT),
    "language": (_packs, lambda folder: load_language("de", folder=folder), "de.toml"),
    "pair": (_packs, lambda folder: load_pair(PAIR, folder=folder), "en-de.toml"),
    "packs": (_packs, lambda folder: DocumentCutter(packs=folder, priors="none").method(PAIR), "en-de.toml"),
}


@pytest.mark.parametrize("kind", FOLDERS)
def test_no_reader_of_a_folder_follows_a_link_out_of_it(kind: str, tmp_path: Path) -> None:
    make, read, name = FOLDERS[kind]
    folder = tmp_path / "folder"
    folder.mkdir()
    make(folder)
    (folder / name).rename(tmp_path / "private")
    (folder / name).symlink_to(tmp_path / "private")
    with pytest.raises(UserError, match="the file is a link that leaves its folder"):
        read(folder)


@pytest.mark.parametrize("kind", [kind for kind in FOLDERS if kind not in ("texts", "model")])
def test_no_reader_of_a_folder_waits_for_a_pipe(kind: str, tmp_path: Path) -> None:
    make, read, name = FOLDERS[kind]
    folder = tmp_path / "folder"
    folder.mkdir()
    make(folder)
    (folder / name).unlink()
    os.mkfifo(folder / name)
    with pytest.raises(UserError, match="a device, a pipe or a socket"):
        read(folder)


def test_a_leaderboard_refuses_links_and_names_them(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "private").write_text("{}")
    (folder / "a.json").symlink_to(tmp_path / "private")
    with pytest.raises(UserError, match="no result file among 1 JSON files"):
        read_results(folder)
