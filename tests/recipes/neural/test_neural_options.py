"""Options of neural recipes: every mistake is named before any work."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from anaphor.core import OptionError, UnknownNameError
from anaphor.predict.families import FAMILIES, build_predictor
from anaphor.recipes.neural.families import TURKU, has_networks, with_run_options
from anaphor.recipes.recipe import load_recipe

NEURAL = sorted(name for name in FAMILIES if name.startswith("neural/"))


def test_one_table_has_the_options_of_training_run_and_architecture() -> None:
    pytest.importorskip("torch", reason="torch is not installed: pip install 'anaphor[neural]'")
    given = {"epochs": 3, "rate": 1, "hidden": 5, "device": "cpu", "minutes": 2, "checkpoint": "folder"}
    predictor: Any = build_predictor({"family": "neural/turku", "options": given})
    found = predictor.options
    assert (found.epochs, found.rate, found.hidden, found.device) == (3, 1.0, 5, "cpu")
    # The card keeps what describes the model, not where and how long it was trained.
    assert {**predictor.settings, "epochs": 3, "rate": 1.0, "hidden": 5} == predictor.settings
    assert not {"device", "minutes", "checkpoint"} & set(predictor.settings)


WRONG: dict[str, tuple[Any, type[Exception], str]] = {
    "a key of nobody": ({"epoch": 3}, UnknownNameError, "epoch"),
    "text for a number": ({"epochs": "3"}, OptionError, "epochs"),
    "a fraction for a whole number": ({"epochs": 2.5}, OptionError, "epochs"),
    "a truth value for a number": ({"epochs": True}, OptionError, "epochs"),
    "nothing to learn in": ({"epochs": 0}, OptionError, "epochs"),
    "a negative width": ({"hidden": -1}, OptionError, "hidden"),
    "no sampling": ({"sampling": "some"}, UnknownNameError, "sampling"),
    "no metric": ({"metric": "bleu"}, UnknownNameError, "metric"),
    "no share": ({"share": 0.0}, OptionError, "share"),
    "no number": ({"rate": float("nan")}, OptionError, "rate"),
    "no device": ({"device": "tpu"}, UnknownNameError, "device"),
    "no table": ([1], OptionError, "table"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_option_is_an_error_when_the_recipe_is_built(name: str) -> None:
    pytest.importorskip("torch", reason="torch is not installed: pip install 'anaphor[neural]'")
    options, kind, word = WRONG[name]
    with pytest.raises(kind, match=word):
        build_predictor({"name": "mine", "family": "neural/turku", "options": options})


def test_other_wrong_recipes_are_errors() -> None:
    pytest.importorskip("torch", reason="torch is not installed: pip install 'anaphor[neural]'")
    with pytest.raises(UnknownNameError, match="context"):
        build_predictor({"family": "neural/nyu", "options": {"context": "all"}})
    with pytest.raises(OptionError, match="sizes"):
        build_predictor({"family": "neural/convolution", "options": {"sizes": [0]}})
    with pytest.raises(OptionError, match="no filters"):
        build_predictor({"family": "neural/convolution", "options": {"sizes": []}})
    with pytest.raises(OptionError, match="a width is given twice"):
        build_predictor({"family": "neural/convolution", "options": {"sizes": [2, 3, 2]}})
    with pytest.raises(OptionError, match="features"):
        build_predictor({"family": "neural/turku", "features": {"head": {}}})


def test_a_missing_gpu_is_an_error() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'anaphor[neural]'")
    if torch.cuda.is_available():
        pytest.skip("this machine has a graphics card")
    with pytest.raises(OptionError, match="CUDA") as caught:
        build_predictor({"family": "neural/turku", "options": {"device": "cuda"}})
    assert "--device cpu" in caught.value.fix


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anaphor.predict.options.find_spec", lambda name: None)
    with pytest.raises(OptionError, match="needs torch") as caught:
        TURKU.build({"name": "turku-2016"})
    assert "anaphor[neural]" in caught.value.fix


def test_naming_the_families_imports_no_torch() -> None:
    code = (
        "import sys; from anaphor.predict.families import FAMILIES; "
        f"[FAMILIES.get(name) for name in {NEURAL}]; print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


RUN: dict[str, Any] = {"device": "cpu", "minutes": 6.0, "checkpoint": "folder"}


def test_a_network_gets_the_options_beside_its_own() -> None:
    settings = {"family": "neural/turku", "options": {"hidden": 5}}
    options = {"hidden": 5, "device": "cpu", "minutes": 6.0, "checkpoint": "folder"}
    assert with_run_options(settings, **RUN) == {"family": "neural/turku", "options": options}
    assert settings["options"] == {"hidden": 5}


def test_networks_inside_share_the_minutes_and_have_folders_of_their_own() -> None:
    settings = load_recipe("uu-hardmeier-2017").settings
    changed = with_run_options(settings, **RUN)["members"]
    assert changed[0] == settings["members"][0]  # the n-gram model
    assert [member["options"]["minutes"] for member in changed[1:]] == [2.0] * 3
    assert len({member["options"]["checkpoint"] for member in changed[1:]}) == 3


def test_a_recipe_without_networks_has_no_device() -> None:
    settings = load_recipe("uhelsinki-2016").settings
    assert not has_networks(settings)
    with pytest.raises(OptionError, match="has none"):
        with_run_options(settings, **RUN)
