"""`anaphor predict`: the published systems of pronoun prediction, and ours, trained, run and compared."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from anaphor.cli import predict_options as shared
from anaphor.cli.commands import Command, CommandParser
from anaphor.cli.output import add_output, print_result
from anaphor.cli.task import add_parts, add_task, metrics_of, statistics_of
from anaphor.cli.terminal import Progress, collected_notes
from anaphor.core.errors import OptionError

if TYPE_CHECKING:
    from anaphor.core import TaskSegment

EXAMPLES = """examples:
  anaphor predict list --pair en-de
  anaphor predict show uu-stymne-2016
  anaphor predict train uu-stymne-2016 --pair en-fr --train train.tsv.gz --dev dev.tsv.gz --output stymne
  anaphor predict evaluate stymne test.tsv.gz
  anaphor predict postedit --pair en-fr --source src.en --candidate mt.fr --documents docs
  anaphor predict compare --pair en-fr --recipes baseline uhelsinki-2016 uu-stymne-2016 \\
      --train train.tsv.gz --dev dev.tsv.gz --test test.tsv.gz

`anaphor predict COMMAND --help` has examples of each command; docs/systems/ describes the recipes."""

LIST_EXAMPLES = """examples:
  anaphor predict list
  anaphor predict list --pair es-en
  anaphor predict list --json"""


def configure_list(parser: CommandParser) -> None:
    parser.add_argument("--pair", metavar="SRC-TGT", help="list the recipes for this pair only")
    add_output(parser)


def run_list(options: argparse.Namespace) -> None:
    from anaphor.predict.recipe import RecipeList, recipes_for
    from anaphor.predict.shipped import shipped_models

    print_result(options, RecipeList(recipes_for(options.pair), shipped_models()))


SHOW_EXAMPLES = """examples:
  anaphor predict show uedin-2016
  anaphor predict show my-recipe.toml --json"""


def configure_show(parser: CommandParser) -> None:
    parser.add_argument("recipe", metavar="RECIPE", help=shared.RECIPE)
    add_output(parser)


def run_show(options: argparse.Namespace) -> None:
    from anaphor.predict.recipe import load_recipe

    print_result(options, load_recipe(options.recipe))


TRAIN_EXAMPLES = """examples:
  anaphor predict train uhelsinki-2016 --pair en-fr --train train.tsv.gz --output model
  anaphor predict train baseline-tuned --pair en-de --train train.tsv --dev dev.tsv --output model
  anaphor predict train uedin-2016 --pair en-fr --year 2016 --train train.tsv --slots 60000 --output model
  anaphor predict train turku-2016 --pair en-fr --train train.tsv --dev dev.tsv --device cuda --output model

`anaphor task prepare` prepares the data; document ids are read from the .doc-ids file next to it.
A model is a folder of plain files with hashes; nothing in it is ever executed."""


def configure_train(parser: CommandParser) -> None:
    parser.add_argument("recipe", metavar="RECIPE", help=shared.RECIPE)
    shared.add_training(parser)
    network = parser.add_argument_group("neural networks").add_argument
    network(
        "--device",
        rare=True,
        choices=("auto", "cpu", "cuda"),
        help="training device (auto: a GPU if there is one)",
    )
    network(
        "--minutes", rare=True, type=float, metavar="N", help="stop after N minutes and keep the best so far"
    )
    network("--checkpoint", rare=True, metavar="FOLDER", help="resume from here after an interruption")
    encoder = parser.add_argument_group("pretrained encoders (recipes of the family hub)").add_argument
    encoder("--encoder", metavar="FOLDER", help="folder of an encoder, or its name on a model hub")
    encoder(
        "--allow-download", rare=True, action="store_true", help="download the encoder if it is not cached"
    )
    output = parser.add_argument_group("output")
    output.add_argument("--output", required=True, metavar="FOLDER", help="folder for the model")
    add_output(output)


def run_train(options: argparse.Namespace) -> None:
    from anaphor.predict.model_folder import check_output
    from anaphor.predict.recipe import load_recipe
    from anaphor.predict.training import check_recipes, train_recipe, with_run_options

    recipe = with_run_options(
        load_recipe(options.recipe),
        device=options.device,
        minutes=options.minutes,
        checkpoint=options.checkpoint,
        encoder=options.encoder,
        download=options.allow_download,
    )
    classes = shared.classes_of(options)
    check_recipes([recipe], classes)
    check_output(Path(options.output))
    with Progress(quiet=options.quiet) as progress:
        train, dev = shared.read_training(options, classes, progress)
        report = train_recipe(
            recipe,
            train,
            options.output,
            classes=classes,
            dev=dev,
            seed=options.train_seed,
            progress=shared.shown_on(progress, f"{recipe.name}: "),
        )
    print_result(options, report)


CONNECT_EXAMPLES = """examples:
  anaphor predict connect --server http://localhost:8000/v1 --model llama-3 --pair en-fr --output llama
  anaphor predict run llama test.tsv --dry-run
  anaphor predict evaluate llama test.tsv --limit 50
  anaphor predict connect mine.toml --server https://example.org/v1 --model large --pair en-de \\
      --key-variable EXAMPLE_KEY --rate 60 --output large

