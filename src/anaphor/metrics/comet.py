"""COMET: the `unbabel-comet` package scores segments, and we average.

The package and its models are large and are not installed with this one. A model is loaded when the first
candidate is scored, or earlier if there is no reference, which only some models allow.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Self

import numpy as np

from anaphor.core import Counts, OptionError
from anaphor.core.array_types import Doubles
from anaphor.metrics.contract import Metric, MetricContext, MetricInput
from anaphor.metrics.options import COMET
from anaphor.stats import ratio

_PACKAGE = "unbabel-comet"


class Comet(Metric):
    """The mean segment score of a COMET model; with several references, the best for each segment."""

    name = "comet"
    pronominal = False
    depends = frozenset()
    options = COMET
    # A model may well give another sentence more than the reference.
    reference_is_perfect = False

    def __init__(self, *, model: str) -> None:
        try:
            self._version = version(_PACKAGE)
        except PackageNotFoundError as error:
            raise OptionError(
                f"the metric comet needs the package {_PACKAGE}, which is not installed",
                where="--metrics",
                fix=f"pip install {_PACKAGE}, or leave comet out",
            ) from error
        self._name = model

    @classmethod
    def build(cls, context: MetricContext) -> Self:
        return cls(model=context.values(cls)["comet-model"])

    def settings(self) -> Mapping[str, str]:
        weights = {}
        if Path(self._name).is_file():
            with Path(self._name).open("rb") as checkpoint:
                hashed = sha256()
                while block := checkpoint.read(1 << 22):
                    hashed.update(block)
            weights["weights"] = hashed.hexdigest()[:12]
        return {**weights, _PACKAGE: self._version}

    @property
    def needs_reference(self) -> bool:  # type: ignore[override]  # the model decides
        return bool(self._model.requires_references())

    @cached_property
    def _model(self) -> Any:
        with _quiet():
            import comet

            try:
                is_file = Path(self._name).is_file()
                path = self._name if is_file else comet.download_model(self._name)
                return comet.load_from_checkpoint(path)
            # The package raises whatever its own libraries do: for a name, a network or a broken file.
            except Exception as error:
                raise OptionError(
                    f"the COMET model {self._name} cannot be loaded: {error}",
                    where="--comet-model",
                    fix="check its name, the network and the licence that Hugging Face asks you to accept, "
                    "or use a checkpoint file (checkpoints/model.ckpt, next to hparams.yaml)",
                ) from error

    def count(self, trial: MetricInput) -> Counts:
        samples = [{"src": s, "mt": c} for s, c in zip(trial.source, trial.candidate, strict=True)]
        if self.needs_reference:
            by_reference = [
                self._scores([{**sample, "ref": line} for sample, line in zip(samples, lines, strict=True)])
                for lines in trial.references
            ]
            scores = np.max(by_reference, axis=0)
        else:
            scores = self._scores(samples)
        if not 0 <= scores.mean() <= 1:
            raise OptionError(
                f"the COMET model {self._name} gives {trial.system} {scores.mean():.3f} on average, and "
                "scores must lie between 0 and 1",
                where="--comet-model",
                fix="use a model with that scale, such as Unbabel/wmt22-comet-da",
            )
        return Counts(("sum", "segments"), np.stack([scores, np.ones_like(scores)], axis=1))

    def _scores(self, samples: Sequence[Mapping[str, str]]) -> Doubles:
        with _quiet():
            import torch

            gpus = int(torch.cuda.is_available())
            predicted = self._model.predict(list(samples), gpus=gpus, num_workers=0, progress_bar=False)
        return np.array(predicted["scores"], np.float64)

    def value(self, totals: Doubles) -> Doubles:
        return ratio(totals[..., 0], totals[..., 1])

    def details(self, totals: Doubles) -> Mapping[str, float]:
        return {"segments": float(totals[1])}


@contextmanager
def _quiet() -> Iterator[None]:
    """Suppresses the package's device reports and developer warnings on the terminal."""
    for name in ("pytorch_lightning", "lightning.pytorch", "lightning_fabric"):
        logging.getLogger(name).setLevel(logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
