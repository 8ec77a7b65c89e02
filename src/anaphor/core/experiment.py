"""Descriptions of experiments: files, settings, scores, comparisons and signatures.

Equal experiments give equal results.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Protocol

from anaphor.core.array_types import Doubles
from anaphor.core.errors import OptionError
from anaphor.core.options import check_level, check_seed, check_type
from anaphor.core.pronoun import Outcome, Pronoun, PronounContext, PronounScore, Verdict

#: The value of a field that is a hash, perhaps with the kind of what was hashed.
_HASH = re.compile(r"([a-z]+-)?[0-9a-f]{12}")
#: The hash of a prior is left out with its name; that of a model or a training text keeps it.
_HASH_IN_ALIGNER = re.compile(r"(\+prior)?-[0-9a-f]{12}")
_ESCAPES = str.maketrans({"|": "%7C", ":": "%3A", "%": "%25"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """The paths of an experiment, as given by the user; `-` is standard input.

    Attributes:
        source: The source text, one segment per line.
        references: The references.
        candidates: The candidates with their system names.
        bundle: A single file or folder that replaces source, references and documents.
        documents: The document of every segment, or the segments at which documents start.
        positions: The source tokens to evaluate, if they are not found by form.
        reference_alignments: The alignments of the references, in order; empty to compute them.
        candidate_alignments: The alignments of the candidates, in order; empty to compute them.
        whole_documents: The names of candidates that are whole documents, to be cut at the source segments.
    """

    source: str | None = None
    references: tuple[str, ...] = ()
    candidates: tuple[tuple[str, str], ...] = ()
    bundle: str | None = None
    documents: str | None = None
    positions: str | None = None
    reference_alignments: tuple[str, ...] = ()
    candidate_alignments: tuple[str, ...] = ()
    whole_documents: tuple[str, ...] = ()

    def paths(self) -> tuple[str, ...]:
        """All paths."""
        single = (self.source, self.bundle, self.documents, self.positions)
        named = tuple(path for _, path in self.candidates)
        several = (*self.references, *named, *self.reference_alignments, *self.candidate_alignments)
        return (*(path for path in single if path is not None), *several)


#: What is computed unless metrics are named.
DEFAULT_METRICS = ("apt", "autoprf")


def default_metrics(*, has_reference: bool) -> tuple[str, ...]:
    """The metrics used if none are named: those that need a reference, or one that does not."""
    return DEFAULT_METRICS if has_reference else ("accept",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All options that affect the results, except the files. Values are validated on construction, except
    those that depend on language packs.

    Metric options are passed as a mapping: `Settings(pair="en-fr", options={"clip": "corpus"})`. Metrics
    declare their options; values are checked when the metrics are built. `Settings.of` also accepts lists and
    upper-case language codes.

    Attributes:
        pair: Source and target language, such as `en-fr`.
        metrics: The names of the metrics, in column order.
        tokenized: Whether the texts are tokenized, in which case their tokens are kept.
        pronouns: The source forms to evaluate; empty for the default forms of the pair.
        objects: Whether object forms, such as *them* and *le*, are also evaluated and compared.
        repair: Whether to repair alignments as apt-2017 does.
        recognize: How pronouns are distinguished from articles of the same form: by the list of forms alone
            (`list`), or also by analysing the sentence if the built-in analyser supports the target language
            (`analysis`).
        aligner: The aligner for texts without alignments.
        symmetrization: How the aligner's two directions are combined; empty for its default.
        priors: The priors of the built-in aligner.
        aligner_model: A model file written by `anaphor align train`. With a model, the links of a text do not
            depend on the other texts.
        aligner_training: Parallel texts to train such a model on.
        outside_links: What to do with a link outside its sentence: `error` or `drop`.
        any_language: Whether to score texts that are clearly not in the expected language.
        options: Metric options with non-default values, by name.
        paired: Whether to test every system against the first.
        samples: The number of bootstrap resamples, at least 100; 0 for no intervals.
        seed: The random seed.
        level: The confidence level of intervals.
        packs: A folder with the user's language packs.
    """

    pair: str
    metrics: tuple[str, ...] = DEFAULT_METRICS
    tokenized: bool = False
    pronouns: tuple[str, ...] = ()
    objects: bool = False
    repair: bool = True
    recognize: str = "analysis"
    aligner: str = "anaphor"
    symmetrization: str = ""
    priors: str = "built-in"
    aligner_model: str | None = None
    aligner_training: tuple[tuple[str, str], ...] = ()
    outside_links: str = "error"
    any_language: bool = False
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)
    paired: bool = False
    samples: int = 1000
    seed: int = 12345
    level: float = 0.95
    packs: str | None = None

    def __post_init__(self) -> None:
        for declared in fields(self):
            value = getattr(self, declared.name)
            check_type(value, *_TYPES[str(declared.type)], name=declared.name)
            for name in value if declared.type == _NAMES else ():
                check_type(name, str, name=declared.name)
        if self.pair != self.pair.lower():
            what = f"the language pair has capital letters: {self.pair}"
            raise OptionError(what, where="--pair", fix=f"write {self.pair.lower()}")
        if not self.metrics:
            raise OptionError("no metric is given", where="--metrics", fix="choose one, such as apt")
        if self.outside_links not in ("error", "drop"):
            what = f"unknown value: {self.outside_links}"
            raise OptionError(what, where="--outside-links", fix="use error or drop")
        if self.recognize not in ("list", "analysis"):
            what = f"unknown value: {self.recognize}"
            raise OptionError(what, where="--recognize", fix="use list or analysis")
        if self.samples != 0 and self.samples < 100:
            what = f"{self.samples} resamples are too few for an interval"
            raise OptionError(what, where="--samples", fix="use 100 or more, or 0 for no intervals")
        if self.paired and not self.samples:
            what = "a paired test needs resamples"
            raise OptionError(what, where="--paired", fix="add --samples 1000 or omit it")
        check_level(self.level)
        check_seed(self.seed)

    @classmethod
    def of(cls, **values: Any) -> Settings:
        """Build settings from keyword arguments that may include metric options, as in `anaphor.evaluate`.

        Args:
            **values: The attributes, and metric options by name, such as `clip="corpus"`. Lists of names are
                accepted, and so is a single name: `metrics="apt"`.

        Returns:
            The settings, with these options in `options`.

        Raises:
            UserError: A value is invalid or has the wrong type.
        """
        types = {declared.name: declared.type for declared in fields(cls)}
        options = {key: values.pop(key) for key in [*values] if key not in types}
        check_type(given := values.pop("options", {}), Mapping, name="options")
        for name, value in values.items():
            if types[name] == _NAMES:
                check_type(value, list, tuple, str, name=name)
                values[name] = (value,) if isinstance(value, str) else tuple(value)
            elif name == "pair" and isinstance(value, str):
                values[name] = value.lower()
        return cls(**values, options={**given, **options})


