"""`anaphor suite build`: a suite from annotated or plain parallel documents."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from anaphor.cli.cluster_options import add_cluster, aligner_of
from anaphor.cli.options import named
from anaphor.core.errors import MismatchError, OptionError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from anaphor.core import LanguagePair
    from anaphor.suite.build.builder import BuildTools
    from anaphor.suite.build.documents import BuildCorpus
    from anaphor.suite.build.mmax2 import Reference


def configure(parser: argparse.ArgumentParser) -> None:
    _add_files(parser)
    _add_choices(parser)
    how = parser.add_argument_group("how").add_argument
    how("--tokenized", action="store_true", help="the texts are tokenised: keep their tokens")
    how(
        "--analyser",
        default="built-in",
        metavar="NAME",
        help="of the source: built-in, spacy, stanza, udpipe or conllu",
    )
    how("--source-model", metavar="NAME", help="of the analyser: a model, or a CoNLL-U file")
    how("--aligner", default="anaphor", metavar="NAME", help="links source and references")
    how("--symmetrize", default="", metavar="WAY", help="how it joins both directions, if not in its own way")
    how("--priors", default="built-in", metavar="FILE", help="of the aligner: built-in, none or a file")
    add_cluster(parser)
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def _add_files(parser: argparse.ArgumentParser) -> None:
    files = parser.add_argument_group("files").add_argument
    files(
        "--corpus",
        required=True,
        metavar="PATH",
        help="source: a folder with MMAX2 projects, one .mmax file, or plain text with a segment a line",
    )
    files(
        "--reference",
        nargs="+",
        required=True,
        metavar="[NAME=]PATH",
        help="references: MMAX2 projects of the same names, or text with a line for each sentence or segment",
    )
    files("--documents", metavar="FILE", help="for plain text: a document id for each line, or start lines")
    files("--output", required=True, metavar="FOLDER", help="new folder for the suite")
    files("--without-text", action="store_true", help="write no documents, for a suite that can be shared")


def _add_choices(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("what is chosen").add_argument
    add("--pair", required=True, metavar="SRC-TGT", help="language pair, such as en-fr")
    add("--categories", default="protest", metavar="PACK", help="built-in pack or .toml (default protest)")
    add("--plan", default="protest-250", metavar="NAME", help="of the pack (default protest-250)")
    add("--annotated-only", action="store_true", help="choose nothing that people did not annotate")
    add("--name", default="suite", help="of the suite (default suite)")
    add("--licence", default="unknown", help="of the suite (default unknown)")
    add("--seed", type=int, default=12345, metavar="N", help="of what chance decides (default 12345)")


def run(options: argparse.Namespace) -> None:
    from anaphor.cli.suite.build_text import build_json, build_text
    from anaphor.cli.terminal import Progress, paint
    from anaphor.core import LanguagePair
    from anaphor.suite import load_categories, write_suite
    from anaphor.suite.build.builder import BuildConfig, build_suite

    pair = LanguagePair.parse(options.pair)
    categories = load_categories(options.categories)
    if options.seed < 0:
        raise OptionError(f"no seed: {options.seed}", where="--seed", fix="give a number from 0 up")
    order = BuildConfig(
        categories=categories,
        plan=categories.plan(options.plan),
        name=options.name,
        licence=options.licence,
        automatic=not options.annotated_only,
        seed=options.seed,
    )
    with Progress() as progress:
        tools = _tools(options, pair)
        progress("reading")
        with aligner_of(options, tools.aligner) as aligner:
            built = build_suite(_corpus(options), order, replace(tools, aligner=aligner), progress)
        texts = None if options.without_text else built.loaded.texts
        write_suite(built.loaded.suite, options.output, texts=texts)
    print(build_json(built.report) if options.json else build_text(built.report, paint=paint()))


def _corpus(options: argparse.Namespace) -> BuildCorpus:
    """The documents; every kind of file is told by its name."""
    from anaphor.corpus import read_documents, read_text
    from anaphor.corpus.mmax2 import read_mmax2
    from anaphor.suite.build.documents import plain_corpus
    from anaphor.suite.build.mmax2 import mmax2_corpus

    paths = _references(options)
    if _is_mmax2(options.corpus):
        if options.documents:
            raise OptionError(
                "MMAX2 projects are documents by themselves", where="--documents", fix="leave it out"
            )
        found: dict[str, Reference] = {
            name: read_mmax2(path) if _is_mmax2(path) else read_text(path) for name, path in paths.items()
        }
        return mmax2_corpus(read_mmax2(options.corpus), found)
    source = read_text(options.corpus)
    ids = ("document",) * len(source)
    if options.documents:
        ids = read_documents(options.documents, segments=len(source))
    return plain_corpus(source, {name: read_text(path) for name, path in paths.items()}, ids)


def _references(options: argparse.Namespace) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for name, path in map(named, options.reference):
        if name in found:
            raise MismatchError(
                f"two references are called {name}",
                where=path,
                fix="give them names: --reference first=PATH second=PATH",
            )
        found[name] = path
    return found


def _is_mmax2(path: str) -> bool:
    return path.endswith(".mmax") or Path(path).is_dir()


def _tools(options: argparse.Namespace, pair: LanguagePair) -> BuildTools:
    from anaphor.align import AlignerChoice
    from anaphor.analyse import load_analyser
    from anaphor.analyse.builtin import built_in_languages
    from anaphor.languages import Tokenizer, load_pair, split_tokens
    from anaphor.suite.build.builder import BuildTools

    pack = load_pair(pair)
    known = pair.target in built_in_languages()
    return BuildTools(
        pack=pack,
        cut_source=split_tokens if options.tokenized else Tokenizer(pack.source),
        cut_target=split_tokens if options.tokenized else Tokenizer(pack.target),
        analyser=load_analyser(options.analyser, language=pair.source, model=options.source_model),
        target_analyser=load_analyser("built-in", language=pair.target) if known else None,
        aligner=AlignerChoice(
            pair=pair, name=options.aligner, symmetrization=options.symmetrize, priors=options.priors
        ),
    )
