"""The architectures by the names of their families, with the options each of them has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from anaphor.predict.neural.convolution import Convolution, ConvolutionOptions
from anaphor.predict.neural.latent import Latent, LatentOptions
from anaphor.predict.neural.network import Network
from anaphor.predict.neural.nyu import CONTEXTS, Nyu, NyuOptions
from anaphor.predict.neural.settings import check_choice
from anaphor.predict.neural.turku import Turku, TurkuOptions
from anaphor.predict.neural.ukyoto import Ukyoto, UkyotoOptions
from anaphor.predict.neural.uppsala import Uppsala, UppsalaOptions
from anaphor.predict.neural.vocabulary import Vocabularies


@dataclass(frozen=True, slots=True)
class Architecture:
    """A class of networks with its options; `make` takes vocabularies, number of classes and options."""

    make: Callable[[Vocabularies, int, Any], Network]
    fields: tuple[str, ...]
    options: type[Any]


ARCHITECTURES: Mapping[str, Architecture] = {
    "neural/turku": Architecture(Turku, Turku.fields, TurkuOptions),
    "neural/ukyoto": Architecture(Ukyoto, Ukyoto.fields, UkyotoOptions),
    "neural/uppsala": Architecture(Uppsala, Uppsala.fields, UppsalaOptions),
    "neural/nyu": Architecture(Nyu, Nyu.fields, NyuOptions),
    "neural/latent": Architecture(Latent, Latent.fields, LatentOptions),
    "neural/convolution": Architecture(Convolution, Convolution.fields, ConvolutionOptions),
}


def check_shape(options: Any, *, where: str) -> None:
    """An error where an option of a network is not one of its choices."""
    if isinstance(options, NyuOptions):
        check_choice("context", options.context, CONTEXTS, where=where)