#: The declared type of a field that holds names.
_NAMES = "tuple[str, ...]"
#: What a field of each declared type may hold.
_TYPES: dict[str, tuple[type, ...]] = {
    "bool": (bool,),
    "int": (int,),
    "float": (int, float),
    "str": (str,),
    "str | None": (str, type(None)),
    _NAMES: (tuple,),
    "tuple[tuple[str, str], ...]": (tuple,),
    "Mapping[str, Any]": (Mapping,),
}


@dataclass(frozen=True, slots=True)
class Signature:
    """Everything that determines a score. `str()` gives the line printed below a table.

    Attributes:
        name: The name of the metric.
        fields: Names and values of all settings that affect the score, in fixed order.
        version: The version of anaphor.
    """

    name: str
    fields: tuple[tuple[str, str], ...]
    version: str

    def __str__(self) -> str:
        """One line such as `apt|weights:1,0.5,0,0,0,0|version:0.1.0`, with `|`, `:` and `%` escaped in
        values.
        """
        parts = [f"{key}:{value.translate(_ESCAPES)}" for key, value in self.fields]
        return "|".join([self.name, *parts, f"version:{self.version}"])

    def short(self, usual: Mapping[str, str]) -> str:
        """One line with all non-default values; `sig`, a hash of everything, replaces the other hashes.

        Args:
            usual: The default values by field.

        Returns:
            The line.
        """
        fields = [
            (key, _HASH_IN_ALIGNER.sub("", value) if key == "aligner" else value)
            for key, value in self.fields
            if usual.get(key) != value and not _HASH.fullmatch(value)
        ]
        return str(replace(self, fields=(*fields, ("sig", digest([str(self).encode()])))))

    def as_dict(self) -> dict[str, str]:
        """The fields for a JSON file, so nobody has to parse the printed line."""
        return {"name": self.name, **dict(self.fields), "version": self.version}


