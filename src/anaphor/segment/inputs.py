"""The texts of an experiment some of whose candidates are whole documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from anaphor.core import Files, LanguagePair, OptionError
from anaphor.core.errors import did_you_mean
from anaphor.corpus import Inputs, check_candidates, read_inputs, read_test_set
from anaphor.corpus.inputs import check_standard_input, paths_by_name
from anaphor.segment.candidate import IN_PROCESS, Cutter, SegmentedCandidate, segment_candidate
from anaphor.segment.whole_documents import WholeDocuments, read_whole_documents


def read_segmented_inputs(
    files: Files,
    pair: LanguagePair,
    *,
    cut: Cutter = IN_PROCESS,
    progress: Callable[[str], None] = lambda _: None,
) -> Inputs:
    """Like `read_inputs`, but candidates that are whole documents are cut at the source segments."""
    if not files.whole_documents:
        return read_inputs(files, pair)
    check_standard_input(files)
    named = paths_by_name(files.candidates, role="candidate")
    check_whole(files.whole_documents, named, aligned=bool(files.candidate_alignments))
    whole = {name: path for name, path in named.items() if name in files.whole_documents}
    others = tuple((name, path) for name, path in files.candidates if name not in whole)
    inputs = read_test_set(replace(files, candidates=others), pair, reference_optional=True)
    texts = {name: read_whole_documents(path, inputs.documents) for name, path in whole.items()}
    inputs = with_whole_documents(inputs, texts, pair, order=[*named], cut=cut, progress=progress)
    check_candidates(inputs, paired=False)
    return inputs


def segment_files(files: Files, pair: LanguagePair, *, cut: Cutter = IN_PROCESS) -> SegmentedCandidate:
    """Cut the given candidate at the source segments, as `anaphor segment` does.

    Args:
        files: The source or a test set, documents, one candidate, and a reference if it is to help.
        pair: Source and target language.
        cut: Cuts the documents; the default uses this process, others may use a cluster.

    Returns:
        One line per segment, and all findings.

    Raises:
        UserError: A file is invalid; the message says where, and how to fix it.
    """
    check_standard_input(files)
    ((_, path),) = files.candidates
    inputs = read_test_set(replace(files, candidates=()), pair, reference_optional=True)
    return segment_candidate(
        inputs.source.lines,
        inputs.documents,
        read_whole_documents(path, inputs.documents),
        pair,
        reference=inputs.references[0].lines if files.references else None,
        cut=cut,
    )


def check_whole(names: Sequence[str], candidates: Mapping[str, object], *, aligned: bool) -> None:
    """Raise for unknown candidate names, and for alignments, which count the tokens of segments."""
    for name in names:
        if name not in candidates:
            fix = f"{did_you_mean(name, candidates)}candidates: {', '.join(candidates)}"
            raise OptionError(f"there is no candidate {name}", where="--whole-documents", fix=fix)
    if aligned:
        what = "whole documents have no alignment yet: links count the tokens of a segment"
        fix = "cut them first with `anaphor segment`, or omit the candidates' alignments"
        raise OptionError(what, where="--whole-documents, --alignment-candidate", fix=fix)


def with_whole_documents(
    inputs: Inputs,
    whole: Mapping[str, WholeDocuments],
    pair: LanguagePair,
    *,
    order: Sequence[str],
    cut: Cutter = IN_PROCESS,
    progress: Callable[[str], None] = lambda _: None,
) -> Inputs:
    """The inputs with these candidates cut and added; `order` lists the user's candidates by name."""
    segmented = {}
    for name, documents in whole.items():
        progress(f"segmenting {name}")
        segmented[name] = segment_candidate(inputs.source.lines, inputs.documents, documents, pair, cut=cut)
    texts = {**inputs.candidates, **{name: candidate.text() for name, candidate in segmented.items()}}
    # A test set may bring systems of its own, which come first.
    names = [*(name for name in texts if name not in order), *order]
    return replace(inputs, candidates={name: texts[name] for name in names}, segmentations=segmented)
