"""Tables of Markdown from runs in the format of results (README.md), published figures beside them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from anaphor.core import LanguagePair
from anaphor.recipes.recipe import Recipe, known_recipes, load_recipe
from anaphor.stats.correlation import spearman
from anaphor.task.published import published_results

ROOT = Path(__file__).resolve().parents[2]
PAIRS = ("en-fr", "fr-en", "en-de", "de-en", "es-en")
PARTS = {
    "test": "held-out debates",
    "test-ted": "held-out talks",
    "test-europarl": "held-out debates",
    "teddev": "teddev",
}
#: Fewer systems have no order worth a figure.
_FEWEST = 5
UNITS = (
    "Macro-averaged recall and accuracy in percent, on our held-out test sets. The published\n"
    "scores were measured on other data and are not comparable."
)
TRAINED = """Scores in percent with 95 % intervals over documents, or with the scores of every seed.
*Trained on* counts the placeholders of the pair and format in the training data. *+ it*: the system also
uses the classifier of the function of *it*, which was trained on labelled sentences of Europarl and the
English side of the talks in teddev. *+ genders*: it also uses gender tables, which come from lexicons and
treebanks. *+ all pairs*: one network was trained on all pairs and both formats, after pretraining on the
same parallel text (86 million word pieces). Tags and lemmas come from the built-in analysers, which were
trained on Universal Dependencies."""

Run = dict[str, Any]


def read_runs() -> list[Run]:
    """All runs of all results, each once: the last one of a file counts, and seeds are averaged."""
    runs: dict[tuple[Any, ...], dict[int, Run]] = {}
    for path in sorted(ROOT.glob("benchmarks/predict-*/results/*.json")):
        content = json.loads(path.read_text(encoding="utf-8"))
        for run in content.get("runs", []):
            key = ("recipe", "variant", "pair", "style", "test")
            runs.setdefault(tuple(run[name] for name in key), {})[run["seed"]] = run
    return [_averaged(list(seeds.values())) for seeds in runs.values()]


def same_test(runs: Sequence[Run]) -> tuple[list[Run], list[Run]]:
    """The runs on the present test sets, and those on earlier ones, which had other placeholders.

    The recipe `majority` learns in a second and is run again whenever data is made anew: it has the number.
    """
    sizes = {_test(run): _placeholders(run) for run in runs if run["recipe"] == "majority"}
    now = [run for run in runs if sizes.get(_test(run), _placeholders(run)) == _placeholders(run)]
    return now, [run for run in runs if run not in now]


def _test(run: Run) -> tuple[str, int, str]:
    return run["pair"], run["style"], run["test"]


def _placeholders(run: Run) -> int:
    return sum(map(sum, run["matrix"]))


def _averaged(runs: Sequence[Run]) -> Run:
    """One run for several seeds: means of the scores, and `seeds` with all of them."""
    if len(runs) == 1:
        return runs[0]
    seeds = {name: [run[name] for run in runs] for name in ("macro_recall", "accuracy")}
    return {**runs[0], "seeds": seeds, **{name: sum(all_) / len(all_) for name, all_ in seeds.items()}}


def published(recipe: Recipe, pair: str) -> str:
    entry = recipe.submitted[pair]
    systems = published_results(LanguagePair.parse(pair), year=entry.year).systems
    found = next(system for system in systems if system.name == entry.system)
    return f"{entry.year}: {100 * found.macro_recall:.2f}/{100 * found.accuracy:.2f}"


def scores(run: Run) -> list[str]:
    return [_score(run, "macro_recall"), _score(run, "accuracy")]


def _score(run: Run, metric: str) -> str:
    value = f"{100 * run[metric]:.1f}"
    if "seeds" in run:
        return f"{value} ({', '.join(f'{100 * one:.1f}' for one in run['seeds'][metric])})"
    if not run["intervals"] or metric not in run["intervals"]:
        return value
    low, high = run["intervals"][metric]
    return f"{value} [{100 * low:.1f}, {100 * high:.1f}]"


def trained_on(run: Run) -> str:
    """All data that a system was trained on, as `TRAINED` explains it."""
    if run["train_slots"] is None:
        return ""
    return " + ".join([f"{run['train_slots']:,}", *_resources(run["recipe"])])


def _resources(name: str) -> list[str]:
    if name.startswith("anaphor-2"):
        return [] if "slots" in name else ["all pairs"]
    recipe = name.partition(",")[0]
    if recipe not in known_recipes():
        return []
    used = set(_groups(load_recipe(recipe).settings))
    found = {"it": {"function-of-it"}, "genders": {"antecedents", "closest-noun", "pronoun-lm"}}
    return [resource for resource, groups in found.items() if groups & used]


def _groups(settings: Any) -> Iterator[str]:
    """The families and feature groups of a recipe and of the recipes inside it."""
    yield settings["family"]
    yield from settings.get("features", {})
    if settings.get("options", {}).get("function_of_it"):
        yield "function-of-it"
    for inner in (
        *(settings[step] for step in ("first", "second") if step in settings),
        *settings.get("members", ()),
    ):
        yield from _groups(inner)


#: The columns of the short table: pair and test, in the format of 2016.
COLUMNS = {
    "en-fr debates": ("en-fr", "test"),
    "en-fr teddev": ("en-fr", "teddev"),
    "fr-en debates": ("fr-en", "test"),
    "en-de talks": ("en-de", "test-ted"),
    "en-de debates": ("en-de", "test-europarl"),
    "de-en talks": ("de-en", "test-ted"),
    "de-en debates": ("de-en", "test-europarl"),
    "es-en debates": ("es-en", "test"),
}


def summary(runs: Sequence[Run]) -> str:
    """One row per recipe: its learner, and macro-averaged recall / accuracy on every test set."""
    found = {(run["recipe"], run["pair"], run["test"]): run for run in runs if run["style"] == 2016}
    rows = []
    for name in known_recipes():
        cells = [found.get((name, *test)) for test in COLUMNS.values()]
        shown = [f"{100 * c['macro_recall']:.1f}/{100 * c['accuracy']:.1f}" if c else "" for c in cells]
        accuracies = [c["accuracy"] for c in cells if c]
        mean = sum(accuracies) / len(accuracies) if accuracies else 0.0
        family = load_recipe(name).settings["family"]
        rows.append((mean, [f"[`{name}`](recipes.md#{name})", f"`{family}`", *shown]))
    rows.sort(key=lambda row: -row[0])
    return table(["system", "family", *COLUMNS], [cells for _, cells in rows])


def overview(every: Sequence[Run]) -> str:
    """The big tables: teddev in both styles, then every pair's held-out documents."""
    runs, earlier = same_test(every)
    blocks = ["### teddev, English to French", _teddev(runs)]
    for pair in PAIRS:
        for part in ("test", "test-ted", "test-europarl"):
            chosen = [r for r in runs if (r["pair"], r["style"], r["test"]) == (pair, 2016, part)]
            if chosen:
                blocks += [f"### {pair}, {PARTS[part]}", _held_out(chosen)]
                names = sorted({r["recipe"] for r in earlier if _test(r) == (pair, 2016, part)})
                if names:
                    listed = ", ".join(map(_linked, names))
                    blocks.append(
                        f"The data of {pair} was rebuilt and not all systems were retrained. These have\n"
                        f"results on an earlier test set only and are not listed: {listed}."
                    )
    blocks += ["### The best rebuilt system by each measure", best_table(runs)]
    blocks += ["### Does the ranking match the shared tasks?", order_table(runs), ORDER, TRAINED]
    return "\n\n".join(blocks)


