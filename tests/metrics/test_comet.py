"""COMET through its own package, with a tiny model of random weights; no published model is at hand here.

The package wants a transformers before version 5, while other tests want a later one. So it gets an
environment of its own: `pip install unbabel-comet "setuptools<81" pytest hypothesis snowballstemmer`; this
file runs there with `PYTHONPATH=src`.
"""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from anaphor import demo
from anaphor.cli.main import main
from anaphor.core import OptionError, Settings
from anaphor.evaluation.experiment import Experiment
from anaphor.evaluation.pipeline import evaluate_experiment
from anaphor.scoring.verification import verify

INSTALLED = find_spec("comet") is not None
needs_comet = pytest.mark.skipif(not INSTALLED, reason="unbabel-comet is not installed")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")


@pytest.mark.skipif(INSTALLED, reason="unbabel-comet is installed")
def test_a_missing_package_is_said_before_anything_is_aligned() -> None:
    steps: list[str] = []
    with pytest.raises(OptionError, match="comet needs the package unbabel-comet") as caught:
        evaluate_experiment(
            Experiment.read(demo.files(), Settings(pair="en-fr", metrics=("apt", "comet")), steps.append),
            steps.append,
        )
    assert (caught.value.fix, steps) == ("pip install unbabel-comet, or leave comet out", ["reading"])


def make_model(folder: Path, kind: str) -> str:
    """The checkpoint of a tiny model of the real package: BERT with one layer, a vocabulary of letters."""
    import torch
    import yaml
    from comet.models import ReferencelessRegression, RegressionMetric
    from transformers import BertConfig

    encoder = folder / "encoder"
    encoder.mkdir(parents=True)
    letters = "abcdefghijklmnopqrstuvwxyzàâçéèêëîïôùûœ’'.,;:!?-«»0123456789"
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *(f"##{letter}" for letter in letters)]
    (encoder / "vocab.txt").write_text("\n".join(words) + "\n", "utf-8")
    sizes: dict[str, Any] = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    BertConfig(vocab_size=len(words), intermediate_size=16, **sizes).save_pretrained(encoder)
    torch.manual_seed(1)
    options = {
        "encoder_model": "BERT",
        "pretrained_model": str(encoder),
        "hidden_sizes": [8],
        "layer": "mix",
        "layer_transformation": "softmax",
        "final_activation": "Sigmoid",
    }
    model = {
        "regression_metric": RegressionMetric,
        "referenceless_regression_metric": ReferencelessRegression,
    }[kind](**options, load_pretrained_weights=False, local_files_only=True)
    checkpoint = folder / "checkpoints" / "model.ckpt"
    checkpoint.parent.mkdir()
    torch.save(
        {
            "state_dict": model.state_dict(),
            "hyper_parameters": dict(model.hparams),
            "pytorch-lightning_version": "2.0.0",
        },
        checkpoint,
    )
    content = {**options, "class_identifier": kind}
    (folder / "hparams.yaml").write_text(yaml.safe_dump(content), "utf-8")
    return str(checkpoint)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return make_model(tmp_path_factory.mktemp("comet"), "regression_metric")


@needs_comet
def test_segments_are_scored_as_the_package_scores_them_and_give_intervals_and_tests(
    model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import comet

    folder = Path(demo.files().source or "").parent
    texts = {
        name: (folder / name).read_text("utf-8").splitlines()
        for name in ("source.en", "reference.fr", "baldur.fr")
    }
    samples = [
        {"src": s, "mt": c, "ref": r}
        for s, r, c in zip(texts["source.en"], texts["reference.fr"], texts["baldur.fr"], strict=True)
    ]
    expected = comet.load_from_checkpoint(model).predict(samples, gpus=0, num_workers=0, progress_bar=False)
    output = tmp_path / "result.json"
    command = ["score", "--pair", "en-fr", "--source", str(folder / "source.en"), "--paired"]
    command += ["--reference", str(folder / "reference.fr"), "--documents", str(folder / "documents")]
    command += ["--candidate", str(folder / "baldur.fr"), str(folder / "dahlia.fr"), "--metrics", "comet"]
    assert main([*command, "--comet-model", model, "--bounds", "--output", str(output)]) == 0
    out = capsys.readouterr().out
    assert "reference  " in out
    assert "baldur shuffled  " in out
    content = json.loads(output.read_text("utf-8"))
    first, second = (system["metrics"][0] for system in content["systems"])
    assert first["score"] == pytest.approx(expected["system_score"], abs=1e-5)
    assert first["interval"][0] < first["score"] < first["interval"][1]
    assert first["score"] != second["score"]
    (comparison,) = content["comparisons"]
    assert comparison["difference"] == pytest.approx(second["score"] - first["score"])
    assert 0 < comparison["p_permutation"] <= 1
    assert set(first["signature_fields"]) >= {"comet-model", "weights", "unbabel-comet"}
    assert verify(str(output)).differences == ()


@needs_comet
def test_a_model_without_references_scores_without_one(tmp_path: Path, model: str) -> None:
    from dataclasses import replace

    free = make_model(tmp_path / "free", "referenceless_regression_metric")
    files = replace(demo.files(), references=())
    settings = Settings(pair="en-fr", metrics=("comet",), samples=0, options={"comet_model": free})
    values = [
        system.scores[0].value for system in evaluate_experiment(Experiment.read(files, settings)).systems
    ]
    assert all(0 < value < 1 for value in values)
    with pytest.raises(OptionError, match="no reference is given, and comet cannot score without one"):
        evaluate_experiment(
            Experiment.read(
                files, Settings(pair="en-fr", metrics=("comet",), samples=0, options={"comet_model": model})
            )
        )


@needs_comet
def test_a_model_that_cannot_be_loaded_is_named(tmp_path: Path) -> None:
    broken = tmp_path / "checkpoints" / "model.ckpt"
    broken.parent.mkdir()
    broken.write_bytes(b"no checkpoint")
    with pytest.raises(OptionError, match="cannot be loaded"):
        evaluate_experiment(
            Experiment.read(
                demo.files(),
                Settings(pair="en-fr", metrics=("comet",), samples=0, options={"comet_model": str(broken)}),
            )
        )


@needs_comet
def test_a_model_with_another_scale_is_refused(model: str, tmp_path: Path) -> None:
    import torch
    import yaml

    other = Path(make_model(tmp_path / "other", "regression_metric"))
    stored = torch.load(other, weights_only=False)
    stored["hyper_parameters"]["final_activation"] = None
    name = [key for key in stored["state_dict"] if key.startswith("estimator") and key.endswith("bias")][-1]
    stored["state_dict"][name] += 5
    torch.save(stored, other)
    settings = other.parents[1] / "hparams.yaml"
    settings.write_text(yaml.safe_dump({**yaml.safe_load(settings.read_text()), "final_activation": None}))
    with pytest.raises(OptionError, match="scores must lie between 0 and 1"):
        evaluate_experiment(
            Experiment.read(
                demo.files(),
                Settings(pair="en-fr", metrics=("comet",), samples=0, options={"comet_model": str(other)}),
            )
        )
