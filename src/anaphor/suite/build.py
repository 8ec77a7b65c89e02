"""Build a suite: documents in, the items of a plan out, and a report of what there was to choose from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from anaphor.analyse.function import FunctionClassifier
from anaphor.core import InputError, collector_paused
from anaphor.languages import PairPack
from anaphor.suite.build_analysed import AnalysedDocument, analysed_documents
from anaphor.suite.build_documents import BuildCorpus
from anaphor.suite.build_groups import form_group, refined_by_reference
from anaphor.suite.build_items import Possible, item_id, item_of, suite_of
from anaphor.suite.build_order import BuildOrder, BuildTools, check_order
from anaphor.suite.build_report import BuildReport, CategoryRow
from anaphor.suite.candidates import AUTOMATIC, Candidate, annotated_candidates, automatic_candidates
from anaphor.suite.folder import LoadedSuite
from anaphor.suite.project import Lack, Projection, Projector, align_references
from anaphor.suite.select import Offer, choose

Progress = Callable[[str], None]
_FORMS = frozenset({"it", "they", "you"})


@dataclass(frozen=True, slots=True)
class BuiltSuite:
    """The suite with its texts, and the report."""

    loaded: LoadedSuite
    report: BuildReport


@collector_paused()
def build_suite(
    corpus: BuildCorpus, order: BuildOrder, tools: BuildTools, progress: Progress = lambda _: None
) -> BuiltSuite:
    """Find the candidates, link them to the references, choose as the plan says."""
    check_order(order, tools.pack.pair)
    progress("analysing the source")
    documents = list(analysed_documents(corpus.documents, tools.cut_source, tools.analyser))
    candidates = list(_candidates(documents, automatic=order.automatic))
    wanted = list(_wanted(candidates, order))
    progress("aligning the references")
    projected = _projected(documents, wanted, tools)
    progress("choosing")
    lacks: Counter[str] = Counter()
    possible = list(_possible(wanted, projected, order, tools.pack, lacks))
    offers = list(map(_offer, possible))
    if not offers:
        raise InputError(
            "no pronoun of the corpus can become an item",
            where=corpus.documents[0].name,
            fix="check --pair and the references; a plain text gives nothing with --annotated-only",
        )
    chosen = choose(offers, order.plan, seed=order.seed)
    items = [
        item_of(possible[number], category) for category, numbers in chosen.items() for number in numbers
    ]
    suite, texts = suite_of(corpus, order, tools, items)
    rows = tuple(_row(category, order, possible, chosen[category]) for category in order.plan)
    report = BuildReport(rows, _kinds(candidates), dict(sorted(lacks.items())), corpus.notes)
    return BuiltSuite(LoadedSuite(suite, texts), report)


def _offer(possible: Possible) -> Offer:
    candidate = possible.candidate
    return Offer(
        item_id(candidate),
        possible.categories,
        possible.group,
        candidate.document.document.name,
        1.0 if candidate.confidence is None else candidate.confidence,
        doubtful=possible.projections[0].repaired,
    )


def _candidates(documents: Sequence[AnalysedDocument], *, automatic: bool) -> Iterator[Candidate]:
    """Annotated pronouns, and automatic ones of every form that people annotated nowhere."""
    annotated = [candidate for document in documents for candidate in annotated_candidates(document)]
    yield from annotated
    forms = _FORMS - {candidate.features["form"] for candidate in annotated}
    if automatic and forms:
        classifier = FunctionClassifier.built_in()
        for document in documents:
            yield from automatic_candidates(document, classifier, forms)


def _wanted(candidates: Sequence[Candidate], order: BuildOrder) -> Iterator[Candidate]:
    """Those that a category of the plan takes, or could take once the reference says more of them (*you*).

    An antecedent that counts for none of them is left out: it need not have a translation.
    """
    for candidate in candidates:
        planned = order.planned(candidate.features)
        if order.counts_antecedent(planned):
            yield candidate
        elif planned or candidate.features["form"] == "you":
            yield replace(candidate, antecedent=None)


def _projected(
    documents: Sequence[AnalysedDocument], wanted: Sequence[Candidate], tools: BuildTools
) -> list[tuple[Projection | Lack, ...]]:
    source = [sentence for document in documents for sentence in document.sentences]
    names = list(documents[0].document.references)
    lines = {
        name: [line for document in documents for line in document.document.references[name]]
        for name in names
    }
    links = align_references(source, lines, tools.cut_target, tools.aligner)
    columns = []
    for name in names:
        projector = Projector(name, tools.pack, lines[name], tools.cut_target, links[name])
        columns.append(projector.project(wanted, projector.tags(tools.target_analyser)))
    return list(zip(*columns, strict=True))


def _possible(
    wanted: Sequence[Candidate],
    projected: Sequence[tuple[Projection | Lack, ...]],
    order: BuildOrder,
    pack: PairPack,
    lacks: Counter[str],
) -> Iterator[Possible]:
    """The candidates that can become items; why others cannot is counted in `lacks`."""
    for candidate, found in zip(wanted, projected, strict=True):
        kept = tuple(one for one in found if isinstance(one, Projection))
        if not kept:
            lacks[next(one.value for one in found if isinstance(one, Lack))] += 1
            continue
        better = _refined(candidate, kept[0], pack)
        categories = order.planned(better.features)
        if better.antecedent is None and order.counts_antecedent(categories):
            lacks["no antecedent noun in the source"] += 1
            continue
        if categories:
            yield Possible(better, kept, categories, _group(better, kept[0], pack))


def _group(candidate: Candidate, projection: Projection, pack: PairPack) -> str:
    person = 2 if candidate.features["form"] == "you" else 3
    return form_group(pack.target, projection.forms, person=person)


def _refined(candidate: Candidate, projection: Projection, pack: PairPack) -> Candidate:
    if candidate.features["form"] != "you" or candidate.features["origin"] != AUTOMATIC:
        return candidate
    features, confidence = refined_by_reference(
        candidate.features, candidate.confidence or 0.0, pack.target, projection.forms
    )
    return replace(candidate, features=features, confidence=confidence)


def _row(
    category: str, order: BuildOrder, possible: Sequence[Possible], numbers: Sequence[int]
) -> CategoryRow:
    fitting = [one for one in possible if category in one.categories]
    taken = [possible[number] for number in numbers]
    return CategoryRow(
        category,
        order.plan[category],
        Counter(one.group for one in fitting),
        Counter(one.group for one in taken),
        sum(one.candidate.confidence is not None for one in taken),
    )


def _kinds(candidates: Sequence[Candidate]) -> dict[str, int]:
    """Pronouns by function, anaphoric ones by what they refer to (Table 1)."""
    counts: Counter[str] = Counter()
    for one in candidates:
        function = one.features["function"]
        if one.features["origin"] == AUTOMATIC:
            function = f"{function} {one.features['form']} ({AUTOMATIC})"
        detail = one.features.get("distance") or one.features.get("antecedent")
        counts[f"{function}, {detail}" if function == "anaphoric" and detail else function] += 1
    return dict(sorted(counts.items()))
