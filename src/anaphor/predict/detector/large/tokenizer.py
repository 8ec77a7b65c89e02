"""The tokenizer of a base model, built for the `tokenizers` package from the vocabulary in its file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import tokenizers


def tokenizer_of(meta: Mapping[str, Any]) -> tokenizers.Tokenizer:
    """The tokenizer described by the named values of a GGUF file."""
    return _scored(meta) if meta["tokenizer.ggml.model"] == "llama" else _merged(meta)


def _scored(meta: Mapping[str, Any]) -> tokenizers.Tokenizer:
    """Gemma: SentencePiece pieces with scores, where the pair whose joined piece scores best goes first.

    As a list of merges that is every pair of pieces whose joined text is a piece, ordered by the joined
    piece's score. Pieces of type 4 (runs of spaces and line ends, HTML tags) are matched whole before any
    merging. Control tokens are never matched in the text.
    """
    from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, processors

    pieces: list[str] = meta["tokenizer.ggml.tokens"]
    scores, kinds = meta["tokenizer.ggml.scores"], meta["tokenizer.ggml.token_type"]
    vocab = {piece: number for number, piece in enumerate(pieces)}
    normal = {piece for piece, kind in zip(pieces, kinds, strict=True) if kind == 1}
    merges = sorted(
        (-scores[vocab[piece]], vocab[piece], at, piece)
        for piece in normal
        for at in range(1, len(piece))
        if piece[:at] in normal and piece[at:] in normal
    )
    tokenizer = Tokenizer(
        models.BPE(
            vocab=vocab,
            merges=[(piece[:at], piece[at:]) for _, _, at, piece in merges],
            unk_token=pieces[meta["tokenizer.ggml.unknown_token_id"]],
            fuse_unk=True,
            byte_fallback=True,
        )
    )
    tokenizer.normalizer = normalizers.Replace(" ", "▁")
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    )
    whole = [piece for piece, kind in zip(pieces, kinds, strict=True) if kind == 4]
    tokenizer.add_tokens([AddedToken(piece, normalized=True) for piece in whole])
    first = meta["tokenizer.ggml.bos_token_id"]
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{pieces[first]} $A", special_tokens=[(pieces[first], first)]
    )
    return tokenizer


def _merged(meta: Mapping[str, Any]) -> tokenizers.Tokenizer:
    """Qwen: byte pairs merged in a fixed order, after splitting into words."""
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers

    pieces: list[str] = meta["tokenizer.ggml.tokens"]
    kinds = meta["tokenizer.ggml.token_type"]
    merges = [tuple(merge.split(" ")) for merge in meta["tokenizer.ggml.merges"]]
    vocab = {piece: number for number, piece in enumerate(pieces)}
    tokenizer = Tokenizer(models.BPE(vocab=vocab, merges=merges))
    # A contraction's end, a word with the sign before it, one digit, signs, or white space.
    words = Regex(
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}"
        r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    )
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(words, behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    control = [piece for piece, kind in zip(pieces, kinds, strict=True) if kind in (3, 4)]
    tokenizer.add_special_tokens([AddedToken(piece, normalized=False) for piece in control])
    return tokenizer
