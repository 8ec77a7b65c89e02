"""Build a suite: documents in, the items of a plan out, and a report of what there was to choose from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from anaphor.align import AlignerChoice
from anaphor.analyse import Analyser
from anaphor.analyse.function import FunctionClassifier
from anaphor.core import (
    InputError,
    Item,
    LanguagePair,
    MismatchError,
    OptionError,
    Suite,
    SuiteDocument,
    collector_paused,
)
from anaphor.corpus import Text
from anaphor.languages import LanguagePack, PairPack
from anaphor.suite.build.candidates import (
    AUTOMATIC,
    PronounCandidate,
    annotated_candidates,
    automatic_candidates,
)
from anaphor.suite.build.documents import (
    AnalysedDocument,
    BuildCorpus,
    BuildDocument,
    SentenceTokenizer,
    analysed_documents,
)
from anaphor.suite.build.projection import Projection, ProjectionFailure, Projector, align_references
from anaphor.suite.build.report import BuildReport, CategoryCounts
from anaphor.suite.build.selection import SelectableItem, select_items
from anaphor.suite.categories import CategoryPack
from anaphor.suite.folder import LoadedSuite
from anaphor.suite.texts import SuiteTexts

Progress = Callable[[str], None]
_FORMS = frozenset({"it", "they", "you"})


@dataclass(frozen=True, slots=True)
class BuiltSuite:
    """The suite with its texts, and the report."""

    loaded: LoadedSuite
    report: BuildReport


@collector_paused()
def build_suite(
    corpus: BuildCorpus, order: BuildConfig, tools: BuildTools, progress: Progress = lambda _: None
) -> BuiltSuite:
    """Find the candidates, link them to the references, choose as the plan says."""
    check_config(order, tools.pack.pair)
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
    chosen = select_items(offers, order.plan, seed=order.seed)
    items = [
        item_of(possible[number], category) for category, numbers in chosen.items() for number in numbers
    ]
    suite, texts = suite_of(corpus, order, tools, items)
    rows = tuple(_row(category, order, possible, chosen[category]) for category in order.plan)
    report = BuildReport(rows, _kinds(candidates), dict(sorted(lacks.items())), corpus.notes)
    return BuiltSuite(LoadedSuite(suite, texts), report)


def _offer(possible: PossibleItem) -> SelectableItem:
    candidate = possible.candidate
    return SelectableItem(
        item_id(candidate),
        possible.categories,
        possible.group,
        candidate.document.document.name,
        1.0 if candidate.confidence is None else candidate.confidence,
        doubtful=possible.projections[0].repaired,
    )


def _candidates(documents: Sequence[AnalysedDocument], *, automatic: bool) -> Iterator[PronounCandidate]:
    """Annotated pronouns, and automatic ones of every form that people annotated nowhere."""
    annotated = [candidate for document in documents for candidate in annotated_candidates(document)]
    yield from annotated
    forms = _FORMS - {candidate.features["form"] for candidate in annotated}
    if automatic and forms:
        classifier = FunctionClassifier.built_in()
        for document in documents:
            yield from automatic_candidates(document, classifier, forms)


def _wanted(candidates: Sequence[PronounCandidate], order: BuildConfig) -> Iterator[PronounCandidate]:
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
    documents: Sequence[AnalysedDocument], wanted: Sequence[PronounCandidate], tools: BuildTools
) -> list[tuple[Projection | ProjectionFailure, ...]]:
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
    wanted: Sequence[PronounCandidate],
    projected: Sequence[tuple[Projection | ProjectionFailure, ...]],
    order: BuildConfig,
    pack: PairPack,
    lacks: Counter[str],
) -> Iterator[PossibleItem]:
    """The candidates that can become items; why others cannot is counted in `lacks`."""
    for candidate, found in zip(wanted, projected, strict=True):
        kept = tuple(one for one in found if isinstance(one, Projection))
        if not kept:
            lacks[next(one.value for one in found if isinstance(one, ProjectionFailure))] += 1
            continue
        better = _refined(candidate, kept[0], pack)
        categories = order.planned(better.features)
        if better.antecedent is None and order.counts_antecedent(categories):
            lacks["no antecedent noun in the source"] += 1
            continue
        if categories:
            yield PossibleItem(better, kept, categories, _group(better, kept[0], pack))


def _group(candidate: PronounCandidate, projection: Projection, pack: PairPack) -> str:
    person = 2 if candidate.features["form"] == "you" else 3
    return form_group(pack.target, projection.forms, person=person)


def _refined(candidate: PronounCandidate, projection: Projection, pack: PairPack) -> PronounCandidate:
    if candidate.features["form"] != "you" or candidate.features["origin"] != AUTOMATIC:
        return candidate
    features, confidence = refined_by_reference(
        candidate.features, candidate.confidence or 0.0, pack.target, projection.forms
    )
    return replace(candidate, features=features, confidence=confidence)


def _row(
    category: str, order: BuildConfig, possible: Sequence[PossibleItem], numbers: Sequence[int]
) -> CategoryCounts:
    fitting = [one for one in possible if category in one.categories]
    taken = [possible[number] for number in numbers]
    return CategoryCounts(
        category,
        order.plan[category],
        Counter(one.group for one in fitting),
        Counter(one.group for one in taken),
        sum(one.candidate.confidence is not None for one in taken),
    )


def _kinds(candidates: Sequence[PronounCandidate]) -> dict[str, int]:
    """Pronouns by function, anaphoric ones by what they refer to (Table 1)."""
    counts: Counter[str] = Counter()
    for one in candidates:
        function = one.features["function"]
        if one.features["origin"] == AUTOMATIC:
            function = f"{function} {one.features['form']} ({AUTOMATIC})"
        detail = one.features.get("distance") or one.features.get("antecedent")
        counts[f"{function}, {detail}" if function == "anaphoric" and detail else function] += 1
    return dict(sorted(counts.items()))


@dataclass(frozen=True, slots=True)
class PossibleItem:
    """A candidate that at least one reference has a pronoun for."""

    candidate: PronounCandidate
    projections: tuple[Projection, ...]
    categories: tuple[str, ...]
    group: str


def item_id(candidate: PronounCandidate) -> str:
    """The document, and the character that the pronoun begins with."""
    return f"{candidate.document.document.name}.{candidate.pronoun[0].start}"


def item_of(possible: PossibleItem, category: str) -> Item:
    """The item of a candidate in a category."""
    candidate = possible.candidate
    name = candidate.document.document.name
    antecedents = () if candidate.antecedent is None else (candidate.antecedent,)
    return Item(
        item_id(candidate),
        name,
        category,
        candidate.pronoun,
        antecedents,
        tuple(one.pair for one in possible.projections),
        features={**candidate.features, "expected": possible.group},
        confidence=candidate.confidence,
    )


def suite_of(
    corpus: BuildCorpus, order: BuildConfig, tools: BuildTools, items: Sequence[Item]
) -> tuple[Suite, SuiteTexts]:
    """All documents stay, so that candidates can be translated in context; items stand in text order."""
    names = list(corpus.documents[0].references)
    source = {one.name: _text(one, one.source) for one in corpus.documents}
    references = {
        name: {one.name: _text(one, one.references[name]) for one in corpus.documents} for name in names
    }
    documents = tuple(
        SuiteDocument(
            name, len(text), text.digest, {side: found[name].digest for side, found in references.items()}
        )
        for name, text in source.items()
    )
    place = {document.id: number for number, document in enumerate(documents)}
    ordered = sorted(items, key=lambda item: (place[item.document], item.pronoun))
    categories = tuple(one for one in order.categories.categories if one.name in order.plan)
    made_by = f"seed {order.seed}, links {tools.aligner.signature()}, {tools.analyser.signature()}"
    description = f"Built with the categories {order.categories.name}: {made_by}."
    suite = Suite(
        order.name, "1.0", tools.pack.pair, order.licence, description, categories, documents, tuple(ordered)
    )
    return suite, SuiteTexts(source, references)


def _text(document: BuildDocument, lines: Sequence[str]) -> Text:
    return Text.of(lines, path=document.name)


_GUESSED = "en"


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildTools:
    """What the builder works with: cutters, analysers (none for a language without), an aligner, lists."""

    pack: PairPack
    cut_source: SentenceTokenizer
    cut_target: SentenceTokenizer
    analyser: Analyser
    target_analyser: Analyser | None
    aligner: AlignerChoice


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildConfig:
    """What is wanted: categories and how many of each; `automatic` fills what people did not annotate."""

    categories: CategoryPack
    plan: Mapping[str, int]
    name: str
    licence: str
    automatic: bool = True
    seed: int = 12345

    def planned(self, features: Mapping[str, str]) -> tuple[str, ...]:
        """The categories of the plan that take a pronoun with these features."""
        return tuple(name for name in self.categories.categories_of(features) if name in self.plan)

    def counts_antecedent(self, categories: Collection[str]) -> bool:
        """Whether one of these categories asks for the antecedent."""
        return any(one.antecedent and one.name in categories for one in self.categories.categories)


def check_config(order: BuildConfig, pair: LanguagePair) -> None:
    """Raise if the order cannot be met for this pair."""
    if order.categories.source != pair.source:
        raise MismatchError(
            f"the categories are for {order.categories.source}, the pair is {pair}",
            where="--categories, --pair",
            fix="give a pack of categories for the source language",
        )
    if order.automatic and pair.source != _GUESSED:
        raise OptionError(
            "the rules that guess what people did not annotate are for English",
            where="--annotated-only",
            fix="give --annotated-only",
        )


_SURE = 0.8


def form_group(target: LanguagePack, forms: Sequence[str], *, person: int) -> str:
    """Gender and number of the first form, such as `feminine plural`: what the selection is balanced by.

    `person` is that of the source pronoun. For the third, *il* and *le* are one group, for they agree with
    the same nouns; neuter forms (*ce*, *cela*) are one, and so are all forms without gender (*l'*, *y*,
    *on*); a form that can be several things (German *sie*) is a group of its own. For the second every form
    is one.
    """
    readings = [entry for entry in target.forms if entry.form == forms[0] and entry.person == 3]
    if person == 2 or not readings:
        return forms[0]
    genders = {entry.gender for entry in readings}
    numbers = {entry.number for entry in readings}
    if genders == {"neuter"}:
        return "neuter"
    if genders == {"any"}:
        return "no gender"
    if len(genders) > 1 or len(numbers) > 1:
        return forms[0]
    return f"{genders.pop()} {numbers.pop()}"


def refined_by_reference(
    features: Mapping[str, str], confidence: float, target: LanguagePack, forms: Sequence[str]
) -> tuple[dict[str, str], float]:
    """Features and confidence of an automatic *you* after a look at the reference.

    A singular form of the second person (*tu*) means one listener, a form of the third (*on*) people in
    general; a form that leaves it open (*vous*) changes nothing.
    """
    readings = [entry for entry in target.forms if entry.form == forms[0]]
    if all(entry.person == 2 and entry.number == "singular" for entry in readings):
        return {**features, "audience": "deictic", "number": "singular"}, max(confidence, _SURE)
    if all(entry.person == 3 for entry in readings):
        plain = {name: value for name, value in features.items() if name != "number"}
        return {**plain, "audience": "generic"}, max(confidence, _SURE)
    return dict(features), confidence
