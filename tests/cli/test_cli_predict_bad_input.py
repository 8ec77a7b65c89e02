"""Every mistake in `anaphor predict`: exit code 1, three parts on stderr, nothing printed, no long work."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(
    find_spec("sklearn") is None, reason="the linear recipes need the extra `classic`"
)

Command = Callable[..., tuple[int, str, str]]

TAGGED = (
    "il\t\tit rains .\tREPLACE_0 pleuvoir|VERB .|.\t0-0 1-1 2-2\n"
    "ils\t\tthey work .\tREPLACE_0 travailler|VERB .|.\t0-0 1-1 2-2\n"
    "OTHER\t\tI see it .\tje|PRON REPLACE_2 voir|VERB .|.\t0-0 2-1 1-2 3-3\n"
) * 10
FORMS = TAGGED.replace("pleuvoir|VERB", "pleut").replace("travailler|VERB", "travaillent")
FORMS = FORMS.replace("je|PRON", "je").replace("voir|VERB", "vois").replace(".|.", ".")
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

[options]
least = 1
"""
FILES = {
    "train.tsv": TAGGED,
    "forms.tsv": FORMS,
    "one.tsv": "il\t\tit rains .\tREPLACE_0 pleuvoir|VERB .|.\t0-0 1-1 2-2\n" * 5,
    "blind.tsv": re.sub(r"^\w+", "", TAGGED, flags=re.MULTILINE),
    "none.tsv": "\t\tyes .\toui|ADV .|.\t0-0 1-1\n",
    "wrong.tsv": TAGGED.replace("il\t", "er\t", 1),
    "mine.toml": RECIPE,
    "broken.toml": RECIPE.replace('name = "mine"', 'name = "broken"').replace("[options]", "[learner]"),
    "option.toml": RECIPE.replace('name = "mine"', 'name = "option"').replace("least = 1", "last = 1"),
}
TRAIN = "train mine.toml --pair en-fr --train train.tsv --output model"


@pytest.fixture
def predict(folder: Path, anaphor: Command) -> Command:
    """Runs `anaphor predict` in a folder with good and bad files."""
    for name, content in FILES.items():
        (folder / name).write_text(content, encoding="utf-8")
    return lambda arguments: anaphor("predict", *arguments.split())


@pytest.fixture
def model(predict: Command) -> Path:
    assert predict(TRAIN)[0] == 0
    return Path("model")


def assert_refused(outcome: tuple[int, str, str], what: str, fix: str = "") -> None:
    code, out, err = outcome
    assert (code, out) == (1, "")
    last = err[err.index("error: ") :]  # notes may stand before it
    match = re.fullmatch(r"error: (.+)\nwhere: (.+)\nfix:   (.+)\n", last, re.DOTALL)
    assert match, err
    assert what in match[1]
    assert fix in match[3]


@pytest.mark.parametrize(
    ("command", "what", "fix"),
    [
        ("show uedin", "unknown recipe: uedin", "did you mean uedin-2016"),
        ("show broken.toml", "learner: unknown key", "known: differs, family"),
        (TRAIN.replace("mine", "option"), "unknown option: last", "least"),
        (TRAIN.replace("en-fr", "en-de --year 2015"), "no classes for 2015", "2016"),
        (TRAIN.replace("train.tsv", "none.tsv"), "0 classes", "prepared data"),
        (TRAIN.replace("train.tsv", "one.tsv"), "1 classes to tell apart", "prepared data"),
        (TRAIN.replace("train.tsv", "blind.tsv"), "placeholder without a label", "column 1"),
        (TRAIN.replace("train.tsv", "wrong.tsv"), "has no class 'er'", "labels of 2017"),
        (TRAIN.replace("train.tsv", "absent.tsv"), "cannot be read", "check the path"),
        (f"{TRAIN} --device cpu", "are for networks, and the recipe has none", "omit these options"),
        (
            TRAIN.replace("mine.toml", "baseline-tuned"),
            "baseline-tuned needs development data with labels: the penalty is tuned on it",
            "with --dev",
        ),
        (
            TRAIN.replace("mine.toml", "baseline-tuned") + " --dev blind.tsv",
            "needs development data with labels",
            "with --dev",
        ),
        (
            f"{TRAIN} --dev forms.tsv",
            "the development data has word forms, the training data lemmas with tags",
            "in the same format",
        ),
        (
            "compare --pair en-fr --recipes majority uu-hardmeier-2016 --train train.tsv --test train.tsv",
            "uu-hardmeier-2016 needs development data with labels: the weights of the members",
            "choose another recipe",
        ),
        (f"{TRAIN} --slots 0", "number of placeholders cannot be", "1 or more"),
        (TRAIN.replace("--output model", "--output ."), "does not contain a model", "does not exist"),
        ("run nowhere train.tsv", "unknown model: nowhere", ""),
        ("run uedin-2016 train.tsv", "has no shipped model", "anaphor predict train uedin-2016"),
        ("run . train.tsv", "there is no model here", "model.json"),
    ],
)
def test_an_error_without_a_model_is_explained(predict: Command, command: str, what: str, fix: str) -> None:
    assert_refused(predict(command), what, fix)
    assert not Path("model").exists()