def digest(parts: Iterable[bytes | memoryview]) -> str:
    """The first 12 hex digits of a SHA-256; the length of each part is hashed too, so parts cannot run
    together.
    """
    total = hashlib.sha256()
    for part in parts:
        total.update(part)
        total.update(len(part).to_bytes(8, "big"))
        del part  # parts are large: the next one is made when this one has gone
    return total.hexdigest()[:12]


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """Sufficient statistics of one metric on one candidate: one row per segment, one named column per count.

    Scores depend only on column sums, so any set of rows can be scored: a document, a bootstrap resample, the
    corpus.
    """

    names: tuple[str, ...]
    rows: Doubles

    def totals(self) -> Doubles:
        totals: Doubles = self.rows.sum(axis=0)
        return totals


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval for a score or a difference.

    Attributes:
        low: Its lower end.
        high: Its upper end.
        level: Its confidence level, such as 0.95.
    """

    low: float
    high: float
    level: float


@dataclass(frozen=True, slots=True)
class Score:
    """A number between 0 and 1 with everything needed to interpret it.

    Attributes:
        metric: The name of the metric.
        system: The name of the system.
        value: The score, NaN if there is nothing to score.
        signature: Everything that determines the score.
        details: The components of the score, such as precision and recall; they differ by metric.
        interval: The confidence interval; None without resamples.
    """

    metric: str
    system: str
    value: float
    signature: Signature
    details: Mapping[str, float]
    interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """A comparison of one system with the baseline on one metric.

    Attributes:
        metric: The name of the metric.
        baseline: The first system, with which the others are compared.
        system: The other system.
        difference: Its score minus the baseline's score.
        interval: The confidence interval of the difference.
        p_bootstrap: The p-value of the paired bootstrap.
        p_permutation: The p-value of the permutation test.
        p_mcnemar: The p-value of McNemar's test; None for metrics that do not judge individual pronouns.
        p_adjusted: The permutation p-value after Holm's correction over all systems compared on this metric.
        detectable: The smallest true difference that a test at level 0.05 on this much data detects with
            probability 0.8.
    """

    metric: str
    baseline: str
    system: str
    difference: float
    interval: Interval
    p_bootstrap: float
    p_permutation: float
    p_mcnemar: float | None
    p_adjusted: float
    detectable: float


@dataclass(frozen=True, slots=True)
class SystemResult:
    """One candidate: its scores in metric order, and its breakdowns.

    Attributes:
        name: The name of the system.
        scores: One score per metric.
        by_pronoun: The scores by metric and source form; NaN if there is nothing to score.
        by_document: The scores by metric and document; NaN if there is nothing to score.
        verdicts: The judgement of every evaluated pronoun; empty when no pronoun metric ran.
        confusion: How often each pair of reference label and candidate label occurs among the verdicts.
        pronoun_scores: A value and a reason for each evaluated pronoun, from each metric that provides them.
        counts: The counts of each metric, with one row per document, or per segment if no documents are
            known.
    """

    name: str
    scores: tuple[Score, ...]
    by_pronoun: Mapping[str, Mapping[str, float]]
    by_document: Mapping[str, Mapping[str, float]]
    verdicts: tuple[Verdict, ...]
    confusion: Mapping[tuple[str, str], int]
    pronoun_scores: Mapping[str, tuple[PronounScore, ...]] = field(default_factory=dict)
    counts: Mapping[str, Counts] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True)
class Bound:
    """Result of a reference or of shuffled output: score, interval and scores by pronoun for each metric.

    `counterparts` is the number of a reference's counterparts of each kind, in a language that drops
    subjects.
    """

    name: str
    scores: Mapping[str, float]
    intervals: Mapping[str, Interval | None]
    by_pronoun: Mapping[str, Mapping[str, float]]
    counterparts: Mapping[str, int] = field(default_factory=dict)


class CandidateSegmentation(Protocol):
    """How a candidate consisting of whole documents was cut at the source segments."""

    @property
    def method(self) -> str:
        """The segmentation method, for signatures."""

    @property
    def digest(self) -> str:
        """A hash of the documents as given."""

    @property
    def reasons(self) -> Mapping[int, str]:
        """The reason why a segment has no translation, by segment number."""

    @property
    def second(self) -> tuple[str, ...]:
        """The lines of the candidate in the second-best segmentation."""

    def summary(self) -> tuple[str, ...]:
        """A textual summary of the documents."""

    def facts(self) -> dict[str, Any]:
        """Everything but the text, for result files."""


@dataclass(frozen=True, slots=True)
class Result:
    """The result of an experiment.

    Attributes:
        settings: All settings that affect the results.
        segments: The number of segments.
        documents: The document of every segment; None if unknown.
        systems: The systems in candidate order.
        comparisons: Comparisons of every other system with the first, by metric; empty unless `paired`.
        digests: The hash of every input, by role, for `anaphor verify`.
        contexts: Every evaluated pronoun in context, in the order of the verdicts.
        notes: Apparent problems with the texts.
        ceiling: The reference's own score on each metric that compares pronouns with a reference.
        segmentations: How whole-document candidates were cut, by system.
    """

    settings: Settings
    segments: int
    documents: tuple[str, ...] | None
    systems: tuple[SystemResult, ...]
    comparisons: tuple[Comparison, ...]
    digests: Mapping[str, str]
    contexts: Sequence[PronounContext] = ()
    notes: tuple[str, ...] = ()
    ceiling: Mapping[str, float] = field(default_factory=dict)
    segmentations: Mapping[str, CandidateSegmentation] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Flip:
    """A pronoun whose outcome depends on alignment or segmentation, with each outcome."""

    system: str
    pronoun: Pronoun
    outcomes: Mapping[str, Outcome]


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """APT scores under several symmetrizations or segmentations, and the outcomes that change."""

    scores: Mapping[str, Mapping[str, float]]
    pronouns: int
    flips: tuple[Flip, ...]


@dataclass(frozen=True, slots=True)
class FunctionScores:
    """Scores over the *it* of each function, by metric, system and function.

    `counts` has the number of *it* per function, as predicted by the classifier with this digest.
    """

    counts: Mapping[str, int]
    scores: Mapping[str, Mapping[str, Mapping[str, float]]]
    classifier: str
