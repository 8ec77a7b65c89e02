"""The network of anaphor-2 for training; `network` is the NumPy counterpart.

Shapes: b windows, n positions, d hidden size, h heads, p subwords, c classes.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from anaphor.predict.anaphor2.encoding import LANGUAGES, LINKS, TAG_MASKS
from anaphor.predict.anaphor2.network import NumpyNetwork, Shape
from anaphor.predict.anaphor2.subwords import PAD
from anaphor.predict.anaphor2.windows import LONGEST, SENTENCES, InputBatch


class RootMeanSquareNorm(nn.Module):
    """Scales states to unit root mean square, then multiplies each dimension by a weight."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x: Tensor) -> Tensor:
        return F.rms_norm(x, (x.shape[-1],), self.weight, 1e-6)


class TransformerBlock(nn.Module):
    """Attention, then two dense layers with squared ReLU between them, both with residual connections."""

    def __init__(self, shape: Shape, drop: float) -> None:
        super().__init__()
        d = shape.width
        self.heads, self.drop = shape.heads, drop
        self.before_attention, self.before_dense = RootMeanSquareNorm(d), RootMeanSquareNorm(d)
        self.query, self.key_value = nn.Linear(d, d, bias=False), nn.Linear(d, 2 * d, bias=False)
        self.out = nn.Linear(d, d, bias=False)
        self.up, self.down = nn.Linear(d, 4 * d, bias=False), nn.Linear(4 * d, d, bias=False)

    def forward(self, x: Tensor, seen: Tensor) -> Tensor:
        b, n, d = x.shape
        y = self.before_attention(x)
        query = self.query(y).view(b, n, self.heads, d // self.heads).transpose(1, 2)  # [b, h, n, d/h]
        both = self.key_value(y).view(b, n, 2, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(query, both[0], both[1], attn_mask=seen)
        attended = self.out(mixed.transpose(1, 2).reshape(b, n, d))
        x = x + F.dropout(attended, self.drop, self.training)
        inner = F.relu(self.up(self.before_dense(x))).square()
        return x + F.dropout(self.down(inner), self.drop, self.training)


class TorchNetwork(nn.Module):
    """Maps a batch to states of all positions [b, n, d], with heads for classes and masked subwords."""

    def __init__(self, shape: Shape, drop: float = 0.1) -> None:
        super().__init__()
        d = shape.width
        self.drop = drop
        self.piece, self.place = nn.Embedding(shape.pieces, d), nn.Embedding(LONGEST, d)
        self.sentence, self.language = nn.Embedding(SENTENCES, d), nn.Embedding(len(LANGUAGES) + 1, d)
        self.link, self.tag = nn.Embedding(LINKS + 1, d), nn.Embedding(TAG_MASKS, d)
        self.blocks = nn.ModuleList(TransformerBlock(shape, drop) for _ in range(shape.layers))
        self.norm = RootMeanSquareNorm(d)
        self.classes = nn.Linear(d, shape.classes)
        self.guess = nn.Linear(d, d, bias=False)
        self.guess_bias = nn.Parameter(torch.zeros(shape.pieces))
        for parameter in self.parameters():
            if parameter.dim() == 2:
                nn.init.normal_(parameter, std=0.02)

    def forward(self, batch: InputBatch) -> Tensor:
        x = self.piece(batch.pieces) + self.place.weight[: batch.pieces.shape[1]]
        x = x + self.sentence(batch.sentences) + self.language(batch.languages)
        x = x + self.link(batch.links) + self.tag(batch.tags)
        seen = (batch.pieces != PAD)[:, None, None, :]
        x = F.dropout(x, self.drop, self.training)
        for block in self.blocks:
            x = block(x, seen)
        states: Tensor = self.norm(x)
        return states

    def guesses(self, x: Tensor) -> Tensor:
        """Scores of all subwords [.., p] for masked positions."""
        return F.linear(self.guess(x), self.piece.weight, self.guess_bias)


def as_numpy(network: TorchNetwork, shape: Shape) -> NumpyNetwork:
    """The same network in NumPy."""
    state = network.state_dict()
    return NumpyNetwork(shape, {name: value.detach().float().cpu().numpy() for name, value in state.items()})