def best_table(runs: Sequence[Run]) -> str:
    """The rebuilt submissions with the highest macro recall and the highest accuracy, test by test."""
    rows = []
    for style in (2015, 2016):
        for pair in PAIRS:
            for part in ("teddev", "test", "test-ted", "test-europarl"):
                rebuilt = [r for r in runs if _test(r) == (pair, style, part) and _submission(r) is not None]
                if rebuilt:
                    best = (
                        max(rebuilt, key=lambda r: r[measure]) for measure in ("macro_recall", "accuracy")
                    )
                    rows.append([f"{pair} {style}", PARTS[part], *map(_both, best)])
    head = ["data", "test", "best by macro-recall: macro-recall / accuracy", "best by accuracy"]
    return table(head, rows)


def _both(run: Run) -> str:
    return f"{_linked(run['recipe'])} {100 * run['macro_recall']:.1f} / {100 * run['accuracy']:.1f}"


ORDER = """Spearman's correlation between our ranking of the systems and the published ranking, by macro-
averaged recall and by accuracy, for each year separately, because the test sets of 2016 and 2017 differ.
Baselines are excluded, and there is no figure for fewer than five systems."""


def order_table(runs: Sequence[Run]) -> str:
    """How far the order of systems is that of the published ones of one year, test by test."""
    rows = []
    for pair in PAIRS:
        for part in ("teddev", "test", "test-ted", "test-europarl"):
            chosen = [r for r in runs if _test(r) == (pair, 2016, part)]
            found = {year: _likeness(chosen, year) for year in (2016, 2017)}
            rows += [[pair, PARTS[part], str(year), *cells] for year, cells in found.items() if cells]
    return table(["pair", "test", "year", "systems", "by macro-recall", "by accuracy"], rows)


