"""Build a suite: documents in, the items of a plan out, and a report on the available candidates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from anaphor import core
from anaphor.align import AlignerChoice
from anaphor.analyse import load_analyser
from anaphor.analyse.builtin import built_in_languages
from anaphor.analyse.function import FunctionClassifier
from anaphor.core import Item, LanguagePair
from anaphor.core.options import check_seed
from anaphor.core.progress import Progress
from anaphor.core.table import Listing
from anaphor.corpus import Text
from anaphor.languages import LanguagePack, Tokenizer, load_pair, split_tokens
from anaphor.suite.build.candidates import (
    AUTOMATIC,
    PronounCandidate,
    annotated_candidates,
    automatic_candidates,
)
from anaphor.suite.build.documents import AnalysedDocument, BuildCorpus, analysed_documents
from anaphor.suite.build.projection import Projection, ProjectionFailure, Projector, align_references
from anaphor.suite.build.selection import CategoryCounts, SelectableItem, build_report, select_items
from anaphor.suite.categories import CategoryPack
from anaphor.suite.folder import LoadedSuite
from anaphor.suite.texts import SuiteTexts

_FORMS = frozenset({"it", "they", "you"})
_SURE = 0.8  # confidence in an automatic *you* whose reading the reference confirms


class BuildTools:
    """Tokenizers, analysers, aligner and pack of a pair; `analyser` and its `model` are for the source.

    The aligner's choice says where the user's language packs are.
    """

    def __init__(
        self,
        pair: LanguagePair,
        aligner: AlignerChoice,
        *,
        tokenized: bool = False,
        analyser: str = "built-in",
        model: str | None = None,
    ) -> None:
        self.pack = load_pair(pair, folder=aligner.packs)
        self.aligner = aligner
        self.source_tokenizer, self.target_tokenizer = (
            split_tokens if tokenized else Tokenizer(pack) for pack in (self.pack.source, self.pack.target)
        )
        self.analyser = load_analyser(analyser, language=pair.source, model=model)
        known = pair.target in built_in_languages()
        self.target_analyser = load_analyser("built-in", language=pair.target) if known else None


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildConfig:
    """Categories and the number of items of each; `automatic` adds pronouns that are not annotated."""

    categories: CategoryPack
    plan: Mapping[str, int]
    name: str
    licence: str
    automatic: bool = True
    seed: int = 12345

    def __post_init__(self) -> None:
        check_seed(self.seed)

    def planned(self, features: Mapping[str, str]) -> tuple[str, ...]:
        """The categories of the plan that accept a pronoun with these features."""
        return tuple(name for name in self.categories.categories_of(features) if name in self.plan)

    def counts_antecedent(self, categories: Collection[str]) -> bool:
        """Whether the antecedent counts in one of these categories."""
        return any(
            category.antecedent and category.name in categories for category in self.categories.categories
        )

    def check(self, pair: LanguagePair) -> None:
        """Raise if the categories or the rules are for another language."""
        if self.categories.source != pair.source:
            what = f"the categories are for {self.categories.source}, the pair is {pair}"
            fix = "pass a pack of categories for the source language"
            raise core.MismatchError(what, where="--categories, --pair", fix=fix)
        if self.automatic and pair.source != "en":
            what = "the rules for unannotated pronouns only cover English"
            raise core.OptionError(what, where="--annotated-only", fix="add --annotated-only")


def build_suite(
    corpus: BuildCorpus, config: BuildConfig, tools: BuildTools, progress: Progress = lambda _: None
) -> tuple[LoadedSuite, Listing]:
    """Find candidates, project them onto the references, and select items according to the plan."""
    config.check(tools.pack.pair)
    progress("analysing the source")
    documents = list(analysed_documents(corpus.documents, tools.source_tokenizer, tools.analyser))
    candidates = [candidate for document in documents for candidate in annotated_candidates(document)]
    # Automatic candidates are added for the forms that are nowhere annotated.
    forms = _FORMS - {candidate.features["form"] for candidate in candidates}
    if config.automatic and forms:
        classifier = FunctionClassifier.built_in()
        for document in documents:
            candidates += automatic_candidates(document, classifier, forms)
    wanted = []
    for candidate in candidates:
        planned = config.planned(candidate.features)
        if config.counts_antecedent(planned):
            wanted.append(candidate)
        # The category of *you* may depend on the reference. An antecedent that does not count is left out,
        # because it need not have a translation.
        elif planned or candidate.features["form"] == "you":
            wanted.append(replace(candidate, antecedent=None))
    progress("aligning the references")
    projected = _projected(documents, wanted, tools)
    progress("choosing")
    lacks: Counter[str] = Counter()
    possible = list(_possible(wanted, projected, config, tools.pack.target, lacks))
    if not possible:
        what = "no pronoun of the corpus qualifies as an item"
        fix = "check --pair and the references; plain text gives nothing with --annotated-only"
        raise core.InputError(what, where=corpus.documents[0].name, fix=fix)
    chosen = select_items([selectable for selectable, _ in possible], config.plan, seed=config.seed)
    items, rows = [], []
    for category, size in config.plan.items():
        taken = [possible[number] for number in chosen[category]]
        items += [replace(item, category=category) for _, item in taken]
        available = Counter(candidate.group for candidate, _ in possible if category in candidate.categories)
        automatic = sum(item.confidence is not None for _, item in taken)
        groups = Counter(candidate.group for candidate, _ in taken)
        rows.append(CategoryCounts(category, size, available, groups, automatic))
    report = build_report(rows, _kinds(candidates), dict(sorted(lacks.items())), corpus.notes)
    return _suite_of(corpus, config, tools, items), report


def _projected(
    documents: Sequence[AnalysedDocument], wanted: Sequence[PronounCandidate], tools: BuildTools
) -> list[tuple[Projection | ProjectionFailure, ...]]:
    """For every candidate, its projection onto each reference."""
    source = [sentence for document in documents for sentence in document.sentences]
    lines = {
        name: [line for document in documents for line in document.document.references[name]]
        for name in documents[0].document.references
    }
    links = align_references(source, lines, tools.target_tokenizer, tools.aligner)
    columns = []
    for name, reference in lines.items():
        projector = Projector(name, tools.pack, reference, tools.target_tokenizer, links[name])
        columns.append(projector.project(wanted, projector.tags(tools.target_analyser)))
    return list(zip(*columns, strict=True))


def _possible(
    wanted: Sequence[PronounCandidate],
    projected: Sequence[tuple[Projection | ProjectionFailure, ...]],
    config: BuildConfig,
    target: LanguagePack,
    lacks: Counter[str],
) -> Iterator[tuple[SelectableItem, Item]]:
    """The candidates that can become items, whose category is still open.

    The reasons why others cannot are counted in `lacks`.
    """
    for candidate, results in zip(wanted, projected, strict=True):
        projections = tuple(result for result in results if isinstance(result, Projection))
        if not projections:
            lacks[next(result.value for result in results if isinstance(result, ProjectionFailure))] += 1
            continue
        forms = projections[0].forms
        you = candidate.features["form"] == "you"
        if you and candidate.features["origin"] == AUTOMATIC:
            features, confidence = refined_by_reference(
                candidate.features, candidate.confidence or 0.0, target, forms
            )
            candidate = replace(candidate, features=features, confidence=confidence)
        categories = config.planned(candidate.features)
        if candidate.antecedent is None and config.counts_antecedent(categories):
            lacks["no antecedent noun in the source"] += 1
        elif categories:
            group = form_group(target, forms, person=2 if you else 3)
            document = candidate.document.document.name
            name = f"{document}.{candidate.pronoun[0].start}"
            # Annotated pronouns come before automatic ones, whatever their confidence.
            confidence = 1.0 if candidate.confidence is None else candidate.confidence
            yield (
                SelectableItem(name, categories, group, document, confidence, projections[0].repaired),
                Item(
                    name,
                    document,
                    "",
                    candidate.pronoun,
                    () if candidate.antecedent is None else (candidate.antecedent,),
                    tuple(projection.pair for projection in projections),
                    features={**candidate.features, "expected": group},
                    confidence=candidate.confidence,
                ),
            )


def form_group(target: LanguagePack, forms: Sequence[str], *, person: int) -> str:
    """Gender and number of the first form, such as `feminine plural`, by which the selection is balanced.

    `person` is that of the source pronoun. In the third person, *il* and *le* form one group, because they
    agree with the same nouns; neuter forms (*ce*, *cela*) form one, and so do all forms without gender (*l'*,
    *y*, *on*); an ambiguous form (German *sie*) is a separate group. In the second person every form is its
    own group.
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
    """Features and confidence of an automatic *you*, given its translation in the reference.

    A singular form of the second person (*tu*) means one listener, a third-person form (*on*) people in
    general; an ambiguous form (*vous*) changes nothing.
    """
    readings = [entry for entry in target.forms if entry.form == forms[0]]
    if all(entry.person == 2 and entry.number == "singular" for entry in readings):
        return {**features, "audience": "deictic", "number": "singular"}, max(confidence, _SURE)
    if all(entry.person == 3 for entry in readings):
        generic = {name: value for name, value in features.items() if name != "number"}
        return {**generic, "audience": "generic"}, max(confidence, _SURE)
    return dict(features), confidence


