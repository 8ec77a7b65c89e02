"""A small decoder-only transformer (Gemma 3 or Qwen 2) whose matrices can carry LoRA adapters.

Texts of a batch are padded on the right. Every token only sees earlier tokens, so padding changes nothing and
needs no mask; the states of padding are ignored. The local layers of Gemma see a window of 512 tokens.
Windows are not implemented here, so texts must not be longer.

Norm weights are plain factors, as in GGUF files. (Gemma's published weights are smaller by one, and its
published code adds it.)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from anaphor.predict.detector.large.adapter import HIDDEN


class Norm(nn.Module):
    """Divides by the root mean square, in float32 for any input type, then scales."""

    def __init__(self, width: int, eps: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width), requires_grad=False)
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        """Shape and type are unchanged."""
        return F.rms_norm(x.float(), (x.shape[-1],), self.weight, self.eps).to(x.dtype)


class Linear(nn.Module):
    """A frozen matrix and, if the rank is above zero, a trainable change to it: W + alpha / rank * B A."""

    def __init__(
        self, inputs: int, outputs: int, bias: bool, rank: int, alpha: float, dtype: torch.dtype
    ) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(outputs, inputs, dtype=dtype), requires_grad=False)
        self.bias = nn.Parameter(torch.empty(outputs, dtype=dtype), requires_grad=False) if bias else None
        self.rank, self.scale = rank, alpha / max(rank, 1)
        if rank:
            self.a = nn.Parameter(torch.randn(rank, inputs) * inputs**-0.5)
            # B is 0 at first, so training starts from the base model unchanged.
            self.b = nn.Parameter(torch.zeros(outputs, rank))

    def forward(self, x: Tensor) -> Tensor:
        """Maps [..., inputs] to [..., outputs] in the type of x."""
        y = F.linear(x, self.weight, self.bias)
        if self.rank:
            y = y + F.linear(F.linear(x, self.a.to(x.dtype)), self.b.to(x.dtype)) * self.scale
        return y


def turn(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Rotary positions: each pair of dimensions (first half, second half) is rotated by its token's angle."""
    # A product of two rotated vectors depends on the distance of their tokens alone.
    first, second = x.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)


class Block(nn.Module):
    """Attention and a gated feed-forward network, each added to its input."""

    def __init__(self, config: dict[str, Any], rank: int, alpha: float, dtype: torch.dtype) -> None:
        super().__init__()
        width, dim, eps = config["width"], config["head_dim"], config["eps"]
        self.dim, self.silu = dim, config["activation"] == "silu"

        def linear(inputs: int, outputs: int, bias: bool = False) -> Linear:
            return Linear(inputs, outputs, bias, rank, alpha, dtype)

        def norm(size: int, there: bool = True) -> nn.Module:
            return Norm(size, eps) if there else nn.Identity()

        bias = config["qkv_bias"]
        self.attn_norm = norm(width)
        self.q = linear(width, config["heads"] * dim, bias)
        self.k = linear(width, config["kv_heads"] * dim, bias)
        self.v = linear(width, config["kv_heads"] * dim, bias)
        self.o = linear(config["heads"] * dim, width)
        self.q_norm, self.k_norm = norm(dim, config["qk_norm"]), norm(dim, config["qk_norm"])
        self.post_attn_norm = norm(width, config["post_norm"])
        self.ffn_norm = norm(width)
        self.gate, self.up = linear(width, config["ffn"]), linear(width, config["ffn"])
        self.down = linear(config["ffn"], width)
        self.post_ffn_norm = norm(width, config["post_norm"])

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        """Maps [batch, tokens, width] to the same shape."""
        y = self.attn_norm(x)
        q, k, v = (part(y).unflatten(-1, (-1, self.dim)).transpose(1, 2) for part in (self.q, self.k, self.v))
        q, k = turn(self.q_norm(q), cos, sin), turn(self.k_norm(k), cos, sin)
        # Several query heads share a head of keys and values, which saves memory.
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        x = x + self.post_attn_norm(self.o(y.transpose(1, 2).flatten(2)))
        y = self.ffn_norm(x)
        gate = self.gate(y)
        # Qwen gates with SiLU, Gemma with the approximation of GELU by a tanh.
        gate = F.silu(gate) if self.silu else F.gelu(gate, approximate="tanh")
        return x + self.post_ffn_norm(self.down(gate * self.up(y)))


class Decoder(nn.Module):
    """All layers above the embedding, frozen in `dtype`; with a rank, only the adapters are trained."""

    def __init__(self, config: dict[str, Any], *, rank: int, alpha: float, dtype: torch.dtype) -> None:
        super().__init__()
        self.config = config
        self.blocks = nn.ModuleList(Block(config, rank, alpha, dtype) for _ in range(config["layers"]))
        self.norm = Norm(config["width"], config["eps"])

    def fill(self, weights: Mapping[str, Tensor]) -> None:
        """Load the base weights; missing or unknown ones are an error."""
        missing, unexpected = self.load_state_dict(dict(weights), strict=False)
        # Adapters are not part of the base model.
        missing = [name for name in missing if not name.endswith((".a", ".b"))]
        if missing or unexpected:
            raise ValueError(f"weights missing: {missing}; not known: {unexpected}")

    def angles(self, x: Tensor, base: float) -> tuple[Tensor, Tensor]:
        """Cosine and sine of each position's angles [tokens, half a head], in the type of x."""
        half = self.config["head_dim"] // 2
        # Turns per token fall geometrically: the first dimensions tell near tokens apart, the last far ones.
        speed = base ** (-torch.arange(half, device=x.device, dtype=torch.float32) / half)
        angle = torch.arange(x.shape[1], device=x.device, dtype=torch.float32)[:, None] * speed
        return angle.cos().to(x.dtype), angle.sin().to(x.dtype)

    def forward(self, x: Tensor) -> Tensor:
        """Maps embedded tokens [batch, tokens, width] to their states after the final norm."""
        x = x * self.config["embed_scale"]
        turns = {base: self.angles(x, base) for base in set(self.config["rope"])}
        for block, base in zip(self.blocks, self.config["rope"], strict=True):
            x = block(x, *turns[base])
        return self.norm(x)


class Classifier(nn.Module):
    """A decoder with two layers on its last state, giving the log odds that a pronoun is wrong."""

    def __init__(self, config: dict[str, Any], *, rank: int = 0, dtype: torch.dtype) -> None:
        super().__init__()
        self.decoder = Decoder(config, rank=rank, alpha=2 * rank, dtype=dtype)
        self.first = nn.Linear(config["width"], HIDDEN)
        self.last = nn.Linear(HIDDEN, 1)

    def forward(self, x: Tensor, ends: Tensor) -> Tensor:
        """Maps embedded texts [batch, tokens, width] and the position of each last token to log odds."""
        # Only the last token has seen the whole text.
        hidden = self.decoder(x)[torch.arange(len(ends), device=x.device), ends]
        scores: Tensor = self.last(F.gelu(self.first(hidden.float())))[:, 0]
        return scores