Nothing is sent before the model is used; then texts of FILE go to the server. The API key is read from an
environment variable and never written. Answers are kept, and the same prompt is never sent twice.
Server, variable and folder of answers are remembered; models and recipes from elsewhere can use no others."""


# Options of the recipe that can be given here; the recipe checks their values.
_OPTIONS: tuple[tuple[str, type, str, str], ...] = (
    ("--server", str, "URL", "base URL, which usually ends in /v1; required"),
    ("--model", str, "NAME", "model, as the server names it; needed unless RECIPE names it"),
    ("--endpoint", str, "KIND", "chat or completions (default chat)"),
    ("--key-variable", str, "NAME", "environment variable with the API key (default ANAPHOR_API_KEY)"),
    ("--timeout", float, "S", "seconds to wait for an answer (default 60)"),
    ("--rate", float, "N", "maximum requests per minute (default: no limit)"),
    ("--before", int, "N", "preceding sentences that are shown (default 5)"),
    ("--after", int, "N", "following sentences that are shown (default 1)"),
    ("--logprobs", int, "N", "log-probabilities to ask for (default: none)"),
    ("--cache", str, "FOLDER", "folder of cached answers (default ~/.cache/anaphor/answers)"),
)


def configure_connect(parser: CommandParser) -> None:
    parser.add_argument(
        "recipe",
        metavar="RECIPE",
        nargs="?",
        default="language-model",
        help="recipe of the family server (default language-model), or your own file, which ends in .toml",
    )
    task = parser.add_argument_group("task")
    add_task(task)
    task.add_argument("--packs", rare=True, metavar="FOLDER", help="folder with your own language packs")
    add = parser.add_argument_group("server, prompts and answers").add_argument
    for flag, kind, metavar, text in _OPTIONS:
        add(flag, type=kind, metavar=metavar, help=text)
    output = parser.add_argument_group("output")
    output.add_argument("--output", required=True, metavar="FOLDER", help="folder for the model")
    add_output(output)


def run_connect(options: argparse.Namespace) -> None:
    from anaphor.predict.server.model import connect

    names = [flag[2:].replace("-", "_") for flag, *_ in _OPTIONS]
    given = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    found = connect(options.output, classes=shared.classes_of(options), recipe=options.recipe, **given)
    print_result(options, found)


DETECTOR_EXAMPLES = """examples:
  anaphor predict detector --base gemma.gguf --adapter adapter.safetensors --output large
  anaphor score --pair en-de --source src.en --candidate mt.de --metrics accept --accept-detector large

The adapter is in the folder models/detector-large of the repository, with the names of the files that it
fits. The base model is checked by its hash and copied as it is; both licences are on the card of the folder.
It needs pip install "anaphor[neural]"."""


def configure_detector(parser: CommandParser) -> None:
    files = parser.add_argument_group("files").add_argument
    files("--base", required=True, metavar="FILE", help="base model, a GGUF file")
    files("--adapter", required=True, metavar="FILE", help="adapter of the detector, a safetensors file")
    output = parser.add_argument_group("output")
    output.add_argument("--output", required=True, metavar="FOLDER", help="folder for the detector")
    add_output(output)


def run_detector(options: argparse.Namespace) -> None:
    from anaphor.predict.detector.large import join_detector

    with Progress(quiet=options.quiet) as progress:
        progress("checking and copying the base model")
        found = join_detector(options.output, base=options.base, adapter=options.adapter)
    print_result(options, found)


RUN_EXAMPLES = """examples:
  anaphor predict run model test.tsv --output predictions.tsv
  anaphor predict run model test.tsv --format labels | head
  anaphor predict run model test.tsv --format json > probabilities.jsonl
  anaphor predict run llama test.tsv --dry-run

