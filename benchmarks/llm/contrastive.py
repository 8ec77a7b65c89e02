"""Contrastive sets by small language models: by choice in two orders, and by the probability of one word.

    python benchmarks/llm/contrastive.py smollm2-135m gemma-3-270m --items 60 --output contrastive.json

*Choice* is `anaphor bench score --server`: both orders must name the correct variant. *Probability* is one
forced choice: after source, context and the translation up to the first word that differs, is the correct
word likelier than every other one? Both are measured with and without context. Words outside the 20 likeliest
have no probability; where the correct one has none, or shares its first token with another, the item is
wrong.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from anaphor.bench import make_from_files
from anaphor.bench.choice import ask_server, evaluate_answers
from anaphor.bench.items import Bench, BenchItem
from anaphor.core import LanguagePair
from anaphor.predict.server.asking import answers_in_order
from anaphor.predict.server.client import Query, ServerOptions
from anaphor.predict.server.prompt import language_name
from anaphor.stats.interval import wilson
from benchmarks.llm.serve import MODELS, start, stop

HERE = Path(__file__).parent
DATA = Path(os.environ.get("ANAPHOR_DATA", HERE.parents[2] / "shared" / "data"))


def _disceval() -> Bench:
    return make_from_files(
        "disceval-anaphora", [str(DATA / "contrastive-bawden-en-fr" / "anaphora.json")], pair="en-fr"
    )


def _contrapro() -> Bench:
    (path,) = (DATA / "contrapro-en-de").glob("with-context*.jsonl.gz")
    items = []
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            *context, correct = row["correct"]
            variants = (correct, *(wrong[-1] for wrong in row["wrong"]))
            items.append(
                BenchItem(
                    str(row["group"]),
                    tuple(row["source"]),
                    context=tuple(context),
                    variants=variants,
                )
            )
    return Bench("contrapro", LanguagePair("en", "de"), "contrapro", tuple(items))


SETS: dict[str, Callable[[], Bench]] = {"disceval-anaphora": _disceval, "contrapro": _contrapro}


def sample(bench: Bench, items: int) -> Bench:
    """Every n-th item, so that all parts of the set are there."""
    step = max(1, len(bench.items) // items)
    return replace(bench, items=bench.items[::step][:items])


def prefix_of(item: BenchItem) -> tuple[str, list[str]]:
    """What the variants share before the first word that differs, and that word in each of them."""
    words = [variant.split() for variant in item.variants]
    at = next(place for place, row in enumerate(zip(*words, strict=False)) if len(set(row)) > 1)
    return " ".join(words[0][:at]), [row[at] for row in words]


def probability_query(item: BenchItem, bench: Bench, *, context: bool) -> Query:
    """A prompt that breaks off before the word that differs."""
    source = item.source if context else item.source[-1:]
    before = (item.contexts[0] if item.contexts else item.context) if context else ()
    prefix, _ = prefix_of(item)
    names = language_name(bench.pair.source), language_name(bench.pair.target)
    text = f"{names[0]}: {' '.join(source)}\n{names[1]}: {' '.join((*before, prefix))}".rstrip()
    return Query(text, raw=True)


def probability_outcome(item: BenchItem, first_token: Mapping[str, float]) -> bool:
    """Whether the correct word is likelier than the others, by its first token."""

    def score(word: str) -> tuple[float, str]:
        known = [
            (value, token)
            for token, value in first_token.items()
            if token.strip() and word.startswith(token.strip())
        ]
        return max(known, default=(float("-inf"), word))

    correct, *wrong = [score(word) for word in prefix_of(item)[1]]
    return correct[0] > float("-inf") and all(correct[0] > other[0] for other in wrong)


def measure(bench: Bench, server: ServerOptions, *, is_chat: bool) -> dict[str, Any]:
    """All figures of one model on one set."""
    figures: dict[str, Any] = {"items": len(bench.items)}
    for context in (False, True):
        name = "with context" if context else "without context"
        options = replace(server, endpoint="completions", tokens=1, logprobs=20)
        queries = [probability_query(item, bench, context=context) for item in bench.items]
        answers = dict(answers_in_order(options, queries))
        right = [
            probability_outcome(item, answers[query].first_token)
            for item, query in zip(bench.items, queries, strict=True)
        ]
        interval = wilson(sum(right) / len(right), size=len(right), level=0.95)
        figures[f"probability, {name}"] = {
            "right": sum(right),
            "accuracy": sum(right) / len(right),
            "interval": [interval.low, interval.high],
        }
        chat = replace(server, endpoint="chat" if is_chat else "completions", tokens=8)
        replies = ask_server(bench, chat, context=context, keep_going=True)
        result = evaluate_answers(bench, {server.model: replies}, samples=0)
        (score,), (system,) = result.scores, result.systems
        figures[f"choice, {name}"] = {**score.to_dict(), "counts": dict(system.counts)}
    return figures


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("models", nargs="+", choices=sorted(MODELS))
    parser.add_argument("--items", type=int, default=60)
    parser.add_argument("--sets", nargs="+", choices=sorted(SETS), default=sorted(SETS))
    parser.add_argument("--folder", type=Path, default=Path("~/.cache/anaphor-llm"))
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args(arguments)
    results = json.loads(options.output.read_text()) if options.output.exists() else {}
    for model in options.models:
        # Always the same port: answers are cached by address.
        process, url = start(model, options.folder, port=8790 + sorted(MODELS).index(model))
        try:
            cache = str(options.folder.expanduser() / "answers")
            server = ServerOptions(server=url, model=model, workers=1, timeout=600, cache=cache)
            for name in options.sets:
                began = time.monotonic()
                figures = measure(sample(SETS[name](), options.items), server, is_chat=MODELS[model].is_chat)
                figures["seconds"] = round(time.monotonic() - began)
                results[f"{name}, {model}"] = figures
                options.output.write_text(json.dumps(results, indent=1, default=str) + "\n")
        finally:
            stop(process)


if __name__ == "__main__":
    main()
