"""The commands of `anaphor bench`: files for other tools, results back, pages and tables."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from anaphor.bench import write_bench
from anaphor.bench.export import export_lm_eval, export_plain
from anaphor.bench.items import Bench
from anaphor.bench.translations import read_translations
from anaphor.cli.main import main
from anaphor.core import UserError
from tests.support.scores import BENCH, LAMP, LINES, ctranslate2, plain


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_bench(tmp_path / "bench.jsonl", BENCH)
    (tmp_path / "a.scores").write_text(plain())
    (tmp_path / "b.jsonl").write_text(ctranslate2())
    return tmp_path


def run(folder: Path, *arguments: str) -> int:
    verb, *rest = arguments
    return main(["bench", verb, str(folder / "bench.jsonl"), *rest])


def test_lines_are_exported_with_and_without_context(folder: Path) -> None:
    export_plain(BENCH, folder / "lines", separator=" <eos> ")
    files = {
        path.name: path.read_text(encoding="utf-8").splitlines() for path in (folder / "lines").iterdir()
    }
    assert files["source"] == ["It still works.", "I saw it.", "Drink it."]
    assert files["source.context"][0] == "The lamp is old. <eos> It still works."
    assert files["variants.target"] == LINES
    assert len(files["variants.source.context"]) == len(files["variants.ids"]) == len(LINES)
    assert json.loads(files["export.json"][0])["hash"] == BENCH.hash


def test_random_contexts_come_from_other_documents(tmp_path: Path) -> None:
    items = [
        replace(LAMP, id=f"{number}", source=(f"S{number}.", "It works."), context=(f"T{number}.",))
        for number in range(8)
    ]
    documents = [replace(item, document="ab"[place % 2]) for place, item in enumerate(items)]
    export_plain(Bench("x", BENCH.pair, "contrapro", tuple(documents)), tmp_path / "lines")
    files = {path.name: path.read_text().splitlines() for path in (tmp_path / "lines").iterdir()}
    for place, line in enumerate(files["source.random"]):
        assert line.endswith(" <SEP> It works.")
        assert int(line[1]) % 2 != place % 2
    for source, target in zip(files["variants.source.random"], files["variants.target.random"], strict=True):
        assert source[1] == target[1]
    assert len(set(files["source.random"])) > 2
    export_plain(Bench("x", BENCH.pair, "contrapro", (documents[0], documents[2])), tmp_path / "one")
    assert not (tmp_path / "one" / "source.random").exists()


def test_variants_are_exported_in_the_order_of_the_original(tmp_path: Path) -> None:
    bench = Bench("cat", BENCH.pair, "contracat", (replace(LAMP, correct_at=1),))
    export_plain(bench, tmp_path / "lines")
    assert (tmp_path / "lines" / "variants.target").read_text().splitlines() == [
        "Er funktioniert noch.",
        "Sie funktioniert noch.",
        "Es funktioniert noch.",
    ]


def test_a_folder_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "lines").mkdir()
    with pytest.raises(UserError, match="it exists already"):
        export_plain(BENCH, tmp_path / "lines")


def test_tasks_of_the_harness_have_shuffled_choices_and_the_hash(tmp_path: Path) -> None:
    items = tuple(replace(LAMP, id=str(at)) for at in range(30))
    bench = Bench("my set", BENCH.pair, "contrapro", items)
    export_lm_eval(bench, tmp_path / "tasks")
    lines = [json.loads(line) for line in (tmp_path / "tasks" / "items.jsonl").read_text().splitlines()]
    assert {line["answer"] for line in lines} == {0, 1, 2}
    for line in lines:
        assert line["choices"][line["answer"]] == LAMP.variants[0]
        assert [LAMP.variants[at] for at in line["order"]] == line["choices"]
        assert line["set_hash"] == bench.hash
    assert "lamp" in lines[0]["prompt"]
    assert "lamp" not in lines[0]["prompt_sentence"]
    assert "task: anaphor_my_set\n" in (tmp_path / "tasks" / "anaphor_my_set.yaml").read_text()


def test_tasks_of_the_harness_hold_no_absolute_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    export_lm_eval(BENCH, "tasks")
    tasks = list(Path("tasks").glob("*.yaml"))
    assert tasks
    for task in tasks:
        text = task.read_text(encoding="utf-8")
        assert '{"test": "tasks/items.jsonl"}' in text
        assert str(tmp_path) not in text


def test_results_are_imported_and_scored_again(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        run(folder, "import", "--scores", str(folder / "b.jsonl"), "--output", str(folder / "kept.jsonl"))
        == 0
    )
    assert (
        run(folder, "score", "--scores", str(folder / "kept.jsonl"), str(folder / "b.jsonl"), "--json") == 0
    )
    first, second = json.loads(capsys.readouterr().out)["scores"]
    assert first["outcomes"] == second["outcomes"]


def test_a_page_has_tables_examples_and_the_signature(folder: Path) -> None:
    page = folder / "page.html"
    assert run(folder, "score", "--scores", str(folder / "b.jsonl"), "--report", str(page)) == 0
    content = page.read_text(encoding="utf-8")
    assert "Ich habe ihn gesehen." in content  # the key is wrong, so it is an example
    assert "Sie funktioniert noch." not in content  # the lamp is right
    assert f"hash:{BENCH.hash}" in content


def test_a_table_for_a_paper_has_intervals_and_the_signature(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(folder, "score", "--scores", str(folder / "b.jsonl"), "--latex") == 0
    printed = capsys.readouterr().out
    assert r"\begin{table*}" in printed
    assert "33.3" in printed
    assert BENCH.hash in printed


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("score", "--scores", "b.jsonl", "--paired", "--samples", "10"), "10 resamples are too few"),
        (("score", "--scores", "b.jsonl", "--level", "95"), "confidence level"),
        (("score", "--scores", "a=b.jsonl", "a.scores"), "two systems have the name a: b.jsonl and a.scores"),
        (
            ("score", "--answers", "a=b.jsonl", "a.scores"),
            "two systems have the name a: b.jsonl and a.scores",
        ),
        (("score", "--scores", "missing.scores"), "cannot be read"),
        (("context", "--with", "a.scores", "--without", "a.scores", "--maximize", "--log-base", "0"), "base"),
    ],
)
def test_wrong_options_are_explained(
    arguments: tuple[str, ...],
    message: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(folder)
    assert run(folder, *arguments) == 1
    assert message in capsys.readouterr().err


def test_translations_come_from_lines_or_json_and_are_imported(folder: Path) -> None:
    lines = ["Sie funktioniert noch.", "Ich habe sie gesehen.", "Trink ihn."]
    (folder / "out.de").write_text("".join(f"{line}\n" for line in lines))
    assert read_translations(folder / "out.de", BENCH).lines == tuple(lines)
    rows = [
        {"id": item.id, "translation": line + "\n"} for item, line in zip(BENCH.items, lines, strict=True)
    ]
    (folder / "out.jsonl").write_text("".join(json.dumps(row) + "\n" for row in reversed(rows)))
    assert read_translations(folder / "out.jsonl", BENCH).lines == tuple(lines)
    kept = folder / "kept.jsonl"
    assert run(folder, "import", "--translations", str(folder / "out.de"), "--output", str(kept)) == 0
    assert read_translations(kept, BENCH).lines == tuple(lines)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"id": "lamp", "translation": "x"}], "there is no translation of item key"),
        ([{"id": "lamp", "translation": "x"}] * 2, "item lamp is translated twice"),
        ([{"id": "lump", "translation": "x"}], "has no item lump"),
        ([{"id": "lamp", "translation": "x", "set_hash": "0" * 12}], "another version"),
    ],
)
def test_translations_of_other_items_are_refused(
    rows: list[dict[str, str]], message: str, tmp_path: Path
) -> None:
    (tmp_path / "out.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(UserError, match=message):
        read_translations(tmp_path / "out.jsonl", BENCH)