Labels in FILE are never read. `anaphor task score` scores the output."""


def configure_run(parser: CommandParser) -> None:
    shared.add_model_and_file(parser, "five-column file; labels are not needed")
    shared.add_limit(parser)
    add = parser.add_argument_group("output").add_argument
    add("--output", metavar="FILE", help="write to FILE instead of standard output")
    add(
        "--format",
        choices=("task", "labels", "json"),
        default="task",
        help="five columns; labels only; or one line of JSON per segment, with probabilities (default task)",
    )
    add("--json", action="store_const", dest="format", const="json", help="same as --format json")
    add(
        "--dry-run",
        action="store_true",
        help="model of a server: print the first prompt and send nothing",
    )


def run_run(options: argparse.Namespace) -> None:
    from anaphor.predict.data import document_ids_beside
    from anaphor.predict.prediction import fit_to_data, predict_lines
    from anaphor.task.files import read_task_lines
    from anaphor.task.streams import write_pieces

    shared.check_limit(options)
    with Progress(quiet=options.quiet) as progress:
        progress("reading the model")
        model, classes = shared.find_model(options, progress)
        progress("reading")
        text = read_task_lines(options.file, documents=options.documents or document_ids_beside(options.file))
        if options.limit is not None:
            text = text.head(options.limit)
        if options.dry_run:
            from anaphor.predict.server.model import first_prompt

            segments = tuple(text.segments(range(len(text))))
            print(first_prompt(fit_to_data(model, segments, classes=classes), segments))
            return
        progress("predicting")
        pieces = predict_lines(model, text, classes=classes, layout=options.format)
        if options.output:
            write_pieces(options.output, pieces)
            return
        found = b"".join(pieces)
    print(found.decode(), end="")


EVALUATE_EXAMPLES = """examples:
  anaphor predict evaluate model test.tsv.gz
  anaphor predict evaluate model dev.tsv --documents dev.doc-ids --by class
  anaphor predict evaluate model test.tsv --metric macro-f1 --json

Intervals resample documents if their ids are known, and segments otherwise."""


def configure_evaluate(parser: CommandParser) -> None:
    shared.add_model_and_file(parser, "five-column file with labels")
    shared.add_limit(parser)
    shared.add_statistics(parser)
    group = parser.add_argument_group("output")
    add_parts(group)
    add_output(group)


def run_evaluate(options: argparse.Namespace) -> None:
    from anaphor.predict.comparison import evaluate_model

    statistics_of(options, pair="en-fr", paired=False)  # wrong options are an error before anything is read
    shared.check_limit(options)
    with collected_notes() as notes, Progress(quiet=options.quiet) as progress:
        model, classes, segments = shared.read_model_and_file(options, progress, labels=True)
        segments = segments[: options.limit]
        progress("predicting")
        result = evaluate_model(
            model,
            segments,
            path=options.file,
            classes=classes,
            settings=statistics_of(options, pair=model.card.pair, paired=False),
            metrics=metrics_of(options, default="macro-recall"),
            average=options.average,
        )
    print_result(options, replace(result, parts=tuple(options.by), notes=tuple(notes)))


COMPARE_EXAMPLES = """examples:
  anaphor predict compare --pair en-fr --recipes baseline uhelsinki-2016 uu-stymne-2016 \\
      --train train.tsv.gz --dev dev.tsv.gz --test test.tsv.gz
  anaphor predict compare --pair en-de --recipes all --train train.tsv.gz --dev dev.tsv.gz \\
      --test ted.tsv.gz europarl.tsv.gz --markdown > systems.md