@pytest.mark.parametrize(
    ("command", "what"),
    [
        ("evaluate model forms.tsv", "the model was trained on lemmas with tags, the data has word forms"),
        ("evaluate model train.tsv --pair en-de", "the model is for en-fr, not for en-de"),
        ("run model train.tsv --pair fr-en", "the model is for en-fr, not for fr-en"),
        ("run model train.tsv --ensemble", "model is a linear-svm model, which has no ensemble"),
        ("evaluate model blind.tsv", "a placeholder has no label"),
        ("evaluate model none.tsv", "has no placeholder"),
        ("evaluate model wrong.tsv", "has no class 'er'"),
        ("explain model train.tsv --segment 0", "there is no segment 0"),
        ("explain model train.tsv --segment 31", "there is no segment 31"),
        ("explain model train.tsv --segment 1 --slot 2", "there is no placeholder 2"),
    ],
)
def test_a_file_that_does_not_fit_the_model_is_an_error(
    predict: Command, model: Path, command: str, what: str
) -> None:
    assert_refused(predict(command), what)


def damage_weights(model: Path) -> None:
    path = model / "weights.safetensors"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def remove_weights(model: Path) -> None:
    (model / "weights.safetensors").unlink()


def break_card(model: Path) -> None:
    (model / "model.json").write_text("{", encoding="utf-8")


def other_version(model: Path) -> None:
    path = model / "model.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    content["card"]["version"] += 1
    path.write_text(json.dumps(content), encoding="utf-8")


def other_family(model: Path) -> None:
    path = model / "model.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    content["card"]["family"] = "oracle"
    path.write_text(json.dumps(content), encoding="utf-8")


@pytest.mark.parametrize(
    ("harm", "what"),
    [
        (damage_weights, "differs from the one saved"),
        (remove_weights, "cannot be read"),
        (break_card, "damaged or was changed: not valid model JSON"),
        (other_version, "the model has version"),
        (other_family, "unknown family: oracle"),
    ],
)
def test_a_model_that_was_changed_is_refused(
    predict: Command, model: Path, harm: Callable[[Path], None], what: str
) -> None:
    harm(model)
    assert_refused(predict("run model train.tsv"), what)


def test_a_missing_extra_is_an_error_with_its_install_command_before_data_is_read(
    predict: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sklearn", None)
    command = "train uhelsinki-2016 --pair en-fr --train absent.tsv --output model"
    assert_refused(predict(command), "scikit-learn", "pip install")


COMPARE = "compare --pair en-fr --train train.tsv --cache cache"


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ("--recipes mine.toml mine.toml --test train.tsv", "duplicate recipe: mine"),
        ("--recipes mine.toml none --test train.tsv", "unknown recipe: none"),
        ("--recipes mine.toml --test absent.tsv", "cannot be read"),
        ("--recipes mine.toml --test blind.tsv", "a placeholder has no label"),
        ("--recipes mine.toml --test forms.tsv", "the file has word forms, train.tsv has"),
        ("--recipes mine.toml --test train.tsv --samples 5", "resamples"),
    ],
)
def test_an_impossible_comparison_is_an_error(predict: Command, options: str, what: str) -> None:
    assert_refused(predict(f"{COMPARE} {options}"), what)
    assert not Path("cache").exists(), "nothing was trained"


def test_a_family_without_explanations_is_an_error(predict: Command) -> None:
    command = "train baseline --pair en-fr --train train.tsv --output filler"
    assert predict(command)[0] == 0
    command = "explain filler train.tsv --segment 1 --by features"
    assert_refused(predict(command), "have no features to explain", "--by words")
    assert predict("explain filler train.tsv --segment 1")[0] == 0, "every model can be explained by words"


ENSEMBLE = "ensemble model other --dev train.tsv --output both"


@pytest.mark.parametrize(
    ("command", "what", "fix"),
    [
        (ENSEMBLE.replace(" --dev train.tsv", ""), "no development data", "--equal"),
        (ENSEMBLE.replace("model other", "model"), "at least two models, got 1", "at least two"),
        (ENSEMBLE.replace("other", "model"), "duplicate model: model", "once"),
        (ENSEMBLE.replace("other", "nowhere"), "unknown model: nowhere", ""),
        (ENSEMBLE.replace("train.tsv", "forms.tsv"), "the data has word forms", "this type of data"),
        (ENSEMBLE.replace("train.tsv", "blind.tsv"), "no development data", "--equal"),
        (ENSEMBLE.replace("train.tsv", "absent.tsv"), "cannot be read", "check the path"),
        (ENSEMBLE.replace("--output both", "--output ."), "does not contain a model", "does not exist"),
    ],
)
def test_an_impossible_ensemble_is_an_error(
    predict: Command, model: Path, command: str, what: str, fix: str
) -> None:
    shutil.copytree(model, "other")
    assert_refused(predict(command), what, fix)
    assert not Path("both").exists()


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ("mine.toml --encoder x", "for recipes of the family hub"),
        ("mine.toml --allow-download", "for recipes of the family hub"),
        ("anaphor-2-xlmr --encoder nowhere", "the encoder nowhere is not here"),
    ],
)
def test_an_encoder_for_another_family_is_an_error(predict: Command, options: str, what: str) -> None:
    if "xlmr" in options:
        pytest.importorskip("torch", reason="encoders need torch: pip install 'anaphor[hub]'")
        pytest.importorskip("transformers", reason="encoders need transformers: pip install 'anaphor[hub]'")
    assert_refused(predict(f"train {options} --pair en-fr --train train.tsv --output model"), what)
