"""Long lines, deep groups, long notes, large casts: work and memory grow with the file, not its square."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from anaphor.check import CheckInput, CheckOptions, baseline, check_files, linking, units
from anaphor.check.cast import members, read_cast
from anaphor.check.doubts import suspect
from anaphor.check.findings import Kind
from anaphor.check.formats import read_units
from anaphor.check.units import LONGEST_NAME, UnitFile
from anaphor.core import LanguagePair, Settings

LANGUAGES = 'source-language="en" target-language="de"'
XLIFF_1 = f'<xliff version="1.2"><file original="f" {LANGUAGES}><body>{{}}</body></file></xliff>'
XLIFF_2 = (
    '<xliff version="2.0" srcLang="en" trgLang="de"><file id="f"><unit id="{id}">'
    "<notes><note>speaker: Mira</note><note>{note}</note></notes>{segments}</unit></file></xliff>"
)


class Counter:
    """Counts calls of a function."""

    def __init__(self, function: Any) -> None:
        self.function, self.calls = function, 0

    def __call__(self, *arguments: Any) -> Any:
        self.calls += 1
        return self.function(*arguments)


def counter(monkeypatch: pytest.MonkeyPatch, module: Any, name: str) -> Counter:
    counting = Counter(getattr(module, name))
    monkeypatch.setattr(module, name, counting)
    return counting


def written(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    return str(path)


def grouped(path: Path, names: list[str], number: int = 300) -> str:
    unit = '<trans-unit id="{}"><source>It</source><target>Es</target></trans-unit>'
    opening = "".join(f'<group resname="{name}">' for name in names)
    inside = "".join(map(unit.format, range(number)))
    return written(path, XLIFF_1.format(f"{opening}{inside}{'</group>' * len(names)}"))


def segmented(path: Path, number: int, id: str = "u", note: str = "-") -> UnitFile:
    segment = '<segment id="{}"><source>It</source><target>Es</target></segment>'
    segments = "".join(map(segment.format, range(number)))
    return read_units(written(path, XLIFF_2.format(id=id, note=note, segments=segments)))[0]


def test_units_share_the_name_of_their_groups_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = grouped(tmp_path / "x.xlf", ["a" * 10_000, "b" * 10_000] * 10)
    tracemalloc.start()
    file, _ = read_units(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(file.units) == 300
    assert peak < 20_000_000  # 60 MB where each unit has its own
    assert {len(unit.document) for unit in file.units} < {*range(2 * LONGEST_NAME)}
    monkeypatch.setattr(linking, "_linked", lambda rows, *_: rows)
    blocks: list[Any] = [*linking.linked_blocks([file], Settings(pair="en-de", metrics=("accept",)))]
    (rows,) = blocks
    assert len({id(row.document) for row in rows}) == 1


def test_long_names_of_groups_differ_where_only_their_ends_do(tmp_path: Path) -> None:
    long = "a" * 5000
    names = (["x", "y"], [long, "y"], [long, "z"], [f"{long}x", "y"])
    files = [read_units(grouped(tmp_path / f"{at}.xlf", each, 1))[0] for at, each in enumerate(names)]
    documents = [file.units[0].document for file in files]
    assert documents[0] == "f/x/y"
    assert len(set(documents)) == len(documents)


def test_segments_share_the_notes_and_the_name_of_their_unit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed = counter(monkeypatch, units, "directions")
    file = segmented(tmp_path / "x.xlf", 100, id="u" * 100_000)
    assert parsed.calls == 2
    assert {unit.speaker for unit in file.units} == {"Mira"}
    assert len({id(unit.notes) for unit in file.units}) == 1
    assert len({unit.id for unit in file.units}) == 100
    assert max(len(unit.id) for unit in file.units) < 2 * LONGEST_NAME


def test_notes_of_a_unit_are_searched_once_for_what_they_ignore(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = segmented(tmp_path / "x.xlf", 100, note="anaphor-ignore[cast, chain]")

    class Pattern:
        finditer = Counter(baseline._IGNORE.finditer)

    monkeypatch.setattr(baseline, "_IGNORE", Pattern)
    ignored = [
        (baseline.is_ignored(unit, Kind.CAST), baseline.is_ignored(unit, Kind.NUMBER)) for unit in file.units
    ]
    assert set(ignored) == {(True, False)}
    assert Pattern.finditer.calls == 2


@pytest.mark.parametrize(
    ("pair", "source", "target"),
    [
        ("en-fr", "the lamp is old and I view it ; ", "la maison est ancienne et la lampe tombe ; "),
        ("en-de", "the lamp is old and it shines ; ", "die Lampe ist alt und er leuchtet ; "),
    ],
)
def test_a_line_is_folded_once_for_all_its_pronouns(
    pair: str, source: str, target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path / "x.tsv", f"source\ttarget\n{source * 30}\t{target * 30}\n")
    folds = counter(monkeypatch, suspect, "fold")
    report = check_files(
        [CheckInput(path=path, pair=LanguagePair.parse(pair))], CheckOptions(fast=True, min_confidence=0.0)
    )
    assert report.pronouns == 30
    assert 0 < folds.calls < 1500  # ten thousand where each pronoun looks at the whole line


def test_names_of_a_large_cast_are_compared_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(
        tmp_path / "cast.toml",
        "".join(f'[[member]]\nname = "Member {at}"\npronouns = "she"\n' for at in range(300)),
    )
    folds = counter(monkeypatch, members, "fold")
    assert len(read_cast(path).members) == 300
    assert folds.calls < 3000
