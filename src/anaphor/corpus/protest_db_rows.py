"""The tables of a PROTEST database, version 1.1, and of what this package adds beside them.

Lines and tokens count from 0. `srctgt` is 0 for a source and 1 for a reference or the output of a system;
`ant_no` is null where a row is about the pronoun. Tables that begin with `anaphor_` are ours: other programs
pass over them.
"""

from __future__ import annotations

from typing import NamedTuple


class MetaData(NamedTuple):
    tag: str
    tag_value: str | None


class CorpusRow(NamedTuple):
    id: int
    name: str
    srctgt: int


class SentenceRow(NamedTuple):
    id: int
    corpus: int
    line: int
    sentence: str


class DocumentRow(NamedTuple):
    """`start` and `end` are lines, the end included."""

    id: int
    corpus: int
    start: int
    end: int


class CategoryRow(NamedTuple):
    id: int
    description: str
    antagreement: int


class CandidateRow(NamedTuple):
    """One example in one translation."""

    id: int
    srccorpus: int
    tgtcorpus: int
    example_no: int
    line: int
    srcpro: str
    srcpos: int
    srcproindex: int | None
    category_no: int
    sequence_no: int | None


class AntecedentRow(NamedTuple):
    id: int
    srccorpus: int
    tgtcorpus: int
    example_no: int
    ant_no: int
    line: int
    srcstartpos: int
    srcendpos: int
    srchead: str
    srcheadpos: int
    srcheadindex: int | None


class TranslationRow(NamedTuple):
    """One target token that translates a pronoun or an antecedent head."""

    id: int
    tgtcorpus: int
    example_no: int
    ant_no: int | None
    line: int
    tgtpos: int


class AnnotatorRow(NamedTuple):
    id: int
    name: str


class AnnotationRow(NamedTuple):
    id: int
    candidate: int
    annotator_id: int
    ant_annotation: str | None
    anaph_annotation: str | None
    remarks: str | None
    conflict_status: str | None


class TokenAnnotationRow(NamedTuple):
    id: int
    candidate: int
    line: int
    token: int
    annotation: str
    annotator_id: int


class TagAnnotationRow(NamedTuple):
    id: int
    candidate: int
    annotator_id: int
    tag: str


class AnnotationTaskRow(NamedTuple):
    task_no: int
    candidate: int


class TaskDefinitionRow(NamedTuple):
    id: int
    taskset: int | None
    label: str


class OwnHeader(NamedTuple):
    """The `suite.toml` of a suite that was exported."""

    header: str


class OwnItem(NamedTuple):
    """The line of an item in `items.jsonl`."""

    example_no: int
    record: str


class OwnText(NamedTuple):
    """The text of a document on one side, its lines with newlines between them."""

    side: str
    document: str
    content: str


class ProtestDatabase(NamedTuple):
    """All rows of a file, by table; the last three tables are empty where the file is not one of ours."""

    meta_data: tuple[MetaData, ...] = ()
    corpora: tuple[CorpusRow, ...] = ()
    sentences: tuple[SentenceRow, ...] = ()
    documents: tuple[DocumentRow, ...] = ()
    categories: tuple[CategoryRow, ...] = ()
    pro_candidates: tuple[CandidateRow, ...] = ()
    pro_antecedents: tuple[AntecedentRow, ...] = ()
    translations: tuple[TranslationRow, ...] = ()
    annotators: tuple[AnnotatorRow, ...] = ()
    annotations: tuple[AnnotationRow, ...] = ()
    token_annotations: tuple[TokenAnnotationRow, ...] = ()
    tag_annotations: tuple[TagAnnotationRow, ...] = ()
    annotation_tasks: tuple[AnnotationTaskRow, ...] = ()
    task_definition: tuple[TaskDefinitionRow, ...] = ()
    anaphor_suite: tuple[OwnHeader, ...] = ()
    anaphor_items: tuple[OwnItem, ...] = ()
    anaphor_texts: tuple[OwnText, ...] = ()
