"""The judge on pronouns that were judged by reading, beside `accept`, a perfect judge and a coin.

    python benchmarks/llm/judge.py --write                                      (without a model)
    python benchmarks/llm/judge.py --model qwen2.5-coder-1.5b --items 60 --write

The pronouns are a random sample of those with a judgement by a fixed seed, `--items` of each pair. They are
asked about in the order of the sample, and the figures of the first 5, 10, 20 ... are written as they come,
so that a slow run may be stopped at any time. The perfect judge repeats the readers and the coin throws a
seeded coin; they bound what the table can show. The weights of `accept` were fitted on these judgements, so
its row is no test of it.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from anaphor.core import Outcome, PronounPair, PronounScore, Settings
from anaphor.corpus import Inputs, Text
from anaphor.evaluation.experiment import Experiment
from anaphor.evaluation.pipeline import metric_input
from anaphor.judge import Inquiry, Interview, Questions, confirmed_server, name_server
from anaphor.meta.calibration import calibrate_items
from anaphor.meta.judgements import JudgedPronoun, Judgement, Key, ScoredItem
from anaphor.metrics.accept import Accept
from anaphor.metrics.contract import MetricContext, MetricInput
from anaphor.metrics.judge import JudgeMetric
from anaphor.predict.server.client import Completion, ServerOptions
from anaphor.report.emit import emit
from benchmarks.llm.serve import ENGINES, MODELS, served
from benchmarks.verdict.evidence import PARTS, Part, Verdicts

RESULTS = Path(__file__).parent / "results" / "judge.json"
PAIRS = ("en-de", "en-fr", "en-es")
MODES = ("questions", "comparison")
SEED = 1
#: The pronouns of a judgement are counted among these.
_FORMS = re.compile("it|they", re.IGNORECASE)
_TOKENIZED = frozenset({"news-en-fr"})


@dataclass(frozen=True, slots=True)
class JudgedSystem:
    """The sampled pronouns of one system, whether each is wrong, what `accept` says of them, and their places
    in the sample."""

    part: str
    system: str
    trial: MetricInput
    wrong: Sequence[bool]
    accept: Sequence[PronounScore]
    ranks: Sequence[int]

    def first(self, items: int) -> JudgedSystem:
        """Those among the first items of the sample."""
        kept = [at for at, rank in enumerate(self.ranks) if rank < items]
        return replace(
            self,
            trial=replace(self.trial, pairs=[self.trial.pairs[at] for at in kept]),
            wrong=[self.wrong[at] for at in kept],
            accept=[self.accept[at] for at in kept],
            ranks=[self.ranks[at] for at in kept],
        )


def judged_pronouns(
    part: Part, verdicts: Verdicts, system: str, pairs: list[PronounPair]
) -> dict[int, tuple[bool, int]]:
    """Which pairs of a system are in the sample, by their place: whether they are wrong, and their rank."""
    rank: defaultdict[int, int] = defaultdict(int)
    found = {}
    for number, pair in enumerate(pairs):
        if not _FORMS.fullmatch(pair.source.form):
            continue
        judged = verdicts.of(part, system, pair.source.segment)
        place = rank[pair.source.segment]
        rank[pair.source.segment] += 1
        if place < len(judged) and (known := judged[place]) is not None:
            found[number] = known[0], int(known[1])
    return found


def sampled(verdicts: Verdicts, pair: str, items: int) -> Verdicts:
    """A random sample of the judgements of a pair, where the rank of each stands for its readers; a larger
    sample contains a smaller one."""
    places = [
        place
        for place, (_, readers) in sorted(verdicts.by_place.items())
        if place[0] in PARTS[pair] and readers == "given"
    ]
    random.Random(SEED).shuffle(places)  # noqa: S311 - no secret depends on it
    ranked = enumerate(places[:items])
    return Verdicts({place: (verdicts.by_place[place][0], str(rank)) for rank, place in ranked})


def documents_of(part: Part, verdicts: Verdicts, system: str) -> tuple[Part, Verdicts]:
    """The documents in which a system has sampled pronouns, with that system alone."""
    lines = {place[2] for place in verdicts.by_place if place[:2] == (part.name, system)}
    names = {part.documents[line] for line in lines}
    kept = [line for line, name in enumerate(part.documents) if name in names]
    cut = replace(
        part,
        source=[part.source[line] for line in kept],
        documents=tuple(part.documents[line] for line in kept),
        candidates={system: [part.candidates[system][line] for line in kept]},
    )
    moved = {
        (name, by, kept.index(line), start): known
        for (name, by, line, start), known in verdicts.by_place.items()
        if (name, by) == (part.name, system)
    }
    return cut, Verdicts(moved)


def judged_systems(part: Part, verdicts: Verdicts) -> Iterator[JudgedSystem]:
    """The systems of a part with sampled pronouns; `accept` hears all pronouns of the same documents."""
    for system in sorted({place[1] for place in verdicts.by_place if place[0] == part.name}):
        cut, own = documents_of(part, verdicts, system)
        settings = Settings(
            pair=part.name[-5:], metrics=("accept",), samples=0, tokenized=part.name in _TOKENIZED
        )
        given = Inputs(
            source=Text.of(cut.source, path="source"),
            references=(),
            candidates={system: Text.of(cut.candidates[system], path=system)},
            documents=cut.documents,
        )
        experiment = Experiment.of(given, settings).aligned()
        (metric,) = experiment.metrics
        assert isinstance(metric, Accept)
        pairs = experiment.pairs[system]
        labels = judged_pronouns(cut, own, system, list(pairs))
        trial = metric_input(
            experiment,
            system,
            experiment.inputs.candidates[system],
            pairs,
            alignment=(experiment.inputs.candidate_alignments or {})[system],
            references=(),
        )
        scores = metric.judged(trial).scores
        only = replace(trial, pairs=[pairs[number] for number in labels])
        accept = [scores[number] for number in labels]
        wrong, ranks = [known for known, _ in labels.values()], [rank for _, rank in labels.values()]
        yield JudgedSystem(part.name, system, only, wrong, accept, ranks)


def judge_of(part: str, options: dict[str, Any]) -> JudgeMetric:
    settings = Settings(
        pair=part[-5:], metrics=("judge",), samples=0, tokenized=part in _TOKENIZED, options=options
    )
    return JudgeMetric.build(MetricContext.of(settings))


@dataclass(frozen=True, slots=True)
class Judge:
    """The inquiries of one mode about the pronouns of a system, and the server."""

    inquiries: Sequence[Inquiry]
    server: ServerOptions

    @classmethod
    def of(cls, metric: JudgeMetric, system: JudgedSystem) -> Judge:
        inquiries = [inquiry for inquiry in metric.inquiries(system.trial) if inquiry is not None]
        return cls(inquiries, confirmed_server(**metric.server, workers=1, timeout=3600.0))

    def scores(self, system: JudgedSystem, items: int) -> list[PronounScore]:
        """The verdicts on the first items of the sample.

        What a pronoun refers to is not asked: in the mode *questions* it is the reason, and never changes the
        verdict.
        """
        asked = [inquiry for inquiry, rank in zip(self.inquiries, system.ranks, strict=True) if rank < items]
        decisive = [
            replace(inquiry, queries=inquiry.queries[-1:]) if isinstance(inquiry, Questions) else inquiry
            for inquiry in asked
        ]
        answers = Interview(self.server).answers(decisive)
        return [
            inquiry.verdict([*[Completion("", {})] * (len(inquiry.queries) - len(given)), *given])
            for inquiry, given in zip(asked, answers, strict=True)
            if given is not None
        ]


def sizes_up_to(items: int) -> list[int]:
    """5, 10, 20 ... and the number itself."""
    sizes = [5 * 2**step for step in range(20)]
    return [*(size for size in sizes if size < items), items]


def calibration_of(
    systems: Sequence[JudgedSystem], judges: Mapping[str, list[list[PronounScore]]]
) -> tuple[dict[str, Any], str]:
    """Every source of verdicts compared with the readers, and the ranking by the judges' values."""
    items: dict[Key, ScoredItem] = {}
    people = []
    coin = random.Random(SEED)  # noqa: S311 - no secret depends on it
    ranked: dict[str, list[tuple[float, bool]]] = defaultdict(list)
    for place, one in enumerate(systems):
        for at, wrong in enumerate(one.wrong):
            pronoun = one.trial.pairs[at].source
            key = f"{one.part}/{one.system}", f"{pronoun.segment}:{pronoun.position}"
            scores = {"accept": one.accept[at], **{name: of[place][at] for name, of in judges.items()}}
            shown = {name: score.verdict for name, score in scores.items()}
            for name, score in scores.items():
                if score.value is not None:
                    ranked[name].append((score.value, wrong))
            shown["perfect"] = "rejected" if wrong else "accepted"
            shown["coin"] = coin.choice(("rejected", "accepted"))
            values = {name: score.value for name, score in scores.items()}
            items[key] = ScoredItem(
                *key, "-", pronoun.form.lower(), Outcome.BOTH_MISSING, None, None, (), values, shown
            )
            judgement = Judgement.INCORRECT if wrong else Judgement.CORRECT
            people.append(JudgedPronoun(*key, judgement, None, None, ""))
    calibration = calibrate_items(items, people)
    rows = {row.source: row for row in calibration.reliability if row.part == "all"}
    content: dict[str, Any] = {"labels": calibration.labels, "wrong": sum(sum(s.wrong) for s in systems)}
    for name, row in rows.items():
        content[name] = {
            "kappa": row.kappa.value,
            "kappa interval": _bounds(row.kappa.interval),
            "sensitivity": row.sensitivity,
            "sensitivity interval": _bounds(row.sensitivity_interval),
            "specificity": row.specificity,
            "specificity interval": _bounds(row.specificity_interval),
            "open": row.open,
        }
        if name in ranked:
            area, interval = auc(ranked[name])
            content[name] |= {"valued": len(ranked[name]), "auc": area, "auc interval": interval}
    return content, "\n".join(emit(calibration).splitlines()[: len(rows) + 1])


