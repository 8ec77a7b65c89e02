"""Options shared by several commands: the files, and everything that affects a number."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anaphor.cli.commands import CommandParser, OptionGroup
from anaphor.core.errors import OptionError
from anaphor.core.options import MetricOption
from anaphor.metrics import METRICS
from anaphor.metrics.options import BUILT_IN_OPTIONS, known_options, option_keys

if TYPE_CHECKING:
    from anaphor.core import Files, Settings

#: What intervals and tests depend on, unless options say otherwise.
SAMPLES, LEVEL, SEED = 1000, 0.95, 12345
#: Before the names of metric options among the parsed ones.
_DEST = "metric_option_"


def add_files(parser: CommandParser, *, candidates: bool = True) -> None:
    """The options that name files."""
    group = parser.add_argument_group("files")
    group.add_argument("--source", metavar="FILE", help="source text, one segment per line")
    group.add_argument("--reference", nargs="+", default=[], metavar="FILE", help="one or more references")
    group.add_argument(
        "--set", metavar="PATH", help="test set instead of separate files: TSV, WMT XML, SGM or MTME folder"
    )
    group.add_argument(
        "--alignment-reference",
        rare=True,
        nargs="+",
        default=[],
        metavar="FILE",
        help="alignment files, one per reference",
    )
    if candidates:
        group.add_argument("--candidate", nargs="+", default=[], metavar="[NAME=]FILE", help="translations")
        add_whole_documents(group)
        group.add_argument(
            "--alignment-candidate",
            rare=True,
            nargs="+",
            default=[],
            metavar="FILE",
            help="alignment files, one per candidate",
        )
    group.add_argument("--documents", metavar="FILE", help="document name of each line, or start lines")
    group.add_argument(
        "--positions",
        rare=True,
        metavar="FILE",
        help="evaluate only these tokens: one `segment token` per line",
    )
    group.add_argument("--packs", rare=True, metavar="FOLDER", help="folder with your own language packs")


def add_whole_documents(group: OptionGroup) -> None:
    """The candidates to cut; `whole_documents_of` returns their names."""
    group.add_argument(
        "--whole-documents",
        nargs="*",
        metavar="NAME",
        help="candidates (all if none is named) with one text per document: JSON lines, one document per "
        "line, or a folder; they are first cut at the source segments",
    )


def whole_documents_of(options: argparse.Namespace) -> tuple[str, ...]:
    """The candidates selected by `--whole-documents`, by name."""
    if not options.whole_documents:  # not given, or without names
        given = () if options.whole_documents is None else options.candidate
        return tuple(named(text)[0] for text in given)
    return tuple(options.whole_documents)


def add_settings(parser: CommandParser, *, pair_required: bool = True) -> OptionGroup:
    """The options that a score depends on."""
    group = parser.add_argument_group("scoring")
    add = group.add_argument
    add("--pair", required=pair_required, metavar="SRC-TGT", help="language pair, such as en-fr")
    add("--tokenized", action="store_true", help="the texts are already tokenized: keep their tokens")
    add("--pronouns", nargs="+", default=[], metavar="FORM", help="source forms to evaluate")
    add(
        "--objects",
        rare=True,
        action="store_true",
        help="also evaluate object pronouns, and compare object forms (le, la, l' ...)",
    )
    add(
        "--repair",
        rare=True,
        choices=("paper", "none"),
        default="paper",
        help="repair pronoun links as in the APT paper, or not",
    )
    add(
        "--recognize",
        rare=True,
        choices=("list", "analysis"),
        default="analysis",
        help="how to distinguish pronouns (das, le) from articles with the same form: by the list of "
        "forms, or also by the built-in analyser, if it supports the target language (default analysis)",
    )
    add("--aligner", default="anaphor", metavar="NAME", help="aligner for missing alignments")
    add(
        "--symmetrize",
        rare=True,
        default="",
        metavar="METHOD",
        help="symmetrization, such as union (default: chosen by the aligner)",
    )
    add(
        "--priors",
        rare=True,
        default="built-in",
        metavar="FILE",
        help="priors of the aligner: built-in, none or a file",
    )
    add(
        "--model",
        metavar="FILE",
        help="align with this model, saved by `anaphor align train`; scores then do not depend on other "
        "candidates",
    )
    add(
        "--train",
        nargs=2,
        action="append",
        default=[],
        metavar="FILE",
        help="like --model, but train the aligner on these source and target texts; may be repeated",
    )
    add(
        "--outside-links",
        rare=True,
        choices=("error", "drop"),
        default="error",
        help="what to do with links outside their sentence (default error)",
    )
    add(
        "--any-language",
        rare=True,
        action="store_true",
        help="score texts even if they are clearly not in the languages of the pair",
    )
    add_metric_options(group)
    add_seed(group)
    return group


def add_metric_options(
    group: OptionGroup, declared: Mapping[str, tuple[MetricOption, ...]] = BUILT_IN_OPTIONS
) -> None:
    """Options that metrics declare."""
    shared: set[MetricOption] = set()
    for metric, options in declared.items():
        for key, option in option_keys(metric, options).items():
            if option in shared:
                continue
            shared.add(option)
            kind: dict[str, Any] = {"type": _parser(option), "metavar": option.metavar or None}
            if option.choices:
                kind = {"choices": option.choices}
            elif option.type is bool:
                kind = {"action": argparse.BooleanOptionalAction}
            default = "" if option.default in ((), "") else f" (default {option.signed(option.default)})"
            try:
                group.add_argument(
                    f"--{key.replace('_', '-')}",
                    dest=f"{_DEST}{key}",
                    default=option.default,
                    rare=option.rare,
                    help=f"{option.help}{default}".replace("%", "%%"),
                    **kind,
                )
            except argparse.ArgumentError as error:
                what = f"the metric {metric} declares an option that exists already: {error}"
                fix = "rename the option in the package that provides the metric"
                raise OptionError(what, where=METRICS.target(metric), fix=fix) from error


def _parser(option: MetricOption) -> Callable[[str], Any]:
    def parse(text: str) -> Any:
        try:
            return option.parse(text)
        except ValueError:
            wanted = "numbers with commas between them" if option.many else f"of type {option.type.__name__}"
            raise argparse.ArgumentTypeError(f"not {wanted}: {text!r}") from None

    return parse


def settings_of(options: argparse.Namespace, **more: Any) -> Settings:
    """The settings from the options of `add_settings`, and `more` specific to a verb."""
    from anaphor.core import Settings
    from anaphor.metrics import third_party_options

    if options.positions and options.pronouns:
        what = "positions select the tokens to evaluate, whatever their forms"
        raise OptionError(what, where="--positions, --pronouns", fix="omit one of the two")
    return Settings.of(
        pair=options.pair,
        tokenized=options.tokenized,
        pronouns=tuple(options.pronouns),
        objects=options.objects,
        repair=options.repair == "paper",
        recognize=options.recognize,
        aligner=options.aligner,
        symmetrization=options.symmetrize,
        priors=options.priors,
        aligner_model=options.model,
        aligner_training=tuple((source, target) for source, target in options.train),
        outside_links=options.outside_links,
        any_language=options.any_language,
        seed=options.seed,
        packs=options.packs,
        options={
            key: value
            for key, option in known_options(third_party_options(getattr(options, "metrics", ()))).items()
            if (value := getattr(options, _DEST + key)) != option.default
        },
        **more,
    )


def files_of(options: argparse.Namespace, **more: Any) -> Files:
    """The files from the options of `add_files`, and `more` specific to a verb."""
    from anaphor.core import Files

    return Files(
        source=options.source,
        references=tuple(options.reference),
        bundle=options.set,
        documents=options.documents,
        positions=options.positions,
        reference_alignments=tuple(options.alignment_reference),
        **more,
    )


def packs_of(options: argparse.Namespace) -> Path | None:
    """The folder with the user's language packs, if there is one."""
    return None if options.packs is None else Path(options.packs)


def named(text: str) -> tuple[str, str]:
    """Parse `NAME=PATH`, or a path whose file name without its last suffix is the name; `-` is called
    stdin."""
    if text == "-":
        return "stdin", text
    name, equals, path = text.partition("=")
    if equals and not name:
        raise OptionError("there is no name before the =", where=text, fix="write NAME=PATH, or PATH")
    return (name, path) if equals and not Path(text).exists() else (Path(text).stem, text)


def add_resampling(group: OptionGroup, *, zero: bool = True, seed: bool = True) -> None:
    """Options for computing intervals and tests; `zero` allows a result without them."""
    what = f"bootstrap resamples{', 0 for none' if zero else ''} (default 1000)"
    group.add_argument("--samples", rare=True, type=int, default=SAMPLES, metavar="N", help=what)
    add_level(group)
    if seed:
        add_seed(group)


def add_level(group: OptionGroup) -> None:
    group.add_argument(
        "--level", rare=True, type=float, default=LEVEL, metavar="P", help="confidence level (default 0.95)"
    )


def add_seed(group: OptionGroup) -> None:
    group.add_argument(
        "--seed", rare=True, type=int, default=SEED, metavar="N", help="random seed (default 12345)"
    )
