"""A small decoder-only transformer (Gemma 3 or Qwen 2) whose matrices can carry LoRA adapters.

Texts of a batch are padded on the right. Every token sees only what stands before it, so that padding changes
nothing and no mask is needed; its own states mean nothing. The local layers of Gemma see a window of 512
tokens. There are no windows here, so texts must not be longer.

Norm weights are plain factors, as in GGUF files. (Gemma's published weights are one less, and its published
code adds the one.)
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812


class Norm(nn.Module):
    """Divides by the root of the mean square, in float32 whatever the type, then scales."""

    def __init__(self, width: int, eps: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width), requires_grad=False)
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        """Keeps the shape and the type."""
        return F.rms_norm(x.float(), (x.shape[-1],), self.weight, self.eps).to(x.dtype)


class Linear(nn.Module):
    """A frozen matrix and, with a rank above zero, a trained change of it: W + alpha / rank * B A."""

    def __init__(
        self, inputs: int, outputs: int, bias: bool, rank: int, alpha: float, dtype: torch.dtype
    ) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(outputs, inputs, dtype=dtype), requires_grad=False)
        self.bias = nn.Parameter(torch.empty(outputs, dtype=dtype), requires_grad=False) if bias else None
        self.rank, self.scale = rank, alpha / max(rank, 1)
        if rank:
            self.a = nn.Parameter(torch.randn(rank, inputs) * inputs**-0.5)
            self.b = nn.Parameter(torch.zeros(outputs, rank))

    def forward(self, x: Tensor) -> Tensor:
        """[..., inputs] to [..., outputs], all of it in the type of x."""
        y = F.linear(x, self.weight, self.bias)
        if self.rank:
            y = y + F.linear(F.linear(x, self.a.to(x.dtype)), self.b.to(x.dtype)) * self.scale
        return y


def turn(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Rotary positions: each pair of a head (first half, second half) is turned by its token's angle."""
    one, two = x.chunk(2, dim=-1)
    return torch.cat([one * cos - two * sin, two * cos + one * sin], dim=-1)


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
        """[batch, tokens, width] to the same."""
        y = self.attn_norm(x)
        q, k, v = (part(y).unflatten(-1, (-1, self.dim)).transpose(1, 2) for part in (self.q, self.k, self.v))
        q, k = turn(self.q_norm(q), cos, sin), turn(self.k_norm(k), cos, sin)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        x = x + self.post_attn_norm(self.o(y.transpose(1, 2).flatten(2)))
        y = self.ffn_norm(x)
        gate = self.gate(y)
        gate = F.silu(gate) if self.silu else F.gelu(gate, approximate="tanh")
        return x + self.post_ffn_norm(self.down(gate * self.up(y)))


class Decoder(nn.Module):
    """The whole network. The base is frozen in `dtype`; with a rank, the adapters are what is trained."""

    def __init__(
        self, config: dict[str, Any], rank: int = 0, alpha: float = 16.0, dtype: torch.dtype = torch.bfloat16
    ) -> None:
        super().__init__()
        self.config = config
        self.embed = nn.Embedding(config["vocabulary"], config["width"], dtype=dtype)
        self.embed.weight.requires_grad_(False)
        self.blocks = nn.ModuleList(Block(config, rank, alpha, dtype) for _ in range(config["layers"]))
        self.norm = Norm(config["width"], config["eps"])

    def fill(self, weights: dict[str, Tensor]) -> None:
        """Takes the base weights; a missing or unknown one is an error."""
        missing, unexpected = self.load_state_dict(weights, strict=False)
        missing = [name for name in missing if not name.endswith((".a", ".b"))]
        if missing or unexpected:
            raise ValueError(f"weights missing: {missing}; not known: {unexpected}")

    def angles(self, count: int, base: float) -> tuple[Tensor, Tensor]:
        """Cosine and sine of each position's angles [tokens, half a head], in the type of the base."""
        device, half = self.embed.weight.device, self.config["head_dim"] // 2
        speed = base ** (-torch.arange(half, device=device, dtype=torch.float32) / half)
        angle = torch.arange(count, device=device, dtype=torch.float32)[:, None] * speed
        return angle.cos().to(self.embed.weight.dtype), angle.sin().to(self.embed.weight.dtype)

    def forward(self, rows: Tensor) -> Tensor:
        """Embedding rows [batch, tokens] to states [batch, tokens, width], after the last norm."""
        x = self.embed(rows) * self.config["embed_scale"]
        turns = {base: self.angles(rows.shape[1], base) for base in set(self.config["rope"])}
        for block, base in zip(self.blocks, self.config["rope"], strict=True):
            x = block(x, *turns[base])
        return self.norm(x)
