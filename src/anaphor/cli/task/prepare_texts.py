"""The parallel texts that the options of `anaphor task prepare` name."""

from __future__ import annotations

import argparse
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

from anaphor.core.errors import OptionError

if TYPE_CHECKING:
    from anaphor.core import LanguagePair
    from anaphor.task.prepare.texts import ParallelText, TextPair


def is_sharded(options: argparse.Namespace) -> bool:
    """Whether the work is done shard by shard: by a cluster, or into a folder."""
    return options.cluster is not None or into_folder(options)


def into_folder(options: argparse.Namespace) -> bool:
    """Whether every shard gets files of its own."""
    return options.output.endswith("/") or Path(options.output).is_dir()


def texts_of(options: argparse.Namespace, pair: LanguagePair) -> list[ParallelText]:
    """Every table and every pair of files that the options name; a pattern names several."""
    from anaphor.scale.shards import expanded
    from anaphor.task.prepare.texts import ParallelTable

    if options.columns and not options.tsv:
        raise OptionError("there is no table", where="--columns", fix="name one with --tsv, or leave it out")
    columns = tuple(options.columns.split(",")) if options.columns else ()
    if columns and len(columns) not in (2, 3):
        raise OptionError(
            f"{len(columns)} columns", where="--columns", fix="name source, target and document"
        )
    tables = [ParallelTable(path, pair, columns) for path in expanded(options.tsv, full=is_sharded(options))]
    texts: list[ParallelText] = [*tables, *_text_pairs(options)]
    if not texts:
        raise OptionError(
            "there is no text", where="--source, --tsv", fix="give --source and --target, or --tsv"
        )
    if repeated := [path for text in texts for path in text.paths if path == "-"]:
        raise OptionError(
            "the text is read more than once", where=repeated[0], fix="give files, not the standard input"
        )
    return texts


def _text_pairs(options: argparse.Namespace) -> list[TextPair]:
    from anaphor.scale.shards import expanded
    from anaphor.task.prepare.texts import TextPair

    full = is_sharded(options)
    sources, targets, documents = (
        expanded(paths, full=full) for paths in (options.source, options.target, options.documents)
    )
    if len(sources) != len(targets) or (documents and len(documents) != len(sources)):
        raise OptionError(
            f"{len(sources)} source texts, {len(targets)} target texts, {len(documents)} files of documents",
            where="--source, --target, --documents",
            fix="give as many of each; --documents may be left out",
        )
    if documents and options.document_mark:
        raise OptionError(
            "documents are named twice", where="--documents, --document-mark", fix="leave one of the two out"
        )
    return [
        TextPair(source=source, target=target, documents=ids, mark=options.document_mark)
        for source, target, ids in zip_longest(sources, targets, documents)
    ]
