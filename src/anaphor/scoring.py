"""What `anaphor score` does, as a function: score texts, and everything that is shown beside the scores.

from anaphor import Files, Settings
from anaphor.report.emit import emit
from anaphor.scoring import ScoringRequest, score

report = score(ScoringRequest(files, Settings(pair="en-fr"), functions=True))
print(emit(report))
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anaphor.core import (
    Bound,
    Comparison,
    Files,
    FunctionScores,
    InputWarning,
    LanguagePair,
    Result,
    Sensitivity,
    Settings,
    SystemResult,
)
from anaphor.core.options import check_type
from anaphor.core.table import Block
from anaphor.corpus import Inputs, write_atomically, write_mtme_scores
from anaphor.experiment import AlignerSource, Experiment, Progress
from anaphor.pipeline import evaluate_experiment
from anaphor.report.emit import emit
from anaphor.report.result_tables import function_blocks, result_blocks, sensitivity_blocks

# A table of scores needs none of these, and loading what no option asks for would take a tenth of the time.
if TYPE_CHECKING:
    from anaphor.corpus.memory import AlignmentLike, TextLike
    from anaphor.hints import PredictorHints
    from anaphor.report.cards import Cards
    from anaphor.report.result_file import StoredResult
    from anaphor.report.rows import Library, Part
    from anaphor.segment.candidate import Cutter


@dataclass(frozen=True, slots=True)
class ScoringRequest:
    """What to score, and what to show beside the scores.

    `parts` are shown below the scores: case, pronoun, document, matrix, clipped. `cards` keeps the texts and
    links behind every pronoun where pronouns are judged; `functions`, `sensitivity`,
    `segmentation_sensitivity`, `bounds` and `predictor` (a model, by name or path) change no score.
    `keep_alignments` shows the confidences of links on cards.
    """

    files: Files
    settings: Settings
    parts: tuple[str, ...] = ("case",)
    cards: bool = False
    keep_alignments: bool = False
    functions: bool = False
    sensitivity: bool = False
    segmentation_sensitivity: bool = False
    bounds: bool = False
    predictor: str | None = None
    unlikely: float = 0.05
    full_signature: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class ScoreReport:
    """What `evaluate` returns: the scores of every system, and everything that was asked for beside them.

    `print(result)` shows the tables of `anaphor score`, and a notebook shows them as HTML.

    Attributes:
        request: What was scored, and with which settings.
        result: The scores, comparisons, verdicts and signatures.
        experiment: The texts, with their alignments where these were given or kept, and the settings.
        notes: What was tolerated in the inputs.
        sensitivity: Scores under several symmetrizations, where they were asked for.
        segmentation_sensitivity: Scores under the second best segmentation, where they were asked for.
        functions: Scores by the function of *it*, where they were asked for.
        bounds: What references and shuffled output get, where they were asked for.
        hints: Pronouns that a predictor finds unlikely, where one was asked.
        cards: The texts and links behind every pronoun, where they were asked for.
    """

    request: ScoringRequest
    result: Result
    experiment: Experiment
    notes: tuple[str, ...] = ()
    sensitivity: Sensitivity | None = None
    segmentation_sensitivity: Sensitivity | None = None
    functions: FunctionScores | None = None
    bounds: tuple[Bound, ...] = ()
    hints: PredictorHints | None = None
    cards: Cards | None = None

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
        """The scores by system and metric, from 0 to 1; NaN where there is nothing to score."""
        return {
            system.name: {score.metric: score.value for score in system.scores}
            for system in self.result.systems
        }

    @property
    def systems(self) -> tuple[SystemResult, ...]:
        """The systems in their order, each with its scores, verdicts and parts."""
        return self.result.systems

    @property
    def inputs(self) -> Inputs:
        """The texts, with their alignments where these were given or kept."""
        return self.experiment.inputs

    @property
    def comparisons(self) -> tuple[Comparison, ...]:
        """Every other system against the first, metric by metric; empty unless `paired`."""
        return self.result.comparisons

    def rows(self, part: Part = "scores") -> list[dict[str, Any]]:
        """One part of the result as a list of dictionaries, all with the same keys.

        Args:
            part: `scores`, one row per system and metric; `comparisons` with the first system; `pronouns` and
                `documents`, the scores of each; or `items`, one row per system and evaluated pronoun.

        Returns:
            The rows. Scores are from 0 to 1, and None where they are undefined. In items, `segment` and
            `token` count from 0, as Python does, and `line` from 1; `context` has the lines before it.

        Raises:
            UserError: The part is unknown.
        """
        from anaphor.report.rows import result_rows

        rows = result_rows(self.result, part)
        if part == "items":
            references = self.inputs.references
            for row in rows:
                segment = row["segment"]
                row["reference_text"] = references[row["reference"]].lines[segment] if references else None
                row["candidate_text"] = self.inputs.candidates[row["system"]].lines[segment]
        return rows

    def to_frame(self, part: Part = "scores", *, library: Library | None = None) -> Any:
        """One part of the result as a data frame.

        Args:
            part: As for `rows`.
            library: `pandas` or `polars`. By default pandas where it is installed, polars otherwise.

        Returns:
            A `DataFrame` with the columns that `rows` has as keys.

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
        """Write the result file, which `anaphor verify` and `anaphor report` read.

        Args:
            path: Where to write it; an existing file is replaced.
            cards: Also write the texts and links behind every pronoun, where they were asked for.

        Raises:
            UserError: The file cannot be written.
        """
        write_atomically(fspath(path), self.to_json(cards=cards))

    def to_dict(self) -> dict[str, Any]:
        """The content of the result file, without cards, in the types of JSON.

        Returns:
            Scores with intervals, details and signatures, by system and metric; comparisons; settings; and
            digests of the inputs. Scores are from 0 to 1, None where they are undefined.
        """
        from anaphor.report.result_file import result_content

        return result_content(
            self.result,
            self.request.files,
            notes=self.notes,
            sensitivity=self.sensitivity,
            segmentation_sensitivity=self.segmentation_sensitivity,
            functions=self.functions,
            bounds=self.bounds,
            hints=None if self.hints is None else self.hints.to_dict(),
        )

    def tables(self) -> list[Block]:
        """What `print` shows, as tables and paragraphs for `anaphor.report.emit`."""
        full = self.request.full_signature
        return [
            *result_blocks(self.result, self.request.parts, self.bounds, full_signature=full),
            *self.hint_tables(),
        ]

    def hint_tables(self) -> list[Block]:
        """What stands below the scores and is not part of them."""
        segmentation = self.segmentation_sensitivity
        return [
            *([] if self.sensitivity is None else sensitivity_blocks(self.sensitivity)),
            *([] if segmentation is None else sensitivity_blocks(segmentation, to="segmentation")),
            *([] if self.functions is None else function_blocks(self.functions)),
            *([] if self.hints is None else self.hints.tables()),
        ]

    def to_json(self, *, cards: bool = False) -> str:
        """The text of the result file.

        Args:
            cards: Also the texts and links behind every pronoun, where they were asked for, and the counts
                of every metric.

        Returns:
            JSON; equal experiments give the same bytes.
        """
        from anaphor.report.result_file import content_json, counts_of

        if not cards:
            return content_json(self.to_dict())
        return content_json(self.to_dict(), self.cards, counts_of(self.result))

    def stored(self) -> StoredResult:
        """The result as a report reads it from a file."""
        from anaphor.report.result_file import ResultFile, counts_of, stored_of

        files, settings = self.request.files, self.result.settings
        content = ResultFile(files, settings, self.to_dict())
        return stored_of(content, path="this result", cards=self.cards, counts=counts_of(self.result))