The others are tested against the first recipe; `all` means all recipes for the pair.
Models are cached by a hash of recipe, data and versions, so nothing is trained twice."""


def configure_compare(parser: CommandParser) -> None:
    parser.add_argument(
        "--recipes", nargs="+", required=True, metavar="RECIPE", help=f"all, or: {shared.RECIPE}"
    )
    shared.add_training(parser)
    parser.add_argument("--test", nargs="+", required=True, metavar="FILE", help="test files with labels")
    parser.add_argument("--cache", metavar="FOLDER", help="cache of models (default ~/.cache/anaphor)")
    shared.add_statistics(parser)
    group = parser.add_argument_group("output")
    add_parts(group)
    add_output(group, ("json", "markdown"))


def run_compare(options: argparse.Namespace) -> None:
    from anaphor.predict.comparison import check_formats, compare_recipes
    from anaphor.predict.data import read_segments
    from anaphor.predict.model_folder import default_cache
    from anaphor.predict.recipe import load_recipe, recipes_for
    from anaphor.predict.training import ModelCache, check_recipes

    classes = shared.classes_of(options)
    if options.recipes == ["all"]:
        # A pretrained encoder must be downloaded, and a server named: such recipes are compared if named.
        recipes = [recipe for recipe in recipes_for(options.pair) if recipe.family not in ("hub", "server")]
    else:
        recipes = [load_recipe(name) for name in options.recipes]
    with collected_notes() as notes, Progress(quiet=options.quiet) as progress:
        check_recipes(recipes, classes)
        paired = len(recipes) > 1 and options.samples > 0
        settings = statistics_of(options, pair=options.pair, paired=paired)
        tests = {path: read_segments(path, classes=classes) for path in options.test}
        train, dev = shared.read_training(options, classes, progress)
        check_formats({options.train: train, **({options.dev: dev} if dev else {}), **tests})
        folder = Path(options.cache) if options.cache is not None else default_cache("predict")
        found = compare_recipes(
            recipes,
            ModelCache(folder, train, classes=classes, dev=dev, seed=options.train_seed),
            tests,
            classes=classes,
            settings=settings,
            metrics=metrics_of(options, default="macro-recall"),
            average=options.average,
            progress=shared.shown_on(progress),
        )
    print_result(options, replace(found, parts=tuple(options.by), notes=tuple(notes)))


ENSEMBLE_EXAMPLES = """examples:
  anaphor predict ensemble anaphor-2-small stymne turku --pair en-fr --dev dev.tsv.gz --output three
  anaphor predict ensemble stymne turku --dev dev.tsv --dev-documents ids.txt --metric accuracy --output two
  anaphor predict ensemble seed-1 seed-2 seed-3 --equal --means geometric --output seeds

The result is a model like any other, with its members inside: `anaphor predict run three test.tsv`."""

#: Names of the means on the command line, and in a mixture: the geometric mean is that of the logarithms.
_MEANS = {"linear": "linear", "geometric": "log"}


def configure_ensemble(parser: CommandParser) -> None:
    add = parser.add_argument_group("models").add_argument
    add("models", nargs="+", metavar="MODEL", help="folder of a trained model, or the name of one that ships")
    add("--pair", metavar="SRC-TGT", help="language pair; needed if a member is for several")
    add("--year", type=int, metavar="YYYY", help="year of the classes, for models that have several")
    weights = parser.add_argument_group("weights").add_argument
    weights("--dev", metavar="FILE", help="five-column file with labels to tune the weights on")
    weights(
        "--dev-documents", metavar="FILE", help="its document ids (default: the .doc-ids file next to it)"
    )
    weights(
        "--metric",
        choices=("macro-recall", "accuracy"),
        default="macro-recall",
        help="metric to tune the weights for (default macro-recall)",
    )
    weights("--means", choices=tuple(_MEANS), default="linear", help="mean of probabilities (default linear)")
    weights("--equal", action="store_true", help="equal weights; needs no --dev")
    weights("--packs", rare=True, metavar="FOLDER", help="folder with your own language packs")
    output = parser.add_argument_group("output")
    output.add_argument("--output", required=True, metavar="FOLDER", help="where to write the model")
    add_output(output)


def run_ensemble(options: argparse.Namespace) -> None:
    from anaphor.predict.data import check_fit, read_segments
    from anaphor.predict.ensemble.mixture import EnsembleOptions
    from anaphor.predict.ensemble.model import build_ensemble, check_members, find_members
    from anaphor.predict.model_folder import check_output

    check_output(Path(options.output))
    if options.dev is None and not options.equal:
        raise OptionError(
            "no development data to tune the weights on",
            where="--dev",
            fix="give a file with labels, or --equal for equal weights",
        )
    if twice := [name for name in options.models if options.models.count(name) > 1]:
        raise OptionError(f"a model is named twice: {twice[0]}", where="MODEL", fix="name each model once")
    with Progress(quiet=options.quiet) as progress:
        progress("reading the models")
        members = find_members(options.models, pair=options.pair, year=options.year)
        check_members(members)
        dev: tuple[TaskSegment, ...] = ()
        if options.dev is not None:
            card = members[options.models[0]].card
            classes = shared.classes_of(options, card)
            dev = read_segments(options.dev, classes=classes, documents=options.dev_documents)
            check_fit(card, classes=classes, segments=dev)
        progress("predicting the development data")
        tuning = EnsembleOptions(metric=options.metric, means=_MEANS[options.means])
        found = build_ensemble(members, dev=dev, options=tuning, equal=options.equal)
        found.model.save(Path(options.output))
    tuned_on = None if options.equal else options.dev
    print_result(options, replace(found, output=options.output, tuned_on=tuned_on))


EXPLAIN_EXAMPLES = """examples:
  anaphor predict explain anaphor-2-small test.tsv --pair en-de --segment 12
  anaphor predict explain model test.tsv --segment 12 --slot 2 --top 30 --json
  anaphor predict explain model test.tsv --segment 12 --by words --before 5

