"""Starting is cheap: what an import or a help text loads. Seconds are measured in benchmarks/start."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = {"numpy", "sacrebleu", "snowballstemmer", "lxml", "regex", "importlib.metadata"}


def modules_after(code: str) -> set[str]:
    program = f"{code}\nimport json, sys\nprint('\\n' + json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_importing_anaphor_loads_nothing_heavy() -> None:
    loaded = modules_after("import anaphor")
    assert not loaded & HEAVY
    assert {name for name in loaded if name.startswith("anaphor")} == {"anaphor"}


@pytest.mark.parametrize("arguments", [["--help"], ["score", "--help"], ["--version"]])
def test_help_loads_nothing_heavy(arguments: list[str]) -> None:
    code = f"""
from anaphor.cli.main import main
try:
    main({arguments!r})
except SystemExit:
    pass
"""
    assert not modules_after(code) & HEAVY
