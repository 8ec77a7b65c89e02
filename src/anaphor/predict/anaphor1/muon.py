"""Muon: momentum whose steps for matrices are made nearly orthogonal (Jordan et al. 2024).

At equal minutes it was ahead of AdamW for the dense matrices of a Transformer; embeddings, heads and vectors
stay with AdamW.
"""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor, nn

#: Coefficients of the quintic iteration that drives all singular values towards one.
_QUINTIC = (3.4445, -4.7750, 2.0315)
_ITERATIONS = 5


class Muon(torch.optim.Optimizer):
    """For two-dimensional parameters only; those of one shape are moved together, which is faster."""

    def __init__(self, parameters: Iterable[nn.Parameter], *, rate: float, momentum: float = 0.95) -> None:
        by_shape: dict[torch.Size, list[nn.Parameter]] = {}
        for parameter in parameters:
            by_shape.setdefault(parameter.shape, []).append(parameter)
        groups = [{"params": group} for group in by_shape.values()]
        super().__init__(groups, {"lr": rate, "momentum": momentum})

    @torch.no_grad()
    def step(self) -> None:  # type: ignore[override]
        """Move every parameter that has a gradient."""
        for group in self.param_groups:
            moved = [parameter for parameter in group["params"] if parameter.grad is not None]
            if moved:
                self._move(moved, group["lr"], group["momentum"])

    def _move(self, parameters: list[nn.Parameter], rate: float, momentum: float) -> None:
        gradients = torch.stack([parameter.grad for parameter in parameters if parameter.grad is not None])
        first = self.state[parameters[0]]
        speed = first.setdefault("speed", torch.zeros_like(gradients))
        speed.mul_(momentum).add_(gradients)
        rows, columns = gradients.shape[1:]
        steps = orthogonal(gradients.add(speed, alpha=momentum)).to(gradients.dtype)
        moved: list[Tensor] = list(parameters)
        torch._foreach_mul_(moved, 1 - rate * 0.01)
        torch._foreach_add_(moved, list(steps), alpha=-rate * max(1.0, rows / columns) ** 0.5)


def orthogonal(matrices: Tensor) -> Tensor:
    """Matrices [m, rows, columns] with nearly the same directions and singular values near one."""
    a, b, c = _QUINTIC
    x = matrices.bfloat16() if matrices.is_cuda else matrices.float()
    turned = x.shape[1] > x.shape[2]
    x = x.mT if turned else x
    x = x / (x.norm(dim=(1, 2), keepdim=True) + 1e-7)
    for _ in range(_ITERATIONS):
        square = x @ x.mT
        x = a * x + (b * square + c * square @ square) @ x
    straight: Tensor = x.mT if turned else x
    return straight