By features: a positive amount supports the chosen class, a negative one the runner-up. By words: every word
is hidden in turn, and the amount is how far the probability of the chosen class falls without it."""


def configure_explain(parser: CommandParser) -> None:
    shared.add_model_and_file(parser, "five-column file; labels are not needed")
    add = parser.add_argument_group("which placeholder").add_argument
    add("--segment", type=int, required=True, metavar="N", help="line of FILE, counted from 1")
    add("--slot", type=int, default=1, metavar="N", help="placeholder of the line (default 1)")
    how = parser.add_argument_group("how").add_argument
    how(
        "--by",
        choices=("features", "words"),
        help="what to show (default: features if the model weighs some, otherwise words)",
    )
    how("--before", type=int, default=3, metavar="N", help="preceding sentences to hide words of (default 3)")
    how("--after", type=int, default=1, metavar="N", help="following sentences to hide words of (default 1)")
    output = parser.add_argument_group("output")
    output.add_argument("--top", type=int, metavar="N", help="how many to show (default 15; 10 words)")
    add_output(output)


def run_explain(options: argparse.Namespace) -> None:
    from anaphor.predict.explain.occlusion import Reach
    from anaphor.predict.explain.slot import explain_slot

    with Progress(quiet=options.quiet) as progress:
        model, _, segments = shared.read_model_and_file(options, progress, labels=False)
        if not 1 <= options.segment <= len(segments):
            raise OptionError(
                f"there is no segment {options.segment}", where="--segment", fix=f"give 1 to {len(segments)}"
            )
        slots = len(segments[options.segment - 1].slots)
        if not 1 <= options.slot <= slots:
            raise OptionError(
                f"segment {options.segment} has {slots} placeholders, so no placeholder {options.slot}",
                where="--slot",
                fix=f"give 1 to {slots}" if slots else "choose a segment with REPLACE_k in its target",
            )
        progress("explaining")
        found = explain_slot(
            model,
            segments,
            segment=options.segment - 1,
            slot=options.slot - 1,
            by=options.by,
            reach=Reach(options.before, options.after),
            top=options.top,
        )
    print_result(options, found)


POSTEDIT_EXAMPLES = """examples:
  anaphor predict postedit --pair en-fr --source src.en --candidate mt.fr --documents docs
  anaphor predict postedit --pair en-de --source src.en --candidate mt.de --threshold 0.95 --json
  anaphor predict postedit --pair es-en --source src.es --candidate mt.en --report proposals.html
  anaphor predict postedit --pair fr-en --source src.fr --candidate mt.en --diff > mt.en.patch
  anaphor predict postedit --pair de-en --source src.de --candidate mt.en --apply --output edited.en