def _likeness(runs: Sequence[Run], year: int) -> list[str]:
    """How many systems have a published figure, and how like the orders are; nothing where there are few."""
    found = [(r, then) for r in runs if (then := _submission(r)) is not None and then.year == year]
    if len(found) < _FEWEST:
        return []
    measured = [
        [(r[measure], getattr(then, measure)) for r, then in found]
        for measure in ("macro_recall", "accuracy")
    ]
    return [str(len(found)), *(f"{spearman(*zip(*pairs, strict=True)).value:.2f}" for pairs in measured)]


class Submission(NamedTuple):
    """The published figures of a rebuilt system."""

    year: int
    macro_recall: float
    accuracy: float


def _submission(run: Run) -> Submission | None:
    if run["recipe"] not in known_recipes():
        return None
    entry = load_recipe(run["recipe"]).submitted.get(run["pair"])
    if entry is None or run["recipe"].startswith("baseline"):
        return None
    systems = published_results(LanguagePair.parse(run["pair"]), year=entry.year).systems
    found = next(system for system in systems if system.name == entry.system)
    return Submission(entry.year, found.macro_recall, found.accuracy)


def _teddev(runs: Sequence[Run]) -> str:
    asked = [run for run in runs if run["test"] == "teddev"]
    by_style = {style: {r["recipe"]: r for r in asked if r["style"] == style} for style in (2015, 2016)}
    names = sorted({run["recipe"] for run in asked}, key=lambda name: (-_best(by_style, name), name))
    rows = []
    for name in names:
        cells = [cell for style in (2015, 2016) for cell in _cells(by_style[style].get(name))]
        rows.append([_linked(name), *cells, _past(name, "en-fr")])
    head = ["system", "2015 style: macro-recall", "accuracy", "trained on"]
    head += ["2016 style: macro-recall", "accuracy", "trained on"]
    return table([*head, "published: macro-recall / accuracy"], rows)


def _best(by_style: dict[int, dict[str, Run]], name: str) -> float:
    found = by_style[2015].get(name) or by_style[2016][name]
    return float(found["accuracy"])


def _held_out(runs: Sequence[Run]) -> str:
    best = next((run for run in runs if run["recipe"].startswith("anaphor-2, 2 networks")), None)
    rows = [
        [
            _linked(run["recipe"]),
            *scores(run),
            _behind(run, best),
            trained_on(run),
            _past(run["recipe"], run["pair"]),
        ]
        for run in sorted(runs, key=lambda run: (-run["accuracy"], run["recipe"]))
    ]
    head = ["system", "macro-recall", "accuracy", "behind anaphor-2: macro-recall, accuracy"]
    return table([*head, "trained on", "published: macro-recall / accuracy"], rows)


def _behind(run: Run, best: Run | None) -> str:
    """By how much a run is behind both networks of anaphor-2."""
    if best is None or run["recipe"].startswith("anaphor-2"):
        return ""
    return ", ".join(f"{100 * (best[metric] - run[metric]):+.1f}" for metric in ("macro_recall", "accuracy"))


def _cells(run: Run | None) -> list[str]:
    return ["", "", ""] if run is None else [*scores(run), trained_on(run)]


def _linked(name: str) -> str:
    return f"`{name}`" if name in known_recipes() else name


def _past(name: str, pair: str) -> str:
    if name not in known_recipes():
        return ""
    recipe = load_recipe(name)
    return published(recipe, pair) if pair in recipe.submitted else ""


def ablation_tables(runs: Sequence[Run]) -> str:
    """For every recipe and pair that has variants: scores, differences, and OTHER told from pronouns."""
    blocks = []
    groups = sorted({(run["recipe"], run["pair"]) for run in runs if run["variant"] == "all groups"})
    for recipe, pair in groups:
        own = [run for run in runs if run["variant"] and (run["recipe"], run["pair"]) == (recipe, pair)]
        base = next(run for run in own if run["variant"] == "all groups")
        rows = [[run["variant"], *_differences(run, base)] for run in own]
        head = [
            "features",
            "macro-recall",
            "difference",
            "accuracy",
            "difference",
            "OTHER or not",
            "difference",
        ]
        blocks += [f"### {recipe}, {pair}", table(head, rows)]
    return "\n\n".join(blocks)


def _differences(run: Run, base: Run) -> list[str]:
    measures: list[Callable[[Run], float]] = [
        lambda r: float(r["macro_recall"]),
        lambda r: float(r["accuracy"]),
        _other_or_not,
    ]
    cells = []
    for measure in measures:
        here, there = measure(run), measure(base)
        cells += [f"{100 * here:.1f}", "" if run is base else f"{100 * (here - there):+.1f}"]
    return cells


def _other_or_not(run: Run) -> float:
    """The share of placeholders for which OTHER is told from a pronoun; OTHER is the last class."""
    matrix = run["matrix"]
    right = matrix[-1][-1] + sum(sum(row[:-1]) for row in matrix[:-1])
    return float(right / sum(map(sum, matrix)))


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |" for row in lines)
