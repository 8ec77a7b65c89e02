"""Models of the research distribution take the place of the package's own while it is installed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import anaphor

RESEARCH = Path(__file__).resolve().parents[2] / "packages" / "anaphor-research" / "src" / "anaphor_research"
SIGNATURE = """
import json
from anaphor.core import Settings
from anaphor.core.learned import learned_folder
from anaphor.core.licences import read_licences
from anaphor.metrics.accept import Accept
from anaphor.metrics.contract import MetricContext
from anaphor.verdict import Fusion
metric = Accept.build(MetricContext.of(Settings(pair="en-de")))
found = {name: metric.settings().get(name) for name in ("weights", "resolver", "models")}
owners = sorted({one.distribution for one in read_licences().components})
folders = [str(learned_folder(name)) for name in ("verdict/model", "analyse/models/de")]
print(json.dumps([found, owners, Fusion.load("de").intercept, folders]))
"""
pytestmark = pytest.mark.skipif(
    not RESEARCH.is_dir(), reason="a source distribution leaves anaphor-research out"
)
Run = Callable[[], subprocess.CompletedProcess[str]]


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder for packages, with a research distribution whose German verdict has another intercept."""
    package = tmp_path / "anaphor_research"
    shutil.copytree(RESEARCH, package, copy_function=os.symlink)
    version, weights = package / "__init__.py", package / "verdict" / "model" / "weights.toml"
    text = weights.read_text(encoding="utf-8")
    for file in (version, weights):  # these two are changed, so they are files
        file.unlink()
    shutil.copy(RESEARCH / "__init__.py", version)
    head, _, rest = text.partition("[de]\nintercept = ")
    weights.write_text(f"{head}[de]\nintercept = 7.0{rest[rest.index(chr(10)) :]}", encoding="utf-8")
    return tmp_path


@pytest.fixture
def run(site: Path) -> Run:
    """What a new process says of its models, with the folder of packages on its path."""
    path = os.pathsep.join([str(site), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-c", SIGNATURE]
    return lambda: subprocess.run(
        command, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True, check=False
    )


def test_research_models_are_used_and_signed_while_they_are_installed(site: Path, run: Run) -> None:
    signed, owners, intercept, (verdict, analyser) = json.loads(run().stdout)
    assert (owners, intercept) == (["anaphor", "anaphor-research"], 7.0)
    assert signed["models"] == f"anaphor-research-{anaphor.__version__}"
    assert Path(verdict) == site / "anaphor_research" / "verdict" / "model"
    # A component that it does not have is the package's.
    assert Path(analyser) == Path(anaphor.__file__).parent / "analyse" / "models" / "de"
    shutil.rmtree(site / "anaphor_research")
    other, _, intercept, (verdict, _) = json.loads(run().stdout)
    assert intercept != 7.0
    assert site not in Path(verdict).parents
    assert other["weights"] != signed["weights"]
    assert other["resolver"] == signed["resolver"]


def test_models_of_another_version_are_an_error(site: Path, run: Run) -> None:
    (site / "anaphor_research" / "__init__.py").write_text('__version__ = "99.0"\n', encoding="utf-8")
    done = run()
    assert done.returncode != 0
    assert f"the models are for anaphor 99.0, and this is {anaphor.__version__}" in done.stderr
    assert f"install anaphor-research=={anaphor.__version__}" in done.stderr


def test_both_distributions_have_one_version() -> None:
    text = (RESEARCH / "__init__.py").read_text(encoding="utf-8")
    assert f'__version__ = "{anaphor.__version__}"' in text