def evaluate(
    *,
    source: TextLike | None = None,
    references: TextLike | Iterable[TextLike] | None = None,
    systems: Mapping[str, TextLike | Mapping[str, str | None]],
    pair: str,
    metrics: str | Sequence[str] = ("apt", "autoprf"),
    documents: TextLike | None = None,
    test_set: str | PathLike[str] | None = None,
    positions: TextLike | None = None,
    whole_documents: bool | Sequence[str] = False,
    reference_alignments: Iterable[AlignmentLike] | None = None,
    system_alignments: Mapping[str, AlignmentLike] | None = None,
    paired: bool = False,
    cards: bool = False,
    functions: bool = False,
    sensitivity: bool = False,
    segmentation_sensitivity: bool = False,
    bounds: bool = False,
    predictor: str | None = None,
    unlikely: float = 0.05,
    progress: Progress = lambda _: None,
    **settings: Any,
) -> ScoreReport:
    """Score the translations of one or several systems: what `anaphor score` does, from Python.

    A text is a list of segments, a string with one segment per line, a path, or an open file. A string of one
    line that names a file is read as that file.

    Args:
        source: The source text. Several lines of one document help some metrics.
        references: One reference, or a list of references, each a text with as many segments as the source. A
            list of strings is one reference, unless they name files. Some metrics do without.
        systems: The translations by the names of their systems. The first system is the baseline of `paired`.
        pair: Source and target language, such as `en-de`.
        metrics: The names of metrics; `anaphor list` prints them.
        documents: The document of every segment, as a list of names or a file. Intervals and tests resample
            documents where they are known, and segments otherwise.
        test_set: A file or folder that holds source, references and documents, in their place.
        positions: The source tokens to evaluate, in a format that `docs/formats.md` describes.
        whole_documents: Whether the systems returned whole documents, to be cut at the segments of the
            source, or the names of those that did. Such a text is a path, texts by document, a list with one
            text per document, or one string; `docs/segment.md` describes it.
        reference_alignments: The alignment of every reference, as a file or as links for every segment. By
            default all texts are aligned together.
        system_alignments: The alignment of every system, by name.
        paired: Test every system against the first.
        cards: Keep the texts and links behind every pronoun, for reports.
        functions: Also score the pronouns of each function of English *it*.
        sensitivity: Also score under several symmetrizations of the alignment.
        segmentation_sensitivity: Also score the second best segmentation of whole documents.
        bounds: Also show what the references themselves get, and the first system shuffled.
        predictor: A model that flags unlikely pronouns, such as `anaphor-2-small`.
        unlikely: What is less probable to the predictor is unlikely.
        progress: Called with the name of every step.
        **settings: Everything else that `Settings` takes: `tokenized`, `samples`, `level`, `seed`, `packs`
            and so on, and the options of metrics.

    Returns:
        A result with `scores`, `to_frame()`, `to_dict()` and more.

    Raises:
        UserError: A value has the wrong type, texts do not fit together, a name is unknown. The message says
            what is wrong, where, and how to fix it.

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

    chosen = Settings.of(pair=pair, metrics=metrics, paired=paired, **settings)
    check_type(predictor, str, type(None), name="predictor")
    check_type(unlikely, float, name="unlikely")
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
        reference_alignments=tuple(one.path for one in inputs.reference_alignments or ()),
        candidate_alignments=tuple(one.path for one in (inputs.candidate_alignments or {}).values()),
        whole_documents=tuple(name for name in systems if name in names),
    )
    request = ScoringRequest(
        files,
        chosen,
        cards=cards,
        keep_alignments=cards,
        functions=functions,
        sensitivity=sensitivity,
        segmentation_sensitivity=segmentation_sensitivity,
        bounds=bounds,
        predictor=predictor,
        unlikely=unlikely,
    )
    return score(request, progress, inputs=inputs)


def score(
    request: ScoringRequest,
    progress: Progress = lambda _: None,
    *,
    aligner: AlignerSource = nullcontext,
    inputs: Inputs | None = None,
    cut: Cutter | None = None,
) -> ScoreReport:
    """Score the files of a request, or `inputs` in their place, with what it asks for beside the scores.

    What cannot be done is an error before any long work.

    Args:
        request: What to score, and what to show beside the scores.
        progress: Called with the name of every step.
        aligner: Gives the aligner to use in place of the one that the settings choose.
        inputs: The texts, where they were read already; the files of the request then only name them.
        cut: Cuts candidates that are whole documents, where not in this process.

    Returns:
        The result, with everything that the request asks for.

    Raises:
        UserError: A file or an option is wrong; the message says where, and how to fix it.
    """
    settings = request.settings
    model = None
    # All checks come before reading and aligning, which can take minutes.
    if request.predictor is not None:
        from anaphor.predict.postedit.proposals import check_limit
        from anaphor.predict.shipped import find_model

        check_limit(request.unlikely)
        model = find_model(request.predictor, pair=settings.pair, forms=True)
    if request.functions:
        from anaphor.functions import check_functions, scores_by_function

        check_functions(settings)
    experiment = (
        Experiment.read(request.files, settings, progress, cut)
        if inputs is None
        else Experiment.of(inputs, settings, request.files)
    )
    given = experiment.given
    if request.sensitivity:
        from anaphor.sensitivity import alignment_sensitivity, check_sensitivity

        check_sensitivity(given, settings)
    if request.segmentation_sensitivity:
        from anaphor.sensitivity import check_segmentation_sensitivity, segmentation_sensitivity

        check_segmentation_sensitivity(given)
    judged = experiment.judges_pronouns
    if request.keep_alignments or request.functions or (request.bounds and judged):
        experiment = experiment.aligned(progress, aligner)
    result = evaluate_experiment(experiment, progress)
    sensitivity = alignment_sensitivity(given, settings, progress) if request.sensitivity else None
    segmentation = None
    if request.segmentation_sensitivity:
        segmentation = segmentation_sensitivity(given, settings, progress)
    functions = scores_by_function(experiment, result) if request.functions else None
    limits: tuple[Bound, ...] = ()
    if request.bounds:
        from anaphor.bounds import bounds

        limits = bounds(experiment, result, progress)
    hints = None
    if model is not None:
        from anaphor.hints import predictor_hints

        hints = predictor_hints(
            experiment, result, model, name=str(request.predictor), below=request.unlikely
        )
    cards = None
    if request.cards and result.systems[0].verdicts:
        from anaphor.report.cards import cards_of

        cards = cards_of(experiment, result, {} if hints is None else hints.for_cards())
    return ScoreReport(
        request,
        result,
        experiment,
        sensitivity=sensitivity,
        segmentation_sensitivity=segmentation,
        functions=functions,
        bounds=limits,
        hints=hints,
        cards=cards,
    )


def write_mtme(folder: str, result: Result, inputs: Inputs) -> None:
    """Write the scores of systems and of known documents in the layout of mt-metrics-eval."""
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
                system.name: one.value
                for system in result.systems
                for one in system.scores
                if one.metric == metric
            },
            documents=None if undefined or result.documents is None else documents,
        )
