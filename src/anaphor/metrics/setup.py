"""What the settings of an experiment choose: pack, splitters, evaluated forms, options of the metrics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from anaphor import __version__
from anaphor.align import AlignerChoice
from anaphor.core import LanguagePair, Settings, Signature, digest
from anaphor.corpus import Inputs
from anaphor.languages import PairPack, Tokenizer, load_pair
from anaphor.metrics.contract import Metric, MetricContext
from anaphor.metrics.options import check_options
from anaphor.pronouns import (
    CounterpartFinder,
    EvaluatedForms,
    PronounPairs,
    Splitter,
    find_pronouns,
    pair_up,
    with_alignments,
    with_alignments_by_symmetrization,
)

if TYPE_CHECKING:
    from anaphor.analyse.builtin import BuiltInAnalyser


@dataclass(frozen=True, slots=True)
class ScoringSetup:
    """Everything between the settings and the first pronoun pair."""

    pack: PairPack
    source: Splitter
    target: Splitter
    evaluated: EvaluatedForms
    context: MetricContext
    finder: CounterpartFinder
    aligner: AlignerChoice
    drop_outside: bool
    analyser: BuiltInAnalyser | None = None

    @classmethod
    def of(cls, settings: Settings) -> ScoringSetup:
        check_options(settings)
        folder = None if settings.packs is None else Path(settings.packs)
        pack = load_pair(LanguagePair.parse(settings.pair), folder=folder)
        source = Splitter.of(Tokenizer(pack.source), tokenized=settings.tokenized)
        target = Splitter.of(Tokenizer(pack.target), tokenized=settings.tokenized)
        evaluated = EvaluatedForms.of(pack, settings)
        context = MetricContext(
            pack=pack,
            forms=evaluated.forms,
            words=target.words,
            source_words=source.words,
            tokenized=settings.tokenized,
            options=settings.options,
        )
        analyser = None
        if settings.recognize == "analysis":
            from anaphor.analyse.builtin import build, built_in_languages

            if pack.pair.target in built_in_languages():
                analyser = build(pack.pair.target, None)
        finder = CounterpartFinder(
            pack,
            evaluated.forms,
            repair=settings.repair,
            tag=None if analyser is None else analyser.tags,
        )
        aligner = AlignerChoice(
            pair=pack.pair,
            name=settings.aligner,
            symmetrization=settings.symmetrization,
            priors=settings.priors,
            packs=folder,
            saved=None if settings.aligner_model is None else Path(settings.aligner_model),
            training=settings.aligner_training,
            tokenized=settings.tokenized,
        )
        drop = settings.outside_links == "drop"
        return cls(pack, source, target, evaluated, context, finder, aligner, drop, analyser)

    def aligned(self, inputs: Inputs, progress: Callable[[str], None] = lambda _: None) -> Inputs:
        """The inputs with an alignment for every text; `progress` hears how much of it is done."""
        choice = self.aligner.with_progress("aligning", progress)
        return with_alignments(inputs, choice, source=self.source.words, target=self.target.words)

    def aligned_by_symmetrization(
        self, inputs: Inputs, symmetrizations: Sequence[str], progress: Callable[[str], None] = lambda _: None
    ) -> dict[str, Inputs]:
        """The same for several symmetrizations of one trained aligner."""
        choice = self.aligner.with_progress("aligning", progress)
        words = {"source": self.source.words, "target": self.target.words}
        return with_alignments_by_symmetrization(inputs, choice, symmetrizations, **words)

    def pairs(self, inputs: Inputs) -> dict[str, PronounPairs]:
        """The pronoun pairs of every candidate."""
        found = find_pronouns(inputs, self.evaluated, self.source, self.pack)
        return pair_up(inputs, found, self.finder, target=self.target, drop_outside=self.drop_outside)


class Signer:
    """Signs the scores of one experiment."""

    def __init__(
        self, inputs: Inputs, settings: Settings, setup: ScoringSetup, *, given: Inputs | None = None
    ) -> None:
        """`given` are the inputs before the missing alignments were made, if any were missing."""
        self._inputs = inputs
        self._given = given or inputs
        # Links of a model that nothing is added to depend on their own text alone, as those in files do.
        self._own = inputs if setup.aligner.is_fixed else self._given
        made = []
        if self._own.reference_alignments is None:
            made += [links.digest for links in inputs.reference_alignments or ()]
        if self._own.candidate_alignments is None:
            made += [links.digest for links in (inputs.candidate_alignments or {}).values()]
        # One hash of all alignments that were made: texts aligned together may move each other's links.
        self._made = digest(part.encode() for part in sorted(made)) if made else ""
        self._settings = settings
        self._context = setup.context
        self._packs = setup.pack.digest
        evaluated = ",".join(setup.evaluated.pronouns)
        if inputs.positions is not None:
            evaluated = f"positions-{inputs.positions.digest}"
        # Signatures that do not name it, such as those of versions that knew nothing else, mean the list.
        recognized = {}
        if setup.analyser is not None:
            recognized["recognize"] = f"analysis-{setup.analyser.signature().as_dict()['model']}"
        self._shared = {
            "tok": setup.target.name,
            "packs": self._packs,
            "forms": "pair+objects" if settings.objects else "pair",
            "pronouns": evaluated,
            "repair": "paper" if settings.repair else "none",
            **recognized,
            "aligner": _aligner(self._given, settings, setup),
            "documents": "none" if inputs.documents is None else _documents_digest(inputs.documents),
        }

    def sign(self, metric: Metric, system: str) -> Signature:
        """`test` is a hash of what all systems share, `cand` one of what belongs to this system alone."""
        inputs, given, settings = self._inputs, self._own, self._settings
        # Alignments count here only where they were given; those that were made have a field of their own.
        test = [text.digest for text in given.references]
        candidate = [given.candidates[system].digest]
        if metric.pronominal:
            test += [given.source.digest, *(links.digest for links in given.reference_alignments or ())]
            if given.candidate_alignments is not None:
                candidate.append(given.candidate_alignments[system].digest)
        values = self._context.values(metric)
        declared = {option.name: option for option in getattr(metric, "options", ())}
        fields = {name: declared[name].signed(value) for name, value in values.items()}
        fields |= {**metric.settings(), "pair": settings.pair, "refs": str(len(inputs.references))}
        if "reference" in fields and not inputs.references:
            fields["reference"] = "none"
        # What depends on the forms of counterparts depends on how they are recognized.
        depends = metric.depends | {"recognize"} if "forms" in metric.depends else metric.depends
        fields |= {name: value for name, value in self._shared.items() if name in depends}
        fields |= {"test": digest(map(str.encode, test)), "cand": digest(map(str.encode, candidate))}
        if system in inputs.segmentations:
            fields |= {"segmentation": inputs.segmentations[system].method}
        if metric.pronominal and self._made:
            fields |= {"links": self._made}
        if settings.samples:
            documents = inputs.documents
            cluster = "segment" if documents is None else f"document-{_documents_digest(documents)}"
            fields |= {"cluster": cluster, "samples": str(settings.samples)}
            fields |= {"level": f"{settings.level:g}", "seed": str(settings.seed)}
        return Signature(metric.name, tuple(fields.items()), __version__)

    def digests(self) -> dict[str, str]:
        """Content hashes of every input by its role, to name what changed."""
        inputs = self._inputs
        found = {"source": inputs.source.digest, "packs": self._packs}
        found |= {f"reference {n}": text.digest for n, text in enumerate(inputs.references)}
        found |= {f"candidate {name}": text.digest for name, text in inputs.candidates.items()}
        found |= {f"documents of candidate {name}": one.digest for name, one in inputs.segmentations.items()}
        for n, links in enumerate(inputs.reference_alignments or ()):
            found[f"alignment of reference {n}"] = links.digest
        for name, links in (inputs.candidate_alignments or {}).items():
            found[f"alignment of candidate {name}"] = links.digest
        if inputs.documents is not None:
            found["documents"] = _documents_digest(inputs.documents)
        if inputs.positions is not None:
            found["positions"] = inputs.positions.digest
        return found


def _aligner(given: Inputs, settings: Settings, setup: ScoringSetup) -> str:
    """Where the links come from: from files, from an aligner, or from both."""
    from_files = "given" if settings.outside_links == "error" else "given-inside"
    sides = {"references": given.reference_alignments, "candidates": given.candidate_alignments}
    missing = [side for side, links in sides.items() if links is None]
    if not missing:
        return from_files
    made = setup.aligner.signature()
    return made if len(missing) == 2 else f"{from_files},{made} for {missing[0]}"


def _documents_digest(documents: tuple[str, ...]) -> str:
    return digest(name.encode() for name in documents)
