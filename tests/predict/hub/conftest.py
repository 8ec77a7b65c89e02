"""A tiny encoder and a tokeniser of words, made here and saved as any encoder is."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from anaphor.core import Alignment, InputWarning, LanguagePair, Slot, TaskSegment
from anaphor.predict.contract import Model
from anaphor.predict.families import build_predictor
from anaphor.task import TaskClasses, task_classes

SPECIALS = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
NOUNS = [
    ("house", "maison", "elle"),
    ("car", "voiture", "elle"),
    ("garden", "jardin", "il"),
    ("book", "livre", "il"),
]


def segment(source: str, target: str, label: str | None = None, document: str | None = "a") -> TaskSegment:
    """A segment whose placeholders are the words `REPLACE_k` of the target, all of one class."""
    words = tuple(target.split())
    slots = tuple(
        Slot(int(word.partition("_")[2]), place, label)
        for place, word in enumerate(words)
        if word.startswith("REPLACE_")
    )
    return TaskSegment(tuple(source.split()), words, slots, Alignment((), ()), document)


def made_segments() -> list[TaskSegment]:
    """Twenty slots; the class follows from the noun in the sentence before."""
    made = []
    for number in range(5):
        for english, french, label in NOUNS:
            document = f"{english}-{number}"
            made.append(segment(f"the {english} is here", f"voici {french}", document=document))
            made.append(segment("it is small", "REPLACE_0 est petit", label, document))
    return made


@pytest.fixture(scope="session")
def segments() -> list[TaskSegment]:
    return made_segments()


@pytest.fixture(scope="session")
def classes() -> TaskClasses:
    return task_classes(LanguagePair.parse("en-fr"), year=2016)


def save_tokenizer(folder: Path, words: list[str], **marks: str) -> None:
    tokenizers, transformers = map(import_module, ("tokenizers", "transformers"))
    vocabulary = {word: number for number, word in enumerate([*SPECIALS, *words])}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token=SPECIALS[3]))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, **marks).save_pretrained(folder)


def marks() -> dict[str, str]:
    return {
        "cls_token": "<s>",
        "sep_token": "</s>",
        "mask_token": "<mask>",
        "unk_token": "<unk>",
        "pad_token": "<pad>",
    }


def save_encoder(folder: Path, segments: list[TaskSegment]) -> None:
    """An XLM-R of two layers that has learned nothing."""
    import torch

    transformers = import_module("transformers")
    words = sorted({word for one in segments for word in (*one.source, *one.target)} | {"*", "_"})
    save_tokenizer(folder, words, **marks())
    torch.manual_seed(1)
    config = transformers.XLMRobertaConfig(
        vocab_size=len(SPECIALS) + len(words),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=80,
        type_vocab_size=1,
        pad_token_id=1,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    transformers.XLMRobertaModel(config).save_pretrained(folder)


@pytest.fixture(scope="session")
def encoder(tmp_path_factory: pytest.TempPathFactory, segments: list[TaskSegment]) -> Path:
    """A folder with an encoder."""
    folder = tmp_path_factory.mktemp("encoder")
    save_encoder(folder, segments)
    return folder


@pytest.fixture(scope="session")
def train(encoder: Path, segments: list[TaskSegment], classes: TaskClasses) -> Callable[..., Model]:
    """Trains on the twenty slots with the given options; that classes are missing is known."""

    def fit(seed: int = 1, dev: Any = (), **options: Any) -> Model:
        given = {"encoder": str(encoder), "epochs": 40, "batch": 4, "rate": 0.002, "device": "cpu", **options}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", InputWarning)
            predictor = build_predictor({"name": "tiny", "family": "hub", "options": given})
            return predictor.fit(segments, classes=classes, dev=dev, seed=seed)

    return fit


@pytest.fixture(scope="session")
def model(train: Callable[..., Model]) -> Model:
    return train()
