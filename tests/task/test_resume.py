"""Finished parts survive an interruption, damaged ones are made again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from anaphor import languages
from anaphor.align import AlignerChoice
from anaphor.core import LanguagePair, OptionError
from anaphor.task.prepare.part_store import PartReport, PartStore, sum_reports
from anaphor.task.prepare.plan import PreparationPlan
from anaphor.task.prepare.preparation import LinkConfig, Preparation
from anaphor.task.prepare.texts import TextPair

KINDS = ("segments", "documents")
REPORT = PartReport(2, {"one side is empty": 1}, {"il": 2}, {"il": 1}, {"linked": 1}, ("a note",))


def opened(tmp_path: Path, job: str = "job-1") -> PartStore:
    return PartStore(tmp_path / "out.tsv", job=job, suffixes=KINDS)


def test_a_kept_part_is_found_by_the_next_run(tmp_path: Path) -> None:
    opened(tmp_path).keep(0, (b"a\n", b"d\n"), REPORT)
    again = opened(tmp_path)
    assert again.finished(0) == REPORT
    assert again.finished(1) is None


def test_another_job_starts_afresh(tmp_path: Path) -> None:
    opened(tmp_path).keep(0, (b"a\n", b"d\n"), REPORT)
    assert opened(tmp_path, job="job-2").finished(0) is None


@pytest.mark.parametrize(
    ("file", "content"),
    [("000000.segments", "b\n"), ("000000.json", "{"), ("000000.json", "[]"), ("000000.json", "{}")],
)
def test_a_damaged_part_is_not_finished(tmp_path: Path, file: str, content: str) -> None:
    parts = opened(tmp_path)
    parts.keep(0, (b"a\n", b"d\n"), REPORT)
    (parts.folder / file).write_text(content, encoding="utf-8")
    assert parts.finished(0) is None


def test_joining_writes_all_parts_in_order_and_removes_the_folder(tmp_path: Path) -> None:
    parts = opened(tmp_path)
    parts.keep(1, (b"b\n", b"e\n"), REPORT)
    parts.keep(0, (b"a\n", b"d\n"), REPORT)
    parts.join(2, [tmp_path / "out.tsv", tmp_path / "out.doc-ids"])
    assert (tmp_path / "out.tsv").read_bytes() == b"a\nb\n"
    assert (tmp_path / "out.doc-ids").read_bytes() == b"d\ne\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.doc-ids", "out.tsv"]


def test_a_folder_that_cannot_be_created_is_a_user_error(tmp_path: Path) -> None:
    (tmp_path / "out.tsv.parts").write_text("not a folder", encoding="utf-8")
    with pytest.raises(OptionError, match="cannot be written"):
        opened(tmp_path)


def test_reports_add_up_and_keep_each_note_once() -> None:
    other = PartReport(3, {"too long": 2}, {"il": 1, "on": 4}, {"on": 3}, {"relative": 5}, ("b", "a note"))
    whole = sum_reports([REPORT, other, REPORT])
    assert whole == PartReport(
        7,
        {"one side is empty": 2, "too long": 2},
        {"il": 5, "on": 4},
        {"il": 2, "on": 3},
        {"linked": 2, "relative": 5},
        ("a note", "b"),
    )
    assert PartReport.from_json(whole.to_dict()) == whole


PAIR = LanguagePair("en", "fr")


@pytest.fixture
def preparation(tmp_path: Path) -> Preparation:
    """Two texts, and links that are trained on both and on two more."""
    texts = [
        TextPair(source=str(tmp_path / f"{number}.en"), target=str(tmp_path / f"{number}.fr"))
        for number in range(4)
    ]
    for text in texts:
        for path in text.paths:
            Path(path).write_text(f"{Path(path).name}\n", encoding="utf-8")
    linking = LinkConfig(choice=AlignerChoice(pair=PAIR), extra=tuple(texts[2:]))
    return Preparation(tuple(texts[:2]), PreparationPlan(pair=PAIR), linking)


def test_everything_that_moves_the_output_makes_another_job(
    preparation: Preparation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or a run would go on from parts that were made of something else."""
    plan, linking = preparation.plan, preparation.linking
    changed = [
        preparation,
        replace(preparation, texts=preparation.texts[:1]),
        replace(preparation, texts=preparation.texts[::-1]),
        replace(preparation, plan=replace(plan, style=2015)),
        replace(preparation, plan=replace(plan, tokenized=True)),
        replace(preparation, linking=replace(linking, learn_from=7)),
        replace(preparation, linking=replace(linking, extra=linking.extra[:1])),
        replace(preparation, linking=replace(linking, extra=linking.extra[::-1])),
        replace(preparation, linking=replace(linking, choice=AlignerChoice(pair=PAIR, priors="none"))),
        replace(preparation, linking=replace(linking, file=linking.extra[0].source)),
        replace(preparation, linking=replace(linking, model=linking.extra[0].source)),
    ]
    jobs = [one.digest() for one in changed]
    for text in (*preparation.texts, *linking.extra):
        for name in text.paths:
            path = Path(name)
            path.write_text("changed\n", encoding="utf-8")
            jobs.append(preparation.digest())
            path.write_text(f"{path.name}\n", encoding="utf-8")
    # A pack of the same name with another content, in the same folder.
    packed = replace(preparation, plan=replace(plan, packs=tmp_path))
    pack = tmp_path / "fr.toml"
    own = (Path(languages.__file__).parent / "packs" / "fr.toml").read_text(encoding="utf-8")
    for comment in ("", "# mine\n"):
        pack.write_text(own + comment, encoding="utf-8")
        jobs.append(packed.digest())
    monkeypatch.setattr("anaphor.task.prepare.preparation.analysers_for", lambda _: (None, None))
    jobs.append(preparation.digest())
    assert len(set(jobs)) == len(jobs) == len(changed) + 8 + 3
    monkeypatch.undo()
    assert preparation.digest() == jobs[0]


def test_an_aligner_also_learns_from_all_additional_texts(preparation: Preparation) -> None:
    assert [words[0] for words, _ in preparation.extra()] == ["2", "3"]
    assert [words[0] for words, _ in preparation.pairs(step=2)] == ["0"]
