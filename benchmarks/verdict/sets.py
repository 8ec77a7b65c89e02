"""Every set of pronouns that people judged, in one table: how far can `accept` be trusted?

    python benchmarks/verdict/sets.py                   measure all sets, and keep results/sets.json
    python benchmarks/verdict/sets.py talks bio         only the sets whose name starts so; the others stay
    python benchmarks/verdict/sets.py none --write      only put the table of both results into the pages

With `python tools/plain.py` before the path, it measures the plain installation; results/sets-free.json
has these figures.

Judged pronouns are those of fit.py: each is judged by weights that were fitted without its document. No
weight was fitted on the other sets, which are scored by the metric as it is installed.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from anaphor.core import LanguagePair, Outcome
from anaphor.languages import load_pair
from anaphor.meta.annotation import SpanAnnotation
from anaphor.meta.detection import MarkedItem, evaluate_marks
from anaphor.meta.judgements import ScoredItem
from anaphor.meta.readings import read_readings
from anaphor.meta.spans import Vote, read_bio_mqm, read_chat, read_mqm
from anaphor.metrics.apt import PronounComparer
from anaphor.verdict import Fusion, verdict_of
from anaphor.verdict.base_rate import probabilities
from benchmarks.verdict.evidence import (
    ARTICLES,
    FURTHER_PARTS,
    JUDGED,
    PARTS,
    Part,
    Verdicts,
    examples_of,
    judged_sets,
)
from benchmarks.verdict.fit import HeldOut, held_out
from benchmarks.verdict.marks import (
    DATA,
    FREE,
    WITH_REFERENCE,
    marked,
    scored,
    without_each_system,
    write_table,
)
from tools.distributions import writes_research

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "sets.json"
PLAIN_RESULTS = HERE / "results" / "sets-free.json"
PAGES = (HERE.parents[1] / "docs" / "metrics" / "evidence.md", HERE / "README.md")
#: What was scored of each annotation: sets with other rules of marking share it.
_SCORED: dict[str, tuple[SpanAnnotation, list[ScoredItem]]] = {}
#: A correlation needs some systems.
_FEWEST_SYSTEMS = 4


@dataclass(frozen=True, slots=True)
class JudgedSet:
    """The pronouns of a set with scores and marks; `ratings` are those of every judged pronoun, by rater."""

    items: Sequence[MarkedItem]
    metrics: Sequence[str]
    ratings: Sequence[Mapping[str, str]] | None = None


@cache
def held_out_pronouns() -> HeldOut:
    return held_out(judged_sets())


def judged(name: str, *, readers: str, parts: Sequence[str] = ()) -> JudgedSet:
    """Judged pronouns with the probability by weights that have not seen their document.

    With `parts` only these count, and APT is computed from the reference of WMT24.
    """
    outcomes = wmt24_outcomes() if parts else {}
    wanted = parts or (*PARTS[name], *FURTHER_PARTS.get(name, ()), ARTICLES)
    found = held_out_pronouns()
    items = []
    for one, value in zip(found.examples, found.accepted.tolist(), strict=True):
        if one.wrong is not None and one.read_by == readers and one.part in wanted:
            place = one.system, one.pair.source.segment, one.pair.source.position
            outcome = outcomes.get(place, Outcome.BOTH_MISSING)
            scores, verdicts = {FREE: value}, {FREE: verdict_of(value)}
            # Systems of several parts have the same names.
            system = f"{one.part}/{one.system}"
            items.append(MarkedItem(system, one.document, one.wrong, outcome, scores, verdicts))
    metrics = ["apt", FREE] if parts else [FREE]
    if readers != "given":
        return JudgedSet(items, metrics)
    readings = read_readings(JUDGED / f"{name}.tsv")
    return JudgedSet(items, metrics, [one.readers for one in readings if one.part in wanted])


def articles() -> JudgedSet:
    """Sentences that no model of `anaphor-research` has seen: the verdict as it is installed."""
    fusion = Fusion.load("de")
    found = examples_of(Part.read(ARTICLES), Verdicts.read())
    ratios = [fusion.likelihood_ratio(fusion.weigh(one.evidence.testimonies)) for one in found]
    items = [
        MarkedItem(
            one.system,
            one.document,
            one.wrong,
            Outcome.BOTH_MISSING,
            {FREE: value},
            {FREE: verdict_of(value)},
        )
        for one, value in zip(found, probabilities(ratios, fusion.prior), strict=True)
        if one.wrong is not None
    ]
    return JudgedSet(items, [FREE])


@cache
def wmt24_outcomes() -> Mapping[tuple[str, int, int], Outcome]:
    """What APT says of the pronouns of WMT24, the only judged part with a reference."""
    compare = PronounComparer(load_pair(LanguagePair.parse("en-de")), other="different").outcome
    part = Part.read("wmt24-en-de").with_references()
    return {
        (one.system, one.pair.source.segment, one.pair.source.position): compare(
            one.pair.references[0], one.pair.candidate
        )
        for one in examples_of(part, Verdicts())
    }


def spans(
    read: Callable[[], SpanAnnotation],
    *,
    key: str,
    pair: str,
    references: Sequence[str],
    longest: int = 3,
    vote: Vote = "majority",
) -> JudgedSet:
    """Pronouns that professionals marked; APT uses the first of `references`, and none is a candidate."""
    if key not in _SCORED:
        annotation = read()
        candidates = [name for name in annotation.systems if name not in references]
        _SCORED[key] = (
            annotation,
            scored(annotation, pair=pair, reference=references[0], candidates=candidates),
        )
    annotation, items = _SCORED[key]
    return JudgedSet(
        marked(items, annotation, pair=pair, longest=longest, vote=vote), ["apt", FREE, WITH_REFERENCE]
    )


def all_sets() -> dict[str, tuple[str, str, Callable[[], JudgedSet]]]:
    """Name of each set, what the table calls it, its pair, and how it is made."""
    sets: dict[str, tuple[str, str, Callable[[], JudgedSet]]] = {}
    for name in PARTS:
        sets[f"judged-{name}"] = "judged pronouns", name, partial(judged, name, readers="given")
    wmt24 = partial(judged, "en-de", readers="given", parts=("wmt24-en-de",))
    sets["judged-wmt24-en-de"] = "of these, WMT24", "en-de", wmt24
    for name in PARTS:
        sets[f"readings-{name}"] = "further readings", name, partial(judged, name, readers="ours")
    for name, title in (("en-de", "talks"), ("en-fr", "talks"), ("en-es", "talks, Wikipedia")):
        sets[f"further-{name}"] = f"other texts: {title}", name, partial(judged, name, readers="further")
    wikipedia = articles if writes_research() else partial(judged, "en-de", readers="articles")
    sets["articles-en-de"] = "other texts: Wikipedia", "en-de", wikipedia

    ted = partial(read_mqm, DATA / "mqm-ted-en-de" / "mqm.tsv.gz")
    for longest, title in ((1, "TED talks, spans of one word"), (3, "TED talks")):
        make = partial(spans, ted, key="ted", pair="en-de", references=("ref",), longest=longest)
        sets[f"talks-{longest}"] = title, "en-de", make
    news = partial(read_mqm, DATA / "mqm-wmt23-en-de" / "mqm.tsv.gz")
    for vote, title in (("majority", "WMT23, two of three raters"), ("any", "WMT23, any rater")):
        make = partial(spans, news, key="wmt23", pair="en-de", references=("refA",), vote=vote)  # type: ignore[arg-type]
        sets[f"wmt23-{vote}"] = title, "en-de", make
    for pair in ("en-de", "en-fr", "en-es", "en-it", "en-pt", "de-en", "fr-en", "es-en"):
        read = partial(read_bio_mqm, DATA / "mqm-bio", pair=pair)
        references = ("reference", "reference_r1")
        sets[f"bio-{pair}"] = (
            "medical abstracts",
            pair,
            partial(spans, read, key=f"bio-{pair}", pair=pair, references=references),
        )
    for pair in ("en-de", "de-en", "en-fr", "fr-en", "en-pt", "pt-en"):
        read = partial(read_chat, str(DATA / "mqm-chat"), pair=pair)
        make = partial(spans, read, key=f"chat-{pair}", pair=pair, references=("ref",))
        sets[f"chats-{pair}"] = "chats", pair, make
    return sets


def measure(made: JudgedSet) -> dict[str, Any]:
    """All figures of a set: those of `anaphor meta spans`, and correlations with each system left out."""
    items = made.items
    if len({item.marked for item in items}) < 2:
        return {"items": len(items), "marked": sum(item.marked for item in items)}
    found = evaluate_marks(items, metrics=made.metrics, ratings=made.ratings)
    return {
        **found.to_dict(),
        "without one system": without_each_system(items, made.metrics)
        if found.systems >= _FEWEST_SYSTEMS
        else {},
    }


HEADING = {
    "set": "---",
    "pair": "---",
    "pronouns": "---:",
    "wrong": "---:",
    "alpha": "---:",
    "AUC `apt`": "---",
    "AUC `accept`": "---",
    "p": "---:",
    "AUC `accept` with reference": "---",
    "p ": "---:",
    "open %": "---:",
    "precision %": "---:",
    "recall %": "---:",
    "systems": "---:",
    "r `apt`": "---",
    "r `accept`": "---",
}


def as_table(results: Mapping[str, Any], plain: Mapping[str, Any]) -> str:
    """One row per set; with results of the plain installation, by name too, they have a column."""
    rows = [[*map(str.strip, HEADING)], [*HEADING.values()], *map(row_of, results.values())]
    if plain:
        for row, own in zip(rows, ("AUC, plain", "---", *map(plain.get, results)), strict=True):
            row.insert(
                list(HEADING).index("AUC `accept`") + 1, own if isinstance(own, str) else plain_cell(own)
            )
    # Cells at the end that are empty may be left out.
    return "".join(f"| {' | '.join(row)}".rstrip("| ") + " |\n" for row in rows)


def plain_cell(result: Mapping[str, Any] | None) -> str:
    """The AUC of `accept` without a reference."""
    found = {one["metric"]: one for one in (result or {}).get("metrics", ())}
    return short(found[FREE]["auc"]["value"]) if FREE in found else ""


def read_results() -> tuple[dict[str, Any], dict[str, Any]]:
    """The recorded results of both installations, by name of the set; empty where there are none."""
    research, plain = (
        json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        for file in (RESULTS, PLAIN_RESULTS)
    )
    return research, plain


def row_of(result: Mapping[str, Any]) -> list[str]:
    """One line of the table; cells without a figure are empty."""
    start = [result["set"], result["pair"], f"{result['items']:,}", str(result["marked"])]
    if "metrics" not in result:
        return start + [""] * (len(HEADING) - len(start))
    metrics = {one["metric"]: one for one in result["metrics"]}
    alpha = next(
        (one["value"] for one in result["agreement"] if one["coefficient"] == "krippendorff-alpha"), None
    )
    p = {one["second"]: one["auc_p"] for one in result["differences"] if one["first"] == "apt"}
    verdicts = {one["verdict"]: one for one in metrics[FREE]["verdicts"]}
    rejected, left_open = verdicts.get("rejected"), verdicts.get("open")

    def auc(name: str) -> str:
        if name not in metrics:
            return ""
        found = metrics[name]["auc"]
        return short(found["value"]) + within(found["interval"])

    def percent(found: Mapping[str, Any] | None, key: str) -> str:
        return "" if found is None else f"{100 * found[key]['value']:.0f}"

    def correlation(name: str) -> str:
        left_out = [one[name] for one in result["without one system"].values() if name in one]
        if not left_out:
            return ""
        limits = [min(left_out), max(left_out)]
        return short(metrics[name]["pearson"]["value"]) + within(limits)

    return [
        *start,
        short(alpha),
        auc("apt"),
        f"**{short(metrics[FREE]['auc']['value'])}**{within(metrics[FREE]['auc']['interval'])}",
        short(p.get(FREE)),
        auc(WITH_REFERENCE),
        short(p.get(WITH_REFERENCE)),
        percent(left_open, "share") or "0",
        percent(rejected, "rate"),
        percent(rejected, "recall") or "0",
        str(result["systems"]),
        correlation("apt"),
        correlation(FREE),
    ]


def short(value: float | None) -> str:
    """.86 for 0.86; nothing for None."""
    if value is None:
        return ""
    text = f"{value:.2f}".replace("0.", ".", 1)
    return "<.01" if value > 0 and text == ".00" else text


def within(limits: Sequence[float] | None) -> str:
    return "" if limits is None else f" [{', '.join(map(short, limits))}]"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sets", nargs="*", help="beginnings of names; without any, all sets are measured")
    parser.add_argument("--write", action="store_true", help="put the table into the pages")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    research, plain = read_results()
    results, file = (research, RESULTS) if writes_research() else (plain, PLAIN_RESULTS)
    known = all_sets()
    for name, (title, pair, make) in known.items():
        if options.sets and not name.startswith(tuple(options.sets)):
            continue
        started = time.process_time()
        results[name] = {"set": title, "pair": pair, **measure(make())}
        results[name]["cpu_s"] = round(time.process_time() - started, 1)
        print(f"{name}: {results[name]['cpu_s']} s", flush=True)
        kept = {one: results[one] for one in known if one in results}
        file.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    table = as_table(*read_results())
    print(table)
    if options.write:
        for page in PAGES:
            write_table(page, "sets", table)


if __name__ == "__main__":
    main()
