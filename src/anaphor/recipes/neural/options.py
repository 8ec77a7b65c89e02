"""The options of neural recipes: common ones, and the dimensions of each architecture."""

from __future__ import annotations

from dataclasses import dataclass

from anaphor.core import OptionError
from anaphor.predict.options import Options, option
from anaphor.predict.torch_family import DEVICES

SAMPLINGS = ("all", "equal", "proportional")
METRICS = ("macro-recall", "accuracy", "likelihood")
#: How NYU's model uses the preceding sentence.
CONTEXTS = ("none", "attention", "source-attention", "gate")
#: Options that concern one run; only `minutes` can change its result.
RUN_OPTIONS = ("device", "minutes", "checkpoint")


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkOptions(Options):
    """Training options common to all architectures."""

    window: int = option(50, "number of words on each side of the pronoun", least=0, most=10_000)
    dropout: float = option(0.3, "dropout", least=0, most=1)
    epochs: int = option(20, "maximum number of epochs", least=1)
    batch: int = option(128, "slots per batch", least=1)
    rate: float = option(0.001, "learning rate of Adam", least=1e-8)
    patience: int = option(4, "epochs without improvement on development data before training stops", least=1)
    balance: float = option(
        0.0, "0: equal weight for all slots in the loss, 1: for all classes", least=0, most=1
    )
    sampling: str = option(
        "all",
        "slots of an epoch: a share of all, of each class alike, or as in the development data",
        choices=SAMPLINGS,
    )
    share: float = option(1.0, "share of the slots that an epoch sees", least=1e-6, most=1)
    metric: str = option("macro-recall", "metric on development data", choices=METRICS)
    least: int = option(2, "minimum frequency of a known word", least=1)
    vocabulary: int = option(30000, "maximum number of known words", least=1, most=10**6)
    snapshots: int = option(1, "number of best epochs to keep and average", least=1, most=10**6)
    device: str = option("auto", "cpu, cuda, or auto for a GPU if there is one", choices=DEVICES)
    minutes: float = option(0.0, "time limit of the training; 0 for none", least=0)
    checkpoint: str = option("", "folder from which an interrupted training is resumed")


@dataclass(frozen=True, slots=True, kw_only=True)
class TurkuOptions(NetworkOptions):
    """Options of the architecture in `turku`."""

    embedding: int = option(90, "width of an embedding", least=1, most=10**6)
    hidden: int = option(90, "width of a state", least=1, most=10**6)
    pronoun: int = option(30, "width of the embedding of the source pronoun", least=1, most=10**6)
    pretraining: int = option(0, "skip-gram passes over the training text; 0 as in 2016", least=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class UkyotoOptions(NetworkOptions):
    """Options of the architecture in `ukyoto`."""

    embedding: int = option(100, "width of an embedding", least=1, most=10**6)
    hidden: int = option(100, "width of a state", least=1, most=10**6)


@dataclass(frozen=True, slots=True, kw_only=True)
class UppsalaOptions(NetworkOptions):
    """Options of the architecture in `uppsala`."""

    word: int = option(100, "width of the embedding of a word", least=1, most=10**6)
    tag: int = option(20, "width of the embedding of a tag or a dependency label", least=1, most=10**6)
    letter: int = option(24, "width of the embedding of a letter", least=1, most=10**6)
    hidden: int = option(100, "width of a state", least=1, most=10**6)
    perceptron: int = option(100, "width of the perceptron", least=1, most=10**6)
    head: bool = option(True, "whether the head of the source pronoun is an input")


@dataclass(frozen=True, slots=True, kw_only=True)
class NyuOptions(NetworkOptions):
    """Options of the architecture in `nyu`.

    `context` is use of the preceding sentence: not at all (`none`), with attention queried by the state
    of the decoder (`attention`), by that state and the context vector of the source (`source-attention`), or
    as `attention` with a gate on the context vector (`gate`).
    """

    context: str = option("none", "use of the preceding sentence", choices=CONTEXTS)
    window: int = option(40, "number of words on each side of the pronoun", least=0, most=10_000)
    embedding: int = option(128, "width of an embedding", least=1, most=10**6)
    hidden: int = option(192, "width of a state", least=1, most=10**6)
    lookahead: int = option(
        8, "number of words after the slot included in the score of a class", least=0, most=1000
    )
    dropout: float = option(0.2, "dropout", least=0, most=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class LatentOptions(NetworkOptions):
    """Options of the architecture in `latent`."""

    window: int = option(3, "number of words on each side of the pronoun", least=0, most=10_000)
    word: int = option(50, "width of the embedding of a word", least=1, most=10**6)
    tag: int = option(15, "width of the embedding of a tag", least=1, most=10**6)
    hidden: int = option(100, "width of the hidden layer", least=1, most=10**6)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConvolutionOptions(NetworkOptions):
    """Options of the architecture in `convolution`."""

    window: int = option(30, "number of words on each side of the pronoun", least=0, most=10_000)
    embedding: int = option(80, "width of an embedding", least=1, most=10**6)
    sizes: tuple[int, ...] = option((2, 3, 4), "widths of the filters in words", least=1, most=1000)
    filters: int = option(60, "filters of each width", least=1, most=10**6)
    dropout: float = option(0.4, "dropout", least=0, most=1)

    def __post_init__(self) -> None:
        NetworkOptions.__post_init__(self)
        if not self.sizes:
            raise OptionError("there are no filters", where="sizes", fix="use widths such as [2, 3]")
        if len(set(self.sizes)) < len(self.sizes):
            raise OptionError("a width is given twice", where="sizes", fix="list every width once")
