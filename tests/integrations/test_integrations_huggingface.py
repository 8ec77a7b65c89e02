"""The module of `evaluate` is loaded and used as any other one, in a process without network."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import anaphor

DEMO = Path(anaphor.__file__).parent / "demo"
PROGRAM = """
import json, sys
from pathlib import Path
sys.modules["transformers"] = None  # evaluate would load it to run models, which takes seconds
import evaluate
del sys.modules["transformers"]
import anaphor
demo = Path(sys.argv[1])
source, reference, baldur, documents = (
    (demo / name).read_text(encoding="utf-8").splitlines()
    for name in ("source.en", "reference.fr", "baldur.fr", "documents")
)
metric = evaluate.load(str(Path(anaphor.__file__).parent / "integrations" / "huggingface.py"))
given = {"pair": "en-fr", "metrics": ["apt", "bleu"], "samples": 100}
whole = metric.compute(
    predictions=baldur, references=reference, sources=source, documents=documents, **given
)
lists = metric.compute(predictions=baldur, references=[[one] for one in reference], sources=source, **given)
for row in zip(baldur, reference, source):
    metric.add(**dict(zip(("predictions", "references", "sources"), row)))
batches = metric.compute(**given)
try:
    uneven = [[one] for one in reference[:-1]] + [[reference[-1], "Ils dorment."]]
    metric.compute(predictions=baldur, references=uneven, sources=source, **given)
    error = ""
except anaphor.UserError as caught:
    error = str(caught)
plain = anaphor.evaluate(
    source=source, references=reference, systems={"x": baldur}, documents=documents, **given
)
(apt, bleu) = plain.systems[0].scores
print(json.dumps({
    "whole": whole, "lists": lists, "batches": batches, "error": error, "name": metric.name,
    "expected": {
        "apt": apt.value, "apt_low": apt.interval.low, "apt_high": apt.interval.high, "bleu": bleu.value
    },
}))
"""


@pytest.mark.skipif(find_spec("evaluate") is None, reason="needs the extra `huggingface`")
def test_the_module_gives_what_evaluate_gives(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(DEMO)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "HF_HOME": str(tmp_path), "HF_HUB_OFFLINE": "1", "HF_EVALUATE_OFFLINE": "1"},
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["name"] == "anaphor"
    for key, value in found["expected"].items():
        assert found["whole"][key] == pytest.approx(value), key
    assert found["whole"]["apt_signature"].startswith("apt|weights:")
    assert found["lists"] == found["batches"]
    assert found["lists"]["apt"] == found["whole"]["apt"]
    assert "the segment has 2 references, the first has 1\nwhere: references:115" in found["error"]
