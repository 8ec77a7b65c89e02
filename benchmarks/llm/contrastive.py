"""Contrastive sets by small language models: by the probability of one word, and by choice in two orders.

    python benchmarks/llm/contrastive.py --models qwen2.5-coder-0.5b --items 100 --write

*Probability* is one forced choice: after source, context and the translation up to the first word that
differs, is the correct word likelier than every other one, by its first token? Words outside the 20 likeliest
tokens have no probability. It is measured with three wordings, because none is the right one. *Choice* is
`anaphor bench score --server`: both orders must name the correct variant; from the same answers, the mean
probability of the numbers over both orders gives one forced choice per item. Everything is measured with and
without context, beside the shipped predictor on the same items.

The items are a random sample by a fixed seed of those of `benchmarks/bench/scorers.py`: a larger sample
contains a smaller one. Answers are cached, so that a run may be stopped and continued.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from anaphor.bench.choice import ask_server, choice_questions, evaluate_answers
from anaphor.bench.context import evaluate_context
from anaphor.bench.items import Bench, BenchItem, BenchOutcome
from anaphor.bench.predictor import predictor_scores
from anaphor.bench.result import BenchResult
from anaphor.bench.scores import VariantScores, evaluate_scores, judge_scores, scores_of
from anaphor.core import InputWarning
from anaphor.predict.server.asking import complete_all
from anaphor.predict.server.client import Query, ServerOptions
from anaphor.predict.server.prompt import combine, language_name
from anaphor.predict.shipped import find_model
from benchmarks.bench.scorers import bench_of, figures
from benchmarks.llm.serve import ENGINES, MODELS, served
from benchmarks.verdict.contrastive import french, german

RESULTS = Path(__file__).parent / "results" / "contrastive.json"
PREDICTOR = "anaphor-2-small"
SEED = 1
CONTEXT = {"with": True, "without": False}
WORDINGS = {
    "labels": "{source_language}: {source}\n{target_language}: {target}",
    "quotes": 'The {target_language} translation of "{source}" is "{target}',
    "instruction": "Translate from {source_language} into {target_language}.\n\n{source}\n\n{target}",
}
#: The log-probability of what is not among the likeliest tokens.
_UNLIKELY = -100.0


def benches() -> dict[str, Bench]:
    """All items on which nothing was chosen, in a random order."""
    found = {}
    for name, pair, items in (("ContraPro", "en-de", german()), ("English-French", "en-fr", french())):
        bench = bench_of(name, pair, [item for item in items if item.group % 2])
        order = list(bench.items)
        random.Random(SEED).shuffle(order)  # noqa: S311 - no secret depends on it
        found[name] = replace(bench, items=tuple(order))
    return found


def prefix_of(item: BenchItem) -> tuple[str, list[str]]:
    """What the variants share before the first word that differs, and that word in each of them."""
    words = [variant.split() for variant in item.variants]
    at = next(place for place, row in enumerate(zip(*words, strict=False)) if len(set(row)) > 1)
    return " ".join(words[0][:at]), [row[at] for row in words]


def probability_query(item: BenchItem, bench: Bench, wording: str, *, context: bool) -> Query:
    """A prompt that breaks off before the word that differs."""
    before = item.context if context else ()
    text = WORDINGS[wording].format(
        source=" ".join(item.source if context else item.source[-1:]),
        target=" ".join((*before, prefix_of(item)[0])),
        source_language=language_name(bench.pair.source),
        target_language=language_name(bench.pair.target),
    )
    return Query(text.rstrip(" "), raw=True)


def first_token_score(word: str, first_token: Mapping[str, float]) -> float:
    """The log-probability of the likeliest token with which a word can begin."""
    own = [value for token, value in first_token.items() if token.strip() and word.startswith(token.strip())]
    return max(own, default=_UNLIKELY)


def probability_scores(bench: Bench, server: ServerOptions, wording: str, *, context: bool) -> VariantScores:
    options = replace(server, endpoint="completions", tokens=1, logprobs=20)
    queries = {item.id: probability_query(item, bench, wording, context=context) for item in bench.items}
    answers = complete_all(options, queries.values(), progress=lambda _what, _share: None)
    values = {}
    for item in bench.items:
        first_token = answers[queries[item.id].prompt].first_token
        values[item.id] = [first_token_score(word, first_token) for word in prefix_of(item)[1]]
    return scores_of(bench, values, higher_is_better=True, path=wording)


def both(result: BenchResult) -> dict[str, Any]:
    """The figures with and without context, and what context gains."""
    (total,) = evaluate_context(result).parts["total"]
    return {
        **{f"{name} context": figures(result, name) for name in CONTEXT},
        "won by context": total.won,
        "lost by context": total.lost,
        "p": total.p_value,
    }


def measure_probability(bench: Bench, server: ServerOptions) -> dict[str, Any]:
    found: dict[str, Any] = {}
    outcomes: dict[str, list[list[BenchOutcome]]] = {name: [] for name in CONTEXT}
    for wording in WORDINGS:
        scores = {
            name: probability_scores(bench, server, wording, context=shown) for name, shown in CONTEXT.items()
        }
        found[wording] = both(evaluate_scores(bench, scores))
        for name in CONTEXT:
            outcomes[name].append(list(judge_scores(bench, scores[name])))
    for name, by_wording in outcomes.items():
        rows = list(zip(*by_wording, strict=True))
        moved = sum(len({one is BenchOutcome.RIGHT for one in row}) > 1 for row in rows)
        found[f"outcome depends on the wording, {name} context"] = moved / len(rows)
    return found


def measure_choice(bench: Bench, server: ServerOptions, *, is_chat: bool) -> dict[str, Any]:
    options = replace(server, endpoint="chat" if is_chat else "completions", tokens=8, logprobs=20)
    answers, forced, counts = {}, {}, {}
    for name, shown in CONTEXT.items():
        answers[name] = ask_server(bench, options, context=shown, keep_going=True)
        questions = [one.question for one in choice_questions(bench, context=shown)]
        queries = [Query(one.prompt, choices=len(one.choices)) for one in questions]
        replies = complete_all(options, queries, progress=lambda _what, _share: None)
        read = [
            question.read(replies[question.prompt].text, replies[question.prompt].first_token)
            for question in questions
        ]
        values = {}
        for item, *pair in zip(bench.items, read[::2], read[1::2], strict=True):
            labels = [f"variant {place}" for place in range(len(item.variants))]
            values[item.id] = list(combine(pair, [*labels, "none"]).probabilities[: len(labels)])
        forced[name] = scores_of(bench, values, higher_is_better=True, path="choice")
    result = evaluate_answers(bench, answers, samples=0)
    for system in result.systems:
        counts[f"{system.system} context"] = dict(system.counts)
    return {
        "both orders": both(result),
        "mean probability": both(evaluate_scores(bench, forced)),
        "answers": counts,
    }


def measure_predictor(bench: Bench) -> dict[str, Any]:
    model = find_model(PREDICTOR, pair=str(bench.pair), forms=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        scores = {name: predictor_scores(bench, model, context=shown) for name, shown in CONTEXT.items()}
    return both(evaluate_scores(bench, scores))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--models", nargs="+", choices=sorted(MODELS), default=[])
    parser.add_argument("--items", type=int, default=100)
    parser.add_argument("--measures", nargs="+", default=["probability", "choice"])
    parser.add_argument("--sets", nargs="+", default=["ContraPro", "English-French"])
    parser.add_argument("--folder", type=Path, default=Path("~/.cache/anaphor-llm"))
    parser.add_argument("--engine", choices=ENGINES, default=ENGINES[0])
    parser.add_argument("--url", default="", help="a server of the model that runs already")
    parser.add_argument("--write", action="store_true", help="keep the figures in results/")
    options = parser.parse_args(arguments)
    known = benches()
    if not options.models:
        for name in options.sets:
            bench = replace(known[name], items=known[name].items[: options.items])
            keep(f"{name}, {PREDICTOR}", bench, measure_predictor(bench), options)
    for model in options.models:
        with served(model, options.folder, engine=options.engine, url=options.url) as url:
            cache = str(options.folder.expanduser() / "answers")
            server = ServerOptions(server=url, model=model, workers=1, timeout=900, cache=cache)
            for name in options.sets:
                bench = replace(known[name], items=known[name].items[: options.items])
                for measure in options.measures:
                    if measure == "probability":
                        found = measure_probability(bench, server)
                    else:
                        found = measure_choice(bench, server, is_chat=MODELS[model].is_chat)
                    keep(f"{name}, {model}, {measure}", bench, found, options)


def keep(key: str, bench: Bench, figures_: dict[str, Any], options: argparse.Namespace) -> None:
    """Print figures, and write them to the results."""
    chance = sum(1 / len(item.variants) for item in bench.items) / len(bench.items)
    described = {"items": len(bench.items), "hash": bench.hash, "chance": round(chance, 3)}
    content = {**described, **({"engine": options.engine} if options.models else {}), **figures_}
    print(json.dumps({key: content}), flush=True)
    if options.write:
        results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(json.dumps(results | {key: content}, indent=1, default=str) + "\n")


if __name__ == "__main__":
    main()
