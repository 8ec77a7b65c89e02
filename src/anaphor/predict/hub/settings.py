"""The options of recipes with an encoder of others, and those that the command line may change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from anaphor.core import OptionError
from anaphor.predict.options import check_names, check_range, option

NAME = "hub"
DEVICES = ("auto", "cpu", "cuda")


@dataclass(frozen=True, slots=True, kw_only=True)
class HubOptions:
    """An encoder that others have trained, and how it goes on learning."""

    encoder: str = option("", "a folder with an encoder, or its name in a hub (--encoder)")
    download: bool = option(False, "whether it may be fetched from the hub (--allow-download)")
    before: int = option(3, "sentences before that are read, as far as they fit")
    after: int = option(1, "sentences after")
    longest: int = option(256, "pieces of words in a window")
    epochs: int = option(3, "passes over the data; the best on development data is kept")
    batch: int = option(32, "slots of a batch")
    rate: float = option(2e-5, "how far a step of AdamW goes at most")
    warm: float = option(0.1, "share of the steps in which the rate rises to that; then it falls to 0")
    balance: float = option(0.0, "0: slots count alike in the loss, 1: classes count alike")
    device: str = option("auto", "cpu, cuda, or a graphics card where there is one")

    def __post_init__(self) -> None:
        where = "options"
        check_names((self.device,), DEVICES, name="device", where=where)
        for name, least, most in (
            ("before", 0, 50),
            ("after", 0, 50),
            ("longest", 16, 8192),
            ("epochs", 1, 1000),
            ("batch", 1, 4096),
            ("rate", 1e-8, 1),
            ("warm", 0, 1),
            ("balance", 0, 1),
        ):
            check_range(getattr(self, name), least=least, most=most, name=name, where=where)


def with_encoder(
    settings: Mapping[str, Any], *, encoder: str | None, download: bool, device: str | None = None
) -> dict[str, Any]:
    """The settings of a recipe with another encoder, with leave to fetch it, or for another device."""
    if settings.get("family") != NAME:
        raise OptionError(
            "--encoder and --allow-download are for recipes of the family hub",
            where=str(settings.get("name", "recipe")),
            fix="leave these options out",
        )
    given = {"encoder": encoder, "download": download or None, "device": device}
    changed = {name: value for name, value in given.items() if value is not None}
    return {**settings, "options": {**settings.get("options", {}), **changed}}
