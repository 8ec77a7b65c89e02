"""Preparation shard by shard: the bytes of one process, and only what is missing or changed is done."""

from __future__ import annotations

import gzip
import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from anaphor.align import AlignerChoice
from anaphor.align.aligners import BuiltInAligner
from anaphor.core import MismatchError, OptionError, UserError
from anaphor.scale.executor import LocalExecutor
from anaphor.scale.preparation import ShardedPreparation
from anaphor.scale.shards import shards_of
from anaphor.task.prepare.preparation import Preparation
from anaphor.task.prepare.texts import TextPair
from tests.support.shards import PAIR, preparation, write_shards


def prepare(job: Preparation, output: Path) -> str:
    """Prepare by shards in this process; what the executor says of its work."""
    executor = LocalExecutor()
    ShardedPreparation(job, executor, lambda _: None).run(output)
    return str(executor)


def manifest_of(folder: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    return content


@pytest.fixture
def model(tmp_path: Path, texts: list[TextPair]) -> str:
    path = tmp_path / "saved.model"
    BuiltInAligner(AlignerChoice(pair=PAIR)).train(preparation(texts).pairs()).save(path)
    return str(path)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "shards").mkdir()
    return tmp_path / "shards"


@pytest.mark.parametrize("name", ["train.tsv", "train.tsv.gz"])
@pytest.mark.parametrize("learn_from", [None, 70])
def test_a_file_has_the_bytes_of_one_process(
    tmp_path: Path, texts: list[TextPair], name: str, learn_from: int | None
) -> None:
    (tmp_path / "more").mkdir()
    extra = tuple(write_shards(tmp_path / "more", shards=2, pairs=40, seed=1))
    job = preparation(texts, learn_from=learn_from, extra=extra)
    expected = tmp_path / f"one-{name}"
    report = job.run(expected, workers=1, progress=lambda _: None)
    found = tmp_path / name
    assert ShardedPreparation(job, LocalExecutor(), lambda _: None).run(found) == report
    assert found.read_bytes() == expected.read_bytes()
    ids = "doc-ids.gz" if name.endswith("gz") else "doc-ids"
    assert (tmp_path / f"train.{ids}").read_bytes() == (tmp_path / f"one-train.{ids}").read_bytes()
    assert not (tmp_path / f"{name}.parts").exists()


def test_a_folder_has_a_file_for_every_shard_and_a_manifest_that_is_true(
    tmp_path: Path, texts: list[TextPair], folder: Path
) -> None:
    prepare(preparation(texts), folder)
    preparation(texts).run(tmp_path / "one.tsv", workers=1, progress=lambda _: None)
    manifest = manifest_of(folder)
    assert manifest["complete"] is True
    assert [shard["name"] for shard in manifest["shards"]] == [f"part-0{number}" for number in range(5)]
    assert manifest["total"]["segments"] == 300
    concatenate = b""
    for shard, text in zip(manifest["shards"], texts, strict=True):
        assert shard["counts"]["segments"] == 60
        assert shard["inputs"] == [
            {"file": Path(path).name, "sha256": hashlib.sha256(Path(path).read_bytes()).hexdigest()}
            for path in text.paths
        ]
        for path, facts in shard["outputs"].items():
            content = (folder / path).read_bytes()
            assert facts == {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        concatenate += gzip.decompress((folder / f"shards/{shard['name']}.tsv.gz").read_bytes())
    assert concatenate == (tmp_path / "one.tsv").read_bytes()
    # Beside that the folder keeps the aligner it has learned, and nothing that was only on the way.
    assert sorted(path.name for path in folder.iterdir()) == [
        "aligner.json",
        "aligner.model",
        "manifest.json",
        "shards",
    ]


def test_a_rerun_does_only_what_is_missing_or_changed(
    tmp_path: Path, texts: list[TextPair], folder: Path, model: str
) -> None:
    job = preparation(texts, model=model)
    prepare(job, folder)
    before = {path: path.read_bytes() for path in (folder / "shards").iterdir()}
    manifest = (folder / "manifest.json").read_bytes()
    (folder / "shards/part-01.tsv.gz").unlink()  # missing
    (folder / "shards/part-02.doc-ids.gz").write_bytes(b"damaged")
    assert "5 tasks, 0 of them finished before" not in prepare(job, folder)
    assert before == {path: path.read_bytes() for path in (folder / "shards").iterdir()}
    assert (folder / "manifest.json").read_bytes() == manifest
    # Five surveys, for what was read is not store with the results, and the one shard that changed.
    Path(texts[3].documents or "").write_text("other\n" * 60, encoding="utf-8")
    assert "10 tasks, 4 of them finished before" in prepare(job, folder)
    changed = {path.name for path, content in before.items() if path.read_bytes() != content}
    assert changed == {"part-03.doc-ids.gz", "part-03.json"}


def test_files_of_shards_that_are_no_more_go(texts: list[TextPair], folder: Path, model: str) -> None:
    prepare(preparation(texts, model=model), folder)
    prepare(preparation(texts[:2], model=model), folder)
    names = {path.name for path in (folder / "shards").iterdir()}
    endings = ("tsv.gz", "doc-ids.gz", "json")
    assert names == {f"part-0{number}.{ending}" for number in (0, 1) for ending in endings}


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-9])


