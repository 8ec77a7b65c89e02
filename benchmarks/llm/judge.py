"""The judge on pronouns that were judged by reading, beside `accept`, a perfect judge and a coin.

    python benchmarks/llm/judge.py --output judge.json                               (without a model)
    python benchmarks/llm/judge.py --model qwen2.5-coder-0.5b --items 100 --output judge.json

Only pronouns with a judgement are put to the model: every n-th, about `--items` for each language. The
perfect judge repeats the readers and the coin throws a seeded coin; they bound what the table can show.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from anaphor.core import Outcome, PronounPair, PronounScore, Settings
from anaphor.corpus import Inputs, Text
from anaphor.evaluation.experiment import Experiment
from anaphor.evaluation.pipeline import metric_input
from anaphor.judge import Interview, confirmed_server, name_server
from anaphor.meta.calibration import calibrate_items
from anaphor.meta.judgements import JudgedPronoun, Judgement, Key, ScoredItem
from anaphor.metrics.accept import Accept
from anaphor.metrics.judge import JudgeMetric
from anaphor.report.emit import emit
from benchmarks.llm.serve import MODELS, start, stop
from benchmarks.verdict.evidence import PARTS, Part, Verdicts

_FORMS = {"en-fr": "it|they", "en-de": "it|they", "en-es": "it|they"}


def judged_pronouns(part: Part, verdicts: Verdicts, system: str, pairs: list[PronounPair]) -> dict[int, bool]:
    """Which pairs of a system were judged, by their place, and whether readers found them wrong."""
    rank: defaultdict[int, int] = defaultdict(int)
    found = {}
    for number, pair in enumerate(pairs):
        if not re.fullmatch(_FORMS[part.name[-5:]], pair.source.form, re.IGNORECASE):
            continue
        judged = verdicts.of(part, system, pair.source.segment)
        place = rank[pair.source.segment]
        rank[pair.source.segment] += 1
        if place < len(judged) and (known := judged[place]) is not None and known[1] == "given":
            found[number] = known[0]
    return found


def score_part(
    part: Part, verdicts: Verdicts, options: dict[str, Any], pace: dict[str, Any], every: int
) -> tuple[dict[Key, ScoredItem], list[JudgedPronoun]]:
    """Items with the verdicts of all sources, and what readers say of them."""
    metrics = ("accept", "judge") if options else ("accept",)
    settings = Settings(
        pair=part.name[-5:], metrics=metrics, samples=0, tokenized=part.name == "news-en-fr", options=options
    )
    given = Inputs(
        source=Text.of(part.source, path="source"),
        references=(),
        candidates={name: Text.of(lines, path=name) for name, lines in part.candidates.items()},
        documents=part.documents,
    )
    experiment = Experiment.of(given, settings).aligned()
    items: dict[Key, ScoredItem] = {}
    people = []
    coin = random.Random(part.name)  # noqa: S311 - no secret depends on it
    for system, pairs in experiment.pairs.items():
        labels = judged_pronouns(part, verdicts, system, list(pairs))
        chosen = dict(list(labels.items())[::every])
        if not chosen:
            continue
        trial = metric_input(
            experiment,
            system,
            experiment.inputs.candidates[system],
            pairs,
            alignment=(experiment.inputs.candidate_alignments or {})[system],
            references=(),
        )
        scores: dict[str, list[PronounScore]] = {}
        for metric in experiment.metrics:
            if isinstance(metric, JudgeMetric):
                metric.connect(Interview(confirmed_server(**metric.server, **pace)))
                only = replace(trial, pairs=[pairs[number] for number in chosen])
                scores["judge"] = metric.pronoun_scores(only)
            elif isinstance(metric, Accept):
                everything = metric.pronoun_scores(trial)
                scores["accept"] = [everything[number] for number in chosen]
        for at, (number, wrong) in enumerate(chosen.items()):
            pronoun = pairs[number].source
            key = f"{part.name}/{system}", f"{pronoun.segment}:{pronoun.position}"
            shown = {name: of[at].verdict for name, of in scores.items()}
            shown["perfect"] = "rejected" if wrong else "accepted"
            shown["coin"] = coin.choice(("rejected", "accepted"))
            values = {name: of[at].value for name, of in scores.items()}
            items[key] = ScoredItem(
                *key, "-", pronoun.form, Outcome.BOTH_MISSING, None, None, (), values, shown
            )
            judgement = Judgement.INCORRECT if wrong else Judgement.CORRECT
            people.append(JudgedPronoun(*key, judgement, None, None, ""))
    return items, people


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", choices=sorted(MODELS))
    parser.add_argument("--items", type=int, default=100)
    parser.add_argument("--pairs", nargs="+", choices=sorted(_FORMS), default=sorted(_FORMS))
    parser.add_argument("--mode", choices=("questions", "comparison"), default="comparison")
    parser.add_argument("--folder", type=Path, default=Path("~/.cache/anaphor-llm"))
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args()
    verdicts, results = Verdicts.read(), {}
    settings: dict[str, Any] = {}
    process = None
    if options.model:
        process, url = start(options.model, options.folder, port=8790 + sorted(MODELS).index(options.model))
        name_server(url, cache=str(options.folder.expanduser() / "answers"))
        settings = {"judge_server": url, "judge_model": options.model, "judge_mode": options.mode}
        settings |= {"judge_logprobs": 10, "judge_before": 3, "judge_tokens": 4}
        settings |= {"judge_endpoint": "chat" if MODELS[options.model].is_chat else "completions"}
    try:
        for pair in options.pairs:
            count = sum(place[0] in PARTS[pair] for place in verdicts.by_place)
            every = max(1, count // options.items) if settings else 1
            items: dict[Key, ScoredItem] = {}
            people: list[JudgedPronoun] = []
            for name in PARTS[pair]:
                scored, judged = score_part(
                    Part.read(name), verdicts, settings, {"workers": 1, "timeout": 900.0}, every
                )
                items |= scored
                people += judged
            calibration = calibrate_items(items, people)
            results[pair] = calibration.to_dict()
            print(pair, emit(calibration), sep="\n", flush=True)
            options.output.write_text(json.dumps(results, indent=1) + "\n")
    finally:
        if process is not None:
            stop(process)


if __name__ == "__main__":
    main()
