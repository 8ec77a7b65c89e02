"""`anaphor annotate`: the whole way of a campaign on the command line, and how mistakes are explained."""

from __future__ import annotations

import contextlib
import io
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from anaphor.annotate.campaign.people import check_password
from anaphor.annotate.judging.answers import journal
from anaphor.annotate.store.database import Store, open_store
from anaphor.cli.main import build_parser, main
from anaphor.corpus import Text
from anaphor.suite import LoadedSuite, load_suite, write_suite

AnswerAll = Callable[..., int]
Run = Callable[..., str]


@pytest.fixture
def folder(
    loaded: LoadedSuite, candidates: dict[str, Text], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """A folder with the suite, its source and reference, and both systems; the commands run in it."""
    monkeypatch.chdir(tmp_path)
    write_suite(loaded.suite, "suite", texts=loaded.texts)
    write_texts(tmp_path, loaded, candidates)
    return tmp_path


def write_texts(folder: Path, loaded: LoadedSuite, candidates: dict[str, Text]) -> None:
    texts = {f"{name}.fr": text.lines for name, text in candidates.items()}
    sides = {"source.en": loaded.texts.source_lines, "reference.fr": loaded.texts.lines("reference")}
    for name, lines in (texts | sides).items():
        (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


@pytest.fixture
def run(folder: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command, which must end with a code; its output."""

    def go(*arguments: str, code: int = 0) -> str:
        assert main(list(arguments)) == code
        captured = capsys.readouterr()
        return captured.out if code == 0 else captured.out + captured.err

    return go


INIT = ("annotate", "init", "c.db", "--suite", "suite", "--candidate", "alpha.fr", "beta.fr", "--annotators")


def test_a_campaign_from_beginning_to_end(run: Run, answer_all: AnswerAll, folder: Path) -> None:
    created = json.loads(run(*INIT, "ann", "bob", "--overlap", "0.5", "--json"))
    assert (created["items"], created["units"]) == (34, 68)
    assert created["annotators"].keys() == {"ann", "bob"}
    made = json.loads(run("annotate", "link", "c.db", "--add", "ann", "--url", "https://x.org/", "--json"))
    assert made["ann"].startswith("https://x.org/enter/")
    (link,) = json.loads(run("annotate", "link", "c.db", "--json"))
    assert (link["person"], link["state"]) == ("ann", "valid")
    assert "revoked" in run("annotate", "link", "c.db", "--revoke", link["link"])

    store = open_store("c.db")
    answer_all(store, share=0.9)
    store.close()
    status = json.loads(run("annotate", "status", "c.db", "--json", "--target", "0.1"))
    assert status["answered"] == sum(one["done"] + one["conflicts"] for one in status["progress"])
    assert status["agreement"][-1]["category"] == "total"
    text = run("annotate", "status", "c.db")
    assert "anaphor-en-fr (judge)" in text
    assert "disagreements without a decision" in text

    run("annotate", "backup", "c.db", "--output", "copy.db")
    assert "0 new answers" in run("annotate", "merge", "c.db", "copy.db")
    run("annotate", "export", "c.db", "--format", "jsonl", "--output", "answers.jsonl")
    assert "0 new answers" in run("annotate", "import", "c.db", "answers.jsonl", "--format", "jsonl")
    assert run("annotate", "check", "c.db").count("ok") == 5
    run("annotate", "approve", "c.db", "--suite", "suite", "--output", "suite-2")
    before, after = (
        sum(len(i.alternatives) for i in load_suite(s).suite.items) for s in ("suite", "suite-2")
    )
    assert after > before


def test_agreement_is_what_meta_prints_for_the_exported_file(run: Run, answer_all: AnswerAll) -> None:
    """`meta` joins judgements with the items of a score; these are made up, the judgements are exported."""
    run(*INIT, "ann", "bob", "cem", "--overlap", "0.6")
    store = open_store("c.db")
    answer_all(store)
    store.close()
    run("annotate", "export", "c.db", "--format", "judgements", "--output", "judgements.tsv")
    judged = [line.split("\t")[:2] for line in Path("judgements.tsv").read_text("utf-8").splitlines()[1:]]
    items = ["system\tid\toutcome", *sorted({f"{system}\t{key}\tidentical" for system, key in judged})]
    Path("items.tsv").write_text("\n".join(items) + "\n", encoding="utf-8")
    files = ("--items", "items.tsv", "--judgements", "judgements.tsv")
    meta = json.loads(run("meta", "cases", *files, "--json"))["agreement"]
    status = json.loads(run("annotate", "status", "c.db", "--json"))["agreement"][-1]
    names = {
        "observed": "observed",
        "fleiss-kappa": "fleiss",
        "krippendorff-alpha": "alpha",
        "gwet-ac1": "ac1",
    }
    assert len(meta) == len(names)
    for one in meta:
        mine = status[names[one["coefficient"]]]
        assert (mine["value"], mine["interval"]) == (one["value"], one["interval"])


@pytest.fixture(scope="module")
def scored(
    loaded: LoadedSuite, candidates: dict[str, Text], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A folder with the result of a score and its items."""
    folder = tmp_path_factory.mktemp("scored")
    write_texts(folder, loaded, candidates)
    with contextlib.chdir(folder):
        files = ("--source", "source.en", "--reference", "reference.fr", "--candidate", "alpha.fr", "beta.fr")
        made = ("--metrics", "apt", "--output", "result.json", "--items", "items.tsv")
        assert main(["score", "--pair", "en-fr", *files, *made]) == 0
    return folder


@pytest.fixture
def planned(run: Run, scored: Path) -> Callable[..., None]:
    """Makes a plan, `plan.json`, for a number of judgements."""

    def plan(budget: int, *options: str) -> None:
        for name in ("result.json", "items.tsv"):
            shutil.copy(scored / name, name)
        given = ("result.json", "--items", "items.tsv", "--budget", str(budget), *options)
        run("estimate", "plan", *given, "--output", "plan.json")

    return plan


def test_a_plan_is_judged_and_estimated(
    run: Run, answer_all: AnswerAll, planned: Callable[..., None]
) -> None:
    planned(30, "--least", "8")
    created = json.loads(run(*INIT, "ann", "bob", "--plan", "plan.json", "--json"))
    content = json.loads(Path("plan.json").read_text("utf-8"))
    assert created["units"] == len(content["items"]) == 30
    store = open_store("c.db")
    answer_all(store)
    store.close()
    status = json.loads(run("annotate", "status", "c.db", "--target", "0.05", "--json"))
    run("annotate", "export", "c.db", "--format", "final", "--output", "final.tsv")
    judged = ("--plan", "plan.json", "--judgements", "final.tsv", "--target", "0.05", "--json")
    estimate = json.loads(run("estimate", "run", "result.json", *judged))
    assert estimate["planned"] == 30
    assert status["more"] == sum(one["judgements"] for one in estimate["more"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"id": "9999:0"}, "no token 0 in segment 9999"),
        ({"id": "0:0"}, "not an evaluated pronoun"),
        ({"id": "somewhere"}, "unknown item of the plan"),
        ({"document": "elsewhere"}, "elsewhere in the plan"),
    ],
)
def test_a_plan_that_is_not_about_the_suite_is_refused(
    run: Run, planned: Callable[..., None], change: dict[str, str], message: str
) -> None:
    planned(20)
    content: dict[str, Any] = json.loads(Path("plan.json").read_text("utf-8"))
    content["items"][0] |= change
    Path("plan.json").write_text(json.dumps(content), encoding="utf-8")
    output = run(*INIT, "ann", "--plan", "plan.json", code=1)
    assert message in output
    alone = [one for one in INIT if one != "beta.fr"]
    assert "beta, which is not among the candidates" in run(*alone, "ann", "--plan", "plan.json", code=1)
    assert not Path("c.db").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((*INIT, "ann", "ann"), "duplicate annotators"),
        ((*INIT, "ann", "--overlap", "2"), "overlap must be between 0 and 1, got 2.0"),
        ((*INIT, "ann", "--plan", "no.json"), "cannot be read"),
        ((*INIT[:3], "--suite", "no", *INIT[5:], "ann"), "no"),
        (("annotate", "status", "no.db"), "file not found"),
        (("annotate", "export", "suite/suite.toml", "--format", "csv", "--output", "x"), "not a database"),
        (("annotate", "backup", "no.db", "--output", "x.db"), "file not found"),
        (("annotate", "serve", "no.db", "--no-open"), "file not found"),
        (("annotate", "status", "postgresql://lea:secret@localhost/c"), "has a password"),
        (("annotate", "serve", "a=postgresql://lea:secret@localhost/c", "--no-open"), "has a password"),
        (("annotate", "status", "postgresql://lea@localhost/c?password=secret"), "has a password"),
        (("annotate", "merge", "c.db", "postgresql://lea:secret@localhost/c"), "has a password"),
        (("annotate", "status", "postgresql://lea@127.0.0.1:9/c?application_name=a:b"), "does not answer"),
    ],
)
def test_errors_are_explained(run: Run, arguments: tuple[str, ...], message: str) -> None:
    output = run(*arguments, code=1)
    assert "error:" in output
    assert "fix:" in output
    assert message in output
    assert "secret" not in output
    assert not Path("c.db").exists()


