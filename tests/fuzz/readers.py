"""Every kind of file that the program writes and reads again: how one is made, and how all of it is read.

Reading means using: a model predicts, a database answers what a lead asks for, a result becomes a page.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cache, partial
from importlib.resources import files
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any
from unittest import mock

import numpy as np

from anaphor.core import LanguagePair, UserError
from tests.fuzz.harness import Reader
from tests.fuzz.mutations import MEMORY
from tests.fuzz.study_readers import STUDIES
from tests.fuzz.text_readers import TEXT_FILES

# Everything else of the package is imported by the reader that uses it: the hash of its code has no more.
if TYPE_CHECKING:
    from anaphor.align.hmm_aligner import HmmAligner
    from anaphor.align.priors import PriorTable
    from anaphor.core import TaskSegment

PAIR = LanguagePair("en", "fr")
PAIRS = tuple(
    (tuple(one.split()), tuple(other.split()))
    for one, other in (
        ("the cat sleeps .", "le chat dort ."),
        ("it eats the mouse .", "il mange la souris ."),
        ("they sleep .", "ils dorment ."),
        ("the dog eats .", "le chien mange ."),
    )
)


def _aligner(prior: PriorTable | None = None) -> HmmAligner:
    from anaphor.align.hmm_aligner import HmmAligner
    from anaphor.align.model import HmmOptions
    from anaphor.align.vocabulary import Packs

    options = HmmOptions(position_passes=1, hmm_passes=1, threads=1)
    return HmmAligner(options=options, pair=PAIR, prior=prior, packs=Packs())


def _make_aligner(folder: Path) -> None:
    _aligner().train(PAIRS).save(folder / "en-fr.model")


def _read_aligner(folder: Path) -> object:
    from anaphor.align.hmm_aligner import TrainedAligner

    aligner = TrainedAligner.load(folder / "en-fr.model", threads=1)
    return list(aligner.align([*PAIRS, (("unseen", "cat"), ("chat",)), ((), ("x",))]))


def _prior() -> PriorTable:
    from anaphor.align.model import LexiconRows
    from anaphor.align.priors import PriorTable, initial_jumps

    rows = LexiconRows(np.array([0, 2, 3, 4]), np.array([0, 1, 1, 2], np.int32))
    totals = np.array([9, 5, 2], np.float32)
    counts = np.array([4, 1, 3, 2], np.float32)
    jumps = initial_jumps()
    forms = ("the", "cat", "it"), ("le", "chat", "il")
    return PriorTable(PAIR, *forms, rows, counts, totals, totals, jumps, jumps)


def _make_prior(folder: Path) -> None:
    from anaphor.align.priors import write_prior

    write_prior(folder / "en-fr.prior", _prior(), origin="fuzz")


def _read_prior(folder: Path) -> object:
    from anaphor.align.priors import read_prior

    prior = read_prior(folder / "en-fr.prior")
    prior.reversed()
    return list(_aligner(prior).align(PAIRS))


def _make_analyser(folder: Path) -> None:
    from anaphor.analyse.modelfile import write_model

    write_model(folder / "weights.safetensors.gz", _small_analyser())


def _small_analyser() -> Any:
    from anaphor.analyse.modelfile import NULLS, ROLES, AnalyserModel
    from anaphor.analyse.network import NEAR, WIDE, TaggerNetwork
    from anaphor.analyse.wordforms import Lemmas, Rewriting

    rng = np.random.default_rng(1)
    tags, features, words, width, depth = ("NOUN", "VERB", "X"), ("w=it", "s=ing", "c"), ("it", "the"), 4, 3
    answers, first, squeezed, second = len(tags) + ROLES + NULLS, 5, 3, 4

    def random(*shape: int) -> Any:
        return rng.normal(size=shape).astype(np.float32)

    network = TaggerNetwork(
        near=random((2 * NEAR + 1) * width, first),
        near_bias=random(first),
        squeeze=random(first, squeezed),
        squeeze_bias=random(squeezed),
        wide=random((2 * WIDE + 1) * squeezed, second),
        wide_bias=random(second),
        from_near=random(first, answers),
        from_wide=random(second, answers),
        bias=random(answers),
    )
    lemmas = Lemmas({("NOUN", "s"): Rewriting("s", 1, "")}, {("VERB", "is"): "be"}, frozenset({"NOUN"}))
    table, vectors = random(len(features) + 2, width), random(len(words) + 1, depth)
    return AnalyserModel("en", tags, features, table, words, vectors, random(depth, width), network, lemmas)


def _read_analyser(folder: Path) -> object:
    from anaphor.analyse.builtin import build

    analyser = build("en", str(folder / "weights.safetensors.gz"))
    return list(analyser.analyse([source for source, _ in PAIRS]))


_LINES = ("le chat dort .", "il dort .", "elle mange la souris .", "il mange .", "le chat mange la souris .")


def _make_lm(folder: Path, suffix: str = ".lm") -> None:
    from anaphor.core import Where
    from anaphor.recipes.lm.training import LmTrainingOptions, train_lm

    lines = ((Where("text", number), line) for number, line in enumerate(_LINES, start=1))
    train_lm(lines, folder / f"small{suffix}", LmTrainingOptions(order=3, fallback=True))


def _make_arpa(folder: Path) -> None:
    _make_lm(folder, ".arpa")


def _read_lm(folder: Path) -> object:
    from anaphor.recipes.lm.gaps import GapFiller, GappedSentence
    from anaphor.recipes.lm.language_model import load_lm, perplexity, sentence_score

    (path,) = folder.glob("small.*")
    model: Any = load_lm(path, scorer="own")
    sentences = [line.split() for line in _LINES]
    model.score_all(sentences)
    perplexity(model, sentences)
    gapped = [GappedSentence(((), ("dort", ".")), (("il", "elle", None),))]
    GapFiller(model, -1.0).fill(gapped)
    return [sentence_score(model, line) for line in sentences]


_FEATURES: dict[str, Any] = {"source-pronoun": {}, "target-window": {"longest": 2}}
_SVM = {"family": "linear-svm", "features": _FEATURES, "options": {"least": 1}}
_RECIPES: Mapping[str, dict[str, Any]] = {
    "majority": {"family": "majority", "options": {"by_pronoun": True}},
    "linear-svm": {**_SVM, "options": {"least": 1, "choose": "recall"}},
    "features of a language model": {**_SVM, "features": {**_FEATURES, "lm": {"order": 3}}},
    "random-forest": {"family": "random-forest", "features": _FEATURES, "options": {"trees": 3, "least": 1}},
    "crf": {"family": "crf", "features": _FEATURES},
    "lm-fill": {"family": "lm-fill", "options": {"order": 3}},
    "source-aware-lm": {"family": "source-aware-lm", "options": {"order": 3}},
    "pronoun-lm": {"family": "pronoun-lm", "options": {"order": 3}},
    "two-step": {"family": "two-step", "first": _SVM, "second": {**_SVM, "family": "logistic"}},
    "interpolation": {"family": "interpolation", "members": [{"family": "majority"}, _SVM]},
}
#: All architectures have one reader; these two differ most.
_NEURAL = ("neural/nyu", "neural/convolution")


@cache
def _segments() -> Sequence[TaskSegment]:
    from tests.support.classic_corpus import made_corpus

    return tuple(made_corpus(forms=False))


def _make_model(recipe: dict[str, Any]) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        from anaphor.predict.families import build_predictor
        from anaphor.task.classes import task_classes

        build_predictor(recipe).fit(_segments(), classes=task_classes(PAIR, year=2016)).save(folder / "model")

    return make


def _make_neural(family: str, folder: Path) -> None:
    from tests.support.small_networks import RECIPE_OPTIONS, SMALL

    options = {**RECIPE_OPTIONS, **SMALL[family], "epochs": 1}
    _make_model({"family": family, "options": options})(folder)


def _make_anaphor2(folder: Path) -> None:
    from anaphor.predict.anaphor2.joint import TASKS, DecodingConfig, JointNetworks
    from anaphor.predict.anaphor2.model import VERSION, Anaphor2Model
    from anaphor.predict.anaphor2.network import NumpyNetwork, Shape, expected_shapes
    from anaphor.predict.anaphor2.subwords import learn_pieces
    from anaphor.predict.contract import ModelCard
    from anaphor.task.classes import task_classes

    pieces = learn_pieces({"maison": 20, "house": 20, "the": 20, "it": 20}, 60)
    shape = Shape(pieces=len(pieces), classes=TASKS[-1].classes.stop, width=16, layers=1, heads=1)
    rng = np.random.default_rng(1)
    weights = {
        name: rng.normal(0, 0.3, size).astype(np.float32) for name, size in expected_shapes(shape).items()
    }
    card = ModelCard(
        recipe="anaphor-2",
        family="anaphor2",
        version=VERSION,
        pair="en-fr",
        year=2016,
        forms=False,
        classes=task_classes(PAIR, year=2016).classes,
    )
    joint = JointNetworks(pieces, (NumpyNetwork(shape, weights),), {"en-fr lemmas": DecodingConfig()})
    Anaphor2Model(card, joint).save(folder / "model")


def _read_model(folder: Path) -> object:
    from anaphor.predict.families import load_model

    return list(load_model(folder / "model").predict(_segments()[:3]))


#: The shape of a base model that no file has.
_TINY = {"layers": 1, "width": 8, "heads": 2, "kv_heads": 1, "head_dim": 4, "ffn": 16, "vocabulary": 20}


def _make_adapter(folder: Path) -> None:
    from anaphor.predict.detector.large.adapter import HIDDEN, AdapterCard, Scale, matrix_sizes, write_adapter

    rng = np.random.default_rng(1)
    shapes: dict[str, tuple[int, ...]] = {"first.weight": (HIDDEN, 8), "last.weight": (1, HIDDEN)}
    for name, (rows, columns) in matrix_sizes(_TINY).items():
        shapes |= {f"{name}.a": (2, columns), f"{name}.b": (rows, 2)}
    shapes |= {"first.bias": (HIDDEN,), "last.bias": (1,)}
    learned = ({"name": "nothing", "licence": "none"},)
    frame = tuple((number,) for number in range(8))
    card = AdapterCard("tiny", "0" * 64, 2, ("de",), frame, "CC0-1.0", learned, {"de": Scale(1.0, 0.0)})
    write_adapter(folder / "adapter", card, {name: rng.normal(size=size) for name, size in shapes.items()})


def _read_adapter(folder: Path) -> object:
    from anaphor.predict.detector.large.adapter import read_adapter

    return read_adapter(folder / "adapter", _TINY)


def _make_segment_model(folder: Path) -> None:
    shipped = Path(str(files("anaphor.segment")))
    (folder / "model.json").write_bytes((shipped / "model.json").read_bytes())
    lines = (shipped / "edges" / "fr.tsv").read_bytes().splitlines(keepends=True)
    (folder / "fr.tsv").write_bytes(b"".join(lines[:100]))


def _read_segment_model(folder: Path) -> object:
    from anaphor.align.vocabulary import load_packs
    from anaphor.segment.encode import learn_edges, read_edges, sides_of
    from anaphor.segment.model import lexicon_of, read_model
    from anaphor.segment.search import Search, search

    sides = sides_of(load_packs(PAIR), "en", "fr")
    segments = sides[0].encode_segments([" ".join(source) for source, _ in PAIRS])
    text = sides[1].encode(" ".join(word for _, target in PAIRS for word in target))
    lexicon, _ = lexicon_of(_prior(), sides[0].number, sides[1].number)
    learn_edges(text, sides[1].expected_edges(read_edges(folder / "fr.tsv")))
    return search(Search(segments, text, lexicon, read_model(folder / "model.json"), 1.0))


BINARY = (
    Reader("alignment model", _make_aligner, _read_aligner, binary=True),
    Reader("prior", _make_prior, _read_prior, binary=True),
    Reader("analyser", _make_analyser, _read_analyser, binary=True),
    Reader("language model", _make_lm, _read_lm, binary=True),
    Reader("language model as ARPA", _make_arpa, _read_lm, binary=True),
    *(
        Reader(
            name, _make_model(recipe), _read_model, binary=True, signed=True, slow=1 + (name == "two-step")
        )
        for name, recipe in _RECIPES.items()
    ),
    Reader("anaphor-2", _make_anaphor2, _read_model, binary=True, signed=True),
    Reader("segment model", _make_segment_model, _read_segment_model, binary=True, slow=2),
    Reader("adapter of the detector", _make_adapter, _read_adapter),
    *(Reader(name, partial(_make_neural, name), _read_model, signed=True, slow=4) for name in _NEURAL),
)


def _make_result(folder: Path) -> None:
    from anaphor.scoring.score_report import evaluate

    source = ["It is here .", "They sleep .", "The house ? It is big ."]
    reference = ["Il est ici .", "Ils dorment .", "La maison ? Elle est grande ."]
    systems = {"a": reference, "b": ["Elle est ici .", "Elles dorment .", "La maison ? Il est grand ."]}
    result = evaluate(
        source=source,
        references=reference,
        systems=systems,
        pair="en-fr",
        samples=100,
        paired=True,
        cards=True,
    )
    (folder / "result.json").write_text(result.to_json(cards=True))


def _read_result(folder: Path) -> object:
    from anaphor.report.cards import cards_digest
    from anaphor.report.charts import cases_plot
    from anaphor.report.html import ReportView, report_page
    from anaphor.report.result_file import parse_result, sealed
    from anaphor.report.result_tables import result_latex, result_markdown
    from anaphor.report.stored import stored_of

    data = (folder / "result.json").read_bytes()
    with suppress(ValueError, RecursionError, TypeError):
        content = json.loads(data)
        cards = content.get("cards") if isinstance(content, dict) else None
        if isinstance(cards, dict):  # digests that fit, so that what lies behind them is read
            cards["digest"] = cards_digest(
                {k: v for k, v in cards.items() if k not in ("cards_version", "digest")}
            )
        data = json.dumps(sealed(content)).encode()
    stored = stored_of(parse_result(data, path="x"), path="x")
    pages = (report_page(ReportView.of([stored], title="x")), result_markdown(stored), result_latex(stored))
    return pages, cases_plot([stored])


@cache
def _campaign() -> bytes:
    """A small campaign with a few answers."""
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        _create_campaign(Path(folder) / "campaign.db")
        return (Path(folder) / "campaign.db").read_bytes()


@cache
def _engine_of_files() -> Callable[..., object]:
    from anaphor.annotate.store import database

    return cache(database._file_engine)


@contextmanager
def _one_engine() -> Iterator[None]:
    """Databases are opened with one engine for each path: queries are compiled once, not for each damaged file."""
    from anaphor.annotate.store import database

    with mock.patch.object(database, "_file_engine", _engine_of_files()):
        yield


def _make_campaign(folder: Path, file: str = "campaign.db") -> None:
    (folder / file).write_bytes(_campaign())


def _create_campaign(path: Path) -> None:

    from anaphor.align import AlignerChoice
    from anaphor.annotate.campaign.create import CampaignConfig, create_campaign
    from anaphor.annotate.campaign.people import people
    from anaphor.annotate.campaign.workload import WorkloadConfig
    from anaphor.annotate.judging.answers import save_answer
    from anaphor.annotate.judging.assignments import list_assignments
    from anaphor.annotate.judging.views import assignment_view
    from anaphor.annotate.store import open_store
    from anaphor.annotate.types import PersonRole
    from anaphor.corpus import Text
    from anaphor.suite import EvaluationOptions, LoadedSuite, SuiteTexts, load_shipped
    from tests.support.campaigns import made_up

    suite, texts = load_shipped("anaphor-en-fr")
    kept = "coffee"
    small = replace(
        suite,
        documents=tuple(one for one in suite.documents if one.id == kept),
        items=tuple(one for one in suite.items if one.document == kept)[:5],
    )
    sides = {name: {kept: part[kept]} for name, part in texts.sides() if kept in part}
    loaded = LoadedSuite(small, SuiteTexts(sides.pop("source"), sides))
    lines = [line or "" for line in loaded.texts.lines("reference")]
    candidates = {"alpha": Text.of(lines, path="alpha.fr")}
    config = CampaignConfig(annotators=("ann", "bob"), workload=WorkloadConfig(overlap=1.0))
    options = EvaluationOptions(aligner=AlignerChoice(pair=small.pair))
    create_campaign(path, loaded, candidates, options, config)
    draw = Random(1)
    with open_store(path) as store:
        for person in people(store):
            if person.role is PersonRole.ANNOTATOR:
                for row in list_assignments(store, person.id)[:4]:
                    view = assignment_view(store, person.id, row.id)
                    request = f"r-{row.id}"
                    save_answer(store, person.id, row.id, made_up(view, draw), version=0, request=request)


def _read_campaign(folder: Path) -> object:
    """Everything that a lead asks for; what one question leads to must not keep the others from being asked."""
    from anaphor.annotate.analysis.agreement import agreement_table, disagreements
    from anaphor.annotate.analysis.status import read_status
    from anaphor.annotate.campaign.facts import campaign_suite, read_campaign
    from anaphor.annotate.campaign.people import people
    from anaphor.annotate.exchange import EXPORTS, export_bytes
    from anaphor.annotate.exchange.approval import approvals
    from anaphor.annotate.judging.assignments import list_assignments
    from anaphor.annotate.judging.views import assignment_view, unit_views, units
    from anaphor.annotate.maintenance import check
    from anaphor.annotate.store import open_store
    from anaphor.annotate.store.damage import naming_damage

    refused: list[UserError] = []
    for extra in folder.glob("campaign.db-*"):
        extra.unlink()
    with _one_engine(), open_store(folder / "campaign.db") as store:

        def assignments() -> None:
            for person in people(store):
                for row in list_assignments(store, person.id)[:1]:
                    assignment_view(store, person.id, row.id)

        def suite() -> None:
            with store.read() as connection:
                campaign_suite(connection)

        questions: list[Callable[[], object]] = [
            *(
                assignments,
                suite,
                partial(read_campaign, store),
                partial(read_status, store),
                partial(check, store),
            ),
            *(partial(agreement_table, store), partial(disagreements, store), partial(approvals, store)),
            lambda: unit_views(store, units(store)[:1]),
            *(partial(export_bytes, store, name) for name in EXPORTS if name != "gaps"),
        ]
        for ask in questions:
            try:
                with naming_damage(store):
                    ask()
            except UserError as error:
                refused.append(error)
    try:
        if refused:
            raise refused[0]
    finally:
        refused.clear()  # they would keep this frame, and an open database with it
    return None


_EXCHANGED = ("jsonl", "csv", "tsv", "protest", "pearmut", "label-studio")


def _make_exchanged(name: str, folder: Path) -> None:
    from anaphor.annotate.exchange import export_bytes
    from anaphor.annotate.store import open_store

    _make_campaign(folder, ".campaign")
    with open_store(folder / ".campaign") as store:
        (folder / "answers").write_bytes(export_bytes(store, name))


def _read_exchanged(name: str, folder: Path) -> object:
    from anaphor.annotate.exchange import import_bytes
    from anaphor.annotate.exchange.merge import MergeRules
    from anaphor.annotate.store import open_store

    with _one_engine(), open_store(folder / ".campaign") as store:
        data = (folder / "answers").read_bytes()
        return import_bytes(store, name, data, by="lead", rules=MergeRules(dry_run=True, skip=True))


def _make_suite(folder: Path) -> None:
    from anaphor.suite import SuiteTexts, load_shipped, write_suite

    loaded = load_shipped("anaphor-en-fr")
    documents = loaded.suite.documents[:3]
    names = {document.id for document in documents}
    items = tuple(item for item in loaded.suite.items if item.document in names)[:8]
    sides = {
        side: {name: part[name] for name in names if name in part} for side, part in loaded.texts.sides()
    }
    suite = replace(loaded.suite, documents=documents, items=items)
    write_suite(suite, folder / "suite", texts=SuiteTexts(sides.pop("source"), sides))
    header = (folder / "suite" / "suite.toml").read_text()
    # Without the hash, damage to an item reaches the checks of the item.
    (folder / "suite" / "suite.toml").write_text(
        "\n".join(one for one in header.split("\n") if "hash" not in one)
    )


def _read_suite(folder: Path) -> object:
    from anaphor.suite import load_suite

    return load_suite(folder / "suite")


def _make_task(folder: Path) -> None:
    from anaphor.task.files import write_predictions, write_task

    segments = _segments()[:12]
    write_task(folder / "task.tsv", segments)
    write_predictions(
        folder / "predicted.tsv", [tuple(str(slot.label) for slot in one.slots) for one in segments]
    )


def _read_task(folder: Path) -> object:
    from anaphor.task.classes import task_classes
    from anaphor.task.files import read_predictions, read_task

    classes = task_classes(PAIR, year=2016)
    return list(read_task(folder / "task.tsv", classes=classes)), list(
        read_predictions(folder / "predicted.tsv")
    )


def _make_settings(folder: Path) -> None:
    """Packs and a recipe, which people send to each other."""
    source = Path(str(files("anaphor.languages"))) / "packs"
    for name in ("en.toml", "fr.toml", "en-fr.toml"):
        (folder / name).write_bytes((source / name).read_bytes())
    recipes = Path(str(files("anaphor.recipes"))) / "toml"
    recipe = next(iter(sorted(recipes.glob("*.toml"))))
    (folder / recipe.name).write_bytes(recipe.read_bytes())


def _read_settings(folder: Path) -> object:
    from anaphor.languages import load_pair
    from anaphor.predict.families import build_predictor
    from anaphor.recipes.recipe import load_recipe

    (recipe,) = (one for one in folder.glob("*.toml") if one.name not in ("en.toml", "fr.toml", "en-fr.toml"))
    pack = load_pair(PAIR, folder=folder)
    return pack, build_predictor(load_recipe(str(recipe)).settings)


def _make_whole_documents(folder: Path) -> None:
    texts = {
        "lamp": "La lampe est vieille. Elle marche encore.",
        "door": None,
        "cat": "Voici :\n\n**Il** dort.",
    }
    lines = (json.dumps({"document": name, "text": text}) + "\n" for name, text in texts.items())
    (folder / "chat.jsonl").write_text("".join(lines))
    _make_prior(folder)
    (folder / "en-fr.prior").rename(folder / ".prior")  # a small one, which has a reader of its own


def _read_whole_documents(folder: Path) -> object:
    from anaphor.segment.candidate import DocumentCutter, segment_candidate
    from anaphor.segment.whole_documents import read_whole_documents

    source = ["The lamp is old.", "It still works.", "They like the door.", "It sleeps."]
    documents = ["lamp", "lamp", "door", "cat"]
    texts = read_whole_documents(folder / "chat.jsonl", documents)
    cut = DocumentCutter(priors=str(folder / ".prior"))
    found = segment_candidate(source, documents, texts, PAIR, cut=cut)
    return found.to_dict(), found.tsv(), found.summary(), found.second


TEXTS = (
    Reader("result file", _make_result, _read_result, slow=2),
    Reader("suite", _make_suite, _read_suite),
    Reader("task files", _make_task, _read_task),
    Reader("whole documents", _make_whole_documents, _read_whole_documents),
    Reader("packs and recipe", _make_settings, _read_settings),
    Reader("campaign database", _make_campaign, _read_campaign, slow=10),
    *(
        Reader(f"answers as {name}", partial(_make_exchanged, name), partial(_read_exchanged, name), slow=3)
        for name in _EXCHANGED
    ),
)
READERS: tuple[Reader, ...] = (*BINARY, *TEXTS, *STUDIES, *TEXT_FILES)
