"""The catalogue: every set is complete, files are compared with it, and benches come out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from anaphor.bench import bench_sets, check_files, make_from_files, read_bench
from anaphor.bench.readers import FORMATS
from anaphor.cli.main import main
from anaphor.core import OptionError, UnknownNameError


def test_every_set_has_a_reader_that_takes_its_files() -> None:
    for one in bench_sets().values():
        assert len(one.files) == len(one.reader.files), one.name
        assert all(version.pair in ("", *one.pairs) for version in one.versions), one.name
        assert all(len(md5) == 32 for version in one.versions for md5 in version.md5), one.name
    assert {one.format for one in bench_sets().values()} == set(FORMATS)
    # The two sets of GATE are the two directions of one file.
    hashes = [
        (version.md5, one.format) for one in bench_sets().values() for version in one.versions if version.md5
    ]
    assert len(set(hashes)) == len(hashes)


@pytest.fixture
def anaphora(tmp_path: Path) -> str:
    block = {
        "src": ["The lamp is new.", "It works."],
        "trg": [
            {
                "correct": ["La lampe est neuve.", "Elle marche."],
                "incorrect": ["La lampe est neuve.", "Il marche."],
                "type": "f.sg",
            }
        ],
    }
    path = tmp_path / "anaphora.json"
    path.write_text(json.dumps({"1": block}), encoding="utf-8")
    return str(path)


def test_a_bench_is_made_and_files_that_are_no_known_version_are_told(
    anaphora: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = str(tmp_path / "bench.jsonl")
    assert main(["bench", "make", "disceval-anaphora", anaphora, "--output", output]) == 0
    assert read_bench(output) == make_from_files("disceval-anaphora", [anaphora])
    assert main(["bench", "check", "disceval-anaphora", anaphora]) == 1
    told = capsys.readouterr()
    assert "no known version has these files (1 item); known: v2 (200 items)" in told.out
    assert "the files are not a known version" in told.err


def test_a_set_with_several_pairs_asks_for_one(tmp_path: Path) -> None:
    path = tmp_path / "en.txt"
    path.write_text("male\t1\tThe nurse slept.\tnurse\n", encoding="utf-8")
    with pytest.raises(OptionError, match="which language pair"):
        make_from_files("winomt", [path])
    assert str(make_from_files("winomt", [path], pair="en-de").pair) == "en-de"
    with pytest.raises(OptionError, match="2 files for winomt, which has 1"):
        make_from_files("winomt", [path, path], pair="en-de")
    with pytest.raises(UnknownNameError, match="did you mean winomt"):
        make_from_files("winomd", [path])


def test_lists(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "list", "--json"]) == 0
    assert {one["name"] for one in json.loads(capsys.readouterr().out)} == set(bench_sets())
    assert main(["bench", "list", "ctxpro-auxiliary"]) == 0
    told = capsys.readouterr().out
    assert "github.com/rewicks/ctxpro" in told
    assert "bc9dcdd998a98114db574b12d2460109" in told
    assert main(["bench", "list", "contrapro", "lopes"]) == 0
    told = capsys.readouterr().out
    assert "name: contrapro" in told
    assert "name: lopes" in told


#: Sets in the folder of real data: name, files, version, items.
HERE = (
    ("contrapro", ["contrapro-en-de/modified_contrapro_subset.maria.json.gz"], "ContraCAT, possessive", 3848),
    ("contrapro-context", ["contrapro-en-de/with-context.every-fourth.jsonl.gz"], "every fourth group", 3001),
    ("lopes-jsonl", ["contrastive-lopes-en-fr/items.every-fourth.jsonl.gz"], "every fourth pair", 3500),
    ("disceval-anaphora", ["contrastive-bawden-en-fr/anaphora.json"], "v2", 200),
    ("disceval-lexical", ["contrastive-bawden-en-fr/lexical-choice.json"], "v2", 200),
    ("ctxpro-gender", ["ctxpro-en-es/gender.opensubtitles.en-es.dev.json.gz"], "en-es dev", 3501),
    ("ctxpro-auxiliary", ["ctxpro-paper/auxiliary.opensubtitles.en-fr.test.json.gz"], "en-fr test", 8322),
    (
        "ctxpro-formality",
        ["ctxpro-paper/mini.formality.opensubtitles.en-de.test.json.gz"],
        "en-de test",
        10800,
    ),
    (
        "scat",
        [f"scat-en-fr/highlighted.valid{end}" for end in (".en", ".fr", ".context.en", ".context.fr")],
        "valid",
        145,
    ),
)


@pytest.mark.parametrize(("name", "files", "version", "items"), HERE, ids=[one[0] for one in HERE])
def test_the_sets_here_are_known_versions(
    name: str, files: list[str], version: str, items: int, data_dir: Path
) -> None:
    found = check_files(name, [data_dir / file for file in files])
    assert found.version.startswith(version)
    assert len(found.bench.items) == items
    assert not found.problems


def test_counts_of_the_contrastive_sets(data_dir: Path) -> None:
    """field.md 1.1, 1.2: about a third each of er, sie, es and a quarter each of il, elle, ils, elles."""
    lopes = make_from_files("lopes-jsonl", [data_dir / HERE[2][1][0]])
    forms = [item.expected[0] for item in lopes.items]
    assert {form: forms.count(form) for form in ("il", "elle", "ils", "elles")} == {
        "il": 878,
        "elle": 887,
        "ils": 848,
        "elles": 885,
    }
    assert all(len(item.variants) == 2 for item in lopes.items)
    context = make_from_files("contrapro-context", [data_dir / HERE[1][1][0]])
    sizes = [len(item.variants) for item in context.items]
    assert (sizes.count(3), sizes.count(4), len(sizes)) == (2994, 7, 3001)
    text = make_from_files(
        "disceval-text",
        [
            data_dir / f"contrastive-bawden-en-fr/anaphora.{part}"
            for part in ("prev.en", "current.en", "prev.fr", "current.fr")
        ],
    )
    anaphora = make_from_files("disceval-anaphora", [data_dir / HERE[3][1][0]])
    assert [one.variants for one in text.items] == [one.variants for one in anaphora.items]
    assert len({one.group for one in anaphora.items}) == 50
