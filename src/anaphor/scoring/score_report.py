"""`anaphor score` as a function: score texts and run the requested analyses."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anaphor.analyses import ScoreAnalysis, Scored, choose_analyses, take_options
from anaphor.core import (
    Comparison,
    Files,
    InputWarning,
    LanguagePair,
    Progress,
    Result,
    Settings,
    SystemResult,
    default_metrics,
)
from anaphor.core.options import check_type
from anaphor.core.table import Block
from anaphor.corpus import Inputs, write_mtme_scores
from anaphor.evaluation.experiment import AlignerSource, Experiment
from anaphor.evaluation.pipeline import Weigher, evaluate_experiment
from anaphor.files.writing import write_atomically
from anaphor.report.emit import emit
from anaphor.report.result_tables import result_blocks

# A table of scores needs none of these, and loading what no option asks for would take a tenth of the time.
if TYPE_CHECKING:
    from anaphor.corpus.memory import AlignmentLike, TextLike
    from anaphor.report.rows import Library, Part
    from anaphor.report.stored import StoredResult


@dataclass(frozen=True, slots=True, repr=False)
class ScoreReport:
    """The result of `evaluate`: the scores of every system, and all requested analyses.

    `print(result)` shows the tables of `anaphor score`; a notebook shows them as HTML.

    Attributes:
        experiment: The settings, and the texts with any alignments that were given or computed.
        result: The scores, comparisons, verdicts and signatures.
        analyses: Additional analyses, by name.
        findings: The results of these analyses, by name: `alignment_sensitivity`, `segmentation_sensitivity`,
            `functions`, `bounds`, `predictor_hints`, `cards`, `gates`.
        notes: Oddities in the input that were tolerated.
        parts: The breakdowns to print: case, pronoun, document, matrix, clipped.
        full_signature: Whether signatures are printed with every field and hash.
    """

    experiment: Experiment
    result: Result
    analyses: Mapping[str, ScoreAnalysis] = field(default_factory=dict)
    findings: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    parts: tuple[str, ...] = ("case",)
    full_signature: bool = False

    @classmethod
    def of(
        cls,
        experiment: Experiment,
        analyses: Mapping[str, ScoreAnalysis] | None = None,
        progress: Progress = lambda _: None,
        *,
        aligner: AlignerSource | None = None,
        weigher: Weigher | None = None,
    ) -> ScoreReport:
        """Evaluate an experiment and run the analyses in order.

        Args:
            experiment: The texts and settings to evaluate.
            analyses: Additional analyses, as returned by `choose_analyses`.
            progress: Called with the name of each step.
            aligner: Aligns all texts before scoring, instead of the aligner in the settings.
            weigher: Judges pronouns for `accept`, by default in this process.

        Returns:
            The scores and the results of the analyses.

        Raises:
            UserError: The texts do not match each other, or cannot be analysed.
        """
        analyses = analyses or {}
        # What cannot be done is an error before any long work.
        for analysis in analyses.values():
            analysis.check_texts(experiment)
        if aligner is not None:
            experiment = experiment.aligned(progress, aligner)
        elif experiment.judges_pronouns and any(analysis.needs_alignment for analysis in analyses.values()):
            experiment = experiment.aligned(progress)
        result = evaluate_experiment(experiment, progress, weigher=weigher)
        findings: dict[str, Any] = {}
        for name, analysis in analyses.items():
            if (finding := analysis.run(Scored(experiment, result, findings, progress))) is not None:
                findings[name] = finding
        return cls(experiment, result, analyses, findings)

    def __str__(self) -> str:
        return emit(self)

    def __repr__(self) -> str:
        scores = "; ".join(
            f"{name}: {', '.join(f'{metric} {value:.4f}' for metric, value in of.items())}"
            for name, of in self.scores.items()
        )
        return f"<ScoreReport {self.result.settings.pair}, {self.result.segments} segments; {scores}>"

    def _repr_html_(self) -> str:
        return emit(self, "html")

    @property
    def scores(self) -> dict[str, dict[str, float]]:
        """The scores by system and metric, from 0 to 1; NaN if there is nothing to score."""
        return {
            system.name: {score.metric: score.value for score in system.scores}
            for system in self.result.systems
        }

    @property
    def systems(self) -> tuple[SystemResult, ...]:
        """The systems in order, each with its scores, verdicts and breakdowns."""
        return self.result.systems

    @property
    def inputs(self) -> Inputs:
        """The texts, with any alignments that were given or computed."""
        return self.experiment.inputs

    @property
    def comparisons(self) -> tuple[Comparison, ...]:
        """Comparisons of every other system with the first, by metric; empty unless `paired`."""
        return self.result.comparisons

    def rows(self, part: Part = "scores") -> list[dict[str, Any]]:
        """One part of the result as a list of dictionaries.

        Args:
            part: `scores`, one row per system and metric; `comparisons` with the first system; `pronouns` and
                `documents`, the scores for each pronoun form or document; or `items`, one row per system and
                evaluated pronoun.

        Returns:
            The rows. Scores are between 0 and 1, or None if undefined. In items, `segment` and `token` are
            0-based, as in Python; `line` is 1-based. `context` holds the preceding lines.

        Raises:
            UserError: The part is unknown.
        """
        from anaphor.report.rows import result_rows

        return result_rows(self.result, self.inputs, part)

    def to_frame(self, part: Part = "scores", *, library: Library | None = None) -> Any:
        """One part of the result as a data frame.

        Args:
            part: As for `rows`.
            library: `pandas` or `polars`. By default pandas if it is installed, otherwise polars.

        Returns:
            A `DataFrame` whose columns are the keys of `rows`.

        Raises:
            UserError: The part is unknown, or the library is not installed.

        Example:
            >>> import anaphor
            >>> result = anaphor.evaluate(
            ...     source=["The lamp is old.", "It still works."],
            ...     references=["La lampe est vieille.", "Elle marche encore."],
            ...     systems={"mine": ["La lampe est vieille.", "Il marche encore."]},
            ...     pair="en-fr",
            ...     samples=0,
            ... )
            >>> items = result.to_frame("items")
            >>> print(items[["pronoun", "context", "source", "outcome"]].to_string(index=False))
            pronoun            context            source   outcome
                 it [The lamp is old.] [It] still works. different
        """
        from anaphor.report.rows import data_frame

        return data_frame(self.rows(part), library)

    def save(self, path: str | PathLike[str], *, cards: bool = False) -> None:
        """Write the result file that `anaphor verify` and `anaphor report` read.

        Args:
            path: Where to write it; an existing file is replaced.
            cards: Include the texts and links behind every pronoun, if they were requested.

        Raises:
            UserError: The file cannot be written.
        """
        write_atomically(fspath(path), self.to_json(cards=cards))

    def to_dict(self) -> dict[str, Any]:
        """Return the content of the result file, without cards, as JSON types.

        Returns:
            Scores with intervals, details and signatures, by system and metric; comparisons; settings;
            digests of the inputs. Scores are between 0 and 1, or None if undefined.
        """
        from anaphor.report.result_file import result_content

        return result_content(self.result, self.experiment.files, **self._content())

    def _content(self) -> dict[str, Any]:
        content = {name: self.analyses[name].to_dict(finding) for name, finding in self.findings.items()}
        return {"notes": self.notes, "analyses": content}

    def tables(self) -> list[Block]:
        """Return what `print` shows, as tables and paragraphs for `anaphor.report.emit`."""
        bounds = [
            row for name, finding in self.findings.items() for row in self.analyses[name].bounds(finding)
        ]
        scores = result_blocks(self.result, self.parts, bounds, full_signature=self.full_signature)
        return [*scores, *self.analysis_tables()]

    def analysis_tables(self) -> list[Block]:
        """Return the remarks printed below the scores."""
        return [
            block for name, finding in self.findings.items() for block in self.analyses[name].tables(finding)
        ]

    def to_json(self, *, cards: bool = False) -> str:
        """Return the text of the result file.

        Args:
            cards: Include the texts and links behind every pronoun, if they were requested, and the counts of
                every metric.

        Returns:
            JSON text; equal experiments produce identical bytes.
        """
        from anaphor.report.result_file import content_json, counts_of

        if not cards:
            return content_json(self.to_dict())
        return content_json(self.to_dict(), self.findings.get("cards"), counts_of(self.result))

    def stored(self) -> StoredResult:
        """Return the result as a report would read it from a file."""
        from anaphor.report.stored import stored_now

        files, cards = self.experiment.files, self.findings.get("cards")
        return stored_now(self.result, files, cards=cards, **self._content())


def evaluate(
    *,
    source: TextLike | None = None,
    references: TextLike | Iterable[TextLike] | None = None,
    systems: Mapping[str, TextLike | Mapping[str, str | None]],
    pair: str,
    metrics: str | Sequence[str] | None = None,
    documents: TextLike | None = None,
    test_set: str | PathLike[str] | None = None,
    positions: TextLike | None = None,
    whole_documents: bool | Sequence[str] = False,
    reference_alignments: Iterable[AlignmentLike] | None = None,
    system_alignments: Mapping[str, AlignmentLike] | None = None,
    paired: bool = False,
    progress: Progress = lambda _: None,
    **options: Any,
) -> ScoreReport:
    """Score the translations of one or several systems, as `anaphor score` does.

    A text is a list of segments, a string with one segment per line, a path, or an open file. A
    one-line string that names a file is read as that file.

    Args:
        source: The source text. Several lines of the same document give some metrics more context.
        references: One reference, or a list of references, each a text with as many segments as the source. A
            list of strings is one reference, unless the strings name files. References grouped by segment, as
            in Hugging Face's `evaluate`, are accepted as well. `accept` needs none.
        systems: The translations by system name. The first system is the baseline for `paired`.
        pair: Source and target language, such as `en-de`.
        metrics: The names of the metrics; `anaphor list` prints them. By default `apt` and `autoprf`, or
            `accept` without a reference.
        documents: The document of every segment, as a list of names or a file. Intervals and tests resample
            documents if these are known, and segments otherwise.
        test_set: A file or folder that replaces source, references and documents.
        positions: The source tokens to evaluate, in a format that `docs/formats.md` describes.
        whole_documents: True if all systems returned whole documents, or the names of those that did. Whole
            documents are cut at the source segments. Such a translation is a path, a mapping of documents to
            texts, a list with one text per document, or one string; see `docs/segment.md`.
        reference_alignments: The alignment of each reference, as a file or as links for every segment. By
            default all texts are aligned together.
        system_alignments: The alignment of each system, by name.
        paired: Test every system against the first.
        progress: Called with the name of each step.
        **options: Any other argument of `Settings`: `tokenized`, `samples`, `level`, `seed`, `packs` and so
            on; the options of metrics; and additional analyses, whose results are in `findings`:
            `bounds=True`, the scores of the references themselves and of a shuffled copy of the first system;
            `functions=True`, scores by the function of English *it*; `sensitivity=True`, scores under several
            symmetrizations of the alignment; `segmentation_sensitivity=True`, scores under the second-best
            segmentation of whole documents; `predictor="anaphor-2-small"`, a model that flags pronouns with a
            probability below `unlikely` (0.05); `cards=True`, the texts and links behind every pronoun;
            `fail_under=["apt=0.6"]` and the other gates of `anaphor score`.

    Returns:
        A result with `scores`, `to_frame()`, `to_dict()` and more.

    Raises:
        UserError: A value has the wrong type, texts do not match each other, or a name is unknown. The
            message says what is wrong, where, and how to fix it.

    Example:
        >>> import anaphor
        >>> result = anaphor.evaluate(
        ...     source=["The lamp is old.", "It still works."],
        ...     references=["La lampe est vieille.", "Elle marche encore."],
        ...     systems={
        ...         "mine": ["La lampe est vieille.", "Elle marche encore."],
        ...         "other": ["La lampe est vieille.", "Il marche encore."],
        ...     },
        ...     pair="en-fr",
        ...     metrics=["apt", "bleu"],
        ...     samples=0,
        ... )
        >>> for name, scores in result.scores.items():
        ...     print(name, {metric: round(score, 3) for metric, score in scores.items()})
        mine {'apt': 1.0, 'bleu': 1.0}
        other {'apt': 0.0, 'bleu': 0.798}
    """
    from anaphor.corpus.memory import inputs_of, text_of

    chosen_options = take_options(options)
    if metrics is None:
        metrics = default_metrics(has_reference=references is not None or test_set is not None)
    chosen = Settings.of(pair=pair, metrics=metrics, paired=paired, **options)
    analyses = choose_analyses(chosen_options, chosen)
    ids = None if documents is None else text_of(documents, name="<documents>")
    check_type(whole_documents, bool, list, tuple, name="whole_documents")
    names = ([*systems] if whole_documents else []) if isinstance(whole_documents, bool) else whole_documents
    if names:
        from anaphor.segment.candidate import DocumentCutter
        from anaphor.segment.inputs import check_whole, with_whole_documents
        from anaphor.segment.whole_documents import whole_documents_of

        check_whole(names, systems, aligned=system_alignments is not None)
    inputs = inputs_of(
        LanguagePair.parse(pair),
        source=source,
        references=references,
        systems={name: text for name, text in systems.items() if name not in names} if names else systems,
        more_systems=bool(names),
        documents=ids,
        positions=positions,
        test_set=test_set,
        reference_alignments=reference_alignments,
        system_alignments=system_alignments,
    )
    if names:
        whole = {
            name: whole_documents_of(systems[name], inputs.documents, name=f"<{name}>")
            for name in systems
            if name in names
        }
        inputs = with_whole_documents(
            inputs,
            whole,
            LanguagePair.parse(pair),
            order=[*systems],
            cut=DocumentCutter.of(chosen),
            progress=progress,
        )
    # What was read from a file is named by its path, so that the result can be verified.
    files = Files(
        source=inputs.source.path if test_set is None else None,
        references=tuple(text.path for text in inputs.references) if test_set is None else (),
        candidates=tuple((name, inputs.candidates[name].path) for name in systems),
        bundle=None if test_set is None else fspath(test_set),
        documents=None if ids is None else ids.path,
        positions=None if inputs.positions is None else inputs.positions.path,
        reference_alignments=tuple(links.path for links in inputs.reference_alignments or ()),
        candidate_alignments=tuple(links.path for links in (inputs.candidate_alignments or {}).values()),
        whole_documents=tuple(name for name in systems if name in names),
    )
    return ScoreReport.of(Experiment.of(inputs, chosen, files), analyses, progress)


def write_mtme(folder: str, result: Result, inputs: Inputs) -> None:
    """Write system scores and, if known, document scores in the layout of mt-metrics-eval."""
    pair = result.settings.pair
    names = (Path(text.path).name.removeprefix(f"{pair}.").partition(".")[0] for text in inputs.references)
    reference = ".".join(names)
    for metric in dict.fromkeys(result.settings.metrics):
        documents = {system.name: list(system.by_document[metric].values()) for system in result.systems}
        undefined = sum(math.isnan(value) for values in documents.values() for value in values)
        if undefined:
            warnings.warn(
                f"--mtme: no document scores of {metric}: {undefined} documents have nothing to score, which "
                "the format cannot express",
                InputWarning,
                stacklevel=2,
            )
        write_mtme_scores(
            folder,
            pair=LanguagePair.parse(pair),
            metric=metric,
            reference=reference,
            systems={
                system.name: score.value
                for system in result.systems
                for score in system.scores
                if score.metric == metric
            },
            documents=None if undefined or result.documents is None else documents,
        )
