"""Licences, version and source distribution: what the metadata say is what the package holds."""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

import anaphor
from anaphor.cli.main import main
from anaphor.core.learned import research_folder
from anaphor.core.licences import Licences, read_licences
from anaphor.predict.detector.large.adapter import read_card
from anaphor.predict.detector.large.gguf import BASES

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
RESEARCH = ROOT / "packages" / "anaphor-research"
#: The packages of both distributions.
PACKAGES = {
    "anaphor": ROOT / "src" / "anaphor",
    "anaphor-research": RESEARCH / "src" / "anaphor_research",
}
LARGE = ROOT / "models" / "detector-large"
#: Folders of data that was learned from third-party text: those with a counterpart for research, and others.
TWICE = {
    "analyse/models/en",
    "analyse/models/fr",
    "analyse/models/function-of-it",
    "antecedents/models/de",
    "antecedents/models/en",
    "antecedents/models/es",
    "antecedents/models/fr",
    "predict/detector/model",
    "predict/models/anaphor-2-es",
    "predict/models/anaphor-2-small",
    "predict/pointer/model",
    "verdict/model",
}
ONCE = {
    *("align/priors_data", "analyse/genders", "segment/edges"),
    *(f"analyse/models/{language}" for language in ("de", "es", "it", "pt")),
}
LEARNED = {
    *(("anaphor", name) for name in TWICE | ONCE),
    *(("anaphor-research", name) for name in TWICE),
}


@pytest.fixture(scope="module")
def licences() -> Licences:
    if research_folder() is None or not RESEARCH.is_dir():
        pytest.skip("anaphor-research is not installed, or this is a source distribution without it")
    return read_licences()


@pytest.mark.parametrize("folder", [ROOT, RESEARCH], ids=list(PACKAGES))
def test_the_metadata_name_every_licence(folder: Path, licences: Licences) -> None:
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    own = Licences(tuple(one for one in licences.components if one.distribution == project["name"]))
    assert set(project["license"].split(" AND ")) == set(own.expression().split(" AND "))
    assert ("NC" in project["license"]) == (folder == RESEARCH)
    assert {(one.distribution, one.folder) for one in licences.components} == {("anaphor", "."), *LEARNED}


@pytest.mark.parametrize(("owner", "folder"), sorted(LEARNED))
def test_learned_data_has_a_card_and_a_licence(owner: str, folder: str, licences: Licences) -> None:
    (card,) = (one for one in licences.components if (one.distribution, one.folder) == (owner, folder))
    notice = (PACKAGES[owner] / folder / "LICENSE").read_text(encoding="utf-8")
    readme = (PACKAGES[owner] / folder / "README.md").read_text(encoding="utf-8")
    assert all(f"SPDX: {name}" in notice for name in card.licence.split(" AND "))
    assert card.data
    for command in card.make:
        assert command in readme
        _, script, *rest = command.split()
        # A script by its path, or a module of the repository.
        assert (ROOT / (f"{rest[0].replace('.', '/')}.py" if script == "-m" else script)).is_file()


def test_weights_lie_only_in_folders_with_a_card() -> None:
    """A new model file without a card would be distributed under a licence that nobody chose."""
    large = {
        (owner, path.parent.relative_to(package).as_posix())
        for owner, package in PACKAGES.items()
        for path in package.rglob("*")
        if path.is_file()
        and path.suffix in {".npz", ".prior", ".gz", ".safetensors"}
        and "__pycache__" not in path.parts
    }
    assert large <= LEARNED


@pytest.mark.skipif(not LARGE.is_dir(), reason="a source distribution leaves the folder models out")
class TestLargeDetector:
    """Its adapter is in the repository and not in the package."""

    def test_it_is_outside_the_package_and_has_its_licence(self) -> None:
        assert not [package for package in PACKAGES.values() if package in LARGE.parents]
        card = tomllib.loads((LARGE / "card.toml").read_text(encoding="utf-8"))
        notice = (LARGE / "LICENSE").read_text(encoding="utf-8")
        readme = (LARGE / "README.md").read_text(encoding="utf-8")
        assert all(f"SPDX: {name}" in notice for name in card["licence"].split(" AND "))
        assert all(f"| {one['name']} | {one['licence']} |" in readme for one in card["data"])
        assert all(command in readme for command in card["make"])
        assert BASES[card["base"]].sha256 in readme

    def test_the_adapter_says_what_the_card_says(self) -> None:
        path = LARGE / "adapter.safetensors"
        if not path.is_file():
            pytest.skip("the adapter is not in this checkout")
        card, found = tomllib.loads((LARGE / "card.toml").read_text(encoding="utf-8")), read_card(path)
        assert (found.base, found.base_sha256) == (card["base"], BASES[card["base"]].sha256)
        assert (found.licence, list(found.languages)) == (card["licence"], card["languages"])
        assert list(found.trained_on) == card["data"]
        assert path.stat().st_size < 10_000_000


@pytest.mark.usefixtures("licences")
def test_licences_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--licences"]) == 0
    assert "anaphor-2-small (anaphor-research): CC-BY-NC-SA-4.0" in capsys.readouterr().out
    assert main(["list", "--licences", "--json"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["licence"].startswith("Apache-2.0 AND ")
    assert content["components"][1]["data"][0]["name"] == "Europarl"


def test_the_version_is_in_one_place() -> None:
    provider = PROJECT["tool"]["scikit-build"]["metadata"]["version"]
    assert PROJECT["project"]["dynamic"] == ["version"]
    assert provider["input"] == "src/anaphor/__init__.py"
    text = (ROOT / provider["input"]).read_text(encoding="utf-8")
    assert text.count(f'__version__ = "{anaphor.__version__}"') == 1


@pytest.mark.slow
@pytest.mark.skipif(find_spec("scikit_build_core") is None, reason="scikit-build-core is not installed")
def test_the_source_distribution_holds_sources_and_tests(tmp_path: Path) -> None:
    program = f"from scikit_build_core.build import build_sdist; print(build_sdist({str(tmp_path)!r}))"
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, capture_output=True)
    (path,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    wanted = ("CMakeLists.txt", "native/align.cpp", "tests/test_packaging.py", "tests/conftest.py", "LICENSE")
    assert {
        *wanted,
        *(f"src/anaphor/{folder}/LICENSE" for owner, folder in LEARNED if owner == "anaphor"),
    } <= names
    assert not [name for name in names if "anaphor_research" in name]
    assert not [name for name in names if name.startswith("models/")]
    assert path.name == f"anaphor-{anaphor.__version__}.tar.gz"
