"""The options of recipes with a pretrained encoder."""

from __future__ import annotations

from dataclasses import dataclass

from anaphor.predict.options import Options, option
from anaphor.predict.torch_family import DEVICES


@dataclass(frozen=True, slots=True, kw_only=True)
class HubOptions(Options):
    """A pretrained encoder that is fine-tuned."""

    encoder: str = option("", "folder of the encoder, or its name on a model hub (--encoder)")
    download: bool = option(False, "whether the encoder may be downloaded from the hub (--allow-download)")
    before: int = option(3, "number of preceding sentences to read, if they fit", least=0, most=50)
    after: int = option(1, "number of following sentences", least=0, most=50)
    longest: int = option(256, "maximum number of subwords per window", least=16, most=8192)
    epochs: int = option(
        3, "passes over the data; the best model on development data is kept", least=1, most=1000
    )
    batch: int = option(32, "slots per batch", least=1, most=4096)
    rate: float = option(2e-5, "peak learning rate of AdamW", least=1e-8, most=1)
    warm: float = option(
        0.1, "share of training in which the rate rises to its peak, before it falls to 0", least=0, most=1
    )
    balance: float = option(
        0.0, "0: equal weight for all slots in the loss, 1: for all classes", least=0, most=1
    )
    device: str = option("auto", "cpu, cuda, or auto for a GPU if there is one", choices=DEVICES)
