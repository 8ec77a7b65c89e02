"""`anaphor legacy`: the released tools through the command line. Their numbers are tested in tests/legacy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

Command = Callable[..., tuple[int, str, str]]
CONFIG = """\
[lang]
source: en
target: fr
source_word_separator:
target_word_separator:
[files]
source: src.en
reference: ref.fr
target: a.fr
alignment_source_reference: ref.align
alignment_source_target: a.align
list_source_pronouns: list_src
input_type: word
list_target_pronouns: list_tgt
[dictionary]
equal: equal
similar: similar
source_pronouns:
target_pronouns:
[cases]
cases_to_use: 1,2,3,4,5,6
weigths_per_case: 1,0.5,0,0,0,0
count_OTHER_as_equal: false
[output]
output_file: out
counting_multiword_in_matrix: false
max_length_matrix: 15
"""
LISTS = {
    "config": CONFIG,
    "list_src": "it\nthey\n",
    "list_tgt": "il\nelle\nils\nelles\nce\nc'\non\nça\nç'\ncela\n",
    "equal": "ce,c'\nça,ç',cela\n",
    "similar": "ce,il\nce,ça\n",
}


@pytest.fixture
def apt_files(folder: Path) -> Path:
    """The configuration and lists of the original APT for the experiment of conftest.py."""
    for name, content in LISTS.items():
        (folder / name).write_text(content, encoding="utf-8")
    return folder


@pytest.fixture
def autoprf_files(folder: Path) -> Path:
    """The experiment of conftest.py under the names that AutoPRF expects, as two documents."""
    for stem, text, links in (("ref", "ref.fr", "ref.align"), ("cand", "a.fr", "a.align")):
        (folder / f"{stem}.en").write_bytes((folder / "src.en").read_bytes())
        (folder / f"{stem}.fr").write_bytes((folder / text).read_bytes())
        (folder / f"{stem}.en-fr.alig").write_bytes((folder / links).read_bytes())
    (folder / "starts").write_text("0 weather\n2 people\n", encoding="utf-8")
    return folder


def test_apt_writes_its_two_files(anaphor: Command, apt_files: Path) -> None:
    """The six cases of system a in conftest.py; nothing in it depends on repair."""
    code, out, err = anaphor("legacy", "apt", "config")
    assert (code, err) == (0, "")
    assert out
    score = (apt_files / "out.score").read_text(encoding="utf-8").splitlines()
    assert score[0] == "Score: 0.5000"
    assert score[3:5] == ["Findings per case: 3,1,2,0,1,0", "Total findings: 7"]
    detail = (apt_files / "out.detail").read_text(encoding="utf-8").splitlines()
    assert len(detail) == 8
    assert detail[4] == "3\t0\tit\t0\tc'\t0\til\t2"


def test_apt_with_a_faulty_configuration_writes_nothing(anaphor: Command, apt_files: Path) -> None:
    (apt_files / "config").write_text(CONFIG.replace("source: src.en", "source: none"), encoding="utf-8")
    code, out, err = anaphor("legacy", "apt", "config")
    assert (code, out) == (1, "")
    assert err.startswith("error: ")
    assert "\nwhere: " in err
    assert "\nfix:   " in err
    assert not list(apt_files.glob("out.*"))


@pytest.mark.parametrize(
    ("options", "lines"),
    [
        (["--verbosity", "0"], ["it      3/   4   0.7500      3/   4   0.7500   0.7500"]),
        ([], ["weather", "people"]),
        (["--verbosity", "2"], ["they ||| Elles ||| Ils"]),
    ],
)
def test_autoprf_prints_its_tables(
    anaphor: Command, autoprf_files: Path, options: list[str], lines: list[str]
) -> None:
    """it: Il, il and le match of four; the words of conftest.py are compared as they are."""
    code, out, err = anaphor("legacy", "autoprf", "ref", "cand", "starts", *options)
    assert (code, err) == (0, "")
    for line in lines:
        assert line in out
    assert "4/   7   0.5714      4/   6   0.6667   0.6154" in out


def test_autoprf_with_other_suffixes(anaphor: Command, autoprf_files: Path) -> None:
    for stem in ("ref", "cand"):
        (autoprf_files / f"{stem}.en").rename(autoprf_files / f"{stem}.eng")
        (autoprf_files / f"{stem}.en-fr.alig").rename(autoprf_files / f"{stem}.eng-fr.alig")
    code, out, _ = anaphor("legacy", "autoprf", "ref", "cand", "starts", "--source", "eng")
    assert code == 0
    assert "TOTAL" in out


def test_autoprf_without_its_files(anaphor: Command, autoprf_files: Path) -> None:
    code, out, err = anaphor("legacy", "autoprf", "none", "cand", "starts")
    assert (code, out) == (1, "")
    assert "\nwhere: none.en\n" in err
