"""Files of studies: plans, judgements, test sets, scores, answers, replies of servers, and unfinished work."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

from anaphor.core import LanguagePair, UserError
from anaphor.core.table import plain
from anaphor.files.arrays import pack_arrays
from tests.fuzz.harness import Reader

if TYPE_CHECKING:
    from anaphor.core import TaskSegment

SOURCE = ("It is here .", "They sleep .", "The house ? It is big .") * 4
REFERENCE = ("Il est ici .", "Ils dorment .", "La maison ? Elle est grande .") * 4
OTHER = ("Elle est ici .", "Elles dorment .", "La maison ? Il est grand .") * 4


Question = Callable[[], object]


def ask_all(*questions: Question) -> None:
    """Ask everything: what one question leads to must not keep the others from being asked."""
    refused: list[UserError] = []
    for ask in questions:
        try:
            ask()
        except UserError as error:
            refused.append(error)
    if refused:
        raise refused[0]


def ask_about(damaged: Path | None, *questions: tuple[str, Question]) -> None:
    """Ask what reads the damaged file; all, if none is named. Each question has the names of its files before it."""
    ask_all(*(ask for names, ask in questions if damaged is None or damaged.name in names.split()))


def shown(found: Any) -> None:
    """All that the command line prints of a result."""
    found.tables()
    json.dumps(plain(found.to_dict()))


@cache
def _study() -> tuple[str, str]:
    """A result and its items."""
    from anaphor.report.rows import items_tsv
    from anaphor.scoring.score_report import evaluate

    half = len(SOURCE) // 2
    systems = {"a": list(REFERENCE[:half]), "b": list(OTHER[:half])}
    result = evaluate(
        source=SOURCE[:half], references=REFERENCE[:half], systems=systems, pair="en-fr", samples=0
    )
    return result.to_json(), items_tsv(result.result, result.inputs)


def _make_plan(folder: Path) -> None:
    from anaphor.meta.estimate import plan_judgements
    from anaphor.meta.plan import plan_json

    # The result has a reader of its own.
    for name, content in zip((".result.json", "items.tsv"), _study(), strict=True):
        (folder / name).write_text(content)
    result, items = str(folder / ".result.json"), str(folder / "items.tsv")
    plan = plan_judgements(result, items=items, budget=8, least=3)
    (folder / "plan.json").write_text(plan_json(plan))
    rows = ["system\tid\tjudgement\tcategory\tannotator"]
    for number, unit in enumerate(one for units in plan.items.values() for one in units):
        answer = ("correct", "incorrect", "bad")[number % 3]
        rows += [f"{unit.system}\t{unit.id}\t{answer}\tx\t{name}" for name in ("ann", "bob")]
    (folder / "judged.tsv").write_text("\n".join(rows) + "\n")
    rows = ["system\tid\tcandidate\tchoices", "a\t1\til\til,elle", "a\t2\tça\tother", "b\t1\tla\tbad"]
    (folder / "gaps.tsv").write_text("\n".join(rows) + "\n")


def _read_plan(folder: Path, damaged: Path | None = None) -> None:
    from anaphor.meta.estimate import plan_judgements, run_estimation
    from anaphor.meta.gaps import read_gaps, score_gaps
    from anaphor.meta.judgements import compare_cases, join, read_cases, read_judgements

    result, items, plan, judged = (
        str(folder / name) for name in (".result.json", "items.tsv", "plan.json", "judged.tsv")
    )
    extended = partial(plan_judgements, result, items=items, previous=plan, judgements=judged)
    ask_about(
        damaged,
        ("plan.json judged.tsv", lambda: shown(run_estimation(result, plan=plan, judgements=judged))),
        ("items.tsv plan.json judged.tsv", lambda: shown(extended(target=0.1))),
        ("items.tsv plan.json judged.tsv", lambda: shown(extended(budget=10))),
        (
            "items.tsv judged.tsv",
            lambda: shown(compare_cases(join(read_judgements(judged), read_cases(items)))),
        ),
        ("gaps.tsv", lambda: score_gaps(read_gaps(folder / "gaps.tsv"))),
    )


def _make_mtme(folder: Path) -> None:
    from anaphor.corpus.mtme import write_mtme_scores

    files = {
        "sources/en-fr.txt": SOURCE,
        "references/en-fr.refA.txt": REFERENCE,
        "system-outputs/en-fr/a.txt": REFERENCE,
        "system-outputs/en-fr/b.jsonl": tuple(json.dumps({"hypothesis": one}) for one in OTHER),
        "documents/en-fr.docs": tuple(f"news d{number // 3}" for number in range(len(SOURCE))),
        "human-scores/en-fr.mqm.sys.score": ("a\t0.5", "b\t-1.25", "c\t3", "d\t0"),
    }
    for name, lines in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("".join(f"{line}\n" for line in lines))
    pair, scores = LanguagePair("en", "fr"), {"a": 0.5, "b": 0.25, "c": 1.0, "d": 0.1}
    write_mtme_scores(folder, pair=pair, metric="apt", reference="refA", systems=scores)


def _read_mtme(folder: Path) -> None:
    from anaphor.corpus.mtme import read_mtme
    from anaphor.meta.correlate import meta_evaluate

    ask_all(
        partial(read_mtme, folder, pair=LanguagePair("en", "fr")),
        lambda: shown(meta_evaluate(human=[str(folder)], scores=[str(folder)], pair="en-fr")),
    )


def _ctxpro() -> Any:
    """A set whose official rule judges translations."""
    from tests.support.scores import BENCH

    items = tuple(replace(one, expected=one.expected or ("ihn",)) for one in BENCH.items)
    return replace(BENCH, kind="ctxpro", items=items)


def _make_bench(folder: Path) -> None:
    """A test set in our own format, and what systems gave for it in every format that is read."""
    from anaphor.bench.choice import choice_questions, write_answers
    from anaphor.bench.items import write_bench
    from anaphor.bench.scores import read_scores, write_scores
    from anaphor.bench.translations import write_translations
    from anaphor.corpus import Text
    from tests.support import scores
    from tests.support.scores import BENCH

    write_bench(folder / "bench.jsonl", _ctxpro())
    text = (folder / "bench.jsonl").read_text()
    # Without the hash, damage to an item reaches the checks of the item.
    (folder / "bench.jsonl").write_text(re.sub(', "hash": "[^"]*"', "", text, count=1))
    (folder / "plain.scores").write_text(scores.plain().replace("-", ""))
    for name, content in {**scores.FILES, "fairseq": scores.fairseq}.items():
        (folder / f"{name}.scores").write_text(content())
    write_scores(folder / "own.scores", BENCH, read_scores(folder / "vllm.scores", BENCH))
    answers = {question.id: "1" for question in choice_questions(BENCH)}
    write_answers(folder / "own.answers", BENCH, answers)
    lines = [item.variants[0] for item in BENCH.items]
    write_translations(folder / "own.translations", _ctxpro(), Text.of(lines, path="x"))


def _read_bench(folder: Path, damaged: Path | None = None) -> None:
    from anaphor.bench.choice import choice_questions, judge_answers, read_answers
    from anaphor.bench.items import read_bench
    from anaphor.bench.official import has_official_rule, judge_officially
    from anaphor.bench.scores import judge_scores, read_scores
    from anaphor.bench.translations import read_translations
    from tests.support.scores import BENCH

    def items() -> None:
        bench = read_bench(folder / "bench.jsonl")
        if has_official_rule(bench) and bench.kind != "winomt":
            judge_officially(bench, [item.source[-1] for item in bench.items])
        choice_questions(bench)

    def answers() -> None:
        judge_answers(BENCH, read_answers(folder / "own.answers", BENCH), system="a")

    ask_about(
        damaged,
        ("bench.jsonl", items),
        ("own.answers", answers),
        ("own.translations", lambda: read_translations(folder / "own.translations", _ctxpro())),
        *(
            (path.name, lambda path=path: judge_scores(BENCH, read_scores(path, BENCH)))
            for path in folder.glob("*.scores")
        ),
    )


_ERRORS = [
    {"contrastive": "Wo ist er?", "replacement": "er"},
    {"contrastive": "Wo ist es?", "replacement": "es"},
]
_CONTRAPRO = {
    "src segment": "Where is it?",
    "ref segment": "Wo ist sie?",
    "src pronoun": "it",
    "ref pronoun": "sie",
    "ante distance": 1,
    "intrasegmental": False,
    "document id": "d1",
    "src ante phrase": "the lamp",
    "errors": _ERRORS,
}
_PECORE = {
    "source_context": "The plates.",
    "source_current": "Are they clean?",
    "source_current_tagged": "Are <p>they</p> clean?",
    "gold_target_context": "Les assiettes.",
    "gold_target_current": "Elles sont là ?",
    "gold_target_current_tagged": "<p>Elles</p> sont là ?",
    "gold_target_current_contrast": "Ils sont là ?",
}
_LEMMAS = ("La nappe.", "Une belle nappe."), ("La nappe.", "Une belle toile.")
_VOITA = {
    "src": "you ? _eos go .",
    "dst": ["вы ? _eos иди .", "вы ? _eos идите ."],
    "true_ind": 1,
    "ctx_dist": 1,
}
_CTXPRO = {
    "src segment": "I see you.",
    "ref segment": "Ich sehe dich.",
    "document id": "d",
    "src pronoun": "you",
    "expected": "dich",
    "rule": "ACC.INFORM.SING",
    "ante distance": 3,
    "src ante phrase": "sir",
}
#: Public test sets as their authors write them: pair, and files in order; a list of texts is lines.
ORIGINALS: dict[str, tuple[str, Sequence[Any]]] = {
    "contrapro-json": ("en-de", [[_CONTRAPRO]]),
    "context-jsonl": (
        "en-de",
        [
            {
                "group": 4,
                "source": ["A lamp.", "It is."],
                "correct": ["Die.", "Sie."],
                "wrong": [["Die.", "Er."]],
            }
        ],
    ),
    "contracat-text": (
        "en-de",
        [["A lamp. <SEP> It is?"] * 2, ["Die. <SEP> Sie ist?", "Die. <SEP> Er ist?"], ["0", "2"]],
    ),
    "contracat-templates": (
        "en-de",
        [["The cat ate it."] * 3, ["Sie aß ihn.", "Sie aß sie.", "Sie aß es."], ["f"]],
    ),
    "paired-lines": (
        "en-fr",
        [["See it."] * 2, ["Regarde-la.", "Regarde-le."], ["A house."] * 2, ["La maison."] * 2],
    ),
    "paired-jsonl": (
        "en-fr",
        [
            {
                "item": 8,
                "source": ["A car.", "It runs."],
                "context": ["Une voiture."],
                "correct": "Elle roule.",
                "wrong": "Il roule.",
            }
        ],
    ),
    "ctxpro": ("en-de", [[_CTXPRO], ["Hello.<eos> I see you."]]),
    "disceval-json": (
        "en-fr",
        [
            {
                "1": {
                    "type": "repet",
                    "examples": [
                        {
                            "src": ["A cloth.", "A cloth."],
                            "trg": dict(zip(("correct", "incorrect"), map(list, _LEMMAS), strict=True)),
                        }
                    ],
                }
            }
        ],
    ),
    "disceval-text": (
        "en-fr",
        [["A car."] * 2, ["It runs."] * 2, ["Une voiture."] * 2, ["Elle roule.", "Il roule."]],
    ),
    "pecore-tsv": ("en-fr", [["\t".join(_PECORE), "\t".join(_PECORE.values())]]),
    "scat": (
        "en-fr",
        [["Have <p>they</p> left?"], ["<p>Elles</p> sont ici ?"], ["Women."], ["Les <hon>femmes<hoff> ."]],
    ),
    "voita": ("en-ru", [[_VOITA]]),
    "winomt": (
        "en-de",
        [["male\t5\tThe developer argued with the designer, because his idea failed.\tdesigner"]],
    ),
    "mtgeneval-context": (
        "en-fr",
        [["She sings. <sep> The actor left."], ["L'actrice part."], ["L'acteur part."]],
    ),
    "gate-feminine": ("en-fr", [["labels\tsource\tf\tm", "SUBJ;FAM\tA friend.\tUne amie.\tUn ami."]]),
    "gate-masculine": ("en-fr", [["labels\tsource\tf\tm", 'SUBJ\t"A ""friend""."\tUne amie.\tUn ami.']]),
    "mtgeneval-sentences": ("en-fr", [["He left."], ["She left."], ["Il est parti."], ["Elle est partie."]]),
}


def _make_originals(folder: Path) -> None:
    for name, (_, contents) in ORIGINALS.items():
        for number, content in enumerate(contents):
            is_lines = isinstance(content, list) and isinstance(content[0], str)
            text = "".join(f"{line}\n" for line in content) if is_lines else json.dumps(content) + "\n"
            (folder / f"{name}.{number}").write_text(text)


def _read_originals(folder: Path, damaged: Path | None = None) -> None:
    from anaphor.bench.items import make_bench
    from anaphor.bench.readers import FORMATS

    def read(name: str) -> None:
        pair = LanguagePair.parse(ORIGINALS[name][0])
        paths = [str(folder / f"{name}.{number}") for number in range(len(ORIGINALS[name][1]))]
        _ = make_bench(name, pair, "contrapro", FORMATS[name].read(paths, pair), path=paths[0]).hash

    ask_all(*(partial(read, name) for name in ORIGINALS if damaged is None or damaged.stem == name))


def _make_replies(folder: Path) -> None:
    """What a server says, and answers that were kept."""
    tokens = [{"token": "1", "logprob": -0.5}, {"token": " 2", "logprob": -1.5}]
    chat = {"message": {"content": "1"}, "logprobs": {"content": [{"top_logprobs": tokens}]}}
    plain = {"text": "<think>?</think> 2", "logprobs": {"top_logprobs": [{"1": -0.5, "2": -1.5}]}}
    (folder / "chat.json").write_text(json.dumps({"choices": [chat]}))
    (folder / "completions.json").write_text(json.dumps({"choices": [plain]}))
    _read_replies(folder, kept="kept")


def _read_replies(folder: Path, kept: str = ".asked") -> None:
    from anaphor.predict.server.client import ENDPOINTS, CompletionClient, Query, ServerOptions
    from anaphor.predict.server.prompt import Question, combine

    choices = ("il", "il"), ("elle", "elle")

    def ask(endpoint: str, cache: str) -> None:
        options = ServerOptions(server="http://localhost/v1", model="m", endpoint=endpoint, cache=cache)
        reply = (folder / f"{endpoint}.json").read_bytes()

        class Answered(CompletionClient):
            def _reply(self, *_: object) -> bytes:
                return reply

        client, query = Answered(options), Query("Which one?")
        found = client.cached(query) or client.ask(query)
        combine([Question("Which one?", choices).read(found.text, found.first_token)], ("il", "elle"))

    shutil.rmtree(folder / ".asked", ignore_errors=True)
    ask_all(*(partial(ask, one, str(folder / name)) for one in ENDPOINTS for name in (kept, "kept")))


@cache
def _segments() -> Sequence[TaskSegment]:
    from tests.support.encoder import made_segments

    return tuple(made_segments())


def _make_server(folder: Path) -> None:
    from anaphor.recipes.connection import connect
    from anaphor.task.classes import task_classes

    classes = task_classes(LanguagePair("en", "fr"))
    with mock.patch.dict(os.environ, {"XDG_CONFIG_HOME": str(folder / ".config")}):
        connect(folder / "model", classes=classes, server="http://localhost/v1", model="m")
    shutil.rmtree(folder / ".config")


def _read_server(folder: Path) -> object:
    """Its first prompt: a folder that was only read sends nothing."""
    from anaphor.predict.families import load_model
    from anaphor.predict.server.model import first_prompt

    return first_prompt(load_model(folder / "model"), _segments())


def _make_hub(folder: Path) -> None:
    from anaphor.predict.families import build_predictor
    from anaphor.task.classes import task_classes
    from tests.support.encoder import save_encoder

    save_encoder(folder / "encoder", list(_segments()))
    options = {"encoder": str(folder / "encoder"), "epochs": 1, "batch": 20, "device": "cpu"}
    predictor = build_predictor({"name": "tiny", "family": "hub", "options": options})
    classes = task_classes(LanguagePair("en", "fr"), year=2016)
    predictor.fit(_segments(), classes=classes).save(folder / "model")
    shutil.rmtree(folder / "encoder")


def _read_hub(folder: Path) -> object:
    from anaphor.predict.families import load_model

    return list(load_model(folder / "model").predict(_segments()[:4]))


def _make_store(folder: Path) -> None:
    import numpy as np

    from anaphor.scale.result_store import ResultStore, StoredTaskResult

    made = StoredTaskResult({"counts": pack_arrays({"x": np.arange(5)}, metadata={})}, {"pairs": 3})
    ResultStore(folder).save("part-0", "key", made, ("a note",))


def _read_store(folder: Path) -> None:
    """What is damaged counts as not done."""
    from anaphor.scale.result_store import ResultStore

    store = ResultStore(folder)
    ask_all(lambda: store.finished("part-0", "key"), lambda: store.read_arrays("part-0", "counts"))


STUDIES = (
    Reader("sampling plan and judgements", _make_plan, _read_plan, _read_plan, slow=2),
    Reader("mt-metrics-eval", _make_mtme, _read_mtme),
    Reader("bench and its results", _make_bench, _read_bench, _read_bench),
    Reader("public test sets", _make_originals, _read_originals, _read_originals),
    Reader("replies of servers", _make_replies, _read_replies),
    Reader("server", _make_server, _read_server, signed=True),
    Reader("hub", _make_hub, _read_hub, signed=True, slow=10),
    Reader("result store", _make_store, _read_store),
)
