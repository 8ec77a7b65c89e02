"""Two installations: `anaphor` alone has models that permit any use; `anaphor-research` takes their place."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import venv
from collections.abc import Mapping, Sequence
from importlib.metadata import distribution
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import anaphor
from anaphor.core.learned import research_folder

ROOT = Path(__file__).resolve().parents[1]
RESEARCH = ROOT / "packages" / "anaphor-research"
#: anaphor in a process that cannot find the research distribution.
PLAIN = [sys.executable, str(ROOT / "tools" / "plain.py"), "anaphor"]
MODELS = f"|models:anaphor-research-{anaphor.__version__}|"
SOURCE = "The key is old.\nIt is on the table.\nWhere is the lamp?\nIt was broken.\n"
CANDIDATES = {
    "de": "Der Schlüssel ist alt.\nEs liegt auf dem Tisch.\nWo ist die Lampe?\nSie war kaputt.\n",
    "fr": "La clé est vieille.\nIl est sur la table.\nOù est la lampe ?\nElle était cassée.\n",
    "es": "La llave es vieja.\nÉl está sobre la mesa.\n¿Dónde está la lámpara?\nElla estaba rota.\n",
}
#: What anaphor needs in an environment of its own.
REQUIRED = ("numpy", "sacrebleu", "snowballstemmer", "portalocker", "regex", "tabulate", "colorama", "lxml")


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    (tmp_path / "source").write_text(SOURCE, encoding="utf-8")
    for language, text in CANDIDATES.items():
        (tmp_path / language).write_text(text, encoding="utf-8")
    return tmp_path


def output(command: Sequence[str], *, folder: Path, environment: Mapping[str, str] | None = None) -> str:
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def judge(language: str) -> list[str]:
    return [
        "score",
        "--pair",
        f"en-{language}",
        "--source",
        "source",
        "--candidate",
        language,
        "--samples",
        "0",
    ]


def has_verdicts(shown: str, language: str) -> bool:
    """Whether `score` shows two pronouns, and at most one whose verdict is open."""
    rows = [line.split() for line in shown.splitlines() if line.startswith(f"{language} ")]
    (judged, *_, left_open) = next([*map(int, row[1:])] for row in rows if len(row) == 5)
    return judged + left_open == 2 and judged >= 1


def listed(shown: str) -> list[dict[str, Any]]:
    components: list[dict[str, Any]] = json.loads(shown)["components"]
    return components


def test_the_plain_installation_names_nothing_non_commercial(tmp_path: Path) -> None:
    shown = output([*PLAIN, "list", "--licences", "--json"], folder=tmp_path)
    assert {one["distribution"] for one in listed(shown)} == {"anaphor"}
    for one in listed(shown):
        for text in (one["licence"], *(source["licence"] for source in one["data"])):
            assert not re.search(r"\bNC\b", str(text)), one["component"]
            assert "non-commercial" not in str(text).lower(), one["component"]


@pytest.mark.parametrize("language", sorted(CANDIDATES))
def test_both_installations_judge(language: str, texts: Path) -> None:
    """The plain one without a word of models in its signature."""
    if research_folder() is None:
        pytest.skip("anaphor-research is not installed")
    plain = output([*PLAIN, *judge(language)], folder=texts)
    research = output([sys.executable, "-m", "anaphor", *judge(language)], folder=texts)
    assert has_verdicts(plain, language)
    assert has_verdicts(research, language)
    assert "models:" not in plain
    assert MODELS in research


TOOL = """
from tools.distributions import PLAIN, RESEARCH, component_folder, results_name
from benchmarks.verdict.fit import teaches
from types import SimpleNamespace
folder = component_folder("verdict/model")
owner = next(name for name, root in {"plain": PLAIN, "research": RESEARCH}.items() if root in folder.parents)
taught = [teaches(SimpleNamespace(part=part)) for part in ("diabla-en-fr", "chat24-en-fr")]
print(owner, results_name("fit"), *taught)
"""


def test_tools_write_to_the_distribution_that_they_read(tmp_path: Path) -> None:
    """Weights of the plain installation are fitted without texts under non-commercial terms."""
    script = tmp_path / "script.py"
    script.write_text(TOOL, encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    plain = output([*PLAIN[:2], str(script)], folder=tmp_path, environment=environment)
    assert plain == "plain fit-free True False\n"
    if research_folder() is not None:
        research = output([sys.executable, str(script)], folder=tmp_path, environment=environment)
        assert research == "research fit True True\n"


class Environment:
    """A virtual environment with the libraries that anaphor requires, and nothing else."""

    def __init__(self, folder: Path) -> None:
        venv.create(folder, with_pip=False)
        self.packages = next(folder.glob("lib/python*/site-packages"))
        for name in REQUIRED:
            link_distribution(name, self.packages)
        self.python = str(folder / "bin" / "python")
        self.variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}

    def pip(self, *arguments: str) -> None:
        pip = [sys.executable, "-m", "pip", "--python", self.python, "--quiet", "--disable-pip-version-check"]
        output([*pip, *arguments], folder=self.packages, environment=self.variables)

    def run(self, *arguments: str, folder: Path) -> str:
        return output([self.python, "-m", "anaphor", *arguments], folder=folder, environment=self.variables)


def link_distribution(name: str, packages: Path) -> None:
    """Put links to the files of an installed distribution into another environment."""
    installed = distribution(name)
    for top in {file.parts[0] for file in installed.files or () if file.parts[0] != ".."}:
        link = packages / top
        if not link.exists():
            link.symlink_to(Path(str(installed.locate_file(top))))


def built(project: Path, folder: Path) -> Path:
    """A wheel without the compiled extension, so that nothing is compiled."""
    program = (
        "from scikit_build_core.build import build_wheel;"
        f"print(build_wheel({str(folder)!r}, {{'wheel.cmake': 'false'}}))"
    )
    return folder / output([sys.executable, "-c", program], folder=project).splitlines()[-1]


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="links the libraries, which Windows may not allow")
@pytest.mark.skipif(not RESEARCH.is_dir(), reason="a source distribution leaves anaphor-research out")
@pytest.mark.skipif(find_spec("scikit_build_core") is None, reason="scikit-build-core is not installed")
def test_wheels_in_an_empty_environment(texts: Path) -> None:
    """Plain, then with anaphor-research, then without it again."""
    plain, research = (built(project, texts) for project in (ROOT, RESEARCH))
    assert plain.stat().st_size < 30_000_000
    environment = Environment(texts / "environment")
    install = ("install", "--no-index", "--no-deps")
    environment.pip(*install, str(plain))
    before = {language: environment.run(*judge(language), folder=texts) for language in CANDIDATES}
    for language, shown in before.items():
        assert has_verdicts(shown, language)
        assert "models:" not in shown
    assert {
        one["distribution"] for one in listed(environment.run("list", "--licences", "--json", folder=texts))
    } == {"anaphor"}
    assert not list(environment.packages.rglob("anaphor_research"))
    environment.pip(*install, str(research))
    between = environment.run(*judge("de"), folder=texts)
    assert MODELS in between
    environment.pip("uninstall", "--yes", "anaphor-research")
    assert environment.run(*judge("de"), folder=texts) == before["de"]