def _bounds(interval: Any) -> list[float] | None:
    return None if interval is None else [interval.low, interval.high]


def auc(values: Sequence[tuple[float, bool]]) -> tuple[float | None, list[float] | None]:
    """How often a correct pronoun has the higher value than a wrong one, with a bootstrap interval."""

    def area(rows: Sequence[tuple[float, bool]]) -> float | None:
        good = [value for value, wrong in rows if not wrong]
        bad = [value for value, wrong in rows if wrong]
        if not good or not bad:
            return None
        wins = sum((a > b) + 0.5 * (a == b) for a in good for b in bad)
        return wins / (len(good) * len(bad))

    rng = random.Random(SEED)  # noqa: S311 - no secret depends on it
    drawn = (area(rng.choices(values, k=len(values))) for _ in range(1000))
    areas = sorted(one for one in drawn if one is not None)
    point = area(values)
    return point, None if point is None else [areas[len(areas) // 40], areas[-len(areas) // 40]]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", choices=sorted(MODELS))
    parser.add_argument("--items", type=int, default=1000)
    parser.add_argument("--pairs", nargs="+", choices=PAIRS, default=PAIRS)
    parser.add_argument("--modes", nargs="+", choices=MODES, default=MODES)
    parser.add_argument("--folder", type=Path, default=Path("~/.cache/anaphor-llm"))
    parser.add_argument("--engine", choices=ENGINES, default=ENGINES[0])
    parser.add_argument("--url", default="", help="a server of the model that runs already")
    parser.add_argument("--write", action="store_true", help="keep the figures in results/")
    options = parser.parse_args()
    every = Verdicts.read()
    systems: dict[str, list[JudgedSystem]] = {}
    for pair in options.pairs:
        chosen = sampled(every, pair, options.items)
        systems[pair] = [one for name in PARTS[pair] for one in judged_systems(Part.read(name), chosen)]
    key = options.model or "without a model"
    if not options.model:
        report(key, systems, {pair: {} for pair in systems}, options)
        return
    with served(options.model, options.folder, engine=options.engine, url=options.url) as url:
        name_server(url, cache=str(options.folder.expanduser() / "answers"))
        settings: dict[str, Any] = {"judge_server": url, "judge_model": options.model}
        settings |= {"judge_logprobs": 10, "judge_before": 3, "judge_tokens": 2}
        settings |= {"judge_endpoint": "chat" if MODELS[options.model].is_chat else "completions"}
        asking: dict[str, dict[str, list[Judge]]] = {}
        for mode in options.modes:
            for pair, judged in systems.items():
                metrics = {
                    name: judge_of(name, settings | {"judge_mode": mode})
                    for name in dict.fromkeys(one.part for one in judged)
                }
                asking.setdefault(mode, {})[pair] = [Judge.of(metrics[one.part], one) for one in judged]
        for size in sizes_up_to(min(options.items, max(map(labels_of, systems.values())))):
            first = {pair: [one.first(size) for one in judged] for pair, judged in systems.items()}
            judges: dict[str, dict[str, list[list[PronounScore]]]] = {pair: {} for pair in systems}
            for mode, by_pair in asking.items():
                for pair, judged in systems.items():
                    judges[pair][mode] = [
                        judge.scores(one, size) for judge, one in zip(by_pair[pair], judged, strict=True)
                    ]
                report(key, first, judges, options)


def labels_of(systems: Sequence[JudgedSystem]) -> int:
    return sum(len(one.wrong) for one in systems)


def report(
    key: str,
    systems: Mapping[str, Sequence[JudgedSystem]],
    judges: Mapping[str, Mapping[str, list[list[PronounScore]]]],
    options: argparse.Namespace,
) -> None:
    """Print and keep the figures of every pair, and of all together."""
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    parts = {pair: (list(of), dict(judges[pair])) for pair, of in systems.items()}
    modes = dict.fromkeys(mode for of in judges.values() for mode in of)
    parts["all"] = (
        [one for of in systems.values() for one in of],
        {mode: [scores for of in judges.values() for scores in of[mode]] for mode in modes},
    )
    for pair, (judged, by_mode) in parts.items():
        content, table = calibration_of(judged, by_mode)
        results[f"{pair}, {key}"] = content
        print(f"{pair}, {key}\n{table}", flush=True)
    if options.write:
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