def test_a_candidate_with_too_few_lines_is_named(run: Run) -> None:
    Path("beta.fr").write_text("one line\n", encoding="utf-8")
    output = run(*INIT, "ann", code=1)
    assert "beta.fr:2" in output
    assert "30" in output


def test_a_number_of_annotators_gives_them_names(run: Run) -> None:
    created = json.loads(run(*INIT, "3", "--json"))
    assert list(created["annotators"]) == ["annotator-1", "annotator-2", "annotator-3"]
    assert "annotator-4: 0 of" in run("annotate", "annotator", "c.db", "--add", "annotator-4")
    assert "annotator-4: 0 of" in run("annotate", "annotator", "c.db", "--end", "annotator-4")
    assert "no longer active" in run("annotate", "annotator", "c.db")


def test_a_password_comes_from_standard_input(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run(*INIT, "ann")
    monkeypatch.setattr(sys, "stdin", io.StringIO("correct horse battery\n"))
    assert "can sign in" in run("annotate", "lead", "c.db", "--add", "lea")
    monkeypatch.setattr(sys, "stdin", io.StringIO("another long password\n"))
    run("annotate", "lead", "c.db", "--password", "lea")
    store: Store = open_store("c.db")
    assert check_password(store, "lea", "another long password") is not None
    assert check_password(store, "lea", "correct horse battery") is None
    store.close()


def test_an_annotator_has_no_password_and_the_fix_is_a_command_that_exists(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(*INIT, "ann")
    monkeypatch.setattr(sys, "stdin", io.StringIO("correct horse battery\n"))
    output = run("annotate", "lead", "c.db", "--password", "ann", code=1)
    assert "ann is an annotator and has no password" in output
    _, _, command = output.partition("anaphor annotate link")
    options = build_parser().parse_args(["annotate", "link", *command.split()])
    assert (options.database, options.add) == ("DATABASE", ["NAME"])


def test_a_conflict_is_shown_and_gives_an_exit_code(run: Run, answer_all: AnswerAll) -> None:
    run(*INIT, "ann", "--overlap", "0")
    run("annotate", "backup", "c.db", "--output", "copy.db")
    for path, seed in (("c.db", 1), ("copy.db", 2)):
        store = open_store(path)
        answer_all(store, seed=seed)
        store.close()
    store = open_store("c.db")
    before = journal(store)
    output = run("annotate", "merge", "c.db", "copy.db", code=1)
    assert (
        output.count("conflict: ann, example") == output.count("  here:  ") == output.count("  there: ") > 5
    )
    assert "nothing written" in output
    report = json.loads(run("annotate", "merge", "c.db", "copy.db", "--skip", "--json"))
    assert report["conflicts"]
    assert journal(store) == before
    store.close()


def test_several_copies_give_one_document_and_one_exit_code(run: Run, answer_all: AnswerAll) -> None:
    """A conflict in any copy gives the code 1; a dry run and a merge that was written give 0."""
    run(*INIT, "ann", "--overlap", "0")
    for name in ("one.db", "two.db"):
        run("annotate", "backup", "c.db", "--output", name)
    for path, seed in (("c.db", 1), ("two.db", 2)):
        with open_store(path) as store:
            answer_all(store, seed=seed)
    for copies, codes in ((("one.db", "two.db"), (1, 0, 0)), (("two.db", "one.db"), (1, 0, 0))):
        for rules, code in zip(((), ("--dry-run",), ("--skip",)), codes, strict=True):
            output = run("annotate", "merge", "c.db", *copies, *rules, "--json", code=code)
            reports = json.loads(output)
            assert [one["file"] for one in reports] == list(copies)
            assert sorted(bool(one["conflicts"]) for one in reports) == [False, True]
            assert {one["written"] for one in reports} == {"--skip" in rules}
    assert json.loads(run("annotate", "merge", "c.db", "one.db", "--json"))["written"]
    assert run("annotate", "merge", "c.db", "one.db", "one.db").count("written\n") == 2


def test_help_needs_none_of_the_heavy_packages() -> None:
    code = (
        "import sys\nfrom anaphor.cli.main import build_parser\nbuild_parser().format_help()\n"
        "heavy = {'sqlalchemy', 'litestar', 'argon2', 'uvicorn', 'jinja2', 'psycopg', 'numpy'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
