"""A tiny encoder and a tokeniser of words, saved as any encoder is, and segments to train it on."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from anaphor.core import TaskSegment
from tests.support.slots import segment

SPECIALS = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
NOUNS = [
    ("house", "maison", "elle"),
    ("car", "voiture", "elle"),
    ("garden", "jardin", "il"),
    ("book", "livre", "il"),
]


def made_segments() -> list[TaskSegment]:
    """Twenty slots; the class follows from the noun in the sentence before."""
    made = []
    for number in range(5):
        for english, french, label in NOUNS:
            document = f"{english}-{number}"
            made.append(segment(f"the {english} is here", f"voici {french}", document=document))
            made.append(segment("it is small", "REPLACE_0 est petit", label, document=document))
    return made


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