def _kinds(candidates: Sequence[PronounCandidate]) -> dict[str, int]:
    """Pronouns by function, anaphoric ones also by distance or kind of antecedent (Table 1)."""
    counts: Counter[str] = Counter()
    for candidate in candidates:
        function = candidate.features["function"]
        if candidate.features["origin"] == AUTOMATIC:
            function = f"{function} {candidate.features['form']} ({AUTOMATIC})"
        detail = candidate.features.get("distance") or candidate.features.get("antecedent")
        counts[f"{function}, {detail}" if function == "anaphoric" and detail else function] += 1
    return dict(sorted(counts.items()))


def _suite_of(
    corpus: BuildCorpus, config: BuildConfig, tools: BuildTools, items: Sequence[Item]
) -> LoadedSuite:
    """All documents are kept, so candidates can be translated in context; items are in text order."""
    source = {document.name: Text.of(document.source, path=document.name) for document in corpus.documents}
    references = {
        name: {
            document.name: Text.of(document.references[name], path=document.name)
            for document in corpus.documents
        }
        for name in corpus.documents[0].references
    }
    texts = SuiteTexts(source, references)
    documents = texts.documents()
    place = {document.id: number for number, document in enumerate(documents)}
    made_by = f"seed {config.seed}, links {tools.aligner.signature()}, {tools.analyser.signature()}"
    if tools.aligner.packs is not None:
        made_by += f", packs {tools.pack.digest}"
    suite = core.Suite(
        config.name,
        "1.0",
        tools.pack.pair,
        config.licence,
        f"Built with the categories {config.categories.name}: {made_by}.",
        tuple(category for category in config.categories.categories if category.name in config.plan),
        documents,
        tuple(sorted(items, key=lambda item: (place[item.document], item.pronoun))),
    )
    return LoadedSuite(suite, texts)
