"""A story in four languages, clean and with thirty contradictions of its cast in each translation."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from anaphor.check import CheckInput, CheckOptions, CheckReport, check_files
from anaphor.check.cast import read_cast
from anaphor.core import LanguagePair

DATA = Path(__file__).parent / "data"
CAST = read_cast(str(DATA / "story-cast.toml"))


def checked(language: str, path: Path) -> CheckReport:
    file = CheckInput(
        path=str(path),
        pair=LanguagePair("en", language),
        columns={"source": "en", "target": language},
    )
    return check_files([file], CheckOptions(cast=CAST))


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def with_contradictions(language: str, folder: Path) -> tuple[Path, set[str]]:
    """The story with every contradiction of one translation, and the units that have one."""
    lines = {row["id"]: row for row in rows(DATA / "story.tsv")}
    planted = set()
    for change in rows(DATA / "story-contradictions.tsv"):
        if change["language"] == language:
            line = lines[change["id"]]
            assert line[language].count(change["right"]) == 1, change
            line[language] = line[language].replace(change["right"], change["wrong"])
            planted.add(change["id"])
    path = folder / "story.tsv"
    table = "\n".join("\t".join(line.values()) for line in lines.values())
    path.write_text("\t".join(lines["1"]) + "\n" + table + "\n", encoding="utf-8")
    return path, planted


@pytest.mark.parametrize("language", ["de", "fr", "es"])
def test_nothing_is_found_in_the_clean_story(language: str) -> None:
    report = checked(language, DATA / "story.tsv")
    assert report.units == 80
    assert [(finding.unit, finding.word, finding.reason) for finding in report.findings] == []


@pytest.mark.parametrize("language", ["de", "fr", "es"])
def test_nine_of_ten_contradictions_are_found(language: str, tmp_path: Path) -> None:
    path, planted = with_contradictions(language, tmp_path)
    assert len(planted) == 30
    found = {finding.unit for finding in checked(language, path).findings}
    assert len(planted & found) >= 27, sorted(planted - found, key=int)
    assert not found - planted
