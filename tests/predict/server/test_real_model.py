"""A real language model behind a real server, where the folder of `benchmarks/llm/serve.py` has one."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from anaphor.predict.server.client import CompletionClient, Query, ServerOptions
from benchmarks.llm import serve

MODEL = "smollm2-135m"


def test_a_model_outside_the_repository_is_required() -> None:
    with pytest.raises(SystemExit, match="lies in the repository"):
        serve.start(MODEL, serve.REPOSITORY / "models")


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
