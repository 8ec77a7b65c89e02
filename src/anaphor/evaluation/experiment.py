"""Experiments: texts, alignments and settings, with everything built from the settings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from anaphor import __version__
from anaphor.align import AlignerChoice
from anaphor.core import Files, LanguagePair, OptionError, Progress, Settings, Signature, digest
from anaphor.corpus import Inputs, read_inputs
from anaphor.evaluation.networks import Networks
from anaphor.languages import AgreementFacts, PairPack
from anaphor.metrics.contract import Metric, MetricContext, load_metric
from anaphor.metrics.options import option_value
from anaphor.pronouns import (
    CounterpartFinder,
    DroppedSubjects,
    EvaluatedForms,
    PronounPairs,
    Splitter,
    find_pronouns,
    pair_up,
    with_alignments,
    with_alignments_by_symmetrization,
)

if TYPE_CHECKING:  # few candidates are whole documents, and what cuts them loads slowly
    from anaphor.analyse.builtin import BuiltInAnalyser
    from anaphor.segment.candidate import Cutter

#: Gives the aligner to use in place of the one that the settings choose, for as long as it is needed.
AlignerSource = Callable[[AlignerChoice], AbstractContextManager[AlignerChoice]]


@dataclass(frozen=True)
class Experiment:
    """The texts and settings of an evaluation. It is built once and passed to everything that works on the
    texts.

    Attributes:
        inputs: The texts; after `aligned`, each has an alignment.
        settings: All options that affect a number.
        context: What metrics are built from: the language pack of the pair and the tokenization.
        evaluated: The forms of source pronouns to evaluate, and the target forms to compare.
        analyser: Distinguishes pronouns from articles of the same form, if the settings ask for it.
        aligner: The aligner for texts without an alignment.
        metrics: The metrics, in the order of the settings.
        given: The texts as given, before missing alignments were computed.
        files: The paths of the texts that came from files.
        networks: The networks of the metrics, also for the experiments that are made of this one.
    """

    inputs: Inputs
    settings: Settings
    context: MetricContext
    evaluated: EvaluatedForms
    analyser: BuiltInAnalyser | None
    aligner: AlignerChoice
    metrics: tuple[Metric, ...]
    given: Inputs
    files: Files
    networks: Networks = field(repr=False, compare=False)

    @classmethod
    def of(cls, inputs: Inputs, settings: Settings, files: Files | None = None) -> Experiment:
        """Build an experiment from texts in memory."""
        context = MetricContext.of(settings)
        pack = context.pack
        if option_value(settings, "dropped") != "ignore" and not drops_subjects(pack):
            raise OptionError(
                f"verbs with a dropped subject are not available for {pack.pair}",
                where="--dropped",
                fix="use --dropped ignore; the option is for sources with a built-in analyser and targets "
                "whose pack has agreement.null_subjects",
            )
        aligner = AlignerChoice(
            pair=pack.pair,
            name=settings.aligner,
            symmetrization=settings.symmetrization,
            priors=settings.priors,
            packs=None if settings.packs is None else Path(settings.packs),
            saved=None if settings.aligner_model is None else Path(settings.aligner_model),
            training=settings.aligner_training,
            tokenized=settings.tokenized,
        )
        metrics = tuple(load_metric(name).build(context) for name in dict.fromkeys(settings.metrics))
        return cls(
            inputs=inputs,
            settings=settings,
            context=context,
            evaluated=EvaluatedForms.of(pack, settings),
            analyser=_target_analyser(settings, pack),
            aligner=aligner,
            metrics=metrics,
            given=inputs,
            files=files or Files(),
            networks=Networks(pack.pair, metrics),
        )

    @property
    def pack(self) -> PairPack:
        """The language pack of the pair."""
        return self.context.pack

    @property
    def source(self) -> Splitter:
        """Tokenizer of the source."""
        return self.context.source

    @property
    def target(self) -> Splitter:
        """Tokenizer of references and candidates."""
        return self.context.target

    @classmethod
    def read(
        cls,
        files: Files,
        settings: Settings,
        progress: Progress = lambda _: None,
        cut: Cutter | None = None,
    ) -> Experiment:
        """Build an experiment from files; `cut` segments whole documents if another process does this."""
        progress("reading")
        pair = LanguagePair.parse(settings.pair)
        if not files.whole_documents:
            return cls.of(read_inputs(files, pair), settings, files)
        from anaphor.segment.candidate import DocumentCutter
        from anaphor.segment.inputs import read_segmented_inputs

        inputs = read_segmented_inputs(files, pair, cut=cut or DocumentCutter.of(settings), progress=progress)
        return cls.of(inputs, settings, files)

    def aligned(
        self, progress: Progress = lambda _: None, aligner: AlignerSource = nullcontext
    ) -> Experiment:
        """Return the experiment with every text aligned; given alignments are kept."""
        if self.inputs.is_aligned:
            return self
        progress("aligning")
        with aligner(self.aligner) as chosen:
            inputs = with_alignments(
                self.inputs,
                chosen.with_progress("aligning", progress),
                source=self.source.words,
                target=self.target.words,
            )
        return replace(self, inputs=inputs)

    def aligned_by_symmetrization(
        self, symmetrizations: Sequence[str], progress: Progress = lambda _: None
    ) -> dict[str, Experiment]:
        """Return the aligned experiment for several symmetrizations of one trained aligner."""
        progress("aligning")
        aligned = with_alignments_by_symmetrization(
            self.inputs,
            self.aligner.with_progress("aligning", progress),
            symmetrizations,
            source=self.source.words,
            target=self.target.words,
        )
        return {name: replace(self, inputs=inputs) for name, inputs in aligned.items()}

    @property
    def judges_pronouns(self) -> bool:
        """Whether some metric judges pronouns, which requires alignments."""
        return any(metric.pronominal for metric in self.metrics)

    @cached_property
    def finder(self) -> CounterpartFinder:
        """The finder of counterparts of source pronouns."""
        return CounterpartFinder(
            self.pack,
            self.evaluated.forms,
            repair=self.settings.repair,
            tag=None if self.analyser is None else self.analyser.tags,
        )

    @cached_property
    def pairs(self) -> dict[str, PronounPairs]:
        """The pronoun pairs of every candidate; the texts must be aligned."""
        return self._pair_up(with_verbs=option_value(self.settings, "dropped") != "ignore")

    @cached_property
    def pairs_with_verbs(self) -> dict[str, PronounPairs]:
        """As `pairs`, with verbs that carry the subject as counterparts whatever the settings say."""
        return self._pair_up(with_verbs=True)

    def _pair_up(self, *, with_verbs: bool) -> dict[str, PronounPairs]:
        pronouns = find_pronouns(self.inputs, self.evaluated, self.source, self.pack)
        drop_outside = self.settings.outside_links == "drop"
        return pair_up(
            self.inputs,
            pronouns,
            self.finder,
            target=self.target,
            drop_outside=drop_outside,
            mark=self.dropped_subjects.mark if with_verbs else None,
        )

    @cached_property
    def dropped_subjects(self) -> DroppedSubjects:
        """The finder of verbs that carry the subject, for a pair whose target drops subjects."""
        from anaphor.analyse.builtin import build, built_in_languages

        pack = self.pack.target
        return DroppedSubjects(
            pack=pack,
            facts=pack.agreement or AgreementFacts(),
            lines=self.inputs.source.lines,
            words=self.source.words,
            analyse=build(self.pack.pair.source, None).analyse,
            tag=build(pack.code, None).tags if pack.code in built_in_languages() else None,
        )

    @cached_property
    def signer(self) -> Signer:
        """Signs the scores and identifies every input by its hash."""
        return Signer(self)


class Signer:
    """Signs the scores of one experiment."""

    def __init__(self, experiment: Experiment) -> None:
        inputs, settings = experiment.inputs, experiment.settings
        self._inputs = inputs
        self._given = experiment.given
        # Links of a model that nothing is added to depend on their own text alone, as those in files do.
        self._own = inputs if experiment.aligner.is_fixed else self._given
        digests = []
        if self._own.reference_alignments is None:
            digests += [links.digest for links in inputs.reference_alignments or ()]
        if self._own.candidate_alignments is None:
            digests += [links.digest for links in (inputs.candidate_alignments or {}).values()]
        # One hash of all alignments that were made: texts aligned together may move each other's links.
        self._made = digest(part.encode() for part in sorted(digests)) if digests else ""
        self._settings = settings
        self._context, self._networks = experiment.context, experiment.networks
        self._packs = experiment.pack.digest
        evaluated = ",".join(experiment.evaluated.pronouns)
        if inputs.positions is not None:
            evaluated = f"positions-{inputs.positions.digest}"
        # A signature without this field means the list of forms alone.
        recognized = {}
        if experiment.analyser is not None:
            recognized["recognize"] = f"analysis-{experiment.analyser.signature().as_dict()['model']}"
        # The rules for the source are in the hash of the packs, but not the version of a library.
        library = experiment.pack.source.word_breaker is not None and not experiment.source.given
        self._shared = {
            "tok": f"{experiment.source.name}/{experiment.target.name}"
            if library
            else experiment.target.name,
            "packs": self._packs,
            "forms": "pair+objects" if settings.objects else "pair",
            "pronouns": evaluated,
            "repair": "paper" if settings.repair else "none",
            **recognized,
            "aligner": _aligner_signature(experiment),
            "documents": "none" if inputs.documents is None else _documents_digest(inputs.documents),
        }

    def sign(self, metric: Metric, system: str) -> Signature:
        """Return the signature; `test` hashes what all systems share, `cand` what belongs to this system
        alone.
        """
        inputs, given, settings = self._inputs, self._own, self._settings
        # Alignments count here only where they were given; those that were made have a field of their own.
        test = [text.digest for text in given.references]
        candidate = [given.candidates[system].digest]
        if metric.pronominal:
            test += [given.source.digest, *(links.digest for links in given.reference_alignments or ())]
            if given.candidate_alignments is not None:
                candidate.append(given.candidate_alignments[system].digest)
        values = self._context.values(metric)
        declared = {option.name: option for option in metric.options}
        fields = {
            name: declared[name].signed(value)
            for name, value in values.items()
            if not (declared[name].silent and value == declared[name].default)
        }
        fields |= {**metric.settings(), **self._networks.hashes(metric)}
        fields |= {"pair": settings.pair, "refs": str(len(inputs.references))}
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

    def models(self, metric: Metric) -> str:
        """One hash of all trained models of a metric."""
        hashes = {**metric.settings(), **self._networks.hashes(metric)}
        return digest(f"{name}:{value}".encode() for name, value in hashes.items())

    def digests(self) -> dict[str, str]:
        """Return content hashes of all inputs by role, used to report what changed."""
        inputs = self._inputs
        digests = {"source": inputs.source.digest, "packs": self._packs}
        digests |= {f"reference {n}": text.digest for n, text in enumerate(inputs.references)}
        digests |= {f"candidate {name}": text.digest for name, text in inputs.candidates.items()}
        digests |= {
            f"documents of candidate {name}": segmentation.digest
            for name, segmentation in inputs.segmentations.items()
        }
        for n, links in enumerate(inputs.reference_alignments or ()):
            digests[f"alignment of reference {n}"] = links.digest
        for name, links in (inputs.candidate_alignments or {}).items():
            digests[f"alignment of candidate {name}"] = links.digest
        if inputs.documents is not None:
            digests["documents"] = _documents_digest(inputs.documents)
        if inputs.positions is not None:
            digests["positions"] = inputs.positions.digest
        return digests


def drops_subjects(pack: PairPack) -> bool:
    """Whether verbs that carry the subject can be found in translations of a pair."""
    from anaphor.analyse.builtin import built_in_languages

    facts = pack.target.agreement
    return facts is not None and facts.null_subjects and pack.pair.source in built_in_languages()


def _target_analyser(settings: Settings, pack: PairPack) -> BuiltInAnalyser | None:
    """Return the analyser that recognizes pronouns, if the settings ask for one and the language has one."""
    if settings.recognize != "analysis":
        return None
    from anaphor.analyse.builtin import build, built_in_languages

    return build(pack.pair.target, None) if pack.pair.target in built_in_languages() else None


def _aligner_signature(experiment: Experiment) -> str:
    """Return the origin of the links: files, an aligner, or both."""
    given = experiment.given
    from_files = "given" if experiment.settings.outside_links == "error" else "given-inside"
    sides = {"references": given.reference_alignments, "candidates": given.candidate_alignments}
    missing = [side for side, links in sides.items() if links is None]
    if not missing:
        return from_files
    signed = experiment.aligner.signature()
    return signed if len(missing) == 2 else f"{from_files},{signed} for {missing[0]}"


def _documents_digest(documents: tuple[str, ...]) -> str:
    return digest(name.encode() for name in documents)
