"""`anaphor predict postedit`: pronouns that a predictor would change in a translation."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from anaphor.core.errors import OptionError

if TYPE_CHECKING:
    from anaphor.cli.terminal import Progress
    from anaphor.core import Settings
    from anaphor.corpus import Text
    from anaphor.predict.contract import Model
    from anaphor.predict.postedit import LinkedText

EXAMPLES = """examples:
  anaphor predict postedit --source src.en --candidate mt.fr --documents docs
  anaphor predict postedit --pair en-de --source src.en --candidate mt.de --threshold 0.95 --json
  anaphor predict postedit --source src.en --candidate mt.fr --apply --output edited.fr

Nothing is written without --apply. Only pronouns change, and an elision beside them; verbs and participles
that may have to agree are named. Without --documents all lines are one text."""


def configure(parser: argparse.ArgumentParser) -> None:
    files = parser.add_argument_group("files").add_argument
    files("--source", required=True, metavar="FILE", help="source text, one segment a line")
    files("--candidate", required=True, metavar="FILE", help="its translation")
    files("--documents", metavar="FILE", help="a document id for each line, or start lines")
    files("--alignment", metavar="FILE", help="links between the tokens of both, if not made here")
    files("--packs", metavar="FOLDER", help="language packs of your own")
    how = parser.add_argument_group("how").add_argument
    how("--pair", metavar="SRC-TGT", help="language pair; without it, that of the model, or en-fr")
    how(
        "--model", default="anaphor-1-small", metavar="MODEL", help="folder or name (default anaphor-1-small)"
    )
    how("--threshold", type=float, default=0.9, metavar="P", help="least probability (default 0.9)")
    how("--tokenized", action="store_true", help="the texts are tokenised: keep their tokens")
    output = parser.add_argument_group("output").add_argument
    output("--apply", action="store_true", help="write the candidate with all proposals in place to --output")
    output("--output", metavar="FILE", help="where --apply writes to")
    output("--json", action="store_true", help="print JSON")


def run(options: argparse.Namespace) -> None:
    from anaphor.cli.linked_candidate import model_signature
    from anaphor.cli.predict.postedit_tables import Asked, as_json, as_text
    from anaphor.cli.terminal import Progress, paint
    from anaphor.corpus import read_text, write_atomically
    from anaphor.predict.postedit import Proposer, apply_proposals, ask, find_occurrences
    from anaphor.predict.shipped import find_model

    _check(options)
    with Progress() as progress:
        progress("reading the model")
        model = find_model(options.model, pair=options.pair, forms=True)
        candidate = read_text(options.candidate)
        text = _linked(options, model, candidate, progress)
        progress("asking the predictor")
        proposer = Proposer(text, packs=_packs(options))
        occurrences = find_occurrences(text, year=model.card.year, packs=_packs(options))
        answers = ask(model, text, occurrences)
        proposals = proposer.propose(answers, threshold=options.threshold)
    lines = apply_proposals(candidate.lines, proposals.made)
    if options.apply:
        write_atomically(options.output, "\n".join(lines) + "\n")
    signature = model_signature(
        "postedit", options.model, model, [("threshold", f"{options.threshold:g}"), *_links(options)]
    )
    asked = Asked(text, candidate, len(answers), options.threshold, proposals, tuple(lines), signature)
    print(as_json(asked) if options.json else as_text(asked, paint=paint()))


def _check(options: argparse.Namespace) -> None:
    from anaphor.predict.postedit.proposing import check_threshold

    check_threshold(options.threshold)
    if options.apply != (options.output is not None):
        raise OptionError(
            "--apply writes a file, and nothing else does",
            where="--apply, --output",
            fix="give both: --apply --output FILE; or neither, to see the proposals alone",
        )
    if [options.source, options.candidate, options.documents, options.alignment].count("-") > 1:
        raise OptionError(
            "the standard input can stand for one file only", where="-", fix="write the other texts to files"
        )


def _linked(options: argparse.Namespace, model: Model, candidate: Text, progress: Progress) -> LinkedText:
    from anaphor.cli.linked_candidate import link_candidate
    from anaphor.corpus import read_alignments, read_documents, read_text

    progress("reading")
    source = read_text(options.source)
    segments = len(source.lines)
    documents = options.documents and read_documents(options.documents, segments=segments)
    links = options.alignment and read_alignments(options.alignment, segments=segments)
    progress("aligning")
    return link_candidate(
        _settings(options, model),
        source=source,
        candidate=candidate,
        documents=documents,
        links=links,
        progress=progress,
    )


def _settings(options: argparse.Namespace, model: Model) -> Settings:
    from anaphor.core import Settings

    pair = options.pair or model.card.pair
    return Settings(pair=pair, tokenized=options.tokenized, packs=options.packs)


def _packs(options: argparse.Namespace) -> Path | None:
    return None if options.packs is None else Path(options.packs)


def _links(options: argparse.Namespace) -> list[tuple[str, str]]:
    return [("links", "given" if options.alignment else "anaphor")]