def one_line_more(path: Path) -> None:
    path.write_bytes(path.read_bytes() + gzip.compress(b"one more\n"))


def not_text(path: Path) -> None:
    path.write_bytes(gzip.compress(b"caf\xe9\n" * 60))


@pytest.mark.parametrize(
    ("harm", "what"),
    [
        (cut_short, "the gzip file is broken or incomplete"),
        (one_line_more, "the file has more lines than"),
        (not_text, "byte 0xe9 is not valid UTF-8"),
        (Path.unlink, "the file cannot be read"),
    ],
)
def test_a_bad_shard_is_named_and_the_others_finish(
    tmp_path: Path, texts: list[TextPair], folder: Path, model: str, harm: Any, what: str
) -> None:
    sound = Path(texts[2].target).read_bytes()
    harm(Path(texts[2].target))
    job = preparation(texts, model=model)
    with pytest.raises(UserError, match=f"part-02: {what}") as caught:
        prepare(job, folder)
    assert "1 of 5 failed: part-02; the others are finished and kept" in caught.value.what
    manifest = manifest_of(folder)
    assert manifest["complete"] is False
    assert ["failed" in shard for shard in manifest["shards"]] == [False, False, True, False, False]
    assert manifest["shards"][2]["failed"]["where"].startswith(texts[2].target)
    Path(texts[2].target).write_bytes(sound)
    prepare(job, folder)
    assert manifest_of(folder)["complete"] is True


def test_no_model_is_learned_from_part_of_the_text(tmp_path: Path, texts: list[TextPair]) -> None:
    cut_short(Path(texts[4].target))
    with pytest.raises(UserError, match="part-04: the gzip file is broken"):
        prepare(preparation(texts), tmp_path / "train.tsv")
    assert not (tmp_path / "train.tsv").exists()
    assert not (tmp_path / "train.tsv.parts/aligner.model").exists()


def test_a_shard_that_cannot_be_written_stops_no_other(
    texts: list[TextPair], folder: Path, model: str
) -> None:
    # A folder in the way of the file: like a full disk, the system refuses to write.
    (folder / "shards/part-01.tsv.gz").mkdir(parents=True)
    with pytest.raises(UserError, match=r"part-01: the result of shards/part-01 cannot be written") as caught:
        prepare(preparation(texts, model=model), folder)
    assert "free some space" in caught.value.fix
    assert ["failed" in shard for shard in manifest_of(folder)["shards"]] == [
        False,
        True,
        False,
        False,
        False,
    ]
    (folder / "shards/part-01.tsv.gz").rmdir()
    assert "10 tasks, 9 of them finished before" in prepare(preparation(texts, model=model), folder)


def test_a_document_that_spans_shards_is_an_error(tmp_path: Path, texts: list[TextPair]) -> None:
    Path(texts[1].documents or "").write_text("a\n" * 59 + "shared\n", encoding="utf-8")
    Path(texts[2].documents or "").write_text("shared\n" + "b\n" * 59, encoding="utf-8")
    with pytest.raises(MismatchError, match="document shared spans two shards, part-01 and part-02"):
        prepare(preparation(texts), tmp_path / "train.tsv")


def test_documents_without_names_span_nothing(tmp_path: Path, texts: list[TextPair], model: str) -> None:
    for text in texts:
        Path(text.documents or "").write_text("0\n", encoding="utf-8")  # start lines: all are `document-0`
    prepare(preparation(texts, model=model), tmp_path / "starts.tsv")
    prepare(
        preparation([replace(text, documents=None) for text in texts], model=model), tmp_path / "none.tsv"
    )


def test_what_goes_through_the_whole_text_in_order_is_refused(tmp_path: Path, texts: list[TextPair]) -> None:
    job = preparation(texts, file=str(tmp_path / "links"))
    with pytest.raises(OptionError, match="cannot be done shard by shard"):
        prepare(job, tmp_path / "train.tsv")
    job = preparation(texts)
    job = replace(job, plan=replace(job.plan, analyser="conllu"))
    with pytest.raises(OptionError, match="cannot be done shard by shard"):
        prepare(job, tmp_path / "train.tsv")


def test_no_segments_at_all_is_an_error(tmp_path: Path) -> None:
    texts = write_shards(tmp_path, shards=2, pairs=0)
    with pytest.raises(UserError, match="the texts have no segments"):
        prepare(preparation([replace(text, documents=None) for text in texts]), tmp_path / "train.tsv")


def test_shards_have_names_of_their_own(texts: list[TextPair]) -> None:
    """Results are kept by the name of a shard: two of one name would overwrite each other."""
    apart = [shard.name for shard in shards_of(texts[:2])]
    assert len(set(apart)) == 2
    assert not any(name.startswith("00001-") for name in apart)
    twice = [shard.name for shard in shards_of([texts[0], texts[1], texts[0]], name="a/")]
    assert len(set(twice)) == 3
    assert [name.partition("-")[0] for name in twice] == ["a/00001", "a/00002", "a/00003"]
