"""From tokenized and aligned sentence pairs to segments with placeholders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, compress
from typing import NamedTuple

from anaphor.align import SentencePair
from anaphor.analyse.contract import Analyser, load_analyser
from anaphor.core import Alignment, Analysis, TaskSegment
from anaphor.languages import load_pair
from anaphor.task.classes import task_classes
from anaphor.task.prepare import placeholders
from anaphor.task.prepare.plan import TAG_SETS, PreparationPlan, lemmas_with_tags

Analyses = Sequence[Analysis | None]


class Example(NamedTuple):
    """A segment, its classes before filtering, and how the position of each placeholder was found."""

    segment: TaskSegment
    before: tuple[str, ...] = ()
    placed: tuple[str, ...] = ()


class ExampleMaker:
    """Applies the rules of one plan to sentence pairs."""

    def __init__(self, plan: PreparationPlan) -> None:
        self._plan = plan
        pack = load_pair(plan.pair, folder=plan.packs)
        classes = task_classes(plan.pair, year=plan.style, folder=plan.packs)
        self._classes = placeholders.with_enclitics(classes, pack.target)
        self._pronouns = placeholders.SourcePronouns.of(classes, pack.source)
        likely = frozenset(chain.from_iterable(pack.likely.values()))
        self._counterparts = placeholders.TargetPronouns(self._classes.members, likely)
        self._filter = plan.chosen_filter
        self._source_analyser, self._target_analyser = analysers_for(plan)

    def make(
        self,
        pairs: Sequence[SentencePair],
        links: Sequence[Alignment],
        *,
        source_analyses: Analyses | None = None,
        target_analyses: Analyses | None = None,
    ) -> Iterator[Example]:
        """One example per pair, in order; analyses that are not given are made where they are needed."""
        positions = [self._pronouns.positions(source) for source, _ in pairs]
        if source_analyses is None:
            source_analyses = self._analyse_sources(pairs, positions)
        if target_analyses is None:
            target_analyses = _analyse(self._target_analyser, [target for _, target in pairs])
        rows = zip(pairs, links, positions, source_analyses, target_analyses, strict=True)
        for pair, alignment, found, source, target in rows:
            yield self._example(pair, alignment, found, source, target)

    def _analyse_sources(self, pairs: Sequence[SentencePair], positions: Sequence[list[int]]) -> Analyses:
        """Analyses where they matter: where verbs may lack a subject, or a pronoun may be an object."""
        if self._classes.null_subjects or self._source_analyser is None:
            return _analyse(self._source_analyser, [source for source, _ in pairs])
        needed = [
            number
            for number, (source, _) in enumerate(pairs)
            if positions[number] and self._pronouns.need_analysis(source, positions[number])
        ]
        found = self._source_analyser.analyse([pairs[number][0] for number in needed])
        by_number = dict(zip(needed, found, strict=True))
        return [by_number.get(number) for number in range(len(pairs))]

    def _example(
        self,
        pair: SentencePair,
        alignment: Alignment,
        positions: Sequence[int],
        source: Analysis | None,
        target: Analysis | None,
    ) -> Example:
        tokens, words = pair
        plan = self._plan
        if self._classes.null_subjects and source is not None and target is not None:
            before = placeholders.null_subject_placeholders(source, target, alignment, plan.limits)
        else:
            before = placeholders.find_placeholders(
                positions,
                source_length=len(tokens),
                words=words,
                alignment=alignment,
                counterparts=self._counterparts,
                limits=plan.limits,
            )
        places = [p for p in before if self._filter.keeps(p, tokens[p.source], self._pronouns, source)]
        shown = words if plan.inflected or target is None else lemmas_with_tags(target, TAG_SETS[plan.tags])
        segment = placeholders.hide_words(
            tokens,
            words=words,
            shown=shown,
            places=places,
            links=written_links(alignment, plan.limits.written),
            classes=self._classes,
        )
        if not before:
            return Example(segment)
        labels = (self._classes.class_of(words[p.target]) if p.hides else self._classes.other for p in before)
        elsewhere = "neighbour" if len(alignment) else "position"
        return Example(segment, tuple(labels), tuple("linked" if p.hides else elsewhere for p in places))


def analysers_for(plan: PreparationPlan) -> tuple[Analyser | None, Analyser | None]:
    """The analysers of source and target that a plan needs; None for a side that needs none."""
    nulls = task_classes(plan.pair, year=plan.style, folder=plan.packs).null_subjects
    source = target = None
    if nulls or not plan.chosen_filter.passes_all:
        source = load_analyser(plan.analyser, language=plan.pair.source, model=plan.source_model)
    if nulls or not plan.inflected:
        target = load_analyser(plan.analyser, language=plan.pair.target, model=plan.target_model)
    return source, target


def written_links(alignment: Alignment, least: float) -> Alignment:
    """The links for the fifth column, without confidences."""
    if alignment.confidence is None:
        return alignment
    kept = [confidence >= least for confidence in alignment.confidence]
    return Alignment(tuple(compress(alignment.sources, kept)), tuple(compress(alignment.targets, kept)))


def _analyse(analyser: Analyser | None, sentences: Sequence[Sequence[str]]) -> Analyses:
    return [None] * len(sentences) if analyser is None else list(analyser.analyse(sentences))