Pairs of the model that ships: en-fr, en-de, fr-en, de-en, es-en. Texts clearly in other languages are
refused. The candidate is never changed; --apply writes an edited copy. Pronouns, adjacent elisions and
English verbs change; other words that may have to agree are listed as warnings. Without --documents all
lines are one document."""


def configure_postedit(parser: CommandParser) -> None:
    files = parser.add_argument_group("files").add_argument
    files("--source", required=True, metavar="FILE", help="source text, one segment per line")
    files("--candidate", required=True, metavar="FILE", help="its translation")
    files("--documents", metavar="FILE", help="one document id per line, or start lines")
    files("--alignment", metavar="FILE", help="alignment links between their tokens (default: computed)")
    files("--packs", rare=True, metavar="FOLDER", help="folder with your own language packs")
    how = parser.add_argument_group("prediction").add_argument
    how("--pair", metavar="SRC-TGT", help="language pair; needed unless the model is for one pair")
    how(
        "--model", default="anaphor-2-small", metavar="MODEL", help="name or folder (default anaphor-2-small)"
    )
    how("--threshold", type=float, default=0.9, metavar="P", help="minimum probability (default 0.9)")
    how("--tokenized", action="store_true", help="the texts are tokenized: keep their tokens")
    group = parser.add_argument_group("output")
    group.add_argument("--apply", action="store_true", help="write the edited candidate to --output")
    group.add_argument("--output", metavar="FILE", help="where --apply writes to")
    group.add_argument("--report", metavar="FILE", help="also write the proposals as an HTML page to FILE")
    group.add_argument("--diff", action="store_true", help="print only a unified diff, for patch")
    add_output(group)


def run_postedit(options: argparse.Namespace) -> None:
    from anaphor.core import Settings
    from anaphor.corpus import read_alignments, read_documents, read_text
    from anaphor.evaluation.postediting import find_postedit_model, postedit
    from anaphor.files.writing import write_atomically
    from anaphor.predict.postedit.proposals import check_threshold

    check_threshold(options.threshold)
    if options.apply != (options.output is not None):
        raise OptionError(
            "--apply and --output belong together",
            where="--apply, --output",
            fix="give both: --apply --output FILE; or neither, to see the proposals only",
        )
    if options.diff and options.json:
        raise OptionError("two formats are named", where="--diff, --json", fix="choose one of them")
    with Progress(quiet=options.quiet) as progress:
        progress("reading the model")
        model = find_postedit_model(options.model, pair=options.pair)
        progress("reading")
        candidate, source = read_text(options.candidate), read_text(options.source)
        segments = len(source.lines)
        result = postedit(
            model,
            Settings(pair=options.pair or model.card.pair, tokenized=options.tokenized, packs=options.packs),
            name=options.model,
            source=source,
            candidate=candidate,
            documents=options.documents and read_documents(options.documents, segments=segments),
            links=options.alignment and read_alignments(options.alignment, segments=segments),
            threshold=options.threshold,
            progress=progress,
        )
    if options.report:
        from anaphor.pages.postedit import postedit_page

        write_atomically(options.report, postedit_page(result))
    if options.apply:
        write_atomically(options.output, "\n".join(result.lines) + "\n")
    if options.diff:
        print("".join(f"{line}\n" for line in result.diff()), end="")
    else:
        print_result(options, result)


COMMANDS = {
    "list": Command(
        "list the recipes and the trained models that ship", configure_list, run_list, LIST_EXAMPLES
    ),
    "show": Command(
        "show what a recipe is made of, what differs from the original, and its published scores",
        configure_show,
        run_show,
        SHOW_EXAMPLES,
    ),
    "train": Command("train a recipe and write the model", configure_train, run_train, TRAIN_EXAMPLES),
    "connect": Command(
        "make a model of a language model behind a server; no training",
        configure_connect,
        run_connect,
        CONNECT_EXAMPLES,
    ),
    "detector": Command(
        "put a base model and an adapter together: the large detector of wrong pronouns",
        configure_detector,
        run_detector,
        DETECTOR_EXAMPLES,
    ),
    "run": Command(
        "predict the pronouns of a file with a trained model", configure_run, run_run, RUN_EXAMPLES
    ),
    "evaluate": Command(
        "score a trained model on a file with labels", configure_evaluate, run_evaluate, EVALUATE_EXAMPLES
    ),
    "compare": Command(
        "train several recipes on the same data and put their scores side by side",
        configure_compare,
        run_compare,
        COMPARE_EXAMPLES,
    ),
    "ensemble": Command(
        "make one model of several trained ones, with weights tuned on development data",
        configure_ensemble,
        run_ensemble,
        ENSEMBLE_EXAMPLES,
    ),
    "explain": Command(
        "show the features or the words that decided one placeholder",
        configure_explain,
        run_explain,
        EXPLAIN_EXAMPLES,
    ),
    "postedit": Command(
        "propose other pronouns for a translation, and apply them on request",
        configure_postedit,
        run_postedit,
        POSTEDIT_EXAMPLES,
    ),
}
