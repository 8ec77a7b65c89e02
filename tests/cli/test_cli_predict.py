"""`anaphor predict` from recipe to explanation, on a small made corpus.

Sentences come in fours, a document each: a noun, *it* or *they* that agrees with it, then *it rains* (il)
and *I see it* (OTHER, because *it* is *le* there). What to say is plain from the words, so that any learner
gets it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(
    find_spec("sklearn") is None, reason="the linear recipes need the extra `classic`"
)

Command = Callable[..., tuple[int, str, str]]

NOUNS = (
    ("house", "maison", "elle"),
    ("book", "livre", "il"),
    ("car", "voiture", "elle"),
    ("tree", "arbre", "il"),
)
ADJECTIVES = (("old", "vieux"), ("big", "grand"), ("small", "petit"), ("new", "neuf"), ("red", "rouge"))

RECIPE = """\
name = "mine"
title = "my own"
family = "linear-svm"
idea = "words around"
paper = "none"
training = "anything"
pairs = ["en-fr"]

[features.source-pronoun]

[features.target-window]

[features.antecedents]

[options]
least = 1
"""


TRAIN = "train mine.toml --pair en-fr --train train.tsv"


def lines(rounds: int) -> tuple[str, str]:
    """The five columns and the document ids of some rounds over all nouns and adjectives."""
    segments, ids = [], []
    for number in range(rounds):
        for english, french, pronoun in NOUNS:
            adjective, sien = ADJECTIVES[number % len(ADJECTIVES)]
            plural = "elles" if pronoun == "elle" else "ils"
            segments += [
                f"\t\tthe {english} is {adjective} .\tle|DET {french}|NOUN être|VERB {sien}|ADJ .|.\t1-1 3-3",
                f"{pronoun}\t\tit is {adjective} .\tREPLACE_0 être|VERB {sien}|ADJ .|.\t0-0 1-1 2-2 3-3",
                f"{plural}\t\tthey burn .\tREPLACE_0 brûler|VERB .|.\t0-0 1-1 2-2",
                "il OTHER\t\tit rains and I see it .\t"
                "REPLACE_0 pleuvoir|VERB et|CONJ je|PRON REPLACE_5 voir|VERB .|.\t0-0 1-1 2-2 5-4 4-5 6-6",
            ]
            ids += [f"{english}-{number}"] * 4
    return "\n".join(segments) + "\n", "\n".join(ids) + "\n"


@pytest.fixture
def predict(folder: Path, anaphor: Command) -> Command:
    """Runs `anaphor predict` in a folder with data and a recipe."""
    for name, rounds in (("train", 12), ("dev", 3), ("test", 4)):
        content, ids = lines(rounds)
        (folder / f"{name}.tsv").write_text(content, encoding="utf-8")
        (folder / f"{name}.doc-ids").write_text(ids, encoding="utf-8")
    (folder / "mine.toml").write_text(RECIPE, encoding="utf-8")
    return lambda *arguments: anaphor("predict", *arguments)


@pytest.fixture
def model(predict: Command) -> str:
    """A trained model, made with a note on the classes that never occur."""
    code, out, err = predict(*TRAIN.split(), "--output", "model")
    assert code == 0, err
    assert out.startswith("model: mine for en-fr 2017, lemmas with tags, trained in ")
    assert err.startswith("note: ")
    assert err.endswith(" cannot be predicted: ce, cela, on\n")
    assert err.count("\n") == 1
    return "model"


def test_every_recipe_is_listed_and_shown(predict: Command) -> None:
    code, out, _ = predict("list", "--json")
    names = [entry["name"] for entry in json.loads(out)["recipes"]]
    assert code == 0
    assert "uu-stymne-2016" in names
    for name in names:
        code, out, err = predict("show", name)
        assert (code, err) == (0, ""), name
        assert out.startswith(f"{name}: ")


def test_a_list_can_be_that_of_one_pair(predict: Command) -> None:
    _, out, _ = predict("list", "--pair", "en-de")
    assert "uu-cap-2016" in out
    assert "idiap-2016" not in out


def test_show_gives_the_published_scores(predict: Command) -> None:
    """65.35 and 73.99: wmt16-findings, Table 9."""
    _, out, _ = predict("show", "uu-stymne-2016")
    assert re.search(r"en-fr +2016 +UU-Stymne-primary +65.35 +73.99\n", out)
    _, out, _ = predict("show", "uu-stymne-2016", "--json")
    assert json.loads(out)["submitted"]["en-fr"]["macro-recall"] == 0.6535


def test_a_model_scores_well_on_easy_data(predict: Command, model: str) -> None:
    code, out, err = predict("evaluate", model, "test.tsv", "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["documents"] == 16
    assert found["systems"][0]["accuracy"] > 0.9


def test_a_long_file_is_predicted_like_its_halves(predict: Command, model: str) -> None:
    """Of 8,480 lines, which several processes share, each half is too short to be shared."""
    content, ids = lines(530)
    half = len(content.splitlines()) // 2
    halves = {"long": slice(None), "one": slice(half), "two": slice(half, None)}
    for name, part in halves.items():
        for text, suffix in ((content, "tsv"), (ids, "doc-ids")):
            Path(f"{name}.{suffix}").write_text("".join(text.splitlines(True)[part]), encoding="utf-8")
        code, _, err = predict("run", model, f"{name}.tsv", "--output", f"{name}.answers")
        assert (code, err) == (0, "")
    long, one, two = (Path(f"{name}.answers").read_text(encoding="utf-8") for name in halves)
    assert long == one + two


@pytest.mark.parametrize("rounds", [4, 530])
def test_an_unreadable_line_keeps_the_previous_predictions(predict: Command, model: str, rounds: int) -> None:
    """Also where others had been answered and written already: the wrong line is the last of many."""
    content, ids = lines(rounds)
    size = len(content.splitlines())
    Path("long.tsv").write_text(content + "no columns\n", encoding="utf-8")
    Path("long.doc-ids").write_text(ids + "last\n", encoding="utf-8")
    Path("answers").write_text("of before\n", encoding="utf-8")
    before = sorted(Path().iterdir())
    code, out, err = predict("run", model, "long.tsv", "--output", "answers")
    assert (code, out) == (1, "")
    assert f"long.tsv:{size + 1}" in err
    assert Path("answers").read_text(encoding="utf-8") == "of before\n"
    assert sorted(Path().iterdir()) == before


def test_an_unwritable_folder_is_an_error(predict: Command, model: str) -> None:
    code, _, err = predict("run", model, "test.tsv", "--output", "absent/answers")
    assert code == 1
    assert "the file cannot be written" in err


@pytest.mark.parametrize("layout", ["task", "labels", "json"])
def test_predictions_need_no_labels_and_can_be_scored(
    predict: Command, anaphor: Command, model: str, layout: str
) -> None:
    blind = "\n".join(f"\t{line.partition(chr(9))[2]}" for line in lines(4)[0].splitlines()) + "\n"
    Path("blind.tsv").write_text(blind, encoding="utf-8")
    code, out, err = predict("run", model, "blind.tsv", "--format", layout, "--output", "answers")
    assert (code, out, err) == (0, "", "")
    answers = Path("answers").read_text(encoding="utf-8")
    if layout == "json":
        slot = json.loads(answers.splitlines()[1])[0]
        assert sum(slot["probabilities"].values()) == pytest.approx(1, abs=1e-4)
        assert max(slot["probabilities"], key=slot["probabilities"].__getitem__) == slot["label"]
    else:
        code, _, err = anaphor("task", "score", "test.tsv", "answers", "--pair", "en-fr", "--samples", "0")
        assert (code, err) == (0, "")


def test_labels_of_the_file_are_never_read(predict: Command, model: str) -> None:
    _, right, _ = predict("run", model, "test.tsv", "--format", "labels")
    content = lines(4)[0].replace("elle\t", "il\t")
    Path("test.tsv").write_text(content, encoding="utf-8")
    assert predict("run", model, "test.tsv", "--format", "labels") == (0, right, "")


def test_the_shipped_model_predicts_word_forms_and_lemmas(predict: Command) -> None:
    forms = "\t\tit is old .\tREPLACE_0 est vieille .\t0-0 1-1 2-2"
    lemmas = "\t\tit is old .\tREPLACE_0 être|VERB vieux|ADJ .|.\t0-0 1-1 2-2"
    for name, line in (("forms", forms), ("lemmas", lemmas)):
        Path(f"{name}.tsv").write_text(f"{line}\n", encoding="utf-8")
        ask = ("anaphor-2-small", f"{name}.tsv", "--pair", "en-fr")
        code, out, err = predict("run", *ask, "--format", "labels")
        assert (code, err) == (0, "")
        assert out.strip() in ("il", "elle", "ce", "cela")
        assert predict("explain", *ask, "--segment", "1")[0] == 0


@pytest.mark.parametrize(
    "ask",
    [
        "run anaphor-2-small de.tsv",
        "evaluate anaphor-2-small de.tsv",
        "explain anaphor-2-small de.tsv --segment 1",
    ],
)
def test_a_model_for_several_pairs_asks_for_one(predict: Command, ask: str) -> None:
    """A German file was given French classes without a word."""
    line = "es\t\tit is old .\tREPLACE_0 ist alt .\t0-0 1-1 2-2"
    Path("de.tsv").write_text(f"{line}\n", encoding="utf-8")
    code, out, err = predict(*ask.split())
    assert (code, out) == (1, "")
    assert "anaphor-2-small was trained for several pairs, but none is given\nwhere: --pair" in err
    assert "en-fr, fr-en, en-de, de-en, es-en" in err
    code, out, err = predict(*ask.split(), "--pair", "en-de", "--json")
    assert code == 0, err
    assert "man" in out
    assert "elle" not in out


@pytest.mark.parametrize("pair", ["en-fr", "en-de"])
def test_targets_in_another_language_are_a_note(predict: Command, pair: str) -> None:
    target = "REPLACE_0 ist nicht in dem Haus und die Frau ist hier ."
    line = f"\t\tit is not in the house and she is here .\t{target}\t0-0"
    Path("de.tsv").write_text(f"{line}\n" * 10, encoding="utf-8")
    code, _, err = predict("run", "anaphor-2-small", "de.tsv", "--pair", pair, "--format", "labels")
    note = "note: the targets look like German, but the model predicts French\n"
    assert (code, err) == (0, note if pair == "en-fr" else "")


def test_the_shipped_model_predicts_spanish(predict: Command) -> None:
    """The subject that *Llueve*, it rains, leaves out."""
    line = "\t\tLlueve mucho .\tREPLACE_0 rain|VERB a|DET lot|NOUN .|.\t0-1"
    Path("es.tsv").write_text(f"{line}\n", encoding="utf-8")
    code, out, err = predict("run", "anaphor-2-small", "es.tsv", "--pair", "es-en", "--format", "labels")
    assert (code, out, err) == (0, "it\n", "")


def test_an_explanation_names_what_decided(predict: Command, model: str) -> None:
    code, out, err = predict("explain", model, "test.tsv", "--segment", "4", "--slot", "2")
    assert (code, err) == (0, "")
    assert "REPLACE_5 (it): OTHER, the file says OTHER" in out
    _, out, _ = predict("explain", model, "test.tsv", "--segment", "4", "--slot", "2", "--top", "3", "--json")
    found = json.loads(out)
    assert found["label"] == "OTHER"
    assert len(found["evidence"]) == 3
    assert found["evidence"][0]["amount"] > 0


def test_a_card_shades_the_words_that_matter(predict: Command, model: str) -> None:
    words = ["explain", model, "test.tsv", "--segment", "2", "--by", "words"]
    code, out, err = predict(*words)
    assert (code, err) == (0, "")
    assert "\n 0 target  [REPLACE_0] " in out
    assert re.search(r"word +side +sentence +\w+ falls by\n", out)
    _, out, _ = predict(*words, "--top", "3", "--json")
    found = json.loads(out)
    assert len(found["words"]) == 3
    falls = [abs(word["fall"]) for word in found["words"]]
    assert falls == sorted(falls, reverse=True)
    assert falls[0] > 0.01
    assert f"{found['words'][0]['text']}" in out
    assert sum(found["probabilities"].values()) == pytest.approx(1)


def test_two_models_become_one_that_is_used_like_any_other(predict: Command, model: str) -> None:
    Path("mine.toml").write_text(RECIPE.replace("least = 1", "least = 3"), encoding="utf-8")
    assert predict(*TRAIN.split(), "--output", "second")[0] == 0
    ensemble = ["ensemble", model, "second", "--dev", "dev.tsv", "--dev-documents", "dev.doc-ids"]
    code, out, err = predict(*ensemble, "--output", "both")
    assert (code, err) == (0, "")
    assert re.search(r"model +weight +macro-recall +accuracy\nmodel ", out)
    assert "Weights were tuned on dev.tsv" in out
    found = json.loads(predict("evaluate", "both", "test.tsv", "--json")[1])
    assert found["systems"][0]["name"] == "ensemble"
    assert found["systems"][0]["accuracy"] > 0.9
    code, out, _ = predict("explain", "both", "test.tsv", "--segment", "2")
    assert code == 0
    assert "falls by" in out
    _, out, _ = predict("explain", "both", "test.tsv", "--segment", "2", "--by", "features")
    assert "member 0: mine" in out


def test_equal_weights_need_no_data_and_are_in_json(predict: Command, model: str) -> None:
    Path("mine.toml").write_text(RECIPE.replace("least = 1", "least = 3"), encoding="utf-8")
    assert predict(*TRAIN.split(), "--output", "second")[0] == 0
    ensemble = ["ensemble", model, "second", "--equal", "--means", "geometric", "--output", "both", "--json"]
    found = json.loads(predict(*ensemble)[1])
    assert [member["weight"] for member in found["members"]] == [0.5, 0.5]
    assert found["options"]["options"]["means"] == "log"


COMPARE = "compare --pair en-fr --train train.tsv --dev dev.tsv --test test.tsv --cache cache --samples 200"


def test_a_comparison_tests_all_against_the_first_and_trains_nothing_twice(predict: Command) -> None:
    arguments = [*COMPARE.split(), "--recipes", "mine.toml", "uhelsinki-2016", "--json"]
    first = json.loads(predict(*arguments)[1])
    second = json.loads(predict(*arguments)[1])
    assert [entry["cached"] for entry in first["recipes"]] == [False, False]
    assert [entry["cached"] for entry in second["recipes"]] == [True, True]
    assert first["tests"] == second["tests"]
    (test,) = first["tests"]
    assert {found["baseline"] for found in test["comparisons"]} == {"mine"}
    assert [system["name"] for system in test["systems"]] == ["mine", "uhelsinki-2016"]


def test_other_data_or_another_recipe_is_trained_again(predict: Command) -> None:
    arguments = [*COMPARE.split(), "--recipes", "mine.toml", "--json"]
    predict(*arguments)
    Path("mine.toml").write_text(RECIPE.replace("least = 1", "least = 2"), encoding="utf-8")
    assert not json.loads(predict(*arguments)[1])["recipes"][0]["cached"]
    Path("train.tsv").write_text(lines(11)[0], encoding="utf-8")
    Path("train.doc-ids").write_text(lines(11)[1], encoding="utf-8")
    assert not json.loads(predict(*arguments)[1])["recipes"][0]["cached"]


def test_a_damaged_model_of_the_cache_is_trained_again_with_a_note(predict: Command) -> None:
    arguments = [*COMPARE.split(), "--recipes", "mine.toml", "--json"]
    predict(*arguments)
    for path in Path("cache").glob("*/weights.safetensors"):
        path.write_bytes(b"")
    _, out, err = predict(*arguments)
    assert "is trained again: the model is damaged" in err
    assert not json.loads(out)["recipes"][0]["cached"]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], "mine: gold down"),
        (["--by", "class"], "mine: class"),
        (["--markdown"], "## test.tsv: 64 placeholders\n\n| system | macro-recall | accuracy |"),
    ],
)
def test_a_comparison_prints_text_or_markdown(predict: Command, options: list[str], expected: str) -> None:
    code, out, _ = predict(*COMPARE.split(), "--recipes", "mine.toml", "uhelsinki-2016", *options)
    assert code == 0
    assert expected in out


def test_a_sample_of_the_data_can_be_used(predict: Command) -> None:
    _, out, _ = predict(*TRAIN.split(), "--slots", "40", "--output", "small", "--json")
    found = json.loads(out)["trained_on"]
    assert found.get("train", found)["slots"] == 40


def test_a_pair_that_a_recipe_was_not_made_for_is_a_note(predict: Command) -> None:
    command = TRAIN.replace("mine.toml", "uu-cap-2016").replace("train.tsv", "missing.tsv")
    code, _, err = predict(*command.split(), "--output", "model")
    assert code == 1
    assert "note: uu-cap-2016 was made for en-de, not for en-fr\n" in err


def test_a_joint_model_takes_the_format_of_the_other_members(predict: Command, model: str) -> None:
    members = ["ensemble", model, "anaphor-2-small", "--pair", "en-fr", "--dev", "dev.tsv"]
    code, _, err = predict(*members, "--output", "both")
    assert (code, err) == (0, "")
    found = json.loads(predict("evaluate", "both", "test.tsv", "--json")[1])
    assert found["systems"][0]["accuracy"] > 0.9
