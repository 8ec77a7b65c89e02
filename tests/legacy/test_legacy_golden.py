"""The re-created tools against every stored output of the originals, byte by byte."""

from __future__ import annotations

import gzip
import os
import shutil
from pathlib import Path

import pytest

from anaphor.core import UserError
from anaphor.legacy import run_apt, run_autoprf, write

pytestmark = pytest.mark.filterwarnings("ignore::anaphor.core.InputWarning")

GOLDEN = Path(os.environ.get("ANAPHOR_GOLDEN", Path(__file__).resolve().parents[3] / "shared" / "golden"))


def names(folder: str, pattern: str = "*") -> list[str]:
    """The cases of a golden folder; one stand-in where it is absent, so that the skip is seen."""
    return sorted(path.name for path in (GOLDEN / folder).glob(pattern)) or ["absent"]


def test_names_finds_the_cases_of_the_golden_folder(golden_dir: Path) -> None:
    assert "m01_six_cases" in names("apt_micro")
    assert golden_dir == GOLDEN


def fails(case: Path) -> bool:
    return "exit: 0" not in (case / "expect.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", names("apt_micro"))
def test_apt_gives_the_files_and_the_console_of_a_small_case(
    golden_dir: Path, tmp_path: Path, name: str
) -> None:
    case, here = golden_dir / "apt_micro" / name, tmp_path / name
    shutil.copytree(case, here, ignore=shutil.ignore_patterns("out.*"))
    here.chmod(0o755)
    if fails(case):
        with pytest.raises(UserError):
            run_apt(here / "config", folder=here)
        return
    run = run_apt(here / "config", folder=here)
    written = [path.read_text(encoding="utf-8") for path in write(run)]
    assert written == [(case / f"out.{kind}").read_text(encoding="utf-8") for kind in ("score", "detail")]
    assert run.console == (case / "stdout.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("number", [1, 2])
def test_apt_gives_the_files_of_its_own_example(
    golden_dir: Path, data_dir: Path, tmp_path: Path, number: int
) -> None:
    golden = golden_dir / "apt_es-en"
    (tmp_path / "data_es-en").symlink_to(data_dir / "apt-es-en")
    run = run_apt(golden / f"config_{number}", folder=tmp_path)
    assert run.score_text == (golden / f"output{number}.score").read_text(encoding="utf-8")
    assert run.detail_text == (golden / f"output{number}.detail").read_text(encoding="utf-8")


@pytest.mark.parametrize("config", names("apt_discomt/configs"))
def test_apt_gives_the_files_of_the_news_set(golden_dir: Path, data_dir: Path, config: str) -> None:
    golden = golden_dir / "apt_discomt"
    stem = config.replace("cfg_", "out_", 1)
    run = run_apt(golden / "configs" / config, folder=golden_dir)
    assert run.score_text == (golden / "scores" / f"{stem}.score").read_text(encoding="utf-8")
    detail = golden / "details" / f"{stem}.detail.gz"
    if detail.exists():
        assert run.detail_text == gzip.decompress(detail.read_bytes()).decode("utf-8")


@pytest.mark.parametrize("name", names("autoprf/micro"))
def test_autoprf_prints_the_tables_of_a_small_case(golden_dir: Path, name: str) -> None:
    case = golden_dir / "autoprf" / "micro" / name
    arguments = [str(case / part) for part in ("ref", "cand", "docs")]
    if fails(case):
        with pytest.raises(UserError):
            run_autoprf(*arguments)
        return
    assert run_autoprf(*arguments) == (case / "stdout.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("candidate", "verbosity", "output"),
    [
        ("mt-output", 0, "discomt.v0.txt"),
        ("mt-output", 1, "discomt.v1.txt"),
        ("pronoun-test.tok", 0, "discomt.ref-vs-ref.v0.txt"),
    ],
)
def test_autoprf_prints_the_tables_of_the_news_set(
    golden_dir: Path, data_dir: Path, candidate: str, verbosity: int, output: str
) -> None:
    news = data_dir / "news-en-fr-autoprf"
    arguments = [str(news / part) for part in ("pronoun-test.tok", candidate, "doc-boundaries")]
    expected = (golden_dir / "autoprf" / output).read_text(encoding="utf-8")
    assert run_autoprf(*arguments, verbosity=verbosity) == expected


def test_autoprf_lists_the_words_of_every_pronoun_of_the_news_set(golden_dir: Path, data_dir: Path) -> None:
    news = data_dir / "news-en-fr-autoprf"
    arguments = [str(news / part) for part in ("pronoun-test.tok", "mt-output", "doc-boundaries")]
    expected = gzip.decompress((golden_dir / "autoprf" / "discomt.v2.instances.txt.gz").read_bytes())
    printed = run_autoprf(*arguments, verbosity=2).split("\n")
    assert [line for line in printed if " ||| " in line] == expected.decode("utf-8").splitlines()
