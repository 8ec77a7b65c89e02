"""The compiled extension and what stands in for it."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from anaphor.core import engine
from anaphor.core.engine import has_native
from tests.support.code import tree_of

ROOT = Path(__file__).resolve().parents[2]

PROGRAM = """
from anaphor.core.engine import has_native
from anaphor.align import best_engine, HmmAligner
from anaphor.analyse import load_analyser
from anaphor.recipes.classic.sparse import FeatureVocabulary
from anaphor.recipes.lm.model import ABSENT, Ngrams
from anaphor.task.lines import parse_segment
from anaphor.core import Where
import numpy as np

print(has_native(), best_engine().name)
level = Ngrams(np.array([2, 4]), np.zeros(2), np.zeros(0))
print(level.numbers(np.array([1, 2, 4])).tolist(), dict(FeatureVocabulary(["a", "b"])))
print(parse_segment("\\t\\ta b\\tc\\t0-0", "x", 1, classes=None).target)
pairs = [(("a", "b"), ("x", "y"))] * 4
print(list(HmmAligner().align(pairs))[0])
print([*load_analyser("built-in", language="en").analyse([["He", "saw", "the", "red", "house", "."]])])
"""


@pytest.mark.skipif(not has_native(), reason="nothing was compiled")
def test_everything_works_the_same_without_the_extension() -> None:
    found = {}
    for chosen in ("native", "python"):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM],
            capture_output=True,
            text=True,
            check=False,
            env={"PATH": "", "PYTHONPATH": ":".join(sys.path), "ANAPHOR_ENGINE": chosen},
        )
        assert done.returncode == 0, done.stderr
        found[chosen] = done.stdout.splitlines()
    assert found["native"][0] == "True native"
    assert found["python"][0] == "False reference"
    assert found["native"][1:] == found["python"][1:]


@pytest.mark.skipif(not has_native(), reason="nothing was compiled")
def test_the_stub_lists_what_the_extension_has() -> None:
    from anaphor import _native

    tree = ast.parse((ROOT / "src/anaphor/_native.pyi").read_text(encoding="utf-8"))
    listed = {node.name for node in tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef)}
    assert listed == {name for name in vars(_native) if not name.startswith("_")}


def test_continuous_integration_tests_every_counterpart_of_the_extension() -> None:
    """Whoever chooses between compiled code and Python is also tested without the compiled code."""
    source = ROOT / "src" / "anaphor"
    choosing = {
        path.relative_to(source).parent.as_posix()
        for path in source.rglob("*.py")
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.ImportFrom) and node.module == "anaphor.core.engine"
        if "native" in {alias.name for alias in node.names}
    }
    workflow = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    job = workflow.partition("ANAPHOR_ENGINE: python")[2].partition("\n\n")[0]
    assert "assert not has_native()" in job, "a variable of another name would test the extension"
    tested = set(re.findall(r"\btests/([\w/]+)", job))
    assert len(choosing) > 5
    assert choosing <= tested


def test_no_name_is_defined_twice_in_native_code() -> None:
    """All sources are one extension: two types of one name would be undefined behaviour, and hard to read."""
    sources = sorted((ROOT / "native").glob("*.?pp"))
    assert len(sources) > 15
    definition = re.compile(
        r"^(?:class|struct|enum class|using|constexpr [\w:<>, ]+?) (\w+)(?: ?[={:]| \{)"
        r"|^(?:inline )?\w[\w:<>*&, ]* [*&]?(\w+)\([^;]*?\{",
        re.MULTILINE,
    )
    defined = Counter(
        name
        for path in sources
        for name in {"".join(found) for found in definition.findall(path.read_text(encoding="utf-8"))}
    )
    assert len(defined) > 80
    assert not {name for name, times in defined.items() if times > 1}


def test_programs_that_measure_time_warn_without_the_extension(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "native", None)
    assert not engine.has_native()
    with pytest.warns(RuntimeWarning, match="times of Python and NumPy"):
        engine.warn_without_native()
    monkeypatch.setattr(engine, "native", object())
    engine.warn_without_native()  # warnings are errors here
